"""The target `served`: what is served, read by dbt and MetricFlow from any folder of the project.

dbt-duckdb calls it when it connects.
"""

from typing import Any

from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.flags import get_flags
from dbt_common.exceptions import DbtRuntimeError

from python_llm import paths

WRITERS = ("build", "clone", "retry", "run", "run-operation", "seed", "snapshot")
# what reads tables and files that are not served
OF_THE_WAREHOUSE = {"test": "dbt test", "freshness": "dbt source freshness"}


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt is Any to the checker
    """Takes no configuration."""

    def update_connection_config(self, creds: DuckDBCredentials, config: dict[str, Any]) -> None:
        command = getattr(get_flags(), "WHICH", None)
        if command in WRITERS:
            raise DbtRuntimeError(
                f"The target served is for reading, and dbt {command} writes: leave out --target."
            )
        if command in OF_THE_WAREHOUSE:
            raise DbtRuntimeError(
                f"The target served has the public tables alone, and {OF_THE_WAREHOUSE[command]} "
                "reads the warehouse: leave out --target."
            )
        served = paths.resolve(creds.path)
        if not served.is_file():
            raise DbtRuntimeError(f"Nothing is served yet in {served}: run kernel29 build first.")
        creds.path = str(served)
