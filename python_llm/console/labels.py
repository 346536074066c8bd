"""`kernel29 labels`."""

from pathlib import Path
from typing import Any

import click

from python_llm import paths
from python_llm.console.options import pairs


@click.group()
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
        columns=dict(pairs("--column", columns, "answer=Text")),
        meanings=list(pairs("--label", meanings, "5=Exact Synonym")),
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
        for reject in rows:
            rater = f", {reject['rater']}" if reject["rater"] else ""
            click.echo(
                f"{reject['panel']}{rater}: {reject['source_file']}, line {reject['source_line']}, "
                f"{reject['field']}: {reject['reason']}"
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
