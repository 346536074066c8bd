"""`kernel29 prompts`, which was called `prompt` before."""

import os

import click

from python_llm import paths
from python_llm.console.lists import IN_BUILD


@click.group()
def prompts() -> None:
    """List, print and check the prompts in python_llm/prompts."""


@prompts.command("show")
@click.argument("alias")
@click.option("--case", "case_id", help="Case to fill in, as in simulated_rare_200/0007.")
def show_prompt(alias: str, case_id: str | None) -> None:
    """Print a prompt, filled in if a case is given."""
    from python_llm.console.case_lookup import find_case
    from python_llm.console.filled_prompts import show_prompt

    if case_id is not None:
        case_id = find_case(paths.served_database(), case_id)
    build_dir = paths.resolve(os.environ.get("KERNEL29_BUILD_DIR", "build"))
    click.echo(show_prompt(alias, case_id, paths.served_database(), build_dir / "kernel29.duckdb"))


@prompts.command("list")
@click.option(
    "--task", default="generation", show_default=True, help="generation, semantic_judge, …"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_prompts(task: str, as_json: bool) -> None:
    """Print the prompts of a task and whether they can be sent."""
    from python_llm.console import terminal
    from python_llm.experiments import registries
    from python_llm.prompting.templates import PromptError, compose_row
    from python_llm.registries.names import nearest

    rows = []
    tasks = {row["task"] for row in registries.prompts()}
    if task not in tasks:
        raise click.ClickException(
            f"There is no task '{task}'. The nearest: {nearest(task, tasks)}."
        )
    for row in registries.prompts():
        if row["task"] != task:
            continue
        state = IN_BUILD if row["output_format"] == "table" else "ready"
        try:
            compose_row(row)
        except PromptError:
            state = "broken: kernel29 prompts check"
        columns = ("prompt_alias", "language", "output_format")
        named = {name: row[name] for name in columns}
        rows.append({**named, "state": state, "description": row["description"]})
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@prompts.command()
def check() -> None:
    """Report every mistake in the prompts, with file and line."""

    from python_llm.prompting.templates import check_all, read_registry

    mistakes = check_all()
    for mistake in mistakes:
        click.echo(mistake, err=True)
    if mistakes:
        n = len(mistakes)
        raise click.ClickException(f"{n} mistake{'s' if n > 1 else ''} in the prompts.")
    click.echo(f"{len(read_registry())} prompts compose.")
