"""Ranks of the gold diagnosis that are written in other ways: a yes or no for each rank of a list
side by side, or the letter of the rank."""

import re
from collections.abc import Collection, Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.labels import column_words, layout
from python_llm.labels.gradings import CROSSES, DEPTH, GOLD_RANK, OF_GOLD_RANK, hit_of
from python_llm.parsing.folding import column_key, name_key
from python_llm.registries.label_spelling import NO_LABEL, says_nothing
from python_llm.runs.reading import WIDE

_OF_A_RANK = re.compile(r"(?P<before>\D*?)_?(?P<rank>\d{1,2})(?:_(?P<after>\D+))?")
_RANKS = {"rank", "rango", "position", "posicion", "puesto"}
_DIAGNOSES = {"dx", "diagnosis", "diagnostico", "prediction", "pred"}
_HITS = {"correct", "correcto", "correcta", "right", "match", "matches", "acierto", "hit", "is"}
# dr_ruiz_rank_1, rater_2_rank_1, rank_1_ana: a rater's, in a table of raters by ranks
_OF_A_RATER = re.compile(
    rf"(?:(?P<before>.+)_)?(?:{'|'.join(sorted(_RANKS))})_?(?P<rank>\d{{1,2}})(?:_(?P<after>.+))?"
)
_BARE = {"correct", "correcto", "correcta", "acierto", "hit", "match", "richtig", "juste"}
_FEWEST_BARE = 3  # columns correct_1, correct_2, …: two may be of two raters
_LETTER = re.compile(r"[A-Ta-t]")
_LAST_LETTER = "J"  # of ten diagnoses; Y, N, S and T may stand for yes and no
_OF_RANKS = {"rank", "rango", "posicion"}
_NONE = {"none", "ninguno", "ninguna"}


def as_gold_ranks(
    rows: list[Row], assigned: Mapping[str, str], file_name: str, raters: Collection[str] = ()
) -> list[Row]:
    """`rows` with one column gold_rank (P2, P0 for none) for columns that say of each rank whether
    it is the gold diagnosis ('rank1', 'dx1_correct', with 1 and 0), one for each rater if they do
    so by rater ('Dr. Ruiz Rank 1'; names other than a doctor's are in `raters`), or with the
    letters of a column that is `assigned` as the rank, or called so (B is P2).

    Raises FileError where a row has several 1 and the columns may ask for the first k.
    """
    rows = _of_letters(rows, assigned.get(GOLD_RANK) or _column_of_letters(rows))
    for rater, columns in _matrices(rows, {*assigned.values()}, raters).items():
        column = f"{GOLD_RANK} {rater}".strip()
        present = {name for row in rows for name in row.values}
        lists = {
            name
            for name in present
            if (match := WIDE.fullmatch(column_key(name))) and int(match[1]) in columns
        }
        left_out = {*columns.values(), *lists}
        rows = [
            Row(
                number,
                {name: text for name, text in values.items() if name not in left_out}
                | {column: _gold_rank(Row(number, values), columns, file_name)},
            )
            for number, values in rows
        ]
    return rows


def raters_columns(raters: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """`raters`, each whose ranks became a column of as_gold_ranks as this column."""
    present = {name for row in rows for name in row.values}
    column_of = {name: f"{GOLD_RANK} {column_key(name)}" for name in raters}
    return [column_of[name] if column_of[name] in present else name for name in raters]


def of_misses(
    rows: Sequence[Row], assigned: Mapping[str, str], raters: Collection[str] = ()
) -> list[str]:
    """The columns of ranks in which a yes says that a rank is not the gold diagnosis."""
    matrices = _matrices(rows, {*assigned.values()}, raters).values()
    names = [name for columns in matrices for name in columns.values()]
    return [name for name in names if column_words.asks_for_a_miss(name)]


def raters_in_doubt(rows: Sequence[Row]) -> list[str]:
    """Names that may be raters': columns say of each rank under them whether it is the gold
    diagnosis ('Ana Rank 1', 'Ana Rank 2')."""
    return [rater for rater in _all_matrices(rows, ()) if rater]


def _matrices(
    rows: Sequence[Row], taken: Collection[str], raters: Collection[str]
) -> dict[str, dict[int, str]]:
    """By rater, '' for nobody in particular, the column of each rank that says whether it is the
    gold diagnosis. Others are raters beside one who is known, by `raters` or by a doctor's name."""
    matrices = _all_matrices(rows, taken)
    named = {column_key(name) for name in raters}
    known = [name for name in matrices if name in named or layout.A_RATER.fullmatch(name)]
    return {name: columns for name, columns in matrices.items() if known or not name}


def _all_matrices(rows: Sequence[Row], taken: Collection[str]) -> dict[str, dict[int, str]]:
    """As _matrices, whoever the columns are of; only of whole lists of ranks, with yes and no in
    every column."""
    matrices: dict[str, dict[int, str]] = {}
    for name in dict.fromkeys(name for row in rows for name in row.values):
        cell = _rater_and_rank(name)
        if cell is not None and name not in taken:
            matrices.setdefault(cell[0], {})[cell[1]] = name
    return {
        rater: columns
        for rater, columns in matrices.items()
        if len(columns) > 1
        and not (all(map(_is_bare, columns.values())) and _may_be_depths(rows, columns))
        and sorted(columns) == list(range(1, len(columns) + 1))
        and all(_has_hits(rows, name) for name in columns.values())
    }


def _may_be_depths(rows: Sequence[Row], columns: Mapping[int, str]) -> bool:
    """Whether columns correct_1, correct_2, … are of two raters, or of the first 1, 2, … diagnoses:
    no row has a yes before a no."""
    if len(columns) < _FEWEST_BARE:
        return True
    marks = (
        [_hit(row.values.get(columns[k], "").strip()) for k in sorted(columns)] for row in rows
    )
    return not any("no" in hits[hits.index("yes") :] for hits in marks if "yes" in hits)


def _is_bare(name: str) -> bool:
    """Whether a column is called correct and a number, and nothing else."""
    return {*column_key(name).rstrip("0123456789").strip("_").split("_")} <= _BARE


def _rater_and_rank(name: str) -> tuple[str, int] | None:
    """Whose column it is by its name, and of which rank; None if the name does not say."""
    folded = column_key(name)
    match = _OF_A_RANK.fullmatch(folded)
    if match is not None and _is_bare(name):
        return "", int(match["rank"])
    if DEPTH.search(folded):
        return None
    if match is not None:
        words = {*f"{match['before']}_{match['after'] or ''}".split("_")} - {""}
        telling = _HITS | column_words.OF_A_MISS
        others = words - telling
        if others and others <= (_RANKS | _DIAGNOSES if words & telling else _RANKS):
            return "", int(match["rank"])
    match = _OF_A_RATER.fullmatch(folded)
    is_of_something_else = layout.is_of_ranks(name) or layout.is_beside(name)
    if match is None or is_of_something_else or layout.OF_GRADE & {*folded.split("_")}:
        return None
    rater = _rater_of(match)
    return (rater, int(match["rank"])) if rater else None


def _rater_of(match: re.Match[str]) -> str:
    """The words of a name beside the rank."""
    words = f"{match['before'] or ''}_{match['after'] or ''}".split("_")
    return "_".join(word for word in words if word and word not in _HITS | column_words.OF_A_MISS)


def _has_hits(rows: Sequence[Row], name: str) -> bool:
    """Whether a column has yes and no; a number among them is a share, and a row to set aside."""
    written = [text for row in rows if (text := _told(row, name))]
    hits = [text for text in written if _hit(text)]
    return (
        bool(hits)
        and 2 * len(hits) > len(written)
        and not any(letter.isalpha() for text in written if text not in hits for letter in text)
    )


def _told(row: Row, name: str) -> str:
    """What a cell says; '' where it says that there is no label, as N/A does."""
    written = row.values.get(name, "").strip()
    return "" if says_nothing(written) and not _hit(written) else written


def _hit(written: str, column: str = "") -> str | None:
    answer = None if written in CROSSES else hit_of(written)
    is_of_a_miss = column_words.asks_for_a_miss(column) and column_words.is_bare_answer(written)
    return column_words.OPPOSITE[answer] if answer and is_of_a_miss else answer


def _gold_rank(row: Row, columns: Mapping[int, str], file_name: str) -> str:
    written = {rank: _told(row, name) for rank, name in sorted(columns.items())}
    hits = [rank for rank, text in written.items() if _hit(text, columns[rank]) == "yes"]
    names = [column_key(columns[rank]) for rank in hits]
    telling = _HITS | column_words.OF_A_MISS
    if len(hits) > 1 and not all(telling & {*name.split("_")} for name in names):
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


def _column_of_letters(rows: Sequence[Row]) -> str:
    """The column that is called the rank of the gold diagnosis and has letters from A on; '' if
    there is none, or none with nothing else."""
    for name in dict.fromkeys(name for row in rows for name in row.values):
        if _OF_RANKS & {*column_key(name).split("_")} and any(
            word in column_key(name) for word in OF_GOLD_RANK
        ):
            written = {row.values.get(name, "").strip().upper() for row in rows}
            letters = {text for text in written if _LETTER.fullmatch(text)}
            if len(letters) > 1 and max(letters) <= _LAST_LETTER:
                return name
    return ""


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
