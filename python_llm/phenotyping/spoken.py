"""What a dictated note spells out: numbers as figures, and its punctuation as signs.

Each puts the figures or the sign in place of the words and blanks in place of the rest, so that no
character moves.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

_ONES = {
    word: value
    for words in (
        "zero one two three four five six seven eight nine",
        "cero uno dos tres cuatro cinco seis siete ocho nueve",
    )
    for value, word in enumerate(words.split())
} | {"oh": 0, "nought": 0, "un": 1, "una": 1}
_TEENS = {
    word: value
    for words in (
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
        "diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve",
    )
    for value, word in enumerate(words.split(), start=10)
} | {
    word: value
    for words in (
        "veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete "
        "veintiocho veintinueve",
    )
    for value, word in enumerate(words.split(), start=21)
}
_TENS = {
    word: 10 * value
    for words in (
        "twenty thirty forty fifty sixty seventy eighty ninety",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    )
    for value, word in enumerate(words.split(), start=2)
}
_HUNDREDS = {"cien": 100, "ciento": 100} | {
    f"{word}cientos": 100 * value
    for value, word in ((2, "dos"), (3, "tres"), (4, "cuatro"), (6, "seis"), (8, "ocho"))
}
_HUNDREDS |= {"quinientos": 500, "setecientos": 700, "novecientos": 900}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_BELOW_HUNDRED = (
    rf"(?:(?:{_any(_TENS)})(?:(?:[- ]| y )(?:{_any(_ONES)}))?|{_any(_TEENS)}|{_any(_ONES)})\b"
)
_WHOLE = (
    # "twenty nineteen"; "one hundred and twenty six", "a hundred"; "one twenty-six"
    rf"(?:(?:(?:nineteen|twenty) (?:(?:{_any(_TENS)})(?:[- ](?:{_any(_ONES)}))?|"
    rf"{_any(_TEENS)})\b)"
    rf"|(?:(?:an?|{_any(_ONES)}) )?hundred\b(?: (?:and )?{_BELOW_HUNDRED})?"
    rf"|(?:{_any(_ONES)}) (?:(?:oh|nought) (?:{_any(_ONES)})|(?:{_any(_TEENS)})|"
    rf"(?:{_any(_TENS)})(?:[- ](?:{_any(_ONES)}))?)\b"
    rf"|(?:{_any(_HUNDREDS)})\b(?: {_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED})"
)
_THOUSANDS = rf"(?:(?:(?:{_WHOLE}) )?(?:thousand|mil)\b(?: (?:and )?{_WHOLE})?|{_WHOLE})"
_DIGITS = rf"(?:{_any(_ONES)})(?: (?:{_any(_ONES)})){{0,2}}\b"
# what lasts or is counted, not measured; nor is it the first half of a number
_COUNTED = (
    r"(?![- ](?:years?|anos?|months?|mes(?:es)?|weeks?(?! (?:of )?(?:pregn|gest))|"
    r"semanas?(?! de (?:gest|emb))|days?|dias?|hours?|horas?|"
    rf"minutes?|minutos?|times|veces|(?:and |y )?{_BELOW_HUNDRED})\b)"
)
_SPOKEN = re.compile(
    rf"(?<![\w-])(?P<whole>{_THOUSANDS})"
    rf"(?P<rest> (?:point|con|coma|punto) (?P<tenths>{_DIGITS})| (?P<half>y medio|and a half))?"
    rf"(?![\w-]){_COUNTED}"
)
_NUMBER_WORD = re.compile(
    rf"\b(?:{_any(_TEENS | _TENS | _HUNDREDS)}|hundred|thousand|mil|point|coma|con|"
    rf"{_any(_ONES)})\b"
)
_OVER = re.compile(r"\b(?P<high>\d{1,3}) (?:over|sobre|barra|slash) +(?P<low>\d{1,3})\b(?![.,]\d)")
# a single word below ten is a value only right behind the name of its measure
_SINGLE = frozenset(_ONES)


def in_figures(folded: str, names: Callable[[], re.Pattern[str]]) -> str:
    """A folded sentence with the numbers that it spells out as figures. names:
    returns a pattern of a measure's name and of what may stand between it and its value; called
    only for a number below ten that stands alone, because the pattern is slow to compile."""
    if not _NUMBER_WORD.search(folded):
        return _OVER.sub(_as_pressure, folded)
    pieces, end = [], 0
    for match in _SPOKEN.finditer(folded):
        is_single = match["whole"] in _SINGLE and not match["rest"]
        if is_single and not names().search(folded, max(0, match.start() - 60), match.start()):
            continue
        start, last = match.span()
        pieces += [folded[end:start], _figures(match).rjust(last - start)]
        end = last
    text = "".join([*pieces, folded[end:]])
    return _OVER.sub(_as_pressure, text)


def _as_pressure(match: re.Match[str]) -> str:
    return f"{match['high']}/{match['low']}".rjust(len(match.group()))


def _figures(match: re.Match[str]) -> str:
    whole = str(_value(match["whole"]))
    if match["tenths"]:
        return f"{whole}.{''.join(str(_ONES[word]) for word in match['tenths'].split())}"
    return f"{whole}.5" if match["half"] else whole


def _value(words: str) -> int:
    """The whole number that words spell out."""
    if words.startswith(("nineteen ", "twenty ")) and words.split()[1] not in _ONES:
        century, _, rest = words.partition(" ")
        if rest != "thousand":
            return 100 * (_TEENS | _TENS)[century] + _value(rest)
    total = part = 0
    for word in re.split(r"[- ]", words):
        if word in ("thousand", "mil"):
            total, part = total + 1000 * (part or 1), 0
        elif word == "hundred":
            part = 100 * (part or 1)
        elif word in _ONES:
            # "one oh five": the hundreds are said by a digit
            part = 100 * part if word in ("oh", "nought") and 0 < part < 10 else part + _ONES[word]
        elif word in _HUNDREDS:
            part += _HUNDREDS[word]
        elif word in _TEENS or word in _TENS:
            # "one eighteen"
            part = (100 * part if 0 < part < 10 else part) + (_TEENS | _TENS)[word]
    return total + part


# "coma" behind an age or between words twice, which a patient in coma is not
_SPOKEN_COMMA = (
    r"(?<=\w )(?<!\ben )(?<!\ba )(?<!\bde )(?<!\bun )(?<!\bel )(?<!\bdel )(?<!\by )"
    r"(?<!\bo )(?<!\bni )(?<!\bsin )(?<!\bcon )coma(?= \w)"
)
_DICTATED = re.compile(
    r"\b(?:full stop|new paragraph|new line|open brackets?|punto y (?:aparte|seguido)|punto final|"
    r"nuevo parrafo|nueva linea|abrir parentesis|dos puntos)\b|"
    rf"\b(?:anos|meses|mes|semanas|dias) coma(?= \w)|{_SPOKEN_COMMA}[^.,;:()]*{_SPOKEN_COMMA}"
)
# a coma that somebody is in, and the sign of a decimal
_NO_SIGN = r"(?<!\ben )(?<!\bin )(?<!\ba )(?<!\bof )(?<!\bde )(?<!\bun )(?<!\bel )(?<!\bdel )"
# a place or a stage that is called a point
_NO_STOP = (
    r"(?<!\ba )(?<!\bun )(?<!\bel )(?<!\bdel )(?<!\bal )(?<!\beste )(?<!\bese )(?<!\bcada )"
    r"(?<!\bgran )(?<!\bde )(?<!\bpor )"
)
_SIGNS = (
    (
        re.compile(
            r"\b(?:full stop|new (?:paragraph|line)|punto y (?:aparte|seguido)|punto final|"
            r"nuev[oa] (?:parrafo|linea))\b[.,]?|"
            rf"(?<=\w ){_NO_STOP}\bpunto\b(?! (?:de |doloros|gatillo|algid|fijo|ciego))"
        ),
        ".",
    ),
    (re.compile(r"\b(?:colon|dos puntos)\b(?=[ .,]|$)"), ":"),
    (re.compile(rf"\bcomma\b|{_NO_SIGN}\bcoma\b(?! (?:profundo|vigil|hiper|hipo|diab))"), ","),
    (re.compile(r"\b(?:open brackets?|abrir parentesis)\b"), "("),
    (re.compile(r"\b(?:close brackets?|cerrar parentesis)\b"), ")"),
)
_COLON_BEHIND = re.compile(r"\b(?:the|his|her|of|sigmoid|transverse|ascending|descending) $")


def signs_of(note: str, folded: str) -> str:
    """A note with the punctuation that it spells out as signs, if it is dictated: if it names a
    sign that is no other word. folded: the note folded in place."""
    if not _DICTATED.search(folded):
        return note
    for start, end, sign in sorted(_spelt(folded)):
        note = note[:start] + sign.ljust(end - start) + note[end:]
    return note


def _spelt(folded: str) -> Iterator[tuple[int, int, str]]:
    for pattern, sign in _SIGNS:
        for match in pattern.finditer(folded):
            is_decimal = _is_between_numbers(folded, *match.span())
            is_bowel = sign == ":" and _COLON_BEHIND.search(folded, 0, match.start())
            if not is_decimal and not is_bowel:
                # the sign follows the word before it, as where it is written
                start = match.start() - (folded[match.start() - 1 : match.start()] == " ")
                yield max(start, 0), match.end(), sign


_NUMBER_AHEAD = re.compile(rf"(?:\d|\b(?:{_any(_ONES | _TEENS | _TENS)})) $")
_NUMBER_BEHIND = re.compile(rf" (?:\d|(?:{_any(_ONES)})\b)")


def _is_between_numbers(folded: str, start: int, end: int) -> bool:
    """Whether the sign is that of a decimal ("siete coma dos", "siete punto dos")."""
    is_sign = folded[start:end] in ("coma", "punto")
    if not is_sign or not _NUMBER_BEHIND.match(folded, end):
        return False
    return _NUMBER_AHEAD.search(folded[:start]) is not None


# how a message begins before it tells of anybody
_GREETING = (
    r"^\W*(?:(?:hi|hello|hola|hey|good (?:morning|afternoon|evening)|"
    r"buen[oa]s(?: (?:d[ií]as|tardes|noches))?|dear (?:dr|doctor)|doctora?|help|please|"
    r"por favor|there|all)\b\W*)*"
    r"(?:(?:i am|i['’]m|this is) (?:writing|calling|ringing|messaging)(?: to you)? about |"
    r"(?:le |les |os |te )?(?:escribo|llamo|consulto|pregunto) por |(?:it['’]s|it is|es) )?"
)
_OF_US = r"\b(?:my|our|mi|nuestr[oa]) "
_CHILD = r"(?P<child>daughter|son|granddaughter|grandson|hij[oa]|niet[oa])\b"
_NUMBER_WORDS = rf"(?:\d{{1,3}}|{_any(_TENS | _TEENS | _ONES)})\b"
# the age right behind whom it is of, perhaps behind a name: "my daughter Ann is 13"
_WITH_AGE = (
    r"(?: [^\W\d]+)?,? ?(?:(?:who|que) )?(?:(?:he|she)? ?(?:is|has just turned|turned|tiene|de|"
    rf"ha cumplido|acaba de cumplir) )?(?:now )?{_NUMBER_WORDS}"
)
# a parent's note: the child is the patient, and no relative of one
_TOLD_BY_A_PARENT = re.compile(rf"{_GREETING}(?:a )?{_OF_US}(?:\w+ )?{_CHILD}", re.IGNORECASE)
_TOLD_OF_A_CHILD = re.compile(rf"{_OF_US}(?:\w+ )?{_CHILD}{_WITH_AGE}", re.IGNORECASE)
# a parent of whom a note says what he or she tells of a child with an age
_REPORTED_CHILD = re.compile(
    r"\b(?:mother|mum|mom|father|dad|parents?|madre|padres?) (?:reports?|says?|tells?(?: us)?|"
    r"describes?|states?|explains?|is worried|cuentan?|refieren?|dicen?|explican?|comentan?) "
    rf"(?:that |que |of )?(?:her|his|their|su) {_CHILD}{_WITH_AGE}",
    re.IGNORECASE,
)
# a son or a daughter of whom the parents speak in a note about a child: no other child of theirs
_OWN_CHILD = re.compile(
    r"\b(?:our|their|her|his|the|my|nuestr[oa]|su|mi) (?:newborn |baby |little |only |únic[oa] )?"
    r"(?P<child>daughter|son|hij[oa])\b"
    r"(?!-|['’]s (?:son|daughter|child|cousin|friend|twin)\b| (?:mayor|menor|anterior|previ[oa]|"
    r"pequeñ[oa]|mellizo|gemelo|from|by|of)\b| de (?:su|la|el|un|una|mi|otr[oa])\b| del\b)"
    r"(?:,? \(?(?:aged |de |now )?(?P<age>\d{1,2})\b(?! ?(?:months?|weeks?|days?|mes|sem|d[ií]a|"
    r"hours?|horas?)))?",
    re.IGNORECASE,
)
# whose child it may be instead
_OTHERS_CHILD = re.compile(
    r"\b(?:aunts?|uncles?|cousins?|sisters?|brothers?|grand\w+|neighbou?rs?|friends?|t[ií][oa]s?|"
    r"prim[oa]s?|herman[oa]s?|abuel[oa]s?|vecin[oa]s?|amig[oa]s?|nann?y|teacher)\b",
    re.IGNORECASE,
)
_BELOW_ADOLESCENCE = 13  # years: who is younger has no child
_AS_PATIENT = {
    **{"daughter": "girl", "son": "boy", "granddaughter": "girl", "grandson": "boy"},
    **{"hija": "niña", "hijo": "niño", "nieta": "niña", "nieto": "niño"},
}
_FEMALE_KIN = frozenset(
    (
        *("mum", "mom", "mother", "wife", "gran", "granny", "grandma", "grandmother", "nan"),
        *("nana", "sister", "aunt", "girlfriend", "madre", "mujer", "esposa", "abuela", "yaya"),
        *(
            "hermana",
            "tía",
            "tia",
            "novia",
            "suegra",
            "abuelita",
            "mamá",
            "mama",
            "vecina",
            "amiga",
        ),
    )
)
_EITHER_KIN = frozenset(("partner", "friend", "neighbour", "neighbor", "pareja"))
# a note that somebody tells of a relative, whose age stands right behind
_TOLD_OF_KIN = re.compile(
    rf"{_GREETING}{_OF_US}(?P<kin>dad|father|mum|mom|mother|husband|wife|grandad|grandfather|gran|"
    rf"grandmother|padre|madre|marido|mujer|esposa|esposo|abuelo|abuela)\b{_WITH_AGE}",
    re.IGNORECASE,
)
# a note that begins with a relative to whom something is happening now: "Gran is talking gibberish
# since lunch", "Al abuelo le duele la espalda desde anoche"
_HAPPENS_TO_KIN = re.compile(
    rf"{_GREETING}(?:(?:my |our )?(?P<en>dad|father|mum|mom|mother|husband|wife|grandad|granddad|"
    r"grandpa|grandfather|gran|granny|grandma|grandmother|nan|nana)\b(?:['’]s| is| has| keeps|"
    r" can['’]?t| cannot| won['’]?t| looks| feels)\b|"
    r"(?:al? |el |la |mi )+(?P<es>padre|madre|marido|mujer|esposa|esposo|abuelo|abuela|yayo|yaya)"
    r"\b (?=(?:se|le|la|lo|tiene|está|esta|no|de|lleva)\b))"
    r"(?=[^\n]*\b(?:now|tonight|today|suddenly|this (?:morning|afternoon|evening)|"
    r"since (?:lunch\w*|breakfast|this|yesterday|last night|noon)|can['’]?t be woken|"
    r"(?:not|stopped) breathing|unconscious|(?:minutes?|hours?) ago|"
    r"is (?:sweating|choking|bleeding|fitting|turning blue)|"
    r"no respira|(?:est[aá] )(?:sudando|sangrando|convulsionando|inconsciente)|"
    r"ahora|hoy|esta (?:mañana|tarde|noche)|de (?:repente|golpe|pronto)|"
    r"desde (?:la comida|el desayuno|anoche|ayer|esta|hace)|no (?:la|lo) despertamos|"
    r"se (?:le )?ha (?:ido|caído|torcido|puesto|desmayado))\b)",
    re.IGNORECASE,
)
_ACUTE_EN = (
    r"still|now|tonight|today|suddenly|(?:minutes?|hours?) ago|"
    r"(?:is|are|was|keeps?|been) (?!being\b|feeling\b)\w+ing|been (?:sick|fitting)|wont|cant|"
    r"breathing (?:deep|fast|hard|heavy|funny)|"
    r"has (?:just|taken|gone|collapsed|stopped|sudden\w*|crushing|tearing|severe|terrible)|"
    r"can['’]?t|won['’]?t|(?:does|is|did|could)n['’]?t|cannot|"
    r"since (?:this|last|lunch\w*|breakfast|\d)|"
    r"fell|woke|collapsed|choking|clutching|gasping|bleeding|pumping|pouring|unconscious"
)
_STATE_ES = (
    r"inconsciente|morad[oa]|azul|blanc[oa]|gris|p[aá]lid[oa]|confus[oa]|adormilad[oa]|dormid[oa]|"
    r"sudoros[oa]|fr[ií][oa]|helad[oa]|hinchad[oa]|desorientad[oa]|tirad[oa]|id[oa]|r[ií]gid[oa]|"
    r"agitad[oa]|agotad[oa]|muy mal|\w+(?:ando|iendo)"
)
_ACUTE_ES = (
    r"sigue|esta (?:ma[nñ]ana|tarde|noche) (?:no|se)|"
    r"no (?:puede|siente|ve|mueve|responde|respira|contesta|reacciona|despierta|habla|sabe|"
    r"traga|orina|para|(?:le|la|lo|se) \w+)|vomita|sangra|cada vez|respira|echa|tose|tirita|"
    r"acaba de|"
    r"se (?:ahoga|asfixia|desmaya|atraganta|ha (?:ca[ií]do|desmayado|desplomado|puesto|quedado|"
    r"cortado|quemado|atragantado|dado)|cay[oó]|desplom[oó]|desmay[oó]|puso|qued[oó])|"
    r"se (?:le|est[aá]) (?:ha |han |est[aá] )?\w+|le (?:aprieta|falta|cuesta|ha dado|dio|pic[oó])|"
    rf"dice (?:cosas|tonter[ií]as|incoherencias|disparates)|est[aá] (?:{_STATE_ES})|"
    r"ahora|hoy|de (?:repente|golpe|pronto)|desde (?:ayer|anoche|hace|esta)|"
    r"hace (?:un|una|unos|media|dos|tres|diez|veinte|\d+) (?:\w+ (?:de )?)?(?:minutos?|rato|horas?)"
)


def _acute(pronoun: str) -> str:
    """Ahead: what happens to him or to her now."""
    of_now = (
        rf"{pronoun}(?:['’]?s| is| looks| keeps| ca(?:n['’]?|nno)t| won['’]?t|"
        r" can (?:only|hardly|barely))"
    )
    return rf"(?=[^\n]*\b(?:{of_now}|{_ACUTE_EN})\b)"


# such a relative tells of another ("Mum is worried: he is still coughing")
_NO_TELLER = (
    r"(?! (?:is |was |has )?(?:very |also )?(?:worried|concerned|anxious|says?|said|reports?|"
    r"reported|thinks?|tells?|told|states?|notice[ds]?|brought|brings|wants?|asks?|asked|gives)\b)"
)
# a note that begins with one's own relative or friend, to whom something is happening: who calls
# tells of a patient ("My sister was stung, her lips are swelling", "Mi tío no puede orinar")
_CALLED_FOR_KIN = re.compile(
    rf"{_GREETING}(?:(?:asthmatic|epileptic|diabetic|elderly|pregnant) )?"
    r"(?:(?:(?:my|our) (?P<her>mum|mom|mummy|mother|wife|sister|aunt|girlfriend|"
    r"gran|granny|grandma|grandmother|nan|nana)|"
    r"(?P<she>mum|mom|mummy|gran|granny|grandma|nan|nana|wife|sister|daughter))"
    rf"\b(?!['’]s (?!\w+ing))(?! side\b){_NO_TELLER}{_acute('she')}|"
    r"(?:(?:my|our) (?P<him>dad|daddy|father|husband|brother|uncle|boyfriend|grandad|granddad|"
    r"grandpa|grandfather)|(?P<he>dad|daddy|grandad|granddad|grandpa|husband|brother|son))"
    rf"\b(?!['’]s (?!\w+ing))(?! side\b){_NO_TELLER}{_acute('he')}|"
    rf"(?:my|our) (?P<either>partner|friend|neighbou?r)\b{_acute('(?:s?he|they)')}|"
    r"(?:al? )?(?:(?:mi|nuestr[oa]) |(?=(?:mam[aá]|pap[aá])\b)|(?:el |la )?(?=abuel[oa]\b))"
    r"(?P<es>padre|madre|marido|mujer|esposa|esposo|abuelo|abuela|"
    r"abuelit[oa]|pap[aá]|mam[aá]|yayo|yaya|herman[oa]|t[ií][oa]|novi[oa]|pareja|suegr[oa]|"
    r"vecin[oa]|amig[oa]|compañer[oa])\b"
    rf"(?=[^\n]*\b(?:{_ACUTE_ES})\b))",
    re.IGNORECASE,
)
# such a note is of somebody else if it names a patient or who tells
_OF_A_PATIENT = re.compile(
    r"\b(?:patient|paciente|years?[- ]old|\d+ ?(?:yo|[mf])|varón|mujer de|hombre|niñ[oa]|"
    r"i(?! (?:ca(?:n['’]?|nno)t (?:wake|find|feel|get|rouse|see|hear|understand|stop|move|tell)|"
    r"(?:have |['’]ve )?(?:tried|gave|given|called|rang|found|heard|saw|put|pulled|pressed|"
    r"am (?:pressing|holding|doing))|do(?:n['’]?| no)t know|did|think (?:s?he|it))\b)|"
    r"my(?! (?:\w+ )?(?:is|are|was) (?:doing|giving|pressing|holding|with (?:him|her)))|"
    r"(?<!at )(?<!to )(?<!with )me|mi|review|revisión|asks?|pregunta)\b",
    re.IGNORECASE,
)
# who tells has it, or the relative is dead; who only fears for another has nothing
_OF_WHO_TELLS = re.compile(
    r"\b(?:i have(?! (?:not|given|tried|noticed|called|rung|phoned|seen|checked|taken)\b)|"
    r"(?:i am|i'm|i’m)(?! (?:\w+ )?(?:worried|scared|afraid|frightened|writing|calling|ringing)\b)|"
    r"i've(?! (?:given|tried|noticed|called|rung|phoned|seen|checked|taken)\b)|i feel|i had|"
    r"tengo(?! (?:miedo|que)\b)|estoy(?! (?:\w+ )?(?:preocupad|asustad|desesperad|nervios))|"
    r"me duele|(?:he|she|mother|mum|mom|father|dad|husband|wife|grandmother|grandfather|gran|"
    r"grandad|daughter|son) (?:has )?(?:died|passed away)|murio|murió|fallecio|falleció)",
    re.IGNORECASE,
)
# a bed, and who is said to lie in one
_BED = re.compile(r"\b(?:cama|bed|box|cubicle|bay)\.? ?(?P<bed>\d{1,3})\b", re.IGNORECASE)
_IN_A_BED = re.compile(
    r"\b(?:(?:the )?(?P<en>patient|man|woman|lady|gentleman|boy|girl|baby|child) in "
    r"(?:bed|cubicle|bay)|(?:el |la )?(?:paciente|enferm[oa]|se[nñ]ora?|ni[nñ][oa]) "
    r"(?:de la cama|del box|en la cama))\.? ?(?P<bed>\d{1,3})\b"
    # "the lady in bed 4, not this one,"
    r"(?P<contrast>[ ,(;-]{0,3}\b(?:not (?:this|our|my|the present) (?:one|patient|lady|man|woman|"
    r"gentleman|case)|not (?:him|her|me)|no (?:esta|este|el nuestro|la nuestra))\b[ ,);-]{0,2})?",
    re.IGNORECASE,
)
# the bed that a note says to be its patient's: "This is bed 5", "el nuestro, cama 14"
_OWN_BED = re.compile(
    r"\b(?:this (?:one )?is|ours? (?:is )?(?:in )?|my patient is (?:in )?|(?:el|la) nuestr[oa],? "
    r"(?:es |est[aá] en )?(?:el |la )?|est[ea] es (?:el |la )(?:de la )?"
    r"|mi paciente es (?:el |la )) ?(?:the )?(?:one in )?"
    r"(?:cama|bed|box|cubicle|bay)\.? ?(?P<bed>\d{1,3})\b",
    re.IGNORECASE,
)
# a sentence that begins with a bed is about who lies in it
_OF_A_BED = re.compile(
    r"(?:^|(?<=[.;\n]))\s*(?:(?:the )?bed|cubicle|bay|(?:la )?cama|box)\.? ?(?P<bed>\d{1,3})\b"
    r"[^.;\n]*",
    re.IGNORECASE,
)
# who was seen, lay or stood beside the patient: "the gentleman seen before him"
_WHO_EN = r"(?:patient|man|woman|lady|gentleman|boy|girl|baby|child|chap|bloke|fellow)"
_WHO_ES = r"(?:paciente|enferm[oa]|se[nñ]ora?|hombre|mujer|chic[oa]|ni[nñ][oa])"
_BESIDE_PATIENT = re.compile(
    rf"\b(?:the |a )?(?P<en>{_WHO_EN}) (?:(?:who|that) )?(?:was |had been )?(?:just )?"
    r"(?:(?:seen|treated|scanned|examined|called|booked|operated on|lying|sitting|waiting|"
    r"here|in) )?"
    r"(?:just |right )?(?:before|ahead of|in front of|after|behind|next to|opposite|beside) "
    r"(?:him|her|me|us|this (?:one|patient|lady|man|woman|gentleman))"
    r"(?=\W*$|[,.;:)]|['’]s\b| (?:had|has|was|is|got|went|came|collapsed|arrested|fell|died|"
    r"vomited|needed|suffered|with|who|in|on)\b)|"
    rf"\b(?:el |la )?{_WHO_ES} (?:vist[oa]|atendid[oa]|explorad[oa]|operad[oa]|"
    r"que (?:vimos|atendimos|estaba|esperaba|entró|entro|pasó|paso|vino)) "
    r"(?:justo )?(?:antes|delante|después|despues|detr[aá]s|al lado)"
    r"(?: (?:que|de) (?:él|el|ella|esta?|este|mí|nosotros)\b)?",
    re.IGNORECASE,
)
PATIENT = "pt"
_TELLER = (
    r"(?:mother|mum|mom|mummy|father|dad|parents?|grandmother|grandfather|grandma|gran|"
    r"madre|padres?|abuel[oa]|mam[aá]|pap[aá])"
)
_IN_CHARGE = (
    r"(?:husband|wife|partner|spouse|daughter|son|mother|father|mum|mom|dad|sister|brother|niece|"
    r"nephew|granddaughter|grandson|neighbou?r|friend|carer|marido|mujer|espos[oa]|pareja|hij[oa]|"
    r"madre|padre|herman[oa]|niet[oa]|sobrin[oa]|vecin[oa]|amig[oa]|cuidador[a]?)"
)
# who calls for another: "Husband ringing for his wife, 31", "Llama la hija por su padre, 82 años"
_CALLS_FOR = re.compile(
    rf"^\W*(?P<lead>(?:(?:the|her|his) )?{_IN_CHARGE} (?:is |was |has )?"
    r"(?:ring(?:ing|s)|rang|rung|call(?:ing|s|ed)|phon(?:ing|es|ed)|on the phone) "
    r"(?:for|about|re|regarding|on behalf of) (?:his|her|their) |"
    rf"(?:llama|telefonea|consulta|habla) (?:el |la |su )?{_IN_CHARGE} por (?:su |el |la )|"
    rf"(?:el |la |su ){_IN_CHARGE} (?:llama|telefonea|consulta) por (?:su |el |la ))"
    r"(?P<kin>daughter|son|granddaughter|grandson|wife|husband|mother|mum|mom|father|dad|"
    r"grandmother|grandfather|gran|grandma|grandad|hij[oa]|niet[oa]|mujer|esposa|esposo|marido|"
    r"madre|padre|abuela|abuelo)\b",
    re.IGNORECASE,
)
_CHILD_TOLD = (
    r"(?:baby|infant|newborn|toddler|boy|girl|child|daughter|son|beb[eé]|lactante|niñ[oa]|"
    r"reci[eé]n nacid[oa]|neonato|hij[oa])\b"
)
# a parent who is named first and tells of a child: "Mother of an 8-month-old boy."
_PARENT_FIRST = re.compile(
    r"^\W*(?P<lead>(?:(?:phone |telephone )?call from |llama |llamada de |habla |consulta )?"
    rf"(?:the |la |el |los )?{_TELLER} (?:of|de)) (?:an?|the|un|una) (?=[^.;:\n]{{0,60}}\d)"
    rf"(?:[^.;:,\n]{{0,25}} )?{_CHILD_TOLD}(?:[^.;:,\n]|,(?= ?\d)){{0,40}}(?:[.:\n]|$)",
    re.IGNORECASE,
)
# what is of the mother herself
_OF_HERSELF = re.compile(
    r"\b(?:periods?|pregnan\w+|post-?natal|post-?partum|pos(?:t)?parto|embaraz\w+|lactancia|"
    r"breast-?feeding|contracep\w+|anticoncep\w+|reglas?|puerper\w+|smear|depress\w+|"
    r"(?:in|de) labou?r|works as|trabaja)\b",
    re.IGNORECASE,
)


def _lead_of_teller(note: str) -> re.Match[str] | None:
    """How a note begins that names who tells of another."""
    calls = _CALLS_FOR.match(note)
    if calls:
        return calls
    first = _PARENT_FIRST.match(note)
    is_own = first and (_OF_WHO_TELLS.search(note) or _OF_HERSELF.search(note))
    return None if is_own else first


def of_whom_it_is_told(note: str) -> str:
    """The note, of the same length; where a parent tells it of a son or a daughter ("My daughter is
    burning up"), or anybody of a relative with an age ("My dad, 74, was fine"), that person is
    called as a patient is. Who calls for another ("Husband ringing for his wife", "Mother of a
    boy of 3") is left out."""
    kin, patient = _kin_told_of(note)
    lead = _lead_of_teller(note)
    if lead:
        start, end = lead.span("lead")
        note = note[:start] + " " * (end - start) + note[end:]
    if not kin:
        return note
    return re.sub(rf"\b{kin}\b", patient.ljust(len(kin)), note, flags=re.IGNORECASE)


# what happened to somebody else, of which who tells it still thinks: "A colleague had a heart
# attack, now I can't sleep", "se nos murió un niño de meningitis"
_ACQUAINTANCE = (
    r"(?:colleague|workmate|co-?worker|boss|flatmate|client|customer|pupil|friend|neighbou?r)"
)
_CONOCIDO = r"(?:compañer[oa]|colega|vecin[oa]|amig[oa]|conocid[oa]|jef[ea]|alumn[oa]|cliente)"
_ONCE_TO_ANOTHER = re.compile(
    rf"\b(?:an?|my|our|one of (?:my|our)) (?:old )?{_ACQUAINTANCE}"
    r"(?= (?:had|has had|died|suffered)\b"
    r"[^\n]*\b(?:i (?:can['’]?t|cannot|keep|feel|am|want|wonder|need|do|would)|i['’]?m|am i|"
    r"should i|could i)\b)|"
    rf"\b(?:un|una|mi) {_CONOCIDO}"
    r"(?= (?:mí[oa] )?(?:tuvo|ha tenido|sufri[oó]|muri[oó]|falleci[oó])\b)|"
    r"\b(?:an?|one of (?:my|our)) (?:patient|child|baby|boy|girl|man|woman|resident)"
    r"(?= (?:of mine |of ours )?(?:died|passed away)\b)|"
    # "a colleague's patient took 60 tablets", "la paciente de una compañera"
    rf"\b(?:an?|my|our|another) (?:\w+ )?(?:{_ACQUAINTANCE}|doctor|consultant|registrar|trust|ward|"
    r"practice|teacher)['’]?s (?:patient|case|client|baby|child|son|daughter|husband|wife|mother|"
    r"father|mum|dad|sister|brother)\b|"
    rf"\bun[oa]? (?:paciente|caso) de (?:un[oa]? |otr[oa] |mi )(?:{_CONOCIDO}|equipo|centro|"
    r"servicio|médic[oa]|medic[oa]|hospital|planta)\b|"
    r"(?:(?<=muri[oó] )|(?<=muerto )|(?<=perdimos a )|(?<=morir a ))(?:un|una) "
    r"(?:niñ[oa]|paciente|bebé|chic[oa]|hombre|mujer|señora?)\b",
    re.IGNORECASE,
)


def _called_uncle(match: re.Match[str]) -> str:
    """A relative's name in place of a stranger's: of neither is the note told."""
    words = match.group()
    return ("tío" if words.lower().startswith("un") else "uncle").ljust(len(words))


# who helps the patient now: "my brother is doing compressions", "mi hija le está haciendo la RCP"
_HELPERS_EN = (
    rf"(?:{_IN_CHARGE}s?|sons?|brother-in-law|sister-in-law|uncle|aunt|cousin|grand\w+|colleague|"
    r"teacher|passer-?by|bystander)"
)
_HELPING = re.compile(
    rf"\b(?:(?:my|the|his|her|our|a|their) )?{_HELPERS_EN}(?:['’]s| is| are|s)? (?:now |still )?"
    r"(?=(?:doing|giving|performing|starting|started|did|gave) (?:\w+ ){0,2}"
    r"(?:cpr|compressions|mouth[- ]to[- ]mouth|first aid|back ?(?:slaps|blows)|rescue breaths)\b|"
    r"(?:pressing|pushing) (?:\w+ ){0,2}(?:on|down)\b|holding (?:him|her|a towel|pressure)\b|"
    r"(?:calling|ringing|phoning|called|rang) (?:999|911|112|an ambulance|you)\b)|"
    rf"\b(?:mi|su|el|la|un|una) {_HELPERS_EN}(?: mayor)? "
    r"(?=(?:(?:le|lo|la) )?(?:est[aá] |sigue )?(?:haciendo|hace|haci[eé]ndole|d[aá]ndole|dando) "
    r"(?:\w+ ){0,2}(?:rcp|masaje|reanimaci[oó]n|compresiones|boca a boca|heimlich)\b)",
    re.IGNORECASE,
)


def without_others(note: str) -> str:
    """The note, of the same length; who lies in another bed than the note says of its patient
    ("Bed 4, 63M. The man in bed 2 arrested"), is told apart from this one, or was seen beside the
    patient ("the gentleman seen before him") is called another patient. Who helps the patient is
    left out."""
    note = _HELPING.sub(lambda match: " " * len(match.group()), note)
    note = _ONCE_TO_ANOTHER.sub(_called_uncle, note)
    return _BESIDE_PATIENT.sub(_called_another, _without_other_beds(note))


def _without_other_beds(note: str) -> str:
    declared = _OWN_BED.search(note)
    own = declared or _BED.search(note)
    is_of_patient = declared is not None or (
        own is not None and not _IN_A_BED.search(note, 0, own.end())
    )
    if declared is not None:
        note = _OF_A_BED.sub(
            lambda match: (
                match.group()
                if match["bed"] == declared["bed"]
                else re.sub(r"\S", " ", match.group())
            ),
            note,
        )

    def called(match: re.Match[str]) -> str:
        is_other = own is not None and is_of_patient and match["bed"] != own["bed"]
        return _called_another(match) if is_other or match["contrast"] else match.group()

    return _IN_A_BED.sub(called, note)


_ANOTHER = re.compile(rf"\banother {_WHO_EN}\b|\botr[oa] (?:paciente|{_WHO_ES})\b", re.IGNORECASE)


def of_the_patient_alone(note: str) -> str:
    """The note, of the same length, without the words for other patients."""
    return _ANOTHER.sub(lambda match: " " * len(match.group()), without_others(note))


def _called_another(match: re.Match[str]) -> str:
    other = f"another {match['en']}" if match["en"] else "otro paciente"
    return other.ljust(len(match.group()))


def names_own_child(note: str) -> bool:
    """Whether a note names a son or a daughter who may be the patient."""
    return _OWN_CHILD.search(note) is not None


def with_own_child(note: str, age_years: float | None, sex: str | None) -> str:
    """The note of a child, of the same length, in which the parents' son or daughter is called as a
    patient is: "his mother says that her son was born at 34 weeks". A sister, a brother, a cousin
    or a child of another age or sex stays a relative."""
    if age_years is None or age_years >= _BELOW_ADOLESCENCE:
        return note
    for match in reversed([*_OWN_CHILD.finditer(note)]):
        child, patient = match["child"], _AS_PATIENT[match["child"].lower()]
        is_female = child.lower() in ("daughter", "hija")
        is_other = sex is not None and is_female != (sex == "female")
        if match["age"]:
            is_other = is_other or abs(int(match["age"]) - age_years) > 1
        start = max(note.rfind(sign, 0, match.start()) for sign in ".;\n")
        end = min(n for sign in ".;\n" if (n := (note + sign).find(sign, match.end())) >= 0)
        if not is_other and not _OTHERS_CHILD.search(note, start + 1, end):
            first, last = match.span("child")
            note = note[:first] + patient.ljust(len(child)) + note[last:]
    return note


def sex_of_kin(note: str) -> str | None:
    """female or male, as the word for the relative says of whom a note is told; None if it is told
    of none, or the word for the patient tells the sex."""
    kin, patient = _kin_told_of(note)
    if patient != PATIENT or kin in _EITHER_KIN:
        return None
    return "female" if kin in _FEMALE_KIN else "male"


@lru_cache(maxsize=256)
def _kin_told_of(note: str) -> tuple[str, str]:
    """The word for the relative of whom a note is told, and what a patient is called; empty if it
    is told of none."""
    told = _CALLS_FOR.match(note)
    if told:
        kin = told["kin"].lower()
        return kin, _AS_PATIENT.get(kin, PATIENT)
    told = _TOLD_BY_A_PARENT.match(note)
    if told is None and not _OF_WHO_TELLS.search(note):
        told = _TOLD_OF_A_CHILD.search(note) or _REPORTED_CHILD.search(note)
        told = told or _TOLD_OF_KIN.match(note)
        if told is None:
            told = _HAPPENS_TO_KIN.match(note) or _CALLED_FOR_KIN.match(note)
            if told and _OF_A_PATIENT.search(note, told.end()):
                told = None
    if told is None:
        return "", ""
    if child := told.groupdict().get("child"):
        return child.lower(), _AS_PATIENT[child.lower()]
    return next(filter(None, told.groups())).lower(), PATIENT
