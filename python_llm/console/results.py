"""The commands that show what was served: leaderboard, report, query, case and compare."""

import json
from pathlib import Path

import click

from python_llm import paths
from python_llm.console.options import show


@click.command()
@click.option("--test-set", default="", help="Only these, separated by commas.")
@click.option(
    "--judge",
    default="",
    help="Only these.  [default: the terminology judge; with --all and --json every judge]",
)
@click.option("--model", default="", help="Only these.")
@click.option("--prompt", default="", help="Only these.")
@click.option(
    "--sort", help="top1 … top10, MRR, broad-top1, semantic, severity, cost, failed or a column."
)
@click.option("--all", "is_whole", is_flag=True, help="Every row, not only a screen.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def leaderboard(sort: str | None, is_whole: bool, as_json: bool, **named: str) -> None:
    """Print the served leaderboard, at most a screen of it."""
    from python_llm.console.board import board, chosen, nothing_chosen
    from python_llm.console.leaderboard import read_leaderboard
    from python_llm.registries.names import listed

    names = {option.replace("_", "-"): listed(text, ",") for option, text in named.items()}
    served = read_leaderboard(paths.served_database())
    rows = chosen(served, names, sort)
    if as_json:
        click.echo(json.dumps(rows, indent=2, default=str))
    elif served and not rows:
        click.echo(nothing_chosen(served, names))
    else:
        click.echo(board(rows, sort, is_whole=is_whole))


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write.  [default: report.html beside the served database]",
)
def report(output: Path | None) -> None:
    """Write the charts and cases as one page for the browser.

    The page opens from disk and needs no network.
    """
    database = paths.served_database()
    page = output or database.parent / "report.html"
    size = write_page(database, page)
    is_alone = size == page.stat().st_size
    beside = "" if is_alone else f", with its data in {page.stem}-data-… beside it"
    click.echo(f"Written: {page} ({size / 1e6:.1f} MB{beside}); open it in a browser.")


def write_page(database: Path, page: Path) -> int:
    """Write the page of a served database; its size in bytes."""
    from python_llm.console.leaderboard import format_leaderboard, read_leaderboard
    from python_llm.report.page import write_report

    return write_report(database, page, format_leaderboard(read_leaderboard(database)))


@click.command()
@click.argument("experiment", required=False)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def view(experiment: str | None, no_browser: bool) -> None:
    """Write the report and open it in a browser.

    At an EXPERIMENT, if one is named: its test sets, models and prompts are chosen.
    """
    import webbrowser
    from urllib.parse import urlencode

    from python_llm.experiments import registries
    from python_llm.registries.names import nearest

    database = paths.served_database()
    page = database.parent / "report.html"
    chosen = ""
    if experiment is not None:
        experiments = {read.name: read for read in registries.all_experiments()[0]}
        name = Path(experiment).stem
        if name not in experiments:
            raise click.ClickException(
                f"There is no experiment '{name}'. The nearest: {nearest(name, experiments)}."
            )
        pairs = [("test_set", test_set) for test_set in experiments[name].test_sets]
        pairs += [("model", alias) for alias in experiments[name].models]
        pairs += [("prompt", alias) for alias in experiments[name].prompts]
        chosen = f"#{urlencode(pairs)}"
    write_page(database, page)
    address = f"{page.resolve().as_uri()}{chosen}"
    click.echo(address)
    if not no_browser and not webbrowser.open(address):
        click.echo("No browser could be started here: open the address in one.")


@click.command()
@click.argument("sql")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def query(sql: str, as_json: bool) -> None:
    """Run one SQL statement on the served tables.

    Example: kernel29 query "from rpt_leaderboard". A table joins the lines of a text; --json keeps
    them.
    """
    from python_llm.console import terminal

    show(lambda served: terminal.query(served, sql), terminal.format_result, as_json)


@click.command("case")
@click.argument("case_id")
@click.option("--configuration", metavar="NAME", help="Only of those whose name has this part.")
@click.option("--full", is_flag=True, help="Requests and answers to the last character.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def show_case(case_id: str, configuration: str | None, full: bool, as_json: bool) -> None:
    """Show one case from request to score.

    For every list of diagnoses: the request, the answer, what was read from it, how each rank was
    judged and the score. CASE_ID is a Kernel29 id (my_set/0007) or your own (C001); where several
    sets have it, add the set (my_set/C001). Under each rank are the votes of judges that are
    language models, with their reasons and the requests they answer.
    """
    from python_llm.console import case_lookup, terminal

    show(
        lambda served: terminal.of_configurations(
            case_lookup.show_case(served, case_id), configuration
        ),
        lambda record: terminal.format_case(record, full=full),
        as_json,
    )


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--judge", help="Only what this judge says.")
@click.option("--cases", is_flag=True, help="The cases only one of the two has among its first 5.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def compare(first: str, second: str, judge: str | None, cases: bool, as_json: bool) -> None:
    """Compare two configurations on their common cases.

    Part of a name is enough if it fits one configuration only. Below the table: whether their order
    survives every metric and sigmoid, by how many judges, or what reverses it.
    """

    from python_llm.console import differences, terminal

    if cases:

        def apart(rows: list[terminal.Row]) -> str:
            pair = terminal.compare(paths.served_database(), first, second, judge)[0]
            a, b = pair["configuration_a"], pair["configuration_b"]
            return terminal.format_cases_apart(a, b, rows)

        show(
            lambda served: differences.cases_apart(served, first, second, judge),
            apart,
            as_json,
        )
        return

    def text(rows: list[terminal.Row]) -> str:
        names = rows[0]["configuration_a"], rows[0]["configuration_b"]
        survives = terminal.orders(paths.served_database(), *names)
        return terminal.format_comparison(rows) + terminal.format_orders(survives)

    show(lambda served: terminal.compare(served, first, second, judge), text, as_json)
