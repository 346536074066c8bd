"""dbt-spark for models written in DuckDB's SQL, and for their Python steps in a Spark session."""

import os
import sys
from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.kernel29spark.translation import translate
from dbt.adapters.spark.connections import SparkConnectionManager, SparkCredentials
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError
from sqlglot import exp
from sqlglot.errors import SqlglotError

# workers run the Python that runs here, unless the cluster says otherwise
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


WAREHOUSE = "spark.sql.warehouse.dir"


def absolute(folder: str) -> str:
    """A folder as every part of Spark finds it, which looks for a relative one below its tables; an
    address (s3://bucket) as it is."""
    return folder if "://" in folder else os.path.abspath(folder)


@dataclass
class Kernel29SparkCredentials(SparkCredentials):
    def __post_init__(self) -> None:
        super().__post_init__()
        # dbt-spark turns it off; a number that overflows has to stop the model, as in DuckDB
        self.server_side_parameters["spark.sql.ansi.enabled"] = "true"
        # a catalog that keeps a list of partitions forgets them where a table is renamed, and the
        # table is empty; found by their folders they are all there, and so are those of workers
        self.server_side_parameters["spark.sql.hive.manageFilesourcePartitions"] = "false"
        if WAREHOUSE in self.server_side_parameters:
            tables = self.server_side_parameters[WAREHOUSE]
            self.server_side_parameters[WAREHOUSE] = absolute(tables)

    @property
    def type(self) -> str:
        return "kernel29spark"


class Kernel29SparkConnectionManager(SparkConnectionManager):
    TYPE = "kernel29spark"


class Kernel29SparkAdapter(SparkAdapter):
    ConnectionManager = Kernel29SparkConnectionManager

    @available
    def translate(self, sql: str) -> str:
        """A model's SQL as Spark runs it. A construct without an equivalent stops the model."""
        try:
            return translate(sql, self._columns_of)
        except (ValueError, SqlglotError) as error:
            raise DbtRuntimeError(f"This SQL has no form for Spark: {error}") from error

    @available
    def absolute(self, folder: str) -> str:
        """As the function of this name."""
        return absolute(folder)

    def _columns_of(self, table: exp.Table) -> list[str]:
        name = ".".join(part.name for part in table.parts)
        _, rows = self.execute(f"select * from {name} limit 0", fetch=True)
        return list(rows.column_names)

    def submit_python_job(
        self, parsed_model: dict[str, Any], compiled_code: str
    ) -> AdapterResponse:
        """Runs a Python model in the session of this process; its rows stay in the executors."""
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        scope: dict[str, Any] = {"__name__": parsed_model["name"]}
        exec(compile(compiled_code, parsed_model["original_file_path"], "exec"), scope)
        frame = scope["model"](scope["dbtObj"](session.table), session)
        if not hasattr(frame, "sparkSession"):  # few rows, computed from few numbers
            frame = session.createDataFrame(frame)
        name = f"{parsed_model['schema']}.{parsed_model['alias']}"
        file_format = parsed_model["config"].get("file_format") or "parquet"
        partitions = parsed_model["config"].get("partition_by") or []
        writer = frame.write.format(file_format).mode("overwrite").partitionBy(*partitions)
        writer.saveAsTable(name)
        return AdapterResponse(_message="OK")
