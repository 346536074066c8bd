"""Recorded answers, labels and rejects as Parquet, a file each a configuration, outside the
warehouse."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pyarrow as pa

from python_llm import files
from python_llm.audit import trail
from python_llm.errors import FileError
from python_llm.imports.numbered_rows import place

Key = tuple[Any, ...]  # what makes two records one

DIAGNOSIS = pa.struct(
    [
        ("rank", pa.int32()),
        ("diagnosis", pa.string()),
        ("reasoning", pa.string()),
        ("in_favour", pa.string()),
        ("against", pa.string()),
        ("risk", pa.string()),
    ]
)
# One row per configuration and case; either answer_text or diagnoses says what was answered. Which
# case it is was decided at import: `matched_by` says how, `gold_agreement` whether the file's gold
# diagnosis, as written there, is that of the case.
ANSWERS = pa.schema(
    [
        ("configuration_id", pa.string()),
        ("model_alias", pa.string()),
        ("model_family", pa.string()),
        ("prompt_alias", pa.string()),
        ("prompt_version", pa.string()),
        ("output_format", pa.string()),
        ("test_set", pa.string()),
        ("case_ref", pa.string()),
        ("case_id", pa.string()),
        ("matched_by", pa.string()),
        ("gold_written", pa.string()),
        ("gold_agreement", pa.string()),
        ("answer_text", pa.string()),
        ("diagnoses", pa.list_(DIAGNOSIS)),
        ("content_hash", pa.string()),
        ("source_file", pa.string()),
        ("source_row", pa.int64()),
    ]
)
# One row per configuration, case, judge and rank; rank 0 of a gold rank: no diagnosis is the gold.
LABELS = pa.schema(
    [
        ("configuration_id", pa.string()),
        ("case_ref", pa.string()),
        ("case_id", pa.string()),
        ("diagnosis_rank", pa.int32()),
        ("judge_id", pa.string()),
        ("semantic_relation", pa.string()),
        ("severity", pa.string()),
        ("is_gold_rank", pa.bool_()),
        ("label_written", pa.string()),
        ("source", pa.string()),
    ]
)
# One row per thing of a file that was set aside: an answer, a rank, a label.
REJECTS = pa.schema(
    [
        ("configuration_id", pa.string()),
        ("source_file", pa.string()),
        ("source_row", pa.int64()),
        ("reject_number", pa.int32()),
        ("case_ref", pa.string()),
        ("rule", pa.string()),
        ("reason", pa.string()),
        ("remedy", pa.string()),
    ]
)


class Diagnosis(TypedDict):
    """An item of a list, as in DIAGNOSIS. Rows are typed dicts, not objects: they go to Arrow as
    they are."""

    rank: int | None  # None: the text of a judged list has no letter or digit
    diagnosis: str
    reasoning: NotRequired[str | None]
    in_favour: NotRequired[str | None]
    against: NotRequired[str | None]
    risk: NotRequired[str | None]


class RowGold(TypedDict):
    """The gold diagnosis that a row of a file names; '' for none."""

    gold_written: str
    source_row: int


class ReadAnswer(RowGold):
    """An answer as read from a file, before its case is known."""

    case_ref: str
    answer_text: str | None
    diagnoses: list[Diagnosis]
    source_file: str


class Answer(ReadAnswer):
    """A row of ANSWERS. case_id is None in what an older version stored."""

    configuration_id: str
    model_alias: str
    model_family: str
    prompt_alias: str
    prompt_version: str
    output_format: str
    test_set: str
    case_id: str | None
    matched_by: str
    gold_agreement: NotRequired[str | None]
    content_hash: str


class ReadLabel(TypedDict):
    """A label as read from a file, before its case is known."""

    case_ref: str
    diagnosis_rank: int
    judge_id: str
    semantic_relation: str | None
    severity: str | None
    is_gold_rank: bool
    label_written: str | None
    source: str


class Label(ReadLabel):
    """A row of LABELS. case_id is None in what an older version stored."""

    configuration_id: str
    case_id: str | None


class StoredReject(TypedDict):
    """A row of REJECTS."""

    configuration_id: str
    source_file: str
    source_row: int
    reject_number: NotRequired[int]  # counted when they are stored
    case_ref: str | None
    rule: str
    reason: str
    remedy: str


KINDS = {"answers": ANSWERS, "labels": LABELS, "rejects": REJECTS}


def read(runs_dir: Path, kind: str) -> pa.Table:
    """All stored rows of one of KINDS; an empty table of the same columns if nothing is stored."""
    return _read(sorted((runs_dir / kind).glob("*.parquet")), kind)


def configurations(runs_dir: Path) -> list[str]:
    """The configurations answers are stored of, written model/prompt/test_set."""
    return sorted(file.stem.replace("@", "/") for file in (runs_dir / "answers").glob("*.parquet"))


def answered(runs_dir: Path, configuration_id: str) -> set[str]:
    """The case_ids that answers of a configuration are stored of."""
    rows: list[Answer] = _rows(runs_dir, "answers", configuration_id)
    return {row["case_id"] for row in rows if row["case_id"]}


def save(
    runs_dir: Path,
    configuration_id: str,
    answers: list[Answer],
    labels: list[Label],
    replace: bool,
    source: str,
    rejects: Sequence[StoredReject] = (),
) -> tuple[int, int]:
    """Add to what is stored of the configuration; (new answers, answers that were there already).

    The same answer again changes nothing. Another answer to a stored case, and another label by
    the same judge, is a FileError unless `replace`. `rejects` take the place of what was set aside
    of the same files before, and with `replace` of everything that was set aside of a file whose
    answers are all here again, and of cases that are answered here. Each file is replaced at once.
    """
    with files.locked(runs_dir):
        before: list[Answer] = _rows(runs_dir, "answers", configuration_id)
        stored = {_case(row): row for row in before}
        for row in answers:  # what an older version stored of it says no case
            stored.pop((None, row["case_ref"]), None)
        changed = [
            row
            for row in answers
            if _case(row) in stored and stored[_case(row)]["content_hash"] != row["content_hash"]
        ]
        if changed and not replace:
            first = changed[0]
            raise FileError(
                f"{place(source, first['source_row'])}: case '{first['case_ref']}' "
                f"already has another answer in {configuration_id} ({len(changed)} such rows): use "
                "--replace to put these in their place, or another --model or --prompt alias."
            )
        fresh = [row for row in answers if _case(row) not in stored or row in changed]
        stored_labels: list[Label] = _rows(runs_dir, "labels", configuration_id)
        set_aside: list[StoredReject] = _rows(runs_dir, "rejects", configuration_id)
        if replace:
            set_aside = _still_set_aside(set_aside, before, answers, labels)
        contents: dict[str, list[Any]] = {
            "answers": _sorted(_with_answers(stored, answers, fresh)),
            "labels": _sorted(_with_labels(stored_labels, labels, replace=replace)),
            "rejects": _with_rejects(set_aside, rejects, source),
        }
        counts = {"n_answers": len(fresh), "n_labels": len(labels), "replaces": replace}
        trail.note("import", configuration_id, what="answers", **counts)
        for kind, rows in contents.items():
            file = _file(runs_dir, kind, configuration_id)
            if rows or file.is_file():
                files.write_parquet(pa.Table.from_pylist(rows, schema=KINDS[kind]), file)
    return len(fresh), len(answers) - len(fresh)


def _with_answers(
    stored: Mapping[Key, Answer], answers: list[Answer], fresh: list[Answer]
) -> dict[Key, Answer]:
    """Stored answers with the fresh ones in their place. An answer that says the same keeps its
    first source, so that importing twice changes nothing; what its gold diagnosis is found to be
    is found anew, for the set may have changed."""
    merged = {case: row.copy() for case, row in stored.items()}
    for row in answers:
        if _case(row) in merged:
            merged[_case(row)]["matched_by"] = row["matched_by"]
            merged[_case(row)]["gold_agreement"] = row.get("gold_agreement")
    return merged | {_case(row): row for row in fresh}


def _with_labels(stored: list[Label], labels: list[Label], *, replace: bool) -> dict[Key, Label]:
    """Stored labels with the new ones among them. Raises FileError for another label by the same
    judge unless `replace`."""
    merged = {_label_key(row): row for row in stored}
    for label in labels:
        merged.pop((label["judge_id"], None, label["case_ref"], _label_key(label)[-1]), None)
        old = merged.get(_label_key(label))
        is_same = old is not None and _content(old) == _content(label)
        if old and not is_same and not replace:
            raise FileError(
                f"{label['source']}: judge '{label['judge_id']}' already has another label for "
                f"this rank: use --replace, or another name with --judge."
            )
        if not is_same:
            merged[_label_key(label)] = label
    return merged


def _still_set_aside(
    rejects: list[StoredReject],
    before: list[Answer],
    answers: list[Answer],
    labels: list[Label],
) -> list[StoredReject]:
    """The rejects that an import with `replace` does not answer; labels only give way to labels."""
    again = {_case(row) for row in answers}
    refs = {row["case_ref"] for row in answers}
    files_needed = {row["source_file"] for row in before if _case(row) not in again}
    return [
        row
        for row in rejects
        if (row["rule"].startswith("label_") and not labels)
        or (row["source_file"] in files_needed and row["case_ref"] not in refs)
    ]


def _with_rejects(
    before: list[StoredReject], new: Sequence[StoredReject], source: str
) -> list[StoredReject]:
    of_files = {source, *(row["source_file"] for row in new)}
    rows = [*(row for row in before if row["source_file"] not in of_files), *new]
    rows.sort(key=lambda row: (row["source_file"], row["source_row"]))
    return [{**row, "reject_number": number} for number, row in enumerate(rows, 1)]


def forget(runs_dir: Path, configuration_id: str) -> bool:
    """Delete what is stored of a configuration; False if nothing was."""
    with files.locked(runs_dir):
        stored = [_file(runs_dir, kind, configuration_id) for kind in KINDS]
        present = [file for file in stored if file.is_file()]
        if present:
            trail.note("forget", configuration_id, what="answers")
        for file in present:
            file.unlink()
    return bool(present)


def _case(row: Answer | Label) -> Key:
    """What tells the cases of a run apart; an older version stored no case ids."""
    return (row["case_id"], "") if row["case_id"] else (None, row["case_ref"])


def _content(row: Label) -> Key:
    return row["semantic_relation"], row["severity"], row["diagnosis_rank"]


def _label_key(row: Label) -> Key:
    return row["judge_id"], *_case(row), None if row["is_gold_rank"] else row["diagnosis_rank"]


def _sorted(rows: Mapping[Key, Any]) -> list[Any]:
    return [rows[case] for case in sorted(rows, key=lambda case: tuple(map(str, case)))]


def _file(runs_dir: Path, kind: str, configuration_id: str) -> Path:
    return runs_dir / kind / f"{configuration_id.replace('/', '@')}.parquet"


def _rows(runs_dir: Path, kind: str, configuration_id: str) -> list[Any]:
    file = _file(runs_dir, kind, configuration_id)
    return _read([file], kind).to_pylist() if file.is_file() else []


def _read(stored: list[Path], kind: str) -> pa.Table:
    return files.read_parquet(stored, KINDS[kind], "recorded run (kernel29 runs import)")
