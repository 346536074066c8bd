"""From a model's answer to a ranked differential: the declared format, then the others."""

import re
from collections.abc import Callable

import pyarrow as pa

from python_llm.parsing.json_answer import parse_json, parse_json_schema
from python_llm.parsing.numbered_list import parse_numbered_list
from python_llm.parsing.records import ParsedDifferential
from python_llm.parsing.xml import parse_xml

PARSERS: dict[str, Callable[[str | None], ParsedDifferential]] = {
    "numbered_list": parse_numbered_list,
    "xml": parse_xml,
    "json": parse_json,
    "json_schema": parse_json_schema,
}
# What to try when the declared format is not what came. A format is not tried on an answer that
# has no sign of it; the numbered list, which finds something in anything, comes last.
FALLBACKS = ("json_schema", "json", "xml", "numbered_list")
SIGNS = {
    "json_schema": re.compile(r"\{"),
    "json": re.compile(r"\{|\[\s*\""),
    "xml": re.compile("<"),
    "numbered_list": re.compile(r"\w"),
}

_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m (?:sorry|unable|not able|not a doctor)|i am (?:unable|not able|not a doctor)|"
    r"i (?:cannot|can(?:'|’)t|can not|won(?:'|’)t)|as an ai\b|as a language model|"
    r"lo siento|no puedo|no me es posible|como modelo de lenguaje|no soy m[eé]dico)",
    re.IGNORECASE,
)
LONGEST_ANSWER = (
    200_000  # characters; the longest answer a model of the registry may give is a tenth
)

PARSED_SCHEMA = pa.schema(
    [
        ("answer_key", pa.string()),
        ("parse_status", pa.string()),
        ("read_as", pa.string()),
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
                        ("risk", pa.string()),
                    ]
                )
            ),
        ),
        ("dropped", pa.list_(pa.struct([("text", pa.string()), ("reason", pa.string())]))),
    ]
)


def parse_differential(text: str | None, output_format: str) -> ParsedDifferential:
    """Read an answer as its prompt asked for it, and failing that in any other format.

    Never raises for what a model wrote. The status is 'ok' or names what is in the way (seed
    parse_outcomes). An `output_format` without a parser is a ValueError: that is a mistake of the
    registry.
    """
    if output_format not in PARSERS:
        raise ValueError(
            f"No parser for output_format '{output_format}' in prompt_registry.csv: "
            f"use one of {', '.join(PARSERS)}."
        )
    answer = (text or "")[:LONGEST_ANSWER]
    if not answer.strip():
        return ParsedDifferential(status="empty")
    first: ParsedDifferential | None = None
    for name in (output_format, *(each for each in FALLBACKS if each != output_format)):
        if name != output_format and not SIGNS[name].search(answer):
            continue
        parsed = PARSERS[name](answer)
        if parsed.status == "ok":
            return parsed
        first = first or parsed
    assert first is not None
    if first.status in ("no_list", "not_as_asked") and _REFUSAL.search(answer[:600]):
        return ParsedDifferential(status="refusal_text", dropped=first.dropped)
    return first


def parse_differentials(answers: pa.Table) -> pa.Table:
    """Parse a table of answers (answer_key, answer_text, output_format) into PARSED_SCHEMA.

    One row per answer_key. An output_format without a parser is a ValueError.
    """
    rows = []
    for answer in answers.to_pylist():
        parsed = parse_differential(answer["answer_text"], answer["output_format"])
        rows.append(
            {
                "answer_key": answer["answer_key"],
                "parse_status": parsed.status,
                "read_as": parsed.read_as,
                "diagnoses": [item.__dict__ for item in parsed.diagnoses],
                "dropped": [item.__dict__ for item in parsed.dropped],
            }
        )
    return pa.Table.from_pylist(rows, schema=PARSED_SCHEMA)
