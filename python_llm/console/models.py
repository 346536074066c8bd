"""`kernel29 models`."""

import os
from typing import Any

import click


@click.group()
def models() -> None:
    """List the models of the registry and of experiments."""


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_models(as_json: bool) -> None:
    """Print every model and what it lacks to be called now."""
    from python_llm.console import terminal

    rows = access()
    if as_json:
        click.echo(terminal.as_json(rows))
        return
    table = [{key: text for key, text in row.items() if key != "remedy"} for row in rows]
    click.echo(terminal.format_rows(table))
    click.echo("\nWhat to do about each: kernel29 models list --json")


def access() -> list[dict[str, Any]]:
    """model_alias, provider, state and remedy of every model; the remedy is None when the model is
    callable. Needs no build. Raises FileError for a damaged seed."""
    from python_llm.experiments import registries
    from python_llm.job.access import lacking, priced_today

    is_priced = priced_today()
    rows = []
    for model in registries.models():
        state, remedy = "callable", None
        if model["is_retired"] == "true":
            state, remedy = "retired", "Choose a model that is not retired."
        elif model["kind"] == "sql":
            state = "in the build"
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
