"""Every attempt the ledger knows, after the reasoner has been asked."""

from python_llm.engine import Settings, attempts


def model(dbt, session):
    dbt.ref("int_phenotyping__reasoning_responses")  # only the order matters: calls first
    settings = Settings(**dbt.config.get("meta"))
    return attempts(settings.ledger_dir)
