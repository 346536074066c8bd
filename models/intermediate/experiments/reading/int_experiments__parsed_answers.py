"""Reads ranked diagnoses out of whole, cut-off and recorded answers, and why there are none."""

from python_llm.parsing.differential import parse_differentials
from python_llm.statistics.in_groups import arrow_of, row_by_row


def model(dbt, session):
    patterns = dbt.ref("answer_patterns").join(
        dbt.ref("outcome_statuses").select("status", "outcome_class"), "status"
    )
    return row_by_row(
        parse_differentials,
        dbt.ref("int_experiments__answers_to_read"),
        patterns=arrow_of(patterns, "pattern_order", "status", "pattern", "outcome_class"),
    )
