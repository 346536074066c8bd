"""How a file of cases is to be read: columns of the command line and of mapping files."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports.encodings import decode
from python_llm.parsing import yaml_text
from python_llm.test_sets import columns as columns_of
from python_llm.test_sets.columns import SECTIONS
from python_llm.test_sets.store import RECORDS, TEXTS

Records = Iterator[dict[str, Any]]
LIST_FIELDS = {field.name for field in RECORDS if field.type == TEXTS}
# what models read: kept byte for byte
PROSE = {"narrative", *SECTIONS}
ABOUT_THE_IMPORT = ("source_", "record_number", "test_set", "contains_phi", "frame", "gold_written")
MAPPABLE = {
    field.name
    for field in RECORDS
    if not field.name.startswith((*ABOUT_THE_IMPORT, "is_for_reading", "row_values"))
}
GOLD_FIELDS = ("gold_names", "gold_codes", "icd10_code", "judgement", "severity")
OF_ANY_CASE = ("age", "sex")  # a prompt may show them of every case, empty where unknown


@dataclass
class Reading:
    """How a file is to be read (`keep`: columns that prompts show) and, once it is, which columns
    were read as which fields, kept for prompts, or neither."""

    mapping: dict[str, Any] | None = None
    columns: Mapping[str, str | list[str]] = dataclasses.field(default_factory=dict)
    without_gold: bool = False
    keep: tuple[str, ...] = ()
    taken: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    kept: list[str] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)


def read_mapping(file: Path) -> dict[str, Any]:
    """A mapping file: `columns` (field: column or list of columns) and optionally `values` (field:
    one value for all rows), `separator` of lists and `language`. Raises FileError for anything
    else."""
    check_regular(file)
    try:
        mapping = yaml_text.value_of(decode(file.read_bytes()))
    except OSError as error:
        raise FileError(f"{file} cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None)
        told = f" ({problem})" if problem else ""
        raise FileError(f"{file.name}{line}: neither YAML nor JSON{told}; correct it.") from error
    if not isinstance(mapping, dict) or not isinstance(mapping.get("columns"), dict):
        raise FileError(
            f"{file.name} has no `columns:`: write one line per field, such as `history: Notes`."
        )
    columns, values = mapping["columns"], mapping.get("values") or {}
    unknown = set(mapping) - {"columns", "values", "separator", "language"}
    unknown |= (set(columns) | set(values if isinstance(values, dict) else ["values"])) - MAPPABLE
    if unknown:
        raise FileError(
            f"{file.name} names {', '.join(sorted(map(str, unknown)))}, which is not a field: the "
            f"fields are {', '.join(sorted(MAPPABLE))}."
        )
    for field, named in columns.items():
        if not named or not all(
            isinstance(name, str) for name in (named if isinstance(named, list) else [named])
        ):
            raise FileError(f"{file.name}, {field}: give the name of a column, or a list of them.")
    for name, value in {**values, **mapping}.items():
        if name not in ("columns", "values") and isinstance(value, (dict, list)):
            raise FileError(f"{file.name}, {name}: give one value.")
    if not isinstance(mapping.get("separator", "|"), str | None) or mapping.get("separator") == "":
        raise FileError(f"{file.name}, separator: give the text between two items of a list.")
    return mapping


def named_columns(columns: Mapping[str, Any], reading: Reading) -> dict[str, list[str]]:
    """The columns of each field as named in a mapping file and on the command line, which takes
    precedence. Raises FileError for an unknown field."""
    named = {
        field: column_or_columns if isinstance(column_or_columns, list) else [column_or_columns]
        for field, column_or_columns in columns.items()
    }
    for spoken, column in reading.columns.items():
        column_names = column if isinstance(column, list) else [column]
        name = spoken if spoken in MAPPABLE else columns_of.field_of(spoken)
        if name not in MAPPABLE:
            raise FileError(
                f"--column {spoken}={column_names[0]}: not a field: use text, gold, "
                f"gold_code, id or one of {', '.join(sorted(MAPPABLE))}."
            )
        if len(column_names) > 1 and name not in PROSE | LIST_FIELDS:
            raise FileError(
                f"--column {spoken}=…: give it once; only texts and lists have several."
            )
        named[name] = column_names
    return named
