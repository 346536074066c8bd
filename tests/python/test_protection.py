"""What the project keeps is its owner's, and leads nowhere else."""

import grp
import os

import click
import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.job.admission import preflight, protection
from python_llm.job.admission.protection import ProtectionError, protect


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folders of a project, open to everybody as an older version has left them."""
    monkeypatch.delenv(protection.GROUP, raising=False)
    for name in ("data", "cases", "runs", "labels", "terminology", "ledger", "build", "serve"):
        folder = tmp_path / name
        folder.mkdir()
        folder.chmod(0o777)
        monkeypatch.setenv(f"KERNEL29_{name.upper()}_DIR", str(folder))
    return tmp_path


def modes(folder):
    return {oct(path.stat().st_mode & 0o7777) for path in folder.iterdir()}


def test_folders_are_closed_before_a_build(kept):
    preflight.check_warehouse(kept / "build" / "kernel29.duckdb")
    assert {oct(path.stat().st_mode & 0o777) for path in kept.iterdir()} == {"0o700"}


def test_a_group_that_was_named_may_read(kept, monkeypatch):
    monkeypatch.setenv(protection.GROUP, grp.getgrgid(os.getegid()).gr_name)
    protect(protection.folders())
    assert modes(kept) == {"0o2750"}
    with protection.made_private():
        (kept / "data" / "new").touch()
    assert (kept / "data" / "new").stat().st_mode & 0o777 == 0o640


def test_a_group_that_is_none_is_told(kept, monkeypatch):
    monkeypatch.setenv(protection.GROUP, "no-such-group")
    with pytest.raises(ProtectionError, match="KERNEL29_GROUP=no-such-group is no group"):
        protect(protection.folders())
    assert modes(kept) == {"0o777"}


def test_what_commands_make_is_for_the_owner(kept, monkeypatch):
    file = kept / "data" / "made"
    monkeypatch.setitem(main.commands, "make", click.Command("make", callback=file.touch))
    before = os.umask(0o022)
    os.umask(before)
    CliRunner().invoke(main, ["make"])
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.umask(before) == before


@pytest.mark.parametrize("name", ["ledger/segments", "data/cases/a.parquet", "serve/report.html"])
def test_a_link_is_refused_in_one_sentence(kept, name):
    link = kept / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("/somewhere/else")
    with pytest.raises(ProtectionError, match=rf"{name} is a link to /somewhere/else.*remove it"):
        preflight.check_warehouse(kept / "build" / "kernel29.duckdb")
    assert not (kept / "build" / "kernel29.duckdb").exists()


def test_an_import_writes_through_no_link(kept, tmp_path):
    (kept / "data").mkdir(exist_ok=True)
    (kept / "data" / "audit").symlink_to(tmp_path)
    (tmp_path / "ward.csv").write_text("text,diagnosis\nA note of today.,Gout\n")
    done = CliRunner().invoke(main, ["cases", "import", str(tmp_path / "ward.csv")])
    assert done.exit_code == 1
    assert "is a link to" in done.output


def test_the_links_of_served_tables_are_ours(kept):
    (kept / "serve" / ".current").symlink_to(".served-1")
    (kept / "serve" / "parquet").symlink_to(".current/parquet")
    protect(protection.folders())
    (kept / "serve" / "kernel29.duckdb").symlink_to(".served-1/../../elsewhere")
    with pytest.raises(ProtectionError, match="is a link to"):
        protect(protection.folders())
