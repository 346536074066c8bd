"""Lets every dbt command note in the warehouse what it builds (macros/dbt/state.sql).

dbt-duckdb calls it when it connects. A plain `dbt build` leaves the same notes as `kernel29 build`.
"""

import json
from functools import lru_cache
from pathlib import Path

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.flags import get_flags
from dbt_common.invocation import get_invocation_id

from python_llm import paths
from python_llm.job.changes import state
from python_llm.job.changes.fingerprints import Project


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt is Any to the checker
    """Takes no configuration."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        state.RUN.find = parsed_just_now
        if is_partial():
            state.RUN = state.Run()  # what it leaves is stale to the next build
        state.register(conn)


def is_partial() -> bool:
    """Whether the running command leaves rows out, or may read what another warehouse holds."""
    flags = get_flags()
    if any(getattr(flags, name, None) for name in ("EMPTY", "SAMPLE")):
        return True
    state_folder = getattr(flags, "DEFER_STATE", None) or getattr(flags, "STATE", None)
    return bool(getattr(flags, "DEFER", None)) and not defers_to_itself(Path(state_folder or "."))


@lru_cache(maxsize=1)
def defers_to_itself(folder: Path) -> bool:
    """Whether the manifest in a folder has every model and seed where this project has it, so that
    what `--defer` reads in its place is the same table."""
    try:
        theirs, ours = (
            {
                unique_id: node["relation_name"]
                for unique_id, node in json.loads(file.read_bytes())["nodes"].items()
                if node.get("relation_name")
            }
            for file in (folder / "manifest.json", target_folder() / "manifest.json")
        )
    except (OSError, ValueError, KeyError):
        return False
    return all(ours.get(name, relation) == relation for name, relation in theirs.items())


def target_folder() -> Path:
    """Where the dbt of this process writes what it has parsed."""
    return paths.resolve(getattr(get_flags(), "TARGET_PATH", None) or "target")


def parsed_just_now() -> Project | None:
    """The project that the running dbt command has parsed; None if it was given one, or wrote none:
    what is built then is stale to the next `kernel29 build`."""
    return _parsed_by(get_invocation_id())


@lru_cache(maxsize=1)  # every node asks
def _parsed_by(invocation_id: str) -> Project | None:
    try:
        project = Project.read(target_folder(), getattr(get_flags(), "VARS", None) or {})
    except (OSError, ValueError, KeyError):
        return None
    return project if project.manifest["metadata"]["invocation_id"] == invocation_id else None
