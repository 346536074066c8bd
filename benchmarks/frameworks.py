"""The engine beside two evaluation frameworks: the same requests, the same server, whole processes.

    python -m venv other && other/bin/pip install inspect-ai openai 'lm-eval[api]'
    python benchmarks/frameworks.py --other other/bin/python [--failing 0.3]

2,000 requests of 2 kB, 50 at a time, to a loopback server that answers after 500 ms (the ideal is
20 s) or, for the given share, with 429, 500 or 503 at random and without Retry-After. Each asks in
its own way and with its own defaults for retries; nothing is scored. Prints for each: wall and CPU
seconds and peak memory of the process, its start included, and what the server saw.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "python" / "helpers")]

from loopback import Loopback, at_random  # noqa: E402

N, AT_A_TIME = 2_000, 50

ENGINE = """
import sys, os, json
sys.path[:0] = [{root!r}, {root!r} + "/benchmarks"]
from engine import Settings, answer, reader
os.environ["BENCH_URL"] = {url!r}
settings = Settings(mode="live", ledger_dir={folder!r}, max_usd=1, progress=False)
answer(reader({n}, {at_a_time}, 2_000), settings=settings)
"""
INSPECT = """
import json, os
os.environ.update(OPENAI_API_KEY="none", OPENAI_BASE_URL={url!r})
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import generate
cases = [json.loads(line)["question"] for line in open({folder!r} + "/cases.jsonl")]
samples = [Sample(input=case, id=number) for number, case in enumerate(cases)]
eval(
    Task(dataset=MemoryDataset(samples), solver=generate()), model="openai/bench", max_tokens=50,
    max_connections={at_a_time}, max_samples={at_a_time}, display="none", fail_on_error=False,
    log_dir={folder!r}, model_args=dict(responses_api=False),
)
"""
LM_EVAL = """
import os, sys
os.environ.update(OPENAI_API_KEY="none", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
from lm_eval.__main__ import cli_evaluate
options = "model=bench,base_url={url}/chat/completions,num_concurrent={at_a_time}"
sys.argv = [
    "lm_eval", "run", "--model", "local-chat-completions", "--tasks", "cases",
    "--model_args", options + ",tokenized_requests=False",
    "--include_path", {folder!r}, "--apply_chat_template",
]
cli_evaluate()
"""
LM_EVAL_TASK = {
    "task": "cases",
    "dataset_path": "json",
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{question}}",
    "doc_to_target": "none",
    "generation_kwargs": {"until": [], "max_gen_toks": 50},
    "metric_list": [{"metric": "exact_match"}],
}


def measure(name: str, python: str, script: str, failing: float) -> None:
    kinds = ("rate_limit", "server_error", "unavailable")
    faults = at_random(dict.fromkeys(kinds, failing / 3)) if failing else None
    with tempfile.TemporaryDirectory() as folder, Loopback(latency=0.5, faults=faults) as server:
        server.record = False
        cases = [f"case {number} " + "abdominal pain for three days, " * 64 for number in range(N)]
        lines = (json.dumps({"question": case[:2_000]}) + "\n" for case in cases)
        (Path(folder) / "cases.jsonl").write_text("".join(lines))
        task = {**LM_EVAL_TASK, "dataset_kwargs": {"data_files": {"test": f"{folder}/cases.jsonl"}}}
        (Path(folder) / "cases.yaml").write_text(json.dumps(task))
        code = script.format(
            root=str(ROOT), url=server.openai_url, folder=folder, n=N, at_a_time=AT_A_TIME
        )
        log = Path(folder) / "log"
        opened = [
            (os.POSIX_SPAWN_OPEN, fd, str(log), os.O_WRONLY | os.O_CREAT, 0o600) for fd in (1,)
        ]
        opened.append((os.POSIX_SPAWN_DUP2, 1, 2))
        began = time.monotonic()
        pid = os.posix_spawn(python, [python, "-c", code], os.environ, file_actions=opened)
        _, status, used = os.wait4(pid, 0)
        took = time.monotonic() - began
        twice = sum(times > 1 for times in server.answered.values())
        print(
            f"{name:10} {took:6.1f} s wall, {used.ru_utime + used.ru_stime:5.1f} s CPU, "
            f"{used.ru_maxrss // 1024:4} MiB; {server.total:,} requests, "
            f"{len(server.answered):,} of {N:,} answered, {twice} of them more than once",
            flush=True,
        )
        if status:
            print(f"{'':10} ended with: {log.read_text().splitlines()[-1]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--other", required=True, help="the Python that has the frameworks")
    parser.add_argument("--failing", type=float, default=0.0, help="share of requests that fail")
    options = parser.parse_args()
    measure("engine", sys.executable, ENGINE, options.failing)
    measure("inspect-ai", options.other, INSPECT, options.failing)
    measure("lm-eval", options.other, LM_EVAL, options.failing)


if __name__ == "__main__":
    main()
