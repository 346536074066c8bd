"""Tiers 1 and 3 of every recommendation, by the functions `kernel29 check` uses."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.recommendations.evaluation.tables import verdicts_of


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases")
    cases = cases.select(
        "tenant_id, case_id, archetype, patient_json, expected_rules, expected_flags"
    )
    columns = "tenant_id, case_id, recommender, recommendation_json"
    by_rules = dbt.ref("int_recommendations__rule_recommendations").select(columns)
    parsed = dbt.ref("int_recommendations__parsed_recommendations")
    parsed = parsed.select("tenant_id, case_id, recommendation_json")
    # a case without an answer stays, and fails every check
    by_models = dbt.ref("int_recommendations__generation_answers")
    by_models = by_models.select("tenant_id, case_id, model_alias as recommender")
    by_models = by_models.join(parsed, "tenant_id, case_id", how="left").select(columns)
    both = (
        by_rules.union(by_models)
        .join(cases, "tenant_id, case_id")
        .order("tenant_id, case_id, recommender")
    )
    facts = dbt.ref("stg_recommendations__fact").to_arrow_table()
    return apart.made(partial(verdicts_of, facts=facts), both.to_arrow_table(), apart.FEW_LONG)
