"""The vector of every document of the corpus."""

from python_llm.recommendations.evaluation.tables import document_vectors


def model(dbt, session):
    return document_vectors(dbt.ref("stg_recommendations__fact").to_arrow_table())
