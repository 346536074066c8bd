"""What several commands share: NAME=VALUE options, and printing what was served."""

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import click

from python_llm import paths

RANKS = " Columns of ranks side by side are found as diagnosis_1, diagnosis_2, …"
RATERS = f"{RANKS}; several raters go into one --column, with commas."


def pairs(option: str, values: tuple[str, ...], example: str) -> Iterator[tuple[str, str]]:
    """NAME=VALUE options as pairs. Raises ClickException, with the example, if one has no `=`."""
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.ClickException(f"{option} {text}: write it as in {example}.")
        yield name, value


def by_role(
    option: str, values: tuple[str, ...], example: str, several: str = ""
) -> dict[str, str]:
    """NAME=VALUE options by name. Raises ClickException for a name that is given twice, of which
    only the last would count; `several` says how a file of several such columns is read."""
    named: dict[str, str] = {}
    for name, value in pairs(option, values, example):
        if name in named:
            raise click.ClickException(
                f"{option} {name} is given twice, as '{named[name]}' and as '{value}': give it "
                f"once.{several}"
            )
        named[name] = value
    return named


def grouped(option: str, values: tuple[str, ...], example: str) -> dict[str, str | list[str]]:
    """NAME=VALUE options by name; a name that is given several times has a list."""
    named: dict[str, list[str]] = {}
    for name, value in pairs(option, values, example):
        named.setdefault(name, []).append(value)
    return {name: columns if len(columns) > 1 else columns[0] for name, columns in named.items()}


def of_encoding(command: Callable[..., None]) -> Callable[..., None]:
    """An import with the option --encoding, which says at its end how files that are not UTF-8 were
    read."""

    @click.option(
        "--encoding", default="", help="Encoding of files that are not UTF-8.  [default: detected]"
    )
    @wraps(command)
    def with_encoding(*arguments: Any, encoding: str, **options: Any) -> None:
        from python_llm.imports.encodings import of_files

        with of_files(encoding) as notes:
            try:
                command(*arguments, **options)
            finally:
                for note in notes:
                    click.echo(note)

    return with_encoding


def show(read: Callable[[Path], Any], text: Callable[[Any], str], as_json: bool) -> None:
    """Print what `read` returns of the served database, as text or JSON."""

    from python_llm.console import terminal

    rows = read(paths.served_database())
    click.echo(terminal.as_json(rows) if as_json else text(rows))
