"""Asks the models what the ledger does not know yet. The work is the engine's."""

from python_llm.engine import READ_ROWS, answer
from python_llm.job.run import run_settings


def model(dbt, session):
    asks = dbt.ref("int_recommendations__generation_asks").to_arrow_reader(READ_ROWS)
    settings = run_settings(dbt.config.get("meta"))
    return answer(asks, settings=settings)
