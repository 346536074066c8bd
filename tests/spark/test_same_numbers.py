"""Every public mart of the path is the same on DuckDB and on Spark: ids and labels identical,
numbers to 1e-9."""

from collections.abc import Collection
from decimal import Decimal

import duckdb
import pyarrow as pa

TOLERANCE = 1e-9


def rows(table: pa.Table, columns: list[str]) -> list[list]:
    """The rows in the order of everything in them that is not a fraction."""
    table = table.select(columns)
    exact = [
        name
        for name in columns
        if not (
            pa.types.is_floating(table.field(name).type)
            or pa.types.is_decimal(table.field(name).type)
        )
    ]
    listed = table.to_pylist()
    listed.sort(
        key=lambda row: (
            [repr(row[name]) for name in exact]
            + [repr(round(float(row[name] or 0), 6)) for name in columns if name not in exact]
        )
    )
    return [[row[name] for name in columns] for row in listed]


def differs(a: object, b: object) -> bool:
    if isinstance(a, (float, Decimal)) and isinstance(b, (float, Decimal)):
        # one in the ninth decimal is 1e-9, but for what doubles are off by
        return not round(abs(float(a) - float(b)), 15) <= TOLERANCE
    if isinstance(a, list) and isinstance(b, list):
        return len(a) != len(b) or any(map(differs, a, b))
    return a != b


def differences(
    expected: pa.Table, actual: pa.Table, partitions: Collection[str] = ()
) -> list[str]:
    columns = sorted(expected.column_names, key=lambda name: name in partitions)
    if actual.column_names != columns:
        return [f"columns {actual.column_names} instead of {columns}"]
    if expected.num_rows != actual.num_rows:
        return [f"{actual.num_rows} rows instead of {expected.num_rows}"]
    return [
        f"{name}: {b!r} instead of {a!r} in {first}"
        for first, second in zip(rows(expected, columns), rows(actual, columns), strict=True)
        for name, a, b in zip(columns, first, second, strict=True)
        if differs(a, b)
    ]


def test_every_mart_of_the_path_is_the_same_on_both_engines(spark, warehouse, lakehouse, path29):
    wrong = {}
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        for mart in path29.marts:
            expected = connection.execute(f"from main.{mart}").to_arrow_table()
            actual = spark.table(f"kernel29.{mart}").toArrow()
            if found := differences(expected, actual, path29.partitions.get(mart, ())):
                wrong[mart] = [len(found), *found[:3]]
    assert not wrong


def test_large_marts_lie_in_a_folder_for_each_test_set(spark, lakehouse, path29):
    assert {"fct_case_score", "fct_case_error"} <= set(path29.partitions)
    for mart, columns in path29.partitions.items():
        assert columns == ["test_set"]
        sets = {
            row[0] for row in spark.sql(f"select distinct test_set from kernel29.{mart}").collect()
        }
        (folder,) = lakehouse.glob(f"tables/*/{mart}")
        assert {file.parent.name for file in folder.rglob("*.parquet")} == {
            f"test_set={name}" for name in sets
        }


def test_the_comparison_covers_what_it_is_for(warehouse, lakehouse, path29):
    with duckdb.connect(str(warehouse), read_only=True) as connection:

        def count(query: str) -> int:
            return connection.execute(f"select count(*) {query}").fetchone()[0]

        assert count("from fct_judged_diagnosis where configuration_id like 'drawn%'") >= 10_000
        assert count("from fct_configuration_score where judge_id = 'recorded_panel'") > 0
        assert count("from fct_case_score where is_failure and configuration_id like 'drawn_4%'")
        assert count("from fct_configuration_comparison where caveat like '%budget cap%'") > 0
        assert count(  # ties
            "from fct_configuration_comparison where configuration_a like 'drawn_1/%' "
            "and configuration_b like 'drawn_2/%' and difference = 0"
        )
        assert len(path29.marts) > 10
        assert not [mart for mart in path29.marts if not count(f"from {mart}")]
