"""Abbreviations of doses that are misread, and have cost lives: a zero behind the point ("10.0 mg"
is read as 100), none before it (".5 mg" as 5), a U that touches its number ("10U" as 100), MSO4.

Source: ISMP list of error-prone abbreviations 2024; The Joint Commission, "Do Not Use" list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNIT = r"(?:mg|mcg|µg|μg|g|ml|mL|units?|UI|IU|mmol)\b"
_MISREAD = (
    (re.compile(rf"(?<![\d.,])\d{{1,3}}[.,]0 ?{_UNIT}"), "a zero behind the point is read as ten"),
    (re.compile(rf"(?<![\w.,])[.,]\d+ ?{_UNIT}"), "a point without a zero before it is overlooked"),
    (re.compile(r"(?<![\d.,/])\d+[uU](?![\w/])"), "a U that touches its number is read as 0"),
    (re.compile(r"\b(?:MSO4|MS04)\b|\bMS (?=\d)"), "it is read as magnesium sulfate"),
    (re.compile(r"\b(?:QOD|qod|q\.o\.d\.)(?!\w)"), "it is read as every day"),
)


def misread(text: str) -> Iterator[str]:
    """What of a text is misread, with the reason."""
    for pattern, reason in _MISREAD:
        if match := pattern.search(text):
            yield f"“{match[0].strip()}” is ambiguous: {reason} (ISMP); write it out"
