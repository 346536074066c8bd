"""Checks every recommendation, by rules or by a model, against its packet."""

from python_llm.phenotyping.recommending import check_all


def model(dbt, session):
    numbers = dbt.ref("work_up_parameters")
    sparse = numbers.filter("parameter = 'sparse_completeness'").fetchone()[1]
    names = dbt.ref("int_phenotyping__spoken_names")
    packets = dbt.ref("int_phenotyping__packets").select("case_id, packet")
    by_rules = dbt.ref("int_phenotyping__rule_recommendations")
    parsed = dbt.ref("int_phenotyping__parsed_recommendations").filter("recommendation is not null")
    by_models = parsed.join(dbt.ref("int_phenotyping__reasoning_asks"), "request_key")
    recommendations = by_rules.select("case_id, 'rules' as reasoner, recommendation").union(
        by_models.select("case_id, model_alias as reasoner, recommendation")
    )
    answers = recommendations.join(packets, "case_id")
    return check_all(answers.to_arrow_table(), sparse, names.to_arrow_table())
