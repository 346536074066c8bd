"""Reads excluded findings and times out of what the models answered."""

from python_llm.phenotyping.extraction import parse_extractions


def model(dbt, session):
    tasks = dbt.ref("int_phenotyping__extraction_asks").select("request_key, task").distinct()
    answers = dbt.ref("int_phenotyping__extraction_responses").filter("status = 'ok'")
    answers = answers.select("request_key, answer_text").join(tasks, "request_key")
    return parse_extractions(answers.to_arrow_table())
