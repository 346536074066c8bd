"""Test sets made of lists that people graded and that are nowhere else: a case a gold diagnosis, a
run for each model whose lists they are."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from python_llm import paths
from python_llm.errors import FileError
from python_llm.imports.cells import texts
from python_llm.imports.numbered_rows import Row
from python_llm.labels import store
from python_llm.labels.source import Source
from python_llm.labels.store import Pair
from python_llm.parsing.folding import name_key
from python_llm.runs import store as runs_store
from python_llm.test_sets import store as cases_store

LIST_LENGTH = 5  # ranks of a list that are judged
MODEL, PROMPT = "judged_lists", "recorded"  # whose answers lists are that come with their labels
ANY_MODEL = "*"  # of every list of the case: whoever grades is often not told whose it is
WITHOUT_TEXT = "Only the diagnosis of this case is known: its list came with people's labels."

Reject = Callable[[Row, str, str, str], None]  # row, rater, field, reason


def list_key_of(value: dict[str, str], gold: str) -> str:
    """What makes rows one list: their case where the file has cases, otherwise their gold name."""
    return f"case {value['case']}" if value.get("case") else f"gold {name_key(gold)}"


def gold_of(value: dict[str, str], golds: Mapping[str, str]) -> str:
    """The gold diagnosis of a row; of a case that is known already it need not be said again."""
    return value.get("gold") or golds.get(list_key_of(value, ""), "")


def model_of(value: dict[str, str]) -> str:
    """Whose list a row is of, as an alias."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", value.get("model", "")).strip("_.-") or MODEL


def place_of(entry: Pair, model: str = "") -> tuple[str, str, str]:
    return entry["list_key"], model or entry["model"], name_key(entry["diagnosis"] or "")


def lists_of_ranks(
    rows: list[Row],
    names: dict[str, str],
    source: Source,
    path: Path,
    folder: Path,
    cases_dir: Path | None,
    reject: Reject,
) -> list[Pair]:
    """The lists a file brings along, those of the test set that are known already included.

    A list is what one model has under one case, in the order of its ranks, of which the first ten
    are judged; where the file has no cases, the diagnoses of one gold diagnosis, five at a time.
    Of a case that is known a row need not name the gold diagnosis, nor the model if some list has
    the diagnosis.
    """
    lists = store.rows(folder, "pairs", source.test_set)
    _check_columns(names, lists, source, path, cases_dir)
    book = _Lists.of(source.test_set, lists, has_cases="case" in names)
    for row in _by_case_and_rank(rows, names):
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        _take_rank(book, row, value, reject)
    return book.lists


def _check_columns(
    names: Mapping[str, str],
    lists: list[Pair],
    source: Source,
    path: Path,
    cases_dir: Path | None,
) -> None:
    """Raise FileError if a file lacks what lists are made of, or their test set is one of cases."""
    needed = (
        {"diagnosis": "diagnosis"}
        if lists
        else {"gold": "gold diagnosis", "diagnosis": "diagnosis"}
    )
    for role, title in needed.items():
        if role not in names:
            raise FileError(
                f"{path.name} has no column for the {title}, and lists that are to be a test set "
                f"need it: name it with --column {role}=NAME."
            )
    if not lists and cases_dir and cases_store.imported_files(cases_dir, source.test_set):
        raise FileError(
            f"--new-test-set {source.test_set} is a test set of imported cases: choose another "
            "name, or give the labels with --test-set."
        )


def _by_case_and_rank(rows: list[Row], names: dict[str, str]) -> list[Row]:
    """The rows of a case together, as their ranks are; as they stand where there are no cases."""
    if "case" not in names:
        return rows
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(cell(row, names, "case"), row.number)
    return sorted(rows, key=lambda row: (first[cell(row, names, "case")], _rank_of(row, names)))


@dataclass
class _Lists:
    """The lists of a test set while a file adds to them. refs: the cases of a list, of which every
    model fills one after the other; n_listed: diagnoses by list and model; last: the highest number
    of a case."""

    test_set: str
    has_cases: bool
    lists: list[Pair]
    known: set[tuple[str, str, str]]
    golds: dict[str, str]
    of_models: set[str]
    refs: dict[str, list[str]] = field(default_factory=dict)
    n_listed: Counter[tuple[str, str]] = field(default_factory=Counter)
    last: int = 0

    @classmethod
    def of(cls, test_set: str, lists: list[Pair], *, has_cases: bool) -> "_Lists":
        book = cls(
            test_set,
            has_cases,
            lists,
            known={key for row in lists for key in (place_of(row), place_of(row, ANY_MODEL))},
            golds={row["list_key"]: row["gold"] for row in lists},
            of_models={row["list_key"] for row in lists if row["model"] != MODEL},
        )
        for row in lists:
            refs = book.refs.setdefault(row["list_key"], [])
            if row["case_ref"] not in refs:
                refs.append(row["case_ref"])
            book.n_listed[row["list_key"], row["model"]] += bool(row["diagnosis"])
        book.last = max((int(ref) for refs in book.refs.values() for ref in refs), default=0)
        return book

    def add(self, list_key: str, model: str, gold: str, row: Row, value: Mapping[str, str]) -> None:
        """Add a row at the next rank of the model's list; without a diagnosis, an empty list."""
        diagnosis = value["diagnosis"]
        is_empty = not name_key(diagnosis)
        rank = self.n_listed[list_key, model]
        nth, rank = (0, rank) if self.has_cases else divmod(rank, LIST_LENGTH)
        self.n_listed[list_key, model] += not is_empty
        refs = self.refs.setdefault(list_key, [])
        if nth == len(refs):
            self.last += 1
            refs.append(str(self.last))
        self.known.add((list_key, model, name_key(diagnosis)))
        self.lists.append(
            {
                "test_set": self.test_set,
                "case_ref": refs[nth],
                "list_key": list_key,
                "model": model,
                "gold": gold,
                "diagnosis_rank": None if is_empty else rank + 1,
                "diagnosis": diagnosis or None,
                "gold_severity": value.get("gold_severity") or None,
                "source_line": row.number,
            }
        )


def _take_rank(book: _Lists, row: Row, value: dict[str, str], reject: Reject) -> None:
    """Add a row to its list unless it is there or cannot be."""
    gold, diagnosis, rater = gold_of(value, book.golds), value["diagnosis"], value.get("rater", "")
    for name, text in (("gold diagnosis", gold), ("diagnosis", diagnosis)):
        if not name_key(text):
            reject(row, rater, name, f"no {name}")
    list_key, model = list_key_of(value, gold), model_of(value)
    # a case that a model had nothing to say of is one it failed
    is_empty = not name_key(diagnosis) and book.has_cases and list_key not in book.refs
    if not name_key(gold) or not (name_key(diagnosis) or is_empty):
        return
    is_of_models = book.has_cases and not value.get("model") and list_key in book.of_models
    models = (model, ANY_MODEL) if is_of_models else (model,)
    if any((list_key, name, name_key(diagnosis)) in book.known for name in models):
        return
    if is_of_models:
        reject(row, rater, "diagnosis", "no list of the case has this diagnosis")
        return
    before = book.golds.setdefault(list_key, gold)
    if name_key(before) != name_key(gold):
        reason = f"'{gold[:60]}' where the case had '{before[:60]}' before"
        reject(row, rater, "gold diagnosis", reason)
        return
    book.add(list_key, model, gold, row, value)


def lists_of_answers(
    rows: list[Row],
    names: dict[str, str],
    source: Source,
    folder: Path,
    reject: Reject,
) -> list[Pair]:
    """The lists a file brings along as one text each, those that are known already included."""
    lists = store.rows(folder, "pairs", source.test_set)
    refs = {entry["list_key"]: entry["case_ref"] for entry in lists}
    known = {(entry["list_key"], entry["model"]) for entry in lists}
    last = max(map(int, refs.values()), default=0)
    for row in rows:
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        list_key, model = list_key_of(value, value.get("gold", "")), model_of(value)
        of_case = {name for key, name in known if key == list_key}
        if (list_key, model) in known or (of_case and not value.get("model")):
            continue
        missing = [name for name in ("gold", "diagnosis") if not name_key(value.get(name, ""))]
        if missing:
            field = {"gold": "gold diagnosis", "diagnosis": "list"}[missing[0]]
            reject(row, value.get("rater", ""), field, f"no {field}")
            continue
        if list_key not in refs:
            last += 1
            refs[list_key] = str(last)
        known.add((list_key, model))
        lists.append(
            {
                "test_set": source.test_set,
                "case_ref": refs[list_key],
                "list_key": list_key,
                "model": model,
                "gold": value["gold"],
                "diagnosis_rank": None,
                "diagnosis": None,
                "answer_text": row.values[names["diagnosis"]],
                "gold_severity": value.get("gold_severity") or None,
                "source_line": row.number,
            }
        )
    return lists


def cell(row: Row, names: Mapping[str, str], role: str) -> str:
    return row.values.get(names.get(role, ""), "").strip()


def _rank_of(row: Row, names: dict[str, str]) -> int:
    number = re.search(r"\d+", row.values.get(names.get("rank", ""), ""))
    return int(number[0]) if number else 0


def store_lists(
    lists: list[Pair],
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
    known = {entry["case_ref"] for entry in before}
    by_case: dict[str, list[Pair]] = {}
    by_model: dict[str, dict[str, list[Pair]]] = {}
    for entry in lists:
        by_case.setdefault(entry["case_ref"], []).append(entry)
        if entry["diagnosis"] or entry.get("answer_text"):
            by_model.setdefault(entry["model"], {}).setdefault(entry["case_ref"], []).append(entry)
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


def _answer(
    ref: str, items: list[Pair], source: Source, model: str, path: Path
) -> runs_store.Answer:
    text = items[0].get("answer_text")
    diagnoses = [
        (entry["diagnosis_rank"], entry["diagnosis"]) for entry in items if entry["diagnosis"]
    ]
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
        "answer_text": text,
        "diagnoses": [{"rank": rank, "diagnosis": diagnosis} for rank, diagnosis in diagnoses],
        "content_hash": hashlib.sha256(repr(text or diagnoses).encode()).hexdigest(),
        "source_file": path.name,
        "source_row": items[0].get("source_line", 0),
    }


def _store_cases(new: dict[str, list[Pair]], source: Source, folder: Path, path: Path) -> None:
    golds = repr([(ref, items[0]["gold"]) for ref, items in new.items()])
    source_hash = hashlib.sha256(golds.encode()).hexdigest()[:16]
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
            "severity": next(
                (entry["gold_severity"] for entry in items if entry["gold_severity"]), None
            ),
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
