"""Asks the models what the ledger does not know yet. The work is the engine's."""

from python_llm.engine import READ_ROWS, answer
from python_llm.job.planning.plan import announce
from python_llm.job.run import run_settings


def model(dbt, session):
    asks = dbt.ref("int_experiments__generation_asks")
    settings = run_settings(dbt.config.get("meta"))
    # before a row of the asks is read: the next statement of the session would end the reading
    announce(dbt.ref("int_experiments__run_plan").to_arrow_table(), settings)
    return answer(asks.to_arrow_reader(READ_ROWS), settings=settings)
