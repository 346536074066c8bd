"""Lines of the ledger's files, and the checksums by which damage is noticed.

A line is a JSON object whose last key is the checksum of all before it. The last line of a closed
file says how many there are before it, so that a file that was cut short is told from a whole one.
Lines from before there were checksums have none, and are read as they are. A Parquet part has its
checksum in its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

DIGEST_BYTES = 8
# No line that is written comes near it; of a longer one only the end is looked for.
MOST_LINE_BYTES = 64 * 2**20
_SKIP_BYTES = 2**20
END = b'{"end": '
_SEAL = re.compile(rb', "checksum": "([0-9a-f]{16})"}\n?\Z')
# What a damaged line may still say of itself, and what of it may be told.
_TELLING = {
    "model": re.compile(rb'"model_alias": "([\w.:-]{1,80})"'),
    "request": re.compile(rb'"request_key": "([0-9a-zA-Z-]{1,64})"'),
}


@dataclass(frozen=True)
class Damage:
    """A place of the ledger that cannot be read. line: 1 for the first; None for a whole file.
    reason: what is wrong; lost: what it was, as far as that is known. is_read: whether the rest of
    the file is used."""

    path: Path
    line: int | None = None
    reason: str = field(default="", compare=False)
    lost: str = field(default="", compare=False)
    is_read: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        where = f"line {self.line} of {self.path}" if self.line else str(self.path)
        why = "; ".join(filter(None, (self.reason, self.lost and f"lost: {self.lost}")))
        verdict = "is not whole" if self.is_read else "cannot be read and was left out"
        return (
            f"The ledger is damaged: {where} {verdict}{f' ({why})' if why else ''}; everything "
            "else was used. Restore the file from a backup, or run `kernel29 ledger repair` and "
            "ask again for what is missing."
        )


class BadLine(ValueError):
    """A line that cannot be trusted; the text says why, without a word of the line."""


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).hexdigest().encode()


def digest_of_file(path: Path) -> str:
    """Errors: OSError."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    with path.open("rb") as file:
        while block := file.read(_SKIP_BYTES):
            digest.update(block)
    return digest.hexdigest()


def sealed(text: bytes) -> bytes:
    """The text of a JSON object, which is not empty, as a line with its checksum."""
    body = text[:-1]
    return body + b', "checksum": "' + digest_of(body) + b'"}\n'


def closing_line(n_lines: int) -> bytes:
    """The last line of a file with so many before it."""
    return sealed(END + json.dumps({"lines": n_lines}).encode() + b"}")


def opened(line: bytes) -> tuple[Any, bool]:
    """The JSON value of a line, and whether it had a checksum. Errors: BadLine, ValueError."""
    seal = _SEAL.search(line)
    if seal is None:
        value = json.loads(line)
        if isinstance(value, dict) and value and _was_sealed(value):
            raise BadLine("its checksum is damaged")
        return value, False
    body = line[: seal.start()]
    if digest_of(body) != seal[1]:
        raise BadLine("its checksum does not match")
    return json.loads(body + b"}"), True


def _was_sealed(value: dict[str, Any]) -> bool:
    """Whether the last key of a line without a checksum looks like what is left of one."""
    name, text = list(value.items())[-1]
    is_digest = isinstance(text, str) and re.fullmatch("[0-9a-f]{16}", text) is not None
    return name == "checksum" or (is_digest and len(name) == len("checksum"))


def lines_of(file: IO[bytes]) -> Iterator[bytes | None]:
    """The lines of a file, each with its end; None for one that is too long to be held. The last
    one may lack its end."""
    while line := file.readline(MOST_LINE_BYTES):
        if len(line) < MOST_LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while (rest := file.readline(_SKIP_BYTES)) and not rest.endswith(b"\n"):
            pass
        yield None


def lost_with(line: bytes) -> str:
    """What a damaged line was, in words that hold none of its texts."""
    matches = {name: mark.search(line) for name, mark in _TELLING.items()}
    told = {name: match[1].decode() for name, match in matches.items() if match}
    of_model = f" of {told['model']}" if "model" in told else ""
    of_request = f" for request {told['request'][:12]}" if "request" in told else ""
    return f"a line{of_model}{of_request}" if told else "a line"
