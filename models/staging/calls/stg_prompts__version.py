"""Composes the registered prompts from their files; a changed word is a new version."""

from python_llm.prompting.templates import compose_all


def model(dbt, session):
    dbt.config(materialized="table")
    registry = dbt.ref("stg_registry__prompt").to_arrow_table().to_pylist()
    return compose_all(registry)
