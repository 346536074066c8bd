"""The words of a request are on record before it is sent, and stay there beside its answer."""

from __future__ import annotations

import os
import shutil

import pytest
from asking import many, request, table
from click.testing import CliRunner
from loopback import Fault, user_text

from python_llm.console.cli import main
from python_llm.engine import answer, attempts, requests_sent
from python_llm.engine.ledger import open_ledger
from python_llm.engine.ledger.contract import PERSONAL
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.schema import RECORD_SCHEMA


@pytest.fixture(params=["folder", "team"])
def ledger_dir(request, live):
    """The ledger's folder, with the ledger in it or in a database."""
    if request.param == "team":
        request.getfixturevalue("team")
    return live().ledger_dir


def words(folder) -> dict[str, dict]:
    table = requests_sent(folder)
    assert table.schema == RECORD_SCHEMA
    assert len(set(table.column("request_key").to_pylist())) == len(table)
    return {row["user_text"]: row for row in table.to_pylist()}


@pytest.mark.usefixtures("quick_retries")
def test_what_was_sent_is_on_record_and_nothing_else(ledger_dir, serve, live):
    server = serve(faults=lambda seen: Fault("server_error") if seen.nth == 1 else None)
    rows = [request(f"case {n}") for n in range(4)]
    rows[1]["response_schema"] = '{"type": "object"}'
    unsent = [
        request("not selected", is_selected=False),
        request("policy", is_blocked_by_policy=True),
        request("unpriced", input_usd_per_mtok=None),
    ]

    answer(table(*rows, *unsent), settings=live(domain="experiments", task="generation"))

    assert server.total == 8
    known = words(ledger_dir)
    assert set(known) == {"case 0", "case 1", "case 2", "case 3"}
    for row in rows:
        record = known[row["user_text"]]
        same = ["request_key", "system_text", "parameters", "response_schema", "repeat_number"]
        assert [record[name] for name in same] == [row[name] for name in same]
        assert (record["domain"], record["task"]) == ("experiments", "generation")
        assert not record["contains_phi"]
        first = min(
            one["started_at"]
            for one in attempts(ledger_dir).to_pylist()
            if one["request_key"] == row["request_key"]
        )
        assert record["first_seen_at"] <= first


def test_what_is_over_the_cap_is_not_on_record(serve, live):
    serve()
    answer(many(3), settings=live(max_usd=0))
    assert words(live().ledger_dir) == {}
    assert not list(live().ledger_dir.glob("requests/*/*"))


def test_a_task_of_its_own_for_each_request(ledger_dir, serve, live):
    serve()
    asks = table({**request("a"), "task": "reading"}, request("b"))
    answer(asks.to_reader(), settings=live(domain="phenotyping", task="other"))
    assert {text: row["task"] for text, row in words(ledger_dir).items()} == {
        "a": "reading",
        "b": "other",
    }


def test_a_batch_has_its_words_before_it_has_answers(serve, live):
    serve()
    asks = many(3, accepts_batch=True)
    answer(asks, settings=live(execution="batch", domain="experiments", task="generation"))
    assert len(attempts(live().ledger_dir)) == 0
    assert set(words(live().ledger_dir)) == {"case 0", "case 1", "case 2"}


@pytest.mark.parametrize("mode", ["off", "replay", "live"])
def test_an_older_ledger_is_completed_by_who_asks_the_same(mode, ledger_dir, serve, live):
    serve()
    answer(many(3), settings=live())
    _forget(ledger_dir)
    assert words(ledger_dir) == {}
    asks = table(*(request(f"case {n}") for n in (1, 2)), request("never sent", is_selected=False))

    answer(asks.to_reader(), settings=live(mode=mode, domain="experiments", task="generation"))

    known = words(ledger_dir)
    assert set(known) == {"case 1", "case 2"}
    assert {row["task"] for row in known.values()} == {"generation"}
    if not os.environ.get("KERNEL29_LEDGER_URL"):
        before = sorted(ledger_dir.rglob("*.parquet"))
        answer(asks, settings=live(mode=mode))
        assert sorted(ledger_dir.rglob("*.parquet")) == before


def test_no_attempt_no_ledger(serve, live):
    answer(many(3), settings=live(mode="replay"))
    assert not live().ledger_dir.exists()


def test_a_ledger_that_cannot_be_written_can_be_read(serve, live, monkeypatch):
    serve()
    answer(many(2), settings=live())
    _forget(live().ledger_dir)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    shown = answer(many(2), settings=live(mode="off"))
    assert shown.column("status").to_pylist() == ["ok", "ok"]
    assert words(live().ledger_dir) == {}


def test_a_torn_last_line_loses_its_request_only(serve, live):
    serve()
    answer(many(2), settings=live())
    folder = live().ledger_dir / "requests" / "segments"
    known = requests_sent(live().ledger_dir).to_pylist()
    FileLedger(live().ledger_dir).words.add([{**known[0], "request_key": "new"}])
    [segment] = folder.glob("*.jsonl")
    with segment.open("ab") as file:
        file.write(b'{"request_key": "torn')
    assert len(words(live().ledger_dir)) == 2
    assert FileLedger(live().ledger_dir).verify().damage == []
    with segment.open("ab") as file:
        file.write(b"\n")
    damage = FileLedger(live().ledger_dir).verify().damage
    assert [f"line 3 of {segment}" in sentence for sentence in damage] == [True]


def test_a_patient_stays_on_this_machine(ledger_dir, serve, live):
    serve()
    answer(
        table(request("of a patient", contains_phi=True), request("made up", contains_phi=False)),
        settings=live(),
    )
    known = {row["contains_phi"]: row for row in words(ledger_dir).values()}
    assert known[False]["user_text"] == "made up"
    is_local = open_ledger(ledger_dir).is_local
    assert known[True]["user_text"] == ("of a patient" if is_local else None)
    assert known[True]["text_withheld"] == (None if is_local else PERSONAL)


def test_what_is_said_to_be_personal_later_is_personal(ledger_dir, serve, live):
    serve()
    answer(table(request("a"), request("b")), settings=live())
    answer(table(request("a", contains_phi=True)), settings=live(mode="off"))
    answer(table(request("a", contains_phi=False)), settings=live(mode="off"))
    known = {row["request_key"]: row["contains_phi"] for row in words(ledger_dir).values()}
    assert known == {request("a")["request_key"]: True, request("b")["request_key"]: False}


@pytest.mark.parametrize("is_older_ledger", [False, True])
def test_what_two_sets_ask_is_personal_if_one_is(is_older_ledger, serve, live):
    serve()
    both = table(request("a note"), request("a note", contains_phi=True))
    answer(both, settings=live())
    if is_older_ledger:
        shutil.rmtree(live().ledger_dir / "requests")
        answer(both, settings=live())
    assert words(live().ledger_dir)["a note"]["contains_phi"]


def test_words_go_with_the_last_attempt(ledger_dir, serve, live, monkeypatch):
    monkeypatch.setenv("KERNEL29_LEDGER_DIR", str(ledger_dir))
    serve(faults=lambda seen: Fault("bad_gateway") if user_text(seen.payload) == "case 1" else None)
    answer(many(3), settings=live(max_attempts=1))
    assert len(words(ledger_dir)) == 3
    prune = ["ledger", "prune", "--before", "2999-01-01"]
    CliRunner().invoke(main, [*prune, "--yes"])
    left = set(attempts(ledger_dir).column("request_key").to_pylist())
    assert len(left) == 2
    assert {row["request_key"] for row in words(ledger_dir).values()} == left
    CliRunner().invoke(main, [*prune, "--answers", "--yes"])
    assert words(ledger_dir) == {}


def test_a_folder_is_shared_with_its_words(team, serve, live, monkeypatch):
    serve()
    with monkeypatch.context() as patch:
        patch.delenv("KERNEL29_LEDGER_URL")
        answer(table(request("a"), request("b", contains_phi=True)), settings=live())
        ours = requests_sent(live().ledger_dir).to_pylist()
    shared = CliRunner().invoke(main, ["ledger", "share", str(live().ledger_dir)])
    assert shared.exit_code == 0, shared.output
    theirs = requests_sent("nowhere").to_pylist()
    assert {row["request_key"] for row in theirs} == {row["request_key"] for row in ours}
    assert {row["user_text"] for row in theirs} == {"a", None}


def _forget(folder) -> None:
    """Make it a ledger from before words were kept."""
    if os.environ.get("KERNEL29_LEDGER_URL"):
        import sqlalchemy as sa

        with open_ledger(folder).connected() as connection:
            connection.execute(sa.text("drop table kernel29_request"))
    else:
        shutil.rmtree(folder / "requests")
