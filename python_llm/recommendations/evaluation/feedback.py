"""Clinicians' feedback on retrieved documents: CSV files in data/feedback."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa

from python_llm import paths
from python_llm.errors import FileError
from python_llm.imports.tables import read_table

# Grain: source_file, source_line. is_helpful is null if the file says neither true nor false.
FEEDBACK_SCHEMA = pa.schema(
    [
        ("feedback_id", pa.string()),
        ("tenant_id", pa.string()),
        ("patient_id", pa.string()),
        ("document", pa.string()),
        ("is_helpful", pa.bool_()),
        ("source_file", pa.string()),
        ("source_line", pa.int32()),
    ]
)
_COLUMNS = ("feedback_id", "tenant_id", "patient_id", "document", "is_helpful")
_WORDS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


def feedback_folder() -> Path:
    """The folder of feedback: data/feedback, or under KERNEL29_DATA_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "feedback"


def read_feedback(folder: Path) -> pa.Table:
    """Every line of every CSV file (FEEDBACK_SCHEMA); without any, no rows.

    Raises FileError, naming the file, if it is not a table or lacks a column.
    """
    rows = []
    for file in sorted(folder.glob("*.csv")):
        for number, row in read_table(file, _COLUMNS):
            missing = [name for name in _COLUMNS if name not in row]
            if missing:
                raise FileError(
                    f"data/feedback/{file.name}: the column {missing[0]} is missing: use the "
                    f"header {','.join(_COLUMNS)}."
                )
            rows.append(
                {
                    **{name: row[name].strip() or None for name in _COLUMNS},
                    "is_helpful": _WORDS.get(row["is_helpful"].strip().lower()),
                    "source_file": file.name,
                    "source_line": number,
                }
            )
    return pa.Table.from_pylist(rows, schema=FEEDBACK_SCHEMA)


def feedback_rows(_table: str) -> pa.Table:
    """All feedback, as the dbt source reads it."""
    return read_feedback(feedback_folder())
