"""Reads ranked diagnoses out of the answers that have a text."""

from python_llm.parsing.differential import parse_differentials


def model(dbt, session):
    requests = dbt.ref("int_experiments__generation_requests").select("request_key, output_format")
    responses = dbt.ref("int_experiments__generation_responses").filter("answer_text is not null")
    answers = responses.select("request_key, answer_text").join(requests, "request_key")
    return parse_differentials(answers.to_arrow_table())
