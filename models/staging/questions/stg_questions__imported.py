"""What `kernel29 questions import` has brought; no row where nothing was imported."""

from python_llm import paths
from python_llm.questions.imported import read_imported


def model(dbt, session):
    meta = dbt.config.get("meta")
    return read_imported(paths.resolve(meta["questions_dir"]))
