"""Every attempt the ledger knows, after the questions have been asked."""

from python_llm.engine import Settings, attempts


def model(dbt, session):
    dbt.ref("int_questions__type_responses")  # only the order matters: calls first
    dbt.ref("int_questions__analysis_responses")
    dbt.ref("int_questions__choice_responses")
    settings = Settings(**dbt.config.get("meta"))
    return attempts(settings.ledger_dir)
