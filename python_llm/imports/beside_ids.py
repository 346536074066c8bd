"""What lists say of the findings in them, in a word or sign before or behind each.

'NOT HP:0000252', '-HP:0000252', 'HP:0000252 (absent)', 'HP:0000252: no', 'Microcephaly (ausente)'.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from python_llm.imports.presence import (
    EXCLUDED,
    ID,
    OBSERVED,
    OF_FINDINGS,
    UNKNOWN,
    Presence,
    of_word,
)
from python_llm.parsing.folding import column_key

LEAST = 3  # letters of such a word: 'no' and 'not' are of one id
LONGEST = 60  # characters of a text that may be a status, or a name with one
# 'Reflexes absent' is a name
_BEFORE = re.compile(
    r"(?i)(?:\b(?:not|no|non|without|sin|absence of|ausencia de)\b[\s:]*"
    rf"|(?:\A|[.(])(?:{ID})?[\W_]{{0,3}}(?:absent|excluded|negated|denied|ausente)\b[\s:]*"
    r"|(?<![\w)])[!¬~−-])\Z"
)
# a denied name before its id: 'sin crisis (HP:0001250)'; names of HPO, too, begin with 'No'
_DENIED_NAME = re.compile(r"\s*(?:NOT|(?i:without|sin|niega|denies))\s[^()]*\(\s*\Z")
_NO_NAME = re.compile(r"(?i)\s*(?:no|not)\s[^()]*\(\s*\Z")
# 'Negative: HP:0000252, HP:0001250', up to the next such word
_HEADING = re.compile(r"(?<![^\W_])([^\W\d_]{3,20}(?: [^\W\d_]{2,20})?)\s?:\s{0,3}\Z")
_SMALL = frozenset(("pertinent", "relevant", "clinical"))
_APART = re.compile(r"[;|\n\r.]")
_AN_ID = re.compile(rf"(?i)\b{ID}\b")
_SEPARATORS = re.compile(r"[,;|\n\r\t/]")
_OF_NAMES = re.compile(r"[;|\n\r\t]")
# a status behind an id or a name: in brackets, or behind a colon, an equals sign or a dash
_MARKED = re.compile(
    r"(?:[(\[]|[:=]|\s[-–—]|[-–—]\s)\s*(?P<status>[^()\[\]:=–—]{1,24}?)\s*[)\]]?\Z"
)


class Told(NamedTuple):
    """Findings as lists write them: those that are there, those denied, those left open."""

    observed: list[str]
    excluded: list[str]
    unknown: list[str]

    def add(self, finding: str, status: Presence) -> None:
        """Put a finding where it belongs."""
        {OBSERVED: self.observed, EXCLUDED: self.excluded, UNKNOWN: self.unknown}[status].append(
            finding
        )


class _Finding(NamedTuple):
    """An id of a list, the text before it and the texts behind it that speak of it, and whether
    more than a comma parts it from the one before."""

    id: str
    before: str
    behind: Sequence[str]
    is_apart: bool


def told_apart(items: Iterable[str]) -> Told:
    """Lists of ids and names by what is said of each. A list whose every id has a hyphen is one
    with bullets."""
    told = Told([], [], [])
    headed: Presence | None = None
    for item in items:
        if _AN_ID.search(item):
            headed = _tell_ids(item, told, headed)
        else:
            _tell_names(item, told)
    return told


def _tell_ids(item: str, told: Told, headed: Presence | None) -> Presence | None:
    """Tell the ids of a list apart; `headed` is what the last word with a colon says, which is
    returned. An id behind it that more than a comma parts from it is open."""
    listed = _findings(item)
    has_bullets = len(listed) > 1 and all(finding.before.endswith("-") for finding in listed)
    statuses = []
    for finding in listed:
        heading = _heading(finding.before)
        status = heading or _status(finding, has_bullets=has_bullets)
        if status is None and headed in (EXCLUDED, UNKNOWN):
            status = UNKNOWN if finding.is_apart else headed
        headed = heading or headed
        statuses.append(status)
    if set(statuses) == {None}:
        told.observed.append(item)
    else:
        for finding, status in zip(listed, statuses, strict=True):
            told.add(finding.id, status or OBSERVED)
    return headed


def _heading(before: str) -> Presence | None:
    """What a word with a colon before an id says of it and of those behind it; 'Reflexes absent:'
    is a name."""
    match = _HEADING.search(before[-LONGEST:])
    if match is None:
        return None
    first, _, last = match[1].rpartition(" ")
    about = OF_FINDINGS | _SMALL
    phrases = [match[1]] if first and column_key(first) not in about else [match[1], last]
    forms = [form for phrase in phrases for form in (phrase, phrase.removesuffix("s"))]
    statuses = [of_word(form) for form in forms if len(form) > LEAST]
    return next((status for status in statuses if status), None)


def _tell_names(item: str, told: Told) -> None:
    """Names of a cell; where a status ends several between commas, it is open whose it is."""
    parts = [part.strip() for part in _OF_NAMES.split(item)]
    statuses = [_marked(part) for part in parts]
    if set(statuses) == {None}:
        told.observed.append(item)
        return
    for part, status in zip(parts, statuses, strict=True):
        if status is None:
            told.add(part, OBSERVED)
        elif "," in part:
            told.add(part, UNKNOWN)
        elif name := _MARKED.sub("", part).strip():
            told.add(name, status)


def _findings(item: str) -> list[_Finding]:
    """The ids of a list. What stands between two belongs to the former up to the first separator,
    and beyond it where it is a status; without a separator, where it is marked as a status, or
    where one stands behind the last id."""
    ids = list(_AN_ID.finditer(item))
    starts, ends = [match.start() for match in ids], [match.end() for match in ids]
    gaps = [item[a:b] for a, b in zip([0, *ends], [*starts, len(item)], strict=True)]
    is_behind = _of_text(gaps[-1]) is not None and not gaps[0].strip()
    befores, behinds = [gaps[0]], []
    for number, gap in enumerate(gaps[1:], 1):
        first, *others = _SEPARATORS.split(gap)
        if others:
            between = others if number == len(ids) else others[:-1]
            behinds.append([first, *(part for part in between if _of_text(part) is not None)])
            befores.append(others[-1])
        else:
            is_former = is_behind or number == len(ids) or _marked(gap) is not None
            behinds.append([gap] if is_former else [])
            befores.append("" if is_former else f"{ids[number - 1].group()}{gap}")
    return [
        _Finding(match.group(), before, behind, bool(_APART.search(gap)) or match is ids[0])
        for match, before, behind, gap in zip(ids, befores[:-1], behinds, gaps[:-1], strict=True)
    ]


def _status(finding: _Finding, *, has_bullets: bool) -> Presence | None:
    """What is said of a finding; None if nothing is."""
    sign = _BEFORE.search(finding.before[-LONGEST:])
    if sign and not (has_bullets and sign.group() == "-"):
        return EXCLUDED
    if len(finding.before) <= 2 * LONGEST:
        if _DENIED_NAME.match(finding.before):
            return EXCLUDED
        if _NO_NAME.match(finding.before):
            return UNKNOWN
    statuses = [_of_text(part) or _marked(part) for part in finding.behind]
    return next((status for status in statuses if status), None)


def _of_text(part: str) -> Presence | None:
    """What a text says that is nothing but a status."""
    bare = part.strip().removeprefix(")").strip(" .")
    return of_word(bare) if len(bare) < LONGEST else None


def _marked(part: str) -> Presence | None:
    """What a text says that ends with a status, if it is marked as one."""
    match = _MARKED.search(part[-LONGEST:].rstrip())
    return of_word(match["status"]) if match else None
