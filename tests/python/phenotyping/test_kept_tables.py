"""What of a work-up no patient changes is kept, and read while it is made of the same."""

import duckdb
import pytest

from python_llm.phenotyping import kept_tables
from python_llm.phenotyping.kept_tables import KeptTables


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A connection to a served database with its kept tables, made of one seed."""
    monkeypatch.setenv("KERNEL29_BUILD_DIR", str(tmp_path / "build"))
    served, seed = tmp_path / "served.duckdb", tmp_path / "seed.csv"
    with duckdb.connect(str(served)) as connection:
        connection.execute("create table dim_term as select 1 as n")
    seed.write_text("a\n1\n")
    connections = []

    def connect(served=served):
        connection = duckdb.connect()
        connections.append(connection)
        if served:
            connection.execute(f"attach '{served}' as served (read_only)")
        return connection, KeptTables(connection, [seed])

    yield connect, seed
    for connection in connections:
        connection.close()


def kept_files(folder):
    return sorted((folder / "build" / "lexicons").glob("tables-*"))


def test_a_kept_table_is_read_by_the_next(opened, tmp_path):
    connect, _ = opened
    connection, kept = connect()
    assert kept.names == set()
    connection.execute("create table seed as select 7 as n")
    kept.keep(["seed"])
    connection, kept = connect()
    assert kept.names == {"seed"}
    assert connection.sql("from kept.seed").fetchall() == [(7,)]
    connection.execute("create table more as select 8 as n")
    kept.keep(["more"])
    connection, kept = connect()
    assert kept.names == {"seed", "more"}
    assert connection.sql("from kept.seed, kept.more").fetchall() == [(7, 8)]
    assert len(kept_files(tmp_path)) == 1


def test_nothing_is_read_once_a_file_has_changed(opened):
    connect, seed = opened
    connection, kept = connect()
    connection.execute("create table seed as select 7 as n")
    kept.keep(["seed"])
    seed.write_text("a\n12\n")
    assert connect()[1].names == set()


def test_a_damaged_file_is_written_anew(opened, tmp_path):
    connect, _ = opened
    connection, kept = connect()
    connection.execute("create table seed as select 7 as n")
    kept.keep(["seed"])
    connection.close()
    kept_files(tmp_path)[0].write_bytes(b"no database")
    connection, kept = connect()
    assert kept.names == set()
    connection.execute("create table seed as select 7 as n")
    kept.keep(["seed"])
    assert connect()[1].names == {"seed"}


def test_few_files_are_kept(opened, tmp_path):
    connect, seed = opened
    for number in range(kept_tables.N_FILES + 2):
        seed.write_text("a" * number)
        connection, kept = connect()
        connection.execute("create table seed as select 7 as n")
        kept.keep(["seed"])
    assert len(kept_files(tmp_path)) == kept_tables.N_FILES
    assert connect()[1].names == {"seed"}


def test_nothing_is_kept_where_nothing_is_served(opened, tmp_path):
    connection, kept = opened[0](served=None)
    connection.execute("create table seed as select 7 as n")
    kept.keep(["seed"])
    assert kept_files(tmp_path) == []
