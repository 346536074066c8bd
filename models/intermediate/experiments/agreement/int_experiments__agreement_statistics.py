"""Coefficients of agreement between judges, and their bootstrap intervals."""

from python_llm.statistics.agreement import agreement_statistics


def model(dbt, session):
    counts = dbt.ref("int_experiments__label_counts").order(
        "comparison, judge_a, judge_b, test_set, configuration_id, scale, case_id, "
        "position_a, position_b"
    )
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    return agreement_statistics(
        counts.to_arrow_table(),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
