"""What Spark has built is served beside the rest of the warehouse; Spark's tables are written here
as it writes them, so that no Java is needed."""

import duckdb
import project
import pytest
from scratch import Scratch, copied

from python_llm import paths
from python_llm.job.serving import lakehouse

SCHEMA = "tables/kernel29.db"


@pytest.fixture
def scratch(built, tmp_path) -> Scratch:
    copied(built[0].warehouse, tmp_path)
    own = Scratch.make(tmp_path)
    return Scratch(
        tmp_path, {**own.environment, "DBT_TARGET_PATH": built[0].environment["DBT_TARGET_PATH"]}
    )


def tables_of(scratch: Scratch, selector: str) -> list[str]:
    manifest = lakehouse.read_manifest(paths.resolve(scratch.environment["DBT_TARGET_PATH"]))
    selectors = paths.project_root() / "selectors.yml"
    nodes = [
        manifest["nodes"][one] for one in lakehouse.path_of_spark(manifest, selectors, selector)
    ]
    return [node["alias"] for node in nodes if node["config"]["materialized"] == "table"]


def written(scratch: Scratch, tables: list[str], **changed: str) -> None:
    """Tables of the warehouse as Spark writes them, partitioned by test set where they have one."""
    with duckdb.connect(str(scratch.warehouse), read_only=True) as connection:
        for table in tables:
            folder = scratch.folder / "lake" / SCHEMA / table
            folder.mkdir(parents=True)
            rows = changed.get(table, f"select * from {table}")
            by = ", partition_by (test_set)" if table == "fct_case_score" else ""
            to = folder if by else folder / "part-00000.parquet"
            connection.execute(f"copy ({rows}) to '{to}' (format parquet{by}, overwrite_or_ignore)")
            (folder / "_SUCCESS").touch()
        noted = scratch.folder / "lake" / SCHEMA / lakehouse.ROWS_WRITTEN
        noted.mkdir(exist_ok=True)
        counts = " union all ".join(
            f"select '{table}' as table_name, count(*) as n_rows "
            f"from read_parquet('{scratch.folder / 'lake' / SCHEMA / table}/**/*.parquet')"
            for table in tables
        )
        connection.execute(f"copy ({counts}) to '{noted}/{tables[0]}.parquet' (format parquet)")


def serve(scratch: Scratch) -> tuple[int, str]:
    arguments = ["lakehouse", "--serve", str(scratch.folder / "lake")]
    done = project.forked(project.kernel29, arguments, scratch.environment)
    return done.returncode, done.stdout


def served(scratch: Scratch, query: str) -> list[tuple]:
    return scratch.rows(query, scratch.folder / "serve" / "kernel29.duckdb")


@pytest.mark.parametrize("selector", [lakehouse.FROM_ANSWERS, lakehouse.FROM_RANKS])
def test_marts_of_spark_are_served_beside_the_others(scratch, selector):
    other = "select * replace (semantic_score - 100 as semantic_score) from fct_case_score"
    written(scratch, tables_of(scratch, selector), fct_case_score=other)
    code, output = serve(scratch)
    assert code == 0, output
    scores = "select count(*), sum(semantic_score) from fct_case_score where is_scored"
    ((n, total),) = scratch.rows(scores)
    assert served(scratch, scores) == [(n, pytest.approx(total - 100 * n))]
    columns = "select column_name, data_type from duckdb_columns() where table_name = "
    for mart in ("fct_case_score", "fct_configuration_comparison", "rpt_leaderboard", "dim_case"):
        assert served(scratch, f"{columns} '{mart}'") == scratch.rows(f"{columns} '{mart}'")
        count = f"select count(*) from {mart}"
        assert served(scratch, count) == scratch.rows(count)


def test_a_view_of_spark_s_tables_is_made_of_them(scratch):
    rows = "select * from int_experiments__configuration_tests where false"
    tables = tables_of(scratch, lakehouse.FROM_RANKS)
    written(scratch, tables, int_experiments__configuration_tests=rows)
    code, output = serve(scratch)
    assert code == 0, output
    assert served(scratch, "from fct_configuration_comparison") == []
    assert scratch.rows("from fct_configuration_comparison limit 1") != []


def test_tables_that_are_missing_or_other_are_refused(scratch):
    first, *tables = tables_of(scratch, lakehouse.FROM_RANKS)
    written(scratch, tables, fct_case_score="select configuration_id, test_set from fct_case_score")
    code, output = serve(scratch)
    assert code == 1
    assert f"has no table {first}: build all of them with `dbt build --target spark`" in output
    written(scratch, [first])
    left = scratch.warehouse.parent / f"{lakehouse.WORK}killed"
    left.mkdir()
    (left / "kernel29.duckdb").touch()
    code, output = serve(scratch)
    assert code == 1
    assert "does not fit the fct_case_score of this project" in output
    assert not (scratch.folder / "serve").exists()
    assert [file.name for file in scratch.warehouse.parent.iterdir() if file.is_dir()] == []


def test_a_table_that_has_lost_a_file_is_refused(scratch):
    written(scratch, tables_of(scratch, lakehouse.FROM_RANKS))
    lost = min((scratch.folder / "lake" / SCHEMA / "fct_case_score").rglob("*.parquet"))
    ((n,),) = duckdb.execute(f"select count(*) from '{lost}'").fetchall()
    lost.unlink()
    ((n_all,),) = scratch.rows("select count(*) from fct_case_score")
    code, output = serve(scratch)
    assert code == 1
    assert f"fct_case_score has {n_all - n:,} rows, and Spark has noted {n_all:,}" in output
    assert not (scratch.folder / "serve").exists()


def test_tables_of_which_nothing_is_noted_are_refused(scratch):
    written(scratch, tables_of(scratch, lakehouse.FROM_RANKS))
    (noted,) = (scratch.folder / "lake" / SCHEMA / lakehouse.ROWS_WRITTEN).iterdir()
    noted.unlink()
    code, output = serve(scratch)
    assert code == 1
    assert "nothing tells whether the tables are whole" in output
