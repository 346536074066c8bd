"""Problems, red flags and rules the seeds give each case."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.recommendations.evaluation.tables import case_facts


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases").order("tenant_id, case_id")
    cases = cases.select("tenant_id, case_id, patient_json").to_arrow_table()
    facts = dbt.ref("stg_recommendations__fact").to_arrow_table()
    return apart.made(partial(case_facts, facts=facts), cases, apart.FEW_LONG)
