"""Tables with a row for each finding or form of a patient, and rows that only follow up another."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from python_llm.imports.numbered_rows import Row, Rows
from python_llm.imports.separated import fields_of_records
from python_llm.imports.spoilt_ids import second_entries
from python_llm.parsing.folding import column_key

OF_TEXTS = (
    *("narrative", "reason", "history", "background", "examination"),
    "complementary",
)
OF_FINDINGS = ("hpo_ids", "hpo_names", "excluded_hpo_ids")
_OF_PLACES = {"source_line", "source_row", "begins_as", "sheet"}
_OF_ROWS = {*_OF_PLACES, "findings_set_aside", *OF_FINDINGS}
FOLLOW_UP = (
    "another row of this id has the gold diagnosis, and this one repeats or follows it up: no case "
    "of its own, and there is nothing to fill in; if its visit came before, put the rows of the id "
    "in the order of their visits, that of the diagnosis last"
)
ENTERED_AGAIN = (
    "the second entry of a record (double data entry), whose first is read as the case: delete one "
    "of the two"
)
ENTERED_OTHERWISE = (
    "the second entry of a record (double data entry) with another gold diagnosis than the first, "
    "which is read as the case: decide which is right, and delete the other"
)
AGAIN = "the same as an earlier row of this id in all that is read: nothing is lost by it"

Record = dict[str, Any]


def with_fields_beside(rows: Rows) -> Rows:
    """The rows; of a file with a row for each field of a record one row for each record
    and event, with the fields beside each other."""
    first = next(rows, None)
    if first is None:
        return
    columns = fields_of_records(first.values)
    if columns is None:
        yield first
        yield from rows
        return
    record, field_name, of_value = columns
    of_record: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for number, values in chain([first], rows):
        folded = {column_key(name): value for name, value in values.items()}
        event = folded.get("event_id") or folded.get("redcap_event_name")
        key = (folded[record], event, folded.get("instance"))
        field = str(folded[field_name])
        # what a field says twice is a row more: none of its values goes before another
        row = next((row for row in of_record[key] if field not in row.values), None)
        if row is None:
            row = Row(number, {"record_id": folded[record]})
            of_record[key].append(row)
        row.values[field] = folded[of_value]
    joined = [row for rows_of in of_record.values() for row in rows_of]
    names = dict.fromkeys(name for row in joined for name in row.values)
    for number, values in joined:
        yield Row(number, {name: values.get(name, "") for name in names})


def one_record_a_case(records: list[Record]) -> list[Record]:
    """The records, those of one id that differ in nothing but their findings as one record; a field
    may be empty in some of them. Cases are then numbered without the rows that were put together:
    answers of other tools follow the order of the cases."""
    of_id: dict[str, list[Record]] = defaultdict(list)
    cases, joined = [], []
    for record in records:
        has_findings = record.get("record_id") and any(
            record.get(name) for name in (*OF_FINDINGS, "findings_set_aside")
        )
        same_id = of_id[record["record_id"]] if has_findings else []
        case = next((case for case in same_id if _fits(case, record)), None)
        if case is not None:
            _join(case, record)
            joined.append(record["source_row"])
            continue
        cases.append(record)
        same_id.append(record)
    for case in cases if joined else []:
        case["source_row"] -= bisect_left(joined, case["source_row"])
    return cases


def parts_together(
    records: list[Record], of_text: Iterable[str], of_gold: Iterable[str]
) -> list[Record]:
    """The records, where those of an id that have no diagnosis beside their text are one: as REDCap
    exports its forms and visits, with the history in one row and the diagnosis in another, or
    visits with a text each, of which the last alone has the diagnosis.

    Only where the rows of the id say one diagnosis together. Texts follow each other in the order
    of the file; of other fields the first that is filled counts. Cases are numbered as in
    `one_record_a_case`.
    """
    text_fields, gold_fields = list(of_text), list(of_gold)
    of_id: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.get("record_id"):
            of_id[record["record_id"]].append(record)
    joined: dict[int, Record] = {}
    gone: list[int] = []
    for parts in of_id.values():
        if not _are_parts(parts, text_fields, gold_fields):
            continue
        first, *others = parts
        joined[first["source_row"]] = _of_parts(parts)
        gone += [part["source_row"] for part in others]
    kept = [
        joined.get(record["source_row"], record)
        for record in records
        if record["source_row"] not in {*gone}
    ]
    for case in kept if gone else []:
        case["source_row"] -= bisect_left(sorted(gone), case["source_row"])
    return kept


def _are_parts(parts: list[Record], of_text: list[str], of_gold: list[str]) -> bool:
    """Whether the records of an id are one case in parts."""
    with_text = [part for part in parts if any(part.get(name) for name in of_text)]
    golds = [part for part in parts if any(part.get(name) for name in of_gold)]
    diagnoses = {repr([part.get(name) for name in of_gold]) for part in golds}
    is_apart = not any(part in with_text for part in golds)
    is_of_last_visit = golds == parts[-1:] and len(with_text) == len(parts) > 1
    return bool(with_text) and len(diagnoses) == 1 and (is_apart or is_of_last_visit)


def _of_parts(parts: list[Record]) -> Record:
    case: Record = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        filled = [part[name] for part in parts if part.get(name) not in (None, "", [])]
        if name in OF_TEXTS and filled:
            case[name] = "\n\n".join(dict.fromkeys(filled))
        elif name in (*OF_FINDINGS, "findings_set_aside"):
            case[name] = list(dict.fromkeys(item for items in filled for item in items)) or None
        else:
            case[name] = filled[0] if filled else None
    if any(case.get(name) for name in ("gold_names", "gold_codes", "judgement", "icd10_code")):
        case.pop("gold_problem", None)
    return case


def mark_repeats(records: Iterable[Record]) -> None:
    """Mark as `is_again` the records that say what an earlier one of the same id says."""
    seen: set[tuple[str, str]] = set()
    for record in records:
        fields = {name: value for name, value in record.items() if name not in _OF_PLACES}
        key = (str(record.get("record_id")), repr(sorted(fields.items())))
        record["is_again"] = bool(record.get("record_id")) and key in seen
        seen.add(key)


def mark_second_entries(records: Iterable[Record]) -> None:
    """Write into the records that are the second entry of another why they are no case."""
    of_id = {record["record_id"]: record for record in records if record.get("record_id")}
    for written, first in second_entries(of_id).items():
        entries = (of_id[written], of_id[first])
        golds = [[entry.get(name) for name in ("gold_names", "gold_codes")] for entry in entries]
        of_id[written]["entered_again"] = (
            ENTERED_AGAIN if golds[0] == golds[1] else ENTERED_OTHERWISE
        )


def with_gold(records: Iterable[Record], fields: Iterable[str]) -> set[str]:
    """The ids of which a record has a gold diagnosis in one of `fields`."""
    names = list(fields)
    return {
        record["record_id"]
        for record in records
        if record.get("record_id") and any(record.get(name) for name in names)
    }


def _fits(case: Record, record: Record) -> bool:
    """Whether two records say the same wherever both say something, findings aside."""
    names = (case.keys() | record.keys()) - _OF_ROWS
    return all(
        case.get(name) == record.get(name)
        for name in names
        if case.get(name) not in (None, "") and record.get(name) not in (None, "")
    )


def _join(case: Record, record: Record) -> None:
    for name in (*OF_FINDINGS, "findings_set_aside"):
        findings = [*(case.get(name) or []), *(record.get(name) or [])]
        case[name] = list(dict.fromkeys(findings)) or None
    for name, value in record.items():
        if case.get(name) in (None, ""):
            case[name] = value
