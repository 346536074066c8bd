"""What dbt needs to make a table of an answer is made once, not for each statement.

Most statements answer nothing, and for each dbt makes a table without rows; for those that answer
it makes the types that it tries on every column. Either takes a reader of dates, the longest part
of a short statement.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from dbt_common.clients import agate_helper


@cache  # once in a process
def make_once() -> None:
    new_tester = cache(agate_helper.build_type_tester)

    def tester(
        text_columns: Iterable[str], string_null_values: Iterable[str] | None = ("null", "")
    ) -> Any:
        nulls = None if string_null_values is None else tuple(string_null_values)
        return new_tester(tuple(text_columns), nulls)

    agate_helper.build_type_tester = tester
    agate_helper.empty_table = cache(agate_helper.empty_table)
