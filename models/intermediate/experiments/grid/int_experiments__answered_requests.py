"""Which requests for a differential the ledger has a final answer to, before any is sent."""

from python_llm.engine import Settings, answered


def model(dbt, session):
    keys = dbt.ref("int_experiments__generation_requests").select("request_key").to_arrow_table()
    settings = Settings(**dbt.config.get("meta"))
    return answered(keys, settings.ledger_dir)
