"""Every attempt the ledger knows, after all calls of this build have been made."""

from python_llm import paths
from python_llm.engine import attempts


def model(dbt, session):
    meta = dbt.config.get("meta")
    return attempts(paths.resolve(meta["ledger_dir"]))


def only_the_order_matters(dbt):
    """Never called: dbt reads the names and builds these first. No row of theirs is taken."""
    dbt.ref("int_experiments__generation_responses")
    dbt.ref("int_experiments__semantic_responses")
    dbt.ref("int_experiments__severity_responses")
    dbt.ref("int_questions__type_responses")
    dbt.ref("int_questions__analysis_responses")
    dbt.ref("int_questions__choice_responses")
    dbt.ref("int_phenotyping__extraction_responses")
    dbt.ref("int_phenotyping__reasoning_responses")
    dbt.ref("int_recommendations__generation_responses")
    dbt.ref("int_recommendations__judge_responses")
