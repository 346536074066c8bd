"""Measure what benchmarks/figures.csv names, keep it, and say what has become worse: `make bench`.

    python benchmarks/bench.py --folder DIR        measure, all or --only some of it
    python benchmarks/bench.py --page              write RESULTS.md from the history alone

Every command runs in a process of its own on folders below DIR; DIR in a command is that folder.
benchmarks/history.csv gets a line per figure. A figure is worse if it differs from the median of up
to five measurements before, on the same machine and Python, by more than its tolerance; then the
exit code is 1. On a machine that others use, seconds of CPU say more than seconds.
"""

import argparse
import csv
import datetime as dt
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "benchmarks" / "figures.csv"
HISTORY = ROOT / "benchmarks" / "history.csv"
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
COLUMNS = ("measured_on", "commit", "machine", "python", "figure", "value")
INTRODUCTION = """# Measurements

`make bench` measures these on scratch folders, adds a line for each to [the history](history.csv)
and writes this page whole: nothing is edited here. A figure is **worse** if it differs from the
median of up to five measurements before, on the same machine and Python, by more than its tolerance
([figures.csv](figures.csv)); `make bench` then ends with 1 and its name. CPU says more than seconds
where others use the machine. What people measured by hand, at first sight or with data that may not
be shipped, is in [the findings](FINDINGS.md).
"""
COMPARED = 5  # measurements before
LONGEST = 3600  # seconds a command may take
# Whose data are not measured: folders of the user, and what dbt has parsed.
FOLDERS = (
    *("BUILD", "SERVE", "LEDGER", "DATA", "EXPERIMENTS", "BASELINES", "AUDIT"),
    *("CASES", "RUNS", "LABELS", "TERMINOLOGY"),
)

Row = Mapping[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", default="", help="what the name of a figure contains")
    parser.add_argument("--page", action="store_true", help="write the page only")
    options = parser.parse_args()
    figures = read(FIGURES)
    history = read(HISTORY)
    worse: list[str] = []
    if not options.page:
        chosen = [row for row in figures if options.only.lower() in row["figure"].lower()]
        measured = measure(chosen, options.folder)
        worse = regressions(figures, history, measured)
        history = [*history, *measured]
        write(history)
    RESULTS.write_text(page(figures, history), "utf-8")
    for line in worse:
        print(line)
    sys.exit(bool(worse))


def measure(figures: Iterable[Row], folder: Path) -> list[Row]:
    """A line of the history for each figure; a command that several need runs once."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        **{f"KERNEL29_{name}_DIR": str(folder / name.lower()) for name in FOLDERS},
        "DBT_TARGET_PATH": str(folder / "target"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    ran: dict[str, Mapping[str, float | str]] = {}
    lines = []
    for figure in figures:
        command = figure["command"]
        if command not in ran:
            ran[command] = run(command.replace("DIR", str(folder)), environment)
        value = value_of(figure["measure"], ran[command], folder / "serve")
        print(f"{figure['figure']}: {value:.4g} {figure['unit']}", flush=True)
        lines.append({**here(), "figure": figure["figure"], "value": f"{value:.4g}"})
    return lines


def run(command: str, environment: Mapping[str, str]) -> Mapping[str, float | str]:
    """Seconds, seconds of CPU, most MiB and what was printed. Ends if the command fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(
        command.split(), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST
    )
    seconds = time.monotonic() - started
    if done.returncode:
        sys.exit(f"{command} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "wall": seconds,
        "cpu": cpu,
        "peak": after.ru_maxrss / 1024,  # of the largest process until now
        "printed": done.stdout,
    }


def value_of(measure: str, ran: Mapping[str, float | str], served: Path) -> float:
    """What a figure measures of a command: a kind of `run`, the size of what is served in MB, or
    the number that a pattern finds in what was printed."""
    if measure == "served":
        return sum(file.stat().st_size for file in (served / ".current").rglob("*.*")) / 1e6
    if measure in ran:
        return float(ran[measure])
    found = re.search(measure, str(ran["printed"]))
    if not found:
        sys.exit(f"Nothing that was printed is like {measure}: correct benchmarks/figures.csv.")
    return float(found[1])


def regressions(figures: Iterable[Row], history: list[Row], measured: Iterable[Row]) -> list[str]:
    """A line for each figure that is worse than before by more than its tolerance."""
    rules = {row["figure"]: row for row in figures}
    lines = []
    for row in measured:
        rule, before = rules[row["figure"]], earlier(history, row)
        if is_worse(rule, before, row):
            lines.append(
                f"worse: {row['figure']}: {float(row['value']):g} {rule['unit']}, usually "
                f"{statistics.median(before):g} "
                f"(median of {len(before)} measurements on this machine)"
            )
    return lines


def earlier(history: Iterable[Row], row: Row) -> list[float]:
    """The last measurements of the same figure on the same machine and Python."""
    return [float(line["value"]) for line in history if is_comparable(line, row)][-COMPARED:]


def is_worse(rule: Row, before: list[float], row: Row) -> bool:
    if not before:
        return False
    usual, now, tolerance = statistics.median(before), float(row["value"]), float(rule["tolerance"])
    if rule["better"] == "less":
        return now > usual * (1 + tolerance)
    return now < usual / (1 + tolerance)


def is_comparable(line: Row, row: Row) -> bool:
    return all(line[name] == row[name] for name in ("figure", "machine", "python"))


def page(figures: Iterable[Row], history: Iterable[Row]) -> str:
    """The whole page: a table for each part, with the last measurement of each figure, what was
    usual before, the best, and its peer."""
    parts: dict[str, list[str]] = {}
    for figure in figures:
        rows = [row for row in history if row["figure"] == figure["figure"]]
        if rows:
            parts.setdefault(figure["part"], []).append(line_of(figure, rows))
    head = (
        "| figure | last | usual before | best | | peer | command | when, where |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    tables = [f"## {part}\n\n{head}" + "".join(lines) for part, lines in parts.items()]
    return "\n".join([INTRODUCTION, *tables])


def line_of(figure: Row, rows: list[Row]) -> str:
    last = rows[-1]
    comparable = [float(row["value"]) for row in rows if is_comparable(row, last)]
    before = comparable[:-1][-COMPARED:]
    best = min(comparable) if figure["better"] == "less" else max(comparable)
    cells = (
        figure["figure"],
        f"{float(last['value']):g} {figure['unit']}".strip(),
        f"{statistics.median(before):g}" if before else "",
        f"{best:g}",
        "**worse**" if is_worse(figure, before, last) else "",
        figure["peer"],
        f"`{figure['command']}`",
        f"{last['measured_on']}, {last['machine']}, Python {last['python']}, {last['commit']}",
    )
    return f"| {' | '.join(cells)} |\n"


def here() -> dict[str, str]:
    """When, where and of which commit something is measured."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    processors = Path("/proc/cpuinfo")
    text = processors.read_text(encoding="utf-8") if processors.is_file() else ""
    model = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    name = re.sub(r"\s+", " ", model[1] if model else platform.processor() or platform.machine())
    return {
        "measured_on": dt.date.today().isoformat(),
        "commit": commit or "no clone",
        "machine": f"{os.cpu_count()} × {name}",
        "python": platform.python_version(),
    }


def read(file: Path) -> list[Row]:
    """The rows of a table; none if there is none yet."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def write(history: Iterable[Row]) -> None:
    with HISTORY.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)


if __name__ == "__main__":
    main()
