"""`kernel29 cases import`: stores the cases of one file, all or none."""

import dataclasses
import hashlib
import json
import re
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm import files, seeds
from python_llm.audit import trail
from python_llm.errors import FileError
from python_llm.imports import principal, tables, workbooks
from python_llm.imports.encodings import named_encoding
from python_llm.imports.numbered_rows import HEADER_AGAIN, SHEET_UNREAD
from python_llm.imports.spoilt_ids import OF_DATES, is_date
from python_llm.parsing.folding import column_key
from python_llm.test_sets import descriptions, forgotten, long_form, numbering, store
from python_llm.test_sets.detecting import format_of
from python_llm.test_sets.formats import FORMATS, FRAMES, LANGUAGES, USUALLY_PHI, read
from python_llm.test_sets.gold_fields import several_names
from python_llm.test_sets.golds import is_bare_code
from python_llm.test_sets.language import DEFAULT, language_of
from python_llm.test_sets.reading import Reading, read_mapping
from python_llm.test_sets.severities import read_severities
from python_llm.test_sets.store import RECORDS, REJECTS

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{0,63}")
GOLD = ("judgement", "icd10_code", "gold_names", "gold_codes")
CLINICAL = ("narrative", "history", "examination", "reason", "hpo_ids", "hpo_names")
REGISTRIES = ("generated_test_sets", "test_set_definitions")
OWN_NOTES = "kernel29_notes"  # of seeds/phenotyping/phenotyping_cases.csv
LANGUAGE_SAMPLE = 200  # records that tell the language
LEAK_SAMPLE, SHORTEST_NAME = 5_000, 5  # records looked at; letters of a name that is looked for
CONTENT = b"content_hash"  # in the metadata of stored records: the file, however it was read
_HINTS = {"gold diagnosis": " (--without-gold imports the cases for reading only)"}
_NO_TEXT = re.compile(
    r"\W*|n[./]?[ ]?[ad]\.?|s[./]d\.?|null|none|nil|nan|na|nd|n\.?c\.?|empty|missing|"
    r"unknown|no data|not available|not applicable|no text|#(?:n/a|n/d|null!|ref!|value!|valor!)|"
    r"ningun[oa]|nada|vac[ií]o|sin (?:datos|texto|informaci[oó]n)|"
    r"no (?:consta|disponible|procede|aplica)|"
    r"desconocid[oa]|pendiente|pending|tbd|k\.?a\.?|keine angabe",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"(?:(?:grand|gran|sub|suma|n)_?)?total(?:es|s|e)?(?:_general)?"
    r"(?:_(?:n|(?:of_|de_)?(?:cases|casos|cas|patients|pacientes|episodios|records|registros|rows"
    r"|filas)))?(?:_\d+)*"
    r"|(?:n|num|numero|nombre|anzahl)_(?:de_)?(?:total(?:es)?_(?:de_)?)?(?:casos|cas|pacientes|patients"
    r"|falle|registros)(?:_total(?:es)?)?(?:_\d+)*"
    r"|(?:sum|suma|summe|soma|somme|gesamt|gesamtsumme|insgesamt|anzahl|zwischensumme)(?:_\d+)*"
    r"|(?:media|promedio|average|mean|mittelwert|moyenne|median|mediana)(?:_\d+)*"
)
# reasons of rows that are no case at all: they are not counted
FORGOTTEN = (
    "forgotten on {} with kernel29 forget, and left out: take the patient out of the file, or, if "
    "this is to be undone, that day's line out of data/" + forgotten.NOTE
)
NO_CASES = (
    HEADER_AGAIN,
    principal.SECONDARY,
    principal.EARLY,
    descriptions.REASON,
)
FRAME_NAMES = ("source", "plain")


@dataclass(frozen=True)
class Choices:
    """The user's choices for an import; None leaves one to the format.

    `frame`: 'source', the case text with the headings of docs/specification.md#narrative, or
    'plain'; `columns`: the column of a field in a table; `without_gold`: also import cases without
    a gold diagnosis, for reading; `keep`: columns of a table that prompts may show.
    """

    mapping_file: Path | None = None
    columns: Mapping[str, str | list[str]] = dataclasses.field(default_factory=dict)
    language: str | None = None
    contains_phi: bool | None = None
    frame: str | None = None
    without_gold: bool = False
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """The outcome of an import: how many records were stored, and how many of them for reading
    only; what was rejected and why (rows of REJECTS); how the cases are shown to models; which
    columns of a table were read as which fields (`taken`), kept for prompts to show (`kept`) or
    neither (`unread`); whether it is new; and what somebody should know of it (`notes`)."""

    n_records: int
    n_for_reading: int
    rejects: list[dict[str, Any]]
    source_format: str
    frame: str
    language: str
    contains_phi: bool
    taken: dict[str, list[str]]
    kept: list[str]
    unread: list[str]
    is_new: bool
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def n_lost(self) -> int:
        """How many records were rejected as a whole."""
        return sum(reject["is_record_lost"] for reject in self.rejects)


def import_cases(
    file: Path,
    source_format: str | None,
    test_set: str,
    folder: Path,
    choices: Choices | None = None,
    *,
    replace: bool = False,
) -> Imported:
    """Import a file or a folder of cases into `folder`; repeating an import changes nothing.

    source_format: None where the fields of the file decide. By default, research formats do not
    count as real patients if somebody has named them; all else does. `replace` removes earlier
    imports of the set once the new file has been read. Raises FileError; nothing is written then.
    """
    choices = choices or Choices()
    check_name(test_set, source_format)
    content = _content(file)
    is_told = choices.contains_phi is not None
    is_usually_phi = source_format is None or source_format in USUALLY_PHI
    source_format = source_format or _detected(file, content, choices)
    mapping = read_mapping(choices.mapping_file) if choices.mapping_file else None
    language = choices.language or (mapping or {}).get("language") or LANGUAGES.get(source_format)
    phi = bool(choices.contains_phi) if is_told else is_usually_phi
    frame = _frame(choices, source_format)
    reading = Reading(mapping, choices.columns, choices.without_gold, choices.keep)
    how = [source_format, mapping, dict(choices.columns), language or DEFAULT, phi, frame]
    source_hash = _hash(file, content, [*how, *_kept(choices), choices.without_gold])
    name = f"{test_set}--{source_hash[:16]}"
    about: dict[str, Any] = {"source_format": source_format, "frame": frame, "contains_phi": phi}
    content_hash = _hash(file, content, [])
    with files.locked(folder):
        present = store.imported_files(folder, test_set)
        if folder / "records" / f"{name}.parquet" in present and (not replace or len(present) == 1):
            return _imported_before(folder, name, about)
        constants = dict(test_set=test_set, source_file=file.name, source_hash=source_hash[:16])
        records, rejects = _read(file, content, source_format, reading, constants)
        _check_records(records, rejects, file, choices, reading.notes)
        _check_again(records, [] if replace else present, content_hash, file, test_set)
        reading.notes += _about(records, source_format)
        about["language"] = language or _language(records, reading)
        rejects += _severities(records, {**constants, "reject_number": len(rejects)}, phi=phi)
        others = [] if replace else store.records_of(test_set, folder)["record_id"].to_pylist()
        rejects += _shared_ids(records, others, {**constants, "reject_number": len(rejects)})
        constants |= {**about, "content_hash": content_hash}
        table = _table(records, constants, present, reading, replace=replace)
        _note(constants, phi=phi, is_told=is_told, replaces=replace, n_records=len(records))
        store.write(folder, name, table, pa.Table.from_pylist(rejects, REJECTS))
        if replace:
            store.remove(folder, test_set, but=name)
    return Imported(
        len(records),
        sum(record["is_for_reading"] for record in records),
        rejects,
        **about,
        **{name: getattr(reading, name) for name in ("taken", "kept", "unread", "notes")},
        is_new=True,
    )


def _imported_before(folder: Path, name: str, about: Mapping[str, Any]) -> Imported:
    """The outcome of an import that was made before."""
    rejects = pq.read_table(folder / "rejects" / f"{name}.parquet").to_pylist()
    stored = pq.read_table(folder / "records" / f"{name}.parquet", columns=["language"])
    language = next(iter(stored.column(0).to_pylist()), DEFAULT)
    no_columns: dict[str, Any] = {"taken": {}, "kept": [], "unread": []}
    known = {**about, "language": language}
    return Imported(stored.num_rows, 0, rejects, **known, **no_columns, is_new=False)


def _language(records: list[dict[str, Any]], reading: Reading) -> str:
    """The language of the texts of a file, of which the names of its columns say something, too;
    codes and names of phenotypes say nothing of it."""
    sample = records[:LANGUAGE_SAMPLE]
    texts = [text for record in sample for name in forgotten.TEXTS if (text := record.get(name))]
    headings = [name for names in reading.taken.values() for name in names]
    return language_of([*texts, " ".join(headings)]) if texts else DEFAULT


def _named_golds(records: list[dict[str, Any]]) -> str | None:
    """A sentence on texts that give the answer away; the build knows them by other names, too."""
    sample = records[:LEAK_SAMPLE]
    with_text = [
        (" ".join(texts).casefold(), record.get("gold_names") or [])
        for record in sample
        if (texts := [text for name in forgotten.TEXTS if (text := record.get(name))])
    ]
    n_named = sum(
        any(len(gold) >= SHORTEST_NAME and gold.casefold() in written for gold in golds)
        for written, golds in with_text
    )
    if not n_named:
        return None
    return (
        f"{n_named} of {len(with_text)} texts name the gold diagnosis, as a discharge note does: a "
        "model needs only to copy it (fct_case_quality has the cases)."
    )


def _numbered_sexes(records: list[dict[str, Any]]) -> str | None:
    """A sentence on sexes that are numbers, as REDCap exports them."""
    n_numbers = sum((record.get("sex") or "").strip().isdigit() for record in records)
    if not n_numbers:
        return None
    return (
        f"{n_numbers} sexes are numbers, which mean one thing here and another there: they are "
        "unknown until the file says F and M."
    )


def _padded_ids(records: list[dict[str, Any]]) -> str | None:
    """A sentence on ids of which a spreadsheet has taken zeros away: 1 beside 002."""
    ids = [written for record in records if (written := record.get("record_id"))]
    padded = [written for written in ids if written.isdecimal() and written[0] == "0"]
    longest = max(map(len, padded), default=0)
    short = [i for i in ids if i.isdecimal() and i[0] != "0" and len(i) < longest]
    if not padded or not short:
        return None
    return (
        f"Some ids begin with zeros ('{padded[0]}') and others have lost them or never had any "
        f"('{short[0]}'): answers and labels have to write each id as it stands here."
    )


def _ids_of_dates(records: list[dict[str, Any]]) -> str | None:
    """A sentence on ids that are dates."""
    dates = [written for r in records if (written := r.get("record_id")) and is_date(written)]
    return f"{len(dates)} ids are dates ('{dates[0][:10]}'), {OF_DATES}." if dates else None


def _stated_golds(records: list[dict[str, Any]]) -> str | None:
    """A sentence on gold diagnoses that were written as sentences."""
    n_stated = sum(record.get("is_stated", False) for record in records)
    if not n_stated:
        return None
    return (
        f"{n_stated} gold diagnoses are written as a sentence ('The diagnosis is …'), of which only"
        " the name is taken."
    )


def _several_golds(records: list[dict[str, Any]], source_format: str) -> str | None:
    """A sentence on cases with several names as gold diagnosis; the build knows which are different
    diseases. RareBench writes alternative names of one."""
    if source_format == "rarebench":
        return None
    named = [
        (record, names)
        for record in records
        if len(names := several_names(record)) > 1
        and " also known as " not in (record.get("gold_written") or "")
    ]
    if not named:
        return None
    record, names = named[0]
    return (
        f"{len(named)} cases have several names as gold diagnosis (line {record['source_line']}: "
        f"{len(names)}): those that the terminologies have as different diseases are several gold "
        "diagnoses, of which each counts; others are names of one (dim_case.gold_diagnosis)."
    )


def _repeated_texts(records: list[dict[str, Any]]) -> str | None:
    """A sentence on cases whose text is word for word that of a case before them."""
    first: dict[tuple[str, ...], dict[str, Any]] = {}
    repeated = []
    for record in records:
        if texts := tuple(text for name in forgotten.TEXTS if (text := record.get(name))):
            if texts in first:
                repeated.append((record, first[texts]))
            else:
                first[texts] = record
    if not repeated:
        return None
    n_differ = sum(again.get("gold_names") != known.get("gold_names") for again, known in repeated)
    differ = f" In {n_differ} the gold diagnosis is another." if n_differ else ""
    again, known = (record["source_line"] for record in repeated[0])
    return (
        f"Texts that are word for word that of an earlier case: {len(repeated)} (line {again}: as "
        f"line {known}). A model is asked once, and each case counts.{differ}"
    )


def _about(records: list[dict[str, Any]], source_format: str) -> list[str]:
    """The sentences on all records of a file."""
    all_of_them = (
        *(_stated_golds(records), _named_golds(records)),
        *(_numbered_sexes(records), _padded_ids(records), _ids_of_dates(records)),
        *(_several_golds(records, source_format), _repeated_texts(records)),
    )
    return list(filter(None, all_of_them))


def _check_again(
    records: list[dict[str, Any]],
    present: list[Path],
    content_hash: str,
    file: Path,
    test_set: str,
) -> None:
    """Raise FileError if the set has the cases of the file already, read in another way or from
    another state of it: they would be there twice."""
    ids = {record.get("record_id") for record in records} - {None}
    for stored in present:
        table = pq.ParquetFile(stored)
        is_same = (table.schema_arrow.metadata or {}).get(CONTENT) == content_hash.encode()
        columns = table.read(["source_file", "record_id"])
        names, own_ids = (set(columns.column(name).to_pylist()) for name in columns.column_names)
        is_other_state = file.name in names and 2 * len(ids & own_ids) > len(ids)
        if is_same or is_other_state:
            how = "read in another way" if is_same else "from another state of this file"
            raise FileError(
                f"The cases of {file.name} are in {test_set} already, {how}: --replace takes them "
                "out and puts these in their place"
                f"{' (and takes out the other files of the set)' if len(present) > 1 else ''}, "
                "--test-set NAME makes another set of them."
            )


def _note(constants: Mapping[str, Any], *, phi: bool, is_told: bool, **counts: Any) -> None:
    """Put the import into the trail of audit, and who declared it free of personal data."""
    name = None if phi else constants["source_file"]
    source = {"file": name, "file_hash": constants["source_hash"]}
    if is_told and not phi:
        trail.note("declared_free", constants["test_set"], **source)
    about = {**source, "contains_phi": phi, **counts}
    trail.note("import", constants["test_set"], what="cases", **about)


def _frame(choices: Choices, source_format: str) -> str:
    """The frame in which cases are shown. Raises FileError for an unknown one."""
    frame = choices.frame or FRAMES.get(source_format, "plain")
    if frame not in FRAME_NAMES:
        raise FileError(f"'{frame}' is not a frame: use one of {', '.join(FRAME_NAMES)}.")
    return frame


def _check_records(
    records: list[dict[str, Any]],
    rejects: list[dict[str, Any]],
    file: Path,
    choices: Choices,
    notes: Iterable[str],
) -> None:
    """Raise FileError if there is no case, or if none has the sections that the frame needs."""
    if not records:
        reason = "it has no rows."
        if rejects:
            first = rejects[0]
            hint = _HINTS.get(first["field"], "")
            line = f"line {first['source_line']}, " if first["source_line"] else ""
            reason = f"{line}{first['field']}: {first['reason']}{hint}."
        reason = " ".join([reason, *(note for note in notes if workbooks.FORMULA in note)])
        raise FileError(f"{file.name} holds no usable case: {reason}")
    if choices.frame == "source" and all(record.get("narrative") for record in records):
        raise FileError(
            f"{file.name} has one text per case, and these are asked as they are: leave out "
            "--frame source, or map their sections."
        )


def _kept(choices: Choices) -> list[list[str]]:
    """The columns that are kept, for the hash of an import; earlier imports had none."""
    return [sorted(choices.keep)] if choices.keep else []


def _detected(file: Path, content: bytes, choices: Choices) -> str:
    """The format of a file; if the user names its columns, it has columns."""
    if choices.mapping_file:
        return "table"
    detected = format_of(file, content)
    is_of_columns = detected in ("table", "urg")
    return "table" if (choices.columns or choices.keep) and not is_of_columns else detected


def _content(file: Path) -> bytes:
    """The bytes of a file, empty for a folder. Raises FileError if it is missing or empty."""
    if not file.is_dir():
        return tables.read(file)
    if not any(path.is_file() for path in file.rglob("*")):
        raise FileError(f"{file.name} is an empty folder: choose one with a file for each patient.")
    return b""


def check_name(test_set: str, source_format: str | None) -> None:
    """Raise FileError for an unknown format or a test set name that cannot be used."""
    if source_format is not None and source_format not in FORMATS:
        raise FileError(f"'{source_format}' is not a format: use one of {', '.join(FORMATS)}.")
    if not NAME.fullmatch(test_set):
        raise FileError(
            f"'{test_set}' cannot name a test set: use letters without accents, digits and "
            "underscores, as in --test-set my_cases."
        )
    if test_set == OWN_NOTES:
        raise FileError(
            f"'{test_set}' is the set of the project's own notes: choose another name "
            "with --test-set NAME."
        )
    for registry in REGISTRIES:
        seed = f"seeds/test_sets/{registry}.csv"
        if test_set in {row["test_set"] for row in seeds.read(seed, ["test_set"])}:
            raise FileError(
                f"'{test_set}' is already a set in {seed}: choose another name with --test-set "
                "NAME."
            )


def _read(
    file: Path,
    content: bytes,
    source_format: str,
    reading: Reading,
    constants: dict[str, Any],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    records: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    unreadable: list[int] = []  # lines that the reader rejects, which may be ahead of the records

    def reject_line(line: int | None, field: str, reason: str) -> None:
        if field == SHEET_UNREAD:
            reading.notes.append(f"{reason[0].upper()}{reason[1:]}.")
            return
        reject(line, field, reason)
        if line is not None and reason not in NO_CASES:
            insort(unreadable, line)

    def reject(
        line: int | None,
        field: str,
        reason: str,
        record_id: str | None = None,
        *,
        is_lost: bool = True,
    ) -> None:
        rejects.append(
            {
                **constants,
                "source_line": line,
                "reject_number": len(rejects) + 1,
                "field": field,
                "reason": reason,
                "is_record_lost": is_lost,
                "record_id": record_id,
            }
        )

    rows = read(file, content, source_format, reading, reject_line)
    cases = _numbered(rows, unreadable, source_format, reading)
    with_gold, gone = long_form.with_gold(cases, GOLD), forgotten.known()
    for record in cases:
        record["is_for_reading"] = not any(record.get(field) for field in GOLD)
        where = f"{record['file_name']}: " if "file_name" in record else ""
        if day := gone.get(forgotten.fingerprint(record) or ""):
            reject(record["source_line"], "case", f"{where}{FORGOTTEN.format(day)}")
            continue
        lacking = _lacking(record, reading, with_gold)
        if lacking:
            field, reason = lacking
            told = f"{where}{reason}{record.get('sheet', '')}"
            reject(record["source_line"], field, told, record.get("record_id"))
            continue
        records.append(record)
        if problem := record.get("gold_problem"):
            reject(record["source_line"], "gold diagnosis", where + problem, is_lost=False)
        for line, reason in record.get("findings_set_aside") or []:
            reject(line, "phenotype", where + reason, is_lost=False)
    return records, rejects


def _numbered(
    rows: Iterable[dict[str, Any]], unreadable: list[int], source_format: str, reading: Reading
) -> list[dict[str, Any]]:
    """The records of a file with their numbers in it, those of one case together; `unreadable` are
    the lines that were rejected. Rejected records keep their number: answers of other tools follow
    the order of the file."""
    records: list[dict[str, Any]] = []
    for record in rows:
        n_before = bisect_right(unreadable, record["source_line"] or 0)
        record.setdefault("source_row", len(records) + 1 + n_before)
        records.append(record)
    if source_format != "table":
        return records
    reading.notes += numbering.without_missing_ids(records)
    by_findings = long_form.one_record_a_case(records)
    cases = long_form.parts_together(by_findings, CLINICAL, GOLD)
    long_form.mark_repeats(cases)
    long_form.mark_second_entries(cases)
    if len(by_findings) < len(records):
        reading.notes.append(
            f"{len(records)} rows are {len(by_findings)} cases: rows of one id that differ only in "
            "their phenotypes are one case with all of them."
        )
    if len(cases) < len(by_findings):
        reading.notes.append(
            f"{len(by_findings)} rows are {len(cases)} cases: where the text of an id stands in "
            "one row and its only diagnosis in another, or in the last of several visits, its "
            "rows are one case, texts one after the other."
        )
    return cases


def _lacking(
    record: dict[str, Any], reading: Reading, with_gold: Collection[str]
) -> tuple[str, str] | None:
    """Why a record is no case that can be used: field and reason; `with_gold` are the ids of those
    that have a gold diagnosis."""
    if record.get("is_again"):
        return "record", long_form.AGAIN
    if reason := record.get("entered_again"):
        return "record", reason
    written = [record[field] for field in CLINICAL if record.get(field)]
    has_text = not all(map(says_none, written))
    is_whole = has_text and not record["is_for_reading"]
    if is_total(record) or (not is_whole and _reads_as_total(record.get("begins_as"))):
        return "record", "a row of totals, no case: delete it, or give the case another id"
    is_alone = record.get("record_id") not in with_gold or record.get("gold_problem")
    if record["is_for_reading"] and not reading.without_gold and not is_alone:
        return "record", long_form.FOLLOW_UP
    if record["is_for_reading"] and not reading.without_gold:
        return "gold diagnosis", record.get("gold_problem") or _without_gold(record)
    if written and not has_text:
        return "case text", "a sign for none where the text should be: fill in the text of the case"
    if not has_text:
        return "case text", "no clinical text and no phenotype: fill in the text of the case"
    return None


def says_none(written: Any) -> bool:
    """Whether a text only says that there is none: 'N/A', '-', 'null', 'sin datos'."""
    return isinstance(written, str) and _NO_TEXT.fullmatch(written.strip()) is not None


def is_total(record: dict[str, Any]) -> bool:
    """Whether a row sums up those above it: its id, or without ids its text, is 'Total'."""
    return _reads_as_total(record.get("record_id") or record.get("narrative"))


def _reads_as_total(written: str | None) -> bool:
    short = (written or "")[:41]
    return len(short) < 41 and _TOTAL.fullmatch(column_key(short)) is not None


def _without_gold(record: dict[str, Any]) -> str:
    """Why a record has no gold diagnosis."""
    if is_bare_code(record.get("gold_written") or ""):
        return (
            "a code that does not say its vocabulary: write OMIM:154700, ORPHA:558 or ICD-10 G35, "
            "or the name of the disease"
        )
    return "neither a diagnosis nor a code: fill in one of them"


def _severities(
    records: list[dict[str, Any]], about: dict[str, Any], *, phi: bool
) -> list[dict[str, Any]]:
    """A row of REJECTS for each record whose severity is not understood."""
    unread = read_severities(records, contains_phi=phi)
    return [
        {
            **about,
            "source_line": record["source_line"],
            "reject_number": about["reject_number"] + number,
            "field": "severity",
            "reason": reason,
            "is_record_lost": False,
            "record_id": record.get("record_id"),
        }
        for number, (record, reason) in enumerate(unread, 1)
    ]


def _shared_ids(
    records: list[dict[str, Any]], others: list[str | None], about: dict[str, Any]
) -> list[dict[str, Any]]:
    """A row of REJECTS for each record whose id another case of its test set has; `others`: the ids
    of earlier imports. The case is kept, but its id does not identify it."""
    counts = Counter([*(record.get("record_id") for record in records), *others])
    golds: dict[str, set[str | None]] = defaultdict(set)
    for record in records:
        golds[record.get("record_id") or ""].add(record.get("gold_written"))
    shared = [
        record for record in records if record.get("record_id") and counts[record["record_id"]] > 1
    ]
    return [
        {
            **about,
            "source_line": record["source_line"],
            "reject_number": about["reject_number"] + number,
            "field": "record id",
            "reason": f"{counts[record['record_id']]} cases of the set have this id"
            + (
                f", with {n_golds} different gold diagnoses"
                if (n_golds := len(golds[record["record_id"]])) > 1
                else ""
            )
            + "; answers and labels have to name the case by its case_id (kernel29 cases list SET)",
            "is_record_lost": False,
            "record_id": record["record_id"],
        }
        for number, record in enumerate(shared, 1)
    ]


def _table(
    records: list[dict[str, Any]],
    constants: dict[str, Any],
    present: list[Path],
    reading: Reading,
    *,
    replace: bool,
) -> pa.Table:
    """Records as a table of the layout RECORDS, beside or in place of those that are `present`."""
    columns = []
    for field in RECORDS:
        if field.name in constants:
            columns.append(pa.repeat(pa.scalar(constants[field.name], field.type), len(records)))
        elif field.name == "record_number":
            numbers = _numbers(records, present, reading, replace=replace)
            columns.append(pa.array(numbers, field.type))
        else:
            columns.append(pa.array([record.get(field.name) for record in records], field.type))
    table = pa.Table.from_arrays(columns, schema=RECORDS)
    content = {CONTENT: constants["content_hash"]}
    return numbering.noted(table.replace_schema_metadata(content), present)


def _numbers(
    records: list[dict[str, Any]], present: list[Path], reading: Reading, *, replace: bool
) -> list[int]:
    """The number of each record: after those of the set or, where they are replaced, its own."""
    last = numbering.last_number(present)
    if not replace or not last:
        return [record["source_row"] + last for record in records]
    stored = files.read_parquet(present, RECORDS, store.WHAT)
    known = numbering.kept_numbers(records, stored, last)
    if not known:
        reading.notes.append(numbering.OTHERS)
    return [known.get(record["source_row"], record["source_row"]) for record in records]


def _hash(file: Path, content: bytes, choices: list[Any]) -> str:
    """The hash of an import: the same file with other choices is another import."""
    digest = hashlib.sha256(content)
    if file.is_dir():
        for part in sorted(path for path in file.rglob("*") if path.is_file()):
            digest.update(part.relative_to(file).as_posix().encode())
            digest.update(hashlib.sha256(part.read_bytes()).digest())
    digest.update(named_encoding().encode())
    digest.update(json.dumps(choices, sort_keys=True, default=str).encode())
    return digest.hexdigest()
