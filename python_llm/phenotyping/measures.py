"""Vital signs and emergency laboratory values in a sentence of a note: what, how much, where.

What a sentence asserts of them is left to the cues (negation), what is too low or too high to the
seed clinical_signs. Values come in one unit per measure: mmHg, beats and breaths a minute, % of
saturation, °C, points of the Glasgow scale, mg/dL (glucose, creatinine), mmol/L (lactate, ketones,
bicarbonate, potassium, sodium, calcium, magnesium, phosphate), g/dL (hemoglobin), 10^9/L (cells),
µmol/L (ammonia), ms (intervals), U/L (creatine kinase, aminotransferases, alkaline phosphatase),
µg/L (ferritin), mU/L (TSH, FSH), ng/dL (free thyroxine), pg/mL (parathyroid hormone), fL (cell
volume), mm/h (sedimentation), mg/L (C-reactive protein), mg/dL (bilirubin, urate, cholesterol, LDL,
ceruloplasmin), µg/dL (cortisol), g/dL (albumin), % (hemoglobin A1c), ng/L (cobalamin, troponin),
mmHg (PCO2, difference of the arms), mL/min (filtration rate), µmol/L (octanoylcarnitine), nmol/L
(antibodies to the acetylcholine receptor), mg/L (paracetamol, salicylate), % of what is predicted
(vital and diffusing capacity), U/mL (rheumatoid factor, antibodies to citrullinated peptides), the
second number of a titer, weeks.
A number without a unit is read in the only unit in which it is plausible: creatinine above 20 in
µmol/L, troponin below 1 in µg/L, PCO2 below 10 in kPa.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from python_llm.phenotyping.signs import PatternBook
from python_llm.phenotyping.spoken import in_figures
from python_llm.phenotyping.value_times import THEN, VITAL_SIGNS, Dating, Value, When

# words between a name and its value ("saturation has fallen to 82")
_FILLERS = (
    "of is are was were at to de es era en a al the result level levels reading reads value "
    "values count "
    "venous arterial venosa venoso serica serico serum plasma capilar capillary rectal axilar "
    "found measured recorded currently now today hoy ahora actual only solo just around about "
    "approximately aprox unos unas initial initially inicial basal has had have dropped drops "
    "fell falls fallen rose risen down up showed shows con room air on arrival llegada rate "
    "meter mayor menor inferior superior que than below above under over less more never nunca "
    "oxygen target goal objetivo "
    "oxigeno aire ambiente his her su patient's pressure presion beats still remains sigue era fue "
    "from desde ha bajado subido caido descendido aumentado pasado baja sube cae desciende del "
    "esta salido sale came comes back stands reads marca went gone going paso bajo cayo subio "
    "descendio machine monitor cuff said says gave gives reading maquina dijo dice dio me"
)
_GAP = rf"(?:\s++|[:=(~≈<>≤≥,↑↓-]|\b(?:{'|'.join(_FILLERS.split())})\b){{0,12}}?"
_NUMBER = r"(?P<value>\d+(?:[.,]\d+)?)"
_THOUSANDS = r"(?P<value>[1-9]\d{0,2} \d{3}(?![\d/]|[.,]\d)|\d+(?:[.,]\d+)?)"
# the unit ahead of the number ("K (mmol/L) 7.4")
_ASIDE = (
    r"(?:\s?[(\[](?P<unit>[a-zµμ%][a-z0-9µμ^/%*. ]{0,14}|x? ?10[^()\d]?\d[^()]{0,6})[)\]]|"
    r"\s(?P<units>(?:m?mol|meq|mc?g|g|[uµμ]mol|i?u|m?ui?)/(?:l|dl|ml))(?=\s))?"
)
_PRESSURE_NAMES = (
    r"n?i?bp|b/p|blood pressure|t\.?a\.?|p\.?a\.?|tension arterial|presion arterial|tension|"
    r"presion|tensiometro|(?<!rotator )cuffs?(?: (?:said|says|reads?|reading|shows?|showed|gave))?|"
    r"(?<!eye )(?<!ocular )(?<!venous )(?<!airway )pressure|"
    r"hypotensi\w+|hipotens[oai]\w*|hypertensive|hipertens[oa]"
)
_ARM = r"(?:arm|ue|upper limb|hand)"
_RIGHT_OR_LEFT = (
    rf"(?:(?:right|left|rt|lt|r|l)\.? ?{_ARM}|(?:brazo|miembro superior|mano) "
    r"(?:derech[oa]|izquierd[oa]|dcho|dcha|izdo|izqdo|izda|der|izq)|ms[di]|bra[cz]o [di])\b\.?"
)
_RIGHT = re.compile(r"\b(?:r|rt|right|derech[oa]|dch[oa]|der|msd)\b|\bbra[cz]o d\b")
_PRESSURES = re.compile(
    rf"(?<![\w.])(?:{_PRESSURE_NAMES})(?![\w])(?:\s?[(\[]?mm ?hg[)\]]?)?"
    rf"(?:\W{{1,3}}(?:(?:in|on|en) (?:the |el )?)?{_RIGHT_OR_LEFT})?{_GAP}(?P<high>\d{{1,3}})"
    r"\s?/\s?(?P<low>\d{1,3})(?![\d/])"
)
_BARE_PRESSURES = re.compile(
    r"(?<![\d/.])(?P<high>\d{2,3})\s?/\s?(?P<low>\d{2,3})\s?mm ?hg"
    r"|(?:->|→|\bthen\b|\bluego\b|\bvitals?\b\W*|^\W*(?:today|now|hoy|ahora)\b|"
    r"\bconstantes\b\W*|(?<![\d/.,])(?=\d{2,3}/\d{2,3}\W{1,3}(?:(?:and|y|con|with|a|hr|her|his|the)"
    r"\W){0,3}(?:pulse|hr|fc|pulso|heart rate|sats?|spo2|satura\w*)\b))\s*"
    r"(?P<next>\d{2,3})/(?P<under>\d{2,3})(?![\d/])"
)
# two numbers and no line between them: "TA 8 4", "tension 12 y 7"
_SPACED_PRESSURES = re.compile(
    r"(?<![\w.])(?:ta|pa|tas y tad|tension(?: arterial)?|presion arterial)\b(?: de| es| a|:| =)? ?"
    r"(?P<high>\d{1,3})(?: | - |-| y | con )(?P<low>\d{1,3})(?![\d/.,]\d|\d| ?(?:%|dias?\b|"
    r"horas?\b|anos?\b|mg\b|veces\b|meses\b|semanas?\b|pastillas?\b|lpm\b))"
)
# the name behind the numbers: "16 11 de tension", "16/11 de tension"
_NAMED_BEHIND = re.compile(
    r"(?<![\d/.,])(?P<high>\d{1,3})(?: |/| / | y | con )(?P<low>\d{1,3}) de "
    r"(?:tension|ta|presion)\b"
)
_PRESSURE_FORMS = (_PRESSURES, _BARE_PRESSURES, _SPACED_PRESSURES, _NAMED_BEHIND)


@dataclass(frozen=True, slots=True)
class Measure:
    """A value in the characters [start, end) of its sentence. is_wanted: a target, a limit or a
    value that others had; when: what its sentence says of its time; is_deniable: a
    limit or the name of a finding, which may not be there ("no saturation below 90", "no fever");
    is_listed: nothing stands before it in its clause, as in a list of values; is_after_kin: what
    stands before that list says how a relative fared; in a history, is_of_episode: it is told of an
    episode ("sepsis 2019, BP 70/40"), is_after_value: it continues a list of values."""

    name: str
    value: float
    start: int
    end: int
    is_wanted: bool = False
    when: When = When.UNSAID
    is_deniable: bool = False
    is_listed: bool = False
    is_after_kin: bool = False
    is_of_episode: bool = False
    is_after_value: bool = False


@dataclass(frozen=True, slots=True)
class _Form:
    """How a measure is written: names, plausible values, and factors by unit. `otherwise`: above a
    value the number is in another unit, which has this factor."""

    names: str
    lowest: float
    highest: float
    units: tuple[tuple[str, float], ...] = ()
    otherwise: tuple[float, float] | None = None
    refused: str = ""  # before it in its sentence: another measure of the same name


# percent of NGSP from mmol/mol of IFCC (Hoelzel W et al., Clin Chem 2004; 50:166-174)
_A1C_FACTOR, _A1C_OFFSET = 0.0915, 2.15
_PER_MMOL = 18.016  # mg/dL of glucose in one mmol/L
_BARE = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)?")
_UNIT_REACH = 8  # characters
# Spanish hospitals measure glucose in mg/dL
_OF_MG = re.compile(r"gl[iu]cemia|glucosa|dextro|hgt|bmt|dxt|hemoglucotest")
_FLUIDS = (
    r"\b(?:csf|lcr|cerebrospinal|lumbar|pleural|ascitic|synovial|gastric|sweat|liquido|"
    r"fluid|skin)\b"
)
# Urine is a specimen where it names the values: before them ("urine K", "orina: pH"), or beside
# the name or the number ("K en orina 20"). What is passed is none ("orina mucho, glucemia 480").
_URINE = re.compile(
    r"(?<!\bno )(?<!\bni )(?<!\by )(?<!\bque )(?<!\bse )(?<!\bapenas )(?<!\bcasi )(?<!\bya )"
    r"(?<!\bpoco )(?<!\bmuy )(?<!\bhis )(?<!\bher )(?<!\blittle )(?<!\bless )(?<!\bany )"
    r"(?<!\bmuch )(?<!\bmore )(?<!\bpass )(?<!\bpassed )(?<!\bpasses )(?<!\bpassing )"
    r"(?<!\bscant )(?<!\bof )(?<!\bmaking )"
    r"\b(?P<word>urine|urinary|urinalysis|orina|urianalisis)(?P<kind>(?:[ -](?:dip\w*|stick|"
    r"analysis|test|sample|spot|random|culture|electrolytes|biochemistry|chemistry|tira|reactiva|"
    r"iones|bioquimica|aislada|de 24 ?h\w*|24 ?h\w*|shows?|showed|with|con))*)"
    r"(?P<colon> ?[:=(])? ?(?P<between>(?:[^.;]|(?<=\d)\.(?=\d))*)$"
)
_IN_URINE = r"\b(?:in|en) (?:the |la )?(?:spot )?(?:urine|orina)\b|\burin(?:e|ary|ari[ao])\b"
_IN_URINE_BEHIND = re.compile(r"[^,.;\d]{0,12}?(?:\b(?:in|en) (?:the |la )?(?:urine|orina)\b)")
_OF_BLOOD = re.compile(
    r"\b(?:serum|blood|plasma|bloods|labs?|venous|arterial|capillary|vbg|abg|sangre|suero|"
    r"analitica|gasometria|gsv|gsa|seric[ao]|plasmatic[ao])\b|\b\d+(?:[.,]\d+)? ?(?:ml|cc|l)\b"
)
_RESULT = re.compile(r"\d|\+|\bneg|\bpos")
# what a stick measures: the rest of a list is of urine only behind a colon
_OF_STICK = {"ph", "glucose", "ketones", "leukocytes", "bilirubin", "albumin", "neutrophils"}
_IRON = r"\b(?:transferrin\w*|iron|hierro|venous|svo2|scvo2)\W*(?:\w+\W*)?$"
# "troponin T 88": the letter is of the protein
_TROPONIN = (
    r"\b(?:c?tn|trop(?:onin[ae]?s?)?)(?:[ -]*(?:\(?(?:hs|us)\)?|de alta sensibilidad))?[ :-]*$"
)
_PER_LITRE = ((r"mmol(?: ?/ ?l)?|meq(?: ?/ ?l)?|mm\b", 1.0),)
_FORMS = {
    "systolic_pressure": _Form(
        r"systolic(?: blood)?(?: pressure| bp)?|sbp|pas|tas|(?:presion |"
        r"tension )?(?:arterial )?sistolica|"
        rf"(?:{_PRESSURE_NAMES})",
        30, 300, ((r"mm ?hg|systolic|palp\w*|sistolica", 1.0),),
    ),
    "diastolic_pressure": _Form(
        r"diastolic(?: blood)?(?: pressure| bp)?|dbp|pad|tad|(?:presion |"
        r"tension )?(?:arterial )?diastolica",
        15, 200, ((r"mm ?hg", 1.0),),
    ),
    "mean_pressure": _Form(
        r"map|pam|tam|mean arterial pressure|(?:presion|tension) arterial media", 15, 200, ((
        r"mm ?hg", 1.0),)
    ),
    "heart_rate": _Form(
        r"hr|heart rate|(?:my|his|her|the) heart (?:is|was) (?:going|beating|racing)|"
        r"pulse(?: rate)?|pulso|f\.?c\.?|frecuencia cardiaca|tachycardi[ac]|"
        r"taquicardi[ac][oa]?|bradycardi[ac]|bradicardi[ac][oa]?",
        10, 330, ((r"bpm|lpm|/ ?min|per minute|por minuto|beats", 1.0),),
    ),
    "respiratory_rate": _Form(
        r"rr|resp(?:iratory)? rate|respirations|f\.?r\.?|frecuencia respiratoria|tachypn(?:ea|"
        r"eic|oea|oeic)|"
        r"taquipne(?:a|ic[oa])",
        3, 150, ((r"rpm|/ ?min|per minute|por minuto|breaths", 1.0),),
    ),
    "saturation": _Form(
        r"sp ?o ?2|sp02|sao2|sat\.? ?o2|o2 sat\w*|sats?|saturations?|saturacion|oxygen saturation|"
        r"pulse ox\w*|satura(?:ndo)?|saturating|desatura\w*|(?:pre|post)-?ductal(?: sat\w*)?|"
        r"(?:my|his|her|the) oxygen(?= (?:is|was|were|level|reading|read|dropped|fell|at \d))|"
        r"(?:mi|el|su) oxigeno(?= (?:es|esta|estaba|era|al?|bajo|baja))|"
        r"oximeter(?: at home)? (?:says|reads|shows|reading)|"
        r"(?:pulsi)?oximetro(?: de casa)?(?: (?:me|le|nos))? (?:marca|da|pone|dice)",
        30, 100, ((r"%|per ?cent|por ciento", 1.0),), refused=_IRON,
    ),
    "temperature": _Form(
        r"temp(?:erature|eratura)?\.?|t[ªº°a]?|fever|fiebre|febrile|febril|febricula|pyrexia",
        24, 45,
        ((r"[°ºo]? ?c(?:elsius)?\b|[°º]|grados|degrees", 1.0), (r"[°ºo]? ?f\b", -1.0)),
        (85, -1.0), refused=_TROPONIN,
    ),
    "glasgow": _Form(
        r"gcs|glasgow(?: coma)?(?: scale| score)?", 3, 15, ((r"/ ?15|points|puntos", 1.0),)
    ),
    "glucose": _Form(
        r"gluc?|glucose|glucosa|glucemia|glycemia|glycaemia|blood sugar|bgl?|bm|glc|cbg|"
        r"finger[- ]?(?:stick|prick)|dextro(?:stix)?|hgt|bmt|dxt|glicemia|hemoglucotest|"
        r"(?:capillary|capilar) glucose",
        0.3, 2500, ((r"mg ?/ ?dl|mg", 1.0), (r"mmol(?: ?/ ?l)?|mill?imol\w*", _PER_MMOL)),
        refused=_FLUIDS,
    ),
    "lactate": _Form(
        r"lactate|lactato|lactic acid|acido lactico", 0.1, 40,
        (*_PER_LITRE, (r"mg ?/ ?dl", 0.111)), refused=_FLUIDS,
    ),
    "ph": _Form(r"ph", 6.5, 7.9, refused=_FLUIDS),
    "bicarbonate": _Form(r"bicarb(?:onate|onato)?|hco3-?|tco2", 1, 60, _PER_LITRE),
    "ketones": _Form(
        r"ketones?|ketona?emia|(?:beta|b|β)?-?(?:hydroxybutyrate|hidroxibutirato)|bhb|cetonas?|"
        r"cetonemia|"
        r"cuerpos cetonicos",
        0, 25, _PER_LITRE, refused=_FLUIDS,
    ),
    "potassium": _Form(r"k\+?|potassium|potasio|kal(?:a?emia|iemia)", 1, 12, _PER_LITRE, refused=
    r"vitamina?\W*$|" + _FLUIDS),
    "sodium": _Form(r"na\+?|sodium|sodio|natremia", 90, 210, _PER_LITRE, refused=_FLUIDS),
    "hemoglobin": _Form(
        r"hb|hgb|ha?emoglobina?", 1.5, 25, ((r"g ?/ ?dl|g%", 1.0), (r"g ?/ ?l", 0.1)), (30, 0.1)
    ),
    "platelets": _Form(
        r"platelets?(?: count)?|plts?|plaquetas|thrombocytes", 0, 3000,
        ((r"x? ?10(?:\^|\*|e)?[93]\S*|k\b|/ ?[uµm]\S*|per|mil\b|g ?/ ?l", 1.0),), (2999, 0.001),
    ),
    "neutrophils": _Form(
        r"neutrophils?(?: count)?|anc|absolute neutrophil count|neutrofilos|neuts?|neutros?|"
        r"n(?= ?[:=]? ?0[.,]\d)", 0, 9.9,
        ((r"x? ?10(?:\^|\*|e)?[93]\S*|k\b|/ ?[uµm]\S*|per|cells|g ?/ ?l", 1.0),), (99, 0.001),
        refused=r"\b(?:vision|visual|va|agudeza|logmar|eyes?|ojos?)\b|" + _FLUIDS,
    ),
    "ammonia": _Form(r"ammonia|amonio|nh3|ammonium", 5, 3000, ((r"(?:[uµμ]|mc|micro)mol\S*|"
    r"mmol\S*", 1.0),)),
    "creatinine": _Form(
        # "Cr 2.4", but not "metformin CR 500 mg"
        r"creatinine|creatinina|s?creat?|"
        r"s?cr(?= ?[:=]? ?\d+(?:[.,]\d+)?(?![.,]?\d| ?mg(?! ?/ ?dl)| ?g\b| ?tab))",
        0.1, 25,
        ((r"mg ?/ ?dl|mg", 1.0), (r"(?:[uµμ]|mc|micro)mol\S*", 0.01131)), (20, 0.01131),
        refused=_FLUIDS,
    ),
    "troponin": _Form(
        r"(?:(?:hs|us|high[- ]sensitivity|ultrasensitive|cardiac)[- ]?)?(?:c?tn[ti]|trop(?:onin"
        r"[ae]?s?)?)(?:[ -](?:[ti]|hs|us|ultrasensible|cardiaca|de alta sensibilidad)){0,2}",
        0, 500000,
        ((r"ng ?/ ?l|pg ?/ ?ml", 1.0), (r"ng ?/ ?ml|(?:[uµμ]|mc)g ?/ ?l", 1000.0)),
    ),
    "pco2": _Form(
        r"pa?\.?co2|presion (?:parcial )?de co2", 8, 200,
        ((r"mm ?hg|torr|mm\b", 1.0), (r"kpa", 7.5006)),
        refused=r"\bvenous (?:blood )?gas|\b(?:vbg|gsv|end[- ]tidal)\b|"
        r"\bgasometria (?:\w+ )?venosa|\b(?:venous|venosa)\W*(?:ph\b[^;]*)?$",
    ),
    "qt_interval": _Form(r"qtc?f?|qt corregido|corrected qt", 250, 800, ((r"ms\w*", 1.0),)),
    "pr_interval": _Form(r"pr(?: interval)?|intervalo pr", 80, 500, ((r"ms\w*", 1.0),)),
    "creatine_kinase": _Form(
        r"ck|cpk|creatine kinase|creatin[ae] ?quinasa|creatincinasa", 5, 500000,
        ((r"(?:i?u|ui?) ?/ ?l", 1.0),),
    ),
    "ferritin": _Form(
        r"ferritina?", 1, 100000, ((r"(?:[uµμ]|mc)g ?/ ?l|ng ?/ ?ml", 1.0),), refused=_FLUIDS
    ),
    "transferrin_saturation": _Form(
        r"(?:transferrin|iron) saturation|saturation of (?:the )?transferrin|tsat|"
        r"saturacion de (?:la )?transferrina|indice de saturacion(?: de (?:la )?transferrina)?|ist",
        1, 100, ((r"%|percent|por ciento", 1.0),),
    ),
    "folate": _Form(
        r"(?:serum )?folate|folic acid|acido folico|folatos?", 0.3, 60,
        ((r"(?:[uµμ]|mc)g ?/ ?l|ng ?/ ?ml", 1.0), (r"nmol(?: ?/ ?l)?", 0.4413)),
    ),
    "transglutaminase_antibody": _Form(
        r"(?:anti-?)?(?:tissue )?-?trans?glutaminas[ae](?: (?:iga|antibod\w+|ab|abs|tisular)){0,3}|"
        r"(?:anti-?)?t?ttg(?:-?2)?(?:[ -](?:iga|antibod\w+|ab|abs)){0,2}",
        0.1, 9000, ((r"(?:i?u|ui?|u\.?a?) ?/ ?m?l", 1.0),),
    ),
    "calcium": _Form(
        r"calcium|calcio|ca(?:2\+|\+\+)?|calc[ae]?emia", 0.8, 5,
        ((r"mg ?/ ?dl", 0.25), *_PER_LITRE), (5, 0.25), refused=_FLUIDS,
    ),
    "tsh": _Form(r"tsh", 0.001, 500, ((r"(?:[uµμ]|m)i?[uU] ?/ ?m?l", 1.0),)),
    "free_thyroxine": _Form(
        r"free t-?4|ft4|t-?4 libre|t4l|free thyroxine|tiroxina libre", 0.05, 12,
        ((r"ng ?/ ?dl", 1.0), (r"pmol(?: ?/ ?l)?", 0.0777)), (7, 0.0777),
    ),
    "cell_volume": _Form(r"mcv|vcm", 40, 150, ((r"fl\b|[uµμ]m3", 1.0),)),
    "leukocytes": _Form(
        r"wcc|wbc|white (?:blood )?cells?(?: count)?|leu[ck]ocytes?|leucocitos|leucos", 0.1, 400,
        ((r"x? ?10(?:\^|\*|e)?[93]\S*|k\b|/ ?[uµm]\S*|per|mil\b|g ?/ ?l", 1.0),), (499, 0.001),
        refused=_FLUIDS,
    ),
    "lymphocytes": _Form(
        r"(?:absolute )?lymphocytes?(?: count)?|linfocitos|alc", 0.01, 9.9,
        ((r"x? ?10(?:\^|\*|e)?[93]\S*|k\b|/ ?[uµm]\S*|per|cells|g ?/ ?l", 1.0),), (99, 0.001),
        refused=_FLUIDS,
    ),
    "eosinophils": _Form(
        r"eosinophils?(?: count)?|eosinofilos|eos", 0.01, 9.9,
        ((r"x? ?10(?:\^|\*|e)?[93]\S*|k\b|/ ?[uµm]\S*|per|cells|g ?/ ?l", 1.0),), (99, 0.001),
        refused=_FLUIDS,
    ),
    "sedimentation_rate": _Form(r"esr|vsg|vs(?= ?[:=]? ?\d)", 1, 160, ((r"mm\S*", 1.0),)),
    "c_reactive_protein": _Form(
        r"crp|pcr|c-?reactive protein|proteina c reactiva", 0.1, 700,
        ((r"mg ?/ ?dl", 10.0), (r"mg ?/ ?l|mg", 1.0)),
    ),
    "alanine_aminotransferase": _Form(
        r"alt|gpt|sgpt|alat", 3, 20000, ((r"(?:i?u|ui?) ?/ ?l", 1.0),)
    ),
    "aspartate_aminotransferase": _Form(
        r"ast|got|sgot|asat", 3, 20000, ((r"(?:i?u|ui?) ?/ ?l", 1.0),)
    ),
    "bilirubin": _Form(
        r"(?:total )?bilirubina?(?: total)?", 0.1, 50,
        ((r"mg ?/ ?dl|mg", 1.0), (r"(?:[uµμ]|mc|micro)mol\S*", 0.0585)), (15, 0.0585),
        refused=_FLUIDS,
    ),
    "albumin": _Form(
        r"albumina?", 0.5, 6.5, ((r"g ?/ ?dl", 1.0), (r"g ?/ ?l", 0.1)), (10, 0.1), refused=_FLUIDS
    ),
    "hemoglobin_a1c": _Form(
        r"hb ?a1c(?: \((?:ifcc|ngsp|dcct)\))?|a1c|ha?emoglobina? glic\w+|glycated ha?emoglobin",
        3, 20, ((r"%", 1.0), (r"mmol(?: ?/ ?mol)?", _A1C_FACTOR)), (20, _A1C_FACTOR),
    ),
    "urate": _Form(
        r"uric acid|urate|acido urico|urico|uricemia", 0.5, 25,
        ((r"mg ?/ ?dl|mg", 1.0), (r"(?:[uµμ]|mc|micro)mol\S*", 0.0168), (r"mmol\S*", 16.81)),
        (30, 0.0168), refused=_FLUIDS,
    ),
    "cholesterol": _Form(
        r"(?:total )?cholesterol|colesterol(?: total)?", 20, 1500,
        ((r"mg ?/ ?dl|mg", 1.0), (r"mmol(?: ?/ ?l)?", 38.67)), refused=r"\b(?:hdl|ldl|vldl)\W*$",
    ),
    "ldl_cholesterol": _Form(
        r"ldl(?:-?c)?(?: cholesterol)?|colesterol ldl|c-?ldl", 10, 1200,
        ((r"mg ?/ ?dl|mg", 1.0), (r"mmol(?: ?/ ?l)?", 38.67)),
    ),
    "receptor_antibody": _Form(
        r"(?:anti-?)?(?:achr|ach-?r|acetylcholine receptor)(?: antibod\w+| ab)?|"
        r"(?:anticuerpos )?anti-? ?r?receptor(?:es)? de acetilcolina|(?:ac )?anti-?rach",
        0.01, 1000, ((r"nmol(?: ?/ ?l)?", 1.0),),
    ),
    "filtration_rate": _Form(
        r"e?gfr(?: ckd-?epi| mdrd)?|filtrado glomerular(?: estimado)?|e?fge?|tfge?|"
        r"(?:estimated )?glomerular filtration rate|ckd-?epi",
        2, 200, ((r"ml ?/ ?min\S*", 1.0),),
    ),
    "octanoylcarnitine": _Form(
        r"octanoyl-?carnitine(?: ?\(c8\))?|octanoilcarnitina(?: ?\(c8\))?|c8(?: ?-?acylcarnitine|"
        r"-?carnitine| ?acilcarnitina)?(?= ?[:=]? ?\d+(?:[.,]\d+)? ?(?:[uµμ]|micro|mc)mol)",
        0.01, 100, ((r"(?:[uµμ]|mc|micro)mol\S*", 1.0),),
    ),
    "alkaline_phosphatase": _Form(
        r"alp|alk\.? ?phos(?:phatase)?|alkaline phosphatase|fosfatasa alcalina", 1, 20000,
        ((r"(?:i?u|ui?) ?/ ?l", 1.0),),
    ),
    "magnesium": _Form(
        r"magnesium|magnesio|mg(?:2\+|\+\+)?(?= ?[:=]? ?[012][.,]\d)|magnesa?emia", 0.1, 5,
        ((r"mg ?/ ?dl", 0.4114), *_PER_LITRE), refused=_FLUIDS + r"|\d ?$",
    ),
    "phosphate": _Form(
        r"phosphate|phosphorus|fosforo|fosfato|fosforemia|po4", 0.1, 5,
        ((r"mg ?/ ?dl", 0.3229), *_PER_LITRE), (2.5, 0.3229), refused=_FLUIDS,
    ),
    "parathyroid_hormone": _Form(
        r"i?pth|parathyroid hormone|parat(?:h|oh)ormona", 0.1, 5000,
        ((r"pg ?/ ?ml|ng ?/ ?l", 1.0), (r"pmol(?: ?/ ?l)?", 9.43)),
    ),
    "morning_cortisol": _Form(
        r"(?:(?:0?[89] ?am|0?[89](?::00|[.]00)?h?|early morning|morning|am) )(?:serum |plasma )?"
        r"cortisol|cortisol (?:basal|matutino|(?:at |a las )?0?[89] ?(?:am|h)|am)",
        0.1, 70, ((r"nmol\S*", 0.03625), (r"(?:[uµμ]|mc)g ?/ ?dl", 1.0)), (40, 0.03625),
    ),
    "fsh": _Form(r"fsh", 0.1, 300, ((r"m?i?u[iI]? ?/ ?m?l", 1.0),)),
    "cobalamin": _Form(
        r"(?:vitamina? )?b12|cobalamina?", 20, 5000,
        ((r"pmol\S*", 1.355), (r"pg ?/ ?ml|ng ?/ ?l", 1.0)),
    ),
    "ceruloplasmin": _Form(
        r"ca?eruloplasmina?", 0.5, 100,
        ((r"mg ?/ ?dl", 1.0), (r"g ?/ ?l", 100.0), (r"mg ?/ ?l", 0.1)),
    ),
    "iq": _Form(r"(?:full[- ]scale )?iq|fsiq|ci(?: total)?|cociente intelectual", 20, 160),
    "eye_pressure": _Form(
        r"(?:iop|pio|(?:intraocular|eye) pressure|(?:presion|tension) (?:intra)?ocular)"
        r"(?:\W{1,2}(?:od|oi|os|ou|r|l|re|le|right|left|(?:ojo )?(?:derecho|izquierdo))\b)?",
        3, 90, ((r"mm ?hg", 1.0),),
    ),
    "paracetamol_level": _Form(
        r"(?:(?:serum|plasma|blood) )?(?:paracetamol|acetaminophen)(?: serum| plasma)? "
        r"(?:levels?|concentration)|paracetamolemia(?: a las? \d{1,2} ?h\w*)?|"
        r"niveles? (?:\w+ )?de paracetamol(?: a las? \d{1,2} ?h\w*)?",
        1, 2000, ((r"(?:m|(?:[uµμ]|mc)g ?/ ?m)g?l?\S*", 1.0), (r"mmol\S*", 151.2)),
    ),
    "salicylate_level": _Form(
        r"(?:(?:serum|plasma) )?(?:salicylate|aspirin)s? (?:levels?|concentration)|"
        r"salicilemia|niveles? de salicilatos",
        1, 3000, ((r"mg ?/ ?dl", 10.0), (r"mmol\S*", 138.1), (r"mg\S*", 1.0)),
    ),
    "capillary_refill": _Form(
        r"cap(?:illary)?\.? ?refill(?: time)?|crt|(?:tiempo de )?(?:relleno|llenado) capilar",
        0.5, 20,
        ((r"s(?:ec\w*|eg\w*)?\b", 1.0),),
    ),
    # of what is predicted; the litres of "FVC 2.4 l" are below the lowest
    "vital_capacity": _Form(
        r"fvc|cvf|(?:forced )?vital capacity|capacidad vital(?: forzada)?", 10, 160,
        ((r"%|per ?cent|por ciento", 1.0),),
    ),
    "diffusing_capacity": _Form(
        r"dlco|tlco|kco|diffusing capacity|capacidad de difusion", 8, 160,
        ((r"%|per ?cent|por ciento", 1.0),),
    ),
    "rheumatoid_factor": _Form(
        r"rheumatoid factor|factor reumatoide|(?:rf|fr)(?= ?[:=]? ?\d+(?:[.,]\d+)? ?(?:i?u|ui) ?/)",
        1, 5000, ((r"(?:i?u|ui?) ?/ ?ml", 1.0),), refused=_FLUIDS,
    ),
    "citrulline_antibody": _Form(
        r"(?:anti-?)?ccp(?: antibod\w+)?|acpas?|anti-?citrulinad[oa]s?|"
        r"(?:ac |anticuerpos )?anti-?(?:peptidos? )?citrulinados?",
        1, 5000, ((r"(?:i?u|ui?) ?/ ?ml", 1.0),),
    ),
}  # fmt: skip
# counts that are written in thousands ("CK 18 400")
_OF_THOUSANDS = frozenset(
    ("creatine_kinase", "platelets", "leukocytes", "neutrophils", "ferritin", "troponin")
)


def _with_value(name: str, names: str) -> str:
    """A pattern of a measure's name with its value behind it."""
    return (
        rf"(?<![\w+./-])(?:{names})(?![\w]){_ASIDE}{_GAP}(?<![\d.,/])"
        rf"{_THOUSANDS if name in _OF_THOUSANDS else _NUMBER}"
        rf"(?:\s?(?P<range>-|–|to|a)\s?(?P<upper>\d+(?:[.,]\d+)?))?"
    )


_BY_NAME = PatternBook(((name, form.names) for name, form in _FORMS.items()), completed=_with_value)
# below this a number without a unit is in the other one: kPa, µg/L and mmol/L
_LEAST = {
    "pco2": (10.0, 7.5006),
    "troponin": (1.0, 1000.0),
    "cholesterol": (20.0, 38.67),
    "ldl_cholesterol": (20.0, 38.67),
    "parathyroid_hormone": (8.0, 9.43),
}
_HIGHEST_IN_CM = 26  # of pressures in centimetres of mercury
# the number first ("110 bpm", "80 systolic")
_BEFORE = {
    "heart_rate": re.compile(rf"(?<![\d./]){_NUMBER}\s?(?:bpm|lpm|beats (?:per|a) minute|"
    rf"beats/min)\b"),
    "respiratory_rate": re.compile(rf"(?<![\d./]){_NUMBER}\s?(?:rpm|breaths (?:per|a) minute)\b"),
    "systolic_pressure": re.compile(rf"(?<![\d./]){_NUMBER}\s?(?:mm ?hg )?(?:systolic|"
    rf"sistolica)\b(?! murmur)"),
    "temperature": re.compile(
        rf"(?<![\d./]){_NUMBER}(?:\s?[°º](?: ?c\b| ?(?!c\b))|"
        r" (?:grados )?de (?:fiebre|temperatura)\b)"
    ),
}  # fmt: skip
# what a number without a name is of instead: an angle, or a fetus
_REFUSED_BEFORE = {
    "temperature": re.compile(
        r"\b(?:flex\w*|exten\w*|lasegue|slr|straight leg|rais\w*|rota\w*|abduc\w*|ad+uc\w*|"
        r"rom|range|angle\w*|angul\w*|cobb|scoliosis|escoliosis|curve|curva|valgus|varus|valgo|varo|"
        r"tilt\w*|head of (?:the )?bed|cabecero|cama|supination|pronation|supinacion|pronacion|"
        r"movilidad|balance articular|decubito|elev\w*|deg(?:ree)?s?|grados)\b[^.;]*$"
    ),
    "heart_rate": re.compile(r"\b(?:fh|fhr|fhh|fo?etal|fcf|lcf)\b[^.;,]{0,20}$"),
}
# "pre-ductal sats 94, post 71"
_POSTDUCTAL = re.compile(r"\bpre-?ductal\b[^.;]{0,20}\d\s?%?\W{0,3}post\W{1,3}(?P<value>\d{2,3})\b")
_GESTATION = re.compile(
    r"(?<![\d.])(?P<before>\d{1,2})(?:\s?\+\s?\d)?[- ]?(?:weeks?|wks?)\W{0,2}(?:pregnant|"
    r"gestation|gravid|"
    r"of (?:pregnancy|gestation|amenorrh)|since (?:her|the|my) last)"
    r"|(?<![\d.])(?P<into>\d{1,2})(?:\s?\+\s?\d)? ?(?:weeks?|wks?) into (?:her|my|the|a) "
    r"(?:\w+ )?pregnan"
    r"|\b(?:i'?m|i am|she is|she's) (?:now )?(?P<am>[1-4]?\d) ?(?:weeks?|wks?)(?: (?:gone|along))?"
    r"(?= *(?:[.,;]|$|and\b|with\b))"
    r"|\b(?:en la|de la|esta de|estoy de|va por la) (?:semana )?(?P<estoy>[1-4]\d)(?:\s?\+\s?\d)?"
    r"(?:ª|a)? semanas?\b(?! de (?!gest|emb))"
    r"|(?P<es>\d{1,2})(?:\s?\+\s?\d)? (?:semanas|sem\.?) (?:de )?(?:gestacion|embarazo|amenorrea)"
    r"|(?:pregnant|pregnancy|(?:primi|multi|secundi)?gravida|primigesta|multigesta|gestante|"
    r"embarazada|embarazo|gestacion|amenorrea|amenorrh\w+)\W{1,3}"
    r"(?:woman |mujer )?(?:of |de |at |con )?(?P<after>\d{1,2})(?:\s?\+\s?\d)?[- ]?(?:weeks?|"
    r"wks?|semanas|sem)\b"
    r"|(?<![\d/])(?P<forty>\d{1,2})(?:\s?\+\s?\d)?\s?/\s?40\b(?!\d|\s?/|\s?mm)"
    r"|\bat (?P<at>\d{1,2}) weeks\b(?=[^.]*\b(?:pregnan|gestat))"
    # "26F, 33 weeks.", but not "26F, 33 weeks of cough"
    r"|^\W*\d{2} ?(?:y/?o? ?)?f(?:emale)?\W{1,2}(?:at )?(?P<woman>[234]\d)(?:\s?\+\s?\d)? ?"
    r"(?:weeks?|wks?|w|/40)(?=\s*(?:[.,;:]|$))"
    # as obstetricians write it: "34w2d"
    r"|(?<![\w.])(?P<written>[1234]\d) ?w(?:(?:ee)?ks?)? ?\+? ?[0-6] ?d?(?:ays?)?\b"
    r"(?! ?(?:old|of age|of life|infant|baby|bab|boy|girl|male|female))"
    # behind an obstetric formula: G3A1V1, 24 sem.; G2P1 at 24+3 w; TPAL 2-0-1-2, 30 wk
    r"|\bg ?\d{1,2}[ ,-]{0,2}(?:(?:ab?|p|v|c|t|l|m|e)[ .]?\d{1,4}[ ,-]{0,2}){1,5}"
    r"(?:(?:at|a|de|con|en|eg|fur|now|pregnant|embarazo|gestante|ga)\W{1,2}){0,3}"
    r"(?P<formula>\d{1,2})(?:\s?\+\s?\d)?\W?(?:/7\W?)?(?:weeks?|wks?|w|semanas?|sem|s)\b"
    r"(?!\W{1,3}(?:of|de|ago|post\w*|after|tras|old)\b(?!\W*(?:gesta|pregn|embaraz|amenorr)))"
    # "EG 35+2", "edad gestacional de 24 semanas", "GA 31+4"
    r"|\b(?:eg|ga|edad gestacional|gestational age)\W{0,3}(?:de |of )?(?P<gestational>[1-4]?\d)"
    r"(?:\s?\+\s?\d|[ -]?(?:weeks?|wks?|semanas?|sem)\b)"
    # weeks and days are those of a pregnancy: "34+2 semanas"
    r"|(?<![\w.,/+-])(?P<days>[234]\d) ?\+ ?[0-6] ?(?:weeks?|wks?|semanas?|sem)\b"
    r"(?! ?(?:old|of age|of life|de vida|de edad|infant|baby|babies|boy|girl|twins?))"
)
# the gestational age behind these is that of a birth ("RN, EG 38+4, Apgar 9/10")
_OF_NEWBORN = re.compile(
    r"\b(?:rn[a-z]{0,3}|recien nacid[oa]s?|neonat(?:es?|[oa]s?)|newborns?|lactantes?|apgar|"
    r"perinatal\w*|al nacer|birth ?weight)\b"
)
# what was or will be in another week ("aspirin stopped at 28/40", "R/V 34/40")
_OTHER_WEEK = re.compile(
    r"(?:(?<!seen )(?<!now )(?<!presents )(?<!presented )(?<!admitted )(?<!pregnant )(?<!is )\bat|"
    r"\b(?:from|since|until|till|by|r ?/ ?v|rv|review|scan|usg?|appt|appointment|booked|due|again|"
    r"steroids|anti-d|iol|induction|delivery|section|lscs|growth)) ?$"
)
_BIRTH = re.compile(
    r"\b(?:born|birth|delivered|premature\w*|preterm|nacid[oa]|nacio|prematur\w+|parto|cesarea)\b"
)
# what follows is a value that is aimed at, compared with or somebody else's
_WANTED = re.compile(
    r"\b(?:targets?|goals?|aim\w*|keep\w*|maintain\w*|titrat\w+|thresholds?|cut-?offs?|limits?|"
    r"criteri\w+|"
    r"enrol\w+|should|between|never|objetivos?|mantener|metas?|umbral|limites?|entre|deberia|if|"
    r"unless|"
    r"whenever|treat|avisar|nunca|si(?! ?,))\b"
    r"|\b(?:normal(?: range| values?)?|ref(?!ill)\w*|range|rango|vn)\W{0,3}$"
)
_TRIAL = re.compile(
    r"\b(?:in|of|from|en|de) (?:a|an|the|un|una|el|la) (?:\w+ )?(?:trial|study|ensayo|estudio)\b"
)
# behind a value that is over ("(K 7,6), resuelta")
_OVER = re.compile(
    r"[^\w.;]{0,4}(?:(?:ya|now|since|has|was|ha sido|fue|posteriormente|later|then)[ ,]{1,2}){0,2}"
    r"(?:resuelt\w+|corregid\w+|normalizad\w+|recuperad\w+|resolved|corrected|normali[sz]ed|"
    r"recovered)\b"
)
# "BP 78/44 after the spinal, came up with 500 ml, no problem since"
_FINE_SINCE = re.compile(
    r"[^.;]{0,90}?[,;] ?(?:and |y )?(?:(?:no|without|sin) (?:more |further |nuev[oa]s |mas )?"
    r"(?:problems?|issues?|episodes?|drops?|trouble|problemas?|incidencias|episodios)|"
    r"(?:stable|normal|fine|none|nil|estable|normales)) (?:ever )?(?:since|desde entonces)"
    r"(?: then)?(?= *(?:[.,;)]|$))"
)
# A measure that is the name of a finding as well.
_FINDING = re.compile(
    r"fever|fiebre|feb|pyrexia|tachy|taqui|brady|bradi|hypotens|hipotens|hypertens|hipertens|"
    r"desatur"
)
_OPENING = re.compile(
    r"(?:[\s:=-]|\b(?:and|with|y|con|vitals?|constantes|on arrival|al llegar)\b)*"
)
_FARED = re.compile(
    r"\b(?:had|has|died|collapsed|suffered|was|were|tuvo|tenia|tiene|sufrio|presento|fallecio|"
    r"murio)\b"
)
_EPISODE = re.compile(
    r"\b(?:(?:19|20)\d\d|ago|hace|admitted|admissions?|ingres\w+|episodi?os?|episodes?|shock|"
    r"arrest|parada)\b"
)
_WORD_OF_CHANGE = re.compile(
    r"\bfrom\b|\b(?:bajado|subido|caido|descendido|aumentado|pasado|baja|sube|cae|desciende|fell|"
    r"fallen|dropped|drops|risen|rose)\b.*\bde(?:sde)?\b"
)
_NOT_A_VALUE = r"[ -]?(?:years?|anos?|weeks?|semanas?|months?|mes|meses|days?|dias?|kg|cm)\b"
_UNIT_AND_MORE = (
    r"\s?(?:mg/dl|mmol(?:/l)?|meq(?:/l)?|g/dl|%|mm ?hg|bpm|lpm|c\b)?"
    r"\s*(?:[,.;]|$|after|tras|on|con|with)"
)
# a number that follows a value without a name: by an arrow, or as that of today
_UNIT_BEHIND = r"(?:\s?(?:%|[a-zµμ°]{1,5}(?:/[a-z]{1,3})?))?"
_NEXT = re.compile(
    rf"{_UNIT_BEHIND}\s?(?P<sign>(?:-+|=+)>|[→➔⟶⇒]|to\b|a\b|hasta\b)\s?"
    r"(?P<number>\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?)"
)
_ALONE = re.compile(
    rf"{_UNIT_BEHIND}\s*(?:[,.;()\]]|$|"
    r"\b(?:and|y|but|pero|with|con|today|now|hoy|ahora|on|in|at|en|a|after|following|tras|despues|"
    r"this|esta)\b)"
)
# a sentence that gives a value of today without its name
_OF_NOW = re.compile(
    r"\W*(?:(?:and|but|y|pero|it is|es) )?(?:now|currently|at present|on (?:repeat|recheck)|"
    r"(?:repeat(?:ed)?|rechecked|repetid[oa])(?: (?!in\b|after\b|if\b|when\b|en\b|tras\b|si\b)"
    r"[a-z]+){0,5}?|ahora|actualmente|en este momento|al repetir(?:la|lo)?)"
    r"\b\W*(?:(?:is|it is|was|at|of|de|es|esta en|en|a)\W+)?"
    r"(?P<number>\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?)(?![\w/]|[.,]\d)"
    rf"(?!{_NOT_A_VALUE})(?={_UNIT_AND_MORE})"
)
# a second value of the same measure, of another sample or another way to measure it
_AGAIN = re.compile(
    r"\b(?:repeat(?:ed)?|re-?check(?:ed)?|re-?test(?:ed)?|(?:second|fresh|new|another) (?:sample|"
    r"specimen)|capillary|finger-?prick|on (?:a |the )?(?:blood )?gas|repetid[oa]|(?:al|se) "
    r"repet\w+|repeticion|(?:segunda|nueva|otra) (?:muestra|determinacion|extraccion)|capilar|"
    r"(?:en|por) (?:la )?gasometria)\b[^.;\d]{0,30}$"
)
_CLOCK = re.compile(r"[:.]\d\d|\s?(?:am|pm|h)\b")
_NO_VALUE = re.compile(
    r"[ -]?(?:tablets?|comp\w*|years?|anos?|weeks?|semanas?|months?|mes|meses|days?|dias?|hours?|"
    r"horas?|h|min\w*|ml|times|veces|puffs?)\b"
)
# mU/L of thyrotropin that only a failing thyroid gives; ng/dL of free thyroxine above the limits of
# laboratories, and ng/dL in a pmol/L
_TSH_OF_FAILURE = 10.0
_HIGH_THYROXINE = 2.0
_PMOL_OF_THYROXINE = 0.0777
_IN_NG = re.compile(r"\s?ng\b")
# behind a value of then: "Na was 126 then"
_SAID_THEN = re.compile(
    r"\s?[a-z%/]{0,7},? (?:then|entonces|at that time|en aquel momento)\s*(?:[.,;)]|$)"
)
# when a test is to be done again: in two weeks, six months, three days
_REPEATED = re.compile(
    r"(?:(?<=\brepeat )|(?<=\brecheck )|(?<=\brpt ))(?:[a-z0-9-]+ ){1,3}(?:in )?"
    r"(?:[1-9]|1[0-2])\s?/\s?(?:52|12|7)\b|\bin (?:[1-9]|1[0-2])\s?/\s?(?:52|12|7)\b"
)
_BARE_NUMBER = re.compile(r"(?<![\w.,/+-])\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?(?![\w/])")
_DIGIT = re.compile(r"\d")
_BELOW = re.compile(r"<|≤|\b(?:below|under|less|menor|inferior)\b")
_ABOVE = re.compile(r">|≥|\b(?:above|over|more|mayor|superior)\b")
_UNIT_AHEAD = re.compile(r"\s?(?:%|mg\b|g\b|ml\b|mcg\b|ug\b|tablets?|comp(?:rimidos?|s)?\b|ui\b|"
    r"units?|h\b|years?|anos|weeks?|days?|dias)")  # fmt: skip


_LAY = r"(?:lying|supine|recumbent|tumbad[oa]|acostad[oa]|(?:en )?decubito(?: supino)?|supino)"
_STOOD = r"(?:standing|upright|de pie|(?:en )?bipedestacion|en ortostatismo)"
_STOOD_UP = re.compile(
    rf"\b{_LAY}\b\W{{0,3}}(?:(?:bp|ta|pa|was|is|de)\W{{1,2}})?(?P<lying>\d{{2,3}}) ?/ ?\d{{2,3}}\b"
    rf"[^;\d]{{0,30}}\b(?P<word>{_STOOD})\b[^;/\d]{{0,25}}(?:\d ?(?:min\w*|')[^;/\d]{{0,6}})?"
    r"(?P<standing>\d{2,3}) ?/ ?\d{2,3}\b"
)
_STANDING_BEHIND = re.compile(
    rf"\b(?P<lying>\d{{2,3}}) ?/ ?\d{{2,3}}[^;.\d]{{0,12}}\b{_LAY}\b[^;\d]{{0,20}}"
    rf"(?P<standing>\d{{2,3}}) ?/ ?\d{{2,3}}[^;.\d]{{0,12}}\b(?P<word>{_STOOD})\b"
)

# "FVC 68 % sitting and 41 % lying"; "FVC sitting 2.4 l, supine 1.3 l"
_SAT = r"(?:sitting|seated|upright|erect|standing|sentad[oa]|(?:en )?sedestacion|de pie)"
_AMOUNT = r"\d{1,3}(?:[.,]\d{1,2})?) ?(?:%|per ?cent|por ciento|l\b|lit\w+)?(?: of predicted)?"
_CAPACITY_NAME = (
    r"\b(?:f?vc|cvf|cv|(?:forced )?vital capacity|capacidad vital(?: forzada)?)\b[^.;\d]{0,20}?"
)
_CAPACITY = (
    re.compile(
        rf"{_CAPACITY_NAME}\b(?P<upright>{_AMOUNT} {_SAT}\b[^.;\d]{{0,20}}(?P<lying>{_AMOUNT}"
        rf" (?:when |on )?(?P<word>{_LAY})\b"
    ),
    re.compile(
        rf"{_CAPACITY_NAME}\b{_SAT}\W{{1,2}}(?P<upright>{_AMOUNT}[^.;\d]{{0,12}}"
        rf"\b(?P<word>{_LAY})\W{{1,2}}(?P<lying>{_AMOUNT}"
    ),
)


# "R arm 192/104, L arm 148/86"; "170/90 in the right arm and 120/70 in the left"
_OTHER_ARM = rf"(?P<other>{_RIGHT_OR_LEFT}|right|left|derecho|izquierdo)"
_IN_ARM = r"(?: ?mm ?hg)?\W{1,2}(?:(?:in|on|en)\W)?(?:(?:the|el)\W)?"
_BOTH_ARMS = (
    re.compile(
        rf"\b(?P<side>{_RIGHT_OR_LEFT})\W{{0,3}}(?:\w+ )?(?P<high>\d{{2,3}}) ?/ ?\d{{2,3}}"
        rf"[^.;\d]{{0,25}}?\b{_OTHER_ARM}\W{{0,3}}(?:\w+ )?(?P<next>\d{{2,3}}) ?/ ?\d{{2,3}}"
    ),
    re.compile(
        rf"(?P<high>\d{{2,3}}) ?/ ?\d{{2,3}}{_IN_ARM}(?P<side>{_RIGHT_OR_LEFT})"
        rf"[^.;\d]{{0,15}}?(?P<next>\d{{2,3}}) ?/ ?\d{{2,3}}{_IN_ARM}{_OTHER_ARM}\b"
    ),
)


@cache
def _named_ahead() -> re.Pattern[str]:
    """The name of a measure, up to a value that is dictated as a single word ("lactate five")."""
    names = "|".join(form.names for form in _FORMS.values())
    return re.compile(rf"(?<![\w+./-])(?:{names})(?!\w){_GAP}$")


_LABORATORY = tuple(name for name in _FORMS if name not in VITAL_SIGNS)
# what an order calls a measure that notes call otherwise
_ORDERED_AS = {
    "sedimentation_rate": "erythrocyte sedimentation rate",
    "tsh": "thyroid-stimulating hormone",
    "hemoglobin_a1c": "hba1c",
}


@cache
def _ordered(name: str) -> re.Pattern[str]:
    """The names of a laboratory value in an order."""
    return re.compile(
        rf"(?:(?:an?|the|plasma|serum|fasting|capillary) )*"
        rf"(?:{_FORMS[name].names}|{_ORDERED_AS.get(name, '(?!)')})(?: \([a-z0-9]+\))?"
    )


def ordered_measure(words: str) -> str | None:
    """The measure that folded words of an order name, and nothing else ("serum urate")."""
    return next((name for name in _LABORATORY if _ordered(name).fullmatch(words)), None)


def laboratory_values_of(folded: str) -> set[str]:
    """The names of the laboratory values that a folded text gives."""
    return {measure.name for measure in measures_of(folded)} & {*_LABORATORY, TITER}


def measures_of(folded: str) -> list[Measure]:
    """The values in a folded sentence, in order; none that is implausible."""
    measures: list[Measure] = []
    folded = in_figures(folded, _named_ahead)
    if not _DIGIT.search(folded) and "+" not in folded:
        return measures
    dating = Dating(folded)
    for text in map(_without_intervals, dating.legible()):
        for source in _SOURCES:
            places = [(measure.start, measure.end) for measure in measures]
            measures += [
                measure
                for measure in source(text)
                if not any(measure.start < end and measure.end > start for start, end in places)
            ]
    measures = _by_thyrotropin(measures, folded)
    measures.sort(key=lambda measure: (measure.start, measure.end))
    dated = list(_dated(measures, folded, dating))
    of_today = {measure.name for measure in dated if measure.when is When.NOW}
    for number, measure in enumerate(dated):
        if measure.when is When.EARLIER:
            when = When.PAST if measure.name in of_today else When.UNSAID
            dated[number] = replace(measure, when=when)
    return sorted(dated, key=lambda measure: (measure.start, measure.end))


def _by_thyrotropin(measures: list[Measure], folded: str) -> list[Measure]:
    """The measures; free thyroxine without a unit is in pmol/L beside a high thyrotropin: "TSH 46,
    fT4 5.1" is a thyroid that fails, and 5.1 ng/dL would be three times the upper limit."""
    if not any(m.name == "tsh" and m.value >= _TSH_OF_FAILURE for m in measures):
        return measures
    return [
        replace(m, value=round(m.value * _PMOL_OF_THYROXINE, 6))
        if m.name == "free_thyroxine"
        and m.value >= _HIGH_THYROXINE
        and not _IN_NG.match(folded, m.end)
        else m
        for m in measures
    ]


def _without_intervals(text: str) -> str:
    """The text without what says when a test is repeated: "CRP in 2/52" is no value."""
    return _REPEATED.sub(lambda match: " " * len(match.group()), text)


def _dated(measures: Sequence[Measure], folded: str, dating: Dating) -> Iterator[Measure]:
    """The measures with what is said of their time, and those that follow them unnamed."""
    named = {(measure.start, measure.end): measure.name for measure in measures}
    bare = [
        match.span()
        for match in _BARE_NUMBER.finditer(folded)
        if measures
        and match.start() >= measures[0].end
        and not any(start < match.end() and end > match.start() for start, end in named)
        and not any(t.start < match.end() and t.end > match.start() for t in dating.times)
        and not _NO_VALUE.match(folded, match.end())
    ]
    values = sorted(
        [Value(*span, name) for span, name in named.items()] + [Value(*span, None) for span in bare]
    )
    whens = dict(
        zip(((value.start, value.end) for value in values), dating.when(values), strict=True)
    )
    for measure in measures:
        later = list(_later(measure, folded))
        is_of_then = _SAID_THEN.match(folded, measure.end) and THEN.search(folded, 0, measure.start)
        when = When.PAST if later or is_of_then else whens[measure.start, measure.end]
        yield _at(measure, when, folded)
        yield from later[-1:]
        following = min((m.start for m in measures if m.start >= measure.end), default=len(folded))
        is_own = True  # a number in between is of something that has no name here: 'IGF-1 712'
        for start, end in bare:
            if measure.end <= start < following and not _ALONE.match(folded, end):
                is_own = is_own and _CLOCK.match(folded, end) is not None
            elif measure.end <= start < following:
                when = whens[start, end]
                is_left = (
                    when is When.DISCHARGE and whens[measure.start, measure.end] is When.ADMISSION
                )
                is_dated = (when is When.NOW or is_left) and dating.is_beside(start, end)
                is_pressure = "/" in folded[start:end] and when is not When.PAST
                is_again = when is not When.PAST and _AGAIN.search(folded, measure.end, start)
                is_own = is_own and bool(is_again or is_dated or is_pressure)
                if is_dated or is_pressure:
                    yield from _unnamed(measure, folded, start, end, when)
                elif is_again and is_own and not _CLOCK.match(folded, end):
                    yield from _unnamed(measure, folded, start, end, When.NOW)


def _at(measure: Measure, when: When, folded: str) -> Measure:
    behind = folded[measure.end :]
    is_over = _OVER.match(behind) is not None or _FINE_SINCE.match(behind) is not None
    return replace(measure, when=When.PAST if is_over else when)


def _later(measure: Measure, folded: str) -> Iterator[Measure]:
    """The values that a measure came to ("K 4.1 -> 5.0 -> 7.4", "Hb fell from 14.1 to 5.2")."""
    is_changed = _WORD_OF_CHANGE.search(folded, measure.start, measure.end) is not None
    end = measure.end
    while match := _NEXT.match(folded, end):
        if match["sign"][0].isalpha() and not is_changed:
            return
        yield from _unnamed(measure, folded, *match.span("number"), When.NOW)
        end = match.end()


def _unnamed(measure: Measure, folded: str, start: int, end: int, when: When) -> Iterator[Measure]:
    """The number at [start, end) as a later value of a measure, if it can be one."""
    parts = folded[start:end].split("/")
    is_of_pressure = measure.name in ("systolic_pressure", "diastolic_pressure")
    if is_of_pressure == (len(parts) == 1) or len(parts) > 2:
        return
    form, behind = _FORMS.get(measure.name), folded[end:]
    value = _number(parts[-1 if measure.name == "diastolic_pressure" else 0].strip())
    if is_of_pressure and _number(parts[0].strip()) <= _number(parts[1].strip()):
        return
    if is_of_pressure and _number(parts[0].strip()) <= _HIGHEST_IN_CM:
        value *= 10
    factor = _factor(form, value, behind) if form else None
    if form is None or factor is None:
        return
    value = _converted(measure.name, value, factor, folded[measure.start : measure.end], behind)
    if form.lowest <= value <= form.highest:
        value = round(value, 4)
        yield replace(measure, value=value, start=start, end=end, is_wanted=False, when=when)


def in_milligrams(measure: Measure, folded: str) -> Measure:
    """A glucose without a unit that was taken for mmol/L, in mg/dL from 20 ("Gluc 34"): the unit of
    Spanish-speaking countries, where no glucose of 20 mmol/L is written without its unit."""
    text = folded[measure.start : measure.end + _UNIT_REACH]
    if measure.name != "glucose" or "mmol" in text:
        return measure
    for match in _BARE.finditer(folded, measure.start, measure.end):
        number = _number(match.group())
        if 20 <= number < 35 and round(number * _PER_MMOL) == round(measure.value):
            return replace(measure, value=number)
    return measure


def continued(name: str, written: str, folded: str) -> Measure | None:
    """The value that a sentence without a name gives of today ("Currently 7.4.") for the measure
    that the sentence before it named with the words `written`; None if it gives none."""
    match = _OF_NOW.match(folded)
    if match is None:
        return None
    text, shift = f"{written} {folded}", len(written) + 1
    named = Measure(name, 0.0, 0, len(written))
    start, end = (position + shift for position in match.span("number"))
    later = next(_unnamed(named, text, start, end, When.NOW), None)
    return replace(later, start=later.start - shift, end=later.end - shift) if later else None


def _number(text: str) -> float:
    """A number with a decimal comma or point; groups of three digits behind it are thousands."""
    whole, _, rest = text.replace(" ", "").replace(",", ".").partition(".")
    if len(rest) == 3 and whole != "0":
        return float(whole + rest)
    return float(f"{whole}.{rest or 0}")


def _placed(name: str, value: float, folded: str, start: int, end: int) -> Measure:
    """The measure with what its clause says, but for its time: from the value before it to its
    own."""
    ahead = folded[: end - 1]
    since = max((ahead[:start].rfind(sign) for sign in (";", ". ")), default=-1)
    numbers = list(re.finditer(r"\d", ahead[:start]))
    near = ahead[max(since, numbers[-1].end() if numbers else 0, 0) :]
    *others, own = re.split(r"[,;(]", folded[:start])
    item = others[-1] if others else ""
    is_listed = _OPENING.fullmatch(own) is not None
    is_bracketed = folded[start - len(own) - 1 : start - len(own)] == "("
    text = folded[start:end]
    return Measure(
        name,
        round(value, 4),
        start,
        end,
        is_wanted=_WANTED.search(near) is not None or _TRIAL.search(folded) is not None,
        is_deniable=any(pattern.search(text) for pattern in (_BELOW, _ABOVE, _FINDING)),
        is_listed=is_listed,
        is_after_kin=_FARED.search(item) is not None,
        is_of_episode=not is_listed or is_bracketed or _EPISODE.search(item) is not None,
        is_after_value=any(sign.isdigit() for sign in item),
    )


def _pressures(folded: str) -> Iterator[Measure]:
    ends: set[int] = set()
    for match in chain(*(form.finditer(folded) for form in _PRESSURE_FORMS)):
        groups = match.groupdict()
        high = float(groups["high"] or groups["next"])
        low = float(groups["low"] or groups["under"])
        if high <= _HIGHEST_IN_CM and low <= 16:
            high, low = high * 10, low * 10  # centimetres of mercury
        end = match.end("low" if groups["low"] else "under")
        if 30 <= high <= 300 and 10 <= low <= 200 and high > low and end not in ends:
            ends.add(end)
            for name, value in (("systolic_pressure", high), ("diastolic_pressure", low)):
                value = _beyond(value, match.group())
                yield _placed(name, value, folded, match.start(), end)


def _beyond(value: float, text: str) -> float:
    """A value that is only said to be below or above a limit lies just beyond it."""
    if _BELOW.search(text):
        return value - 0.01
    return value + 0.01 if _ABOVE.search(text) else value


def _named(folded: str) -> Iterator[Measure]:
    for name, match in _BY_NAME.matches_in(folded):
        form = _FORMS[name]
        value = _number(match["value"])
        end = match.end()
        if match["upper"] and _is_change(match):
            end = match.end("value")
        elif match["upper"]:
            value = (value + _number(match["upper"])) / 2
        behind = match["unit"] or match["units"] or folded[end:]
        if name == "systolic_pressure" and re.match(r"\s?/", behind):
            continue
        if name == "temperature" and re.match(r"\s?/", behind):
            continue
        factor = _factor(form, value, behind)
        if factor is None or (form.refused and re.search(form.refused, folded[: match.start()])):
            continue
        if (name == "ph" or _FLUIDS in form.refused) and _is_of_urine(name, folded, match):
            continue
        value = _converted(name, value, factor, match.group(), behind)
        if form.lowest <= value <= form.highest:
            value = _beyond(value, match.group())
            yield _placed(name, value, folded, match.start(), end)


def _is_of_urine(name: str, folded: str, match: re.Match[str]) -> bool:
    """Whether urine names the specimen of a value, not something that is passed."""
    if re.search(_IN_URINE, match.group()) or _IN_URINE_BEHIND.match(folded, match.end()):
        return True
    if "emia" in match.group():
        return False
    heading = _URINE.search(folded, 0, match.start())
    if heading is None:
        return False
    *items, last = re.split(r",(?!\d)", heading["between"])
    if last.strip() or _OF_BLOOD.search(heading["between"]):
        return False
    if not items:
        return True
    is_list = heading["colon"] is not None and "dip" not in heading["kind"]
    may_follow = heading["word"] != "urinary" and (is_list or name in _OF_STICK)
    return may_follow and all(_RESULT.search(item) for item in items)


def _is_change(match: re.Match[str]) -> bool:
    """Whether two numbers are before and after, not the ends of a range."""
    is_word = match["range"].isalpha()
    return is_word and _WORD_OF_CHANGE.search(match.group()) is not None


def _factor(form: _Form, value: float, behind: str) -> float | None:
    """What the number is multiplied by; None if its unit is not one of the measure."""
    for unit, factor in form.units:
        if re.match(rf"\s?(?:{unit})", behind):
            is_other = form.otherwise and value > form.otherwise[0] and factor == 1.0
            return form.otherwise[1] if form.otherwise and is_other else factor
    if _UNIT_AHEAD.match(behind):
        return None
    return form.otherwise[1] if form.otherwise and value > form.otherwise[0] else 1.0


def _converted(name: str, value: float, factor: float, text: str, behind: str) -> float:
    if name == "hemoglobin_a1c" and factor != 1.0:
        return value * factor + _A1C_OFFSET
    if factor < 0:
        return (value - 32) / 1.8  # degrees Fahrenheit
    if name == "glucose" and factor == 1.0 and value < 35 and not re.match(r"\s?mg", behind):
        if value >= 20 and _OF_MG.search(text):
            return value
        return value * _PER_MMOL  # no one writes so little in mg/dL without saying so
    is_bare = not re.match(r"\s?pg\b", behind)
    if factor == 1.0 and is_bare and value < _LEAST.get(name, (0.0, 1.0))[0]:
        return value * _LEAST[name][1]
    return value * factor


def _counted(folded: str) -> Iterator[Measure]:
    for name, pattern in _BEFORE.items():
        for match in pattern.finditer(folded):
            value = _number(match["value"])
            refused = _REFUSED_BEFORE.get(name)
            if refused and refused.search(folded, 0, match.start()) and match.group()[-1] != "c":
                continue
            if _FORMS[name].lowest <= value <= _FORMS[name].highest:
                yield _placed(name, value, folded, match.start(), match.end())


def _postductal(folded: str) -> Iterator[Measure]:
    for match in _POSTDUCTAL.finditer(folded):
        if 30 <= float(match["value"]) <= 100:
            yield _placed("saturation", float(match["value"]), folded, *match.span("value"))


def _gestation(folded: str) -> Iterator[Measure]:
    if _BIRTH.search(folded):
        return
    for match in _GESTATION.finditer(folded):
        weeks = float(next(group for group in match.groups() if group))
        is_short = match["forty"] or match["days"]
        is_other = is_short and _OTHER_WEEK.search(folded, 0, match.start())
        is_aged = match["gestational"] or match["days"]
        is_other = is_other or (is_aged and _OF_NEWBORN.search(folded))
        if 3 <= weeks <= 44 and not is_other:
            yield _placed("gestation_weeks", weeks, folded, match.start(), match.end())


def _postural(folded: str) -> Iterator[Measure]:
    """By how much the systolic pressure falls on standing, in mmHg."""
    for match in chain(_STOOD_UP.finditer(folded), _STANDING_BEHIND.finditer(folded)):
        fall = float(match["lying"]) - float(match["standing"])
        if 0 < fall <= 150:
            yield _placed("postural_fall", fall, folded, *match.span("word"))


def _of_arms(folded: str) -> Iterator[Measure]:
    """By how much the systolic pressures of the two arms differ, in mmHg."""
    for pattern in _BOTH_ARMS:
        for match in pattern.finditer(folded):
            sides = {_RIGHT.search(match[side]) is None for side in ("side", "other")}
            difference = abs(float(match["high"]) - float(match["next"]))
            if len(sides) == 2 and difference <= 150:
                yield _placed("arm_difference", difference, folded, *match.span("other"))


def _on_lying(folded: str) -> Iterator[Measure]:
    """By how much the vital capacity falls on lying down, in % of what it is upright."""
    for pattern in _CAPACITY:
        for match in pattern.finditer(folded):
            upright, lying = _number(match["upright"]), _number(match["lying"])
            if 0 < lying < upright <= 150:
                fall = 100 * (upright - lying) / upright
                yield _placed("supine_fall", fall, folded, *match.span("word"))


# the field of a stick and its plus signs ("blood +++", "protein 2+")
_STICK = re.compile(
    r"\b(?:(?P<blood>blood|ha?ematuria|erythrocytes|sangre|hematies|hematuria)|protein(?:uria|as?)?)"
    r"\b(?:[\s:=(]|\b(?:of|is|was|shows|de)\b){0,4}(?P<plus>\+{1,4}|[1-4] ?\+)(?!\w)(?!ve)"
)


def _of_stick(folded: str) -> Iterator[Measure]:
    """The plus signs of a urine stick."""
    for match in _STICK.finditer(folded):
        plus = match["plus"]
        name = "urine_blood" if match["blood"] else "urine_protein"
        value = float(plus[0]) if plus[0].isdigit() else float(len(plus))
        yield _placed(name, value, folded, *match.span())


# "arm span 192 cm, height 178 cm" in either order
_SPAN = r"(?:arm ?span|envergadura)\b[^.;\d]{0,15}(?P<span>\d{2,3}(?:[.,]\d+)?) ?(?:cm)?"
_TALL = r"(?:height|tall|talla|mide|stature)\b[^.;\d]{0,10}(?P<height>\d{2,3}(?:[.,]\d+)?) ?(?:cm)?"
_SPANS = (
    re.compile(rf"\b{_SPAN}[^;\d]{{0,25}}\b{_TALL}"),
    re.compile(rf"\b{_TALL}[^;\d]{{0,25}}\b{_SPAN}"),
    re.compile(rf"\b{_SPAN}[^;\d]{{0,12}}\b(?:for|con|de)\b[^;\d]{{0,12}}(?P<height>\d{{3}}) ?cm"),
)


def _of_span(folded: str) -> Iterator[Measure]:
    """How much wider the arms are than the body is tall, as a ratio."""
    for pattern in _SPANS:
        for match in pattern.finditer(folded):
            ratio = _number(match["span"]) / _number(match["height"])
            if 0.7 <= ratio <= 1.4:
                yield _placed("span_ratio", ratio, folded, *match.span("span"))


TITER = "antinuclear_titer"
_TITER = re.compile(
    r"(?<![\w-])(?:antinuclear (?:antibod(?:y|ies)|factor)|anticuerpos antinucleares|anas?|anf|"
    r"aan)\b"
    r"[^.;,\d]{0,25}?1 ?[/:] ?(?P<value>\d{2,5})(?!\d)"
)


def _of_antibodies(folded: str) -> Iterator[Measure]:
    """The titer of antinuclear antibodies, as its second number ("ANA 1/640", "ANA + 1:320")."""
    for match in _TITER.finditer(folded):
        yield _placed(TITER, float(match["value"]), folded, *match.span())


_SOURCES = (
    *(_of_antibodies, _of_stick, _of_span, _on_lying, _of_arms, _postural),
    *(_pressures, _named, _counted, _postductal, _gestation),
)
