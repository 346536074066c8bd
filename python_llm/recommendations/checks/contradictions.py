"""Parts of one recommendation that cannot both be followed: a drug that is given and forbidden, two
targets of oxygen (docs/specification.md#hazards).

Only what is said without a condition contradicts: "stop apixaban if she bleeds" does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from python_llm.recommendations.drugs.book import DrugBook
from python_llm.recommendations.drugs.names import Named
from python_llm.recommendations.wording.phrases import clauses

_ALL = frozenset(
    ("all", "any", "every", "todo", "todos", "todas", "cualquier", "ningun", "ninguna")
)
# The words of an order against a drug that says nothing of dose, route, time or condition.
_PLAIN = _ALL | frozenset(
    (
        *("avoid", "do", "does", "not", "don", "t", "give", "given", "start", "started", "use"),
        *("used", "administer", "administered", "prescribe", "stop", "stopped", "hold", "withhold"),
        *(
            "withheld",
            "discontinue",
            "no",
            "the",
            "please",
            "never",
            "omit",
            "must",
            "should",
            "be",
        ),
        *("is", "are", "contraindicated", "forbidden", "cannot", "can", "we", "and", "or", "nor"),
        *(
            "of",
            "kind",
            "sort",
            "form",
            "in",
            "at",
            "here",
            "him",
            "her",
            "this",
            "that",
            "patient",
        ),
        *("today", "now", "once", "immediately", "altogether", "completely", ","),
        *("evitar", "evite", "dar", "administrar", "administre", "iniciar", "inicie", "suspender"),
        *("suspenda", "retirar", "retire", "pautar", "usar", "los", "las", "el", "la", "un", "una"),
        *("ni", "y", "o", "hoy", "ahora", "este", "esta", "paciente", "en", "de", "tipo", "debe"),
        *("contraindicado", "contraindicada"),
    )
)
# Behind the drug these begin the reason, which may hold any word, or the time until which.
_REASONS = frozenset(
    ("because", "as", "since", "due", "given", "owing", "por", "porque", "dado", "dada", "ya", ":")
)
_UNTIL = frozenset(("until", "before", "hasta", "antes"))
_NOW = frozenset(
    (
        *("now", "immediately", "stat", "today", "promptly", "urgently", "ahora", "hoy", "ya"),
        *("inmediatamente",),
    )
)
_THEN = frozenset(("then", "thereafter", "afterwards", "luego", "despues"))
_AT_ONCE = re.compile(r"\b(?:at once|first dose|without delay|straight away|right away)\b")
# An order with one of these holds only sometimes, or later.
_SOMETIMES = frozenset(
    (
        *("if", "unless", "once", "when", "whenever", "after", "until", "before", "tomorrow"),
        *("later", "consider", "or", "otherwise", "instead", "then", "alternatively", "except"),
        *("si", "salvo", "cuando", "tras", "hasta", "antes", "despues", "manana", "o", "luego"),
        *("resume", "restart", "reiniciar", "reanudar", "not", "avoid", "rather", "than", "risk"),
        *("lower", "raise", "increase", "reduce", "wean", "change", "switch", "others", "those"),
    )
)
# What a drug has done, and no order of it: "hypoglycaemia from gliclazide"
_CAUSE_BEFORE = re.compile(
    r"(?:\b(?:due|secondary|owing) to|\b(?:caused|induced|provoked) by|\bbecause of"
    r"|\b(?<!benefit )(?<!effect )from|\b(?:debid|secundari)[oa]s? a|\b(?:causad|inducid)[oa]s? por"
    r"|\b\w{5,}(?:emia|itis|osis|sion|patia|cion|ia) por)(?: (?:the|her|his|el|la|su))? $"
)
_REPLACED = re.compile(r"\b(?:cambi|sustitu|reemplaz|prolong|administr|infus|perfus)\w*")
_SATURATION = re.compile(r"\b(?:saturations?|spo2|sats?|sao2|saturacion|oxygen|oxigeno)\b")
_RANGE = re.compile(r"\b([89]\d|100)(?: percent| por ciento)? (?:to |a |and |y )?([89]\d|100)\b")


def conflicts(book: DrugBook, actions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each action that forbids what another gives, or sets another target of oxygen."""
    named = [book.named(action) for action in actions]
    orders = [{m.concept for m in mentions if m.affirmed and _is_ordered(m)} for mentions in named]
    at_once = [
        {m.concept for m in mentions if m.affirmed and _is_at_once(m.tokens)} for mentions in named
    ]
    for number, mentions in enumerate(named):
        for mention in mentions:
            strength = None if mention.affirmed else _forbids(mention)
            if strength is None:
                continue
            others = orders if strength == "always" else at_once
            forbidden = _forbidden(book, mention)
            for other, concepts in enumerate(others):
                if other != number and (both := sorted(concepts & forbidden)):
                    drug = both[0].replace("_", " ")
                    yield (
                        f"action {number + 1}",
                        f"it forbids {drug}, which action {other + 1} gives",
                    )
    yield from _targets(actions)


def _forbidden(book: DrugBook, mention: Named) -> frozenset[str]:
    """The drug, or what belongs to the class; of a property only if all of it is meant."""
    kind = book.classes.get(mention.concept, {}).get("kind")
    is_whole = bool(_ALL & set(mention.tokens[: mention.start]))
    if kind == "support" or (kind == "property" and not is_whole):
        return frozenset()
    return book.members.get(mention.concept, frozenset((mention.concept,)))


def _forbids(mention: Named) -> str | None:
    """Whether a drug is forbidden "always", or "until" something; None if only in part: a dose, a
    route, another condition."""
    before, behind = mention.tokens[: mention.start], mention.tokens[mention.end :]
    if not set(before) <= _PLAIN:
        return None
    for at, token in enumerate(behind):
        if token in _REASONS:
            return "always" if not _is_conditional(behind[at:]) else None
        if token in _UNTIL:
            return "until"
        if token not in _PLAIN or (token == "once" and behind[at - 1 : at] != ("at",)):
            return None
    return "always"


# asked of a clause for each of its drugs
@lru_cache(maxsize=256)
def _is_at_once(tokens: tuple[str, ...]) -> bool:
    return bool(_NOW & set(tokens)) or bool(_AT_ONCE.search(" ".join(tokens)))


def _is_ordered(mention: Named) -> bool:
    """Whether a drug is given without a condition; "now … then another dose" is, and so is "10 mg
    for a week, then 5 mg". What it has caused orders nothing."""
    before = " ".join(mention.tokens[max(0, mention.start - 6) : mention.start]) + " "
    if _CAUSE_BEFORE.search(before) and not _REPLACED.search(before):
        return False
    ends = (n for n in range(mention.end, len(mention.tokens)) if mention.tokens[n] in _THEN)
    tokens = mention.tokens[: next(ends, None)]
    return _is_at_once(mention.tokens) or not _is_conditional(tokens)


def _is_conditional(tokens: Sequence[str]) -> bool:
    """Whether an order holds only sometimes; "once a day" and "at once" are no conditions."""
    other = re.sub(r"\b(?:once (?:a|daily|every|per)|at once)\b", "", " ".join(tokens))
    return bool(_SOMETIMES & set(other.split()))


def _targets(actions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two actions whose targets of oxygen saturation do not meet."""
    targets: list[tuple[int, int, int]] = []
    for number, action in enumerate(actions, 1):
        for tokens in clauses(action):
            text = " ".join(tokens)
            if not _SATURATION.search(text) or _is_conditional(tokens):
                continue
            for match in _RANGE.finditer(text):
                low, high = int(match[1]), int(match[2])
                for other, other_low, other_high in targets:
                    if other != number and (high < other_low or low > other_high):
                        yield (
                            f"action {number}",
                            f"its target of oxygen is {low} to {high} percent, that of action "
                            f"{other} {other_low} to {other_high}",
                        )
                targets.append((number, low, high))
