"""Ranked diagnoses out of a numbered list.

What is read is a substring of the answer, markup aside; what is left out is kept with its reason.
"""

import re
from collections.abc import Callable

import pyarrow as pa
from pydantic import BaseModel

ITEM = re.compile(
    r"^(?P<indent>[ \t]*)(?:[#>]+[ \t]*)?(?:[*_]{1,3})?\+?(?P<number>\d{1,3})(?:[.)]|[ ]?[:\-–])"
    r"(?:[*_]{1,3})?[ \t]*(?P<text>\S.*)?$",
    re.MULTILINE,
)
THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
BOLD_HEAD = re.compile(r"^(\*\*|__)(?P<name>.+?)\1")
NAME_ENDS = re.compile(r":(?=\s|\*|$)|\s[-–—]\s|\n")
IN_FAVOUR = re.compile(
    r"^[ \t]*[-*•+]?[ \t]*[*_]*(?:in favou?r|symptoms? in (?:favou?r|common)|supporting[^:\n]*|"
    r"s[ií]ntomas a favor|a favor)[*_]*[ \t]*:[*_]*[ \t]*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
AGAINST = re.compile(
    r"^[ \t]*[-*•+]?[ \t]*[*_]*(?:against|symptoms? (?:against|not in common)|"
    r"s[ií]ntomas en contra|en contra)[*_]*[ \t]*:[*_]*[ \t]*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
EDGES = " \t\r\n*_`\"'“”‘’«»#-–—•"


class RankedDiagnosis(BaseModel):
    """One line of a differential: `rank` is the position in the list, from 1 without gaps."""

    rank: int
    diagnosis: str
    reasoning: str | None = None
    in_favour: str | None = None
    against: str | None = None


class DroppedItem(BaseModel):
    """Something that stood where a diagnosis was expected, and why it is not one."""

    text: str
    reason: str


class ParsedDifferential(BaseModel):
    """The outcome of reading one answer; `diagnoses` is empty unless status is 'ok'."""

    status: str
    diagnoses: list[RankedDiagnosis] = []
    dropped: list[DroppedItem] = []


def parse_numbered_list(text: str | None) -> ParsedDifferential:
    """Read '1. Name: why' items, whatever stands before, between and after them."""
    body = THINKING.sub("", (text or "").replace("\\n", "\n").replace("\r\n", "\n"))
    items = list(ITEM.finditer(body))
    if not items:
        return ParsedDifferential(status="parse_error")
    outer = min(len(m["indent"].expandtabs()) for m in items)
    items = [m for m in items if len(m["indent"].expandtabs()) == outer]
    ends = [m.start() for m in items[1:]] + [len(body)]
    diagnoses: list[RankedDiagnosis] = []
    dropped: list[DroppedItem] = []
    seen: set[str] = set()
    for match, end in zip(items, ends, strict=True):
        block = (match["text"] or "") + body[match.end() : end]
        name, rest = _split_name(block)
        key = re.sub(r"\W+", " ", name).strip().casefold()
        if not any(character.isalpha() for character in key):
            dropped.append(DroppedItem(text=match.group(0).strip()[:200], reason="no name"))
        elif key in seen:
            dropped.append(DroppedItem(text=name, reason="named before in this list"))
        else:
            seen.add(key)
            in_favour, against = IN_FAVOUR.search(rest), AGAINST.search(rest)
            diagnoses.append(
                RankedDiagnosis(
                    rank=len(diagnoses) + 1,
                    diagnosis=name,
                    reasoning=rest.split("\n", 1)[0].strip(EDGES) or None,
                    in_favour=in_favour[1].strip(EDGES) if in_favour else None,
                    against=against[1].strip(EDGES) if against else None,
                )
            )
    return ParsedDifferential(
        status="ok" if diagnoses else "parse_error", diagnoses=diagnoses, dropped=dropped
    )


def _split_name(block: str) -> tuple[str, str]:
    """The diagnosis at the head of a list item, and what follows it."""
    block = block.lstrip()
    if bold := BOLD_HEAD.match(block):
        head, rest = bold["name"], block[bold.end() :]
    elif end := NAME_ENDS.search(block):
        head, rest = block[: end.start()], block[end.end() :]
    else:
        head, rest = block, ""
    return head.strip(EDGES).rstrip(".:;,").strip(EDGES), rest.lstrip(" :*-–—")


PARSERS: dict[str, Callable[[str | None], ParsedDifferential]] = {
    "numbered_list": parse_numbered_list,
}

PARSED_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("parse_status", pa.string()),
        (
            "diagnoses",
            pa.list_(
                pa.struct(
                    [
                        ("rank", pa.int32()),
                        ("diagnosis", pa.string()),
                        ("reasoning", pa.string()),
                        ("in_favour", pa.string()),
                        ("against", pa.string()),
                    ]
                )
            ),
        ),
        ("dropped", pa.list_(pa.struct([("text", pa.string()), ("reason", pa.string())]))),
    ]
)


def parse_differentials(answers: pa.Table) -> pa.Table:
    """Parse a table of answers (request_key, answer_text, output_format) into PARSED_SCHEMA.

    One row per request_key. An output_format without a parser is a ValueError: that is a mistake
    of the registry, not of the model.
    """
    rows = []
    for answer in answers.to_pylist():
        parser = PARSERS.get(answer["output_format"])
        if parser is None:
            raise ValueError(
                f"No parser for output_format '{answer['output_format']}' in prompt_registry.csv: "
                f"use one of {', '.join(PARSERS)}."
            )
        parsed = parser(answer["answer_text"])
        rows.append(
            {
                "request_key": answer["request_key"],
                "parse_status": parsed.status,
                "diagnoses": [d.model_dump() for d in parsed.diagnoses],
                "dropped": [d.model_dump() for d in parsed.dropped],
            }
        )
    return pa.Table.from_pylist(rows, schema=PARSED_SCHEMA)
