"""Tables as people bring them: every kind of file says the same, a broken one says where."""

import contextlib
import csv
import datetime
import io
import json
import time
import zipfile
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_llm import files
from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.imports.cells import text, texts
from python_llm.imports.encodings import decode
from python_llm.imports.json_rows import read_json
from python_llm.imports.tables import read_rows, read_table, roles
from python_llm.parsing.folding import column_key

WANTED = ("id", "answer")


def written(folder: Path, name: str, content: bytes | str) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def excel(folder: Path, *sheets: list[list], name: str = "a.xlsx") -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


def values(file: Path) -> list[dict[str, str]]:
    return [row.values for row in read_table(file, WANTED)]


def zipped(name):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, "x")
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,answer\n1,x,y\n", r"a\.csv, line 2: record: 3 fields where the header has"),
        ("a.csv", b'id,answer\n1,"x\n', r"a\.csv, line 2: record: a quote opened here is never"),
        ("a.csv", b"id,answer\n", r"a\.csv has no rows"),
        ("a.csv", b"id,answer\n1,x\nid,answer\n", r"a\.csv, line 3: record: the header again"),
        ("a.csv", b"id,answer,answer\n1,x,y\n", r"a\.csv: the column 'answer' is there twice"),
        ("a.csv", b" \n\n", r"a\.csv is empty"),
        ("a.csv", bytes(range(256)), r"a\.csv has no header"),
        ("a.jsonl", b'{"id": 1}\n{"id": \n', r"a\.jsonl, line 2: record: no valid JSON"),
        ("a.jsonl", b"\n[1]\n{}\n", r"a\.jsonl, line 2: record: not a JSON object"),
        ("a.jsonl", b'{"id": "\\ud800"}', r"a\.jsonl, line 1: record: half a character"),
        ("a.json", b"[null, null]", r"a\.json, item 1: record: not a JSON object"),
        (
            "a.json",
            b'[{"id": 1},\n {"id": 2]',
            r"a\.json, item 2: record: no valid JSON from line 2 on: .*, and what follows is lost",
        ),
        ("a.json", b"[" * 100_000, r"a\.json, item 1: .*nested too deeply"),
        ("a.json", b'{"id": ' + b"1" * 5000 + b"}", r"a\.json, item 1: .*number too long"),
        ("a.json", b"[]", r"a\.json has no rows"),
        ("a.parquet", b"PAR1", r"a\.parquet is not a readable Parquet"),
        ("a.xlsx", b"PK", r"a\.xlsx is not a readable Excel"),
        ("a.pdf", b"%PDF-1.7\n", r"a\.pdf is a PDF; CSV, Excel, JSON, JSON lines and Parquet are"),
        ("a.csv", b"\x89PNG\r\n\x1a\n", r"a\.csv is an image; CSV"),
        ("a.json", b"{\\rtf1 text}", r"a\.json is a rich text file; CSV"),
        ("a.doc", b"\xd0\xcf\x11\xe0" + "WordDocument".encode("utf-16-le"), "is a Word file"),
        ("a.docx", zipped("word/document.xml"), "is a Word file"),
        ("a.xlsx", zipped("case_id.csv"), "is a zip archive"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, name, content, message):
    with pytest.raises(FileError, match=message):
        read_table(written(tmp_path, name, content), WANTED)


def test_an_encrypted_archive_is_refused_in_a_sentence(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "text")
    content = bytearray(packed.getvalue())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(header) + flags] |= 1  # encrypted
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(FileError, match=r"a\.xlsx is not a readable Excel"):
        read_table(tmp_path / "a.xlsx", WANTED)


MARKDOWN = "| Rank | Diagnosis | Reason |\n|---|---|---|\n| 1 | Gout; severe | it fits, well |"
IN_CELLS = (MARKDOWN, "rank,diagnosis,reason\n1,Gout,fits", 'rank;"diagnosis";reason\n1;a;b')


@pytest.mark.parametrize("cell", IN_CELLS)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_a_table_inside_a_cell_is_not_the_table(tmp_path, cell, separator, quoting):
    content = io.StringIO()
    writer = csv.writer(content, delimiter=separator, quoting=quoting)
    writer.writerows([["id", "answer"], *([f"C{n:02}", cell] for n in range(1, 8))])
    wanted = ("id", "answer", "rank", "diagnosis", "reason")
    rows = read_table(written(tmp_path, "a.csv", content.getvalue()), wanted)
    assert [row.values for row in rows] == [{"id": f"C{n:02}", "answer": cell} for n in range(1, 8)]


def test_a_title_above_the_header_does_not_say_the_separator(tmp_path):
    content = "Answer, rank\n\nid;answer;x\n1;Gout;2\n2;Gout;2\n"
    rows = read_table(written(tmp_path, "a.csv", content), ("id", "answer", "rank"))
    assert [row.values["id"] for row in rows] == ["1", "2"]


@pytest.mark.parametrize(
    "content",
    ['"id"x,"answer"\n1,Gout\n', 'id,"answer\n1,Gout\n', '"a" title,\nid,answer\n1,Gout\n'],
)
def test_quotes_in_a_header_end_in_no_traceback(tmp_path, content):
    try:
        rows = read_table(written(tmp_path, "a.csv", content), (*WANTED, "idx"))
    except FileError:
        return
    assert rows[0].values["answer"] == "Gout"


def test_a_quote_too_many_names_every_line_it_swallowed(tmp_path):
    (tmp_path / "a.csv").write_text('id,x\n1,a\n2,"b\n3,c\n4,"d"\n5,e\n')
    lost = []
    rows = read_table(tmp_path / "a.csv", ["id"], lambda *said: lost.append(said))
    assert [row.values["id"] for row in rows] == ["1", "5"]
    ((line, _, reason),) = lost
    assert (line, reason.endswith("lines 3 to 5 lost, a quote too many")) == (3, True)


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("a.csv", "id,answer\n1,x\n2,x,y\n3,x\n", 3, "3 fields where"),
        ("a.csv", 'id,answer\n1,x\n2,"x"y\n3,x\n', 3, "not read"),
        ("a.jsonl", '{"id": 1}\n{broken json\n{"id": 3}\n', 2, "no valid JSON"),
        ("a.json", '[{"id": 1}, 2, {"id": 3}]', 2, "not a JSON object"),
    ],
)
def test_a_row_that_cannot_be_read_leaves_the_others(tmp_path, name, content, line, reason):
    said = []
    rows = read_table(written(tmp_path, name, content), WANTED, lambda *one: said.append(one))
    assert [row.values["id"] for row in rows] == ["1", "3"]
    assert [(number, text[: len(reason)]) for number, _, text in said] == [(line, reason)]


def test_a_table_of_which_less_than_half_can_be_read_is_refused(tmp_path):
    file = written(tmp_path, "a.csv", "id,answer\n1,x\n2\n3\n")
    with pytest.raises(FileError, match=r"2 of 3 rows cannot be read; the first: a\.csv, line 3"):
        read_table(file, WANTED, lambda *_: None)


def test_what_is_no_file_is_named(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        read_table(tmp_path / "none.csv", WANTED)
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path, WANTED)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_encoding_and_separator_are_found(tmp_path, encoding, separator):
    rows = [["Id", "Answer"], ["1", f"1. Niña{separator} \n2. año"]]
    lines = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    file = written(tmp_path, "a.csv", lines.encode(encoding))
    assert values(file) == [{"Id": "1", "Answer": rows[1][1]}]


def test_a_last_accent_is_kept_and_half_a_letter_cut_off(tmp_path):
    for end in ("año", "está", "é"):
        file = written(tmp_path, "a.csv", f"id,answer\n1,{end}".encode("latin-1"))
        assert values(file) == [{"id": "1", "answer": end}]
    cut = "id,answer\n1,año señ".encode()[:-1]
    assert values(written(tmp_path, "a.csv", cut)) == [{"id": "1", "answer": "año se"}]


def test_values_say_the_same_in_every_kind_of_file(tmp_path):
    row = {"id": 1.0, "answer": "None", "day": datetime.date(2026, 1, 31), "empty": None}
    as_text = {"id": "1", "answer": "None", "day": "2026-01-31", "empty": ""}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    found = [
        values(tmp_path / "a.parquet"),
        values(written(tmp_path, "a.json", json.dumps([{**row, "day": "2026-01-31"}]))),
        values(written(tmp_path, "a.csv", "id,answer,day,empty\n1,None,2026-01-31,\n")),
        values(excel(tmp_path, [list(row), list(row.values())])),
    ]
    for rows in found:
        assert {name: value[:10] for name, value in rows[0].items()} == as_text
    nested = written(tmp_path, "b.json", '[{"id": 1, "answer": ["a", {"b": 1}]}]')
    assert values(nested)[0]["answer"] == '["a", {"b": 1}]'


def test_the_sheet_with_the_header_is_read_merged_cells_filled(tmp_path):
    file = excel(
        tmp_path, [["about this book"]], [["Export"], [], ["id", "answer"], ["7", "x"], ["", "y"]]
    )
    book = openpyxl.load_workbook(file)
    book.worksheets[1].merge_cells("A4:A5")
    book.save(file)
    rows = read_table(file, WANTED)
    assert [row.number for row in rows] == [4, 5]
    assert [row.values for row in rows] == [{"id": "7", "answer": "x"}, {"id": "7", "answer": "y"}]


def test_a_header_may_be_of_words_that_tell(tmp_path):
    file = written(tmp_path, "a.csv", "Made by us; in May\nAnswer id 2;Id answer;other\n1;2;3\n")
    assert values(file) == [{"Answer id 2": "1", "Id answer": "2", "other": "3"}]


@pytest.mark.parametrize(
    "content",
    [
        "id;Anna;;Ben;\n;first;second;first;second\n1;2;3;4;5\n",
        ";Anna;;Ben;\nid;first;second;first;second\n1;2;3;4;5\n",
    ],
)
def test_a_header_of_two_rows_names_a_column_after_both(tmp_path, content):
    (row,) = read_table(written(tmp_path, "a.csv", content), ("id", "first", "second"))
    assert row.number == 3
    assert row.values == dict(
        zip(("id", "Anna first", "Anna second", "Ben first", "Ben second"), "12345", strict=True)
    )


def test_a_nameless_column_makes_no_second_header_row(tmp_path):
    file = written(tmp_path, "a.csv", "id;;answer\n;id;x\n2;y;z\n")
    assert len(read_table(file, WANTED)) == 1
    file = written(tmp_path, "a.csv", "id;;answer\n1;id;x\n2;y;z\n")
    assert values(file) == [
        {"id": "1", "": "id", "answer": "x"},
        {"id": "2", "": "y", "answer": "z"},
    ]


def test_a_header_merged_downwards_is_no_value_of_a_row(tmp_path):
    file = excel(tmp_path, [["id", "answer"], ["", "first"], ["7", "x"]])
    book = openpyxl.load_workbook(file)
    book.worksheets[0].merge_cells("A1:A2")
    book.save(file)
    assert values(file) == [{"id": "", "answer": "first"}, {"id": "7", "answer": "x"}]


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a"])
def test_the_first_bytes_say_what_a_name_does_not(tmp_path, name):
    excel(tmp_path, [["id", "answer"], ["1", "x"]]).rename(tmp_path / name)
    assert values(tmp_path / name) == [{"id": "1", "answer": "x"}]
    pq.write_table(pa.Table.from_pylist([{"id": "1", "answer": "x"}]), tmp_path / name)
    assert values(tmp_path / name) == [{"id": "1", "answer": "x"}]
    assert values(written(tmp_path, name, '[{"id": "1"}]')) == [{"id": "1"}]


def test_a_json_object_around_one_list_is_the_list(tmp_path):
    rows = [{"id": "1"}, {"id": "2"}]
    assert values(written(tmp_path, "a.json", json.dumps({"model": "m", "rows": rows}))) == rows
    lines = "\n".join(map(json.dumps, rows))
    assert values(written(tmp_path, "a.json", lines)) == rows


def test_a_line_of_json_ends_where_the_line_ends(tmp_path):
    said = "one\u2028two\x85three\x0bfour"
    line = json.dumps({"id": "1", "answer": said}, ensure_ascii=False).replace("\\u000b", "\x0b")
    rows = values(written(tmp_path, "a.jsonl", f'{line.replace(chr(11), "")}\r\n{{"id": "2"}}\n'))
    assert rows == [{"id": "1", "answer": said.replace("\x0b", "")}, {"id": "2"}]


def test_an_unreadable_row_is_reported_and_the_others_read(tmp_path):
    said = []
    content = b"id,answer\n1,x\n2,x,y\n3,z\n"
    rows = read_rows(Path("a.csv"), content, set(WANTED), lambda *what: said.append(what))
    assert [row.values["id"] for row in rows] == ["1", "3"]
    assert [(line, field) for line, field, _ in said] == [(3, "record")]


def test_columns_are_found_by_name_or_as_given(tmp_path):
    rows = read_table(written(tmp_path, "a.csv", "ID Case;Número;x\n1;2;3\n"), ["id_case"])
    known = {"case": ("case_id", "id_case"), "rank": ("numero",), "other": ("y",)}
    assert roles(rows, known, {}) == {"case": "ID Case", "rank": "Número"}
    assert roles(rows, known, {"rank": "x"})["rank"] == "x"
    with pytest.raises(FileError, match="--column colour=…: use one of case, rank, other"):
        roles(rows, known, {"colour": "x"})
    with pytest.raises(FileError, match="there is no such column; there are ID Case, Número, x"):
        roles(rows, known, {"rank": "y"})


def test_names_and_cells_are_compared_by_what_they_say():
    assert column_key(" Diagnóstico-1 (CIE) ") == "diagnostico_1_cie"
    assert [text(cell) for cell in (3.0, True, " a ", "NaN", float("nan"), None)] == [
        *("3", "true", "a", None, None, None),
    ]
    assert texts("""["Crohn's disease", 'B', None]""", None) == ["Crohn's disease", "B"]
    assert texts("['A', 'B']", ",") == ["A", "B"]
    assert texts("A | |B", "|") == ["A", "B"]
    assert texts("[broken", None) == ["broken"]


LAYOUT = pa.schema([("key", pa.string()), ("n", pa.int32())])


def test_what_is_stored_is_there_whole_or_not_at_all(tmp_path):
    target = tmp_path / "folder" / "a.parquet"
    files.write_parquet(pa.Table.from_pylist([{"key": "a", "n": 1}], schema=LAYOUT), target)
    with contextlib.suppress(RuntimeError), files.replacing(target) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert [file.name for file in target.parent.iterdir()] == ["a.parquet"]
    assert files.read_parquet([target], LAYOUT, "thing").to_pylist() == [{"key": "a", "n": 1}]


def test_an_older_layout_is_read_and_another_is_named(tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"key": ["a"]}), file)
    assert files.read_parquet([file], LAYOUT, "thing").to_pylist() == [{"key": "a", "n": None}]
    pq.write_table(pa.table({"n": [1]}), file)
    with pytest.raises(FileError, match=r"a\.parquet is not a readable thing .*: delete it"):
        files.read_parquet([file], LAYOUT, "thing")
    assert files.read_parquet([], LAYOUT, "thing").schema == LAYOUT


def test_an_empty_json_file_is_no_list_of_objects(tmp_path):
    refused = []
    rows = read_json(tmp_path / "a.json", b"", lambda *one: refused.append(one))
    assert list(rows) == []
    assert refused


def test_a_header_takes_time_by_its_length(tmp_path):
    """A table of so many columns took minutes: every name was counted among all others."""
    n = 40_000
    file = tmp_path / "wide.csv"
    names = ",".join(f"c{number}" for number in range(n))
    file.write_text(f"id,text,{names}\n1,Fever,{'x,' * (n - 1)}x\n")
    begun = time.process_time()
    with pytest.raises(FileError, match=r"wide\.csv has 40,002 columns, and at most 16,384"):
        read_table(file, ["id", "text"])
    assert time.process_time() - begun < 5


def test_a_sheet_that_unpacks_to_too_much_is_refused_unopened(tmp_path):
    file = tmp_path / "bomb.xlsx"
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as sheet,
    ):
        for _ in range(513):
            sheet.write(b"\0" * 2**20)
    with pytest.raises(FileError, match=r"bomb\.xlsx unpacks to 513 MiB, and at most 512"):
        read_table(file, ["id"])


ROWS = [{"id": "1", "text": "Fever, high", "dx": "Flu"}, {"id": "2", "text": "Rash", "dx": "Gout"}]
ITEMS = [json.dumps(row) for row in ROWS]
HTML = (
    "<html><style>td {}</style><table><tr><td>Ward</td></tr></table>"
    "<table><tr><th>id</th><th>text</th><th>dx</th></tr>"
    + "".join(f"<tr><td>{r['id']}</td><td>{r['text']}</td><td>{r['dx']}</td></tr>" for r in ROWS)
    + "</table>"
)
XML = "<?xml version='1.0'?><Workbook xmlns:ss='urn:ss'><Worksheet><Table>" + "".join(
    "<Row>" + "".join(f"<Cell><Data>{cell}</Data></Cell>" for cell in row) + "</Row>"
    for row in [["id", "text", "dx"], *(row.values() for row in ROWS)]
)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.json", f"[{ITEMS[0]}, {ITEMS[1]},]"),
        ("a.json", f"{ITEMS[0]}\n{ITEMS[1]}".replace("{", "{\n")),
        ("a.json", f"{ITEMS[0]},\n{ITEMS[1]},\n"),
        ("a.jsonl", f"{ITEMS[0]},\n{ITEMS[1]}".replace("}", ",}")),
        (
            "a.json",
            json.dumps({"columns": ["id", "text", "dx"], "data": [[*r.values()] for r in ROWS]}),
        ),
        ("a.json", json.dumps([["id", "text", "dx"], *([*r.values()] for r in ROWS)])),
        ("a.json", 'id;text;dx\n1;"Fever, high";Flu\n2;Rash;Gout\n'),
        ("a.xls", "id\ttext\tdx\n1\tFever, high\tFlu\n2\tRash\tGout\n"),
        ("a.xls", HTML),
        ("a.csv", XML),
    ],
)
def test_a_table_is_read_whatever_it_is_called(tmp_path, name, written):
    (tmp_path / name).write_text(written)
    assert [row.values for row in read_table(tmp_path / name, ["id", "text"])] == ROWS


def test_cells_over_several_rows_hold_for_each(tmp_path):
    cells = "<tr><td rowspan='2'>1</td><td>Fever<br>high</td></tr><tr><td>Rash</td></tr>"
    (tmp_path / "a.xls").write_text(f"<table><tr><td>id<td>text</tr>{cells}</table>")
    rows = read_table(tmp_path / "a.xls", ["id", "text"])
    assert [row.values for row in rows] == [
        {"id": "1", "text": "Fever\nhigh"},
        {"id": "1", "text": "Rash"},
    ]


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman", "cp850", "utf-16-le", "utf-16-be"])
def test_the_letters_of_a_file_tell_its_encoding(encoding):
    for written in (
        "id;texto\n1;Señora que acude; corazón rápido, exploración ótica. Año, inició, pediátrico",
        "id;text\n1;Die Patientin klagt über Übelkeit, Größe 1,70 m; élève, fièvre à midi",
    ):
        assert decode(written.encode(encoding)) == written
    assert decode("The patient’s wife – “ill”".encode("cp1252")) == "The patient’s wife – “ill”"


def test_of_json_that_is_cut_off_the_whole_items_are_read(tmp_path):
    refused = []
    written = f"[{ITEMS[0]},\n{ITEMS[1]},\n{ITEMS[0][:20]}"
    rows = read_json(tmp_path / "a.json", written.encode(), lambda *one: refused.append(one))
    assert [row.values for row in rows] == ROWS
    ((number, _, reason),) = refused
    assert (number, "from line 3 on" in reason, "lost" in reason) == (3, True, True)


def test_a_note_is_told_from_a_table(tmp_path):
    (tmp_path / "a.csv").write_text(
        "A man of 45 years presents with chest pain since this morning."
    )
    with pytest.raises(
        FileError, match=r"is a text and not a table: give a table .*--without-gold"
    ):
        read_table(tmp_path / "a.csv", ["id"])


def test_texts_and_columns_have_limits_in_every_format(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MOST_COLUMNS", 4)
    for name, content in {
        "wide.json": json.dumps([{name: 1 for name in "abcde"}]).encode(),
        "wide.csv": b"a,b,c,d,e\n1,2,3,4,5\n",
    }.items():
        with pytest.raises(FileError, match=f"{name} has 5 columns, and at most 4"):
            list(tables.read_rows(tmp_path / name, content, ["a"], lambda *_: None))
    by_id = json.dumps({str(number): {"text": "x"} for number in range(9)}).encode()
    assert len(list(tables.read_rows(tmp_path / "ids.json", by_id, [], lambda *_: None))) == 1

    monkeypatch.setattr(tables, "LONGEST_FIELD", 50)  # reading CSV would set it for the process
    long_text = [{"id": 1, "text": {"of": ["a" * 51]}}, {"id": 2, "text": "b" * 50}]
    content, rejects = json.dumps(long_text).encode(), []
    rows = tables.read_rows(
        tmp_path / "long.json", content, ["id"], lambda *reject: rejects.append(reject)
    )
    assert [row.values["id"] for row in rows] == [2]
    assert rejects == [(1, "record", "not read: a text has more than 50 characters")]


CHINESE = "id,answer\n1,关节红肿热痛三天，不能行走\n2,眼睑下垂傍晚加重\n"
TRADITIONAL = "id,answer\n1,關節紅腫熱痛三天，不能行走\n2,眼瞼下垂傍晚加重\n"
JAPANESE = "id,answer\n1,関節が赤く腫れている\n2,夕方に眼瞼下垂が悪化\n"
KOREAN = "id,answer\n1,관절이 붉고 부었다\n2,저녁에 눈꺼풀이 처진다\n"
RUSSIAN, GREEK = "id,answer\n1,Сустав красный\n", "id,answer\n1,Κόκκινη άρθρωση από χθες\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (CHINESE, "gb18030"),
        (TRADITIONAL, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
    ],
)
def test_encodings_of_east_asia_are_told_apart(content, encoding):
    assert decode(content.encode(encoding)) == content


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (GREEK, "cp1253"),
        ("関節発赤腫脹,痛風", "shift_jis"),
    ],
)
def test_an_encoding_that_is_not_told_is_refused(tmp_path, content, encoding):
    file = written(tmp_path, "a.csv", content.encode(encoding))
    with pytest.raises(
        FileError, match=r"a\.csv is in an encoding that is not UTF-8 .* save it as"
    ):
        values(file)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "Ból dużego palca, obrzęk; nagły niedowład połowiczy i żółtaczka"),
        ("iso8859-2", "Ból dużego palca, obrzęk; nagły niedowład połowiczy i żółtaczka"),
        ("cp1250", "Bolest palce, zčervenání kůže; porucha řeči, slabost těla, horečka, příhoda"),
        ("cp1254", "Ayak başparmağında ağrı ve şişlik, güçsüzlük, konuşma bozukluğu, hastalığı"),
        ("cp1250", "Erős fájdalom, bőrpír és tűnő tünetek; erősödő szédülés, bőrkiütés"),
    ],
)
def test_an_encoding_of_another_part_of_europe_is_refused(encoding, text):
    with pytest.raises(FileError, match="encoding that is not UTF-8"):
        decode(text.encode(encoding))
    assert decode(text.encode("utf-8")) == text


@pytest.mark.parametrize(
    "text",
    [
        "¿Qué fármaco?¿Cuál dosis? Niño con fiebre, tos y cefalea; según señala, mejoró así",
        "Sygdom hos barn på tre år, øjet er rødt, før blev det støt større, næse løber",
        "Sjúklingur með höfuðverk, þreytu og niðurgang; það er verra á nóttunni, sár í hálsi",
        "O paciente não tem infecções, põe-se de pé; orações, saúde, médico, lesões, ácido",
        "Il paziente è più stanco, però così la pressione è giù; già città, qualità, virtù",
        "Valu südames, õhupuudus, kõhuvalu, öine köha, tõsine väsimus, jõuetus",
        "La fièvre a été élevée; coût, goût, août, brûlure, ça va, garçon, œdème du cœur",
    ],
)
def test_a_language_of_western_europe_is_read(text):
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman"])
def test_a_file_of_two_encodings_is_read_by_letters(encoding):
    parts = ["1;Articulación;Ñ\n", "2;Señora con tos;día\n"]
    assert decode(parts[0].encode() + parts[1].encode(encoding)) == "".join(parts)
    quoted = "1;“sí”…;niño\n"
    assert decode(quoted.encode("cp1252")) == quoted


def test_a_table_of_markdown_has_no_rule_and_no_padding(tmp_path):
    content = "| id | answer |\n|---|:---:|\n| 1 | Red joint |\n| 2 | - |\n"
    rows = values(written(tmp_path, "a.md", content))
    assert [(row["id"], row["answer"]) for row in rows] == [("1", "Red joint"), ("2", "-")]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.yaml", "- id: 1\n  answer: Gout\n", "YAML"),
        ("a.yml", "cases:\n  - id: 1\n", "YAML"),
        ("a.xml", '<?xml version="1.0"?><cases><case id="1"/></cases>', "XML without a table"),
    ],
)
def test_yaml_and_xml_are_named_as_such(tmp_path, name, content, kind):
    with pytest.raises(FileError, match=rf"{name} is {kind}; CSV"):
        values(written(tmp_path, name, content))


def reports(file):
    sheets: list[str] = []
    rows = read_rows(file, file.read_bytes(), WANTED, lambda *problem: sheets.append(problem[2]))
    return list(rows), sheets


def test_a_hidden_sheet_that_is_read_is_named(tmp_path):
    file = excel(tmp_path, [["id", "answer"], [1, "x"]], [["id", "answer"], [2, "old"]])
    book = openpyxl.load_workbook(file)
    book.worksheets[1].sheet_state = "hidden"
    book.save(file)
    rows, (report,) = reports(file)
    assert len(rows) == 2
    assert report.startswith(f"the sheet '{book.sheetnames[1]}' is hidden")


def test_formulas_without_results_are_named_by_cell(tmp_path):
    file = excel(
        tmp_path, [["id", "part", "answer"], [1, "x", "=B2"], [2, "y", "z"], [3, "", "=B4"]]
    )
    _, (report,) = reports(file)
    assert report.startswith("C2, C4 of sheet 'Sheet' hold formulas whose results")


def test_an_upper_header_row_names_what_the_lower_one_leaves(tmp_path):
    upper, lower = ["Case", "Given", ""], ["", "answer", "id"]
    file = excel(tmp_path, [["Ward"], upper, lower, ["a", "x", 1]])
    assert values(file) == [{"Case": "a", "answer": "x", "id": "1"}]
