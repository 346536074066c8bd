"""The statistical methods, in one place: intervals, paired tests and their correction.

The counting and the formulas are SQL's; what arrives here are lists of numbers, one per case.
"""

import numpy as np
import pyarrow as pa
from scipy.stats import wilcoxon
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

CONFIDENCE = (2.5, 97.5)  # percentiles of a 95 % interval

INTERVAL_KEY = ("configuration_id", "judge_id", "setting", "stratum_kind", "stratum", "metric")
INTERVAL_SCHEMA = pa.schema(
    [(name, pa.string()) for name in INTERVAL_KEY]
    + [("estimate_low", pa.float64()), ("estimate_high", pa.float64())]
)

PAIR_KEY = ("configuration_a", "configuration_b", "judge_id", "test_set", "metric")
TEST_SCHEMA = pa.schema(
    [(name, pa.string()) for name in PAIR_KEY]
    + [
        ("method", pa.string()),
        ("difference", pa.float64()),
        ("difference_low", pa.float64()),
        ("difference_high", pa.float64()),
        ("p_value", pa.float64()),
        ("p_value_adjusted", pa.float64()),
        ("n_comparisons", pa.int32()),
    ]
)


def resample_counts(n_cases: int, replicates: int, seed: int) -> np.ndarray:
    """How often each case stands in each bootstrap replicate: (replicates, n_cases).

    Cases are the unit that is drawn. The same n and seed give the same draws, so that two
    configurations on the same cases are resampled together.
    """
    generator = np.random.default_rng([seed, n_cases])
    chances = np.full(n_cases, 1 / n_cases)
    return generator.multinomial(n_cases, chances, size=replicates).astype(np.float64)


def metric_intervals(samples: pa.Table, *, replicates: int, seed: int) -> pa.Table:
    """95 % intervals of ratios of sums; one row per row of `samples`.

    `samples` has the columns of INTERVAL_KEY, n_cases, is_proportion, estimate, and the lists
    `numerators` and `denominators` with one entry per case, ordered by case. Every metric is
    sum(numerators) / sum(denominators), so a bootstrap replicate is a matrix product and the
    interval its percentiles (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter
    13); with fewer than two cases there is none. A proportion gets Wilson's interval instead,
    because resampling eight hits out of eight finds no doubt at all.
    """
    n_cases = samples.column("n_cases").to_numpy()
    is_proportion = samples.column("is_proportion").to_numpy(zero_copy_only=False)
    low = np.full(samples.num_rows, np.nan)
    high = np.full(samples.num_rows, np.nan)
    shares = samples.column("estimate").to_numpy()[is_proportion]
    n_shares = n_cases[is_proportion]
    low[is_proportion], high[is_proportion] = proportion_confint(
        np.rint(shares * n_shares), n_shares, alpha=0.05, method="wilson"
    )
    for n in np.unique(n_cases[(n_cases > 1) & ~is_proportion]):
        rows = np.flatnonzero((n_cases == n) & ~is_proportion)
        group = samples.take(pa.array(rows))
        counts = resample_counts(int(n), replicates, seed)
        replicate = (
            counts @ _matrix(group, "numerators", n) / (counts @ _matrix(group, "denominators", n))
        )
        low[rows], high[rows] = np.percentile(replicate, CONFIDENCE, axis=0)
    columns = [samples.column(name).combine_chunks() for name in INTERVAL_KEY]
    return pa.Table.from_arrays(
        [*columns, pa.array(low, from_pandas=True), pa.array(high, from_pandas=True)],
        schema=INTERVAL_SCHEMA,
    )


def paired_tests(pairs: pa.Table, *, replicates: int, seed: int) -> pa.Table:
    """Tests of the difference between two configurations; one row per row of `pairs`.

    `pairs` has the columns of PAIR_KEY, n_cases, n_a_better, n_b_better, is_proportion and the
    list `differences`. Proportions get McNemar's exact test on the discordant cases, scores
    Wilcoxon's signed-rank test; the interval of the mean difference is a paired bootstrap. p
    values are corrected after Holm within judge, test set and metric.
    """
    rows = []
    for pair in pairs.to_pylist():
        differences = np.array(pair["differences"])
        n = pair["n_cases"]
        means = resample_counts(n, replicates, seed) @ differences / n
        low, high = np.percentile(means, CONFIDENCE)
        if pair["is_proportion"]:
            table = [[0, pair["n_a_better"]], [pair["n_b_better"], 0]]
            method, p_value = "McNemar exact", float(mcnemar(table, exact=True).pvalue)
        elif np.any(differences):
            method, p_value = "Wilcoxon signed-rank", float(wilcoxon(differences).pvalue)
        else:
            method, p_value = "Wilcoxon signed-rank", 1.0  # no case differs: nothing to rank
        rows.append(
            {name: pair[name] for name in PAIR_KEY}
            | {
                "method": method,
                "difference": float(differences.mean()),
                "difference_low": float(low),
                "difference_high": float(high),
                "p_value": p_value,
            }
        )
    families: dict[tuple[str, ...], list[dict]] = {}
    for row in rows:
        families.setdefault((row["judge_id"], row["test_set"], row["metric"]), []).append(row)
    for family in families.values():
        adjusted = multipletests([row["p_value"] for row in family], method="holm")[1]
        for row, p_value in zip(family, adjusted, strict=True):
            row["p_value_adjusted"] = float(p_value)
            row["n_comparisons"] = len(family)
    return pa.Table.from_pylist(rows, schema=TEST_SCHEMA)


def _matrix(samples: pa.Table, column: str, n: int) -> np.ndarray:
    """A column of equally long lists as a matrix (n, rows)."""
    values = samples.column(column).combine_chunks().flatten().to_numpy()
    return values.reshape(-1, n).T
