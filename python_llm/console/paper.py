"""`kernel29 paper`."""

from pathlib import Path

import click

from python_llm import paths


@click.command()
@click.option("--test-sets", default="", help="Only these, separated by commas.")
@click.option("--models", default="", help="Only these.")
@click.option("--prompts", default="", help="Only these.")
@click.option(
    "--judge",
    default="",
    help="Whose scores to show; one rater of a panel.  [default: terminology]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("paper"),
    show_default=True,
    help="Folder to write.",
)
@click.option("--replace", is_flag=True, help="Write a folder of an earlier paper again.")
def paper(test_sets: str, models: str, prompts: str, judge: str, out: Path, replace: bool) -> None:
    """Write the tables and figures of a paper as one folder.

    Markdown with a paragraph of methods, CSV and SVG, from the served tables alone. It measures
    systems on test cases; it is not medical advice.
    """
    from python_llm.registries.names import listed
    from python_llm.report.paper.choice import Choice
    from python_llm.report.paper.writing import PAGE, write_paper

    choice = Choice(listed(test_sets, ","), listed(models, ","), listed(prompts, ","), judge)
    files = write_paper(paths.served_database(), out, choice, replace=replace, warn=click.echo)
    click.echo(f"Written: {out / PAGE}, with {len(files) - 1} tables and figures beside it.")
