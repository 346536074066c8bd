"""Errors in terminology files."""

from pathlib import Path

from python_llm.errors import UserError


class TerminologyError(UserError):
    """A terminology file that is missing, malformed or of another release; the message is one
    sentence with the file, the line if there is one, and the remedy."""


def malformed(path: Path, line: int | None, problem: str, remedy: str) -> TerminologyError:
    """The error for `path` at `line` (counted from 1): the problem and the remedy."""
    where = f"{path.name}, line {line}" if line else path.name
    return TerminologyError(f"{where}: {problem}; {remedy}.")
