"""Every attempt the ledger knows, after this run's calls have been made."""

from python_llm.engine import Settings, attempts


def model(dbt, session):
    dbt.ref("int_experiments__generation_responses")  # only the order matters: calls first
    dbt.ref("int_experiments__semantic_responses")
    dbt.ref("int_experiments__severity_responses")
    settings = Settings(**dbt.config.get("meta"))
    return attempts(settings.ledger_dir)
