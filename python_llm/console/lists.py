"""`kernel29 models`, `judges` and `test-sets list`: what can be asked now, and why not."""

import os
from pathlib import Path
from typing import Any

import click

from python_llm import paths

Row = dict[str, Any]
IN_BUILD = "in the build"
_as_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON array instead of a table."
)


@click.group()
def models() -> None:
    """List the models of the registry and of experiments."""


@models.command("list")
@_as_json
def list_models(as_json: bool) -> None:
    """Print every model and what it lacks to be called now."""
    _show(access(), as_json, "models")


@click.group()
def judges() -> None:
    """List the judges."""


@judges.command("list")
@_as_json
def list_judges(as_json: bool) -> None:
    """Print every judge and what it lacks to be asked now."""
    _show(judge_access(), as_json, "judges")


@click.group("test-sets")
def test_sets() -> None:
    """List the test sets."""


@test_sets.command("list")
@_as_json
def list_test_sets(as_json: bool) -> None:
    """Print every test set and whether it can be asked about."""
    _show(known_sets(paths.served_database()), as_json, "test-sets")


def _show(rows: list[Row], as_json: bool, group: str) -> None:
    from python_llm.console import terminal

    if as_json:
        click.echo(terminal.as_json(rows))
        return
    table = [{key: text for key, text in row.items() if key != "remedy"} for row in rows]
    click.echo(terminal.format_rows(table))
    if any(row["remedy"] for row in rows):
        click.echo(f"\nWhat to do about each: kernel29 {group} list --json")


def access() -> list[Row]:
    """model_alias, provider, state and remedy of every model; the remedy is None when the model is
    callable. Needs no build. Raises FileError for a damaged seed."""
    from python_llm.experiments import registries
    from python_llm.job.admission.access import lacking, priced_today

    is_priced = priced_today()
    rows = []
    for model in registries.models():
        state, remedy = "callable", None
        if model["is_retired"] == "true":
            state, remedy = "retired", "Choose a model that is not retired."
        elif model["kind"] == "sql":
            state = IN_BUILD
        elif lack := lacking(model, os.environ, is_priced=is_priced(model)):
            state, remedy = lack
        rows.append(
            {
                "model_alias": model["model_alias"],
                "provider": model["provider"],
                "state": state,
                "remedy": remedy,
            }
        )
    return rows


def judge_access() -> list[Row]:
    """judge_id, kind, what it is (a model, or the members of a jury), n_votes, state and remedy of
    every judge; a jury is what its members are. Needs no build. Raises FileError."""
    from python_llm import seeds
    from python_llm.registries.names import JUDGES, nearest

    of_model = {row["model_alias"]: row for row in access()}
    rows = []
    for judge in seeds.read(JUDGES):
        state, remedy = IN_BUILD, None
        if judge["kind"] == "llm":
            alias = judge["model_alias"]
            near = (
                f"{JUDGES}: there is no model '{alias}'. The nearest: {nearest(alias, of_model)}."
            )
            model = of_model.get(alias, {"state": "unknown model", "remedy": near})
            state, remedy = model["state"], model["remedy"]
        rows.append(
            {
                "judge_id": judge["judge_id"],
                "kind": judge["kind"],
                "asks": judge["model_alias"] or judge["members"].replace(";", ", "),
                "n_votes": judge["n_votes"],
                "state": state,
                "remedy": remedy,
            }
        )
    return rows


def known_sets(served: Path) -> list[Row]:
    """test_set, kind, n_cases (None before a build of a shipped set), language of an imported one,
    whether it is of real patients, state and remedy. Raises FileError for a damaged registry."""
    from python_llm.console import case_lookup, terminal
    from python_llm.test_sets import store
    from python_llm.test_sets.known import known_test_sets

    built = {}
    if served.is_file():
        built = {row["test_set"]: row for row in terminal.read(served, "from dim_test_set")}
    imported = {row["test_set"]: row for row in case_lookup.sets(store.cases_folder(), served)}
    rows = []
    for name in sorted(known_test_sets() - imported.keys()):
        row = built.get(name, {"kind": "shipped", "n_cases": None, "contains_phi": None})
        is_empty = row["n_cases"] == 0
        rows.append(
            {
                "test_set": name,
                "kind": row["kind"],
                "n_cases": row["n_cases"],
                "language": None,
                "real_patients": row["contains_phi"],
                "state": "empty" if is_empty else "ready",
                "remedy": "Import the cases it is made of: kernel29 cases import."
                if is_empty
                else None,
            }
        )
    for name, row in sorted(imported.items()):
        state, remedy = _readiness(name, row)
        rows.append(
            {
                "test_set": name,
                "kind": "imported",
                "n_cases": row["cases"] - row["set aside"],
                "language": row["language"],
                "real_patients": row["phi"] == "yes",
                "state": state,
                "remedy": remedy,
            }
        )
    return rows


def _readiness(test_set: str, row: Row) -> tuple[str, str | None]:
    """State and remedy of an imported set (a row of case_lookup.sets)."""
    from python_llm.test_sets import store
    from python_llm.test_sets.known import only_for_reading

    if store.is_for_reading(test_set):
        return "no gold diagnosis", only_for_reading(test_set)
    n_set_aside = row["set aside"]
    if not n_set_aside:
        return "ready", None
    remedy = (
        f"The last build set {n_set_aside} of {row['cases']} cases aside; why: kernel29 cases "
        f"list --rejects {test_set}. Correct the file and import it again with --replace."
    )
    return ("no usable case" if n_set_aside == row["cases"] else "ready"), remedy
