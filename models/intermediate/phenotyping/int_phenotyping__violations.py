"""Checks every recommendation, by rules or by a model, against its packet."""

from python_llm.phenotyping.recommending import check_all


def model(dbt, session):
    numbers = dbt.ref("work_up_parameters")
    sparse = numbers.filter("parameter = 'sparse_completeness'").fetchone()[1]
    names = dbt.ref("int_phenotyping__spoken_names")
    answers = dbt.ref("int_phenotyping__answers").filter("recommendation is not null")
    answers = answers.select("case_id, reasoner, packet, recommendation")
    return check_all(answers.to_arrow_table(), sparse, names.to_arrow_table())
