"""Time the score path on Spark, on the rows that benchmarks/score_marts.py has drawn for DuckDB.

    python benchmarks/score_marts.py --folder DIR --configurations 350
    .venv-spark/bin/python benchmarks/spark.py --folder DIR

The first command times DuckDB and leaves its warehouse in DIR; this one writes what Spark reads as
Parquet, builds the same models with `dbt run --target spark`, and prints wall, CPU, peak memory
and spilled bytes (from Spark's event log) of Spark, and the longest models.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from python_llm.job.lakehouse import inputs_of_spark, read_manifest, write_inputs

ROOT = Path(__file__).resolve().parents[1]


def spilled(events: Path) -> dict[str, int]:
    """Bytes that tasks wrote because they did not fit into memory, and what they shuffled."""
    sums = {"memory": 0, "disk": 0, "shuffled": 0}
    for log in events.rglob("*"):
        if not log.is_file():
            continue
        for line in log.read_text("utf-8", errors="replace").splitlines():
            if '"Event":"SparkListenerTaskEnd"' not in line:
                continue
            metrics = json.loads(line).get("Task Metrics") or {}
            sums["memory"] += metrics.get("Memory Bytes Spilled", 0)
            sums["disk"] += metrics.get("Disk Bytes Spilled", 0)
            written = metrics.get("Shuffle Write Metrics") or {}
            sums["shuffled"] += written.get("Shuffle Bytes Written", 0)
    return sums


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="that of score_marts.py")
    parser.add_argument("--memory", default="6g", help="of the driver, which is all of Spark here")
    parser.add_argument("--partitions", default="8", help="of a shuffle")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    lakehouse, events, settings = folder / "lakehouse", folder / "events", folder / "conf"
    for new in (events, settings):
        new.mkdir(parents=True, exist_ok=True)
    (settings / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir {events.as_uri()}\n"
        "spark.eventLog.compress false\nspark.eventLog.rolling.enabled false\n",
        encoding="utf-8",
    )
    start = time.monotonic()
    tables = inputs_of_spark(read_manifest(folder / "target"), ROOT / "selectors.yml")
    rows = write_inputs(folder / "build" / "kernel29.duckdb", lakehouse, tables)
    seconds = time.monotonic() - start
    print(f"{rows['fct_judged_diagnosis']:,} judged ranks, Parquet in {seconds:.1f} s")
    environment = os.environ | {
        "DBT_PROFILES_DIR": str(ROOT),
        "KERNEL29_LAKEHOUSE": str(lakehouse),
        "KERNEL29_SPARK_MEMORY": arguments.memory,
        "KERNEL29_SPARK_PARTITIONS": arguments.partitions,
        "KERNEL29_SPARK_CATALOG": "in-memory",
        "SPARK_CONF_DIR": str(settings),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    target = folder / "target_spark"
    command = [sys.executable, "-m", "dbt.cli.main", "run", "--target", "spark"]
    command += ["--project-dir", str(ROOT), "--target-path", str(target)]
    command += ["--log-path", str(folder / "logs")]
    start = time.monotonic()
    code = subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode
    seconds, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    bytes_of = spilled(events)
    print(
        f"on Spark in {seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU (start of dbt "
        f"and Spark included), peak memory {used.ru_maxrss / 1e6:.1f} GB; shuffled "
        f"{bytes_of['shuffled'] / 1e9:.2f} GB, spilled {bytes_of['disk'] / 1e9:.2f} GB to disk"
    )
    results = json.loads((target / "run_results.json").read_text("utf-8"))["results"]
    for result in sorted(results, key=lambda one: -one["execution_time"])[:6]:
        print(f"{result['execution_time']:8.1f} s  {result['unique_id'].rsplit('.', 1)[-1]}")
    return code


if __name__ == "__main__":
    sys.exit(main())
