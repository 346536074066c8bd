"""`kernel29 questions`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from python_llm.console.options import by_role, of_encoding

if TYPE_CHECKING:
    from python_llm.questions.asked import Asked


MOST_SHOWN = 20  # numbers of questions in a line


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
@click.option("--skip-without-key", is_flag=True, help="Leave out questions without a usable key.")
@click.option("--contains-phi", is_flag=True, help="Send them to phi_approved models only.")
@of_encoding
def import_set(source: Path, question_set: str, columns: tuple[str, ...], **options: Any) -> None:
    """Import questions from a published examination.

    JSON lines (MedQA), JSON (HEAD-QA, MMLU, MedMCQA), CSV, Excel or Parquet. The options are
    columns, a list, or the end of the question's text; the key is a column or a file of its own.
    Questions on images, voided questions and those without a usable key arrive and are not scored.
    """

    from python_llm.imports.rejects import unread
    from python_llm.questions.imported import UNSCORED, import_questions, imported_folder

    mapping = by_role("--column", columns, "key=Clave")
    done = import_questions(source, question_set, imported_folder(), columns=mapping, **options)
    n_rejected = len(done.unreadable)
    click.echo(
        f"{done.path}: {done.n_questions} questions; {done.n_repeated} repeated and "
        f"{done.n_without_key} without a usable key left out; {n_rejected} set aside."
    )
    for choice in done.choices:
        click.echo(f"Chosen: {choice}.")
    if done.unread:
        click.echo(unread(done.unread))
    for reason, count in done.unscored.most_common():
        listed = ", ".join(map(str, done.unscored_numbers[reason][:MOST_SHOWN]))
        more = ", …" if count > MOST_SHOWN else ""
        click.echo(f"Not scored: {count} {UNSCORED[reason]} (question {listed}{more}).")
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
@of_encoding
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

    mapping = by_role("--column", columns, "answer=GPT-4")
    stored, notes = import_answers(
        sources, question_set, imported_folder(), model=model, columns=mapping
    )
    for done in stored:
        click.echo(done.line)
    for note in notes:
        click.echo(f"{note}.")
    click.echo(f"Next: kernel29 build, then kernel29 questions report --set {question_set}")


@questions.command("list")
def list_sets() -> None:
    """Print the imported question sets with their size and source."""
    from python_llm.console import terminal
    from python_llm.questions import store

    click.echo(terminal.format_rows(store.list_sets()))


@questions.command("forget")
@click.argument("question_set")
def forget_set(question_set: str) -> None:
    """Delete a question set and the answers recorded for it.

    What models were asked about it stays in the ledger (kernel29 ledger prune).
    """
    from python_llm.console.ledger import is_built, what_remains
    from python_llm.job.serving import lakehouse
    from python_llm.questions import store

    if not store.forget(question_set):
        raise click.ClickException(
            f"There is no imported question set '{question_set}': see `kernel29 questions list`."
        )
    lakehouse.forget()
    click.echo(f"{question_set} is deleted; the next build leaves it out.")
    has_tables = is_built("dim_question", "question_set", question_set)
    click.echo(what_remains(question_set, has_tables=has_tables))


@questions.command("ask")
@click.argument("models")
@click.option("--set", "sets", required=True, help="Question sets, separated by commas.")
@click.option("--type", "types", default="", help="Types of questions.  [default: all]")
@click.option(
    "--strategy",
    "strategies",
    default="analysis_first,direct",
    show_default=True,
    help="analysis_first, direct, direct_shuffled, options_only; separated by commas.",
)
@click.option("--sample", type=click.IntRange(1), help="That many questions of each set.")
@click.option("--repeats", type=click.IntRange(1, 20), default=1, help="Times each is asked.")
@click.option("--typist", default="", help="A model for the types that no rule knows.")
@click.option("--max-usd", type=click.FloatRange(0), default=1.0, help="Most it may spend.")
@click.option("--execution", default="direct", show_default=True, help="direct or batch.")
@click.option("--dry-run", is_flag=True, help="Print what would be sent and cost, and end.")
@click.option("--yes", is_flag=True, help="Send without asking.")
def ask(
    models: str,
    sets: str,
    types: str,
    strategies: str,
    sample: int | None,
    repeats: int,
    typist: str,
    max_usd: float,
    execution: str,
    dry_run: bool,
    yes: bool,
) -> None:
    """Ask MODELS about question sets: plan, ask, score and compare.

    Nothing is sent before the plan has been printed and you agree. What was answered before is not
    sent again. Only questions that can be scored are sent.
    """
    from python_llm import paths
    from python_llm.console.question_report import question_report
    from python_llm.job.build import NOTHING_ASKED, build
    from python_llm.job.question_plan import question_plan
    from python_llm.questions import asked
    from python_llm.questions.imported import imported_folder

    run = {
        **NOTHING_ASKED,
        "questions": models,
        "question_sets": sets,
        "question_types": types,
        "question_strategies": strategies,
        "question_limit": str(sample or ""),
        "question_typist": typist,
        "max_usd": str(max_usd),
        "execution": execution,
    }
    asked.check_narrowing(sets, types, strategies, str(sample or ""))
    wanted = [[name.strip() for name in text.split(",")] for text in (models, strategies, sets)]
    before, is_agreed = asked.stored(imported_folder()), False
    try:
        asked.remember(_entries(wanted, repeats, typist), imported_folder())
        is_agreed = _agreed(question_plan(run), max_usd, dry_run=dry_run, yes=yes)
    finally:
        if not is_agreed:
            asked.put_back(before, imported_folder())
    if not is_agreed:
        return
    if not build({**run, "mode": "live"}):
        raise click.ClickException(
            "The build failed; the lines above say where. What was answered is kept: the same "
            "command goes on from there."
        )
    click.echo(question_report(paths.served_database(), wanted[2]))


def _entries(wanted: list[list[str]], repeats: int, typist: str) -> list["Asked"]:
    """What is to be kept as asked: every model and strategy on every set, and who types them."""
    from python_llm.questions.asked import TYPING, Asked

    models, strategies, sets = wanted
    asked = [
        Asked(model, strategy, name, repeats)
        for model in models
        for strategy in strategies
        for name in sets
    ]
    return asked + [Asked(typist, TYPING, name) for name in sets if typist]


def _agreed(rows: list[dict[str, Any]], max_usd: float, *, dry_run: bool, yes: bool) -> bool:
    """Print the plan, and say whether it is to be sent."""
    from python_llm.job.planning.plan import show

    show(rows, max_usd)
    if dry_run:
        click.echo("Nothing was sent.")
        return False
    if not yes and any(row["n_requests"] for row in rows):
        _confirm()
    return True


def _confirm() -> None:
    """Ask whether to send. Raises ClickException where nobody can answer, Abort for a no."""
    if not sys.stdin.isatty():
        raise click.ClickException("Nothing was sent: say --yes to send this unasked.")
    click.confirm("Send this?", abort=True)


@questions.command("report")
@click.option(
    "--set", "sets", default="", help="Question sets, separated by commas.  [default: all]"
)
@click.option("--json", "as_json", is_flag=True, help="The rows of rpt_question_report as JSON.")
def report(sets: str, as_json: bool) -> None:
    """Print how well questions are answered.

    By set, model and type, and paired. The same, with pictures and every question, is in
    `kernel29 view`.
    """
    from python_llm import paths
    from python_llm.console import terminal
    from python_llm.console.question_report import question_report, report_rows

    names = [name.strip() for name in sets.split(",") if name.strip()]
    database = paths.served_database()
    if as_json:
        click.echo(terminal.as_json(report_rows(database, names)))
    else:
        click.echo(question_report(database, names))
