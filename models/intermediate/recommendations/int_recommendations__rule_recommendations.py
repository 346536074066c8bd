"""What the recommender without a language model says of every case."""

from python_llm.recommendations.evaluation.tables import recommend_all


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases").order("tenant_id, case_id")
    return recommend_all(
        cases.select("tenant_id, case_id, patient_json").to_arrow_table(),
        dbt.ref("stg_recommendations__fact").to_arrow_table(),
    )
