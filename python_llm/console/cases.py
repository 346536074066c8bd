"""`kernel29 cases`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from python_llm import paths
from python_llm.console.options import grouped, of_encoding

if TYPE_CHECKING:
    from python_llm.imports.rejects import SetAside
    from python_llm.test_sets.importing import Imported


@click.group()
def cases() -> None:
    """Import, list, print and delete test cases."""


@cases.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "source_format",
    help="rarebench, synthetic_v2, phenopacket, table or urg.  [default: what the fields say]",
)
@click.option("--test-set", help="The set the cases go into.  [default: the name of the file]")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=NAME",
    help="Column of a field (text, gold, id, history, examination …) in a table. Repeatable.",
)
@click.option("--mapping", type=click.Path(path_type=Path), help="YAML file that maps all columns.")
@click.option(
    "--frame",
    type=click.Choice(["source", "plain"]),
    help="Headings of a case that came in parts. A case that is one text is sent as it is.  "
    "[default: source for urg, rarebench and phenopacket, otherwise plain]",
)
@click.option("--language", help="ISO 639-1 code.  [default: that of the texts; es for urg]")
@click.option(
    "--phi/--no-phi",
    default=None,
    help="Whether the cases are of real patients.  [default: yes, but for a research --format]",
)
@click.option("--without-gold", is_flag=True, help="Accept cases without a gold diagnosis.")
@click.option("--keep", multiple=True, help="Column of a table that prompts show as {NAME}.")
@click.option("--replace", is_flag=True, help="Delete earlier imports into the set first.")
@of_encoding
def import_(
    file: Path,
    source_format: str | None,
    test_set: str | None,
    columns: tuple[str, ...],
    mapping: Path | None,
    frame: str | None,
    language: str | None,
    phi: bool | None,
    without_gold: bool,
    keep: tuple[str, ...],
    replace: bool,
) -> None:
    """Import cases from a file or folder into a test set.

    FILE is a table, JSON lines, phenopackets, or a folder of patients. The columns of a table are
    recognised by their usual names (id, text, diagnosis, in English and Spanish) or named with
    --column. Importing the same file twice changes nothing. Rejected records are printed, and are
    in rpt_record_issue after the next build. Cases without a gold diagnosis (--without-gold) are
    read for phenotypes and put to no model.
    """
    from python_llm.imports.rejects import by_kind
    from python_llm.parsing.folding import registered_name
    from python_llm.test_sets.importing import Choices, import_cases
    from python_llm.test_sets.store import cases_folder

    choices = Choices(
        mapping,
        grouped("--column", columns, "text=Notes"),
        language,
        phi,
        frame,
        without_gold,
        keep,
    )
    is_named_after_file = not test_set
    test_set = test_set or registered_name(file.stem)
    imported = import_cases(file, source_format, test_set, cases_folder(), choices, replace=replace)
    if not imported.is_new:
        click.echo(f"{file.name} is already in {test_set}: nothing changed.")
        return
    _tell(imported, file.name, test_set)
    if imported.contains_phi and phi is None:
        click.echo("They count as real patients because nothing says otherwise: --no-phi does.")
    if imported.contains_phi and is_named_after_file:
        click.echo(
            f"The set has the name of the file, which is served: if '{test_set}' says who the "
            f"patients are, kernel29 cases forget {test_set}, and import again with --test-set."
        )
    for line in by_kind(map(_set_aside, imported.rejects)):
        click.echo(line)
    if imported.rejects:
        click.echo(f"Row by row: kernel29 cases list --rejects {test_set}")
    click.echo("The next build reads them.")


def _tell(imported: "Imported", file: str, test_set: str) -> None:
    """Say how a file was read, and as what."""
    how = f"{imported.source_format}, {imported.frame} frame, {imported.language}"
    click.echo(
        f"{imported.n_records} cases from {file} into {test_set} ({how}, "
        f"{'real patients' if imported.contains_phi else 'no real patients'}), "
        f"{imported.n_lost} rejected."
    )
    if imported.n_for_reading:
        click.echo(
            f"{imported.n_for_reading} have no gold diagnosis: they are read for phenotypes and "
            "put to no model."
        )
    for line in how_read(imported):
        click.echo(line)


def how_read(imported: "Imported") -> Iterator[str]:
    """What each column was read as or is kept for, which were not read, and what is said of the
    cases."""
    from python_llm.imports.rejects import unread

    if imported.taken:
        sources = (f"{field} from {' and '.join(names)}" for field, names in imported.taken.items())
        yield f"Read: {', '.join(sources)}."
    if imported.kept:
        yield f"Kept for prompts that show them: {', '.join(imported.kept)}."
    if imported.unread:
        yield unread(imported.unread)
    others = [*imported.kept, *imported.unread]
    if others and imported.taken and "record_id" not in imported.taken:
        yield (
            "No column of ids was recognised, so the cases are known by their numbers: name one "
            "with --column id=NAME, in an experiment with columns: {id: NAME}."
        )
    yield from imported.notes


def _set_aside(reject: dict[str, Any]) -> "SetAside":
    from python_llm.imports.rejects import SetAside

    fields = ("source_file", "source_line", "field", "reason", "is_record_lost")
    return SetAside(*(reject[field] for field in fields))


@cases.command("list")
@click.argument("test_set", required=False)
@click.option("--rejects", is_flag=True, help="Print what was set aside, row by row.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_cases(test_set: str | None, rejects: bool, as_json: bool) -> None:
    """Print the imported sets with their size, frame and source.

    With TEST_SET, the case_id and your own id of each of its cases, and why the last build set one
    aside.
    """
    from python_llm.console import case_lookup, terminal
    from python_llm.imports.numbered_rows import place
    from python_llm.test_sets import store

    folder, served = store.cases_folder(), paths.served_database()
    if test_set and not store.imported_files(folder, test_set):
        raise click.ClickException(
            f"Nothing was imported into '{test_set}': see `kernel29 cases list`."
        )
    if rejects:
        for row in store.read_rejects(folder).to_pylist():
            if test_set in (None, row["test_set"]):
                where = place(row["source_file"], row["source_line"])
                click.echo(f"{where}, {row['field']}: {row['reason']}")
        for row in case_lookup.left_out(served, folder, test_set):
            where = place(row["source_file"], row["source_line"])
            click.echo(f"{where}, {case_lookup.reason_of(row)} (last build)")
        return
    rows = (
        case_lookup.cases_of(test_set, folder, served)
        if test_set
        else case_lookup.sets(folder, served)
    )
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))
    if not as_json and not test_set and any(row["for reading"] for row in rows):
        click.echo("for reading: without a gold diagnosis, so no answer to them is scored")
    if not as_json and not test_set and any(row["set aside"] for row in rows):
        click.echo("set aside: by the last build; why: kernel29 cases list --rejects SET")


@cases.command("show")
@click.argument("case_id")
@click.option("--about", is_flag=True, help="Print frame, language and gold diagnosis to stderr.")
@click.option("--parts", "in_parts", is_flag=True, help="Print its parts as they were imported.")
def show_narrative(case_id: str, about: bool, in_parts: bool) -> None:
    """Print a case exactly as models are sent it.

    CASE_ID is a Kernel29 id (my_set/0007) or SET/ID with your own id.
    """
    from python_llm.console.case_lookup import parts, show

    if in_parts:
        for field, value in parts(paths.served_database(), case_id):
            click.echo(f"{field}: {value}")
        return

    shown = show(paths.served_database(), case_id)
    if sys.stdout.isatty():
        click.echo(shown.narrative)
    else:  # byte for byte, for programs
        sys.stdout.buffer.write(shown.narrative.encode())
        sys.stdout.flush()
    if about:
        click.echo(shown.about, err=True)


@cases.command("choose")
@click.option("--test-set", required=True, help="The set to choose from.")
@click.option("--cases", "n_cases", type=int, required=True, help="How many.")
@click.option("--judge", default="", help="Whose labels count.  [default: terminology]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def choose(test_set: str, n_cases: int, judge: str, as_json: bool) -> None:
    """Name the cases that separate configurations best, and the loss.

    The loss is measured on models that had no part in the choice. The ids go to stdout, one a line,
    the most telling first; what the choice is worth goes to stderr.
    """
    import dataclasses

    from python_llm.console import terminal
    from python_llm.report.choice_of_cases import choose_cases, sentences

    choice = choose_cases(paths.served_database(), test_set, judge, n_cases)
    if as_json:
        click.echo(terminal.as_json(dataclasses.asdict(choice)))
        return
    for sentence in sentences(choice):
        click.echo(sentence, err=True)
    click.echo("\n".join(choice.cases))


@cases.command("forget")
@click.argument("test_set")
def forget_cases(test_set: str) -> None:
    """Delete everything that was imported into TEST_SET.

    What models were asked about it stays in the ledger. One patient goes from there as well with
    `kernel29 forget --case`, before the set is deleted.
    """
    from python_llm import files
    from python_llm.audit import trail
    from python_llm.console.ledger import is_built, what_remains
    from python_llm.job.serving import lakehouse
    from python_llm.test_sets import store

    folder = store.cases_folder()
    if not (store.imported_files(folder, test_set) or store.leftovers(folder, test_set)):
        raise click.ClickException(
            f"Nothing was imported into '{test_set}': see `kernel29 cases list`."
        )
    trail.note("forget", test_set, what="cases")
    with files.locked(folder):
        store.remove(folder, test_set)
    lakehouse.forget()
    click.echo(f"{test_set} is deleted; the next build leaves it out.")
    has_tables = is_built("bridge_test_set_case", "test_set", test_set)
    click.echo(what_remains(test_set, has_tables=has_tables))
