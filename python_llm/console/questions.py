"""`kernel29 questions`."""

from pathlib import Path
from typing import Any

import click

from python_llm.console.options import pairs


@click.group()
def questions() -> None:
    """Multiple-choice questions: import, ask, compare."""


@questions.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--set", "question_set", required=True, help="Name of the question set.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a field: question, key, answer, options or option_a … option_j, number, image, "
    "voided, subject. Repeatable.",
)
@click.option(
    "--key-file", type=click.Path(path_type=Path), help="File with the keys by question number."
)
@click.option("--language", type=click.Choice(["en", "es"]), help="[default: detected]")
@click.option("--skip-without-key", is_flag=True, help="Leave out questions without a key.")
@click.option("--contains-phi", is_flag=True, help="Send them to phi_approved models only.")
def import_set(source: Path, question_set: str, columns: tuple[str, ...], **options: Any) -> None:
    """Import questions from a published examination.

    JSON lines (MedQA), JSON (HEAD-QA, MMLU, MedMCQA), CSV, Excel or Parquet. The options are
    columns, a list, or the end of the question's text; the key is a column or a file of its own.
    Questions on images, voided questions and those without a usable key arrive and are not scored.
    """

    from python_llm.questions.imported import UNSCORED, import_questions, imported_folder

    mapping = dict(pairs("--column", columns, "key=Clave"))
    done = import_questions(source, question_set, imported_folder(), columns=mapping, **options)
    n_rejected = len(done.unreadable)
    click.echo(
        f"{done.path}: {done.n_questions} questions; {done.n_repeated} repeated and "
        f"{done.n_without_key} without a key left out; {n_rejected} set aside."
    )
    for reason, count in done.unscored.most_common():
        click.echo(f"Not scored: {count} {UNSCORED[reason]}.")
    for note in done.notes:
        click.echo(f"Not scored: {note}.")
    for row in done.unreadable:
        click.echo(f"Set aside: {row}.")
    click.echo(
        f"Next: kernel29 questions ask MODEL --set {question_set}, or kernel29 questions answers "
        f"FILE --set {question_set} for answers that are recorded already"
    )


@questions.command("answers")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--set", "question_set", required=True, help="Question set that was answered.")
@click.option(
    "--model", default="", help="Name of the model, or the one column of several to take."
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of answer, model, number, question or options. Repeatable.",
)
def import_recorded(
    sources: tuple[Path, ...], question_set: str, model: str, columns: tuple[str, ...]
) -> None:
    """Import recorded answers of models: letters, numbers or texts.

    A column per model, a column of models, or a file per model (named after the file unless --model
    is given). The examination with the answers in it will do. Questions are matched by text, by
    number, or by order.
    """
    from python_llm.questions.imported import imported_folder
    from python_llm.questions.recorded import import_answers

    mapping = dict(pairs("--column", columns, "answer=GPT-4"))
    stored, notes = import_answers(
        sources, question_set, imported_folder(), model=model, columns=mapping
    )
    for done in stored:
        click.echo(done.line)
    for note in notes:
        click.echo(f"{note}.")
    click.echo(f"Next: make build, then kernel29 questions report --set {question_set}")
