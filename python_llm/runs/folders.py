"""Folders of recorded answers: a run a file, or a patient a file and a run a folder."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports import cells, json_rows, naming
from python_llm.imports.encodings import decode
from python_llm.imports.numbered_rows import EXCEL, JSON_LINES, PARQUET, Row
from python_llm.parsing.envelopes import unwrapped
from python_llm.parsing.folding import column_key
from python_llm.runs.cases import KnownSets
from python_llm.runs.importing import Source, read_source
from python_llm.runs.matching import NAME_FILES
from python_llm.runs.reading import ROLES, Reject

TABLES = {
    ".csv",
    ".tsv",
    ".json",
    *JSON_LINES,
    *PARQUET,
    *EXCEL,
}
N_TRIED = 5  # files that are opened to see what a folder holds
TEXTS = {".txt", ".md"}  # a patient's answer as it came
Fields = dict[str, str]
NOT_ALIAS = re.compile(r"[^A-Za-z0-9_.\-]+")


@dataclass(frozen=True)
class Names:
    """What runs are called: fixed for all, or taken from names by a pattern.

    `test_sets` is a name in the files and ours; under '' the one test set of all.
    """

    model: str
    prompt: str
    test_sets: Mapping[str, str]
    pattern: str = ""
    labels_pattern: str = ""

    @property
    def given(self) -> dict[str, str]:
        """What a name need not say."""
        test_set = self.test_sets.get("", "")
        return {"model": self.model, "prompt": self.prompt, "test_set": test_set}


@dataclass(frozen=True)
class Job:
    """One run to import: what it is called, where it is, and where its labels are."""

    model: str
    prompt: str
    test_set: str
    path: Path
    labels: Path | None


def plan(
    path: Path, labels: Path | None, names: Names, sets: KnownSets
) -> tuple[list[Job], list[str]]:
    """The runs of a file or folder, and what of it is left out because its name does not fit.

    Raises FileError for names that can be read in several ways, that give two runs one name, or
    that do not say what nothing else says.
    """
    for brought in filter(None, (path, labels)):
        check_regular(brought)
    if not path.exists():
        raise FileError(f"{path} does not exist: check the path.")
    readings, left_out = _named(path, names, sets)
    of_labels = _named_labels(labels, names, is_folder=labels is not None and labels.is_dir())
    jobs = [
        Job(
            _alias(fields.get("model", names.model), "model"),
            _alias(fields.get("prompt", names.prompt), "prompt"),
            _test_set(fields, names, sets),
            run_path,
            _labels_of(fields, of_labels, labels, n_runs=len(readings)),
        )
        for run_path, fields in readings
    ]
    by_name: dict[tuple[Any, ...], Path] = {}
    for job in jobs:
        name = (job.model, job.prompt, job.test_set)
        if name in by_name:
            raise FileError(
                f"{by_name[name].name} and {job.path.name} are both {'/'.join(name)}: "
                "tell them apart with a pattern (--name)."
            )
        by_name[name] = job.path
    label_files = {file.resolve() for _, file in of_labels}
    return jobs, [
        _relative(run_path, path) for run_path in left_out if run_path.resolve() not in label_files
    ]


def labels_of_no_run(
    path: Path, labels: Path | None, names: Names, jobs: Sequence[Job]
) -> list[str]:
    """The files in a folder of labels that are of none of the runs. In the folder of the answers
    those whose name does not fit are no labels."""
    if labels is None or not labels.is_dir():
        return []
    of_labels = {file for _, file in _named_labels(labels, names, is_folder=True)}
    if labels.resolve() != path.resolve():
        of_labels |= set(_run_paths(labels))
    of_runs = {file.resolve() for job in jobs for file in (job.path, job.labels) if file}
    return sorted(_relative(file, labels) for file in of_labels if file.resolve() not in of_runs)


def read_run(path: Path, columns: Mapping[str, str]) -> Source:
    """The rows of a file, or of a folder of one patient a file."""
    return _patients(path) if path.is_dir() else read_source(path, columns)


def _named(
    path: Path, names: Names, sets: KnownSets
) -> tuple[list[tuple[Path, Fields]], list[Any]]:
    run_paths = list(_run_paths(path)) if path.is_dir() else [path]
    if not run_paths and any(file.suffix.lower() in TEXTS for file in _files(path)):
        raise FileError(f"{path.name} holds text files that do not end in a number: {NAME_FILES}.")
    if not run_paths:
        raise FileError(f"{path.name} holds no file that can be read: give CSV, JSON or Excel.")
    if not names.pattern:
        if len(run_paths) > 1:
            raise FileError(
                f"{path.name} holds {len(run_paths)} runs "
                f"({run_paths[0].name}, {run_paths[1].name}, …): "
                "say what their names say, as in --name '{model}_{prompt}'."
            )
        return [(run_paths[0], {})], []
    naming.check_pattern(names.pattern)
    fields_of_files: list[tuple[Path, Fields]] = []
    left_out = []
    # a name the user gave goes before a set that happens to be called like the start of it
    known_sets = [
        {name.casefold() for name in known if name} for known in (names.test_sets, sets.names)
    ]
    for run_path in run_paths:
        name = naming.path_of(run_path, path, names.pattern)
        readings = naming.readings(name, names.pattern, names.given)
        of_known_sets = [
            [reading for reading in readings if reading.get("test_set", "").casefold() in known]
            for known in known_sets
        ]
        if readings:
            likely = next(filter(None, of_known_sets), readings)
            fields_of_files.append((run_path, naming.only(name, names.pattern, likely)))
        else:
            left_out.append(run_path)
    if not fields_of_files:
        example = naming.path_of(run_paths[0], path, names.pattern)
        raise FileError(
            f"No name in {path.name} is as --name '{names.pattern}' says: the first of "
            f"{len(run_paths)} is '{example}'."
        )
    return fields_of_files, left_out


def _run_paths(folder: Path) -> Iterator[Path]:
    """Each run below a folder: a table, or a folder of one patient a file."""
    files = _files(folder)
    patients = _patients_of(files)
    if patients:
        yield folder
    yield from (file for file in files if file.suffix.lower() in TABLES and file not in patients)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            yield from _run_paths(path)


def _files(folder: Path) -> list[Path]:
    """The files that may be answers, sorted, without hidden ones and those Excel keeps open."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file()
        and path.suffix.lower() in TABLES | TEXTS
        and not path.name.startswith((".", "~$"))
    )


def _patients_of(files: list[Path]) -> list[Path]:
    """The files of one patient each, if there are such: numbered texts, or JSON files of one answer
    each (a file or two beside them may be something else). A file of several answers is a run."""
    texts = [file for file in files if file.suffix.lower() in TEXTS and file.stem[-1].isdigit()]
    objects = [file for file in files if file.suffix.lower() == ".json"]
    sample = objects[:: max(len(objects) // N_TRIED, 1)]
    has_answer = [_has_one_answer(file) for file in sample]
    if sum(has_answer) > len(sample) / 2:
        return [file for file in objects if len(_items(file)) < 2]
    return texts if not objects else []


def _has_one_answer(file: Path) -> bool:
    items = _items(file)
    return len(items) == 1 and (_has_answer(items[0]) or _is_response(items[0]))


def _is_response(item: dict[str, Any]) -> bool:
    """Whether an object is what a provider sent, with the words of the model inside."""
    written = json.dumps(item, ensure_ascii=False, default=str)
    return unwrapped(written) != written


def _has_answer(item: dict[str, Any]) -> bool:
    is_of_a_case = _has(item, "case")
    return any(
        column_key(name) in ROLES["answer"] and not _is_table(value, is_of_a_case=is_of_a_case)
        for name, value in item.items()
    )


def _is_table(value: object, *, is_of_a_case: bool) -> bool:
    """Whether a value has rows, and these are not the ranks of one differential: each names a
    diagnosis and its rank, or the object around them names the case."""
    rows = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return bool(rows) and not all(
        _has(row, "diagnosis")
        and not (_has(row, "case") or _has(row, "answer"))
        and (is_of_a_case or _has(row, "rank"))
        for row in rows
    )


def _has(item: Mapping[str, Any], role: str) -> bool:
    return any(column_key(name) in ROLES[role] for name in item)


def _items(file: Path) -> list[dict[str, Any]]:
    try:
        rows = json_rows.read_json(file, file.read_bytes(), lambda *_: None)
        return [row.values for row in rows]
    except (FileError, OSError):  # of another kind than its name says: it holds none
        return []


def _patients(folder: Path) -> Source:
    """One row a file, in the order of the numbers in their names; the case is what the file says,
    otherwise its name."""
    files = sorted(_patients_of(_files(folder)), key=_by_number)
    rows: list[Row] = []
    rejects = []
    for number, file in enumerate(files, 1):
        item = _patient(file)
        if item is not None and not _has_answer(item) and _is_response(item):
            item = {"answer": json.dumps(item, ensure_ascii=False, default=str)}
        if item is None or not _has_answer(item):
            reason = f"{file.name} holds no JSON object with an answer"
            rejects.append(Reject(folder.name, number, file.stem, "file_unreadable", reason))
            continue
        rows.append(Row(number, {str(k): cells.as_written(v) for k, v in item.items()}))
    names = [{column_key(name) for name in row.values} for row in rows]
    if not all(columns & set(ROLES["case"]) for columns in names):
        stems = {number: file.stem for number, file in enumerate(files, 1)}
        rows = [row._replace(values={**row.values, "case_id": stems[row.number]}) for row in rows]
    return Source(folder.name, rows, rejects, is_of_files=True)


def _patient(file: Path) -> dict[str, Any] | None:
    if file.suffix.lower() in TEXTS:
        return {"answer": decode(file.read_bytes())}
    return next(iter(_items(file)), None)


def _by_number(file: Path) -> tuple[int, str]:
    number = re.search(r"(\d+)\D*$", file.stem)
    return int(number[1]) if number else 0, file.name


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path != root else path.name


def _named_labels(labels: Path | None, names: Names, is_folder: bool) -> list[tuple[Fields, Path]]:
    if labels is None or not is_folder:
        return []
    pattern = names.labels_pattern or names.pattern
    if not pattern:
        raise FileError(
            f"{labels.name} is a folder: say what the names in it say, as in "
            "--labels-name 'scores_{model}'."
        )
    naming.check_pattern(pattern)
    return [
        (reading, file)
        for file in _run_paths(labels)
        for reading in naming.readings(naming.path_of(file, labels, pattern), pattern, names.given)
    ]


def _labels_of(
    fields: Fields, of_labels: list[tuple[Fields, Path]], labels: Path | None, n_runs: int
) -> Path | None:
    """The file of labels whose name says of a run what the run's own name says."""
    if labels is not None and not labels.is_dir():
        if n_runs > 1:
            raise FileError(
                f"{labels.name} is one file of labels for {n_runs} runs: give a folder, and what "
                "its names say with --labels-name."
            )
        return labels
    of_run = {
        file
        for reading, file in of_labels
        if reading and all(fields.get(name, value) == value for name, value in reading.items())
    }
    if len(of_run) > 1:
        raise FileError(
            f"{' and '.join(sorted(file.name for file in of_run))} are labels of one run: tell "
            "them apart with --labels-name."
        )
    return next(iter(of_run), None)


def _alias(written: str, option: str) -> str:
    if not written:
        raise FileError(
            f"--{option} is missing: give it (a column or a sheet of that name is then read), or "
            f"take it from the names of files, as in --name '{{{option}}}_{{skip}}'."
        )
    return NOT_ALIAS.sub("_", written.strip()).strip("_.-") or written


def _test_set(fields: Fields, names: Names, sets: KnownSets) -> str:
    """Ours for the name in the files: as given, else as it is, capitals aside."""
    written = fields.get("test_set", "")
    ours = {name.casefold(): name for name in sets.names}
    test_set = names.test_sets.get(written) or ours.get(written.casefold()) or written
    test_set = test_set or names.test_sets.get("", "")
    if not test_set:
        raise FileError(
            "--test-set is missing: give the test set, or take it from the names, as in "
            "--name '{test_set}_{model}'."
        )
    return test_set
