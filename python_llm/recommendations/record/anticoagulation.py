"""The INR of somebody who takes a vitamin K antagonist, beside the target that the record tells
(BSH oral anticoagulation 2011; ESC/EACTS valvular heart disease 2021)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.record.inputs import noted_values
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Cues

ABOVE_TARGET = "inr_above_least_of_target"
_LEAST, _LEAST_OF_A_MITRAL_VALVE = 2.0, 2.5
# A target told as one number is the middle of a range (ESC/EACTS 2021).
_HALF_A_RANGE = 0.5
_TARGET = re.compile(
    r"\b(?:target|range|goal|aim|objetivo|rango|diana)(?:es|s)?\b"
    r"(?:[ :,(]+(?:inr|range|of|is|was|for|de|del|es|terapeutico|therapeutic|between|entre|her|his"
    r"|the)\b)*[ :,(=]*(?P<low>[1-4](?:[.,]\d)?)(?! ?(?:mg|g|l|%|h|/))"
    r"(?: ?(?:-|\u2013|to|a|and|y) ?(?P<high>[2-5](?:[.,]\d)?))?"
)
_INR = re.compile(r"\binr\b")
_MITRAL = re.compile(r"\bmitral\b")
_MECHANICAL = re.compile(r"\b(?:mechanical|metal\w*|mecanica)\b")


def above_target(patient: Patient, measured: Sequence[float], cues: Cues) -> float | None:
    """How far the lowest INR lies above the least of its target; None if no INR is told. measured:
    the values of the laboratory; without one the notes tell it."""
    told = [without_accents(text.lower()) for text in (*patient.notes, *patient.conditions)]
    if not measured:
        notes = [_TARGET.sub(" ", text) for text in told[: len(patient.notes)]]
        measured = [value for name, value in noted_values(notes, cues) if name == "inr"]
    return min(measured) - _least_of_target(told) if measured else None


def _least_of_target(told: Sequence[str]) -> float:
    """The least INR of the target that the record tells, or of that of the valve."""
    for text in told:
        for match in _TARGET.finditer(text):
            if _INR.search(text[max(0, match.start() - 60) : match.end() + 15]):
                low = float(match["low"].replace(",", "."))
                return low if match["high"] else low - _HALF_A_RANGE
    is_mechanical = any(_MECHANICAL.search(text) for text in told)
    is_mitral = any(_MITRAL.search(text) for text in told)
    return _LEAST_OF_A_MITRAL_VALVE if is_mechanical and is_mitral else _LEAST
