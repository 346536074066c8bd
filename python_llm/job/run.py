"""What the run that is under way may do, for models in Python that ask.

dbt knows the variables of a run when it connects. They are no part of the models' configuration:
that is parsed, and parsing the whole project anew for every change of mode takes ten seconds.
"""

from collections.abc import Mapping
from typing import Any

from dbt_common.invocation import get_invocation_id

from python_llm.engine import Settings

VARIABLES: dict[str, Any] = {}  # by name; dbt_plugin fills it in


def run_settings(meta: Mapping[str, Any]) -> Settings:
    """What a model may do: its `meta`, with the values of the `variables` that it names there.

    Errors: KeyError for a variable that the profile does not hand to dbt_plugin.
    """
    own = {name: value for name, value in meta.items() if name != "variables"}
    of_run = {name: VARIABLES[name] for name in meta["variables"]}
    return Settings(**own, **of_run, run_id=get_invocation_id())
