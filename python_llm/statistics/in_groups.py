"""A pure function of Arrow tables over groups of rows, wherever the rows are.

In DuckDB one call reads all rows in order, a batch at a time. In Spark every group is a call in an
executor (`applyInArrow`): no row is collected to the driver. The function is the same, and so is
what it returns, because it works on runs of consecutive rows with the same keys anyway. A group
has to fit in the memory of one executor.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import pyarrow as pa


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
    if not hasattr(tables[0].table, "sparkSession"):
        readers = [
            table.table.order(", ".join(f'"{name}"' for name in table.order)).to_arrow_reader
            for table in tables
        ]
        return function(*readers, **options)
    return _in_executors(function, tables, keys, options)


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
