"""Whatever happens to the bytes of a ledger, it is noticed, told, and costs no more than it hit."""

from __future__ import annotations

import json
import os
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asking import many, request, table
from click.testing import CliRunner
from loopback import Fault, always

from python_llm.audit.secrets import Redactor
from python_llm.console.cli import main
from python_llm.engine import answer, attempts, bounds
from python_llm.engine.asking import scrubbed
from python_llm.engine.ledger import contract, lines, segments
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.schema import LEDGER_SCHEMA
from python_llm.providers import Outcome, Status, http

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def attempt(number: int, **columns) -> dict:
    return {
        "attempt_id": f"attempt-{number}",
        "run_id": "run",
        "session_id": "session",
        "request_key": f"{number:064x}",
        "attempt_number": 1,
        "model_alias": "gpt4o",
        "provider": "openai",
        "api_model": "gpt",
        "status": "ok",
        "answer_text": f"The patient has {number}.",
        "started_at": NOON,
        "ended_at": NOON,
        **columns,
    }


def segment_of(folder: Path, rows: list[dict], *, is_closed: bool = True) -> Path:
    path = folder / "segments" / "a.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    end = [lines.closing_line(len(rows))] if is_closed else []
    path.write_bytes(b"".join([*map(segments.line_of, rows), *end]))
    return path


def part_of(folder: Path, n_rows: int) -> Path:
    segment_of(folder, [attempt(n) for n in range(n_rows)])
    (folder / "parts").mkdir(exist_ok=True)
    FileLedger(folder).compact()
    [part] = (folder / "parts").glob("*.parquet")
    return part


def contents(folder: Path) -> list[dict]:
    return FileLedger(folder, notify=lambda _: None).attempts().to_pylist()


def flipped(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def test_a_flipped_bit_of_a_segment_is_noticed(tmp_path):
    path = segment_of(tmp_path, [attempt(n) for n in range(4)])
    whole, true, draw = path.read_bytes(), contents(tmp_path), random.Random(1)
    for _ in range(400):
        path.write_bytes(flipped(whole, draw))
        assert FileLedger(tmp_path).verify().damage
        left = contents(tmp_path)
        assert len(left) >= 2
        assert all(row in true for row in left)


def test_a_flipped_bit_of_a_part_is_noticed(tmp_path):
    part = part_of(tmp_path, 40)
    whole, draw = part.read_bytes(), random.Random(2)
    for _ in range(100):
        part.write_bytes(flipped(whole, draw))
        [sentence] = FileLedger(tmp_path).verify().damage
        assert str(part) in sentence
        assert contents(tmp_path) == []
    part.write_bytes(whole)
    assert FileLedger(tmp_path).verify().damage == []
    assert len(contents(tmp_path)) == 40


def test_a_part_from_before_never_stops_a_reader(tmp_path):
    """It has no checksum: what can be told is told, and the rest of the ledger is read."""
    part = part_of(tmp_path, 40)
    old = part.with_name("20250101T000000-old.parquet")
    part.rename(old)
    kept = segment_of(tmp_path / "other", [attempt(99)])
    shutil.copy(kept, tmp_path / "segments" / "b.jsonl")
    verdict = FileLedger(tmp_path).verify()
    assert (verdict.n_rows, verdict.damage) == (41, [])
    assert [note for note in verdict.notes if note.startswith("1 of 1 parts")]
    whole, draw = old.read_bytes(), random.Random(3)
    for number in range(100):
        old.write_bytes(flipped(whole, draw) if draw.random() < 0.7 else whole[: draw.randrange(9)])
        os.utime(old, (number, number))  # as nobody writes twice in one tick of the clock
        if draw.random() < 0.5:  # whether it was looked at before it is read, or not
            FileLedger(tmp_path).verify()
        assert "attempt-99" in {row["attempt_id"] for row in contents(tmp_path)}


@pytest.mark.parametrize("n_lines", [0, 1, 3, 4])
def test_a_segment_that_was_cut_short_is_noticed(n_lines, tmp_path):
    path = segment_of(tmp_path, [attempt(n) for n in range(4)])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:n_lines]))
    [sentence] = FileLedger(tmp_path).verify().damage
    assert f"{path} is not whole (cut short after {n_lines} lines" in sentence
    assert len(contents(tmp_path)) == n_lines
    FileLedger(tmp_path, notify=lambda _: None).tidy()
    assert path.exists()  # and is not made to look like a whole one


def test_lines_that_were_taken_out_are_noticed(tmp_path):
    path = segment_of(tmp_path, [attempt(n) for n in range(4)])
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:1] + kept[3:]))
    [sentence] = FileLedger(tmp_path).verify().damage
    assert "2 of its 4 lines are absent" in sentence


def test_a_ledger_from_before_is_read(tmp_path):
    path = segment_of(tmp_path, [])
    old = [json.dumps(attempt(n), default=str).encode() + b"\n" for n in range(3)]
    path.write_bytes(b"".join(old))
    verdict = FileLedger(tmp_path).verify()
    assert (verdict.n_rows, verdict.damage) == (3, [])
    assert verdict.notes[0].startswith("3 of 3 lines have no checksum")
    assert len(contents(tmp_path)) == 3
    FileLedger(tmp_path).tidy()
    assert FileLedger(tmp_path).verify().notes == []  # its part has one


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_LEDGER_DIR", str(tmp_path))
    return lambda *words: CliRunner().invoke(main, ["ledger", *words])


def test_what_is_lost_is_named_and_the_rest_kept(run, tmp_path):
    path = segment_of(tmp_path, [attempt(n) for n in range(4)])
    path.write_bytes(path.read_bytes().replace(b"patient has 2", b"patient has 3"))
    verdict = run("verify")
    assert verdict.exit_code == 1
    assert f"line 3 of {path}" in verdict.output
    assert "its checksum does not match; lost: a line of gpt4o for request 0000" in verdict.output
    assert "patient" not in verdict.output
    assert "1 damaged files repaired" in run("repair").output
    assert run("verify").exit_code == 0
    assert [row["answer_text"][-2] for row in contents(tmp_path)] == ["0", "1", "3"]
    assert (tmp_path / "damaged" / "a.jsonl").exists()
    assert "0 damaged files repaired" in run("repair").output


def test_damage_is_told_once(run, tmp_path, monkeypatch):
    """Verifying looks again at a ledger with damage, for what the served results rest on."""
    path = segment_of(tmp_path, [attempt(n) for n in range(4)])
    path.write_bytes(path.read_bytes().replace(b"patient has 2", b"patient has 3"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "serve"))
    (tmp_path / "serve").mkdir()
    with duckdb.connect(str(tmp_path / "serve" / "kernel29.duckdb")) as served:
        served.execute("create table fct_llm_call as select 'attempt-2' as attempt_id, 'ok' status")
    verdict = run("verify")
    assert "1 attempts of the last build, 1 of them answers, are no longer" in verdict.output
    assert verdict.output.count("its checksum does not match") == 1


def test_a_part_is_repaired_page_by_page(run, tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "ROWS_PER_BATCH", 10)
    part = part_of(tmp_path, 40)
    with pq.ParquetFile(part) as file:
        assert file.num_row_groups == 4
        column = file.metadata.row_group(1).column(LEDGER_SCHEMA.get_field_index("answer_text"))
        place = column.dictionary_page_offset or column.data_page_offset
    content = bytearray(part.read_bytes())
    content[place + column.total_compressed_size - 3] ^= 4
    part.write_bytes(content)
    assert "40 rows, unless they can be repaired" in run("verify").output
    assert "30 rows kept, 10 rows lost" in run("repair").output
    assert run("verify").exit_code == 0
    assert {int(row["request_key"], 16) for row in contents(tmp_path)} == {
        *range(10),
        *range(20, 40),
    }


def test_verify_survives_anything(run, serve, live, tmp_path):
    serve()
    columns = {"accepts_batch": True}
    there = live(ledger_dir=tmp_path)
    answer(many(3), settings=there)
    answer(table(request("b", **columns)), settings=live(ledger_dir=tmp_path, execution="batch"))
    segment_of(tmp_path, [attempt(1)])
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".jsonl", ".parquet")]
    assert {path.parent.name for path in files} == {"segments", "parts", "batches"}
    draw = random.Random(4)
    for path in files:
        whole = path.read_bytes()
        for _ in range(8):
            path.write_bytes(flipped(whole, draw))
            verdict = run("verify")
            assert verdict.exception is None or isinstance(verdict.exception, SystemExit)
            assert path.name in verdict.output, (path, verdict.output)
        for junk in (b"\xff" * 99, b"[]\n", b"{}\n", b"null\n", b"PAR1", b'"' * 99 + b"\n"):
            path.write_bytes(junk)
            verdict = run("verify")
            assert verdict.exception is None or isinstance(verdict.exception, SystemExit)
        path.write_bytes(whole)
    assert run("verify").exit_code == 0


def test_a_line_of_any_length_is_read_past(run, tmp_path, monkeypatch):
    rows = [attempt(1), attempt(2, answer_text="x" * 5_000_000), attempt(3)]
    path = segment_of(tmp_path, rows)
    assert len(contents(tmp_path)) == 3
    monkeypatch.setattr(lines, "MOST_LINE_BYTES", 1_000_000)
    assert [row["attempt_id"] for row in contents(tmp_path)] == ["attempt-1", "attempt-3"]
    assert f"line 2 of {path}" in run("verify").output
    run("repair")
    assert run("verify").exit_code == 0
    assert [row["attempt_id"] for row in contents(tmp_path)] == ["attempt-1", "attempt-3"]


@pytest.mark.slow
def test_more_text_than_one_chunk_holds_is_read():
    """Arrow has room for 2 GiB of text in one; 275 answers of 8 MB are more."""
    nothing = pa.table({"number": pa.array([], pa.int64())})
    sql = "select repeat('x', 8000000) as text from range(275) as numbers (number)"
    assert contract.answered(sql, {}, nothing, None).num_rows == 275


NO_SECRETS = Redactor([])


def test_texts_of_an_outcome_have_a_length():
    long = "x" * 1_000_000
    texts = {name: long for name in bounds.LONGEST}
    said = Outcome(Status.REFUSED, answer_text=long, usage_json=long, raw_response=long, **texts)
    kept = scrubbed(said, NO_SECRETS)
    assert {name: len(getattr(kept, name)) for name in bounds.LONGEST} == bounds.LONGEST
    assert len(kept.answer_text) == bounds.LONGEST_REFUSAL
    assert (kept.usage_json, len(kept.raw_response)) == (None, http.MOST_ERROR_BYTES)
    answered = Outcome(Status.OK, answer_text=long, raw_response=long)
    assert scrubbed(answered, NO_SECRETS) == answered
    huge = scrubbed(Outcome(Status.OK, answer_text="ñ" * 10_000_000, raw_response="x"), NO_SECRETS)
    assert (huge.status, huge.error_kind) == ("provider_error", "answer_too_large")
    assert huge.answer_text is huge.raw_response is None


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_long_refusal_is_a_short_line(provider, serve, live):
    serve(faults=always(Fault("refusal", text="x" * 1_000_000)))
    [response] = answer(table(request("a case", provider)), settings=live()).to_pylist()
    assert response["status"] == "refused"
    [row] = attempts(live().ledger_dir).to_pylist()
    assert sum(len(text) for text in row.values() if isinstance(text, str)) < 100_000
