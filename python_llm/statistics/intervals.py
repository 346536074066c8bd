"""Bootstrap intervals of means, aggregates and ranks (docs/specification.md#bootstrap)."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from python_llm.statistics.blocks import (
    PART,
    Block,
    Reader,
    blocks,
    nullable,
    parts_with_same_units,
    resample_counts,
)
from python_llm.statistics.metrics import AGGREGATES, CONFIDENCE, DECIMALS, MEANS, RANKED, SHARES

# Cases with a value below which resampling gives no interval. A convention of this project: two
# cases resample to their own values, and at ten the interval is still 18 % narrower than Student's
# (docs/specification.md#bootstrap)
LEAST_CASES = 10
INTERVAL_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("configuration_id", "judge_id", "setting", "metric")),
        *((name, pa.float64()) for name in ("estimate_low", "estimate_high")),
        *((name, pa.int32()) for name in ("rank_low", "rank_high")),
    ]
)


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
            *(nullable(ends, pa.float64()) for ends in (low, high)),
            *(nullable(ends, pa.int32()) for ends in (rank_low, rank_high)),
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
