"""The prompts that an experiment names in place: text files, their sections and placeholders.

    prompts:
      - short.txt                             # what the user says, with {case} where the case goes
      - name: shots
        file: frame.txt                       # {role} and {solved} are its sections
        sections:
          role: role.txt
          solved: {table: shots.csv, row: "Case: {text}\\nDiagnosis: {diagnosis}"}

A placeholder stands for a section, for the case, for solved cases like it, or for a column of the
table the case is from; `{column:Lab results}` names one that is more than a word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from python_llm.errors import FileError
from python_llm.experiments.lines import ExperimentError
from python_llm.imports import tables
from python_llm.registries.names import nearest

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}"
TEXTS = (".txt", ".md")
# What the text of a prompt may have filled in for each case, and what SQL calls it.
PLACEHOLDERS = {"case": "case_narrative", "similar_cases": "similar_cases"}
COLUMN = "column:"
_PLACEHOLDER = re.compile(rf"\{{([A-Za-z_][A-Za-z0-9_]*|{COLUMN}[^{{}};\n]+)\}}")
_FILLED_BY_SQL = re.compile(rf"\{{(?:{'|'.join(PLACEHOLDERS.values())}|{COLUMN}[^{{}}\n]+)\}}")
_CELL = re.compile(r"\{([^{}\n]+)\}")
# Names that tell the header of a table of sections from other rows.
_HEADERS = ("case", "text", "note", "diagnosis", "answer", "section", "example", "question")


class Part(BaseModel):
    """A part of an experiment file: no other keys, no other types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Table(Part):
    """A section made of the rows of a table. row: the text of one, with {column} for its columns;
    without it `column: value` lines."""

    table: str
    row: str | None = None


class Prompt(Part):
    """A prompt of one's own: `file` is what the user says, `system` the system text, if any;
    sections: by the names they have in both."""

    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    file: str
    system: str | None = None
    sections: dict[str, str | Table] = {}
    language: str = "en"
    output: Literal["numbered_list", "json"] = "numbered_list"

    def files(self) -> Iterator[str]:
        """Every file it is made of, relative to the experiment's."""
        yield self.file
        yield from filter(None, [self.system])
        for section in self.sections.values():
            yield section if isinstance(section, str) else section.table


@dataclass
class Composed:
    """The texts of a prompt as SQL fills them. columns: which columns of a case they show, each
    with the file and line that asks for it; placeholders: names as in the registry of prompts;
    tables: the texts of the sections that are tables, rows of solved cases perhaps."""

    user: str = ""
    system: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)

    @property
    def placeholders(self) -> list[str]:
        named = [name for name in PLACEHOLDERS.values() if f"{{{name}}}" in self.user + self.system]
        return [*named, *(f"{COLUMN}{name}" for name in self.columns)]


def compose(prompt: Prompt, folder: Path) -> Composed:
    """A prompt whose files are relative to `folder`.

    Raises ExperimentError for a file that cannot be read, a section that no text shows and a table
    without a column that its rows are to show.
    """
    composed = Composed()
    sections = {
        name: _text(folder / section, {}, composed)
        if isinstance(section, str)
        else _rows(section, folder, composed)
        for name, section in prompt.sections.items()
    }
    shown: set[str] = set()
    composed.user = _text(folder / prompt.file, sections, composed, shown)
    if prompt.system:
        composed.system = _text(folder / prompt.system, sections, composed, shown)
    unused = sections.keys() - shown
    if unused:
        raise ExperimentError(
            f"{folder / prompt.file}: the section {min(unused)} is not shown: write "
            f"{{{min(unused)}}} where it goes."
        )
    if f"{{{PLACEHOLDERS['case']}}}" not in composed.user + composed.system:
        raise ExperimentError(
            f"{folder / prompt.file} shows no case: write {{case}} where its text goes."
        )
    return composed


def _text(
    path: Path, sections: dict[str, str], composed: Composed, shown: set[str] | None = None
) -> str:
    """The text of a file with its sections, and its placeholders as SQL calls them."""
    try:
        text = path.read_text(encoding="utf-8").strip("\n")
    except OSError as error:
        raise ExperimentError(f"the prompt {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"the prompt {path} is not UTF-8: save it as UTF-8.") from error

    def filled(match: re.Match[str]) -> str:
        name = match[1]
        if name in sections:
            if shown is not None:
                shown.add(name)
            return sections[name]
        if name in PLACEHOLDERS:
            return f"{{{PLACEHOLDERS[name]}}}"
        column = name.removeprefix(COLUMN)
        line = text.count("\n", 0, match.start()) + 1
        composed.columns.setdefault(column, f"{path}, line {line}")
        return f"{{{COLUMN}{column}}}"

    return _PLACEHOLDER.sub(filled, text)


def _rows(section: Table, folder: Path, composed: Composed) -> str:
    """The rows of a table as one text, a blank line between them."""
    path = folder / section.table
    wanted = _CELL.findall(section.row or "")
    try:
        rows = [row.values for row in tables.read_table(path, [*wanted, *_HEADERS])]
    except FileError as error:
        raise ExperimentError(f"{path}: {error}") from error
    unknown = [name for name in wanted if name.isidentifier() and name not in rows[0]]
    if unknown:
        raise ExperimentError(
            f"{path} has no column {unknown[0]}. The nearest: {nearest(unknown[0], rows[0])}."
        )
    text = "\n\n".join(_row(values, section.row) for values in rows)
    if match := _FILLED_BY_SQL.search(text):
        raise ExperimentError(f"{path} has {match[0]} in a cell, which stands for something else.")
    composed.tables.append(text)
    return text


def _row(values: dict[str, str], template: str | None) -> str:
    if template is None:
        return "\n".join(f"{name}: {value}" for name, value in values.items() if value.strip())
    return _CELL.sub(lambda match: values.get(match[1], match[0]), template)
