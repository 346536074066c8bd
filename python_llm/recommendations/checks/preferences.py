"""What a text prefers to what, as "enoxaparin rather than heparin"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.drugs.book import DrugBook

# Between what is better and what is worse.
_BETTER = re.compile(
    r"\b(?:(?:is|are|be|being|remains?|was|were) (?:\w+ )?(?:preferred|preferable|superior)"
    r" (?:to|over|above|ahead of)|preferred (?:to|over)"
    r"|(?:is|are|comes?|goes|stands?) (?:before|ahead of)|in preference to|rather than|instead of"
    r"|(?:is|are|be) (?:safer|better|more effective) than"
    r"|(?:se prefieren?|es preferible|son preferibles|es superior|son superiores) a"
    r"|en (?:lugar|vez) de|antes que"
    r"|(?:es|son) (?:mejor(?:es)?|mas segur[oa]s?|mas efica(?:z|ces)) que)\b"
)
# Between what is worse and what is better.
_WORSE = re.compile(
    r"\b(?:(?:is|are|be) (?:\w+ )?inferior to|(?:is|are|be) (?:less (?:safe|effective)|worse) than"
    r"|gives? way to|(?:is|are|be) replaced by|(?:es|son) (?:inferior(?:es)? a"
    r"|menos (?:segur|eficac)\w+ que|peor(?:es)? que))\b"
)
# "prefer lmwh to heparin": the verb stands before both
_PREFER = re.compile(
    r"\b(?:prefers?|favou?rs?|prefieren?|prefiera)\b(?P<better>[^.;]*?)"
    r"\b(?:to|over|rather than|instead of|above|a|sobre|en lugar de|antes que)\b(?P<worse>[^.;]*)"
)
_DENIED = re.compile(r"\b(?:not|never|no longer|no|nunca|ya no)\b[^.;]{0,15}$")
_CLAUSE = re.compile(r"[.;](?=\s|$)")
Sides = tuple[frozenset[str], frozenset[str]]


def preferences(text: str, book: DrugBook) -> Iterator[Sides]:
    """The drugs that each clause of a text puts first, and those that it puts behind them."""
    for clause in _CLAUSE.split(without_accents(text.lower())):
        for better, worse in _of_clause(clause):
            sides = _drugs(better, book), _drugs(worse, book)
            if all(sides):
                yield sides


def reversed_preference(claim: str, passage: str, book: DrugBook) -> str:
    """What a claim prefers of which its passage prefers the other; empty if nothing."""

    def meet(left: frozenset[str], right: frozenset[str]) -> bool:
        return any(book.are_related(a, b) for a in left for b in right)

    for better, worse in preferences(claim, book):
        for first, second in preferences(passage, book):
            if meet(better, second) and meet(worse, first) and not meet(better, first):
                name = " or ".join(sorted(better)).replace("_", " ")
                return f"reversed: it prefers {name}, the passage prefers the other"
    return ""


def _of_clause(clause: str) -> Iterator[tuple[str, str]]:
    """The words of what is better and of what is worse."""
    for pattern, is_better_first in ((_BETTER, True), (_WORSE, False)):
        for match in pattern.finditer(clause):
            before, behind = clause[: match.start()], clause[match.end() :]
            is_denied = bool(_DENIED.search(before) or re.search(r"\b(?:not|never|no)\b", match[0]))
            yield (before, behind) if is_better_first != is_denied else (behind, before)
    for match in _PREFER.finditer(clause):
        if not _DENIED.search(clause[: match.start()]):
            yield match["better"], match["worse"]


def _drugs(text: str, book: DrugBook) -> frozenset[str]:
    return frozenset(mention.concept for mention in book.named(text))
