"""`kernel29 questions`."""

from pathlib import Path
from typing import Any

import click

from python_llm.console.options import pairs


@click.group()
def questions() -> None:
    """Import multiple-choice clinical questions."""


@questions.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--set", "question_set", required=True, help="Name of the question set.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a field: question, key, answer, options or option_a … option_j. Repeatable.",
)
@click.option("--language", type=click.Choice(["en", "es"]), help="[default: detected]")
@click.option("--skip-without-key", is_flag=True, help="Leave out questions without a key.")
@click.option("--contains-phi", is_flag=True, help="Send them to phi_approved models only.")
def import_set(source: Path, question_set: str, columns: tuple[str, ...], **options: Any) -> None:
    """Import questions from JSON lines (MedQA), JSON or a table.

    The next build reads them.
    """

    from python_llm.questions.imported import import_questions, imported_folder

    mapping = dict(pairs("--column", columns, "key=Clave"))
    done = import_questions(source, question_set, imported_folder(), columns=mapping, **options)
    click.echo(
        f"{done.path}: {done.n_questions} questions; {done.n_repeated} repeated and "
        f"{done.n_without_key} without a key left out."
    )
    for row in done.unreadable:
        click.echo(f"Set aside: {row}.")
