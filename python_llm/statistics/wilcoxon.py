"""Wilcoxon's signed-rank test of many pairs at once."""

from functools import lru_cache

import numpy as np
from scipy.stats import norm

from python_llm.statistics.blocks import PART

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


def signed_ranks(
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
    return better, n_left - better, p_values, spread_of_differences(whole, a, b) * unit


def spread_of_differences(whole: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
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
