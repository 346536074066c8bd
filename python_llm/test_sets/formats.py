"""The formats of clinical cases, each read into records of one layout (store.RECORDS).

A reader yields dicts with `source_line` and any fields of RECORDS; missing fields are null. It
reports what it cannot read through `reject(line, field, reason)`; no reason quotes a value.
"""

import dataclasses
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import yaml

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports import certainty, principal
from python_llm.imports.certainty import PROBLEMS
from python_llm.imports.headings import Headings, is_of_person, kind_of
from python_llm.imports.nesting import flat_rows, names_of
from python_llm.imports.patient_files import RejectFile, files_of, read_patients
from python_llm.imports.tables import (
    EXCEL,
    JSON_LINES,
    PARQUET,
    SHEET_UNREAD,
    Reject,
    Row,
    Rows,
    as_written,
    decode,
    read_json,
    read_rows,
    text,
    texts,
)
from python_llm.imports.tables import (
    numbered as tables_numbered,
)
from python_llm.imports.tables import (
    read as read_file,
)
from python_llm.parsing import yaml_text
from python_llm.parsing.folding import column_key
from python_llm.test_sets import columns as columns_of
from python_llm.test_sets import descriptions
from python_llm.test_sets.ages import Ages
from python_llm.test_sets.columns import SECTIONS
from python_llm.test_sets.findings import Findings
from python_llm.test_sets.golds import (
    is_no_gold,
    numbered,
    problem_of,
    problem_of_code,
    problem_of_judgement,
    read_codes,
    read_gold,
    with_vocabulary,
    without_additions,
    without_codes,
)
from python_llm.test_sets.long_form import OF_FINDINGS, with_fields_beside
from python_llm.test_sets.packets import packets_in
from python_llm.test_sets.stated import SENTENCE, is_sentence, name_in
from python_llm.test_sets.store import RECORDS, TEXTS

FORMATS = ("rarebench", "synthetic_v2", "phenopacket", "table", "urg")
# hospital records and tables of unknown origin count as real patients unless the user says
# otherwise
USUALLY_PHI = {"urg", "table"}
LANGUAGES = {"urg": "es"}
# formats shown with the headings of docs/specification.md#narrative; others are shown unchanged
FRAMES = {"urg": "source", "rarebench": "source", "phenopacket": "source"}

Records = Iterator[dict[str, Any]]

LIST_FIELDS = {field.name for field in RECORDS if field.type == TEXTS}
# what models read: kept byte for byte
PROSE = {"narrative", *SECTIONS}
VITAL_SIGNS = {
    *("ta_max", "ta_min", "frec_cardiaca", "temperatura", "sat_oxigeno", "glucemia", "diuresis"),
}
ABOUT_THE_IMPORT = ("source_", "record_number", "test_set", "contains_phi", "frame", "gold_written")
MAPPABLE = {
    field.name
    for field in RECORDS
    if not field.name.startswith((*ABOUT_THE_IMPORT, "is_for_reading", "row_values"))
}
GOLD_FIELDS = ("gold_names", "gold_codes", "icd10_code", "judgement", "severity")
OF_ANY_CASE = ("age", "sex")  # a prompt may show them of every case, empty where unknown
ZERO_IS_OPEN = (
    "0, no and false in the columns of phenotypes are read as not recorded, absent and -1 as "
    "excluded."
)
SAMPLE = 200  # rows that decide what a column holds


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


# The columns of a hospital extract (docs/specification.md#narrative), with their spellings.
URG_COLUMNS = {
    "reason": ["motivo_consulta", "motivo_de_consulta", "motivo"],
    "history": ["enfermedad_actual", "anamnesis", "historia_actual"],
    "examination": ["exploracion", "exploracion_fisica"],
    "complementary": [
        "exploracion_compl",
        "exploracion_complementaria",
        "exploraciones_complementarias",
        "pruebas_complementarias",
    ],
    "background": ["antecedentes", "antecedentes_personales"],
    "judgement": ["juicio_diagnostico", "juicio_clinico", "diagnostico"],
    "icd10_code": ["diag_cie", "diagnostico_cie", "codigo_cie", "cie10", "cie_10", "cie"],
    "sex": ["sexo"],
    "age": ["edad"],
    "ta_max": ["ta_max", "tension_max", "tas", "ta_sistolica"],
    "ta_min": ["ta_min", "tension_min", "tad", "ta_diastolica"],
    "frec_cardiaca": ["frec_cardiaca", "frecuencia_cardiaca", "fc"],
    "temperatura": ["temperatura", "temp"],
    "sat_oxigeno": ["sat_oxigeno", "saturacion", "saturacion_de_oxigeno", "sato2", "sat_o2"],
    "glucemia": ["glucemia"],
    "diuresis": ["diuresis"],
    "discharge_reason": ["motivo_alta_ingreso", "motivo_alta", "motivo_de_alta"],
    "ward_days": ["est_planta", "estancia_planta", "dias_planta"],
    "icu_days": ["est_uci", "estancia_uci", "dias_uci"],
    "record_id": [
        *("episodio_anonimizado", "id_episodio", "episodio", "numero_episodio", "n_episodio"),
        *("id_anonimizado", "id", "id_caso", "case_id", "caso"),
    ],
}
V2_COLUMNS = {
    "gold_names": ["disease", "diagnosis", "golden_diagnosis"],
    "narrative": ["detailed", "description", "case", "detailed_description"],
    "record_id": ["id"],
}


def read(
    file: Path, content: bytes, source_format: str, reading: Reading, reject: Reject
) -> Records:
    """The records of one file, or of the files of a folder, whose `content` is empty. Raises
    FileError."""
    if source_format == "rarebench":
        records = _patients(file, reject) if file.is_dir() else _rarebench(file, content, reject)
    elif source_format == "phenopacket":
        records = _phenopackets(file, content, reject)
    else:
        known = _aliases({"urg": URG_COLUMNS, "synthetic_v2": V2_COLUMNS}.get(source_format, {}))
        mapped = _columns_of((reading.mapping or {}).get("columns", {}), reading)
        wanted = [column_key(column) for named in mapped.values() for column in named]
        names = Headings([*wanted, *(known or columns_of.WANTED)])
        if file.is_dir():
            # a mapping may give all records one gold diagnosis
            may_lack = reading.without_gold or reading.mapping is not None
            rows = _folder_rows(file, names, reject, without_gold=may_lack)
        else:
            rows = with_fields_beside(read_rows(file, content, names, reject))
        records = _table(file, flat_rows(file, rows, reject), known, reading, reject)
    for record in map(_without_empty_golds, records):
        if file.is_dir() and source_format not in ("rarebench", "phenopacket"):
            record["source_row"] = record["source_line"]  # files set aside before have none
        yield {**record, **_gold_of(record)}


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


def _aliases(columns: dict[str, list[str]]) -> dict[str, str]:
    return {alias: field for field, aliases in columns.items() for alias in aliases}


def _columns_of(columns: Mapping[str, Any], reading: Reading) -> dict[str, list[str]]:
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


def _table(
    file: Path, rows: Rows, known: dict[str, str], reading: Reading, reject: Reject
) -> Records:
    mapping = reading.mapping or {}
    separator = mapping.get("separator", "|")
    constants = {
        field: _value(field, value, separator)
        for field, value in (mapping.get("values") or {}).items()
    }
    named = _columns_of(mapping.get("columns", {}), reading)
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
    of_names = columns_of.of_people(present, folded_sample)
    _check_persons(file, reading, of_names)
    reading.notes += _notes(reading, present, fields, of_user, of_names)
    kept = _kept(file, reading, present)
    how_certain = certainty.of_rows(
        folded_sample, are_of_findings=any(name in folded_names for name in OF_FINDINGS)
    )
    described = descriptions.rows_of(sample, chosen_columns, folded_names.get("gold_names", []))
    for line, row, folded in _of_cases(sample, rows, described, _case_columns(reading), reject):
        record: dict[str, Any] = {"source_line": line, **constants}
        if kept:
            shown = {name: as_written(folded.get(column)) for name, column in kept.items()}
            record["row_values"] = json.dumps(shown, ensure_ascii=False)
        record |= _fields_read(folded, fields, folded_names, separator)
        record = findings.read(record, folded)
        _heed_version(record, folded)
        record["age"] = ages.read(record.get("age"), folded, line)
        record["begins_as"] = next(filter(None, map(text, row.values())), None)
        yield _undoubted(record, _problem_beside(folded, how_certain))
    reading.notes += filter(None, [ages.problem()])


def _of_cases(
    sample: list[Row],
    others: Iterable[Row],
    described: Collection[int],
    cases: Iterable[str],
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


def _case_columns(reading: Reading) -> list[str]:
    """The columns that tell a case from others: its id, or else its texts."""
    fields = ("record_id", "narrative", *SECTIONS)
    return [column_key(name) for field in fields for name in reading.taken.get(field, [])]


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
        values = [_value(field, folded.get(column), separator) for column in columns]
        filled = [value for value in values if value]
        if not filled:
            continue
        if field in ("gold_names", "gold_codes"):
            record[field] = _in_form(record, zip(columns, values, strict=True))
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
        for column_names in _columns_of({}, reading).values()
        for name in column_names
    }
    return sample + list(rows) if named - set(map(column_key, names_of(sample))) else sample


def _in_form(record: dict[str, Any], by_column: Iterable[tuple[str, Any]]) -> list[str]:
    """The texts of columns of gold diagnoses, without those that are not valid codes of their
    column's vocabulary; the record says why."""
    kept = []
    for column, items in by_column:
        for written in items or []:
            item = with_vocabulary(column, name := name_in(written))
            problem = None if is_no_gold(item) else problem_of_code(column, item)
            if is_sentence(item):
                problem = SENTENCE
            if name != written:
                record["is_stated"] = True
            if problem:
                record["gold_problem"] = problem
            else:
                kept.append(item)
    return kept


def _problem_beside(
    folded: Mapping[str, Any], how: Iterable[tuple[str, certainty.Says]]
) -> str | None:
    """Why the diagnosis of a row is none, by the columns that say how certain it is or that the row
    was rejected."""
    for column, says in how:
        how_certain = says(as_written(folded.get(column)))
        if how_certain in PROBLEMS:
            return PROBLEMS[how_certain].format(column)
    return None


def _undoubted(record: dict[str, Any], problem_beside: str | None = None) -> dict[str, Any]:
    """A record without its gold diagnosis if that is in doubt, by itself or by what stands beside
    it; its codes stand for the same."""
    names = [name for name in record.get("gold_names") or [] if not is_no_gold(name)]
    problem = next(filter(None, map(problem_of, names)), None)
    judgement = record.get("judgement")
    if not names and judgement and not is_no_gold(judgement):
        problem = problem_of_judgement(judgement)
    if any(record.get(name) for name in GOLD_FIELDS[:-1]):
        problem = problem or problem_beside
    if not problem:
        return record
    nothing = dict.fromkeys((*GOLD_FIELDS, "gold_written"))
    return {**record, **nothing, "gold_problem": problem}


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


def _without_empty_golds(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the texts that state that there is no gold diagnosis."""
    lists = ("gold_names", "gold_codes")
    kept = {
        field: [text for text in record[field] if not is_no_gold(text)] or None
        for field in lists
        if record.get(field)
    }
    nothing = {
        field: None
        for field in ("judgement", "icd10_code", "gold_written")
        if record.get(field) and is_no_gold(record[field])
    }
    return {**record, **kept, **nothing}


def _gold_of(record: dict[str, Any]) -> dict[str, Any]:
    """The gold diagnosis of a record as written, and as names and codes
    (docs/specification.md#gold-diagnosis)."""
    names, codes = record.get("gold_names") or [], record.get("gold_codes") or []
    judgement, icd10_code = record.get("judgement"), record.get("icd10_code")
    written = record.get("gold_written") or " / ".join(
        names or ([judgement] if judgement else codes or ([icd10_code] if icd10_code else []))
    )
    if not written:
        return {}
    taken = _gold_as_written(record)
    gold = read_gold(
        taken.get("gold_names", names), are_alternatives=record.get("gold_written") is not None
    )
    own_codes, own_icd10 = read_codes(codes)
    wording, in_wording, icd10_in_wording = without_codes(taken.get("judgement", judgement) or "")
    icd10_codes = [*own_icd10, *gold.icd10_codes, *icd10_in_wording]
    all_codes = dict.fromkeys([*own_codes, *gold.codes, *in_wording, *icd10_codes])
    return {
        "gold_written": written,
        "gold_names": gold.names or None,
        "gold_codes": list(all_codes) or None,
        "judgement": wording or None,
        "icd10_code": next((code for code in (icd10_code, *icd10_codes) if code), None),
    }


def _gold_as_written(record: dict[str, Any]) -> dict[str, Any]:
    """A gold diagnosis in the notation of docs/specification.md#gold-diagnosis, as the fields it
    stands for: 'A (principal) / B (secondary)' is A, 'A also known as B / C' three names of one
    disease, 'Comorbid diagnosis: A also known as B + C' a name and a judgement, and '1. A 2. B' a
    judgement of two diagnoses."""
    names = record.get("gold_names") or []
    if first := principal.principal_in(" / ".join(names)):
        return {"gold_names": [first]}
    if len(names) != 1:
        return {}
    if (diagnoses := numbered(names[0])) and not record.get("judgement"):
        return {"gold_names": [], "judgement": " + ".join(map(without_additions, diagnoses))}
    comorbid = re.fullmatch(r"comorbid diagnosis\W*(.+)", names[0], re.IGNORECASE | re.DOTALL)
    first, known_as, others = (comorbid[1] if comorbid else names[0]).partition(" also known as ")
    if comorbid:
        return {"gold_names": [first], "judgement": record.get("judgement") or others or first}
    if known_as:
        return {"gold_names": [first, *(texts(others, " / ") or [])]}
    return {}


def _value(field: str, value: Any, separator: str | None) -> Any:
    if field in LIST_FIELDS:
        return texts(value, separator)
    if isinstance(value, (list, dict)):
        return "\n".join(part for part in (text(item) for item in value) if part) or None
    return _prose(value) if field in PROSE else text(value)


def _prose(value: Any) -> str | None:
    """A text unchanged, with its blanks and line ends, but without NUL, which databases do not
    store in texts."""
    return as_written(value).replace("\x00", "") if text(value) is not None else None


def _rarebench(file: Path, content: bytes, reject: Reject) -> Records:
    """RareBench: `Phenotype` (HPO ids) and `RareDisease` (OMIM, ORPHA, CCRD ids of one disease)."""
    for line, item in read_json(file, content, reject):
        phenotypes, diseases = item.get("Phenotype"), item.get("RareDisease")
        if not isinstance(phenotypes, list) or not phenotypes:
            reject(line, "Phenotype", "no list of HPO ids: give the record one")
            continue
        if not isinstance(diseases, (list, str)) or not diseases:
            reject(line, "RareDisease", "no disease id: give the record one")
            continue
        ids, names = _split_ids(texts(phenotypes, None) or [], r"HP:\d{7}")
        codes, disease_names = _split_ids(texts(diseases, None) or [], r"[A-Za-z]+:\S+")
        yield {
            "source_line": line,
            "record_id": text(item.get("id") or item.get("patient_id")),
            "hpo_ids": ids or None,
            "hpo_names": names or None,
            "gold_codes": codes or None,
            "gold_names": disease_names or None,
            "sex": text(item.get("Sex") or item.get("sex")),
            "age": text(item.get("Age") or item.get("age")),
        }


def _split_ids(written: list[str], pattern: str) -> tuple[list[str], list[str]]:
    ids = [item for item in written if re.fullmatch(pattern, item)]
    return ids, [item for item in written if item not in ids]


PHENOTYPE_KEYS = (
    *("phenotype", "phenotypes", "phenotypic_features", "symptoms", "symptom", "hpo"),
    "patient_info",
)
DISEASE_KEYS = (
    *("golden_diagnosis", "gold_diagnosis", "gt", "rare_disease", "raredisease", "disease"),
    *("diagnosis", "disease_name"),
)
TABLES = (".csv", ".tsv", *EXCEL)
NUMBER_KEYS = ("patient", "patient_number", "number", "id", "index", "")


def _patients(folder: Path, reject: Reject) -> Records:
    """RareBench's patients as published: patient_N.json with phenotype names and gold diagnosis.
    The older form of PUMCH_ADM lists the diseases in a separate table, by patient number if it has
    such a column, otherwise in order."""
    tables = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES]

    def report(path: Path, field: str, reason: str) -> None:
        if path not in tables:
            reject(None, field, f"{path.name}: {reason}")

    patients = read_patients(folder, report)
    diseases = _diseases_of(folder, tables, [patient.record_id for patient in patients], reject)
    for patient in patients:
        values = patient.values
        phenotypes = next((values[key] for key in PHENOTYPE_KEYS if values.get(key)), None)
        written = _phenotypes(phenotypes)
        disease_names = next((values[key] for key in DISEASE_KEYS if values.get(key)), None)
        gold = diseases.get(patient.record_id) or texts(disease_names, None) or []
        ids, names = _split_ids(written, r"HP:\d{7}")
        codes, gold_names = _split_ids(gold, r"[A-Za-z]+:\S+")
        yield {
            "file_name": patient.file.name,
            "source_line": patient.number,
            "source_row": patient.number,
            "record_id": patient.record_id,
            "hpo_ids": ids or None,
            "hpo_names": names or None,
            "gold_codes": codes or None,
            "gold_names": gold_names or None,
            "gold_written": " / ".join(gold) or None,
            "sex": text(values.get("sex") or values.get("gender")),
            "age": text(values.get("age")),
        }


def _phenotypes(written: Any) -> list[str]:
    """Ids and names in a list or in one text, which is split at its commas; if most commas have no
    blank behind them, only at those ('Weakness, proximal,Seizure')."""
    if isinstance(written, dict):
        written = list(written)
    if isinstance(written, str) and not written.lstrip().startswith("["):
        bare, spaced = (len(re.findall(pattern, written)) for pattern in (r",(?=\S)", r",(?=\s)"))
        if bare > spaced:
            written = re.split(r",(?=\S)", written)
    return texts(written, ",") or []


def _diseases_of(
    folder: Path, tables: list[Path], record_ids: list[str], reject: Reject
) -> dict[str, list[str]]:
    wanted = {*DISEASE_KEYS, *NUMBER_KEYS[:-1]}
    usable: dict[Path, list[Row]] = {}
    for table in tables:

        def report(_path: Path, field: str, reason: str, table: Path = table) -> None:
            reject(None, field, f"{table.name}: {reason}")

        table_rows = list(_rows_of(table, wanted, report))
        if any(column_key(name) in DISEASE_KEYS for _, row in table_rows[:1] for name in row):
            usable[table] = table_rows
        elif table_rows:
            report(table, "file", "a table without a column of diseases: name one `disease`")
    if len(usable) > 1:
        raise FileError(
            f"{folder.name} holds {len(usable)} tables ({', '.join(t.name for t in usable)}): "
            "keep the one with the disease names and remove the others."
        )
    rows = next(iter(usable.values()), [])
    diseases: dict[str, list[str]] = {}
    for position, (_, row) in enumerate(rows):
        folded = {column_key(key): value for key, value in row.items() if key is not None}
        number = next((text(folded[key]) for key in NUMBER_KEYS if text(folded.get(key))), None)
        names = next((folded[key] for key in DISEASE_KEYS if text(folded.get(key))), None)
        digits = re.search(r"\d+", number or "")
        in_order = record_ids[position] if position < len(record_ids) else None
        patient = str(int(digits[0])) if digits else in_order
        disease_names = texts(names, "/")
        if patient is not None and disease_names:
            diseases[patient] = disease_names
    return diseases


def _folder_rows(folder: Path, names: Headings, reject: Reject, *, without_gold: bool) -> Rows:
    """The rows of the files of a folder: JSON objects with an id of their own or of their file, the
    rows of tables, and whole text files, which are allowed only `without_gold`. A file that cannot
    be used is rejected. Raises FileError if none can."""

    def report(path: Path, field: str, reason: str) -> None:
        reject(None, field, f"{path.name}: {reason}")

    paths = files_of(folder, report)
    _name_unread(paths, reject)
    notes = [path for path in paths if path.suffix.lower() == ".txt" and not _is_about(path)]
    tables = [path for path in paths if path.suffix.lower() in (*TABLES, *PARQUET)]
    is_of_json = any(path.suffix.lower() in (".json", *JSON_LINES) for path in paths)
    if notes and not (without_gold or tables or is_of_json):
        raise FileError(
            f"{folder.name} is a folder of {len(notes)} notes, and a text file has no gold "
            "diagnosis: give a table with the text and the gold diagnosis in a column each, or "
            "import the notes for reading only with --without-gold."
        )
    number = 0
    for path in notes:
        if without_gold:
            number += 1
            yield Row(number, {"id": path.stem, "text": decode(path.read_bytes())})
        else:
            report(path, "gold diagnosis", "a text has none: give it as a table or as JSON")
    for path in tables:
        for row in _rows_of(path, names, report):
            number += 1
            yield Row(number, row.values)
    if is_of_json or not (notes or tables):

        def report_other(path: Path, field: str, reason: str) -> None:
            if path not in (*notes, *tables) and not path.is_dir():
                report(path, field, reason)

        for patient in read_patients(folder, report_other):
            yield Row(number + patient.number, {"id": patient.record_id, **patient.values})
    else:
        for path in paths:
            if path not in (*notes, *tables) and not _is_about(path):
                report(path, "file", "no table, JSON or text: save it as one of them")


def _is_about(path: Path) -> bool:
    """Whether a file says something about the others of its folder."""
    return path.stem.lower().startswith(("readme", "license", "licence", "leeme"))


def _name_unread(paths: Iterable[Path], reject: Reject) -> None:
    """Report the files of a folder that are about the others."""
    about = [path.name for path in paths if _is_about(path)]
    if about:
        reject(None, SHEET_UNREAD, f"not read, because about the folder: {', '.join(about)}")


def _rows_of(path: Path, names: Collection[str], report: RejectFile) -> Iterator[Row]:
    """The rows of one table of a folder; one that cannot be read is reported."""

    def report_row(line: int | None, field: str, reason: str) -> None:
        report(path, field, f"{tables_numbered(path, line)}: {reason}" if line else reason)

    try:
        yield from read_rows(path, read_file(path), names, report_row)
    except FileError as error:
        report(path, "file", str(error))


def _phenopackets(file: Path, content: bytes, reject: Reject) -> Records:
    """GA4GH phenopackets, versions 1 and 2, in JSON: a single one, an array, lines, a family, a
    cohort, lists of them below a key, or a folder of files."""
    number = 0
    sources = _json_files(file, reject) if file.is_dir() else [(file, content)]
    if not sources:
        raise FileError(f"{file.name} holds no JSON files.")
    for path, bytes_ in sources:
        offset = number if file.is_dir() else 0

        def report(
            line: int | None, field: str, reason: str, path: Path = path, offset: int = offset
        ) -> None:
            where = f"{path.name}: " if file.is_dir() else ""
            reject(offset + 1 if file.is_dir() else line, field, where + reason)

        for line, item in _items_of(path, bytes_, report, is_alone=not file.is_dir()):
            packets = packets_in(item)
            for packet in packets:
                number += 1
                position = number if len(packets) > 1 else line
                record = _phenopacket(packet, lambda *issue, line=position: report(line, *issue))
                if record:
                    yield {"source_line": number if file.is_dir() else position, **record}
        number = max(number, offset + 1)


def _json_files(folder: Path, reject: Reject) -> list[tuple[Path, bytes]]:
    """The JSON files below a folder; any other file is rejected."""
    sources = []
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    _name_unread((path for path in paths if path.suffix.lower() != ".json"), reject)
    for path in paths:
        if path.suffix.lower() in (".json", *JSON_LINES):
            sources.append((path, path.read_bytes()))
        elif not path.name.startswith((".", "~$")) and not _is_about(path):
            reject(None, "file", f"{path.name}: no phenopacket, which is JSON: export it so")
    return sources


def _items_of(path: Path, content: bytes, reject: Reject, *, is_alone: bool) -> Rows:
    """The objects of a file; one of a folder that cannot be read is rejected, not the folder."""
    try:
        yield from read_json(path, content, reject)
    except FileError as error:
        if is_alone:
            raise
        reject(1, "file", str(error))


def _phenopacket(packet: dict[str, Any], reject: Any) -> dict[str, Any] | None:
    if not isinstance(packet, dict):
        reject("record", "not a phenopacket: write it as a JSON object")
        return None
    subject = _get(packet, "subject") or {}
    observed: list[str] = []
    excluded: list[str] = []
    for feature in _get(packet, "phenotypicFeatures") or []:
        code = text(_get(_get(feature, "type"), "id"))
        if code:
            absent = _get(feature, "excluded") or _get(feature, "negated")
            (excluded if absent else observed).append(code)
    codes, names, onset = _gold(packet)
    if not observed:
        reject("phenotypicFeatures", "no observed feature: add one that is not excluded")
        return None
    if not codes and not names:
        reject("diseases", "no disease that is not excluded: add one")
        return None
    encounter = _get(subject, "timeAtLastEncounter") or _get(subject, "ageAtCollection") or {}
    return {
        "record_id": text(_get(packet, "id")),
        "hpo_ids": observed,
        "excluded_hpo_ids": excluded or None,
        "gold_codes": codes or None,
        "gold_names": names or None,
        "sex": text(_get(subject, "sex")),
        "age": _age(encounter) or _age(subject),
        "onset": onset,
    }


def _gold(packet: dict[str, Any]) -> tuple[list[str], list[str], str | None]:
    """Ids, names and onset of the patient's diseases, from interpretations that are not unsolved
    and diseases that are not excluded."""
    terms, onset = [], None
    for interpretation in _get(packet, "interpretations") or []:
        disease = _get(_get(interpretation, "diagnosis") or {}, "disease")
        if disease and _get(interpretation, "progressStatus") not in ("UNSOLVED", 4):
            terms.append(disease)
    for disease in _get(packet, "diseases") or []:
        if _get(disease, "excluded"):
            continue
        terms.append(_get(disease, "term"))
        began = (
            _get(disease, "onset") or _get(disease, "ageOfOnset") or _get(disease, "classOfOnset")
        )
        onset = onset or _age(began or {})
    codes = list(dict.fromkeys(code for code in (text(_get(term, "id")) for term in terms) if code))
    names = list(dict.fromkeys(n for n in (text(_get(term, "label")) for term in terms) if n))
    return codes, names, onset


def _age(element: dict[str, Any]) -> str | None:
    """The ISO 8601 age, the start of an age range, or the name of an onset class."""
    age = _get(element, "age")
    if isinstance(age, str):
        return age
    for holder in (age, element):
        if isinstance(holder, dict):
            duration = _get(holder, "iso8601duration") or _get(holder, "iso8601Duration")
            if duration:
                return text(duration)
    ranged = _get(element, "ageRange") or element
    start = _get(ranged, "start")
    if isinstance(start, dict):
        return _age({"age": start}) or _age(start)
    term = _get(element, "ontologyClass") or element
    return text(term.get("label")) if isinstance(term, dict) else None


_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def _get(element: Any, name: str) -> Any:
    """A field under its JSON or its protobuf name (phenotypicFeatures, phenotypic_features)."""
    if not isinstance(element, dict):
        return None
    if name in element:
        return element[name]
    return element.get(_CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name))
