"""The synthetic patients of every tenant, and who of them is held out."""

from python_llm.recommendations.evaluation.patients import synthetic_patients


def model(dbt, session):
    return synthetic_patients(
        dbt.ref("patient_tenants").order("tenant_id").to_arrow_table().to_pylist(),
        dbt.ref("patient_archetypes").to_arrow_table().to_pylist(),
        dbt.ref("patient_archetype_features").to_arrow_table().to_pylist(),
        dbt.ref("lab_tests").to_arrow_table().to_pylist(),
    )
