"""How a file looks and what it holds, as short texts that change when it does. Nothing heavy is
imported here: a build with nothing to do needs no more than this.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path


def files_below(
    folder: Path, without: tuple[str, ...] = (), *, follows: bool = False
) -> Iterator[Path]:
    """A file, or the files of a folder at any depth; locks and other hidden ones are nobody's.
    `without`: folders directly in it. `follows`: links to folders too, as those of serve/."""
    if folder.is_file():
        yield folder
    for path, names, files in os.walk(folder, followlinks=follows):
        skipped = without if Path(path) == folder else ()
        names[:] = [name for name in names if not name.startswith((".", "__pycache__", *skipped))]
        yield from (Path(path, name) for name in files if not name.startswith("."))


def look(file: Path) -> str:
    """Size, time and number of a file, which change with its content."""
    try:
        status = file.stat()
    except OSError:
        return "missing"
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def digest(content: str | bytes) -> str:
    """64 bits of a BLAKE2 in hexadecimal: they tell contents apart, and prove nothing."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.blake2b(data, digest_size=8).hexdigest()
