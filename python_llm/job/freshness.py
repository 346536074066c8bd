"""How old what a build reads from outside is: `dbt source freshness` asks, in SQL.

The sources' yml calls newest_file('cases') in its loaded_at_query.
"""

import datetime as dt
import os
from pathlib import Path

import duckdb

from python_llm import paths
from python_llm.job.changes.digests import files_below

# What a source may ask for, with the variable that moves its folder.
FOLDERS = {
    "audit": ("KERNEL29_AUDIT_DIR", "data/audit"),
    "baselines": ("KERNEL29_BASELINES_DIR", "baselines"),
    "cases": ("KERNEL29_CASES_DIR", "data/cases"),
    "experiments": ("KERNEL29_EXPERIMENTS_DIR", "experiments"),
    "labels": ("KERNEL29_LABELS_DIR", "data/labels"),
    "ledger": ("KERNEL29_LEDGER_DIR", "ledger"),
    "runs": ("KERNEL29_RUNS_DIR", "data/runs"),
    "terminology": ("KERNEL29_TERMINOLOGY_DIR", "data/terminology"),
}
OF_DATA = ("checks", "feedback", "questions")  # below KERNEL29_DATA_DIR
GOLDEN = "seeds/recommendations/golden_set"


def folder_of(name: str) -> Path:
    """Where the files of a source are. Raises LookupError for a name that is none."""
    if name == "golden_set":
        return paths.resolve(GOLDEN)
    if name in OF_DATA:
        return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / name
    variable, default = FOLDERS[name]
    return paths.resolve(os.environ.get(variable, default))


def newest_file(name: str) -> dt.datetime:
    """When the newest file of a source was written, in UTC; now, if it has none: nothing was
    imported, so nothing is old."""
    times = [file.stat().st_mtime for file in files_below(folder_of(name))]
    now = dt.datetime.now(dt.UTC)
    newest = dt.datetime.fromtimestamp(max(times), dt.UTC) if times else now
    return newest.replace(tzinfo=None)


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Make newest_file(name) known to a connection and those that share its database."""
    connection.create_function("newest_file", newest_file, ["VARCHAR"], "TIMESTAMP")
