"""What an import set aside, as it is printed: by kind, with counts, never a line for each row."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from python_llm.imports.numbered_rows import numbered

MOST_PLACES = 5  # of a kind, named in its line
MOST_COLUMNS = 20  # named that are not read
LONGEST_HEADING = 80  # characters of it that are printed
MOST_KINDS = 12  # named in a summary
# a file of a folder, before the reason why it was not taken
_OF_FILE = re.compile(r"(?P<file>[^:\n]+\.\w{1,8}): (?P<reason>.+)", re.DOTALL)
_VARYING = re.compile(r"'[^']*'|\d+(?:[.,]\d+)*")


def unread(columns: Sequence[str]) -> str:
    """The line that names the columns of a file that are not read, the first of many."""
    more = f" and {len(columns) - MOST_COLUMNS:,} more" if len(columns) > MOST_COLUMNS else ""
    return f"Not read: {', '.join(map(heading, columns[:MOST_COLUMNS]))}{more}."


def heading(name: str) -> str:
    """The name of a column as a message has it: its beginning where it is long."""
    return name if len(name) <= LONGEST_HEADING else f"{name[:LONGEST_HEADING]}…"


class SetAside(NamedTuple):
    """Something that was set aside: the file, its place there, what of it, why and what to do.
    is_lost: the row is not used at all; otherwise it is kept without the part, or with a remark."""

    file: str
    number: int | None
    field: str
    reason: str
    is_lost: bool = True


def by_kind(rejects: Iterable[SetAside]) -> list[str]:
    """A line for each kind of reject, those of lost rows first and the most frequent first; a kind
    is a reason, whatever names and numbers stand in it."""
    groups: dict[tuple[bool, str, str], list[SetAside]] = {}
    for reject in rejects:
        _, reason = _parts(reject)
        key = (not reject.is_lost, reject.field, _VARYING.sub("#", reason))
        groups.setdefault(key, []).append(reject)
    in_order = sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1])))
    lines = [_line(group) for _, group in in_order[:MOST_KINDS]]
    if len(in_order) > MOST_KINDS:
        rest = in_order[MOST_KINDS:]
        lines.append(f"{sum(len(group) for _, group in rest)} more of {len(rest)} other kinds.")
    return lines


def _line(group: list[SetAside]) -> str:
    first = group[0]
    _, reason = _parts(first)
    is_varied = len({_parts(reject)[1] for reject in group}) > 1
    kept = "rejected" if first.is_lost else "kept"
    field = f"{first.field}: " if first.field else ""
    told = f"{reason} (the first of them)" if is_varied else reason
    return f"{len(group)} {kept}, {field}{told.rstrip('.')} [{_places(group)}]."


def _places(group: list[SetAside]) -> str:
    """Where they stand: 'a.csv, lines 3, 7, 9', or the files of a folder."""
    names = list(dict.fromkeys(name for reject in group if (name := _parts(reject)[0])))
    if names:
        return _listed(names)
    by_file: dict[str, list[int]] = {}
    for reject in group:
        by_file.setdefault(reject.file, []).extend([reject.number] if reject.number else [])
    places = []
    for file, numbers in list(by_file.items())[:MOST_PLACES]:
        unit = numbered(file, 0).split()[0]
        unit = f"{unit}s" if len(numbers) > 1 else unit
        places.append(f"{file}, {unit} {_listed(map(str, numbers))}" if numbers else file)
    return "; ".join([*places, *["…"] * (len(by_file) > MOST_PLACES)])


def _listed(names: Iterable[str]) -> str:
    written = list(names)
    return ", ".join([*written[:MOST_PLACES], *["…"] * (len(written) > MOST_PLACES)])


def _parts(reject: SetAside) -> tuple[str, str]:
    """The file of a folder that a reason begins with, '' for none, and the reason."""
    match = _OF_FILE.fullmatch(reject.reason)
    return (match["file"], match["reason"]) if match else ("", reject.reason)
