"""What the ledger has a final answer to at the beginning of a build."""

from python_llm.engine import Settings, answered


def model(dbt, session):
    settings = Settings(**dbt.config.get("meta"))
    return answered(settings.ledger_dir)
