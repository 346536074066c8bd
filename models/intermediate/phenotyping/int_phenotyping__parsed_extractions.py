"""Reads excluded findings and times out of what the models answered."""

from python_llm.phenotyping.extraction import parse_extractions


def model(dbt, session):
    return parse_extractions(dbt.ref("int_phenotyping__extraction_answers").to_arrow_table())
