"""Tables that dbt makes of answers, with what it needs for them made once."""

import pytest
from agate.data_types import Date
from dbt_common.clients import agate_helper

from python_llm.job.dbt import dbt_tables

ROWS = [{"day": "2026-01-31", "n": "1", "word": "null"}, {"day": None, "n": "2.5", "word": "x"}]


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    for name in ("build_type_tester", "empty_table"):
        monkeypatch.setattr(agate_helper, name, getattr(agate_helper, name))
    dbt_tables.make_once.cache_clear()
    yield
    dbt_tables.make_once.cache_clear()


def tables():
    for text_columns in ((), ("n",), ("day", "word")):
        table = agate_helper.table_from_data(ROWS, ["day", "n", "word"])
        yield [*table.rows.values()], [str(kind) for kind in table.column_types]
        flat = agate_helper.table_from_data_flat(ROWS, ["day", "n", "word"])
        yield [*flat.rows.values()], flat.column_names
        tester = agate_helper.build_type_tester(list(text_columns), string_null_values=())
        rows = [tuple(row.values()) for row in ROWS]
        yield [type(kind).__name__ for kind in tester.run(rows, ["day", "n", "word"])]
    yield len(agate_helper.empty_table().rows)


def test_an_answer_is_the_table_that_dbt_makes_of_it():
    before = [str(table) for table in tables()]
    dbt_tables.make_once()
    assert [str(table) for table in (*tables(), *tables())] == before * 2


def test_no_reader_of_dates_is_made_again(monkeypatch):
    dbt_tables.make_once()
    make, made = Date.__init__, []

    def counted(*arguments, **options):
        made.append(arguments)
        make(*arguments, **options)

    monkeypatch.setattr(Date, "__init__", counted)
    for _ in range(3):
        agate_helper.empty_table()
        agate_helper.build_type_tester(["n"], string_null_values=())
    assert len(made) <= 2
