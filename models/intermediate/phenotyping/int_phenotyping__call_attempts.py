"""Every attempt the ledger knows, after reader and reasoner have been asked."""

from python_llm.engine import Settings, attempts


def model(dbt, session):
    dbt.ref("int_phenotyping__extraction_responses")  # only the order matters: calls first
    dbt.ref("int_phenotyping__reasoning_responses")
    settings = Settings(**dbt.config.get("meta"))
    return attempts(settings.ledger_dir)
