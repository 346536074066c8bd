"""Of stays and events that are over: the clauses of a note that tell of then.

A clause tells of then if a time long ago is that of its verb ("admitted in 2019 with sepsis, BP
70/40"), opens its list ("on admission in May: pH 6.98"), closes it or has company ("STEMI eight
months ago with crushing chest pain"), and nothing in it is of today. What follows in the past tense
goes on with it. Only a later clause that turns to today, where the patient is well, is seen for
something ordinary or has values of now, makes it past: in doubt it is an emergency of today.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from python_llm.phenotyping.value_times import LASTS, THEN

_AT = "§"  # stands for the time in a clause
_STAYED = (
    r"(?:admitted|admission|presented|collapsed|brought|taken|rushed|airlifted|transferred|"
    r"resuscitated|intubated|defibrillated|hospitali[sz]ed|in intensive care|in icu|diagnosed|"
    r"diagnosticad[oa]|"
    r"ingreso|ingresad[oa]|hospitalizad[oa]|trajeron|traid[oa]|trasladad[oa]|llevaron|debuto|"
    r"presento|acudio|atendid[oa]|intubad[oa]|reanimad[oa]|se desplomo|estuvo (?:en la )?uci)\b"
)
_HAD = r"(?:had|suffered|sufrio|tuvo|estuvo \w+(?:ando|iendo)|was (?:\w+ing|in (?:status|shock)))\b"
_OPENED = re.compile(
    rf"^\W*(?:\w+\W+){{0,5}}?{_AT}(?:,? (?:\w+ ){{0,4}}?(?:{_STAYED}|{_HAD})|\s*:)"
    rf"|^\W*(?:\w+\W+){{0,6}}?{_STAYED}(?: \w+){{0,8}} {_AT}"
)
_CLOSED = re.compile(
    rf"\d(?:\s?[%a-z/µμ°0-9^.]{{1,8}}){{0,2}},? (?:(?:at|on|al?|en|el|la|the|in|arrival|admission|"
    rf"ingreso|diagnosis|diagnostico|presentation|llegada) ){{0,3}}{_AT}\W*$"
)
_HEADING = r"(?:ap|antecedentes(?: personales)?|pmhx?|past (?:medical )?history|hx)"
_HISTORY = re.compile(rf"^\W*{_HEADING}\W{{1,3}}")
_HAD_COMPANY = re.compile(
    r"^\W*(?:\d{1,3}[\w/ -]{0,12}, )?"
    rf"(?:{_HEADING}\W{{1,3}}(?:(?:[\w-]+ ?){{1,5}}, ){{0,6}})?(?:[\w-]+ ){{1,9}}{_AT},? "
    r"(?:with|con)\b"
)
# seen again because of what is over
_FOLLOWED = re.compile(
    r"\b(?:follow-?up|review|revision|control|seguimiento|check(?:-?up)?)"
    r"(?: (?:visit|clinic|appointment|consulta|(?:at )?\w+ (?:weeks?|months?)))?"
    r" (?:after|following|post|tras|despues de|por haber)\b"
)
_BEGAN = re.compile(
    r"\b(?:began|begun|started|onset|noticed|since|empez\w+|comenz\w+|inici\w+|aparec\w+|desde)\b"
)
# of today in the clause itself
_OWN_PRESENT = re.compile(
    r"\b(?:today|now|tonight|current(?:ly)?|still|again|once more|yesterday|last night|"
    r"this (?:morning|afternoon|evening|week)|(?:minutes?|mins?|hours?|hrs?|days?) ago|is|are|"
    r"comes|presents|hoy|ahora|actual(?:mente)?|sigue|de nuevo|otra vez|vuelve|ayer|anoche|"
    r"esta (?:manana|tarde|noche)|hace (?:\w+ ){0,3}(?:minutos?|horas?|dias?)|esta|estan|es|"
    r"acude|llega|refiere)\b"
)
_WENT_ON = re.compile(
    r"\b(?:was|were|had|required|needed|received|spent|estaba|tenia|fue|era|preciso|necesito|"
    r"requirio|recibio|estuvo|presentaba|mostraba|hubo|llego|(?:on|at) (?:arrival|admission)|"
    r"al (?:ingreso|llegar)|a su llegada)\b"
)
# a clause that turns to today
_TURNED = re.compile(
    r"\b(?:today|now(?:adays)?|currently|these days|since(?! last| yesterday| this)|hoy|ahora|"
    r"actualmente|en la actualidad|desde (?:entonces|el alta))\b"
    r"|^\W*(?:(?:at|on|en|a) )?(?:la )?(?:follow-?up|review|revision|consulta|clinic)\b"
    r"|^\W*(?:(?:is|he is|she is|and|esta|se encuentra|very|fully|muy) ){0,2}(?:well|bien|"
    r"recovered|recuperad[oa]|asymptomatic|asintomatic[oa]|in remission|en remision|here for|"
    r"eating|playing|thriving|come y juega|back (?:at|to|in) (?:school|work|nursery|normal|sport)|"
    r"attends|(?:she |he )?comes for|seen for|(?:acude|viene) (?:a|por))\b"
)
_ORDINARY = re.compile(
    r"\b(?:well|fine|bien|asymptomatic|asintomatic[oa]|symptom-free|recovered|recuperad[oa]|"
    r"back (?:at|to|in) (?:school|work|nursery|normal|sport)|(?<!not )(?:eating|playing)|thriving|"
    r"juega|since then|"
    r"remission|remision|check(?:-?up)?|review|revision|control|clinic|consulta|jabs?|vaccin\w+|"
    r"vacun\w+|dressings?|curas?|routine|prescription|recetas?|follow-up|seguimiento|walks|camina|"
    r"anda|runs|corre|works|trabaja|vida normal|on dialysis|en dialisis|sin sintomas|no symptoms|"
    r"no complaints|ever since|desde entonces|normal|old self|"
    r"(?:no|denies|sin|niega) (?:\w+ ){1,3}(?:now|today|at present|currently|ahora|hoy|"
    r"actualmente)|(?:now|today|currently|ahora|hoy|actualmente)\W+(?:\w+ ){0,2}(?:no|denies|sin|"
    r"niega)|no (?:more |further )?(?:\w+ ){1,4}since|sin (?:nuev[oa]s |mas )?(?:\w+ ){1,4}desde|"
    r"(?:none|ningun[oa]) (?:since|desde))\b"
)
_ALARMED = re.compile(
    r"\b(?:drowsy|confus\w+|shock|unwell|worse|mottled|unconscious|unresponsive|collapsed|faint\w*|"
    r"not (?:feeling )?(?:well|fine|recovered)|(?:well|fine) (?:until|till|up to)|(?:no|ni) "
    r"(?:esta |se encuentra )?bien|bien hasta|somnolient\w+|obnubilad\w+|mal|peor|inconsciente|"
    r"pain|dolor|fever|fiebre|bleed\w+|sangr\w+|vomit\w+|breathless|disnea)\b"
)
_DENIED = re.compile(r"\b(?:no|without|denies|sin|niega|ni|never|nunca)\b")
_CLAUSE = re.compile(
    r";|(?<=,) ?(?=(?:(?:but|and|pero|y) )?(?:now|today|currently|hoy|ahora|actualmente)\b)"
)


# a time of years ago, and a beginning, which is none
_YEARS_AGO = re.compile(
    r"(?<![\d/.-])(?:19|20)\d\d(?![\d/-]|\.\d)|\byears? ago\b|\bhace (?:\w+ ){1,3}anos\b|"
    r"\b(?:as a|when (?:he|she) was a) (?:child|baby|infant|teenager|student)\b|"
    r"\bin (?:childhood|infancy)\b|\b(?:de nin[oa]|en la infancia|de joven)\b|"
    r"\b(?:at the age of|aged?) \d{1,2}\b|\ba los \d{1,2} anos\b"
)
REACH = 100  # characters; "over approximately the last" is the longest of these words
_SINCE = re.compile(r"\b(?:since|from|desde)(?: \w+){0,2} $")
_BRACKET = re.compile(r"[(\[](?P<inside>[^()\[\]]{4,300})[)\]]")
_OVER_BEHIND = re.compile(
    r"[,;]? (?:which |that |que )?(?:(?:has|have|is|was|are|were|ha|han|now|since|already|ya|fully|"
    r"all|completely|by now|completamente|totalmente)[ ,]{1,2}){0,3}"
    r"(?:resolved|recovered|settled|corrected|resuelt[oa]s?|recuperad[oa]|corregid[oa]s?|superad[oa])\b"
)


# drugs that are carried for an attack, and what they are for
_RESCUE = re.compile(
    r"\b(?:gtn|glyceryl trinitrate|nitroglycerine?|nitrolingual|nitro ?spray|nitroglicerina|"
    r"cafinitrina|vernies|solinitrina|trinispray|epi-?pens?|jext|emerade|altellus|anapen|"
    r"(?:adrenaline|epinephrine) (?:pens?|auto-?injectors?)|"
    r"(?:adrenalina|epinefrina) autoinyectable|autoinyector(?:es)? de (?:adrenalina|epinefrina))\b"
    r"(?: (?:spray|pens?|sublingual|tablets?|patch|prn|s/l|sl|aerosol|pastillas|parche|de rescate|"
    r"\d+(?:[.,]\d+)? ?m?c?g)){0,3}"
    r",? (?:for|para|por|si)(?: (?:la|el|his|her|the|su|mi|my))? (?P<reason>[^,;.:()\n]{3,60})"
)
# a list of drugs, or who carries one
_LISTED_AHEAD = re.compile(
    r"\b(?:meds|medications?|medicines|drugs|dh|drug history|takes|taking|on|carries|prescribed|"
    r"has an?|repeat|medicacion|tratamiento|tto|farmacos|toma|lleva|tiene|usa|prescrit[oa])\b"
)
# it was used: the attack is one of today
_USED_NOW = re.compile(
    r"\b(?:(?<!not )(?<!never )used|using|uses|took|gave|given|needed|needing|needs|administered|"
    r"injected|had to|without (?:effect|relief)|no relief|not help\w*|ago|today|now|tonight|since|"
    r"this morning|(?<!no ha )usado|uso|tomado|tomo|puso|puesto|administr\w+|dieron|necesit\w+|"
    r"sin (?:efecto|alivio|mejoria)|no (?:cede|calma|mejora)|hoy|ahora|anoche|desde|hace)\b"
)


_USED = re.compile(
    r"\b(?:took|gave|given|(?<!not )(?<!never )(?:used|taken|needed)|(?<!no )(?<!no ha )"
    r"(?:usad[oa]|tomad[oa]|puesto|necesitad[oa]))\b"
)
_SENTENCE = re.compile(r"[^.;\n!?]*")


def reasons_of_drugs(folded: str) -> list[tuple[int, int]]:
    """What rescue drugs in a list of drugs are carried for ("GTN spray for angina prn"), as spans
    of a folded note; none where the drug was used or something is told of now."""
    spans = []
    for match in _RESCUE.finditer(folded):
        since = max(folded.rfind(sign, 0, match.start()) for sign in (". ", "\n", "; ", "! ", "? "))
        sentence = folded[since + 1 : match.start()]
        item = sentence[sentence.rfind(",") + 1 :] + match.group()
        is_listed = _LISTED_AHEAD.search(sentence) or re.search(r"\bprn\b|\bmg\b", match.group())
        behind = _SENTENCE.match(folded, match.end())
        rest = behind.group() if behind else ""
        is_of_now = _USED_NOW.search(item) or _USED.search(sentence) or _USED.search(rest)
        if is_listed and not is_of_now:
            spans.append(match.span("reason"))
    return spans


def brackets_of_then(folded: str) -> list[tuple[int, int]]:
    """The brackets of a folded note that tell of what is over: a year stands in them or in the
    clause before them, or they are followed by its end ("(pH 6.98), now resolved")."""
    spans = []
    for match in _BRACKET.finditer(folded):
        since = max(folded.rfind(sign, 0, match.start()) for sign in (". ", ";", "\n", ", "))
        ahead = folded[since + 1 : match.start()]
        told = [text for text in (match["inside"], ahead) if _is_of_years_ago(text)]
        is_over = _OVER_BEHIND.match(folded, match.end()) is not None
        if (told or is_over) and not _OWN_PRESENT.search(match["inside"]):
            # its end is also that of what the bracket tells of
            spans.append((since if is_over else match.start(), match.end()))
    return spans


def _before(match: re.Match[str]) -> tuple[int, int]:
    """The characters before a time that its words of duration may be among: to look through all of
    a long note before each of its times takes a time that grows with its square."""
    return max(0, match.start() - REACH), match.start()


def _is_of_years_ago(text: str) -> bool:
    times = _YEARS_AGO.finditer(text)
    return not _OWN_PRESENT.search(text) and any(
        not _SINCE.search(text, *_before(time)) for time in times
    )


_HAD_AHEAD = re.compile(r"\b(?:had|suffered|developed|tuvo|tuve|sufrio|presento)(?: \w+){0,3} $")
_N_TIMES = (
    r"(?:once|twice|(?:two|three|four|five|several|\d) times|una vez|"
    r"(?:dos|tres|cuatro|varias|\d) veces|"
    r"en una ocasion|on one occasion)"
)
_OF_A_COURSE = (
    r"(?:chemo\w*|radiotherapy|treatment|pregnanc\w+|childhood|school|university|service|training|"
    r"quimio\w*|radioterapia|tratamiento|embarazos?|infancia|mili|carrera|universidad)"
)
_ONCE_BEHIND = re.compile(
    rf"(?: (?!(?:and|but|y|pero|then)\b)\w+){{0,4}}? (?:{_N_TIMES} "
    r"(?:during|while (?:on|having)|when on|as|in|at|durante|con|en) "
    rf"(?:(?:his|her|my|the|an?|su|mi|la|el|las|los) )?(?:\w+ )?{_OF_A_COURSE}\b|"
    r"(?:once|una vez|en una ocasion|on one occasion)(?= ?(?:[,.;)]|$|(?:before|as|at|in|"
    r"years|when|hace|de|en|cuando)\b)))"
)
_LATELY = re.compile(
    r"\b(?:today|now|tonight|yesterday|last night|again|since|current\w*|still|this (?:morning|"
    r"afternoon|evening|week|time)|(?:minutes?|mins?|hours?|hrs?|days?|weeks?) ago|hoy|ahora|ayer|"
    r"anoche|otra vez|de nuevo|desde|sigue|est[ae]s? (?:manana|tarde|noche|semana|vez)|"
    r"hace (?:\w+ ){1,3}(?:minutos?|horas?|dias?|semanas?))\b"
)


def is_of_then_once(sentence: str, start: int, end: int) -> bool:
    """Whether what stands in [start, end) of a folded sentence was had once, or some times in a
    course that is over, and nothing in the sentence is of lately: "had sepsis twice during chemo"
    """
    is_had = _HAD_AHEAD.search(sentence, max(0, start - REACH), start) is not None
    is_once = is_had and _ONCE_BEHIND.match(sentence, end) is not None
    return is_once and not _LATELY.search(sentence)


class Clause(NamedTuple):
    """The characters [start, end) of a folded note, and whether a value of today stands there."""

    start: int
    end: int
    is_measured: bool


def clauses_of(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence by semicolons and words of today."""
    for match in _CLAUSE.finditer(folded, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def over(folded: str, clauses: Sequence[Clause], wanted: Iterable[int]) -> set[int]:
    """Those of the `wanted` numbers of the clauses of a note that tell of what is over."""
    told = {number for number in wanted if _is_of_then(folded, clauses, number)}
    turned = max(
        (
            number
            for number in range(min(told, default=len(clauses)), len(clauses))
            if _turns(folded[slice(*clauses[number][:2])], is_measured=clauses[number].is_measured)
        ),
        default=0,
    )
    return {
        number
        for number in told
        if number < turned or _HISTORY.match(folded[slice(*clauses[number][:2])])
    }


def _is_of_then(folded: str, clauses: Sequence[Clause], number: int) -> bool:
    """Whether a clause tells of then, or goes on in the past tense with one that does."""
    text = folded[slice(*clauses[number][:2])]
    while not _tells_of_then(text):
        if not number or not _WENT_ON.search(text) or _OWN_PRESENT.search(text):
            return False
        number -= 1
        text = folded[slice(*clauses[number][:2])]
    return True


def _turns(text: str, *, is_measured: bool) -> bool:
    if not _TURNED.search(text):
        return False
    alarm = _ALARMED.search(text)
    is_alarmed = alarm is not None and not _DENIED.search(text, 0, alarm.start())
    return not is_alarmed and (is_measured or _ORDINARY.search(text) is not None)


@lru_cache(maxsize=10_000)
def _tells_of_then(text: str) -> bool:
    marked = THEN.sub(
        lambda match: match.group() if LASTS.search(text, *_before(match)) else _AT, text
    )
    if _OWN_PRESENT.search(marked):
        return False
    if _FOLLOWED.search(marked):
        return True
    if _AT not in marked:
        return False
    if _OPENED.search(marked) or _CLOSED.search(marked):
        return True
    return not _BEGAN.search(marked) and _HAD_COMPANY.search(marked) is not None


# a fever that comes with attacks, which somebody has had for long, and nothing of today
_IN_ATTACKS = re.compile(
    r"\b(?:during|with|in|throughout) (?:the|these|those|his|her|my|their|each|every) (?:\w+ )?"
    r"(?:attacks?|crises|crisis|episodes?|flares?|bouts?)\b|"
    r"\b(?:attacks|episodes|bouts|spells|flares) of (?:\w+ ){0,3}fevers?\b|"
    r"\b(?:recurrent|periodic|cyclical) fevers?\b|"
    r"\b(?:durante|en|con) (?:las|los|sus|mis|cada|esas|esos) "
    r"(?:crisis|ataques|episodios|brotes)\b|"
    r"\b(?:brotes|episodios|ataques|crisis) (?:\w+ ){0,2}de fiebre\b|"
    r"\bfiebres? (?:recurrentes?|periodicas?)\b"
)
_FOR_LONG = re.compile(
    r"\bsince (?:\w+ )?(?:childhood|infancy|birth|adolescence|the age of|age \d|(?:he|she|i) was)|"
    r"\b(?:every|each) (?:few |two |three |four |six |\d+ )?(?:weeks?|months?)\b|"
    r"\bfor (?:many |several |some |\d+ |\w+ )?years\b|"
    r"\bdesde (?:la (?:infancia|adolescencia|ninez)|nin[oa]|pequen[oa]|siempre|los \d+)|"
    r"\bcada (?:pocas |dos |tres |cuatro |seis |\d+ )?(?:semanas?|mes(?:es)?)\b|"
    r"\b(?:desde )?hace (?:muchos |varios |\d+ |\w+ )?anos\b"
)
_OF_TODAY = re.compile(
    r"\b(?:today|now|currently|tonight|yesterday|since|this (?:morning|time|attack|week)|hoy|ahora|"
    r"actualmente|ayer|esta (?:manana|tarde|noche|vez|semana)|este (?:brote|episodio))\b"
)


def is_fever_of_attacks(sentence: str, note: str) -> bool:
    """Whether the fever of a folded sentence is that of attacks that the folded note tells to be
    old, and the sentence says nothing of today: "low fever during the attacks"."""
    if not _IN_ATTACKS.search(sentence) or not _FOR_LONG.search(note):
        return False
    return not _OF_TODAY.search(_FOR_LONG.sub("", sentence))
