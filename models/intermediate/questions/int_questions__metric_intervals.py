"""Intervals of every metric of every configuration and stratum."""

from python_llm.statistics import metric_intervals


def model(dbt, session):
    samples = dbt.ref("int_questions__metric_samples").to_arrow_table()
    parameters = dict(
        dbt.ref("stg_registry__parameter").select("parameter, parameter_value").fetchall()
    )
    return metric_intervals(
        samples,
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
