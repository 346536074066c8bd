"""How an order bears on patients, learnt from the project's own orders.

Lists of words never end: a fan toward the face, the look at the back of the eye and the visit of
the hospice nurse harm nobody, and no list had them; nor had one the porridge before a swallow
test. This second reader of orders lists nothing. It has learnt from the seed example_orders: from
orders that harm nobody whoever gets them, orders that are right in their situation and may harm
another patient, and orders that harm in theirs. Two logistic regressions over phrases and parts of
words give the chances that an order harms nobody, and that it harms whoever has an emergency: the
second learns from acute situations alone, since "see the GP in a month" harms only in these. How
often they are right in fields they have not learnt from: benchmarks/bearings.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from python_llm.learnt import grams
from python_llm.learnt.grams import BLOCKS, SOLVER, Block, learnt_blocks, packed, unpacked, words_of
from python_llm.learnt.lessons import Arrays, Lesson, Row, Weights
from python_llm.parsing import folding
from python_llm.parsing.folding import composed

# What example_orders says of an order: it harms nobody, or whoever it is for; and of its situation.
PLAIN, HARMFUL = "plain", "harmful"
ACUTE = "acute"
# how strictly the weights are kept small: chosen on example_orders, by fields left out
_C = 10.0


@dataclass(frozen=True, slots=True)
class Bearing:
    """The chances that an order harms nobody, and that it harms whoever has an emergency."""

    plain: float
    harmful: float


@dataclass(frozen=True)
class Bearings:
    """What was learnt. weights: of each block, how much each gram speaks for the two (gram, 2);
    of_none: (2,), for a text without any."""

    blocks: tuple[Block, ...]
    weights: tuple[Weights, ...]
    of_none: Weights

    def of(self, order: str) -> Bearing:
        """How an order bears."""
        words = words_of(composed(order))
        margins = self.of_none.copy()
        for block, weights, grams_of in zip(self.blocks, self.weights, BLOCKS, strict=True):
            numbers, values, _ = block.measured(grams_of(words))
            margins += values @ weights[numbers]
        plain, harmful = map(float, 1 / (1 + np.exp(-margins)))
        return Bearing(plain, harmful)


def learnt(rows: Sequence[Row]) -> Bearings:
    """What rows of example_orders teach: order_text, bearing and setting."""
    # needed to learn alone: these take a second to import
    from scipy.sparse import hstack
    from sklearn.linear_model import LogisticRegression

    blocks, matrices = learnt_blocks([words_of(composed(row["order_text"])) for row in rows])
    measured = hstack(matrices).tocsr()
    is_acute = np.array([row["setting"] == ACUTE for row in rows])
    machines = []
    for bearing, taught in ((PLAIN, np.ones_like(is_acute)), (HARMFUL, is_acute)):
        is_so = np.array([row["bearing"] == bearing for row in rows])
        machine = LogisticRegression(C=_C, solver=SOLVER)
        machines.append(machine.fit(measured[taught], is_so[taught]))
    of_gram = np.stack([machine.coef_[0] for machine in machines], axis=1).astype(np.float32)
    n_phrases = matrices[0].shape[1]
    return Bearings(
        blocks=blocks,
        weights=(of_gram[:n_phrases], of_gram[n_phrases:]),
        of_none=np.array([machine.intercept_[0] for machine in machines], np.float32),
    )


def _packed(made: Bearings) -> dict[str, Any]:
    arrays = packed(made.blocks) | {"of_none": made.of_none}
    return arrays | {f"weights_{number}": weights for number, weights in enumerate(made.weights)}


def _unpacked(arrays: Arrays) -> Bearings:
    weights = tuple(arrays[f"weights_{number}"] for number in range(len(BLOCKS)))
    return Bearings(blocks=unpacked(arrays), weights=weights, of_none=arrays["of_none"])


LESSON = Lesson(
    name="bearings",
    columns=("order_text", "bearing", "setting"),
    is_of=lambda row: True,
    code=(Path(__file__), Path(grams.__file__), Path(folding.__file__)),
    learnt=learnt,
    packed=_packed,
    unpacked=_unpacked,
)
