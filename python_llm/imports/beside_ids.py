"""What lists say of the findings in them, in a word or sign before or behind each.

'NOT HP:0000252', '-HP:0000252', 'HP:0000252 (absent)', 'HP:0000252: no', 'Microcephaly (ausente)'.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from python_llm.imports.presence import EXCLUDED, ID, OBSERVED, UNKNOWN, Presence, of_word

LONGEST = 60  # characters of a text that may be a status, or a name with one
_BEFORE = re.compile(
    r"(?i)(?:\b(?:not|no|non|without|absent|absence of|excluded|negated|denied|sin|ausente"
    r"|ausencia de)\b[\s:]*|(?<![\w)])[!¬~−-])\Z"
)
# a denied name before its id: 'sin crisis (HP:0001250)'; names of HPO, too, begin with 'No'
_DENIED_NAME = re.compile(r"\s*(?:NOT|(?i:without|sin|niega|denies))\s[^()]*\(\s*\Z")
_NO_NAME = re.compile(r"(?i)\s*(?:no|not)\s[^()]*\(\s*\Z")
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
    """An id of a list, the text before it and the texts behind it that speak of it."""

    id: str
    before: str
    behind: Sequence[str]


def told_apart(items: Iterable[str]) -> Told:
    """Lists of ids and names by what is said of each. A list whose every id has a hyphen is one
    with bullets."""
    told = Told([], [], [])
    for item in items:
        if _AN_ID.search(item):
            _tell_ids(item, told)
        else:
            _tell_names(item, told)
    return told


def _tell_ids(item: str, told: Told) -> None:
    listed = _findings(item)
    has_bullets = len(listed) > 1 and all(finding.before.endswith("-") for finding in listed)
    statuses = [_status(finding, has_bullets=has_bullets) for finding in listed]
    if set(statuses) == {None}:
        told.observed.append(item)
        return
    for finding, status in zip(listed, statuses, strict=True):
        told.add(finding.id, status or OBSERVED)


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
        _Finding(match.group(), before, behind)
        for match, before, behind in zip(ids, befores[:-1], behinds, strict=True)
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
