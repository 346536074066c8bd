"""Tells the webhook of the environment when the gate finds a regression."""

from python_llm.recommendations.evaluation.alerts import alert


def model(dbt, session):
    gate = dbt.ref("int_recommendations__gate").to_arrow_table().to_pylist()
    run = dbt.ref("int_recommendations__run").select("run_id, run_type").fetchone()
    return alert(gate, *run)
