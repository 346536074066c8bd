"""What to multiply the standard error of a number of cases by."""

from python_llm.statistics.intervals import interval_quantiles


def model(dbt, session):
    # a stratum has as many cases as its test set at most, and a pooled one as all of them
    (most,) = dbt.ref("dim_case").aggregate("count(*)").fetchone()
    return interval_quantiles(range(1, most + 1))
