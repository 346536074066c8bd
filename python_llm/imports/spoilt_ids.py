"""Ids that a program has changed: those of two entries of a record, and dates of a spreadsheet."""

import re
from collections.abc import Iterable

# of a record that two people entered, as REDCap's double data entry writes it: 'P001--2'
_ENTRY = re.compile(r"(.*[^\s-])--([12])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+)?")
OF_DATES = "as a spreadsheet makes of ids such as 1-3: give the column the format of text there"


def entry_of(written: str) -> tuple[str, int]:
    """The id of the record that an entry is of, and which of the two it is; '' and 0 for an id of
    another form."""
    match = _ENTRY.fullmatch(written.strip())
    return (match[1], int(match[2])) if match else ("", 0)


def is_date(written: str) -> bool:
    """Whether an id is the date that a spreadsheet has instead of it, or was one before."""
    return _DATE.fullmatch(written.strip()) is not None


def second_entries(ids: Iterable[str]) -> dict[str, str]:
    """The ids of second entries whose first is there, each with the id of the first."""
    present = {*ids}
    firsts = {
        written: next((name for name in (f"{record}--1", record) if name in present), "")
        for written in present
        for record, number in (entry_of(written),)
        if number == 2
    }
    return {written: first for written, first in firsts.items() if first}
