"""What happens before dbt opens the warehouse, in every dbt command.

The one module besides the models that knows dbt: dbt-duckdb calls it when it connects. It makes
the build folder, anchors a relative path at the project root, and stops a run that cannot end
well while nothing has been touched yet.
"""

import importlib
from typing import Any

import duckdb
import pyarrow as pa
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.adapters.duckdb.utils import SourceConfig
from dbt_common.exceptions import DbtRuntimeError

from python_llm import paths
from python_llm.engine import stopping
from python_llm.errors import UserError
from python_llm.job import preflight
from python_llm.questions import stemming

VARIABLES = (
    *("mode", "models", "judges", "questions", "others", "max_usd", "execution"),
    *("prompts", "test_sets", "limit", "judge_runs"),
)


class Plugin(BasePlugin):
    """`config` of profiles.yml: what the run may do, as given on the command line."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        stopping.listen()
        self._run = {name: plugin_config[name] for name in VARIABLES}

    def update_connection_config(self, creds: DuckDBCredentials, config: dict[str, Any]) -> None:
        try:
            preflight.check_run(**self._run)
            if self._run["mode"] == "live":
                preflight.check_ledger()
        except UserError as error:
            raise DbtRuntimeError(str(error)) from error
        warehouse = paths.resolve(creds.path)
        warehouse.parent.mkdir(parents=True, exist_ok=True)
        creds.path = str(warehouse)
        try:
            duckdb.connect(creds.path, config=dict(config)).close()
        except duckdb.IOException as error:
            raise DbtRuntimeError(
                f"The warehouse {warehouse} is in use by another process or cannot be opened: wait "
                "for the other build to end, or stop it, and run again; to read, open serve/, "
                f"which is never locked. ({str(error).splitlines()[0]})"
            ) from error

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        stemming.register(conn)

    def load(self, source_config: SourceConfig) -> pa.Table:
        """The rows of a source that may have no file yet: what the function named in its meta
        (`reader: module:function`) returns for the name of the source's table."""
        module, _, function = source_config["reader"].partition(":")
        try:
            return getattr(importlib.import_module(module), function)(source_config.name)
        except ValueError as error:
            raise DbtRuntimeError(str(error)) from error
