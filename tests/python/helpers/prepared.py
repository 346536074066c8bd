"""Imported once, by the process that runs of dbt are forked from: what takes each of them long."""

import os
from pathlib import Path

import dbt.adapters.duckdb
import dbt.cli.main  # noqa: F401
import project

project.parsed(Path(os.environ["PARSED_PROJECT"]))
