"""Problems, red flags and rules the seeds give each case."""

from python_llm.recommendations.evaluation.tables import case_facts


def model(dbt, session):
    cases = dbt.ref("int_recommendations__evaluated_cases").order("tenant_id, case_id")
    return case_facts(
        cases.select("tenant_id, case_id, patient_json").to_arrow_table(),
        dbt.ref("stg_recommendations__fact").to_arrow_table(),
    )
