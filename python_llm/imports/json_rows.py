"""Rows of JSON and JSON lines, however strangers write them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from python_llm.imports import annotations
from python_llm.imports.encodings import decode
from python_llm.imports.file_kinds import refuse_other_kinds
from python_llm.imports.numbered_rows import JSON_LINES, Reject, Row, Rows
from python_llm.parsing.json_text import StrangersDecoder, flaw_of, has_endless

UNREADABLE = "nested too deeply, or a number too long"
# a text, or a comma before the end of a list or an object
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_BETWEEN, _ENDS = re.compile(r"[\s,]*"), re.compile(r"[\s,\]]*")  # of the items of a document


def read_json(file: Path, content: bytes, reject: Reject) -> Rows:
    """Objects of a JSON-lines file, or of one JSON array or object.

    A faulty line is rejected; of a faulty document everything is, as its first record.
    """
    refuse_other_kinds(file, content)
    text = decode(content, file.name).strip("\ufeff")
    lines = text.split("\n")
    decoder = StrangersDecoder()
    try:
        whole = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        # lines of their own: what the file is called says so, or the first one is whole
        if file.suffix.lower() in JSON_LINES or _is_object(lines):
            numbered = _lines(lines, decoder, reject)
        else:
            numbered = _items(text, decoder, error, reject)
    else:
        numbered = enumerate(_of_whole(whole), 1)
    # half a character, which nothing can store, is only ever written as an escape
    may_be_half = "\\ud" in text or "\\uD" in text
    may_be_endless = has_endless(text)
    for number, item in numbered:
        if not isinstance(item, dict):
            reject(number, "record", "not a JSON object: write one for each row")
        elif may_be_half and not _is_encodable(item):
            reason = "half a character (a \\ud… without its other half): write it whole"
            reject(number, "record", reason)
        elif (may_be_endless or decoder.has_repeated) and (flaw := flaw_of(item)):
            reject(number, "record", flaw)
        else:
            for values in annotations.rows_of(item):
                yield Row(number, values)


def _of_whole(whole: Any) -> list[Any]:
    """The rows of a document: the items of a list, or lists below a list of names, as programs
    write a table."""
    header, rows = (whole[:1], whole[1:]) if isinstance(whole, list) else ([], [])
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        header, rows = [whole.get("columns")], whole["data"]
    names = header[0] if header else None
    if isinstance(names, list) and names and rows:
        are_names = all(isinstance(name, str) for name in names)
        if are_names and all(isinstance(row, list) and len(row) == len(names) for row in rows):
            return [dict(zip(names, row, strict=True)) for row in rows]
    if isinstance(whole, list):
        return whole
    return [whole]


def _lines(
    lines: list[str], decoder: json.JSONDecoder, reject: Reject
) -> Iterator[tuple[int, Any]]:
    for number, written in enumerate(lines, 1):
        if written.strip():
            try:
                item = decoder.decode(_without_commas(written))
            except json.JSONDecodeError as error:
                reason = f"no valid JSON: {error.msg} at character {error.pos + 1}"
                reject(number, "record", reason)
            except (ValueError, RecursionError):
                reject(number, "record", f"no valid JSON: {UNREADABLE}")
            else:
                yield number, item


def _without_commas(written: str) -> str:
    """JSON without commas that nothing follows, in it and after it."""
    return _COMMA.sub(lambda match: match[1] or "", written).strip().removesuffix(",")


def _items(
    text: str, decoder: json.JSONDecoder, error: Exception, reject: Reject
) -> Iterator[tuple[int, Any]]:
    """The items of a document that is no valid JSON: with commas that nothing follows, with objects
    one after the other, or cut off, of which what is whole is read."""
    plain = _without_commas(text)
    try:
        whole = decoder.decode(plain)
    except (ValueError, RecursionError):
        pass
    else:
        yield from enumerate(whole if isinstance(whole, list) else [whole], 1)
        return
    number, position = 0, _BETWEEN.match(plain).end()  # type: ignore[union-attr]
    position += plain[position : position + 1] == "["
    while not number or _ENDS.fullmatch(plain, position) is None:
        position = _BETWEEN.match(plain, position).end()  # type: ignore[union-attr]
        try:
            item, position = decoder.raw_decode(plain, position)
        except (ValueError, RecursionError) as problem:
            first = problem if number else error
            line = text.count("\n", 0, position) + 1 if number else getattr(first, "lineno", None)
            where = f" from line {line} on" if line else ""
            lost = ", and what follows is lost" if number else ""
            message = getattr(first, "msg", UNREADABLE)
            reject(number + 1, "record", f"no valid JSON{where}: {message}{lost}")
            return
        number += 1
        yield number, item


def _is_object(lines: list[str]) -> bool:
    """Is the first line that is not blank a whole JSON object?"""
    first = next((line for line in lines if line.strip()), "")
    try:
        return isinstance(json.loads(_without_commas(first)), dict)
    except (ValueError, RecursionError):
        return False


def _is_encodable(item: Any) -> bool:
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
