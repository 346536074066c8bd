"""The requests of one call: what is decided over in memory, the texts where there is room."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.engine.errors import EngineError
from python_llm.engine.schema import REQUEST_SCHEMA, Request, checked

TEXTS = ["system_text", "user_text"]
_TEXT_SCHEMA = pa.schema([(name, pa.string()) for name in TEXTS])
_REST = [name for name in REQUEST_SCHEMA.names if name not in TEXTS]
# Rows of a reader to hand over at a time.
READ_ROWS = 1_000
# Batches of texts held at once, read again from the file when they are needed later.
BATCHES_HELD = 32
# Batches without their texts that become one: of thousands of small pieces, each between two texts
# that are gone, every piece would hold the memory of these too.
BATCHES_JOINED = 50
# Rows without their texts that are turned into Python at once, and how many such windows are held.
WINDOW_ROWS = 64
WINDOWS_HELD = 64


class Requests:
    """The distinct requests among some asks. `table` has every column of REQUEST_SCHEMA but the
    texts."""

    def __init__(self, asks: pa.Table, texts: _Held | _Spilled | None) -> None:
        self._ask_of = distinct(asks)
        self.table = _with_any_phi(asks, self._ask_of)
        self._texts = texts
        # One row costs nearly as much to read as a window of them, and neighbours are asked next.
        self._window = lru_cache(WINDOWS_HELD)(self._read_window)

    def __len__(self) -> int:
        return len(self.table)

    def take(self, rows: list[int], columns: list[str]) -> pa.Table:
        return self.table.select(columns).take(pa.array(rows, pa.int64()))

    def get(self, row: int) -> Request:
        """The request of one row, ready to be sent. Errors: ValueError where no texts are kept."""
        if self._texts is None:
            raise ValueError("these requests were read without their texts, not to be sent")
        number, position = divmod(row, WINDOW_ROWS)
        texts = self._texts.get(self._ask_of[row].as_py())
        return Request.of({**self._window(number)[position], **texts})

    def _read_window(self, number: int) -> list[dict[str, Any]]:
        return self.table.slice(number * WINDOW_ROWS, WINDOW_ROWS).to_pylist()


def distinct(asks: pa.Table) -> pa.Array:
    """The position of one ask for each request, in the order of the asks.

    Two asks can be the same request: two aliases of one model, or two systems with the same list
    before the same judge. It is sent once, and it may be sent if any of its asks may: the ask that
    stands for it is one that policy allows, then one that is selected, then the first alias.
    """
    if pc.count_distinct(asks.column("request_key")).as_py() == len(asks):
        return pa.array(range(len(asks)), pa.int64())
    order = pc.sort_indices(
        asks,
        sort_keys=[
            ("request_key", "ascending"),
            ("is_blocked_by_policy", "ascending"),
            ("is_selected", "descending"),
            ("model_alias", "ascending"),
        ],
    )
    keys = asks.column("request_key").take(order).combine_chunks()
    is_first = pa.concat_arrays([pa.array([True]), pc.not_equal(keys[1:], keys[:-1])])
    chosen = pc.filter(order, is_first)
    return pc.cast(chosen.take(pc.array_sort_indices(chosen)), pa.int64())


def _with_any_phi(asks: pa.Table, positions: pa.Array) -> pa.Table:
    """The asks at some positions; one that shows a patient's data under any of its asks does."""
    table = asks if len(positions) == len(asks) else asks.take(positions)
    keys = table.column("request_key")
    personal = pc.is_in(
        keys, asks.column("request_key").filter(asks.column("contains_phi")).combine_chunks()
    )
    return table.set_column(table.schema.get_field_index("contains_phi"), "contains_phi", personal)


class _Held:
    """Texts of a table that its caller holds in memory anyway."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def get(self, row: int) -> dict[str, str | None]:
        return self._table.slice(row, 1).to_pylist()[0]


class _Spilled:
    """Texts in a file: hundreds of thousands of prompts are more than a build should hold. The
    file has no name any more when it is written to, so that no kill leaves it behind."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        handle, path = tempfile.mkstemp(dir=folder, prefix="texts-")
        self._file = os.fdopen(handle, "w+b")
        os.unlink(path)
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer = pa.ipc.new_file(self._file, _TEXT_SCHEMA, options=options)
        self._rows_before: list[int] = [0]

    def write(self, table: pa.Table, wanted: pa.ChunkedArray) -> None:
        """The texts of the next rows; of those that can never be sent none are kept."""
        columns = [pc.if_else(wanted, table.column(name), None).combine_chunks() for name in TEXTS]
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=_TEXT_SCHEMA))
        self._rows_before.append(self._rows_before[-1] + len(table))

    def close(self) -> None:
        self._file.close()

    def finish(self) -> None:
        self._writer.close()
        reader = pa.ipc.open_file(self._file)
        self._batch = lru_cache(BATCHES_HELD)(reader.get_batch)

    def get(self, row: int) -> dict[str, str | None]:
        number = bisect_right(self._rows_before, row) - 1
        return self._batch(number).slice(row - self._rows_before[number], 1).to_pylist()[0]


@contextmanager
def read_requests(
    source: pa.Table | pa.RecordBatchReader,
    folder: Path | None,
    see: Callable[[pa.Table], None] = lambda asks: None,
) -> Iterator[Requests]:
    """The distinct requests of a table or reader of asks.

    folder: where the texts of a reader are put for as long as they are needed; None when nothing
    will be sent, and no text is needed. see: is shown all asks with their texts, some at a time.

    Errors: EngineError as `checked` raises it.
    """
    if isinstance(source, pa.Table):
        table = checked(source)
        see(table)
        yield Requests(table.select(_REST), _Held(table.select(TEXTS)))
        return
    spilled: _Spilled | None = None
    try:
        try:
            if folder is not None:
                spilled = _Spilled(folder)
            table = _read(source, spilled, see)
        except OSError as error:
            raise EngineError(
                f"The prompts could not be put into {folder} ({error.strerror}): make room, change "
                "its permissions, or give another ledger folder. Nothing was sent."
            ) from error
        yield Requests(table, spilled)
    finally:
        if spilled is not None:
            spilled.close()


def _read(
    source: pa.RecordBatchReader, spilled: _Spilled | None, see: Callable[[pa.Table], None]
) -> pa.Table:
    """Every column but the texts, which go to the file where there is one."""
    rest = [checked(source.schema.empty_table()).select(_REST)]
    small: list[pa.Table] = []
    for batch in source:
        table = checked(pa.Table.from_batches([batch]))
        if not len(table):
            continue
        small.append(table.select(_REST))
        if len(small) == BATCHES_JOINED:
            rest.append(pa.concat_tables(small).combine_chunks())
            small.clear()
        see(table)
        if spilled is not None:
            may_be_sent = pc.and_not(
                table.column("is_selected"), table.column("is_blocked_by_policy")
            )
            spilled.write(table, may_be_sent)
    if spilled is not None:
        spilled.finish()
    return pa.concat_tables([*rest, *small])
