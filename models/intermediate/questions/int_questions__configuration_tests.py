"""Paired tests between every two configurations on the questions they share."""

from python_llm.statistics import paired_tests


def model(dbt, session):
    pairs = dbt.ref("int_questions__configuration_pairs").to_arrow_table()
    parameters = dict(
        dbt.ref("stg_registry__parameter").select("parameter, parameter_value").fetchall()
    )
    return paired_tests(
        pairs,
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
