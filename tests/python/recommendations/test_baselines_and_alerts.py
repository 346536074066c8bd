"""Baselines are kept, refused and never written over; alerts reach a webhook."""

import datetime as dt
import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pyarrow as pa
import pytest

from python_llm.recommendations.evaluation.alerts import ADDRESS, alert
from python_llm.recommendations.evaluation.baselines import (
    GATE_SCHEMA,
    RESULT_SCHEMA,
    VALUE_SCHEMA,
    BaselineError,
    baseline_means,
    list_baselines,
    promote,
    read_baselines,
    remember_run,
)

VALUE = {
    "tenant_id": "north",
    "recommender": "guideline_rules",
    "configuration": "balanced",
    "condition": "pe",
    "tier": 3,
    "metric_name": "guideline_adherence",
    "case_id": "pe_1/pe_stable",
    "case_version": "v1",
    "value": 1.0,
}
GATE = {
    **{name: VALUE[name] for name in ("tenant_id", "recommender", "condition", "tier")},
    "metric_name": "guideline_adherence",
    "gates": True,
    "status": "same",
    "value_before": 1.0,
    "value_after": 1.0,
    "metric_value": 1.0,
    "floor": None,
    "baseline_id": None,
    "worse_cases": [],
}


@pytest.fixture
def place(tmp_path):
    return {"evaluations": tmp_path / "evaluations", "baselines": tmp_path / "baselines"}


def run(place, second, **gate):
    """Leave a run whose gate says what is given."""
    result = {name: None for name in RESULT_SCHEMA.names}
    result |= {
        "id": f"r{second}",
        "run_id": f"run-{second}",
        "timestamp": dt.datetime(2026, 1, 1, 0, 0, second, tzinfo=dt.UTC),
        "tier": 3,
    }
    return remember_run(
        pa.Table.from_pylist([VALUE], schema=VALUE_SCHEMA),
        pa.Table.from_pylist([{**GATE, **gate}], schema=GATE_SCHEMA),
        pa.Table.from_pylist([result], schema=RESULT_SCHEMA),
        place["evaluations"],
    )


def active(place):
    return list_baselines(place["baselines"])[-1]["baseline_id"]


def test_runs_are_remembered_and_baselines_listed(place):
    assert run(place, 1).num_rows == 1
    assert run(place, 2).num_rows == 2
    assert run(place, 2).num_rows == 2  # the same run again
    (promoted,) = promote("first", "to begin with", **place)
    before = promoted.file.read_bytes()
    run(place, 3, baseline_id=active(place))
    (second,) = promote("second", "better words", **place)
    assert second.baseline_number == 2
    assert promoted.file.read_bytes() == before
    assert [row["baseline_name"] for row in list_baselines(place["baselines"])] == [
        "first",
        "second",
    ]
    assert list_baselines(place["baselines"])[1]["why"] == "better words"
    (row,) = baseline_means(place["baselines"], "first")
    assert (row["value_mean"], row["value_count"]) == (1.0, 1)


def test_a_regression_is_refused_as_a_baseline(place):
    run(place, 1)
    promote("first", "to begin with", **place)
    run(
        place,
        2,
        status="regressed",
        value_after=0.5,
        worse_cases=["pe_1/pe_stable"],
        baseline_id=active(place),
    )
    with pytest.raises(BaselineError) as error:
        promote("second", "it is fine", **place)
    for part in ("north / pe / tier 3 guideline_adherence", "1.000000 -> 0.500000", "pe_1/pe_stab"):
        assert part in str(error.value)
    with pytest.raises(BaselineError):
        promote("second", "it is fine", cases_changed=True, **place)
    assert len(list_baselines(place["baselines"])) == 1


def test_below_its_floor_not_even_the_first_run_is_a_baseline(place):
    run(place, 1, status="below_floor", metric_value=0.75, floor=1.0)
    with pytest.raises(BaselineError, match=r"floor 1\.000000 -> 0\.750000 \(below_floor"):
        promote("first", "to begin with", cases_changed=True, **place)
    assert list_baselines(place["baselines"]) == []


def test_what_does_not_gate_refuses_nothing(place):
    run(place, 1)
    promote("first", "to begin with", **place)
    run(place, 2, gates=False, tier=4, status="regressed", baseline_id=active(place))
    promote("second", "tier 4 is shown only", **place)


def test_changed_cases_are_promoted_only_when_said(place):
    run(place, 1)
    promote("first", "to begin with", **place)
    run(place, 2, status="cases_changed", baseline_id=active(place))
    with pytest.raises(BaselineError, match="--cases-changed"):
        promote("second", "a case was corrected", **place)
    promote("second", "a case was corrected", cases_changed=True, **place)


def test_other_documents_excuse_retrieval_and_nothing_else(place):
    run(place, 1)
    promote("first", "to begin with", **place)
    run(place, 2, tier=2, status="regressed", baseline_id=active(place))
    with pytest.raises(BaselineError, match="--corpus-changed"):
        promote("second", "a passage was added", cases_changed=True, **place)
    promote("second", "a passage was added", corpus_changed=True, **place)
    for tier in (1, 3):
        run(place, 2 + tier, tier=tier, status="regressed", baseline_id=active(place))
        with pytest.raises(BaselineError, match="worse than the baseline"):
            promote("third", "a passage was added", corpus_changed=True, **place)
    run(place, 9, tier=2, status="below_floor", baseline_id=active(place))
    with pytest.raises(BaselineError, match="below their floor"):
        promote("third", "a passage was added", corpus_changed=True, **place)


def test_a_run_compared_with_an_older_baseline_is_refused(place):
    run(place, 1)
    promote("first", "to begin with", **place)
    with pytest.raises(BaselineError, match="not compared with the current baseline"):
        promote("second", "the same run again", **place)
    first = active(place)
    run(place, 2, baseline_id=first)
    promote("second", "better words", **place)
    run(place, 3, baseline_id=first)
    with pytest.raises(BaselineError, match="not compared with the current baseline"):
        promote("third", "compared with the first", **place)
    run(place, 4, baseline_id=active(place))
    (third,) = promote("third", "compared with the second", **place)
    assert third.baseline_number == 3


@pytest.mark.parametrize(
    ("name", "why", "says"),
    [
        ("First!", "x", "lower-case letters"),
        ("first", "  ", "--why"),
        ("../first", "x", "lower-case letters"),
    ],
)
def test_names_and_reasons(place, name, why, says):
    run(place, 1)
    with pytest.raises(BaselineError, match=says):
        promote(name, why, **place)


def test_a_name_is_taken_once_and_a_run_is_needed(place):
    with pytest.raises(BaselineError, match="nightly"):
        promote("first", "x", **place)
    run(place, 1)
    promote("first", "x", **place)
    run(place, 2, baseline_id=active(place))
    with pytest.raises(BaselineError, match="already"):
        promote("first", "x", **place)
    with pytest.raises(BaselineError, match="the known ones: first"):
        baseline_means(place["baselines"], "second")


def test_a_damaged_baseline_is_named(place):
    run(place, 1)
    (promoted,) = promote("first", "x", **place)
    promoted.file.write_bytes(b"no parquet")
    with pytest.raises(BaselineError, match=r"0001-first.parquet"):
        read_baselines(place["baselines"])


@pytest.fixture
def webhook():
    """A webhook on loopback: what it heard, and what it is to answer."""
    heard, answer = [], {"status": 200}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(answer["status"])
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook/s3cret", heard, answer
    server.shutdown()


WORSE = {**GATE, "status": "regressed", "value_after": 0.5, "worse_cases": ["pe_1"]}


def test_a_value_below_its_floor_reaches_the_webhook(webhook, monkeypatch):
    address, heard, _ = webhook
    monkeypatch.setenv(ADDRESS, address)
    low = {**GATE, "status": "below_floor", "metric_value": 0.5, "floor": 1.0}
    assert alert([low], "run-1", "weekly").to_pylist()[0]["status"] == "sent"
    assert "guideline_adherence: floor 1.000000 -> 0.500000 (below_floor" in heard[0]["text"]


def test_a_regression_reaches_the_webhook(webhook, monkeypatch):
    address, heard, _ = webhook
    monkeypatch.setenv(ADDRESS, address)
    (row,) = alert([GATE, WORSE], "run-1", "nightly").to_pylist()
    assert (row["status"], row["n_regressions"]) == ("sent", 1)
    assert "north / pe / tier 3 guideline_adherence: 1.000000 -> 0.500000" in heard[0]["text"]
    assert heard[0]["regressions"][0]["worse_cases"] == ["pe_1"]


@pytest.mark.parametrize(
    ("gate", "run_type", "status"),
    [
        ([GATE], "nightly", "nothing_to_say"),
        ([{**WORSE, "gates": False}], "weekly", "nothing_to_say"),
        ([WORSE], "build", "nothing_to_say"),
    ],
)
def test_silence_where_nothing_gates(webhook, monkeypatch, gate, run_type, status):
    address, heard, _ = webhook
    monkeypatch.setenv(ADDRESS, address)
    assert alert(gate, "run-1", run_type).to_pylist()[0]["status"] == status
    assert heard == []


def test_a_failed_webhook_is_recorded_without_its_address(webhook, monkeypatch):
    address, _, answer = webhook
    answer["status"] = 500
    monkeypatch.setenv(ADDRESS, address)
    (row,) = alert([WORSE], "run-1", "nightly").to_pylist()
    assert (row["status"], row["reason"]) == ("failed", "the webhook answered 500")
    for elsewhere in ("http://127.0.0.1:9/s3cret", "ftp://s3cret", "http://[s3cret"):
        monkeypatch.setenv(ADDRESS, elsewhere)
        (row,) = alert([WORSE], "run-1", "nightly").to_pylist()
        assert row["status"] == "failed"
        assert "s3cret" not in row["reason"]
    monkeypatch.delenv(ADDRESS)
    assert alert([WORSE], "run-1", "nightly").to_pylist()[0]["status"] == "not_configured"


@pytest.fixture
def mail_server():
    """A mail server on loopback without encryption: its address, and the letters it took."""
    letters = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 loopback\r\n")
            lines, is_letter = [], False
            for line in self.rfile:
                if is_letter and line == b".\r\n":
                    letters.append(b"".join(lines).decode())
                    is_letter = False
                    self.wfile.write(b"250 taken\r\n")
                elif is_letter:
                    lines.append(line)
                elif line.upper().startswith(b"DATA"):
                    is_letter = True
                    self.wfile.write(b"354 go on\r\n")
                elif line.upper().startswith(b"QUIT"):
                    self.wfile.write(b"221 bye\r\n")
                    return
                else:
                    self.wfile.write(b"250 ok\r\n")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}", letters
    server.shutdown()
    server.server_close()


def test_a_regression_is_mailed_beside_the_webhook(mail_server, webhook, monkeypatch):
    address, letters = mail_server
    monkeypatch.setenv("KERNEL29_ALERT_EMAIL", "ward@example.org, lead@example.org")
    monkeypatch.setenv("KERNEL29_SMTP_HOST", address)
    monkeypatch.setenv("KERNEL29_SMTP_SECURITY", "none")
    monkeypatch.delenv(ADDRESS, raising=False)
    (row,) = alert([WORSE], "run-1", "nightly").to_pylist()
    assert (row["status"], row["reason"]) == ("sent", "")
    assert "To: ward@example.org, lead@example.org" in letters[0]
    assert "guideline_adherence: 1.000000 -> 0.500000" in letters[0]
    assert "regressions.json" in letters[0]
    # the webhook fails, the letter arrives: sent, and the failure is named
    webhook[2]["status"] = 500
    monkeypatch.setenv(ADDRESS, webhook[0])
    (row,) = alert([WORSE], "run-2", "nightly").to_pylist()
    assert (row["status"], row["reason"], len(letters)) == (
        "sent",
        "the webhook answered 500",
        2,
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "KERNEL29_SMTP_HOST is not"),
        ({"KERNEL29_SMTP_HOST": "127.0.0.1:9"}, "could not be sent"),
        ({"KERNEL29_SMTP_HOST": "h", "KERNEL29_SMTP_SECURITY": "no"}, "neither starttls"),
        (
            {
                "KERNEL29_SMTP_HOST": "h",
                "KERNEL29_SMTP_SECURITY": "none",
                "KERNEL29_SMTP_USER": "u",
                "KERNEL29_SMTP_PASSWORD": "s3cret",
            },
            "without encryption",
        ),
    ],
)
def test_a_password_goes_over_no_open_line_and_into_no_log(monkeypatch, settings, says):
    monkeypatch.delenv(ADDRESS, raising=False)
    monkeypatch.setenv("KERNEL29_ALERT_EMAIL", "ward@example.org")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (row,) = alert([WORSE], "run-1", "nightly").to_pylist()
    assert row["status"] == "failed"
    assert says in row["reason"]
    assert "s3cret" not in row["reason"]


def test_a_server_without_encryption_gets_no_letter(mail_server, monkeypatch):
    """starttls is the default, and a server that does not offer it is refused."""
    address, letters = mail_server
    monkeypatch.delenv(ADDRESS, raising=False)
    monkeypatch.setenv("KERNEL29_ALERT_EMAIL", "ward@example.org")
    monkeypatch.setenv("KERNEL29_SMTP_HOST", address)
    assert alert([WORSE], "run-1", "nightly").to_pylist()[0]["status"] == "failed"
    assert letters == []
