"""Stops a run that cannot end well, before anything is touched, in one sentence with the remedy."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import yaml

from python_llm import paths, seeds
from python_llm.errors import UserError
from python_llm.providers import PROVIDERS

MODES = ("off", "replay", "live")
EXECUTIONS = ("direct", "batch")
MODELS = "seeds/experiments/llm_models.csv"
MODEL_COLUMNS = ("kind", "provider", "base_url_env", "api_key_env", "is_retired")
JUDGES = "seeds/experiments/judges.csv"
JUDGE_COLUMNS = ("kind", "model_alias")
# what a variable may name besides the models: systems that ask nobody
KEYLESS = {"recommender": {"guideline_rules"}}


class RunError(UserError):
    """A run that was asked for wrongly; the text is for the person who asked."""


def check_run(
    mode: str,
    models: str,
    judges: str,
    max_usd: str | float,
    environment: Mapping[str, str] = os.environ,
    execution: str = "direct",
    questions: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Check what a run was asked to do against the registry and the environment.

    `models`, `judges` and `questions` (who answers questions) are comma-separated aliases; `others`
    are the aliases of further variables by the variable's name. Raises RunError for an unknown mode
    or alias, a cap that is no amount, a live run that asks nobody, and a missing key; FileError for
    a registry that is damaged.
    """
    if mode not in MODES:
        raise RunError(f"MODE={mode} is not a mode: use one of {', '.join(MODES)}.")
    if execution not in EXECUTIONS:
        raise RunError(
            f"EXECUTION={execution} is no way to ask: use one of {', '.join(EXECUTIONS)}."
        )
    try:
        amount = float(max_usd)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise RunError(f"MAX_USD={max_usd} is no amount of dollars: give a number such as 1.")
    registry = _registry(MODELS, "model_alias", MODEL_COLUMNS)
    judge_registry = _registry(JUDGES, "judge_id", JUDGE_COLUMNS)
    callable_models = {name for name, row in registry.items() if row["kind"] == "llm"}
    callable_judges = {name for name, row in judge_registry.items() if row["kind"] == "llm"}
    chosen = _known(models, callable_models, "MODELS", MODELS)
    chosen_judges = _known(judges, callable_judges, "JUDGES", JUDGES)
    chosen += _known(questions, callable_models, "QUESTIONS", MODELS)
    for variable, alias in others.items():
        keyless = KEYLESS.get(variable, set())
        chosen += [
            name
            for name in _known(alias, callable_models | keyless, variable, MODELS)
            if name not in keyless
        ]
    if mode != "live":
        return
    if not chosen and not chosen_judges:
        raise RunError(
            "MODE=live asks nobody: name the models to call, as in "
            f"MODELS={','.join(sorted(callable_models))}."
        )
    for alias in [*chosen, *(judge_registry[judge]["model_alias"] for judge in chosen_judges)]:
        _check_access(registry[alias], environment)


def check_ledger() -> None:
    """Raise RunError if the team's ledger (KERNEL29_LEDGER_URL) is wanted and cannot be reached."""
    from python_llm.engine import EngineError
    from python_llm.engine.ledger_tools import project_ledger

    try:
        project_ledger().check()
    except EngineError as error:
        raise RunError(str(error)) from None


def check_seeds(root: Path | None = None) -> None:
    """Raise RunError if a seed that the project declares has no file."""
    root = root or paths.project_root()
    for declaration in sorted((root / "seeds").rglob("_seeds.yml")):
        for seed in yaml.safe_load(declaration.read_text(encoding="utf-8"))["seeds"]:
            file = declaration.parent / f"{seed['name']}.csv"
            if not file.is_file():
                where = file.relative_to(root)
                raise RunError(
                    f"{where} is missing: bring it back with `git checkout -- {where}`"
                    + (
                        " or make it again with `kernel29 terminology refresh`."
                        if declaration.parent.name == "terminology"
                        else "."
                    )
                )


def _check_access(model: Mapping[str, str], environment: Mapping[str, str]) -> None:
    alias, key, address = model["model_alias"], model["api_key_env"], model["base_url_env"]
    if model["is_retired"] == "true":
        raise RunError(f"Model '{alias}' is retired in {MODELS}: its provider no longer serves it.")
    entry = PROVIDERS.get(model["provider"])
    if entry is None:
        raise RunError(
            f"Model '{alias}' names the provider {model['provider']!r} in {MODELS}: use one of "
            f"{', '.join(PROVIDERS)}."
        )
    if entry.needs_address and not environment.get(address):
        raise RunError(
            f"Model '{alias}' needs the address of its server: set {address}, as in "
            f"{address}=http://localhost:8000/v1."
        )
    if entry.needs_key and key and not environment.get(key):
        raise RunError(
            f"Model '{alias}' needs its key in the environment: set {key}, or leave '{alias}' out."
        )
    if extra := entry.missing_extra():
        raise RunError(
            f"Model '{alias}' needs an SDK that is not installed: run "
            f"`pip install 'kernel29[{extra}]'`."
        )


def _known(names: str, known: set[str], variable: str, registry: str) -> list[str]:
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    for name in chosen:
        if name not in known:
            raise RunError(
                f"{variable}={name} is in no row of {registry} that can be called: use "
                f"{', '.join(sorted(known))}, or add a row."
            )
    return chosen


def _registry(path: str, key: str, columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """The rows of a registry by their key. Raises FileError for a file that is no such registry."""
    return {row[key]: row for row in seeds.read(path, (key, *columns))}
