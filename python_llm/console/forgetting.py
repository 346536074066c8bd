"""`kernel29 forget`: one patient, or those of old imports, out of everything."""

import sys

import click


@click.command()
@click.option("--case", "case_ids", multiple=True, metavar="ID", help="A case. Repeatable.")
@click.option(
    "--imported-before", metavar="DAY", help="Every real patient imported before, as 2026-01-31."
)
@click.option(
    "--expired", is_flag=True, help="Whom KERNEL29_RETENTION_DAYS lets go, as every build does."
)
@click.option("--yes", is_flag=True, help="Remove; without it the command only lists the cases.")
def forget(
    case_ids: tuple[str, ...], imported_before: str | None, expired: bool, yes: bool
) -> None:
    """Remove patients from everything, and search for what remains.

    Data, ledger, build and serve are searched for the words of their records, file by file.

    ID is a Kernel29 id (my_set/0007) or SET/ID with your own id. Warehouse, served tables and
    report are deleted; the next build makes them without the patient. `data/forgotten.jsonl` notes
    which case went and when, and no content. The exit code is 1 if words of a patient remain.
    """
    from python_llm import paths
    from python_llm.console.case_lookup import find_case
    from python_llm.engine.ledger.tools import beginning_of, project_ledger
    from python_llm.job.patients import forgetting, retention

    if expired:
        retention.apply()
        return
    ids = [find_case(paths.served_database(), case_id) for case_id in case_ids]
    if imported_before:
        ids += forgetting.imported_before(beginning_of(imported_before))
    if not ids:
        click.echo("No case is meant: name one with --case, or a day with --imported-before.")
        return
    if not yes:
        click.echo(f"{len(ids):,} cases would be removed ({', '.join(ids[:5])} …): add --yes.")
        return
    done = forgetting.forget(ids, project_ledger())
    click.echo(
        f"{done.n_records:,} records, {done.n_rows:,} rows about them and {done.n_attempts:,} "
        f"attempts are removed; {done.n_searched:,} files were searched. Next: kernel29 build."
    )
    for file in done.remains:
        click.echo(f"Words of a patient remain in {file}: remove them there.", err=True)
    if done.remains:
        sys.exit(1)
