"""From a model's answer to a ranked differential: the declared format, then the others."""

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from python_llm.parsing.enclosed import enclosed
from python_llm.parsing.envelopes import with_thinking_marked
from python_llm.parsing.failures import FailurePatterns
from python_llm.parsing.json_answer import parse_json, parse_json_schema
from python_llm.parsing.numbered_list import parse_names_alone, parse_numbered_list
from python_llm.parsing.prose import numbered_from_prose
from python_llm.parsing.records import (
    Collector,
    Issue,
    ParsedDifferential,
    clean_name,
    with_codes_told,
)
from python_llm.parsing.scored import numbered_by_score
from python_llm.parsing.xml import parse_xml
from python_llm.parsing.yaml_answer import SIGN as YAML_SIGN
from python_llm.parsing.yaml_answer import is_yaml, parse_yaml

PARSERS: dict[str, Callable[[str | None], ParsedDifferential]] = {
    "numbered_list": parse_numbered_list,
    "xml": parse_xml,
    "json": parse_json,
    "json_schema": parse_json_schema,
    "yaml": parse_yaml,
}
# What to try when the declared format is not what came. A format is not tried on an answer that
# has no sign of it; the numbered list, which finds something in anything, comes last.
FALLBACKS = ("json_schema", "json", "xml", "yaml", "numbered_list")
SIGNS = {
    "json_schema": re.compile(r"\{"),
    "json": re.compile(r"\{|\[\s*\(?\s*[\"']"),
    "xml": re.compile("<"),
    "yaml": YAML_SIGN,
    "numbered_list": re.compile(r"\w"),
}

LONGEST_ANSWER = (
    200_000  # characters; the longest answer a model of the registry may give is a tenth
)

LONGEST_GAP = 50  # blanks and line breaks at either end of one
_GAP = re.compile(rf"\s{{{2 * LONGEST_GAP + 1},}}")

PARSED_SCHEMA = pa.schema(
    [
        ("answer_key", pa.string()),
        ("parse_status", pa.string()),
        ("failure_status", pa.string()),
        ("read_as", pa.string()),
        ("n_items", pa.int32()),
        (
            "diagnoses",
            pa.list_(
                pa.struct(
                    [
                        ("rank", pa.int32()),
                        ("place", pa.int32()),
                        ("diagnosis", pa.string()),
                        ("reasoning", pa.string()),
                        ("in_favour", pa.string()),
                        ("against", pa.string()),
                        ("risk", pa.string()),
                    ]
                )
            ),
        ),
        (
            "issues",
            pa.list_(
                pa.struct(
                    [
                        ("place", pa.int32()),
                        ("rank", pa.int32()),
                        ("rule", pa.string()),
                        ("text", pa.string()),
                    ]
                )
            ),
        ),
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
    answer, others = enclosed(_read_of(text or ""))
    parsed = _parsed(answer, output_format)
    n_items = parsed.n_items
    left = [
        Issue(place=n_items + number, rank=None, rule="other_list", text=other.strip()[:200])
        for number, other in enumerate(others, 1)
    ]
    update = {"n_items": n_items + len(left), "issues": [*parsed.issues, *left]}
    return parsed.model_copy(update=update) if left else parsed


def _read_of(text: str) -> str:
    """What is read of an answer: its beginning, and of each gap its two ends, because patterns that
    look for the end of a gap do so from each of its blanks."""
    text = _GAP.sub(lambda gap: gap[0][:LONGEST_GAP] + gap[0][-LONGEST_GAP:], text[:LONGEST_ANSWER])
    return with_thinking_marked(text)


def _parsed(answer: str, output_format: str) -> ParsedDifferential:
    if not answer.strip():
        return ParsedDifferential(status="empty")
    unread: ParsedDifferential | None = None
    first = ("yaml", output_format) if is_yaml(answer) else (output_format,)
    for name in (*first, *(fallback for fallback in FALLBACKS if fallback not in first)):
        if name != output_format and not SIGNS[name].search(answer):
            continue
        parsed = PARSERS[name](answer)
        if parsed.status == "ok":
            return parsed
        if unread is None or (parsed.n_items and not unread.n_items):
            unread = parsed
    assert unread is not None
    if scored := numbered_by_score(answer):
        parsed = parse_numbered_list(scored)
        note = Issue(place=None, rank=None, rule="by_score", text=answer.strip()[:200])
        return parsed.model_copy(update={"issues": [note, *parsed.issues]})
    return unread


def _in_prose(answer: str) -> ParsedDifferential | None:
    numbered = numbered_from_prose(answer)
    if numbered is None:
        return None
    parsed = parse_numbered_list(numbered)
    note = Issue(place=None, rank=None, rule="in_prose", text=answer.strip()[:200])
    return parsed.model_copy(update={"issues": [note, *parsed.issues]})


def read_ranked(items: list[dict[str, Any]]) -> ParsedDifferential:
    """Read a list that was recorded rank by rank: dicts of the columns of RankedDiagnosis.

    The rules are those for a text: what is not a name is set aside, and no rank moves. If two items
    have one rank, the first counts.
    """
    collector = Collector()
    taken: set[int] = set()
    ordered = sorted(items, key=lambda item: item["rank"])
    names = with_codes_told([item["diagnosis"] or "" for item in ordered])
    for item, name in zip(ordered, names, strict=True):
        rank = item["rank"]
        parts = {key: item[key] for key in ("reasoning", "in_favour", "against", "risk")}
        if rank in taken:
            collector.drop(name, "rank_twice", rank)
        else:
            collector.add(clean_name(name), name, rank, **parts)
        taken.add(rank)
    return collector.result("ranks", "empty")


def parse_differentials(answers: pa.Table, patterns: pa.Table) -> pa.Table:
    """Parse a table of answers (answer_key, answer_text, output_format) into PARSED_SCHEMA.

    One row per answer_key. A column `diagnoses`, if there is one, holds the lists that were
    recorded rank by rank, and `is_recorded` says which answers no provider delivered here.
    `patterns` are those of FailurePatterns: a text without a list that fits one has its status in
    failure_status, and one that fits none may be names alone. An output_format without a parser is
    a ValueError.
    """
    known = FailurePatterns(patterns.to_pylist())
    rows = []
    for answer in answers.to_pylist():
        text, failure_status = answer["answer_text"], None
        parsed = (
            read_ranked(answer["diagnoses"])
            if answer.get("diagnoses")
            else parse_differential(text, answer["output_format"])
        )
        if parsed.status != "ok":
            failure_status = known.status_of(text, bool(answer.get("is_recorded")))
        if parsed.status == "no_list" and known.status_of(text, is_recorded=True) is None:
            words = enclosed(_read_of(text))[0]
            names = _in_prose(words) or parse_names_alone(words)
            parsed = names if names.status == "ok" else parsed
        rows.append(
            {
                "answer_key": answer["answer_key"],
                "parse_status": parsed.status,
                "failure_status": failure_status,
                "read_as": parsed.read_as,
                "n_items": parsed.n_items,
                "diagnoses": [item.__dict__ for item in parsed.diagnoses],
                "issues": [item.__dict__ for item in parsed.issues],
            }
        )
    return pa.Table.from_pylist(rows, schema=PARSED_SCHEMA)
