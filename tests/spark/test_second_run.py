"""A second run of the same input gives the same bytes but for their order."""

from conftest import on_spark, path_of


def contents(spark, marts):
    return {
        mart: sorted(repr(row.asDict()) for row in spark.table(f"kernel29.{mart}").collect())
        for mart in marts
    }


def test_another_number_of_partitions_gives_the_same_bytes(
    spark, lakehouse, path29, folder, monkeypatch
):
    """Some tables have fewer rows than there are partitions."""
    scores = path_of(folder, "spark_from_ranks")
    before = contents(spark, scores.marts)
    monkeypatch.setenv("KERNEL29_SPARK_PARTITIONS", "23")
    on_spark(folder, scores.built)
    assert spark.conf.get("spark.sql.shuffle.partitions") == "23"
    after = contents(spark, scores.marts)
    assert min(map(len, after.values())) < 23 < max(map(len, after.values()))
    assert [mart for mart in scores.marts if before[mart] != after[mart]] == []


def test_the_rows_of_every_table_are_noted(spark, lakehouse, path29):
    """Those of the first run stay beside those of the second, which wrote the scores alone."""
    noted = {row.table_name: row.n_rows for row in spark.table("kernel29.rows_written").collect()}
    tables = [node["alias"] for node in path29.nodes if node["config"]["materialized"] == "table"]
    assert noted == {name: spark.table(f"kernel29.{name}").count() for name in tables}
