"""Paired tests between every two configurations of a test set."""

from python_llm.statistics.intervals import COMPARED, paired_tests

KEYS = ("judge_id", "test_set", "configuration_id", "case_id")


def model(dbt, session):
    # score_key is in the order of judge, test set and configuration
    metrics = dbt.ref("int_experiments__case_metrics").select("score_key", *KEYS, *COMPARED)
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    return paired_tests(
        metrics.order("score_key, case_id").to_arrow_reader,
        maximum_configurations=int(parameters["comparison_maximum_configurations"]),
    )
