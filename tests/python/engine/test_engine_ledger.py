"""The ledger keeps every attempt, whatever happens to the process or to its files."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from asking import many
from loopback import Fault

from python_llm.engine import EngineError, answer, attempts, live
from python_llm.engine.ledger import log, segments
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.ledger.lines import closing_line
from python_llm.engine.ledger.segments import Segment
from python_llm.engine.stopping import Stop


def attempt(number: int, **columns) -> dict:
    """A row of the ledger."""
    return {
        "attempt_id": f"attempt-{number}",
        "run_id": "run",
        "session_id": "session",
        "request_key": f"request-{number}",
        "attempt_number": 1,
        "model_alias": "model",
        "provider": "openai",
        "api_model": "gpt",
        "status": "ok",
        "answer_text": f"answer {number}\n¿línea?",
        "latency_ms": 1.5,
        "charged_usd": Decimal("0.000000123"),
        "started_at": datetime(2026, 1, 1, 12, number % 60, tzinfo=UTC),
        "ended_at": datetime(2026, 1, 1, 12, number % 60, 30, tzinfo=UTC),
        **columns,
    }


def write(folder: Path, name: str, *rows: dict) -> Path:
    path = folder / "segments" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [*map(segments.line_of, rows), closing_line(len(rows))]
    path.write_bytes(b"".join(lines))
    return path


def leave_open(folder: Path, segment: Path) -> None:
    """As a run leaves it that was killed while it wrote."""
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:-1])[:-7])
    holder = {"segment": segment.name, "host": "elsewhere", "pid": 1}
    (folder / "holder.json").write_text(json.dumps(holder))


def ids(folder: Path, told: list[str] | None = None) -> list[str]:
    log = FileLedger(folder, notify=(told if told is not None else []).append)
    return sorted(log.attempts().column("attempt_id").to_pylist())


def compact(folder: Path, told: list[str] | None = None) -> None:
    log = FileLedger(folder, notify=(told if told is not None else []).append)
    with log.writing("run", "other"):
        pass


def test_a_line_says_everything_that_a_part_does(tmp_path):
    write(tmp_path, "a", attempt(1), attempt(2, answer_text=None, charged_usd=None))
    before = attempts(tmp_path)
    compact(tmp_path)
    assert not list(tmp_path.glob("segments/*"))
    assert len(list(tmp_path.glob("parts/*.parquet"))) == 1
    assert attempts(tmp_path) == before
    [first, _] = before.to_pylist()
    expected = attempt(1)
    del expected["session_id"]
    assert expected.items() <= first.items()


def test_a_torn_last_line_is_passed_over_in_silence(tmp_path):
    path = write(tmp_path, "a", attempt(1), attempt(2))
    leave_open(tmp_path, path)
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-1"]
    compact(tmp_path, told)
    assert ids(tmp_path, told) == ["attempt-1"]
    assert told == []


@pytest.mark.parametrize(
    "damage", [b'{"attempt_id": "x"', b"\x00\xff\x00", b"[]", b'{"attempt_id": "x"}']
)
def test_a_damaged_line_is_reported_and_the_rest_is_used(tmp_path, damage):
    path = write(tmp_path, "a", attempt(1), attempt(2), attempt(3))
    lines = path.read_bytes().split(b"\n")
    lines[1] = damage
    path.write_bytes(b"\n".join(lines))
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-1", "attempt-3"]
    assert f"line 2 of {path}" in told[0]
    assert len(told) == 1
    compact(tmp_path)  # keeps the file, so that it can be repaired
    assert path.exists()
    assert ids(tmp_path) == ["attempt-1", "attempt-3"]


@pytest.mark.parametrize(
    "wrong", [{"http_status": "many"}, {"started_at": "noon"}, {"charged_usd": "much"}]
)
def test_a_value_of_a_wrong_type_is_a_damaged_line(tmp_path, wrong):
    rows = [attempt(number) for number in range(5)]
    path = write(tmp_path, "a", *rows[:3], {**rows[3], **wrong}, rows[4])
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-0", "attempt-1", "attempt-2", "attempt-4"]
    assert f"line 4 of {path}" in told[0]


def test_a_damaged_part_is_reported_and_the_rest_is_used(tmp_path):
    write(tmp_path, "a", attempt(1))
    compact(tmp_path)
    [part] = tmp_path.glob("parts/*.parquet")
    part.write_bytes(part.read_bytes()[:-9])
    write(tmp_path, "b", attempt(2))
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-2"]
    assert str(part) in told[0]
    compact(tmp_path)
    assert part.exists()
    assert ids(tmp_path) == ["attempt-2"]


def test_a_copied_part_is_read_once_and_goes(tmp_path):
    write(tmp_path, "a", attempt(1), attempt(2))
    compact(tmp_path)
    [part] = tmp_path.glob("parts/*.parquet")
    (part.parent / f"x{part.name}").write_bytes(part.read_bytes())
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]
    verdict = FileLedger(tmp_path).verify()
    assert (verdict.n_rows, verdict.damage) == (2, [])
    assert any("1 parts are copies" in note for note in verdict.notes)
    compact(tmp_path)
    assert len(list(tmp_path.glob("parts/*.parquet"))) == 1
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]


def test_other_ends_of_lines_lose_nothing(tmp_path):
    path = write(tmp_path, "a", attempt(1), attempt(2))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-1", "attempt-2"]
    assert told == []


def test_a_pipe_among_the_segments_is_told_and_not_waited_for(tmp_path):
    path = write(tmp_path, "a", attempt(1))
    os.mkfifo(path.with_name("b.jsonl"))
    told: list[str] = []
    assert ids(tmp_path, told) == ["attempt-1"]
    assert "it is no file" in told[0]


def test_a_compaction_killed_before_it_removes_the_segment(tmp_path, monkeypatch):
    write(tmp_path, "a", attempt(1), attempt(2))
    (tmp_path / "parts").mkdir()

    class Killed(BaseException):
        pass

    def die(*_args, **_options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", die)
        with pytest.raises(Killed):
            FileLedger(tmp_path).compact()
    assert list(tmp_path.glob("segments/*"))
    assert list(tmp_path.glob("parts/*.parquet"))
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]
    compact(tmp_path)
    assert not list(tmp_path.glob("segments/*"))
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]


def test_killed_while_the_part_is_written(tmp_path):
    write(tmp_path, "a", attempt(1), attempt(2))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "half.tmp").write_bytes(b"PAR1 half")
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]
    compact(tmp_path)
    assert not list(tmp_path.glob("parts/*.tmp"))
    assert ids(tmp_path) == ["attempt-1", "attempt-2"]


def test_many_small_parts_become_one(tmp_path):
    n = log.MOST_PARTS + 3
    for number in range(n):
        write(tmp_path, f"s{number}", attempt(number))
        compact(tmp_path)
    assert len(list(tmp_path.glob("parts/*.parquet"))) <= log.MOST_PARTS
    assert ids(tmp_path) == sorted(f"attempt-{number}" for number in range(n))


def test_the_first_answer_counts_or_else_the_last_failure(tmp_path):
    write(
        tmp_path,
        "a",
        attempt(1, request_key="answered", status="timeout"),
        attempt(2, request_key="answered", attempt_number=2),
        attempt(3, request_key="answered", attempt_number=3),
        attempt(4, request_key="failed", status="timeout"),
        attempt(5, request_key="failed", attempt_number=2, status="rate_limited"),
    )
    final = attempts(tmp_path).filter(attempts(tmp_path).column("is_final"))
    assert final.column("attempt_id").to_pylist() == ["attempt-2", "attempt-5"]


def test_a_reader_misses_nothing_of_a_busy_writer(tmp_path, monkeypatch):
    """Readers take no lock: what moves from segments to parts under their eyes is there once."""
    monkeypatch.setattr(log, "MOST_PARTS", 2)  # so that parts are merged all the time
    durable: list[str] = []
    reads: list[int] = []
    finished = threading.Event()

    async def append(segment: Segment, numbers: range) -> None:
        for number in numbers:
            await segment.append(attempt(number))
            durable.append(f"attempt-{number}")

    def write_sessions() -> None:
        for session in range(400):
            if session >= 15 and len(reads) >= 15:
                break
            with FileLedger(tmp_path).writing("run", f"{session:012}") as segment:
                asyncio.run(append(segment, range(session * 10, session * 10 + 10)))
        finished.set()

    writer = threading.Thread(target=write_sessions)
    writer.start()
    while not finished.is_set():
        before = set(durable)
        seen = ids(tmp_path)
        assert before <= set(seen)
        assert len(seen) == len(set(seen))
        reads.append(len(seen))
    writer.join()
    assert len(reads) >= 15
    assert ids(tmp_path) == sorted(durable)


def test_an_answer_is_durable_before_it_is_reported(tmp_path, monkeypatch):
    """append returns only after an fsync that began after the line was written."""
    written_at_sync: list[bytes] = []
    path = tmp_path / "segments" / "s.jsonl"
    real = os.fsync

    def slow_sync(file: int) -> None:
        content = path.read_bytes() if path.exists() else b""
        time.sleep(0.01)
        real(file)
        written_at_sync.append(content)

    monkeypatch.setattr(os, "fsync", slow_sync)

    async def run() -> None:
        segment = Segment(path, tmp_path / "records.jsonl")

        async def one(number: int) -> None:
            await segment.append(attempt(number))
            assert f'"attempt-{number}"'.encode() in written_at_sync[-1]

        await asyncio.gather(*(one(number) for number in range(200)))
        segment.close()

    asyncio.run(run())
    assert len(written_at_sync) < 20  # in groups
    assert path.read_bytes().count(b"\n") == 200 + 1  # and the closing line


def test_a_full_disk_stops_the_run_and_keeps_what_was_answered(serve, live, monkeypatch):
    server = serve(latency=0.01)
    real = os.write
    written: list[int] = []

    def fill(file: int, data: bytes) -> int:
        if data.startswith(b'{"attempt_id"'):
            written.append(len(data))
            if len(written) == 6:
                return real(file, data[: len(data) // 2])  # half a line, then nothing more
        elif len(written) >= 6:
            raise OSError(28, "No space left on device")
        return real(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fill)
        with pytest.raises(EngineError, match=r"No space left on device.*Make room"):
            answer(many(100), settings=live())
    assert server.total < 40
    shown = answer(many(100), settings=live(mode="off")).column("status").to_pylist()
    assert shown.count("ok") == 5
    finished = answer(many(100), settings=live()).column("status").to_pylist()
    assert finished == ["ok"] * 100


def test_a_folder_that_cannot_be_made(serve, live, tmp_path):
    server = serve()
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot be written"):
        answer(many(1), settings=live(ledger_dir=tmp_path / "file"))
    with pytest.raises(EngineError, match="prompts could not be put into"):
        answer(many(1).to_reader(), settings=live(ledger_dir=tmp_path / "file"))
    assert server.total == 0


@pytest.mark.usefixtures("quick_retries")
def test_the_ledger_adds_up_to_what_the_server_saw(serve, live):
    server = serve(faults=lambda seen: Fault("server_error") if seen.number % 3 == 0 else None)
    answer(many(60), settings=live())
    log = attempts(live().ledger_dir)
    assert log.num_rows == server.total
    assert log.filter(log.column("is_final")).num_rows == 60
    assert len(set(log.column("attempt_id").to_pylist())) == log.num_rows


def test_an_abandoned_intent_is_an_attempt(tmp_path):
    path = write(tmp_path, "segment", attempt(1))
    lines = [segments.line_of(attempt(number))[:-1] for number in (1, 2)]
    lines.append(b'{"attempt_id": "of nothing"}')
    path.write_bytes(b"".join(b'{"intent": ' + line + b"}\n" for line in lines) + path.read_bytes())

    def read(**options: bool) -> tuple[list, list]:
        damage: list[segments.Damage] = []
        batches = segments.read_segment(path, damage, **options)
        return [row for batch in batches for row in batch.to_pylist()], damage

    (answer_, open_), damage = read()
    assert (answer_["attempt_id"], answer_["status"]) == ("attempt-1", "ok")
    assert (open_["attempt_id"], open_["error_kind"]) == ("attempt-2", "interrupted")
    assert open_["ended_at"] == open_["started_at"]
    assert damage == [segments.Damage(path, 3)]
    assert len(read(is_being_written=True)[0]) == 1


class Hanging:
    """A client of a provider that does not close."""

    async def close(self):
        await asyncio.sleep(60)


def test_leaving_waits_for_the_ledger_and_not_for_clients(tmp_path, monkeypatch):
    """A team's ledger tries for a minute to reach its server."""
    monkeypatch.setattr(live, "LEAVING_SECONDS", 0.1)
    part = live.Live(FileLedger(tmp_path), "run", "session", Stop())
    written = []

    async def slowly():
        await asyncio.sleep(0.5)
        written.append("the last answers")

    monkeypatch.setattr(part.writer, "durable", slowly)
    part._lanes["model"] = SimpleNamespace(provider=Hanging())
    start = time.monotonic()
    part.close()
    assert written
    assert time.monotonic() - start < 30
