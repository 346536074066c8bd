"""What this version stores, for the releases after it to be tried on (test_releases.py).

    python tests/python/helpers/release_files.py

imports two invented cases, two recorded answers and two labels, which the trail of audit has as
events of "somebody", and writes a ledger of four attempts, two of them compacted. It leaves data,
ledger and an experiment in tests/python/releases/VERSION.
"""

import shutil
import tempfile
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from python_llm import paths
from python_llm.audit import trail
from python_llm.console.cli import main
from python_llm.engine.ledger import segments
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.ledger.lines import closing_line

RELEASES = paths.project_root() / "tests" / "python" / "releases"
CASES = """id,text,diagnosis
1,"A 34-year-old woman has had fluctuating drooping of both eyelids and double vision for three \
months, worse in the evening.",Myasthenia gravis
2,"A tall 19-year-old man has arachnodactyly, a dislocated lens and a widened aortic root.",\
Marfan syndrome
"""
ANSWERS = """case_id,answer
1,1. Myasthenia gravis 2. Lambert-Eaton myasthenic syndrome
2,1. Homocystinuria 2. Marfan syndrome
"""
LABELS = """case_id,diagnosis,semantic_relation,rater
1,Myasthenia gravis,Exact Synonym,anna
2,Homocystinuria,Broad Disease Group,anna
"""
EXPERIMENT = """cases: invented
real_patients: false
models:
  - {name: small, api_model: my-model-7b, address: "http://localhost:8000/v1"}
prompts: [dxgpt_standard]
max_usd: 2
"""
STATUSES = ("ok", "refused", "ok", "timeout")


def attempt(number: int) -> dict:
    """A row of the ledger."""
    status = STATUSES[number - 1]
    return {
        "attempt_id": f"attempt-{number}",
        "run_id": "run",
        "session_id": "session",
        "request_key": f"request-{number}",
        "attempt_number": 1,
        "model_alias": "gpt4o",
        "provider": "openai",
        "api_model": "gpt-4o",
        "status": status,
        "answer_text": f"1. Myasthenia gravis\n2. ¿Línea {number}?" if status == "ok" else None,
        "latency_ms": 1500.5,
        "charged_usd": Decimal("0.000123"),
        "input_tokens": 100,
        "output_tokens": 20,
        "started_at": datetime(2026, 1, 1, 12, number, tzinfo=UTC),
        "ended_at": datetime(2026, 1, 1, 12, number, 30, tzinfo=UTC),
    }


def write_segment(ledger: Path, name: str, *numbers: int) -> None:
    lines = [*(segments.line_of(attempt(number)) for number in numbers), closing_line(len(numbers))]
    path = ledger / "segments" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))


def write_ledger(ledger: Path) -> None:
    write_segment(ledger, "20260101T120000-a", 1, 2)
    with FileLedger(ledger).writing("run", "other"):
        pass  # compacts what is there
    write_segment(ledger, "20260101T130000-b", 3, 4)


def kernel29(folder: Path, *arguments: str) -> None:
    """A command on the data of `folder`."""
    environment = {
        f"KERNEL29_{kind.upper()}_DIR": str(folder / "data" / kind)
        for kind in ("cases", "runs", "labels", "audit")
    }
    with (
        patch.object(trail.socket, "gethostname", return_value="somewhere"),
        patch.object(trail, "_user", return_value="somebody"),
    ):
        result = CliRunner().invoke(main, arguments, env=environment)
    if result.exit_code:
        raise SystemExit(f"{' '.join(arguments)}: {result.output}")


def write(folder: Path) -> None:
    """Data, ledger and experiments of a small project."""
    with tempfile.TemporaryDirectory() as name:
        files = Path(name)
        for file, text in (("cases", CASES), ("answers", ANSWERS), ("labels", LABELS)):
            (files / f"{file}.csv").write_text(text, encoding="utf-8")
        kernel29(
            folder,
            *("cases", "import", str(files / "cases.csv"), "--test-set", "invented", "--no-phi"),
        )
        run = ("--model", "gpt4", "--prompt", "mine", "--test-set", "invented")
        kernel29(folder, "runs", "import", str(files / "answers.csv"), *run)
        kernel29(
            folder,
            *("labels", "import", str(files / "labels.csv"), "--judge", "panel"),
            *("--configuration", "gpt4/mine/invented"),
        )
    write_ledger(folder / "ledger")
    for lock in (*folder.rglob(".lock"), folder / "ledger" / "lock"):
        lock.unlink()
    (folder / "experiments").mkdir()
    (folder / "experiments" / "mine.yml").write_text(EXPERIMENT, encoding="utf-8")


if __name__ == "__main__":
    target = RELEASES / version("kernel29")
    shutil.rmtree(target, ignore_errors=True)
    write(target)
    print(f"Written: {target}")
