"""`kernel29 labels import`: what people said of diagnoses becomes the labels of judges."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq

from python_llm import files, paths
from python_llm.audit import trail
from python_llm.errors import FileError
from python_llm.experiments import registries
from python_llm.imports import numbered_rows
from python_llm.imports.numbered_rows import SHEET, Row
from python_llm.imports.served import Served
from python_llm.imports.tables import read_table
from python_llm.labels import (
    cases_named,
    column_words,
    gradings,
    hits,
    layout,
    lists,
    made_sets,
    of_each_case,
    ranks,
    store,
    whose,
)
from python_llm.labels.made_sets import PROMPT
from python_llm.labels.source import OF_EACH_ROW, Source
from python_llm.labels.store import Label, Pair, Reject
from python_llm.labels.taken import Taken
from python_llm.labels.unfolding import unfolded
from python_llm.parsing.differential import PARSERS, parse_differential
from python_llm.parsing.json_text import repeated_in
from python_llm.registries.label_spelling import spellings_of
from python_llm.registries.names import of_grid
from python_llm.runs import store as runs_store
from python_llm.runs.cases import KnownSets
from python_llm.test_sets import store as cases_store
from python_llm.test_sets.known import known_test_sets

FEWEST_LABELS = 5  # of a file that is refused where most cannot be read; of fewer, all are named
AS_LAID_OUT = ("rank", "model", "diagnosis", "relation", "severity")  # columns of layout.py's own


@dataclass
class Report:
    """What an import did."""

    n_new: int = 0
    n_unchanged: int = 0
    n_missing: int = 0  # cells that say there is no label
    n_again: int = 0  # labels that the file has before
    judges: list[str] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    n_new_cases: int = 0
    new_test_set: str = ""
    unread: list[str] = field(default_factory=list)  # columns that play no role
    inverted: list[str] = field(default_factory=list)  # columns in which a yes is a miss
    words: list[str] = field(default_factory=list)  # of headings, that might be a rater
    matched_by: dict[str, str] = field(default_factory=dict)  # how cases were found


def _list_of(answer: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The ranked names of a stored answer."""
    if answer["diagnoses"]:
        return [(item["rank"] or 0, item["diagnosis"]) for item in answer["diagnoses"]]
    written = answer.get("output_format")
    output_format = written if written in PARSERS else "numbered_list"
    parsed = parse_differential(answer.get("answer_text"), output_format)
    return [(item.rank, item.diagnosis) for item in parsed.diagnoses]


@dataclass(frozen=True)
class Places:
    """Where things are: the labels, recorded runs, imported cases, and the served database."""

    labels: Path
    runs: Path
    cases: Path
    served: Served

    @classmethod
    def project(
        cls,
        served: Path | None,
        labels: Path | None = None,
        runs: Path | None = None,
        cases: Path | None = None,
    ) -> "Places":
        """Where they are unless somebody says otherwise."""
        return cls(
            labels or store.labels_folder(),
            runs or paths.runs_folder(),
            cases or cases_store.cases_folder(),
            Served(served),
        )

    def configurations(self) -> list[str]:
        """Every configuration that has answers here, was served or stands in the grid."""
        known = {file.stem.replace("@", "/") for file in (self.runs / "answers").glob("*.parquet")}
        rows = self.served.rows("select configuration_id from dim_configuration")
        asked_for = of_grid(known_test_sets(self.cases))
        for experiment in registries.all_experiments()[0]:
            asked_for |= experiment.configurations()
        return sorted(known | asked_for | {name for (name,) in rows})

    def lists(self, configuration: str) -> dict[str, list[tuple[int, str]]]:
        """The diagnoses of a recorded run with their ranks, by case_id, as its texts are read; none
        if it is not here."""
        file = self.runs / "answers" / f"{configuration.replace('/', '@')}.parquet"
        if not file.is_file() or not file.stat().st_size:
            return {}
        return {row["case_id"]: _list_of(row) for row in pq.read_table(file).to_pylist()}

    def case_names(self) -> set[Any]:
        """Every way to name a case that was imported or served."""
        sql = "select case_id, test_set, case_number from dim_case"
        cases = [(*row, None) for row in self.served.rows(sql)]
        of_imported = ["test_set", "record_number", "record_id"]
        for row in cases_store.read_records(self.cases).select(of_imported).to_pylist():
            test_set, number, record_id = (row[name] for name in of_imported)
            cases.append((cases_store.case_id(test_set, number), test_set, number, record_id))
        known: set[Any] = set()
        for name, test_set, number, record_id in cases:
            short = name.removeprefix(f"{test_set}/")
            known |= {name, (test_set, short), (test_set, str(number)), (test_set, record_id)}
        return known


def import_labels(
    path: Path,
    source: Source,
    folder: Path,
    *,
    raters: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    meanings: Sequence[tuple[str, str]] = (),
    runs_dir: Path | None = None,
    cases_dir: Path | None = None,
    served: Path | None = None,
    match: str | None = None,
    replace: bool = False,
) -> Report:
    """Read `path` and store its labels under `folder`; lists that are new with them.

    Labels are of diagnoses or of whole lists. Of diagnoses, one row is one: long, with a column for
    the relation or the severity and one for the rater; or wide, with a column per rater, named in
    `raters` or as in anna_relation. Where lists are graded whole, a row is a list; its columns, of
    all raters or one for each, say at which rank the gold diagnosis stands or whether it is among
    the first k. An entry of `raters` that is not a column names the only rater. `columns` maps a
    role of layout.ROLES, gold_rank or top5 to a column; `meanings` are pairs of a label as written
    and one of the registry, yes, no or P2. What cannot be read is a reject with line, field and
    reason.
    A file with gold diagnoses and no cases that are known makes a test set named as the panel, a
    run in it for each model the file names; `served` is the served database, `match` a key of
    runs.matching.ASKED that settles how cases of gradings are found. The same label again
    changes nothing; a different one by the same judge is a FileError unless `replace`. Nothing is
    written unless some label can be read.
    """
    places = Places.project(served, folder, runs_dir, cases_dir)
    columns_by_role = dict(columns or {})
    headings = [*columns_by_role.values(), *raters, *layout.HEADINGS, *gradings.HEADINGS]
    unreadable: list[tuple[Any, ...]] = []  # number, field, reason
    read = read_table(path, headings, reject := lambda *problem: unreadable.append(problem))
    read = _upright(_without_repeated(read, reject), columns_by_role, source, places)
    grades, labels = gradings.meanings(meanings)
    spellings = spellings_of(labels)
    rows, raters, inverted = _with_gold_ranks(read, columns_by_role, raters, path)
    cases = cases_named.sort(rows, columns_by_role, _known_cases(source, places))
    file = _laid_out(path, cases, columns_by_role, raters, spellings, grades, source)
    file = _of_one_writing(file, _known_cases(source, places))
    source = _of_made_set(file.laid_out, file.names, source, places)
    taken = Taken(path, source)
    _set_aside(unreadable, cases.totals, taken)
    known = [] if source.makes_test_set else places.configurations()
    source.check_configuration(known)
    file = _without_cancelled(_without_agreements(file, taken), taken)
    if file.asked:
        made = _take_gradings(file, grades, known, taken, places, match)
    else:
        made = _take_ranks(file, spellings, known, taken, places)
    _check_taken(taken, file)
    if not made and not file.asked:
        _check_cases(list(taken.labels.values()), file.names, path, places)
    report = _report(taken, file)
    report.inverted = [*inverted, *file.inverted]
    report.n_again = taken.n_again - taken.n_other
    _store(taken, made, places, replace, report)
    return report


def _without_repeated(rows: list[Row], reject: numbered_rows.Reject) -> list[Row]:
    """The rows none of whose cells is an object with a key twice; the others go to `reject`."""
    kept = []
    for row in rows:
        flaws = [(name, flaw) for name, text in row.values.items() if (flaw := repeated_in(text))]
        for name, flaw in flaws[:1]:
            reject(row.number, name, flaw)
        kept += [] if flaws else [row]
    return kept


def _upright(
    rows: list[Row], columns: Mapping[str, str], source: Source, places: Places
) -> list[Row]:
    """The rows of a file, of a form with a column for each case a row for each."""
    test_set = source.test_set or source.configuration.rpartition("/")[2]
    sets = KnownSets(places.served, places.cases)
    if "case" in columns or test_set not in sets.names:
        return rows
    return of_each_case.upright(rows, sets.cases(test_set), test_set)


def _with_gold_ranks(
    read: list[Row], columns: Mapping[str, str], raters: Sequence[str], path: Path
) -> tuple[list[Row], Sequence[str], list[str]]:
    """The rows of a file with columns of gold ranks for yes and no of each rank; `raters` as these
    columns are called; and those of them that asked for a miss."""
    rows = unfolded(read, layout.guess)
    inverted = hits.of_misses(rows, columns, raters)
    rows = hits.as_gold_ranks(rows, columns, path.name, raters)
    return rows, hits.raters_columns(raters, rows), inverted


def _set_aside(unreadable: Sequence[tuple[Any, ...]], totals: Sequence[Row], taken: Taken) -> None:
    for number, *why in unreadable:
        taken.reject(Row(number or 0, {}), "", *why)
    for row in totals:
        taken.reject(row, "", "case", cases_named.REASON)


def _known_cases(source: Source, places: Places) -> Callable[[str], bool]:
    """What tells whether a name is that of a case that is here; of no test set none is."""
    test_set = source.test_set or source.configuration.rpartition("/")[2]
    names = places.case_names() if test_set else set()
    return lambda name: name in names or (test_set, name) in names


def _report(taken: Taken, file: "_File") -> Report:
    return Report(
        rejects=taken.rejects,
        n_missing=taken.n_missing,
        judges=sorted({label["judge_id"] for label in taken.labels.values()}),
        unread=file.unread,
        words=[*file.words],
        matched_by=taken.matched_by,
    )


@dataclass(frozen=True)
class _File:
    """A file as it is laid out: its rows, as they are read and one diagnosis each, the column of
    each role, and where a row has its labels. asked: the cells of gradings of whole lists, if that
    is what it holds."""

    rows: list[Row]
    laid_out: list[Row]
    names: dict[str, str]
    asked: gradings.Columns
    cells: ranks.Cells
    left_out: Mapping[str, str] = field(default_factory=dict)  # columns of labels, and why
    words: Sequence[str] = ()  # of headings, that might be a rater

    @property
    def inverted(self) -> list[str]:
        """The columns of hits that ask for a miss by their names."""
        columns = [column for _, scale, column in self.asked if scale != gradings.GOLD_RANK]
        return [name for name in columns if column_words.asks_for_a_miss(name)]

    @property
    def unread(self) -> list[str]:
        """The columns that play no role."""
        # a grade is of a whole list, and of no rank in it
        are_grades = self.asked and all(scale not in ranks.SCALES for _, scale, _ in self.cells)
        roles = {role: c for role, c in self.names.items() if not (are_grades and role == "rank")}
        known = {*roles.values(), *(column for *_, column in self.cells), *AS_LAID_OUT}
        present = dict.fromkeys(name for row in self.rows for name in row.values)
        unread = [name for name in present if name and name not in {*known, *self.left_out}]
        unread += [f"{name} ({why})" for name, why in self.left_out.items()]
        if not any(scale == gradings.GOLD_RANK for _, scale, _ in self.asked):
            return unread
        return [f"{name}{gradings.may_be_ranks(self.rows, name, self.asked)}" for name in unread]


def _of_one_writing(file: _File, is_known: Callable[[str], bool]) -> _File:
    """A file whose raters write the id of a case in other capitals (NEU-01, neu-01), with one
    writing of it; two that are known are two cases."""
    column = file.names.get("case", "")
    writings: dict[str, dict[str, None]] = {}
    for row in (*file.rows, *file.laid_out):
        written = row.values.get(column, "")
        writings.setdefault(written.casefold().strip(), {})[written] = None
    first: dict[str, str] = {}
    for same in writings.values():
        known = [written for written in same if is_known(written)]
        if len(same) > 1 and len(known) < 2:
            first |= dict.fromkeys(same, next(iter([*known, *same])))
    if not first:
        return file

    def written_once(rows: list[Row]) -> list[Row]:
        return [
            row._replace(values={**row.values, column: first[row.values[column]]})
            if row.values.get(column, "") in first and column in row.values
            else row
            for row in rows
        ]

    return replace_fields(file, rows=written_once(file.rows), laid_out=written_once(file.laid_out))


def _laid_out(
    path: Path,
    cases: cases_named.Sorted,
    assigned: dict[str, str],
    raters: Sequence[str],
    spellings: dict[str, dict[str, str]],
    grades: Mapping[str, str],
    source: Source,
) -> _File:
    """How a file is laid out. Raises FileError where its columns cannot be told apart."""
    rows = cases.rows
    of_lists = {
        role: assigned.pop(role) for role in list(assigned) if gradings.ROLE.fullmatch(role)
    }
    asked = gradings.columns(cases.telling, of_lists, raters, grades, path.name)
    graded = {column for *_, column in asked}
    left_out: dict[str, str] = {}
    bare = [
        Row(row.number, {name: text for name, text in row.values.items() if name not in graded})
        for row in rows
    ]
    laid_out = layout.one_row_a_diagnosis(bare) or bare

    def holds_labels(name: str) -> bool:
        return ranks.holds_labels(laid_out, name, spellings)

    names = layout.columns_by_role(laid_out, assigned, path.name, holds_labels)
    _add_sheets(laid_out, names, source)
    own = {name for row in laid_out for name in row.values} - {names.get("gold_severity")}
    of_ranks = {"diagnosis", "rank"} & names.keys() and any(map(holds_labels, own))
    if asked and not of_ranks:
        for role in ranks.SCALES:
            names.pop(role, None)
        if not raters:
            asked = whose.by_the_column(asked, names.get("rater", ""), of_lists, path.name)
        if not raters and not of_lists:
            asked, left_out = _of_raters(asked, source, path)
        words = whose.words_of_headings(asked)
        if not raters:
            whose.check_words(asked, words, path.name)
            if {rater for rater, *_ in asked} > {*words}:  # other headings have no word
                asked, words = whose.without(asked, words), []
        asked = _of_rater(asked, words, raters, rows)
        return _File(rows, laid_out, names, asked, asked, left_out, [] if raters else words)
    cells = ranks.cells_of(laid_out, names, raters, path, spellings)
    cells, left_out = ([*cells], {}) if raters else _of_raters(cells, source, path)
    return _File(laid_out, laid_out, names, [], cells, left_out)


Cell = TypeVar("Cell", bound=tuple[str | None, str, str])


def _of_raters(
    cells: Sequence[Cell], source: Source, path: Path
) -> tuple[list[Cell], dict[str, str]]:
    """The columns of labels that are of raters each, and why each other is left out: what raters
    agreed on, and in an import of people's labels those of a program."""
    raters = {rater for rater, *_ in cells if rater}
    left_out = {
        column: f"{why} with --rater '{column}' and another --judge"
        for rater, _, column in cells
        if rater and (why := column_words.why_left_out(rater, raters, source.kind))
    }
    if cells and len(left_out) == len(cells):
        column = cells[0][2]
        raise FileError(
            f"{path.name}: '{column}' is named after a program: if it gave the labels, add --kind "
            f"recorded; if people labelled its lists, name the column's question, as in --column "
            f"top1='{column}', or --rater '{column}'."
        )
    return [cell for cell in cells if cell[2] not in left_out], left_out


def _without_agreements(file: _File, taken: Taken) -> _File:
    """The `file` without the rows of raters that this import leaves out, which are set aside."""
    column = file.names.get("rater", "")
    raters = {row.values.get(column, "").strip() for row in file.rows} - {""}
    aside = {
        name: why
        for name in raters
        if (why := column_words.why_left_out(name, raters, taken.source.kind))
    }
    for row in file.rows:
        if why := aside.get(row.values.get(column, "").strip(), ""):
            taken.reject(row, "", "rater", f"{why}, its rows as a file of their own")

    def kept(rows: list[Row]) -> list[Row]:
        return [row for row in rows if row.values.get(column, "").strip() not in aside]

    return replace_fields(file, rows=kept(file.rows), laid_out=kept(file.laid_out))


def _without_cancelled(file: _File, taken: Taken) -> _File:
    """The `file` without the rows that their raters took back, which are set aside."""

    def is_cancelled(row: Row) -> bool:
        return any(map(column_words.says_cancelled, row.values, row.values.values()))

    for row in filter(is_cancelled, file.rows):
        taken.reject(row, "", "rater", "cancelled or discarded by its rater: nothing to fill in")
    return replace_fields(
        file,
        rows=[row for row in file.rows if not is_cancelled(row)],
        laid_out=[row for row in file.laid_out if not is_cancelled(row)],
    )


def _take_ranks(
    file: _File,
    spellings: Mapping[str, dict[str, str]],
    known: Sequence[str],
    taken: Taken,
    places: Places,
) -> list[Pair]:
    """Take labels of single diagnoses; the lists, if they are to be a test set."""
    source, path = taken.source, taken.path
    made: list[Pair] = []
    if source.makes_test_set:
        made = made_sets.lists_of_ranks(
            file.rows, file.names, source, path, places.labels, places.cases, taken.reject
        )
    else:
        ranks.check(file.rows, file.names, file.cells, source, path)
    sets = KnownSets(places.served, places.cases)
    ranks.take(file.rows, file.names, file.cells, spellings, made, known, sets, taken)
    return made


def _add_sheets(rows: list[Row], names: dict[str, str], source: Source) -> None:
    """The role of the sheets of a book; for one model's lists they are not models."""
    has_sheets = all(SHEET in row.values for row in rows) and SHEET not in names.values()
    if OF_EACH_ROW in source.configuration and has_sheets:
        names.setdefault("model", SHEET)
    layout.add_sheets(rows, names)
    is_of_one = source.configuration and OF_EACH_ROW not in source.configuration
    if is_of_one and names.get("model") == SHEET:
        del names["model"]


def _of_rater(
    asked: gradings.Columns, words: Sequence[str], raters: Sequence[str], rows: Sequence[Row]
) -> gradings.Columns:
    """The columns of gradings, whose raters are named; a name that is not a column is the only
    rater's, whatever `words` stand in the headings."""
    columns = {column for *_, column in asked}
    others = [name for name in raters if name not in columns]
    for name in others:
        if any(name in row.values for row in rows):
            raise FileError(
                f"--rater {name}: the column cannot be read as gradings of whole lists: "
                f"{gradings.not_ranks(rows, name)}."
            )
    if len(others) > 1 or (others and len(raters) > 1):
        raise FileError(
            f"--rater {others[0]}: no column of gradings has this name; the columns are "
            f"{', '.join(sorted(columns))}."
        )
    if not others:
        return asked
    asked = whose.without(asked, words)
    return [(named or others[0], scale, column) for named, scale, column in asked]


def _of_made_set(
    rows: list[Row], names: Mapping[str, str], source: Source, places: Places
) -> Source:
    """`source` as it is if the lists of a file are, or are to be, a test set of their own: they
    have the cases of the file that made it, or gold diagnoses and no case that is known."""
    if source.configuration or source.makes_test_set:
        return source
    refs = {made_sets.cell(row, names, "case") for row in rows} - {""}
    if source.test_set:
        pairs = store.rows(places.labels, "pairs", source.test_set)
        known = {pair["list_key"] for pair in pairs}
        if any(made_sets.list_key_of({"case": ref}, "") in known for ref in refs):
            return replace_fields(source, makes_test_set=True)
    if "gold" not in names or "configuration" in names:
        return source
    if "case" in names:
        if source.test_set or "diagnosis" not in names:
            return source
        known = places.case_names()
        # the id of a case here begins with its test set, also where nothing is served yet
        if any(ref in known or (not places.served and "/" in ref) for ref in refs):
            return source
    name = source.test_set or re.sub(r"\W", "_", source.judge)
    return replace_fields(source, test_set=name, makes_test_set=True)


def _take_gradings(
    file: _File,
    grades: Mapping[str, str],
    known: Sequence[str],
    taken: Taken,
    places: Places,
    match: str | None,
) -> list[Pair]:
    """Take gradings of whole lists; the lists, if they are to be a test set."""
    rows, laid_out, names, asked = file.rows, file.laid_out, file.names, file.asked
    source, rater = taken.source, names.get("rater", "")
    if not source.makes_test_set:
        lists.check_is_known(names, source.configuration, taken.path, asked)
        sets = KnownSets(places.served, places.cases)
        values = lists.values_of(rows, names)
        lists.take_of_configurations(
            values, asked, grades, rater, known, sets, taken, match, places.lists
        )
        return []
    if "case" not in names:
        missing = [role for role in ("gold", "diagnosis") if role not in names]
        if missing:
            raise FileError(
                f"{taken.path.name} has no column for the {missing[0]} of its lists: name it with "
                f"--column {missing[0]}=NAME."
            )
        rows, laid_out = (lists.with_cases(part, laid_out, names) for part in (rows, laid_out))
        names = {**names, "case": "case"}
    is_known = bool(store.rows(places.labels, "pairs", source.test_set))
    if "rank" in names and "diagnosis" in names:
        made = made_sets.lists_of_ranks(
            laid_out, names, source, taken.path, places.labels, places.cases, taken.reject
        )
    elif is_known or {"gold", "diagnosis"} <= names.keys():
        made = made_sets.lists_of_answers(laid_out, names, source, places.labels, taken.reject)
    else:
        raise FileError(
            f"{taken.path.name} has no column for the gold diagnosis and the list, and lists that "
            "are to be a test set need both: name them with --column gold=NAME --column "
            "diagnosis=NAME."
        )
    lists.take_of_made_set(lists.values_of(rows, names), asked, made, grades, rater, taken)
    return made


def _check_taken(taken: Taken, file: _File) -> None:
    """Raise FileError if there is no label, or whose each is cannot be told."""
    name, rejects = taken.path.name, taken.rejects
    if not taken.labels:
        first = ""
        if rejects:
            reject = rejects[0]
            first = f" First: line {reject['source_line']}, {reject['field']}: {reject['reason']}."
        raise FileError(f"{name} holds no readable label.{first}{ranks.meanings_wanted(rejects)}")
    unreadable = [reject for reject in rejects if gradings.is_of_a_label(reject["field"])]
    n_read = len(taken.labels) + taken.n_again
    if len(unreadable) > n_read and n_read + len(unreadable) >= FEWEST_LABELS:
        reject = unreadable[0]
        raise FileError(
            f"{name}: {n_read} of {n_read + len(unreadable)} labels can be read, less than half. "
            f"First: line {reject['source_line']}, {reject['field']}: {reject['reason']}."
            f"{ranks.meanings_wanted(unreadable)}"
        )
    is_nobodys = {rater for rater, *_ in file.cells} <= {"", *file.words}
    is_nobodys = is_nobodys and "rater" not in file.names
    is_often_said = is_nobodys and 2 * taken.n_again >= len(taken.labels)
    cells = {column for *_, column in file.cells}
    if is_often_said and (column := whose.column_that_tells_apart(file.rows, file.names, cells)):
        raise FileError(
            f"{name} has most labels several times, under several '{column}': if it says whose "
            f"each is, add --column rater='{column}'; if it says which model's list, --column "
            f"model='{column}'; otherwise leave the repeated rows out."
        )
    if taken.n_other and is_often_said:
        raise FileError(
            f"{name} has most labels several times and not always the same, as line "
            f"{rejects[0]['source_line']} has: name the column that says whose each is with "
            "--column rater=NAME, or the one that says which model's list with --column model=NAME."
        )


def _check_cases(labels: list[Label], names: Mapping[str, str], path: Path, places: Places) -> None:
    """Raise FileError if not one label is of a case that is known."""
    known = places.case_names()
    if not places.served or any(
        label["case_ref"] in known or (label["test_set"], label["case_ref"]) in known
        for label in labels
    ):
        return
    raise FileError(
        f"{path.name}: none of its cases is known here (the first is "
        f"'{labels[0]['case_ref'][:40]}'): name their test set with --test-set"
        + (
            ", or make one of the lists in the file with --new-test-set NAME."
            if "gold" in names
            else "."
        )
    )


def _store(taken: Taken, made: list[Pair], places: Places, replace: bool, report: Report) -> None:
    """Store labels, rejects and lists, and count what is new."""
    folder, source, path = places.labels, taken.source, taken.path
    with files.locked(folder):
        kept = _merged(list(taken.labels.values()), folder, source, replace, report)
        if made:
            report.new_test_set = source.test_set
            report.n_new_cases = made_sets.store_lists(
                made, source, folder, places.runs, places.cases, path
            )
        seen = store.rows(folder, "rejects", source.judge)
        others = [reject for reject in seen if reject["source_file"] != path.name]
        rejects = [
            {**reject, "reject_number": number}
            for number, reject in enumerate([*others, *taken.rejects], 1)
        ]
        trail.note("import", source.judge, what="labels", n_labels=report.n_new, replaces=replace)
        store.write(folder, "rejects", source.judge, rejects)
        if report.n_new:
            store.write(folder, "labels", source.judge, kept)


def forget(folder: Path, judge: str, runs_dir: Path, cases_dir: Path) -> bool:
    """Delete the labels of a panel, and test sets that nobody else has labelled; False if none."""
    labels = store.rows(folder, "labels", judge)
    rejects = store.rows(folder, "rejects", judge)
    if not labels and not rejects:
        return False
    with files.locked(folder):
        trail.note("forget", judge, what="labels", n_labels=len(labels))
        store.write(folder, "labels", judge, [])
        store.write(folder, "rejects", judge, [])
        others = set(store.read(folder, "labels").column("test_set").to_pylist())
        for test_set in {row["test_set"] for row in labels} - others:
            lists = store.rows(folder, "pairs", test_set)
            for model in {row["model"] for row in lists}:
                runs_store.forget(runs_dir, f"{model}/{PROMPT}/{test_set}")
            if lists:
                store.write(folder, "pairs", test_set, [])
                cases_store.remove(cases_dir, test_set)
    return True


def _merged(
    labels: list[Label], folder: Path, source: Source, replace: bool, report: Report
) -> list[Label]:
    """What is stored of the panel with the new labels in it."""
    stored = {row["label_key"]: row for row in store.rows(folder, "labels", source.judge)}
    for label in labels:
        before = stored.get(label["label_key"])
        if before is not None and before["label"] == label["label"]:
            report.n_unchanged += 1
            continue
        if before is not None and not replace:
            raise FileError(
                f"{label['source_file']}, line {label['source_line']}: {label['judge_id']} said "
                f"'{before['label']}' before ({before['source_file']}, line "
                f"{before['source_line']}), now '{label['label']}': use --replace, or another "
                "name with --judge or --rater."
            )
        stored[label["label_key"]] = label
        report.n_new += 1
    return list(stored.values())
