"""Tiers 1 and 3 of every recommendation, by the functions `kernel29 check` uses."""

from python_llm.recommendations.evaluation import verdicts_of


def model(dbt, session):
    cases = dbt.ref("int_recommendations__expected_of_cases").set_alias("cases")
    said = dbt.ref("int_recommendations__recommendations")
    said = said.select("tenant_id, case_id, recommender, recommendation_json").set_alias("said")
    both = said.join(cases, "tenant_id, case_id").order("tenant_id, case_id, recommender")
    return verdicts_of(both.to_arrow_table(), dbt.ref("stg_recommendations__fact").to_arrow_table())
