"""Paired tests between every two configurations of a test set."""

from python_llm.statistics.in_groups import Ordered, in_groups, rows_of
from python_llm.statistics.metrics import COMPARED
from python_llm.statistics.paired import compared_configurations

BLOCK = ("judge_id", "test_set")  # p values are corrected within it


def model(dbt, session):
    # score_key is in the order of judge, test set and configuration
    metrics = dbt.ref("int_experiments__case_metrics").select(
        "score_key", *BLOCK, "configuration_id", "case_id", *COMPARED
    )
    parameters = dict(rows_of(dbt.ref("parameters"), "parameter", "value"))
    # the setting of the leaderboard
    weights = dbt.ref("int_experiments__case_weights").filter("setting = 'medium'")
    order = ("score_key", "case_id")
    return in_groups(
        compared_configurations,
        [Ordered(metrics, order), Ordered(weights, order)],
        BLOCK,
        block=BLOCK,
        unit="case_id",
        maximum_configurations=int(parameters["comparison_maximum_configurations"]),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
