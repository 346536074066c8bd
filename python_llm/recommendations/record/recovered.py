"""What a record tells of another day and is over: a pressure that has recovered, a pneumonia whose
antibiotic is finished. Only quiet vital signs and a later word make it over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.record.inputs import has_quiet_signs, vital_signs
from python_llm.recommendations.schema import Patient

LOW, NORMAL = 90, 100
FEVER = 37.8
_SENTENCE = re.compile(r"[^.;!?\n]*(?:\.(?=\d)[^.;!?\n]*)*(?:[.;!?\n]|$)")
_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|lunes|martes|miercoles|jueves|viernes|sabado|domingo"
)
_WEEKDAY = re.compile(rf"\b(?:{_DAY})\b")
_OF_ANOTHER_DAY = re.compile(
    rf"\b(?:{_DAY}|yesterday|(?:two|three|four|five|six|seven|\d{{1,2}}) days ago|last week|ayer"
    r"|anteayer|hace (?:dos|tres|cuatro|cinco|seis|siete|\d{1,2}) dias|la semana pasada"
    r"|(?:day|dia) (?:0|1|one|uno)|primer dia|first day)\b"
)
_OF_TODAY = re.compile(
    r"\b(?:today|now|tonight|this (?:morning|afternoon|evening)|currently|again|still|hoy|ahora"
    r"|esta (?:manana|tarde|noche)|actualmente|otra vez|de nuevo|sigue|todavia)\b"
)
_AGAIN = re.compile(
    r"\b(?:again|still|otra vez|de nuevo|sigue|todavia|persist\w+|not recordable|unrecordable"
    r"|low pressure|hypotensi\w+|hipotens\w+|shocked|in shock|en shock|norepinephrine"
    r"|noradrenaline|noradrenalina|metaraminol|vasopressors?|vasopresor(?:es)?)\b"
)
_OFF = re.compile(
    r"\b(?:off|without|no|stopped|weaned|no longer|sin|retirad[oa]s?)\b(?: \w+){0,3}"
    r" (?:norepinephrine|noradrenaline|noradrenalina|metaraminol|vasopressors?|vasopresor(?:es)?"
    r"|hypotensi\w+|hipotens\w+)\b"
)
_NAME = r"(?:b\.?p\.?|blood pressure|pressure|ta|pa|tension(?: arterial)?|presion(?: arterial)?)"
_PAIR = re.compile(
    rf"\b{_NAME}\b(?: (?:was|of|is|at|de|era|es))?(?:\s*[:=])?\s*(\d{{2,3}})\s?/\s?(\d{{2,3}})\b"
)
_ANY_PAIR = re.compile(r"\b(\d{2,3})\s?/\s?(\d{2,3})\b(?!\s?(?:mg|/|\d))")
_SHOCK = re.compile(r"\b(?:hypotensive|hipotens[oa]|(?:septic )?shock(?:ed)?)\b")
_RECOVERED = re.compile(
    r"\b(?:recovered|has settled|normali[sz]ed|recuperad[oa]|ya normal|se (?:ha )?recuper\w+)\b"
)
_NOT_RECOVERED = re.compile(
    r"\b(?:not|never|no|nunca|sin)\b(?: \w+){0,3} (?:recover\w*|settl\w+|normali\w+|recuper\w+)"
)
# An antibiotic that was taken to its end.
_FINISHED = re.compile(
    r"\b(?:complet\w+|finish\w+|termin\w+|acab\w+|fin) (?:(?:the|his|her|their|a|an|el|la|su|de"
    r"|del|course|curso|ciclo|pauta|tratamiento|of|oral|iv|\d+|seven|five|days?|dias) ){0,7}"
    r"(?:antibiotic\w*|antibiotico\w*|amoxicil\w+|co-amoxiclav|ceftriaxon\w+|levofloxacin\w*)"
    r"|\b(?:antibiotic|antibiotico)\w* (?:was |were |course )?(?:complet\w+|finish\w+|terminad\w+)"
    r"|\bya sin antibiotico|\bsin antibiotico desde|\boff antibiotics since"
    r"|\bno longer on antibiotics"
    r"|\b(?:pneumonia|neumonia),?(?: (?:ya|now|that|which|has|is|fully|que|esta|ha)){0,3}"
    r" (?:resolved|resuelta|curada|cured|superada)\b"
    r"|\b(?:resolved|treated and resolved) (?:\w+ ){0,2}pneumonia\b"
)
_AFEBRILE = re.compile(r"\b(?:afebrile|no fever|apyrexial|afebril|sin fiebre)\b")
_PNEUMONIA = re.compile(r"\b(?:broncho|bronco)?(?:pneumonia|neumonia)\b")
_NOT_OVER = re.compile(
    r"\b(?:again|still|relaps\w+|worse\w*|new (?:consolidation|infiltrate|pneumonia|opacity)"
    r"|otra vez|de nuevo|recai\w+|recidiv\w+|peor|empeor\w+|sigue con|persist\w+|nuevo infiltrado"
    r"|nueva (?:condensacion|neumonia)|purulent\w+|rust\w+ sputum|green sputum|rigors|tiritona"
    r"|febrile|fever|fiebre|refus\w+|declin\w+|rechaz\w+|before finishing|sin terminar"
    r"|sin completar"
    r"|not (?:finish|complet)\w+|no (?:complet|termin|acab)\w+)\b"
)


def _sentences(note: str) -> Iterator[tuple[int, str]]:
    """Each sentence: where it begins, and its plain text of the same length."""
    plain = without_accents(note.lower())
    if len(plain) != len(note):
        return
    for match in _SENTENCE.finditer(plain):
        if match[0].strip():
            yield match.start(), match[0]


def without_recovered_pressure(patient: Patient) -> Patient:
    """A patient without the low pressures of another day, where the vital signs are quiet and a
    later sentence tells a normal pressure or that it recovered."""
    vitals = vital_signs(patient)
    is_normal = vitals.get("systolic_bp", 0) >= NORMAL and "heart_rate" in vitals
    if not is_normal or not has_quiet_signs(patient):
        return patient
    told = [
        (number, start, plain)
        for number, note in enumerate(patient.notes)
        for start, plain in _sentences(note)
    ]
    notes = list(patient.notes)
    for at in range(len(told) - 1, -1, -1):
        number, start, plain = told[at]
        low = [m for m in _PAIR.finditer(plain) if int(m[2]) < int(m[1]) < LOW]
        if not low or not _OF_ANOTHER_DAY.search(plain) or _OF_TODAY.search(plain):
            continue
        if _is_over(plain[low[-1].end() :], plain, [later[2] for later in told[at + 1 :]]):
            note = notes[number]
            blank = [*low, *_SHOCK.finditer(plain)]
            for match in sorted(blank, key=lambda m: m.start(), reverse=True):
                note = note[: start + match.start()] + " " + note[start + match.end() :]
            notes[number] = note
    return patient if notes == patient.notes else patient.model_copy(update={"notes": notes})


def _is_over(rest: str, sentence: str, later: list[str]) -> bool:
    """Whether what follows a low pressure tells that it is over, and nowhere that it came again."""
    behind = " ".join(later)
    if _AGAIN.search(_OFF.sub(" ", behind)) or _NOT_RECOVERED.search(f"{rest} {behind}"):
        return False
    pressures = [int(m[1]) for m in _ANY_PAIR.finditer(behind) if int(m[2]) < int(m[1]) <= 300]
    if any(value < LOW for value in pressures):
        return False
    days = set(_WEEKDAY.findall(sentence))
    # a day of the week may be today: only another one behind it tells that it is not
    is_dated = bool(set(_WEEKDAY.findall(behind)) - days) or (
        not days and bool(_OF_TODAY.search(behind))
    )
    has_recovered = bool(_RECOVERED.search(rest) or _RECOVERED.search(behind))
    return has_recovered or (is_dated and any(NORMAL <= value <= 200 for value in pressures))


def has_treated_pneumonia(patient: Patient) -> bool:
    """Whether a pneumonia of a record was treated to its end and has left no fever: the vital signs
    are quiet, and the sentence of the pneumonia or the next tells the end of the antibiotic."""
    vitals = vital_signs(patient)
    is_cool = vitals.get("temperature_c", FEVER) < FEVER
    if not is_cool or not has_quiet_signs(patient) or "spo2_percent" not in vitals:
        return False
    sentences = [plain for note in patient.notes for _, plain in _sentences(note)]
    told = [at for at, plain in enumerate(sentences) if _PNEUMONIA.search(plain)]
    return bool(told) and all(_is_treated(" ".join(sentences[at : at + 2])) for at in told)


def _is_treated(plain: str) -> bool:
    return bool(_FINISHED.search(plain)) and not _NOT_OVER.search(_AFEBRILE.sub(" ", plain))
