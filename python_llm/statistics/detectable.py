"""What a test set can show: quantiles of intervals and differences that would be detected."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from scipy.optimize import brentq
from scipy.stats import nct, norm, t

from python_llm.statistics.blocks import nullable
from python_llm.statistics.metrics import CONFIDENCE, Z

QUANTILE_SCHEMA = pa.schema([("n_cases", pa.int32()), ("quantile", pa.float64())])
DETECTABLE_SCHEMA = pa.schema(
    [
        ("n_cases", pa.int32()),
        ("detectable_share_difference", pa.float64()),
        ("detectable_standardised_difference", pa.float64()),
    ]
)


def t_quantiles(n_cases: np.ndarray | int) -> np.ndarray:
    """The 97.5 % quantile of Student's t with n - 1 degrees of freedom."""
    return t.ppf(CONFIDENCE[1], np.asarray(n_cases) - 1)


def interval_quantiles(n_cases: Sequence[int]) -> pa.Table:
    """The factor of the standard error for every number of cases; null below two cases."""
    n = np.array(sorted(set(n_cases)), dtype=np.int64)
    quantiles = np.where(n > 1, t_quantiles(np.maximum(n, 2)), np.nan)
    return pa.table(
        [pa.array(n.astype(np.int32)), nullable(quantiles, pa.float64())], QUANTILE_SCHEMA
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
    edge, root = t_quantiles(n_cases), np.sqrt(n_cases)

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
