"""An overdose of paracetamol that was taken over more than an hour: no level on the nomogram tells
its danger (MHRA 2012), and acetylcysteine is given from 75 mg/kg in a day (TOXBASE)."""

from __future__ import annotations

import re

from python_llm.recommendations.record.kin import is_of_a_relative, of_the_patient
from python_llm.recommendations.record.numerals import spelled
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import clauses

SERIOUS_MG_PER_KG = 75.0
# kg, where no weight is known
_USUAL_WEIGHT = 70.0
_DRUG = re.compile(r"\b(?:paracetamol|acetaminophen|acetaminofen|tylenol|panadol)\b")
_TOOK = re.compile(
    r"\b(?:took|taken|takes|swallowed|ingested|overdose\w*|sobredosis|tomo|ha tomado|tomado"
    r"|ingirio|ha ingerido|ingesta|trago|tragado)\b"
)
# Another took it, it was not taken, it was long ago, or it is a dose of treatment.
_OTHERWISE = re.compile(
    r"\b(?:not (?:take|taken|swallow)|did not|has not|never|denies|no tomo|no ha tomado|niega"
    r"|years ago|months ago|last year|in (?:19|20)\d\d|hace (?:\w+ )?(?:anos|meses)"
    r"|times a day|veces al dia|daily|every (?:four|six|eight|4|6|8) hours|cada \d+ horas)\b"
)
_CLOCK = r"\d+(?: \d\d)?(?: ?(?:am|pm|h))?"
_OVER_TIME = re.compile(
    r"\b(?:stagger\w+|escalonad\w+|fraccionad\w+|handfuls|several (?:goes|times|doses)"
    rf"|between {_CLOCK} and {_CLOCK}|from {_CLOCK} to {_CLOCK}|entre las {_CLOCK} y las {_CLOCK}"
    rf"|desde las {_CLOCK} hasta las {_CLOCK}|de {_CLOCK} a {_CLOCK} (?:horas|de la)"
    r"|over (?:the )?(?:\w+ ){0,2}(?:hours|day|days|afternoon|morning|evening|night|weekend)"
    r"|(?:in|en) (?:\w+ ){0,2}(?:punados|tandas|tomas|veces)|a punados|throughout (?:the )?\w+"
    r"|all (?:day|afternoon|morning|night)|a lo largo de|durante (?:toda|todo|el|la|\w+ horas)"
    r"|every (?:half )?(?:an )?hour|cada hora|bit by bit|poco a poco|repartid\w+)\b"
)
_TABLETS = r"(?:tablets?|tabs|pills?|capsules?|caplets?|comprimidos?|pastillas?|capsulas?)"
_STRENGTH = re.compile(r"\b(\d+(?:\.\d+)?) ?(mg|g)\b")
_COUNT = re.compile(rf"^(?: (?!mg|g|h|and|y)[a-z]+)? ?(?:\d+ mg |\d+ g )?(?:of |de )?{_TABLETS}\b")
_DRUG_AFTER_COUNT = re.compile(r"^ ?(?:x |of |de )?\d+(?:\.\d+)? ?m?g\b")
_GRAMS = re.compile(
    r"\b(\d+(?:\.\d+)?) ?(?:g|grams?|gramos?)\b"
    r"(?! (?:l|dl|per|por)\b)(?! (?:tablet|pill|comp))"
)
# A tablet has 500 mg where no strength is told.
_USUAL_MG = 500.0


def is_staggered_overdose(patient: Patient, weight: float | None) -> bool:
    """Whether the notes tell of 75 mg/kg of paracetamol or more, taken over more than an hour."""
    for note in [*patient.notes, *patient.conditions]:
        own = [
            plain
            for tokens in clauses(of_the_patient(note))
            if not _OTHERWISE.search(plain := " ".join(tokens)) and not _of_a_relative(plain)
        ]
        if not any(_DRUG.search(text) and _TOOK.search(text) for text in own):
            continue
        if not any(_OVER_TIME.search(text) and _is_of_it(text) for text in own):
            continue
        most = max((_milligrams(text) for text in own if _is_of_it(text)), default=0.0)
        if most >= SERIOUS_MG_PER_KG * (weight or _USUAL_WEIGHT):
            return True
    return False


def _of_a_relative(text: str) -> bool:
    """Whether a relative swallowed it."""
    verb = _TOOK.search(text)
    return verb is not None and is_of_a_relative(text.split(), len(text[: verb.start()].split()))


def _is_of_it(text: str) -> bool:
    """Whether a clause speaks of what was swallowed."""
    return bool(_TOOK.search(text) or _DRUG.search(text) or re.search(rf"\b{_TABLETS}\b", text))


def _milligrams(text: str) -> float:
    """The largest amount that a clause tells in tablets or in grams."""
    strengths = [
        float(number) * (1000.0 if unit == "g" else 1.0) for number, unit in _STRENGTH.findall(text)
    ]
    of_one = next((mg for mg in strengths if mg in (325.0, 500.0, 650.0, 1000.0)), _USUAL_MG)
    amounts = [float(number) * 1000.0 for number in _GRAMS.findall(text)]
    tokens = text.split()
    for at, token in enumerate(tokens):
        number = (float(token), at + 1) if token.isdigit() else spelled(tokens, at)
        if number is None or number[0] >= 300:
            continue
        behind = " " + " ".join(tokens[number[1] : number[1] + 5])
        if _COUNT.search(behind) or _DRUG_AFTER_COUNT.search(behind.strip()):
            amounts.append(number[0] * of_one)
    return max(amounts, default=0.0)
