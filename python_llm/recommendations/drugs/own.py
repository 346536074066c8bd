"""A patient's own drugs in an order: what only goes on, and the insulin of meals that is left out
while the basal one is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from python_llm.recommendations.drugs.names import Named

# An order that leaves a drug as it is begins so.
_GOES_ON = frozenset(
    (
        *("continue", "keep", "maintain", "continuar", "mantener", "mantenga", "seguir"),
        *("siga", "sigue", "continua", "proseguir", "mantiene", "continuing", "keeping"),
    )
)
_MEALTIME = frozenset(
    (
        *("aspart", "lispro", "glulisine", "glulisina", "novorapid", "humalog", "apidra", "fiasp"),
        *("lyumjev", "mealtime", "prandial", "preprandial", "bolus", "rapid", "rapida", "actrapid"),
    )
)
_AROUND_A_NAME = 3
_BASAL = frozenset(
    ("insulin glargine", "insulin detemir", "insulin degludec", "insulin nph", "insulin isophane")
)
_BASAL_WORDS = frozenset(
    (
        *("glargine", "glargina", "detemir", "degludec", "lantus", "levemir", "tresiba", "toujeo"),
        *("basal", "nph", "isophane", "insulatard", "humulin", "abasaglar", "background"),
    )
)


def is_kept(mention: Named, is_verb: Callable[[str], bool]) -> bool:
    """Whether an order leaves a drug as it is: the last verb of orders before it says so."""
    before = mention.tokens[: mention.start]
    last = next((token for token in reversed(before) if token in _GOES_ON or is_verb(token)), "")
    return mention.affirmed and last in _GOES_ON


def is_of_meals(mention: Named) -> bool:
    """Whether an insulin is that of the meals: by its name, or by the word beside it."""
    around = mention.tokens[max(0, mention.start - _AROUND_A_NAME) : mention.end + _AROUND_A_NAME]
    return bool(_MEALTIME & set(around)) and not _BASAL_WORDS & set(around)


def gives_basal_insulin(named: Iterable[Sequence[Named]]) -> bool:
    """Whether an action gives the basal insulin."""
    return any(
        mention.affirmed
        and (
            mention.concept in _BASAL
            or bool(_BASAL_WORDS & set(mention.tokens[mention.start : mention.end + 1]))
        )
        for mentions in named
        for mention in mentions
    )
