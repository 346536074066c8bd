"""The `kernel29` command."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from python_llm import paths
from python_llm.preflight import RunError

T = TypeVar("T")


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
@click.option("--execution", default="direct", show_default=True, help="direct or batch.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def build(
    mode: str,
    models: str,
    judges: str,
    questions: str,
    max_usd: str,
    execution: str,
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
        "execution": execution,
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
@click.argument("note", required=False, type=click.Path(path_type=Path))
@click.option("--hpo", default="", help="Findings, ids or names, separated by commas.")
@click.option("--not", "excluded", default="", help="Excluded findings, likewise.")
@click.option("--age", type=float, help="Age in years, with decimals.")
@click.option("--sex", type=click.Choice(["female", "male"]))
@click.option("--language", type=click.Choice(["en", "es"]), help="Of the note; else guessed.")
@click.option("--tests", help="Prior tests, as text or as a JSON list of {test, date}.")
@click.option("--family", help="Family history.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def phenotype(
    note: Path | None,
    hpo: str,
    excluded: str,
    tests: str | None,
    family: str | None,
    as_json: bool,
    **known: Any,
) -> None:
    """Work up one patient: the text of NOTE (- for standard input), findings, or both.

    Red flags first, then candidate diseases with what speaks for and against them, and the next
    steps that would tell them apart. Nothing leaves the machine and nothing is kept.
    """
    from python_llm import terminal
    from python_llm.build import served_database
    from python_llm.phenotyping.one_patient import Given, PatientError, format_work_up, work_up

    try:
        found = work_up(
            served_database(),
            Given(
                note=None if note is None else _text_of(note),
                findings=hpo.split(",") if hpo else (),
                excluded=excluded.split(",") if excluded else (),
                prior_tests=tests,
                family_history=family,
                age_years=known["age"],
                sex=known["sex"],
                language=known["language"],
            ),
        )
    except PatientError as error:
        raise click.ClickException(str(error)) from error
    click.echo(terminal.as_json(found) if as_json else format_work_up(found))


def _text_of(note: Path) -> str:
    """The text of a file, or of standard input for `-`."""
    if str(note) == "-":
        return click.get_text_stream("stdin").read()
    try:
        return note.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise click.ClickException(f"{note} cannot be read: {reason}.") from error


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
@click.option(
    "--icd10cm", type=click.Path(path_type=Path), help="ICD-10-CM tabular XML or order file."
)
@click.option("--icd10cm-codes", type=click.Path(path_type=Path), help="Code list, for an XML.")
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


@terminology.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "file_format",
    required=True,
    help="orphadata (product 1, JSON), orpha2omim (JSON), sssom (TSV) or babelon (TSV).",
)
def import_terminology(file: Path, file_format: str) -> None:
    """Import disease names and mappings, or HPO translations, for the next build.

    What is imported stays on this machine (data/terminology) under its own licence. The same file
    again changes nothing; a newer release of it replaces the older.
    """
    from python_llm.terminology.errors import TerminologyError
    from python_llm.terminology.imports import import_file

    try:
        tables = import_file(file, file_format)
    except TerminologyError as error:
        raise click.ClickException(str(error)) from error
    for table in tables:
        click.echo(f"{table.table:32} {table.n_rows:>8} rows  {table.source}  {table.release}")


@main.group()
def prompt() -> None:
    """Prompts: folders of text in python_llm/prompts."""


@prompt.command("show")
@click.argument("alias")
@click.option("--case", "case_id", help="Fill it in for this case, as in simulated_rare_200/0007.")
def show_prompt(alias: str, case_id: str | None) -> None:
    """Print a prompt as the files say it now, finished for a case if one is given."""
    from python_llm.build import served_database
    from python_llm.prompt_show import show_prompt
    from python_llm.prompting import PromptError

    build_dir = paths.resolve(os.environ.get("KERNEL29_BUILD_DIR", "build"))
    try:
        click.echo(show_prompt(alias, case_id, served_database(), build_dir / "kernel29.duckdb"))
    except PromptError as error:
        raise click.ClickException(str(error)) from error


@prompt.command()
def check() -> None:
    """Compose every registered prompt and name every mistake with its file and line."""
    from python_llm.prompting import check_all, read_registry

    mistakes = check_all()
    for mistake in mistakes:
        click.echo(mistake, err=True)
    if mistakes:
        raise click.ClickException(f"{len(mistakes)} mistakes in the prompts.")
    click.echo(f"{len(read_registry())} prompts compose.")


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


@main.group()
def cases() -> None:
    """Test cases from elsewhere."""


@cases.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "source_format",
    required=True,
    help="rarebench, synthetic_v2, phenopacket, table or urg.",
)
@click.option("--test-set", required=True, help="Name of the set the cases go into.")
@click.option("--mapping", type=click.Path(path_type=Path), help="Which column is which field.")
@click.option("--language", help="ISO 639-1; es for urg, otherwise en.")
@click.option("--phi/--no-phi", default=None, help="Real patients? urg and table: yes unless told.")
@click.option("--replace", is_flag=True, help="Forget what was imported into the set before.")
def import_(
    file: Path,
    source_format: str,
    test_set: str,
    mapping: Path | None,
    language: str | None,
    phi: bool | None,
    replace: bool,
) -> None:
    """Read FILE into a test set: a table, JSON lines, phenopackets, or a folder of patients.

    The same file twice changes nothing. What could not be taken is in rpt_record_issue after the
    next build, with line, field and reason.
    """
    from python_llm.test_sets.importing import import_cases
    from python_llm.test_sets.store import CaseImportError, cases_folder

    try:
        imported = import_cases(
            file, source_format, test_set, cases_folder(), mapping, language, phi, replace
        )
    except CaseImportError as error:
        raise click.ClickException(str(error)) from error
    if not imported.is_new:
        click.echo(f"{file.name} is in {test_set} already: nothing changed.")
        return
    click.echo(
        f"{imported.n_records} cases from {file.name} into {test_set}, {imported.n_lost} rejected. "
        "The next build reads them."
    )


@main.group()
def ledger() -> None:
    """The log of every call ever made."""


@ledger.command("show")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_ledger(as_json: bool) -> None:
    """What the ledger holds: calls, answers, tokens and dollars by model, and open batches."""
    from python_llm.engine.ledger_tools import format_summary, open_ledger, summary

    rows = summary(open_ledger())
    click.echo(json.dumps(rows, indent=2, default=str) if as_json else format_summary(rows))


@ledger.command()
def verify() -> None:
    """Read every line and every part; fails when anything is damaged, and says where."""
    from python_llm.engine.ledger_tools import open_ledger, verified

    n_rows, damage = verified(open_ledger())
    for sentence in damage:
        click.echo(sentence, err=True)
    click.echo(f"{n_rows:,} attempts can be read, {len(damage):,} places cannot.")
    if damage:
        sys.exit(1)


@ledger.command()
def compact() -> None:
    """Turn closed segments into Parquet now; a live run does so by itself."""
    from python_llm.engine.ledger_tools import compact as compact_ledger
    from python_llm.engine.ledger_tools import open_ledger

    click.echo(_or_say(lambda: compact_ledger(open_ledger())))


@ledger.command()
@click.argument("file", type=click.Path(path_type=Path))
def export(file: Path) -> None:
    """Write every attempt to one file: .parquet, .csv or .jsonl."""
    from python_llm.engine.ledger_tools import export as export_ledger
    from python_llm.engine.ledger_tools import open_ledger

    n_rows = _or_say(lambda: export_ledger(open_ledger(), file))
    click.echo(f"Written: {file} ({n_rows:,} attempts)")


@ledger.command()
@click.option("--before", required=True, help="Day, as in 2026-01-31: older attempts may go.")
@click.option("--answers", is_flag=True, help="Answers too; without it only failed attempts go.")
@click.option("--yes", is_flag=True, help="Do it; without it the command only counts.")
def prune(before: str, answers: bool, yes: bool) -> None:
    """Remove old attempts for good. Export first: what is gone is paid for again when asked."""
    from python_llm.engine.ledger_tools import open_ledger
    from python_llm.engine.ledger_tools import prune as prune_ledger

    n_rows = _or_say(lambda: prune_ledger(open_ledger(), before, answers=answers, really=yes))
    click.echo(f"{n_rows:,} attempts {'removed' if yes else 'would go: add --yes'}")


def _or_say(work: Callable[[], T]) -> T:
    """What the work gives; its error as one sentence without a traceback."""
    from python_llm.engine import EngineError

    try:
        return work()
    except EngineError as error:
        raise click.ClickException(str(error)) from error


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
