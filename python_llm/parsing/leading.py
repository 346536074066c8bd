"""The diagnosis that an answer names as the most likely apart from its list; what ends the list."""

import re
from collections.abc import Iterable

from python_llm.parsing.folding import name_key
from python_llm.parsing.prose import SURE, UNSURE, is_name, name_in_sentence

# The folded name of a field or column of it.
FIRST_KEY = re.compile(
    r"(?:(?:most_)?likely|most_probable|primary|principal|leading|working|final|main|top|"
    r"presumptive)_diagnosis|diagnostico_(?:principal|mas_probable|final)"
)
_NO_NAME = r"(?!\d|(?:the|a|as|see|in|one|el|la|los|las|ver|none|unclear|unknown|uncertain)\b)"
# A line that names one diagnosis, or a heading with the name in the line below it.
_LEAD = re.compile(
    rf"^[ \t]*(?:[>#]+[ \t]*)?[*_]*(?:(?P<sure>{SURE})|{UNSURE})[*_]*"
    rf"[ \t]*:[*_]*[ \t]*(?=\S)(?P<name>{_NO_NAME}[^\n]{{2,160}})$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADED = re.compile(
    rf"^[ \t]*(?:\#+[ \t]*[*_]*(?:(?P<sure>{SURE})|{UNSURE})[*_]*[ \t]*:?|"
    rf"[*_]*(?:(?P<sure_colon>{SURE})|{UNSURE})[*_]*:|[*_]+(?:(?P<sure_bold>{SURE})|{UNSURE})[*_]+|"
    rf"(?P<sure_bare>{SURE}))[*_]*[ \t]*\n\s*(?:[-*•][ \t]+)?"
    rf"(?P<name>{_NO_NAME}[^\W\d][^\n:]{{1,80}}|\*\*[^\n]{{2,160}})$",
    re.IGNORECASE | re.MULTILINE,
)
# 'The diagnosis is gout.' in a line of its own.
_SENTENCE = re.compile(
    r"^[^\n.:]{0,60}?\b(?:the|my|el|die|le|la) (?:(?:most (?:likely|probable)|likeliest|primary|"
    r"leading|working|final|presumptive|wahrscheinlichste) )?"
    r"(?:diagnosis|diagn[oó]stico|diagnose|diagnostic|diagnosi)"
    r"(?: (?:m[aá]s probable|(?:le )?plus probable|pi[uù] probabile|principal))? "
    r"(?:is|would be|es|ser[ií]a|ist|est|[eè]) (?P<name>[^\n:]{2,120}?)\.?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DIFFERENTIAL = re.compile(
    r"diff?erential|diferencia[il]|diff[eé]rentiel|differenzial|other|alternativ|also consider|"
    r"otr[oa]s|considerar|weitere|autres|altr[ei]|outr[oa]s|\bddx?\b",
    re.IGNORECASE,
)
# Literature behind an answer is numbered as its diagnoses are.
_REFERENCES = re.compile(
    r"^[ \t]*(?:#+[ \t]*)?[*_]*(?:references?|sources?|citations?|bibliography|works cited|"
    r"referencias(?: bibliogr[aá]ficas)?|fuentes|bibliograf[ií]a)[*_]*[ \t]*:?[*_]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_YET = re.compile(
    r"(?:pending|awaiting|deferred|cannot|rank|number|option|item|same|above|pendiente|igual|"
    r"n[uú]mero|opci[oó]n)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[ \t]*\[\d{1,3}(?:[ ,;–-]+\d{1,3})*\]")


def without_references(body: str) -> str:
    """An answer without the list of literature at its end, and without the marks that lead there
    ('Gout [1]'), where there is such a list."""
    heading = next(_REFERENCES.finditer(body), None)
    if heading is None or not body[: heading.start()].strip():
        return body
    return _MARKS.sub("", body[: heading.start()])


def leading_line(before: str, names: Iterable[str]) -> tuple[str, int] | None:
    """The diagnosis that a line `before` a list calls the most likely one, with the place of that
    line; None if there is none, or if it is one of the list's `names`, whatever its rank there.

    'Most likely diagnosis: Gout', and under 'Differential diagnosis:' a list without gout.
    """
    lines = [
        (line.start(), name)
        for pattern in (_LEAD, _HEADED, _SENTENCE)
        for line in pattern.finditer(before)
        if (name := _name_of(line)) and (_is_sure(line) or _DIFFERENTIAL.search(before, line.end()))
    ]
    if not lines:
        return None
    start, name = max(lines)
    return None if is_among(name, names) else (name, start)


def closing_line(body: str, start: int, end: int, names: Iterable[str]) -> tuple[str, int] | None:
    """The diagnosis that the one line between two places, behind a list of `names`, calls the final
    or most likely one, with the place of that line; None if the list has it or several do so."""
    lines = [line for line in _LEAD.finditer(body, start, end) if line["sure"]]
    if len(lines) != 1 or is_among(lines[0]["name"], names):
        return None
    name = name_in_sentence(lines[0]["name"])
    is_named = is_name(name) and name[0].isupper() and not _NOT_YET.match(name)
    return (name, lines[0].start()) if is_named else None


def _is_sure(line: re.Match[str]) -> bool:
    return any(kind.startswith("sure") and text for kind, text in line.groupdict().items())


def _name_of(line: re.Match[str]) -> str:
    """The name of a line; '' where a sentence that should name one says something else."""
    if line.re is not _SENTENCE:
        return line["name"]
    name = name_in_sentence(line["name"])
    return name if is_name(name) else ""


def is_among(name: str, names: Iterable[str]) -> bool:
    """Whether a diagnosis is one of `names`: one of the two has all the words of the other."""
    words = set(name_key(name).split())
    others = (set(name_key(other).split()) for other in names)
    return any(other and (words <= other or other <= words) for other in others)
