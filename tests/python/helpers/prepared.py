"""Imported once, by the process that runs of dbt are forked from: what takes each of them long."""

import gc
import os
from pathlib import Path

import dbt.adapters.duckdb
import dbt.cli.main  # noqa: F401
import pandas  # noqa: F401
import project

import python_llm.job.build
import python_llm.job.dbt_plugin
import python_llm.job.state_plugin  # noqa: F401

project.parsed(Path(os.environ["PARSED_PROJECT"]))
gc.collect()
gc.freeze()  # a million objects that stay, and that every collection of every fork would look at
