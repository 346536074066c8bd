"""People's labels as Parquet outside the warehouse, three files a panel.

`labels/` has what was taken, `rejects/` what was not, and `pairs/` the lists of test sets that an
import made itself, because their cases are nowhere else.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pyarrow as pa

from python_llm import files, paths

# One row per judge, list or case, diagnosis and scale, which is what label_key is the hash of. A
# label is of a diagnosis by its name or, in the list of a configuration, by its rank. Of a whole
# list it has neither, and says the rank of the gold diagnosis (scale gold_rank; 0: nowhere) or
# whether it is among the first k (scales top1, top3, top5, …; yes or no).
LABELS = pa.schema(
    [
        ("label_key", pa.string()),
        ("judge_id", pa.string()),
        ("panel", pa.string()),
        ("rater", pa.string()),
        ("kind", pa.string()),
        ("test_set", pa.string()),
        ("configuration_id", pa.string()),
        ("case_ref", pa.string()),
        ("diagnosis_rank", pa.int32()),
        ("diagnosis", pa.string()),
        ("scale", pa.string()),
        ("label", pa.string()),
        ("label_written", pa.string()),
        ("source_file", pa.string()),
        ("source_line", pa.int32()),
    ]
)
# One row per thing in a file that was not taken.
REJECTS = pa.schema(
    [
        ("panel", pa.string()),
        ("reject_number", pa.int32()),
        ("source_file", pa.string()),
        ("source_line", pa.int32()),
        ("rater", pa.string()),
        ("field", pa.string()),
        ("reason", pa.string()),
    ]
)
# One row per diagnosis in a list of a test set that an import made, or per list that is one text.
PAIRS = pa.schema(
    [
        ("test_set", pa.string()),
        ("case_ref", pa.string()),
        ("list_key", pa.string()),
        ("model", pa.string()),
        ("gold", pa.string()),
        ("diagnosis_rank", pa.int32()),
        ("diagnosis", pa.string()),
        ("answer_text", pa.string()),
    ]
)


class Subject(TypedDict):
    """What labels are of: a diagnosis by its name or its rank, or with neither a whole list."""

    test_set: str | None
    configuration_id: str | None
    case_ref: str
    diagnosis_rank: int | None
    diagnosis: str | None


class Label(Subject):
    """A row of LABELS. Typed dicts, not objects: a hundred thousand go to Arrow as they are."""

    label_key: str
    judge_id: str
    panel: str
    rater: str | None
    kind: str
    scale: str
    label: str
    label_written: str
    source_file: str
    source_line: int


class Reject(TypedDict):
    """A row of REJECTS."""

    panel: str
    reject_number: NotRequired[int]  # counted when they are stored
    source_file: str
    source_line: int
    rater: str | None
    field: str
    reason: str


class Pair(TypedDict):
    """A row of PAIRS, and what else a file says of it that goes to the case or the answer."""

    test_set: str
    case_ref: str
    list_key: str
    model: str
    gold: str
    diagnosis_rank: int | None
    diagnosis: str | None
    answer_text: NotRequired[str | None]
    gold_severity: NotRequired[str | None]
    source_line: NotRequired[int]


KINDS = {"labels": LABELS, "rejects": REJECTS, "pairs": PAIRS}


def labels_folder() -> Path:
    """Where labels are kept: `data/labels`, or what KERNEL29_LABELS_DIR says."""
    return paths.resolve(os.environ.get("KERNEL29_LABELS_DIR", "data/labels"))


def read(folder: Path, kind: str) -> pa.Table:
    """All stored 'labels', 'rejects' or 'pairs'; no rows if nothing is stored."""
    return _read(sorted((folder / kind).glob("*.parquet")), kind)


def rows(folder: Path, kind: str, name: str) -> list[Any]:
    """What is stored of one panel or, for 'pairs', of one test set."""
    file = _file(folder, kind, name)
    return _read([file], kind).to_pylist() if file.is_file() else []


def write(folder: Path, kind: str, name: str, content: Iterable[Mapping[str, Any]]) -> None:
    """Replace what is stored under `name`, at once; no rows remove the file."""
    file = _file(folder, kind, name)
    table = pa.Table.from_pylist(list(content), schema=KINDS[kind])
    if not table.num_rows:
        file.unlink(missing_ok=True)
        return
    files.write_parquet(table, file)


def _file(folder: Path, kind: str, name: str) -> Path:
    return folder / kind / f"{name}.parquet"


def _read(stored: list[Path], kind: str) -> pa.Table:
    return files.read_parquet(stored, KINDS[kind], "file of labels (kernel29 labels import)")
