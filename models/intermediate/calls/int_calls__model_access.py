"""Which models could be called when this was built, and what the others lack."""

import pyarrow as pa

from python_llm.job.admission.access import STATE_SCHEMA, states


def model(dbt, session):
    models = dbt.ref("int_calls__current_models").filter("kind = 'llm'").to_arrow_table()
    return pa.Table.from_pylist(list(states(models.to_pylist())), STATE_SCHEMA)
