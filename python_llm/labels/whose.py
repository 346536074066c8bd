"""Whose the gradings of a file are: of the raters that a column names or, where none does, that
its headings do."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import SHEET, Row
from python_llm.labels import gradings, layout
from python_llm.parsing.folding import column_key

LONGEST_NAME = 60  # characters of a rater's
TITLES = {"dr", "dra", "prof", "profa", "doctor", "doctora"}


def by_the_column(
    asked: gradings.Columns, column: str, assigned: Mapping[str, str], file_name: str
) -> gradings.Columns:
    """The columns of gradings where a `column` names the raters: the words of their headings are
    nobody's. Of several with one question those that are `assigned`; FileError without any."""
    if not column:
        return asked
    named = {name.strip() for listed in assigned.values() for name in (listed, *listed.split(","))}
    of_scale: dict[str, list[str]] = {}
    for _, scale, name in asked:
        of_scale.setdefault(scale, []).append(name)
    kept: set[str] = set()
    for scale, names in of_scale.items():
        wanted = [name for name in names if name in named] or names
        if len(wanted) > 1 and column != SHEET:
            listed = " and ".join(f"'{name}'" for name in wanted)
            raise FileError(
                f"{file_name}: '{column}' says who graded, and {listed} ask the same ({scale}): "
                f"say which counts with --column {scale}='{wanted[0]}', or, if the headings name "
                f"the raters, read them with --rater COLUMN for each."
            )
        kept |= {*wanted}
    if any(len(names) > 1 for names in of_scale.values()) and column == SHEET:
        return asked  # the raters of a sheet in a column each
    return [("", scale, name) for _, scale, name in asked if name in kept]


def words_of_headings(asked: gradings.Columns) -> list[str]:
    """The words that headings have beside their question and that may be no rater's: 'q' of q_top1.
    Raters have a heading each for the same question (anna_top5, ben_top5), or are called so
    (rater_1_top5, Dr. Ruiz)."""
    raters_of: dict[str, set[str]] = {}
    for rater, scale, _ in asked:
        raters_of.setdefault(scale, set()).add(rater)
    raters = {rater for several in raters_of.values() if len(several) > 1 for rater in several}
    words = dict.fromkeys(rater for rater, *_ in asked if rater and rater not in raters)
    return [word for word in words if not _is_called_a_rater(word)]


def check_words(asked: gradings.Columns, words: Sequence[str], file_name: str) -> None:
    """Raise FileError if headings have several words, each beside a question of its own: raters who
    were asked different things, or one whose questions are worded differently."""
    if len(words) < 2:
        return
    columns = [next(name for rater, _, name in asked if rater == word) for word in words]
    raise FileError(
        f"{file_name}: {' and '.join(map(repr, columns))} ask different things, and whether "
        f"{' and '.join(map(repr, words))} are raters nobody can tell: add --rater NAME if one "
        f"person graded all, --column rater=NAME if a column says who did, or "
        f"{' '.join(f'--rater {column!r}' for column in columns)} if each is another's."
    )


def _is_called_a_rater(rater: str) -> bool:
    words = {word.rstrip("0123456789") for word in rater.split("_")}
    return not words.isdisjoint({*TITLES, *layout.ROLES["rater"]})


def without(asked: gradings.Columns, words: Sequence[str]) -> gradings.Columns:
    """The columns of gradings, nobody's where a word is no rater's."""
    return [("" if rater in words else rater, scale, name) for rater, scale, name in asked]


def column_that_tells_apart(
    rows: Sequence[Row], names: Mapping[str, str], taken: Collection[str]
) -> str:
    """The column with no role, and not `taken`, whose few values tell the rows of a case
    apart, as those of raters do; '' if there is none."""
    case = names.get("case", "")
    of_case = Counter(row.values.get(case, "") for row in rows)
    taken = {*names.values(), *taken}
    for column in dict.fromkeys(name for row in rows for name in row.values):
        if column in taken or layout.is_beside(column) or not column_key(column):
            continue
        written = [row.values.get(column, "").strip() for row in rows]
        if not all(written) or max(map(len, written)) > LONGEST_NAME:
            continue
        subjects = {
            (row.values.get(case, ""), row.values.get(names.get("diagnosis", ""), ""), text)
            for row, text in zip(rows, written, strict=True)
        }
        n_values = len(set(written))
        if len(subjects) == len(rows) and 1 < n_values <= max(2, len(of_case)):
            return column
    return ""
