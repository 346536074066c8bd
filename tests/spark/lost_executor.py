"""Intervals in a cluster of two executors, the first of which is killed while it computes.

    python tests/spark/lost_executor.py INPUT.parquet OUTPUT.parquet

A process of its own, because a process has one Spark. The executor is the grandparent of the Python
that computes: Spark's Python workers are forked by a daemon.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm.statistics.agreement import score_shifts
from python_llm.statistics.in_groups import Ordered, in_groups

KEYS = ("judge_id", "probe", "scale")
ORDER = (*KEYS, "case_id")


def parent_of(process: int) -> int:
    answer = subprocess.run(
        ["ps", "-o", "ppid=", "-p", str(process)], capture_output=True, text=True, check=True
    )
    return int(answer.stdout)


def dying(function: Callable, note: str, *readers: Callable, **options: object) -> pa.Table:
    """The function; the first time that an executor computes it, the executor is killed."""
    from pyspark import TaskContext

    if TaskContext.get() is not None:
        try:
            os.close(os.open(note, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(parent_of(os.getppid()), signal.SIGKILL)
            time.sleep(5)
    return function(*readers, **options)


def main(source: Path, result: Path) -> None:
    import pyspark

    os.environ |= {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    session = (
        pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executor.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "5")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    function = partial(dying, score_shifts, str(result.with_suffix(".killed")))
    rows = Ordered(session.read.parquet(str(source)), ORDER)
    pq.write_table(in_groups(function, [rows], KEYS, replicates=200, seed=29).toArrow(), result)
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
