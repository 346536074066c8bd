"""What `kernel29 questions answers` has brought; no row where nothing was imported."""

from python_llm import paths
from python_llm.questions.recorded import read_recorded


def model(dbt, session):
    meta = dbt.config.get("meta")
    return read_recorded(paths.resolve(meta["questions_dir"]))
