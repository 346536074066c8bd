"""`kernel29 ledger`."""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from python_llm import paths


def is_built(mart: str, column: str, name: str) -> bool:
    """Whether the warehouse or the served tables have rows of this name in a mart; true where they
    cannot be asked, because a build has them open."""
    import duckdb

    for file in (paths.built_database(), paths.served_database()):
        if not file.is_file():
            continue
        try:
            with duckdb.connect(str(file), read_only=True) as database:
                if database.execute(
                    f"select 1 from {mart} where {column} = $1 limit 1", [name]
                ).fetchone():
                    return True
        except duckdb.CatalogException:  # built in part, without this mart
            continue
        except duckdb.Error:
            return True
    return False


def what_remains(name: str, *, has_tables: bool) -> str:
    """Where the texts of a set still are that was deleted from `data/`, and what removes them.
    has_tables: whether it was ever built."""
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    tables = f"The warehouse and the served tables have {name} until that build: kernel29 build. "
    return (
        f"{tables if has_tables else ''}If models were asked about it, the requests and answers "
        "stay in the ledger, and every build serves them (dim_llm_request, fct_llm_call). This "
        "removes them, and all else that was asked until today, which is paid for again where it "
        f"is needed: kernel29 ledger prune --before {tomorrow} --answers --yes, then kernel29 "
        "build. What was written for Spark is deleted: kernel29 lakehouse writes it again after a "
        "build."
    )


@click.group()
def ledger() -> None:
    """Inspect, export and maintain the log of every call."""


@ledger.command("show")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_ledger(as_json: bool) -> None:
    """Print calls, answers, tokens and dollars by model.

    Open batches are listed as well.
    """
    from python_llm.engine.ledger.tools import format_summary, project_ledger, summary

    rows = summary(project_ledger())
    click.echo(json.dumps(rows, indent=2, default=str) if as_json else format_summary(rows))


@ledger.command()
def verify() -> None:
    """Report what is damaged, or gone since the last build.

    The exit code is 1 if anything is.
    """
    from python_llm.engine.ledger.tools import lost_since, project_ledger

    kept = project_ledger()
    verdict = kept.verify()
    lost = lost_since(paths.served_database(), kept)
    for sentence in filter(None, [*verdict.damage, lost]):
        click.echo(sentence, err=True)
    for note in verdict.notes:
        click.echo(note)
    click.echo(f"{verdict.n_rows:,} attempts can be read, {len(verdict.damage):,} places cannot.")
    if verdict.damage or lost:
        sys.exit(1)


@ledger.command()
def repair() -> None:
    """Keep what can be read of damaged files, and set them aside.

    The files are moved to `damaged` as they are. What is lost can be asked again.
    """
    from python_llm.engine.ledger.tools import project_ledger

    sentences = project_ledger().repair()
    for sentence in sentences:
        click.echo(sentence)
    click.echo(f"{len(sentences):,} damaged files repaired.")


@ledger.command()
def compact() -> None:
    """Turn closed segments into Parquet, as live runs do."""
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
    """Copy the ledger in FOLDER into the team's ledger.

    The team's ledger is the one at KERNEL29_LEDGER_URL. Open batches are copied too. Attempts that
    are already there are skipped, so the command can be repeated.
    """
    from python_llm.engine.ledger.tools import share as share_ledger

    n_rows, n_batches = share_ledger(folder)
    click.echo(f"{n_rows:,} attempts and {n_batches:,} batches copied.")


@ledger.command()
@click.option(
    "--before", required=True, help="Remove attempts older than this day, as in 2026-01-31."
)
@click.option("--answers", is_flag=True, help="Remove answers too, not only failed attempts.")
@click.option("--yes", is_flag=True, help="Remove them; without it the command only counts.")
def prune(before: str, answers: bool, yes: bool) -> None:
    """Remove old attempts permanently.

    Export them first: a removed answer is paid for again the next time it is needed.
    """
    from python_llm.audit import trail
    from python_llm.engine.ledger.tools import beginning_of, project_ledger

    kept = project_ledger()
    if yes:
        trail.note("prune", "ledger", before=before, answers=answers)
    n_rows = kept.prune(beginning_of(before), answers=answers, really=yes)
    click.echo(f"{n_rows:,} attempts {'removed' if yes else 'would be removed: add --yes'}")
