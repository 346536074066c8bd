"""Intervals and tests against the libraries' own answers and values that can be checked by hand."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import bootstrap

from python_llm.statistics import (
    INTERVAL_KEY,
    PAIR_KEY,
    metric_intervals,
    paired_tests,
    resample_counts,
)


def samples(*metrics):
    """Rows of metric samples from (name, numerators, denominators, is_proportion)."""
    return pa.Table.from_pylist(
        [
            dict.fromkeys(INTERVAL_KEY, "x")
            | {
                "metric": name,
                "numerators": list(map(float, numerators)),
                "denominators": list(map(float, denominators)),
                "n_cases": len(numerators),
                "estimate": sum(numerators) / sum(denominators),
                "is_proportion": is_proportion,
            }
            for name, numerators, denominators, is_proportion in metrics
        ]
    )


def interval(table, row=0):
    return table.column("estimate_low")[row].as_py(), table.column("estimate_high")[row].as_py()


def test_percentile_bootstrap_agrees_with_scipy():
    generator = np.random.default_rng(1)
    weights = generator.uniform(0.1, 1, 150)
    values = generator.normal(size=150)
    ours = interval(
        metric_intervals(
            samples(("m", weights * values, weights, False)), replicates=20_000, seed=29
        )
    )
    theirs = bootstrap(
        (weights * values, weights),
        lambda a, b, axis: a.sum(axis) / b.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=3,
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_another_does_not():
    values = np.random.default_rng(5).normal(10, 1, 40)
    table = samples(("m", values, np.ones(40), False))
    first, again, other = (
        interval(metric_intervals(table, replicates=500, seed=seed)) for seed in (29, 29, 30)
    )
    assert first == again != other


def test_a_share_of_all_or_nothing_still_has_an_interval():
    # Wilson, 8 of 8: lower end n / (n + z^2) = 8 / (8 + 3.8415)
    low, high = interval(
        metric_intervals(samples(("top1", [1] * 8, [1] * 8, True)), replicates=10, seed=1)
    )
    assert (low, high) == pytest.approx((0.6756, 1.0), abs=1e-4)


def test_one_case_has_no_bootstrap_interval():
    table = metric_intervals(samples(("m", [3], [1], False)), replicates=10, seed=1)
    assert interval(table) == (None, None)


def test_no_rows_are_no_rows():
    assert (
        metric_intervals(samples(("m", [1], [1], True)).slice(0, 0), replicates=9, seed=1).num_rows
        == 0
    )
    assert paired_tests(pairs().slice(0, 0), replicates=9, seed=1).num_rows == 0


def test_every_replicate_draws_as_many_cases_as_there_are():
    counts = resample_counts(7, 50, 29)
    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()


def pairs(*rows):
    """Rows of paired samples from (metric, differences, is_proportion)."""
    rows = rows or [("m", [1.0], False)]
    return pa.Table.from_pylist(
        [
            dict.fromkeys(PAIR_KEY, "x")
            | {
                "metric": metric,
                "configuration_b": str(number),
                "differences": list(map(float, differences)),
                "n_cases": len(differences),
                "n_a_better": sum(d > 0 for d in differences),
                "n_b_better": sum(d < 0 for d in differences),
                "is_proportion": is_proportion,
            }
            for number, (metric, differences, is_proportion) in enumerate(rows)
        ]
    )


def test_mcnemar_is_the_exact_binomial_on_discordant_cases():
    # 9 against 1 of 10 discordant: p = 2 * (C(10,0) + C(10,1)) / 2^10 = 22 / 1024
    table = paired_tests(
        pairs(("top1", [1] * 9 + [-1] + [0] * 90, True)), replicates=500, seed=1
    ).to_pylist()[0]
    assert table["method"] == "McNemar exact"
    assert table["p_value"] == pytest.approx(22 / 1024)
    assert table["difference"] == pytest.approx(0.08)
    assert table["difference_low"] < 0.08 < table["difference_high"]


def test_wilcoxon_on_scores_and_no_difference_at_all():
    # five differences of one sign: p = 2 / 2^5
    scores, none = paired_tests(
        pairs(("a", [1, 2, 3, 4, 5], False), ("b", [0, 0, 0], False)), replicates=99, seed=1
    ).to_pylist()
    assert (scores["method"], scores["p_value"]) == ("Wilcoxon signed-rank", 2 / 32)
    assert (none["p_value"], none["difference"]) == (1.0, 0.0)


def test_holm_corrects_within_a_metric_only():
    # p = 0.0625, 0.5 and 0.25 in one family of three: Holm gives 0.1875, 0.5 and 0.5
    rows = paired_tests(
        pairs(
            ("a", [1, 2, 3, 4, 5], False),
            ("a", [1, 2], False),
            ("a", [1, 2, 3], False),
            ("b", [1, 2, 3], False),
        ),
        replicates=99,
        seed=1,
    ).to_pylist()
    assert [row["p_value_adjusted"] for row in rows] == pytest.approx([0.1875, 0.5, 0.5, 0.25])
    assert [row["n_comparisons"] for row in rows] == [3, 3, 3, 1]
