"""`kernel29 cases show | list`: a case as a model gets it, and which sets were imported."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from python_llm import paths
from python_llm.console.filled_prompts import in_parts, narrative_of
from python_llm.console.terminal import NOT_SERVED, LookupFailed, case, no_case, read
from python_llm.errors import UserError
from python_llm.imports.numbered_rows import place
from python_llm.test_sets import store
from python_llm.test_sets.known import known_test_sets, shipped_test_sets

# what of a record the text of its case is made of
PARTS = (
    *("narrative", "sex", "age", "reason", "history", "background", "examination"),
    *("complementary", "ta_max", "ta_min", "frec_cardiaca", "temperatura", "sat_oxigeno"),
    *("glucemia", "diuresis", "hpo_ids", "hpo_names", "excluded_hpo_ids"),
)


class Shown(NamedTuple):
    """A case's text as models are sent it, and a line about it."""

    narrative: str
    about: str


def find_case(served: Path, name: str, folder: Path | None = None) -> str:
    """The Kernel29 id of the case called `name`: that id itself, SET/ID with the id of the record,
    or the id of the record alone where only one set has it.

    The ids of real records are looked up in the store of this machine and never served. An unknown
    name is returned unchanged. Raises LookupFailed for an id of several sets or of several cases of
    one set, and for a record that was set aside at import, with the reason.
    """
    rows = served.is_file() and read(
        served,
        "select case_id, test_set from dim_case "
        "where case_id = $1 or test_set || '/' || record_id = $1 or record_id = $1 "
        "order by case_id != $1, contains($1, '/') desc, case_id",
        [name],
    )
    if rows and rows[0]["case_id"] == name:
        return name
    folder = folder or store.cases_folder()
    head, _, rest = name.partition("/")
    # own ids have slashes, too: MRN-0007/b
    test_set, own_id = (head, rest) if rest and head in known_test_sets(folder) else ("", name)
    stored = store.record_of(name, folder) if test_set else None
    if stored and store.case_id(test_set, stored["record_number"]) == name:
        return name
    set_of = {row["case_id"]: row["test_set"] for row in rows or []}
    if not (set_of and test_set):
        set_of |= _imported(test_set, own_id, folder)
    sets = sorted(set(set_of.values()))
    if len(sets) < len(set_of):
        choices = ", ".join(sorted(set_of))
        raise LookupFailed(f"{own_id} is the id of several cases: write one of {choices}.")
    if len(sets) > 1:
        choices = " or ".join(f"{test_set}/{own_id}" for test_set in sets)
        raise LookupFailed(f"{own_id} is a case in several sets: write {choices}.")
    if not set_of:
        _refuse_set_aside(test_set, own_id, folder)
    return next(iter(set_of), name)


def _imported(test_set: str, own_id: str, folder: Path) -> dict[str, str]:
    """The sets of imported cases by Kernel29 id: cases whose record has the id; if a set is named
    and none has it, the case of this number."""
    records = store.records_of(test_set, folder) if test_set else store.read_records(folder)
    rows = records.select(["test_set", "record_id", "record_number"]).to_pylist()
    matching = [row for row in rows if row["record_id"] == own_id]
    if test_set and not matching:
        matching = [row for row in rows if str(row["record_number"]) == own_id]
    return {
        store.case_id(row["test_set"], row["record_number"]): row["test_set"] for row in matching
    }


def _refuse_set_aside(test_set: str, own_id: str, folder: Path) -> None:
    for reject in store.read_rejects(folder).to_pylist():
        if reject["record_id"] == own_id and test_set in ("", reject["test_set"]):
            raise LookupFailed(
                f"{own_id} was set aside when {reject['test_set']} was imported "
                f"({reject['source_file']}, line {reject['source_line']}), {reject['field']}: "
                f"{reject['reason']}."
            )


def left_out(served: Path, folder: Path, test_set: str | None = None) -> list[dict[str, Any]]:
    """What the last build did not take of the records that are imported: rows of rpt_record_issue
    with the case_id of their record, without those that the import itself reported."""
    if not served.is_file():
        return []
    columns = "test_set, source_file, source_line, field, value, reason, is_record_lost"
    issues = read(
        served,
        f"select {columns} from rpt_record_issue where $1 is null or test_set = $1 "
        "order by test_set, source_file, source_line, issue_number",
        [test_set],
    )
    place_of = ("test_set", "source_file", "source_line")
    names = [*place_of, "record_number"]
    records = store.records_of(test_set, folder) if test_set else store.read_records(folder)
    case_of = {
        tuple(row[name] for name in place_of): store.case_id(row["test_set"], row["record_number"])
        for row in records.select(names).to_pylist()
    }
    reported = {
        tuple(row[name] for name in (*place_of, "field", "reason"))
        for row in store.read_rejects(folder).to_pylist()
    }
    return [
        {**issue, "case_id": case_of[where]}
        for issue in issues
        if (where := tuple(issue[name] for name in place_of)) in case_of
        and (*where, issue["field"], issue["reason"]) not in reported
    ]


def _refuse_left_out(served: Path, case_id: str, folder: Path) -> None:
    """Raise LookupFailed for an imported case that is in no build, with the reason."""
    stored = store.record_of(case_id, folder)
    if stored is None or stored["is_for_reading"] or not served.is_file():
        return
    if read(served, "select 1 from dim_case where case_id = ?", [case_id]):
        return
    issues = [
        row for row in left_out(served, folder, stored["test_set"]) if row["case_id"] == case_id
    ]
    where = f"{case_id} ({place(stored['source_file'], stored['source_line'])})"
    if any(row["is_record_lost"] for row in issues):
        reasons = "; ".join(map(reason_of, issues))
        raise LookupFailed(f"{where} was set aside by the build: {reasons}.")
    raise LookupFailed(f"{where} is imported and not built yet: run `kernel29 build`.")


def reason_of(issue: dict[str, Any]) -> str:
    """An issue of a build in one clause."""
    value = f"'{issue['value']}': " if issue["value"] else ""
    return f"{issue['field']}: {value}{issue['reason']}"


def show_case(served: Path, name: str, folder: Path | None = None) -> dict[str, Any]:
    """The case called `name` with its answers (terminal.case) and the id it was imported with."""
    case_id = find_case(served, name, folder)
    _refuse_left_out(served, case_id, folder or store.cases_folder())
    record = case(served, case_id)
    if record["record_id"] is None:
        stored = store.record_of(record["case_id"], folder) or {}
        record["record_id"] = stored.get("record_id")
        record["narrative"] = record["narrative"] or stored.get("narrative")
    return record


def show(served: Path, name: str, folder: Path | None = None) -> Shown:
    """The text of the case called `name`. Raises UserError if there is none, or none yet."""
    case_id = find_case(served, name, folder)
    rows = served.is_file() and read(
        served,
        "select narrative, test_set, frame, language, contains_phi, gold_written, gold_diagnosis "
        "from dim_case where case_id = ?",
        [case_id],
    )
    if rows:
        row = rows[0]
        # the words of a patient are on this machine, and not served unless that was asked for
        own = row if row["narrative"] else store.record_of(case_id, folder) or row
        narrative = own["narrative"] or narrative_of(case_id, paths.built_database())
        return Shown(
            narrative or NOT_SERVED,
            f"{case_id}: {row['frame']} frame, {row['language']}"
            f"{', personal health information' if row['contains_phi'] else ''}; gold diagnosis "
            f"'{row['gold_written'] or 'not served'}', known as "
            f"{row['gold_diagnosis'] or 'not served'}",
        )
    stored = store.record_of(case_id, folder)
    if stored is None:
        if not served.is_file() and case_id.partition("/")[0] not in shipped_test_sets():
            raise LookupFailed(
                f"There is no case {name!r} in any set (sets: kernel29 test-sets list)."
            )
        raise no_case(served, name)
    narrative = stored["narrative"] or narrative_of(case_id, paths.built_database())
    if narrative is None:
        raise UserError(in_parts(case_id))
    return Shown(narrative, f"{case_id}: {stored['frame']} frame, {stored['language']}")


def parts(served: Path, name: str, folder: Path | None = None) -> list[tuple[str, str]]:
    """The parts of an imported case, as they were imported, with their fields. Raises LookupFailed
    for a case that was not imported."""
    case_id = find_case(served, name, folder)
    stored = store.record_of(case_id, folder)
    if stored is None:
        raise no_case(served, name)
    return [
        (field, ", ".join(value) if isinstance(value, list) else str(value))
        for field, value in stored.items()
        if field in PARTS and value
    ]


def cases_of(test_set: str, folder: Path, served: Path) -> list[dict[str, Any]]:
    """Every case of an imported set: how answers and labels name it, where it came from, and why
    the last build set it aside, if it did."""
    lost = {
        row["case_id"]: reason_of(row)
        for row in left_out(served, folder, test_set)
        if row["is_record_lost"]
    }
    names = ["record_number", "record_id", "source_file", "source_line", "is_for_reading"]
    return [
        {
            "case_id": (case_id := store.case_id(test_set, row["record_number"])),
            "id": row["record_id"] or "",
            "from": place(row["source_file"], row["source_line"]),
            "for reading": "yes" if row["is_for_reading"] else "no",
            **({"set aside": lost.get(case_id, "")} if lost else {}),
        }
        for row in sorted(
            store.records_of(test_set, folder).select(names).to_pylist(),
            key=lambda row: row["record_number"],
        )
    ]


def sets(folder: Path, served: Path) -> list[dict[str, Any]]:
    """Every imported set: numbers of cases, of cases for reading only, of rejects and of cases that
    the last build set aside; frame, language and source."""

    by_set: dict[str, list[dict[str, Any]]] = defaultdict(list)
    columns = ["test_set", "source_file", "source_format", "frame", "language", "contains_phi"]
    records = store.read_records(folder).select([*columns, "is_for_reading"])
    for row in (
        records.group_by(columns)
        .aggregate([("test_set", "count"), ("is_for_reading", "sum")])
        .to_pylist()
    ):
        by_set[row["test_set"]].append(row)
    rejects = store.read_rejects(folder)
    lost = (
        rejects.filter(rejects["is_record_lost"])
        .group_by("test_set")
        .aggregate([("test_set", "count")])
    )
    n_lost = {row["test_set"]: row["test_set_count"] for row in lost.to_pylist()}
    n_set_aside = Counter(
        row["test_set"] for row in left_out(served, folder) if row["is_record_lost"]
    )

    def several(rows: Sequence[dict[str, Any]], name: str) -> str:
        return ", ".join(sorted({str(row[name]) for row in rows if row[name] is not None}))

    return [
        {
            "test_set": test_set,
            "cases": sum(row["test_set_count"] for row in rows),
            "for reading": sum(row["is_for_reading_sum"] or 0 for row in rows),
            "rejected": n_lost.get(test_set, 0),
            "set aside": n_set_aside[test_set],
            "frame": several(rows, "frame"),
            "language": several(rows, "language"),
            "phi": "yes" if any(row["contains_phi"] for row in rows) else "no",
            "format": several(rows, "source_format"),
            "files": several(rows, "source_file"),
        }
        for test_set, rows in sorted(by_set.items())
    ]
