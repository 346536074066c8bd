"""The registries agree with one another: every name in one of them exists where it should."""

import re
from collections.abc import Collection, Iterable, Mapping

from python_llm import seeds
from python_llm.audit import secrets
from python_llm.errors import UserError
from python_llm.registries.names import (
    CONFIGURATIONS,
    JUDGES,
    MODELS,
    PROMPTS,
    TEST_SETS,
    asked_as_one,
    generating,
    listed,
    nearest,
    told_as_one,
)

METHODS = ("majority", "median", "mean")  # of a jury, as int_experiments__jury_judgements has them


def check_configurations(
    models: Mapping[str, Mapping[str, str]],
    prompts: Mapping[str, Mapping[str, str]],
    test_sets: Collection[str],
) -> None:
    """Raise UserError for the first name in the configurations seed that does not exist, with its
    line and the nearest names that do, and for a model beside a prompt it cannot be given.

    `models` and `prompts`: the rows of the registries by alias.
    """
    columns = {
        "model_alias": ("model", models, MODELS),
        "prompt_alias": ("prompt for generation", generating(prompts), PROMPTS),
        "test_set": ("test set", test_sets, TEST_SETS),
    }
    for line, row in seeds.numbered(CONFIGURATIONS, columns):
        where = f"{CONFIGURATIONS}, line {line}"
        named = {column: listed(row[column], "|") for column in columns}
        for column, (kind, known, registry) in columns.items():
            if not named[column]:
                raise UserError(f"{where}: {column} is empty: name a {kind}, or write *.")
            _check(named[column], known, kind, where, registry)
        _check_match(named["model_alias"], named["prompt_alias"], models, prompts, where)


def check_judges(
    judges: Iterable[tuple[int, Mapping[str, str]]],
    models: Collection[str],
    prompts: Mapping[str, Mapping[str, str]],
) -> None:
    """Raise UserError for the first model, prompt or member of the judges seed that is unknown.

    `judges`: the rows of the seed with their lines.
    """
    judges = list(judges)
    names = {row["judge_id"] for _, row in judges}
    for line, row in judges:
        where = f"{JUDGES}, line {line}"
        _check(listed(row["model_alias"], ";"), models, "model", where, MODELS)
        for task in ("semantic", "severity"):
            of_task = {
                name for name, prompt in prompts.items() if prompt["task"] == f"{task}_judge"
            }
            asked = listed(row[f"{task}_prompt"], ";")
            _check(asked, of_task, f"prompt for {task} judges", where, PROMPTS)
        _check(listed(row["members"], ";"), names, "judge", where, JUDGES)
        if row["kind"] == "jury":
            juries = {other["judge_id"] for _, other in judges if other["kind"] == "jury"}
            _check_jury(row, juries, where)


def _check_jury(row: Mapping[str, str], juries: set[str], where: str) -> None:
    """Members have a vote each, so that nobody is named twice, in another spelling or within a
    jury, and two of them judge at least."""
    members = row["members"].split(";")
    if row["method"] not in METHODS:
        raise UserError(
            f"{where}: there is no method '{row['method']}': write one of {', '.join(METHODS)}."
        )
    if members != listed(row["members"], ";") or len(set(members)) < max(2, len(members)):
        raise UserError(
            f"{where}: members '{row['members']}': name two judges or more, each once, with ';' "
            "and no blank between them."
        )
    if inner := sorted(juries & {*members}):
        raise UserError(f"{where}: '{inner[0]}' is a jury itself: name its members in its place.")


def check_keys(models: Iterable[tuple[int, Mapping[str, str]]]) -> None:
    """Raise UserError where somebody wrote a key in place of the name of its variable.

    `models`: the rows of the seed with their lines.
    """
    for line, row in models:
        if row["api_key_env"] and not re.match(secrets.VARIABLE, row["api_key_env"]):
            raise UserError(
                f"{MODELS}, line {line}: api_key_env is the name of an environment variable, such "
                "as OPENAI_API_KEY: put a key into that variable, and change one that stood here."
            )


def check_addresses(models: Iterable[tuple[int, Mapping[str, str]]]) -> None:
    """Raise UserError for two models that one server would answer for (names.asked_as_one).

    `models`: the rows of the seed with their lines.
    """
    models = list(models)
    if pair := asked_as_one(row for _, row in models):
        line = next(line for line, row in models if row is pair[1])
        raise UserError(f"{MODELS}, line {line}: {told_as_one(*pair)}.")


def _check(
    names: Iterable[str], known: Collection[str], kind: str, where: str, registry: str
) -> None:
    for name in names:
        if name != "*" and name not in known:
            raise UserError(
                f"{where}: there is no {kind} '{name}'. The nearest: {nearest(name, known)}. "
                f"Correct the name, or add it to {registry}."
            )


def _check_match(
    named_models: Iterable[str],
    named_prompts: Collection[str],
    models: Mapping[str, Mapping[str, str]],
    prompts: Mapping[str, Mapping[str, str]],
    where: str,
) -> None:
    """The SQL baseline reads tables; whoever is asked is asked by a text."""
    has_star = "*" in named_prompts
    formats = {prompts[name]["output_format"] for name in named_prompts if name != "*"}
    for name in named_models:
        is_asked = name == "*" or models[name]["kind"] == "llm"
        if is_asked and not has_star and formats == {"table"}:
            raise UserError(f"{where}: model '{name}' needs a prompt with a text: name one.")
        if not is_asked and "table" not in formats:
            raise UserError(f"{where}: '{name}' is not asked anything: its prompt is no_prompt.")
