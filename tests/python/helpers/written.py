"""Rows written to every kind of file a table may come in. Each gives the path with its ending."""

import csv
import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

Rows = list[dict]


def as_csv(path: Path, rows: Rows, delimiter: str = ",") -> Path:
    path = path.with_suffix(".csv")
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_semicolons(path: Path, rows: Rows) -> Path:
    return as_csv(path, rows, ";")


def as_lines(path: Path, rows: Rows) -> Path:
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def as_json(path: Path, rows: Rows) -> Path:
    path = path.with_suffix(".json")
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def as_parquet(path: Path, rows: Rows) -> Path:
    path = path.with_suffix(".parquet")
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def as_excel(path: Path, rows: Rows) -> Path:
    path = path.with_suffix(".xlsx")
    book = openpyxl.Workbook()
    for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(row)
    book.save(path)
    return path


def recorded(folder, *configurations):
    """Make runs of `configurations` known in folder/runs, without answers."""
    (folder / "runs" / "answers").mkdir(parents=True, exist_ok=True)
    for name in configurations:
        (folder / "runs" / "answers" / f"{name.replace('/', '@')}.parquet").touch()
