"""Asks the models what the ledger does not know yet. The work is the engine's."""

from dbt_common.invocation import get_invocation_id

from python_llm.engine import READ_ROWS, REQUEST_SCHEMA, Settings, answer
from python_llm.job.plan import announce


def model(dbt, session):
    requests = dbt.ref("int_experiments__generation_requests").select(*REQUEST_SCHEMA.names)
    settings = Settings(**dbt.config.get("meta"), run_id=get_invocation_id())
    announce(dbt.ref("int_experiments__run_plan").to_arrow_table(), settings)
    return answer(requests.to_arrow_reader(READ_ROWS), settings=settings)
