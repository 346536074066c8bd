"""Ranks of the gold diagnosis that are written in other ways: a yes or no for each rank of a list
side by side, or the letter of the rank."""

import re
from collections.abc import Collection, Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.tables import Row
from python_llm.labels.gradings import DEPTH, GOLD_RANK, HITS, SIGNS
from python_llm.parsing.folding import column_key, name_key
from python_llm.registries.label_spelling import NO_LABEL
from python_llm.runs.reading import WIDE

_OF_A_RANK = re.compile(r"(?P<before>\D*?)_?(?P<rank>\d{1,2})(?:_(?P<after>\D+))?")
_RANKS = {"rank", "rango", "position", "posicion", "puesto"}
_DIAGNOSES = {"dx", "diagnosis", "diagnostico", "prediction", "pred"}
_HITS = {"correct", "correcto", "correcta", "right", "match", "matches", "acierto", "hit", "is"}
_LETTER = re.compile(r"[A-Ta-t]")
_NONE = {"none", "ninguno", "ninguna"}


def as_gold_ranks(rows: list[Row], assigned: Mapping[str, str], file_name: str) -> list[Row]:
    """`rows` with one column gold_rank (P2, P0 for none) for columns that say of each rank whether
    it is the gold diagnosis ('rank1', 'dx1_correct', with 1 and 0), or with the letters of a column
    that is `assigned` as the rank (B is P2).

    Raises FileError where a row has several 1 and the columns may ask for the first k.
    """
    rows = _of_letters(rows, assigned.get(GOLD_RANK, ""))
    columns = _columns(rows, {*assigned.values()})
    if len(columns) < 2 or sorted(columns) != list(range(1, len(columns) + 1)):
        return rows
    if not all(_has_hits(rows, name) for name in columns.values()):
        return rows
    present = {name for row in rows for name in row.values}
    lists = {
        name
        for name in present
        if (match := WIDE.fullmatch(column_key(name))) and int(match[1]) in columns
    }
    left_out = {*columns.values(), *lists}
    return [
        Row(
            number,
            {name: text for name, text in values.items() if name not in left_out}
            | {GOLD_RANK: _gold_rank(Row(number, values), columns, file_name)},
        )
        for number, values in rows
    ]


def _columns(rows: Sequence[Row], taken: Collection[str]) -> dict[int, str]:
    """By rank the column that says whether it is the gold diagnosis, by its name."""
    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row.values):
        match = _OF_A_RANK.fullmatch(column_key(name))
        if match is None or name in taken or DEPTH.search(column_key(name)):
            continue
        words = {*f"{match['before']}_{match['after'] or ''}".split("_")} - {""}
        others = words - _HITS
        if others and others <= (_RANKS | _DIAGNOSES if words & _HITS else _RANKS):
            columns[int(match["rank"])] = name
    return columns


def _has_hits(rows: Sequence[Row], name: str) -> bool:
    """Whether a column has yes and no; a number among them is a share, and a row to set aside."""
    written = [text for row in rows if (text := row.values.get(name, "").strip())]
    hits = [text for text in written if _hit(text)]
    return (
        bool(hits)
        and 2 * len(hits) > len(written)
        and not any(letter.isalpha() for text in written if text not in hits for letter in text)
    )


def _hit(written: str) -> str | None:
    return HITS.get(name_key(written)) or SIGNS.get(written)


def _gold_rank(row: Row, columns: Mapping[int, str], file_name: str) -> str:
    written = {rank: row.values.get(name, "").strip() for rank, name in sorted(columns.items())}
    hits = [rank for rank, text in written.items() if _hit(text) == "yes"]
    names = [column_key(columns[rank]) for rank in hits]
    if len(hits) > 1 and not all(_HITS & {*name.split("_")} for name in names):
        named = " ".join(f"--column top{rank}='{columns[rank]}'" for rank in sorted(columns))
        raise FileError(
            f"{file_name}, line {row.number}: '{columns[hits[0]]}' and '{columns[hits[1]]}' both "
            f"say yes. If they ask for the first k: {named}. If each is of one rank, leave the "
            "first yes of a row."
        )
    unread = [text for text in written.values() if text and not _hit(text)]
    if hits:
        return f"P{hits[0]}"
    return unread[0] if unread else "P0" if any(written.values()) else ""


def _of_letters(rows: list[Row], column: str) -> list[Row]:
    """`rows` with the letters of a column as ranks, if it has nothing else."""
    written = {row.values.get(column, "").strip() for row in rows}
    letters = {text for text in written if _LETTER.fullmatch(text)}
    others = {name_key(text) for text in written - letters}
    if not letters or not others <= {*NO_LABEL, *_NONE}:
        return rows
    rank_of = {text: f"P{ord(text.upper()) - ord('A') + 1}" for text in letters}
    rank_of |= {text: "P0" for text in written if name_key(text) in _NONE and text}
    return [
        Row(number, {**values, column: rank_of.get(values[column].strip(), "")})
        if column in values
        else Row(number, values)
        for number, values in rows
    ]
