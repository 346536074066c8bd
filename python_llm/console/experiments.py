"""`kernel29 new` and `kernel29 run`: an experiment is one file and one command."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from python_llm import paths


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@click.command()
@click.argument("name")
def new(name: str) -> None:
    """Write experiments/NAME.yml, an experiment to fill in."""
    from python_llm.experiments import registries
    from python_llm.experiments.writing import Choices, text, write

    path = _file(registries.folder(), name)
    if path.exists():
        raise click.ClickException(f"{path} is there already: choose another name, or edit it.")
    choices = Choices(["simulated_rare_200"], ["local"], ["dxgpt_standard"], sample=20)
    write(path, text(choices, path.stem, _short(path)))
    click.echo(f"Written: {_short(path)}. Edit it, then: kernel29 run {_short(path)}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--cases", help="Instead of FILE: files and test sets, separated by commas.")
@click.option("--models", help="Aliases, and ALIAS:NAME for another model of the same server.")
@click.option("--prompts", help="Aliases and text files with {case}.")
@click.option("--judges", default="", help="Language models that judge.")
@click.option("--sample", type=click.IntRange(1), help="That many cases of each set.")
@click.option("--seed", type=int, help="Another sample than that of the shared grid.")
@click.option("--repeats", type=click.IntRange(1, 20), default=1, help="Times each case is asked.")
@click.option("--phi/--no-phi", default=True, help="Whether cases in files are of real patients.")
@click.option("--max-usd", type=click.FloatRange(0), default=1.0, help="Most it may spend.")
@click.option("--name", help="Name of the file that is written.  [default: that of the cases]")
@click.option("--dry-run", is_flag=True, help="Print what would be sent and cost, and end.")
@click.option("--yes", is_flag=True, help="Send without asking.")
def run(file: Path | None, dry_run: bool, yes: bool, **asked: Any) -> None:
    """Run an experiment: plan, ask, score and compare.

    FILE is one that `kernel29 new` wrote. Without it, --cases, --models and --prompts write one.
    Nothing is sent before the plan has been printed and you agree. What was answered before is not
    sent again.
    """
    from python_llm.console.differences import differences
    from python_llm.console.leaderboard import format_leaderboard, read_leaderboard
    from python_llm.job.build import build
    from python_llm.job.planning import experiment as job
    from python_llm.job.planning.narrowing import marts
    from python_llm.job.planning.plan import show

    path, is_new = (file, False) if file else _from_options(asked)
    try:
        experiment, rows, obstacle = _planned(path, dry_run)
    except Exception:
        if is_new:  # nothing came of it, and every build would read it
            path.unlink(missing_ok=True)
            click.echo(f"Removed again: {_short(path)}.", err=True)
        raise
    show(rows, experiment.written.max_usd)
    for sentence in job.counted_as_free(experiment):
        click.echo(f"Warning: {sentence}")
    if dry_run:
        for line in job.first_requests(experiment, paths.built_database()):
            click.echo(line)
        click.echo(f"Nothing was sent. {obstacle}".rstrip())
        return
    is_live = experiment.written.mode == "live"
    if is_live and sum(row["n_requests"] for row in rows) and not yes:
        if not sys.stdin.isatty():
            raise click.ClickException("Nothing was sent: say --yes to send this unasked.")
        click.confirm("Send this?", abort=True)
    if not build(job.run_of(experiment, "live"), marts=marts(experiment.written.judges)):
        raise click.ClickException(
            "The build failed; the lines above say where. What was answered is kept: the same "
            "command goes on from there."
        )
    database = paths.served_database()
    own = experiment.configurations()
    board = [row for row in read_leaderboard(database) if row["configuration_id"] in own]
    click.echo(format_leaderboard(board))
    repeats = {alias: first for alias, _, first in experiment.repeated}
    for line in differences(database, own, repeats):
        click.echo(line)
    click.echo(f"\nAs a page: kernel29 view {experiment.name}")
    click.echo(f"Again, or after a change: kernel29 run {_short(path)}")


def _planned(path: Path, dry_run: bool) -> tuple[Any, list[dict[str, Any]], str]:
    """An experiment with its cases imported, the rows of its plan, and what has to be mended before
    it can be sent, which only a dry run puts up with."""
    from python_llm.console.cases import how_read
    from python_llm.experiments.registries import asked_elsewhere
    from python_llm.job.admission.preflight import AccessError
    from python_llm.job.build import plan
    from python_llm.job.planning import experiment as job
    from python_llm.job.planning.plan import left_out

    experiment, imported = job.prepared(path)
    for test_set, cases in imported.items():
        lost = f", {cases.n_lost} rejected (kernel29 cases list --rejects {test_set})"
        click.echo(f"{test_set}: {cases.n_records} cases{lost if cases.n_lost else ''}.")
        for line in how_read(cases) if cases.is_new else ():
            click.echo(line)
    for sentence in (*asked_elsewhere(experiment), *job.shown_answers(experiment)):
        click.echo(f"Warning: {sentence}")
    obstacle = ""
    try:
        job.check_callable(experiment)
    except AccessError as error:  # no reason to withhold what it would cost
        if not dry_run:
            raise
        obstacle = f"Before it can be sent: {error}"
    rows = plan(job.run_of(experiment, "off"))
    for sentence in left_out(job.run_of(experiment, "off"), paths.built_database()):
        click.echo(sentence)
    return experiment, rows, obstacle


def _from_options(asked: dict[str, Any]) -> tuple[Path, bool]:
    """The file that the options stand for, written where builds read it, and whether it is new."""
    from python_llm.experiments import registries
    from python_llm.experiments.prompts import TEXTS
    from python_llm.experiments.writing import Choices, text, write

    missing = [f"--{option}" for option in ("cases", "models", "prompts") if not asked[option]]
    if missing:
        raise click.UsageError(
            f"Name a FILE, or give --cases, --models and --prompts; missing: {', '.join(missing)}."
        )
    folder = registries.folder()
    cases = [
        _relative(name, folder) if Path(name).exists() else name for name in _listed(asked["cases"])
    ]
    prompts = [
        _relative(name, folder) if Path(name).suffix in TEXTS else name
        for name in _listed(asked["prompts"])
    ]
    path = _file(folder, asked["name"] or Path(cases[0]).stem)
    choices = Choices(
        cases,
        _listed(asked["models"]),
        prompts,
        judges=_listed(asked["judges"]),
        real_patients=asked["phi"],
        sample=asked["sample"],
        seed=asked["seed"],
        repeats=asked["repeats"],
        max_usd=asked["max_usd"],
    )
    content = text(choices, path.stem, _short(path))
    is_new = not path.exists()
    if not is_new and path.read_text(encoding="utf-8") != content:
        raise click.ClickException(
            f"{_short(path)} is there and says something else: run it, or give another --name."
        )
    write(path, content)
    click.echo(f"Written: {_short(path)}.")
    return path, is_new


def _relative(name: str, folder: Path) -> str:
    return os.path.relpath(Path(name).resolve(), folder.resolve())


def _file(folder: Path, name: str) -> Path:
    """The file of an experiment. Raises ClickException for a name that is none."""
    from python_llm.experiments.file import REMEDIES
    from python_llm.experiments.prompts import NAME

    stem = name.removesuffix(".yml")
    if not re.fullmatch(NAME, stem):
        raise click.ClickException(f"{name!r} is no name of an experiment: {REMEDIES['name']}.")
    return folder / f"{stem}.yml"


def _short(path: Path) -> str:
    """A path as it is typed in the project's folder."""
    return os.path.relpath(path, paths.project_root())
