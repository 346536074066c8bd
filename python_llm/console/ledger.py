"""`kernel29 ledger`."""

import json
import sys
from pathlib import Path

import click


@click.group()
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
