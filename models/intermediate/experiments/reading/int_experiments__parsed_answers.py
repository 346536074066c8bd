"""Reads ranked diagnoses out of whole, cut-off and recorded answers, and why there are none."""

from python_llm.parsing.differential import parse_differentials


def model(dbt, session):
    patterns = dbt.ref("answer_patterns").join(
        dbt.ref("outcome_statuses").select("status", "outcome_class"), "status"
    )
    return parse_differentials(
        dbt.ref("int_experiments__readable_answers").to_arrow_table(),
        patterns.select("pattern_order", "status", "pattern", "outcome_class").to_arrow_table(),
    )
