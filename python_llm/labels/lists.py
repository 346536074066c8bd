"""Gradings of whole lists: whose list and which case each is of, whatever names them."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.labels import counting, gradings
from python_llm.labels.made_sets import MODEL, PROMPT, list_key_of, model_of
from python_llm.labels.store import Pair, Subject
from python_llm.labels.taken import Taken
from python_llm.parsing.folding import name_key
from python_llm.registries.label_spelling import is_doubted, says_nothing
from python_llm.runs.cases import KnownSets
from python_llm.runs.matching import match
from python_llm.runs.mistaken import column_of_cases
from python_llm.runs.reading import A_GOLD_RANK, REMEDIES, value_of
from python_llm.runs.store import RowGold

Values = list[tuple[Row, dict[str, str]]]  # each row with what its columns say, by role


@dataclass(frozen=True)
class _Reading:
    """How the cells of the columns `asked` are read: by what spellings; the number of the first
    rank in each column of ranks; the columns in which a cross may mean either; the column of
    raters; and the number of diagnoses of the longest list, if the lists are here."""

    asked: gradings.Columns
    spellings: Mapping[str, str]
    firsts: Mapping[str, int]
    unclear: Collection[str]
    rater_column: str
    n_longest: int | None = None


def values_of(rows: list[Row], names: Mapping[str, str]) -> Values:
    """The rows with the values of the columns that play a role."""
    return [
        (row, {role: row.values.get(column, "").strip() for role, column in names.items()})
        for row in rows
    ]


def with_cases(rows: list[Row], laid_out: list[Row], names: Mapping[str, str]) -> list[Row]:
    """`rows` with a column 'case' made of what they show, gold diagnosis and list: where a file
    names no cases, whoever grades the same list in another file grades the same thing.

    `laid_out` are the rows one diagnosis each, with the numbers of those they are of."""
    shown: dict[int, list[str]] = {}
    for row in laid_out:
        names_shown = shown.setdefault(row.number, [name_key(row.values.get(names["gold"], ""))])
        names_shown.append(name_key(row.values.get(names["diagnosis"], "")))
    refs = {
        number: hashlib.sha256(repr(names_shown).encode()).hexdigest()[:12]
        for number, names_shown in shown.items()
    }
    return [
        Row(row.number, {**row.values, "case": refs[row.number]})
        for row in rows
        if row.number in refs
    ]


@dataclass(frozen=True)
class _Grade:
    """What one cell says of a whole list."""

    scale: str
    label: str
    written: str
    column: str

    @property
    def _ranks(self) -> tuple[float, float]:
        """Between which ranks it puts the gold diagnosis; at infinity if it is not listed."""
        if self.scale == gradings.GOLD_RANK:
            rank = int(self.label) or inf
            return rank, rank
        depth = int(self.scale.removeprefix("top"))
        return (1, depth) if self.label == "yes" else (depth + 1, inf)

    def agrees_with(self, other: "_Grade") -> bool:
        """Whether both can be of one list."""
        (first, last), (others_first, others_last) = self._ranks, other._ranks
        return first <= others_last and others_first <= last


def take_of_made_set(
    values: Values,
    asked: gradings.Columns,
    lists: list[Pair],
    spellings: Mapping[str, str],
    rater_column: str,
    taken: Taken,
) -> None:
    """Take gradings of lists that the file, or one before it, brought along."""
    by_list = {(pair["list_key"], pair["model"]): pair for pair in lists}
    models: dict[str, set[str]] = {}
    for list_key, model in by_list:
        models.setdefault(list_key, set()).add(model)
    unclear = gradings.unclear_crosses([row for row, _ in values], asked)
    firsts = _first_ranks([(row, []) for row, _ in values], asked, taken)
    reading = _Reading(asked, spellings, firsts, unclear, rater_column)
    for row, value in values:
        list_key = list_key_of(value, value.get("gold", ""))
        of_list = models.get(list_key, set())
        model = model_of(value)
        if not value.get("model") and len(of_list) == 1:
            model = next(iter(of_list))
        pair = by_list.get((list_key, model))
        if pair is not None:
            subject: Subject = {
                "test_set": taken.source.test_set,
                "configuration_id": f"{model}/{PROMPT}/{taken.source.test_set}",
                "case_ref": pair["case_ref"],
                "diagnosis_rank": None,
                "diagnosis": None,
            }
            _take_row(row, value, reading, subject, taken)
        elif of_list and model == MODEL:
            taken.reject(row, value.get("rater", ""), "model", "several models, and not whose list")
        else:
            taken.reject(row, value.get("rater", ""), "case", "no list of this case is known")


def take_of_configurations(
    values: Values,
    asked: gradings.Columns,
    spellings: Mapping[str, str],
    rater_column: str,
    known: Collection[str],
    sets: KnownSets,
    taken: Taken,
    match_by: str | None,
    lists_of: Callable[[str], Mapping[str, list[tuple[int, str]]]],
) -> None:
    """Take gradings of the lists of configurations. Cases are found as those of recorded answers
    are: by id or, where there is none, by position, and checked by the gold diagnoses. `lists_of` a
    configuration are its diagnoses with their ranks, by case_id."""
    if match_by is None:
        values = _with_cases_named(values, asked, known, sets, taken)
    is_by_order = not any("case" in value for _, value in values)
    unclear = gradings.unclear_crosses([row for row, _ in values], asked)
    of_configuration = _by_configuration(values, is_by_order, known, taken)
    for configuration, of_ref in of_configuration.items():
        test_set = configuration.rpartition("/")[2]
        answers: dict[str, RowGold] = {
            ref: {
                "gold_written": next((v["gold"] for _, v in rows if v.get("gold")), ""),
                "source_row": rows[0][0].number,
            }
            for ref, rows in of_ref.items()
        }
        matched = match(answers, is_by_order, test_set, sets, taken.path.name, match_by)
        taken.matched_by[configuration] = matched.description
        for reject in matched.rejects:
            is_shared = reject.rule == "case_ambiguous"
            remedy = f": {REMEDIES[reject.rule]}" if is_shared else ""
            for row, value in of_ref[reject.case_ref or ""]:
                taken.reject(row, value.get("rater", ""), "case", reject.reason + remedy)
        kept = {ref: rows for ref, rows in of_ref.items() if ref in matched.cases}
        lists = lists_of(configuration)
        with_ranks = [
            (row, counting.ranks_by_name(case.gold_names, lists.get(case.case_id, [])))
            for ref, rows in kept.items()
            for case in [matched.cases[ref]]
            for row, _ in rows
        ]
        firsts = _first_ranks(with_ranks, asked, taken)
        n_longest = max((rank for names in lists.values() for rank, _ in names), default=None)
        reading = _Reading(asked, spellings, firsts, unclear, rater_column, n_longest)
        for ref, rows in kept.items():
            subject: Subject = {
                "test_set": test_set,
                "configuration_id": configuration,
                "case_ref": matched.cases[ref].case_id,
                "diagnosis_rank": None,
                "diagnosis": None,
            }
            for row, value in rows:
                _take_row(row, value, reading, subject, taken)


def _with_cases_named(
    values: Values, asked: gradings.Columns, known: Collection[str], sets: KnownSets, taken: Taken
) -> Values:
    """The rows of a file that no column is known to say the cases of, with those that a column of
    another name holds."""
    if not values or any("case" in value for _, value in values):
        return values
    configuration, _ = taken.source.configuration_of(values[0][1], known)
    if configuration is None:
        return values
    test_set = configuration.rpartition("/")[2]
    graded = {column for _, _, column in asked}
    rows = [row for row, _ in values]
    columns = (column for column in rows[0].values if column not in graded)
    column = column_of_cases(taken.path.name, rows, columns, sets.cases(test_set), test_set)
    if column is None:
        return values
    return [(row, {**value, "case": value_of(row.values[column])}) for row, value in values]


def _by_configuration(
    values: Values, is_by_order: bool, known: Collection[str], taken: Taken
) -> dict[str, dict[str, Values]]:
    """The rows by configuration and by what names their case: its position where `is_by_order`."""
    of_configuration: dict[str, dict[str, Values]] = {}
    n_rows: dict[tuple[str, str], int] = {}
    for row, value in values:
        configuration, problem = taken.source.configuration_of(value, known)
        if configuration is None:
            taken.reject(row, value.get("rater", ""), "model", problem or "not whose list it is")
            continue
        rater = value.get("rater", "")
        position = n_rows[configuration, rater] = n_rows.get((configuration, rater), 0) + 1
        ref = str(position) if is_by_order else value["case"]
        if not ref:
            taken.reject(row, rater, "case", "no case")
            continue
        of_configuration.setdefault(configuration, {}).setdefault(ref, []).append((row, value))
    return of_configuration


def _first_ranks(
    rows: Sequence[tuple[Row, Sequence[int]]], asked: gradings.Columns, taken: Taken
) -> dict[str, int]:
    """The number of the first rank in each column of ranks; each row comes with the ranks at which
    its list has the gold diagnosis by name. Raises FileError where it has to be said."""
    return {
        column: counting.first_rank(
            [counting.Cell(row, row.values.get(column, ""), ranks) for row, ranks in rows],
            column,
            taken.path.name,
            taken.source.ranks_from,
        )
        for _, scale, column in asked
        if scale == gradings.GOLD_RANK
    }


def _take_row(
    row: Row, value: Mapping[str, str], reading: _Reading, subject: Subject, taken: Taken
) -> None:
    graded: dict[str, list[_Grade]] = {}
    for named, scale, column in reading.asked:
        written = row.values.get(column, "").strip()
        rater = gradings.alias_of(named or value.get("rater", ""))
        is_given = gradings.spelling(written) in reading.spellings
        counted = written
        if column in reading.firsts and not is_given:
            counted = counting.as_grade(written, reading.firsts[column])
        label = gradings.grade(counted, scale, reading.spellings, column)
        if label is None and says_nothing(written):
            taken.n_missing += 1
        elif not rater and reading.rater_column:
            taken.reject(row, "", "rater", f"no rater: fill the column '{reading.rater_column}'")
        elif column in reading.unclear and written in gradings.CROSSES and not is_given:
            reason = (
                f"'{written}' beside other marks in '{column}' may be a tick or a cross: say which "
                f"with --label {written}=yes or --label {written}=no"
            )
            taken.reject(row, rater, scale, reason)
        elif label is None:
            taken.reject(row, rater, scale, _not_a_grading(written, scale))
        elif not is_given and _is_beyond(written, label, scale, reading.n_longest):
            reason = (
                f"the rank '{written}' is beyond the longest list, which has {reading.n_longest}: "
                f"say whether it means absent with --label {written}=P0, or the rank with --label "
                f"{written}=P{label}"
            )
            taken.reject(row, rater, scale, reason)
        else:
            graded.setdefault(rater, []).append(_Grade(scale, label, written, column))
    for rater, grades in graded.items():
        for grade in grades:
            other = next((beside for beside in grades if not grade.agrees_with(beside)), None)
            if other is None:
                taken.take(row, subject, rater, grade.scale, grade.label, grade.written)
            else:
                reason = (
                    f"'{grade.written}' in '{grade.column}' and '{other.written}' in "
                    f"'{other.column}' cannot both be: what is among the first is among all that "
                    "follow; correct one, or leave it empty"
                )
                taken.reject(row, rater, grade.scale, reason)


def _not_a_grading(written: str, scale: str) -> str:
    """Why a cell is set aside, and what to do."""
    kind = "a doubt, not a grading" if is_doubted(written) else "not a grading"
    reason = f"'{written[:60]}' is {kind}: write {gradings.known(scale)}"
    if gradings.A_SHARE.fullmatch(written) or written.endswith("%"):
        reason += f", or say what half a credit counts as with --label {written}=no"
    elif scale == gradings.GOLD_RANK and gradings.A_NUMBER.fullmatch(written):
        reason += f", or say what the number stands for with --label {written}=P0, if for absent"
    return reason


def _is_beyond(written: str, label: str, scale: str, n_longest: int | None) -> bool:
    """Whether a bare number is larger than any list is long, so that it may stand for 'absent' (4
    where lists have three). Written as P4 it is a rank."""
    return (
        scale == gradings.GOLD_RANK
        and n_longest is not None
        and not A_GOLD_RANK.fullmatch(written)
        and int(label) > n_longest
    )


def check_is_known(
    names: Mapping[str, str], configuration: str, path: Path, asked: gradings.Columns
) -> None:
    """Raise FileError if a file of gradings does not say whose lists they are of."""
    if configuration or "configuration" in names:
        return
    raise FileError(
        f"{path.name}: '{asked[0][2]}' grades whole lists and nothing says whose: add "
        "--configuration model/prompt/test_set ({model}/prompt/test_set where a column names the "
        "model), or columns of the gold diagnosis and the list, if the lists are of no run here."
    )
