"""The dependence of cases within groups, against values worked by hand."""

import pytest
from scipy.stats import f_oneway

from python_llm.statistics.clusters import dependence

# Sizes 3, 2, 1 and means 2/3, 0, 1 around 1/2: between = (3/36 + 2/4 + 1/4) / 2 = 5/12, within =
# (2/3) / 3 = 2/9, typical size (6 - 14/6) / 2 = 11/6, correlation = (7/36) / (65/108) = 21/65,
# design effect = 1 + (14/6 - 1) 21/65 = 93/65.
UNEQUAL = ([1, 1, 0, 0, 0, 1], ["a", "a", "a", "b", "b", "c"])


def test_a_worked_value():
    found = dependence(*UNEQUAL)
    assert (found.n_units, found.n_clusters) == (6, 3)
    assert found.correlation == pytest.approx(21 / 65)
    assert found.design_effect == pytest.approx(93 / 65)
    assert found.effective == pytest.approx(6 * 65 / 93)


def test_clusters_of_one_value_count_as_one_case_each():
    found = dependence([1, 1, 1, 0, 0, 0], "aaabbb")
    assert (found.correlation, found.design_effect, found.effective) == (1, 3, 2)


def test_alternation_within_clusters_gains_nothing():
    found = dependence([1, 0, 1, 0], "aabb")
    assert found.correlation == -1
    assert found.design_effect == 1


@pytest.mark.parametrize(
    ("values", "clusters"), [([1, 0, 1], "abc"), ([1, 0, 1], "aaa"), ([1, 1, 1], "aab")]
)
def test_without_an_estimate_there_is_none(values, clusters):
    found = dependence(values, clusters)
    assert found.correlation is found.design_effect is found.effective is None


def test_the_mean_squares_are_those_of_the_library():
    # equal sizes m: F = between / within = (1 + (m - 1) r) / (1 - r)
    groups = [[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1]]
    found = dependence([*groups[0], *groups[1], *groups[2]], "a" * 4 + "b" * 4 + "c" * 4)
    assert (1 + 3 * found.correlation) / (1 - found.correlation) == pytest.approx(
        f_oneway(*groups).statistic
    )
