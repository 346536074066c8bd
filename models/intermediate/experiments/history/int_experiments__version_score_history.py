"""The scores every prompt version had when it was last scored."""

from python_llm import paths
from python_llm.prompting.history import remember_scores


def model(dbt, session):
    current = dbt.ref("int_experiments__version_scores").to_arrow_table()
    meta = dbt.config.get("meta")
    return remember_scores(current, paths.resolve(meta["ledger_dir"]))
