"""A large table is computed part by part, with the same result as in one call."""

import duckdb
import pyarrow as pa
import pytest

from python_llm.statistics import in_groups as module
from python_llm.statistics.agreement import score_shifts
from python_llm.statistics.in_groups import Ordered, arrow_of, in_groups, row_by_row

KEYS = ("judge_id", "probe", "scale")
ROWS = """
    select
        'judge''s ' || judge as judge_id,
        probe,
        'semantic' as scale,
        'case ' || lpad(n::varchar, 2, '0') as case_id,
        1 + n % 3 as n_lists,
        (n * 37 + judge * 11) % 101 / 101 as shift
    from range(4) as judges (judge), range(40) as cases (n), (values ('a'), ('b')) as probes (probe)
"""


@pytest.fixture
def calls():
    return []


@pytest.fixture
def shifts(calls):
    """The shifts of eight groups of forty cases, in a call that notes how many rows it reads."""

    def counted(open_rows, **options):
        table = open_rows().read_all()
        calls.append(table.num_rows)
        return score_shifts(table.to_reader, **options)

    connection = duckdb.connect()
    table = Ordered(connection.sql(ROWS), (*KEYS, "case_id"))
    return lambda: in_groups(counted, [table], KEYS, replicates=50, seed=1)


def rows(result):
    table = result if isinstance(result, pa.Table) else result.read_all()
    return sorted(table.to_pylist(), key=repr)


def test_groups_are_computed_in_parts_with_the_same_result(shifts, calls, monkeypatch):
    at_once = rows(shifts())
    assert calls == [320]
    calls.clear()
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 100)
    assert rows(shifts()) == at_once
    assert calls == [80] * 4


def test_a_group_larger_than_a_part_is_a_part_of_its_own(shifts, calls, monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 1)
    assert len(rows(shifts())) == 8
    assert calls == [40] * 8


def test_results_of_parts_become_a_table_of_duckdb(monkeypatch):
    """Names are dictionaries, which differ from part to part."""

    def names(open_rows):
        read = open_rows().read_all()
        judges = read.column("judge_id").combine_chunks().dictionary_encode()
        return pa.table({"judge_id": judges, "n": read.column("n_lists")})

    connection = duckdb.connect()
    table = Ordered(connection.sql(ROWS), (*KEYS, "case_id"))
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 80)
    connection.register("result", in_groups(names, [table], KEYS))
    connection.execute("create table result_table as from result")
    counts = "select judge_id, sum(n) from {} group by all order by all"
    assert (
        connection.sql(counts.format("result_table")).fetchall()
        == connection.sql(counts.format(f"({ROWS})").replace("sum(n)", "sum(n_lists)")).fetchall()
    )


def test_rows_of_duckdb_are_read_in_one_call():
    connection = duckdb.connect()
    numbers = connection.sql("select * from range(5) as numbers (n)")
    few = arrow_of(connection.sql("select 2 as factor, 'x' as other"), "factor")
    result = row_by_row(
        lambda table, few: pa.table(
            {"n": [row["n"] * few["factor"][0].as_py() for row in table.to_pylist()]}
        ),
        numbers,
        few=few,
    )
    assert result.column("n").to_pylist() == [0, 2, 4, 6, 8]
