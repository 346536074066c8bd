"""Python steps compute where their rows are, however these are parted; nothing is collected."""

import duckdb
import pytest

from python_llm.parsing.judgement import parse_judgements
from python_llm.statistics.agreement import score_shifts
from python_llm.statistics.in_groups import Ordered, in_groups, row_by_row

KEYS = ("judge_id", "probe", "scale")
PARTITIONS = 50  # more than rows
COLLECTING = ("collect", "toArrow", "toPandas", "toLocalIterator", "take", "head", "first")
SHIFTS = """
    select judge_id, 'order' as probe, 'semantic' as scale, 'случай ' || n as case_id,
        (1 + n % 3)::bigint as n_lists, ((n * 37) % 101 / 101)::double as shift
    from range(8) as cases (n)
    cross join (values ('Σύνδρομο'), ('布加综合征'), ('Marfán')) as judges (judge_id)
"""
VOTES = """
    select 'key ' || n as request_key,
        '{"judgements": [{"rank": 1, "label": "Exact Synonym", "reason": "' || reason || '"}]}'
        || if(n = 2, ' {"judgements": [{"rank": 1, "la', '') as answer_text
    from (values (1, 'порядок'), (2, '综合征'), (3, 'Πυρετός'), (4, 'años')) as votes (n, reason)
"""


@pytest.fixture
def on_both(spark):
    """A query as a table of DuckDB and of Spark."""
    connection = duckdb.connect()

    def tables(query):
        rows = connection.sql(query)
        frame = spark.createDataFrame(rows.to_arrow_table()).repartition(PARTITIONS)
        return rows, frame

    spark.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    return tables


def listed(table):
    return sorted(table.to_pylist(), key=repr)


def without_collecting(step, frame, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("rows are collected to the driver")

    with monkeypatch.context() as patched:
        for name in COLLECTING:
            patched.setattr(type(frame), name, refused)
        return step(frame)


def test_groups_are_computed_in_executors(on_both, monkeypatch):
    def step(table):
        ordered = Ordered(table, (*KEYS, "case_id"))
        return in_groups(score_shifts, [ordered], KEYS, replicates=50, seed=29)

    rows, frame = on_both(SHIFTS)
    result = without_collecting(step, frame, monkeypatch)
    assert len(listed(step(rows))) == 3
    assert listed(result.toArrow()) == listed(step(rows))


def test_answers_are_read_in_executors(on_both, monkeypatch):
    def step(table):
        return row_by_row(parse_judgements, table)

    rows, frame = on_both(VOTES)
    result = without_collecting(step, frame, monkeypatch)
    assert frame.rdd.getNumPartitions() == PARTITIONS > len(listed(step(rows)))
    assert listed(result.toArrow()) == listed(step(rows))
