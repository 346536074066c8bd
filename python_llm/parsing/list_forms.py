"""Where the items of a list begin that is not numbered line by line: '1-Asthma', '1.Asthma 2.COPD',
letters, Roman numerals, bullets, names alone.

Each form is read only as a whole list, counted from its first sign: alone, '3-methyl…', 'a)' and
'II.' are parts of names and sentences.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from python_llm.parsing.ordinals import begins_with_marker
from python_llm.parsing.prose import SURE, is_name
from python_llm.parsing.records import CODE_FIRST

MARKUP = r"(?:\*\*\*|\*\*|__|\*|_)?"
# A name begins: with no small letter, and with a digit only where that is a part of a word.
_NAME = r"(?=[*_\"“]*(?:[^\W\d_a-z]|\d+(?:[,'-]\d*)*-?[^\W\d_]))"
# What may stand before a name: 'Primary diagnosis:', 'The most likely diagnosis would be'.
NAME_LABEL = re.compile(
    r"\s*[*_]*(?:(?:(?:possible|likely|probable|primary|secondary|tertiary|main|principal|leading|"
    r"working|final|differential|alternative|other|top|most likely|less likely|least likely|"
    r"first|second|third|fourth|fifth) )?diagnos[ie]s|primary|secondary|tertiary|most likely|"
    r"less likely|least likely|unlikely|likely|disease|condition|(?:disease )?name|answer|"
    r"diagn[oó]stico(?: (?:principal|secundario|diferencial|m[aá]s probable))?|enfermedad|nombre|"
    rf"ddx?|dx|impression|assessment|diagnose|{SURE})"
    r"(?: name| \d{1,2})?[*_]*\s*:[*_]*[ \t]*",
    re.IGNORECASE,
)
INTRODUCTION = re.compile(
    r"(?:(?:the|a|an|my|another|one)\ )?(?:\w+\ ){0,3}?(?:possibility|diagnos[ie]s|candidate|"
    r"explanation|consideration|cause)\b[^.:;\n]{0,240}?\ (?:is|would\ (?:have\ to\ )?be|could\ be|"
    r"might\ be|may\ be|must\ be|(?:appears|seems)\ to\ be)\ |"
    r"(?:el|la)\ (?:\w+\ ){0,2}?(?:diagn[oó]stico|posibilidad|causa)\b[^.:;\n]{0,240}?\ "
    r"(?:es|ser[ií]a|podr[ií]a\ ser)\ ",
    re.IGNORECASE | re.VERBOSE,
)
_INLINE = re.compile(
    r"(?:(?<=[\s:;.,])|^)[*_(]*(?:(?P<number>\d{1,2})[.)][*_]*[ \t]*|\+(?P<bare>\d{1,2})[ \t]+|"
    r"(?:(?<=[:;.,/|]\s)|\A[*_]*|(?<=\s)(?=\#))\#?(?P<dashed>\d{1,2})"
    r"(?:[ \t]?[-–—,][ \t]+|(?<=\#\d):?[ \t]+))" + _NAME
)
# the end of a name that a number may belong to
_OWN_NUMBER = re.compile(
    r"(?:\b(?:types?|tipos?|typ|stage|estadio|grade|grado|grad|class|clase|group|grupo|factor|level|"
    r"nivel|chromosome|cromosoma|neurofibromatosis|phase|fase|vitamin|vitamina|gene?|deficit)|"
    r"(?-i:\b[A-Z]{2,}\w*)|\d)\W*\Z",
    re.IGNORECASE,
)
_INLINE_SMALL = re.compile(r"(?:(?<=[\s:;.,])|^)\(?(?P<number>\d{1,2})[.)][ \t]+(?=[^\W\d_])")
_GLUED = re.compile(r"^[ \t]*(?P<sign>\d{1,2})-(?=[^\W\d_])", re.MULTILINE)
_SIGNED = re.compile(
    r"^[ \t]*(?P<sign>\d{1,2})[ \t]*(?:[-=]>|[/>=→|~])[ \t]*(?=[*_\"“]*[^\W\d_])", re.MULTILINE
)
_BARE = re.compile(r"^[ \t]*(?P<sign>\d{1,2})(?:[,;][ \t]*|[ \t]+)(?=[^\W\d_a-z])", re.MULTILINE)
_WORD = re.compile(
    rf"^[ \t]*{MARKUP}(?P<sign>[^\W\d_]{{5,8}})(?: (?:diagnosis|diagn[oó]stico))?{MARKUP}[:.)-]"
    rf"{MARKUP}[ \t]+(?=\S)",
    re.MULTILINE,
)
_LETTER = re.compile(rf"^[ \t]*{MARKUP}\(?(?P<sign>[a-z])[.)]-?{MARKUP}[ \t]+(?=\S)", re.M | re.I)
_ROMAN = re.compile(
    rf"^[ \t]*{MARKUP}\(?(?P<sign>[IVX]+(?=[.):])|[ivx]+(?=[.)]))[.):]-?{MARKUP}[ \t]+(?=\S)", re.M
)
_INLINE_WORD = re.compile(
    r"(?:(?<=[\s;.,])|^)(?P<sign>[^\W\d_]{5,8})(?: (?:diagnosis|diagn[oó]stico))?:[ \t]+(?=\S)"
)
_INLINE_LETTER = re.compile(rf"(?:(?<=[\s:;.,])|^)\(?(?P<sign>[a-z])\)[ \t]*{_NAME}")
_INLINE_ROMAN = re.compile(rf"(?:(?<=[\s:;.,])|^)\(?(?P<sign>[IVX]+|[ivx]+(?=\)))[.)][ \t]+{_NAME}")
_BULLET = re.compile(rf"^(?P<indent>[ \t]*)[-*•–+][ \t]+(?={MARKUP}\w)", re.MULTILINE)
_OF_DIAGNOSES = (
    "(?:diagn[oó]s|differential|condition|disease|possibilit|diferencial|enfermedad|cuadro|hypoth|"
    "hip[oó]tes|ipotesi|alternativ|m[oö]glichkeit|differenzial|diff[eé]rentiel|diferenciais)"
)
_DIAGNOSES_HEADING = re.compile(
    rf"{_OF_DIAGNOSES}[^\n]*:[*_ ]*\Z|^[ \t]*(?:#+[ \t]|\*\*|__)[^\n]*{_OF_DIAGNOSES}[^\n]*\Z|"
    r"^[ \t]*(?:(?:other|alternative|further|differential) (?:possibilities|diagnos[ei]s|"
    r"considerations|causes)|differentials?|alternatives|diagn[oó]stico diferencial)[ \t]*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV")
_ORDINALS = {
    word: number
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
        "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
    )
    for number, word in enumerate(words.split(), 1)
}
_ENDED = re.compile(r"[;,.|/][*_\s(]*\Z")
# 'Recommended tests:' at the margin: the bullets behind it are another list.
_HEADING_LINE = re.compile(r"^[^\s*•–+-][^\n]*:[*_ \t]*$", re.MULTILINE)
_LINE_LIST = re.compile(r"^(?P<head>[^\d\n:]{3,60}):[*_]*[ \t]+[(*_]*1[.)][ \t]", re.MULTILINE)
# '### Management', which without a colon could also be that of a group of diagnoses.
OTHER_HEADING = re.compile(
    r"test|work-?up|investigat|recommend|next step|treatment|management|plan\b|question|red flag|"
    r"step|reason|finding|symptom|prueba|estudio|recomend|tratamiento|pregunta|alarma|s[ií]ntoma|"
    r"evidence|feature|evidencia|hallazgo|ruled out|excluded|descartad|conducta|manejo|befunde|"
    r"maßnahme|vorgehen|therap|examen|traitement|references?\b|disclaimer|therefore|"
    r"rejected|rechazad|excluid|problem list|lista de problemas|"
    r"^\W*(?:(?:active|main|very|highly|activos|muy|poco) )?"
    r"(?:problems|problemas|unlikely|improbables?|probables)(?: activos| diagn\w+)?\W*$",
    re.IGNORECASE,
)
_MARKED_HEADING = re.compile(
    r"^[ \t]*(?:#+[ \t][^\n]*|(?:\*\*|__)[^\n*]+(?:\*\*|__):?[ \t]*)$", re.M
)
_BEFORE_NAMES = re.compile(
    r"(?:dx|[^:;|>\n]{0,60}(?:diagnos|differential|diferencial|disease|condition|enfermedad|answer|"
    r"response|respuesta|output|prediction|ranking|ranked|诊断|鉴别|答案)[^:;|>\n]{0,60}):\s+",
    re.IGNORECASE,
)
_TABLE_HEAD = re.compile(r"(?:diagnos|disease|condition|name|rank|enfermedad)[^\n]*\t", re.I)
_COURTESY = re.compile(
    r"(?:i hope|let me know|please|these|this|feel free|if you|note|good luck|espero)\b", re.I
)
# A text without any list sign is a list of names if no line of it can be a sentence.
_LINE = re.compile(r"^[ \t]*(?P<text>\S.*)$", re.MULTILINE)
_PIECE = re.compile(r"(?:\A|(?<=[;|]))\s*(?P<text>[^;|]*)")
_LIKELIER = re.compile(r"\s*(?:(?<![-=<>])>{1,3}|≻)\s+")  # 'Gout > Septic arthritis > Pseudogout'
_COMMA_PIECE = re.compile(r"(?:\A|, )(?P<text>[^\W\d_a-z]\w*[^,]*)")
# 'Gout (M10.9), hypertension (I10)'
_CODED_PIECE = re.compile(r"(?:\A|, |\band )(?P<text>[^(),]+ \([A-Z]\d\w(?:\.\w{1,4})?\))")
_CODED = re.compile(
    rf"(?:{_CODED_PIECE.pattern.replace('?P<text>', '')}){{2,}}\.?\s*".replace("\\A|", "|")
)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|be|been|can|cannot|could|may|might|must|should|would|will|"
    r"do|does|did|i|we|you|he|she|they|it|this|these|there|here|please|sorry|based|given|suggests?|"
    r"indicates?|requires?|consistent|because|es|son|est[aá]n?|fue|tiene|puede|podr[ií]a|hay|se|yo|"
    r"basado|dado|según)\b|[{}<>\[\]=→⟶⇒≻]|\.\s+\S+\s+\S+\s",
    re.IGNORECASE,
)
_NO_DIAGNOSIS = re.compile(
    r"(?:no|not|nothing|none|without|undetermined|inconclusive|insufficient|unclear|unable|healthy|"
    r"sin|nada|ning[uú]n[oa]?)\b|-?\d+(?:[.,]\d+)?\s",
    re.IGNORECASE,
)
_NAME_ENDS = re.compile(r":\s|\s[-–—]\s|\t|\s\(|(?<=\w)\*\*|\*\*\s|,?\s(?:because|which|since)\s")
_LONGEST_LINE = 160  # characters
_MOST_WORDS = 14


@dataclass
class Item:
    """A place where an item of a list begins."""

    start: int  # of the number with its markup
    text: int  # of what follows it
    number: int
    indent: int
    is_inline: bool = False
    is_sub: bool = False


def heading(body: str, start: int) -> str:
    """The last line with a text before `start`, which says what the list behind it is."""
    return body[max(0, start - 300) : start].strip().rsplit("\n", 1)[-1]


def counted(body: str) -> list[Item]:
    """The items of a list whose numbers have no ordinary sign behind them, or share a line."""
    return (
        _whole(body, _GLUED, 2)
        or _whole(body, _SIGNED, 2)
        or _whole(body, _BARE, 3)
        or _whole(body, _WORD, 2, _ordinal)
        or _inline(body, _INLINE_WORD, _ordinal, 2)
        or _in_one_line(body)
    )


def lettered(body: str) -> list[Item]:
    """The items of a list with letters or Roman numerals, line by line or three in one line."""
    return (
        _whole(body, _ROMAN, 2, _roman)
        or _whole(body, _LETTER, 2, _letter)
        or _inline(body, _INLINE_ROMAN, _roman)
        or _inline(body, _INLINE_LETTER, _letter)
    )


def bullets(body: str) -> list[Item]:
    """The outer bullets of a list without numbers, if it is said to be one of diagnoses."""
    matches = list(_BULLET.finditer(body))
    if len(matches) < 2:
        return []
    outer = min(len(m["indent"].expandtabs()) for m in matches)
    matches = [m for m in matches if len(m["indent"].expandtabs()) == outer]
    head = heading(body, matches[0].start())
    if head.rstrip("*_ ").endswith(":") and OTHER_HEADING.search(head):  # 'Findings:' stands above
        matches = matches[_of_diagnoses(body, [m.start() for m in matches]) :]
        head = heading(body, matches[0].start())
    if len(matches) < 2 or (head and not _DIAGNOSES_HEADING.search(head)):
        return []
    items: list[Item] = []
    for match in matches:
        # behind another heading another list begins
        goes_on = items and not _begins_anew(body, items[-1].text, match.start())
        number = items[-1].number + 1 if goes_on else 1
        items.append(Item(match.start(), match.end(), number, 0))
    return items


def _of_diagnoses(body: str, starts: list[int]) -> int:
    """The number of the first bullet right under a heading of diagnoses; 0 if there is none."""
    heads = (heading(body, start) for start in starts)
    return next(
        (
            number
            for number, head in enumerate(heads)
            if _DIAGNOSES_HEADING.search(head)
            and not OTHER_HEADING.search(head)
            and not _BULLET.match(head)
        ),
        0,
    )


def _begins_anew(body: str, start: int, end: int) -> bool:
    """Whether a heading between two places begins another list than one of diagnoses."""
    headings = (line[0] for line in _MARKED_HEADING.finditer(body, start, end))
    return bool(_HEADING_LINE.search(body, start, end)) or any(map(OTHER_HEADING.search, headings))


def names_alone(body: str) -> list[Item]:
    """The names of a text that is nothing but names: one a line, below a heading or not; three or
    more in one line with semicolons or bars between, or commas before capitals; or one.

    Nothing if a line of it says more, or could be one name with its signs as well as several.
    """
    lines = [m for m in _LINE.finditer(body) if m["text"].strip(" *_-#=")]
    if lines and (lines[0]["text"].rstrip("*_ ").endswith(":") or _TABLE_HEAD.match(body)):
        del lines[0]
    if len(lines) > 2 and _COURTESY.match(lines[-1]["text"]):
        del lines[-1]
    if len(lines) == 1:
        at, text = lines[0].start("text"), lines[0]["text"]
        if lead := _BEFORE_NAMES.match(text) or INTRODUCTION.match(text):
            at, text = at + lead.end(), text[lead.end() :]
        if items := _likelier_first(text, at):
            return items
        pieces = [m for m in _PIECE.finditer(text) if m["text"] or m.start()]
        if len(pieces) == 2 or text.count(" / ") > 1:
            return []
        if len(pieces) == 1 and (n_commas := text.count(", ")) >= 2:
            pieces = list(_COMMA_PIECE.finditer(text))
            if len(pieces) <= n_commas:
                return []
        elif len(pieces) == 1 and _CODED.fullmatch(text):
            pieces = list(_CODED_PIECE.finditer(text))
        places = [(at + m.start("text"), m["text"]) for m in pieces]
    else:
        places = [(m.start("text"), m["text"]) for m in lines]
    if not all(_may_be_a_name(text) for _, text in places if text.strip()):
        return []
    return [Item(at, at, rank, 0) for rank, (at, _) in enumerate(places, 1)]


def _likelier_first(text: str, at: int) -> list[Item]:
    """The names of a line that stands at `at` and has them as 'Gout > Asthma > Influenza', three or
    more; an arrow may be the course of one disease, and parts nothing."""
    signs = list(_LIKELIER.finditer(text))
    begins = [0, *(sign.end() for sign in signs)]
    ends = [*(sign.start() for sign in signs), len(text)]
    if len(signs) < 2 or not all(
        _may_be_a_name(text[begin:end]) for begin, end in zip(begins, ends, strict=True)
    ):
        return []
    starts = [0, *ends]
    return [
        Item(at + start, at + begin, rank, 0)
        for rank, (start, begin) in enumerate(zip(starts, begins, strict=False), 1)
    ]


def missing_between(body: str, first: Item, following: Item) -> list[Item]:
    """The items between two whose numbers leave a gap, if all of them stand in the line of the
    first: '1. Asthma 2. COPD' before a line '3. …'. Otherwise nothing is missing but numbers."""
    wanted = range(first.number + 1, following.number)
    items = _inline_numbers(body, wanted, first.text, following.start) if wanted else []
    return items if len(items) == len(wanted) else []


def _whole(
    body: str, pattern: re.Pattern[str], least: int, number: Callable[[str], int] = int
) -> list[Item]:
    """Every match, if they are `least` or more and count from 1 without a gap."""
    matches = list(pattern.finditer(body))
    if len(matches) < least or any(number(m["sign"]) != n for n, m in enumerate(matches, 1)):
        return []
    return [Item(m.start(), m.end(), n, 0) for n, m in enumerate(matches, 1)]


def _inline(
    body: str, pattern: re.Pattern[str], number: Callable[[str], int], least: int = 3
) -> list[Item]:
    items: list[Item] = []
    for match in pattern.finditer(body):
        if number(match["sign"]) == len(items) + 1:
            items.append(Item(match.start(), match.end(), len(items) + 1, 0, is_inline=True))
    return items if len(items) >= least else []


def _in_one_line(body: str) -> list[Item]:
    """'1. Asthma: … 2. COPD: … 3. …' in running text: at least three, counted from 1, or two where
    they are written '+1 … +2 …' or something ends before the second, or the text is nothing but
    two names: '1. Gout 2. Wilson disease'. A number may be of a name: '1. Diabetes type 2.'"""
    items = _inline_numbers(body, range(1, 100), _behind_others(body), len(body))
    if len(items) == 2:
        is_clear = _ENDED.search(body[items[0].text : items[1].start]) or (
            "+" in body[items[0].start : items[0].text] or _are_two_names(body, items)
        )
        return items if is_clear else []
    return items if len(items) > 2 else _names_in_one_line(body)


def _names_in_one_line(body: str) -> list[Item]:
    """The items of a text that is one line of numbered names in small letters: '1. gota 2. lupus'.
    Numbers that do not count on, or may be of a name, part nothing."""
    signs = list(_INLINE_SMALL.finditer(body))
    if len(signs) < 2 or "\n" in body.strip():
        return []
    if [int(sign["number"]) for sign in signs] != [*range(1, len(signs) + 1)]:
        return []
    ends = [*(sign.start() for sign in signs[1:]), len(body)]
    names = [
        body[sign.end() : end].strip(" \t\n,;.") for sign, end in zip(signs, ends, strict=True)
    ]
    head = body[: signs[0].start()].strip()
    is_list = (not head or head.endswith(":")) and all(map(is_name, names))
    if (
        not is_list
        or any("." in name for name in names)
        or any(map(_OWN_NUMBER.search, names[:-1]))
    ):
        return []
    return [
        Item(sign.start(), sign.end(), number, 0, is_inline=True)
        for number, sign in enumerate(signs, 1)
    ]


def _are_two_names(body: str, items: list[Item]) -> bool:
    first, second = body[items[0].text : items[1].start].strip(), body[items[1].text :].strip()
    return (
        not body[: items[0].start].strip(" *_\n")
        and is_name(first)
        and is_name(second.rstrip("."))
        and "." not in first + second.rstrip(".")
        and not _OWN_NUMBER.search(first)
    )


def _behind_others(body: str) -> int:
    """Where the first line begins whose list is one of diagnoses, where lists stand in a line each:
    'Excluded: 1. Gout 2. Leprosy' above 'Differential: 1. Asthma 2. COPD'."""
    heads = list(_LINE_LIST.finditer(body))
    if len(heads) < 2 or not OTHER_HEADING.search(heads[0]["head"]):
        return 0
    others = (head.start() for head in heads if not OTHER_HEADING.search(head["head"]))
    return next(others, 0)


def _inline_numbers(body: str, wanted: Iterable[int], start: int, end: int) -> list[Item]:
    """The first item of each wanted number between two places, one behind the other."""
    items: list[Item] = []
    numbers = iter(wanted)
    number = next(numbers, None)
    for match in _INLINE.finditer(body, start, end):
        written = match["number"] or match["bare"] or match["dashed"]
        if number is not None and int(written) == number:
            items.append(Item(match.start(), match.end(), number, 0, is_inline=True))
            number = next(numbers, None)
    return items


def _letter(sign: str) -> int:
    return ord(sign.lower()) - ord("a") + 1


def _roman(sign: str) -> int:
    return _ROMANS.index(sign.upper()) + 1 if sign.upper() in _ROMANS else 0


def _ordinal(sign: str) -> int:
    return _ORDINALS.get(sign.lower(), 0)


def _may_be_a_name(text: str) -> bool:
    if code := CODE_FIRST.match(text):
        text = text[code.end() :]
    label = NAME_LABEL.match(text)
    name = _NAME_ENDS.split(text[label.end() if label else 0 :], maxsplit=1)[0]
    return (
        len(name) <= _LONGEST_LINE
        and len(name.split()) <= _MOST_WORDS
        and sum(2 if "㐀" <= letter <= "鿿" else letter.isalpha() for letter in name) >= 4
        and not _SAYS.search(name)
        and not _NO_DIAGNOSIS.match(name.strip(" *_"))
        and not begins_with_marker(name)
        and not name.rstrip().endswith((",", ":", "..."))
    )
