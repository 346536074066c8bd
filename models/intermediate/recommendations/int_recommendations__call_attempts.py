"""Every attempt the ledger knows, after recommenders and judges have been asked."""

from python_llm.engine import Settings, attempts


def model(dbt, session):
    dbt.ref("int_recommendations__generation_responses")  # only the order matters: calls first
    dbt.ref("int_recommendations__judge_responses")
    settings = Settings(**dbt.config.get("meta"))
    return attempts(settings.ledger_dir)
