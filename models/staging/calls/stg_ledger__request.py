"""The words of every request, read after the attempts: of each attempt they are there by then."""

from python_llm import paths
from python_llm.engine import requests_sent


def model(dbt, session):
    meta = dbt.config.get("meta")
    return requests_sent(paths.resolve(meta["ledger_dir"]))


def only_the_order_matters(dbt):
    """Never called: dbt reads the name and builds it first. No row of it is taken."""
    dbt.ref("stg_ledger__attempt")
