"""Thirty recorded runs from a folder of a few: imported as folders, judged and served in one build.

    python benchmarks/recorded_runs.py DIAGNOSES LABELS --folder DIR --test-set FILES=OURS …

DIAGNOSES and LABELS hold diagnoses_SET_MODEL.csv and scores_SET_MODEL.csv, a row a case in the
order of the test set. They are repeated under other names of models, each with its rows shuffled
in its own way and a column case_id, until there are thirty. The test sets must have been imported
into the folders that KERNEL29_CASES_DIR and its siblings name. Prints what each step took, and
the labels' own top-1 and top-5 of every run, over all cases and over the labels that are written
plainly (P0 to P5), as some published tables count.
"""

import argparse
import csv
import random
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from python_llm import paths

SEED = 29


def rows_of(file: Path) -> list[dict[str, str]]:
    csv.field_size_limit(2**24)
    with file.open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def write_shuffled(rows: list[dict[str, str]], file: Path, test_set: str) -> None:
    """The rows with the ids of their cases, in an order of the file's own."""
    numbered = [{"case_id": f"{test_set}/{number:04}", **row} for number, row in enumerate(rows, 1)]
    random.Random(f"{SEED} {file.name}").shuffle(numbered)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, numbered[0])
        writer.writeheader()
        writer.writerows(numbered)


def repeat(diagnoses: Path, labels: Path, folder: Path, sets: dict[str, str], number: int) -> None:
    sources = sorted(diagnoses.glob("diagnoses_*.csv"))
    for copy in range(number):
        file = sources[copy % len(sources)]
        name = file.stem.removeprefix("diagnoses_")
        written = next(each for each in sets if name.startswith(f"{each}_"))
        model = name.removeprefix(f"{written}_").replace("_", "-")
        renamed = f"{sets[written]}@{model}{'' if copy < len(sources) else f'-{copy}'}.csv"
        for kind, source in (("answers", file), ("labels", labels / f"scores_{name}.csv")):
            write_shuffled(rows_of(source), folder / kind / renamed, sets[written])


def timed(*command: str) -> None:
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "python_llm.console.cli", *command],
        cwd=paths.project_root(),
        capture_output=True,
        text=True,
    )
    print(f"{time.monotonic() - started:6.1f} s  kernel29 {' '.join(command[:2])}", flush=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("diagnoses", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--test-set", action="append", required=True, metavar="FILES=OURS")
    parser.add_argument("--number", type=int, default=30)
    given = parser.parse_args()
    sets = dict(each.split("=", 1) for each in given.test_set)
    repeat(given.diagnoses, given.labels, given.folder, sets, given.number)
    timed(
        *("runs", "import", str(given.folder / "answers"), "--name", "{test_set}@{model}"),
        *("--labels", str(given.folder / "labels"), "--labels-name", "{test_set}@{model}"),
        *("--prompt", "dxgpt"),
    )
    timed("build")
    with duckdb.connect(str(paths.served_database()), read_only=True) as served:
        shares = ", ".join(
            f"round(100 * {name}, 2) as {name}"
            for name in ("top1", "top5", "top1_of_plain", "top5_of_plain")
        )
        served.sql(
            f"select configuration_id, n_cases, n_written_plainly, {shares} "
            "from rpt_label_grading order by all"
        ).show(max_rows=100)


if __name__ == "__main__":
    main()
