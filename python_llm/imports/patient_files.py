"""Folders of one patient a file (RareBench's `patient_N.json`), or of several in a list."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports.json_rows import read_json
from python_llm.imports.nesting import refuse_fhir, unwrapped
from python_llm.imports.numbered_rows import JSON_LINES, numbered
from python_llm.parsing.folding import column_key

# a file of the folder, what of it, why it was not taken
RejectFile = Callable[[Path, str, str], None]

NUMBERED = re.compile(r"(\D*?)[ _\-]*(\d+)")


class Patient(NamedTuple):
    """A patient of a folder: `number` counts them from 1, files that cannot be read too;
    `record_id` is the number in the name of the file (or the name, where it is called unlike the
    others), with the place in the list if the file has several; `values` are the fields by folded
    name."""

    number: int
    record_id: str
    file: Path
    values: dict[str, Any]


def read_patients(folder: Path, reject: RejectFile) -> list[Patient]:
    """The patients of `folder` in the order of their numbers (2 before 10), hidden files aside.

    What is not a patient (another kind of file, a folder, JSON that is broken or holds no object)
    is rejected, and the others are read. Raises FileError if nothing is left.
    """
    candidates = []
    for path in files_of(folder, reject):
        if path.suffix.lower() in (".json", *JSON_LINES):
            candidates.append(path)
        else:
            reject(path, "file", "no patient's file: JSON is read, an object or a list of them")
    names = _record_ids(candidates)
    patients: list[Patient] = []
    number = 0
    for path in candidates:
        problems: list[tuple[Path, str, str]] = []
        objects = _objects(path, lambda *problem, to=problems: to.append(problem))
        for problem in problems:
            reject(*problem)
        if not objects and not problems:
            reject(path, "record", "no patient in it: write an object, or a list of objects")
        is_alone = len(objects) + len(problems) < 2
        for position, values in enumerate(objects, 1):
            record_id = names[path] if is_alone else f"{names[path]}-{position}"
            patients.append(Patient(number + position, record_id, path, values))
        number += max(len(objects) + len(problems), 1)
    if not patients:
        raise FileError(
            f"{folder.name} holds no patient's file that can be read: JSON is read, an object or a "
            "list of them in each file."
        )
    return patients


def files_of(folder: Path, reject: RejectFile) -> list[Path]:
    """The files of a folder as people count them, hidden ones aside; a folder in it is rejected."""
    paths = []
    for path in sorted(folder.iterdir(), key=_in_order):
        if path.name.startswith((".", "~$")):
            continue
        if path.is_dir():
            reject(path, "file", "a folder in the folder: import it by itself")
            continue
        try:
            check_regular(path)
        except FileError as error:
            reject(path, "file", str(error))
        else:
            paths.append(path)
    return paths


def _objects(path: Path, reject: RejectFile) -> list[dict[str, Any]]:
    """The patients of a file by folded name: its object, those of its list, or of the list of cases
    that it wraps."""

    def report(line: int | None, field: str, reason: str) -> None:
        where = f"{numbered(path, line)}: " if line and line > 1 else ""
        reject(path, field, where + reason)

    objects = []
    try:
        rows = unwrapped(path, read_json(path, path.read_bytes(), report))
        for line, values in rows:
            try:
                refuse_fhir(path, line, values)
            except FileError as error:
                report(None, "record", str(error))
            else:
                objects.append({column_key(key): value for key, value in values.items()})
    except (FileError, OSError) as error:
        reject(path, "file", str(error))
    return objects


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
