"""Paired tests between every two configurations on the questions of their set."""

from python_llm.statistics.paired import paired_tests

# p values are corrected within it
BLOCK = ("stratum_kind", "stratum", "question_set", "answered_from")
KEYS = (*BLOCK, "configuration_id", "question_id")


def model(dbt, session):
    metrics = dbt.ref("int_questions__compared_metrics")
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    shares = [name for name in metrics.columns if name not in KEYS]
    return paired_tests(
        metrics.order(", ".join(KEYS)).to_arrow_reader,
        block=BLOCK,
        unit="question_id",
        maximum_configurations=int(parameters["comparison_maximum_configurations"]),
        compared=shares,
        shares=shares,
    )
