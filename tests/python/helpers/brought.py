"""Files that somebody brings, and what their imports make of them."""

import csv
import json

import openpyxl

from python_llm.imports.served import Served
from python_llm.runs import store
from python_llm.runs.cases import KnownSets
from python_llm.runs.importing import Run, import_run, read_source
from python_llm.runs.unreadable import parsed_answers
from python_llm.test_sets.importing import Choices, import_cases
from python_llm.test_sets.store import records_of


def written(folder, name, rows, **how):
    """A file of CSV."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    with file.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, **how).writerows(rows)
    return file


def as_json(folder, name, document):
    (folder / name).write_text(json.dumps(document), encoding="utf-8")
    return folder / name


def as_lines(folder, name, rows):
    (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder / name


def as_book(folder, sheets):
    """A workbook with the rows of each sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


def cases_of(file, **choices):
    """The import of a set, and id, text and golds of its cases."""
    folder = file.parent / "cases"
    done = import_cases(file, None, "t", folder, Choices(contains_phi=False, **choices))
    rows = sorted(records_of("t", folder).to_pylist(), key=lambda row: row["record_number"])
    return done, [(row["record_id"], row["narrative"], row["gold_names"]) for row in rows]


def answers_of(patients, file, model="gpt4", prompt="p"):
    """The import of a run of the `patients`, a table, and its lists by patient."""
    folder = file.parent
    cases_of(written(folder, "t.csv", patients))
    sets = KnownSets(Served(None), cases_dir=folder / "cases")
    report = import_run(read_source(file, {}), Run(model, prompt, "t"), folder / "runs", sets)
    patient = {case.case_id: case.record_id for case in sets.cases("t")}
    answers = store.read(folder / "runs", "answers").to_pylist()
    lists = {}
    for row, reading in zip(answers, parsed_answers(answers), strict=True):
        ranked = row["diagnoses"] or reading["diagnoses"]
        lists[patient[row["case_id"]]] = [item["diagnosis"] for item in ranked]
    return report, lists
