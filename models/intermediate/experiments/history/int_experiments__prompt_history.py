"""Every version of every prompt a build has seen, with what changed since the one before."""

from python_llm import paths
from python_llm.prompting.history import remember_versions


def model(dbt, session):
    current = dbt.ref("stg_prompts__version").to_arrow_table()
    meta = dbt.config.get("meta")
    return remember_versions(current, paths.resolve(meta["ledger_dir"]))
