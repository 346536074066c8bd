"""Reads recommendations, strictly, out of answers."""

from python_llm.phenotyping.recommending import parse_recommendations


def model(dbt, session):
    responses = dbt.ref("int_phenotyping__reasoning_responses")
    answers = responses.filter("status = 'ok' and answer_text is not null")
    return parse_recommendations(answers.select("request_key, answer_text").to_arrow_table())
