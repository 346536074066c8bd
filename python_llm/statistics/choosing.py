"""Cases that separate configurations: which they are, and what is lost with the others.

See docs/specification.md#choice-of-cases. Configurations are rows of a matrix and have no names
here; what is known of them is only which of them are of the same model.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from python_llm.statistics.paired import mcnemar

ALPHA = 0.05
LEAST_MODELS = 4  # two to choose by, two to measure the loss on
SPLITS = 20  # ways to halve the models that are tried
DRAWS = 5  # of random cases for each half of each split: 200 in all


@dataclass(frozen=True)
class Answers:
    """What configurations found: a row each, a column for each case of the test set.

    hits: booleans, configurations × cases; models: the model of each row, as any label; cases: the
    id of each column.
    """

    hits: np.ndarray
    models: np.ndarray
    cases: Sequence[str]


@dataclass(frozen=True)
class Loss:
    """What a choice of cases loses, measured on configurations that had no part in it.

    power: share (0 to 1) of the pairs that the whole set separates which the choice separates as
    well, in the same direction; None where the whole set separates none. order: Kendall's tau b of
    the accuracies, -1 to 1, None where all are equal. Both also for as many random cases.
    n_separated: the pairs, summed over all splits; n_splits: ways to halve the models.
    """

    power: float | None
    random_power: float | None
    order: float | None
    random_order: float | None
    n_separated: int
    n_splits: int


def uniform(key: str) -> float:
    """A number from 0 to 1 that is the same on every machine, as the macro `uniform` has it
    (docs/specification.md#draws-and-hold-out)."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:12], 16) / 2**48


def worth(hits: np.ndarray, models: np.ndarray) -> np.ndarray:
    """p (1 - p) of each case, 0 to 0.25; p the share of configurations that find it, with every
    model counting alike."""
    shares = np.mean([hits[models == model].mean(axis=0) for model in np.unique(models)], axis=0)
    values: np.ndarray = (shares * (1 - shares)).round(12)
    return values


def chosen(answers: Answers, n_cases: int) -> np.ndarray:
    """The columns of the `n_cases` cases that separate best, the best first; of equal ones those
    that `uniform` has first."""
    draws = np.array([uniform(f"choice:{case}") for case in answers.cases])
    return np.lexsort((draws, -worth(answers.hits, answers.models)))[:n_cases]


def halves(answers: Answers) -> Iterator[np.ndarray]:
    """Random ways to halve the models, as the rows of one half; every way once.

    The prompts of a model stay together: they answer alike. Of two neighbours by accuracy one is in
    either half, so that both halves span the abilities: what is of middle difficulty for weak
    systems is easy for strong ones, and neither could choose for the other.
    """
    names = np.unique(answers.models)
    accuracy = [answers.hits[answers.models == name].mean() for name in names]
    order = np.argsort(np.round(accuracy, 12), kind="stable")
    seen = set()
    for split in range(SPLITS):
        draws = [uniform(f"split:{split}:{number}") for number in range(len(order))]
        # of the models 2 i and 2 i + 1 the one that has drawn less; of a single one half the time
        half = frozenset(
            int(order[number])
            for number, draw in enumerate(draws)
            if draw < (draws[number ^ 1] if number ^ 1 < len(draws) else 0.5)
        )
        if half not in seen and frozenset(range(len(names))) - half not in seen:
            seen.add(half)
            yield np.isin(answers.models, names[list(half)])


def loss(answers: Answers, n_cases: int) -> Loss:
    """What is lost if `n_cases` are chosen by one half of the models and tried on the other.

    Raises ValueError with fewer than four models, or if there are no more cases than are chosen.
    """
    if len(np.unique(answers.models)) < LEAST_MODELS:
        raise ValueError(f"fewer than {LEAST_MODELS} models")
    if not 0 < n_cases < len(answers.cases):
        raise ValueError(f"{n_cases} of {len(answers.cases)} cases are no choice")
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    random = np.random.default_rng(29)
    n_splits = 0
    for half in halves(answers):
        n_splits += 1
        for part in (half, ~half):
            choosing = Answers(answers.hits[part], answers.models[part], answers.cases)
            tried = answers.hits[~part]
            draws = [random.permutation(len(answers.cases))[:n_cases] for _ in range(DRAWS)]
            by_choice = _kept(tried, chosen(choosing, n_cases))
            by_chance = np.mean([_kept(tried, draw) for draw in draws], axis=0)
            rows.append((by_choice, by_chance))
    choice, chance = (np.array(part) for part in zip(*rows, strict=True))
    separated = choice[:, 1].sum()
    return Loss(
        power=float(choice[:, 0].sum() / separated) if separated else None,
        random_power=float(chance[:, 0].sum() / separated) if separated else None,
        order=_mean(choice[:, 2]),
        random_order=_mean(chance[:, 2]),
        n_separated=int(separated),
        n_splits=n_splits,
    )


def _kept(hits: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(pairs the columns separate among those that all cases separate, the latter, tau)."""
    whole, part = _separated(hits), _separated(hits[:, columns])
    order = np.nan
    if len(hits) > 1:
        order = kendalltau(hits.mean(axis=1), hits[:, columns].mean(axis=1)).statistic
    # a pair counts once, on the side of the better one
    return np.array([(whole & part).sum(), whole.sum(), order])


def _separated(hits: np.ndarray) -> np.ndarray:
    """Which configurations (rows) find significantly more cases than which others (columns)."""
    hits = hits.astype(np.float64)
    better = (hits @ (1 - hits).T).astype(np.int64)
    p_values = mcnemar(better.ravel(), better.T.ravel()).reshape(better.shape)
    separated: np.ndarray = (p_values < ALPHA) & (better > better.T)
    return separated


def _mean(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
