"""The documents each judged query brings with the configuration of the run."""

from python_llm.recommendations.evaluation import retrieved


def model(dbt, session):
    queries = dbt.ref("stg_recommendations__retrieval_query").order("query_id")
    (configuration,) = dbt.ref("int_recommendations__run").select("configuration").fetchone()
    return retrieved(
        queries.to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__fact").to_arrow_table(),
        dbt.ref("stg_recommendations__retrieval_configuration").to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__retrieval_boost").to_arrow_table().to_pylist(),
        configuration,
    )
