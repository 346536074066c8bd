"""Age and sex of the patient, as a note states them; and the sentences on tests that were done.

Only what is said of the patient counts: a sentence about a relative does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.measures import laboratory_values_of
from python_llm.phenotyping.negation import is_booked
from python_llm.phenotyping.spoken import (
    of_the_patient_alone,
    of_whom_it_is_told,
    sex_of_kin,
    signs_of,
)
from python_llm.phenotyping.text import Sentence, sentences_of
from python_llm.phenotyping.timing import NUMBERS

_UNITS = {
    "year": 1.0, "yr": 1.0, "y": 1.0, "yo": 1.0, "ano": 1.0, "anos": 1.0,
    "month": 1 / 12, "mo": 1 / 12, "mes": 1 / 12, "meses": 1 / 12,
    "week": 7 / 365.25, "wk": 7 / 365.25, "semana": 7 / 365.25, "semanas": 7 / 365.25,
    "day": 1 / 365.25, "dia": 1 / 365.25, "dias": 1 / 365.25,
    "hour": 1 / 8766, "hr": 1 / 8766, "hora": 1 / 8766, "horas": 1 / 8766,
    # short forms, read only where they can mean nothing else
    "a": 1.0, "m": 1 / 12, "w": 7 / 365.25, "s": 7 / 365.25, "sem": 7 / 365.25, "d": 1 / 365.25,
    "h": 1 / 8766, "12": 1 / 12, "52": 7 / 365.25, "7": 1 / 365.25,
}  # fmt: skip
_NUMBER = r"(\d{1,3}(?:[.,]\d+)?)"
# ages in words ("aged forty-one", "de treinta y dos años"): only where nothing else can be meant
_WORDS = "|".join(NUMBERS)
_IN_WORDS = re.compile(
    rf"\b(?P<behind>aged? |de )?(?P<tens>{_WORDS})(?:(?:-| y | )(?P<ones>{_WORDS}))?\b"
    r"(?P<unit>[- ](?:year|month|week|day)s?[- ](?:old|of age)\b|"
    r" (?:anos?|mes(?:es)?|semanas?|dias?)\b)?"
)
# "four years and two months", "cuatro años y dos meses"
_YEARS_IN_WORDS = re.compile(
    rf"\b(?P<years>{_WORDS}) (?P<unit>years?|anos?)(?: and|,| y) "
    rf"(?P<months>{_WORDS}) (?:months?|mes(?:es)?)\b"
)
# "3 and a half", "three and a half years", "tres años y medio"
_AND_A_HALF = re.compile(
    rf"\b(?P<count>\d{{1,2}}|{_WORDS})(?P<unit>[ -](?:years?|months?|anos?|mes(?:es)?))?"
    r"(?:[ -]and[ -]a[ -]half| y medio)\b"
)
# "Baby of five days"; "lady over seventy", "señora de más de setenta años"
_SPELT = re.compile(
    rf"(?P<who>\b(?:baby|infant|newborn|boy|girl) of )(?P<child>{_WORDS})"
    r"(?= (?:day|week|month|year)s?\b)"
    r"|(?P<adult>\b(?:man|woman|lady|gentleman|pensioner) )(?:well )?over "
    rf"(?P<over>{_WORDS})\b(?!-)"
    rf"|\bde mas de (?P<mas>{_WORDS})(?= anos\b)"
)
# "2y4m", "2 años y 4 meses", "2a 4m"; "de 2 a 4 meses" is a range
_YEARS_AND_MONTHS = re.compile(
    r"\b(?P<years>\d{1,2})(?:"
    r" ?y(?:ea)?r?s?(?:\W{1,2}(?:and )?|)(?P<months>\d{1,2}) ?mo?(?:n?th)?s?\b"
    r"|(?P<es> ?anos?|a)(?:\W{1,2}(?:y )?|)(?P<meses>\d{1,2}) ?m(?:es(?:es)?)?\b) ?"
)
# "Niña 2 a 5 m": behind whom it is, no range
_YEARS_TO_MONTHS = re.compile(
    r"(?P<who>^\W*|^\W*[vm] |\b(?:nin[oa]|varon|mujer|chic[oa] |pre)?escolar,? (?:de )?|"
    r"\b(?:nin[oa]|varon|mujer|chic[oa]|paciente|lactante),? (?:de )?)"
    r"(?P<years>\d{1,2}) a (?P<months>\d|1[01]) m(?:eses)?\b"
)
_UNIT_ES = r"(anos?|mes(?:es)?|semanas?|dias?)"
# what people are by their work, where a note has no other word for them
_WORKERS_ES = (
    r"estudiante|universitari[oa]|profesora?|maestr[oa]|enfermer[oa]|jubilad[oa]|pensionista|"
    r"albanil|camarer[oa]|cociner[oa]|conductora?|camionero|"
    r"(?<!ventilacion )(?<!via )mecanica|(?<!soporte )mecanico|electricista|fontanero|"
    r"abogad[oa]|ingenier[oa]|administrativ[oa]|funcionari[oa]|agricultora?|ganadero|pescador|"
    r"limpiadora|trabajadora?|emplead[oa]|dependienta|comercial|informatic[oa]|"
    r"peluquer[oa]|carpintero|pintora?|policia|militar|bombero|musico|deportista|auxiliar|cajer[oa]"
)
_PERSON_ES = (
    rf"{_WORKERS_ES}|"
    r"varon|mujer|hombre|nino|nina|paciente|lactante|adolescente|joven|chico|chica|senor|senora|"
    r"anciano|anciana|bebe|neonat[oa]|escolar|preescolar|masculino|femenina|femenino|sra?\.?|srta\.?|"
    r"masc\.?|fem\.?"
)
_MOTHER_ES = r"gestante|embarazada|puerpera|primigesta|secundigesta|multigesta|primipara|multipara"
_CHILD_ES = r"lactante|bebe|neonat[oa]|nin[oa]|rn(?:at?|t|pt)?|recien nacid[oa]"
_CHILD_EN = r"baby|infant|newborn|neonate|boy|girl|toddler|child"
# behind a number of years or months without "of age": the time that something has lasted
_SPAN = r"(?! ?(?:de (?:evolucion|seguimiento|duracion|gestacion)|ago\b|hist|hx))"
_PERSON_EN = (
    "patient|man|woman|boy|girl|child|baby|infant|toddler|lady|gentleman|male|female|lad|teenager|"
    "adolescent|student|mother|father|proband|[mf]|now|is|and|currently|he|she"
)
# a word of the note's beginning that is a person's name, and nothing that is measured or dated
_A_NAME = (
    r"(?!(?:pain|score|gcs|glasgow|ews|news\w*|pews|apgar|eva|vas|nrs|pulse|heart|temp\w*|fiebre|"
    r"sats?|spo\w*|crp|pcr|esr|vsg|ferritin\w*|glucos\w*|sodium|sodio|potassium|potasio|calcium|"
    r"calcio|lactate|lactato|urea|creatinin\w*|troponin\w*|weight|peso|height|talla|bmi|imc|"
    r"ward|bed|room|clinic|day|dia|week|semana|month|year|age|edad|it|this|that|there|he|she|"
    r"evolucion|duracion|seguimiento|desde|hace|durante|esta|estoy|lleva|embarazo|embarazada|gestacion|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunes|martes|miercoles|jueves|viernes|sabado|"
    r"domingo|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|"
    r"diciembre)\b)[a-z]{3,15}"
)
# a heading that whom it is about follows: "Health visitor referral: boy, 4 y"
_BEHIND_HEADING = (
    r"^[^.;:\d]{0,40}\b(?:referral|referred|visitor|clinic|triage|handover|letter|review|"
    r"consult\w*|call|take|round|nurse|school|summary|case|admission):\W*"
)
_AGES = {
    "en": (
        rf"^\W*{_NUMBER} ?(m) (?:[mf]|male|female|{_CHILD_EN})\b",
        rf"{_NUMBER}[- ]?(year|yr|month|mo|week|wk|day|hour|hr)s?[- ]?(?:old|of age)\b",
        rf"{_NUMBER}[- ]?(y)(?:ears?)?[ ./-]?o(?:ld)?\b",
        # "Mrs R., 31, is well", "Mrs P, 68 y"
        r"(?:^\W*(?:re:? )?|\bre:? )(?:mrs?|ms|miss|mx)\b\.? [^;:\d]{1,30}?[,(] ?(?:aged )?"
        rf"{_NUMBER}(?: ?y(?:ea)?r?s?)?(?=[,);]|\.(?!\d))",
        # "Mr D is 58", "Lorry driver, 49,"
        r"^\W*(?:mrs?|ms|miss|mx)\b\.? [a-z'-]{1,20} is (?:now |aged )?(\d{2,3})"
        r"(?= ?[,.;]| and | with |$)(?!\.\d)",
        r"^\W*(?:an? )?(?:retired |former )?(?:[a-z-]+ ){0,2}(?!\w*(?:ever|iver|inger|ulcer|ancer|"
        r"mor|older|mber|after|adder|power|other|sister|factor|liver|order|number)\b)"
        r"[a-z-]*(?:er|or|ist|ian|man|woman|nurse|cook|clerk|student|chef|guard|smith|wife|widow)"
        r", (?:aged )?(\d{2})(?=[,.;](?!\d)|$)",
        # "Type 1 DM clinic, 25F", "COPD annual review, F 66": of whom the first sentence is
        r"^[^.;:]{3,60}[,:;-] *(\d{1,3}) ?[mf](?= *(?:[,.;\n]|$))",
        r"^[^.;:]{3,60}[,:;-] *[mf] ?(\d{1,3})(?= *(?:[,;\n]|\.(?!\d)|$))",
        # "ED 27M. Food stuck"
        r"^\W*(?:ed|er|a&e|ae|amu|aau|mau|sau|cdu|sdec|resus|icu|itu|ccu|hdu|opd|gp|ward|clinic|take)"
        r"(?: (?:bay|bed|room) \d{1,2})? (\d{1,3}) ?[mf]\b",
        # "HPC: 52F clerk", "seen by Dr. 29M cook"
        r"(?:^\W*(?:hpc|hopc|hpi|pc|hx|cc|pt|id|history|presenting complaint)\b\W{1,3}|"
        r"\b(?:by (?:the |a )?)?(?:dr|doctor|nurse|gp)\.? )(\d{1,3}) ?[mf]\b"
        r"(?! (?:cath\w*|foley|sheath|tube))",
        # "F, 41yrs", "Male 41 y", "Patient: female, 38 years"
        rf"^\W*(?:(?:re|pt|patient|sex|gender)\W+)?(?:(?:baby|infant|newborn) )?"
        r"(?:[mf]|male|female|man|woman|lady|gentleman|boy|girl|baby|infant)"
        rf"\W{{1,3}}{_NUMBER}"
        r" ?(y|yr|year|mo|month|wk|week)s?\b(?! (?:ago|history))",
        # "School nurse referral: girl, 9 y"
        rf"{_BEHIND_HEADING}(?:an? )?(?:{_CHILD_EN}|[mf]|male|female|man|woman|lady|gentleman)"
        rf"\W{{1,3}}(?:aged )?{_NUMBER} ?(y|yr|year|mo|month|wk|week)s?\b(?! (?:ago|history))",
        rf"{_BEHIND_HEADING}(?:an? )?(?:{_CHILD_EN}|[mf]|male|female|man|woman|lady|gentleman)"
        rf"\W{{1,2}}{_NUMBER}(?= *(?:[.,;)](?!\d)|$))",
        # "F 41.", "Woman, 47, breast cancer.", "Patient: male, 57, printer."
        rf"^\W*(?:(?:re|pt|patient|sex|gender)\W+)?(?:an? )?"
        rf"(?:[mf]|male|female|man|woman|lady|gentleman|boy|girl)\W{{1,2}}{_NUMBER}"
        r"(?= *(?:[.,;:)](?!\d)|$))",
        # "Woman 52 worried", but not "Girl 12 kg"
        rf"^\W*(?:an? )?(?:man|woman|lady|gentleman|boy|girl) {_NUMBER}"
        r"(?= [a-z])(?! ?(?:kg|lbs?|st|cm|years?|yrs?|months?|weeks?|wks?|days?|hours?|times)\b)",
        # "This gentleman, 74, comes with"
        rf"\bthis (?:\w+ )?(?:man|woman|lady|gentleman|boy|girl|patient), {_NUMBER}(?=,)",
        # "My husband is 71."
        r"^\W*my (?:husband|wife|partner|mother|mum|mom|father|dad|son|daughter|boy|girl|baby)"
        rf" is (?:now )?{_NUMBER}(?= *(?:[.,;:]|and\b))",
        # "thank you for seeing Mrs Okafor (51)"
        rf"\b(?:mrs?|ms|miss|mx|master)\b\.?(?: [a-z'’-]+){{1,3}} \({_NUMBER}(?: ?y(?:ea)?r?s?)?\)",
        # "My daughter, 13, has fainted", "My dad is 71 and", "Mum's 90": of whom it is told
        r"\b(?:boy|girl|pt)\b *(?:[a-z]+ *)?,? *(?:who )?(?:(?:is|['’]s|has just turned|turned) )?"
        rf"(?:now )?{_NUMBER}(?: (year)s?(?: old)?)?"
        r"(?= *(?:[,;:)]|\.(?!\d)|$|(?:and|but|who|with)\b))",
        # "Freya, 13, has", "Alfie is 6. He": a name and who has what
        rf"^\W*{_A_NAME}, {_NUMBER}"
        r"(?= ?,? (?:has|had|is|was|who|with|came|comes|presents|girl|boy))",
        rf"(?:^\W*|: ){_A_NAME} (?:is|has just turned|turned) (?:now )?{_NUMBER}"
        r"(?= *(?:[,;:)]|\.(?!\d)|$|and\b))",
        # "Name: Karen, 46", "He's 19, a student"
        rf"^\W*(?:patient )?name:? [^;:.\d]{{2,30}}, ?{_NUMBER}(?= *(?:[,.;)]|$))",
        rf"(?:^\W*|, |- )(?:he|she)(?:['’]s| is) {_NUMBER}(?= *(?:[,;)]|\.(?!\d)|$|and\b))",
        # "7 months, cries": only in a note of a child
        rf"^\W*{_NUMBER} (day|week|month)s?, (?=.*\b(?:{_CHILD_EN}|cry\w*|cries|nappy|nappies|"
        r"feeds?|milk|bottle)\b)(?!.*\b(?:pregnan\w+|contraction\w*|he says|she says)\b)",
        # "48 y lorry driver"
        rf"^\W*{_NUMBER} ?(y) (?!ago\b|hist\w*|hx\b|of\b|follow|post\b|after\b|since\b|prior\b|"
        r"in\b|smok|remission|surviv|review|clinic|pack|later\b|duration|check)"
        r"(?=[a-z])",
        # "50ish lady"
        r"^\W*(?:an? )?(\d{1,2})[ -]?ish\b",
        # not what was done then ("tonsillectomy aged 9")
        rf"(?:^\W*|[,:(;] *|\b(?:{_PERSON_EN}) )(?:aged|age:?) {_NUMBER}"
        r"(?: (year|month|week|day)s?)?(?!\w|\.\d)(?! at\b)",
        # "I'm 34 and had my second baby"
        rf"\bi(?:'|’)?(?:m| am) {_NUMBER}(?: years old)?(?= *(?:[,;:()]|\.(?!\d)|$|and\b|now\b))",
        rf"\b{_NUMBER} ?(yo|yr|y) ?(?=[mf]\b|male|female|man|woman|boy|girl|lad\b|lady)",
        # "Woman of 30", but not "girl of 12 kg"
        rf"\b(?:man|woman|lady|gentleman|boy|girl|lad) of {_NUMBER}(?: (year|month|week|day)s?)?"
        r"(?= *(?:[.,;:)]|$| (?:with|who|has|had|is|was|presents?|seen|referred|and)\b))",
        # "Newborn girl, 9 days": not of a fever
        rf"\b(?:newborn|neonate)(?: (?:{_CHILD_EN}|male|female))?\W{{1,3}}(?:aged )?{_NUMBER} "
        r"(hour|day|week)s?\b(?! (?:ago|after|before|of (?!age\b|life\b)|hist|post))",
        # "A baby of 5 weeks"
        rf"\b(?:{_CHILD_EN}) of {_NUMBER} (day|week|month)s?\b(?! (?:duration|gestation))",
        r"^\W*(\d{1,3}) ?[mf]\b",
        # "6/52 baby", "8/52 F", "baby, 5/12", "3wk M"
        rf"^\W*(\d{{1,2}}) ?/ ?(7|52|12) ?(?:old|[mf]|male|female|{_CHILD_EN})\b",
        rf"^\W*(?:{_CHILD_EN})\W{{1,2}}(?:of )?(\d{{1,2}}) ?/ ?(7|52|12)\b",
        # "mum of 3/12 old baby", "4/12 floppy": no other time begins a note or follows "of"
        rf"(?<![\d/])(\d{{1,2}}) ?/ ?(7|52|12) (?:old\b|(?:of age|{_CHILD_EN})\b)",
        r"\b(?:mum|mother|mom|dad|father|parents?) of (?:an? )?(\d{1,2}) ?/ ?(7|52|12)\b",
        r"^\W*(\d{1,2}) ?/ ?(52|12)(?= (?:floppy|mottled|pale|grey|blue|hot|fever\w*|"
        r"not feed\w*|off|poor feed\w*|check|crying|wheez\w+|vomit\w*|"
        r"letharg\w+|drowsy|irritable|unwell)\b)",
        rf"^\W*{_NUMBER} ?(d|w|wk|week|mo|month|day)s? (?:[mf]|male|female|{_CHILD_EN})\b",
        rf"\bnow {_NUMBER} (year|month)s?(?= *(?:[.,;:)]|$|and\b))",
        # without a unit of a person, or behind an age of then: "K 4.1 last week, now 7.4" is none
        r"\b(?:(?:(?:at|aged?) \d{1,2}|born|birth)\b[^.;:\d]{0,60}(?:,| and| is)|(?:he|she|who) is)"
        r" now (\d{1,3})"
        r"(?= *(?:[,;:)]|$|\.(?!\d)|and\b))",
    ),
    "es": (
        rf"\b(?:{_PERSON_ES})(?!\w)(?: [^\W\d]+){{0,3}}? de {_NUMBER} {_UNIT_ES}",
        # "Gestante de 33 semanas, primigesta de 29 años": only the years are her age
        rf"\b(?:{_MOTHER_ES})(?: [^\W\d]+){{0,3}}? de {_NUMBER} (anos)\b",
        # "Primigesta, 31 años": a number of weeks is none
        rf"\b(?:{_MOTHER_ES})\W{{1,2}}{_NUMBER} ?(anos|a)\b{_SPAN}",
        # "Lactante con 8 meses", but not "varón con seis semanas de tos"
        rf"\b(?:{_PERSON_ES})(?!\w)(?: [^\W\d]+){{0,3}}? con {_NUMBER} {_UNIT_ES}\b"
        r"(?! de (?!edad\b|vida\b))",
        rf"{_NUMBER} {_UNIT_ES} de edad(?! gestacional)",
        # "Mi hija Lucía tiene 8 años", "por mi padre, de 71 años": of whom it is told
        rf"\b(?:{_CHILD_ES}|pt)\b *(?:[a-z]+ *)?,? *(?:que )?(?:tiene|de|ha cumplido|"
        rf"acaba de cumplir) {_NUMBER} {_UNIT_ES}\b{_SPAN}(?! con\b)",
        # of whom somebody calls: "por su madre, 82 años"
        rf"\bpt\b\W{{1,12}}{_NUMBER} {_UNIT_ES}\b{_SPAN}",
        # "Martina, 8 años", "Hugo tiene 6 años"
        rf"^\W*{_A_NAME}(?:,| tiene|,? de) {_NUMBER} (anos|meses)\b{_SPAN}",
        # "Dª M.L., de 36 años"
        r"\b(?:d[ªa]\.?|don|dona|dna\.?|d\.|sra?\.?|srta\.?) [^;:\d]{1,30}?,? "
        rf"de {_NUMBER} {_UNIT_ES}\b",
        rf"^\W*(?:{_PERSON_ES}),? {_NUMBER}(?= *(?:[.,;:)](?!\d)|$))",
        # "Tengo 48 años y le escribo", but not "tengo 3 años con tos"
        rf"\b(?:tengo|(?<!\bno )tiene) {_NUMBER} (anos)\b(?= *(?:[,;:()]|\.(?!\d)|$|y\b))",
        rf"\bedad:? (?:de )?{_NUMBER} ?{_UNIT_ES}?",
        rf"^{_NUMBER} (anos)\b{_SPAN}",
        # "7 meses, llanto a ratos": only in a note of a child
        rf"^\W*{_NUMBER} (meses|mes|semanas?|dias?), (?=.*\b(?:{_CHILD_ES}|llanto|llora\w*|"
        r"panal(?:es)?|tomas|biberon|leche|miel)\b)(?!.*\b(?:embaraz\w+|gestante|contracciones)\b)",
        rf"\b(?:ahora|hoy|actualmente)(?: con| de| tiene| cumple)? {_NUMBER} {_UNIT_ES}\b{_SPAN}",
        # "Varón 55 a.", "Mujer, 29a", "Lactante 9 m", "V 58a": no "de"
        rf"\b(?:{_PERSON_ES})\W{{1,2}}(?:de )?{_NUMBER} ?{_UNIT_ES}\b{_SPAN}",
        rf"\b(?:{_PERSON_ES})\W{{1,2}}(?:de )?{_NUMBER} ?(a)\b{_SPAN}",
        rf"\b(?:{_CHILD_ES})\W{{1,2}}(?:(?:varon|mujer|nin[oa]|de) )?"
        rf"{_NUMBER} ?(m|sem|s|d|h)\b{_SPAN}",
        rf"^\W*(?:[vmh] ?)?{_NUMBER} ?(a)(?:nos)?\b{_SPAN}",
        rf"^\W*[vmh] ?{_NUMBER} ?{_UNIT_ES}\b{_SPAN}",
        # "Esguince de tobillo, 19 a,", "Control puerperal, 30 a (Ecuador)": behind what it is about
        rf"^[^.;:]{{3,60}}[,)] {_NUMBER} (a|anos)(?= *(?:[,;(\n]|\.(?!\d)|$)){_SPAN}",
    ),
}
# "day 2 of life", "DOL 5", "36 horas de vida", "RN de 2 días": the age today, unless the note also
# gives one in the usual form
_OF_LIFE = re.compile(
    r"(?P<count>\d{1,3}) ?(?P<unit>hour|hr|day|week|wk|hora|dia|semana)s? (?:of life|de vida)\b"
    r"|\brn[a-z]{0,3} (?:\w+ ){0,3}?de (?P<rn>\d{1,3}) (?P<rn_unit>hora|dia|semana)s?\b"
    r"|\b(?:day of life|dol|dia de vida)[ :#]{0,2}(?P<day>\d{1,2})\b"
    r"|\bday (?P<of>\d{1,2}) of life\b"
    # "RN 12 ddv": days of life
    r"|(?P<ddv>\d{1,2}) ?d ?dv\b"
    # "D6 neonate", "neonate, D6"
    r"|\bd(?:ay)? ?(?P<before>\d{1,2}) (?:neonat\w+|newborn|baby|infant)\b"
    r"|\b(?:neonate|newborn|baby|infant|preterm|prem)(?: (?:boy|girl))?\W{1,2}"
    r"d(?:ay)? ?(?P<after>\d{1,2})\b"
    r"|\b(?:rn(?:at?|t|pt)?|recien nacid[oa]|neonat[oa])\W{1,2}(?:varon |mujer )?"
    r"(?:de )?(?P<es>\d{1,2}) (?P<es_unit>hora|dia|semana)s?\b"
)
_OF_UNIT = frozenset(("unit", "rn_unit", "es_unit"))
_NEWBORN = {
    "en": r"\b(?:newborn(?! (?:screen\w*|period|hearing))|neonate|(?:full[- ]?)?term"
    r" (?:baby|infant|boy|girl|male|female))\b",
    "es": r"\b(?:recien nacid[oa]|neonat[oa]|rn(?:at?|t|pt)?(?! \d))\b",
}
# what a young child is called whose age is not told, with an age for the limits of vital signs
_STAGES = (
    (0.5, r"baby|infant|bebe|lactante"),
    (2.0, r"toddler"),
    (4.0, r"preschool\w*|preescolar"),
    (8.0, r"child|schoolchild|escolar|nino|nina"),
)
_LEADING = r"^\W*(?:an? |the |this |un[ao]? )?(?:[a-z-]+ ){0,2}?"
# a note of a mother, who is not as old as her child
_OF_A_MOTHER = re.compile(
    r"\b(?:pregnan\w+|gravida|primipar\w+|multipar\w+|g\d{1,2} ?[pa]\d|post-?partum|puerper\w+|"
    r"breast-?feeding her|embarazada|gestante|primigesta|secundigesta|multigesta|"
    # "34 weeks with my first baby", "baby is moving": it is not born
    r"weeks (?:gone|along|(?:gone )?with my)|baby(?:'s| is| has been)? (?:moving|kicking)|"
    r"bebe se (?:me )?mueve)\b(?! (?:all|his|her|both|the|one|todas?|l[ao]s|bien l[ao]s)\b)"
)
_OPENS = re.compile(r"\W*(?:an? |the |this )?[\w-]+[ -](?:year|month|week|day)s?[ -]old\b")
_ADULT = re.compile(
    r"\b(?:man|woman|lady|gentleman|adult|husband|wife|mujer|hombre|senora?|adult[oa]|ancian[oa])\b"
)
_ONCE = re.compile(
    r"\b(?:was|born|former|ex|fue|era|nacio)\W+(?:as )?(?:an? |un[ao]? )?$|\b(?:as|when) an? $|"
    r"\bcuando era (?:un[ao]? )?$|(?:^\W*|[,;:.]\s*)de $"
)
# before an age: it is not the age today
_THEN = re.compile(
    r"(?:\b(?:at|since|from|until|by|when|a los|desde los|hasta los|a la)(?: the)?)\s*$"
)
_SEXES = {
    "en": (
        (
            "female",
            r"(?:^\W*(?:re:? )?|\bre:? )(?:mrs|ms|miss)\b"
            r"|\b(?:mrs|ms|miss)\b\.?(?: [a-z'’-]+){1,3} \(\d"
            r"|\b(?:woman|girl|female|lady|pregnant|primigravida|g\d{1,2} ?[pa]\d)"
            r"|\d ?(?:yo|y/o|y|wk|mo|m)? ?f\b|(?:^\W*|^[^.;:]{3,60}, )f\W{1,3}\d",
        ),
        (
            "male",
            r"(?:^\W*(?:re:? )?|\bre:? )mr\b|\bmr\b\.?(?: [a-z'’-]+){1,3} \(\d"
            r"|\b(?:man|boy|male|gentleman|lad)\b|(?:^\W*|^[^.;:]{3,60}, )m\W{1,3}\d"
            r"|\d ?(?:yo|y/o|y|wk|mo|m)? ?m\b(?! ?(?:[mf]\b|old|of|girl|female|baby|infant|child))",
        ),
    ),
    "es": (
        ("female", r"\b(?:profesora|maestra|enfermera|jubilada|camarera|cocinera|conductora|"
         r"abogada|ingeniera|administrativa|funcionaria|agricultora|limpiadora|trabajadora|"
         r"empleada|dependienta|informatica|peluquera|pintora|cajera|universitaria|"
         r"(?<!\bmi )(?<!\bsu )(?<!\btu )mujer|nina|fem|"
         r"femenin[ao]|chica|senora|sra|srta|anciana|recien nacida|neonata|"
         r"gestante|embarazada|puerpera|primigesta|g\d{1,2} ?[pac]\d\w*|dona|dna)\b|\bd[ªa]\.? |"
         r"^\W*m ?\d{1,3} ?a"),
        ("male", r"\b(?:profesor|maestro|enfermero|jubilado|camarero|cocinero|conductor|camionero|"
         r"mecanico|fontanero|abogado|ingeniero|administrativo|funcionario|agricultor|ganadero|"
         r"pescador|trabajador|empleado|informatico|peluquero|carpintero|pintor|bombero|cajero|masc|"
         r"universitario|varon|hombre|nino|neonato|masculin[ao]|chico|senor|sr|anciano|don)\b|"
         r"^\W*[vh] ?\d{1,3} ?a"),
    ),
}  # fmt: skip
# organs and events of one sex
_ORGANS = (
    (
        "female",
        r"\b(?:uter(?:us|o)|ovar\w+|vagin\w+|menstru\w+|menarch\w+|menarqui\w+|menopau\w+|"
        r"cervix|lmp|fur|para \d|hysterectom\w+|histerectom\w+|menorrh?ag\w+|metrorrh?ag\w+|"
        r"(?:heavy|heavier|painful|irregular|regular|scanty|missed|last|my|her) periods?(?! of\b)|"
        r"periods (?:are|have|last|stopped|started|regular|irregular|heavy|heavier|painful)|"
        r"(?:las?|sus?|mis?) reglas?|reglas (?:\w+ )?(?:abundantes|dolorosas|irregulares|regulares|"
        r"duran)|ultima regla)\b",
    ),
    (
        "male",
        r"\b(?:test(?:is|es|icles?|icular(?:es)?|iculos?|e)|prostat\w+|penis|pene|scrot\w+|"
        r"escrot\w+|cremast\w+)\b",
    ),
)
# participles that agree with the patient
_OF_PERSONS = (
    "acompanad|traid|remitid|derivad|ingresad|vacunad|decaid|somnolient|obnubilad|casad|"
    "jubilad|divorciad"
)
# who speaks of himself is the patient: "soy Manuel, tengo 71 años", "soy diabética"
_OF_SPEAKER = (
    r"\b(?:soy|me llamo) (?!(?:hij|herman|prim|amig|vecin|sobrin|niet|espos|novi|cunad|suegr|tutor|"
    r"el\b|la\b)|\w*(?:ista|iatra|peuta|testigo|soldado|piloto)\b)"
)
_OF_SELF = re.compile(r"\b(?:tengo|estoy|me(?! llamo)|noto|siento|llevo|padezco|tomo)\b")
_SPEAKERS = (
    ("female", re.compile(rf"{_OF_SPEAKER}(?:carmen|isabel|pilar|dolores|mercedes|raquel|rocio|"
     r"beatriz|luz|consuelo|rosario|amparo|esther|ines|irene|belen|\w{2,}a)\b")),
    ("male", re.compile(rf"{_OF_SPEAKER}(?:manuel|jose|juan|david|javier|daniel|jesus|carlos|"
     r"miguel|rafael|angel|luis|joaquin|andres|ramon|ruben|ivan|oscar|victor|jorge|vicente|felipe|"
     r"enrique|jaime|martin|adrian|\w{2,}o)\b")),
)  # fmt: skip
_PRONOUNS = {
    "en": (("female", r"\b(?:she|her|hers)\b"), ("male", r"\b(?:he|him|his)\b")),
    "es": (
        ("female", rf"\b(?:ella|la paciente|(?:{_OF_PERSONS})a)\b"),
        ("male", rf"\b(?:el paciente|(?:{_OF_PERSONS})o)\b"),
    ),
}
# who brings the patient is not whom the sentence is about
_BROUGHT = re.compile(
    r"\b(?P<how>(?:brought|sent|driven|carried)(?: in| up)? by|accompanied by|"
    r"here with|(?:comes|came|seen|attends|attended|reviewed|in clinic) with|carried by|"
    r"traid[oa] por|vist[oa] con|valorad[oa] con|"
    r"acompanad[oa] (?:por|de)|remitid[oa] por|enviad[oa] por|acude con|viene con|"
    r"(?:lo|la|le) trae) (?:(?P<whose>his|her|their|"
    r"the|su|sus|la|el|los) )?(?:mother|father|parents?|grand(?:m|pa|f|dad|so|daug|ch)\w+|aunt|"
    r"uncle|sister|brother|daughter|son|madre|padres?|abuel\w+|ti[oa]s?|herman[oa]s?|hij[oa]s?|prim[oa]s?)\b"
)
# whose kin it is: "Her mother had one too"
_OF_KIN = (
    r"^\W*{}(?: own| late)? (?:mother|father|mum|mom|dad|sister|brother|parents|aunt|uncle|cousin|"
    r"grand(?:mother|father|parents))\b(?!['’])"
)
_POSSESSORS = (("female", _OF_KIN.format("her")), ("male", _OF_KIN.format("his")))
# whose organs they are not
_OF_PARTNERS = re.compile(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|spouse|espos[oa]|marido|pareja|novi[oa]|"
    r"su mujer|mi mujer)\b"
)
_RELATIVES = re.compile(
    r"\b(?:mother|father|sister|brother|sibling|aunt|uncle|cousin|grand(?:m|pa|f|dad|so|daug|ch)\w+|parents?|maternal|"
    r"paternal|son|daughter|(?:mum|mom|mummy|dad|daddy) (?:has|had|is|was|died)|"
    r"family history|madre|padre|hermanos?|hermanas?|tios?|tias?|prim[oa]s?|"
    r"abuel\w+|hij[oa]s?|matern[oa]|patern[oa]|antecedentes familiares)\b"
)
_NOT_DONE = re.compile(
    r"^(?:if|si)\b|\b(?:will|plan\w*|pending|recommend\w*|order(?:ed)?|request\w*|to be done|"
    r"await\w+|outstanding|in the lab|not back|yet to|still to (?:be|have)|no (?:\w+ ){1,3}yet|"
    r"(?:not|never) (?:yet )?(?:had|undergone)|(?:aun|todavia) (?:no|sin)|"
    r"refer(?!ence\b|encia|red (?:with|because|by|from|after)\b)\w*|"
    r"consider\w*|suggest\w*|advis\w*|would|should|needs?|valorar|"
    r"(?:not|never) (?:yet )?(?:been )?(?:done|performed|checked|measured|tested|taken|sent|"
    r"available)|"
    r"se (?:solicita|pedira)\w*|sin (?:\w+ ){1,4}(?:pedid|solicitad)[oa]s?|"
    r"pendientes?|ptes?|pdtes?|se pide|se remite|solicitar|sin realizar|"
    r"(?:no|nunca|jamas) (?:se )?(?:l[eao]s? |me )?(?:h[ae]n? )?(?:hecho|hizo|hicieron|"
    r"realizado|pedido|medido|mirado|determinado))\b"
)


_DRINKS = re.compile(r"\b(?:alcohol|teetotal\w*|abstemi[oa])\b(?! (?:gel|wipes?|swab|hand))")


@dataclass(frozen=True)
class Told:
    """What a note tells of the patient: age in years and sex, female or male; None if it does
    not."""

    age_years: float | None
    sex: str | None


# each sentence with a sign or a value asks again, and the whole note is read for it
@lru_cache(maxsize=8)
def told_of_patient(note: str, language: str) -> Told:
    """Age and sex in a note in en or es."""
    own = _own_sentences(note)
    is_mothers = _OF_A_MOTHER.search(" ".join(own))
    newborn = rf"{_LEADING}{_NEWBORN[language]}" if is_mothers else _NEWBORN[language]
    ages = (
        age
        for age_in in (_age, _age_of_life, lambda text, _: _newborn_age(text, newborn))
        for sentence in own
        if (age := age_in(sentence, language)) is not None
    )
    sex = sex_of_kin(note) or _sex(own, language)
    return Told(next(ages, None), sex or _more_often(_sentences(note), _POSSESSORS))


def stage_of_patient(note: str) -> float | None:
    """An age in years for the limits of vital signs, of a patient whom the note only calls a baby,
    a toddler or a child where a sentence begins; None if it does not, or is of an adult."""
    own = _own_sentences(note)
    if _OF_A_MOTHER.search(" ".join(own)):
        return None
    if not _ADULT.search(own[0]):
        for age, words in _STAGES:
            calls = re.compile(rf"{_LEADING}(?P<who>{words})\b(?! aspirin)")
            called = ((sentence, calls.search(sentence)) for sentence in own)
            if any(m and not _ONCE.search(text[: m.start("who")]) for text, m in called):
                return age
    return None


def tests_done(note: str, words: Iterable[str]) -> str | None:
    """The sentences that name a test by one of the folded `words` or give a laboratory value,
    unless they plan or ask for it; None if there are none."""
    known = {*words} - {""}
    if not known:
        return None
    note = composed(note)
    note = signs_of(note, fold_in_place(note))
    text = fold_in_place(note)
    # of hundreds a note names a few: a pattern of all takes longer than the rest
    named = sorted(word for word in known if word in text)
    pattern = "|".join(re.escape(word) + (r"\b" if len(word) < 5 else "") for word in named)
    naming = re.compile(rf"\b(?:anti-?)?(?:{pattern or '(?!)'})")
    done = []
    for part in sentences_of(note):
        sentence = note[part.start : part.end]
        # "Sweat chloride 98 mmol/L; plan: CFTR sequencing; mother a carrier"
        for clause in sentence.split(";"):
            folded = fold_in_place(clause)
            has_values = bool(laboratory_values_of(folded))
            is_open = _NOT_DONE.search(folded) or (is_booked(folded) and not has_values)
            if is_open or _RELATIVES.search(folded) or folded.rstrip().endswith("?"):
                continue
            if naming.search(folded) or has_values:
                done.append(" ".join(clause.split()))
    if done:
        done += [habit for part in sentences_of(note) if (habit := _habit(note, part))]
    return " ".join(dict.fromkeys(done)) or None


def _habit(note: str, part: Sentence) -> str | None:
    """A sentence on the drinking of the patient, which is not asked for again."""
    sentence = note[part.start : part.end]
    folded = fold_in_place(sentence)
    is_own = _DRINKS.search(folded) and not _RELATIVES.search(folded)
    return " ".join(sentence.split()) if is_own else None


def _as_told(note: str) -> str:
    """The note with its signs, and whom it is told of called as a patient is."""
    note = composed(note)
    return of_the_patient_alone(of_whom_it_is_told(signs_of(note, fold_in_place(note))))


def _sentences(note: str) -> list[str]:
    """The folded sentences of a note."""
    note = _as_told(note)
    return [fold_in_place(note[part.start : part.end]) for part in sentences_of(note)]


def _own_sentences(note: str) -> list[str]:
    """The folded sentences of a note that tell of the patient; all of it if none does."""
    own, mixed = [], []
    for sentence in (_BROUGHT.sub(r"\g<how> \g<whose>", text) for text in _sentences(note)):
        if relative := _RELATIVES.search(sentence):
            # "8-month-old boy, healthy parents": what the clauses before say is of the patient
            parts = re.split(r"[,;:(]", sentence[: relative.start()])
            # the patient may open the clause: "17-year-old man sent by his father"
            mixed.append(parts if len(parts) == 1 and _OPENS.match(sentence) else parts[:-1])
        else:
            own.append(sentence)
    told = [*own, *(", ".join(parts) for parts in mixed if parts)]
    return told or [fold_in_place(_as_told(note))]


def _in_digits(sentence: str) -> str:
    """The sentence with the ages that it gives in words as digits ("aged forty-one")."""

    def digits(match: re.Match[str]) -> str:
        behind, unit = match["behind"] or "", match["unit"] or ""
        if not unit and not behind.startswith("age"):
            return match.group()
        number = NUMBERS[match["tens"]] + (NUMBERS[match["ones"]] if match["ones"] else 0)
        return f"{behind}{number}{unit}"

    sentence = _AND_A_HALF.sub(_with_half, _SPELT.sub(_spelt, sentence))
    sentence = _YEARS_IN_WORDS.sub(_with_months, sentence)
    sentence = _YEARS_TO_MONTHS.sub(r"\g<who>\g<years>a \g<months>m", sentence)
    return _YEARS_AND_MONTHS.sub(_in_years, _IN_WORDS.sub(digits, sentence))


def _spelt(match: re.Match[str]) -> str:
    """ "baby of five" and "lady over seventy" with their numbers in digits."""
    if match["child"]:
        return f"{match['who']}{NUMBERS[match['child']]}"
    return (
        f"{match['adult']}of {NUMBERS[match['over']]}"
        if match["over"]
        else f"de {NUMBERS[match['mas']]}"
    )


def _with_half(match: re.Match[str]) -> str:
    """ "3 and a half" and "tres años y medio" in digits."""
    count = match["count"]
    return f"{int(count) if count.isdigit() else NUMBERS[count]}.5{match['unit'] or ''}"


def _with_months(match: re.Match[str]) -> str:
    """ "four years and two months" in digits, for what reads those."""
    years, months = NUMBERS[match["years"]], NUMBERS[match["months"]]
    is_spanish = match["unit"].startswith("a")
    return f"{years} anos y {months} meses" if is_spanish else f"{years} years and {months} months"


def _in_years(match: re.Match[str]) -> str:
    """ "2y4m" and "2 años y 4 meses" as years with two decimals."""
    years = int(match["years"]) + int(match["months"] or match["meses"]) / 12
    return f"{years:.4f}{' anos' if match['es'] else 'y '}"


def _age(sentence: str, language: str) -> float | None:
    sentence = _in_digits(sentence)
    for pattern in _AGES[language]:
        for match in re.finditer(pattern, sentence):
            if _THEN.search(sentence[: match.start()]):
                continue
            unit = match[2] if match.re.groups > 1 and match[2] else "year"
            years = float(match[1].replace(",", ".")) * _UNITS[unit]
            if years <= 130:
                return round(years, 4)
    return None


def _age_of_life(sentence: str, language: str) -> float | None:
    for match in _OF_LIFE.finditer(sentence):
        if not _THEN.search(sentence[: match.start()]):
            groups = match.groupdict()
            unit = next((groups.pop(name) for name in _OF_UNIT if groups[name]), "day")
            count = next(groups[name] for name in groups.keys() - _OF_UNIT if groups[name])
            return round(float(count) * _UNITS[unit], 4)
    return None


def _newborn_age(sentence: str, newborn: str) -> float | None:
    match = re.search(newborn, sentence)
    return None if match is None or _ONCE.search(sentence[: match.start()]) else 0.0


def _sex(sentences: list[str], language: str) -> str | None:
    """The first word for the patient's sex; without one, that of most pronouns, or organs."""
    for sentence in sentences if language == "es" else ():
        for sex, calls in _SPEAKERS:
            if _OF_SELF.search(sentence) and calls.search(sentence):
                return sex
    for sentence in sentences:
        places = [
            (match.start(), sex)
            for sex, pattern in _SEXES[language]
            if (match := re.search(pattern, sentence))
        ]
        if places:
            return min(places)[1]
    own = [sentence for sentence in sentences if not _OF_PARTNERS.search(sentence)]
    return _more_often(sentences, _PRONOUNS[language]) or _more_often(own, _ORGANS)


def _more_often(sentences: list[str], words: Iterable[tuple[str, str]]) -> str | None:
    """The sex whose words are more in number; None if neither's are."""
    counts = {
        sex: sum(len(re.findall(pattern, sentence)) for sentence in sentences)
        for sex, pattern in words
    }
    female, male = counts["female"], counts["male"]
    return None if female == male else "female" if female > male else "male"
