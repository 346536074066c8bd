"""`kernel29 init` and `upgrade`: a project without a clone, and a newer release in it."""

from pathlib import Path

import click

from python_llm import paths


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--from",
    "previous",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A project or clone whose data, experiments, ledger and baselines are copied.",
)
def init(folder: Path, previous: Path | None) -> None:
    """Lay out a project of your own in FOLDER.

    It has the models, seeds, macros, prompts and docs of this version. `kernel29 build` runs in
    it, and `kernel29 upgrade` brings it up to date later.
    """
    from python_llm.job.projects import layout

    release = layout.Release.installed()
    differing = layout.init(folder.resolve(), release, previous and previous.resolve())
    click.echo(f"Laid out: {folder.resolve()} ({len(release.files)} files of {release.version})")
    if differing:
        click.echo(
            f"\n{len(differing)} files of {previous} are not as in {release.version}. If you have "
            "changed them, carry your changes over:"
        )
        for name in differing:
            click.echo(f"  {name}")
    step = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    click.echo(f"\nNext: {step}kernel29 build")


@click.command()
@click.option("--dry-run", is_flag=True, help="Print what would change, and change nothing.")
def upgrade(dry_run: bool) -> None:
    """Bring this project up to date with the installed version.

    What you have changed is kept and gets the changes of the release. Where both changed the same
    lines or rows, the release's file stands in its place and yours is set aside. Data,
    experiments, ledger and baselines stay as they are.
    """
    from python_llm.job.projects import layout

    project = paths.project_root()
    release = layout.Release.installed()
    before = layout.Release.of(project)
    plan = layout.planned(project, release)
    click.echo(f"{project}: from {before.version} to {release.version}")
    for line in layout.report(plan):
        click.echo(line)
    if dry_run:
        click.echo("Nothing was changed.")
        return
    layout.carry_out(project, release, plan)
    if plan.aside:
        click.echo("Look at what was set aside, carry it over, then: kernel29 build")
    else:
        click.echo("Next: kernel29 build")
