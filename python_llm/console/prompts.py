"""`kernel29 prompt`."""

import os

import click

from python_llm import paths


@click.group()
def prompt() -> None:
    """List, print and check the prompts in python_llm/prompts."""


@prompt.command("show")
@click.argument("alias")
@click.option("--case", "case_id", help="Case to fill in, as in simulated_rare_200/0007.")
def show_prompt(alias: str, case_id: str | None) -> None:
    """Print a prompt, filled in if a case is given."""
    from python_llm.console.case_lookup import find_case
    from python_llm.prompting.showing import show_prompt

    if case_id is not None:
        case_id = find_case(paths.served_database(), case_id)
    build_dir = paths.resolve(os.environ.get("KERNEL29_BUILD_DIR", "build"))
    click.echo(show_prompt(alias, case_id, paths.served_database(), build_dir / "kernel29.duckdb"))


@prompt.command("list")
@click.option(
    "--task", default="generation", show_default=True, help="generation, semantic_judge, …"
)
def list_prompts(task: str) -> None:
    """Print the aliases of a task's prompts."""
    from python_llm.console import terminal
    from python_llm.prompting.templates import read_registry

    columns = ("prompt_alias", "language", "output_format", "description")
    rows = [
        {name: row[name] for name in columns} for _, row in read_registry() if row["task"] == task
    ]
    click.echo(terminal.format_rows(rows))


@prompt.command()
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
