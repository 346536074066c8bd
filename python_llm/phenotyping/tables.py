"""Tables of values in a note, whose columns or rows are times: of them the latest is that of today.

   12/01/2026   25/11/2026          Time    BP       K
K  4.2          7.3                 08:00   120/70   4.2
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from python_llm.phenotyping.value_times import When, times_in

_Key = tuple[int, int, int]
_RANK = {When.PAST: (0, 0, 0), When.ADMISSION: (2, 0, 0), When.DISCHARGE: (9998, 0, 0)}
_RANK |= {When.EARLIER: (1, 0, 0), When.NOW: (9999, 0, 0)}
_STAY = (_RANK[When.ADMISSION], _RANK[When.DISCHARGE])
# rows of a table are not longer (characters)
_LONGEST_LINE = 300
_MOST_TIMES = 20
_CLOCK = re.compile(r"(?<![\d:])(?P<hour>[012]?\d)[:.h](?P<minute>[0-5]\d)(?: ?h)?(?![\d:])")
_NUMBERED = re.compile(r"\b(?:day|dia|d)[ .]?(?P<day>\d{1,3})\b(?![/.-]\d)")
_DATE = re.compile(
    r"(?<![\d/.-])(?:(?P<year>(?:19|20)\d\d)[/-](?P<month>\d\d?)[/-](?P<day>\d\d?)|"
    r"(?P<d>\d\d?)[/-](?P<m>\d\d?)(?:[/-](?P<y>(?:19|20)?\d\d))?|"
    r"(?P<only>(?:19|20)\d\d))(?![\d/-])"
)
# at the head of a column these words are times
_HEADS = {
    "admission": When.ADMISSION, "ingreso": When.ADMISSION, "arrival": When.ADMISSION,
    "discharge": When.DISCHARGE, "alta": When.DISCHARGE, "egreso": When.DISCHARGE,
    "basal": When.PAST, "baseline": When.PAST, "before": When.PAST, "antes": When.PAST,
    "after": When.NOW, "despues": When.NOW, "last": When.NOW, "latest": When.NOW,
    "ultima": When.NOW, "ultimo": When.NOW,
}  # fmt: skip
_HEAD = re.compile(rf"\b(?P<word>{'|'.join(_HEADS)})\b")
_CELLS = re.compile(r"[^\s|](?:(?! {2}|\t|\|)[^\n|])*")
_WORDS = re.compile(r"[^\s|]+")
_FIGURE = re.compile(r"[<>]?\d+(?:[.,]\d+)?(?:/\d+)?\*?|-+|nd|n/d|na|n/a")
_LETTERS = re.compile(r"[^\W\d_]")
# a heading of times has few words besides
_MOST_LETTERS = 30


class Cell(NamedTuple):
    """A value of a table in the characters [start, end) of its note. text: its name and itself;
    line: the characters of its row; is_past: a later column or row has another."""

    start: int
    end: int
    text: str
    line: tuple[int, int]
    is_past: bool


class _Piece(NamedTuple):
    start: int
    end: int
    text: str


_Table = Callable[[Sequence[_Piece], int], tuple[list[Cell], int]]


def cells_of(folded: str) -> list[Cell]:
    """The values in the tables of a folded note whose times can be put in order."""
    lines = [_Piece(m.start(), m.end(), m.group()) for m in re.finditer(r"[^\n]+", folded)]
    cells: list[Cell] = []
    number = 0
    while number + 1 < len(lines):
        rows = 0
        if len(lines[number].text) <= _LONGEST_LINE:
            for table in _tables_with(lines[number + 1]):
                made, rows = table(lines, number)
                cells.extend(made)
                if rows:
                    break
        number += rows or 1
    return cells


def _pieces(line: _Piece, pattern: re.Pattern[str]) -> list[_Piece]:
    return [
        _Piece(line.start + m.start(), line.start + m.end(), m.group().strip())
        for m in pattern.finditer(line.text)
    ]


def _tables_with(line: _Piece) -> Iterator[_Table]:
    """The kinds of table of which the line may be the first row: it ends in two figures, two words
    for their unit aside, or has figures behind its first word only. Few lines of a note do, and it
    takes less to see than a time does."""
    words = _WORDS.findall(line.text) if len(line.text) <= _LONGEST_LINE else []
    if sum(bool(_FIGURE.fullmatch(word)) for word in words[-4:]) > 1:
        yield _by_columns
    if words[1:] and all(map(_FIGURE.fullmatch, words[1:])):
        yield _by_rows


def _by_columns(lines: Sequence[_Piece], number: int) -> tuple[list[Cell], int]:
    """The cells of a table whose first line has the times, and how many lines it has."""
    times = _times_of(lines[number])
    if not 2 <= len(times) <= _MOST_TIMES:
        return [], 0
    cells: list[Cell] = []
    last = number + 1
    while last < len(lines) and (row := _row(lines[last], len(times))):
        name, figures = row
        cells.extend(
            _dated(times, [(name, figure) for figure in figures], [lines[last]] * len(times))
        )
        last += 1
    return cells, last - number if cells else 0


def _row(line: _Piece, width: int) -> tuple[str, list[_Piece]] | None:
    """The name and the figures of a row with `width` columns; None if the line is no such row."""
    if len(line.text) > _LONGEST_LINE:
        return None
    words = _pieces(line, _WORDS)
    figures, names = words[-width:], words[:-width]
    # behind them a unit may stand
    for _ in range(2):
        if names and not _FIGURE.fullmatch(figures[-1].text):
            figures, names = [names[-1], *figures[:-1]], names[:-1]
    if not names or len(figures) < width:
        return None
    if not all(_FIGURE.fullmatch(figure.text) for figure in figures):
        return None
    name = " ".join(piece.text for piece in names)
    return (name, figures) if _LETTERS.search(name) else None


def _by_rows(lines: Sequence[_Piece], number: int) -> tuple[list[Cell], int]:
    """The cells of a table whose rows begin with their times, and how many lines it has."""
    names = _pieces(lines[number], _CELLS)
    if len(names) < 2:
        names = _pieces(lines[number], _WORDS)
    rows: list[tuple[_Key, list[_Piece], _Piece]] = []
    for line in lines[number + 1 :]:
        times = _times_of(line, is_first=True)
        figures = _pieces(line, _WORDS)[1:]
        is_row = len(line.text) <= _LONGEST_LINE and times and figures
        if not is_row or not all(_FIGURE.fullmatch(figure.text) for figure in figures):
            break
        rows.append((times[0], figures, line))
    widths = {len(figures) for _, figures, _ in rows}
    if len(rows) < 2 or len(widths) != 1 or not 0 <= len(names) - max(widths) <= 1:
        return [], 0
    names = names[-max(widths) :]
    cells: list[Cell] = []
    keys, lines_of_rows = [key for key, _, _ in rows], [line for _, _, line in rows]
    for column, name in enumerate(names):
        figures_of_name = [(name.text, figures[column]) for _, figures, _ in rows]
        cells.extend(_dated(keys, figures_of_name, lines_of_rows))
    return cells, len(rows) + 1


def _dated(
    times: Sequence[_Key], figures: Sequence[tuple[str, _Piece]], lines: Sequence[_Piece]
) -> Iterator[Cell]:
    """One value at several times; what may be the latest is of today."""
    filled = [n for n, (_, figure) in enumerate(figures) if any(c.isdigit() for c in figure.text)]
    latest = _latest([times[n] for n in filled])
    for order, n in enumerate(filled):
        name, figure = figures[n]
        line = lines[n]
        where = figure.start, figure.start + len(figure.text)
        yield Cell(*where, f"{name} {figure.text}", (line.start, line.end), order not in latest)


def _latest(times: Sequence[_Key]) -> set[int]:
    """Which of the times may be the latest: days and months may be swapped, days without a year may
    lie on both sides of a new year, and hours on both sides of midnight."""
    if not times:
        return set()
    swapped = [(year, month, day) for year, day, month in times]
    readings = [list(times)] if max(month for _, month, _ in times) <= 12 else []
    if max(day for _, _, day in times) <= 12 and all(day for _, _, day in times):
        readings.append(swapped)
    if not readings:
        readings = [list(times)]
    latest = {n for days in readings for n, time in enumerate(days) if time == max(days)}
    dated = [time for time in times if 1900 < time[0] < _RANK[When.DISCHARGE][0]]
    if dated and any(time in _STAY for time in times):
        # whether a stay was before or after a date is not known
        latest |= {n for n, time in enumerate(times) if time in (max(dated), *_STAY)}
    is_cyclic = all(year <= 1 and day for year, _, day in times)
    if is_cyclic and list(times) != sorted(times):
        latest |= {0, len(times) - 1}
    return latest


def _times_of(line: _Piece, *, is_first: bool = False) -> list[_Key]:
    """The times that head the columns of a line, as keys to be compared; with is_first, only that
    which begins the line. Empty if the line tells more than times."""
    text = line.text[:_LONGEST_LINE]
    places: dict[int, tuple[int, _Key]] = {}
    for pattern, key in ((_DATE, _key_of_date), (_CLOCK, _key_of_clock), (_NUMBERED, _key_of_day)):
        for match in pattern.finditer(text):
            if not any(
                start < match.end() and end > match.start() for start, (end, _) in places.items()
            ):
                places[match.start()] = (match.end(), key(match))
    spans = [(time.start, time.end, time.when) for time in times_in(text)]
    spans += [(*match.span(), _HEADS[match["word"]]) for match in _HEAD.finditer(text)]
    for first, last, when in spans:
        if not any(start < last and end > first for start, (end, _) in places.items()):
            places[first] = (last, _RANK[when])
    if is_first:
        begin = len(text) - len(text.lstrip(" |\t"))
        word = _WORDS.match(text, begin)
        time = places.get(begin)
        return [time[1]] if word and time and time[0] == word.end() else []
    rest = len(_LETTERS.findall(text)) - sum(
        len(_LETTERS.findall(text, start, end)) for start, (end, _) in places.items()
    )
    if rest > _MOST_LETTERS:
        return []
    columns = _pieces(_Piece(0, len(text), text), _CELLS)
    by_column = [
        max((key for at, (_, key) in places.items() if c.start <= at < c.end), default=None)
        for c in columns
    ]
    keys = [key for key in by_column if key is not None]
    return keys if len(keys) > 1 else [key for _, (_, key) in sorted(places.items())]


def _key_of_date(match: re.Match[str]) -> _Key:
    if match["only"]:
        return int(match["only"]), 0, 0
    year = match["year"] or match["y"] or "0"
    full = int(year) + (2000 if 0 < int(year) < 100 else 0)
    return full, int(match["month"] or match["m"]), int(match["day"] or match["d"])


def _key_of_clock(match: re.Match[str]) -> _Key:
    return 1, 0, 60 * int(match["hour"]) + int(match["minute"])


def _key_of_day(match: re.Match[str]) -> _Key:
    return 2, 0, int(match["day"])
