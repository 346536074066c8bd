"""Records of the rows of a table, by its columns."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from python_llm.errors import FileError
from python_llm.imports import certainty, principal
from python_llm.imports.cells import as_written, text, texts, without_marks
from python_llm.imports.headings import is_of_person, kind_of
from python_llm.imports.nesting import names_of
from python_llm.imports.numbered_rows import (
    Reject,
    Row,
    Rows,
    sheet_of,
)
from python_llm.parsing.folding import column_key, without_entities
from python_llm.test_sets import columns as columns_of
from python_llm.test_sets import descriptions
from python_llm.test_sets.ages import Ages
from python_llm.test_sets.columns import SECTIONS
from python_llm.test_sets.findings import Findings
from python_llm.test_sets.gold_fields import in_form, problem_beside, undoubted
from python_llm.test_sets.long_form import OF_FINDINGS
from python_llm.test_sets.reading import (
    GOLD_FIELDS,
    LIST_FIELDS,
    OF_ANY_CASE,
    PROSE,
    Reading,
    Records,
    named_columns,
)

VITAL_SIGNS = {
    *("ta_max", "ta_min", "frec_cardiaca", "temperatura", "sat_oxigeno", "glucemia", "diuresis"),
}
ZERO_IS_OPEN = (
    "0, no and false in the columns of phenotypes are read as not recorded, absent and -1 as "
    "excluded."
)
SAMPLE = 200  # rows that decide what a column holds


def records_of_table(
    file: Path, rows: Rows, known: dict[str, str], reading: Reading, reject: Reject
) -> Records:
    mapping = reading.mapping or {}
    separator = mapping.get("separator", "|")
    constants = {
        field: _value(field, value, separator)
        for field, value in (mapping.get("values") or {}).items()
    }
    named = named_columns(mapping.get("columns", {}), reading)
    columns_of.check_roles(file.name, named)
    of_user = set(named)
    rows = iter(rows)
    sample = _sample(rows, reading)
    if not sample:  # a header alone, or nothing that could be read
        return
    present = names_of(sample)
    folded_sample = [_folded(row) for _, row in sample]
    _check_present(file, named, present, reading)
    if known:
        named = _of_extract(named, known)
        fields = _fields_of(present, known, named)
    else:
        fields = {}
        if reading.mapping is None:
            named = columns_of.choose(
                file.name,
                present,
                named,
                folded_sample,
                without_gold=reading.without_gold,
            )
        named = _as_one_text(file, named, constants)
    folded_names = {
        field: [column_key(value) for value in columns] for field, columns in named.items()
    }
    chosen_columns = [*fields, *(name for names in folded_names.values() for name in names)]
    columns_of.check_once(file.name, sample, chosen_columns)
    findings, ages = Findings(folded_names, present, folded_sample), Ages(present, chosen_columns)
    _note_roles(reading, present, fields, folded_names, findings, ages)
    how_certain = _how_certain(reading, folded_sample, folded_names)
    of_names = columns_of.of_people(present, folded_sample)
    _check_persons(file, reading, of_names)
    reading.notes += _notes(reading, present, fields, of_user, of_names)
    kept = _kept(file, reading, present)
    described = descriptions.rows_of(sample, chosen_columns, folded_names.get("gold_names", []))
    for line, row, folded in _of_cases(sample, rows, described, _case_columns(reading), reject):
        record: dict[str, Any] = {"source_line": line, "sheet": sheet_of(folded), **constants}
        if kept:
            shown = {name: as_written(folded.get(column)) for name, column in kept.items()}
            record["row_values"] = json.dumps(shown, ensure_ascii=False)
        record |= _fields_read(folded, fields, folded_names, separator)
        record = findings.read(record, folded)
        _heed_version(record, folded)
        record["age"] = ages.read(record.get("age"), folded, line)
        record["begins_as"] = next(filter(None, map(text, row.values())), None)
        yield undoubted(record, problem_beside(folded, how_certain))
    reading.notes += filter(None, [ages.problem()])


def _of_cases(
    sample: list[Row],
    others: Iterable[Row],
    described: Collection[int],
    cases: Iterable[Collection[str]],
    reject: Reject,
) -> Iterator[tuple[int, Mapping[str, Any], dict[str, Any]]]:
    """The rows that are of a case: line, values, and values by folded name. Those that describe the
    columns, and secondary diagnoses and those of admission, go to `reject`; `cases` are the columns
    that tell a case from others."""
    folded_sample = [_folded(row) for _, row in sample]
    is_secondary = principal.of_rows(folded_sample, cases)
    is_early = principal.of_stages(folded_sample)
    for line, row in chain(sample, others):
        folded = _folded(row)
        if line in described:
            reject(line, "record", descriptions.REASON)
        elif is_secondary and is_secondary(folded):
            reject(line, "gold diagnosis", principal.SECONDARY)
        elif is_early and is_early(folded):
            reject(line, "gold diagnosis", principal.EARLY)
        else:
            yield line, row, folded


def _folded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {column_key(name): value for name, value in row.items()}


def _case_columns(reading: Reading) -> list[list[str]]:
    """The columns that tell a case from others: those of its id, and those of its texts."""
    return [
        [column_key(name) for field in fields for name in reading.taken.get(field, [])]
        for fields in (("record_id",), ("narrative", *SECTIONS))
    ]


def _fields_read(
    folded: Mapping[str, Any],
    fields: Mapping[str, str],
    named: Mapping[str, list[str]],
    separator: str | None,
) -> dict[str, Any]:
    """The fields of a row: those of a known format from the first of their columns that is filled,
    `named` ones from all of theirs."""
    record: dict[str, Any] = {}
    for column, field in fields.items():
        if record.get(field) is None:
            record[field] = _value(field, folded.get(column), separator)
    for field, columns in named.items():
        if field == "record_id":
            values = [_id(folded.get(column)) for column in columns]
        else:
            values = [_value(field, folded.get(column), separator) for column in columns]
        filled = [value for value in values if value]
        if not filled:
            continue
        if field in ("gold_names", "gold_codes"):
            record[field] = in_form(record, zip(columns, values, strict=True))
        elif field in LIST_FIELDS:
            record[field] = [item for value in filled for item in value]
        else:
            record[field] = "\n".join(filled)
    return record


def _heed_version(record: dict[str, Any], folded: Mapping[str, Any]) -> None:
    """Take the code of a row away that its column of versions calls one of ICD-9 (MIMIC)."""
    version = text(folded.get("icd_version")) or ""
    if record.get("icd10_code") and re.fullmatch(r"(?i)(?:icd)?[\s-]*0?9(?:\D.*)?", version):
        record["icd10_code"] = None
        record["gold_problem"] = (
            "a code of ICD-9 by its icd_version, which is not read: give the name of the diagnosis "
            "or its ICD-10 code"
        )


def _of_extract(named: dict[str, list[str]], known: Mapping[str, str]) -> dict[str, list[str]]:
    """The columns that were named, as a hospital extract has them: its gold is a judgement."""
    if "judgement" not in known.values() or len(named.get("gold_names", [])) != 1:
        return named
    return {"judgement" if field == "gold_names" else field: c for field, c in named.items()}


def _fields_of(
    present: list[str], known: Mapping[str, str], named: Mapping[str, list[str]]
) -> dict[str, str]:
    """The field of each column of a known format, in the order in which they fill it: headings that
    the format knows, and in a hospital extract those of the kind. What the user names replaces
    them, and a text the user names replaces every section."""
    of_user = {column_key(name) for names in named.values() for name in names}
    gone = {*named, *(PROSE if "narrative" in named else ())}
    ranked = []
    for position, name in enumerate(present):
        column, kind = column_key(name), kind_of(name)
        field = known.get(column)
        if field is None and kind and "judgement" in known.values():
            field = "judgement" if kind[0] == "gold_names" else kind[0]
        if field == "record_id" and is_of_person(name):
            continue
        if field and field not in gone and column not in of_user:
            is_by_kind = kind and (field == "judgement" or column not in known)
            rank = kind[1] + 1 if kind and is_by_kind else 0
            ranked.append((rank, position, column, field))
    return {column: field for _, _, column, field in sorted(ranked)}


def _notes(
    reading: Reading,
    present: list[str],
    fields: Mapping[str, str],
    of_user: set[str],
    of_names: Collection[str],
) -> list[str]:
    """Sentences on the choices that were made between columns; `fields` has those of a hospital
    extract in the order in which they count, `of_user` the fields whose columns were named."""
    in_order = dict(reading.taken)
    if "judgement" in fields.values():
        names = {column_key(name): name.strip() for name in present}
        in_order["judgement"] = [names[c] for c, field in fields.items() if field == "judgement"]
    about_gold = columns_of.passed_over(in_order, present, of_user)
    return [*filter(None, [about_gold, columns_of.not_stored(in_order, reading.unread, of_names)])]


def _check_persons(file: Path, reading: Reading, of_names: Collection[str]) -> None:
    """Raise FileError if a column that tells who somebody is would be shown to models."""
    shown = [
        *reading.keep,
        *(name for field in sorted(PROSE) for name in reading.taken.get(field, [])),
    ]
    persons = [name for name in shown if is_of_person(name) or name in of_names]
    if persons:
        raise FileError(
            f"{file.name}: '{persons[0]}' tells who the patient is and is shown to no model: leave "
            "it out, or use it as the id with --column 'id=" + persons[0] + "'."
        )


def _sample(rows: Rows, reading: Reading) -> list[Row]:
    """The first rows; all of them if these lack a column of the command line, because rows of JSON
    may lack any."""
    sample = list(islice(rows, SAMPLE))
    named = {
        column_key(name)
        for column_names in named_columns({}, reading).values()
        for name in column_names
    }
    return sample + list(rows) if named - set(map(column_key, names_of(sample))) else sample


class NoColumn(FileError):
    """A table that has no such column for a prompt to show."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


def _kept(file: Path, reading: Reading, present: list[str]) -> dict[str, str]:
    """The folded name of each column to be kept, which is written down. Raises
    NoColumn for one that is not there, or that has the gold diagnosis; age and sex may be known
    from elsewhere."""
    of_gold = {column_key(name) for field in GOLD_FIELDS for name in reading.taken.get(field, [])}
    folded = {column_key(name) for name in present}
    kept = {name: column_key(name) for name in reading.keep}
    for name, column in kept.items():
        if column in of_gold:
            reason = f"{file.name}: '{name}' is the gold diagnosis, which no model may be shown."
            raise NoColumn(reason, name)
        if column not in folded and name not in OF_ANY_CASE:
            reason = f"{file.name} has no column '{name}'; it has {', '.join(present)}."
            raise NoColumn(reason, name)
    kept = {name: column for name, column in kept.items() if column in folded}
    reading.kept = [name.strip() for name in present if column_key(name) in kept.values()]
    reading.unread = [name for name in reading.unread if name not in reading.kept]
    return kept


def _check_present(
    file: Path, named: dict[str, list[str]], present: list[str], reading: Reading
) -> None:
    """Raise FileError for a named column that is missing; rows of JSON may lack any that a mapping
    file names."""
    there = {column_key(name) for name in present}
    for spoken, column_names in reading.columns.items():
        for column in column_names if isinstance(column_names, list) else [column_names]:
            if column_key(column) not in there:
                raise FileError(
                    f"{file.name}: --column {spoken}={column}: there is no such column; there are "
                    f"{columns_of.listed(present)}."
                )
    missing = {
        column
        for columns in named.values()
        for column in columns
        if column_key(column) not in there
    }
    if missing and file.suffix.lower() not in (".jsonl", ".ndjson", ".json") and present:
        raise FileError(
            f"{file.name} has no column {', '.join(sorted(missing))}: its columns are "
            f"{', '.join(present)}; correct the mapping file or --column."
        )


def _as_one_text(
    file: Path, named: dict[str, list[str]], constants: dict[str, Any]
) -> dict[str, list[str]]:
    """The named columns, where a history without other sections is the narrative. Raises FileError
    for a narrative next to sections."""
    sections = (named.keys() | constants.keys()) & {*SECTIONS, *VITAL_SIGNS}
    if "narrative" in named and sections:
        raise FileError(
            f"{file.name}: narrative is the whole text of a case and goes without "
            f"{', '.join(sorted(sections))}: name it history, or leave the others out."
        )
    if sections == {"history"} and "history" in named:
        return {
            "narrative" if field == "history" else field: column_names
            for field, column_names in named.items()
        }
    return named


def _note_roles(
    reading: Reading,
    present: list[str],
    fields: dict[str, str],
    named: dict[str, list[str]],
    findings: Findings,
    ages: Ages,
) -> None:
    """Write down which columns are read as which fields, and which not at all."""
    reading.taken, reading.unread = _roles_of(present, fields, named)
    if ages.heading:
        reading.taken["unit of the age"] = [ages.heading]
        reading.unread.remove(ages.heading)
    if findings.flag:
        reading.taken["presence of a phenotype"] = [findings.flag]
        reading.unread.remove(findings.flag)
    if findings.matrix:
        reading.notes.append(ZERO_IS_OPEN)


def _how_certain(
    reading: Reading, sample: list[dict[str, Any]], folded_names: Collection[str]
) -> list[tuple[str, certainty.Says]]:
    """The columns that say how certain a diagnosis is, or that a row was rejected; they are written
    down as read."""
    of_findings = any(name in folded_names for name in OF_FINDINGS)
    how_certain = certainty.of_rows(sample, are_of_findings=of_findings)
    columns = {column for column, _ in how_certain}
    names = [name for name in reading.unread if column_key(name) in columns]
    if names:
        reading.taken["certainty"] = names
        reading.unread = [name for name in reading.unread if name not in names]
    return how_certain


def _roles_of(
    present: list[str], fields: dict[str, str], named: dict[str, list[str]]
) -> tuple[dict[str, list[str]], list[str]]:
    """The columns that each field was read from, and those that were not read."""
    taken: dict[str, list[str]] = {}
    unread = []
    for name in present:
        column = column_key(name)
        roles = [field for field, columns in named.items() if column in columns]
        roles += [fields[column]] if column in fields else []
        for role in roles:
            taken.setdefault(role, []).append(name.strip())
        if not roles:
            unread.append(name.strip())
    return taken, unread


def _value(field: str, value: Any, separator: str | None) -> Any:
    if field in GOLD_FIELDS and isinstance(value, str):
        value = without_entities(value)
    if field in LIST_FIELDS:
        return texts(value, separator)
    if isinstance(value, (list, dict)):
        return "\n".join(part for part in (text(item) for item in value) if part) or None
    return _prose(value) if field in PROSE else text(value)


def _id(value: Any) -> str | None:
    """An id as it is written: which of those that say nothing are ids, the whole column tells."""
    return _value("record_id", value, None) or without_marks(as_written(value)).strip() or None


def _prose(value: Any) -> str | None:
    """A text unchanged, with its blanks and line ends, but without NUL, which databases do not
    store in texts."""
    if text(value) is None:
        return None
    return as_written(value).replace("\x00", "")
