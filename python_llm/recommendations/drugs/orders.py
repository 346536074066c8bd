"""How a drug is ordered: route, speed, frequency, target, and whether it is stopped.

`order:` findings stand beside those of the patient in the conditions of drug_rules, so a rule can
forbid a route or a speed ("potassium as an intravenous push"), or that a drug is stopped ("stop
clopidogrel" soon after a stent).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

ORDER = "order:"
STOP = f"{ORDER}stop"
KEPT = f"{ORDER}kept"
INCREASED = f"{ORDER}increased"
# No action names what the order has to be watched by (safe_with of its rule).
UNWATCHED = f"{ORDER}unwatched"
UNMONITORED = f"{ORDER}unmonitored"
# A drug is to keep an arrhythmia from occurring (cues against_arrhythmia).
AGAINST_ARRHYTHMIA = f"{ORDER}against_arrhythmia"
_WORDS: Mapping[str, frozenset[str]] = {
    "iv": frozenset(
        (
            *("iv", "ivp", "ev", "intravenous", "intravenously", "vein", "vena", "venosa"),
            *("intravenosa", "intravenoso", "endovenosa", "endovenoso", "intravenosamente"),
            *("intravenosas", "intravenosos", "endovenosas", "endovenosos"),
        )
    ),
    "im": frozenset(
        [
            "im",
            "intramuscular",
            "intramuscularly",
            "thigh",
            "deltoid",
            "buttock",
            "gluteal",
            "gluteo",
            "muslo",
            "intramuscularmente",
            "intramusculares",
        ]
    ),
    "intrathecal": frozenset(
        (
            *("intrathecal", "intrathecally", "intratecal", "intratecalmente", "intraspinally"),
            "intratecales",
        )
    ),
    "epidural": frozenset(["epidurally", "peridurally", "epiduralmente", "epidurales"]),
    "bolus": frozenset(
        ["bolus", "boluses", "bolo", "bolos", "push", "ivp", "embolada", "emboladas"]
    ),
    "push": frozenset(["push", "undiluted", "ivp", "rapidly", "rapidamente"]),
    "nebulized": frozenset(
        [
            "nebulized",
            "nebulised",
            "neb",
            "nebs",
            "nebulizer",
            "nebuliser",
            "inhaled",
            "nebulizado",
            "nebulizada",
        ]
    ),
    "subcutaneous": frozenset(
        [
            "sc",
            "subcutaneous",
            "subcutaneously",
            "subcutanea",
            "subcutaneo",
            "subcutaneas",
            "subcutaneos",
        ]
    ),
    "oral": frozenset(
        (
            *("oral", "orally", "po", "vo", "capsules", "capsule", "mouth", "tablet", "tablets"),
            *("syrup", "comprimidos", "comprimido", "jarabe", "orales"),
        )
    ),
    "preventive": frozenset(
        (
            *("preventive", "prophylactic", "prophylaxis", "prophylactically", "profilaxis"),
            *("profilactica", "profilacticas", "preventiva", "thromboprophylaxis"),
        )
    ),
    "increased": frozenset(
        (
            *("double", "triple", "quadruple", "increase", "uptitrate", "escalate", "raise"),
            *("duplicar", "aumentar", "doblar", "triplicar", "subir", "aumente", "uptitration"),
            *("doubling", "increasing", "raising", "suba", "sube", "duplique", "doble"),
            *("incrementar", "incremente", "elevar", "aumentarse", "subirse", "doblarse"),
        )
    ),
    "decreased": frozenset(
        (
            *("halve", "halved", "halving", "reduce", "reduced", "lower", "decrease"),
            *("reducir", "reduzca", "bajar", "mitad", "disminuir"),
        )
    ),
    "peripheral": frozenset(["peripheral", "periferica"]),
    "daily": frozenset(
        (
            *("daily", "day", "diario", "diaria", "diariamente", "od", "qd", "nightly"),
            *("diarios", "diarias", "everyday", "mornings"),
        )
    ),
    "weekly": frozenset(["weekly", "week", "semanal", "semana", "semanales"]),
    "high_flow": frozenset(("reservoir", "rebreather", "nonrebreather", "rebreathe", "reservorio")),
    "sublingual": frozenset(("sublingual", "sublingually", "tongue")),
    "patch": frozenset(("patch", "patches", "parche", "parches", "transdermal", "transdermico")),
    "enteric": frozenset(("enteric", "coated", "enterica", "gastrorresistente", "gastroresistant")),
    "topical": frozenset(("topical", "topically", "gel", "cream", "crema", "topico", "topica")),
}
_PHRASES: Mapping[str, tuple[str, ...]] = {
    "increased": (
        *("be increased", "be raised", "be doubled", "is increased", "is raised", "is doubled"),
        *("step up", "put up", "go up on", "bump up", "push up", "turn up", "se aumenta"),
        *("double dose", "extra dose", "additional dose", "second dose", "twice the"),
        *("extra tablet", "additional tablet", "both doses", "make up for", "making up for"),
        *("compensate for", "catch up", "dosis extra", "dosis adicional", "doble dosis"),
        *("dosis doble", "las dos dosis", "compensar la", "recuperar la", "se sube", "se duplica"),
    ),
    "iv": (
        *("through the cannula", "via the cannula", "through the line", "por la via"),
        *("into the cannula", "into his cannula", "into her cannula", "into a cannula"),
        *("down the cannula", "into the line", "down the line", "into the drip"),
        *("into the venflon", "through the venflon", "through the drip", "por la canula"),
        *("por el cateter", "en la canula", "por el venflon"),
    ),
    "daily": (
        *("every 24", "every morning", "every evening", "every night", "cada 24", "cada dia"),
        *("each morning", "each evening", "each night", "todas las mananas", "todas las noches"),
        *("al dia", "todos los dias", "por dia", "cada manana", "cada noche"),
    ),
    "per_minute": ("per minute", "a minute", "por minuto", "each minute", "every minute"),
    "high_flow": (
        *("high flow", "alto flujo", "15 l", "15 liters", "15 litres", "100 oxygen"),
        *("oxygen 100", "oxigeno al 100", "oxigeno 100"),
    ),
    "bitten": (
        *("bite and swallow", "to bite", "bitten", "bite the capsule", "chew the capsule"),
        *("chewed and swallowed", "morder", "masticar la capsula", "mordida"),
    ),
    "immediate_release": (
        *("immediate release", "short acting", "liberacion inmediata", "accion corta"),
        *("liberacion rapida", "quick release"),
    ),
    "for_kidneys": (
        *("renal dose", "renal dosing", "kidney dose", "low dose", "protect the kidneys"),
        *("renal protection", "renal perfusion", "renoprotective", "protect renal function"),
        *("dosis renal", "dosis bajas", "dosis baja", "dosis diuretica", "proteger el rinon"),
        *("proteger los rinones", "proteccion renal", "help the kidneys", "for the kidneys"),
        *("support the kidneys", "kidney function", "improve urine output", "ayudar al rinon"),
    ),
    "with_meals": (
        *("before every meal", "before each meal", "before meals", "with meals", "with each meal"),
        *("with every meal", "at meals", "mealtimes", "antes de cada comida", "con las comidas"),
        *(
            "antes de las comidas",
            "con cada comida",
            "sliding scale",
            "pauta movil",
        ),
    ),
    "oxygen_driven": ("driven by oxygen", "oxygen driven", "con oxigeno como gas", "via oxygen"),
    "every_day": (
        *("seven days a week", "7 days a week", "every single day", "siete dias a la semana"),
        *("7 dias a la semana", "todos los dias de la semana"),
    ),
    "single_dose": ("single dose", "one dose only", "dosis unica", "una sola dosis"),
    "once_weekly": ("once weekly", "once a week", "every week", "una vez a la semana"),
    "then_none": (
        *("then none", "then nothing", "then stop", "and stop", "then no more", "luego nada"),
        *("luego suspender", "y suspender", "y parar", "then off"),
    ),
    "for_life": (
        *("for life", "lifelong", "life long", "indefinitely", "long term", "permanently"),
        *("for ever", "forever", "de por vida", "indefinidamente", "a largo plazo"),
    ),
    "intrathecal": (
        *("into the csf", "into the spinal canal", "by lumbar puncture", "via lumbar puncture"),
        *("through the spinal needle", "via the spinal needle", "down the spinal needle"),
        *("into the spine", "into the spinal fluid", "into the cerebrospinal fluid"),
        *("into the thecal sac", "por puncion lumbar", "por la aguja espinal"),
        *("en el liquido cefalorraquideo", "en el lcr"),
    ),
    "epidural": (
        *("epidural injection", "epidural infusion", "epidural bolus", "epidural route"),
        *(
            "by epidural",
            "via epidural",
            "via the epidural",
            "through the epidural",
            "into the epidural",
        ),
        *("por via epidural", "inyeccion epidural"),
    ),
    "push": (
        "iv push",
        "rapid bolus",
        "rapid injection",
        "quick injection",
        "fast injection",
        "over one minute",
        "over a minute",
        "over two minutes",
        "as fast as",
        *("iv directa", "iv directo", "ev directa", "ev directo", "venosa directa", "sin diluir"),
        *("bolo directo", "bolo rapido", "bolus directly"),
        *("intravenosa directa", "intravenoso directo", "endovenosa directa", "directly iv"),
    ),
}
# what is given into a vein over hours or at a rate; anything else with a dose is injected
_INFUSED = frozenset(
    (
        *("infusion", "infusions", "infuse", "infusing", "infused", "drip", "pump", "driver"),
        *("perfusion", "infundir", "infunda", "bomba", "goteo", "gotero", "continuous", "continua"),
    )
)
_ONE_DOSE = re.compile(
    r"\b\d+(?:\.\d+)? ?(?:mg|milligrams?|miligramos|mcg|ug|micrograms?|microgramos|ml|ampou?les?|"
    r"amps?|vials?|ampollas?)\b"
    r"(?! (?:per |a |por )?(?:kg )?(?:per |a |por )?(?:min|minute|minuto|h|hr|hour|hora)\b)"
)
# whatever the drug is: said of the whole action, wherever in it
_WATCHED = (
    r"(?:(?:blood|clotting|kidney) tests?|levels?|monitor(?:ing)?|inr|aptt|potassium|checks?)"
)
_INSTEAD = (
    r"\b(?:instead of|in place of|in lieu of|rather than|replacing|without|no|not|stop\w*|drop"
    r"|en lugar de|en vez de|sin|suspend\w+|retirar|quitar|dejar)"
)
_NEEDLESS = r"(?:needed|necessary|required|checked|measured)"
_OF_THE_ACTION: Mapping[str, re.Pattern[str]] = {
    "unmonitored": re.compile(
        rf"\b(?:no|without|not need|skip|omit|off) (?:\w+ ){{0,3}}{_WATCHED}\b"
        rf"|\b{_WATCHED}\b[^.]{{0,30}}\b(?:need not|needs? no|not (?:be )?{_NEEDLESS}"
        rf"|unnecessary|superfluous)\b"
        rf"|\b{_WATCHED}\b[^.]{{0,12}}\b(?:omitted|skipped)\b"
        r"|\b(?:unmonitored|unobserved|unattended|sin monitorizacion|sin controles?)\b"
    ),
    "alone": re.compile(
        r"\b(?:alone|monotherapy|by itself|sola|solo|monoterapia"
        r"|(?:sole|only|single|unic[oa]) (?:\w+ )?(?:treatment|therapy|drug|agent|tratamiento)"
        r"|(?:tratamiento|farmaco) unico)\b"
    ),
    "alongside": re.compile(
        r"(?<!not )(?<!no )(?<!without )(?<!sin )\b(?:alongside|on top of|in addition to"
        r"|together with|at the same time as|as well as|overlapp?\w*|junto (?:a|con)|ademas del?"
        r"|a la vez que|encima del?|solapa\w*)\b"
    ),
    "no_inhaler": re.compile(
        rf"(?:{_INSTEAD} (?:\w+ ){{0,3}}"
        r"|\b(?:replac\w+|swap|sustituir) (?:the|his|her|all|every|both|el|los|todos) (?:\w+ )?)"
        r"(?:inhale\w+|inhalador\w*|puffers?)\b"
    ),
    # beside a drug that changes the level of another, nothing is adapted to it
    "unadapted": re.compile(
        r"\b(?:same dose|doses? unchanged|unchanged dose|as before|no (?:dose )?adjustment"
        r"|(?:a la |la )?misma dosis|sin (?:tocar|ajustar|cambiar|modificar))\b"
        r"|\binr\b[^.]{0,20}\b(?:[3-9]|three|four|six|eight|tres|cuatro|seis|ocho)"
        r" (?:weeks|months|semanas|meses)\b"
    ),
    "no_anticoagulant": re.compile(
        rf"{_INSTEAD} (?:\w+ ){{0,3}}(?:anticoag\w+|heparin\w*|doacs?|blood thinners?)\b"
    ),
    "up_to_surgery": re.compile(
        r"\b(?:(?:morning|day) of (?:the |her |his )?(?:surgery|operation|procedure)"
        r"|(?:manana|dia) de la (?:cirugia|operacion|intervencion)"
        r"|(?:up to|until|hasta) (?:the |la |el )?(?:surgery|operation|quirofano|cirugia"
        r"|intervencion)|without (?:a |any )?(?:break|interruption) (?:for|before) (?:the )?"
        r"(?:surgery|operation))\b"
    ),
    "rarely_watched": re.compile(
        r"\b(?:glucose|bms?|aptt|anti-?xa|potassium|ecg|glucemia|potasio)\b[^.]{0,15}\b(?:once|twice"
        r"|daily|weekly|tomorrow|in the morning|una vez|diari[ao]|semanal|manana)\b"
        r"|\b(?:daily|weekly) (?:glucose|aptt|potassium|bms?)\b"
    ),
    "second_line": re.compile(
        r"^(?!.*\b(?:repeat\w*|again|second dose|further doses?|repetir|otra dosis)\b)"
        r".*(?:\bonly (?:if|when|once)\b|\bif (?:there is )?no (?:response|improvement)\b"
        r"|\bif \w+ (?:fails?|do(?:es)? not help))"
    ),
    "thiamine_later": re.compile(
        r"\b(?:thiamine|tiamina|pabrinex)\b[^.]{0,25}\b(?:tomorrow|later|afterwards|next|manana"
        r"|despues|luego|mas tarde)\b|\b(?:before (?:any |the )?thiamine|antes de (?:la )?tiamina"
        r"|(?:then|luego|despues) (?:la )?(?:thiamine|tiamina)"
        r"|(?:no|without|sin) (?:thiamine|tiamina))\b"
    ),
    "crushed_release": re.compile(
        r"\b(?:crush\w*|chew\w*|halv\w+|split\w*|tritur\w+|machac\w+|mastic\w+|partir)\b"
        r"(?: [\w.]+){0,8}? (?:la(?! (?!and|or|tab|cap)[a-z])|sr|xl|mr|er|xr|cr|retard"
        r"|(?:extended|modified|sustained|prolonged|slow)(?: release)?|oros"
        r"|liberacion (?:prolongada|sostenida|modificada))\b"
        r"|\b(?:la(?! (?!and|or|tab|cap|crush|chew|halv|split)[a-z])|sr|xl|mr|er|xr|cr|retard"
        r"|(?:extended|modified|sustained|prolonged|slow) release"
        r"|liberacion (?:prolongada|sostenida|modificada))\b(?: [\w.]+){0,8}?"
        r" (?:crushed|chewed|halved|split|triturad[oa]s?|machacad[oa]s?|partid[oa]s?)\b"
    ),
    "first_alone": re.compile(r"\bbefore (?:any )?(?:alpha|thiamine|adrenaline|epinephrine)"),
}
# as they are looked for in a text of whole words
_APART = {name: tuple(f" {phrase} " for phrase in told) for name, told in _PHRASES.items()}
OVERLAP = f"{ORDER}overlap"
_UNTIL_INR = re.compile(
    r"\b(?:until|till|hasta)\b[^.]{0,40}\binr\b[^.]{0,30}\b(?:2|two|dos|therapeutic|range|rango"
    r"|terapeutico)\b|\binr\b[^.]{0,40}\b(?:2|two|dos|therapeutic|range|rango)\b[^.]{0,40}"
    r"\b(?:stop|discontinue|suspender|retirar)\b|\b(?:stop|discontinue|suspender|retirar)\b[^.]{0,40}"
    r"\b(?:once|when|cuando)\b[^.]{0,20}\binr\b"
)
# What a recommendation gives later than the rest of it, as a finding of the other drugs.
LATER = "later:"
NAMES = frozenset(
    (
        *(ORDER + name for name in (*_WORDS, *_PHRASES, *_OF_THE_ACTION)),
        *(OVERLAP, f"{ORDER}five_litres", f"{ORDER}intraocular"),
        *(
            STOP,
            AGAINST_ARRHYTHMIA,
            f"{ORDER}saturation_above_92",
            f"{ORDER}minutes",
            f"{ORDER}within_hour",
        ),
        *(KEPT, UNWATCHED, f"{ORDER}injected", f"{ORDER}infused", f"{ORDER}over_hours"),
    )
)
_STOPPING = frozenset(
    (
        *("stop", "stopping", "discontinue", "discontinuing", "withhold", "hold", "cease"),
        *("withdraw", "suspend", "omit", "suspender", "retirar", "suspenda", "retire", "stopped"),
        *("remove", "interrupt", "interrumpir", "parar", "pare", "quitar"),
        *("halt", "halting", "terminate", "terminating"),
        *("quite", "detener", "detenga", "pause", "pausar", "suspendan", "retirada", "suspende"),
        *("retira", "quita", "elimina", "eliminar", "deprescribe"),
        *("omitting", "omitir", "omita", "omite", "saltar", "saltarse", "interrumpa", "pausa"),
    )
)
# Verbs of other things, too: they stop a drug where they open their part ("drop the clonidine", and
# not "a drop of timolol").
_OPENS_A_STOP = frozenset(
    (
        "end",
        "drop",
        "scrap",
        "ditch",
        "bin",
        "abandon",
        "quit",
        "suspende",
        "retira",
        "elimina",
        "skip",
    )
)
_STOPPING_PAIRS = frozenset(
    (
        *(("no", "more"), ("do", "without"), ("cut", "out"), ("leave", "off")),
        *(("ya", "no"), ("nada", "de"), ("dejar", "de"), ("deje", "de"), ("se", "suspende")),
        *(("se", "retira"), ("se", "elimina"), ("se", "quita"), ("se", "omite")),
        ("prescindir", "de"),
    )
)
# "clonidine should be stopped", "clonidine comes off", "la clonidina se retira"
_STOPPED_BEHIND = re.compile(
    r"^(?:(?!(?:not|never|no|nunca|sin|without|if|until|unless|and|y|but|pero|then|luego|while|or|plus"
    r"|with|con|after|before|once|when|cuando)\b)\w+ ){0,5}?"
    r"(?:stopped|discontinued|withdrawn|suspended|ceased|omitted|halted|terminated|dropped"
    r"|withheld|held|skipped|paused|left out|omitid[oa]|omite|omitirse"
    r"|cut out|left off|taken off|(?:comes?|goes) off|suspendid[oa]|suspende|suspenderse"
    r"|retirad[oa]|retira|retirarse|interrumpid[oa]|fuera)\b"
)
# "12 hours after the intrathecal catheter": a procedure, and not the route of the drug.
_PROCEDURE = frozenset(
    (
        *("catheter", "puncture", "block", "anesthesia", "anaesthesia", "analgesia", "hematoma"),
        *("pump", "drain", "needle", "cateter", "anestesia", "puncion", "bomba"),
        *("access", "acceso"),
    )
)
_DENIED = frozenset(("not", "never", "don", "no", "without", "nunca", "sin"))
_NOT_SO = _DENIED | {"avoid", "avoiding", "than", "evitar", "evite", "rather"}
# what is done beside giving the drug: "0.5 mg IM and place an IV line"
_ACTS = frozenset(
    (
        *("obtain", "place", "insert", "secure", "establish", "get", "site", "check", "take"),
        *("canalizar", "canalice", "obtener", "coger", "colocar", "extraer"),
    )
)
# what begins the next order: what stands behind it is not of the drug before it
_JOINS = frozenset(
    ("and", ",", "then", "plus", "with", "y", "e", "con", "luego", "mas", "followed")
)
_SPEED = r"\b(?:over|within|in|during|en) (?:the |about |only )?"
_OVER_MINUTES = re.compile(
    _SPEED + r"(?:a|one|two|three|four|five|un|dos|tres|cuatro|cinco|[1-5])(?: to \w+)?"
    r" (?:minutes?|mins?|minutos?)\b"
)
_OVER_TWO_MINUTES = re.compile(
    _SPEED + r"(?:a|one|two|un|uno|dos|1|2) (?:minutes?|mins?|minutos?)\b(?! (?:hours?|h)\b)"
)
_OVER_SECONDS = re.compile(_SPEED + r"(?:\w+ ){0,2}(?:seconds?|secs?|segundos?)\b")
_WITHIN_HOUR = re.compile(
    _SPEED + r"(?:ten|fifteen|twenty|thirty|half an|a quarter of an|[6-9]|[1-4]\d)(?: to \w+)? "
    r"(?:minutes?|mins?|minutos?|hour)\b"
)
# four hours or more
_OVER_HOURS = re.compile(
    _SPEED
    + r"(?:[4-9]|[12]\d|four|six|eight|ten|twelve|cuatro|seis|ocho|doce) (?:h|hours?|horas?)\b"
)
_TO_NOTHING = re.compile(r"\b(?:to|a) (?:zero|nothing|none|nil|0|cero|nada)\b(?!\.\d| point)")
_SATURATION = re.compile(
    r"\b(?:saturations?|spo2|sats?|sao2|sato2|saturacion|saturar|saturating)\b"
    r"(?: \w+){0,5}? (?:\d\d )?(\d{2,3})(?:\.\d+)?\b"
)
_LATE = frozenset(
    (
        *("tomorrow", "later", "afterwards", "next", "manana", "despues", "luego", "mas", "follow"),
        *("subsequently", "eventually", "posteriormente", "tonight", "evening", "noche", "tarde"),
    )
)
_AFTER = frozenset(("once", "when", "after", "cuando", "tras"))
_OFTEN = frozenset(("a", "daily", "weekly", "nightly", "per", "every", "each", "in", "only"))
# "oxygen to 99 %", "oxígeno por encima del 98 %": no concentration is that high but pure oxygen's
_OXYGEN_TO = re.compile(
    r"\b(?:oxygen|oxigeno|o2)\b(?: (?!fio2)(?:,|[a-z]\w*)){0,9}? (?:\d\d (?:to |a |y )?)?"
    r"(9[3-9]|100)\b(?! (?:ml|mg|l|kg|h|hours|min|years|mmhg)\b)"
)
# more than four litres a minute, by nasal prongs or a simple mask
_LITRES = re.compile(r"\b([5-9]|1\d|\d0)(?:\.\d)? ?l(?:itr\w+|iters?|pm)?\b")
# What tells that something is said of all drugs of a list.
_ALL_OF_THEM = frozenset(("both", "all", "each", "ambos", "ambas", "todos", "todas"))
_ALL_PAIRS = frozenset(
    (
        *(("los", "dos"), ("las", "dos"), ("los", "tres"), ("las", "tres"), ("cada", "uno")),
        *(("cada", "una"), ("the", "two"), ("the", "three"), ("los", "cuatro")),
    )
)
_BETWEEN_DRUGS = frozenset(
    (
        *("and", ",", "plus", "with", "together", "as", "well", "also", "alongside", "of", "the"),
        *("y", "e", "con", "mas", "junto", "asi", "como", "tambien", "de", "el", "la", "a"),
        *("one", "a", "an", "un", "una", "tablet", "capsule", "comprimido", "capsula"),
        *("ampoule", "vial", "ampolla", "sulfato", "cloruro", "gluconato", "sodium", "sodico"),
    )
)
_ROUTES = frozenset(
    ORDER + name
    for name in ("iv", "im", "intrathecal", "epidural", "subcutaneous", "oral", "nebulized")
)
_FREQUENCIES = frozenset(
    ORDER + name for name in ("daily", "weekly", "once_weekly", "every_day", "single_dose")
)
# A form behind the last drug of a list may be of that drug alone: "prednisolone 40 mg and
# salbutamol 5 mg nebulised".
_OF_A_LIST = (_ROUTES | _FREQUENCIES).union(
    *(
        {ORDER + name}
        for name in ("bolus", "push", "minutes", "within_hour", "over_hours", "infused")
    ),
    {f"{ORDER}injected"},
) - {f"{ORDER}nebulized"}
_OF_A_HEADING = frozenset(
    ORDER + name for name in ("intrathecal", "epidural", "daily", "bolus", "push")
)
# How far before a drug the verb that stops it may stand.
_REACH = 6


@dataclass(frozen=True)
class Shared:
    """Words of an order that the drugs of a list have in common. of_all: those behind "both";
    behind: those of the last drug, which may be of all; heading: those before the first one."""

    of_all: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()


def circumstances(
    tokens: Sequence[str],
    start: int,
    end: int,
    until: int,
    since: int = 0,
    common: Shared = Shared(),
) -> set[str]:
    """The `order:` findings of the drug at tokens [start, end) of a clause; `since` and `until`:
    where the drug before it ends and the next one begins; `common`: what its list shares."""
    own = own_words(tokens, start, end, until, since)
    findings = _of_words(own)
    own_kinds = {kind for kind in (_ROUTES, _FREQUENCIES) if findings & kind}
    if common.of_all:
        findings |= _of_words([*own, *common.of_all])
    for words, may_be_shared in ((common.behind, _OF_A_LIST), (common.heading, _OF_A_HEADING)):
        if words:
            wider = _of_words([*own, *words]) & may_be_shared
            findings |= wider.difference(*own_kinds)
    if _aims_above_92(tuple(tokens)):
        findings.add(f"{ORDER}saturation_above_92")
    if (
        _is_stopped(tokens, start)
        or is_ended(tokens, start, end)
        or is_stopped_behind(tokens, start, end)
    ):
        findings.add(STOP)
    return findings


def _of_words(own: Sequence[str]) -> set[str]:
    """The `order:` findings of the words of one drug's order."""
    text = " ".join(own)
    named = {
        token
        for at, token in enumerate(own)
        if not _PROCEDURE & set(own[at + 1 : at + 2])
        and not _NOT_SO & set(own[max(0, at - 2) : at])
    }
    findings = {ORDER + name for name, known in _WORDS.items() if known & named}
    apart = f" {text} "
    findings |= {
        ORDER + name
        for name, phrases in _APART.items()
        if any(phrase in apart for phrase in phrases)
    }
    if f"{ORDER}iv" in findings and _ONE_DOSE.search(text) and not _INFUSED & set(own):
        findings.add(f"{ORDER}injected")
    if _INFUSED & set(own):
        findings.add(f"{ORDER}infused")
    if _OVER_HOURS.search(text):
        findings.add(f"{ORDER}over_hours")
    if _OVER_TWO_MINUTES.search(text) or _OVER_SECONDS.search(text):
        findings |= {f"{ORDER}push", f"{ORDER}minutes", f"{ORDER}within_hour"}
    if _OVER_MINUTES.search(text):
        findings |= {f"{ORDER}minutes", f"{ORDER}within_hour"}
    if _WITHIN_HOUR.search(text):
        findings.add(f"{ORDER}within_hour")
    if _LITRES.search(text):
        findings.add(f"{ORDER}five_litres")
    return findings


def all_of_them(tokens: Sequence[str]) -> tuple[str, ...]:
    """What stands behind "both" or "all of them" ("each morning" with its "each"), up to the next
    part; empty without such a word."""
    for at, token in enumerate(tokens):
        if token in _ALL_OF_THEM or tuple(tokens[at : at + 2]) in _ALL_PAIRS:
            until = next((n for n in range(at + 1, len(tokens)) if tokens[n] in _JOINS), None)
            return tuple(tokens[at:until])
    return ()


def is_between(token: str) -> bool:
    """Whether a word may stand between two drugs of a list, beside their doses."""
    return token in _BETWEEN_DRUGS or token in _ALL_OF_THEM


# asked of a clause for each of its drugs
@lru_cache(maxsize=256)
def _aims_above_92(tokens: tuple[str, ...]) -> bool:
    """Whether a clause aims at a saturation above 92 %."""
    whole = " ".join(tokens)
    saturation = _SATURATION.search(whole) or _OXYGEN_TO.search(whole)
    return saturation is not None and int(saturation[1]) > 92


def own_words(tokens: Sequence[str], start: int, end: int, until: int, since: int) -> list[str]:
    """The words of the order of one drug, without those of its neighbours ("hydrocortisone 200 mg
    IV, then adrenaline 0.5 mg IM, and IV fluids")."""
    first, last = max(since, start - _REACH), until
    if since:
        first = next((n for n in range(start - 1, first - 1, -1) if tokens[n] in _JOINS), first)
    if until < len(tokens):
        last = next((n for n in range(until - 1, end - 1, -1) if tokens[n] in _JOINS), until)
    last = next((n for n in range(end, last) if tokens[n] in _ACTS), last)
    return list(tokens[first:last])


def is_given_later(tokens: Sequence[str], start: int, end: int, until: int) -> bool:
    """Whether the drug at tokens [start, end) comes after the rest: "hydrocortisone tomorrow",
    "then hydrocortisone", "hydrocortisone once the thyroxine has worked". until: where the next
    drug begins."""
    last = next((n for n in range(end, until) if tokens[n] in _JOINS - {"with", "con"}), until)
    behind = list(tokens[end:last])
    before = list(tokens[max(0, start - 3) : start])
    before = before[max((n + 1 for n, word in enumerate(before) if word == ","), default=0) :]
    if _LATE & set(behind) or {"then", "later", "afterwards", "luego", "despues"} & set(before):
        return True
    at = next((n for n, word in enumerate(tokens[end : end + _REACH]) if word in _AFTER), None)
    if at is None or _JOINS & set(tokens[end : end + at]):
        return False
    is_often = tokens[end + at] == "once" and _OFTEN & set(tokens[end + at + 1 : end + at + 2])
    return not is_often


def ends_by_inr(text: str) -> bool:
    """Whether one anticoagulant goes on until the INR shows that the other works."""
    return bool(_UNTIL_INR.search(text))


def of_the_action(text: str, sentences: Sequence[str]) -> set[str]:
    """The `order:` findings of an action as a whole, given as its words and those of each sentence:
    "Give no tocolytic. Monitor the heart" leaves nothing unwatched."""
    ordered = {ORDER + name for name, pattern in _OF_THE_ACTION.items() if pattern.search(text)}
    is_unwatched = any(_OF_THE_ACTION["unmonitored"].search(sentence) for sentence in sentences)
    return ordered if is_unwatched else ordered - {UNMONITORED}


def is_ended(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether a drug is ended by what stands beside it: "drop the clonidine", "no more clonidine",
    "clonidine comes off"."""
    first = max(0, start - _REACH)
    for at in range(first, start):
        is_end = tuple(tokens[at : at + 2]) in _STOPPING_PAIRS
        # "take him off clonidine"
        is_end |= tokens[at] == "off" and set(tokens[at + 1 : start]) <= {"the", "his", "her"}
        # "end prednisolone", and not "at the end of"
        is_end |= tokens[at] in _OPENS_A_STOP and (not at or tokens[at - 1] in _JOINS)
        between = set(tokens[at + 1 : start])
        if is_end and not between & _JOINS and not _DENIED & set(tokens[max(0, at - 3) : at]):
            return True
    behind = _STOPPED_BEHIND.search(" ".join(tokens[end : end + _REACH + 2]))
    # "apixaban with clopidogrel, aspirin stopped" tells what the change leads to
    is_told = bool(behind) and start > 1 and tokens[end].endswith("ed")
    return bool(behind) and not is_told


def is_stopped_behind(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether what stands behind a drug stops it: "prednisolone: stop", "prednisolone from 10 mg to
    nothing"."""
    is_heading = not start and bool(_STOPPING & set(tokens[end : end + 1]))
    is_taken = bool({"take", "taking"} & set(tokens[max(0, start - 3) : start]))
    if is_taken and tokens[end : end + 1] and tokens[end] in ("away", "off"):
        return True
    return is_heading or bool(_TO_NOTHING.search(" ".join(tokens[end : end + _REACH])))


def _is_stopped(tokens: Sequence[str], start: int) -> bool:
    for at in range(max(0, start - _REACH), start):
        is_left_out = tokens[at] in ("leave", "leaving") and "out" in tokens[at + 1 : start]
        if (tokens[at] in _STOPPING or is_left_out) and not _DENIED & set(
            tokens[max(0, at - 3) : at]
        ):
            return True
    return False
