"""The statistical methods: bootstrap, ranks, paired tests, detectable differences.

SQL computes the scores and the counts. The tables that arrive here have one row per configuration,
case and judge; they become a matrix per judge and test set, with one row per configuration and one
column per case. Every method works on a whole matrix, because 450 configurations make 101,025
pairs. See docs/specification.md#uncertainty.

    quantity                               method
    interval of a mean or aggregate        percentile bootstrap over cases, seeded
    interval of a rank                     the same replicates, ranked
    interval of a share                    Wilson (SQL, macros/experiments/metrics.sql)
    interval within a stratum              Student's t on the linearised ratio (SQL; quantiles here)
    difference of two shares               McNemar's exact test; interval after Bonett and Price
    difference of two scores               Wilcoxon's signed-rank test; interval of Student's t
    difference of two aggregates           standard error of the same replicates, Student's t
    many comparisons                       Holm (any error) and Benjamini-Hochberg (share of errors)
    what a test set can show               Connor's formula (shares), power of the paired t (scores)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.optimize import brentq
from scipy.stats import binom, nct, norm, t

CONFIDENCE = (0.025, 0.975)  # the ends of a 95 % interval
Z = norm.ppf(CONFIDENCE[1])
DECIMALS = 9  # equal between two builds, whatever the order of a sum
DIGITS = 10  # of a p value from a bootstrap, for the same reason: it may be as small as it likes
# Cases with a value below which resampling gives no interval. A convention of this project: two
# cases resample to their own values, and at ten the interval is still 18 % narrower than Student's
# (docs/specification.md#bootstrap)
LEAST_CASES = 10
NOISE = 1e-9  # a smaller difference or standard error of aggregates is none
PART = 1 << 17  # numbers sorted at a time: they fit in the processor's cache

SHARES = (
    *("failure_rate", "top1_strict", "top3_strict", "top5_strict", "top10_strict"),
    *("top1_broad", "top3_broad", "top5_broad", "top10_broad"),
)
MEANS = (
    *("mrr_strict", "mrr_broad", "mean_semantic_score", "mean_severity_score"),
    *("mean_semantic_score_full_list", "mean_severity_score_full_list"),
    *("mean_acuity_score", "mean_rarity_score", "dangerous_omission"),
)
AGGREGATES = ("semantic_aggregate", "severity_aggregate")
# higher is better in all of them
RANKED = ("top1_strict", "top5_strict", "top10_strict", "mrr_strict", *AGGREGATES)
COMPARED = (
    *(metric for metric in SHARES if metric != "failure_rate"),
    *("mrr_strict", "mrr_broad", "mean_semantic_score", "mean_severity_score"),
)

INTERVAL_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("configuration_id", "judge_id", "setting", "metric")),
        *((name, pa.float64()) for name in ("estimate_low", "estimate_high")),
        *((name, pa.int32()) for name in ("rank_low", "rank_high")),
    ]
)
DICTIONARY = pa.dictionary(pa.int32(), pa.string())
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
QUANTILE_SCHEMA = pa.schema([("n_cases", pa.int32()), ("quantile", pa.float64())])
DETECTABLE_SCHEMA = pa.schema(
    [
        ("n_cases", pa.int32()),
        ("detectable_share_difference", pa.float64()),
        ("detectable_standardised_difference", pa.float64()),
    ]
)


Reader = Callable[[], pa.RecordBatchReader]  # opens a table for reading once, in order


class Block(NamedTuple):
    """The rows within which configurations are compared, such as one judge's on one test set.

    n_units: how many units (cases, questions) were measured. position: the index of each row in the
    flattened (configurations, units); None if every configuration has every unit and the rows are
    in that order.
    """

    key: tuple[str, ...]
    configurations: list[str]
    rows: pa.Table
    n_units: int
    position: np.ndarray | None = None

    def matrix(self, column: str) -> np.ndarray:
        """A column as (configurations, units); missing values and missing units are NaN."""
        numbers = self.rows.column(column).to_numpy().astype(np.float64)
        shape = len(self.configurations), self.n_units
        if self.position is None:
            return numbers.reshape(shape)
        values = np.full(shape, np.nan)
        values.flat[self.position] = numbers
        return values


def blocks(open_rows: Reader, keys: Sequence[str], unit: str = "case_id") -> Iterator[Block]:
    """The blocks of consecutive rows with the same `keys`, ordered by configuration_id and `unit`.

    One block at a time is in memory. A configuration that was asked only on a sample has fewer
    units than the others.
    """
    for key, rows in runs(open_rows(), keys):
        names, units = (
            rows.column(name).combine_chunks().dictionary_encode()
            for name in ("configuration_id", unit)
        )
        configuration, unit_code = names.indices.to_numpy(), units.indices.to_numpy()
        first = np.flatnonzero(np.r_[True, configuration[1:] != configuration[:-1]])
        configurations = names.dictionary.take(pa.array(configuration[first])).to_pylist()
        n_units = len(units.dictionary)
        if n_units * len(first) == rows.num_rows and np.array_equal(
            unit_code, np.tile(unit_code[:n_units], len(first))
        ):
            yield Block(key, configurations, rows, n_units)
        else:
            row = np.repeat(np.arange(len(first)), np.diff(first, append=rows.num_rows))
            # by id, not by first occurrence: the order of configurations must not change the draws
            by_id = np.empty(n_units, np.int64)
            by_id[pc.sort_indices(units.dictionary).to_numpy()] = np.arange(n_units)
            yield Block(key, configurations, rows, n_units, row * n_units + by_id[unit_code])


def parts_with_same_units(block: Block) -> Iterator[Block]:
    """The parts of a block whose configurations have exactly the same units."""
    if block.position is None:
        yield block
        return
    has = np.zeros((len(block.configurations), block.n_units), bool)
    has.flat[block.position] = True
    patterns, which = np.unique(has, axis=0, return_inverse=True)
    row = block.position // block.n_units
    for number, pattern in enumerate(patterns):
        members = np.flatnonzero(which == number)
        mask = np.isin(row, members)
        # within a part every configuration has its units in the same order
        order = np.argsort(block.position[mask], kind="stable")
        yield Block(
            block.key,
            [block.configurations[member] for member in members],
            block.rows.filter(pa.array(mask)).take(pa.array(order)),
            int(pattern.sum()),
        )


def runs(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pa.Table]]:
    """Consecutive rows with the same `keys`, as (key, table)."""
    key: tuple[str, ...] = ()
    parts: list[pa.Table] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        codes = [batch.column(name).dictionary_encode().indices.to_numpy() for name in keys]
        changes = np.any([code[1:] != code[:-1] for code in codes], axis=0)
        for start, stop in pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), batch.num_rows]):
            next_key = tuple(batch.column(name)[start].as_py() for name in keys)
            if parts and next_key != key:
                yield key, pa.Table.from_batches(parts)
                parts = []
            key = next_key
            parts.append(batch.slice(start, stop - start))
    if parts:
        yield key, pa.Table.from_batches(parts)


@lru_cache(maxsize=8)
def resample_counts(n_cases: int, replicates: int, seed: int) -> np.ndarray:
    """How often each case is drawn in each bootstrap replicate: (replicates, n_cases).

    The same number of cases and the same seed give the same draws, so configurations on the same
    cases are resampled together.
    """
    generator = np.random.default_rng([seed, n_cases])
    chances = np.full(n_cases, 1 / n_cases)
    counts = generator.multinomial(n_cases, chances, size=replicates).astype(np.float64)
    counts.flags.writeable = False
    return counts


def metric_intervals(
    open_metrics: Reader, open_weights: Reader, *, replicates: int, seed: int
) -> pa.Table:
    """95 % intervals of means and aggregates, and of the ranks they imply.

    The metrics have one row per configuration, case and judge with the columns of SHARES and MEANS;
    the weights have one per setting as well, with `<score>_rescaled` and `<score>_weight`. Rows of
    one judge and test set (and setting) are consecutive, ordered by configuration_id and case_id.
    Every metric is sum(W x) / sum(W) over cases, so a replicate is a matrix product and the
    interval its percentiles (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter
    13). With fewer than LEAST_CASES cases there is none, unless they all have one value: then both
    ends are that value, which SQL widens (docs/specification.md#equal-values). Shares have no
    interval here: resampling eight hits out of eight shows no uncertainty, Wilson's interval does.

    A rank is 1 + the number of better configurations with the same judge, test set and cases, in
    each replicate; its interval contains the ranks that the data allow.
    """

    def parts(open_rows: Reader, *keys: str) -> Iterator[Block]:
        return chain.from_iterable(map(parts_with_same_units, blocks(open_rows, keys)))

    tables: list[pa.Table] = []
    for block in parts(open_metrics, "judge_id", "test_set"):
        for metric in (*MEANS, *(name for name in SHARES if name in RANKED)):
            values = block.matrix(metric)
            is_known = ~np.isnan(values)
            weight = None if is_known.all() else is_known.astype(np.float64)
            mean = WeightedMean(block, metric, "any", np.nan_to_num(values), weight)
            tables.append(_intervals_of(mean, replicates, seed))
    for block in parts(open_weights, "judge_id", "test_set", "setting"):
        for metric in AGGREGATES:
            score = metric.removesuffix("_aggregate")
            values = block.matrix(f"{score}_rescaled")
            weight = np.nan_to_num(block.matrix(f"{score}_weight"))
            weighted = np.nan_to_num(values) * weight
            mean = WeightedMean(block, metric, block.key[2], weighted, weight)
            tables.append(_intervals_of(mean, replicates, seed))
    return pa.concat_tables(tables) if tables else INTERVAL_SCHEMA.empty_table()


class WeightedMean(NamedTuple):
    """A metric of the configurations of a block as sum(numerator) / sum(weight) over its cases,
    both (configurations, cases); without `weight` every case weighs 1."""

    block: Block
    metric: str
    setting: str
    numerator: np.ndarray
    weight: np.ndarray | None


def _intervals_of(mean: WeightedMean, replicates: int, seed: int) -> pa.Table:
    """The intervals of one metric in one block (INTERVAL_SCHEMA)."""
    block, metric, weight = mean.block, mean.metric, mean.weight
    n, k = block.n_units, len(block.configurations)
    counts = resample_counts(n, replicates, seed).T
    with np.errstate(invalid="ignore"):  # a replicate without any weight has no value
        # unweighted, every replicate has the size of the sample
        replicate = mean.numerator @ counts / (n if weight is None else weight @ counts)
    low, high, rank_low, rank_high = (np.full(k, np.nan) for _ in range(4))
    known = ~np.isnan(replicate).any(axis=1)  # a rater may leave a question open
    if n > 1 and metric in RANKED and known.any():
        rank_low[known], rank_high[known] = _rank_ends(replicate[known])
    if n > 1 and metric not in SHARES:
        low[known], high[known] = _percentiles(replicate[known])
    n_with_value = np.full(k, n) if weight is None else (weight > 0).sum(axis=1)
    is_few = n_with_value < LEAST_CASES
    rank_low[is_few] = rank_high[is_few] = np.nan
    is_few &= low != high
    low[is_few] = high[is_few] = np.nan
    return pa.table(
        [
            pa.array(block.configurations),
            *(pa.array([text] * k) for text in (block.key[0], mean.setting, metric)),
            *(_nullable(ends, pa.float64()) for ends in (low, high)),
            *(_nullable(ends, pa.int32()) for ends in (rank_low, rank_high)),
        ],
        schema=INTERVAL_SCHEMA,
    )


def _percentiles(replicate: np.ndarray) -> tuple[np.ndarray, ...]:
    """The ends of the 95 % intervals of (configurations, replicates), interpolated linearly.

    The same as np.quantile; one full sort takes a third of the time of its partial sorts.
    """
    ordered = np.sort(replicate, axis=1)
    ends = []
    for share in CONFIDENCE:
        position = share * (ordered.shape[1] - 1)
        below = int(position)
        low, high = ordered[:, below], ordered[:, min(below + 1, ordered.shape[1] - 1)]
        ends.append((low + (high - low) * (position - below)).round(DECIMALS))
    return tuple(ends)


def _rank_ends(replicate: np.ndarray) -> tuple[np.ndarray, ...]:
    """The ends of the 95 % intervals of the ranks of (configurations, replicates).

    A value of nine decimals and its row become one integer, best first, so one sort ranks a
    replicate; the last bits of a sum must not break a tie, hence nine decimals.
    """
    k, n_replicates = replicate.shape
    bits = k.bit_length()
    ranks = np.empty((k, n_replicates), np.int32)
    step = max(1, PART // k)
    for start in range(0, n_replicates, step):
        part = replicate[:, start : start + step].T
        key = np.rint(part * -(10**DECIMALS)).astype(np.int64) << bits | np.arange(k)
        key.sort(axis=1)
        value = key >> bits
        is_first = np.ones(key.shape, bool)
        np.not_equal(value[:, 1:], value[:, :-1], out=is_first[:, 1:])
        position = np.maximum.accumulate(
            np.where(is_first, np.arange(k, dtype=np.int32), 0), axis=1
        )
        of_part = np.empty(key.shape, np.int32)
        np.put_along_axis(of_part, key & (1 << bits) - 1, position + 1, axis=1)
        ranks[:, start : start + step] = of_part.T
    ranks.sort(axis=1)
    return tuple(ranks[:, max(0, int(np.ceil(share * n_replicates)) - 1)] for share in CONFIDENCE)


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
    & Price (Br J Math Stat Psychol 2012; 65:479-488); the other scores get Wilcoxon's signed-rank
    test and Student's interval of the mean difference.
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
        *(_nullable(results[end].round(DECIMALS), pa.float64()) for end in ("low", "high")),
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
        better, worse, p_values, spread = _signed_ranks(values, a, b)
        half = _t_quantiles(n) * spread / np.sqrt(n) if n > 1 else np.full(len(a), np.nan)
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
    error = _spread_of_differences((weighted @ counts) / (weights @ counts), a, b)
    error[error < NOISE] = 0
    difference = estimates[a] - estimates[b]
    is_equal = np.abs(difference) < NOISE
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = 2 * t.sf(np.abs(difference) / error, n - 1)
    # the last digits of a product of matrices depend on who else is compared
    p_values = _significant(p_values)
    p_values = np.where(error > 0, p_values, np.minimum(1, np.where(is_equal, 1, 2 * 0.5**n)))
    half = _t_quantiles(n) * error if n > 1 else np.full(len(a), np.nan)
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


# Scores of lists of up to five ranks are multiples of 1/5, 1/9, 1/12, 1/14 or 1/15 (the sums of the
# rank weights in fifths), and so of 1/1260; reciprocal ranks are 0 or 1 over 1 to 10, and so
# multiples of 1/2520: sixteen bits hold a difference of two of either exactly. A list that named a
# disease twice has a gap, so that its weights sum to any of 1/5 to 15/5.
LIST_SCALES = {1260: np.int16, 2520: np.int16, 360_360: np.int32}
SCALE = 1e7  # other differences are over a millionth or none; 16e7 fits with its sign


def _whole_numbers(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Scores as integers whose doubled differences still fit, and the size of one unit; as floats
    if no unit divides them all, because rounded scores would break ties of their differences."""
    for scale, integer in LIST_SCALES.items():
        whole = np.rint(values * scale)
        exact = np.abs(values * scale - whole).max() < 1e-6
        if exact and 2 * np.ptp(whole) < 1 << 8 * np.dtype(integer).itemsize:
            return (whole - whole.min()).astype(integer), 1 / scale
    return values * SCALE, 1 / SCALE


def _signed_ranks(
    values: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Wilcoxon's test of values[a] - values[b] over the cases, for all pairs.

    Returns in how many cases the first is better and worse, the two-sided p values and the standard
    deviation of the differences, one entry per pair. Cases without a difference are left out
    (Wilcoxon), ties get the middle rank and the variance is corrected for them. As in
    scipy.stats.wilcoxon, p is exact for up to 50 differences without ties and up to 13 with them,
    and normal otherwise. A difference becomes one integer, its size times two plus its sign, so one
    sort gives ranks and signs; counting is by runs of equal sizes.
    """
    n = values.shape[1]
    whole, unit = _whole_numbers(values)
    better, n_left = (np.empty(len(a), np.int32) for _ in range(2))
    p_values = np.empty(len(a))
    step = max(1, PART // n)
    for start in range(0, len(a), step):
        part = slice(start, min(start + step, len(a)))
        difference = whole[a[part]] - whole[b[part]]
        if difference.dtype == np.float64:
            difference = np.rint(difference).astype(np.int32)
        unsigned = np.dtype(f"u{difference.itemsize}")
        code = (np.abs(difference).view(unsigned) << 1) | (difference > 0)
        code.sort(axis=1)
        size = code >> 1
        is_first = np.ones(size.shape, bool)
        np.not_equal(size[:, 1:], size[:, :-1], out=is_first[:, 1:])
        first = np.flatnonzero(is_first)
        length = np.diff(first, append=size.size)
        row = np.cumsum(np.r_[0, is_first.sum(axis=1)[:-1]])  # the first run of every row
        n_zero = np.where(size[:, 0] == 0, length[row], 0)
        n_positive = np.add.reduceat((code & 1).astype(np.int32).ravel(), first)
        twice = 2 * (first % n) + length + 1  # twice the middle rank, zeros counted
        positive = np.add.reduceat(n_positive, row)
        w = np.add.reduceat(n_positive * twice, row) / 2 - positive * n_zero
        ties = np.add.reduceat(length**3 - length, row) - (n_zero**3 - n_zero)
        m = (n - n_zero).astype(np.float64)
        variance = m * (m + 1) * (2 * m + 1) / 24 - ties / 48
        with np.errstate(invalid="ignore", divide="ignore"):
            p = 2 * norm.sf(np.abs(w - m * (m + 1) / 4) / np.sqrt(variance))
        p[m == 0] = 1.0  # no case differs: nothing to rank
        for at in np.flatnonzero((m > 0) & ((m <= 13) | ((m <= 50) & (ties == 0)))):
            runs = slice(row[at], row[at + 1] if at + 1 < len(row) else None)
            ranks = np.repeat(twice[runs] - 2 * n_zero[at], length[runs])[n_zero[at] :]
            p[at] = _exact_signed_rank(tuple(ranks.tolist()), int(2 * w[at]))
        better[part], n_left[part], p_values[part] = positive, n - n_zero, p
    return better, n_left - better, p_values, _spread_of_differences(whole, a, b) * unit


def _spread_of_differences(whole: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Standard deviation of whole[a] - whole[b] over the columns, from sums of products."""
    n = whole.shape[1]
    if n < 2:
        return np.full(len(a), np.nan)
    exact = whole.astype(np.float64)
    exact -= exact.mean(axis=1, keepdims=True)
    products = exact @ exact.T
    squares = np.diagonal(products)
    # configurations that are equal in every case differ only by rounding
    left = np.maximum(0, squares[a] + squares[b] - 2 * products[a, b])
    left[left < 1e-12 * (squares[a] + squares[b])] = 0
    return np.sqrt(left / (n - 1))


@lru_cache(maxsize=200_000)
def _exact_signed_rank(twice_ranks: tuple[int, ...], twice_statistic: int) -> float:
    """Two-sided p of the signed-rank statistic for these (doubled) ranks, all signs equally
    likely."""
    distribution = _signed_rank_distribution(twice_ranks)
    lower = distribution[: twice_statistic + 1].sum()
    upper = distribution[twice_statistic:].sum()
    return float(min(1.0, 2 * min(lower, upper)))


@lru_cache(maxsize=20_000)
def _signed_rank_distribution(twice_ranks: tuple[int, ...]) -> np.ndarray:
    distribution = np.zeros(sum(twice_ranks) + 1)
    distribution[0] = 1.0
    for rank in twice_ranks:
        distribution[rank:] += distribution[: len(distribution) - rank].copy()
        distribution /= 2
    return distribution


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


def _t_quantiles(n_cases: np.ndarray | int) -> np.ndarray:
    """The 97.5 % quantile of Student's t with n - 1 degrees of freedom."""
    return t.ppf(CONFIDENCE[1], np.asarray(n_cases) - 1)


def interval_quantiles(n_cases: Sequence[int]) -> pa.Table:
    """The factor of the standard error for every number of cases; null below two cases."""
    n = np.array(sorted(set(n_cases)), dtype=np.int64)
    quantiles = np.where(n > 1, _t_quantiles(np.maximum(n, 2)), np.nan)
    return pa.table(
        [pa.array(n.astype(np.int32)), _nullable(quantiles, pa.float64())], QUANTILE_SCHEMA
    )


def detectable_share_difference(n_cases: int, *, discordant: float, power: float) -> float | None:
    """The smallest difference of two paired shares that McNemar's test detects with this power.

    `discordant` is the share of cases on which the two differ. Solves Connor's formula
    n = (z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2 (Biometrics 1987; 43:207-211) for
    delta, two-sided at 5 %; None if even all discordant cases together are too few. See
    docs/specification.md#detectable-difference.
    """
    z_power = norm.ppf(power)

    def missing(delta: float) -> float:
        reach = Z * np.sqrt(discordant) + z_power * np.sqrt(max(0.0, discordant - delta**2))
        return reach - delta * np.sqrt(n_cases)

    if missing(discordant) > 0:
        return None
    return float(brentq(missing, 1e-9, discordant))


def detectable_standardised_difference(n_cases: int, *, power: float) -> float:
    """The smallest mean paired difference, in its standard deviations, that the t test detects.

    Two-sided at 5 %. The statistic is then noncentral t with n - 1 degrees of freedom around
    d sqrt(n) (Cohen, Statistical Power Analysis, 1988, chapter 2); solved for d. n is 2 at least.
    """
    edge, root = _t_quantiles(n_cases), np.sqrt(n_cases)

    def missing(d: float) -> float:
        # far out in the wrong tail scipy returns nan for what is practically 0
        wrong_side = np.nan_to_num(nct.cdf(-edge, n_cases - 1, d * root))
        return power - nct.sf(edge, n_cases - 1, d * root) - wrong_side

    above = 1 / root
    while missing(above) > 0:
        above *= 2
    return float(brentq(missing, 0, above))


def detectable_differences(n_cases: Sequence[int], *, discordant: float, power: float) -> pa.Table:
    """The differences between two configurations on the same cases that such test sets can show.

    For shares as above; for scores the mean paired difference in standard deviations of
    the paired differences, from the power of the paired t test.
    """
    rows = []
    for n in sorted(set(n_cases)):
        standardised = None
        if n > 1:
            standardised = detectable_standardised_difference(n, power=power)
        share = detectable_share_difference(n, discordant=discordant, power=power)
        rows.append((n, share, standardised))
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return pa.table(
        [
            pa.array(column, field.type)
            for column, field in zip(columns, DETECTABLE_SCHEMA, strict=True)
        ],
        DETECTABLE_SCHEMA,
    )


def _nullable(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Numbers with NaN as null."""
    values = np.asarray(values, np.float64)
    missing = np.isnan(values)
    if pa.types.is_integer(kind):
        return pa.array(np.where(missing, 0, values).astype(np.int32), kind, mask=missing)
    return pa.array(values, kind, mask=missing)
