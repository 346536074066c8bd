"""The synthetic patients of every tenant, and who of them is held out."""

from python_llm.recommendations.patients import synthetic_patients


def model(dbt, session):
    return synthetic_patients(
        dbt.ref("stg_recommendations__tenant").order("tenant_id").to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__archetype").to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__archetype_feature").to_arrow_table().to_pylist(),
        dbt.ref("stg_recommendations__lab_test").to_arrow_table().to_pylist(),
    )
