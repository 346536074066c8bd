"""Labels of the diagnoses of a list: the relation to the gold diagnosis, the severity."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.labels import gradings, hits, layout, store
from python_llm.labels.cases_named import CaseNames
from python_llm.labels.made_sets import ANY_MODEL, PROMPT, Reject, list_key_of, model_of, place_of
from python_llm.labels.source import Source
from python_llm.labels.store import Pair, Subject
from python_llm.labels.taken import Taken
from python_llm.parsing.folding import column_key, name_key
from python_llm.registries.label_spelling import (
    A_NUMBER,
    REGISTRIES,
    is_doubted,
    registry,
    resolve_label,
    says_nothing,
)
from python_llm.runs.cases import KnownSets

SCALES = {"relation": "semantic", "severity": "severity"}
MOST_SHOWN = 10  # labels named in a message
A_ZERO = re.compile(r"0+(?:[.,]0+)?")
# (rater, scale, column) of each label in a row; rater None is the rater's column
Cells = Sequence[tuple[str | None, str, str]]


def check(
    rows: list[Row], names: Mapping[str, str], cells: Cells, source: Source, path: Path
) -> None:
    """Raise FileError if a file does not say which case and which diagnosis its labels are of."""
    if "case" not in names:
        raise FileError(
            f"{path.name} has no column that says which case a row is of: name it with --column "
            "case=NAME, or the gold diagnosis, if the lists are of no test set here, with "
            "--column gold=NAME (for severities of mere diagnoses their own column)."
        )
    if "diagnosis" in names:
        return
    if "rank" not in names:
        columns = [column for *_, column in cells if gradings.may_grade(rows, column)]
        if not columns:
            raise FileError(
                f"{path.name} has no column for the diagnosis: name it with --column "
                "diagnosis=NAME, or the rank with --column rank=NAME."
            )
        _ask_for_raters(rows, path)
        raise FileError(
            f"{path.name} has neither a column for the diagnosis nor for the rank: "
            f"{' and '.join(map(repr, columns))} may grade whole lists, and nothing says how. "
            "Ranks of the gold diagnosis (0: absent): write P2, P0, or add --column "
            f"gold_rank='{','.join(columns)}'. Yes and no: --column top5='{','.join(columns)}'. "
            "Labels of single diagnoses: name --column diagnosis=NAME or --column rank=NAME."
        )
    if "configuration" not in names and not source.configuration:
        raise FileError(
            f"{path.name} names ranks and not whose list they are of: add --configuration "
            "model/prompt/test_set, or a column for the diagnosis."
        )
    _check_ranks(rows, names["rank"], path)


def _ask_for_raters(rows: list[Row], path: Path) -> None:
    """Raise FileError if a file may have a yes or no of each rater for each rank."""
    if in_doubt := hits.raters_in_doubt(rows):
        listed = " ".join(f"--rater '{name}'" for name in in_doubt)
        raise FileError(
            f"{path.name}: its columns may say of each rank whether it is the gold diagnosis, for "
            f"{' and '.join(map(repr, in_doubt))} each: if so, add {listed}."
        )


def take(
    rows: list[Row],
    names: Mapping[str, str],
    cells: Cells,
    spellings: Mapping[str, dict[str, str]],
    lists: list[Pair],
    known: Collection[str],
    sets: KnownSets,
    taken: Taken,
) -> None:
    """Take the labels of `rows`; of `lists`, if the file brought them along. `known` are the
    configurations there are, `sets` the cases."""
    places = {key: pair for pair in lists for key in (place_of(pair), place_of(pair, ANY_MODEL))}
    values = [
        {role: row.values.get(column, "").strip() for role, column in names.items()} for row in rows
    ]
    cases = CaseNames(list(dict.fromkeys(value.get("case", "") for value in values)), sets)
    for row, value in zip(rows, values, strict=True):
        subject = _subject(row, value, taken.source, places, known, taken.reject)
        if subject is None:
            continue
        if not taken.source.makes_test_set and subject["test_set"]:
            case_ref, problem = cases.of(subject["test_set"], subject["case_ref"])
            if problem:
                taken.reject(row, value.get("rater", ""), "case", problem)
                continue
            subject["case_ref"] = case_ref
        for rater, scale, written in _labels_of(row, value, cells):
            label = resolve_label(written, spellings[scale])
            if label is None and says_nothing(written):
                taken.n_missing += 1
            elif not rater and "rater" in names:
                taken.reject(row, "", "rater", f"no rater: fill the column '{names['rater']}'")
            elif label is None:
                one_of = ", ".join(registry(scale))
                kind = "a doubt, not a label" if is_doubted(written) else "not a label"
                reason = f"'{written[:60]}' is {kind}: use one of {one_of}"
                taken.reject(row, rater, scale, reason)
            else:
                taken.take(row, subject, rater, scale, label, written)


def cells_of(
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
            if name not in taken and holds_labels(rows, name, spellings)
        ]
        of_raters = [
            (rater, scale or _scale_of(rows, name, spellings), name) for rater, scale, name in wide
        ]
        of_raters = [cell for cell in of_raters if cell[1] not in {scale for _, scale in long}]
        if of_raters:
            return of_raters + [("", scale, names[role]) for role, scale in long]
    if not long:
        _ask_for_raters(rows, path)
        raise FileError(
            f"{path.name} has no labels (found {', '.join(map(repr, present))}): say which column "
            "has them with --column relation=NAME or --column severity=NAME, or, if each rater "
            "has one, with --rater NAME for each; ranks of the gold diagnosis, as numbers or "
            "letters, with --column gold_rank=NAME."
        )
    rater = others[0] if others else None
    if rater is None and "rater" not in names:
        rater = ""
    return [(rater, scale, names[role]) for role, scale in long]


def meanings_wanted(rejects: Sequence[store.Reject]) -> str:
    """How to say what labels mean that are in no registry; numbers go either way."""
    written_of: dict[str, set[str]] = {}
    for reject in rejects:
        if "is not a label" in reject["reason"]:
            written_of.setdefault(reject["field"], set()).add(reject["reason"].split("'")[1])
    hints = []
    for scale, written in written_of.items():
        numbers = [A_NUMBER.fullmatch(text) for text in written]
        places = {int(number[1]) for number in numbers if number}
        labels = registry(scale)
        first = min(places, default=0)
        if not all(numbers) or max(places) - min(first, 1) >= len(labels):
            listed = " ".join(f"--label '{text}=…'" for text in sorted(written)[:MOST_SHOWN])
            hints.append(
                f" Say what your labels mean with {listed}, as in --label 'WRITTEN={labels[0]}'."
            )
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
    if (match := layout.OF_RATER.fullmatch(column_key(column))) is not None:
        return "severity" if match[2] in layout.OF_SEVERITY else "semantic"
    counts = {scale: _n_labels(rows, column, spellings[scale]) for scale in REGISTRIES}
    return "severity" if counts["severity"] > counts["semantic"] else "semantic"


def _n_labels(rows: list[Row], column: str, spellings: Mapping[str, str]) -> int:
    """In how many rows a column has a label."""
    return sum(resolve_label(row.values.get(column, ""), spellings) is not None for row in rows)


def holds_labels(rows: list[Row], column: str, spellings: dict[str, dict[str, str]]) -> bool:
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
    places: dict[tuple[str, str, str], Pair],
    known: Collection[str],
    reject: Reject,
) -> Subject | None:
    """What a row's labels are of; None, and a reject, if it does not say."""
    rater = value.get("rater", "")
    if source.makes_test_set:
        list_key = list_key_of(value, value.get("gold", ""))
        compared = name_key(value.get("diagnosis", ""))
        entry = places.get((list_key, model_of(value), compared))
        of_model = entry is not None
        if entry is None and not value.get("model"):
            entry = places.get((list_key, ANY_MODEL, compared))
        if entry is None:
            return None  # said when the lists were read
        return {
            "test_set": source.test_set,
            "configuration_id": f"{entry['model']}/{PROMPT}/{source.test_set}"
            if of_model
            else None,
            "case_ref": entry["case_ref"],
            "diagnosis_rank": None,
            "diagnosis": entry["diagnosis"],
        }
    configuration, problem = source.configuration_of(value, known)
    rank = value.get("rank", "")
    diagnosis = value.get("diagnosis", "") or None
    if problem:
        reject(row, rater, "model", problem)
        return None
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


def _check_ranks(rows: list[Row], column: str, path: Path) -> None:
    """Ranks alone say what was labelled: counted from 0, every label would be of the next one."""
    first = next(
        (row for row in rows if A_ZERO.fullmatch(row.values.get(column, "").strip())), None
    )
    if first is not None:
        raise FileError(
            f"{path.name}, line {first.number}: '{column}' is 0: number the ranks 1, 2, 3, …"
        )
