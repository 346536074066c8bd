"""Coefficients of agreement between judges, and their bootstrap intervals."""

from python_llm.statistics.agreement import KEYS, agreement_statistics
from python_llm.statistics.in_groups import Ordered, in_groups, rows_of


def model(dbt, session):
    counts = dbt.ref("int_experiments__label_counts")
    parameters = dict(rows_of(dbt.ref("parameters"), "parameter", "value"))
    return in_groups(
        agreement_statistics,
        [Ordered(counts, (*KEYS, "case_id", "position_a", "position_b"))],
        KEYS,
        replicates=int(parameters["bootstrap_replicates"]),
        seed=int(parameters["bootstrap_seed"]),
    )
