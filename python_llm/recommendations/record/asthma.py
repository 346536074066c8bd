"""Severe asthma as a grade of the disease, and not as an attack (GINA 2024: severe asthma;
BTS/SIGN 2019: features of an acute severe attack)."""

from __future__ import annotations

from collections.abc import Sequence

from python_llm.recommendations.record.inputs import vital_signs
from python_llm.recommendations.schema import Patient

# A grade forbids what an attack may follow, and asks for no treatment of one.
ATTACK, GRADE = frozenset({"severe_asthma"}), frozenset({"brittle_asthma"})
_OF_YEARS = frozenset(
    (
        *("persistent", "chronic", "years", "biologic", "biologics", "controlled", "known"),
        *("longstanding", "eosinophilic", "step", "clinic", "persistente", "cronica", "anos"),
        *("controlada", "eosinofilica", "conocida", "history", "background", "underlying"),
        *("childhood", "lifelong", "teens", "infancia", "adolescencia"),
    )
)
_SEVERE = frozenset({"severe", "asthma"})
_OF_AN_ATTACK = frozenset(
    (
        *("attack", "acute", "exacerbation", "threatening", "fatal", "status"),
        *("asthmaticus", "crisis", "agudizacion", "aguda"),
    )
)
# of an acute severe attack (BTS/SIGN 2019)
_BREATHS, _PULSE, _SATURATION = 25.0, 110.0, 92.0


def is_standing_asthma(tokens: Sequence[str], text: str, patient: Patient) -> bool:
    """Whether a clause names severe asthma as the grade of a disease of years: in so many words, or
    in the list of conditions of whoever has no vital sign of an attack."""
    told = set(tokens)
    if not told >= _SEVERE or _OF_AN_ATTACK & told:
        return False
    return bool(_OF_YEARS & told) or (text in patient.conditions and _is_quiet(patient))


def _is_quiet(patient: Patient) -> bool:
    vitals = vital_signs(patient)
    if "respiratory_rate" not in vitals or "spo2_percent" not in vitals:
        return False
    is_slow = vitals["respiratory_rate"] < _BREATHS and vitals.get("heart_rate", 0.0) < _PULSE
    return is_slow and vitals["spo2_percent"] >= _SATURATION
