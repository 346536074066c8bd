"""The smallest differences that test sets of these sizes can show."""

from python_llm.statistics.detectable import detectable_differences
from python_llm.statistics.in_groups import rows_of


def model(dbt, session):
    sizes = dbt.ref("dim_test_set")
    parameters = dict(rows_of(dbt.ref("parameters"), "parameter", "value"))
    return detectable_differences(
        [n_cases for (n_cases,) in rows_of(sizes, "n_cases")],
        discordant=parameters["assumed_discordant_share"],
        power=parameters["test_power"],
    )
