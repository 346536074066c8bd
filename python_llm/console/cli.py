"""The `kernel29` command."""

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from python_llm import paths
from python_llm.errors import UserError

T = TypeVar("T")


class Commands(click.Group):
    """Commands that say in one sentence, without a traceback, what whoever typed them can mend."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read along has gone
                raise
            said = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            raise click.ClickException(f"{said}.".replace("..", ".")) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kernel29")
def main() -> None:
    """Measure how well language models diagnose. It evaluates; it does not treat."""


# What a run asks for; several names are separated by commas.
RUN_OPTIONS = (
    click.option("--models", default="", help="Models to call."),
    click.option("--prompts", default="", help="Prompts to ask with; otherwise all of the grid."),
    click.option("--test-sets", default="", help="Test sets to ask; otherwise all of the grid."),
    click.option("--limit", default="", help="Cases of every test set, the same for everybody."),
    click.option("--judges", default="", help="LLM judges to call."),
    click.option(
        "--judge-runs",
        default="live",
        show_default=True,
        help="Whose lists judges judge: live, recorded, all, or model/prompt/test_set with *.",
    ),
    click.option("--max-usd", default="1", show_default=True, help="What the run may spend."),
    click.option("--execution", default="direct", show_default=True, help="direct or batch."),
)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a run, in their order."""
    for option in reversed(RUN_OPTIONS):
        command = option(command)
    return command


@main.command()
@click.option("--mode", default="off", show_default=True, help="off, replay or live.")
@run_options
@click.option("--questions", default="", help="Models that answer questions.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def build(dbt_arguments: tuple[str, ...], **run: str) -> None:
    """Build the warehouse, serve the marts and print the leaderboard.

    Only --mode live calls anybody; `kernel29 plan` says what it would send and cost.

    What follows `--` goes to dbt: kernel29 build -- --full-refresh
    """
    from python_llm.console.leaderboard import format_leaderboard, read_leaderboard
    from python_llm.job.build import build as build_project

    succeeded = build_project(run, dbt_arguments)
    if not succeeded:
        raise click.ClickException(
            "The build failed; what was served before is unchanged. The lines above say where; "
            "the whole log is logs/dbt.log."
        )
    database = paths.served_database()
    click.echo(format_leaderboard(read_leaderboard(database)))
    click.echo(
        f"\nServed: {database} and {database.parent / 'parquet'}/ (open them while a build runs)\n"
        "Next:   make docs            every table and column, lineage included\n"
        "        kernel29 leaderboard this table again, --json for programs\n"
        "        README.md            adding a model, a prompt, a test set; live runs"
    )


@main.command()
@run_options
def plan(**run: str) -> None:
    """Print what a live run with these options would send and cost at most; send nothing.

    Without models and judges, the plan of every model that is not retired.
    """
    from python_llm.job.build import plan as plan_run
    from python_llm.job.plan import format_plan, format_retired
    from python_llm.job.preflight import retired_models

    click.echo(format_plan(plan_run(run), float(run["max_usd"])))
    if not run["models"] and (retired := retired_models()):
        click.echo(format_retired(retired))


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def leaderboard(as_json: bool) -> None:
    """Print the served leaderboard."""
    from python_llm.console.leaderboard import format_leaderboard, read_leaderboard

    rows = read_leaderboard(paths.served_database())
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
    from python_llm.report.page import write_report

    database = paths.served_database()
    page = output or database.parent / "report.html"
    size = write_report(database, page)
    click.echo(f"Written: {page} ({size / 1e6:.1f} MB); open it in a browser.")


@main.command()
@click.argument("sql")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def query(sql: str, as_json: bool) -> None:
    """Run one SQL statement on the served tables: kernel29 query "from rpt_leaderboard"."""
    from python_llm.console import terminal

    _show(lambda served: terminal.query(served, sql), terminal.format_rows, as_json)


@main.command("case")
@click.argument("case_id")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def show_case(case_id: str, as_json: bool) -> None:
    """Show a case, every list that was given for it, and how each rank was judged.

    CASE_ID is an id of ours (my_set/0007), or your own (C001), with its set (my_set/C001) where
    several have it.
    """
    from python_llm.console import terminal
    from python_llm.test_sets import showing

    _show(lambda served: showing.show_case(served, case_id), terminal.format_case, as_json)


@main.command()
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two configurations on their common cases; names may be cut short."""
    from python_llm.console import terminal

    _show(
        lambda served: terminal.compare(served, first, second),
        terminal.format_comparison,
        as_json,
    )


def _show(read: Callable[[Path], Any], text: Callable[[Any], str], as_json: bool) -> None:
    """Print what was read from the served database, or the one sentence why it was not."""
    from python_llm.console import terminal

    found = read(paths.served_database())
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
    from python_llm.console import terminal
    from python_llm.phenotyping.one_patient import Given, format_work_up, work_up

    found = work_up(
        paths.served_database(),
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
    click.echo(terminal.as_json(found) if as_json else format_work_up(found))


def _text_of(note: Path) -> str:
    """The text of a file in any encoding, or of standard input for `-`."""
    from python_llm.imports import tables

    is_stdin = str(note) == "-"
    content = click.get_binary_stream("stdin").read() if is_stdin else tables.read(note)
    text = tables.decode(content)
    if "\x00" in text:
        raise click.ClickException(f"{note} is no text: save the note as text.")
    return text


@main.command()
def docs() -> None:
    """Write the browsable dbt docs to serve/docs.html, one static page."""
    from dbt.cli.main import dbtRunner

    root = paths.project_root()
    outcome = dbtRunner().invoke(
        ["--quiet", "docs", "generate", "--static", "--project-dir", str(root)]
    )
    if not outcome.success:
        raise click.ClickException("The docs could not be made: run `make build` first.")
    page = paths.served_database().parent / "docs.html"
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
@click.option("--mondo", type=click.Path(path_type=Path), help="MONDO-ontology-vDATE.json.zst.")
def refresh(**files: Path | None) -> None:
    """Make the terminology seeds again from official files.

    A file that is not given comes from the packages of `pip install 'kernel29[terminology]'`.
    """
    from python_llm.terminology.refresh import refresh as refresh_seeds

    destination = paths.project_root() / "seeds" / "terminology"
    manifest = refresh_seeds(destination, **files)
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
    from python_llm.terminology.imports import import_file

    tables = import_file(file, file_format)
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
    from python_llm.prompting.showing import show_prompt
    from python_llm.test_sets.showing import find_case

    if case_id is not None:
        case_id = find_case(paths.served_database(), case_id)
    build_dir = paths.resolve(os.environ.get("KERNEL29_BUILD_DIR", "build"))
    click.echo(show_prompt(alias, case_id, paths.served_database(), build_dir / "kernel29.duckdb"))


@prompt.command("list")
@click.option("--task", default="generation", show_default=True, help="Or semantic_judge, ….")
def list_prompts(task: str) -> None:
    """Print the prompts of a task, by the aliases that PROMPTS and configurations take."""
    from python_llm.console import terminal
    from python_llm.prompting.templates import read_registry

    columns = ("prompt_alias", "language", "output_format", "description")
    rows = [
        {name: row[name] for name in columns} for _, row in read_registry() if row["task"] == task
    ]
    click.echo(terminal.format_rows(rows))


@prompt.command()
def check() -> None:
    """Compose every registered prompt and name every mistake with its file and line."""
    from python_llm.prompting.templates import check_all, read_registry

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
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--model", default="", help="Alias of the model that answered; any name.")
@click.option("--prompt", default="", help="Alias of the prompt it answered; any name.")
@click.option(
    "--test-set",
    "test_sets",
    multiple=True,
    metavar="[NAME=]SET",
    help="Test set the cases are of; NAME is what file names call it.",
)
@click.option(
    "--name", default="", metavar="PATTERN", help="What names say, as in '{model}_{prompt}'."
)
@click.option(
    "--labels", type=click.Path(path_type=Path), help="Labels in a file or folder of their own."
)
@click.option("--labels-name", default="", metavar="PATTERN", help="What the names of labels say.")
@click.option("--judge", default="recorded_labels", show_default=True, help="Whose labels.")
@click.option("--family", default="", help="Maker of the model; judges of one family are biased.")
@click.option("--format", "output_format", default="numbered_list", show_default=True)
@click.option("--prompt-version", default="recorded", show_default=True)
@click.option(
    "--match",
    "asked",
    type=click.Choice(["ids", "positions", "positions-from-0", "order"]),
    help="What names the cases; without it ids go first, and the golds check positions.",
)
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Say which column.")
@click.option("--replace", is_flag=True, help="Let these answers take the place of stored ones.")
def import_recorded(
    path: Path,
    model: str,
    prompt: str,
    test_sets: tuple[str, ...],
    name: str,
    labels: Path | None,
    labels_name: str,
    columns: tuple[str, ...],
    **options: Any,
) -> None:
    """Bring recorded answers in: CSV, JSON lines, JSON, Parquet or Excel, or a folder of them.

    One row a case with the raw answer, or one row a rank (columns rank and diagnosis). Cases are
    named by a column case_id; without one the rows are in the order of the test set. Labels:
    columns semantic_relation and severity beside a rank, or a column score (P2: the second
    diagnosis is the gold one, P0: none is), here or in the file of --labels.

    A folder holds a run a file, or a run a folder with a patient a file (patient_7.json). What
    their names say, a pattern tells: '{model}_{prompt}', '{test_set}_{model}_{skip}',
    '{model}_{prompt:short|long}'. Each run is stored whole or not at all.
    """
    from python_llm.runs.command import Options, import_all
    from python_llm.runs.folders import Names

    outcomes = import_all(
        path,
        labels,
        Names(
            model,
            prompt,
            {one.rpartition("=")[0]: one.rpartition("=")[2] for one in test_sets},
            name,
            labels_name,
        ),
        Options(columns=dict(_pairs("--column", columns, "answer=Text")), **options),
    )
    n_failed = 0
    for line, has_failed in outcomes:
        click.echo(line, err=has_failed)
        n_failed += has_failed
    if n_failed:
        sys.exit(1)
    click.echo("Next: make build (rpt_recorded_run, rpt_run_issue, rpt_leaderboard)")


@runs.command("list")
@click.option("--rejects", is_flag=True, help="What was set aside instead, row by row.")
def list_recorded(rejects: bool) -> None:
    """Print the recorded runs."""
    from collections import Counter

    from python_llm.runs import store

    if rejects:
        for one in store.read(paths.runs_folder(), "rejects").to_pylist():
            click.echo(
                f"{one['configuration_id']}: {one['source_file']}, row {one['source_row']}: "
                f"{one['reason']}; {one['remedy']}."
            )
        return
    answers = store.read(paths.runs_folder(), "answers")
    labels = store.read(paths.runs_folder(), "labels")
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
    click.echo(f"{configuration} is deleted; the next build leaves it out.")


@main.group()
def labels() -> None:
    """What people said of diagnoses: the measure of every judge."""


@labels.command("import")
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--judge", required=True, help="Name of the panel of raters, or of the one person.")
@click.option(
    "--rater", "raters", multiple=True, help="A rater's column, or the only rater's name."
)
@click.option("--test-set", default="", help="Test set the cases are of.")
@click.option(
    "--configuration", default="", help="Whose lists: model/prompt/test_set; {model}: of each row."
)
@click.option(
    "--name", "pattern", default="", help="What file names say: 'grades_{model}_{rater}'."
)
@click.option(
    "--match",
    type=click.Choice(["ids", "positions", "positions-from-0", "order"]),
    help="What names the cases of whole lists; otherwise ids, or positions the golds agree with.",
)
@click.option("--new-test-set", default="", help="Make a test set of the lists in the file.")
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Say which column.")
@click.option("--label", "meanings", multiple=True, metavar="WRITTEN=LABEL", help="What it means.")
@click.option(
    "--kind",
    type=click.Choice(["person", "recorded"]),
    default="person",
    show_default=True,
    help="recorded: another program's labels; they measure nobody.",
)
@click.option("--language", default="en", show_default=True, help="Of a new test set, ISO 639-1.")
@click.option("--replace", is_flag=True, help="Let these labels take the place of stored ones.")
def import_labels(
    path: Path,
    raters: tuple[str, ...],
    test_set: str,
    new_test_set: str,
    columns: tuple[str, ...],
    meanings: tuple[str, ...],
    **of: Any,
) -> None:
    """Bring people's labels in: CSV, JSON lines, JSON, Parquet or Excel, or a folder of them.

    One row a diagnosis: case_id and diagnosis (or rank, with --configuration), semantic_relation
    or severity, and rater; or a column or a sheet per rater; or whole lists, side by side or
    nested. A label belongs to every list of the case that names the diagnosis. Or one row a list,
    with --configuration: at which rank the gold diagnosis stands (P2; P0: nowhere), or whether it
    is among the first k (top5: yes, no), of all raters or in a column each. Lists of cases that
    are not known, with their gold diagnoses, become a test set named as the panel; who grades them
    in another file is imported with --test-set PANEL.
    """
    from python_llm.labels import command

    if new_test_set and (test_set or of["configuration"]):
        raise click.ClickException("--new-test-set goes without --test-set and --configuration.")
    done = command.import_path(
        path,
        raters=raters,
        test_set=new_test_set or test_set,
        makes_test_set=bool(new_test_set),
        columns=dict(_pairs("--column", columns, "answer=Text")),
        meanings=list(_pairs("--label", meanings, "5=Exact Synonym")),
        served=paths.served_database(),
        say=click.echo,
        **of,
    )
    if not done:
        raise click.ClickException("Not everything was imported: see above.")
    click.echo("Next: make build (rpt_judge_calibration, fct_judge_agreement, rpt_label_issue)")


@labels.command("list")
@click.option("--rejects", is_flag=True, help="What could not be read instead, line by line.")
def list_labels(rejects: bool) -> None:
    """Print who labelled how much."""
    from collections import Counter

    from python_llm.labels import store

    rows = store.read(store.labels_folder(), "rejects" if rejects else "labels").to_pylist()
    if rejects:
        for one in rows:
            rater = f", {one['rater']}" if one["rater"] else ""
            click.echo(
                f"{one['panel']}{rater}: {one['source_file']}, line {one['source_line']}, "
                f"{one['field']}: {one['reason']}"
            )
        return
    counts = Counter(
        (row["judge_id"], row["configuration_id"] or row["test_set"] or "-", row["scale"])
        for row in rows
    )
    for (judge, of, scale), count in sorted(counts.items()):
        click.echo(f"{judge}  {of}  {scale}: {count} labels")


@labels.command("forget")
@click.argument("judge")
def forget_labels(judge: str) -> None:
    """Delete the labels of the panel JUDGE, and test sets only they were for."""
    from python_llm.labels import store
    from python_llm.labels.importing import forget as forget_panel
    from python_llm.test_sets.store import cases_folder

    if not forget_panel(store.labels_folder(), judge, paths.runs_folder(), cases_folder()):
        raise click.ClickException(f"There are no labels of '{judge}': see `kernel29 labels list`.")
    click.echo(f"{judge} is deleted; the next build leaves it out.")


def _pairs(option: str, given: tuple[str, ...], example: str) -> Iterator[tuple[str, str]]:
    """NAME=VALUE options as pairs."""
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise click.ClickException(f"{option} {one}: write it as in {example}.")
        yield name, value


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
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=NAME",
    help="Which column is the text, gold, id, history, examination … of a table. Repeatable.",
)
@click.option("--mapping", type=click.Path(path_type=Path), help="The same for all, in a file.")
@click.option(
    "--frame",
    type=click.Choice(["source", "plain"]),
    help="The headings of a case that came in parts: source for urg, rarebench and phenopacket, "
    "otherwise plain. One text is asked as it is.",
)
@click.option("--language", help="ISO 639-1; es for urg, otherwise en.")
@click.option("--phi/--no-phi", default=None, help="Real patients? urg and table: yes unless told.")
@click.option("--without-gold", is_flag=True, help="Take cases without a diagnosis, for reading.")
@click.option("--replace", is_flag=True, help="Forget what was imported into the set before.")
def import_(
    file: Path,
    source_format: str,
    test_set: str,
    columns: tuple[str, ...],
    mapping: Path | None,
    frame: str | None,
    language: str | None,
    phi: bool | None,
    without_gold: bool,
    replace: bool,
) -> None:
    """Read FILE into a test set: a table, JSON lines, phenopackets, or a folder of patients.

    The columns of a table are known by their usual names (id, text, diagnosis, in English and
    Spanish) or named with --column. The same file twice changes nothing. What could not be taken
    is said here, and is in rpt_record_issue after the next build.
    """
    from python_llm.test_sets.importing import MOST_SHOWN, Choices, import_cases
    from python_llm.test_sets.store import cases_folder

    choices = Choices(
        mapping,
        dict(_pairs("--column", columns, "text=Notes")),
        language,
        phi,
        frame,
        without_gold,
    )
    imported = import_cases(file, source_format, test_set, cases_folder(), choices, replace=replace)
    if not imported.is_new:
        click.echo(f"{file.name} is in {test_set} already: nothing changed.")
        return
    click.echo(
        f"{imported.n_records} cases from {file.name} into {test_set} ({imported.frame} frame, "
        f"{imported.language}, {'real patients' if imported.contains_phi else 'no real patients'})"
        f", {imported.n_lost} rejected."
    )
    if imported.n_for_reading:
        click.echo(
            f"{imported.n_for_reading} have no gold diagnosis: they are read for phenotypes and "
            "asked of nobody."
        )
    if imported.taken:
        taken = (f"{field} from {' and '.join(names)}" for field, names in imported.taken.items())
        click.echo(f"Read: {', '.join(taken)}.")
    if imported.unread:
        click.echo(f"Not read: {', '.join(imported.unread)}.")
    _say_rejects(imported.rejects[:MOST_SHOWN])
    if len(imported.rejects) > MOST_SHOWN:
        click.echo(f"… all of them: kernel29 cases list --rejects {test_set}")
    click.echo("The next build reads them.")


def _say_rejects(rejects: list[dict[str, Any]]) -> None:
    for one in rejects:
        line = f", line {one['source_line']}" if one["source_line"] is not None else ""
        click.echo(f"{one['source_file']}{line}, {one['field']}: {one['reason']}")


@cases.command("list")
@click.option("--rejects", metavar="TEST_SET", help="What of this set was not taken, one by one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_cases(rejects: str | None, as_json: bool) -> None:
    """Print the imported sets: how many cases, how models get them, where they are from."""
    from python_llm.console import terminal
    from python_llm.test_sets import showing, store

    folder = store.cases_folder()
    if rejects:
        lost = store.read_rejects(folder).to_pylist()
        _say_rejects([one for one in lost if one["test_set"] == rejects])
        return
    rows = showing.sets(folder)
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@cases.command("show")
@click.argument("case_id")
@click.option("--about", is_flag=True, help="Say the frame, language and gold on stderr.")
def show_narrative(case_id: str, about: bool) -> None:
    """Print a case (an id of ours, or SET/ID with your own) exactly as a model gets it."""
    from python_llm.test_sets.showing import show

    shown = show(paths.served_database(), case_id)
    sys.stdout.buffer.write(shown.narrative.encode())
    sys.stdout.flush()
    if about:
        click.echo(shown.about, err=True)


@cases.command("forget")
@click.argument("test_set")
def forget_cases(test_set: str) -> None:
    """Delete everything imported into TEST_SET."""
    from python_llm.test_sets import store

    folder = store.cases_folder()
    if not store.imported_files(folder, test_set):
        raise click.ClickException(
            f"Nothing was imported into '{test_set}': see `kernel29 cases list`."
        )
    store.remove(folder, test_set)
    click.echo(f"{test_set} is deleted; the next build leaves it out.")


@main.group()
def ledger() -> None:
    """The log of every call ever made."""


@ledger.command("show")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_ledger(as_json: bool) -> None:
    """What the ledger holds: calls, answers, tokens and dollars by model, and open batches."""
    from python_llm.engine.ledger.tools import format_summary, project_ledger, summary

    rows = summary(project_ledger())
    click.echo(json.dumps(rows, indent=2, default=str) if as_json else format_summary(rows))


@ledger.command()
def verify() -> None:
    """Read every line and every part; fails when anything is damaged, and says where."""
    from python_llm.engine.ledger.tools import project_ledger

    n_rows, damage = project_ledger().verify()
    for sentence in damage:
        click.echo(sentence, err=True)
    click.echo(f"{n_rows:,} attempts can be read, {len(damage):,} places cannot.")
    if damage:
        sys.exit(1)


@ledger.command()
def compact() -> None:
    """Turn closed segments into Parquet now; a live run does so by itself."""
    from python_llm.engine.ledger.tools import project_ledger

    click.echo(project_ledger().tidy())


@ledger.command()
@click.argument("file", type=click.Path(path_type=Path))
def export(file: Path) -> None:
    """Write every attempt to one file: .parquet, .csv or .jsonl."""
    from python_llm.engine.ledger.tools import export as export_ledger
    from python_llm.engine.ledger.tools import project_ledger

    n_rows = export_ledger(project_ledger(), file)
    click.echo(f"Written: {file} ({n_rows:,} attempts)")


@ledger.command()
@click.argument("folder", type=click.Path(path_type=Path))
def share(folder: Path) -> None:
    """Copy the ledger in FOLDER into the team's (KERNEL29_LEDGER_URL), open batches included.

    What is there already is passed over, so that it can be done again.
    """
    from python_llm.engine.ledger.tools import share as share_ledger

    n_rows, n_batches = share_ledger(folder)
    click.echo(f"{n_rows:,} attempts and {n_batches:,} batches copied.")


@ledger.command()
@click.option("--before", required=True, help="Day, as in 2026-01-31: older attempts may go.")
@click.option("--answers", is_flag=True, help="Answers too; without it only failed attempts go.")
@click.option("--yes", is_flag=True, help="Do it; without it the command only counts.")
def prune(before: str, answers: bool, yes: bool) -> None:
    """Remove old attempts for good. Export first: what is gone is paid for again when asked."""
    from python_llm.engine.ledger.tools import beginning_of, project_ledger

    n_rows = project_ledger().prune(beginning_of(before), answers=answers, really=yes)
    click.echo(f"{n_rows:,} attempts {'removed' if yes else 'would go: add --yes'}")


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
    from python_llm.questions.imported import import_questions, imported_folder

    mapping = dict(_pairs("--column", columns, "key=Clave"))
    done = import_questions(source, question_set, imported_folder(), columns=mapping, **options)
    click.echo(
        f"{done.path}: {done.n_questions} questions; {done.n_repeated} repeated and "
        f"{done.n_without_key} without a key left out."
    )
    for one in done.unreadable:
        click.echo(f"Set aside: {one}.")


@main.command("check")
@click.argument("recommendation", type=click.Path(path_type=Path))
@click.option("--patient", type=click.Path(path_type=Path), help="The patient, as JSON.")
@click.option("--case", "case_id", help="The patient of this golden case, as in pe_03.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of verdicts.")
def check_recommendation(
    recommendation: Path, patient: Path | None, case_id: str | None, as_json: bool
) -> None:
    """Check one recommendation by tier 1 before it is shown; exit code 1 if it must not be.

    RECOMMENDATION is a JSON file, by itself or as {"recommendation": …, "patient": …}. Without a
    patient the safety check fails, because it cannot be made.
    """
    from python_llm.recommendations import command

    verdicts, took_ms = command.check_file(recommendation, patient, case_id)
    if as_json:
        click.echo(json.dumps(command.as_rows(verdicts), indent=2, ensure_ascii=False))
    else:
        click.echo(command.format_verdicts(verdicts, took_ms))
    if not all(verdict.passed for verdict in verdicts):
        sys.exit(1)


@main.command()
@click.argument("patient")
@click.option("--configuration", default="balanced", show_default=True, help="Retrieval weights.")
def recommend(patient: str, configuration: str) -> None:
    """Print what the recommender without a language model says of PATIENT.

    PATIENT is a golden case (pe_03) or a JSON file. It evaluates software; it is no advice.
    """
    from python_llm.recommendations import command

    click.echo(command.recommend(command.patient_of(patient), configuration))


@main.group()
def baseline() -> None:
    """What runs of the recommendations are compared with."""


@baseline.command("promote")
@click.argument("name")
@click.option("--why", required=True, help="Why this run is the new baseline, in a sentence.")
@click.option("--cases-changed", is_flag=True, help="Cases were changed or removed on purpose.")
def promote_baseline(name: str, why: str, cases_changed: bool) -> None:
    """Make the last run the baseline of every tenant it evaluated.

    Refused when a gating metric of it is worse than the baseline it was compared with.
    """
    from python_llm.recommendations import baselines

    promoted = baselines.promote(
        name,
        why,
        evaluations=baselines.evaluations_folder(),
        baselines=baselines.baselines_folder(),
        cases_changed=cases_changed,
    )
    for one in promoted:
        click.echo(f"{one.tenant_id}: {one.recommender} baseline {one.baseline_number} is {name}")


@baseline.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_baselines(as_json: bool) -> None:
    """Every baseline; the last one of a tenant and recommender is the one that counts."""
    from python_llm.console import terminal
    from python_llm.recommendations import baselines

    rows = baselines.listed(baselines.baselines_folder())
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@baseline.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_baseline(name: str, as_json: bool) -> None:
    """The metrics of a baseline, by tenant and condition."""
    from python_llm.console import terminal
    from python_llm.recommendations import baselines

    rows = baselines.shown(baselines.baselines_folder(), name)
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


if __name__ == "__main__":
    sys.exit(main())
