"""Reads ranked diagnoses out of whole, cut-off and recorded answers."""

from python_llm.parsing.differential import parse_differentials


def model(dbt, session):
    return parse_differentials(dbt.ref("int_experiments__readable_answers").to_arrow_table())
