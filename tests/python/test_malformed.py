"""A stranger's files at every command that reads one: one sentence, and nothing written."""

import json
import os
import random
import subprocess
import zipfile
from itertools import pairwise

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner

from python_llm import files
from python_llm.console.cli import main
from python_llm.errors import FileError, UserError
from python_llm.experiments import file as experiment
from python_llm.imports import tables
from python_llm.imports.rejects import unread
from python_llm.job.changes import fingerprints
from python_llm.parsing import yaml_text
from python_llm.phenotyping import phenopacket
from python_llm.phenotyping.phenopacket import is_phenopacket
from python_llm.questions import course_files
from python_llm.test_sets.importing import Choices, import_cases
from python_llm.test_sets.reading import read_mapping

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
    "a key twice": ("a.json", b'[{"case_id": "1", "answer": "1. Flu", "answer": "1. Gout"}]'),
    "an endless number": ("a.json", b'[{"case_id": "1", "answer": 1e999}]'),
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
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("folder", "dangling.csv", "missing.csv", "pipe.json"):
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


def test_a_pipe_and_a_name_of_two_lines_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.yml")
    (tmp_path / "two\nlines.csv").write_text("id,text\n1,a\n")
    with pytest.raises(UserError, match="no regular file"):
        experiment.read(tmp_path / "pipe.yml")
    with pytest.raises(FileError, match="no regular file"):
        read_mapping(tmp_path / "pipe.yml")
    with pytest.raises(FileError, match=r"two\\nlines.csv: the name has a line break"):
        tables.read(tmp_path / "two\nlines.csv")


BOMB = "a: &a [lol]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise("abcdefghi")
)


@pytest.mark.parametrize("text", [BOMB, "a: &a [*a]\n", "a: " + "[" * 5000])
def test_yaml_of_more_than_is_written_is_refused(tmp_path, text):
    file = tmp_path / "bomb.yaml"
    file.write_text(text)
    for read in (
        lambda: course_files.rows_of(file, text.encode()),
        lambda: read_mapping(file),
        lambda: experiment.read(file),
    ):
        with pytest.raises(UserError, match=r"stand for far more|nested too deeply"):
            read()


def test_a_few_aliases_and_a_key_once_are_read():
    assert yaml_text.value_of("a: &x [1]\nb: *x\n") == {"a": [1], "b": [1]}
    with pytest.raises(yaml.MarkedYAMLError, match="the key 'a' is there twice"):
        yaml_text.value_of("a: 1\na: 2\n")


def test_rows_with_a_key_twice_or_no_end_are_set_aside(tmp_path):
    file, rejects = tmp_path / "a.jsonl", []
    good = {"id": "1", "text": "Fever", "age": float("nan")}
    file.write_text(
        json.dumps(good)
        + '\n{"id": "2", "text": "a", "text": "b"}\n{"id": "3", "text": -Infinity}\n'
        + '{"id": "4", "text": "x", "more": [{"p": 1e999}]}\n'
    )
    rows = list(tables.read_rows(file, file.read_bytes(), ["id"], lambda *r: rejects.append(r)))
    assert [row.values["id"] for row in rows] == ["1"]
    assert [line for line, _, _ in rejects] == [2, 3, 4]
    assert "'text' is there twice" in rejects[0][2]
    assert "a number without end" in rejects[1][2]
    table = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["1", "2"], "text": [1.0, float("inf")]}), table)
    rejects.clear()
    rows = tables.read_rows(table, table.read_bytes(), ["id"], lambda *r: rejects.append(r))
    assert [row.number for row in rows] == [1]
    assert "without end" in rejects[0][2]


def test_a_phenopacket_nested_too_deeply_is_no_traceback():
    with pytest.raises(UserError, match="nested too deeply"):
        is_phenopacket('{"a":' * 100_000)
    with pytest.raises(UserError, match="'subject' is there twice"):
        phenopacket.read('{"phenotypicFeatures": [], "subject": {}, "subject": {}}')
    for written in ("3", "true", '"HP:0001250"', '{"type": {"id": "HP:0001250"}}'):
        with pytest.raises(UserError, match="phenotypicFeatures is no list"):
            phenopacket.read(f'{{"phenotypicFeatures": {written}}}')


def test_a_killed_import_leaves_nothing_behind_a_forget(tmp_path, ask):
    cases = tmp_path / "stores" / "cases"
    (dead := subprocess.Popen(["true"])).wait()
    draft = cases / "records" / f".gone--a1.parquet.{dead.pid}.tmp"
    alive = cases / "records" / f".gone--a2.parquet.{os.getpid()}.tmp"
    rejects = cases / "rejects" / "gone--a1.parquet"
    for file in (draft, alive, rejects):
        file.write_text("Words of a patient")
    done, _ = ask(("cases", "forget", "gone"), tmp_path)
    assert done.exit_code == 0, done.output
    assert not draft.exists()
    assert not rejects.exists()
    draft.write_text("Words of a patient")
    with files.locked(cases):
        assert not draft.exists()
        assert alive.exists()
    alive.unlink()
    done, _ = ask(("cases", "forget", "gone"), tmp_path)
    assert "Nothing was imported" in done.output


def test_the_first_of_many_unread_columns_are_named():
    assert unread(["a", "b"]) == "Not read: a, b."
    assert unread([f"c{n}" for n in range(10_000)]).endswith("c19 and 9,980 more.")


def test_a_manifest_that_is_being_written_is_waited_for(tmp_path, monkeypatch):
    file = tmp_path / "manifest.json"
    file.write_text('{"nodes": {"a"')
    monkeypatch.setattr(fingerprints, "LONGEST_WRITE", 0.3)
    with pytest.raises(UserError, match="DBT_TARGET_PATH"):
        fingerprints.read_whole(file)
    monkeypatch.setattr(fingerprints, "LONGEST_WRITE", 20)
    monkeypatch.setattr(fingerprints.time, "sleep", lambda _: file.write_text('{"nodes": {}}'))
    assert fingerprints.read_whole(file) == {"nodes": {}}


@pytest.mark.parametrize("last", ["XFD1048576", "ZZ900000"])
def test_a_cell_far_from_its_table_is_not_laid_out(tmp_path, last):
    book = openpyxl.Workbook()
    book.active.append(["case_id", "text", "diagnosis"])
    book.active.append(["1", "Fever", "Flu"])
    book.active[last] = "x"
    book.save(tmp_path / "far.xlsx")
    with pytest.raises(FileError, match=r"far.xlsx has 7 filled cells as far apart as row"):
        tables.read_table(tmp_path / "far.xlsx", ["case_id", "text"])


def test_a_damaged_part_of_a_workbook_is_no_traceback(tmp_path):
    book = openpyxl.Workbook()
    for row in (["case_id", "text"], *([f"C{n}", f"Fever {n}"] for n in range(99))):
        book.active.append(row)
    file = tmp_path / "a.xlsx"
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        part = archive.getinfo("xl/worksheets/sheet1.xml")
    content = bytearray(file.read_bytes())
    start = part.header_offset + 30 + len(part.filename)
    content[start : start + 40] = b"\xff" * 40
    file.write_bytes(content)
    with pytest.raises(FileError, match=r"a.xlsx is not a readable Excel file"):
        tables.read_table(file, ["case_id", "text"])


def test_an_entity_without_a_text_is_refused(tmp_path):
    file = tmp_path / "a.xls"
    page = "<html><style>a&b;</style><table><tr><td>case_id<td>text</tr>\n<tr><td>1<td>{}</tr>"
    file.write_text(page.format("Fever &amp; rash &gt; 38&deg;, R&D, AT&amp;T;"))
    (row,) = tables.read_table(file, ["case_id", "text"])
    assert row.values["text"] == "Fever & rash > 38°, R&D, AT&T;"
    file.write_text(page.format("Fever &j; rash"))
    with pytest.raises(FileError, match=r"a.xls, line 2: HTML has no entity &j;"):
        tables.read_table(file, ["case_id", "text"])
