"""A list whose items begin with an ordinal, as one with numbers: 'First, gout. Second, …',
'1st, …', 'En primer lugar, gota', 'La primera opción es gota'.

An ordinal that counts is followed by a sign, or by what it counts: 'First-degree heart block' and
'Third nerve palsy' are names.
"""

import re

from python_llm.parsing.prose import SURE, is_name

_WORDS = (
    # English, Spanish, Portuguese, Italian, French, German; each from the first
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "firstly secondly thirdly fourthly fifthly sixthly seventhly eighthly ninthly tenthly",
    "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
    "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
    "primer segundo tercer cuarto quinto sexto septimo octavo noveno decimo",
    "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono",
    "primeira segunda terceira quarta quinta sexta sétima oitava nona",
    "primo secondo terzo quarto quinto sesto settimo ottavo nono",
    "prima seconda terza quarta quinta sesta settima ottava nona",
    "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième",
    "première seconde troisième quatrième cinquième sixième septième huitième neuvième",
    "premièrement deuxièmement troisièmement quatrièmement cinquièmement sixièmement",
    "erstens zweitens drittens viertens fünftens sechstens siebtens achtens neuntens zehntens",
    "erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter",
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
)
ORDINALS = {word: n for words in _WORDS for n, word in enumerate(words.split(), 1)}
ORDINALS |= {"secondement": 2, "primeramente": 1}
_ANY = "|".join(sorted(ORDINALS, key=len, reverse=True))
_LAST = r"lastly|finally|por [uú]ltimo|finalmente|por fim|enfin|zuletzt|schlie(?:ß|ss)lich|infine"
_DIGITS = r"\d{1,2}(?:st|nd|rd|th|er[ao]?|d[oa]|r[oa]|t[oa]|[eè]me|re|e|\.?[ºª°]|\.[oa](?=[\s,:]))"
_KIND = (
    r"(?:choice|diagnos[ie]s|option|possibility|guess|candidate|hypothesis|consideration|place|pick|"
    r"opci[oó]n|diagn[oó]stico|posibilidad|hip[oó]tesis|sospecha|lugar|opç[aã]o|hip[oó]tese|"
    r"possibilidade|opzione|ipotesi|diagnosi|luogo|scelta|diagnostic|hypoth[eè]se|lieu|choix|option|"
    r"stelle|wahl|m[oö]glichkeit|verdachtsdiagnose|hypothese)"
)
# what stands before the number of a rank: 'Platz 1', 'Dx #2'
RANK_NOUNS = (
    r"(?:rank|rang(?:platz)?|rango|top|puesto|position|posici[oó]n|posi[cç][aã]o|posizione|lugar|"
    rf"platz|d?dx|diagnose|{_KIND})"
)
_LIKELY = r"(?:(?:most|m[aá]s|plus|pi[uù]|mais) (?:likely|probable|prov[aá]vel|probabile))"
_VERB = (
    r"(?:is|are|would be|could be|might be|remains|es|ser[ií]a|podr[ií]a ser|[eé]|seria|[eè]|"
    r"sarebbe|est|serait|ist|w[aä]re)"
)
_MARKER = re.compile(
    r"(?:^[ \t]*(?:[-*•>][ \t]+)?|[.;,|/!?:][*_]*[ \t\n]+|[ \t](?=(?:and|y|und|et|e)[ \t]))[*_]*"
    r"(?:(?:and|y|und|et|e|then|luego|despu[eé]s|dann|puis|depois|poi)[ \t]+){0,2}"
    r"(?:(?P<head>(?:in|as|en|em|an|como)(?: (?:the|my|el|la))?|"
    r"the|my|el|la|mi|a|o|le|ma|mon|die|der|meine|il|mia)[ \t]+)?"
    rf"(?:(?P<word>{_ANY})|(?P<last>{_LAST})|(?P<digits>{_DIGITS}))(?![\w-])"
    rf"(?P<kind>(?:[ \t]+{_LIKELY})?(?:[ \t]+{_KIND})?(?:[ \t]+{_LIKELY})?)[*_]*"
    rf"(?:(?P<mark>[ \t]*[,:.)]|[ \t]+[-–—])|(?P<verb>[ \t]*,?[ \t]+{_VERB}\b)[ \t]*:?|"
    r"(?P<bare>(?=[ \t]+[*_]*[^\W\d_])))"
    r"[*_]*[ \t]+(?:(?:(?:i|we)(?:['’]d| would| might| could)?[ \t]+(?:also[ \t]+)?)?"
    r"(?:consider|think of|there is|comes|suspect|considerar[ií]a|considerar|"
    r"pensar en|pensar[ií]a en|sospechar)[ \t]+)?(?=[*_\"“]*(?:\d+(?:[,'-]\d*)*-?)?[^\W\d_])",
    re.MULTILINE | re.IGNORECASE,
)
# The first of a list that goes on with 'The second': 'The most likely diagnosis is gout.'
_LIKELIEST = re.compile(
    rf"(?:(?<=[.!?\n] )|(?<=\n)|\A)(?:(?:the|my|el|la|le|die|il)[ \t]+)?(?:{SURE}|most likely)[*_]*"
    rf"(?:[ \t]*:[*_]*|[ \t]+{_VERB})[ \t]+(?=[*_]*[^\W\d_])",
    re.IGNORECASE,
)
# adverbs, which are no part of a name; and what an ordinal before a name tells apart
_ADVERBS = {"firstly", "primero", "primeramente", "premièrement", "erstens"}
_TOLD_APART = re.compile(
    r"(?:trimest|degree|grade|grado|grad|branchial|pharyngeal|nerve|nervio|cranial|par|arch|line|"
    r"stage|generation|rib|toe|finger|metatars|metacarp|molar|ventric|division|episode|attack|"
    r"day|week|month|year|pregnanc|opinion|visit|dose)",
    re.IGNORECASE,
)
# A word that says a rank, and nothing else
MARKER_ALONE = re.compile(
    rf"(?:(?:the|my|la|el|mi|in|en|em|an) )?(?:{_ANY}|{_DIGITS})(?: {_LIKELY})?(?: {_KIND})?|"
    r"(?:(?:the |lo )?(?:most|more|less|least|very|highly|also|m[aá]s|menos|muy) )?"
    r"(?:likely|probable|possible|plausible|unlikely|posible|improbable)|"
    rf"{_KIND} \d{{1,2}}",
    re.IGNORECASE,
)
_MARKED = re.compile(
    rf"\W*(?:(?:and|y|und|et) )?(?:(?:in|as|en|em|an|the|my) )?(?:{_ANY}|{_DIGITS})"
    rf"(?: {_KIND})?[,:]",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\.(?:\s|\Z)|[:;(\n]|,\s|\s[-–—]\s|\s(?:because|since|given|due to|which|porque|dad[oa]|por)\s"
)
_SHORT = re.compile(r"[A-Z]{2}")
_NUMBERED = re.compile(r"^[^\w\n]*\d{1,2}[.)][ \t*_]", re.MULTILINE)
# What one does, and what is no disease
_DONE = re.compile(
    r"(?:the|this|these|there|it|we|you|i|he|she|let|please|order|check|obtain|perform|get|give|"
    r"start|stop|begin|do|rule|refer|treat|admit|take|make|send|ask|exclude|confirm|review|repeat|"
    r"assess|evaluate|measure|monitor|discuss|ensure|se|hay|los|las|debe|pedir|solicitar|hacer|"
    r"realizar|tratar|iniciar|descartar|confirmar|valorar|derivar|repetir|tomar|medir|ordenar|"
    r"ingresar|evaluar|explorar|dar|comenzar|revisar|(?:ped|repet|med)ir[ií]a|har[ií]a|"
    r"(?:solicit|realiz|trat|descart|empez|confirm|deriv)ar[ií]a|MRI|CT|EEG|ECG|EMG|RM|TAC)\b|"
    r".*\b(?:MRI|scan|ultrasound|x-?rays?|biopsy|puncture|panel|tests?|testing|culture|levels?|"
    r"resonancia|radiograf[ií]a|anal[ií]tica|punci[oó]n(?: lumbar)?|biopsia|"
    r"ecograf[ií]a|cultivo)\Z",
    re.IGNORECASE,
)
_OF_DIAGNOSES = re.compile(
    r"diagn[oó]s|differential|diferencial|likely|probable|consider|condition|disease|possibilit|"
    r"enfermedad|posibilidad|m[oö]glich|hypoth|hip[oó]tes|ipotesi",
    re.IGNORECASE,
)
_OF_ACTIONS = re.compile(
    r"\btests?\b|work-?up|confirm|investigat|recommend|steps?\b|treat|manage|plan\b|question|prueba|"
    r"estudio|recom(?:i)?end|trat|pasos?\b|manejo|pregunta|therap|untersuch|examen|\bno\b|\bnot\b|"
    r"ruled out|exclu|descart|rejected",
    re.IGNORECASE,
)


def with_numbers_for_ordinals(body: str) -> str:
    """A text whose diagnoses stand behind ordinals as a numbered list; any other text as it is."""
    if len(_NUMBERED.findall(body)) > 1:
        return body
    marked = [*_MARKER.finditer(body)]
    if _are_bare(marked):
        return _listed(body, marked, [_number(sign) for sign in marked])
    signs = [sign for sign in marked if _counts(sign)]
    if signs and _number(signs[0]) == 2 and (first := _only(_LIKELIEST, body[: signs[0].start()])):
        return with_numbers_for_ordinals(f"{body[: first.start()]}1st, {body[first.end() :]}")
    if len(signs) > 1 and signs[-1]["last"] and not _is_named(body[signs[-1].end() :]):
        del signs[-1]  # 'Finally, order a biopsy'
    numbers = [_number(sign) for sign in signs]
    if len(numbers) > 1 and signs[-1]["last"]:
        numbers[-1] = numbers[-2] + 1
    if len(signs) < 2:
        return body
    if any(sign["bare"] is not None and sign["word"] for sign in signs) and not signs[0]["verb"]:
        return body  # 'La primera es gota, la segunda tuberculosis' leaves a verb out
    if (
        numbers[0] != 1
        or numbers != sorted(set(numbers))
        or not _may_list(body[: signs[0].start()])
    ):
        return body
    return _listed(body, signs, numbers)


def _listed(body: str, signs: list[re.Match[str]], numbers: list[int]) -> str:
    """The text with a numbered line for what stands behind each sign, if these are names; the text
    as it is otherwise."""
    ends = [*(sign.start() for sign in signs[1:]), len(body)]
    texts = [body[s.end() : end].strip(" \t\n|/;,") for s, end in zip(signs, ends, strict=True)]
    names = [*map(_name, texts)]
    if len({*map(str.lower, names)}) < len(names):
        return body  # '1st Branchial cleft cyst', '2nd Branchial cleft cyst'
    if not all(map(_is_named, texts)):
        return body
    lines = (f"{number}. {text}" for number, text in zip(numbers, texts, strict=True))
    return "\n".join([body[: signs[0].start()].rstrip(), *lines]).lstrip("\n")


def _only(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = [*pattern.finditer(text)]
    return matches[0] if len(matches) == 1 else None


def _are_bare(signs: list[re.Match[str]]) -> bool:
    """Whether all ordinals of a text are words with nothing but a name behind each, in turn from
    the first: 'First Gout, second Tuberculosis'. 'First Trimester Bleeding' is a name."""
    words = [sign["word"].lower() if sign["word"] else "" for sign in signs]
    if len(signs) < 2 or [ORDINALS.get(word) for word in words] != [*range(1, len(words) + 1)]:
        return False
    if any(sign["bare"] is None or sign["head"] or sign["kind"].strip() for sign in signs):
        return False
    names = [sign.string[sign.end() :].lstrip('*_ "“') for sign in signs]
    is_named = words[0] in _ADVERBS or all(name[:1].isupper() for name in names)
    return is_named and not any(map(_TOLD_APART.match, names))


def begins_with_marker(name: str) -> bool:
    """Whether what should be a name begins with an ordinal that counts it."""
    return bool(MARKER_ALONE.fullmatch(name.strip(" *_.,:;")) or _MARKED.match(name))


def _name(text: str) -> str:
    """The first words of a text, which may be a name."""
    return _ENDS.split(text.strip(' *_"“”'), maxsplit=1)[0].strip(" *_.,")


def _is_named(text: str) -> bool:
    """Whether a text begins with what may be the name of a disease, short as 'TB' or not."""
    name = _name(text)
    return (is_name(name) or bool(_SHORT.fullmatch(name))) and not _DONE.match(name)


def _counts(sign: re.Match[str]) -> bool:
    """Whether an ordinal counts what stands behind it: 'The second is gout', '1st Gout', 'Second,
    gout'. 'Second Gout' does not, and 'the first, …' may count anything."""
    has_kind = bool(sign["kind"].strip())
    if sign["last"]:
        return (sign["mark"] or "").strip() in (",", ":")
    if sign["bare"] is not None:
        begins = sign.string[sign.end() :].lstrip('*_ "“')[:1]
        is_numbered = sign["digits"] is not None and begins.isupper()
        return not has_kind and (is_numbered or bool(sign["word"] and sign["head"]))
    if sign["verb"]:
        return has_kind or sign["head"] is not None
    if sign["mark"].strip() in (".", ")"):
        return sign["digits"] is not None
    return has_kind or sign["head"] is None


def _number(sign: re.Match[str]) -> int:
    if sign["word"]:
        return ORDINALS[sign["word"].lower()]
    digits = re.match(r"\d+", sign["digits"] or "")
    return int(digits[0]) if digits else 0


def _may_list(before: str) -> bool:
    """Whether a list behind a text may be one of diagnoses: nothing stands there, or it says so."""
    last = re.split(r"[.\n]\s", before.strip())[-1]
    return not last or bool(_OF_DIAGNOSES.search(last) and not _OF_ACTIONS.search(last))
