"""What becomes of the items in files of recorded answers: read, cut, merged, left, and how fast.

    python benchmarks/reading.py FILE…          answers in files, one line a file
    python benchmarks/reading.py --left FILE…   and what was cut, merged or left, item by item

A file is whatever `kernel29 runs import` takes with one answer a row; its answers are looked for in
the same columns. For runs that are served, the same numbers are in rpt_recorded_run.
"""

import argparse
import collections
import time
from pathlib import Path

import duckdb
import jinja2
import pyarrow as pa

from python_llm import paths
from python_llm.imports.tables import read_table, roles
from python_llm.parsing.differential import parse_differentials
from python_llm.runs.importing import ROLES
from python_llm.runs.unreadable import failure_patterns

HEAD = ("file", "answers", "unread", "items", "read", "cut", "merged", "left", "s / 100,000")


def normalise_name() -> str:
    """The macro of that name, compiled for the column `diagnosis`."""
    file = paths.project_root() / "macros/terminology/normalise_name.sql"
    return str(jinja2.Template(file.read_text()).module.normalise_name("diagnosis"))


def answers_of(file: Path) -> list[str]:
    names = [name for names in ROLES.values() for name in names] + ["predict_diagnosis"]
    rows = read_table(file, names)
    found = roles(rows, {"answer": (*ROLES["answer"], "predict_diagnosis")}, {})
    column = found.get("answer")
    if column is None:
        raise SystemExit(f"{file.name} has no column for the answer.")
    return [row.values.get(column, "") for row in rows]


def measure(file: Path, shows_items: bool) -> None:
    texts = answers_of(file)
    table = pa.table(
        {
            "answer_key": [str(number) for number in range(1, len(texts) + 1)],
            "answer_text": pa.array(texts, pa.string()),
            "output_format": ["numbered_list"] * len(texts),
            "is_recorded": [True] * len(texts),
        }
    )
    began = time.process_time()
    parsed = parse_differentials(table, failure_patterns())
    seconds = time.process_time() - began
    read = duckdb.sql(
        f"""
        with items as (select answer_key, unnest(diagnoses, max_depth := 2) from parsed)
        select answer_key, place, rank, {normalise_name()} as name, diagnosis from items
        """
    ).fetchall()
    first: dict[tuple[str, str], int] = {}
    merged = [row for row in read if first.setdefault((row[0], row[3]), row[2]) != row[2]]
    left_rules = collections.Counter()
    issues = [(row["answer_key"], issue) for row in parsed.to_pylist() for issue in row["issues"]]
    for _, issue in issues:
        left_rules[issue["rule"]] += 1
    n_cut = left_rules.pop("cut", 0)
    for about_the_list in ("renumbered", "names_alone", "by_score", "in_prose"):
        left_rules.pop(about_the_list, 0)
    n_items = sum(parsed["n_items"].to_pylist())
    n_read, n_left = len(read) - len(merged), left_rules.total()
    assert n_items == n_read + len(merged) + n_left
    n_unread = sum(status != "ok" for status in parsed["parse_status"].to_pylist())
    per_100k = seconds / max(len(texts), 1) * 100_000
    numbers = (len(texts), n_unread, n_items, n_read, n_cut, len(merged), n_left, f"{per_100k:.0f}")
    print(" | ".join(map(str, (file.stem, *numbers))))
    if shows_items:
        for key, issue in issues:
            print(f"    {key}: rank {issue['rank']} {issue['rule']}: {issue['text'][:100]}")
        for key, _, rank, _, diagnosis in merged:
            print(f"    {key}: rank {rank} repeated: {diagnosis}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--left", action="store_true", help="show what was mended or set aside")
    options = parser.parse_args()
    print(" | ".join(HEAD))
    for file in options.files:
        measure(file, options.left)


if __name__ == "__main__":
    main()
