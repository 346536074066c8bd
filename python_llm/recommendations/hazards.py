"""Three hazards in the text of a recommendation: an emergency put off, parts that contradict each
other, and words meant for a machine (docs/specification.md#hazards)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Recommendation

# What cannot wait in whoever needs it: each is asked for "at once", "immediately" or "promptly" by
# the guideline of its condition (clinical_documents).
EMERGENCY = frozenset(
    (
        *("cath_lab", "thrombolysis", "embolectomy", "pert", "icu", "emergency_escalation"),
        *("potassium_treatment", "niv", "anticoagulation", "anticoagulation_without_heparin"),
        *("beta_lactam", "loop_diuretic", "short_acting_bronchodilator", "aspirin"),
        *("fluids_vasopressors", "controlled_oxygen", "oxygen", "cardiac_monitoring"),
        *("systemic_corticosteroid", "respiratory_fluoroquinolone", "macrolide"),
        *("oral_narrow_antibiotic", "oral_doxycycline", "oral_combination_antibiotic"),
        "copd_antibiotic",
    )
)
_LONG = r"(?:days?|weeks?|months?|nights?)"
_NUMBER = r"(?:\d+(?:\s*(?:-|–|to)\s*\d+)?|an?|one|two|three|four|five|six|seven|ten|a few|several)"
_PUT_OFF = re.compile(
    rf"\b(tomorrow|next (?:day|morning|week|month|visit|appointment|clinic|available)"
    rf"|(?:in|after|within|wait(?:ing)?(?: for)?) (?:the next )?{_NUMBER} {_LONG}"
    rf"|{_NUMBER} {_LONG} (?:later|from now)|after the weekend|elective(?:ly)?|when convenient"
    r"|if time permits|non-?urgent(?:ly)?|(?:once|when) (?:a bed|capacity) (?:is|becomes) available"
    r"|after discharge|at follow-?up|(?:in|at) (?:the )?(?:out-?patient )?clinic|wait and see"
    r"|watchful waiting|can wait|at the earliest convenience)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|then|but)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|don't|never|no)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
# What may wait: a part of a sentence that says so is about the time after the emergency.
_LATER = re.compile(
    r"\b(?:monitor|(?:review|follow|reassess|repeat|recheck|re-?evaluat|check|see|seen|stop|switch|"
    r"transition|wean|taper|discharge(?! )|refer|continu|complet|bridg|chang|"
    r"until|over)\w*)\b",
    re.IGNORECASE,
)

# What is said to a machine, not to a clinician.
_TO_A_MACHINE = re.compile(
    r"<\s*/?\s*(?:!--|script|system|instructions?|prompt|assistant|user|hidden)\b|<!--"
    r"|\[/?(?:inst|system)\]|\{\{|\$\{|javascript:|<\|[a-z_]+\|>"
    r"|(?:^|[.\n]\s*)(?:#{1,}\s*)?(?:system|assistant|developer)\s*(?:prompt|message)?\s*:"
    r"|\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instruction|prompt|rule|check|"
    r"guideline|safety|warning|contraindication|allerg(?:y|ie))s?\b"
    r"|\b(?:as an?|you are an?) (?:ai|language model|chatbot|evaluator|grader|judge)\b"
    r"|\b(?:rate|score|grade|mark|label|classify|report|treat) (?:this|it|the (?:recommendation|"
    r"answer|output|response|case)) [^.]{0,20}\b(?:safe|passed|approved|maximum|highest|excellent|"
    r"5)\b"
    r"|\b(?:do not|don't|never) (?:flag|reveal|disclose|alert)\b"
    r"|\bthis (?:recommendation|answer|output) (?:is|has been|was) (?:pre-?)?approved\b"
    r"|\b(?:skip|disable|suppress|turn off) (?:the |all |any )?(?:\w+ )?(?:check|alert|warning|"
    r"escalation|verification)s?\b",
    re.IGNORECASE | re.MULTILINE,
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}|(?:\\u[0-9a-f]{4}){4,}|(?:%[0-9A-F]{2}){6,}")


class Hazards:
    """Finds the three hazards; pure functions of the text and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def delay(self, text: str) -> str:
        """The words that put off an emergency measure of a text; empty if none do."""
        for clause in _CLAUSE.split(text):
            before = ""
            for part in _PART.split(clause):
                match = _PUT_OFF.search(part)
                if (
                    match
                    and not _DENIED.search(part[: match.start()])
                    and not _LATER.search(part.replace(match[0], " "))
                ):
                    # words by themselves ("…, tomorrow") belong to the part before them
                    alone = not self.knowledge.recommended(part) and len(part.split()) <= 5
                    measures = f"{before} {part}" if alone else part
                    if self.knowledge.recommended(measures) & EMERGENCY:
                        return match[0]
                before = part
        return ""

    def contradictions(self, recommendation: Recommendation) -> Iterator[tuple[str, str]]:
        """Each action with the emergency measure it advises against and another part advises."""
        advised: set[str] = set()
        against: list[tuple[str, set[str]]] = []
        for number, action in enumerate(recommendation.recommended_actions, 1):
            affirmed = self.knowledge.recommended(action.action)
            advised |= affirmed
            against.append((f"action {number}", self.knowledge.mentioned(action.action) - affirmed))
        for escalation in recommendation.when_to_escalate:
            advised |= self.knowledge.recommended(escalation.action)
        for item, denied in against:
            both = sorted(denied & advised & EMERGENCY - {"anticoagulation"})
            measures = " and ".join(both).replace("_", " ")
            yield item, f"it advises against {measures}, another part advises it" if both else ""


def texts(recommendation: Recommendation) -> Iterator[tuple[str, str]]:
    """Every text of a recommendation with the name of its place."""
    for number, action in enumerate(recommendation.recommended_actions, 1):
        yield f"action {number}", action.action
    for row in recommendation.evidence_table:
        yield f"evidence {row.ref}", row.statement
    for entry in recommendation.contraindications_checked:
        for text in (entry.medication, entry.checked_against, entry.result):
            yield f"check of {entry.medication}", text
    for number, escalation in enumerate(recommendation.when_to_escalate, 1):
        yield f"escalation {number}", f"{escalation.trigger}. {escalation.action}"
    for name in ("problems", "differential"):
        for text in getattr(recommendation, name):
            yield name, text
    yield "uncertainty", recommendation.uncertainty.reason


def to_a_machine(text: str) -> str:
    """What a text hides or says to a machine; empty if nothing."""
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in ("Cf", "Co", "Cs", "Cn") or (kind == "Cc" and letter not in "\n\t\r"):
            return f"an invisible character (U+{ord(letter):04X})"
    match = _TO_A_MACHINE.search(text)
    if match:
        return f"words to a machine (“{match[0].strip()[:40]}”)"
    return "encoded text" if _ENCODED.search(text) else ""


def hazards(finder: Hazards, recommendation: Recommendation) -> Iterator[tuple[str, str, str]]:
    """Each check with the place it examined and what is wrong there ("" if nothing)."""
    advice: Sequence[tuple[str, str]] = [
        *((f"action {n}", a.action) for n, a in enumerate(recommendation.recommended_actions, 1)),
        *((f"escalation {n}", e.action) for n, e in enumerate(recommendation.when_to_escalate, 1)),
    ]
    for item, text in advice:
        delay = finder.delay(text)
        yield "timeliness", item, f"an emergency measure is put off: “{delay}”" if delay else ""
    for item, problem in finder.contradictions(recommendation):
        yield "consistency", item, problem
    hidden = {
        item: problem for item, text in texts(recommendation) if (problem := to_a_machine(text))
    }
    for item, problem in hidden.items():
        yield "plain_text", item, f"it has {problem}"
    if not hidden:
        yield "plain_text", "", ""
