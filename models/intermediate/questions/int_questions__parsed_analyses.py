"""Reads the structured analysis out of whole answers and of those that were cut off for length."""

from python_llm.questions.analysis import parse_analyses


def model(dbt, session):
    responses = dbt.ref("int_questions__analysis_responses")
    responses = responses.filter("status in ('ok', 'truncated') and answer_text is not null")
    return parse_analyses(responses.select("request_key", "answer_text").to_arrow_table())
