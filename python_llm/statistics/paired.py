"""Tests of the difference between two configurations on the same units
(docs/specification.md#paired-comparisons).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.stats import binom, t

from python_llm.statistics.blocks import (
    DICTIONARY,
    PART,
    Block,
    Reader,
    blocks,
    nullable,
    resample_counts,
)
from python_llm.statistics.detectable import t_quantiles
from python_llm.statistics.metrics import AGGREGATES, COMPARED, DECIMALS, DIGITS, NOISE, SHARES, Z
from python_llm.statistics.wilcoxon import signed_ranks, spread_of_differences

TEST_FIELDS = (
    *((name, DICTIONARY) for name in ("metric", "method")),
    *(
        (name, pa.float64())
        for name in (
            *("estimate_a", "estimate_b", "difference", "difference_low", "difference_high"),
            *("p_value", "p_value_adjusted", "p_value_fdr"),
        )
    ),
    *((name, pa.int32()) for name in ("n_units", "n_a_better", "n_b_better", "n_comparisons")),
)


class Weighted(NamedTuple):
    """Aggregates to compare: their rows as in `metric_intervals`, of one setting; the draws."""

    open_weights: Reader
    replicates: int
    seed: int


class Test(NamedTuple):
    """A test and its name. From values, weights if the metric has some, and the rows of the first
    and second of each pair it gives the results of the pairs."""

    method: str
    compare: Callable[
        [np.ndarray, np.ndarray | None, np.ndarray, np.ndarray], dict[str, np.ndarray]
    ]


class Measured(NamedTuple):
    """A metric of a block as (configurations, units), its weights if it has some, its test."""

    block: Block
    metric: str
    values: np.ndarray
    weights: np.ndarray | None
    test: Test


def paired_tests(
    open_metrics: Reader,
    *,
    block: Sequence[str],
    unit: str,
    maximum_configurations: int,
    compared: Sequence[str] = COMPARED,
    shares: Sequence[str] = SHARES,
    weighted: Weighted | None = None,
) -> pa.Table:
    """Tests of the difference between every two configurations of a block, paired by unit.

    The metrics have one row per configuration and `unit` (a case, a question) in each `block` (the
    columns within which configurations are compared: judge and test set), with the columns of
    `compared`. The rows of a block are consecutive, ordered by configuration_id and `unit`. The
    result has the two configurations, the columns of `block` and TEST_FIELDS. A configuration
    without any value of a metric is not compared by it (docs/specification.md#paired-comparisons).

    Metrics in `shares` get McNemar's exact test on the discordant units and the interval of Bonett
    & Price (J Educ Behav Stat 2012; 37:479-488); the other scores get Wilcoxon's signed-rank test
    and Student's interval of the mean difference.
    p values are corrected within block and metric, after Holm and after Benjamini and Hochberg. Two
    configurations are compared on the units for which both have a value, if there are any. The
    aggregates of `weighted` are compared by their bootstrap replicates (`_resampled`).

    Beyond `maximum_configurations` in one block there are too many pairs to keep (4,500 make ten
    million for every judge and metric): each configuration is then compared with the best
    maximum_configurations / 10 by the metric. The correction still counts every pair, those left
    out with p = 1, which can only make it stricter.
    """
    schema = pa.schema(
        [(name, DICTIONARY) for name in ("configuration_a", "configuration_b", *block)]
        + list(TEST_FIELDS)
    )
    measured = _measured(blocks(open_metrics, block, unit), compared, shares)
    if weighted:
        aggregates = _aggregates(blocks(weighted.open_weights, block, unit), weighted)
        measured = chain(measured, aggregates)
    tests = [
        pa.table(columns, schema=schema)
        for metric in measured
        if (columns := _tests_of_block(metric, maximum_configurations))
    ]
    return pa.concat_tables(tests) if tests else schema.empty_table()


def _measured(
    of_blocks: Iterable[Block], compared: Sequence[str], shares: Sequence[str]
) -> Iterator[Measured]:
    for_share = Test("McNemar exact", partial(_tested, is_share=True))
    for_score = Test("Wilcoxon signed-rank", partial(_tested, is_share=False))
    for block in of_blocks:
        for metric in compared:
            test = for_share if metric in shares else for_score
            yield Measured(block, metric, block.matrix(metric), None, test)


def _aggregates(of_blocks: Iterable[Block], weighted: Weighted) -> Iterator[Measured]:
    compare = partial(_resampled, replicates=weighted.replicates, seed=weighted.seed)
    test = Test("paired bootstrap", compare)
    for block in of_blocks:
        for metric in AGGREGATES:
            score = metric.removesuffix("_aggregate")
            values, weights = (block.matrix(f"{score}_{part}") for part in ("rescaled", "weight"))
            yield Measured(block, metric, values, weights, test)


def compared_configurations(
    open_metrics: Reader, open_weights: Reader, *, replicates: int, seed: int, **options: Any
) -> pa.Table:
    """`paired_tests` of the metrics, and of the aggregates by their weights."""
    weighted = Weighted(open_weights, replicates, seed)
    return paired_tests(open_metrics, weighted=weighted, **options)


def _tests_of_block(measured: Measured, maximum_configurations: int) -> list[pa.Array]:
    """The columns of the tests of one metric; empty if no two configurations share a unit."""
    is_measured = ~np.isnan(measured.values).all(axis=1)
    if not is_measured.any():
        return []
    values = measured.values[is_measured]
    weights = None if measured.weights is None else measured.weights[is_measured]
    k = len(values)
    if k <= maximum_configurations:
        a, b = np.triu_indices(k, 1)
    else:
        if weights is None:
            estimates = np.nanmean(values, axis=1)
        else:
            estimates = np.nansum(values * weights, axis=1) / np.nansum(weights, axis=1)
        leaders = np.argsort(-estimates, kind="stable")[: max(1, maximum_configurations // 10)]
        a, b = (side.ravel() for side in np.meshgrid(leaders, np.arange(k), indexing="ij"))
        pairs = np.unique(np.c_[np.minimum(a, b), np.maximum(a, b)][a != b], axis=0)
        a, b = pairs.T
    a, b, results, n_comparisons = _compared(values, weights, a, b, measured.test)
    if not len(a):
        return []
    holm, fdr = _corrected(results["p_value"], n_comparisons)
    names = pa.array([measured.block.configurations[row] for row in np.flatnonzero(is_measured)])

    def constant(text: str) -> pa.Array:
        return pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(a), np.int32)), pa.array([text])
        )

    return [
        *(
            pa.DictionaryArray.from_arrays(pa.array(side.astype(np.int32)), names)
            for side in (a, b)
        ),
        *(constant(text) for text in (*measured.block.key, measured.metric, measured.test.method)),
        *(pa.array(results[side].round(12)) for side in ("mean_a", "mean_b")),
        pa.array((results["mean_a"] - results["mean_b"]).round(12)),
        *(nullable(results[end].round(DECIMALS), pa.float64()) for end in ("low", "high")),
        *(pa.array(p) for p in (results["p_value"], holm, fdr)),
        *(pa.array(results[count].astype(np.int32)) for count in ("n", "better", "worse")),
        pa.array(np.full(len(a), n_comparisons, np.int32)),
    ]


def _compared(
    values: np.ndarray, weights: np.ndarray | None, a: np.ndarray, b: np.ndarray, test: Test
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], int]:
    """The pairs with cases in common, the results of their tests, and how many pairs have cases in
    common, tested or not. Pairs with the same common cases are tested at once.
    """
    patterns, which = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    sizes = np.bincount(which, minlength=len(patterns))
    of_pair = np.sort(np.c_[which[a], which[b]], axis=1)
    n_comparisons, parts = 0, []
    for p in range(len(patterns)):
        for q in range(p, len(patterns)):
            common = patterns[p] & patterns[q]
            if not common.any():
                continue
            n_comparisons += int(sizes[p] * (sizes[p] - 1) // 2 if p == q else sizes[p] * sizes[q])
            chosen = np.flatnonzero((of_pair == (p, q)).all(axis=1))
            if not len(chosen):
                continue
            members = np.flatnonzero(np.isin(which, (p, q)))
            position = np.empty(len(values), np.int64)
            position[members] = np.arange(len(members))
            shared = values[members][:, common]
            weight = None if weights is None else weights[members][:, common]
            parts.append(
                (chosen, test.compare(shared, weight, position[a[chosen]], position[b[chosen]]))
            )
    if not parts:
        return a[:0], b[:0], {}, 0
    chosen = np.concatenate([indices for indices, _ in parts])
    order = np.argsort(chosen)
    results = {
        name: np.concatenate([part[name] for _, part in parts])[order] for name in parts[0][1]
    }
    return a[chosen[order]], b[chosen[order]], results, n_comparisons


def _tested(
    values: np.ndarray, _: np.ndarray | None, a: np.ndarray, b: np.ndarray, *, is_share: bool
) -> dict[str, np.ndarray]:
    """Means, tests and intervals of pairs of rows of `values`, which has no missing values."""
    n = values.shape[1]
    means = values.mean(axis=1)
    if is_share:
        hits = values.astype(np.float32)
        better = (hits @ (1 - hits).T)[a, b].astype(np.int32)
        worse = (hits @ (1 - hits).T)[b, a].astype(np.int32)
        p_values = mcnemar(better, worse)
        low, high = _bonett_price(better, worse, n)
    else:
        better, worse, p_values, spread = signed_ranks(values, a, b)
        half = t_quantiles(n) * spread / np.sqrt(n) if n > 1 else np.full(len(a), np.nan)
        low, high = means[a] - means[b] - half, means[a] - means[b] + half
    return {
        "mean_a": means[a],
        "mean_b": means[b],
        "low": low,
        "high": high,
        "p_value": p_values,
        "n": np.full(len(a), n),
        "better": better,
        "worse": worse,
    }


def _resampled(
    values: np.ndarray,
    weights: np.ndarray | None,
    a: np.ndarray,
    b: np.ndarray,
    *,
    replicates: int,
    seed: int,
) -> dict[str, np.ndarray]:
    """The same for aggregates sum(W s) / sum(W) of pairs of rows, by a paired bootstrap.

    All rows are resampled together (`resample_counts`). Student's t on the bootstrap standard error
    of the difference gives p and interval; where no replicate differs from another, p is that of
    the sign test, because all cases favour the same side, or 1
    (docs/specification.md#comparison-of-aggregates).
    """
    n = values.shape[1]
    if weights is None:
        weights = np.ones(values.shape)
    weighted = values * weights
    counts = resample_counts(n, replicates, seed).T
    estimates = weighted.sum(axis=1) / weights.sum(axis=1)
    error = spread_of_differences((weighted @ counts) / (weights @ counts), a, b)
    error[error < NOISE] = 0
    difference = estimates[a] - estimates[b]
    is_equal = np.abs(difference) < NOISE
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = 2 * t.sf(np.abs(difference) / error, n - 1)
    # the last digits of a product of matrices depend on who else is compared
    p_values = _significant(p_values)
    p_values = np.where(error > 0, p_values, np.minimum(1, np.where(is_equal, 1, 2 * 0.5**n)))
    half = t_quantiles(n) * error if n > 1 else np.full(len(a), np.nan)
    better, worse = (np.empty(len(a), np.int32) for _ in range(2))
    scores = values.round(DECIMALS)
    step = max(1, PART // n)
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        first, second = scores[a[part]], scores[b[part]]
        better[part], worse[part] = (first > second).sum(axis=1), (first < second).sum(axis=1)
    return {
        "mean_a": estimates[a],
        "mean_b": estimates[b],
        "low": difference - half,
        "high": difference + half,
        "p_value": p_values,
        "n": np.full(len(a), n),
        "better": better,
        "worse": worse,
    }


def _significant(values: np.ndarray) -> np.ndarray:
    """To DIGITS significant digits; what is not finite stays."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(values)))
        rounded = np.round(values * scale) / scale
    return np.where((values > 0) & np.isfinite(scale), rounded, values)


def mcnemar(better: np.ndarray, worse: np.ndarray) -> np.ndarray:
    """Two-sided p of McNemar's exact test: 2 P(X <= min(b, c)), X binomial(b + c, 1/2), at most 1.

    Computed once per pair of counts, not per pair of configurations.
    """
    fewer, total = (some.astype(np.int64) for some in (np.minimum(better, worse), better + worse))
    counts, which = np.unique(fewer << 32 | total, return_inverse=True)
    return np.minimum(1, 2 * binom.cdf(counts >> 32, counts & 0xFFFFFFFF, 0.5))[which]


def _bonett_price(better: np.ndarray, worse: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """95 % interval of a paired difference of shares; its width is positive even when no unit is
    discordant."""
    p, q = (better + 1) / (n + 2), (worse + 1) / (n + 2)
    half = Z * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return np.maximum(-1, p - q - half), np.minimum(1, p - q + half)


def _corrected(p_values: np.ndarray, n_comparisons: int) -> tuple[np.ndarray, np.ndarray]:
    """p values after Holm and after Benjamini-Hochberg in a family of n_comparisons.

    Comparisons that were not made count as p = 1: they sort last and only increase the number. With
    100,000 comparisons, one sort for both takes half the time of a library's two.
    """
    order = np.argsort(p_values)
    ordered, position = p_values[order], np.arange(len(p_values))
    holm, fdr = np.empty(len(p_values)), np.empty(len(p_values))
    holm[order] = np.maximum.accumulate(ordered * (n_comparisons - position))
    fdr[order] = np.minimum.accumulate((ordered * (n_comparisons / (position + 1)))[::-1])[::-1]
    return np.minimum(1, holm), np.minimum(1, fdr)
