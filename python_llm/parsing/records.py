"""What a reader makes of one answer, whatever format the answer came in."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from python_llm.parsing.folding import without_entities

EDGES = " \t\r\n*_`\"'“”‘’«»#-–—•|"
LONGEST_NAME = 160  # characters; the longest name of the HPO disease annotations has 148


class RankedDiagnosis(BaseModel):
    """One line of a differential.

    `rank` is the number it was written with (ranks_of), and the rank of an item that is set aside
    stays empty; `place` its position among everything that stood in the text as an item, from 1.
    The texts are the model's own; `in_favour` and `against` are findings, `risk` is what it says of
    danger, red flags or urgency. None: it said nothing of the kind.
    """

    rank: int
    place: int
    diagnosis: str
    reasoning: str | None = None
    in_favour: str | None = None
    against: str | None = None
    risk: str | None = None


class Issue(BaseModel):
    """What was mended or set aside: `rule` is a row of the seed reading_rules.

    `place` and `rank` as in RankedDiagnosis; None where it is about the list, or has no rank.
    """

    place: int | None
    rank: int | None
    rule: str
    text: str


class ParsedDifferential(BaseModel):
    """The outcome of reading one answer; `diagnoses` is empty unless status is 'ok'.

    `status` is a row of the seed parse_outcomes; `read_as` the format that could read the answer.
    `n_items` counts everything that stood in the text as an item: each is in `diagnoses`, or set
    aside in `issues`. That one disease is named twice is found later, where every origin meets.
    """

    status: str
    read_as: str | None = None
    n_items: int = 0
    diagnoses: list[RankedDiagnosis] = []
    issues: list[Issue] = []


_ABOUT_THE_PATIENT = re.compile(
    r"\b(?:the|this|your) patient\b|\b(?:el|la|este|esta) paciente\b", re.I
)
_NEXT_SENTENCE = re.compile(r"[.!?]\s+\S+\s+\S+\s")
# Where what is said of a disease begins if nothing ended its name; the first that is found counts.
_CLAUSES = (
    re.compile(
        r"[.!?;:]\s|\s[-–—]+\s|,\s(?=(?:an?|which|who|with|also|as|if|but|given|due|caused|one|"
        r"characteri[sz]ed|especially|particularly|although|una?|que|con|si|pero|por)\b)|"
        r",?\s(?=(?:which|that|because|since|characteri[sz]ed|caused by|due to|given|resulting|"
        r"leading to|presenting|is|are|was|were|may|can|could|should|would|porque|ya que|que|"
        r"debid[oa] a|caracterizad[oa]|causad[oa]|es|son|puede)\b)",
        re.I,
    ),
    re.compile(r",\s|\s(?=[(\[])"),
    re.compile(r"\s(?=(?:with|in|from|con|en)\b)", re.I),
)
_HEADING = re.compile(
    r"(?:(?:common|uncommon|key|other|main|shared|supporting)\s+)?"
    r"(?:symptoms?|findings|features|signs)(?: (?:in|not in|of|the|that|and)\b.*)?|"
    r"in favou?r|against|reasoning|explanation|conclusion|summary|notes?|recommendations?|"
    r"next steps?|(?:further )?(?:tests?|testing|work-?up)|treatment|management|history|"
    r"differential(?: diagnos[ie]s)?|(?:most likely |final )?diagnos[ie]s|diseases?|none|n/?a|"
    r"unknown|rank|name|reason|(?:api |unknown )?error|and so on(?: to \d)?|name of the diagnosis|"
    r"s[ií]ntomas(?: .*)?|hallazgos|a favor|"
    r"en contra|conclusi[oó]n|resumen|tratamiento|diagn[oó]sticos?(?: diferencial(?:es)?)?|"
    r"ninguno|desconocido|nombre del diagn[oó]stico",
    re.I,
)
_ADVICE = re.compile(
    r"(?:please|consult|seek|(?:see|contact|call|visit|ask|refer|keep|order|perform|schedule|"
    r"obtain|request|consider) (?:an?|the|to|your|with|further|additional)|make sure|consulte|"
    r"(?:rest|drink|avoid|stay|take|get|keep) (?:\w+ )*(?:rest|water|fluids|home|medic\w+|warm|"
    r"sleep|alcohol|smoking|care)|rest$|acuda|busque|solicite|realice|solicitar|pida)\b",
    re.I,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)
_SPACES = re.compile(r"[^\S\n]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_CHANCE = re.compile(
    r"\s*[-–—:,]?\s*[(\[]?\s*[~≈]?\s*\d{1,3}(?:[.,]\d+)?\s*%(?:\s*[-–—]\s*\d{1,3}\s*%)?\s*[)\]]?$"
)


# A code before a name: 'M10.9 – Gout', '[M10.9] Gout', 'ORPHA:558: Marfan syndrome'. Without a dot
# it is one only in brackets or before a sign: 'B12 deficiency' is a name, T12 a vertebra.
_DATABASES = "(?:ORPHA|OMIM|MONDO|DOID)"
CODE_FIRST = re.compile(
    r"[ \t*_]*(?:(?:ICD[- ]?(?:10|11)?(?:-?CM)?|CIE[- ]?10|CIM[- ]?10)[ \t]*:?[ \t]*)?(?:"
    rf"[(\[]([A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{{1,4}})?|{_DATABASES}[: ]?\d+)[)\]][*_]*[ \t]*[-–—:]?|"
    rf"([A-Z]\d[0-9A-Z]\.\d[0-9A-Z]{{0,3}}|{_DATABASES}:\d+)[*_]*(?:[ \t]*[-–—:|]|[ \t])|"
    r"(?!T1[0-2]\b)([A-Z]\d[0-9A-Z])[*_]*(?:[ \t]+[-–—]|:|[ \t]*\|))"
    r"[*_]*[ \t]*(?=[*_\"“]*[^\W\d_]{2})"
)

_BARE_CODE = re.compile(r"([ \t*_]*[A-Z]\d[0-9A-Z])(?=[ \t]+[^\W\d_]{2})")


def with_codes_told(items: Sequence[str]) -> list[str]:
    """The items of a list, each of which begins with a code: 'E54 Scurvy' as 'E54: Scurvy' where
    another code has a dot. In any other list 'B12 deficiency' is a name, and nothing changes."""
    codes = [CODE_FIRST.match(item) for item in items]
    is_coded = all(code or _BARE_CODE.match(item) for code, item in zip(codes, items, strict=True))
    if not is_coded or not any(code and "." in code[0] for code in codes):
        return list(items)
    return [
        item if code else _BARE_CODE.sub(r"\1:", item, count=1)
        for code, item in zip(codes, items, strict=True)
    ]


# Punctuation of Chinese and Japanese texts, as the Latin one that means the same.
_WIDE = str.maketrans(
    {
        **{"（": " (", "）": ") ", "［": " [", "］": "] ", "【": " [", "】": "] ", "　": " "},
        **{"：": ": ", "，": ", ", "；": "; ", "。": ". ", "．": ". ", "、": ", ", "／": "/"},
        **{"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\ufeff": None, "\u200b": None},
        **{"＋": "+", "％": "%", "＃": "#", "－": "-", "！": "! ", "？": "? "},
    }
)
WIDEST_GAP = 10  # numbers further apart count nothing: 1, 23, 45 repeats a prompt's "+1. … +23."
HIGHEST_NUMBER = 999


def with_plain_punctuation(text: str) -> str:
    """`text` with full-width brackets and punctuation as ASCII; its letters stay as they are."""
    return text if text.isascii() else text.translate(_WIDE)


def ranks_of(numbers: Sequence[int | None]) -> tuple[list[int], bool]:
    """The ranks of a list's items, and whether they are the numbers written.

    The numbers written count if they ascend with gaps of at most WIDEST_GAP, from any first number,
    or count down to 1. If one is missing, repeated, out of order or too far from the last, the
    positions count instead.
    """
    positions = list(range(1, len(numbers) + 1))
    written = [number for number in numbers if number is not None]
    if len(written) < len(numbers):
        return positions, False
    if len(written) > 1 and written == positions[::-1]:
        return written, True
    before = (written[0] or 1) - 1 if written else 0
    for number in written:
        if not before < number <= min(before + WIDEST_GAP, HIGHEST_NUMBER):
            return positions, False
        before = number
    return written, True


def visible(text: str) -> str:
    """`text` as it is read: without HTML comments and characters that only say how to show others,
    with which one name could be several, or have another one behind it."""
    if not text.isascii():
        text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return _COMMENT.sub("", text)


def clean_name(text: str) -> str:
    """A name without what nobody sees, markup, a code before it, closing punctuation and a
    probability at its end."""
    text = _SPACES.sub(" ", with_plain_punctuation(visible(without_entities(text))))
    if code := CODE_FIRST.match(text):
        text = text[code.end() :]
    text = text.strip(EDGES).rstrip(".:;,").strip(EDGES)  # '(50.5%);'
    name = _CHANCE.sub("", text).strip(EDGES).rstrip(".:;,").strip(EDGES)
    if name.endswith((")", "]")) or not name.startswith(("(", "[")):
        return name
    return name.lstrip("([").strip(EDGES)  # an opening bracket that never closes


def flat(text: str | None) -> str | None:
    """Free text of an answer in one line without bullets; None if nothing is left."""
    if not text:
        return None
    lines = (line.strip(EDGES + "+") for line in text.splitlines())
    return " ".join(line for line in lines if line).strip(" ,;:") or None


def _cut(name: str) -> str:
    """What of an overlong name is the name: up to the first clause that says something of it.

    Without a clause in the first LONGEST_NAME characters, the words that fit into them.
    """
    for clause in _CLAUSES:
        for match in clause.finditer(name, 0, LONGEST_NAME + 2):
            head = name[: match.start()]
            is_in_brackets = head.count("(") > head.count(")")
            if not is_in_brackets and any(letter.isalpha() for letter in head):
                return head
    return name[: LONGEST_NAME + 1].rpartition(" ")[0] or name[:LONGEST_NAME]


class Collector:
    """Takes what may be diagnoses; keeps every one, cut to its name, or says why it is none."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, dict[str, Any]]] = []
        self._issues: list[tuple[int, int | None, str, str]] = []
        self._notes: list[Issue] = []

    @property
    def is_empty(self) -> bool:
        return not (self._kept or self._issues)

    def drop(self, text: str, rule: str, rank: int | None = None, at: int | None = None) -> None:
        """Set an item aside; `at` is where it stands in the text, by default behind the others."""
        self._issues.append((self._at(at), rank, rule, text.strip()[:200]))

    def note(self, rule: str, text: str) -> None:
        """Say something of the list as a whole."""
        self._notes.append(Issue(place=None, rank=None, rule=rule, text=text[:200]))

    def add(
        self,
        name: str,
        written: str,
        rank: int,
        at: int | None = None,
        **parts: str | None,
    ) -> None:
        """Judge one candidate: `name` as cleaned, `written` the text it was cut from.

        `parts` are reasoning, in_favour, against and risk. What is cut off a name is reasoning.
        """
        at = self._at(at)
        whole = name
        if len(name) > LONGEST_NAME or _NEXT_SENTENCE.search(_BRACKETS.sub(" ", name)):
            head = _cut(name)
            reasoning = flat(name[len(head) :].strip(" .:;,"))
            parts["reasoning"] = " ".join(filter(None, (reasoning, parts.get("reasoning")))) or None
            name = clean_name(head)
        if not any(character.isalpha() for character in visible(name)):
            self.drop(written, "no_name", rank, at)
        elif _HEADING.fullmatch(name):
            self.drop(written, "heading", rank, at)
        elif _ADVICE.match(name):
            self.drop(written, "advice", rank, at)
        elif _ABOUT_THE_PATIENT.search(_BRACKETS.sub(" ", name)):
            self.drop(written, "sentence", rank, at)
        else:
            self._kept.append((at, {"rank": rank, "diagnosis": name, **parts}))
            if name != whole:
                self._issues.append((at, rank, "cut", whole))

    def result(self, read_as: str, without: str = "no_list") -> ParsedDifferential:
        """What came of it: `without` is the status if nothing looked like an item."""
        stood = sorted({at for at, *_ in self._kept} | {at for at, *_ in self._issues})
        place = {at: number for number, at in enumerate(stood, 1)}
        status = "ok" if self._kept else "no_diagnosis" if stood else without
        return ParsedDifferential(
            status=status,
            read_as=read_as if self._kept else None,
            n_items=len(stood),
            diagnoses=[
                RankedDiagnosis(place=place[at], **item)
                for at, item in sorted(self._kept, key=lambda kept: kept[0])
            ],
            issues=[
                Issue(place=place[at], rank=rank, rule=rule, text=text)
                for at, rank, rule, text in sorted(self._issues, key=lambda issue: issue[0])
            ]
            + self._notes,
        )

    def _at(self, at: int | None) -> int:
        return len(self._kept) + len(self._issues) if at is None else at
