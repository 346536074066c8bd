"""The smallest differences that test sets of these sizes can show."""

from python_llm.statistics.intervals import detectable_differences


def model(dbt, session):
    sizes = dbt.ref("dim_test_set").select("n_cases").fetchall()
    parameters = dict(dbt.ref("parameters").select("parameter, value").fetchall())
    return detectable_differences(
        [n_cases for (n_cases,) in sizes],
        discordant=parameters["assumed_discordant_share"],
        power=parameters["test_power"],
    )
