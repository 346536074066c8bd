"""The `kernel29` command."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
@click.option("--max-usd", default="1", show_default=True, help="What the run may spend.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def build(
    mode: str, models: str, judges: str, max_usd: str, dbt_arguments: tuple[str, ...]
) -> None:
    """Build the warehouse, serve the marts and print the leaderboard.

    What follows `--` goes to dbt: kernel29 build -- --full-refresh
    """
    from python_llm.build import build as build_project
    from python_llm.build import served_database
    from python_llm.leaderboard import format_leaderboard, read_leaderboard

    run = {"mode": mode, "models": models, "judges": judges, "max_usd": max_usd}
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
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write it.  [default: report.html beside the served database]",
)
def report(output: Path | None) -> None:
    """Write the pictures as one page that opens from disk, without a network."""
    from python_llm.build import served_database
    from python_llm.report.page import write_report

    database = served_database()
    page = output or database.parent / "report.html"
    try:
        size = write_report(database, page)
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Written: {page} ({size / 1e6:.1f} MB); open it in a browser.")


@main.command()
@click.argument("sql")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def query(sql: str, as_json: bool) -> None:
    """Run one SQL statement on the served tables: kernel29 query "from rpt_leaderboard"."""
    from python_llm import terminal

    _show(lambda served: terminal.query(served, sql), terminal.format_rows, as_json)


@main.command("case")
@click.argument("case_id")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def show_case(case_id: str, as_json: bool) -> None:
    """Show a case, every list that was given for it, and how each rank was judged."""
    from python_llm import terminal

    _show(lambda served: terminal.case(served, case_id), terminal.format_case, as_json)


@main.command()
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two configurations on their common cases; names may be cut short."""
    from python_llm import terminal

    _show(
        lambda served: terminal.compare(served, first, second),
        terminal.format_comparison,
        as_json,
    )


def _show(read: Callable[[Path], Any], text: Callable[[Any], str], as_json: bool) -> None:
    """Print what was read from the served database, or the one sentence why it was not."""
    from python_llm import terminal
    from python_llm.build import served_database

    try:
        found = read(served_database())
    except terminal.LookupFailed as error:
        raise click.ClickException(str(error)) from error
    click.echo(terminal.as_json(found) if as_json else text(found))


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
def runs() -> None:
    """Answers that exist already, from files."""


@runs.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", required=True, help="Alias of the model that answered; any name.")
@click.option("--prompt", required=True, help="Alias of the prompt it answered; any name.")
@click.option("--test-set", required=True, help="Test set the cases are of.")
@click.option("--labels", type=click.Path(path_type=Path), help="Labels in a file of their own.")
@click.option("--judge", default="recorded_labels", show_default=True, help="Whose labels.")
@click.option("--family", default="", help="Maker of the model; judges of one family are biased.")
@click.option("--format", "output_format", default="numbered_list", show_default=True)
@click.option("--prompt-version", default="recorded", show_default=True)
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Say which column.")
@click.option("--replace", is_flag=True, help="Let these answers take the place of stored ones.")
def import_recorded(
    file: Path, labels: Path | None, columns: tuple[str, ...], replace: bool, **of: str
) -> None:
    """Bring recorded answers in: CSV, JSON lines, JSON, Parquet or Excel.

    One row a case with the raw answer, or one row a rank (columns rank and diagnosis). Cases are
    named by a column case_id; without one the rows are in the order of the test set. Labels:
    columns semantic_relation and severity beside a rank, or a column score (P2: the second
    diagnosis is the gold one, P0: none is), here or in the file of --labels.
    """
    from python_llm.build import served_database
    from python_llm.parsing.differential import PARSERS
    from python_llm.runs.importing import Run, import_run
    from python_llm.runs.tables import RunFileError

    if of["output_format"] not in PARSERS:
        raise click.ClickException(f"--format: use one of {', '.join(PARSERS)}.")
    wrong = [column for column in columns if "=" not in column]
    if wrong:
        raise click.ClickException(f"--column {wrong[0]}: write ROLE=NAME, as in answer=Text.")
    try:
        run = Run(**of)
        report = import_run(
            file,
            run,
            paths.runs_folder(),
            served=served_database(),
            labels=labels,
            columns=dict(column.split("=", 1) for column in columns),
            replace=replace,
        )
    except RunFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"{run.configuration_id}: {report.n_answers} answers matched by {report.matched_by}, "
        f"{report.n_new} new, {report.n_unchanged} stored before; {report.n_labels} labels."
    )
    for note in report.notes:
        click.echo(note)
    click.echo("Next: make build (rpt_recorded_run, rpt_leaderboard)")


@runs.command("list")
def list_recorded() -> None:
    """Print the recorded runs."""
    from collections import Counter

    from python_llm.runs import store
    from python_llm.runs.tables import RunFileError

    try:
        answers = store.read(paths.runs_folder(), "answers")
        labels = store.read(paths.runs_folder(), "labels")
    except RunFileError as error:
        raise click.ClickException(str(error)) from error
    labelled = Counter(labels.column("configuration_id").to_pylist())
    for name, count in sorted(Counter(answers.column("configuration_id").to_pylist()).items()):
        click.echo(f"{name}: {count} answers, {labelled[name]} labels")


@runs.command()
@click.argument("configuration")
def forget(configuration: str) -> None:
    """Delete the stored answers and labels of CONFIGURATION (model/prompt/test_set)."""
    from python_llm.runs import store

    if not store.forget(paths.runs_folder(), configuration):
        raise click.ClickException(
            f"There is no recorded run '{configuration}': see `kernel29 runs list`."
        )
    click.echo(f"{configuration} is forgotten; the next build is without it.")


if __name__ == "__main__":
    sys.exit(main())
