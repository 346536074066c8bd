"""`kernel29 audit`."""

import sys

import click


@click.command()
@click.option("--contains", metavar="HASH", help="A hash noted earlier; must be in the trail.")
@click.option("--event", help="Only events of this kind, such as import, approval or send.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def audit(contains: str | None, event: str | None, as_json: bool) -> None:
    """Print the trail of audit and check its chain.

    The last line has the hash of the last event: note it elsewhere. Served tables have the same
    rows in rpt_audit. The exit code is 1 if anything in the trail was changed or removed.
    """
    from python_llm.audit import trail
    from python_llm.console import terminal

    events, damage = trail.read()
    if contains and not trail.has(contains, events):
        damage.append(
            f"No event has the hash {contains}: the trail is not the one it was noted from, or was "
            "written anew since."
        )
    shown = [row for row in events if event in (None, row["event"])]
    if as_json:
        click.echo(terminal.as_json(shown))
    elif shown:
        columns = ("occurred_at", "user_name", "event", "subject", "details")
        click.echo(terminal.format_rows([{name: row[name] for name in columns} for row in shown]))
    for sentence in damage:
        click.echo(sentence, err=True)
    last = events[-1]["event_hash"] if events else "none"
    click.echo(f"{len(events):,} events, {len(damage):,} faults; last hash: {last}", err=as_json)
    if damage:
        sys.exit(1)
