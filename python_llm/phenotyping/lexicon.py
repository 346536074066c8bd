"""The names and signs that a reader of notes knows, prepared for looking up.

To prepare forty thousand names and nine hundred signs takes longer than to read a note. What comes
of it is therefore kept beside the warehouse, under a digest of all that went into it, and is made
anew where that differs or the file is damaged. Nothing of a note is in it.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_llm.files import replacing
from python_llm.parsing import folding
from python_llm.parsing.folding import fold_in_place
from python_llm.phenotyping.dictionary import Dictionary
from python_llm.phenotyping.signs import PatternBook, in_first_person

# factor for a name of the other language: names in the note's own language take precedence
FOREIGN = 0.9


@dataclass(frozen=True)
class Lexicon:
    """names: of findings. preferred: the preferred name of each term. signs: what raises a red flag
    and has no term, as `sign#criterion`."""

    names: Dictionary
    preferred: Mapping[str, str]
    signs: PatternBook

    @classmethod
    def of(
        cls,
        language: str,
        *,
        names: Iterable[Mapping[str, Any]],
        same_words: Mapping[str, str],
        stop_words: Iterable[Mapping[str, Any]],
        signs: Iterable[Mapping[str, Any]] = (),
    ) -> "Lexicon":
        """The lexicon of one language, from rows as the seeds have them. Spanish notes are also
        read with the English names, because the two share their roots."""
        wanted = [
            {**row, "claim": row["claim"] * (1 if row["language"] == language else FOREIGN)}
            for row in names
            if row["language"] in (language, "en")
        ]
        stopped = {
            fold_in_place(row["word"])
            for row in stop_words
            if row["language"] == language and not row.get("beside")
        }
        return cls(
            Dictionary(wanted, same_words=same_words, stop_names=stopped),
            {row["hpo_id"]: row["name"] for row in wanted if row["scope"] == "preferred"},
            PatternBook(
                (f"{row['sign']}#{row['criterion']}", in_first_person(row["words"]))
                for row in signs
                if row["words"]
            ),
        )

    def packed(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return {
            "names": self.names.packed(),
            "preferred": self.preferred,
            "signs": self.signs.packed(),
        }

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> "Lexicon":
        """What `packed` gave."""
        return cls(
            Dictionary.unpacked(packed["names"]),
            packed["preferred"],
            PatternBook.unpacked(packed["signs"]),
        )


def kept(
    folder: Path,
    language: str,
    *,
    names: pa.Table,
    same_words: pa.Table,
    stop_words: pa.Table,
    signs: pa.Table | None,
) -> Lexicon:
    """The lexicon of one language from tables with the columns of the seeds, kept in a folder."""
    tables = [names, same_words, stop_words, *([signs] if signs is not None else [])]

    def make() -> Lexicon:
        pairs = (same_words[column].to_pylist() for column in ("word", "same_as"))
        return Lexicon.of(
            language,
            names=names.to_pylist(),
            same_words=dict(zip(*pairs, strict=True)),
            stop_words=stop_words.to_pylist(),
            signs=signs.to_pylist() if signs is not None else [],
        )

    return _kept(folder, language, language, map(_streamed, tables), make)


def kept_of_rows(folder: Path, name: str, language: str, rows: Mapping[str, Any]) -> Lexicon:
    """As `kept`, from the arguments of `Lexicon.of` and under a name of its own."""
    made_of = [json.dumps(rows, default=str).encode()]
    return _kept(
        folder, f"{name}-{language}", language, made_of, lambda: Lexicon.of(language, **rows)
    )


def _kept(
    folder: Path, name: str, language: str, made_of: Iterable[bytes], make: Callable[[], Lexicon]
) -> Lexicon:
    """What was kept under the name of the same content, else what is made now."""
    digest = _digest(b"\0".join([language.encode(), sys.version.encode(), _code(), *made_of]))
    file = folder / f"{name}-{digest}.json"
    with suppress(OSError, ValueError, LookupError, TypeError):
        written, _, body = file.read_bytes().partition(b"\n")
        if written.decode() == _digest(body):
            return Lexicon.unpacked(json.loads(body))
    made = make()
    with suppress(OSError):  # a folder that cannot be written costs a second, and no note
        body = json.dumps(made.packed()).encode()
        with replacing(file) as draft:
            draft.write_bytes(_digest(body).encode() + b"\n" + body)
        for other in folder.glob(f"{name}-*.json"):
            if other != file:
                other.unlink(missing_ok=True)
    return made


def _streamed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


@cache
def _code() -> bytes:
    """The code of this room, and of the folding it stands on."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return b"\0".join(file.read_bytes() for file in [*files, Path(folding.__file__)])


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
