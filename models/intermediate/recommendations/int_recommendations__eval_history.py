"""Leaves what this run measured beside the ledger, and gives the results of every run."""

from python_llm import paths
from python_llm.recommendations.evaluation.baselines import remember_run


def model(dbt, session):
    meta = dbt.config.get("meta")
    return remember_run(
        dbt.ref("fct_recommendation_value").to_arrow_table(),
        dbt.ref("int_recommendations__gate").to_arrow_table(),
        dbt.ref("int_recommendations__run_results").to_arrow_table(),
        paths.resolve(meta["evaluations_dir"]),
    )
