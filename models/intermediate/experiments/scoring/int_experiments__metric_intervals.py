"""Bootstrap intervals of every configuration's means, aggregates and ranks."""

from python_llm.statistics.in_groups import Ordered, in_groups, rows_of
from python_llm.statistics.intervals import metric_intervals


def model(dbt, session):
    # score_key is in the order of judge, test set and configuration
    metrics = Ordered(dbt.ref("int_experiments__case_metrics"), ("score_key", "case_id"))
    weights = Ordered(dbt.ref("int_experiments__case_weights"), ("setting", "score_key", "case_id"))
    parameters = dict(rows_of(dbt.ref("parameters"), "parameter", "value"))
    return in_groups(
        metric_intervals,
        [metrics, weights],
        ("judge_id", "test_set"),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
