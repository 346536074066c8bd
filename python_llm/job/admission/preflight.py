"""Stops a run that cannot end well, before anything is touched, in one sentence with the remedy."""

import difflib
import os
import re
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import yaml

from python_llm import paths, seeds
from python_llm.audit import secrets
from python_llm.errors import UserError
from python_llm.experiments import registries
from python_llm.job.admission import protection
from python_llm.job.admission.access import lacking, priced_today
from python_llm.job.admission.registry_checks import (
    check_addresses,
    check_configurations,
    check_judges,
    check_keys,
)
from python_llm.job.dbt.failures import DAMAGED
from python_llm.questions.asked import check_narrowing
from python_llm.registries import names
from python_llm.registries.names import JUDGES, MODELS, PROMPTS, generating
from python_llm.runs import store
from python_llm.test_sets import store as cases_store
from python_llm.test_sets.known import known_test_sets, only_for_reading
from python_llm.test_sets.reading import OF_ANY_CASE

LOCKED = "Could not set lock"  # what DuckDB says of a file that another process has open
MODES = ("off", "replay", "live")
EXECUTIONS = ("direct", "batch")
MODEL_COLUMNS = ("kind", "provider", "api_model", "base_url_env", "api_key_env", "is_retired")
JUDGE_COLUMNS = ("kind", "model_alias", "semantic_prompt", "severity_prompt", "members", "method")
# whose lists judges judge: this project's own, those that were imported, both
# the list scores need the first five ranks; top-10 looks no further than the tenth
JUDGED_RANKS = tuple(map(str, range(5, 11)))
JUDGE_RUNS = ("live", "recorded", "keyless", "all")
# what a variable may name besides the models: systems that ask nobody
KEYLESS = {"recommender": {"guideline_rules"}}


class RunError(UserError):
    """A run that was asked for wrongly; the text is for the person who asked."""


class AccessError(RunError):
    """A run that is asked for rightly, of models that cannot be called here and now."""


def check_variables(variables: Iterable[str]) -> None:
    """Refuse a name in `--vars` that is nearly one of dbt_project.yml: dbt takes any, and the run
    would go by the default. One that is like none is a model's own. Raises RunError."""
    known = paths.project_variables()
    for name in variables:
        likely = [] if name in known else difflib.get_close_matches(name, known, 1, cutoff=0.8)
        if likely:
            raise RunError(f"--vars: there is no variable {name}: did you mean {likely[0]}?")


def check_run(
    mode: str,
    models: str,
    judges: str,
    max_usd: str | float,
    environment: Mapping[str, str] = os.environ,
    execution: str = "direct",
    questions: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
    prompts: str = "",
    test_sets: str = "",
    limit: str | int = "",
    judge_runs: str = "live",
    judged_ranks: str | int = 10,
    question_typist: str = "",
    **narrowed: str,
) -> None:
    """Check what a run was asked to do against the registries and the environment.

    Names are comma-separated (`questions`: who answers them, `question_typist`: who types them);
    `limit`: of cases, or empty; `judge_runs`: whose lists judges judge; `narrowed`: as
    asked.check_narrowing takes it; `others`: aliases of further variables by the variable's name.
    Raises RunError for an unknown mode or name, a cap that is not an amount, a live run that asks
    nobody; AccessError for a model that could not be called; FileError for a registry that is
    damaged; UserError for a row of one that names what does not exist.
    """
    _check_options(mode, execution, max_usd)
    _check_numbers(limit, judged_ranks)
    check_narrowing(**narrowed)
    seeds.read(PROMPTS, ("prompt_alias", "task", "output_format"))
    registry = _models()
    prompt_registry = {row["prompt_alias"]: row for row in registries.prompts()}
    judge_rows = seeds.numbered(JUDGES, ("judge_id", *JUDGE_COLUMNS))
    judge_registry = {row["judge_id"]: row for _, row in judge_rows}
    sets = known_test_sets()
    check_configurations(registry, prompt_registry, sets)
    check_judges(judge_rows, registry, prompt_registry)
    callable_models = {name for name, row in registry.items() if row["kind"] == "llm"}
    callable_judges = {name for name, row in judge_registry.items() if row["kind"] == "llm"}
    chosen = _known(models, callable_models, "MODELS", MODELS)
    chosen_judges = _known(judges, callable_judges, "JUDGES", JUDGES)
    chosen += _known(questions, callable_models, "QUESTIONS", MODELS)
    chosen += _known(question_typist, callable_models, "question_typist", MODELS)
    prompts_of_grid = generating(prompt_registry)
    _known(prompts, prompts_of_grid, "PROMPTS", PROMPTS)
    _check_test_sets(test_sets, sets)
    _check_judge_runs(judge_runs, registry, prompts_of_grid, sets)
    chosen += _of_others(others, callable_models)
    if mode != "live":
        return
    if not chosen and not chosen_judges:
        raise RunError(
            "MODE=live asks nobody: name the models to call, as in "
            f"MODELS={','.join(sorted(callable_models))}."
        )
    if models.strip():
        check_grid(models, prompts, test_sets)
    _check_columns(names.listed(prompts, ","), names.listed(test_sets, ","))
    for_judges = [judge_registry[judge]["model_alias"] for judge in chosen_judges]
    _check_access([registry[alias] for alias in dict.fromkeys([*chosen, *for_judges])], environment)


def _models() -> dict[str, dict[str, str]]:
    """The registry by alias; what the variables of its keys hold is secret from now on. Raises
    UserError for a key that stands in it, and for two models that make the same requests."""
    rows = seeds.numbered(MODELS, ("model_alias", *MODEL_COLUMNS))
    check_keys(rows)
    check_addresses(rows)
    registry = {row["model_alias"]: row for row in registries.models()}
    secrets.look_in(row["api_key_env"] for row in registry.values())
    return registry


def _of_others(others: Mapping[str, str], callable_models: set[str]) -> list[str]:
    """The models that further variables name, without the systems that ask nobody."""
    chosen = []
    for variable, alias in others.items():
        keyless = KEYLESS.get(variable, set())
        asked = _known(alias, callable_models | keyless, variable, MODELS)
        chosen += [name for name in asked if name not in keyless]
    return chosen


def _check_options(mode: str, execution: str, max_usd: str | float) -> None:
    """Raise RunError for a word or an amount that means nothing by itself."""
    if mode not in MODES:
        raise RunError(f"MODE={mode} is not a mode: use one of {', '.join(MODES)}.")
    if execution not in EXECUTIONS:
        raise RunError(
            f"EXECUTION={execution} is not a way to ask: use one of {', '.join(EXECUTIONS)}."
        )
    try:
        amount = float(max_usd)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise RunError(f"MAX_USD={max_usd} is not an amount of dollars: give a number such as 1.")


def _check_numbers(limit: str | int, judged_ranks: str | int) -> None:
    """Raise RunError for a number of cases or of ranks that is none."""
    if str(limit) and not re.fullmatch(r"[1-9][0-9]{0,8}", str(limit)):
        raise RunError(f"LIMIT={limit} is not a number of cases: give one such as 50.")
    if str(judged_ranks) not in JUDGED_RANKS:
        raise RunError(
            f"judged_ranks: {judged_ranks} is not a number of ranks: give one from 5 to 10."
        )


def _check_columns(prompts: Collection[str], test_sets: Collection[str]) -> None:
    """Raise RunError for a prompt of an experiment that is to show a column its cases lack."""
    for experiment in registries.all_experiments()[0]:
        for prompt, composed in experiment.own_prompts:
            if not composed.columns or (prompts and prompt.name not in prompts):
                continue
            for test_set in experiment.test_sets:
                known = {*OF_ANY_CASE, *cases_store.kept_columns(test_set)}
                missing = [column for column in composed.columns if column not in known]
                if missing and (not test_sets or test_set in test_sets):
                    raise RunError(
                        f"{composed.columns[missing[0]]}: the cases of {test_set} have no column "
                        f"'{missing[0]}' ({', '.join(sorted(known))}): `kernel29 run "
                        f"{experiment.path}` or `kernel29 cases import --keep {missing[0]}` reads "
                        "it from their table."
                    )


def _check_test_sets(written: str, known: Collection[str]) -> None:
    """Raise RunError for a name that is not a test set, and for one that is for reading only."""
    chosen = names.listed(written, ",")
    for name in chosen:
        if name not in known:
            raise RunError(
                f"TEST_SETS={name} is not a test set. The nearest: {names.nearest(name, known)}. "
                f"Correct the name, or add it to {names.TEST_SETS}."
            )
    _check_golds(chosen)


def callable_models() -> list[str]:
    """The models of the registry that are asked and not retired."""
    registry = _registry(MODELS, "model_alias", MODEL_COLUMNS)
    return [
        name
        for name, row in registry.items()
        if row["kind"] == "llm" and row["is_retired"] != "true"
    ]


def retired_models() -> list[str]:
    """The retired models that the configurations seed names."""
    rows = seeds.read(names.CONFIGURATIONS, ("model_alias",))
    named = {name for row in rows for name in names.listed(row["model_alias"], "|")}
    registry = _registry(MODELS, "model_alias", MODEL_COLUMNS)
    known = named & registry.keys()
    return sorted(name for name in known if registry[name]["is_retired"] == "true")


def check_ledger() -> None:
    """Raise RunError if the team's ledger (KERNEL29_LEDGER_URL) is wanted and cannot be reached."""
    from python_llm.engine import EngineError
    from python_llm.engine.ledger.tools import project_ledger

    try:
        project_ledger().check()
    except EngineError as error:
        raise RunError(str(error)) from None


def lost_attempts() -> str:
    """A sentence about what the ledger has lost since the last build, or nothing. Raise RunError
    if it cannot be read."""
    from python_llm.engine import EngineError
    from python_llm.engine.ledger.tools import lost_since, project_ledger

    try:  # of damage the build itself speaks
        return lost_since(paths.served_database(), project_ledger(notify=lambda _: None))
    except EngineError as error:
        raise RunError(str(error)) from None


def check_warehouse(warehouse: Path, config: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Make its folder, and empty it of what a killed build had put aside on disk. Raise RunError if
    it cannot be written to, ProtectionError for a link where patients' data is kept. `config` is
    DuckDB's."""
    warehouse.parent.mkdir(parents=True, exist_ok=True)
    protection.protect(protection.folders())
    try:
        with duckdb.connect(str(warehouse), config=dict(config)):  # nobody else has it open now
            shutil.rmtree(f"{warehouse}.tmp", ignore_errors=True)
    except (duckdb.Error, OSError) as error:
        raise not_opened(warehouse, error) from error


def not_opened(warehouse: Path, error: Exception) -> RunError:
    """Why the warehouse does not open, and what to do."""
    reason = str(error).splitlines()[0]
    if LOCKED in reason:
        return RunError(
            f"The warehouse {warehouse} is in use by another process: wait for the other "
            "build to end, or stop it, and run again; to read, open serve/, which is never "
            f"locked. ({reason})"
        )
    if any(word in reason for word in DAMAGED):
        return RunError(
            f"The warehouse {warehouse} is damaged: delete it and build again, which makes it "
            f"anew; imports, ledger and serve/ are elsewhere. ({reason})"
        )
    return RunError(
        f"The warehouse {warehouse} cannot be opened: check that it is a file, the rights "
        f"on its folder and the room on its disk. ({reason})"
    )


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


def not_utf8(root: Path | None = None) -> str:
    """A sentence that names the files of the project that dbt cannot decode."""
    root = root or paths.project_root()
    wrong = []
    for folder in ("seeds", "models", "macros", "tests/data", "analyses"):
        for file in sorted(path for path in (root / folder).rglob("*.*") if path.is_file()):
            try:
                file.read_bytes().decode()
            except UnicodeDecodeError as error:
                line = error.object.count(b"\n", 0, error.start) + 1
                wrong.append(f"{file.relative_to(root)}, line {line}")
    named = " and ".join(wrong) or "A file of the project"
    return f"{named}: a byte that is not UTF-8. Save it as UTF-8, and build again."


def _check_judge_runs(
    judge_runs: str,
    models: Mapping[str, object],
    prompts: Collection[str],
    test_sets: Collection[str],
) -> None:
    """Raise RunError for what is neither a word nor model/prompt/test_set of a configuration that
    is registered or was recorded."""
    words = names.listed(judge_runs, ",")
    if not words:
        raise RunError(
            "JUDGE_RUNS is empty: say live, recorded, keyless, all or model/prompt/test_set."
        )
    patterns = [word for word in words if word not in JUDGE_RUNS]
    if not patterns:
        return
    recorded = [name.split("/") for name in store.configurations(paths.runs_folder())]
    known = [
        {*models, *(configuration[0] for configuration in recorded)},
        {*prompts, *(configuration[1] for configuration in recorded)},
        {*test_sets, *(configuration[2] for configuration in recorded)},
    ]
    for word in patterns:
        parts = word.split("/")
        if len(parts) != len(known):
            raise RunError(
                f"JUDGE_RUNS={word} says nothing: use {', '.join(JUDGE_RUNS)} or "
                "model/prompt/test_set, as in gpt4o/*/rarebench."
            )
        for part, kind, of_kind in zip(parts, ("model", "prompt", "test set"), known, strict=True):
            if part != "*" and part not in of_kind:
                raise RunError(
                    f"JUDGE_RUNS={word}: there is no {kind} '{part}'. The nearest: "
                    f"{names.nearest(part, of_kind)}."
                )


def check_grid(models: str, prompts: str, test_sets: str) -> None:
    """Raise RunError if no row of the configurations seed has anything of what was chosen."""
    chosen = {"model_alias": models, "prompt_alias": prompts, "test_set": test_sets}
    wanted = {column: names.listed(written, ",") for column, written in chosen.items()}
    for row in [*seeds.read(names.CONFIGURATIONS, wanted), *registries.configurations()]:
        named = {column: names.listed(row[column], "|") for column in wanted}
        if all(
            not wanted[column] or "*" in named[column] or set(wanted[column]) & set(named[column])
            for column in wanted
        ):
            return
    missing = ",".join("|".join(written) or "*" for written in wanted.values())
    raise RunError(
        f"No row of {names.CONFIGURATIONS} has what MODELS, PROMPTS and TEST_SETS name: add the "
        f"row {missing}."
    )


def _check_access(models: Iterable[Mapping[str, str]], environment: Mapping[str, str]) -> None:
    """Raise AccessError naming everything that keeps these models from being called."""
    is_priced = priced_today()
    missing = []
    for model in models:
        if model["is_retired"] == "true":
            missing.append(
                f"Model '{model['model_alias']}' is retired in {MODELS}: its provider no longer "
                "serves it."
            )
        elif lack := lacking(model, environment, is_priced=is_priced(model)):
            missing.append(lack.sentence)
    if missing:
        raise AccessError(" ".join(missing))


def _check_golds(chosen: Iterable[str]) -> None:
    """Raise RunError if somebody is to be asked about a set that was imported for reading."""
    rows = [*seeds.read(names.CONFIGURATIONS, ("test_set",)), *registries.configurations()]
    registered = {name for row in rows for name in names.listed(row["test_set"], "|")}
    for name in sorted({*chosen, *registered}):
        if cases_store.is_for_reading(name):
            raise RunError(only_for_reading(name))


def _known(written: str, known: Collection[str], variable: str, registry: str) -> list[str]:
    chosen = names.listed(written, ",")
    for name in chosen:
        if name not in known:
            raise RunError(
                f"{variable}={name} is in no row of {registry} that can be called. The nearest: "
                f"{names.nearest(name, known)}. Correct the name, or add a row."
            )
    return chosen


def _registry(path: str, key: str, columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """The rows of a registry by their key. Raises FileError for any other file."""
    return {row[key]: row for row in seeds.read(path, (key, *columns))}
