"""The documents each judged query brings with the configuration of the run."""

from python_llm.recommendations.evaluation.tables import retrieved


def model(dbt, session):
    queries = dbt.ref("retrieval_queries").order("query_id")
    return retrieved(
        queries.to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__fact").to_arrow_table(),
    )
