"""Age and sex of the patient, as a note states them; and the sentences on tests that were done.

Only what is said of the patient counts: a sentence about a relative does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.text import sentences_of

_UNITS = {
    "year": 1.0, "yr": 1.0, "y": 1.0, "yo": 1.0, "ano": 1.0, "anos": 1.0,
    "month": 1 / 12, "mo": 1 / 12, "mes": 1 / 12, "meses": 1 / 12,
    "week": 7 / 365.25, "wk": 7 / 365.25, "semana": 7 / 365.25, "semanas": 7 / 365.25,
    "day": 1 / 365.25, "dia": 1 / 365.25, "dias": 1 / 365.25,
}  # fmt: skip
_NUMBER = r"(\d{1,3}(?:[.,]\d+)?)"
_UNIT_ES = r"(anos?|mes(?:es)?|semanas?|dias?)"
_PERSON_ES = (
    r"varon|mujer|hombre|nino|nina|paciente|lactante|adolescente|joven|chico|chica|senor|senora|"
    r"anciano|anciana|bebe|neonato|escolar|preescolar|masculino|femenina|femenino"
)
_AGES = {
    "en": (
        rf"{_NUMBER}[- ]?(year|yr|month|mo|week|wk|day)s?[- ]?(?:old|of age)\b",
        rf"{_NUMBER}[- ]?(y)(?:ears?)?[ ./-]?o\b",
        rf"\b(?:aged|age:?) {_NUMBER}(?: (year|month|week|day)s?)?(?![\w.])(?! at\b)",
        rf"\b{_NUMBER} ?(yo) ?(?=[mf]\b|male|female|man|woman|boy|girl)",
        r"^\W*(\d{1,3}) ?[mf]\b",
    ),
    "es": (
        rf"\b(?:{_PERSON_ES})\b(?: \w+){{0,3}} (?:de|con) {_NUMBER} {_UNIT_ES}",
        rf"{_NUMBER} {_UNIT_ES} de edad(?! gestacional)",
        rf"\bedad:? (?:de )?{_NUMBER} ?{_UNIT_ES}?",
        rf"^{_NUMBER} (anos)\b",
    ),
}
_NEWBORN = {
    "en": r"\b(?:newborn|neonate)\b",
    "es": r"\b(?:recien nacid[oa]|neonato|horas de vida)\b",
}
# before an age: it is not the age today
_THEN = re.compile(
    r"(?:\b(?:at|since|from|until|by|when|a los|desde los|hasta los|a la)(?: the)?)\s*$"
)
_SEXES = {
    "en": (
        ("female", r"\b(?:woman|girl|female|lady)\b|\d ?(?:yo|y/o|y)? ?f\b"),
        ("male", r"\b(?:man|boy|male|gentleman)\b|\d ?(?:yo|y/o|y)? ?m\b"),
    ),
    "es": (
        ("female", r"\b(?:mujer|nina|femenin[ao]|chica|senora|anciana|recien nacida)\b"),
        ("male", r"\b(?:varon|hombre|nino|masculin[ao]|chico|senor|anciano)\b"),
    ),
}  # fmt: skip
_PRONOUNS = {
    "en": (("female", r"\b(?:she|her|hers)\b"), ("male", r"\b(?:he|him|his)\b")),
    "es": (("female", r"\bella\b"), ("male", r"\bel paciente\b")),
}
_RELATIVES = re.compile(
    r"\b(?:mother|father|sister|brother|sibling|aunt|uncle|cousin|grand\w+|parents?|maternal|"
    r"paternal|son|daughter|family history|madre|padre|hermanos?|hermanas?|tios?|tias?|prim[oa]s?|"
    r"abuel\w+|hij[oa]s?|matern[oa]|patern[oa]|antecedentes familiares)\b"
)
_NOT_DONE = re.compile(
    r"\b(?:will|plan\w*|pending|recommend\w*|order(?:ed)?|request\w*|to be done|refer\w*|awaiting|"
    r"not (?:yet )?(?:been )?(?:done|performed)|se solicita\w*|pendientes?|se pide|"
    r"se remite|solicitar|no se (?:ha )?(?:hecho|realizado))\b"
)


@dataclass(frozen=True)
class Told:
    """What a note tells of the patient: age in years and sex, female or male; None if it does
    not."""

    age_years: float | None
    sex: str | None


def told_of_patient(note: str, language: str) -> Told:
    """Age and sex in a note in en or es."""
    own = _own_sentences(note)
    ages = (age for sentence in own if (age := _age(sentence, language)) is not None)
    return Told(next(ages, None), _sex(own, language))


def tests_done(note: str, words: Iterable[str]) -> str | None:
    """The sentences that name a test by one of the folded `words`, unless they plan or ask for it;
    None if there are none."""
    pattern = "|".join(re.escape(word) + (r"\b" if len(word) < 5 else "") for word in words if word)
    if not pattern:
        return None
    naming = re.compile(rf"\b(?:{pattern})")
    note = composed(note)
    sentences = [note[part.start : part.end] for part in sentences_of(note)]
    done = [
        " ".join(sentence.split())
        for sentence in sentences
        if naming.search(folded := fold_in_place(sentence))
        and not _NOT_DONE.search(folded)
        and not _RELATIVES.search(folded)
    ]
    return " ".join(done) or None


def _own_sentences(note: str) -> list[str]:
    note = composed(note)
    sentences = (fold_in_place(note[part.start : part.end]) for part in sentences_of(note))
    own, mixed = [], []
    for sentence in sentences:
        if relative := _RELATIVES.search(sentence):
            # "8-month-old boy, healthy parents": what the clauses before say is of the patient
            mixed.append(re.split(r"[,;:(]", sentence[: relative.start()])[:-1])
        else:
            own.append(sentence)
    return [*own, *(", ".join(parts) for parts in mixed if parts)] or [fold_in_place(note)]


def _age(sentence: str, language: str) -> float | None:
    for pattern in _AGES[language]:
        for match in re.finditer(pattern, sentence):
            if _THEN.search(sentence[: match.start()]):
                continue
            unit = match[2] if match.re.groups > 1 and match[2] else "year"
            years = float(match[1].replace(",", ".")) * _UNITS[unit]
            if years <= 130:
                return round(years, 4)
    return 0.0 if re.search(_NEWBORN[language], sentence) else None


def _sex(sentences: list[str], language: str) -> str | None:
    """The first word for the patient's sex; without one, that of most pronouns."""
    for sentence in sentences:
        places = [
            (match.start(), sex)
            for sex, pattern in _SEXES[language]
            if (match := re.search(pattern, sentence))
        ]
        if places:
            return min(places)[1]
    counts = {
        sex: sum(len(re.findall(pattern, sentence)) for sentence in sentences)
        for sex, pattern in _PRONOUNS[language]
    }
    female, male = counts["female"], counts["male"]
    return None if female == male else "female" if female > male else "male"
