"""`kernel29 phenotype`: the work-up of one patient."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from python_llm import paths

if TYPE_CHECKING:
    from python_llm.phenotyping.one_patient import PatientInput


@click.command()
@click.argument("note", required=False, type=click.Path(path_type=Path))
@click.option("--hpo", default="", help="Findings as HPO ids or names, separated by commas.")
@click.option("--not", "excluded", default="", help="Excluded findings, in the same form.")
@click.option("--age", type=float, help="Age in years; decimals are allowed.")
@click.option("--sex", type=click.Choice(["female", "male"]))
@click.option(
    "--language", type=click.Choice(["en", "es"]), help="Language of the note.  [default: detected]"
)
@click.option("--tests", help="Prior tests, as text or as a JSON list of {test, date}.")
@click.option("--family", help="Family history.")
@click.option(
    "--reader", metavar="ALIAS", help="A language model that reads the note beside the rules."
)
@click.option("--max-usd", default=0.5, show_default=True, help="What the reader may cost.")
@click.option("--phi/--no-phi", default=True, help="Whether the note is of a real patient.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option(
    "--phenopacket",
    "as_phenopacket",
    is_flag=True,
    help="The patient as a GA4GH phenopacket instead of the work-up.",
)
def phenotype(
    note: Path | None,
    hpo: str,
    excluded: str,
    tests: str | None,
    family: str | None,
    as_json: bool,
    as_phenopacket: bool,
    reader: str | None,
    max_usd: float,
    phi: bool,
    **known: Any,
) -> None:
    """Work up one patient from a note, findings, or both.

    NOTE is a text file or a phenopacket, or - for standard input. Age and sex are read from the
    note unless they are given. Red flags come first, then candidate diseases with the evidence for
    and against each, and the next steps that would tell them apart. Nothing leaves the machine and
    nothing of the note is stored, except with --reader: the note goes to that model, the ledger
    keeps question and answer, and both readings are printed side by side.
    """
    from python_llm.console import terminal
    from python_llm.phenotyping.one_patient import Reader, export, work_up
    from python_llm.phenotyping.page import format_work_up

    patient = _patient(None if note is None else _text_of(note), hpo, excluded, tests, family)
    stated = {"age_years": known["age"], "sex": known["sex"], "language": known["language"]}
    patient = replace(patient, contains_phi=phi)
    patient = replace(
        patient, **{name: value for name, value in stated.items() if value is not None}
    )
    if as_phenopacket:
        with _without_collections():
            packet = export(paths.served_database(), patient)
        click.echo(terminal.as_json(packet))
        return
    chosen = Reader(reader, Decimal(str(max_usd))) if reader else None
    if reader:
        _check_reader(reader, max_usd, patient.note)
    with _without_collections():
        result = work_up(paths.served_database(), patient, chosen)
    click.echo(terminal.as_json(result) if as_json else format_work_up(result))


@contextmanager
def _without_collections() -> Iterator[None]:
    """No garbage collection, then or later, of what a work-up makes: dictionaries and diseases are
    a million objects that stay, and to look through them takes a tenth of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _check_reader(reader: str, max_usd: float, note: str | None) -> None:
    """Raises ClickException without a note, RunError for a model that cannot be called."""
    from python_llm.job.admission import preflight

    if not (note or "").strip():
        raise click.ClickException("--reader reads a note: give one, kernel29 phenotype NOTE.txt.")
    preflight.check_run("live", "", "", max_usd, others={"--reader": reader})
    preflight.check_ledger()


def _patient(
    text: str | None, hpo: str, excluded: str, tests: str | None, family: str | None
) -> "PatientInput":
    from python_llm.phenotyping.one_patient import PatientInput, from_phenopacket
    from python_llm.phenotyping.phenopacket import is_phenopacket

    is_packet = text is not None and is_phenopacket(text)
    known = from_phenopacket(text) if is_packet and text else PatientInput(note=text)
    return replace(
        known,
        findings=[*known.findings, *_listed(hpo)],
        excluded=[*known.excluded, *_listed(excluded)],
        prior_tests=tests,
        family_history=family,
    )


def _listed(names: str) -> list[str]:
    return names.split(",") if names else []


def _text_of(note: Path) -> str:
    """The text of a file in any encoding, or of standard input for `-`."""
    from python_llm.imports import tables
    from python_llm.imports.encodings import decode

    is_stdin = str(note) == "-"
    content = sys.stdin.buffer.read() if is_stdin else tables.read(note)
    text = decode(content)
    if "\x00" in text:
        raise click.ClickException(f"{note} is not a text file: save the note as text.")

    return text
