"""The `kernel29` command."""

import json
import shutil
import sys
from pathlib import Path

import click

from python_llm import paths
from python_llm.preflight import RunError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kernel29")
def main() -> None:
    """Measure how well language models diagnose. It evaluates; it does not treat."""


@main.command()
@click.option("--mode", default="off", show_default=True, help="off, replay or live.")
@click.option("--models", default="", help="Aliases to call in live mode, separated by commas.")
@click.option("--judges", default="", help="LLM judges to call in live mode.")
@click.option("--questions", default="", help="Aliases that answer questions in live mode.")
@click.option("--max-usd", default="1", show_default=True, help="What the run may spend.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def build(
    mode: str,
    models: str,
    judges: str,
    questions: str,
    max_usd: str,
    dbt_arguments: tuple[str, ...],
) -> None:
    """Build the warehouse, serve the marts and print the leaderboard.

    What follows `--` goes to dbt: kernel29 build -- --full-refresh
    """
    from python_llm.build import build as build_project
    from python_llm.build import served_database
    from python_llm.leaderboard import format_leaderboard, read_leaderboard

    run = {
        "mode": mode,
        "models": models,
        "judges": judges,
        "questions": questions,
        "max_usd": max_usd,
    }
    try:
        succeeded = build_project(run, dbt_arguments)
    except RunError as error:
        raise click.ClickException(str(error)) from error
    if not succeeded:
        raise click.ClickException(
            "The build failed; what was served before is unchanged. The lines above say where; "
            "the whole log is logs/dbt.log."
        )
    database = served_database()
    click.echo(format_leaderboard(read_leaderboard(database)))
    click.echo(
        f"\nServed: {database} and {database.parent / 'parquet'}/ (open them while a build runs)\n"
        "Next:   make docs            every table and column, lineage included\n"
        "        kernel29 leaderboard this table again, --json for programs\n"
        "        README.md            adding a model, a prompt, a test set; live runs"
    )


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def leaderboard(as_json: bool) -> None:
    """Print the served leaderboard."""
    from python_llm.build import served_database
    from python_llm.leaderboard import format_leaderboard, read_leaderboard

    try:
        rows = read_leaderboard(served_database())
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(rows, indent=2, default=str))
    else:
        click.echo(format_leaderboard(rows))


@main.command()
def docs() -> None:
    """Write the browsable dbt docs to docs/index.html, one static page."""
    from dbt.cli.main import dbtRunner

    root = paths.project_root()
    outcome = dbtRunner().invoke(
        ["--quiet", "docs", "generate", "--static", "--project-dir", str(root)]
    )
    if not outcome.success:
        raise click.ClickException("The docs could not be made: run `make build` first.")
    page = root / "docs" / "index.html"
    page.parent.mkdir(exist_ok=True)
    shutil.copyfile(root / "target" / "static_index.html", page)
    click.echo(f"Written: {page} ({page.stat().st_size / 1e6:.1f} MB); open it in a browser.")


@main.group()
def terminology() -> None:
    """The clinical vocabularies."""


@terminology.command()
@click.option("--icd10cm", type=click.Path(path_type=Path), help="ICD-10-CM tabular XML.")
@click.option("--icd10cm-codes", type=click.Path(path_type=Path), help="Official code list.")
@click.option("--hp-obo", type=click.Path(path_type=Path), help="hp.obo.")
@click.option("--hpoa", type=click.Path(path_type=Path), help="phenotype.hpoa.")
@click.option("--genes", type=click.Path(path_type=Path), help="genes_to_phenotype.txt.")
def refresh(**files: Path | None) -> None:
    """Make the terminology seeds again from official files.

    A file that is not given comes from the packages of `pip install 'kernel29[terminology]'`.
    """
    from python_llm.terminology.errors import TerminologyError
    from python_llm.terminology.refresh import refresh as refresh_seeds

    destination = paths.project_root() / "seeds" / "terminology"
    try:
        manifest = refresh_seeds(destination, **files)
    except TerminologyError as error:
        raise click.ClickException(str(error)) from error
    for row in manifest:
        click.echo(f"{row.seed:32} {row.n_rows:>8} rows  {row.release}")


@main.group()
def questions() -> None:
    """Multiple-choice clinical questions."""


@questions.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--set", "question_set", required=True, help="Name of the question set.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Where a field stands: question, key, answer, options or option_a … option_j. Repeatable.",
)
@click.option("--language", type=click.Choice(["en", "es"]), help="Otherwise told by the text.")
@click.option("--skip-without-key", is_flag=True, help="Leave out questions without a key.")
@click.option("--contains-phi", is_flag=True, help="Only phi_approved models may see them.")
def import_set(
    source: Path, question_set: str, columns: tuple[str, ...], **options: str | bool | None
) -> None:
    """Bring questions in from JSON lines (MedQA) or a table, for the next build."""
    from python_llm.questions.imported import QuestionError, import_questions, imported_folder

    mapping = {}
    for column in columns:
        field, equals, name = column.partition("=")
        if not equals:
            raise click.ClickException(f"--column {column}: write FIELD=COLUMN, as in key=Clave.")
        mapping[field] = name
    try:
        done = import_questions(source, question_set, imported_folder(), columns=mapping, **options)
    except QuestionError as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"{done.path}: {done.n_questions} questions; {done.n_repeated} repeated and "
        f"{done.n_without_key} without a key left out."
    )


if __name__ == "__main__":
    sys.exit(main())
