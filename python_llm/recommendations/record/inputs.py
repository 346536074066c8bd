"""What is told of a patient: names and units of other systems, values dictated in notes, languages.

What cannot be read is a complaint that fails the check, never silence: an emergency may hide in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.record.numerals import COUNTS
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import Cues, clauses, words

# How other systems name vital signs, folded.
_VITALS = {
    "systolic_bp": "systolic bp|sbp|systolic|systolic blood pressure|bp systolic|tas|pas|sys bp",
    "diastolic_bp": "diastolic bp|dbp|diastolic|diastolic blood pressure|bp diastolic|tad|dia bp",
    "heart_rate": "heart rate|hr|pulse|pulse rate|fc|bpm",
    "respiratory_rate": "respiratory rate|rr|resp rate|respirations|fr",
    "spo2_percent": "spo2 percent|spo2|sao2|oxygen saturation|o2 sat|saturation|sat|sato2",
    "temperature_c": "temperature c|temperature|temp|temp c|temperatura",
}
_VITAL_NAMES = {name: vital for vital, text in _VITALS.items() for name in text.split("|")}
# "Asthma? No: hives all over": what is asked is denied, and what follows is told.
_ASKED_AND_DENIED = re.compile(
    r"¿?(?P<asked>[^.?!;:\n¿]{2,80})\?\s*no\b\s*[:.,–—-]*\s*", re.IGNORECASE
)
# Values that are measured and that no rule reads.
_OTHER_VITALS = frozenset(
    ("weight kg", "weight", "height cm", "height", "bmi", "gcs", "map", "pain", "fio2", "news2")
)
_POSSIBLE_VITALS = {
    "systolic_bp": (30, 300),
    "diastolic_bp": (10, 200),
    "heart_rate": (10, 350),
    "respiratory_rate": (2, 90),
    "spo2_percent": (20, 100),
    "temperature_c": (25, 45),
}
# How notes name the values of the rules, and the ranges that a living patient can have.
_NOTED = {
    **dict.fromkeys(("potassium", "k", "potasio"), "potassium"),
    "ph": "ph",
    "inr": "inr",
    **dict.fromkeys(("egfr", "gfr", "crcl", "filtrado", "fge", "tfg", "tfge"), "egfr"),
    **dict.fromkeys(("qtc",), "qtc_ms"),
    **dict.fromkeys(("paco2", "pco2"), "paco2"),
    **dict.fromkeys(("ef", "lvef", "fevi"), "ejection_fraction_percent"),
}
_POSSIBLE = {
    "potassium": (1.5, 10.0),
    "ph": (6.5, 7.9),
    "paco2": (2.5, 180),
    "inr": (0.5, 20),
    "egfr": (1, 150),
    "qtc_ms": (250, 800),
    "ejection_fraction_percent": (5, 85),
}
# How long ago what a note tells began: "last seen well nine hours ago", "desde hace 6 horas"
_HOURS = {"hour": 1.0, "hora": 1.0, "h": 1.0, "hr": 1.0, "day": 24.0, "dia": 24.0, "min": 1 / 60}
_ONSET = re.compile(
    r"\b(?:last (?:seen|known) (?:to be )?(?:well|normal)|last well|onset|began|begun|started|since"
    r"|symptoms?|pain|hemiparesis|hemiplegia|weakness|aphasia|deficit|stroke|elevation|desde hace"
    r"|hace|inicio|dolor|debilidad|afasia|ictus|evolucion)\b(?: (?!\d)[a-z]+){0,6}? "
    rf"(\d{{1,3}}(?:\.\d)?|{'|'.join(COUNTS)}) (?:and a half )?(min|hour|hora|hr|h|day|dia)\w*"
    r"(?: (?:ago|before|earlier|de evolucion|previous))?\b"
)
_ONSET_BEFORE = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(COUNTS)}) (hour|hora|hr|h|day|dia)s? (?:of|after|since|de|desde) "
    r"(?:the |el |la |his |her )?(?:onset|symptoms?|(?:chest )?pain|last (?:seen|known)|weakness"
    r"|hemiparesis|deficit|inicio|dolor|evolucion|clinica)\b"
)
_OF_YESTERDAY = re.compile(
    r"\b(?:last (?:seen|known) (?:to be )?(?:well|normal)|last well|onset|since|began|started"
    r"|desde|inicio)\b(?: [a-z]+){0,2} (?:yesterday|ayer|anteayer|the day before)\b"
)
# The red flag that a clear CT of the head answers.
HEAD_INJURY = "Head injury"
_HURT_HEAD = re.compile(
    r"\b(?:head injur\w+|hit (?:his|her|the) head|bumped (?:his|her) head|blow to the head"
    r"|hit the (?:back|side|top) of (?:his|her) head|(?:hit|struck) (?:his|her) occiput"
    r"|traumatismo cran\w+|tce|golpe en la (?:cabeza|nuca|sien)|golpeo la (?:nuca|sien|cabeza))\b"
)
# "stent to the left anterior descending artery three weeks ago": after six months one drug may do
# or in days of 7, weeks of 52 and months of 12: "5/52 ago"
_AGO = (
    rf"(?:(?:{'|'.join(COUNTS)}|\d{{1,2}}|a few|unos|unas) (?:days?|weeks?|dias?|semanas?)"
    r"|\d{1,2} (?:7|52))"
)
_MONTHS = (
    r"(?:(?:a|one|two|three|four|five|[1-5]|un|dos|tres|cuatro|cinco) (?:months?|mes(?:es)?)"
    r"|[1-5] 12)"
)
# no stent: "five weeks ago he declined a stent"
_NOT_PLACED = r"(?!,|(?:no|not|without|declined|refused|sin|rechazo)\b)"
_STENT = r"(?:stent\w*|des|bms|p?pci|icp|ptca|angioplast\w+)"
_STENTED = re.compile(
    rf"\b{_STENT}\b(?: (?!,)[a-z0-9]+){{0,12}}? (?:(?:{_AGO}|{_MONTHS}) (?:ago|before)"
    rf"|hace (?:{_AGO}|{_MONTHS}))\b"
    rf"|\b(?:hace (?:{_AGO}|{_MONTHS})|(?:{_AGO}|{_MONTHS}) (?:ago|before))(?: ,)?"
    rf"(?: {_NOT_PLACED}[a-z0-9]+){{0,8}}? {_STENT}\b"
    # "three days after a drug-eluting stent"
    rf"|\b(?:{_AGO}|{_MONTHS}) (?:after|since|following|post|tras|despues de|desde)"
    rf"(?: {_NOT_PLACED}[a-z0-9]+){{0,5}}? {_STENT}\b"
)
# "STEMI five weeks ago": none of today, unless the clause tells of today, too
_WEEKS_AGO = rf"(?:(?:{'|'.join(COUNTS)}|\d{{1,2}}) (?:weeks|semanas)|\d{{1,2}} 52|{_MONTHS})"
_OLD_INFARCT = re.compile(
    rf"^(?!.*\b(?:now|today|again|since|new|hoy|ahora|otra vez|desde)\b).*(?:"
    rf"\b(?:stemi|iamcest)\b(?: (?!,)[a-z0-9]+){{0,6}}? (?:{_WEEKS_AGO} ago|hace {_WEEKS_AGO})\b"
    rf"|\b(?:{_WEEKS_AGO} ago|hace {_WEEKS_AGO})(?: ,)?(?: (?!,)[a-z0-9]+){{0,4}}?"
    r" (?:stemi|iamcest)\b)"
)
# "STEMI yesterday, LAD stented": opened since, unless the clause tells of a new one or of a failure
_OPENED = (
    r"(?:stented|stent(?:s)?|primary pci|ppci|pci|angioplast\w+|icp(?: primaria)?|reperfused"
    r"|reperfundid[oa])"
)
_YESTERDAY = (
    rf"(?:yesterday|last night|ayer|anoche|anteayer|(?:{'|'.join(COUNTS)}|\d{{1,2}}) days ago"
    rf"|hace (?:{'|'.join(COUNTS)}|\d{{1,2}}) dias)"
)
_NOT_OPENED = (
    r"(?:no|not|without|declin\w+|refus\w+|fail\w+|unsuccessful|thrombos\w+|occlu\w+|awaiting|for"
    r"|pending|plan\w*|now|today|again|new|recur\w*|persist\w*|sin|rechaz\w+|fallid\w+|trombosis"
    r"|oclu\w+|pendiente|hoy|ahora|otra vez|nuev[oa]|candidat\w*)"
)
_OPENED_INFARCT = re.compile(
    rf"^(?!.*\b{_NOT_OPENED}\b)(?=.*\b(?:stemi|iamcest)\b(?: (?!,)\w+){{0,4}}? {_YESTERDAY}\b"
    rf"|.*\b{_YESTERDAY}\b(?: ,)?(?: (?!,)\w+){{0,5}}? (?:stemi|iamcest)\b).*\b{_OPENED}\b"
)
# "prednisone 40 mg, day 5 of 5": what ends by itself, unless it is taken for long
_STEROID = r"(?:prednis\w+|methylprednis\w+|dexamethasone|dexametasona|steroids?)"
_BURST = re.compile(
    rf"\b{_STEROID}\b(?: (?:[\d.]+|mg|,|once|daily|od|oral|po|by|mouth|a|at|al)){{0,7}}?"
    r" (?:day|dia) \d{1,2} (?:of|de) (?:[1-9]|1[0-4])\b"
    rf"|\b(?:day|dia) \d{{1,2}} (?:of|de) (?:[1-9]|1[0-4])(?: (?:of|de|on))? {_STEROID}\b"
)
_FOR_LONG = re.compile(
    r"\b(?:long-? ?term|maintenance|for (?:\w+ )?(?:years|months)|usual(?:ly)?|chronic steroid"
    r"|chronic predn|adrenal|addison|years of|months of|transplant|mantenimiento"
    r"|desde hace (?:\w+ )?(?:anos|meses))",
    re.IGNORECASE,
)
# "G6PD assay 9.8 U/g Hb (normal)", "normal G6PD", and not "G6PD below normal", "G6PD deficiency"
_NORMAL_ENZYME = re.compile(
    r"\b(?:normal|sufficient|adequate) (?:\w+ ){0,2}?g-?6-?pd\b(?!\W{1,3}\w*\W?defici)"
    r"|\bg-?6-?pd\b(?:(?!defici|low|\bnot?\b|\bbajo|\bunder|\bmenor|abnormal|anormal|\bbut\b|,)"
    r"(?:\.(?=\d)|[^.;\n])){0,60}?"
    r"\b(?:normal(?:es)?|(?:with)?in (?:the )?(?:normal |reference )?(?:range|limits)|en rango)\b",
    re.IGNORECASE,
)
# The clause is about what a clot causes, and not about a fever of three days.
_SUDDEN = frozenset(
    (
        *("stroke", "hemiparesis", "hemiplegia", "aphasia", "weakness", "deficit", "well", "onset"),
        *("pain", "elevation", "infarct", "infarction", "stemi", "symptoms", "nihss", "ictus"),
        *("dolor", "debilidad", "hemiparesia", "afasia", "elevacion", "sintomas", "inicio"),
    )
)
_TROPONIN = frozenset(("troponin", "troponina", "trop", "hsctnt", "hsctni", "ctnt", "ctni", "tnt"))
_TROPONIN_UNITS = {"ng l": 1.0, "pg ml": 1.0, "ng ml": 1000.0, "ug l": 1000.0, "mcg l": 1000.0}
# "K was 4.4 last month; today 6.4": the second value has its name before the first
_TODAY = re.compile(
    rf"\b({'|'.join(_NOTED)})\b(?: (?!\d)\w+){{0,3}} (\d+(?:\.\d+)?)(?: (?!\d)[a-z]+){{0,6}}(?: ,)?"
    r" (?:and |y )?(?:today|now|currently|hoy|ahora|actualmente)(?: (?:it|is|it is|es|de|at)){0,2}"
    r" (\d+(?:\.\d+)?)\b"
)
# The aortic valve by echocardiography: area (cm2), mean gradient (mmHg) and peak velocity (m/s)
_VALVE = (
    (
        "aortic_valve_area_cm2",
        re.compile(
            r"\b(?:(?:aortic )?valve area|ava|area valvular(?: aortica)?|area aortica)\b"
            r"(?: (?!\d)[a-z]+){0,3} ([0-4]\.\d{1,2}|[1-4](?= cm))"
        ),
    ),
    (
        "mean_aortic_gradient_mmhg",
        re.compile(
            r"\b(?:mean (?:aortic |transvalvular |pressure |valve )*gradient|gradiente"
            r" (?:aortico )?medio)\b(?: (?!\d)[a-z]+){0,3} (\d{1,3})\b"
        ),
    ),
    (
        "aortic_velocity_m_s",
        re.compile(
            r"\b(?:v ?max|(?:peak|maximum|jet|aortic) (?:jet |aortic )?velocity"
            r"|velocidad (?:maxima|pico))\b(?: (?!\d)[a-z]+){0,3} (\d(?:\.\d{1,2})?) m\b"
        ),
    ),
)
ECHO = frozenset(("ejection_fraction_percent", *(name for name, _ in _VALVE)))
_OTHER_VALVES = frozenset(("mitral", "tricuspid", "pulmonary", "tricuspide", "pulmonar"))
# Below it a pressure of carbon dioxide is in kPa (15 mmHg are 2 kPa, 15 kPa are 112 mmHg).
LOWEST_MMHG = 16.0
_STOPS = re.compile(r"[;:]|\.(?=\s)")
_OTHER_FLUIDS = frozenset(
    (
        *("pleural", "urine", "urinary", "gastric", "fluid", "ascites", "effusion", "vaginal"),
        *("aspirate", "aspirates", "nasogastric", "peritoneal", "aspirado", "nasogastrica"),
        *("orina", "gastrico", "sng", "ascitico", "derrame"),
    )
)
_OF_FLUIDS = frozenset(("ph", "potassium", "paco2"))
_PRESSURE = re.compile(
    r"\b(?:b\.?p\.?|blood pressure|pressures?|ta|pa|tension arterial|hypotensi\w+|systolic)\b", re.I
)
_PAIR = re.compile(r"\b(\d{2,3})\s?/\s?(\d{2,3})\b(?!\s?(?:mg|/))")
_SYSTOLIC = re.compile(
    r"\b(?:systolic(?: (?:bp|blood pressure|pressure))?|sbp|pas|tas|pressure|b\.?p\.?)"
    r"(?: (?:is|was|of|at|now|fell|dropped|down|falling|dropping|drops|falls|has|have|fallen|only|a"
    r"|around|about|to))* ?(?:<|:|=)? ?(\d{2,3})\b(?!\s?/)",
    re.I,
)
_OF_BLOOD = re.compile(r"\b(?:blood|arterial|systolic) $", re.I)
_PRESSED = (
    r"(?:(?:right|left|red|painful|that|this|the|both) eyes?|ocular|intra-?ocular|iop|intracranial"
    r"|opening|compartment|csf|cuff|airway|plateau|wedge|intra-?abdominal|bladder|portal|venous"
    r"|glaucoma|angle closure|tonometry|ojos?|de apertura|compartimental|tonometria)"
)
_ELSEWHERE_BEFORE = re.compile(rf"\b{_PRESSED}\b(?:[^.;,]{{0,30}}|, (?:with |con )?)$", re.I)
_ELSEWHERE = re.compile(
    rf"(?: mm ?hg)?,? (?:in|of|on|en|del?|el)(?: (?:the|el|la))?(?: \w+)? ?{_PRESSED}\b", re.I
)
_WEIGHT = re.compile(
    r"(?<!ideal )(?<!ideal body )(?<!predicted body )(?<!birth )(?<!lost )"
    r"(?<!p[ée]rdida de )(?<!aumento de )(?<!ganancia de )(?<!perdido )(?<!ganado )"
    r"\b(?:weight|weighs|weighing|wt|pesa|peso)\W{1,3}"
    r"(?:(?!loss|lost|gain|up|down|perdid|ganad|ideal)\w+ ){0,2}?"
    r"(\d{1,3}(?:[.,]\d+)?)\s?kg\b(?! (?:loss|lost|gain|less|more|menos|m[aá]s)\b)"
    r"|\b(\d{1,3}(?:\.\d+)?)\s?kg (?:child|boy|girl|infant|body)",
    re.I,
)
# "Toddler, 12 kg", "lactante de 9 meses y 8 kg"; of an adult only where it stands alone: "70 kg."
_KG = r"(?<![/\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?kg\b"
_GROWN_KG = r"(?:^|[.,;(]\s*)(\d{2,3}(?:[.,]\d)?)\s?kg\s*(?=[.,;)]|$)"
_NO_CHANGE = (
    r"(?!\s*(?:loss|lost|gain|less|more|menos|m[aá]s|of|de (?:p[eé]rdida|m[aá]s)|in|en|over)\b)"
)
_CHILDS_WEIGHT = re.compile(
    rf"(?<!lost )(?<!gained )(?<!perdido )(?<!ganado ){_KG}{_NO_CHANGE}", re.IGNORECASE
)
_BARE_WEIGHT = re.compile(_GROWN_KG + _NO_CHANGE, re.IGNORECASE)
# The age of an infant, whose years are given as 0: "nine months old", "lactante de 9 meses"
_MONTHS_OLD = re.compile(
    r"\b(\d{1,2})[- ]?(day|week|month)s?[- ]old\b"
    r"|\b(?:aged?|baby|infant|neonate|newborn|boy|girl|infante?|lactante|beb[eé]|ni[nñ][oa]|neonato"
    r"|var[oó]n|mujer) (?:of |de |aged )?(\d{1,2}) (day|week|month|d[ií]a|semana|mes)\w*",
    re.IGNORECASE,
)
_A_YEAR = {"d": 365.0, "w": 52.0, "s": 52.0, "m": 12.0}
# Years, and kg below which a number is no adult's weight.
ADULT, LIGHTEST = 18, 30
_GROWING = 16
_QUIET = {
    "systolic_bp": (101, 219),
    "heart_rate": (41, 110),
    "respiratory_rate": (9, 20),
    "spo2_percent": (94, 100),
    "temperature_c": (35.1, 39.0),
}
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_FUNCTION_WORDS = {
    "English": "the of and with is was has for to in on his her at a an no by from",
    "Spanish": "el la los las del con por una un y en que se al su de paciente refiere desde sin",
    "French": "le la les des du avec pour une un et est dans qui au aux sur pas patient depuis",
    "German": "der die das und mit von ist ein eine seit nicht im zu den dem bei patient",
    "Portuguese": "o a os as do da com por uma um e em que se ao no na paciente desde sem",
    "Italian": "il la lo gli con per una un e di da del della che paziente dal senza",
}
_WORDS_OF = {language: frozenset(text.split()) for language, text in _FUNCTION_WORDS.items()}
_OTHER_SCRIPT = re.compile(r"[^\W\d_]")


def with_answers(patient: Patient) -> Patient:
    """A patient whose notes answer their own questions: "Asthma? No: hives" denies the asthma."""
    if not any("?" in note for note in patient.notes):
        return patient
    notes = [_ASKED_AND_DENIED.sub(r"No \g<asked>. ", note) for note in patient.notes]
    return patient.model_copy(update={"notes": notes})


def vital_signs(patient: Patient) -> dict[str, float]:
    """The vital signs under the names of the seeds; percentages and degrees Celsius."""
    vitals: dict[str, float] = {}
    for name, value in patient.vitals.items():
        vital = _VITAL_NAMES.get(" ".join(words(name.replace("_", " "))))
        if vital is not None:
            vitals[vital] = value
    return vitals


def has_quiet_signs(patient: Patient, *, has_copd: bool = False) -> bool:
    """Whether vital signs were taken and none scores 2 points or more in NEWS2 (Royal College of
    Physicians 2017); of children, whose limits are others, the saturation alone. has_copd: the
    saturation is judged by its second scale."""
    vitals = vital_signs(patient)
    quiet = _QUIET if patient.age >= _GROWING else {"spo2_percent": _QUIET["spo2_percent"]}
    quiet = {**quiet, "spo2_percent": (86, 100)} if has_copd else quiet
    taken = [(vitals[name], *limits) for name, limits in quiet.items() if name in vitals]
    return bool(taken) and all(low <= value <= high for value, low, high in taken)


def weight_of(patient: Patient) -> float | None:
    """The body weight (kg) among measurements and vital signs, or as a note tells it; what no adult
    weighs is none."""
    text = " ".join(patient.notes)
    told = _WEIGHT.search(text)
    bare = (_CHILDS_WEIGHT if patient.age < _GROWING else _BARE_WEIGHT).search(text)
    weights = [
        value
        for name, value in [*patient.measurements.items(), *patient.vitals.items()]
        if " ".join(words(name.replace("_", " "))) in ("weight", "weight kg")
    ]
    weights += [float((told[1] or told[2]).replace(",", "."))] if told else []
    weights += [float(bare[1].replace(",", "."))] if bare else []
    least = LIGHTEST if patient.age >= ADULT else 0
    return weights[0] if weights and weights[0] > least else None


def of_its_age(patient: Patient) -> Patient:
    """A patient of 0 years with the age in months, weeks or days that the notes tell."""
    told = _MONTHS_OLD.search(" ".join(patient.notes)) if patient.age == 0 else None
    if told is None:
        return patient
    count, unit = (told[1], told[2]) if told[1] else (told[3], told[4])
    return patient.model_copy(update={"age": float(count) / _A_YEAR[unit[0].lower()]})


def has_spurious_potassium(patient: Patient, lexicon: Lexicon) -> bool:
    """Whether a high potassium is one of the sample (haemolysis, a clenched fist): neither a second
    sample nor the ECG confirms it, and the ECG is normal or nothing known raises it."""

    def tells(kind: str, texts: Sequence[str]) -> bool:
        return bool(lexicon.pattern(kind).search(" ".join(" ".join(words(t)) for t in texts)))

    if not tells("spurious_potassium", patient.notes) or tells("real_potassium", patient.notes):
        return False
    at_risk = tells("raises_potassium", [*patient.conditions, *patient.medications])
    return not at_risk or tells("ecg_normal", patient.notes)


def without_normal_enzyme(text: str) -> str:
    """A text without its tests of G6PD that are normal: they tell of no deficiency."""
    return _NORMAL_ENZYME.sub(" ", text)


def has_old_infarct(tokens: Sequence[str]) -> bool:
    """Whether a clause tells of an infarction with ST elevation of weeks or months ago."""
    return bool(_OLD_INFARCT.search(" ".join(tokens)))


def has_opened_infarct(tokens: Sequence[str]) -> bool:
    """Whether a clause tells of an infarction with ST elevation of the last days whose artery was
    opened (ESC ACS 2023, 5.2): it needs no reperfusion now."""
    return bool(_OPENED_INFARCT.search(" ".join(tokens)))


def has_steroid_burst(patient: Patient) -> bool:
    """Whether the steroid of a patient is a course of two weeks at most, and none for long."""
    texts = [*patient.conditions, *patient.notes, *patient.medications]
    is_for_long = any(_FOR_LONG.search(without_accents(text)) for text in texts)
    told = (" ".join(tokens) for text in texts for tokens in clauses(text))
    return not is_for_long and any(_BURST.search(text) for text in told)


def is_head_injury(tokens: Sequence[str]) -> bool:
    """Whether a clause tells of an injury of the head."""
    return bool(_HURT_HEAD.search(" ".join(tokens)))


def has_clear_head(patient: Patient, lexicon: Lexicon) -> bool:
    """Whether the notes tell of an injured head whose CT shows no bleeding, in whoever is fully
    awake (Glasgow 15): NICE NG232 lets these go home with somebody and written advice."""
    note = " ".join(" ".join(words(text)) for text in patient.notes)
    is_awake = bool(lexicon.pattern("fully_awake").search(note))
    return is_awake and bool(lexicon.pattern("head_ct_clear").search(note))


def has_recent_stent(tokens: Sequence[str]) -> bool:
    """Whether a clause tells of a stent of the last days, weeks or five months."""
    return bool(_STENTED.search(" ".join(tokens)))


def hours_since_onset(notes: Sequence[str]) -> float | None:
    """How long ago (hours) what the notes tell began, the longest of a stroke or of chest pain;
    None if they do not tell."""
    told: list[float] = []
    for note in notes:
        for tokens in clauses(note):
            text = " ".join(tokens).replace(" , ", " ")
            if not _SUDDEN & set(tokens):
                continue
            for count, unit in [*_ONSET.findall(text), *_ONSET_BEFORE.findall(text)]:
                number = COUNTS[count] if count in COUNTS else float(count)
                told.append(number * _HOURS[unit])
            if _OF_YESTERDAY.search(text):
                told.append(24.0)
    return max(told, default=None)


def unread_vitals(patient: Patient) -> Iterator[str]:
    """What is wrong with the vital signs, by name."""
    for name, value in patient.vitals.items():
        folded = " ".join(words(name.replace("_", " ")))
        vital = _VITAL_NAMES.get(folded)
        if vital is None:
            if folded not in _OTHER_VITALS:
                yield f"the vital sign {name!r} is unknown: use {', '.join(_VITALS)}"
            continue
        low, high = _POSSIBLE_VITALS[vital]
        if not low <= value <= high:
            yield f"{name} of {value:g} is in another unit, or impossible: give {vital}"


def language_of(note: str) -> str:
    """The language of a note by its function words; "unknown" for another script, English for a
    note too short to tell."""
    letters = _OTHER_SCRIPT.findall(note)
    if letters and sum(ord(letter) > 0x24F for letter in letters) > len(letters) / 2:
        return "unknown"
    tokens = words(note)
    counts = {language: sum(t in known for t in tokens) for language, known in _WORDS_OF.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= 2 and counts[best] > counts["English"] else "English"


def noted_values(notes: Sequence[str], cues: Cues) -> Iterator[tuple[str, float]]:
    """Values dictated in notes: potassium (mmol/L), arterial pH, INR, eGFR (mL/min/1.73 m2),
    troponin (ng/L), QTc (ms), ejection fraction (%), systolic pressure (mmHg), and of the aortic
    valve the area (cm2), mean gradient (mmHg) and peak velocity (m/s).

    An emergency may be dictated before the laboratory system knows it. The pH of another fluid,
    past values and numbers that no living patient can have are skipped.
    """
    for note in notes:
        replaced = set()
        for name, old, new in _TODAY.findall(" ".join(words(_STOPS.sub(",", note)))):
            low, high = _POSSIBLE[_NOTED[name]]
            if low <= float(new) <= high:
                replaced.add((_NOTED[name], float(old)))
                yield _NOTED[name], float(new)
        for tokens in clauses(note):
            if cues.tells_history(tokens):
                continue
            yield from _troponins(tokens)
            if not _OTHER_VALVES & set(tokens):
                for name, pattern in _VALVE:
                    for value in pattern.findall(" ".join(tokens)):
                        yield name, float(value)
            of_a_fluid = _OF_FLUIDS if _OTHER_FLUIDS & set(tokens) else frozenset()
            for named in _named(tokens):
                if named not in replaced and named[0] not in of_a_fluid:
                    yield named
        for sentence in _SENTENCE.split(note):
            sentence = without_accents(sentence)
            if _PRESSURE.search(sentence) and not cues.tells_history(words(sentence)):
                pairs = [int(high) for high, low in _PAIR.findall(sentence) if int(high) > int(low)]
                for value in [*pairs, *_systolic(sentence)]:
                    if 40 <= value <= 300:
                        yield "systolic_bp", float(value)


def _systolic(sentence: str) -> Iterator[int]:
    """The systolic pressures of a sentence; a "pressure" of an eye, a skull or a limb is none."""
    for match in _SYSTOLIC.finditer(sentence):
        before, behind = sentence[: match.start()], sentence[match.end() :]
        is_bare = match[0].lower().startswith("pressure") and not _OF_BLOOD.search(before)
        if not is_bare or not (_ELSEWHERE_BEFORE.search(before) or _ELSEWHERE.match(behind)):
            yield int(match[1])


def _named(tokens: Sequence[str]) -> Iterator[tuple[str, float]]:
    for position, token in enumerate(tokens):
        name = _NOTED.get(token)
        if name is None:
            continue
        low, high = _POSSIBLE[name]
        for number in tokens[position + 1 : position + 4]:
            if number[0].isdigit():
                match = re.match(r"\d+(?:\.\d+)?", number)
                if match and low <= float(match[0]) <= high:
                    # no living patient has 20 mmHg and no pH to match: that is kPa
                    is_kpa = name == "paco2" and float(match[0]) < LOWEST_MMHG
                    yield name, float(match[0]) * (7.501 if is_kpa else 1.0)
                break


def _troponins(tokens: Sequence[str]) -> Iterator[tuple[str, float]]:
    for position, token in enumerate(tokens):
        if token not in _TROPONIN:
            continue
        name = (
            "troponin_t"
            if "t" in tokens[position + 1 : position + 2] or token in ("hsctnt", "ctnt", "tnt")
            else "troponin_i"
        )
        for at in range(position + 1, min(position + 5, len(tokens))):
            if not re.fullmatch(r"\d+(?:\.\d+)?", tokens[at]):
                continue
            value = float(tokens[at])
            factor = _TROPONIN_UNITS.get(" ".join(tokens[at + 1 : at + 3]))
            if factor is None:
                # no high-sensitivity assay reports fractions: a fraction is in ng/mL
                factor = 1000.0 if "." in tokens[at] and value < 10 else 1.0
            yield name, value * factor
            break
