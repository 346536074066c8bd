"""Question files as people have them, and what is said of broken ones."""

import json

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions, read_imported

OPTIONS = ["Aspirin", "Heparin", "Apixaban", "Warfarin"]


def imported(tmp_path, name, content, encoding="utf-8", **options):
    source = tmp_path / name
    source.write_text(content, encoding=encoding)
    folder = tmp_path / "questions"
    done = import_questions(source, "exam", folder, **options)
    return done, read_imported(folder).to_pylist()


@pytest.mark.parametrize(
    "record",
    [
        {
            "options": dict(zip("ABCD", OPTIONS, strict=True)),
            "answer_idx": "C",
            "answer": "Apixaban",
        },
        {"options": OPTIONS, "answer": "Apixaban"},
        {"options": OPTIONS, "answer_idx": "C"},
        {
            "options": [{"key": k, "value": v} for k, v in zip("ABCD", OPTIONS, strict=True)],
            "answer_idx": "C",
        },
    ],
)
def test_json_lines_in_every_shape(tmp_path, record):
    line = json.dumps({"question": "Which drug?", "meta_info": "step1", **record})
    _, rows = imported(tmp_path, "medqa.jsonl", line + "\n\n")
    assert [(r["question_text"], r["options"], r["answer_letter"]) for r in rows] == [
        ("Which drug?", OPTIONS, "C")
    ]


def test_five_options_and_a_key_of_e(tmp_path):
    record = {
        "question": "Which?",
        "options": dict(zip("ABCDE", "vwxyz", strict=True)),
        "answer_idx": "E",
    }
    _, rows = imported(tmp_path, "five.jsonl", json.dumps(record))
    assert (len(rows[0]["options"]), rows[0]["answer_letter"]) == (5, "E")


def test_keys_that_count_from_zero(tmp_path):
    lines = [{"question": f"Q{i}", "options": OPTIONS, "answer_idx": i} for i in (0, 3)]
    _, rows = imported(tmp_path, "zero.jsonl", "\n".join(map(json.dumps, lines)))
    assert [row["answer_letter"] for row in rows] == ["A", "D"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_spanish_table(tmp_path, encoding):
    table = (
        "Nº;Pregunta;Opción A;Opción B;Opción C;Opción D;Opción E;Respuesta correcta\n"
        '1;"¿Qué fármaco, entre estos; elegiría?";Aspirina;Heparina;Apixabán;Warfarina;;3\n'
        "2;¿Cuál no?;Uno;Dos;Tres;Cuatro;Cinco;E\n"
        "3;¿Anulada?;Uno;Dos;Tres;Cuatro;;Anulada\n"
    )
    done, rows = imported(tmp_path, "mir.csv", table, encoding, skip_without_key=True)
    assert [(r["answer_letter"], len(r["options"])) for r in rows] == [("C", 4), ("E", 5)]
    assert rows[0]["question_text"] == "¿Qué fármaco, entre estos; elegiría?"
    assert done.n_without_key == 1


def test_options_in_one_cell_and_columns_by_mapping(tmp_path):
    table = "q\topts\tgood\nWhich drug?\tA) Aspirin B) Heparin C) Apixaban\tb\n"
    columns = {"question": "q", "options": "opts", "key": "good"}
    _, rows = imported(tmp_path, "own.tsv", table, columns=columns)
    assert (rows[0]["options"], rows[0]["answer_letter"]) == (OPTIONS[:3], "B")


def test_a_question_is_its_text_and_its_options(tmp_path):
    asked = {"question": "Which?", "options": OPTIONS, "answer_idx": "A"}
    line, other = json.dumps(asked), json.dumps({**asked, "options": OPTIONS[::-1]})
    done, rows = imported(tmp_path, "twice.jsonl", f"{line}\n{line}\n{other}\n")
    assert (len(rows), done.n_repeated) == (2, 1)


@pytest.mark.parametrize("contains_phi", [False, True])
def test_a_set_with_personal_health_information_says_so(tmp_path, contains_phi):
    line = json.dumps({"question": "Which?", "options": OPTIONS, "answer_idx": "A"})
    _, rows = imported(tmp_path, "phi.jsonl", line, contains_phi=contains_phi)
    assert [row["contains_phi"] for row in rows] == [contains_phi]


def test_an_option_that_says_none_is_an_option(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["question", "A", "B", "C", "key"])
    book.active.append(["Which?", "Aspirin", "None", "NaN", "B"])
    book.save(tmp_path / "none.xlsx")
    import_questions(tmp_path / "none.xlsx", "exam", tmp_path / "questions")
    (row,) = read_imported(tmp_path / "questions").to_pylist()
    assert (row["options"], row["answer_letter"]) == (["Aspirin", "None", "NaN"], "B")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"question": "Q", ', "line 1: record: no valid JSON"),
        ('{"options": ["a", "b"], "answer_idx": "A"}', "no column looks like the question"),
        ('{"question": "Q", "answer_idx": "A"}', "no column looks like options"),
        ('{"question": "Q", "options": ["a", "b"]}', "no column looks like the key"),
        ('{"question": "Q", "options": ["a", "b"], "answer_idx": "C"}', "key 'C' is not one of"),
        ('{"question": "Q", "options": ["a", "b"], "answer_idx": ""}', "--skip-without-key"),
        ('{"question": "Q", "options": ["a"], "answer_idx": "A"}', "fewer than two options"),
        ('{"question": "Q", "options": ["a", "", "c"], "answer_idx": "A"}', "option B is empty"),
        (
            json.dumps({"question": "Q", "options": list("abcdefghijk"), "answer_idx": "A"}),
            "more than 10 options",
        ),
        (
            '{"question": "Q", "options": ["a", "b"], "answer_idx": "A", "answer": "b"}',
            "the key says A, the answer's text is option B",
        ),
    ],
)
def test_what_does_not_add_up_is_named_and_nothing_is_written(tmp_path, content, message):
    source = tmp_path / "broken.jsonl"
    source.write_text(content)
    with pytest.raises(FileError, match=r"broken\.jsonl, line 1") as error:
        import_questions(source, "exam", tmp_path / "questions")
    assert message in str(error.value)
    assert not (tmp_path / "questions").exists()


def test_a_foreign_parquet_file_is_named(tmp_path):
    (tmp_path / "other.parquet").write_bytes(b"not parquet")
    with pytest.raises(FileError, match=r"other\.parquet is not a readable imported question set"):
        read_imported(tmp_path)


def test_nothing_imported_is_no_row(tmp_path):
    assert read_imported(tmp_path / "absent").num_rows == 0


SPANISH_EXAM = [
    {"pregunta": "¿Cuál es el diagnóstico?", "opciones": OPTIONS, "respuesta": "Opción B"},
    {
        "enunciado": "¿Cuál es el diagnóstico?",
        "opciones": [f"{k}. {text}" for k, text in zip("ABCD", OPTIONS, strict=True)],
        "clave": "b)",
    },
    {
        "full_question": "¿Cuál es el diagnóstico?",
        "options": {"1": "Aspirin", "2": "Heparin", "3": "Apixaban", "4": "Warfarin", "5": None},
        "correct_option": 2,
    },
    {
        "qtext": "¿Cuál es el diagnóstico?",
        "ra": "2",
        "answers": [{"aid": i, "atext": text} for i, text in enumerate(OPTIONS, 1)],
    },
]


@pytest.mark.parametrize("record", SPANISH_EXAM)
@pytest.mark.parametrize("nested", [False, True])
def test_spanish_examinations_as_they_are_published(tmp_path, record, nested):
    document = {"language": "es", "exams": {"one": {"year": "2013", "data": [record]}}}
    content = json.dumps(document if nested else [record], indent=1)
    _, rows = imported(tmp_path, "exam.json", content)
    assert [(r["question_text"], r["options"], r["answer_letter"]) for r in rows] == [
        ("¿Cuál es el diagnóstico?", OPTIONS, "B")
    ]


def test_a_spreadsheet_with_a_title_above_its_header(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Examen de 2024"])
    sheet.append([])
    sheet.append(["Número", "Enunciado", "A", "B", "C", "D", "RC"])
    sheet.append([1, "¿Cuál es el diagnóstico?", *OPTIONS, 4])
    book.save(tmp_path / "exam.xlsx")
    import_questions(tmp_path / "exam.xlsx", "exam", tmp_path / "questions")
    (row,) = read_imported(tmp_path / "questions").to_pylist()
    assert (row["options"], row["answer_letter"]) == (OPTIONS, "D")


def test_a_line_that_cannot_be_read_leaves_the_others(tmp_path):
    lines = [json.dumps({"question": text, "options": OPTIONS, "answer_idx": "C"}) for text in "ab"]
    done, rows = imported(tmp_path, "a.jsonl", "\n".join([lines[0], "{broken", lines[1]]))
    assert [row["question_text"] for row in rows] == ["a", "b"]
    assert [one[:16] for one in done.unreadable] == ["a.jsonl, line 2:"]
    with pytest.raises(FileError, match=r"a\.jsonl, line 2: .*\(2 such rows\)"):
        imported(tmp_path, "a.jsonl", "\n".join([lines[0], "{broken", "{broken"]))
