"""Recorded answers and labels as Parquet, two files a configuration, outside the warehouse."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock

from python_llm.runs.tables import RunFileError

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
# One row per configuration and case; either answer_text or diagnoses says what was answered.
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
        ("is_by_order", pa.bool_()),
        ("gold_written", pa.string()),
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
        ("diagnosis_rank", pa.int32()),
        ("judge_id", pa.string()),
        ("semantic_relation", pa.string()),
        ("severity", pa.string()),
        ("is_gold_rank", pa.bool_()),
        ("source", pa.string()),
    ]
)
KINDS = {"answers": ANSWERS, "labels": LABELS}


def read(runs_dir: Path, kind: str) -> pa.Table:
    """All stored 'answers' or 'labels'; an empty table of the same columns if nothing is stored."""
    schema = KINDS[kind]
    files = sorted((runs_dir / kind).glob("*.parquet")) if runs_dir.is_dir() else []
    tables = [_read_file(file, schema) for file in files]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def save(
    runs_dir: Path,
    configuration_id: str,
    answers: list[dict],
    labels: list[dict],
    replace: bool,
    source: str,
) -> tuple[int, int]:
    """Add to what is stored of the configuration; (new answers, answers that were there already).

    The same answer again changes nothing. Another answer to a stored case, and another label by
    the same judge, is a RunFileError unless `replace`. Each file is replaced at once.
    """
    runs_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(runs_dir / ".lock"):
        files = {kind: _file(runs_dir, kind, configuration_id) for kind in KINDS}
        stored = {row["case_ref"]: row for row in _rows(files["answers"], ANSWERS)}
        changed = [
            row
            for row in answers
            if row["case_ref"] in stored
            and stored[row["case_ref"]]["content_hash"] != row["content_hash"]
        ]
        if changed and not replace:
            raise RunFileError(
                f"{source}, row {changed[0]['source_row']}: case '{changed[0]['case_ref']}' "
                f"already has another answer in {configuration_id} ({len(changed)} such rows): use "
                "--replace to put these in their place, or another --model or --prompt alias."
            )
        unchanged = sum(row["case_ref"] in stored for row in answers) - len(changed)
        fresh = [row for row in answers if row["case_ref"] not in stored or row in changed]
        # a row that says the same keeps its first source, so that importing twice changes nothing
        merged = {**stored, **{row["case_ref"]: row for row in fresh}}
        known = {_label_key(row): row for row in _rows(files["labels"], LABELS)}
        for label in labels:
            before = known.get(_label_key(label))
            same = before and all(
                before[name] == label[name] for name in ("semantic_relation", "severity")
            )
            if before and not same and not replace:
                raise RunFileError(
                    f"{label['source']}: judge '{label['judge_id']}' already has another label for "
                    f"this rank: use --replace, or another name with --judge."
                )
            if not same:
                known[_label_key(label)] = label
        _write(files["answers"], list(merged.values()), ANSWERS)
        if known:
            _write(files["labels"], list(known.values()), LABELS)
    return len(fresh), unchanged


def forget(runs_dir: Path, configuration_id: str) -> bool:
    """Delete what is stored of a configuration; False if nothing was."""
    files = [_file(runs_dir, kind, configuration_id) for kind in KINDS]
    present = [file for file in files if file.is_file()]
    for file in present:
        file.unlink()
    return bool(present)


def _label_key(row: dict) -> tuple:
    return row["judge_id"], row["case_ref"], None if row["is_gold_rank"] else row["diagnosis_rank"]


def _file(runs_dir: Path, kind: str, configuration_id: str) -> Path:
    return runs_dir / kind / f"{configuration_id.replace('/', '@')}.parquet"


def _rows(file: Path, schema: pa.Schema) -> list[dict]:
    return _read_file(file, schema).to_pylist() if file.is_file() else []


def _read_file(file: Path, schema: pa.Schema) -> pa.Table:
    try:
        return pq.read_table(file).select(schema.names).cast(schema)
    except (pa.ArrowInvalid, OSError, KeyError, ValueError) as error:
        raise RunFileError(
            f"{file.parent.name}/{file.name} of the recorded runs cannot be read "
            f"({str(error).splitlines()[0]}): delete it and import its run again."
        ) from error


def _write(file: Path, rows: list[dict], schema: pa.Schema) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_suffix(".tmp")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), scratch, compression="zstd")
    os.replace(scratch, file)
