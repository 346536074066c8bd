"""A question keeps its number and an option its letter, whatever is set aside or missing."""

import csv
import io
import json

import openpyxl
import pyarrow.parquet as pq
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.options import NoOptions, options_of, split_text
from python_llm.questions.recorded import import_answers

TEXTS = [f"Which gland makes hormone {name}?" for name in "pqrstuvw"]
KEYS = "ABCABCAB"
LOST = 3  # the question that lacks its second option
KEPT = [n for n in range(1, 9) if n != LOST]


def table(header, fault="option"):
    """Eight questions of which the third cannot be used."""
    names = [*([header] if header is not None else []), "stem", "opt1", "opt2", "opt3", "right"]
    rows = [names]
    for n, (text, key) in enumerate(zip(TEXTS, KEYS, strict=True), 1):
        row = [text, "thyroid", "pancreas", f"adrenal {n}", key]
        if n == LOST:
            row[{"text": 0, "option": 2}.get(fault, 2)] = ""
        rows.append(([n] if header is not None else []) + row)
        if n == LOST and fault == "field":
            rows[-1] = [*rows[-1][:-1], "pancreas", "one field", "too many"]
    return rows


def file_of(tmp_path, rows, kind):
    source = tmp_path / f"exam.{kind}"
    if kind == "xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(source)
    elif kind == "csv":
        written = io.StringIO()
        csv.writer(written).writerows(rows)
        source.write_text(written.getvalue(), encoding="utf-8")
    else:
        items = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        whole = items if kind == "json" else {"exam": "x", "questions": items}
        source = tmp_path / "exam.json"
        source.write_text(json.dumps(whole), encoding="utf-8")
    return source


def stored(tmp_path, source, answers):
    """The numbers of the questions, the answers by number and what is said of the answers."""
    done = import_questions(source, "exam", tmp_path / "q")
    questions = read_imported(tmp_path / "q").to_pylist()
    (tmp_path / "a.csv").write_text(answers, encoding="utf-8")
    (one,), notes = import_answers([tmp_path / "a.csv"], "exam", tmp_path / "q", model="m")
    of = {r["question_number"]: r["answer_text"] for r in pq.read_table(one.path).to_pylist()}
    assert len(done.unreadable) == 1
    return [(q["question_number"], q["answer_letter"]) for q in questions], of, notes


NUMBERED = "n,answer\n" + "".join(f"{n},{key}\n" for n, key in enumerate(KEYS, 1))
HASHED = NUMBERED.replace("n,", "#,", 1)
IN_ORDER = "answer\n" + "".join(f"{key}\n" for key in KEYS)


@pytest.mark.parametrize(
    ("header", "kind", "fault", "answers"),
    [
        *((header, "csv", "option", NUMBERED) for header in ("#", "nº", "N.º", "No.", "Núm.")),
        *((header, "csv", "option", NUMBERED) for header in ("Nro", "Q#", "Question no.", "№")),
        *((None, kind, "option", NUMBERED) for kind in ("csv", "xlsx", "json", "nested")),
        *(("#", kind, "option", HASHED) for kind in ("csv", "xlsx", "json", "nested")),
        *((None, kind, "text", IN_ORDER) for kind in ("csv", "xlsx", "json", "nested")),
        (None, "csv", "field", NUMBERED),
        ("#", "csv", "field", IN_ORDER),
    ],
)
def test_a_row_set_aside_moves_no_other(tmp_path, header, kind, fault, answers):
    source = file_of(tmp_path, table(header, fault), kind)
    questions, of, notes = stored(tmp_path, source, answers)
    assert questions == [(n, KEYS[n - 1]) for n in KEPT]
    assert of == {n: KEYS[n - 1] for n in KEPT}
    assert notes == ["a.csv, line 4: no question of exam is this one: answer set aside"]


def test_a_hash_is_a_column_of_numbers(tmp_path):
    rows = table("#")
    for n, row in enumerate(rows[1:], 101):
        row[0] = n
    import_questions(file_of(tmp_path, rows, "csv"), "exam", tmp_path / "q")
    numbers = [row["question_number"] for row in read_imported(tmp_path / "q").to_pylist()]
    assert numbers == [100 + n for n in KEPT]


def test_a_heading_takes_no_place(tmp_path):
    rows = table(None)
    rows.insert(5, ["ENDOCRINOLOGY", "", "", "", ""])
    import_questions(file_of(tmp_path, rows, "csv"), "exam", tmp_path / "q")
    numbers = [row["question_number"] for row in read_imported(tmp_path / "q").to_pylist()]
    assert numbers == KEPT


@pytest.mark.parametrize("n_answers", [7, 6])
def test_answers_that_may_be_those_of_others(tmp_path, n_answers):
    """Seven answers to eight questions of which seven were kept: which one has none?"""
    source = file_of(tmp_path, table(None), "csv")
    with pytest.raises(FileError, match="0 of"):
        stored(tmp_path, source, "\n".join(IN_ORDER.split("\n")[: n_answers + 1]))


@pytest.mark.parametrize(("first_asked", "first_answered"), [(0, 1), (1, 0)])
def test_numbers_from_0_are_not_those_from_1(tmp_path, first_asked, first_answered):
    rows = table("index")
    for n, row in enumerate(rows[1:], first_asked):
        row[0] = n
    answers = "n,answer\n" + "".join(f"{n},{k}\n" for n, k in enumerate(KEYS, first_answered))
    with pytest.raises(FileError, match="0 of 8 answers"):
        stored(tmp_path, file_of(tmp_path, rows, "csv"), answers)


GAP = "option b is missing between two others"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("a) ulna\nc) tibia\nd) femur", GAP),
        ("A. ulna; C. tibia; D. femur", "option B is missing between two"),
        ("a) ulna | c) tibia | e) femur", GAP),
        ("1. ulna\n3. tibia\n4. femur", "option 2 is missing between"),
        ("1. ulna\n2. radius\n4. femur", "option 3 is missing between"),
        ("b) ulna\nc) tibia\nd) femur", "option a is missing before"),
        ("a) ulna b) radius d) femur", "option c is missing between"),
        ("b) ulna\na) radius\nc) femur", "order of their marks"),
        (["a) ulna", "c) tibia", "d) femur"], GAP),
        ([["A", "ulna"], ["C", "tibia"], ["D", "femur"]], "option B is missing"),
        ([{"key": k, "value": v} for k, v in (("A", "ulna"), ("C", "tibia"))], "option B is miss"),
        ({"text": ["ulna", "tibia", "femur"], "label": ["A", "C", "D"]}, "option B is missing"),
    ],
)
def test_an_option_is_not_read_by_its_place(cell, reason):
    with pytest.raises(NoOptions, match=reason):
        options_of({"options": cell})


@pytest.mark.parametrize(
    "text", ["Which bone?\na) ulna\nd) tibia\ne) femur", "Which bone?\nb) ulna\nc) tibia\nd) femur"]
)
def test_nor_at_the_end_of_the_question(text):
    with pytest.raises(NoOptions, match="is missing"):
        split_text(text)


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ("a) ulna; b) tibia; c) femur", ["ulna", "tibia", "femur"]),
        ("a) ulna / b) tibia / c) femur", ["ulna", "tibia", "femur"]),
        ("a) ulna,\nb) tibia,\nc) femur", ["ulna", "tibia", "femur"]),
        ("a) the ulna\nof a child\nb) tibia", ["the ulna of a child", "tibia"]),
        ("E. coli\nC. difficile\nB. fragilis", ["E. coli", "C. difficile", "B. fragilis"]),
        ("1.5 mg\n2.5 mg\n3.5 mg", ["1.5 mg", "2.5 mg", "3.5 mg"]),
        ("1.5 mg\n3.5 mg\n7.5 mg", ["1.5 mg", "3.5 mg", "7.5 mg"]),
        ("1 - 2 weeks\n3 - 4 weeks\n5 - 6 weeks", ["1 - 2 weeks", "3 - 4 weeks", "5 - 6 weeks"]),
        ([{"key": "B", "value": "tibia"}, {"key": "A", "value": "ulna"}], ["ulna", "tibia"]),
        ([{"id": 7, "value": "ulna"}, {"id": 9, "value": "tibia"}], ["ulna", "tibia"]),
    ],
)
def test_what_is_a_mark_and_what_is_none(cell, options):
    assert options_of({"options": cell}) == options


def test_a_letter_in_a_row_of_its_own(tmp_path):
    """An option a row: the row of option b is not there."""
    rows = [["n", "question", "correct"]]
    for n, text in enumerate(TEXTS, 1):
        rows.append([n, text, ""])
        letters = "acd" if n == LOST else "abc"
        rows += [[letter, f"gland {letter}", "x" if letter == "c" else ""] for letter in letters]
    done = import_questions(file_of(tmp_path, rows, "csv"), "exam", tmp_path / "q")
    questions = read_imported(tmp_path / "q").to_pylist()
    assert [(q["question_number"], q["answer_letter"]) for q in questions] == [
        (n, "C") for n in KEPT
    ]
    assert [GAP in reason for reason in done.unreadable] == [True]


def test_a_key_file_with_a_hash_for_its_numbers(tmp_path):
    rows = [row[:-1] for row in table("#")]
    (tmp_path / "key.csv").write_text(HASHED.replace("answer", "key"), encoding="utf-8")
    source = file_of(tmp_path, rows, "csv")
    import_questions(source, "exam", tmp_path / "q", key_file=tmp_path / "key.csv")
    questions = read_imported(tmp_path / "q").to_pylist()
    assert [(q["question_number"], q["answer_letter"]) for q in questions] == [
        (n, KEYS[n - 1]) for n in KEPT
    ]


@pytest.mark.parametrize(
    ("header", "flags"),
    [("correct", ("TRUE", "FALSE")), ("correcta", ("sí", "no")), ("correct", ("1", "0"))],
)
def test_whether_a_model_was_right_is_no_key(tmp_path, header, flags):
    rows = [["id", "question", "A", "B", "C", "answer", header]]
    for n, (text, key) in enumerate(zip(TEXTS, KEYS, strict=True), 1):
        rows.append([n, text, "thyroid", "pancreas", "adrenal", key, flags[n % 2]])
    with pytest.raises(FileError, match=f"'{header}' says .* whether the answer in 'answer' was"):
        import_questions(file_of(tmp_path, rows, "csv"), "exam", tmp_path / "q")


def test_true_is_a_key_where_it_is_an_option(tmp_path):
    rows = [["id", "question", "A", "B", "correct"]]
    rows += [[n, text, "True", "False", str(n % 2 > 0)] for n, text in enumerate(TEXTS, 1)]
    import_questions(file_of(tmp_path, rows, "csv"), "exam", tmp_path / "q")
    keys = [row["answer_letter"] for row in read_imported(tmp_path / "q").to_pylist()]
    assert keys == ["A", "B"] * 4
