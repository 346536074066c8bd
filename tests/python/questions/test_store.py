"""Imported question sets are listed and deleted."""

import pytest
from click.testing import CliRunner

from python_llm.audit import trail
from python_llm.console.cli import main
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.recorded import import_answers, read_recorded


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets, one of them with the recorded answers of a model."""
    monkeypatch.setenv("KERNEL29_DATA_DIR", str(tmp_path))
    folder = tmp_path / "questions"
    rows = [f"{n},What is {n}?,one,two,three,B" for n in range(1, 7)]
    source = tmp_path / "exam.csv"
    source.write_text("\n".join(["number,question,A,B,C,key", *rows]))
    for name in ("spring", "spring_2"):
        import_questions(source, name, folder, contains_phi=name == "spring")
    answers = tmp_path / "modelo.csv"
    answers.write_text("\n".join(["number,answer", *(f"{n},B" for n in range(1, 7))]))
    for name in ("spring", "spring_2"):
        import_answers([answers], name, folder)
    return folder


def command(*words):
    return CliRunner().invoke(main, ["questions", *words])


def test_imported_sets_are_listed(folder):
    header, _, spring, *_ = command("list").output.splitlines()
    assert header.split()[:2] == ["question", "set"]
    assert spring.split() == ["spring", "6", "6", "1", "True", "exam.csv"]
    for name in ("spring", "spring_2"):
        command("forget", name)
    assert command("list").output == "no rows\n"


def test_a_set_is_deleted_with_its_recorded_answers(folder):
    first, remains = command("forget", "spring").output.splitlines()
    assert first == "spring is deleted; the next build leaves it out."
    assert "the requests and answers stay in the ledger, and every build serves them" in remains
    assert "written for Spark is deleted: kernel29 lakehouse writes it again" in remains
    assert "kernel29 ledger prune --before 2" in remains
    for read in (read_imported, read_recorded):
        assert set(read(folder).column("question_set").to_pylist()) == {"spring_2"}
    assert [event["event"] for event in trail.read().events][-1] == "forget"
    again = command("forget", "spring")
    assert again.exit_code == 1
    assert "no imported question set 'spring'" in again.output
