"""A stranger's files at every command that reads one: one sentence, and nothing written."""

import json
import random

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.imports import tables
from python_llm.test_sets.importing import Choices, import_cases

TABLES = "a.csv", "a.jsonl", "a.json", "a.xlsx", "a.parquet", "a.txt"
BYTES = {
    **{f"empty {name}": (name, b"") for name in TABLES},
    **{f"blank {name}": (name, b" \n\n") for name in TABLES},
    **{f"binary {name}": (name, random.Random(29).randbytes(4000)) for name in TABLES},
    "unknown columns": ("a.csv", b"a,b\n1,2\n"),
    "only a header": ("a.csv", b"case_id,diagnosis,relation,answer,question,key\n"),
    "nulls": ("a.json", b"[null, null]"),
    "null": ("a.json", b"null"),
    "a number": ("a.json", b"3"),
    "no rows": ("a.json", b"[]"),
    "an empty object": ("a.json", b"{}"),
    "nested": ("a.json", b"[" * 100_000),
    "a long number": ("a.json", b'{"a": ' + b"1" * 6000 + b"}"),
    "half a character": ("a.json", b'[{"case_id": "1", "answer": "\\ud800"}]'),
    "half a document": ("a.json", b'[{"case_id": "1"}, {"case'),
    "an open quote": ("a.csv", b'case_id,answer\n1,"x\n2,y\n'),
    "a huge cell": ("a.csv", b'case_id,answer\n1,"' + b"x" * 2**18 + b'"\n'),
    "odd phenopacket": (
        "a.json",
        json.dumps(
            {
                "phenotypicFeatures": [None, 3, {"type": "x"}],
                "diseases": [{"term": 3}],
                "subject": 3,
            }
        ).encode(),
    ),
    "odd nomenclature": (
        "a.json",
        json.dumps({"JDBOR": [{"date": "2026", "DisorderList": [{"Disorder": None}]}]}).encode(),
    ),
    "odd mappings": ("a.json", json.dumps({"ORPHA:1": [[{}, {}]], "x": None}).encode()),
    "odd recommendation": ("a.json", json.dumps({"recommendation": None, "patient": []}).encode()),
    "a cut archive": ("a.gz", b"\x1f\x8b\x08\x00abc"),
}
RUN = ("--model", "m", "--prompt", "p", "--test-set", "t")
COMMANDS = [
    ("runs", "import", "FILE", *RUN),
    ("runs", "import", "GOOD", *RUN, "--labels", "FILE"),
    ("labels", "import", "FILE", "--judge", "people"),
    ("labels", "import", "FILE", "--judge", "people", "--new-test-set", "lists"),
    ("questions", "import", "FILE", "--set", "exam"),
    *(
        ("cases", "import", "FILE", "--format", name, "--test-set", "some")
        for name in ("rarebench", "synthetic_v2", "phenopacket", "urg")
    ),
    ("cases", "import", "FILE", "--format", "table", "--test-set", "some", "--mapping", "MAPPING"),
    ("cases", "import", "GOOD", "--format", "table", "--test-set", "some", "--mapping", "FILE"),
    *(
        ("terminology", "import", "FILE", "--format", name)
        for name in ("orphadata", "orpha2omim", "sssom", "babelon")
    ),
    ("recommend", "FILE"),
    ("check", "FILE"),
]


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Run a command on a file with stores of its own; what it said, and what it left there."""
    monkeypatch.setattr(tables, "LONGEST_FIELD", 2**17)
    stores = tmp_path / "stores"
    for name in ("RUNS", "LABELS", "CASES", "TERMINOLOGY", "DATA", "SERVE"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(stores / name.lower()))
    good, mapping = tmp_path / "good.csv", tmp_path / "mapping.yml"
    good.write_text("case_id,answer,diagnosis\n1,Fever,Influenza\n")
    mapping.write_text("columns: {history: answer, gold_names: diagnosis}\n")
    # the set that answers are of
    import_cases(good, "table", "t", stores / "cases", Choices(mapping_file=mapping))

    def files():
        # that a file could not be read is a failed check, which `kernel29 check` keeps
        return {
            path
            for path in stores.rglob("*")
            if path.is_file() and path.name != ".lock" and path.parent.name != "checks"
        }

    before = files()

    def run(command, file):
        places = {"FILE": str(file), "GOOD": str(good), "MAPPING": str(mapping)}
        done = CliRunner().invoke(main, [places.get(word, word) for word in command])
        return done, files() - before

    return run


def is_refused(done, left, n_files=0):
    """One sentence; of a folder before it one a file."""
    assert isinstance(done.exception, SystemExit), repr(done.exception)
    # what `kernel29 check` could read and not check in full ends in 3
    assert done.exit_code == (3 if "not checkable" in done.output else 1)
    *of_files, last = done.output.strip().split("\n")
    assert ".:" not in done.output  # two sentences in one
    assert last.startswith("Error: ") or done.output.startswith(
        ("fail  schema", "fail  input_read")
    )
    assert done.output.startswith("fail") or len(of_files) <= n_files
    assert not left


@pytest.mark.parametrize("kind", BYTES)
def test_a_file_nobody_can_use_is_refused_by_every_command(tmp_path, ask, kind):
    name, content = BYTES[kind]
    file = tmp_path / name
    file.write_bytes(content)
    for command in COMMANDS:
        is_refused(*ask(command, file))


def test_what_is_no_file_is_refused_by_every_command(tmp_path, ask):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "patient_1.json").write_text("[null]")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nothing")
    for name in ("folder", "dangling.csv", "missing.csv"):
        for command in COMMANDS:
            is_refused(*ask(command, tmp_path / name), n_files=name == "folder")


@pytest.mark.parametrize(
    "mapping",
    [
        "columns: [a]",
        "columns: {history: null}",
        "columns: {gold_names: {a: 1}}",
        "columns: {history: [answer, 3]}",
        "columns: {history: answer}\nseparator: 3",
        'columns: {history: answer}\nseparator: ""',
        "columns: {history: answer}\nvalues: [1]",
        "columns: {history: answer}\nvalues: {severity: [mild]}",
        "columns: {history: answer}\nlanguage: [es]",
        ": :\n\t-",
        "3",
    ],
)
def test_a_mapping_that_says_nothing_is_refused(tmp_path, ask, mapping):
    file = tmp_path / "own.yml"
    file.write_text(mapping)
    (command,) = (one for one in COMMANDS if one[-1] == "FILE" and one[0] == "cases")
    done, left = ask(command, file)
    is_refused(done, left)
    assert "own.yml" in done.output


def test_a_workbook_of_two_sheets_and_a_single_row_are_read(tmp_path, ask):
    book = openpyxl.Workbook()
    book.active.append(["notes"])
    sheet = book.create_sheet()
    sheet.append(["case_id", "answer"])
    sheet.append(["1", "1. Flu"])
    book.save(tmp_path / "two.xlsx")
    pq.write_table(pa.table({"case_id": ["1"], "answer": ["1. Flu"]}), tmp_path / "one.parquet")
    for name in ("two.xlsx", "one.parquet"):
        done, _ = ask(COMMANDS[0], tmp_path / name)
        assert done.exit_code == 0, done.output
