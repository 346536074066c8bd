"""Paired tests between every two configurations of a test set."""

from python_llm.statistics import paired_tests


def model(dbt, session):
    metrics = dbt.ref("int_experiments__case_metrics")
    parameters = dict(
        dbt.ref("stg_registry__parameter").select("parameter, parameter_value").fetchall()
    )
    return paired_tests(
        metrics.order("judge_id, test_set, configuration_id, case_id").to_arrow_table(),
        maximum_configurations=int(parameters["comparison_maximum_configurations"]),
    )
