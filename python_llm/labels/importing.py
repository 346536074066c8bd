"""`kernel29 labels import`: what people said of diagnoses becomes the labels of judges."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from pathlib import Path

import duckdb
import pyarrow as pa

from python_llm import files, paths, seeds
from python_llm.errors import FileError
from python_llm.labels import layout, store
from python_llm.labels.spelling import A_NUMBER, REGISTRIES, key, meant, registry, spellings_of
from python_llm.runs import store as runs_store
from python_llm.runs.importing import ALIAS
from python_llm.runs.reading import A_GOLD_RANK
from python_llm.tables import Row, fold, read_table, texts
from python_llm.test_sets import store as cases_store
from python_llm.test_sets.importing import check_name

SCALES = {"relation": "semantic", "severity": "severity"}
LIST_LENGTH = 5  # ranks of a list that are judged
MODEL, PROMPT = "judged_lists", "recorded"  # whose answers lists are that come with their labels
ANY_MODEL = "*"  # of every list of the case: whoever grades is often not told whose it is
WITHOUT_TEXT = "Only the diagnosis of this case is known: its list came with people's labels."
MOST_SHOWN = 10  # rejects named in a report
NO_LABEL = ("", "na", "n a", "nan", "null", "n d")  # as compared: -, NA, n/a
AS_LAID_OUT = ("rank", "model", "diagnosis", "relation", "severity")  # columns of layout.py's own
A_ZERO = re.compile(r"0+(?:[.,]0+)?")


@dataclass
class Report:
    """What an import did."""

    n_new: int = 0
    n_unchanged: int = 0
    judges: list[str] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)
    n_new_cases: int = 0
    new_test_set: str = ""
    unread: list[str] = field(default_factory=list)  # columns that play no role


@dataclass(frozen=True)
class Source:
    """What the labels are of, as named on the command line.

    judge: name of the panel. test_set: where the cases are. configuration: whose lists ranks are
    of, written model/prompt/test_set. makes_test_set: the lists are nowhere yet, `test_set` is to
    hold them. kind: 'person', or 'recorded' for labels of another program.
    """

    judge: str
    test_set: str = ""
    configuration: str = ""
    makes_test_set: bool = False
    kind: str = "person"
    language: str = "en"

    def __post_init__(self) -> None:
        if not ALIAS.fullmatch(self.judge):
            raise FileError(
                f"--judge '{self.judge}' is no alias: use letters, digits, '_', '-' and '.'."
            )
        if self.judge == "judges" or self.judge in _registered_judges():
            raise FileError(
                f"--judge {self.judge} is a judge of seeds/experiments/judges.csv: people's labels "
                "need a name of their own."
            )
        if self.configuration and self.configuration.count("/") != 2:
            raise FileError(
                f"--configuration '{self.configuration}': write model/prompt/test_set, as "
                "`kernel29 leaderboard` shows it."
            )
        if self.makes_test_set:
            try:
                check_name(self.test_set, "table")
            except FileError as error:
                raise FileError(f"--new-test-set: {error}") from error


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
    replace: bool = False,
) -> Report:
    """Read `path` and store its labels under `folder`; lists that are new with them.

    One row is one diagnosis: long, with a column for the relation or the severity and one for the
    rater; or wide, with a column per rater, named in `raters` or as in anna_relation. One entry of
    `raters` that is no column is the name of the only rater. `columns` maps a role of layout.ROLES
    to a column, `meanings` are pairs of a label as written and one of the registry. Labels are
    compared with the registry and the table of spellings; what cannot be read is a reject with
    line, field and reason. A file with gold diagnoses and no cases that are known makes a test set
    named as the panel, a run in it for each model the file names; `served` is the served database,
    to say at once if none of the cases is known. The same label again changes nothing; a different
    one by the same judge is a FileError unless `replace`. Nothing is written unless some label can
    be read.
    """
    given = dict(columns or {})
    rows = layout.one_row_a_diagnosis(
        read_table(path, [*given.values(), *raters, *layout.HEADINGS])
    )
    spellings = spellings_of(meanings)
    names = layout.columns_by_role(
        rows, given, path.name, lambda name: _holds_labels(rows, name, spellings)
    )
    layout.add_sheets(rows, names)
    if _are_of_a_made_set(rows, names, source, folder):
        source = replace_fields(source, makes_test_set=True)
    elif _are_of_no_set(rows, names, source, served):
        name = source.test_set or re.sub(r"\W", "_", source.judge)
        source = replace_fields(source, test_set=name, makes_test_set=True)
    rejects: list[dict] = []

    def reject(row: Row, rater: str, what: str, reason: str) -> None:
        rejects.append(
            {
                "panel": source.judge,
                "source_file": path.name,
                "source_line": row.number,
                "rater": rater or None,
                "field": what,
                "reason": reason,
            }
        )

    cells = _cells(rows, names, raters, path, spellings)
    lists: list[dict] = []
    if source.makes_test_set:
        lists = _lists(rows, names, source, path, folder, cases_dir, reject)
    elif "case" not in names:
        raise FileError(
            f"{path.name} has no column that says which case a row is of: name it with --column "
            "case=NAME, or the gold diagnosis, if the lists are of no test set here, with "
            "--column gold=NAME (for severities of mere diagnoses their own column)."
        )
    elif "diagnosis" not in names and "rank" not in names:
        raise FileError(
            f"{path.name} has no column for the diagnosis: name it with --column diagnosis=NAME, "
            f"or the rank with --column rank=NAME.{_of_gold_ranks(rows)}"
        )
    elif "diagnosis" not in names and "configuration" not in names and not source.configuration:
        raise FileError(
            f"{path.name} names ranks and not whose list they are of: add --configuration "
            "model/prompt/test_set, or a column for the diagnosis."
        )
    elif "diagnosis" not in names:
        _check_ranks(rows, names["rank"], path)
    places = {place: one for one in lists for place in (_place(one), _place(one, ANY_MODEL))}
    found: dict[str, dict] = {}
    n_again = n_other = 0
    for row in rows:
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        of = _subject(row, value, source, places, reject)
        if of is None:
            continue
        for rater, scale, written in _labels_of(row, value, cells):
            if key(written) in NO_LABEL:
                continue
            if not rater and "rater" in names:
                reject(row, "", "rater", f"no rater: fill the column '{names['rater']}'")
                continue
            label = meant(written, spellings[scale])
            if label is None:
                known = ", ".join(registry(scale))
                reject(row, rater, scale, f"'{written[:60]}' is no label: use one of {known}")
                continue
            one = {
                **of,
                "judge_id": _judge_id(source.judge, rater),
                "panel": source.judge,
                "rater": rater or None,
                "kind": source.kind,
                "scale": scale,
                "label": label,
                "label_written": written,
                "source_file": path.name,
                "source_line": row.number,
            }
            one["label_key"] = _label_key(one)
            before = found.setdefault(one["label_key"], one)
            n_again += before is not one
            n_other += before["label"] != label
            if before["label"] != label:
                reject(
                    row,
                    rater,
                    scale,
                    f"'{label}' where line {before['source_line']} says '{before['label']}': "
                    "the first stands",
                )
    if not found:
        first = (
            f" First: line {rejects[0]['source_line']}, {rejects[0]['field']}: " if rejects else ""
        )
        raise FileError(
            f"{path.name} holds no label that can be read.{first}"
            + (f"{rejects[0]['reason']}." if rejects else "")
            + _meanings_wanted(rejects)
        )
    if n_other and 2 * n_again >= len(found) and {rater for rater, *_ in cells} == {""}:
        raise FileError(
            f"{path.name} has most labels several times and not always the same, as line "
            f"{rejects[0]['source_line']} has: name the column that says whose each is with "
            "--column rater=NAME, or the one that says which model's list with --column model=NAME."
        )
    if not lists:
        _check_cases(list(found.values()), names, path, served)
    read = {*names.values(), *(column for *_, column in cells), *AS_LAID_OUT}
    report = Report(
        rejects=rejects,
        judges=sorted({one["judge_id"] for one in found.values()}),
        unread=[
            name
            for name in dict.fromkeys(n for row in rows for n in row.values)
            if name and name not in read
        ],
    )
    with files.locked(folder):
        kept = _merged(list(found.values()), folder, source, replace, report)
        if lists:
            report.new_test_set = source.test_set
            report.n_new_cases = _store_lists(lists, source, folder, runs_dir, cases_dir, path)
        seen = store.rows(folder, "rejects", source.judge)
        others = [one for one in seen if one["source_file"] != path.name]
        numbered = [
            {**one, "reject_number": number} for number, one in enumerate([*others, *rejects], 1)
        ]
        store.write(folder, "rejects", source.judge, numbered)
        if report.n_new:
            store.write(folder, "labels", source.judge, kept)
    return report


def forget(folder: Path, judge: str, runs_dir: Path, cases_dir: Path) -> bool:
    """Delete the labels of a panel, and test sets that nobody else has labelled; False if none."""
    labels = store.rows(folder, "labels", judge)
    rejects = store.rows(folder, "rejects", judge)
    if not labels and not rejects:
        return False
    with files.locked(folder):
        store.write(folder, "labels", judge, [])
        store.write(folder, "rejects", judge, [])
        others = set(store.read(folder, "labels").column("test_set").to_pylist())
        for test_set in {one["test_set"] for one in labels} - others:
            lists = store.rows(folder, "pairs", test_set)
            for model in {one["model"] for one in lists}:
                runs_store.forget(runs_dir, f"{model}/{PROMPT}/{test_set}")
            if lists:
                store.write(folder, "pairs", test_set, [])
                cases_store.remove(cases_dir, test_set)
    return True


def _judge_id(panel: str, rater: str) -> str:
    return f"{panel}/{rater}" if rater else panel


def _label_key(label: dict) -> str:
    """What makes two labels labels of the same thing by the same judge; names as compared."""
    parts = [label[name] for name in ("judge_id", "test_set", "configuration_id", "case_ref")]
    parts += [label["diagnosis_rank"], key(label["diagnosis"] or ""), label["scale"]]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _registered_judges() -> set[str]:
    return {row["judge_id"] for row in seeds.read("seeds/experiments/judges.csv")}


# (rater, scale, column) of each label in a row; rater None is the rater's column
Cells = list[tuple[str | None, str, str]]


def _cells(
    rows: list[Row],
    names: dict[str, str],
    raters: Sequence[str],
    path: Path,
    spellings: dict[str, dict[str, str]],
) -> Cells:
    """Where a row has its labels."""
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    columns = [name for name in raters if name in present]
    others = [name for name in raters if name not in present]
    if columns and others:
        raise FileError(
            f"--rater {others[0]}: there is no such column; there are {', '.join(present)}."
        )
    if len(others) > 1:
        raise FileError(
            f"--rater {others[1]}: neither it nor {others[0]} is a column of {path.name}; there "
            f"are {', '.join(present)}."
        )
    if columns:
        return [(name, _scale_of(rows, name, spellings), name) for name in columns]
    long = [(role, SCALES[role]) for role in SCALES if role in names]
    if len(long) < len(SCALES) and not others and "rater" not in names:
        wide = layout.raters_columns(present, set(names.values()))
        taken = {*names.values(), *(name for *_, name in wide)}
        wide += [
            (name, None, name)
            for name in present
            if name not in taken and _holds_labels(rows, name, spellings)
        ]
        of_raters = [
            (rater, scale or _scale_of(rows, name, spellings), name) for rater, scale, name in wide
        ]
        of_raters = [one for one in of_raters if one[1] not in {scale for _, scale in long}]
        if of_raters:
            return of_raters + [("", scale, names[role]) for role, scale in long]
    if not long:
        raise FileError(
            f"{path.name} has no labels (found {', '.join(map(repr, present))}): say which column "
            "has them with --column relation=NAME or --column severity=NAME, or, if each rater "
            "has one, with --rater NAME for each." + _of_gold_ranks(rows)
        )
    rater = others[0] if others else None
    if rater is None and "rater" not in names:
        rater = ""
    return [(rater, scale, names[role]) for role, scale in long]


def _of_gold_ranks(rows: list[Row]) -> str:
    """What to do with P0 to P5, if that is what the file has."""
    for name, text in rows[0].values.items():
        if A_GOLD_RANK.fullmatch(text):
            return (
                f" '{name}' says at which rank the gold diagnosis stands (P0: at none), of a whole "
                "list: bring such grades with the answers, by kernel29 runs import ANSWERS … "
                "--labels FILE --judge PANEL."
            )
    return ""


def _meanings_wanted(rejects: list[dict]) -> str:
    """How to say what labels mean that are in no registry; numbers go either way."""
    said: dict[str, set[str]] = {}
    for one in rejects:
        if "is no label" in one["reason"]:
            said.setdefault(one["field"], set()).add(one["reason"].split("'")[1])
    hints = []
    for scale, written in said.items():
        numbers = [A_NUMBER.fullmatch(text) for text in written]
        places = {int(number[1]) for number in numbers if number}
        labels = registry(scale)
        first = min(places, default=0)
        if not all(numbers) or max(places) - min(first, 1) >= len(labels):
            hints.append(f" Say what your labels mean with --label 'WRITTEN={labels[0]}'.")
            continue
        offset = min(first, 1)
        up, down = (
            " ".join(f"--label '{n + offset}={name}'" for n, name in enumerate(order))
            for order in (labels, labels[::-1])
        )
        best, worst = ("best", "worst") if scale == "semantic" else ("mildest", "gravest")
        hints.append(f" Numbers go either way. If the lowest is the {best}: {up}")
        hints.append(f" If the lowest is the {worst}: {down}")
    return "".join(hints)


def _scale_of(rows: list[Row], column: str, spellings: dict[str, dict[str, str]]) -> str:
    """The scale whose labels a rater's column holds more of."""
    if (found := layout.OF_RATER.fullmatch(fold(column))) is not None:
        return "severity" if found[2] in layout.OF_SEVERITY else "semantic"
    counts = {scale: _n_labels(rows, column, spellings[scale]) for scale in REGISTRIES}
    return "severity" if counts["severity"] > counts["semantic"] else "semantic"


def _n_labels(rows: list[Row], column: str, spellings: Mapping[str, str]) -> int:
    """In how many rows a column has a label."""
    return sum(meant(row.values.get(column, ""), spellings) is not None for row in rows)


def _holds_labels(rows: list[Row], column: str, spellings: dict[str, dict[str, str]]) -> bool:
    """Whether most of what a column says are labels in words: it can only be a rater's."""
    written = [row.values.get(column, "").strip() for row in rows]
    if layout.is_beside(column) or any(map(A_NUMBER.fullmatch, written)):
        return False
    n_labels = max(_n_labels(rows, column, known) for known in spellings.values())
    return 2 * n_labels > sum(map(bool, written))


def _labels_of(row: Row, value: dict[str, str], cells: Cells) -> Iterator[tuple[str, str, str]]:
    for rater, scale, column in cells:
        name = value.get("rater", "") if rater is None else rater
        yield re.sub(r"[\s/]+", "_", name.strip()), scale, row.values.get(column, "").strip()


def _subject(
    row: Row,
    value: dict[str, str],
    source: Source,
    places: dict[tuple[str, str, str], dict],
    reject,
) -> dict | None:
    """What a row's labels are of; None, and a reject, if it does not say."""
    rater = value.get("rater", "")
    if source.makes_test_set:
        list_key = _list_key(value, value.get("gold", ""))
        diagnosis = key(value.get("diagnosis", ""))
        one = places.get((list_key, _model(value), diagnosis))
        of_model = one is not None
        if one is None and not value.get("model"):
            one = places.get((list_key, ANY_MODEL, diagnosis))
        if one is None:
            return None  # said when the lists were read
        return {
            "test_set": source.test_set,
            "configuration_id": f"{one['model']}/{PROMPT}/{source.test_set}" if of_model else None,
            "case_ref": one["case_ref"],
            "diagnosis_rank": None,
            "diagnosis": one["diagnosis"],
        }
    configuration = value.get("configuration") or source.configuration or None
    rank = value.get("rank", "")
    diagnosis = value.get("diagnosis", "") or None
    if not value["case"]:
        reject(row, rater, "case", "no case")
        return None
    if diagnosis is None and not re.fullmatch(r"[1-9]\d{0,2}", rank):
        reject(row, rater, "rank", f"'{rank[:20]}' is no rank and there is no diagnosis")
        return None
    if diagnosis is None and configuration is None:
        reject(row, rater, "configuration", "a rank, and not whose list it is of")
        return None
    test_set = source.test_set or (configuration or "").rpartition("/")[2] or None
    return {
        "test_set": test_set,
        "configuration_id": configuration,
        "case_ref": value["case"],
        "diagnosis_rank": int(rank) if diagnosis is None else None,
        "diagnosis": diagnosis,
    }


def _are_of_a_made_set(
    rows: list[Row], names: dict[str, str], source: Source, folder: Path
) -> bool:
    """Whether cases are named as in the file that made their test set."""
    if not source.test_set or source.configuration or "case" not in names:
        return False
    known = {one["list_key"] for one in store.rows(folder, "pairs", source.test_set)}
    return any(_list_key({"case": _cell(row, names, "case")}, "") in known for row in rows)


def _cell(row: Row, names: dict[str, str], role: str) -> str:
    return row.values.get(names.get(role, ""), "").strip()


def _are_of_no_set(
    rows: list[Row], names: dict[str, str], source: Source, served: Path | None
) -> bool:
    """Whether the lists in a file are of no test set here and can make one."""
    if "gold" not in names or source.configuration or source.makes_test_set:
        return False
    if "case" not in names:
        return True
    if source.test_set or "diagnosis" not in names:
        return False
    refs = {_cell(row, names, "case") for row in rows}
    known = _known_cases(served)
    # the id of a case here begins with its test set, also where nothing is served yet
    return not any(ref in known or (known is NOTHING_SERVED and "/" in ref) for ref in refs)


NOTHING_SERVED: set = set()


def _known_cases(served: Path | None) -> set:
    """Every way to name a case of the served database; NOTHING_SERVED without one."""
    if served is None or not served.is_file():
        return NOTHING_SERVED
    with duckdb.connect(str(served), read_only=True) as database:
        cases = database.execute("select case_id, test_set, case_number from dim_case").fetchall()
    known = {name for name, *_ in cases}
    known |= {(test_set, name.removeprefix(f"{test_set}/")) for name, test_set, _ in cases}
    return known | {(test_set, str(number)) for _, test_set, number in cases}


def _check_ranks(rows: list[Row], column: str, path: Path) -> None:
    """Ranks alone say what was labelled: counted from 0, every label would be of the next one."""
    first = next(
        (row for row in rows if A_ZERO.fullmatch(row.values.get(column, "").strip())), None
    )
    if first is not None:
        raise FileError(
            f"{path.name}, line {first.number}: '{column}' is 0: number the ranks 1, 2, 3, …"
        )


def _check_cases(
    labels: list[dict], names: dict[str, str], path: Path, served: Path | None
) -> None:
    """Raise FileError if not one label is of a case of the served database."""
    known = _known_cases(served)
    if known is NOTHING_SERVED or any(
        one["case_ref"] in known or (one["test_set"], one["case_ref"]) in known for one in labels
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


def _merged(
    labels: list[dict], folder: Path, source: Source, replace: bool, report: Report
) -> list[dict]:
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


def _list_key(value: dict[str, str], gold: str) -> str:
    """What makes rows one list: their case where the file has cases, otherwise their gold name."""
    return f"case {value['case']}" if value.get("case") else f"gold {key(gold)}"


def _gold(value: dict[str, str], golds: Mapping[str, str]) -> str:
    """The gold diagnosis of a row; of a case that is known already it need not be said again."""
    return value.get("gold") or golds.get(_list_key(value, ""), "")


def _model(value: dict[str, str]) -> str:
    """Whose list a row is of, as an alias."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", value.get("model", "")).strip("_.-") or MODEL


def _place(one: dict, model: str = "") -> tuple[str, str, str]:
    return one["list_key"], model or one["model"], key(one["diagnosis"] or "")


def _lists(
    rows: list[Row],
    names: dict[str, str],
    source: Source,
    path: Path,
    folder: Path,
    cases_dir: Path | None,
    reject,
) -> list[dict]:
    """The lists a file brings along, those of the test set that are known already included.

    A list is what one model has under one case, in the order of its ranks, of which the first five
    are judged; where the file has no cases, the diagnoses of one gold diagnosis, five at a time.
    Of a case that is known a row need not name the gold diagnosis, nor the model if some list has
    the diagnosis.
    """
    lists = store.rows(folder, "pairs", source.test_set)
    needed = (
        {"diagnosis": "diagnosis"}
        if lists
        else {"gold": "gold diagnosis", "diagnosis": "diagnosis"}
    )
    for role, what in needed.items():
        if role not in names:
            raise FileError(
                f"{path.name} has no column for the {what}, and lists that are to be a test set "
                f"need it: name it with --column {role}=NAME."
            )
    if not lists and cases_dir and cases_store.imported_files(cases_dir, source.test_set):
        raise FileError(
            f"--new-test-set {source.test_set} is a test set of imported cases: choose another "
            "name, or give the labels with --test-set."
        )
    known = {place for one in lists for place in (_place(one), _place(one, ANY_MODEL))}
    golds = {one["list_key"]: one["gold"] for one in lists}
    of_models = {one["list_key"] for one in lists if one["model"] != MODEL}
    # the cases of a list, of which every model fills one after the other
    refs: dict[str, list[str]] = {}
    n_listed: dict[tuple[str, str], int] = {}
    for one in lists:
        of_list = refs.setdefault(one["list_key"], [])
        if one["case_ref"] not in of_list:
            of_list.append(one["case_ref"])
        place = (one["list_key"], one["model"])
        n_listed[place] = n_listed.get(place, 0) + bool(one["diagnosis"])
    last = max((int(ref) for of_list in refs.values() for ref in of_list), default=0)
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(_cell(row, names, "case"), row.number)
    if "case" in names:
        rows = sorted(
            rows, key=lambda row: (first[_cell(row, names, "case")], _rank_of(row, names))
        )
    for row in rows:
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        gold, diagnosis = _gold(value, golds), value["diagnosis"]
        for name, text in (("gold diagnosis", gold), ("diagnosis", diagnosis)):
            if not key(text):
                reject(row, value.get("rater", ""), name, f"no {name}")
        list_key = _list_key(value, gold)
        model = _model(value)
        # a case that a model had nothing to say of is one it failed
        is_empty = not key(diagnosis) and "case" in names and list_key not in refs
        if not key(gold) or not (key(diagnosis) or is_empty):
            continue
        is_of_models = "case" in names and not value.get("model") and list_key in of_models
        models = (model, ANY_MODEL) if is_of_models else (model,)
        if any((list_key, one, key(diagnosis)) in known for one in models):
            continue
        if is_of_models:
            what = "no list of the case has this diagnosis"
            reject(row, value.get("rater", ""), "diagnosis", what)
            continue
        if key(golds.setdefault(list_key, gold)) != key(gold):
            reject(
                row,
                value.get("rater", ""),
                "gold diagnosis",
                f"'{gold[:60]}' where the case had '{golds[list_key][:60]}' before",
            )
            continue
        rank = n_listed.get((list_key, model), 0)
        nth, rank = (0, rank) if "case" in names else divmod(rank, LIST_LENGTH)
        n_listed[list_key, model] = n_listed.get((list_key, model), 0) + (not is_empty)
        of_list = refs.setdefault(list_key, [])
        if nth == len(of_list):
            last += 1
            of_list.append(str(last))
        known.add((list_key, model, key(diagnosis)))
        lists.append(
            {
                "test_set": source.test_set,
                "case_ref": of_list[nth],
                "list_key": list_key,
                "model": model,
                "gold": gold,
                "diagnosis_rank": None if is_empty else rank + 1,
                "diagnosis": diagnosis or None,
                "gold_severity": value.get("gold_severity") or None,
                "source_line": row.number,
            }
        )
    return lists


def _rank_of(row: Row, names: dict[str, str]) -> int:
    found = re.search(r"\d+", row.values.get(names.get("rank", ""), ""))
    return int(found[0]) if found else 0


def _store_lists(
    lists: list[dict],
    source: Source,
    folder: Path,
    runs_dir: Path | None,
    cases_dir: Path | None,
    path: Path,
) -> int:
    """Keep the lists as a test set and a recorded run; how many cases are new."""
    before = store.rows(folder, "pairs", source.test_set)
    if len(before) == len(lists):
        return 0
    known = {one["case_ref"] for one in before}
    by_case: dict[str, list[dict]] = {}
    by_model: dict[str, dict[str, list[dict]]] = {}
    for one in lists:
        by_case.setdefault(one["case_ref"], []).append(one)
        if one["diagnosis"]:
            by_model.setdefault(one["model"], {}).setdefault(one["case_ref"], []).append(one)
    new = {ref: items for ref, items in by_case.items() if ref not in known}
    if new:
        _store_cases(new, source, cases_dir or cases_store.cases_folder(), path)
    for model, cases in by_model.items():
        answers = [_answer(ref, items, source, model, path) for ref, items in cases.items()]
        runs_store.save(
            runs_dir or paths.runs_folder(),
            f"{model}/{PROMPT}/{source.test_set}",
            answers,
            [],
            replace=True,
            source=path.name,
        )
    store.write(folder, "pairs", source.test_set, lists)
    return len(new)


def _answer(ref: str, items: list[dict], source: Source, model: str, path: Path) -> dict:
    said = [(one["diagnosis_rank"], one["diagnosis"]) for one in items]
    return {
        "configuration_id": f"{model}/{PROMPT}/{source.test_set}",
        "model_alias": model,
        "model_family": model,
        "prompt_alias": PROMPT,
        "prompt_version": "recorded",
        "output_format": "numbered_list",
        "test_set": source.test_set,
        "case_ref": ref,
        "case_id": cases_store.case_id(source.test_set, int(ref)),
        "matched_by": "id",
        "gold_written": items[0]["gold"],
        "answer_text": None,
        "diagnoses": [{"rank": rank, "diagnosis": diagnosis} for rank, diagnosis in said],
        "content_hash": hashlib.sha256(repr(said).encode()).hexdigest(),
        "source_file": path.name,
        "source_row": items[0].get("source_line", 0),
    }


def _store_cases(new: dict[str, list[dict]], source: Source, folder: Path, path: Path) -> None:
    said = repr([(ref, items[0]["gold"]) for ref, items in new.items()])
    source_hash = hashlib.sha256(said.encode()).hexdigest()[:16]
    records = [
        {
            "test_set": source.test_set,
            "source_file": path.name,
            "source_hash": source_hash,
            "source_format": "judged_lists",
            "source_row": int(ref),
            "source_line": items[0]["source_line"],
            "record_number": int(ref),
            "record_id": items[0]["list_key"],
            "language": source.language,
            "contains_phi": False,
            "reason": WITHOUT_TEXT,
            "severity": next((one["gold_severity"] for one in items if one["gold_severity"]), None),
            "gold_names": texts(items[0]["gold"], None) or [items[0]["gold"]],
        }
        for ref, items in new.items()
    ]
    cases_store.write(
        folder,
        f"{source.test_set}--{source_hash}",
        pa.Table.from_pylist(records, schema=cases_store.RECORDS),
        cases_store.REJECTS.empty_table(),
    )
