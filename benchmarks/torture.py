"""What a build survives, at length: `make torture`. Writes benchmarks/TORTURE.md.

    python benchmarks/torture.py [--kills 200] [--inputs 60000] [--builds 20] [--corruptions 300]
                                [--changes 200]
    python benchmarks/torture.py --only readers --only clocks

Each part breaks something at random places and counts what must not happen: an answer that is lost
or paid for again, an input that ends in a traceback, a reader that sees two builds mixed, damage
that nobody is told of. The page gets what each part found as soon as it ends, good or bad; the
exit code is 1 if any count that has to be 0 is not.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import io
import json
import multiprocessing
import os
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "python" / "helpers")]
os.environ.update(TEST_OPENAI_KEY="sk-torture-0123456789", TEST_ANTHROPIC_KEY="sk-torture-012345")

import asking  # noqa: E402
import changing  # noqa: E402
import duckdb  # noqa: E402
import growing  # noqa: E402
import postgres  # noqa: E402
from click.testing import CliRunner  # noqa: E402
from loopback import Loopback, user_text  # noqa: E402

from python_llm.audit import trail  # noqa: E402
from python_llm.console.cli import main as console  # noqa: E402
from python_llm.engine import EngineError, Settings, answer, attempts  # noqa: E402
from python_llm.engine.ledger import open_ledger  # noqa: E402
from python_llm.engine.ledger.folder import FileLedger  # noqa: E402
from python_llm.errors import UserError  # noqa: E402
from python_llm.job.projects import layout  # noqa: E402
from python_llm.job.serving.publish import PublishError, publish  # noqa: E402
from python_llm.labels import store as labels_store  # noqa: E402
from python_llm.parsing.differential import PARSERS, parse_differential  # noqa: E402
from python_llm.parsing.judgement import parse_judgement  # noqa: E402
from python_llm.questions.choice import parse_choice  # noqa: E402
from python_llm.runs import store as runs_store  # noqa: E402
from python_llm.test_sets import store as cases_store  # noqa: E402
from python_llm.test_sets.importing import Choices, import_cases  # noqa: E402

PAGE = ROOT / "benchmarks" / "TORTURE.md"
READERS = 8
HEADER = "| part | tried | faults | figures | time | when |"
ORDER = (
    *("Random kills, ledger in files", "Random kills, ledger in PostgreSQL", "Inputs"),
    *("Readers of database and Parquet", "Readers through builds of the project"),
    *("Corruptions of the ledger", "Upgrades", "Clock jumps", "Full disks", "Random changes"),
)
MARTS = tuple(f"fct_{number}" for number in range(12))


class Part(NamedTuple):
    """One part of the run. tried: in words. faults: counts that have to be 0, by what they are.
    figures: others worth knowing."""

    name: str
    tried: str
    faults: dict[str, int]
    figures: str
    seconds: float = 0.0


# Kills


def kills(n: int, folder: Path, draw: random.Random, database: str | None) -> Part:
    """Kill runs of one grid at random moments, on the folder or the database; then let one end."""
    n_requests, concurrency = 15 * n, 10
    ledger = folder / "ledger"
    server = Loopback(latency=0.02)
    with server, _environment(KERNEL29_LEDGER_URL=database, TEST_OPENAI_URL=server.openai_url):
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload(["asking", "python_llm.providers.openai"])
        names = ("TEST_OPENAI_URL", "TEST_OPENAI_KEY", "KERNEL29_LEDGER_URL", "KERNEL29_AUDIT_DIR")
        environment = {name: os.environ[name] for name in names if name in os.environ}
        n_lost = n_kills = 0
        for _ in range(n):
            arguments = (str(ledger), n_requests, concurrency, "run", environment)
            process = forks.Process(target=asking.ask_many, args=arguments)
            process.start()
            goal = server.total + draw.randrange(1, 14)
            deadline = time.monotonic() + 60
            while server.total < goal and process.is_alive() and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(draw.random() * 0.05)
            process.kill()
            process.join()
            n_kills += process.exitcode == -signal.SIGKILL
        before = {row["attempt_id"] for row in attempts(ledger).to_pylist() if _is_ok(row)}
        settings = _settings(ledger)
        responses = answer(asking.many(n_requests, max_concurrency=50), settings=settings)
        log = attempts(ledger).to_pylist()
        answered = Counter(row["request_key"] for row in log if _is_ok(row))
        n_lost = len(before - {row["attempt_id"] for row in log if _is_ok(row)})
        arrived = Counter(user_text(seen.payload) for seen in list(server.seen))
        faults = {
            "answers lost": n_lost,
            "requests without an answer at the end": sum(
                status != "ok" for status in responses.column("status").to_pylist()
            ),
            "requests with two answers on record": sum(count > 1 for count in answered.values()),
            "attempts that arrived and are not on record": max(0, server.total - len(log)),
            "requests paid for again beyond what was under way": max(
                0, sum(arrived.values()) - n_requests - n_kills * concurrency
            ),
            "places that cannot be read": len(open_ledger(ledger).verify().damage),
        }
    again = sum(arrived.values()) - n_requests
    figures = f"{n_kills} killed, {n_requests:,} requests, {again} asked again (were under way)"
    where = "PostgreSQL" if database else "files"
    return Part(f"Random kills, ledger in {where}", f"{n} kills with SIGKILL", faults, figures)


# Inputs


def inputs(n: int, folder: Path, draw: random.Random) -> Part:
    """Feed what reads strangers' texts with mutations of sound ones."""
    n_texts = n - n // 30
    unhandled: Counter[str] = Counter()
    slowest = 0.0
    readers: list[Callable[[str], Any]] = [
        *(lambda text, name=name: parse_differential(text, name) for name in PARSERS),
        parse_judgement,
        lambda text: parse_choice(text, "ABCD"),
    ]
    for _ in range(n_texts):
        text, read = _mutated(draw.choice(SOUND), draw), draw.choice(readers)
        began = time.monotonic()
        try:
            read(text)
        except Exception as error:  # noqa: BLE001 - this is what is counted
            unhandled[type(error).__name__] += 1
        slowest = max(slowest, time.monotonic() - began)
    refused = 0
    names = ("DATA", "CASES", "RUNS", "LABELS", "TERMINOLOGY", "SERVE", "BUILD", "AUDIT")
    (folder / "known.csv").write_text(FILES[2][1])
    import_cases(folder / "known.csv", "table", SET, folder / "cases")
    with _environment(**{f"KERNEL29_{name}_DIR": str(folder / name.lower()) for name in names}):
        for _ in range(n // 30):
            suffix, text, command = draw.choice(FILES)
            file = folder / f"input{suffix}"
            file.write_bytes(_mutated(text, draw).encode("utf-8", "surrogatepass"))
            shutil.rmtree(folder / "data", ignore_errors=True)
            result = CliRunner().invoke(console, [*command, str(file)])
            refused += isinstance(result.exception, SystemExit)
            if result.exception and not isinstance(result.exception, SystemExit):
                unhandled[f"{command[0]}: {type(result.exception).__name__}"] += 1
    kinds = ", ".join(f"{name} {count}" for name, count in unhandled.items())
    figures = f"{n // 30:,} of them files for {len({command for *_, command in FILES})} commands, "
    figures += f"{refused:,} refused in a sentence; slowest text "
    figures += f"{slowest:.2f} s" + (f"; unhandled: {kinds}" if kinds else "")
    return Part("Inputs", f"{n:,} mutated inputs", {"unhandled": sum(unhandled.values())}, figures)


LIST = "1. **Marfan syndrome**: fits.\n   - In favour: tall\n2. Loeys-Dietz syndrome\n3. Gout"
SOUND = [
    LIST,
    json.dumps({"diagnoses": [{"rank": 1, "diagnosis": "Asthma", "reasoning": "wheeze"}]}),
    json.dumps({"judgements": [{"rank": 1, "label": "Exact Synonym", "reason": "the same"}]}),
    '```json\n[{"diagnosis": "Gout"}, {"diagnosis": "Sepsis"}]\n```',
    "<diagnosis><rank>1</rank><name>Gout</name></diagnosis>",
    "- rank: 1\n  diagnosis: Gout\n- rank: 2\n  diagnosis: Asthma",
    "The answer is (B), because of the fever. C is wrong.",
    "| rank | diagnosis |\n|---|---|\n| 1 | Gout |",
]
SET, MADE = "known", ("--model", "m", "--prompt", "p")
TABLES = {
    ("cases", "import", "--test-set", "s", "--no-phi"): (
        {"id": 1, "text": "A man, of 47", "diagnosis": "Gout", "age": 47},
        {"id": 2, "text": "A woman", "diagnosis": "Asthma", "age": "33"},
    ),
    ("runs", "import", "--test-set", SET, *MADE): (
        {"case_id": "1", "rank": 1, "diagnosis": "Gout", "semantic_relation": "Exact Synonym"},
        {"case_id": "1", "rank": 2, "diagnosis": "Asthma", "semantic_relation": "Not Related"},
        {"case_id": "2", "rank": 1, "diagnosis": "Sepsis", "semantic_relation": "P2"},
    ),
    ("runs", "import", "--test-set", SET, "--model", "raw", "--prompt", "p"): (
        {"case_id": "1", "answer": "1. Gout\n2. Asthma, bronchial"},
        {"case_id": "2", "answer": '["Sepsis", "Gout"]'},
    ),
    ("labels", "import", "--judge", "panel"): (
        {"case_id": "1", "diagnosis": "Gout", "semantic_relation": "Exact Synonym", "rater": "ana"},
        {"case_id": "1", "diagnosis": "Gout", "semantic_relation": "Not Related", "rater": "eva"},
    ),
    ("questions", "import", "--set", "q"): (
        {"number": 1, "question": "What is gout?", "option_a": "x", "option_b": "y", "key": "A"},
        {"number": 2, "question": "And asthma?", "option_a": "x", "option_b": "y", "key": "2"},
    ),
    ("check", "--no-keep"): (
        {"recommendation": {"text": "Give enoxaparin 40 mg"}, "patient": {"age": 50}},
        {"recommendation": ["Give aspirin"], "patient": {"id": 1, "labs": [{"name": "INR"}]}},
    ),
}


def _files() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The same rows as files of each kind: suffix, text, and the command that reads it."""
    for command, rows in TABLES.items():
        yield ".json", json.dumps(rows), command
        yield ".jsonl", "\n".join(map(json.dumps, rows)), command
        for suffix, dialect in {".csv": "excel", ".tsv": "excel-tab"}.items():
            file = io.StringIO()
            writer = csv.DictWriter(file, list(rows[0]), dialect=dialect)
            writer.writeheader()
            writer.writerows(rows)
            yield suffix, file.getvalue(), command


FILES = list(_files())
ODD = [
    "\0",
    "\ud800",
    "\u202e",
    "²",
    "{",
    "[",
    '"',
    "'",
    "\r",
    "\x1b[2J",
    "9" * 400,
    "NaN",
    "1e999",
]
ODD += ["```", "null", "\ufeff", "|", "&", "<!--", "]" * 50, "[" * 300, "\\u", ",", "\t", "-1", "٣"]


def _mutated(text: str, draw: random.Random) -> str:
    for _ in range(draw.randrange(1, 6)):
        start, end = sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)))
        kind = draw.randrange(5)
        if kind == 0:
            text = text[:start] + draw.choice(ODD) + text[start:]
        elif kind == 1:
            text = text[:start] + text[end:]
        elif kind == 2:
            text = text[:end] + text[start:end] * draw.randrange(1, 9) + text[end:]
        elif kind == 3:
            text = text[:start] + chr(draw.randrange(1, 0xD7FF)) + text[start + 1 :]
        else:
            other = draw.choice(SOUND)
            text = text[:start] + other[draw.randrange(len(other)) :] + text[end:]
    return text[:20_000]


# Readers


READER = """
import sys, time, duckdb
from pathlib import Path
serve, marts = Path(sys.argv[1]), sys.argv[2].split(",")
reads = errors = mixed = 0
while not (serve.parent / "stop").exists():
    try:
        if reads % 2:
            with duckdb.connect(str(serve / "kernel29.duckdb"), read_only=True) as database:
                rows = [database.sql(f"select count(*) from {mart}").fetchone() for mart in marts]
        else:
            folder = (serve / "parquet").resolve()
            files = [f"{folder}/{mart}.parquet" for mart in marts]
            rows = [duckdb.sql(f"select count(*) from '{file}'").fetchone() for file in files]
        mixed += len(set(rows)) != 1
    except Exception as error:
        errors += 1
        print(error, file=sys.stderr)
    reads += 1
print(reads, errors, mixed)
"""


def readers(n: int, folder: Path) -> Part:
    """Publish n builds while readers read tables and Parquet all the time."""
    _published(1, folder)
    command = [sys.executable, "-c", READER, str(folder / "serve"), ",".join(MARTS)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(READERS)
    ]
    time.sleep(2)
    for number in range(2, n + 2):
        _published(number, folder)
        time.sleep(0.3)
    (folder / "stop").touch()
    counts = [_told(process) for process in running]
    n_reads, n_errors, n_mixed = map(sum, zip(*counts, strict=True))
    tried = f"{READERS} readers through {n} published builds of {len(MARTS)} tables"
    faults = {"errors": n_errors, "reads of two builds mixed": n_mixed}
    return Part("Readers of database and Parquet", tried, faults, f"{n_reads:,} reads")


def _told(reader: subprocess.Popen[str]) -> tuple[int, ...]:
    """The numbers in the last line of a reader; before it DuckDB may have drawn its progress."""
    return tuple(map(int, reader.communicate()[0].splitlines()[-1].split()))


def _published(n: int, folder: Path) -> None:
    with duckdb.connect() as session:
        rows = session.sql(f"select range as id, md5(range::text) as text from range({1000 * n})")
        publish(session, dict.fromkeys(MARTS, rows), [], folder / "serve")


# Builds of the project


COUNTS = {
    "dim_test_set": "sum(n_cases)",
    "dim_case": "count(*)",
    "bridge_test_set_case": "count(*)",
    "fct_case_quality": "count(*)",
}
COUNTER = """
import sys, time, duckdb
from pathlib import Path
serve, pairs = Path(sys.argv[1]), [pair.split(":") for pair in sys.argv[2].split(",")]
reads = errors = mixed = 0
counts = set()
while not (serve.parent / "stop").exists():
    try:
        if reads % 2:
            with duckdb.connect(str(serve / "kernel29.duckdb"), read_only=True) as database:
                rows = [
                    database.sql(
                        f"select {number} from {mart} where test_set = 'torture'"
                    ).fetchone()
                    for mart, number in pairs
                ]
        else:
            folder = (serve / "parquet").resolve()
            rows = [
                duckdb.sql(
                    f"select {number} from '{folder}/{mart}.parquet' where test_set = 'torture'"
                ).fetchone()
                for mart, number in pairs
            ]
        mixed += len(set(rows)) != 1
        counts.add(rows[0][0])
    except Exception as error:
        errors += 1
        print(error, file=sys.stderr)
    reads += 1
    time.sleep(0.2)
print(reads, errors, mixed, len(counts))
"""


def builds(n: int, folder: Path) -> Part:
    """Build the project n times, each with one case more, while readers count its cases in four
    marts all the time."""
    names = ("BUILD", "SERVE", "DATA", "LEDGER", "CASES", "RUNS", "LABELS", "TERMINOLOGY", "AUDIT")
    places = {f"KERNEL29_{name}_DIR": str(folder / name.lower()) for name in names}
    failed = _built_with(1, folder, places)
    pairs = ",".join(f"{mart}:{number}" for mart, number in COUNTS.items())
    with (folder / "errors").open("w") as errors:
        running = [
            subprocess.Popen(
                [sys.executable, "-c", COUNTER, str(folder / "serve"), pairs],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            for _ in range(READERS)
        ]
        for number in range(2, n + 2):
            failed += _built_with(number, folder, places)
        (folder / "stop").touch()
        counts = [_told(process) for process in running]
    print((folder / "errors").read_text()[:1000], flush=True)
    n_reads, n_errors, n_mixed, _ = map(sum, zip(*counts, strict=True))
    faults = {"errors": n_errors, "reads of two builds mixed": n_mixed, "builds failed": failed}
    seen = max(count[3] for count in counts)
    figures = f"{n_reads:,} reads, of {seen} different builds"
    tried = f"{READERS} readers through {n} builds of the project"
    return Part("Readers through builds of the project", tried, faults, figures)


def _built_with(n: int, folder: Path, places: dict[str, str]) -> int:
    """Import n cases in place of those before and build; whether it failed, as a number."""
    file = folder / "cases.csv"
    rows = (f"{number},A man of {20 + number} with fits.,Marfan syndrome" for number in range(n))
    file.write_text("\n".join(["id,text,diagnosis", *rows]))
    import_cases(
        file, "table", "torture", folder / "cases", Choices(contains_phi=False), replace=True
    )
    environment = {**os.environ, **places}
    command = [str(Path(sys.executable).with_name("kernel29")), "build"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-1000:], done.stderr[-1000:], flush=True)
    return int(done.returncode != 0)


# Corruptions


def corruptions(n: int, folder: Path, draw: random.Random) -> Part:
    """Damage a ledger of segments and parts at random, and see whether it is told."""
    whole = folder / "whole"
    with Loopback() as server, _environment(TEST_OPENAI_URL=server.openai_url):
        for run in range(3):
            settings = _settings(whole)
            answer(asking.many(60 * (run + 1), max_concurrency=20), settings=settings)
            if run == 1:
                FileLedger(whole).tidy()
    truth = _contents(whole)
    silent = crashed = told = harmless = 0
    for _ in range(n):
        hurt = folder / "hurt"
        shutil.rmtree(hurt, ignore_errors=True)
        shutil.copytree(whole, hurt)
        _damage(hurt, draw)
        try:
            rows = _contents(hurt)
            damage = FileLedger(hurt, notify=lambda _: None).verify().damage
        except EngineError:
            told += 1
            continue
        except Exception:  # noqa: BLE001 - this is what is counted
            crashed += 1
            continue
        told += bool(damage)
        silent += rows != truth and not damage
        harmless += rows == truth and not damage
    faults = {"silent": silent, "tracebacks": crashed}
    figures = f"{told} told, {harmless} changed nothing that is read"
    return Part("Corruptions of the ledger", f"{n} flips, cuts and lost lines", faults, figures)


def _damage(ledger: Path, draw: random.Random) -> None:
    parts = (ledger / "segments", ledger / "parts")
    files = [file for part in parts for file in part.glob("*") if file.stat().st_size]
    file = draw.choice(sorted(files))
    data = bytearray(file.read_bytes())
    position, kind = draw.randrange(len(data)), draw.randrange(4)
    if kind == 0:
        data[position] ^= 1 << draw.randrange(8)
    elif kind == 1:
        del data[position:]
    elif kind == 2:
        del data[position : position + draw.randrange(1, 4000)]
    else:
        data[position:position] = draw.randbytes(draw.randrange(1, 4000))
    file.write_bytes(bytes(data))


def _contents(ledger: Path) -> list[dict[str, Any]]:
    kept = FileLedger(ledger, notify=lambda _: None)
    return sorted(kept.attempts().to_pylist(), key=lambda row: row["attempt_id"])


# Clocks and disks


def clocks(n: int, folder: Path, draw: random.Random) -> Part:
    """Let the clock of a run jump while it asks."""
    import faulty

    faults: Counter[str] = Counter()
    context = multiprocessing.get_context("spawn")
    with Loopback() as server, _environment(TEST_OPENAI_URL=server.openai_url):
        for number in range(n):
            place = folder / str(number)
            phase = draw.choice(["start", "generation", "judging", "compaction"])
            _struck(context, phase, "clock", place)
            settings = _settings(place / "ledger")
            before = server.total
            rows = [*faulty.generated(settings), *faulty.judged(settings)]
            asked = server.total - before
            faults["not ok"] += sum(row["status"] != "ok" for row in rows)
            n_done = {"judging": 2, "start": 1, "generation": 1, "compaction": 1}[phase]
            faults["asked again"] += asked - faulty.N * (2 - n_done)
    figures = "back by three days, in the middle of a phase"
    return Part("Clock jumps", f"{n} runs", {"not ok": 0, "asked again": 0, **faults}, figures)


def _struck(context: BaseContext, phase: str, fault: str, place: Path) -> int | None:
    import faulty

    names = ("TEST_", "KERNEL29_")
    environment = {name: value for name, value in os.environ.items() if name.startswith(names)}
    _, told = context.Pipe(duplex=False)
    arguments = (phase, fault, str(place), environment, told)
    process = context.Process(target=faulty.work, args=arguments)  # type: ignore[attr-defined]
    process.start()
    process.join(120)
    process.kill()
    return process.exitcode


def disks(folder: Path) -> Part:
    """Fill the disk of one folder after the other, and then make room."""
    faults: Counter[str] = Counter({"tracebacks": 0, "not whole afterwards": 0})
    real = False
    for name, work in {
        "ledger": _asks,
        "serve": _serves,
        "cases": _imports,
        "audit": _asks,
    }.items():
        place = folder / name
        place.mkdir(parents=True)
        with _small_disk(place / name) as is_real:
            real = is_real
            try:
                work(place, 400)
                faults["not whole afterwards"] += 1  # it cannot have had room
            except (EngineError, UserError, PublishError, OSError):
                pass
            except Exception:  # noqa: BLE001 - this is what is counted
                faults["tracebacks"] += 1
            if name in ("ledger", "serve"):  # what was there before is there as it was
                with suppress(EngineError, UserError, duckdb.Error):
                    _look(place, name)
        try:
            work(place, 4)
        except Exception:  # noqa: BLE001 - this is what is counted
            faults["not whole afterwards"] += 1
    how = "a file system of 256 KiB" if real else "a limit of 256 KiB on files"
    return Part("Full disks", f"ledger, serve, data, trail: {how} each", dict(faults), "")


def _asks(place: Path, n: int) -> None:
    environment = {"KERNEL29_AUDIT_DIR": str(place / "audit")}
    with Loopback() as server, _environment(TEST_OPENAI_URL=server.openai_url, **environment):
        settings = _settings(place / "ledger")
        if place.name == "audit" and n > 4:
            (place / "audit" / "filler").write_bytes(bytes(250 * 1024))
            for number in range(n):
                trail.note("import", f"set_{number}", text="x" * 100)
        answer(asking.many(n, max_concurrency=20), settings=settings)


def _serves(place: Path, n: int) -> None:
    _published(n, place)


def _imports(place: Path, n: int) -> None:
    file = place / "table.csv"
    draw = random.Random(n)
    rows = (f"{number},{draw.randbytes(600).hex()},Gout" for number in range(n))
    file.write_text("\n".join(["id,text,diagnosis", *rows]))
    import_cases(file, "table", f"set_{n}", place / "cases")


def _look(place: Path, name: str) -> None:
    if name == "ledger":
        attempts(place / "ledger")
    else:
        duckdb.connect(str(place / "serve" / "kernel29.duckdb"), read_only=True).close()


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """A disk of 256 KiB at a folder, which is empty again afterwards; where none can be mounted, a
    limit on the size of files. Yields whether it is a real one."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0:
        try:
            yield True
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, before[1]))
    try:
        yield False
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        shutil.rmtree(folder)


# Upgrades


def upgrades(folder: Path) -> Part:
    """Take over what each released version wrote, and read, compact and build on it."""
    lost: Counter[str] = Counter({"rows lost": 0, "tracebacks": 0, "damage": 0, "asked again": 0})
    releases = sorted((ROOT / "tests" / "python" / "releases").iterdir())
    for release in releases:
        previous, project = folder / f"{release.name}-old", folder / release.name
        shutil.copytree(release, previous)
        (previous / "dbt_project.yml").write_text("name: kernel29\n")
        project.mkdir()
        try:
            layout.init(project, layout.Release("now", {}), previous)
            before = _contents(previous / "ledger")
            after = _contents(project / "ledger")
            lost["rows lost"] += len(before) - len(after)
            with Loopback() as server, _environment(TEST_OPENAI_URL=server.openai_url):
                settings = _settings(project / "ledger")
                answer(asking.many(20), settings=settings)
                n_asked = server.total
                FileLedger(project / "ledger").tidy()
                answer(asking.many(20), settings=settings)
                lost["asked again"] += server.total - n_asked
            lost["rows lost"] += len(before) + 20 - len(_contents(project / "ledger"))
            lost["damage"] += len(FileLedger(project / "ledger").verify().damage)
            for kind, stored in _stored(project).items():
                lost["rows lost"] += stored != _stored(previous)[kind] or not stored
        except Exception as error:  # noqa: BLE001 - this is what is counted
            print(f"  {release.name}: {error!r}", flush=True)
            lost["tracebacks"] += 1
    names = ", ".join(release.name for release in releases)
    return Part("Upgrades", f"from each release: {names}", dict(lost), "with 20 answers on top")


def _stored(project: Path) -> dict[str, int]:
    """How many cases, answers and labels a project has."""
    return {
        "cases": cases_store.read_records(project / "data/cases").num_rows,
        "answers": runs_store.read(project / "data/runs", "answers").num_rows,
        "labels": labels_store.read(project / "data/labels", "labels").num_rows,
    }


# The page


# Changes


def changes(n: int, folder: Path, draw: random.Random) -> Part:
    """Change a small project in a random order and build what that changed; after every ten changes
    compare all of it with a build in an empty folder."""
    project = growing.Growing.make(folder / "project")
    project.build()
    counted: Counter[str] = Counter()
    n_compared = n_different = 0
    for names, different in changing.at_random(project, folder / "afresh", draw, n, 10):
        counted.update(names)
        n_compared += 1
        n_different += bool(different)
        if different:
            print(f"  {different} after {', '.join(names)}", flush=True)
    figures = f"{len(counted)} of {len(changing.CHANGES)} kinds; compared {n_compared} times"
    faults = {"differs from a build in an empty folder": n_different}
    return Part("Random changes", f"{n} changes in a random order", faults, figures)


@contextmanager
def _environment(**values: str | None) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    for name, value in values.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _settings(ledger: Path) -> Settings:
    return Settings(mode="live", ledger_dir=ledger, run_id="r", max_usd=100, progress=False)


def _is_ok(row: dict[str, Any]) -> bool:
    return row["status"] == "ok"


def record(part: Part, arguments: argparse.Namespace) -> None:
    """Put what was found into the page, in place of what an earlier run found of the same part."""
    rows = _rows()
    faults = "; ".join(f"{name}: **{count}**" for name, count in part.faults.items())
    when = f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M}, load {os.getloadavg()[1]:.0f}"
    cells = (part.name, part.tried, faults, part.figures, f"{part.seconds:.0f} s", when)
    rows[part.name] = "| " + " | ".join(cells) + " |"
    lines = [
        "# Torture",
        "",
        "Written by `make torture`, good or bad, part by part: each row has the time (UTC) and the "
        "load of its own run. Every number",
        "in bold has to be 0. `python benchmarks/torture.py --only NAME` runs one part.",
        "",
        f"{os.cpu_count()} cores, Python {platform.python_version()}, seed {arguments.seed}.",
        "",
        HEADER,
        "|---|---|---|---|---|---|",
        *(rows[name] for name in [*(n for n in ORDER if n in rows), *(set(rows) - set(ORDER))]),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


def _rows() -> dict[str, str]:
    """The rows of the page as it is, by part."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    _, _, table = text.partition(HEADER)
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip(): line for line in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, most in {"kills": 200, "inputs": 60_000, "builds": 20, "corruptions": 300}.items():
        parser.add_argument(f"--{name}", type=int, default=most)
    parser.add_argument("--clocks", type=int, default=20)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=29)
    parser.add_argument("--only", action="append", metavar="PART", help="Repeatable.")
    arguments = parser.parse_args()
    parts: list[Part] = []
    with tempfile.TemporaryDirectory(prefix="kernel29-torture-") as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["KERNEL29_AUDIT_DIR"] = str(folder / "audit")
        os.environ.pop("KERNEL29_LEDGER_URL", None)
        work = _work(arguments, stack)
        if unknown := set(arguments.only or ()) - work.keys():
            parser.error(f"there is no part {unknown.pop()!r}: {', '.join(work)}")
        for title in arguments.only or work:
            place = folder / title.replace(" ", "_")
            place.mkdir()
            print(f"{title} …", flush=True)
            start = time.monotonic()
            part = work[title](place, random.Random(arguments.seed))
            damage = len(trail.read().damage)
            faults = {**part.faults, "damage in the trail of audit": damage}
            parts.append(part._replace(faults=faults, seconds=time.monotonic() - start))
            print(f"  {parts[-1].faults} {parts[-1].figures}", flush=True)
            record(parts[-1], arguments)
    print(f"{PAGE} is written.")
    return int(any(count for part in parts for count in part.faults.values()))


def _work(
    arguments: argparse.Namespace, stack: ExitStack
) -> dict[str, Callable[[Path, random.Random], Part]]:
    """What each part does in a folder of its own. A database runs as long as the stack."""
    wanted = set(arguments.only or ["kills of a database"])
    database = None
    if wanted & {"kills", "kills of a database"}:  # a fourth of the kills is the database's
        with suppress(postgres.NoPostgres):
            database = stack.enter_context(postgres.running()).new_database()
    n_others = arguments.kills // 4 if database else 0
    work: dict[str, Callable[[Path, random.Random], Part]] = {
        "inputs": lambda place, draw: inputs(arguments.inputs, place, draw),
        "readers": lambda place, _: readers(arguments.builds, place),
        "builds": lambda place, _: builds(arguments.builds, place),
        "corruptions": lambda place, draw: corruptions(arguments.corruptions, place, draw),
        "clocks": lambda place, draw: clocks(arguments.clocks, place, draw),
        "disks": lambda place, _: disks(place),
        "upgrades": lambda place, _: upgrades(place),
        "changes": lambda place, draw: changes(arguments.changes, place, draw),
        "kills": lambda place, draw: kills(arguments.kills - n_others, place, draw, None),
    }
    if database or not wanted & {"kills", "kills of a database"}:
        work["kills of a database"] = lambda place, draw: kills(n_others, place, draw, database)
    return work


if __name__ == "__main__":
    sys.exit(main())
