"""Folders of one patient a file (RareBench's `patient_N.json`): cases and answers stand in them."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.imports.tables import read_json
from python_llm.parsing.folding import column_key

# a file of the folder, what of it, why it was not taken
RejectFile = Callable[[Path, str, str], None]

NUMBERED = re.compile(r"(\D*?)[ _\-]*(\d+)")


class Patient(NamedTuple):
    """What one file holds: `number` counts the JSON files from 1, those that cannot be read too;
    `record_id` is the number in the name (or the name, where it is called unlike the others);
    `values` are the fields of its object by folded name."""

    number: int
    record_id: str
    file: Path
    values: dict[str, Any]


def read_patients(folder: Path, reject: RejectFile) -> list[Patient]:
    """The patients of `folder` in the order of their numbers (2 before 10), hidden files aside.

    What is not a patient (another kind of file, a folder, JSON that is broken or not one object) is
    rejected. Raises FileError if nothing is left.
    """
    candidates = []
    for path in sorted(folder.iterdir(), key=_in_order):
        if path.name.startswith((".", "~$")):
            continue
        if path.is_dir():
            reject(path, "file", "a folder in the folder: import it by itself")
        elif path.suffix.lower() != ".json":
            reject(path, "file", "no patient's file: one JSON object a file is read")
        else:
            candidates.append(path)
    names = _record_ids(candidates)
    patients = []
    for number, path in enumerate(candidates, 1):
        values = _object(path, reject)
        if values is not None:
            patients.append(Patient(number, names[path], path, values))
    if not patients:
        raise FileError(f"{folder.name} holds no patient's file: one JSON object a file is read.")
    return patients


def _object(path: Path, reject: RejectFile) -> dict[str, Any] | None:
    def report(_line: int | None, field: str, reason: str) -> None:
        reject(path, field, reason)

    items = [values for _, values in read_json(path, path.read_bytes(), report)]
    if len(items) > 1:
        reject(path, "record", f"{len(items)} objects in one file; import it by itself")
        return None
    return {column_key(key): value for key, value in items[0].items()} if items else None


def _in_order(path: Path) -> list[tuple[bool, int, str]]:
    """Names as people count: patient_2 before patient_10."""
    parts = re.split(r"(\d+)", path.stem)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts if part]


def _record_ids(files: list[Path]) -> dict[Path, str]:
    """The number of each file called like most of them, the name of any other."""
    matches = {path: NUMBERED.fullmatch(path.stem) for path in files}
    words = Counter(column_key(match[1]) for match in matches.values() if match)
    usual = words.most_common(1)[0][0] if words else None
    ids = {
        path: str(int(match[2])) if match and column_key(match[1]) == usual else path.stem
        for path, match in matches.items()
    }
    return ids if len(set(ids.values())) == len(ids) else {path: path.stem for path in files}
