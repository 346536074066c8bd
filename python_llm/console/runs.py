"""`kernel29 runs`."""

import sys
from pathlib import Path
from typing import Any

import click

from python_llm import paths
from python_llm.console.options import pairs


@click.group()
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
            {named.rpartition("=")[0]: named.rpartition("=")[2] for named in test_sets},
            name,
            labels_name,
        ),
        Options(columns=dict(pairs("--column", columns, "answer=Text")), **options),
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
        for reject in store.read(paths.runs_folder(), "rejects").to_pylist():
            click.echo(
                f"{reject['configuration_id']}: {reject['source_file']}, "
                f"row {reject['source_row']}: {reject['reason']}; {reject['remedy']}."
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
