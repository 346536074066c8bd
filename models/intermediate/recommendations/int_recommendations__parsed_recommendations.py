"""The models' answers as recommendations, whole or not."""

from python_llm.recommendations.evaluation.answers import parse_recommendations


def model(dbt, session):
    answers = dbt.ref("int_recommendations__generation_answers")
    answers = answers.filter("status in ('ok', 'truncated') and answer_text is not null")
    return parse_recommendations(answers.order("tenant_id, case_id").to_arrow_table())
