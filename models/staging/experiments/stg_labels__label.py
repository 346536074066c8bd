"""Labels of people that `kernel29 labels import` keeps as Parquet; there may be none."""

from python_llm import paths
from python_llm.labels import store


def model(dbt, session):
    dbt.config(materialized="table")
    meta = dbt.config.get("meta")
    return store.read(paths.resolve(meta["labels_dir"]), "labels")
