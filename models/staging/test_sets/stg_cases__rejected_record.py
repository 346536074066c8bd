"""What `kernel29 cases import` could not take; no row if nothing was imported."""

from python_llm import paths
from python_llm.test_sets.store import read_rejects


def model(dbt, session):
    meta = dbt.config.get("meta")
    return read_rejects(paths.resolve(meta["cases_dir"]))
