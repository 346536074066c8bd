"""Asks the models what the ledger does not know yet. The work is the engine's."""

from dbt_common.invocation import get_invocation_id

from python_llm.engine import READ_ROWS, Settings, answer


def model(dbt, session):
    asks = dbt.ref("int_questions__choice_asks").to_arrow_reader(READ_ROWS)
    settings = Settings(**dbt.config.get("meta"), run_id=get_invocation_id())
    return answer(asks, settings=settings)
