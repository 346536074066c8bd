"""What happens before dbt opens the warehouse, in every dbt command.

dbt-duckdb calls it when it connects. It makes the build folder, anchors a relative path at the
project root, hands the variables of the run to the models, and stops a run that cannot end well
while nothing has been touched yet. Times are in UTC.
"""

import gc
import importlib
from collections.abc import Iterable
from typing import Any

import duckdb
import pyarrow as pa
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.adapters.duckdb.utils import SourceConfig
from dbt.flags import get_flags
from dbt_common.events import functions as event_functions
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.exceptions import base as dbt_exceptions

from python_llm import paths
from python_llm.audit import secrets
from python_llm.engine import stopping
from python_llm.errors import UserError
from python_llm.job import freshness, run
from python_llm.job.admission import approvals, preflight, protection
from python_llm.job.dbt import dbt_events, dbt_tables
from python_llm.job.patients import retention
from python_llm.questions import stemming

VARIABLES = (
    *("mode", "models", "judges", "questions", "others", "max_usd", "execution"),
    *("prompts", "test_sets", "limit", "judge_runs", "judged_ranks"),
)

NODES_AT_ONCE = 2  # as profiles.yml says
OBJECTS = 50_000  # between two collections, which with Python's own 700 take a fortieth of a build


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt is Any to the checker
    """`config` of profiles.yml: what the run may do, as given on the command line."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        if not gc.get_freeze_count():  # by `kernel29 build`, which has parsed before
            gc.collect()
            gc.freeze()  # what dbt has parsed stays, and every collection would look at all of it
        gc.set_threshold(OBJECTS)
        protection.make_private()
        _keep_secrets()
        dbt_events.make_none_in_vain()
        dbt_tables.make_once()
        stopping.listen()
        self._run = {name: plugin_config[name] for name in VARIABLES}
        run.VARIABLES.update(self._run)

    def update_connection_config(self, creds: DuckDBCredentials, config: dict[str, Any]) -> None:
        try:
            preflight.check_variables(getattr(get_flags(), "VARS", None) or {})
            preflight.check_run(**self._run)
            if self._run["mode"] == "live":
                preflight.check_ledger()
                approvals.note_changes()
            warehouse = paths.resolve(creds.path)
            preflight.check_warehouse(warehouse, config)
            self._shares_cores = "threads" not in config
            if getattr(get_flags(), "WHICH", None) in ("build", "run"):
                retention.apply_before_a_build()
        except UserError as error:
            raise DbtRuntimeError(str(error)) from error
        creds.path = str(warehouse)

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        conn.execute("set global TimeZone = 'UTC'")
        _give_back(conn)
        if self._shares_cores:
            _share_cores(conn)
        stemming.register(conn)
        freshness.register(conn)

    def load(self, source_config: SourceConfig) -> pa.Table:
        """The rows of a source that may have no file yet: what the function named in its meta
        (`reader: module:function`) returns for the name of the source's table."""
        module, _, function = source_config["reader"].partition(":")
        try:
            return getattr(importlib.import_module(module), function)(source_config.name)
        except ValueError as error:
            raise DbtRuntimeError(str(error)) from error


def _share_cores(connection: duckdb.DuckDBPyConnection) -> None:
    """dbt builds NODES_AT_ONCE, and to split the small tables of each among all cores takes half as
    long again of the processor."""
    ((n,),) = connection.execute("select current_setting('threads')").fetchall()
    connection.execute(f"set global threads = {max(1, n // NODES_AT_ONCE)}")


def _give_back(connection: duckdb.DuckDBPyConnection) -> None:
    """What a statement has freed goes back to the system at once. DuckDB would keep 128 MiB of it a
    thread for the next one, and what two nodes have kept adds up."""
    for setting in ("allocator_flush_threshold", "allocator_bulk_deallocation_flush_threshold"):
        connection.execute(f"set global {setting} = '1MB'")


def _keep_secrets() -> None:
    """dbt leaves the values of some variables out of its log, errors and artifacts, wherever they
    are as they were. Ours, in every form, are left out there, too."""
    for module in (event_functions, dbt_exceptions):
        module.scrub_secrets = _without_secrets


def _without_secrets(message: Any, of_dbt: Iterable[str]) -> Any:
    text = str(message)
    clean = secrets.redacted(text)
    for secret in of_dbt:
        clean = clean.replace(secret, "*****")
    return message if clean == text else clean
