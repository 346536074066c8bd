"""What is learnt from rows of a seed, kept in files: to learn takes seconds, to read hundredths."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Generic, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from python_llm.files import replacing

MARKED = "marked"  # the status of a note whose findings have marks
T = TypeVar("T")
Row = Mapping[str, Any]
Weights = npt.NDArray[np.float32]
Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Lesson(Generic[T]):
    """How one thing is learnt from the rows of a seed and kept. name: of its files. is_of: which
    rows teach it, and by which columns. code: the files of all that it is made by. packed,
    unpacked: what was learnt as arrays."""

    name: str
    is_of: Callable[[Row], bool]
    columns: tuple[str, ...]
    code: tuple[Path, ...]
    learnt: Callable[[Sequence[Row]], T]
    packed: Callable[[T], dict[str, Any]]
    unpacked: Callable[[Arrays], T]

    def kept(self, folder: Path, rows: Iterable[Row]) -> T:
        """What the rows teach, kept in a folder under a digest of all that it is made of. A damaged
        file is made anew; one of other rows goes."""
        # the same however the seed was read: in which order, and with which sign for an empty cell
        cells = sorted(
            [row[name] or "" for name in self.columns] for row in rows if self.is_of(row)
        )
        code = (file.read_text() for file in (*self.code, Path(__file__)))
        made_of = (sys.version, _versions(), *code, json.dumps(cells))
        digest = hashlib.blake2b("\0".join(made_of).encode(), digest_size=16).hexdigest()
        file = folder / f"{self.name}-{digest}.npz"
        with (
            suppress(OSError, ValueError, LookupError, EOFError, BadZipFile),
            np.load(file, allow_pickle=False) as arrays,
        ):
            return self.unpacked(arrays)
        if sys.stderr.isatty():  # whoever waits for it sees why
            sys.stderr.write(f"Learning {self.name} from {len(cells):,} examples, once ...\n")
        made = self.learnt([dict(zip(self.columns, row, strict=True)) for row in cells])
        with suppress(OSError):  # a folder that cannot be written costs seconds, and no note
            with replacing(file) as draft, draft.open("wb") as handle:
                np.savez(handle, **self.packed(made))
            for other in folder.glob(f"{self.name}-*.npz"):
                if other != file:
                    other.unlink(missing_ok=True)
        return made


def as_array(texts: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Texts without line breaks as an array of bytes."""
    return np.frombuffer("\n".join(texts).encode(), np.uint8)


def as_texts(array: npt.NDArray[np.uint8]) -> list[str]:
    """What `as_array` was given."""
    return array.tobytes().decode().split("\n") if array.size else []


def _versions() -> str:
    return " ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scikit-learn"))
