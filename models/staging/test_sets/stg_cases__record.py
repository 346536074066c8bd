"""What `kernel29 cases import` brought; no row if nothing was imported."""

from python_llm import paths
from python_llm.test_sets.store import read_records


def model(dbt, session):
    meta = dbt.config.get("meta")
    return read_records(paths.resolve(meta["cases_dir"]))
