"""What the command line says of what the machine refuses: a full disk, an address, a busy file."""

import errno
import subprocess
import sys

import duckdb
import pytest
from click.testing import CliRunner

from python_llm.console.cli import STOPPED, main
from python_llm.job.serving import lakehouse


def failing(error):
    def fail(*_):
        raise error

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_says_what_is_whole(monkeypatch, tmp_path, number):
    monkeypatch.setattr(lakehouse, "export", failing(OSError(number, "Error writing bytes.")))
    done = CliRunner().invoke(main, ["lakehouse", str(tmp_path)])
    assert done.exit_code == 1
    assert "Error writing bytes. The disk is full or the file too large" in done.output
    assert "what was stored before is whole. Make room, and run the same command" in done.output


def test_a_path_is_said_as_it_is(monkeypatch, tmp_path):
    error = FileExistsError(errno.EEXIST, "File exists", "../elsewhere/inputs")
    monkeypatch.setattr(lakehouse, "export", failing(error))
    done = CliRunner().invoke(main, ["lakehouse", str(tmp_path)])
    assert done.output == "Error: ../elsewhere/inputs: File exists.\n"


@pytest.mark.parametrize("option", [[], ["--serve"]])
def test_an_address_is_no_folder_of_spark_s(option):
    done = CliRunner().invoke(main, ["lakehouse", "s3://bucket/tables", *option])
    assert done.exit_code == 1
    assert (
        "s3://bucket/tables is an address, and this command reads and writes a folder"
        in done.output
    )


def test_spark_s_folder_is_that_of_the_project(monkeypatch, tmp_path):
    """Whatever folder the command is called from; one that is named is where it says."""
    folders = []
    monkeypatch.setattr(lakehouse, "DEFAULT", "lakehouse")  # that of a test is another
    monkeypatch.setattr(lakehouse, "export", lambda path: folders.append(path) or {})
    (tmp_path / "python_llm").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "dbt_project.yml").touch()
    monkeypatch.chdir(tmp_path / "docs")
    for variable in (None, "spark_tables", str(tmp_path / "away")):
        monkeypatch.delenv("KERNEL29_LAKEHOUSE", raising=False)
        if variable:
            monkeypatch.setenv("KERNEL29_LAKEHOUSE", variable)
        assert CliRunner().invoke(main, ["lakehouse"]).exit_code == 0
    assert folders == [tmp_path / name for name in ("lakehouse", "spark_tables", "away")]
    assert CliRunner().invoke(main, ["lakehouse", "here"]).exit_code == 0
    assert str(folders[-1]) == "here"
    monkeypatch.setenv("KERNEL29_LAKEHOUSE", "s3://bucket/tables")
    assert "is an address" in CliRunner().invoke(main, ["lakehouse"]).output


def test_spark_s_tables_are_not_written_while_a_build_runs(monkeypatch, tmp_path):
    warehouse = tmp_path / "kernel29.duckdb"
    duckdb.connect(str(warehouse)).close()

    def refuse(path):
        raise lakehouse.UserError(f"{path} is in use")

    monkeypatch.setattr(lakehouse.preflight, "check_warehouse", refuse)
    with pytest.raises(lakehouse.UserError, match="is in use"):
        lakehouse.write_inputs(warehouse, tmp_path / "lakehouse", ["dim_case"])
    assert not (tmp_path / "lakehouse").exists()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_a_signal_is_one_sentence_wherever_it_comes(monkeypatch, tmp_path, stop):
    def export(_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:  # as DuckDB tells of it
            raise stop("Query interrupted") from error

    monkeypatch.setattr(lakehouse, "export", export)
    done = CliRunner().invoke(main, ["lakehouse", str(tmp_path)])
    assert (done.exit_code, done.output) == (130, STOPPED + "\n")


def test_other_errors_are_raised_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(lakehouse, "export", failing(RuntimeError("a mistake of ours")))
    done = CliRunner().invoke(main, ["lakehouse", str(tmp_path)])
    assert str(done.exception) == "a mistake of ours"


def test_a_command_begins_without_what_it_may_not_need():
    script = (
        "import sys; import python_llm.console.cli, python_llm.job.admission.protection; "
        "print(*sorted({'aiohttp', 'duckdb', 'numpy', 'pandas', 'pyarrow', 'pydantic'} "
        "& sys.modules.keys()))"
    )
    begun = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (begun.stdout, begun.stderr) == ("\n", "")


def test_who_reads_the_registry_needs_no_http_client():
    script = "import sys; import python_llm.providers; print('aiohttp' in sys.modules)"
    begun = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert begun.stdout == "False\n"
