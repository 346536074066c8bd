"""Summaries written at discharge: where the stay they tell of ends."""

import re
from bisect import bisect_left
from collections.abc import Sequence

# how far behind the words for a discharge its values stand, in characters
_NEAR = 200
_SUMMARY = re.compile(
    r"^[^\w\n]{0,20}(?:\w{1,20} )?(?:discharge (?:summary|letter|report)|informe (?:\w+ )?de alta|"
    r"(?:resumen|nota|informe) de (?:alta|egreso)|epicrisis)\b",
    re.MULTILINE,
)
_LEAVES = re.compile(
    r"\b(?:(?:at|on|upon) (?:the time of )?discharge|discharge (?:observations|vitals)|"
    r"al (?:alta|egreso))\b"
)


def end_of_stay(folded: str, measures: Sequence[int]) -> int:
    """Where a summary comes to the values at discharge, in characters of the folded note; 0 if the
    note is no such summary or gives none. measures: where its measured values begin."""
    if _SUMMARY.search(folded) is None:
        return 0
    begins = sorted(measures)
    ends = [
        match.start()
        for match in _LEAVES.finditer(folded)
        if bisect_left(begins, match.end()) < bisect_left(begins, match.end() + _NEAR + 1)
    ]
    return max(ends, default=0)
