"""How far probes move judges' scores, and the bootstrap interval of it."""

from python_llm.statistics.agreement import score_shifts


def model(dbt, session):
    shifts = dbt.ref("int_experiments__probe_shifts").order("judge_id, probe, scale, case_id")
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    return score_shifts(
        shifts.to_arrow_table(),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
