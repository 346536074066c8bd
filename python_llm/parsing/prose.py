"""A differential in two sentences: 'The most likely diagnosis is X. Other possibilities include Y
and Z.' The most likely comes first, then the others as they are named."""

import re

_MOST = (
    r"(?:the )?(?:most likely|likeliest|most probable|primary|principal|leading|working|final|main|"
    r"top|presumptive|suspected|provisional|presumed)"
)
# What names one diagnosis, in the languages that models answer in.
SURE = (
    rf"{_MOST}(?: (?:diagnosis|diagnoses|hypothesis|pick|choice|suspicion))?|best guess|"
    r"(?:el )?diagn[oó]stico (?:cl[ií]nico )?(?:(?:el )?m[aá]s probable|principal|final|definitivo|"
    r"presuntivo|provisional|de presunci[oó]n|de sospecha|mais prov[aá]vel)|"
    r"impresi[oó]n diagn[oó]stica|juicio (?:cl[ií]nico|diagn[oó]stico)|"
    r"(?:sospecha|hip[oó]tesis)(?: (?:diagn[oó]stica|cl[ií]nica|principal|m[aá]s probable))+|"
    r"(?:die )?(?:wahrscheinlichste|vermutliche|f[uü]hrende)[nr]? (?:verdachts)?diagnose|"
    r"(?:verdachts|haupt|arbeits)diagnose|am wahrscheinlichsten|"
    r"(?:le )?diagnostic (?:(?:le )?plus probable|principal|retenu|pr[eé]somptif|suspect[eé]|final|"
    r"de pr[eé]somption)|(?:l[’'])?hypoth[eè]se (?:principale|diagnostique|la plus probable)|"
    r"(?:la )?diagnosi (?:(?:la )?pi[uù] probabile|principale|presuntiva|finale|di sospetto)|"
    r"(?:l[’'])?ipotesi (?:diagnostica|principale|(?:la )?pi[uù] probabile)|sospetto diagnostico|"
    r"suspeita (?:diagn[oó]stica|principal)|hip[oó]tese (?:diagn[oó]stica|principal)"
)
# What does so only where a differential follows.
UNSURE = (
    r"(?:my )?diagnosis|dx|answer|impression|assessment|diagn[oó]stico|respuesta|diagnose|antwort|"
    r"diagnostic|r[eé]ponse|diagnosi|risposta|resposta"
)
# What the others are called: 'Differential:', 'Weitere Möglichkeiten sind'.
_REST = (
    r"(?:differential(?: diagnos[ie]s)?|ddx?|diagn[oó]sticos? diferencia(?:l|les|is)|"
    r"differentialdiagnosen?|diagnostics? diff[eé]rentiels?|diagnosi differenziali?|"
    r"(?:weitere|andere|m[oö]gliche) (?:m[oö]glichkeiten|(?:differential)?diagnosen)|"
    r"(?:les )?autres (?:possibilit[eé]s|hypoth[eè]ses|diagnostics)(?: possibles)?|"
    r"(?:le )?altre (?:ipotesi|possibilit[aà]|diagnosi)|outr[oa]s (?:hip[oó]teses|diagn[oó]sticos))"
)
_END = r"(?<!\bSt)(?<!\bvs)(?<!\betc)(?<!\bspp)\.(?:\s|\Z)"  # of a sentence
_FIRST = re.compile(
    r"(?:(?<=[.!?\n])|^)\s*(?:the|my|el)?\s*(?:single )?"
    r"(?:(?:most (?:likely|probable)|likeliest|leading|primary|top) (?:diagnosis|possibility|cause)"
    r"|diagn[oó]stico (?:m[aá]s probable|principal)|(?:die )?wahrscheinlichste diagnose"
    r"|(?:le )?diagnostic le plus probable|(?:la )?diagnosi pi[uù] probabile)"
    r"(?: here| in this case)?"
    r"(?: is| would be| remains| appears to be| es| ser[ií]a| ist| est| [eè])"
    r"\s+(?P<name>\S[^\n]*?)"
    rf"(?={_END}|;|\n|\Z)|"
    rf"(?:(?<=[.!?\n])|^)[ \t]*(?:\#+[ \t]*)?[*_]*(?:{SURE}|{UNSURE})[*_]*[ \t]*:[*_]*[ \t]+"
    rf"(?P<labelled>\S[^\n]*?)(?={_END}|;|\n|\Z)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:(?<=[.!?;\n])|^)\s*(?:the )?(?:other|alternative|less likely|further|additional|otr[ao]s|"
    r"alternativas)(?: (?:possible|likely|differential|posibles))*"
    r"(?: (?:possibilities|possibility|diagnos[ei]s|considerations?|differentials|causes|options|"
    r"alternatives|posibilidades|diagn[oó]sticos|opciones))?(?: to consider| a considerar)?"
    r"(?: (?:include|includes|are|is|would be|may be|could be|incluyen|son|ser[ií]an):?|:)\s+"
    r"(?P<names>\S[^\n]*?)"
    rf"(?={_END}|\n|\Z)|"
    rf"(?:(?<=[.!?;\n])|^)[ \t]*(?:\#+[ \t]*)?[*_]*{_REST}[*_]*(?:[ \t]*:[*_]*| (?:sind|w[aä]ren|"
    rf"sont|sono|s[aã]o|include|are))[ \t]+(?P<labelled>\S[^\n]*?)(?={_END}|\n|\Z)",
    re.IGNORECASE,
)
_IS = r"(?:is|remains|seems|appears to be|es|ser[ií]a|ist|est|[eèé])"
_FOLLOWED = (
    r",?\s+(?:(?:and|y|und|et) )?(?:(?:is|es|ist|est) )?(?:(?:closely|then|luego|despu[eé]s) )?"
    r"(?:followed by|seguid[oa] (?:de|por)|gefolgt von|suivie? (?:de|par)|seguit[oa] da)\s+"
    rf"(?P<names>\S[^\n]*?)(?={_END}|\n|\Z)"
)
# 'Gout is most likely, followed by …' and 'The most likely diagnosis is gout, followed by …'
_IN_TURN = tuple(
    re.compile(rf"(?:(?<=[.!?\n])|^)\s*(?:[-*•>][ \t]+)?{likeliest}{_FOLLOWED}", re.IGNORECASE)
    for likeliest in (
        rf"(?:the |my |el |la )?(?:{SURE})[*_]*(?: here| in this case)?(?: {_IS}|:)[*_]*\s+"
        r"(?P<name>\S[^\n.;]{1,80}?)",
        rf"(?P<name>[^\s.;:,][^\n.;:,]{{1,80}}?)\s+{_IS} (?:the |el |lo |la |le |die |am )?"
        r"(?:most (?:likely|probable)|likeliest|m[aá]s (?:probable|prov[aá]vel)|plus probable|"
        r"pi[uù] probabile|wahrscheinlichste\w?)(?: (?:diagnosis|diagn[oó]stico|one|cause))?",
    )
)
_THEN = re.compile(
    r",?\s+(?:(?:and|y|und|et) )?(?:then|luego|despu[eé]s|dann|puis)(?: by| de| por)?\s+"
)
# How likely a diagnosis is that follows the sign: 'Most likely, gout. Possible, tuberculosis.'
_GRADES = (
    r"(?:lo )?(?:most|m[aá]s|very|highly|muy) (?:likely|probable)|likeliest",
    r"likely|probable|probabl[ey]|probablemente",
    r"(?:also |tambi[eé]n )?(?:possible|posible|plausible|possibly|posiblemente)",
    r"(?:less|menos) (?:likely|probable)",
    r"unlikely|(?:least|very un|poco) ?(?:likely|probable)|improbable|excluded|descartad[oa]",
)
_GRADED = re.compile(
    r"(?:(?<=[.;\n])|^)[ \t]*(?:[-*•>][ \t]+)?[*_]*(?:"
    + "|".join(f"(?P<grade{n}>{words})" for n, words in enumerate(_GRADES))
    + rf")[*_]*[ \t]*[,:–—][*_]*[ \t]+(?P<names>\S[^\n;]*?)(?={_END}|;|\n|\Z)",
    re.IGNORECASE,
)
_REJECTED = len(_GRADES) - 1
_SAID_OF_IT = re.compile(
    r",?\s+(?:because|given|based on|in view of|supported by|considering|since|which|who|as "
    r"(?:the|this|he|she|it)|with (?:the|this|his|her)|porque|dado|dada|ya que)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"\A(?:an?|the|una?|el|la|eine?|die|der|das|une?|le)\s+", re.IGNORECASE)
_AND = re.compile(r"\s*\b(?:and|or|y|e|o|und|oder|et|ou)\s+(?![^(]*\))(?:also\s+|possibly\s+)?")
_A_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|has|have|should|could|may|must|patient|es|son|debe|paciente|ist|sind|est|sont)\b",
    re.I,
)
_NO_NAME = re.compile(
    r"(?:no|not|none|nothing|unclear|unknown|uncertain|unlikely|difficult|to be|ning[uú]n\w*|nada|"
    r"based|made|listed|among|one of|likely|probably|supported|confirmed|established|as follows|"
    r"nicht|kein\w*|unklar|pas|aucun\w*|incerto|incierto)\b",
    re.IGNORECASE,
)
_BLANKS, _BREAKS = re.compile(r"[^\S\n]+"), re.compile(r" ?\n[ \n]*")
_SMALL = re.compile(r"[^\W\d_A-ZÀ-Þ]")  # a letter that is no capital
_AND_SO_ON = {"etc", "among others", "entre otras", "entre otros"}
_MOST_WORDS, _FEWEST_LETTERS = 9, 3


def numbered_from_prose(text: str) -> str | None:
    """The diagnoses as a numbered list; None for a text that is anything else, names two that are
    most likely, or in which a name cannot be told from what is said of it."""
    # one blank for many: where a sentence begins is tried at each, up to the end of them all
    text = _BREAKS.sub("\n", _BLANKS.sub(" ", text))
    if names := _in_turn(text) or _by_grade(text):
        return _numbered(names)
    first, others = list(_FIRST.finditer(text)), list(_OTHERS.finditer(text))
    if len(first) != 1 or len(others) != 1 or others[0].start() < first[0].end() - 1:
        return None
    likeliest = name_in_sentence(first[0]["name"] or first[0]["labelled"])
    names = [
        likeliest,
        *map(name_in_sentence, _apart(others[0]["names"] or others[0]["labelled"], likeliest)),
    ]
    return _numbered(names)


def _numbered(names: list[str]) -> str | None:
    if not all(map(is_name, names)):
        return None
    return "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))


def _in_turn(text: str) -> list[str]:
    """The names of the one sentence that says what is most likely and what follows it."""
    sentences = [match for pattern in _IN_TURN for match in pattern.finditer(text)]
    if len(sentences) != 1:
        return []
    likeliest = name_in_sentence(sentences[0]["name"])
    others = _apart(_THEN.sub(", ", sentences[0]["names"]), likeliest)
    return [likeliest, *map(name_in_sentence, others)]


def _by_grade(text: str) -> list[str]:
    """The names behind 'Most likely,', 'Possible,' and 'Less likely,', without the unlikely ones;
    nothing where a text says more than that, or says it in another order."""
    signs = list(_GRADED.finditer(text))
    grades = [next(n for n in range(len(_GRADES)) if sign[f"grade{n}"]) for sign in signs]
    if len(signs) < 2 or grades[0] > 1 or grades != sorted(set(grades)):
        return []
    if text[: signs[0].start()].strip(" \n*_-•>"):
        return []
    kept = [sign["names"] for sign, grade in zip(signs, grades, strict=True) if grade < _REJECTED]
    likeliest = name_in_sentence(kept[0])
    return [name_in_sentence(name) for names in kept for name in _apart(names, likeliest)]


def name_in_sentence(written: str) -> str:
    return _ARTICLE.sub("", _SAID_OF_IT.sub("", written.strip(" *_\"'")), count=1).strip(" *_\"'.,")


def is_name(name: str) -> bool:
    return (
        sum(map(str.isalpha, name)) >= _FEWEST_LETTERS
        and len(name.split()) <= _MOST_WORDS
        and not _NO_NAME.match(name)
        and not _A_SENTENCE.search(name)
    )


def _apart(names: str, likeliest: str) -> list[str]:
    """Names between commas or semicolons, the last behind 'and'. Where names begin with capitals,
    as `likeliest` does, a piece that does not goes on with the one before it: 'Ehlers-Danlos
    syndrome, vascular type'."""
    sign = ";" if ";" in names else ","
    pieces = [piece.strip() for piece in re.split(rf"{sign}(?![^(]*\))", names)]
    pieces = [piece for piece in pieces if piece and piece.strip(".") not in _AND_SO_ON]
    openings = [_AND.match(piece) for piece in pieces]
    bare = [
        p[opening.end() :] if opening else p for p, opening in zip(pieces, openings, strict=True)
    ]
    goes_on = [bool(_SMALL.match(piece)) for piece in bare]
    has_capitals = not _SMALL.match(likeliest) and 2 * sum(goes_on) <= len(bare)
    whole: list[str] = []
    for piece, opening, is_small in zip(bare, openings, goes_on, strict=True):
        if whole and has_capitals and is_small and not opening:
            whole[-1] += f"{sign} {piece}"
        else:
            whole.append(piece)
    return whole if any(openings) or not whole else [*whole[:-1], *_two(whole[-1])]


def _two(last: str) -> list[str]:
    """What stands at the last 'and', unless a word in small letters behind it goes on with a name
    that has a capital: 'Hand, foot and mouth disease'."""
    joints = list(_AND.finditer(last))
    if not joints:
        return [last]
    before, behind = last[: joints[-1].start()], last[joints[-1].end() :]
    is_one = _SMALL.match(behind) and not _SMALL.match(before)
    return [last] if is_one else [before, behind]
