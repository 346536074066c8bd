"""What a reader makes of one answer, whatever format the answer came in."""

import re
import unicodedata

from pydantic import BaseModel

EDGES = " \t\r\n*_`\"'“”‘’«»#-–—•|"
LONGEST_NAME = 160  # characters; the longest name of the HPO disease annotations has 148


class RankedDiagnosis(BaseModel):
    """One line of a differential: `rank` is the position in the list, from 1 without gaps.

    The texts are the model's own; `in_favour` and `against` are findings, `risk` is what it says of
    danger, red flags or urgency. None: it said nothing of the kind.
    """

    rank: int
    diagnosis: str
    reasoning: str | None = None
    in_favour: str | None = None
    against: str | None = None
    risk: str | None = None


class DroppedItem(BaseModel):
    """Something that stood where a diagnosis was expected, and why it is not one."""

    text: str
    reason: str


class ParsedDifferential(BaseModel):
    """The outcome of reading one answer; `diagnoses` is empty unless status is 'ok'.

    `status` is a row of the seed parse_outcomes; `read_as` the format that could read the answer.
    """

    status: str
    read_as: str | None = None
    diagnoses: list[RankedDiagnosis] = []
    dropped: list[DroppedItem] = []


_SENTENCE = re.compile(
    r"\b(?:the|this|your) patient\b|\b(?:el|la|este|esta) paciente\b|[.!?]\s+\S+\s+\S+\s", re.I
)
_HEADING = re.compile(
    r"(?:(?:common|uncommon|key|other|main|shared|supporting)\s+)?"
    r"(?:symptoms?|findings|features|signs)(?: (?:in|not in|of|the|that|and)\b.*)?|"
    r"in favou?r|against|reasoning|explanation|conclusion|summary|notes?|recommendations?|"
    r"next steps?|(?:further )?(?:tests?|testing|work-?up)|treatment|management|history|"
    r"differential(?: diagnos[ie]s)?|(?:most likely |final )?diagnos[ie]s|diseases?|none|n/?a|"
    r"unknown|and so on(?: to \d)?|name of the diagnosis|s[ií]ntomas(?: .*)?|hallazgos|a favor|"
    r"en contra|conclusi[oó]n|resumen|tratamiento|diagn[oó]sticos?(?: diferencial(?:es)?)?|"
    r"ninguno|desconocido|nombre del diagn[oó]stico",
    re.I,
)
_ADVICE = re.compile(
    r"(?:please|consult|seek|(?:see|contact|call|visit|ask|refer|keep|order|perform|schedule|"
    r"obtain|request|consider) (?:an?|the|to|your|with|further|additional)|make sure|consulte|"
    r"acuda|busque|solicite|realice|solicitar|pida)\b",
    re.I,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)
_BRACKETS = re.compile(r"\([^()]*\)")
_NOT_WORD = re.compile(r"[\W_]+")
_CHANCE = re.compile(
    r"\s*[-–—:,]?\s*[(\[]?\s*[~≈]?\s*\d{1,3}(?:[.,]\d+)?\s*%(?:\s*[-–—]\s*\d{1,3}\s*%)?\s*[)\]]?$"
)


def visible(text: str) -> str:
    """`text` as it is read: without HTML comments and characters that only say how to show others,
    with which one name could be several, or have another one behind it."""
    if not text.isascii():
        text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return _COMMENT.sub("", text)


def clean_name(text: str) -> str:
    """A name without what nobody sees, markup, closing punctuation and a probability at its end."""
    text = visible(text)
    name = _CHANCE.sub("", text.strip(EDGES)).strip(EDGES).rstrip(".:;,").strip(EDGES)
    if name.endswith((")", "]")) or not name.startswith(("(", "[")):
        return name
    return name.lstrip("([").strip(EDGES)  # an opening bracket that never closes


def flat(text: str | None) -> str | None:
    """Free text of an answer in one line without bullets; None if nothing is left."""
    if not text:
        return None
    lines = (line.strip(EDGES + "+") for line in text.splitlines())
    return " ".join(line for line in lines if line).strip(" ,;:") or None


class Collector:
    """Takes what may be diagnoses in order; keeps and ranks them, or says why not."""

    def __init__(self) -> None:
        self.diagnoses: list[RankedDiagnosis] = []
        self.dropped: list[DroppedItem] = []
        self._seen: set[str] = set()

    def drop(self, text: str, reason: str) -> None:
        self.dropped.append(DroppedItem(text=text.strip()[:200], reason=reason))

    def add(
        self,
        name: str,
        written: str,
        reasoning: str | None = None,
        in_favour: str | None = None,
        against: str | None = None,
        risk: str | None = None,
    ) -> None:
        """Judge one candidate: `name` as cleaned, `written` the text it was cut from."""
        key = _NOT_WORD.sub(" ", visible(name)).strip().casefold()
        if not any(character.isalpha() for character in key):
            self.drop(written, "no name")
        elif _HEADING.fullmatch(name):
            self.drop(written, "a heading, not a diagnosis")
        elif _ADVICE.match(name):
            self.drop(written, "advice, not a diagnosis")
        elif len(name) > LONGEST_NAME or _SENTENCE.search(_BRACKETS.sub(" ", name)):
            self.drop(written, "a sentence, not a name")
        elif key in self._seen:
            self.drop(written, "named before in this list")
        else:
            self._seen.add(key)
            self.diagnoses.append(
                RankedDiagnosis(
                    rank=len(self.diagnoses) + 1,
                    diagnosis=name,
                    reasoning=reasoning,
                    in_favour=in_favour,
                    against=against,
                    risk=risk,
                )
            )

    def result(self, read_as: str, without: str = "no_list") -> ParsedDifferential:
        """What came of it: `without` is the status if nothing looked like an item."""
        if self.diagnoses:
            return ParsedDifferential(
                status="ok", read_as=read_as, diagnoses=self.diagnoses, dropped=self.dropped
            )
        status = "no_diagnosis" if self.dropped else without
        return ParsedDifferential(status=status, dropped=self.dropped)
