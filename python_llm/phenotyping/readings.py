"""A finding in a note with what is asserted of it, and its row in a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from python_llm.parsing.folding import composed
from python_llm.phenotyping.impressions import Impression
from python_llm.phenotyping.negation import Assertion, Status
from python_llm.phenotyping.timing import Timing

MENTION_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("mention_number", pa.int32()),
        ("start_character", pa.int32()),
        ("end_character", pa.int32()),
        ("written", pa.string()),
        ("finding", pa.string()),
        ("hpo_id", pa.string()),
        ("kind", pa.string()),
        ("method", pa.string()),
        ("confidence", pa.float64()),
        ("status", pa.string()),
        ("exclusion_type", pa.string()),
        ("cue", pa.string()),
        ("onset_text", pa.string()),
        ("onset_years", pa.float64()),
        ("resolution_text", pa.string()),
        ("resolution_years", pa.float64()),
        ("progression", pa.string()),
        ("evidence", pa.string()),
        ("value", pa.float64()),
        ("is_ongoing", pa.bool_()),
    ]
)
LONGEST_EVIDENCE = 300
# what of a note's sections is handed on, in characters each
LONGEST_SECTION = 1000


@dataclass(frozen=True, slots=True)
class Reading:
    """One finding in a note: its characters [start, end), its term (None if unknown) and what the
    note asserts of it. kind: finding, function (an organ or examination called normal or not),
    unnamed (denied, and in no dictionary), sign (alarming words without a term), measure (a
    number, in `value`) or impression (what the note as a whole reads like: how much, in `value`).
    confidence: 0 to 1."""

    start: int
    end: int
    finding: str
    hpo_id: str | None
    kind: str
    method: str | None
    confidence: float
    assertion: Assertion
    timing: Timing
    sentence: tuple[int, int]
    value: float | None = None


def impression_readings(impression: Impression) -> list[Reading]:
    """What a note reads like, as readings of kind impression: `urgency` with the words that say so,
    the number of `words`, and the nearest emergencies and illnesses with their margins."""
    values = [
        ("words", float(impression.n_words)),
        *((f"emergency:{name}", margin) for name, margin in impression.emergencies),
        *((f"illness:{name}", margin) for name, margin in impression.illnesses),
    ]
    told = Assertion(), Timing()
    start, end = impression.span
    return [
        Reading(
            *(start, end, "urgency", None, "impression", None, 1.0),
            *(*told, impression.span, impression.urgency),
        ),
        *(
            Reading(0, 0, name, None, "impression", None, 1.0, *told, (0, 0), value)
            for name, value in values
        ),
    ]


def rows_of(case_id: str, note: str, readings: Iterable[Reading]) -> list[dict[str, Any]]:
    """Readings of one note as rows of MENTION_SCHEMA."""
    note = composed(note)
    rows = []
    shown, evidence = (0, 0), ""
    for number, reading in enumerate(readings, 1):
        assertion = reading.assertion
        if reading.sentence != shown:
            shown = reading.sentence
            evidence = " ".join(note[shown[0] : shown[1]].split())
        rows.append(
            {
                "case_id": case_id,
                "mention_number": number,
                "start_character": reading.start,
                "end_character": reading.end,
                "written": " ".join(note[reading.start : reading.end].split()),
                "finding": reading.finding,
                "hpo_id": reading.hpo_id,
                "kind": reading.kind,
                "method": reading.method,
                "confidence": reading.confidence,
                "status": str(assertion.status),
                "exclusion_type": _exclusion_type(assertion),
                "cue": assertion.cue,
                "onset_text": reading.timing.onset_text,
                "onset_years": reading.timing.onset_years,
                "resolution_text": reading.timing.resolution_text,
                "resolution_years": reading.timing.resolution_years,
                "progression": reading.timing.progression,
                "evidence": evidence[
                    : LONGEST_SECTION if reading.kind == "section" else LONGEST_EVIDENCE
                ],
                "value": reading.value,
                "is_ongoing": assertion.is_ongoing and reading.timing.resolution_text is None,
            }
        )
    return rows


def _exclusion_type(assertion: Assertion) -> str | None:
    if assertion.status is Status.STOPPED:
        return "stopped"
    if assertion.status is not Status.DENIED:
        return None
    return "soft" if assertion.is_soft else "explicit"
