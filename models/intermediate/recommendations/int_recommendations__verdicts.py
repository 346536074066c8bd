"""Tiers 1 and 3 of every recommendation, by the functions `kernel29 check` uses."""

from python_llm.recommendations.evaluation import verdicts_of


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases")
    cases = cases.select("tenant_id, case_id, patient_json, expected_rules, expected_flags")
    answers = dbt.ref("fct_recommendation")
    answers = answers.select("tenant_id, case_id, recommender, recommendation_json")
    both = answers.join(cases, "tenant_id, case_id").order("tenant_id, case_id, recommender")
    return verdicts_of(both.to_arrow_table(), dbt.ref("stg_recommendations__fact").to_arrow_table())
