"""The store of imported cases: one Parquet file per imported file, outside the warehouse.

`data/cases/records/` holds what was read, `data/cases/rejects/` what was not, under the same name:
the test set and the content hash of the file. Each file is written by an atomic rename.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from python_llm import files, paths

WHAT = "file of imported cases (kernel29 cases import)"
TEXTS = pa.list_(pa.string())

# One row per record, in the order of its file. Measurements stay texts: SQL reads the numbers once
# for every source. `source_row` counts the records of the file from 1 (the order in which other
# tools answer), `source_line` is the line or sheet row where the record begins. `narrative` is the
# case as one text, byte for byte; null if it came in sections. `is_for_reading`: without a gold
# diagnosis, and in no grid.
RECORDS = pa.schema(
    [
        ("test_set", pa.string()),
        ("source_file", pa.string()),
        ("source_hash", pa.string()),
        ("source_format", pa.string()),
        ("source_row", pa.int32()),
        ("source_line", pa.int32()),
        ("record_number", pa.int32()),
        ("record_id", pa.string()),
        ("language", pa.string()),
        ("contains_phi", pa.bool_()),
        ("frame", pa.string()),
        ("is_for_reading", pa.bool_()),
        ("narrative", pa.string()),
        ("reason", pa.string()),
        ("history", pa.string()),
        ("background", pa.string()),
        ("examination", pa.string()),
        ("complementary", pa.string()),
        ("sex", pa.string()),
        ("age", pa.string()),
        ("ta_max", pa.string()),
        ("ta_min", pa.string()),
        ("frec_cardiaca", pa.string()),
        ("temperatura", pa.string()),
        ("sat_oxigeno", pa.string()),
        ("glucemia", pa.string()),
        ("diuresis", pa.string()),
        ("severity", pa.string()),
        ("judgement", pa.string()),
        ("icd10_code", pa.string()),
        ("gold_written", pa.string()),
        ("gold_names", TEXTS),
        ("gold_codes", TEXTS),
        ("hpo_ids", TEXTS),
        ("hpo_names", TEXTS),
        ("excluded_hpo_ids", TEXTS),
        ("onset", pa.string()),
        ("discharge_reason", pa.string()),
        ("ward_days", pa.string()),
        ("icu_days", pa.string()),
        ("row_values", pa.string()),  # JSON: the columns of a table that were to be kept
    ]
)

# One row per rejected line, or per rejected field of a record that was stored. `record_id` is that
# of a lost record, if it could be read; it stays on this machine.
REJECTS = pa.schema(
    [
        ("test_set", pa.string()),
        ("source_file", pa.string()),
        ("source_hash", pa.string()),
        ("source_line", pa.int32()),
        ("reject_number", pa.int32()),
        ("field", pa.string()),
        ("reason", pa.string()),
        ("is_record_lost", pa.bool_()),
        ("record_id", pa.string()),
    ]
)


class KnownCase(NamedTuple):
    """A case of an imported set, by everything that answers or labels may refer to it with.
    position: its row among those of the set's files."""

    case_id: str
    position: int
    record_id: str | None
    gold_names: list[str]
    gold_codes: list[str]
    contains_phi: bool


def case_id(test_set: str, case_number: int) -> str:
    """The id of a case in the models (macro case_id)."""
    return f"{test_set}/{case_number:04d}"


def cases_folder() -> Path:
    """The folder of imported cases: `data/cases`, or KERNEL29_CASES_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_CASES_DIR", "data/cases"))


def imported_table(name: str) -> pa.Table:
    """The table that dbt reads as the source `name`: the records or the rejects."""
    read = {"record": read_records, "rejected_record": read_rejects}[name]
    return read(cases_folder())


def read_records(folder: Path) -> pa.Table:
    """All imported records under `folder` (RECORDS); without any import, no rows."""
    return _read(folder / "records", RECORDS)


def read_rejects(folder: Path) -> pa.Table:
    """All rejected rows under `folder` (REJECTS); without any import, no rows."""
    return _read(folder / "rejects", REJECTS)


def imported_files(folder: Path, test_set: str) -> list[Path]:
    """The records of one test set, one file per imported file."""
    return sorted((folder / "records").glob(f"{test_set}--*.parquet"))


def leftovers(folder: Path, test_set: str) -> list[Path]:
    """What an import of a test set left that was killed while it wrote: its drafts, and rejects
    without records."""
    whole = {file.name for file in imported_files(folder, test_set)}
    drafts = [f for f in files.abandoned(folder) if f.name.startswith(f".{test_set}--")]
    rejects = sorted((folder / "rejects").glob(f"{test_set}--*.parquet"))
    return [*drafts, *(file for file in rejects if file.name not in whole)]


def records_of(test_set: str, folder: Path | None = None) -> pa.Table:
    """The records imported into one test set (RECORDS)."""
    stored = imported_files(folder or cases_folder(), test_set)
    return files.read_parquet(stored, RECORDS, WHAT)


def record_of(case_id: str, folder: Path | None = None) -> dict[str, Any] | None:
    """The record that was imported as this case, None if none was."""
    test_set, _, number = case_id.partition("/")
    if not number.isdigit():
        return None
    records = records_of(test_set, folder)
    rows = records.filter(pc.equal(records["record_number"], int(number))).to_pylist()
    return rows[0] if rows else None


def kept_columns(test_set: str) -> set[str]:
    """The columns of its tables that were kept for prompts to show."""
    kept = records_of(test_set).column("row_values").drop_null().slice(0, 1).to_pylist()
    return {name for values in kept for name in json.loads(values)}


def known_cases(test_set: str, folder: Path | None = None) -> list[KnownCase]:
    """The cases of an imported set, built or not, by number and without those that are for reading
    only; empty if nothing was imported under that name."""
    records = records_of(test_set, folder).select(
        [
            *("record_number", "record_id", "gold_names", "gold_codes", "judgement"),
            *("icd10_code", "contains_phi", "source_hash", "source_row"),
            "is_for_reading",
        ]
    )
    rows = sorted(records.to_pylist(), key=lambda row: row["record_number"])
    return [
        KnownCase(
            case_id(test_set, row["record_number"]),
            position,
            row["record_id"],
            row["gold_names"] or ([row["judgement"]] if row["judgement"] else []),
            [*(row["gold_codes"] or []), *([row["icd10_code"]] if row["icd10_code"] else [])],
            row["contains_phi"],
        )
        for row, position in zip(rows, _positions(rows), strict=True)
        if not row["is_for_reading"]
    ]


def _positions(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Where each case stands among the rows of the set's files, which is what an answer without an
    id refers to: the row in its file where cases have kept other numbers, otherwise the number,
    which counts on from file to file."""
    shifts: dict[str, set[int]] = {}
    for row in rows:
        shift = row["record_number"] - (row["source_row"] or row["record_number"])
        shifts.setdefault(row["source_hash"], set()).add(shift)
    return [
        row["source_row" if len(shifts[row["source_hash"]]) > 1 else "record_number"]
        for row in rows
    ]


def is_for_reading(test_set: str, folder: Path | None = None) -> bool:
    """Whether a set was imported and no case of it has a gold diagnosis."""
    marks = records_of(test_set, folder).column("is_for_reading").to_pylist()
    return bool(marks) and all(marks)


def n_records(stored: list[Path]) -> int:
    """How many records some stored files hold, read from their footers."""
    return sum(pq.read_metadata(file).num_rows for file in stored)


def write(folder: Path, name: str, records: pa.Table, rejects: pa.Table) -> None:
    """Store one imported file under `name`; rejects come first, so no records are without them."""
    for kind, table in (("rejects", rejects), ("records", records)):
        files.write_parquet(table, folder / kind / f"{name}.parquet")


def remove(folder: Path, test_set: str, but: str | None = None) -> None:
    """Remove every import of a test set except the one stored under the name `but`, and what was
    left of those that were killed."""
    for file in leftovers(folder, test_set):
        if file.stem != but:
            file.unlink(missing_ok=True)
    for kind in ("records", "rejects"):
        for file in (folder / kind).glob(f"{test_set}--*.parquet"):
            if file.stem != but:
                file.unlink()


def _read(folder: Path, schema: pa.Schema) -> pa.Table:
    stored = sorted(folder.glob("*.parquet"))
    return files.read_parquet(stored, schema, WHAT)
