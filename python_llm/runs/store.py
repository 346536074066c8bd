"""Recorded answers and labels as Parquet, two files a configuration, outside the warehouse."""

from pathlib import Path

import pyarrow as pa

from python_llm import files
from python_llm.errors import FileError

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
    return _read(sorted((runs_dir / kind).glob("*.parquet")), kind)


def configurations(runs_dir: Path) -> list[str]:
    """The configurations answers are stored of, written model/prompt/test_set."""
    return sorted(file.stem.replace("@", "/") for file in (runs_dir / "answers").glob("*.parquet"))


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
    the same judge, is a FileError unless `replace`. Each file is replaced at once.
    """
    with files.locked(runs_dir):
        stored = {row["case_ref"]: row for row in _rows(runs_dir, "answers", configuration_id)}
        changed = [
            row
            for row in answers
            if row["case_ref"] in stored
            and stored[row["case_ref"]]["content_hash"] != row["content_hash"]
        ]
        if changed and not replace:
            raise FileError(
                f"{source}, row {changed[0]['source_row']}: case '{changed[0]['case_ref']}' "
                f"already has another answer in {configuration_id} ({len(changed)} such rows): use "
                "--replace to put these in their place, or another --model or --prompt alias."
            )
        unchanged = sum(row["case_ref"] in stored for row in answers) - len(changed)
        fresh = [row for row in answers if row["case_ref"] not in stored or row in changed]
        # a row that says the same keeps its first source, so that importing twice changes nothing
        merged = {**stored, **{row["case_ref"]: row for row in fresh}}
        known = {_label_key(row): row for row in _rows(runs_dir, "labels", configuration_id)}
        for label in labels:
            before = known.get(_label_key(label))
            same = before and all(
                before[name] == label[name] for name in ("semantic_relation", "severity")
            )
            if before and not same and not replace:
                raise FileError(
                    f"{label['source']}: judge '{label['judge_id']}' already has another label for "
                    f"this rank: use --replace, or another name with --judge."
                )
            if not same:
                known[_label_key(label)] = label
        for kind, rows in (("answers", merged), ("labels", known)):
            if rows:
                table = pa.Table.from_pylist(list(rows.values()), schema=KINDS[kind])
                files.write_parquet(table, _file(runs_dir, kind, configuration_id))
    return len(fresh), unchanged


def forget(runs_dir: Path, configuration_id: str) -> bool:
    """Delete what is stored of a configuration; False if nothing was."""
    with files.locked(runs_dir):
        stored = [_file(runs_dir, kind, configuration_id) for kind in KINDS]
        present = [file for file in stored if file.is_file()]
        for file in present:
            file.unlink()
    return bool(present)


def _label_key(row: dict) -> tuple:
    return row["judge_id"], row["case_ref"], None if row["is_gold_rank"] else row["diagnosis_rank"]


def _file(runs_dir: Path, kind: str, configuration_id: str) -> Path:
    return runs_dir / kind / f"{configuration_id.replace('/', '@')}.parquet"


def _rows(runs_dir: Path, kind: str, configuration_id: str) -> list[dict]:
    file = _file(runs_dir, kind, configuration_id)
    return _read([file], kind).to_pylist() if file.is_file() else []


def _read(stored: list[Path], kind: str) -> pa.Table:
    return files.read_parquet(stored, KINDS[kind], "recorded run (kernel29 runs import)")
