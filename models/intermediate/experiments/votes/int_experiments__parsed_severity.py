"""Reads labels out of the severity judges' answers, cut-off ones included."""

from python_llm.parsing.judgement import parse_judgements


def model(dbt, session):
    responses = dbt.ref("int_experiments__severity_responses")
    responses = responses.filter("status in ('ok', 'truncated') and answer_text is not null")
    return parse_judgements(responses.select("request_key", "answer_text").to_arrow_table())
