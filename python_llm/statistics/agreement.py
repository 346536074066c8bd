"""How far two or more judges give the same labels: kappa, alpha and their intervals.

The counts come from SQL: for each comparison and case, how often one judge gave label i where the
other gave j. A comparison is one table of counts per case, and a bootstrap replicate is a weighted
sum of these tables, so every coefficient is computed for all replicates at once. The bootstrap
draws cases, because the ranks of one list are not independent (docs/specification.md#agreement).

    coefficient         formula                                         source
    agreement           share of the diagonal
    kappa               (p_o - p_e) / (1 - p_e)                         Cohen 1960
    kappa_linear        1 - d_o / d_e, weights |i - j|                  Cohen 1968
    kappa_quadratic     1 - d_o / d_e, weights (i - j)^2                Cohen 1968
    alpha_nominal       1 - D_o / D_e                                   Krippendorff 2011
    alpha_ordinal       the same, (difference of mid-ranks)^2           Krippendorff 2011
    specific_agreement  2 n_ll / (n_l. + n_.l), of one label            Cicchetti & Feinstein 1990

Where chance alone would always agree (both judges gave the same single label throughout) no
agreement beyond chance was shown: kappa and alpha are then 0, not undefined.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from python_llm.statistics.blocks import Reader, resample_counts, runs
from python_llm.statistics.metrics import CONFIDENCE, DECIMALS

KEYS = ("comparison", "judge_a", "judge_b", "test_set", "configuration_id", "scale")
WEIGHTED = ("kappa_linear", "kappa_quadratic", "alpha_ordinal")
COEFFICIENTS = (
    *("agreement", "kappa", "kappa_linear", "kappa_quadratic"),
    *("alpha_nominal", "alpha_ordinal", "specific_agreement"),
)
AGREEMENT_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in KEYS),
        *((name, pa.int32()) for name in ("label_position", "n_units", "n_cases")),
        *((name + end, pa.float64()) for name in COEFFICIENTS for end in ("", "_low", "_high")),
    ]
)
SHIFT_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("judge_id", "probe", "scale")),
        *((name, pa.int32()) for name in ("n_lists", "n_cases")),
        *((name, pa.float64()) for name in ("shift", "shift_low", "shift_high")),
    ]
)


def agreement_statistics(open_counts: Reader, *, replicates: int, seed: int) -> pa.Table:
    """The coefficients of every comparison in the counts, with 95 % percentile intervals.

    The counts have the columns of KEYS, case_id, position_a and position_b (1, 2, … on the scale)
    and n (how often), ordered by KEYS and case_id. The comparison 'group' holds coincidences of
    more than two judges, sum over units of n_c (n_k - [c = k]) / (m - 1), and gets only alphas.

    Returns AGREEMENT_SCHEMA: one row per comparison with label_position 0 and, for 'pair', one more
    per label, with all other labels merged: its agreement and kappa are those of that label. With
    fewer than two cases there is no interval.
    """
    rows: list[dict[str, Any]] = []
    for key, tables in _tables(open_counts):
        is_group = key[0] == "group"
        whole = tables.sum(axis=0)
        drawn = None
        if len(tables) > 1:
            draws = resample_counts(len(tables), replicates, seed)
            drawn = (draws @ tables.reshape(len(tables), -1)).reshape(-1, *whole.shape)
        common = {
            **dict(zip(KEYS, key, strict=True)),
            "n_units": None if is_group else int(whole.sum()),
            "n_cases": len(tables),
            "label_position": 0,
        }
        estimates = _with_intervals(whole, drawn, is_group)
        for end in ("", "_low", "_high"):  # belongs to the rows of single labels
            estimates.pop(f"specific_agreement{end}", None)
        rows.append({**common, **estimates})
        if key[0] != "pair":
            continue
        for label in np.flatnonzero(whole.sum(axis=0) + whole.sum(axis=1)).tolist():
            of_label = _with_intervals(
                one_against_rest(whole, label),
                None if drawn is None else one_against_rest(drawn, label),
                is_label=True,
            )
            for name in WEIGHTED:
                of_label |= dict.fromkeys((name, f"{name}_low", f"{name}_high"))
            rows.append({**common, "label_position": label + 1, **of_label})
    return pa.Table.from_pylist(rows, schema=AGREEMENT_SCHEMA)


def coefficients(
    table: np.ndarray, is_group: bool = False, is_label: bool = False
) -> dict[str, np.ndarray]:
    """Every coefficient of tables of counts, shape (…, labels, labels); rows: the first judge.

    With `is_group` the tables are coincidences and only alphas are computed. With `is_label` they
    are of one label against the rest, which have no order to weight: none of WEIGHTED.
    """
    if is_group:
        return {
            "alpha_nominal": _alpha(table, ordered=False),
            "alpha_ordinal": _alpha(table, ordered=True),
        }
    share = table / table.sum(axis=(-2, -1), keepdims=True)
    chance = share.sum(axis=-1)[..., :, None] * share.sum(axis=-2)[..., None, :]
    steps = np.arange(table.shape[-1])
    distance = np.abs(steps[:, None] - steps).astype(float)
    coincidences = table + np.swapaxes(table, -1, -2)
    both = table[..., 0, 0]
    either = table[..., 0, :].sum(axis=-1) + table[..., :, 0].sum(axis=-1)
    unordered = {
        "agreement": np.trace(share, axis1=-2, axis2=-1),
        "kappa": _beyond_chance(share, chance, distance > 0),
        "alpha_nominal": _alpha(coincidences, ordered=False),
        "specific_agreement": _ratio(2 * both, either),
    }
    if is_label:
        return unordered
    return unordered | {
        "kappa_linear": _beyond_chance(share, chance, distance),
        "kappa_quadratic": _beyond_chance(share, chance, distance**2),
        "alpha_ordinal": _alpha(coincidences, ordered=True),
    }


def one_against_rest(table: np.ndarray, label: int) -> np.ndarray:
    """Tables of two labels: the one numbered `label`, and all others merged."""
    both = table[..., label, label]
    only_a = table[..., label, :].sum(axis=-1) - both
    only_b = table[..., :, label].sum(axis=-1) - both
    neither = table.sum(axis=(-2, -1)) - both - only_a - only_b
    return np.stack([np.stack([both, only_a], -1), np.stack([only_b, neither], -1)], -2)


def score_shifts(open_shifts: Reader, *, replicates: int, seed: int) -> pa.Table:
    """Mean shift of lists' scores per judge, probe and scale, and its bootstrap interval.

    The shifts have judge_id, probe, scale, case_id, n_lists and shift (the sum over the case's
    lists), one row per case, ordered by the first four. The mean is sum(shift) / sum(n_lists); the
    bootstrap draws cases. Returns SHIFT_SCHEMA; with one case there is no interval.
    """
    rows = []
    for key, part in runs(open_shifts(), ("judge_id", "probe", "scale")):
        total = part.column("shift").to_numpy()
        lists = part.column("n_lists").to_numpy().astype(float)
        low = high = None
        if part.num_rows > 1:
            draws = resample_counts(part.num_rows, replicates, seed)
            low, high = np.quantile((draws @ total) / (draws @ lists), CONFIDENCE).round(DECIMALS)
        rows.append(
            {
                **dict(zip(("judge_id", "probe", "scale"), key, strict=True)),
                "n_lists": int(lists.sum()),
                "n_cases": part.num_rows,
                "shift": round(float(total.sum() / lists.sum()), DECIMALS),
                "shift_low": low,
                "shift_high": high,
            }
        )
    return pa.Table.from_pylist(rows, schema=SHIFT_SCHEMA)


def _tables(open_counts: Reader) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Each comparison with its counts as (cases, labels, labels)."""
    for key, part in runs(open_counts(), KEYS):
        cases = part.column("case_id").combine_chunks().dictionary_encode()
        a, b = (part.column(f"position_{side}").to_numpy() - 1 for side in "ab")
        n_labels = int(max(a.max(), b.max(), 1)) + 1
        tables = np.zeros((len(cases.dictionary), n_labels, n_labels))
        np.add.at(tables, (cases.indices.to_numpy(), a, b), part.column("n").to_numpy())
        yield key, tables


def _with_intervals(
    whole: np.ndarray, drawn: np.ndarray | None, is_group: bool = False, is_label: bool = False
) -> dict[str, float | None]:
    """The estimates of one comparison and the ends of their intervals, by name."""
    estimates: dict[str, float | None] = {
        name: round(float(value), DECIMALS)
        for name, value in coefficients(whole, is_group, is_label).items()
    }
    if drawn is not None:
        of_draws = coefficients(drawn, is_group, is_label)
        # all at once: there are a hundred thousand where many raters grade the same lists
        ends = np.quantile(np.stack([*of_draws.values()]), CONFIDENCE, axis=1).round(DECIMALS)
        for name, low, high in zip(of_draws, *ends.tolist(), strict=True):
            estimates |= {f"{name}_low": low, f"{name}_high": high}
    return estimates


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """The quotient; 0 where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    return np.divide(
        numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 1e-12
    )


def _beyond_chance(share: np.ndarray, chance: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """1 - observed / expected weighted disagreement; 0 where none is expected."""
    observed, expected = ((part * weight).sum(axis=(-2, -1)) for part in (share, chance))
    return _ratio(expected - observed, expected)


def _alpha(coincidences: np.ndarray, ordered: bool) -> np.ndarray:
    """Krippendorff's alpha, 1 - (n - 1) sum(o d) / sum(n_c n_k d), of coincidences (…, k, k).

    d is 1 for two different labels or, if `ordered`, the square of how many of the values lie
    between the middles of the two labels (Computing Krippendorff's Alpha-Reliability, 2011).
    """
    values = coincidences.sum(axis=-1)
    n = values.sum(axis=-1)
    middle = np.cumsum(values, axis=-1) - values / 2
    if not ordered:
        middle = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    difference = (middle[..., :, None] - middle[..., None, :]) ** 2
    if not ordered:
        difference = (difference > 0).astype(float)
    observed = (coincidences * difference).sum(axis=(-2, -1))
    expected = (values[..., :, None] * values[..., None, :] * difference).sum(axis=(-2, -1))
    return _ratio(expected - (n - 1) * observed, expected)
