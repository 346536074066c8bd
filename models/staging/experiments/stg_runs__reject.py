"""What `kernel29 runs import` set aside of recorded answers; there may be nothing."""

from python_llm import paths
from python_llm.runs import store


def model(dbt, session):
    dbt.config(materialized="table")
    meta = dbt.config.get("meta")
    return store.read(paths.resolve(meta["runs_dir"]), "rejects")
