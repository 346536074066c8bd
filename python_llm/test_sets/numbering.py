"""The numbers of the cases of a set that is imported again: a case keeps the one it had.

Recorded answers, labels and the ids in every table name a case by its number, so a row put above
the others must not hand its number on.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from python_llm.imports.cells import MISSING
from python_llm.test_sets import forgotten

MOST_SHOWN = 5  # rows in a message
LAST = b"last_number"  # in the metadata of stored records: the highest number ever given
COLUMNS = ("record_number", "record_id", "source_row", *forgotten.TEXTS, "gold_names", "judgement")
OTHERS = (
    "None of these cases is one of those the set had, so recorded answers and labels of it are of "
    "other cases: forget them (kernel29 runs forget, labels forget), or choose another --test-set."
)
Key = Callable[[Mapping[str, Any]], Any]


def kept_numbers(
    records: Sequence[Mapping[str, Any]], stored: pa.Table, last: int
) -> dict[int, int]:
    """The number of each of `records`, by source_row: of a case that is `stored` its own; of
    another one after `last`, the highest that was ever given. A case is known by its own id or,
    without one that is known, by its texts and gold diagnoses. Empty if no case is known."""
    before = stored.select(COLUMNS).to_pylist()
    numbers: dict[int, int] = {}
    for key in (_own_id, _content):
        taken = set(numbers.values())
        of_key = _by_key([row for row in before if row["record_number"] not in taken], key)
        left = [record for record in records if record["source_row"] not in numbers]
        for name, record in _by_key(left, key).items():
            if name in of_key:
                numbers[record["source_row"]] = of_key[name]["record_number"]
    if not numbers:
        return {}
    for record in records:
        if record["source_row"] not in numbers:
            last += 1
            numbers[record["source_row"]] = last
    return numbers


def last_number(files: Sequence[Path]) -> int:
    """The highest number that was ever given in a set with these stored files; 0 if none was."""
    last = 0
    for file in files:
        stored = pq.ParquetFile(file)
        noted = (stored.schema_arrow.metadata or {}).get(LAST, b"0")
        numbers = stored.read(["record_number"]).column(0)
        last = max(last, int(noted), pc.max(numbers).as_py() or 0)
    return last


def noted(table: pa.Table, files: Sequence[Path]) -> pa.Table:
    """Records with the highest number that was ever given in their set, of which `files` are
    stored, noted in them."""
    highest = max(last_number(files), pc.max(table["record_number"]).as_py())
    return table.replace_schema_metadata({**(table.schema.metadata or {}), LAST: str(highest)})


def without_missing_ids(records: Sequence[dict[str, Any]]) -> list[str]:
    """Take away ids that say there is none (nan, NULL, NA) where several rows have them; what to
    say of these. One that stands once tells its case from all others."""
    odd = [(record, key) for record in records if (key := _key_of_odd(record))]
    counts = Counter(key for _, key in odd)
    repeated = [record for record, key in odd if counts[key] > 1]
    notes = []
    if repeated:
        lines = ", ".join(str(record["source_line"]) for record in repeated[:MOST_SHOWN])
        notes.append(
            f"{len(repeated)} rows have '{repeated[0]['record_id']}' or the like where the id "
            f"should be, which is none: these cases are known by their numbers (row {lines}"
            f"{', …' * (len(repeated) > MOST_SHOWN)})."
        )
    for record in repeated:
        record["record_id"] = None
    return notes


def _key_of_odd(record: Mapping[str, Any]) -> str:
    key = (record.get("record_id") or "").strip().casefold()
    return key if key in MISSING else ""


def _own_id(record: Mapping[str, Any]) -> Any:
    return (record.get("record_id") or "").strip() or None


def _content(record: Mapping[str, Any]) -> Any:
    texts = tuple((record.get(name) or "").strip() for name in forgotten.TEXTS)
    golds = record.get("gold_names") or [record.get("judgement")]
    return (texts, tuple(map(str, golds))) if any(texts) else None


def _by_key(records: Sequence[Mapping[str, Any]], key: Key) -> dict[Any, Mapping[str, Any]]:
    """By key, without the keys that several have."""
    counts = Counter(map(key, records))
    return {
        name: record for record in records if (name := key(record)) is not None if counts[name] == 1
    }
