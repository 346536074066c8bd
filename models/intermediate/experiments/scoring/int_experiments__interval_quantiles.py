"""What to multiply the standard error of a number of cases by."""

from python_llm.statistics.detectable import interval_quantiles
from python_llm.statistics.in_groups import count_of


def model(dbt, session):
    cases = dbt.ref("dim_case")
    # a stratum has as many cases as its test set at most, and a pooled one as all of them
    return interval_quantiles(range(1, count_of(cases) + 1))
