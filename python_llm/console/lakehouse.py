"""The command that hands a build to Spark."""

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="lakehouse")
def lakehouse(folder: Path) -> None:
    """Write what Apache Spark reads into FOLDER, as Parquet.

    docs/scale.md has the whole way.
    """
    from python_llm.job.lakehouse import export

    rows = export(folder)
    click.echo(
        f"{len(rows)} tables, {sum(rows.values()):,} rows, in {folder / 'inputs'}.\n"
        "Next, in the environment of `make spark-test`: dbt build --target spark"
    )
