"""One warehouse, scored by DuckDB and by Spark; needs Java, and a build to copy."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from drawn import DRAWN

ROOT = Path(__file__).resolve().parents[2]
# With its first compiler alone Java keeps 48 MB for compiled code; a whole path fills them, and a
# full cache ends the process.
JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
# small tables: compiling plans, or planning again half-way, would take longer than running them
SESSION = {
    "spark.driver.memory": "3g",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": os.environ.get("KERNEL29_SPARK_PARTITIONS", "3"),
    "spark.sql.session.timeZone": "UTC",
}


def pytest_addoption(parser):
    parser.addoption("--from-ranks", action="store_true", help="Spark builds the scores alone")


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("lakehouse")


@pytest.fixture(scope="session")
def spark(folder) -> Iterator:
    if shutil.which("java") is None:
        pytest.fail("There is no Java on this machine: see docs/scale.md")
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in {**SESSION, "spark.sql.warehouse.dir": str(folder / "tables")}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@dataclass(frozen=True)
class Path29:
    """What a run on Spark builds, as nodes of the manifest, and the names of what it reads."""

    nodes: list[dict]
    inputs: list[str]

    @property
    def built(self) -> list[str]:
        return [node["alias"] for node in self.nodes]

    @property
    def marts(self) -> list[str]:
        return [node["alias"] for node in self.nodes if node["config"]["access"] == "public"]

    @property
    def partitions(self) -> dict[str, list[str]]:
        """The columns whose values are folders, by table."""
        return {
            node["alias"]: columns
            for node in self.nodes
            if (columns := node["config"].get("partition_by"))
        }


def dbt(folder: Path, *arguments: str, project: Path = ROOT, target: Path | None = None) -> None:
    """A dbt command on the copy of the warehouse, in a process of its own."""
    own = ["--target-path", str(target or folder / "target"), "--log-path", str(folder / "logs")]
    done = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", *arguments, "--project-dir", str(project), *own],
        cwd=project,
        env=os.environ
        | {
            "DBT_PROFILES_DIR": str(ROOT),
            "KERNEL29_BUILD_DIR": str(folder),
            "KERNEL29_SERVE_DIR": str(folder / "serve"),
            "KERNEL29_LEDGER_DIR": str(folder / "ledger"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def path_of(folder: Path, selector: str) -> Path29:
    from python_llm.job.serving import lakehouse

    manifest = lakehouse.read_manifest(folder / "target")
    names = lakehouse.path_of_spark(manifest, ROOT / "selectors.yml", selector)
    nodes = [manifest["nodes"][name] for name in names]
    return Path29(nodes, lakehouse.inputs_of_spark(manifest, names))


@pytest.fixture(scope="session")
def path29(folder, warehouse, pytestconfig) -> Path29:
    is_short = pytestconfig.getoption("--from-ranks")
    return path_of(folder, "spark_from_ranks" if is_short else "spark")


@pytest.fixture(scope="session")
def warehouse(folder) -> Path:
    """A copy of the build with the drawn rows added, read, judged and scored by DuckDB."""
    copy = folder / "kernel29.duckdb"
    shutil.copyfile(ROOT / "build" / "kernel29.duckdb", copy)
    with duckdb.connect(str(copy)) as connection:
        for statement in DRAWN.split(";\n"):
            connection.execute(statement)
            if added := re.search(r"^-- add (\w+)$", statement, re.MULTILINE):
                connection.execute(f"insert into {added[1]} by name from drawn")
    dbt(folder, "run", "--selector", "spark")
    return copy


def on_spark(folder: Path, models: list[str]) -> None:
    """Builds the models in the session of this process."""
    from dbt.cli.main import dbtRunner

    os.environ |= {"KERNEL29_LAKEHOUSE": str(folder), "DBT_PROFILES_DIR": str(ROOT)}
    own = ["--target-path", str(folder / "target_spark"), "--log-path", str(folder / "logs")]
    command = ["run", "--target", "spark", "--project-dir", str(ROOT), *own, "--select", *models]
    done = dbtRunner().invoke(command)
    failed = [
        f"{result.node.name}: {result.message}"
        for result in done.result or []
        if result.status not in ("success", "pass")
    ]
    assert done.success, failed or done.exception


@pytest.fixture(scope="session")
def lakehouse(folder, spark, warehouse, path29) -> Path:
    """What Spark makes of the same rows."""
    from python_llm.job.serving.lakehouse import write_inputs

    write_inputs(warehouse, folder, path29.inputs)
    on_spark(folder, path29.built)
    return folder
