"""Reads labels out of the judges' answers on both scales, cut-off ones included."""

from python_llm.parsing.judgement import parse_judgements
from python_llm.statistics.in_groups import row_by_row


def model(dbt, session):
    semantic = dbt.ref("int_experiments__semantic_responses")
    severity = dbt.ref("int_experiments__severity_responses")
    responses = semantic.select("request_key", "status", "answer_text").union(
        severity.select("request_key", "status", "answer_text")
    )
    responses = responses.filter("status in ('ok', 'truncated') and answer_text is not null")
    # the same words may be asked on both scales
    answers = responses.select("request_key", "answer_text").distinct()
    return row_by_row(parse_judgements, answers)
