"""Question files as people have them, and what is said of broken ones."""

import json

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions import keys
from python_llm.questions.imported import IMAGE, import_questions, read_imported

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


@pytest.mark.parametrize(
    ("keys", "letter", "reason"),
    [
        *((("B", "B"), "B", None), (("B", "D"), None, "keys_contradict")),
        *((("", "D"), "D", None), (("D", ""), "D", None), (("B", "F"), None, "keys_contradict")),
        *((("B", "Anulada"), None, "voided"), (("B", "B", "D"), None, "keys_contradict")),
    ],
)
def test_a_question_repeated_with_another_key_is_not_scored(tmp_path, keys, letter, reason):
    lines = [{"question": "Which?", "options": OPTIONS, "answer_idx": key} for key in keys]
    lines.append({"question": "And this?", "options": OPTIONS, "answer_idx": "A"})
    done, rows = imported(tmp_path, "exam.jsonl", "\n".join(map(json.dumps, lines)))
    assert (rows[0]["answer_letter"], rows[0]["unscored_reason"]) == (letter, reason)
    assert (rows[1]["answer_letter"], rows[1]["unscored_reason"]) == ("A", None)
    assert len(done.notes) == (reason is not None)
    if reason == "keys_contradict":
        assert f"line 1: B; exam.jsonl, line {len(keys)}: {keys[-1]}" in done.notes[0]


def test_options_in_another_order_do_not_hide_another_key(tmp_path):
    asked = {"question": "Which?", "options": OPTIONS, "answer_idx": "A"}
    for key, reason in (("D", None), ("A", "keys_contradict")):
        other = {**asked, "options": OPTIONS[::-1], "answer_idx": key}
        content = f"{json.dumps(asked)}\n{json.dumps(other)}\n"
        _, rows = imported(tmp_path, "orders.jsonl", content)
        assert [row["unscored_reason"] for row in rows] == [reason, reason]


@pytest.mark.parametrize("number", ["99", "0", "A7"])
def test_a_key_without_a_question_is_named(tmp_path, number):
    key_file = tmp_path / "key.csv"
    key_file.write_text(f"number,key\n1,B\n{number},A\n")
    content = "number,question,A,B\n1,Which?,x,y\n"
    done, rows = imported(tmp_path, "exam.csv", content, key_file=key_file)
    assert [row["answer_letter"] for row in rows] == ["B"]
    assert done.unreadable == [
        f"key.csv: 1 key without a question: {number} (A): correct the number or add the question"
    ]


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
        ('{"question": "Q", "options": ["a"], "answer_idx": "A"}', "fewer than two options"),
        ('{"question": "Q", "options": "aspirin", "answer_idx": "A"}', "fewer than two options"),
        ('{"question": "Q", "options": ["a", "", "c"], "answer_idx": "A"}', "option B is empty"),
        (
            json.dumps({"question": "Q", "options": list("abcdefghijk"), "answer_idx": "A"}),
            "more than 10 options",
        ),
    ],
)
def test_what_does_not_add_up_is_named_and_nothing_is_written(tmp_path, content, message):
    source = tmp_path / "broken.jsonl"
    source.write_text(content)
    with pytest.raises(FileError, match=r"broken\.jsonl") as error:
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


# a year's examination as spreadsheets have it: number, question with its options, key, answers
EXAM = [
    [
        "Nº",
        "Pregunta",
        "Especialidad",
        "Respuesta correcta",
        "Respuesta correcta V0",
        "GPT-9",
        "Otro",
    ],
    [
        1,
        "Pregunta asociada a la imagen 1.\nNiño con tos. ¿Qué se ve?\n1. Una.\n2. Otra.\n3. Nada.",
        "pediatría",
        None,
        2,
        "2",
        "la 3",
    ],
    [
        2,
        "2. Mujer con fiebre y 3 hallazgos:\n1) tos\n2) disnea\n¿Cuál es la causa?:\n\n1. Gripe."
        "\n\n2 . Asma.\n3. Neumonía.\n4. Ninguna.",
        None,
        None,
        3.0,
        "3. Neumonía.",
        "Respuesta: 3",
    ],
    [3, "¿Cuál es falsa?: 1. Uno 2. Dos 3. Tres", None, None, "Anulada", "1", "La 1"],
    [4, "¿Cuál de estas?\na) Uno\nb) Dos\nc) Tres", None, None, 7, "C", "No lo sé"],
    [5, "¿Y esta?\n1. Uno\n2. Dos\n4. Cuatro", None, None, 1, "1", "1"],
    [5, "¿Y de estas, qué es?\nUno\nDos\nTres\nCuatro", None, None, "4", "Cuatro", "D"],
    [7, "¿Y esta con dos?\nA. Uno\nB. Dos\nC. Tres", None, None, "1 y 3", "A", "1"],
    [8, "Sin opciones.", None, None, 1, "1", "1"],
    *[
        [n, f"¿Qué es {n}?\n1. x\n2. y\n3. z", None, None, n % 3 + 1, "2", "2"]
        for n in range(9, 21)
    ],
]


@pytest.fixture
def exam(tmp_path):
    book = openpyxl.Workbook()
    for row in EXAM:
        book.active.append(row)
    book.save(tmp_path / "MIR.xlsx")
    done = import_questions(tmp_path / "MIR.xlsx", "mir", tmp_path / "questions")
    rows = read_imported(tmp_path / "questions").to_pylist()
    return tmp_path, done, {row["question_number"]: row for row in rows}


def test_an_examination_with_its_options_in_the_text(exam):
    _, done, rows = exam
    assert rows[2]["question_text"].startswith("Mujer con fiebre y 3 hallazgos:\n1) tos")
    assert rows[2]["options"] == ["Gripe.", "Asma.", "Neumonía.", "Ninguna."]
    assert rows[3]["options"] == ["Uno", "Dos", "Tres"]
    assert rows[4]["options"] == ["Uno", "Dos", "Tres"]
    assert [rows[n]["answer_letter"] for n in (1, 2, 9)] == ["B", "C", "A"]
    assert rows[1]["subject"] == "pediatría"
    # lines without marks are options too
    assert rows[5]["options"] == ["Uno", "Dos", "Tres", "Cuatro"]
    assert rows[5]["answer_letter"] == "D"
    assert done.n_questions == 18


def test_what_is_not_scored_arrives_with_its_reason(exam):
    _, done, rows = exam
    reasons = {n: row["unscored_reason"] for n, row in rows.items() if row["unscored_reason"]}
    assert reasons == {1: "image", 3: "voided", 4: "key_is_no_option", 7: "two_keys"}
    assert [note.partition(" (")[0] for note in done.notes] == [
        "MIR.xlsx, row 5: with a key that is no option",
        "MIR.xlsx, row 8: with several keys",
    ]


def test_a_row_that_cannot_be_used_is_set_aside_with_its_reason(exam):
    _, done, _ = exam
    assert done.unreadable == [
        "MIR.xlsx, row 6: option 3 is missing between two others: add it",
        "MIR.xlsx, row 9: no column looks like options, and the text does not end with them: name "
        "them with --column option_a=COLUMN and so on, or --column options=COLUMN",
    ]


@pytest.mark.parametrize(
    "keys",
    [
        "Pregunta;RC\n" + "".join(f"{n};{n % 3 + 1}\n" for n in range(1, 21)),
        # as an official key is printed: several pairs of columns side by side
        "Pregunta;RC;Pregunta;RC\n"
        + "".join(f"{n};{n % 3 + 1};{n + 10};{(n + 10) % 3 + 1}\n" for n in range(1, 11)),
        json.dumps({str(n): n % 3 + 1 for n in range(1, 21)}),
    ],
)
def test_the_key_in_a_file_of_its_own(tmp_path, keys):
    lines = "".join(f"{n};¿Qué es {n}?;x;y;z\n" for n in range(1, 21))
    (tmp_path / "exam.csv").write_text("Número;Enunciado;A;B;C\n" + lines)
    (tmp_path / "keys.json" if keys[0] == "{" else tmp_path / "keys.csv").write_text(keys)
    (key_file,) = tmp_path.glob("keys.*")
    import_questions(tmp_path / "exam.csv", "mir", tmp_path / "q", key_file=key_file)
    rows = read_imported(tmp_path / "q").to_pylist()
    assert "".join(row["answer_letter"] for row in rows) == "".join(
        "ABC"[n % 3] for n in range(1, 21)
    )


def test_a_key_of_another_examination_is_refused(tmp_path):
    (tmp_path / "exam.csv").write_text("Número;Enunciado;A;B\n1;¿Uno?;x;y\n2;¿Dos?;x;y\n")
    (tmp_path / "keys.csv").write_text("Pregunta;RC\n101;1\n102;2\n")
    with pytest.raises(FileError, match="key of 0 of 2 questions"):
        import_questions(
            tmp_path / "exam.csv", "mir", tmp_path / "q", key_file=tmp_path / "keys.csv"
        )


PUBLISHED = {
    "mmlu.csv": "What is it?,one,two,three,four,C\nAnd this?,1,2,3,4,A\n",
    "mmlu.jsonl": '{"question": "What is it?", "subject": "anatomy", "choices": ["a", "b", "c"], '
    '"answer": 2}\n{"question": "And this?", "choices": ["a", "b", "c"], "answer": 0}\n',
    "medmcqa.json": '{"question": "What is it?", "opa": "a", "opb": "b", "opc": "c", "opd": "d", '
    '"cop": 3, "subject_name": "Anatomy", "choice_type": "single", "id": "x1"}\n'
    '{"question": "And this?", "opa": "a", "opb": "b", "opc": "c", "opd": "d", "cop": 1, '
    '"id": "x2"}',
    "arc.jsonl": '{"question": "What is it?", "choices": {"text": ["a", "b", "c"], "label": '
    '["A", "B", "C"]}, "answerKey": "C"}\n{"question": "And this?", "choices": {"text": '
    '["a", "b"], "label": ["A", "B"]}, "answerKey": "A"}\n',
    "careqa.csv": "exam_id,question,op1,op2,op3,op4,cop,year,category\n1,What is it?,a,b,c,d,3,"
    "2020,Medicine\n2,And this?,a,b,c,d,1,2020,Medicine\n",
    # lists as Python and JSON write them
    "lists.csv": "question,choices,answer\nWhat is it?,\"['a', 'b', 'c']\",2\n"
    'And this?,"[""a"", ""b""]",0\n',
    "named.csv": 'id,Question,Options,Correct Answer\n1,What is it?,"A) one; B) two; C) three",'
    'three\n2,And this?,"A) one; B) two; C) three",A) one\n',
}


@pytest.mark.parametrize(
    ("key", "letter"), [("3", "C"), (3, "C"), ("B", "B")], ids=["number", "integer", "letter"]
)
def test_a_number_beside_an_option_is_what_a_key_names(tmp_path, key, letter):
    """Whatever its place in the list; a key that is a letter counts places."""
    options = [{"text": f"number {n}", "label": str(n)} for n in (4, 2, 1, 3)]
    questions = [
        {"question": f"What is it ({n})?", "choices": options, "answerKey": key} for n in (1, 2)
    ]
    _, rows = imported(tmp_path, "arc.jsonl", "\n".join(map(json.dumps, questions)))
    right = rows[0]["options"][ord(rows[0]["answer_letter"]) - ord("A")]
    assert (right, rows[0]["answer_letter"]) == (
        "number 3" if letter == "C" else "number 2",
        letter,
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_layouts_of_published_sets(tmp_path, name):
    done, rows = imported(tmp_path, name, PUBLISHED[name])
    assert [(row["question_text"], row["answer_letter"]) for row in rows] == [
        ("What is it?", "C"),
        ("And this?", "A"),
    ]
    assert not done.unreadable


@pytest.mark.parametrize(
    ("text", "has_image"),
    [
        ("A photograph of the nails is shown. What is it?", True),
        ("A lesion is seen on the scalp (see image). What is it?", True),
        ("Urinalysis is shown in Figure 1. What is it?", True),
        ("Laboratory values are shown below. What is it?", False),
        ("He exhibits a rash, and sees two images. What is it?", False),
        ("Figura 3. ¿Qué es?", True),
        ("Se muestra la radiografía en la imagen adjunta. ¿Qué es?", True),
        ("¿Qué muestra la radiografía que se adjunta?", True),
        ("Interpret the attached 12-lead ECG. What is it?", True),
        ("The accompanying ECG was taken. What is it?", True),
        ("Véase la figura. ¿Qué es?", True),
        ("A la vista de la imagen nº 3 del cuadernillo, ¿qué es?", True),
        ("La radiografía de tórax muestra un infiltrado. ¿Qué es?", False),
        ("An ECG shows ST elevation. What is it?", False),
        ("Tiene alteraciones en la imagen corporal. ¿Qué prueba de imagen pediría?", False),
    ],
)
def test_questions_on_images_are_marked(tmp_path, text, has_image):
    line = json.dumps({"question": text, "options": OPTIONS, "answer_idx": "A"})
    _, rows = imported(tmp_path, "one.jsonl", line)
    assert (rows[0]["unscored_reason"] == "image") is has_image


def test_a_number_that_only_looks_like_one_is_no_error(tmp_path):
    rows = ["number,question,A,B,key", "²,Which drug relieves pain?,Aspirin,Lithium,A"]
    (tmp_path / "exam.csv").write_text("\n".join(rows))
    import_questions(tmp_path / "exam.csv", "exam", tmp_path / "questions")
    (row,) = read_imported(tmp_path / "questions").to_pylist()
    assert (row["question_number"], row["answer_letter"]) == (1, "A")


def test_a_cell_of_arrays_is_read_by_its_labels(tmp_path):
    cell = (
        "{'text': array(['Liver', \"Crohn's\"], dtype=object), "
        "'label': array(['B', 'A'], dtype=object)}"
    )
    content = f'question,choices,answerKey\nWhich?,"{cell.replace(chr(34), chr(34) * 2)}",A\n'
    _, rows = imported(tmp_path, "arc.csv", content)
    assert (rows[0]["options"], rows[0]["answer_letter"]) == (["Crohn's", "Liver"], "A")


def test_a_stray_backslash_is_no_text(tmp_path):
    content = "question,A,B,key\nIs it Crohn\\'s?,Crohn\\'s disease,No,A\n"
    _, rows = imported(tmp_path, "exam.csv", content)
    assert rows[0]["question_text"] == "Is it Crohn's?"
    assert rows[0]["options"][0] == "Crohn's disease"


def test_options_that_are_counted_from_zero_all_arrive(tmp_path):
    content = "question,option_0,option_1,option_2,label\nWhich?,x,y,z,0\nAnd?,x,y,z,2\n"
    _, rows = imported(tmp_path, "exam.csv", content)
    assert [row["options"] for row in rows] == [["x", "y", "z"]] * 2
    assert [row["answer_letter"] for row in rows] == ["A", "C"]


def test_a_column_called_the_question_may_hold_its_number(tmp_path):
    content = "Pregunta,Enunciado,A,B,RC\n101,¿Cuál?,x,y,1\n102,¿Qué?,x,y,2\n"
    _, rows = imported(tmp_path, "exam.csv", content)
    assert [(row["question_number"], row["question_text"]) for row in rows] == [
        (101, "¿Cuál?"),
        (102, "¿Qué?"),
    ]


@pytest.mark.parametrize("head", ["GABARITO", "SOLUCIONARIO", "Corrigé", "Soluções", "Risposte"])
def test_a_list_of_keys_has_heads_of_many_languages(tmp_path, head):
    exam = "".join(f"{n}. What is {n}?\nA) x\nB) y\n" for n in range(1, 5))
    _, rows = imported(tmp_path, "exam.txt", f"{exam}\n{head}\n1. A\n2. B\n3. B\n4. A\n")
    assert [row["answer_letter"] for row in rows] == ["A", "B", "B", "A"]


@pytest.mark.parametrize(("key", "reason"), [("X", "voided"), ("K", "key_is_no_option")])
def test_a_letter_that_is_no_option_costs_one_question(tmp_path, key, reason):
    exam = "".join(f"{n}. What is {n}?\nA) iron\nB) zinc\n" for n in range(1, 6))
    done, rows = imported(tmp_path, "exam.txt", f"{exam}\nGABARITO\n1-A 2-B 3-{key} 4-B 5-A\n")
    assert [row["answer_letter"] for row in rows] == ["A", "B", None, "B", "A"]
    assert done.unscored == {reason: 1}


def test_a_key_of_zero_is_named_with_its_line(tmp_path):
    lines = ["question,opt1,opt2,opt3,opt4,key"]
    lines += [f"Which is {n}?,a,b,c,d,{key}" for n, key in enumerate((1, 4, 0, 2))]
    done, rows = imported(tmp_path, "exam.csv", "\n".join(lines))
    assert [row["answer_letter"] for row in rows] == ["A", "D", None, "B"]
    assert [note for note in done.notes if "exam.csv, line 4: with the key 0" in note]


def test_a_question_of_number_zero_keeps_it(tmp_path):
    lines = ["id,question,A,B,key", *(f"q{n},Which is {n}?,x,y,A" for n in range(3))]
    _, rows = imported(tmp_path, "exam.csv", "\n".join(lines))
    assert [row["question_number"] for row in rows] == [0, 1, 2]


@pytest.mark.parametrize("word", ["Antwort", "Réponse", "Resposta", "Risposta", "Opção"])
def test_a_key_may_be_the_heading_of_its_option(word):
    options = ["Uno", "Dos", "Tres", "Cuatro"]
    assert keys.key_of(f"{word} B", None, options, keys.Base(1)).letter == "B"


CASES = ["A man of 40 has had fever for a week.", "A woman of 30 has a red and hot knee."]
NAMES_OF_CASES = ["vignette", "context", "clinical_case", "caso clínico", "Caso", "scenario"]


@pytest.mark.parametrize("name", [*NAMES_OF_CASES, "stem", "background", "patient", "passage"])
def test_a_case_in_a_column_of_its_own_is_part_of_the_question(tmp_path, name):
    lines = [f"id,{name},question,A,B,key", *(f"{n},{c},Which?,x,y,A" for n, c in enumerate(CASES))]
    done, rows = imported(tmp_path, "exam.csv", "\n".join(lines))
    assert [row["question_text"] for row in rows] == [f"{case}\nWhich?" for case in CASES]
    assert f"the column '{name}' stands before the question, as its case" in done.choices
    assert done.unread == ()


def test_the_enunciado_beside_a_pregunta_is_its_case(tmp_path):
    content = f"Enunciado;Pregunta;A;B;Clave\n{CASES[0]};¿Cuál?;x;y;B"
    _, rows = imported(tmp_path, "exam.csv", content)
    assert rows[0]["question_text"] == f"{CASES[0]}\n¿Cuál?"


def test_a_case_is_joined_once_and_a_code_never(tmp_path):
    content = f"case,context,question,A,B,key,extra\nC01,{CASES[0]},{CASES[0]} Which?,x,y,A,7"
    done, rows = imported(tmp_path, "exam.csv", content)
    assert rows[0]["question_text"] == f"{CASES[0]} Which?"
    assert done.unread == ("case", "context", "extra")


def test_a_question_without_the_case_of_the_others_is_named(tmp_path):
    content = (
        f"case,question,A,B,key\n{CASES[0]},Which?,x,y,A\n,And then?,x,z,A\n{CASES[1]},Why?,v,w,B"
    )
    done, rows = imported(tmp_path, "exam.csv", content)
    assert rows[1]["question_text"] == "And then?"
    assert any("line 3: no case" in choice for choice in done.choices)


def keyed(tmp_path, rows):
    lines = [f"{n},Q{n}?,{','.join(options)},{key}" for n, (*options, key) in enumerate(rows, 1)]
    return imported(tmp_path, "keyed.csv", "\n".join(["id,question,A,B,C,answer", *lines]))


def test_a_number_is_a_place_where_all_others_are(tmp_path):
    done, rows = keyed(tmp_path, [("x", "y", "z", "1"), ("x", "v", "z", "3"), ("2", "3", "4", "2")])
    assert [row["answer_letter"] for row in rows] == ["A", "C", "B"]
    assert (
        "the keys are the options' numbers, also where they may be either (row 4)" in done.choices
    )


def test_a_number_is_a_text_where_all_others_are(tmp_path):
    done, rows = keyed(tmp_path, [("x", "y", "z", "y"), ("5", "6", "7", "7"), ("2", "3", "4", "2")])
    assert [row["answer_letter"] for row in rows] == ["B", "C", "A"]
    assert "the keys are the options' texts, also where they may be either (row 4)" in done.choices


def test_numbers_that_may_be_either_are_refused(tmp_path):
    with pytest.raises(FileError, match="line 2: the key '2' is an option's text and another"):
        keyed(tmp_path, [("2", "3", "1", "2"), ("1", "3", "2", "3"), ("2", "3", "1", "2")])


def test_numbers_with_a_decimal_comma_are_keys(tmp_path):
    content = "id;question;A;B;C;answer\n1;Q1?;x;y;z;1,0\n2;Q2?;x;y;z;3,0\n3;Q3?;x;y;z;2,0"
    _, rows = imported(tmp_path, "decimal.csv", content)
    assert [row["answer_letter"] for row in rows] == ["A", "C", "B"]


def test_letters_run_together_are_two_keys(tmp_path):
    _, rows = keyed(tmp_path, [("x", "y", "z", "BC"), ("x", "v", "z", "A")])
    assert [row["unscored_reason"] for row in rows] == ["two_keys", None]


def test_a_file_whose_keys_are_no_options_is_refused(tmp_path):
    with pytest.raises(FileError, match="--column key=COLUMN"):
        keyed(tmp_path, [("x", "y", "z", "high"), ("x", "v", "z", "low"), ("u", "v", "z", "low")])


def test_a_french_column_of_answers_is_the_key(tmp_path):
    content = "N°;Énoncé;Proposition A;Proposition B;Réponse\n1;Lequel ?;x;y;B"
    _, rows = imported(tmp_path, "qcm.csv", content)
    assert [row["answer_letter"] for row in rows] == ["B"]


@pytest.mark.parametrize(
    ("text", "is_on_image"),
    [
        ("Welcher Befund ist auf dem Bild zu sehen?", True),
        ("Welche Krankheit zeigt die Abbildung?", True),
        ("Que montre la figure ?", True),
        ("Observe a imagem: qual o achado?", True),
        ("Qual reperto si vede nell'immagine?", True),
        ("Welches klinische Bild passt zu Gicht?", False),
        ("Welcher Wert war bei der Aufnahme erhöht?", False),
        ("Quel trouble de l'image corporelle ?", False),
        ("Qual exame de imagem confirma?", False),
        ("Disturbo dell'immagine corporea: quale?", False),
        ("Was zeigt das Blutbild?", False),
    ],
)
def test_questions_on_images_in_other_languages(text, is_on_image):
    assert bool(IMAGE.search(text)) is is_on_image


@pytest.mark.parametrize("key", ["A, C, D", "b, d", "acd", "1;2;4", "Uno; Tres", "Uno, Cuatro"])
def test_several_keys_are_told_as_such(key):
    options = ["Uno", "Dos", "Tres", "Cuatro"]
    assert keys.key_of(key, None, options, keys.Base(1)).reason == "two_keys"


@pytest.mark.parametrize(("key", "letter"), [("c", "C"), ("Dos", "B"), ("Uno, dos", "D")])
def test_one_key_with_a_comma_in_it_is_one(key, letter):
    options = ["Uno", "Dos", "Tres", "Uno, dos"]
    assert keys.key_of(key, None, options, keys.Base(1)).letter == letter


def test_entities_of_html_are_the_signs_they_stand_for(tmp_path):
    csv = "question,A,B,key\nWhich &ldquo;dose&rdquo;?,&lt;5 mg,5&ndash;10 mg,B\n"
    _, rows = imported(tmp_path, "a.csv", csv)
    assert [(row["question_text"], row["options"]) for row in rows] == [
        ("Which “dose”?", ["<5 mg", "5–10 mg"])
    ]


@pytest.mark.parametrize("heading", ["Lösung", "Soluzione", "Corrigé", "Solução"])
def test_a_key_is_called_a_solution(tmp_path, heading):
    csv = f"Frage,Antwort A,Antwort B,{heading}\nWelches Mittel?,Aspirin,Heparin,B\n"
    _, rows = imported(tmp_path, "a.csv", csv)
    assert [row["answer_letter"] for row in rows] == ["B"]
