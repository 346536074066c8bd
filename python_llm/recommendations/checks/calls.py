"""What is left to whoever is called: "call intensive care for thrombolysis if the pressure falls"
orders no thrombolysis."""

from __future__ import annotations

import re

from python_llm.recommendations.schema import Recommendation

_IF = re.compile(r"\b(?:if|unless|once|when|si|salvo|cuando)\b(?! at once)", re.IGNORECASE)
_CALLS = (
    r"^(\s*(?:please |por favor )?(?:call|phone|ring|alert|bleep|page|warn|avisar|avise|llamar"
    r"|llame|alertar)\b[^.;]*?)"
)
# "call intensive care for thrombolysis if the pressure falls": whoever comes judges it then
_CALLED_FOR = re.compile(
    rf"{_CALLS}\s(?:for|para|to consider|to give)\s[^.;]*?"
    r"(?=\s(?:if|si|should|in case|en caso)\b)",
    re.IGNORECASE,
)
_CALLED_FOR_THEN = re.compile(
    rf"{_CALLS}\s(?:for|para)\s[^.;\d]*$",
    re.IGNORECASE,
)
_TAKES_IN = re.compile(
    r"(?:please )?(?:admit|transfer|move|take|ingres(?:ar|e|o)|traslad(?:ar|e|o))\b[^.;,]{0,30}"
    r"\b(?:icu|itu|hdu|ccu|high[- ]dependency|intensive care|critical care|coronary care|uci"
    r"|cuidados (?:intensivos|intermedios|cr[ií]ticos)|unidad (?:coronaria|de cr[ií]ticos))\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:tomorrow|later|next|after|when|weeks?|days?|ma[nñ]ana|despu[eé]s|luego|tras|cuando"
    r"|semanas?|d[ií]as?)\b",
    re.IGNORECASE,
)
_INSTABILITY = re.compile(
    r"\b(?:hypotensi\w+|shock|collapse\w*|syncope|faint\w*|arrest|unstable|pressure (?:falls|drops)"
    r"|deteriorat\w+|hipotensi[oó]n|choque|s[ií]ncope|colapso|parada|inestab\w+|deterioro)\b",
    re.IGNORECASE,
)


def ordered_by(recommendation: Recommendation) -> tuple[list[str], list[str]]:
    """The texts of actions and of escalations, without what whoever is called may give then."""
    actions = [
        _CALLED_FOR.sub(r"\1", action.action) for action in recommendation.recommended_actions
    ]
    escalations = [
        _CALLED_FOR_THEN.sub(r"\1", escalation.action)
        if _INSTABILITY.search(escalation.trigger)
        else escalation.action
        for escalation in recommendation.when_to_escalate
    ]
    return actions, escalations


def takes_in_now(text: str) -> bool:
    """Whether an action admits to intensive or high-dependency care, which is done now unless it
    says when."""
    return bool(_TAKES_IN.match(text.strip())) and not _IF.search(text) and not _LATER.search(text)
