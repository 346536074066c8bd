"""What a build costs beside an empty dbt project of as many nodes, and whether it is right.

    python benchmarks/build.py --folder DIR                  the ratios
    python benchmarks/build.py --folder DIR --changes 200    random changes, compared with builds of
                                                             everything every tenth time

DIR gets a copy of this project and an empty one; nothing of this one is touched. The empty project
has a model that selects 1 for each model and seed, a test that selects nothing for each test, in
chains as long as the longest here, and is built with plain dbt.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import watching

ROOT = Path(__file__).resolve().parents[1]
LEVELS = 32
PROMPT = "python_llm/prompts/dxgpt_standard/output_format.txt"
PARAMETERS = "seeds/experiments/parameters.csv"
PROFILE = """
empty:
  target: dev
  outputs: {dev: {type: duckdb, path: empty.duckdb, threads: 2}}
"""
# Differ between any two builds: measured times, ids of runs, sizes of files.
DIFFERS = ("_ms", "run_id", "started_at", "seen_at", "generation_usd", "timestamp", "id")
LEFT_OUT = ("int_quality__publication", "fct_eval_result", "int_recommendations__run")
# what an evaluation measures, and one more of which there is after each build
LEFT_OUT += ("int_recommendations__run_results", "int_recommendations__eval_history")
# Texts that state a measured time, and the times in them.
TIMED = ("reason", "recommendation_json")
PEAKS: list[int] = []  # of each build, all its processes together
TIMES = r'[0-9.]+ ms of|"(retrieve|recommend)": ?[0-9.]+'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--changes", type=int, default=0)
    parser.add_argument("--seed", type=int, default=29)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    project = copied(options.folder / "project")
    if options.changes:
        sys.exit(random_changes(project, options.folder, options.changes, options.seed))
    ratios(project, options.folder)


def ratios(project: Path, folder: Path) -> None:
    """Print the seconds of each build and its ratio to the empty project."""
    build(project)  # parses, and leaves something to build upon
    manifest = json.loads((project / "target" / "manifest.json").read_text())
    kinds = [node["resource_type"] for node in manifest["nodes"].values()]
    empty = empty_project(folder / "empty", len(kinds) - kinds.count("test"), kinds.count("test"))
    dbt = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--quiet", "build"]
    seconds(dbt, empty)  # parses
    measured = {"empty project, plain dbt": seconds(dbt, empty)}
    measured["nothing changed"] = build(project)
    write(project / PROMPT, "Please. " + (project / PROMPT).read_text())
    measured["a word of a prompt"] = build(project)
    measured["everything"] = build(project, "--full")
    whole = measured["empty project, plain dbt"]
    for name, took in measured.items():
        print(f"{name:28}{took:8.1f} s{took / whole:8.2f}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{'peak of the largest process':28}{peak:8.0f} MiB")
    print(f"{'peak of all together':28}{max(PEAKS) / 2**20:8.0f} MiB")


def random_changes(project: Path, folder: Path, n_changes: int, seed: int) -> int:
    """Apply changes one after another; the number of comparisons that failed."""
    draw = random.Random(seed)
    build(project)
    n_failed = 0
    for number in range(1, n_changes + 1):
        name = draw.choice(list(CHANGES))
        CHANGES[name](project)
        took = build(project)
        print(f"{number:4} {name:32}{took:6.1f} s", flush=True)
        if number % 10 and number != n_changes:
            continue
        afresh = folder / "afresh"
        shutil.rmtree(afresh, ignore_errors=True)
        leave = shutil.ignore_patterns("build", "serve", "logs", ".venv")
        shutil.copytree(project, afresh, ignore=leave, symlinks=True)
        build(afresh, "--full")
        one, other = contents(project), contents(afresh)
        wrong = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
        print(f"     compared {len(other)} tables and files: {wrong or 'equal'}", flush=True)
        n_failed += bool(wrong)
    return n_failed


def toggled(name: str, one: str, other: str) -> Callable[[Path], None]:
    """A change of a file that undoes itself the next time."""

    def toggle(project: Path) -> None:
        text = (project / name).read_text()
        old, new = (one, other) if one in text else (other, one)
        if old not in text:
            raise SystemExit(f"{name} has no {one}: the change has to be written anew")
        write(project / name, text.replace(old, new, 1))

    return toggle


def executed(*statements: str) -> Callable[[Path], None]:
    """A change of the warehouse by hand."""

    def execute(project: Path) -> None:
        with duckdb.connect(str(project / "build" / "kernel29.duckdb")) as connection:
            for statement in statements:
                connection.execute(statement)

    return execute


CHANGES: dict[str, Callable[[Path], None]] = {
    "word of a prompt": toggled(PROMPT, "{", "Please. {"),
    "row of a seed (price)": toggled("seeds/calls/llm_prices.csv", ",10.00,0.5", ",10.10,0.5"),
    "row of a seed (parameter)": toggled(PARAMETERS, "weight,0.15", "weight,0.16"),
    "comment in a macro": toggled("macros/experiments/judges.sql", "{#", "{#  "),
    "comment in a model": toggled(
        "models/marts/experiments/scoring/fct_case_score.sql", "select", "-- rows\nselect"
    ),
    "description": toggled("models/marts/test_sets/_test_sets__models.yml", "One row", "A row"),
    "module": toggled("python_llm/parsing/numbered_list.py", '"""', '"""  '),
    "deleted table": executed("drop table if exists main.dim_case"),
    "altered row": executed("update main.dim_disease set disease_name = lower(disease_name)"),
    "altered comment": executed("comment on table main.dim_case is 'mine'"),
    "served file": lambda project: write(project / "serve/parquet/dim_case.parquet", "mine"),
    "touched file": lambda project: (project / "dbt_project.yml").touch(),
}


def contents(project: Path) -> dict[str, str]:
    """A digest of every table with its comments, and of every served file's rows."""
    digests = {}
    with duckdb.connect(str(project / "build" / "kernel29.duckdb"), read_only=True) as connection:
        names = connection.execute(
            "select table_name from information_schema.tables where table_schema = 'main'"
        ).fetchall()
        comments = connection.execute(
            "select table_name, column_name, comment from duckdb_columns()"
            " union all select table_name, '', comment from duckdb_tables() order by all"
        ).fetchall()
        digests["comments"] = digest([row for row in comments if row[2] is not None])
        for (name,) in names:
            if name not in LEFT_OUT:
                digests[name] = digest(rows(connection, f'main."{name}"'))
    for file in (project / "serve" / "parquet").glob("*.parquet"):
        if file.stem not in LEFT_OUT:
            with duckdb.connect() as connection:
                digests[file.name] = digest(rows(connection, f"'{file}'"))
    return digests


def rows(connection: duckdb.DuckDBPyConnection, relation: str) -> list[tuple[object, ...]]:
    """Types, number and sum of hashes of a relation, without what differs in every build."""
    columns = [row[:2] for row in connection.execute(f"describe from {relation}").fetchall()]
    kept = [
        f"regexp_replace(\"{name}\"::varchar, '{TIMES}', '', 'g')"
        if name in TIMED
        else f'round("{name}", 9)'
        if kind == "DOUBLE"
        else f'"{name}"'
        for name, kind in columns
        if not name.endswith(DIFFERS[:1]) and name not in DIFFERS[1:-1]
    ]
    query = f"select count(*), sum(hash({', '.join(kept)})) from {relation}"
    return [tuple(columns), *connection.execute(query).fetchall()]


def build(project: Path, *options: str) -> float:
    """`kernel29 build` in a project; how many seconds it took."""
    return seconds([sys.executable, "-m", "python_llm.console.cli", "build", *options], project)


def seconds(command: list[str], folder: Path) -> float:
    # where a bench keeps its own, and what would have every library compiled each time
    left_out = ("KERNEL29_", "DBT_", "PYTHONDONTWRITEBYTECODE")
    own = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**own, "PYTHONPATH": str(folder)},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        taken = watching.watched(process)
        PEAKS.append(taken.peak)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)}\n{output.read()[-6000:]}")
    return taken.seconds


def copied(project: Path) -> Path:
    """The files of this project that git knows, in a folder of their own."""
    if not project.exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            target = project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    return project


def empty_project(folder: Path, n_models: int, n_tests: int) -> Path:
    """A dbt project of so many models, in chains of LEVELS, and tests that do nothing."""
    (folder / "models").mkdir(parents=True, exist_ok=True)
    (folder / "tests").mkdir(exist_ok=True)
    write(folder / "profiles.yml", PROFILE)
    write(
        folder / "dbt_project.yml", "name: empty\nprofile: empty\nmodels: {+materialized: table}\n"
    )
    for number in range(n_models):
        above = f"from {{{{ ref('m{number - 1}') }}}}" if number % LEVELS else ""
        write(folder / "models" / f"m{number}.sql", f"select 1 as one {above}\n")
    for number in range(n_tests):
        model = number % n_models
        write(
            folder / "tests" / f"t{number}.sql",
            f"select * from {{{{ ref('m{model}') }}}} limit 0\n",
        )
    return folder


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def digest(content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=8).hexdigest()


if __name__ == "__main__":
    main()
