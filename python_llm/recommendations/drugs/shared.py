"""What the drugs of a list share: "vincristine 2 mg and methotrexate 12 mg, both intrathecally",
"methotrexate 10 mg plus folic acid 5 mg once daily", "by the intrathecal route: …"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from python_llm.recommendations.drugs.doses import amounts_at
from python_llm.recommendations.drugs.orders import Shared, all_of_them, is_between, own_words

Span = tuple[int, int]


@lru_cache(maxsize=256)
def shared(tokens: tuple[str, ...], spans: tuple[Span, ...], own: Span) -> Shared:
    """What the drug at `own` shares with the others of its list. spans: where the drugs of the
    clause stand, in order."""
    first = last = spans.index(own)
    amounts = amounts_at(tokens)
    while last + 1 < len(spans) and _goes_on(tokens, spans[last][1], spans[last + 1][0], amounts):
        last += 1
    while first and _goes_on(tokens, spans[first - 1][1], spans[first][0], amounts):
        first -= 1
    if first == last:
        return Shared()
    start, end = spans[last]
    until = spans[last + 1][0] if last + 1 < len(spans) else len(tokens)
    begins = spans[first][0]
    since = spans[first - 1][1] if first else 0
    heading = own_words(tokens, begins, begins, begins, since) if own != spans[first] else []
    told = all_of_them(tokens[end:until])
    if told or own == (start, end):
        return Shared(of_all=told, heading=tuple(heading))
    behind = own_words(tokens, end, end, until, end)
    return Shared(behind=tuple(behind), heading=tuple(heading))


def _goes_on(tokens: Sequence[str], start: int, end: int, amounts: frozenset[int]) -> bool:
    """Whether only doses and what joins them stand between two drugs."""
    return all(at in amounts or is_between(tokens[at]) for at in range(start, end))
