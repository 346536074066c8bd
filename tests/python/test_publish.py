"""Serving the marts: whole or not at all, described, and never in the way of a reader."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress

import duckdb
import pyarrow.parquet as pq
import pytest
from scratch import Scratch

from python_llm import paths
from python_llm.job.serving import publish as publishing
from python_llm.job.serving.publish import PublishError, publish


def serve(n, serve_dir, *names, comments=(), contents=None, keys=None, **others):
    """Publish tables of n rows by these names, and others by their SQL, from a warehouse."""
    with duckdb.connect() as session:
        rows = session.sql(f"select n as id, ['a', null] as tags from range({n}) as numbers (n)")
        marts = {name: rows for name in names or ("fct_a", "dim_b")}
        marts |= {name: session.sql(query) for name, query in others.items()}
        return publish(session, marts, comments, serve_dir, contents, keys=keys)


def read(serve, query="select count(*) from fct_a"):
    # a process of its own: within one process an open connection hides a swapped file
    code = (
        "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True)"
        ".execute(sys.argv[2]).fetchone()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(serve / "kernel29.duckdb"), query],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_tables_parquet_and_comments_arrive(tmp_path):
    comments = [
        ("fct_a", None, "One row per thing; it's fine."),
        ("fct_a", "id", "Number."),
        ("other", "id", "Not a mart."),
    ]
    published = serve(3, tmp_path, comments=comments).to_pylist()
    assert [(row["mart"], row["n_rows"]) for row in published] == [("fct_a", 3), ("dim_b", 3)]
    assert read(tmp_path) == "3"
    assert (
        read(tmp_path, "select comment from duckdb_tables() where table_name = 'fct_a'")
        == "One row per thing; it's fine."
    )
    assert read(tmp_path, "select max(comment) from duckdb_columns()") == "Number."
    parquet = tmp_path / "parquet" / "fct_a.parquet"
    assert duckdb.sql(f"select tags from '{parquet}'").fetchone() == (["a", None],)


PRIMARY_KEYS = """
    select string_agg(table_name || ':' || array_to_string(constraint_column_names, ','), ' '
                      order by table_name)
    from duckdb_constraints() where constraint_type = 'PRIMARY KEY'
"""


def test_rows_that_their_key_tells_apart_have_a_primary_key(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "KEYED_ROWS", 3)
    serve(
        3,
        tmp_path,
        keys={"fct_a": ("id",), "dim_null": ("id",), "dim_twice": ("id",), "dim_long": ("id",)},
        dim_null="select null::int as id",
        dim_twice="select 1 as id from range(2)",
        dim_long="select range as id from range(4)",
    )
    assert read(tmp_path, PRIMARY_KEYS) == "fct_a:id"
    assert read(tmp_path, "select count(*) from dim_null, dim_twice, dim_long") == "8"


def test_a_new_key_is_served_and_a_kept_table_keeps_its_own(tmp_path):
    contents = {"fct_a": "x", "dim_b": "x"}
    serve(3, tmp_path, contents=contents)
    assert read(tmp_path, PRIMARY_KEYS) == "None"
    keys = {"fct_a": ("id",), "dim_b": ("id",)}
    serve(3, tmp_path, contents=contents, keys=keys)
    serve(3, tmp_path, contents={**contents, "dim_b": "y"}, keys=keys)
    assert read(tmp_path, PRIMARY_KEYS) == "dim_b:id fct_a:id"


def test_parquet_says_what_its_columns_mean(tmp_path):
    comments = [("fct_a", None, "One row per thing; it's fine."), ("fct_a", "id", "Número.")]
    serve(3, tmp_path, comments=comments, keys={"fct_a": ("id",)})
    file = tmp_path / "parquet" / "fct_a.parquet"
    schema = pq.read_schema(file)
    assert schema.field("id").metadata == {b"description": "Número.".encode()}
    assert schema.field("tags").metadata is None
    assert schema.metadata[b"description"] == b"One row per thing; it's fine."
    assert schema.metadata[b"primary_key"] == b"id"
    assert pq.read_table(file).to_pylist()[2] == {"id": 2, "tags": ["a", None]}
    # who reads no Arrow schema finds the table's description as a pair of its own
    pairs = duckdb.sql(f"select key::varchar, value::varchar from parquet_kv_metadata('{file}')")
    assert dict(pairs.fetchall())["primary_key"] == "id"


def test_a_reader_keeps_its_rows_and_the_next_one_sees_the_new(tmp_path):
    serve(3, tmp_path)
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True);"
        "print(c.execute('select count(*) from fct_a').fetchone()[0], flush=True);"
        "sys.stdin.readline();"
        "print(c.execute('select count(*) from fct_a').fetchone()[0], flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "kernel29.duckdb")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout.readline() == "3\n"
        serve(5, tmp_path)
        assert read(tmp_path) == "5"
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "3\n"


@pytest.mark.slow
def test_marts_without_rows_are_not_served(built, tmp_path):
    """dbt build --empty ends well, and readers keep what they had."""
    scratch = Scratch.make(tmp_path)
    for part in ("build", "serve"):
        shutil.copytree(built[0].folder / part, tmp_path / part)
    marts = ("--select", "rpt_leaderboard", "int_quality__publication")
    code, output = scratch.dbt("run", "--empty", "--quiet", *marts)
    assert code == 0, output
    assert scratch.rows("select count(*) from rpt_leaderboard") == [(0,)]
    served = scratch.rows(
        "select count(*) from rpt_leaderboard", tmp_path / "serve/kernel29.duckdb"
    )
    assert served > [(0,)]


def test_nobody_opens_what_is_served_to_write(tmp_path, monkeypatch):
    contents = {"fct_a": "1", "dim_b": "1"}
    files = ("kernel29.duckdb", "parquet/fct_a.parquet", "parquet/dim_b.parquet")
    for rows in (3, 4):  # the second time over what is read-only
        serve(rows, tmp_path, contents=contents | {"fct_a": str(rows)})
        assert [(tmp_path / name).stat().st_mode & 0o222 for name in files] == [0, 0, 0]
        assert read(tmp_path) == str(rows)

    def refused(*_):
        raise PermissionError("this disk has no rights")

    monkeypatch.setattr(publishing.Path, "chmod", refused)
    serve(5, tmp_path, contents=contents | {"fct_a": "5"})
    assert read(tmp_path) == "5"


def test_a_mart_that_is_gone_is_no_longer_served(tmp_path):
    serve(1, tmp_path)
    serve(1, tmp_path, "fct_a")
    assert [file.name for file in (tmp_path / "parquet").iterdir()] == ["fct_a.parquet"]


def test_what_a_killed_build_left_is_cleared_away(tmp_path):
    (tmp_path / ".publishing-dead").mkdir()
    (tmp_path / ".publishing-dead" / "kernel29.duckdb").write_text("half")
    serve(3, tmp_path)
    assert left_as_it_was(tmp_path)


def left_as_it_was(serve):
    current = (serve / paths.CURRENT).resolve()
    names = sorted(str(file.relative_to(current)) for file in current.rglob("*") if file.is_file())
    assert not list(serve.glob(f"{publishing.WORK}*"))
    return names == [
        publishing.OF_PATIENTS,
        "kernel29.duckdb",
        "parquet/dim_b.parquet",
        "parquet/fct_a.parquet",
    ] and (read(serve) == "3")


def test_a_full_disk_leaves_what_was_served(tmp_path, monkeypatch):
    serve(3, tmp_path)

    def no_space(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publishing, "_sync", no_space)
    with pytest.raises(PublishError, match=r"make room on that disk.*No space left"):
        serve(9, tmp_path)
    assert left_as_it_was(tmp_path)


def test_a_mart_that_cannot_be_read_leaves_what_was_served(tmp_path):
    serve(3, tmp_path)

    broken = "select error('the block is gone') as id from range(9) as numbers (n) where n > 0"
    with pytest.raises(PublishError, match=r"unchanged.*the block is gone"):
        serve(9, tmp_path, "fct_a", dim_b=broken)
    assert left_as_it_was(tmp_path)


def test_a_disk_that_takes_no_more(tmp_path):
    """Real writes that the system refuses: no file of the process may grow beyond 2 MB."""
    serve(3, tmp_path / "serve")
    code = (
        "import resource, sys; from pathlib import Path; import duckdb;"
        "from python_llm.job.serving.publish import PublishError, publish;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000));"
        "session = duckdb.connect(sys.argv[1] + '/warehouse.duckdb')\n"
        "session.execute('create table kept as select 29 as number')\n"
        "rows = session.sql('select md5(n::varchar) as id from range(400_000) as numbers (n)')\n"
        "try:\n    publish(session, {'fct_a': rows}, [], Path(sys.argv[1]) / 'serve')\n"
        "except PublishError as error:\n    print(error)\n"
        "print(session.sql('from kept').fetchone())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "make room on that disk" in done.stdout
    assert "(29,)" in done.stdout  # the warehouse is whole
    assert left_as_it_was(tmp_path / "serve")


def stamps(serve):
    current = (serve / paths.CURRENT).resolve()
    return {file.name: file.stat().st_mtime_ns for file in current.rglob("*") if file.is_file()}


def test_only_marts_that_changed_are_written(tmp_path):
    """With digests of what they hold; a comment is part of a mart, and a mart that is gone goes."""
    contents = dict.fromkeys(("fct_a", "dim_b", "dim_c", "dim_d", "dim_e", "dim_f"), "1")
    comments = [("dim_b", "id", "Number.")]
    first = serve(3, tmp_path, *contents, comments=comments, contents=contents)
    before = stamps(tmp_path)
    again = serve(3, tmp_path, *contents, comments=comments, contents=contents)
    assert again.equals(first)
    assert stamps(tmp_path) == before

    comments = [("dim_b", "id", "Number of it.")]
    contents = {**contents, "fct_a": "2", "other": "9"}
    names = ("dim_b", "dim_c", "dim_e", "dim_f")
    published = serve(
        5, tmp_path, *names, comments=comments, contents=contents, fct_a="select 5 as id"
    )
    assert published.column("n_rows").to_pylist() == [5, 3, 3, 3, 1]  # three stay as they were
    after = stamps(tmp_path)
    assert {name for name in after if after[name] == before.get(name)} == {
        f"{name}.parquet" for name in names[1:]
    }
    assert read(tmp_path, "select id from fct_a") == "5"
    assert read(tmp_path, "select max(comment) from duckdb_columns()") == "Number of it."
    assert read(tmp_path, "select count(*) from dim_c") == "3"
    tables = "select string_agg(table_name, ' ' order by table_name) from duckdb_tables()"
    assert read(tmp_path, tables) == "dim_b dim_c dim_e dim_f fct_a"
    assert not (tmp_path / "parquet" / "dim_d.parquet").exists()


@pytest.mark.parametrize("name", ["kernel29.duckdb", "parquet/fct_a.parquet", publishing.NOTE])
@pytest.mark.parametrize("change", ["altered", "gone"])
def test_what_was_touched_in_serve_is_written_again(tmp_path, name, change):
    contents = {"fct_a": "1", "dim_b": "1"}
    serve(3, tmp_path, contents=contents)
    if change == "gone":
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).chmod(0o644)
        (tmp_path / name).write_text("something else")
    serve(3, tmp_path, contents=contents)
    assert left_as_it_was(tmp_path)
    assert duckdb.sql(f"select count(*) from '{tmp_path}/parquet/fct_a.parquet'").fetchone() == (3,)


def test_database_and_parquet_change_with_one_rename(tmp_path, monkeypatch):
    """Whatever is done to the names of serve/, a reader finds one build behind all of them."""
    serve(3, tmp_path)
    seen = []

    def watched(function):
        def and_read(*paths, **options):
            function(*paths, **options)
            files = (f"{tmp_path}/parquet/{name}.parquet" for name in ("fct_a", "dim_b"))
            counts = {duckdb.sql(f"select count(*) from '{file}'").fetchone()[0] for file in files}
            seen.append(counts | {int(read(tmp_path))})

        return and_read

    for name in ("replace", "rename", "symlink"):
        monkeypatch.setattr(publishing.os, name, watched(getattr(os, name)))
    serve(5, tmp_path)
    assert seen[0] == {3}
    assert seen[-1] == {5}
    assert all(len(counts) == 1 for counts in seen)


def test_a_reader_that_resolved_the_folder_reads_one_build(tmp_path):
    """Through as many builds as it likes to take for its files, less one."""
    serve(3, tmp_path, contents={"fct_a": "1", "dim_b": "1"})
    folder = (tmp_path / "parquet").resolve()
    serve(5, tmp_path, contents={"fct_a": "2", "dim_b": "2"})
    for name in ("fct_a", "dim_b"):
        assert duckdb.sql(f"select count(*) from '{folder}/{name}.parquet'").fetchone() == (3,)
    serve(7, tmp_path, contents={"fct_a": "3", "dim_b": "3"})
    assert not folder.exists()


def test_a_kill_once_it_is_served_leaves_its_folder_to_readers(tmp_path, monkeypatch):
    """The next build takes it for the one before, though nothing was noted of it."""
    serve(3, tmp_path, contents={"fct_a": "1", "dim_b": "1"})
    first = (tmp_path / "parquet").resolve()

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(publishing, "_note", killed)
        serve(5, tmp_path, contents={"fct_a": "2", "dim_b": "2"})
    second = (tmp_path / "parquet").resolve()
    assert second != first
    serve(7, tmp_path, contents={"fct_a": "3", "dim_b": "3"})
    assert duckdb.sql(f"select count(*) from '{second}/fct_a.parquet'").fetchone() == (5,)
    assert not first.exists()


def test_a_folder_of_other_patients_goes_at_once(tmp_path):
    serve(3, tmp_path)
    folder = (tmp_path / "parquet").resolve()
    (folder.parent / publishing.OF_PATIENTS).write_text("of others")
    serve(5, tmp_path)
    assert not folder.exists()


def test_a_kill_at_any_step_leaves_one_whole_build(tmp_path, monkeypatch):
    serve(3, tmp_path, contents={"fct_a": "1", "dim_b": "1"})
    for step in range(1, 30):
        calls = 0

        def killed(function, step=step):
            def counted(*paths, **options):
                nonlocal calls
                calls += 1
                if calls == step:
                    raise KeyboardInterrupt
                return function(*paths, **options)

            return counted

        with monkeypatch.context() as patched:
            for name in ("replace", "rename", "symlink", "link", "readlink"):
                patched.setattr(publishing.os, name, killed(getattr(os, name)))
            with suppress(KeyboardInterrupt):
                serve(step + 3, tmp_path, contents=dict.fromkeys(("fct_a", "dim_b"), f"v{step}"))
        database = int(read(tmp_path))
        for name in ("fct_a", "dim_b"):
            file = tmp_path / "parquet" / f"{name}.parquet"
            assert duckdb.sql(f"select count(*) from '{file}'").fetchone() == (database,)
        if calls < step:
            break
    assert database == step + 3


def test_what_an_older_version_served_is_taken_over(tmp_path):
    (tmp_path / "parquet").mkdir()
    (tmp_path / "parquet" / "fct_a.parquet").write_text("of before")
    (tmp_path / "kernel29.duckdb").write_text("of before")
    serve(3, tmp_path)
    assert left_as_it_was(tmp_path)
