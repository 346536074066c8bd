"""What clinicians said of retrieved documents: CSV files in data/feedback."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pyarrow as pa

from python_llm import paths

# Grain: feedback_id.
FEEDBACK_SCHEMA = pa.schema(
    [
        ("feedback_id", pa.string()),
        ("tenant_id", pa.string()),
        ("patient_id", pa.string()),
        ("document", pa.string()),
        ("is_helpful", pa.bool_()),
        ("source_file", pa.string()),
    ]
)
_COLUMNS = ("feedback_id", "tenant_id", "patient_id", "document", "is_helpful")
_WORDS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


class FeedbackError(ValueError):
    """A file of feedback that cannot be read; the text names file, line and remedy."""


def feedback_folder() -> Path:
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "feedback"


def read_feedback(folder: Path) -> pa.Table:
    """Every line of every CSV file (FEEDBACK_SCHEMA); empty where there is none."""
    rows = []
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as handle:
            reader = csv.DictReader(handle)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise FeedbackError(
                    f"data/feedback/{file.name}, line 1: the column {missing[0]} is missing: the "
                    f"header is {','.join(_COLUMNS)}."
                )
            for row in reader:
                said = _WORDS.get((row["is_helpful"] or "").strip().lower())
                if said is None:
                    raise FeedbackError(
                        f"data/feedback/{file.name}, line {reader.line_num}: is_helpful is "
                        "neither true nor false: correct the line."
                    )
                rows.append(
                    {
                        **{name: row[name] for name in _COLUMNS},
                        "is_helpful": said,
                        "source_file": file.name,
                    }
                )
    return pa.Table.from_pylist(rows, schema=FEEDBACK_SCHEMA)


def feedback_rows(_table: str) -> pa.Table:
    """All feedback; what the dbt source reads."""
    return read_feedback(feedback_folder())
