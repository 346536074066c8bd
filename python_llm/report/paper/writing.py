"""The folder of a paper, written whole or not at all: one Markdown page, CSV and SVG files."""

import secrets
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from python_llm.errors import UserError
from python_llm.report.paper.choice import Choice, choose, served, without_configuration
from python_llm.report.paper.dependence import add_design_effects
from python_llm.report.paper.judged import add_agreement
from python_llm.report.paper.page import Build, Paper
from python_llm.report.paper.robustness import add_difficulty, add_label_noise, add_sensitivity
from python_llm.report.paper.sections import (
    add_composition,
    add_figures,
    add_methods,
    add_references,
    add_results,
)
from python_llm.report.paper.tables import read_tables

PAGE = "paper.md"
SECTIONS: tuple[Callable[[Paper], None], ...] = (
    add_methods,
    add_composition,
    add_results,
    add_design_effects,
    add_figures,
    add_sensitivity,
    add_agreement,
    add_label_noise,
    add_difficulty,
    add_references,
)


def write_paper(
    database: Path,
    folder: Path,
    choice: Choice,
    *,
    replace: bool = False,
    warn: Callable[[str], object] = print,
) -> list[str]:
    """Write the folder of a paper and return the names of its files.

    database: the served one. warn: what is told of names that were left out. The files are written
    to a folder beside `folder`, which then takes its name. Raises UserError if there is something
    in `folder` already (with `replace`, if that is no paper), for an unknown name (choice.choose)
    and if nothing has been served yet.
    """
    _check(folder, replace=replace)
    with served(database) as connection:
        judge = choose(connection, choice)
        for sentence in without_configuration(connection, choice):
            warn(sentence)
        built = f"{datetime.fromtimestamp(database.stat().st_mtime, UTC):%Y-%m-%d}"
        paper = Paper(connection, judge, read_tables(connection, judge), Build(built))
        for section in SECTIONS:
            section(paper)
    files = {PAGE: "\n\n".join(paper.page).rstrip() + "\n", **paper.files}
    _write(folder, files)
    return sorted(files)


def _check(folder: Path, *, replace: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UserError(f"{folder} is a file: name another folder with --out.")
    if not any(folder.iterdir()):
        return
    if not replace:
        raise UserError(
            f"{folder} holds files already: name another folder with --out, or write this one "
            "again with --replace."
        )
    if not (folder / PAGE).is_file():
        raise UserError(f"{folder} holds no {PAGE}, so it is no paper: name another with --out.")


def _write(folder: Path, files: dict[str, str]) -> None:
    """All files in a new folder, which takes the place of `folder` at the end."""
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}-{secrets.token_hex(8)}")
    draft.mkdir()
    old = draft.with_name(f"{draft.name}-old")
    try:
        for name, text in files.items():
            (draft / name).write_text(text, encoding="utf-8", newline="\n")
        if folder.exists():
            folder.rename(old)
        try:
            draft.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
