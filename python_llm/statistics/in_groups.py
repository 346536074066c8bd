"""A pure function of Arrow tables over rows or groups of rows, wherever the rows are.

In DuckDB one call reads all rows in order, a batch at a time; of a large table a call reads some of
the groups, and the results wait on disk, so that memory does not grow with the groups. In Spark
every group is a call in an executor (`applyInArrow`), and so is every batch of rows that do not
depend on each other (`mapInArrow`): no row is collected to the driver. The function is the same,
and so is what it returns, because it works on runs of consecutive rows with the same keys anyway. A
group has to fit in the memory of one executor.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import pyarrow as pa

ROWS_AT_ONCE = 1 << 21  # of DuckDB's tables: some 600 MB of metrics


class Ordered(NamedTuple):
    """A table of DuckDB or Spark, and the columns its rows are read in the order of."""

    table: Any
    order: tuple[str, ...]


def in_groups(
    function: Callable[..., pa.Table],
    tables: Sequence[Ordered],
    keys: Sequence[str],
    **options: Any,
) -> Any:
    """`function(*readers, **options)`: Arrow from DuckDB, a data frame from Spark.

    A reader is a function that opens a table for reading once, in its order. `keys` are columns of
    all tables, and the first of every order: no result depends on rows of two groups. At most two
    tables. Without rows the function returns its schema without rows.
    """
    if _is_spark(tables[0].table):
        return _in_executors(function, tables, keys, options)
    parts = _parts(tables, keys)
    results = (function(*_readers(tables, part), **options) for part in parts)
    return next(results) if len(parts) == 1 else _one_after_another(results)


def _readers(tables: Sequence[Ordered], part: str) -> list[Callable[[], pa.RecordBatchReader]]:
    return [
        table.table.filter(part)
        .order(", ".join(f'"{name}"' for name in table.order))
        .to_arrow_reader
        for table in tables
    ]


def _parts(tables: Sequence[Ordered], keys: Sequence[str]) -> list[str]:
    """Conditions on the rows of DuckDB's tables, each of some whole groups; ROWS_AT_ONCE at most,
    if no group is larger."""
    if sum(count_of(table.table) for table in tables) <= ROWS_AT_ONCE:
        return ["true"]
    columns = [f'"{name}"::varchar' for name in keys]
    sizes: Counter[tuple[str, ...]] = Counter()
    for table in tables:
        counts = table.table.aggregate(", ".join([*columns, "count(*)"]), ", ".join(columns))
        for *group, n_rows in counts.fetchall():
            sizes[tuple(group)] += n_rows
    parts: list[list[str]] = []
    n_in_part = ROWS_AT_ONCE
    for group in sorted(sizes):
        if n_in_part + sizes[group] > ROWS_AT_ONCE:
            parts.append([])
            n_in_part = 0
        n_in_part += sizes[group]
        parts[-1].append(
            " and ".join(
                f"{column} = {_literal(key)}" for column, key in zip(columns, group, strict=True)
            )
        )
    return [" or ".join(f"({condition})" for condition in part) for part in parts]


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _one_after_another(results: Iterator[pa.Table]) -> pa.RecordBatchReader:
    """The rows of the tables; one table at a time is in memory, the others are on disk."""
    # who reads the rows closes it
    file = TemporaryFile()  # noqa: SIM115
    first = next(results)
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(file, first.schema, options=options) as writer:
        writer.write_table(first)
        del first
        for table in results:
            writer.write_table(table)
    file.seek(0)
    return pa.ipc.open_stream(file)


def row_by_row(function: Callable[..., pa.Table], table: Any, **options: Any) -> Any:
    """`function(rows, **options)`: Arrow from DuckDB, a data frame from Spark.

    The result of a row depends on that row alone. Options go to every executor: small ones.
    """
    if not _is_spark(table):
        return function(table.to_arrow_table(), **options)
    types = import_module("pyspark.sql.pandas.types")  # is not part of the default environment
    empty = types.to_arrow_schema(table.schema).empty_table()
    schema = _plain(function(empty, **options)).schema

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from _plain(function(pa.Table.from_batches([batch]), **options)).to_batches()

    return table.mapInArrow(run, types.from_arrow_schema(schema))


def selected(table: Any, *expressions: str) -> Any:
    """Columns and expressions that DuckDB and Spark write alike, of a table of either."""
    if _is_spark(table):
        return table.selectExpr(*expressions)
    return table.project(", ".join(expressions))


def arrow_of(table: Any, *columns: str) -> pa.Table:
    """A few rows of a registry as Arrow, from DuckDB or Spark."""
    rows = table.select(*columns)
    return rows.toArrow() if _is_spark(table) else rows.to_arrow_table()


def rows_of(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    """A few rows of a registry or a count, from DuckDB or Spark."""
    selected = table.select(*columns)
    return [tuple(row) for row in (selected.collect() if _is_spark(table) else selected.fetchall())]


def count_of(table: Any) -> int:
    """The number of rows of a table of DuckDB or Spark."""
    if _is_spark(table):
        return int(table.count())
    (number,) = table.aggregate("count(*)").fetchone()
    return int(number)


def _is_spark(table: Any) -> bool:
    return hasattr(table, "sparkSession")


def _in_executors(
    function: Callable[..., pa.Table],
    tables: Sequence[Ordered],
    keys: Sequence[str],
    options: dict[str, Any],
) -> Any:
    types = import_module("pyspark.sql.pandas.types")  # is not part of the default environment
    empty = [types.to_arrow_schema(table.table.schema).empty_table() for table in tables]
    schema = _plain(function(*(_reader(table) for table in empty), **options)).schema
    run = partial(_run, function, [table.order for table in tables], options)
    returned = types.from_arrow_schema(schema)
    first, *others = (table.table.groupBy(*keys) for table in tables)
    if others:
        return first.cogroup(others[0]).applyInArrow(lambda a, b: run(a, b), returned)
    return first.applyInArrow(lambda a: run(a), returned)


def _run(
    function: Callable[..., pa.Table],
    orders: list[tuple[str, ...]],
    options: dict[str, Any],
    *tables: pa.Table,
) -> pa.Table:
    readers = [
        _reader(table.sort_by([(name, "ascending") for name in order]))
        for table, order in zip(tables, orders, strict=True)
    ]
    return _plain(function(*readers, **options))


def _reader(table: pa.Table) -> Callable[[], pa.RecordBatchReader]:
    return lambda: table.combine_chunks().to_reader()


def _plain(table: pa.Table) -> pa.Table:
    """Without dictionaries, which Spark does not read."""
    return table.cast(
        pa.schema(
            [
                pa.field(
                    field.name,
                    field.type.value_type if pa.types.is_dictionary(field.type) else field.type,
                )
                for field in table.schema
            ]
        )
    )
