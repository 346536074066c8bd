"""How far probes move judges' scores, and the bootstrap interval of it."""

from python_llm.statistics.agreement import score_shifts
from python_llm.statistics.in_groups import Ordered, in_groups, rows_of


def model(dbt, session):
    shifts = Ordered(
        dbt.ref("int_experiments__probe_shifts"), ("judge_id", "probe", "scale", "case_id")
    )
    parameters = dict(rows_of(dbt.ref("parameters"), "parameter", "value"))
    return in_groups(
        score_shifts,
        [shifts],
        ("judge_id", "probe", "scale"),
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
