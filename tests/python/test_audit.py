"""The trail of audit: what is on record, and that a changed record is noticed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from asking import many, request, table
from click.testing import CliRunner
from loopback import Loopback

from python_llm.audit import trail
from python_llm.console.cli import main
from python_llm.engine import EngineError, Settings, answer
from python_llm.errors import UserError
from python_llm.experiments import registries
from python_llm.job.admission import approvals
from python_llm.job.patients.forgetting import forget
from python_llm.test_sets.importing import Choices, import_cases

WORDS = "A woman of 47 with a drooping eyelid that nobody else has"
TABLE = f"id,text,diagnosis\nMRN4471,{WORDS},Gout\nMRN4472,Another text of another one,Asthma\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(tmp_path / "audit"))
    for name in ("DATA", "CASES", "RUNS", "LABELS", "BUILD", "SERVE", "LEDGER"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.delenv("KERNEL29_LEDGER_URL", raising=False)
    return tmp_path / "audit"


def events(kind: str | None = None) -> list[tuple[str, dict]]:
    rows = trail.read().events
    return [(r["subject"], json.loads(r["details"])) for r in rows if kind in (None, r["event"])]


def filled(place, n: int = 30) -> list[bytes]:
    for number in range(n):
        trail.note("import", f"set_{number}", what="cases", file=f"ñ{number}.csv", n_records=number)
    assert trail.read().damage == []
    return (place / trail.TRAIL).read_bytes().splitlines(keepends=True)


# What is on record


def test_an_import_and_a_declaration_are_on_record(place, tmp_path):
    file = tmp_path / "Maria Lopez.csv"
    file.write_text(TABLE)
    folder = tmp_path / "cases"
    import_cases(file, "table", "ward", folder)
    import_cases(file, "table", "ward", folder)  # which changes nothing
    import_cases(file, "table", "free", folder, Choices(contains_phi=False))
    assert [(subject, told["contains_phi"]) for subject, told in events("import")] == [
        ("ward", True),
        ("free", False),
    ]
    [(subject, declared)] = events("declared_free")
    assert (subject, declared["file"]) == ("free", "Maria Lopez.csv")
    of_patients = (place / trail.TRAIL).read_text().splitlines()[0]
    assert "Lopez" not in of_patients
    assert WORDS not in (place / trail.TRAIL).read_text()


def test_who_may_be_sent_what_where_is_on_record_first(place, tmp_path, monkeypatch):
    noted = []
    with Loopback(answer=lambda *_: noted.append(len(events("send"))) or "1. Gout") as server:
        monkeypatch.setenv("TEST_OPENAI_URL", server.openai_url)
        monkeypatch.setenv("TEST_OPENAI_KEY", "sk-test-0123456789")
        settings = Settings(mode="live", ledger_dir=tmp_path / "ledger", run_id="r", progress=False)
        asks = [request("a", contains_phi=True), request("b")]
        answer(table(*asks), settings=settings)
        answer(table(*asks), settings=settings)  # which sends nothing
        port = server.port
    [(alias, told)] = events("send")
    assert noted == [1, 1]
    assert (alias, told["run_id"]) == ("openai_model", "r")
    assert told["address"] == f"http://127.0.0.1:{port}"
    assert (told["n_requests"], told["n_with_patients"]) == (2, 1)


def test_nothing_is_sent_or_imported_that_cannot_be_noted(place, tmp_path, monkeypatch):
    place.parent.mkdir(exist_ok=True)
    place.write_text("a file where the folder would be")
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    with pytest.raises(UserError, match="trail of audit"):
        import_cases(file, "table", "ward", tmp_path / "cases")
    assert list((tmp_path / "cases").rglob("*.parquet")) == []
    with Loopback() as server:
        monkeypatch.setenv("TEST_OPENAI_URL", server.openai_url)
        monkeypatch.setenv("TEST_OPENAI_KEY", "sk-test-0123456789")
        settings = Settings(mode="live", ledger_dir=tmp_path / "ledger", progress=False)
        with pytest.raises(EngineError, match="trail of audit"):
            answer(many(3), settings=settings)
        assert server.total == 0


def test_a_forgotten_patient_is_on_record_without_words(place, tmp_path, monkeypatch):
    from python_llm.engine.ledger.folder import FileLedger
    from python_llm.job.patients import forgetting

    monkeypatch.setattr(forgetting, "folders", lambda: [tmp_path])
    file = tmp_path.parent / f"{tmp_path.name}.csv"
    file.write_text(TABLE)
    import_cases(file, "table", "ward", tmp_path / "cases")
    done = forget(["ward/0001"], FileLedger(tmp_path / "ledger"))
    assert done.remains == []
    assert [subject for subject, _ in events("forget")] == ["ward/0001"]
    assert events("forgotten") == [("ward/0001", {"n_remain": 0})]
    assert trail.read().damage == []


def test_a_changed_approval_is_on_record_once(place, monkeypatch):
    def models(**columns):
        row = {"model_alias": "m", "kind": "llm", "provider": "openai", "api_model": "x"}
        monkeypatch.setattr(registries, "models", lambda: [{**row, "hosts": "a.b", **columns}])
        approvals.note_changes()
        approvals.note_changes()
        return [told for _, told in events("approval")]

    assert models(phi_approved="false") == []
    [given] = models(phi_approved="true", approved_by="Ana", reviewed_by="Luis")
    assert (given["is_approved"], given["approved_by"], given["reviewed_by"]) == (
        True,
        "Ana",
        "Luis",
    )
    assert given["commit"]
    moved = models(phi_approved="true", approved_by="Ana", reviewed_by="Luis", hosts="c.d")
    assert [told["hosts"] for told in moved] == ["a.b", "c.d"]
    taken = models(phi_approved="false", approved_by="Ana", reviewed_by="Luis")
    assert [told["is_approved"] for told in taken] == [True, True, False]


def test_the_account_is_not_what_the_environment_says(place, monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "somebody else")
    trail.note("import", "set")
    assert trail.read().events[0]["user_name"] != "somebody else"


# That a change is noticed


def test_every_changed_byte_is_noticed(place):
    """A flipped bit anywhere in the trail, save in what ends a line."""
    lines = filled(place)
    whole = b"".join(lines)
    drawn = random.Random(29)
    for _ in range(200):
        position = drawn.randrange(len(whole))
        if whole[position : position + 1] == b"\n":
            continue
        changed = bytearray(whole)
        changed[position] ^= 1 << drawn.randrange(8)
        (place / trail.TRAIL).write_bytes(bytes(changed))
        assert trail.read().damage, (position, bytes(changed[position - 20 : position + 20]))


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[:10],
        lambda lines: [],
        lambda lines: lines[1:],
        lambda lines: lines[:7] + lines[8:],
        lambda lines: [*lines[:7], lines[8], lines[7], *lines[9:]],
        lambda lines: [*lines[:7], lines[3], *lines[7:]],
        lambda lines: [*lines[:-1], b"not an event\n"],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [line.replace(b'"set_4"', b'"set_5"') for line in lines],
    ],
)
def test_what_is_cut_removed_or_inserted_is_noticed(change, place):
    lines = filled(place)
    (place / trail.TRAIL).write_bytes(b"".join(change(lines)))
    assert trail.read().damage
    assert CliRunner().invoke(main, ["audit"]).exit_code == 1
    trail.note("import", "later")  # which does not heal it
    assert trail.read().damage


def test_a_trail_written_anew_is_told_by_a_hash_of_before(place):
    filled(place)
    noted = trail.read().events[-1]["event_hash"]
    assert CliRunner().invoke(main, ["audit", "--contains", noted]).exit_code == 0
    for file in (trail.TRAIL, trail.HEAD):
        (place / file).unlink()
    filled(place, 31)
    assert trail.read().damage == []
    refused = CliRunner().invoke(main, ["audit", "--contains", noted])
    assert refused.exit_code == 1
    assert "written anew" in refused.output


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"{}", b'{"number": 1}\n' * 9])
def test_no_content_of_the_files_is_a_traceback(content, place):
    place.mkdir(parents=True)
    for file in (trail.TRAIL, trail.HEAD):
        (place / file).write_bytes(content)
    trail.read()
    trail.note("import", "set")
    assert trail.table("event").num_rows >= 1


def test_a_torn_line_is_passed_over(place):
    filled(place, 3)
    with (place / trail.TRAIL).open("ab") as file:
        file.write(b'{"number": 4, "at": "20')
    trail.note("import", "after")
    assert (trail.read().damage, len(events())) == ([], 4)


def test_many_processes_and_a_kill_leave_one_chain(place):
    code = "from python_llm.audit import trail\nwhile True: trail.note('import', 'set')"
    writers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda _: trail.note("import", "own"), range(20)))
    deadline = time.monotonic() + 60
    while len(trail.read().events) < 60 and time.monotonic() < deadline:
        time.sleep(0.05)
    for writer in writers:
        writer.kill()
        writer.wait()
    trail.note("import", "last")
    after = trail.read()
    assert after.damage == []
    assert len(after.events) > 60
    assert all(event["is_chained"] for event in after.events)
