"""Ranked diagnoses out of YAML: a list of mappings, in a fence or after a line of prose or not."""

import re

import yaml

from python_llm.parsing import yaml_text
from python_llm.parsing.json_answer import items_of, parsed_items
from python_llm.parsing.records import ParsedDifferential

SIGN = re.compile(
    r"^[ \t]*-[ \t]+(?:rank|name|diagnos[ie]s|disease|condition|diagn[oó]stico|enfermedad)[ \t]*:",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]", re.MULTILINE)
_LONGEST = 20_000  # characters: YAML is read slowly, and nobody lists diagnoses in more
_FENCE = re.compile(r"^```\w*[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"^\w+:[ \t]*$", re.MULTILINE)


def is_yaml(answer: str) -> bool:
    """Is it a list of mappings and no numbered list, whose items may hold lines like theirs?"""
    return SIGN.search(answer) is not None and _NUMBERED.search(answer) is None


def parse_yaml(text: str | None) -> ParsedDifferential:
    """Read the list of mappings that begins in `text`. Other readers take what is not YAML."""
    answer = text or ""
    first = SIGN.search(answer)
    if first is None or len(answer) > _LONGEST:
        return ParsedDifferential(status="no_list" if answer.strip() else "empty")
    parts = _FENCE.split(answer)
    fenced = next((part for part in parts[1:] if SIGN.search(part)), None)
    keys = [key for key in _KEY.finditer(answer) if key.start() < first.start()]
    body = fenced or answer[keys[0].start() if keys else first.start() :]
    try:
        items = items_of(yaml_text.value_of(body, yaml.CSafeLoader, is_once=False))
    except (yaml.YAMLError, ValueError, RecursionError):
        items = None
    return parsed_items(items, "yaml") if items else ParsedDifferential(status="no_list")
