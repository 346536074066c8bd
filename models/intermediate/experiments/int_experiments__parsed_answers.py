"""Reads ranked diagnoses out of whole answers and of those that were cut off for length.

What a filter or a refusal left over is no differential, whatever it looks like.
"""

from python_llm.parsing.differential import parse_differentials


def model(dbt, session):
    requests = dbt.ref("int_experiments__generation_requests").select("request_key, output_format")
    responses = dbt.ref("int_experiments__generation_responses")
    responses = responses.filter("status in ('ok', 'truncated') and answer_text is not null")
    answers = responses.select("request_key, answer_text").join(requests, "request_key")
    return parse_differentials(answers.to_arrow_table())
