"""Nothing that is printed makes a terminal do anything."""

import io
import json

import click
import duckdb
import pytest
from click.testing import CliRunner

from python_llm.console import terminal
from python_llm.console.cli import main
from python_llm.console.printing import _Plain, plain

EVIL = "a\x1b]0;owned\x07b\x9b2Jc\rd\u202ee\u2066f\x7f"
OBEYED = set("\x1b\x07\x9b\r\u202e\u2066\x7f")


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as database:
        database.execute("create table texts as select ? as text", [EVIL])
    return tmp_path / "kernel29.duckdb"


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_query_prints_no_control_characters(flags):
    done = CliRunner().invoke(main, ["query", "from texts", *flags])
    assert done.exit_code == 0
    assert not OBEYED & set(done.output)
    assert "owned" in done.output
    if flags:
        assert json.loads(done.output) == [{"text": EVIL}]


@pytest.mark.usefixtures("served")
def test_an_error_prints_none_either():
    done = CliRunner().invoke(main, ["query", f"select error('{EVIL}')"])
    assert done.exit_code == 1
    assert "owned" in done.output
    assert not OBEYED & set(done.output)


def test_what_is_text_stays_as_it_is():
    text = "Fièvre\n\t患者 🫀 — ñ مرض\n"
    assert plain(text) == text
    assert plain("a\r\nb") == "a\nb"
    assert plain("\U000e0041") == "\\udb40\\udc41"


def test_bars_may_move_and_nothing_else_may():
    stream = io.StringIO()
    errors = _Plain(stream, has_bars=True)
    for text in ("\r", "\n\n", "\x1b[A\x1b[A", "\rmodel: 3 of 5", "\r\x1b[2Jx", "\x1b[A evil"):
        errors.write(text)
    assert stream.getvalue() == ("\r\n\n\x1b[A\x1b[A\rmodel: 3 of 5\r\\u001b[2Jx\\u001b[A evil")


def test_every_command_prints_through_it(monkeypatch):
    monkeypatch.setitem(main.commands, "evil", click.Command("evil", callback=lambda: print(EVIL)))
    assert not OBEYED & set(CliRunner().invoke(main, ["evil"]).output)


def test_a_query_reads_no_other_file(served, tmp_path):
    (tmp_path / "key.csv").write_text("secret\n")
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    for sql in (
        f"from '{tmp_path}/key.csv'",
        f"select * from read_text('{tmp_path}/key.csv')",
        f"attach '{other}' as other",
        f"copy texts to '{tmp_path}/out.csv'",
        "set enable_external_access = true",
    ):
        with pytest.raises(terminal.LookupFailed):
            terminal.query(served, sql)
    assert terminal.query(served, "select 1 as one") == [{"one": 1}]
    assert not (tmp_path / "out.csv").exists()
