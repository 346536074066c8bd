"""What the recommender without a language model says of every case."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.recommendations.evaluation.tables import recommend_all


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases").order("tenant_id, case_id")
    cases = cases.select("tenant_id, case_id, patient_json").to_arrow_table()
    facts = dbt.ref("stg_recommendations__fact").to_arrow_table()
    return apart.made(partial(recommend_all, facts=facts), cases, apart.FEW_LONG)
