"""Recorded answers that `kernel29 runs import` keeps as Parquet; there may be none."""

from python_llm import paths
from python_llm.runs import store


def model(dbt, session):
    dbt.config(materialized="table")
    meta = dbt.config.get("meta")
    return store.read(paths.resolve(meta["runs_dir"]), "answers")
