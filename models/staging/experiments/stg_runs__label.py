"""Labels that came with recorded answers; `kernel29 runs import` keeps them as Parquet."""

from python_llm import paths
from python_llm.runs import store


def model(dbt, session):
    dbt.config(materialized="table")
    meta = dbt.config.get("meta")
    return store.read(paths.resolve(meta["runs_dir"]), "labels")
