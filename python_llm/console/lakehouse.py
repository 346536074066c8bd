"""The command that hands a build to Spark."""

import re
from pathlib import Path

import click

ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), required=False)
@click.option("--serve", "is_serving", is_flag=True, help="Serve what Spark has built in FOLDER.")
def lakehouse(folder: str | None, is_serving: bool) -> None:
    """Write what Apache Spark reads into FOLDER, as Parquet.

    Without FOLDER it is KERNEL29_LAKEHOUSE, or else the folder lakehouse of the project.

    With --serve, the marts that Spark has built there are served, beside those of the warehouse
    that Spark does not build; the next build serves the warehouse's own again. docs/scale.md has
    the whole way.
    """
    from python_llm import paths
    from python_llm.job.serving.lakehouse import chosen, export, serve

    is_default = folder is None
    folder = folder or chosen()
    if ADDRESS.match(folder):
        raise click.ClickException(
            f"{folder} is an address, and this command reads and writes a folder of this machine: "
            "copy the tables there with the tools of the object storage (docs/scale.md)."
        )

    path = paths.resolve(folder) if is_default else Path(folder)
    if is_serving:
        served = serve(path).to_pylist()
        click.echo(
            f"Served: {len(served)} tables, {sum(row['n_rows'] for row in served):,} rows. "
            "Next: kernel29 leaderboard"
        )
        return
    rows = export(path)
    click.echo(
        f"{len(rows)} tables, {sum(rows.values()):,} rows, in {path / 'inputs'}.\n"
        "Next, in the environment of `make spark-test`: dbt build --target spark"
    )
