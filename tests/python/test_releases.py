"""What earlier releases have written is read by this one, as it was.

tests/python/releases has a folder per release with the data, ledger and experiments that it wrote:
two invented cases, two recorded answers, two labels, four attempts, and since 0.2.0 the trail of
audit. A release adds its own by helpers/release_files.py.
"""

import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from python_llm.audit import trail
from python_llm.console.cli import main
from python_llm.engine.ledger.folder import FileLedger
from python_llm.experiments import registries
from python_llm.job.projects import layout
from python_llm.labels import store as labels
from python_llm.runs import store as runs
from python_llm.test_sets import store as cases

RELEASES = sorted(Path(__file__).with_name("releases").iterdir())


@pytest.fixture(params=RELEASES, ids=lambda folder: folder.name)
def project(request, tmp_path):
    """A project of this release with what the earlier one left, as `kernel29 init --from` does."""
    previous = tmp_path / "previous"
    shutil.copytree(request.param, previous)
    (previous / "dbt_project.yml").write_text("name: kernel29\n")
    (project := tmp_path / "project").mkdir()
    layout.init(project, layout.Release("now", {}), previous)
    return project


def test_imported_cases_are_read(project):
    rows = cases.read_records(project / "data/cases").to_pylist()
    assert [row["record_id"] for row in rows] == ["1", "2"]
    assert {row["test_set"] for row in rows} == {"invented"}
    assert rows[0]["narrative"].startswith("A 34-year-old woman has had fluctuating drooping")
    assert [row["gold_names"] for row in rows] == [["Myasthenia gravis"], ["Marfan syndrome"]]


def test_recorded_answers_are_read(project):
    rows = runs.read(project / "data/runs", "answers").to_pylist()
    assert {row["configuration_id"] for row in rows} == {"gpt4/mine/invented"}
    assert rows[1]["answer_text"] == "1. Homocystinuria 2. Marfan syndrome"


def test_labels_are_read(project):
    rows = labels.read(project / "data/labels", "labels").to_pylist()
    assert {(row["diagnosis"], row["rater"]) for row in rows} == {
        ("Myasthenia gravis", "anna"),
        ("Homocystinuria", "anna"),
    }


def test_the_trail_of_audit_is_read_and_whole(project):
    """0.1.0 had none, which is no damage."""
    read = trail.read(project / "data" / "audit")
    assert read.damage == []
    subjects = [row["subject"] for row in read.events if row["event"] == "import"]
    assert subjects in ([], ["invented", "gpt4/mine/invented", "panel"])
    assert bool(subjects) == (project / "data" / "audit").exists()


def test_no_attempt_of_the_ledger_is_lost_or_paid_for_again(project):
    ledger = FileLedger(project / "ledger")
    stored = (row for batch in ledger.rows() for row in batch.to_pylist())
    rows = {row["request_key"]: row for row in stored}
    assert {key: row["status"] for key, row in rows.items()} == {
        "request-1": "ok",
        "request-2": "refused",
        "request-3": "ok",
        "request-4": "timeout",
    }
    assert rows["request-3"]["answer_text"] == "1. Myasthenia gravis\n2. ¿Línea 3?"
    assert sum(row["charged_usd"] for row in rows.values()) == Decimal("0.000492")
    verified = CliRunner().invoke(
        main, ["ledger", "verify"], env={"KERNEL29_LEDGER_DIR": str(project / "ledger")}
    )
    assert verified.exit_code == 0, verified.output


def test_experiments_are_understood(project, monkeypatch):
    monkeypatch.setenv("KERNEL29_EXPERIMENTS_DIR", str(project / "experiments"))
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(project / "data/cases"))
    experiments, mistakes = registries.all_experiments()
    assert (len(experiments), mistakes) == (1, [])
