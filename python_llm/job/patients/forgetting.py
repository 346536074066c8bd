"""Removes one patient from everything this project keeps, and proves it by a search.

What was imported of the case, what was answered and labelled about it and what the ledger has of
its requests is taken out row by row. Warehouse, served tables and report, which a build makes
again, are deleted whole: a freed block of a database would still hold the words.
"""

import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from python_llm import files, paths
from python_llm.audit import trail
from python_llm.audit.words import finder
from python_llm.engine.ledger.contract import Ledger
from python_llm.errors import UserError
from python_llm.experiments import registries
from python_llm.job.changes import last_build
from python_llm.job.serving import lakehouse, publish
from python_llm.labels import store as labels_store
from python_llm.runs import store as runs_store
from python_llm.test_sets import forgotten, store

Row = Mapping[str, Any]
FREE_TEXTS = (*forgotten.TEXTS, "record_id", "row_values")
# A shorter piece of text is in other texts as well, or in a file by chance.
SHORTEST = 16
SHORTEST_ID = 5
MADE = (
    "docs.html",
    "lineage.html",
    paths.CURRENT,
    publish.DATABASE,
    publish.PARQUET,
    publish.NOTE,
    "report.html",
    "demo",
)


class Case(NamedTuple):
    """A case by its names, and the pieces of text that tell its patient from all others."""

    case_id: str
    test_set: str
    refs: frozenset[str]
    pieces: tuple[str, ...]
    fingerprints: tuple[str, ...]


class Forgotten(NamedTuple):
    """How much was removed. remains: files in which words of the patient still are."""

    n_records: int
    n_rows: int
    n_attempts: int
    n_searched: int
    remains: list[Path]


def imported_before(day: datetime) -> list[str]:
    """The ids of the real patients whose file was imported before a moment."""
    folder = store.cases_folder()
    ids = []
    for file in sorted((folder / "records").glob("*--*.parquet")):
        if datetime.fromtimestamp(file.stat().st_mtime, UTC) >= day:
            continue
        for row in files.read_parquet([file], store.RECORDS, store.WHAT).to_pylist():
            if row["contains_phi"]:
                ids.append(store.case_id(row["test_set"], row["record_number"]))
    return ids


def forget(case_ids: Iterable[str], ledger: Ledger | None) -> Forgotten:
    """Remove cases from data, ledger, build and serve, and search every file for their words.

    ledger: None to leave it as it is. Raises UserError for a case that was not imported, while a
    build or an import runs, and while a request about it is in an open batch; nothing is removed
    then. Safe to repeat.
    """
    cases = [_case(case_id) for case_id in dict.fromkeys(case_ids)]
    keys = _request_keys(cases)
    batches = ledger.batches.open_batches() if ledger else []
    if keys & {key for batch in batches for key in batch.keys}:
        raise UserError(
            f"{cases[0].case_id} is in a batch that has not ended: let a live build collect it, "
            "then forget the case."
        )
    _record(cases, "forget", what="patients")
    pieces = {piece for case in cases for piece in case.pieces}
    n_attempts = ledger.forget(keys | ledger.mentions(pieces)) if ledger else 0
    n_rows = sum(map(_forget_answers, cases)) + sum(map(_forget_labels, cases))
    n_rows += _forget_tables(pieces)
    forget_made()
    n_records = sum(map(_forget_records, cases))  # last: what was killed before can be repeated
    n_searched, remains = search(pieces)
    if ledger and ledger.mentions(pieces):
        remains.append(Path(ledger.identity))
    done = Forgotten(n_records, n_rows, n_attempts, n_searched, remains)
    _note(cases, done)
    _record(cases, "forgotten", n_remain=len(remains))
    return done


def _case(case_id: str) -> Case:
    test_set, _, number = case_id.rpartition("/")
    records = store.records_of(test_set).to_pylist() if test_set else []
    own = [row for row in records if str(row["record_number"]) == (number.lstrip("0") or "0")]
    if not own:
        raise UserError(
            f"There is no imported case {case_id!r}: `kernel29 cases list` has the sets, and "
            "a case of a shipped set is no patient's."
        )
    others = json.dumps([row for row in records if row not in own], ensure_ascii=False, default=str)
    texts = [str(row[name]) for row in own for name in FREE_TEXTS if row[name]]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    ids = {row["record_id"] for row in own if row["record_id"]}
    pieces = {line for line in lines if len(line) >= SHORTEST} | {
        name for name in ids if len(name) >= SHORTEST_ID
    }
    return Case(
        case_id,
        test_set,
        frozenset({case_id, number, number.lstrip("0"), *ids}),
        tuple(sorted(piece for piece in pieces if _escaped(piece) not in others)),
        tuple(filter(None, map(forgotten.fingerprint, own))),
    )


def _request_keys(cases: Iterable[Case]) -> set[str]:
    """The requests about these cases, as the warehouse and the served tables know them."""
    ids = [case.case_id for case in cases]
    keys: set[str] = set()
    for database in (paths.built_database(), paths.served_database()):
        if not database.is_file():
            continue
        try:
            with duckdb.connect(str(database), read_only=True) as connection:
                tables = connection.execute(
                    "select schema_name, table_name from duckdb_columns() "
                    "where column_name in ('case_id', 'request_key') and not internal "
                    "group by all having count(*) = 2"
                ).fetchall()
                for schema, table in tables:
                    rows = connection.execute(
                        f'select distinct request_key from "{schema}"."{table}" '
                        "where list_contains($1, case_id) and request_key is not null",
                        [ids],
                    ).fetchall()
                    keys.update(key for (key,) in rows)
        except duckdb.IOException as error:
            raise UserError(
                f"{database} cannot be read ({str(error).splitlines()[0]}): wait for the build "
                "that is running to end, then forget the case."
            ) from error
    return keys


def _forget_records(case: Case) -> int:
    """Rows of the store go; the file stays, so that the same import does not bring them back."""
    folder = store.cases_folder()
    n_removed = 0
    with files.locked(folder):
        for file in store.leftovers(folder, case.test_set):
            file.unlink(missing_ok=True)
        for file in store.imported_files(folder, case.test_set):
            rejects = folder / "rejects" / file.name
            records = files.read_parquet([file], store.RECORDS, store.WHAT).to_pylist()
            own = [
                row
                for row in records
                if store.case_id(row["test_set"], row["record_number"]) == case.case_id
            ]
            if rejects.is_file():
                _without(rejects, store.REJECTS, partial(_is_set_aside, case.refs, own))
            n_removed += _without(file, store.RECORDS, own.__contains__)
    return n_removed


def _is_set_aside(refs: Collection[str], records: Iterable[Row], reject: Row) -> bool:
    """Whether something was set aside of one of these records."""
    lines = {row["source_line"] for row in records}
    return reject["source_line"] in lines or reject["record_id"] in refs


def _forget_answers(case: Case) -> int:
    """Recorded answers, their labels, and what was set aside of them."""
    folder = paths.runs_folder()
    n_removed = 0
    if folder.is_dir():
        with files.locked(folder):
            for kind, schema in runs_store.KINDS.items():
                for file in (folder / kind).glob("*.parquet"):
                    n_removed += _without(file, schema, lambda row: _is_of(row, case))
    return n_removed


def _forget_labels(case: Case) -> int:
    folder = labels_store.labels_folder()
    n_removed = 0
    if folder.is_dir():
        with files.locked(folder):
            for kind in ("labels", "pairs"):
                for file in (folder / kind).glob("*.parquet"):
                    schema = labels_store.KINDS[kind]
                    n_removed += _without(file, schema, lambda row: _is_of(row, case))
    return n_removed


def _forget_tables(pieces: Collection[str]) -> int:
    """Rows of the tables that the Python package has written beside its experiments."""
    has_any = finder(set(pieces))
    n_removed = 0
    for file in registries.folder().glob(f"*{registries.TABLE_OF_CASES}"):
        table = pq.read_table(file)
        is_kept = [not has_any("\n".join(map(str, r.values()))) for r in table.to_pylist()]
        if not all(is_kept):
            files.write_parquet(table.filter(pa.array(is_kept)), file)
            n_removed += is_kept.count(False)
    return n_removed


def _is_of(row: Row, case: Case) -> bool:
    """Whether a row of a run or a label is about the case: by its id, or by a name in its set."""
    if case.case_id in (row.get("case_id"), row.get("case_ref")):
        return True
    test_set = row.get("test_set") or (row.get("configuration_id") or "").rpartition("/")[2]
    return test_set == case.test_set and row.get("case_ref") in case.refs


def _without(file: Path, schema: pa.Schema, goes: Callable[[Row], bool]) -> int:
    """Replace a file by its rows that stay, if any goes; how many went."""
    rows = files.read_parquet([file], schema, "imported file").to_pylist()
    kept = [row for row in rows if not goes(row)]
    if len(kept) < len(rows):
        imported = file.stat()
        files.write_parquet(pa.Table.from_pylist(kept, schema=schema), file)
        os.utime(file, ns=(imported.st_atime_ns, imported.st_mtime_ns))  # the others stay as old
    return len(rows) - len(kept)


def forget_made() -> None:
    """Delete what a build makes: warehouse, served tables, tables of Spark, pages, and dbt's copies
    of SQL."""
    last_build.forget()
    warehouse = paths.built_database()
    lakehouse.clear(warehouse.parent)
    lakehouse.forget()
    serve = paths.served_database().parent
    files_made = [
        *(serve / name for name in MADE),
        *serve.glob(f"{publish.WORK}*"),
        *serve.glob(f"{paths.VERSION}*"),
        # with its log, and the folder in which a killed build had put rows aside
        *warehouse.parent.glob(f"{warehouse.name}*"),
    ]
    for made in files_made:
        if made.is_dir() and not made.is_symlink():
            shutil.rmtree(made)
        else:
            made.unlink(missing_ok=True)


def folders() -> list[Path]:
    """Every folder in which the project keeps or leaves something."""
    names = ("cases", "runs", "labels", "terminology")
    own = [os.environ.get(f"KERNEL29_{n.upper()}_DIR", f"data/{n}") for n in names]
    own += [os.environ.get("KERNEL29_DATA_DIR", "data"), "logs", "target", str(trail.folder())]
    own += [os.environ.get("KERNEL29_LEDGER_DIR", "ledger"), str(registries.folder())]
    made = [paths.built_database().parent, paths.served_database().parent, *lakehouse.folders()]
    return sorted({path.resolve() for path in [*map(paths.resolve, own), *made]})


def search(pieces: Iterable[str]) -> tuple[int, list[Path]]:
    """How many files of the project were read to the last byte, and those with one of `pieces`.

    Parquet and DuckDB compress what they hold, so their rows are read as well.
    """
    pieces = set(pieces)
    has_any = finder({*pieces, *map(_escaped, pieces)})
    seen: dict[Path, bool] = {}
    for folder in folders():
        for file in folder.rglob("*"):
            if file.is_file() and file not in seen:
                seen[file] = any(map(has_any, _texts(file)))
    return len(seen), sorted(file for file, is_in in seen.items() if is_in)


def _texts(file: Path) -> Iterator[str]:
    yield file.read_bytes().decode("utf-8", "replace")
    if file.suffix == ".parquet":
        try:
            for batch in pq.ParquetFile(file).iter_batches(4096):
                yield repr(batch.to_pylist())
                yield json.dumps(batch.to_pylist(), ensure_ascii=False, default=str)
        except (pa.ArrowException, OSError):
            return


def _escaped(text: str) -> str:
    """As JSON writes it."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _record(cases: Iterable[Case], event: str, **details: Any) -> None:
    """Put it into the trail of audit, by the numbers of the cases."""
    for case in cases:
        trail.note(event, case.case_id, **details)


def _note(cases: Iterable[Case], done: Forgotten) -> None:
    """Add what was done, without any content, to the record of what was forgotten."""
    file = forgotten.note()
    file.parent.mkdir(parents=True, exist_ok=True)
    line = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cases": [case.case_id for case in cases],
        "fingerprints": sorted({mark for case in cases for mark in case.fingerprints}),
        **done._asdict(),
        "remains": len(done.remains),
    }
    with file.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
