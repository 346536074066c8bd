"""The seeds as files, for what runs before or without the warehouse."""

import csv
from collections.abc import Iterable
from pathlib import Path

from python_llm import paths
from python_llm.errors import FileError


def read(path: str, columns: Iterable[str] = (), root: Path | None = None) -> list[dict[str, str]]:
    """The rows of a seed such as seeds/experiments/judges.csv.

    Raises FileError, with the line, for a file that is missing or damaged or lacks one of
    `columns`.
    """
    return [row for _, row in numbered(path, columns, root)]


def state(root: Path | None = None) -> tuple[Path, int]:
    """The project of the seeds, and when the newest of their files was written, in nanoseconds: a
    process keeps what it made of them for as long as this stays."""
    root = root or paths.project_root()
    return root, max((file.stat().st_mtime_ns for file in root.glob("seeds/*/*.csv")), default=0)


def numbered(
    path: str, columns: Iterable[str] = (), root: Path | None = None
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a seed with the line each ends in. Raises FileError as `read` does."""
    try:
        with ((root or paths.project_root()) / path).open(encoding="utf-8", newline="") as handle:
            reader = csv.DictReader(handle)
            missing = sorted(set(columns) - set(reader.fieldnames or ()))
            if missing:
                raise FileError(
                    f"{path}, line 1: the column {missing[0]} is missing: correct the header."
                )
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise FileError(
                        f"{path}, line {reader.line_num}: a row of {len(reader.fieldnames or ())} "
                        "fields is expected: correct the line."
                    )
                rows.append((reader.line_num, row))
            return rows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(
            f"{path} cannot be read ({error}): bring it back with `git checkout -- {path}`."
        ) from error
