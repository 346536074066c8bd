"""`kernel29 build`, `plan` and `docs`: the commands that run dbt."""

import os
from collections.abc import Callable
from pathlib import Path

import click

from python_llm import paths

SHOWN = 5  # of what has changed

# What a run asks, and whom.
RUN_OPTIONS = (
    click.option("--models", default="", help="Models to call, separated by commas."),
    click.option("--prompts", default="", help="Prompts to use.  [default: all in the grid]"),
    click.option("--test-sets", default="", help="Test sets to use.  [default: all in the grid]"),
    click.option("--limit", default="", help="Cases per test set, the same for every model."),
    click.option("--judges", default="", help="LLM judges to call, separated by commas."),
    click.option(
        "--judge-runs",
        default="live",
        show_default=True,
        help="Lists to judge: live, recorded, keyless, all, or model/prompt/test_set with *.",
    ),
    click.option("--max-usd", default="1", show_default=True, help="Spending cap of the run."),
    click.option("--execution", default="direct", show_default=True, help="direct or batch."),
)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of a run, in their order."""
    for option in reversed(RUN_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.option("--mode", default="off", show_default=True, help="off, replay or live.")
@run_options
@click.option("--questions", default="", help="Models to answer questions.")
@click.option("--question-sets", default="", help="Question sets to ask about.  [default: all]")
@click.option("--question-limit", default="", help="Questions per set, the same for every model.")
@click.option("--full", is_flag=True, help="Build everything, whether it has changed or not.")
@click.option("--explain", is_flag=True, help="Print what is due and why, and end.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def build(dbt_arguments: tuple[str, ...], full: bool, explain: bool, **run: str) -> None:
    """Build the warehouse, serve it and print the leaderboard.

    Builds what has changed since the last build and what follows from it; ends at once if that is
    nothing. Models are called with --mode live only; `kernel29 plan` prints what that would send
    and cost.

    Arguments after `--` are passed to dbt: kernel29 build -- --full-refresh
    """
    from python_llm.console.board import board
    from python_llm.console.leaderboard import read_leaderboard
    from python_llm.job.patients import retention
    from python_llm.registries.names import listed

    if explain:
        _explain(run)
        return
    if run["mode"] == "live" and run["questions"]:
        from python_llm.job.planning.plan import show
        from python_llm.job.question_plan import question_plan
        from python_llm.questions.asked import remember_models

        remember_models(run["questions"])
        show(question_plan(run), float(run["max_usd"]))
    retention.apply_before_a_build()
    database = paths.served_database()
    before = _version(database)
    if full or dbt_arguments or not _is_current(run):
        from python_llm.job.build import build as build_project  # takes seconds to import dbt

        if not build_project(run, dbt_arguments, is_full=full):
            raise click.ClickException(
                "The build failed; what was served before is unchanged. The lines above say where; "
                "the full log is logs/dbt.log."
            )
    if dbt_arguments and _version(database) == before:
        click.echo(
            f"Built in {paths.built_database()}. Nothing was published: {database.parent}/ is as "
            "it was.\nNext:   kernel29 build       builds and serves whatever is not current"
        )
        return
    asked_judges = listed(run["judges"], ",")
    asked_models = listed(run["models"], ",") if run["mode"] == "live" else []
    rows = read_leaderboard(database)
    click.echo(board(rows, asked_judges=asked_judges, asked_models=asked_models))
    click.echo(
        f"\nServed: {database} and {database.parent / 'parquet'}/ (open them while a build runs)\n"
        "Next:   kernel29 docs        every table and column, lineage included\n"
        "        kernel29 leaderboard this table again, --json for programs\n"
        "        docs/extending.md    adding a model, a prompt, a judge, a test set"
    )


def _version(database: Path) -> tuple[Path, int] | None:
    """Which publication is served; None if there is none."""
    file = database.resolve()
    return (file, file.stat().st_mtime_ns) if file.is_file() else None


@click.command()
def demo() -> None:
    """Build the leaderboard and its page only, for a first look.

    Four systems that need no key, on a set of rare diseases and one of emergencies. It is served
    in serve/demo/, untested; `kernel29 build` goes on from there and tests everything.
    """
    from python_llm.console.board import board
    from python_llm.console.leaderboard import read_leaderboard
    from python_llm.console.results import write_page
    from python_llm.job.build import NOTHING_ASKED, build_slice
    from python_llm.report.data import MARTS

    folder = paths.served_database().parent / "demo"
    build_slice(NOTHING_ASKED, MARTS, folder)
    database = folder / paths.served_database().name
    click.echo(board(read_leaderboard(database)))
    page = folder / "report.html"
    write_page(database, page)
    click.echo(f"\nAs a page, every case included: {page.resolve().as_uri()}")
    click.echo("Everything, tested: kernel29 build. Your own cases: docs/asking-models.md")


def _explain(run: dict[str, str]) -> None:
    """Print every reason to build something, and the nodes it concerns."""
    from python_llm.job.build import explain as explain_build

    reasons = explain_build(run)
    for reason, names in reasons:
        click.echo(f"because: {reason}")
        for name in names:
            click.echo(f"  {name}")
    n_nodes = sum(len(names) for _, names in reasons)
    if not n_nodes:
        click.echo("Everything is current: a build has nothing to do. Nothing was built.")
        return
    nodes = "1 node is" if n_nodes == 1 else f"{n_nodes} nodes (models, seeds and tests) are"
    click.echo(
        f"{nodes} due for these reasons, unless what they read proves unchanged. What follows from "
        "a table that comes out otherwise is built and tested too. Nothing was built."
    )


def _is_current(run: dict[str, str]) -> bool:
    """Whether a build has nothing to do; prints that, or what has changed."""
    from python_llm.job.changes import last_build

    note = last_build.last()
    if note is None or not last_build.can_be_current(run):
        return False
    changed = last_build.changes(note, last_build.reads(run))
    if changed:
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        click.echo(f"Changed since the last build: {', '.join(changed[:SHOWN])}{more}.")
        return False
    for line in note.messages:
        click.echo(line, err=True)
    click.echo(
        f"Nothing has changed since the build of {note.ended_at:%Y-%m-%d %H:%M} UTC. "
        "`kernel29 build --full` builds everything."
    )
    return True


@click.command()
@run_options
def plan(**run: str) -> None:
    """Print what a live run would send and the most it can cost.

    Nothing is sent. Without --models and --judges, the plan covers every model that is not retired.
    """
    from python_llm.job.admission.preflight import retired_models
    from python_llm.job.build import plan as plan_run
    from python_llm.job.planning.plan import format_plan, format_retired, left_out

    click.echo(format_plan(plan_run(run), float(run["max_usd"])))
    for sentence in left_out(run, paths.built_database()):
        click.echo(sentence)
    if not run["models"] and (retired := retired_models()):
        click.echo(format_retired(retired))


# The menu of dbt's page takes a phone's whole screen: links, search and the pictures lead on. What
# a column means stands below its name.
ON_A_PHONE = """<style>
@media (max-width: 760px) {
  .app { min-width: 0 !important; }
  .app-menu, .app-sidebar { display: none !important; }
  .app-content { min-width: 0; width: 100vw; }
  .app-content .app-pad { padding: 12px; }
  .app-content table { display: block; max-width: 100%; overflow-x: auto; }
  .app-content th, .app-content td { padding: 6px !important; overflow-wrap: anywhere; }
  .app-content img, .app-content pre { max-width: 100%; overflow-x: auto; }
  column-details thead { display: none; }
  column-details .table-responsive { max-height: none !important; }
  column-details tr.column-row { display: flex; flex-wrap: wrap; padding: 6px 0; }
  column-details tr.column-row td:first-child { font-weight: bold; }
  column-details tr.column-row td:nth-child(3) {
    order: 1; flex: 1 0 100%; max-width: 100% !important; white-space: normal !important;
  }
}
</style></head>"""


@click.command()
def docs() -> None:
    """Write the documentation of dbt, lineage beside it.

    serve/docs.html has every table, column and test; serve/lineage.html a picture per domain.
    """
    from dbt.cli.main import dbtRunner

    from python_llm.job.changes import fingerprints
    from python_llm.report import lineage

    root = paths.project_root()
    outcome = dbtRunner().invoke(
        ["--quiet", "docs", "generate", "--static", "--project-dir", str(root)]
    )
    if not outcome.success:
        raise click.ClickException("The docs could not be generated: run `kernel29 build` first.")
    served = paths.served_database().parent
    served.mkdir(exist_ok=True)
    page, pictures = served / "docs.html", served / "lineage.html"
    target = paths.resolve(os.environ.get("DBT_TARGET_PATH", "target"))
    text = (target / "static_index.html").read_text(encoding="utf-8")
    page.write_text(text.replace("</head>", ON_A_PHONE, 1), encoding="utf-8")
    manifest = fingerprints.read_whole(target / "manifest.json")
    pictures.write_text(lineage.page(manifest), encoding="utf-8")
    for file in (page, pictures):
        click.echo(f"Written: {file} ({file.stat().st_size / 1e6:.1f} MB); open it in a browser.")
