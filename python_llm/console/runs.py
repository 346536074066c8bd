"""`kernel29 runs`."""

import sys
from pathlib import Path
from typing import Any

import click

from python_llm import paths
from python_llm.console.options import RANKS, by_role, of_encoding


@click.group()
def runs() -> None:
    """Import, list and delete answers recorded elsewhere."""


@runs.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--model", default="", help="Name of the model that answered; any name will do.")
@click.option("--prompt", default="", help="Name of its prompt; any name will do.")
@click.option(
    "--test-set",
    "test_sets",
    multiple=True,
    metavar="[NAME=]SET",
    help="Test set of the cases; NAME is its name in file names.",
)
@click.option("--name", default="", metavar="PATTERN", help="File names, as in '{model}_{prompt}'.")
@click.option(
    "--labels", type=click.Path(path_type=Path), help="File or folder of the labels, if separate."
)
@click.option("--labels-name", default="", metavar="PATTERN", help="File names of the labels.")
@click.option(
    "--judge",
    default="recorded_labels",
    show_default=True,
    help="Judge the labels are credited to.",
)
@click.option(
    "--family",
    default="",
    help="Model family; its judges do not judge these answers.  [default: told by the name]",
)
@click.option(
    "--format",
    "output_format",
    default="numbered_list",
    show_default=True,
    help="Form the answers were asked for in.",
)
@click.option(
    "--prompt-version", default="recorded", show_default=True, help="Version of the prompt."
)
@click.option(
    "--match",
    "asked",
    type=click.Choice(["ids", "positions", "positions-from-0", "order"]),
    help="How rows name their cases.  [default: ids, or positions that the gold diagnoses bear "
    "out]",
)
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Column of a role.")
@click.option("--replace", is_flag=True, help="Replace stored answers to the same cases.")
@of_encoding
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
    """Import recorded answers from a file or folder.

    PATH is CSV, JSON lines, JSON, Parquet or Excel, or a folder of such files.

    One row per case with the raw answer, or one row per rank (columns rank and diagnosis). The
    column case_id names the case; without it the rows are in the order of the test set. Labels are
    columns semantic_relation and severity beside a rank, or a column score (P2: the second
    diagnosis is the gold one; P0: none is), in the same file or in that of --labels.

    A folder holds one file per run, or one folder per run with one file per patient
    (patient_7.json). A pattern explains the names: '{model}_{prompt}',
    '{test_set}_{model}_{skip}', '{model}_{prompt:short|long}'. Each run is stored whole or not at
    all.
    """
    from python_llm.runs.command import Options, import_all
    from python_llm.runs.folders import Names

    outcomes = import_all(
        path,
        labels,
        Names(
            model,
            prompt,
            {text.rpartition("=")[0]: text.rpartition("=")[2] for text in test_sets},
            name,
            labels_name,
        ),
        Options(columns=by_role("--column", columns, "answer=Text", RANKS), **options),
    )
    n_failed = 0
    for line, has_failed in outcomes:
        click.echo(line, err=has_failed)
        n_failed += has_failed
    if n_failed:
        sys.exit(1)
    click.echo("Next: kernel29 build (rpt_recorded_run, rpt_run_issue, rpt_leaderboard)")


@runs.command("list")
@click.argument("configuration", required=False)
@click.option("--rejects", is_flag=True, help="Print what was set aside, row by row.")
def list_recorded(configuration: str | None, rejects: bool) -> None:
    """Print the recorded runs with their numbers of answers.

    CONFIGURATION, as model/prompt/test_set, is one of them.
    """
    from collections import Counter

    from python_llm.imports.numbered_rows import place
    from python_llm.runs import store

    if rejects:
        for reject in store.read(paths.runs_folder(), "rejects").to_pylist():
            if configuration not in (None, reject["configuration_id"]):
                continue
            click.echo(
                f"{reject['configuration_id']}: "
                f"{place(reject['source_file'], reject['source_row'])}: "
                f"{reject['reason']}; {reject['remedy']}."
            )
        return
    answers = store.read(paths.runs_folder(), "answers")
    labels = store.read(paths.runs_folder(), "labels")
    labelled = Counter(labels.column("configuration_id").to_pylist())
    for name, count in sorted(Counter(answers.column("configuration_id").to_pylist()).items()):
        if configuration not in (None, name):
            continue
        click.echo(f"{name}: {count} answers, {labelled[name]} labels")


@runs.command()
@click.argument("configuration")
def forget(configuration: str) -> None:
    """Delete the stored answers and labels of a run.

    CONFIGURATION is model/prompt/test_set.
    """
    from python_llm.job.serving import lakehouse
    from python_llm.runs import store

    if not store.forget(paths.runs_folder(), configuration):
        raise click.ClickException(
            f"There is no recorded run '{configuration}': see `kernel29 runs list`."
        )
    lakehouse.forget()  # an answer may repeat the patient's words
    click.echo(f"{configuration} is deleted; the next build leaves it out.")
