"""How much dependence within groups of cases widens an interval
(docs/specification.md#dependence-of-cases).
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np


class Dependence(NamedTuple):
    """Intraclass correlation and design effect; None where they cannot be estimated."""

    n_units: int
    n_clusters: int
    correlation: float | None
    design_effect: float | None

    @property
    def effective(self) -> float | None:
        """As many independent units would say as much."""
        return None if self.design_effect is None else self.n_units / self.design_effect


def dependence(values: Sequence[float], clusters: Sequence[Hashable]) -> Dependence:
    """The dependence of values (0 or 1, or scores) within clusters, one for each value.

    The correlation is the ANOVA estimate (Ridout et al., Biometrics 1999; 55:137-148), the design
    effect 1 + (m - 1) correlation with m = sum of the squared sizes / n (Kish, Survey sampling,
    1965; Kerry and Bland, Stat Med 2001; 20:377-390), at least 1. Both are None if there is one
    cluster, no cluster of two, or one value throughout.
    """
    x = np.asarray(values, float)
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    groups = np.array([names[name] for name in clusters], int)
    n, k = len(x), len(names)
    if k < 2 or k == n or np.ptp(x) == 0:
        return Dependence(n, k, None, None)
    sizes = np.bincount(groups)
    means = np.bincount(groups, x) / sizes
    between = float((sizes * (means - x.mean()) ** 2).sum()) / (k - 1)
    within = float(((x - means[groups]) ** 2).sum()) / (n - k)
    squares = float((sizes**2).sum())
    typical = (n - squares / n) / (k - 1)
    correlation = (between - within) / (between + (typical - 1) * within)
    effect = max(1.0, 1 + (squares / n - 1) * correlation)
    return Dependence(n, k, correlation, effect)
