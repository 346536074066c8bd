"""Bootstrap intervals of every configuration's means, aggregates and ranks."""

from python_llm.statistics.intervals import metric_intervals


def model(dbt, session):
    # score_key is in the order of judge, test set and configuration
    metrics = dbt.ref("int_experiments__case_metrics").order("score_key, case_id")
    weights = dbt.ref("int_experiments__case_weights").order("setting, score_key, case_id")
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    return metric_intervals(
        metrics.to_arrow_reader,
        weights.to_arrow_reader,
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
