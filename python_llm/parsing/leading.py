"""The diagnosis that an answer names as the most likely apart from its list; what ends the list."""

import re
from collections.abc import Iterable

from python_llm.parsing.folding import name_key

_MOST = (
    r"(?:the )?(?:most likely|likeliest|most probable|primary|principal|leading|working|final|main|"
    r"top|presumptive)"
)
# The folded name of a field or column of it.
FIRST_KEY = re.compile(
    r"(?:(?:most_)?likely|most_probable|primary|principal|leading|working|final|main|top|"
    r"presumptive)_diagnosis|diagnostico_(?:principal|mas_probable|final)"
)
# A line that names one diagnosis. 'Diagnosis: X' alone is one only where a differential follows.
_LEAD = re.compile(
    rf"^[ \t]*(?:[>#]+[ \t]*)?[*_]*(?:(?P<sure>{_MOST}(?: diagnosis| diagnoses)?|"
    r"diagn[oó]stico (?:m[aá]s probable|principal|final|de presunci[oó]n|de sospecha))|"
    r"diagnosis|diagn[oó]stico)[*_]*[ \t]*:[*_]*[ \t]*(?=\S)"
    r"(?P<name>(?!(?:the|a|as|see|in|one|el|la|los|las|ver)\b)[^\n]{2,160})$",
    re.IGNORECASE | re.MULTILINE,
)
_DIFFERENTIAL = re.compile(
    r"differential|diferencial|other|alternativ|also consider|otros|considerar", re.IGNORECASE
)
# Literature behind an answer is numbered as its diagnoses are.
_REFERENCES = re.compile(
    r"^[ \t]*(?:#+[ \t]*)?[*_]*(?:references?|sources?|citations?|bibliography|works cited|"
    r"referencias(?: bibliogr[aá]ficas)?|fuentes|bibliograf[ií]a)[*_]*[ \t]*:?[*_]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
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
        line
        for line in _LEAD.finditer(before)
        if line["sure"] or _DIFFERENTIAL.search(before, line.end())
    ]
    if not lines:
        return None
    name = lines[-1]["name"]
    return None if is_among(name, names) else (name, lines[-1].start())


def is_among(name: str, names: Iterable[str]) -> bool:
    """Whether a diagnosis is one of `names`: one of the two has all the words of the other."""
    words = set(name_key(name).split())
    others = (set(name_key(other).split()) for other in names)
    return any(other and (words <= other or other <= words) for other in others)
