"""How old what is read from outside is."""

import datetime as dt
import os
import re

import duckdb
import project
import pytest

from python_llm.job import freshness

NAMES = [*freshness.FOLDERS, *freshness.OF_DATA]


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Empty folders of a user."""
    for name in (*(variable for variable, _ in freshness.FOLDERS.values()), "KERNEL29_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_the_newest_file_at_any_depth_counts(name, folders):
    folder = freshness.folder_of(name)
    assert str(folder).startswith(str(folders))
    (folder / "deep").mkdir(parents=True)
    for file, day in ((folder / "new.parquet", 3), (folder / "deep" / "old.parquet", 1)):
        file.touch()
        os.utime(file, (dt.datetime(2026, 1, day, tzinfo=dt.UTC).timestamp(),) * 2)
    (folder / ".lock").touch()
    with duckdb.connect() as connection:
        freshness.register(connection)
        newest = connection.execute("select newest_file(?)", [name]).fetchone()
    assert newest == (dt.datetime(2026, 1, 3),)


def test_where_nothing_was_imported_nothing_is_old(folders):
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    assert freshness.newest_file("cases") >= now


@pytest.mark.slow
def test_every_source_says_how_old_it_may_be():
    sources = project.manifest()["sources"].values()
    for source in sources:
        query = source["config"]["loaded_at_query"] or ""
        asked = re.fullmatch(r"select newest_file\('(\w+)'\)", query)
        assert asked, source["unique_id"]
        assert freshness.folder_of(asked[1])
        assert source["freshness"]["warn_after"]["count"]
    assert {source["source_name"] for source in sources} >= {"ledger", "case_import", "run_import"}
