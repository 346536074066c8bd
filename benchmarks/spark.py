"""Time the score path on DuckDB and on Spark, on the same drawn rows and the same machine.

    .venv-spark/bin/python benchmarks/spark.py --folder DIR --configurations 350
    .venv-spark/bin/python benchmarks/spark.py --folder DIR --test-sets 4 --only duckdb

The rows are those of benchmarks/score_marts.py, drawn into a copy of the built warehouse: 350
configurations on 200 cases with five ranks and three judges make a million judged ranks. Both
engines then build what follows the judged diagnoses with `dbt run`. Wall, CPU and peak memory are
of all processes of the run, Java and Python workers included; what Spark shuffled and spilled is
from its event log.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import watching
from score_marts import fill

from python_llm.job.serving.lakehouse import (
    FROM_RANKS,
    inputs_of_spark,
    path_of_spark,
    read_manifest,
    write_inputs,
)

ROOT = Path(__file__).resolve().parents[1]


def watched(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Runs a command and says what it and everything it started took."""
    process = subprocess.Popen(
        command, env=environment, cwd=ROOT, start_new_session=True, text=True
    )
    taken = watching.watched(process)
    return process.returncode, (
        f"{taken.seconds:.0f} s, {taken.cpu:.0f} s of CPU, start of dbt included; peak memory "
        f"{taken.peak / 1e9:.1f} GB"
    )


def spilled(events: Path) -> str:
    """What tasks wrote because it did not fit into memory, and what they shuffled."""
    spill = shuffle = 0
    for log in events.rglob("*"):
        for line in log.read_text("utf-8", errors="replace").splitlines() if log.is_file() else ():
            if '"Event":"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                spill += metrics.get("Disk Bytes Spilled", 0)
                written = metrics.get("Shuffle Write Metrics") or {}
                shuffle += written.get("Shuffle Bytes Written", 0)
    return f"shuffled {shuffle / 1e9:.2f} GB, spilled {spill / 1e9:.2f} GB to disk"


def longest(target: Path) -> str:
    results = json.loads((target / "run_results.json").read_text("utf-8"))["results"]
    results.sort(key=lambda result: -result["execution_time"])
    return ", ".join(
        f"{result['unique_id'].rsplit('.', 1)[-1]} {result['execution_time']:.0f} s"
        for result in results[:5]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="scratch folder, may be new")
    parser.add_argument("--configurations", type=int, default=350)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--judges", type=int, default=3)
    parser.add_argument("--test-sets", type=int, default=1)
    parser.add_argument("--only", choices=["duckdb", "spark"])
    parser.add_argument("--again", action="store_true", help="keep the rows of the last run")
    parser.add_argument("--memory", default="6g", help="of Spark's driver, which is all of it here")
    parser.add_argument("--duckdb-memory", default="4GB", help="what DuckDB may hold")
    parser.add_argument("--partitions", default="8", help="of a shuffle")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    warehouse, lakehouse = folder / "build" / "kernel29.duckdb", folder / "lakehouse"
    events, settings = folder / "events", folder / "conf"
    for new in (warehouse.parent, events, settings):
        new.mkdir(parents=True, exist_ok=True)
    (settings / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir {events.as_uri()}\n"
        "spark.eventLog.compress false\nspark.eventLog.rolling.enabled false\n",
        encoding="utf-8",
    )
    environment = os.environ | {
        "DBT_PROFILES_DIR": str(ROOT),
        "KERNEL29_BUILD_DIR": str(warehouse.parent),
        "KERNEL29_SERVE_DIR": str(folder / "serve"),
        "KERNEL29_LEDGER_DIR": str(folder / "ledger"),
        "KERNEL29_LAKEHOUSE": str(lakehouse),
        "KERNEL29_DUCKDB_MEMORY": arguments.duckdb_memory,
        "KERNEL29_SPARK_MEMORY": arguments.memory,
        "KERNEL29_SPARK_PARTITIONS": arguments.partitions,
        "KERNEL29_SPARK_CATALOG": "in-memory",
        "SPARK_CONF_DIR": str(settings),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    if not arguments.again:
        shutil.copyfile(ROOT / "build" / "kernel29.duckdb", warehouse)
        fill(
            warehouse,
            configurations=arguments.configurations,
            cases=arguments.cases,
            judges=arguments.judges,
            test_sets=arguments.test_sets,
        )
    dbt = [sys.executable, "-m", "dbt.cli.main"]
    command = [*dbt, "run", "--project-dir", str(ROOT), "--log-path", str(folder / "logs")]
    command += ["--selector", FROM_RANKS, "--target-path"]
    code = 0
    if arguments.only == "spark":
        parse = [*dbt, "parse", "--project-dir", str(ROOT), "--target-path", str(folder / "target")]
        subprocess.run(parse, env=environment, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        code, took = watched([*command, str(folder / "target")], environment)
        print(f"DuckDB: {took}\n  {longest(folder / 'target')}", flush=True)
    if arguments.only != "duckdb" and code == 0:
        manifest = read_manifest(folder / "target")
        path = path_of_spark(manifest, ROOT / "selectors.yml", FROM_RANKS)
        tables = inputs_of_spark(manifest, path)
        rows = write_inputs(warehouse, lakehouse, tables)["fct_judged_diagnosis"]
        print(f"{rows:,} judged ranks", flush=True)
        target = folder / "target_spark"
        code, took = watched([*command, str(target), "--target", "spark"], environment)
        print(f"Spark: {took}; {spilled(events)}\n  {longest(target)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
