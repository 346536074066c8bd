"""Reads ranked diagnoses out of whole, cut-off and recorded answers, and why there are none."""

from python_llm.parsing.differential import parse_differentials
from python_llm.statistics.in_groups import arrow_of, row_by_row, selected


def model(dbt, session):
    patterns = dbt.ref("answer_patterns").join(
        dbt.ref("outcome_statuses").select("status", "outcome_class"), "status"
    )
    # what a filter or a refusal left over is not a differential, whatever it looks like
    delivered = dbt.ref("int_experiments__generation_responses").filter(
        "status in ('ok', 'truncated') and answer_text is not null"
    )
    delivered = delivered.join(dbt.ref("int_experiments__request_formats"), "request_key")
    recorded = dbt.ref("int_experiments__recorded_answers")
    parts = ("output_format", "answer_text")
    answers = selected(recorded, "answer_key", *parts, "diagnoses", "true as is_recorded").union(
        selected(
            delivered,
            *("request_key as answer_key", *parts, "null as diagnoses", "false as is_recorded"),
        )
    )
    patterns = arrow_of(patterns, "pattern_order", "status", "pattern", "outcome_class")
    return row_by_row(parse_differentials, answers, patterns=patterns)
