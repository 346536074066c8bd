"""Bootstrap intervals of every configuration's means, aggregates and ranks."""

from python_llm.statistics import metric_intervals


def model(dbt, session):
    metrics = dbt.ref("int_experiments__case_metrics").order(
        "judge_id, test_set, configuration_id, case_id"
    )
    weights = dbt.ref("int_experiments__case_weights").order(
        "judge_id, test_set, setting, configuration_id, case_id"
    )
    parameters = dict(
        dbt.ref("stg_registry__parameter").select("parameter, parameter_value").fetchall()
    )
    return metric_intervals(
        metrics.to_arrow_table(),
        weights.to_arrow_table(),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
