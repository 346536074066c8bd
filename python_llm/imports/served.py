"""What the last build served, as imports look it up: known cases, configurations, terminology."""

from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb


class Served:
    """The served database, opened at the first question and then kept open: opening it reads the
    description of every table, which takes longer than most answers."""

    def __init__(self, database: Path | None) -> None:
        self._database = database if database is not None and database.is_file() else None

    def __bool__(self) -> bool:
        return self._database is not None

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement. None if nothing was served yet, and none of a table that an
        older build did not serve."""
        if self._database is None:
            return []
        try:
            return self._connection.execute(sql, values).fetchall()
        except duckdb.CatalogException:
            return []

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(str(self._database), read_only=True)
