"""The judges' scores, read strictly."""

from python_llm.recommendations.evaluation.answers import parse_scores


def model(dbt, session):
    responses = dbt.ref("int_recommendations__judge_responses")
    responses = responses.filter("status = 'ok' and answer_text is not null")
    return parse_scores(responses.select("request_key", "answer_text").to_arrow_table())
