"""A vitamin K antagonist that is raised, or doubled after a missed dose, at an INR within or above
the patient's target (BSH oral anticoagulation 2011; ESC/EACTS valvular heart disease 2021)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.inputs import noted_values
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Cues

_CLASS = "vitamin_k_antagonist"
_DEFAULT, _OF_A_MITRAL_VALVE = (2.0, 3.0), (2.5, 3.5)
# A target told as one number is the middle of a range (ESC/EACTS 2021).
_HALF_A_RANGE = 0.5
_TARGET = re.compile(
    r"\b(?:target|range|goal|aim|objetivo|rango|diana)(?:es|s)?\b"
    r"(?:[ :,(]+(?:inr|range|of|is|was|for|de|del|es|terapeutico|therapeutic|between|entre|her|his"
    r"|the)\b)*[ :,(=]*(?P<low>[1-4](?:[.,]\d)?)(?! ?(?:mg|g|l|%|h|/))"
    r"(?: ?(?:-|\u2013|to|a|and|y) ?(?P<high>[2-5](?:[.,]\d)?))?"
)
_MITRAL = re.compile(r"\bmitral\b")
_DRUG, _ANOTHER = "vka", "another"
_DOSE = r"(?:dose|doses|dosis|toma|tablets?|comprimidos?|amount)"
_BETWEEN = (
    r"(?:the|her|his|this|that|a|an|to|of|by|up|evening|tonight|today|daily|weekly|total|usual|s"
    r"|maintenance|dose|dosage|la|el|su|de|del|dosis|diaria|semanal|habitual|un|una|esta|noche"
    r"|percent|por|ciento|\d+)"
)
_RAISES = (
    r"(?:double|doubles|doubling|triple|increase|increases|increasing|raise|raising|uptitrate"
    r"|step up|put up|turn up|go up on|bump up|push up|aumentar|aumente|aumenta|subir|suba|sube"
    r"|duplicar|duplique|doblar|doble|incrementar|incremente|elevar|triplicar)"
)
_RAISED = (
    r"(?:increased|raised|doubled|uptitrated|put up|stepped up|aumentad[ao]|subid[ao]|duplicad[ao]"
    r"|doblad[ao]|incrementad[ao])"
)
_RAISE = re.compile(
    rf"\b{_RAISES} (?:{_BETWEEN} ){{0,6}}?{_DRUG}\b"
    rf"|\b{_DRUG} (?:{_BETWEEN} ){{0,4}}?(?:is |be |to be |should be |se )?{_RAISED}\b"
    rf"|\b{_DRUG}\b.{{0,40}}\b(?:{_RAISES}) (?:{_BETWEEN} ){{0,2}}?{_DOSE}\b"
    rf"|\b(?:double|extra|additional|second|doble|twice the(?: \w+)?|doble de(?: \w+)?) {_DOSE}\b"
    rf"|\b{_DOSE} (?:doble|extra|adicional)\b|\bboth doses\b|\blas dos dosis\b|\ben dosis doble\b"
    r"|\b(?:make up for|making up for|compensate for|catch up|compensar|recuperar)\b"
)
_NOT_SO = re.compile(
    r"\b(?:not|no|never|don|without|avoid|nunca|sin|evitar|instead of|rather than|en vez de"
    r"|en lugar de)(?: \w+){0,3}$"
)
_DENIED = re.compile(r"\b(?:not|no|never|don|nunca|sin|without)\b")
_CONDITIONAL = re.compile(
    r"\b(?:if|once|when|until|unless|should|si|cuando|hasta)\b[^.;]*\b(?:inr|below|under|falls"
    r"|baja|menor|inferior)\b"
)
_MG = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?(?:mg|milligrams?|miligramos?)\b")
_WAS = re.compile(r"\b(?:instead of|rather than|from|in place of|en vez de|en lugar de|desde)\b.*")
_BY_WEEK = re.compile(r"\b(?:week\w*|seman\w+|alternate|alternos|monday|lunes|loading|carga)\b")


class Coumarins:
    """Finds a higher dose of a vitamin K antagonist that the INR does not ask for."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge, self._book = knowledge, knowledge.book
        self._cues = Cues(knowledge.tables["assertion_cues"], "finding")

    def problems(self, text: str, patient: Patient) -> Iterator[str]:
        """Why the dose that an action orders is too high for the INR of today."""
        if not any(self._is_of_class(mention.concept) for mention in self._book.named(text)):
            return
        inr = self._inr(patient)
        low, high = _target(patient)
        if inr is None or inr <= low:
            return
        usual = self._usual(patient)
        for clause in self._clauses(text):
            if _is_raised(clause) or _is_above(clause, usual):
                where = "above" if inr > high else "within"
                yield (
                    f"a vitamin K antagonist is raised or doubled at an INR of {inr:g}, {where} the"
                    f" target of {low:g} to {high:g}"
                )
                return

    def _is_of_class(self, concept: str) -> bool:
        return _CLASS in self._book.closures[concept]

    def _clauses(self, text: str) -> Iterator[str]:
        """Each clause that orders a vitamin K antagonist, the drug under one name."""
        for mention in self._book.named(text):
            if mention.affirmed and self._is_of_class(mention.concept):
                tokens = list(mention.tokens)
                for _, start, end in sorted(self._book.spans(mention.tokens), reverse=True):
                    tokens[start:end] = [_DRUG if start == mention.start else _ANOTHER]
                yield " ".join(tokens)

    def _inr(self, patient: Patient) -> float | None:
        """The INR, the lowest of several; of the notes only what the laboratory does not tell."""
        values = self._knowledge.labs(patient)[0].get("inr", [])
        if not values:
            notes = [_TARGET.sub(" ", without_accents(note.lower())) for note in patient.notes]
            told = noted_values(notes, self._cues)
            values = [value for name, value in told if name == "inr"]
        return min(values, default=None)

    def _usual(self, patient: Patient) -> float | None:
        """The daily dose (mg) of the list of medications, if it tells one."""
        for text in patient.medications:
            doses = _MG.findall(without_accents(text.lower()).replace(",", "."))
            is_it = any(self._is_of_class(mention.concept) for mention in self._book.named(text))
            if is_it and len(doses) == 1 and not _BY_WEEK.search(text.lower()):
                return float(doses[0])
        return None


def _target(patient: Patient) -> tuple[float, float]:
    """The target of the INR that the record tells, or that of the valve."""
    told = [without_accents(text.lower()) for text in (*patient.notes, *patient.conditions)]
    for text in told:
        for match in _TARGET.finditer(text):
            is_of_inr = re.search(r"\binr\b", text[max(0, match.start() - 60) : match.end() + 15])
            low = float(match["low"].replace(",", "."))
            if is_of_inr and match["high"]:
                return low, float(match["high"].replace(",", "."))
            if is_of_inr:
                return low - _HALF_A_RANGE, low + _HALF_A_RANGE
    is_mechanical = any(re.search(r"\b(?:mechanical|metal\w*|mecanica)\b", text) for text in told)
    is_mitral = any(_MITRAL.search(text) for text in told)
    return _OF_A_MITRAL_VALVE if is_mechanical and is_mitral else _DEFAULT


def _is_raised(clause: str) -> bool:
    return not _CONDITIONAL.search(clause) and any(
        not _NOT_SO.search(clause[: match.start()]) and not _DENIED.search(match[0])
        for match in _RAISE.finditer(clause)
    )


def _is_above(clause: str, usual: float | None) -> bool:
    """Whether a clause orders more than the usual dose (mg), as nothing but a dose of a day."""
    own = next(part for part in clause.split(f" {_ANOTHER} ") if _DRUG in part.split())
    now = _WAS.sub("", own)
    doses = [float(dose) for dose in _MG.findall(now)]
    if usual is None or len(doses) != 1 or _BY_WEEK.search(clause) or _CONDITIONAL.search(clause):
        return False
    return doses[0] > 1.05 * usual
