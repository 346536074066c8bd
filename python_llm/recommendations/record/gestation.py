"""A pregnancy that a note tells by its test and the last period, without its name."""

from __future__ import annotations

import re

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.record.numerals import COUNTS
from python_llm.recommendations.schema import Patient

YOUNGEST, OLDEST = 10, 58
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_WEEKS = rf"(?:{'|'.join(COUNTS)}|\d{{1,2}})(?:\s*(?:\+|-|to|a)\s*\d{{1,2}})?"
# The last period, and how long ago; or one that did not come.
_LAST_PERIOD = (
    r"(?:lmp|last (?:menstrual )?period|fur|fum|ultima (?:regla|menstruacion|menstruation)"
    r"|ultimo periodo)"
)
_OVERDUE = re.compile(
    rf"\b{_LAST_PERIOD}\b[^.;]{{0,30}}?\b(?:{_WEEKS} (?:weeks?|wks?|months?) ago"
    rf"|hace (?:ya |unas? |unos )?{_WEEKS} (?:semanas?|mes(?:es)?))\b"
    r"|\b(?:missed (?:her |a |one |two |the )?(?:last )?periods?"
    r"|period (?:is |was )?(?:\w+ ){0,2}late"
    r"|(?:no|without a) (?:period|menses) (?:for|since|in)|amenorrh?o?ea"
    r"|retraso menstrual|retraso de (?:la )?regla|falta(?:s)? de regla|sin (?:la )?regla desde"
    r"|no le (?:ha )?ba?ja(?:do)? la regla|amenorrea|booking (?:visit|appointment|bloods|scan)"
    r"|dating scan|midwife|matrona|ecografia de datacion)\b"
)
_OF_ANOTHER = (
    r"(?:covid|flu|lateral flow|strep|antigen|hiv|chlamydia|stool|drug|nitrit\w+|leuco\w+|leuko\w+"
    r"|ketone|gripe|antigeno|vih|drogas|sangre)"
)
# A test that she made: no one names what it was of.
_TEST = (
    r"(?:(?:home|urine|chemist'?s?|pharmacy|shop-bought|over-the-counter|clearblue)"
    rf"(?: (?!{_OF_ANOTHER})\w+)? tests?|tests? at home|clearblue|predictor"
    r"|(?:test|prueba)s? (?:de orina|de farmacia|casero|casera|en casa|de la farmacia))"
)
_POSITIVE = re.compile(
    rf"\b{_TEST}\b(?:(?!\b(?:negativ\w+|{_OF_ANOTHER}|not?)\b)[^.;,]){{0,25}}?"
    r"(?:, )?\bpositiv[eoa]\b(?! (?:for|para|a) )"
    rf"|\bpositiv[eoa] (?:on )?(?:a )?{_TEST}\b(?! (?:for|de|para) )"
    r"|\b(?:two|2|dos) (?:lines?|rayas|rayitas) (?:on|en) (?:a|the|her|el|un|la) "
    r"(?:home |urine )?(?:test|predictor|prueba)\b"
)
_LOST = re.compile(r"\b(?:miscarri\w+|terminat\w+|aborto|interrupcion|ectopic|legrado|curettage)\b")
_FORMER = re.compile(r"\b(?:years? ago|hace (?:\w+ )?anos|last year|el ano pasado|(?:19|20)\d\d)\b")
_ANOTHERS = re.compile(
    r"\b(?:sister|daughter|wife|partner|girlfriend|friend|hermana|hija|esposa|novia|amiga|pareja)\b"
)


# How far a pregnancy is, as findings beside that of the pregnancy.
FIRST_TRIMESTER, FROM_20, FROM_36 = "first_trimester", "gestation_from_20", "gestation_from_36"
STAGES = frozenset((FIRST_TRIMESTER, FROM_20, FROM_36))
_WEEKS_TOLD = re.compile(
    r"\b(?:at |de )?([4-9]|[1-3]\d|4[0-2])(?:\s?\+\s?\d)?\s?(?:/\s?40\b|weeks?\b|wks?\b|semanas?\b)"
    r"(?!\W{1,3}(?:ago|of (?!gestation|pregnan)|after|later|post|old|tras|desp|antes|until|before))"
)
_OF_HER = re.compile(
    r"\b(?:pregnan\w*|gestation\w*|embaraz\w*|gestant\w*|gestacion\w*|gravid\w*)\b|/\s?40\b"
)
_AT_TERM = re.compile(r"\b(?:at (?:full )?term|term pregnancy|a termino|in labou?r|de parto)\b")
_BEFORE = re.compile(r"\b(?:previous|last|first|earlier|anterior|previo|hace|ago|history)\b")


def stage_of(patient: Patient) -> set[str]:
    """The stages of a pregnancy by the weeks that the record tells of it today."""
    weeks: set[int] = set()
    is_at_term = False
    for text in [*patient.conditions, *patient.notes]:
        for sentence in _SENTENCE.split(without_accents(text.lower())):
            if _OF_HER.search(sentence) and not _BEFORE.search(sentence):
                weeks |= {int(match[1]) for match in _WEEKS_TOLD.finditer(sentence)}
                is_at_term = is_at_term or bool(_AT_TERM.search(sentence))
    most = max(weeks, default=40 if is_at_term else 0)
    stages = {FIRST_TRIMESTER} if 0 < most < 14 else set[str]()
    stages |= {FROM_20} if most >= 20 else set()
    return stages | ({FROM_36} if most >= 36 else set())


def is_pregnant_by_test(patient: Patient) -> bool:
    """Whether the notes tell a positive test that she made and, in the same sentence or a
    neighbour, a period that has not come or an appointment for the pregnancy."""
    if patient.sex == "male" or not YOUNGEST <= patient.age <= OLDEST:
        return False
    for note in patient.notes:
        plain = without_accents(note.lower())
        sentences = [part for part in _SENTENCE.split(plain) if part.strip()]
        for number, sentence in enumerate(sentences):
            if not _POSITIVE.search(sentence):
                continue
            if _FORMER.search(sentence) or _ANOTHERS.search(sentence):
                continue
            near = " ".join(sentences[max(0, number - 1) : number + 2])
            if _OVERDUE.search(near) and not _LOST.search(near):
                return True
    return False
