"""What `kernel29 labels import` could not read."""

from python_llm import paths
from python_llm.labels import store


def model(dbt, session):
    dbt.config(materialized="table")
    meta = dbt.config.get("meta")
    return store.read(paths.resolve(meta["labels_dir"]), "rejects")
