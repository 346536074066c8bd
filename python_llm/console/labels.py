"""`kernel29 labels`."""

from pathlib import Path
from typing import Any

import click

from python_llm import paths
from python_llm.console.options import RATERS, by_role, of_encoding, pairs


@click.group()
def labels() -> None:
    """Import, list and delete people's labels of diagnoses."""


@labels.command("import")
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--judge", required=True, help="Name of the panel, or of the only rater.")
@click.option(
    "--rater", "raters", multiple=True, help="A rater's column, or the only rater's name."
)
@click.option("--test-set", default="", help="Test set of the cases.")
@click.option(
    "--configuration",
    default="",
    help="The lists that were labelled: model/prompt/test_set; {model} stands for each row's.",
)
@click.option(
    "--name", "pattern", default="", help="Pattern of file names, as in 'grades_{model}_{rater}'."
)
@click.option(
    "--match",
    type=click.Choice(["ids", "positions", "positions-from-0", "order"]),
    help="How rows name their cases.  [default: ids, or positions that the gold diagnoses bear "
    "out]",
)
@click.option(
    "--new-test-set", default="", help="Make a test set of this name from the lists in the file."
)
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Column of a role.")
@click.option(
    "--label", "meanings", multiple=True, metavar="WRITTEN=LABEL", help="Meaning of a wording."
)
@click.option(
    "--ranks-from",
    type=click.IntRange(0, 1),
    help="The number of the first rank where ranks of the gold diagnosis are bare numbers.  "
    "[default: 1, and 0 is absent]",
)
@click.option(
    "--kind",
    type=click.Choice(["person", "recorded"]),
    default="person",
    show_default=True,
    help="recorded: another program's labels, against which no judge is measured.",
)
@click.option(
    "--language", default="en", show_default=True, help="ISO 639-1 code of a new test set."
)
@click.option("--replace", is_flag=True, help="Replace stored labels of the same diagnoses.")
@of_encoding
def import_labels(
    path: Path,
    raters: tuple[str, ...],
    test_set: str,
    new_test_set: str,
    columns: tuple[str, ...],
    meanings: tuple[str, ...],
    **source: Any,
) -> None:
    """Import people's labels from a file or folder.

    PATH is CSV, JSON lines, JSON, Parquet or Excel, or a folder of such files.

    One row per diagnosis: case_id and diagnosis (or rank, with --configuration), semantic_relation
    or severity, and rater; or a column or a sheet per rater; or whole lists, side by side or
    nested. A label holds for every list of the case that names the diagnosis.

    Or one row per list, with --configuration: the rank of the gold diagnosis (P2; P0: absent), or
    whether it is among the first k (top5: yes, no), for all raters or with a column for each.

    Lists of unknown cases, with their gold diagnoses, become a test set named after the panel. To
    import another rater's file of the same lists, use --test-set PANEL.
    """
    from python_llm.labels import command

    if new_test_set and (test_set or source["configuration"]):
        raise click.ClickException(
            "--new-test-set cannot be used with --test-set or --configuration."
        )
    is_complete = command.import_path(
        path,
        raters=raters,
        test_set=new_test_set or test_set,
        makes_test_set=bool(new_test_set),
        columns=by_role("--column", columns, "answer=Text", RATERS),
        meanings=list(pairs("--label", meanings, "5=Exact Synonym")),
        served=paths.served_database(),
        say=click.echo,
        **source,
    )
    if not is_complete:
        raise click.ClickException("Not everything was imported: see above.")
    click.echo("Next: kernel29 build (rpt_judge_calibration, fct_judge_agreement, rpt_label_issue)")


@labels.command("list")
@click.argument("panel", required=False)
@click.option("--rejects", is_flag=True, help="Print what was set aside, row by row.")
def list_labels(panel: str | None, rejects: bool) -> None:
    """Print how many labels each rater gave.

    PANEL is one of those of --judge.
    """
    from collections import Counter

    from python_llm.imports.numbered_rows import place
    from python_llm.labels import store

    rows = [
        row
        for row in store.read(store.labels_folder(), "rejects" if rejects else "labels").to_pylist()
        if panel in (None, row["panel"])
    ]
    if rejects:
        for reject in rows:
            rater = f", {reject['rater']}" if reject["rater"] else ""
            where = place(reject["source_file"], reject["source_line"])
            click.echo(f"{reject['panel']}{rater}: {where}, {reject['field']}: {reject['reason']}")
        return
    counts = Counter(
        (row["judge_id"], row["configuration_id"] or row["test_set"] or "-", row["scale"])
        for row in rows
    )
    for (judge, lists, scale), count in sorted(counts.items()):
        click.echo(f"{judge}  {lists}  {scale}: {count} labels")


@labels.command("forget")
@click.argument("judge")
def forget_labels(judge: str) -> None:
    """Delete the labels of the panel JUDGE.

    A test set that was made from them goes with them, unless another panel has labelled it.
    """

    from python_llm.labels import store
    from python_llm.labels.importing import forget as forget_panel
    from python_llm.test_sets.store import cases_folder

    if not forget_panel(store.labels_folder(), judge, paths.runs_folder(), cases_folder()):
        raise click.ClickException(f"There are no labels of '{judge}': see `kernel29 labels list`.")
    click.echo(f"{judge} is deleted; the next build leaves it out.")
