"""Examinations and answers in the forms in which they are published, each written here small."""

import io
import json
import zipfile

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.recorded import import_answers, read_recorded

N = 8
KEYS = [n % 4 for n in range(1, N + 1)]
ASKED = [f"Mujer de {30 + n} años con 38,5 ºC. ¿Qué fármaco {n} pautaría?" for n in range(1, N + 1)]
OPTIONS = [f"Fármaco {n}, 5 mg" for n in range(4)]
ITEMS = list(zip(range(1, N + 1), ASKED, KEYS, strict=True))
LETTERS = "ABCD"


def lines(marks, number="{n}. ", answer="Respuesta correcta: {letter}", between="\n"):
    return "".join(
        number.format(n=n)
        + asked
        + "\n"
        + "".join(f"{mark} {option}\n" for mark, option in zip(marks, OPTIONS, strict=True))
        + answer.format(letter=LETTERS[key], n=key + 1, text=OPTIONS[key])
        + "\n"
        + between
        for n, asked, key in ITEMS
    )


NUMBERED = ("1.-", "2.-", "3.-", "4.-")
SMALL = ("a)", "b)", "c)", "d)")
KEY_LIST = "".join(f"{n}. {LETTERS[key]}\n" for n, _, key in ITEMS)
TEXTS = {
    "small letters": lines(SMALL),
    "capitals, no space between": lines(("A.", "B.", "C.", "D."), between=""),
    "numbers": lines(NUMBERED, "{n}.- ", "RC: {n}"),
    "headed": lines(("1-", "2-", "3-", "4-"), "Pregunta {n}\n", "Respuesta: {n}"),
    "brackets": lines(("(A)", "(B)", "(C)", "(D)"), "{n}) ", "Correct answer: {letter}) {text}"),
    "bullets": lines(("•",) * 4),
    "Aiken": lines(("A.", "B.", "C.", "D."), "", "ANSWER: {letter}"),
    "Markdown": lines(("- A)", "- B)", "- C)", "- D)"), "**{n}.** ", "\n**Respuesta: {letter}**"),
    "keys at the end": lines(SMALL, answer="") + "\nRESPUESTAS CORRECTAS\n" + KEY_LIST,
    "GIFT": "".join(
        f"::P{n}:: {asked} {{\n"
        + "".join(f"{'=' if i == key else '~'}{option}\n" for i, option in enumerate(OPTIONS))
        + "}\n\n"
        for n, asked, key in ITEMS
    ),
    "marked at the option": "".join(
        f"{n}. {asked}\n"
        + "".join(
            f"{LETTERS[i]}) {option}{' (correcta)' if i == key else ''}\n"
            for i, option in enumerate(OPTIONS)
        )
        + "\n"
        for n, asked, key in ITEMS
    ),
}


def check(folder, file, **options):
    """Every question arrives with its options and its key, and the sums add up."""
    done = import_questions(file, "exam", folder / "questions", **options)
    rows = read_imported(folder / "questions").to_pylist()
    assert done.n_questions + done.n_repeated + len(done.unreadable) == N, done
    keyed = {row["question_text"]: row for row in rows}
    assert list(keyed) == ASKED
    for asked, key in zip(ASKED, KEYS, strict=True):
        row = keyed[asked]
        assert sorted(row["options"]) == OPTIONS
        assert row["answer_letter"], (row["unscored_reason"], row)
        assert row["options"]["ABCD".index(row["answer_letter"])] == OPTIONS[key]
    return rows


def test_a_question_without_its_answer_stays_out_of_the_next(tmp_path):
    text = TEXTS["Aiken"]
    assert text.count("ANSWER: D\n") == 2
    file = tmp_path / "exam.txt"
    file.write_text(text.replace("ANSWER: D\n", "", 1), encoding="utf-8")
    done = import_questions(file, "exam", tmp_path / "questions")
    rows = {row["question_text"]: row for row in read_imported(tmp_path / "questions").to_pylist()}
    assert done.n_questions + len(done.unreadable) == N
    assert list(rows) == ASKED
    assert [row["unscored_reason"] for row in rows.values() if row["unscored_reason"]] == ["no_key"]


@pytest.mark.parametrize("name", TEXTS)
def test_examinations_written_as_text(tmp_path, name):
    (tmp_path / "exam.txt").write_text(TEXTS[name], encoding="utf-16" if "RC" in name else "utf-8")
    check(tmp_path, tmp_path / "exam.txt")


def test_a_word_document(tmp_path):
    head = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    body = "".join(f"<w:p><w:r><w:t>{x}</w:t></w:r></w:p>" for x in TEXTS["numbers"].splitlines())
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("word/document.xml", f"{head}<w:body>{body}</w:body></w:document>")
    (tmp_path / "exam.docx").write_bytes(content.getvalue())
    check(tmp_path, tmp_path / "exam.docx")
    (tmp_path / "exam.docx").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(FileError, match=r"exam\.docx is no Word document: save it as text"):
        check(tmp_path, tmp_path / "exam.docx")


@pytest.mark.parametrize("keys", [KEY_LIST, " ".join(f"{n}-{key + 1}" for n, _, key in ITEMS)])
def test_text_with_its_keys_in_another_text(tmp_path, keys):
    (tmp_path / "exam.txt").write_text(lines(NUMBERED, answer=""))
    (tmp_path / "keys.txt").write_text(keys)
    check(tmp_path, tmp_path / "exam.txt", key_file=tmp_path / "keys.txt")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("separator", ";\t|")
def test_tables_in_every_encoding(tmp_path, encoding, separator):
    table = [["Nº", "Enunciado", "Opción 1", "Opción 2", "Opción 3", "Opción 4", "RC"]]
    table += [[str(n), asked, *OPTIONS, str(key + 1)] for n, asked, key in ITEMS]
    text = "\n".join(separator.join(row) for row in table)
    (tmp_path / "exam.csv").write_text(text, encoding=encoding)
    check(tmp_path, tmp_path / "exam.csv")


@pytest.mark.parametrize(
    "form",
    [
        "{n}",
        "{n}.0",
        "{small})",
        "Opción {n}",
        "La {n}",
        "op{n}",
        "{n}ª",
        "{text}.",
        "{letter}. {text}",
    ],
)
def test_every_way_to_write_a_key(tmp_path, form):
    rows = [
        {
            "id": n,
            "pregunta": asked,
            "opciones": OPTIONS,
            "clave": form.format(
                n=key + 1, small="abcd"[key], letter=LETTERS[key], text=OPTIONS[key]
            ),
        }
        for n, asked, key in ITEMS
    ]
    (tmp_path / "exam.json").write_text(json.dumps(rows))
    check(tmp_path, tmp_path / "exam.json")


@pytest.mark.parametrize(
    "header",
    [
        ["id", "question", "opa", "opb", "opc", "opd", "cop"],
        ["#", "Stem", "Choice 1", "Choice 2", "Choice 3", "Choice 4", "Answer"],
        ["Nº", "Pregunta", "Op. A", "Op. B", "Op. C", "Op. D", "Resp. correcta"],
        ["Numéro", "Question", "Réponse A", "Réponse B", "Réponse C", "Réponse D", "Bonne réponse"],
        [
            "Número",
            "Questão",
            "Alternativa A",
            "Alternativa B",
            "Alternativa C",
            "Alternativa D",
            "Gabarito",
        ],
        [
            "Numero",
            "Domanda",
            "Risposta A",
            "Risposta B",
            "Risposta C",
            "Risposta D",
            "Risposta corretta",
        ],
        ["Nr", "Frage", "Antwort A", "Antwort B", "Antwort C", "Antwort D", "Richtige Antwort"],
    ],
)
def test_headers_of_several_languages(tmp_path, header):
    rows = [[n, f'"{asked}"', *(f'"{o}"' for o in OPTIONS), LETTERS[k]] for n, asked, k in ITEMS]
    text = "\n".join(",".join(map(str, row)) for row in [header, *rows])
    (tmp_path / "exam.csv").write_text(text)
    check(tmp_path, tmp_path / "exam.csv")


def wrong(key):
    return [option for i, option in enumerate(OPTIONS) if i != key]


RECORDS = {
    "HEAD-QA": lambda n, q, k: {
        "qid": n,
        "qtext": q,
        "ra": k + 1,
        "answers": {"aid": [1, 2, 3, 4], "atext": OPTIONS},
    },
    "MMLU": lambda n, q, k: {
        "input": q,
        **dict(zip(LETTERS, OPTIONS, strict=True)),
        "target": LETTERS[k],
    },
    "BigBIO": lambda n, q, k: {"id": n, "question": q, "choices": OPTIONS, "answer": [OPTIONS[k]]},
    "CasiMedicos": lambda n, q, k: {
        "full_question": q,
        "options": {**{str(i + 1): o for i, o in enumerate(OPTIONS)}, "5": None},
        "correct_option": k + 1,
    },
    "ARC": lambda n, q, k: {
        "question": {
            "stem": q,
            "choices": [{"text": o, "label": x} for o, x in zip(OPTIONS, LETTERS, strict=True)],
        },
        "answerKey": LETTERS[k],
    },
    "MedXpertQA": lambda n, q, k: {
        "question": q,
        "options": [{"letter": x, "content": o} for o, x in zip(OPTIONS, LETTERS, strict=True)],
        "label": LETTERS[k],
    },
    "right and wrong": lambda n, q, k: {
        "question": q,
        "correct_answer": OPTIONS[k],
        "incorrect_answers": wrong(k),
    },
    "flagged": lambda n, q, k: {
        "enunciado": q,
        "opciones": [{"texto": o, "correcta": i == k} for i, o in enumerate(OPTIONS)],
    },
    "BIG-bench": lambda n, q, k: {
        "input": q,
        "target_scores": {o: int(i == k) for i, o in enumerate(OPTIONS)},
    },
    "TruthfulQA": lambda n, q, k: {
        "question": q,
        "mc1_targets": {"choices": OPTIONS, "labels": [int(i == k) for i in range(4)]},
    },
    "as numpy prints lists": lambda n, q, k: {
        "question": q,
        "choices": "[" + " ".join(map(repr, OPTIONS)) + "]",
        "answer": k,
    },
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_published_sets(tmp_path, name):
    records = [RECORDS[name](*item) for item in ITEMS]
    (tmp_path / "exam.jsonl").write_text("\n".join(map(json.dumps, records)))
    rows = check(tmp_path, tmp_path / "exam.jsonl")
    # the right answer comes first in the file, and at no place more often than others here
    assert len({row["answer_letter"] for row in rows}) > 1


@pytest.mark.parametrize("as_number", [True, False])
def test_objects_by_their_id(tmp_path, as_number):
    records = {
        str(n) if as_number else f"Pregunta_{n}": {
            "pregunta": asked,
            "respuestas": {str(i + 1): option for i, option in enumerate(OPTIONS)},
            "correcta": str(key + 1),
        }
        for n, asked, key in ITEMS
    }
    whole = records if as_number else {"preguntas": {"Cardiología": records}}
    (tmp_path / "exam.json").write_text(json.dumps(whole))
    check(tmp_path, tmp_path / "exam.json")


def test_yes_no_maybe(tmp_path):
    records = {
        str(n): {"QUESTION": asked, "CONTEXTS": ["a", "b"], "final_decision": ["yes", "no"][n % 2]}
        for n, asked, _ in ITEMS
    }
    (tmp_path / "exam.json").write_text(json.dumps(records))
    import_questions(tmp_path / "exam.json", "exam", tmp_path / "questions")
    rows = read_imported(tmp_path / "questions").to_pylist()
    assert [row["answer_letter"] for row in rows] == ["B", "A"] * (N // 2)
    assert rows[0]["options"] == ["yes", "no", "maybe"]


def workbook(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, (rows, merged) in enumerate(sheets):
        sheet = book.create_sheet(f"m{number + 1}")
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    book.save(path)


def test_the_key_in_a_second_sheet(tmp_path):
    exam = [["Nº", "Pregunta", *LETTERS], *([n, asked, *OPTIONS] for n, asked, _ in ITEMS)]
    keys = [["Pregunta", "Respuesta"], *([n, key + 1] for n, _, key in ITEMS)]
    workbook(tmp_path / "exam.xlsx", (exam, []), (keys, []))
    check(tmp_path, tmp_path / "exam.xlsx")


def test_an_option_a_row_with_merged_cells(tmp_path):
    rows = [["Nº", "Pregunta", "Letra", "Opción", "Correcta"]]
    merged = []
    for n, asked, key in ITEMS:
        first = len(rows) + 1
        merged += [f"A{first}:A{first + 3}", f"B{first}:B{first + 3}"]
        rows += [
            [
                n if i == 0 else None,
                asked if i == 0 else None,
                LETTERS[i],
                option,
                "X" if i == key else None,
            ]
            for i, option in enumerate(OPTIONS)
        ]
    workbook(tmp_path / "exam.xlsx", (rows, merged))
    check(tmp_path, tmp_path / "exam.xlsx")


def test_options_in_the_rows_below(tmp_path):
    rows = ["Nº;Pregunta;RC"]
    for n, asked, key in ITEMS:
        rows += [f"{n};{asked};{LETTERS[key]}"]
        rows += [f";{mark} {option};" for mark, option in zip(SMALL, OPTIONS, strict=True)]
    (tmp_path / "exam.csv").write_text("\n".join(rows))
    check(tmp_path, tmp_path / "exam.csv")


@pytest.fixture
def asked(tmp_path):
    records = [
        {"id": n, "question": q, "options": OPTIONS, "answer": LETTERS[k]} for n, q, k in ITEMS
    ]
    (tmp_path / "exam.jsonl").write_text("\n".join(map(json.dumps, records)))
    import_questions(tmp_path / "exam.jsonl", "exam", tmp_path / "questions")
    return tmp_path


GIVEN = {"m1": [(n + 1) % 4 for n, _, _ in ITEMS], "m2": [(3 * n) % 4 for n, _, _ in ITEMS]}


def given(model):
    return [LETTERS[answer] for answer in GIVEN[model]]


ANSWERS = {
    "answers of models.jsonl": "\n".join(
        json.dumps({"id": n, "answers": {m: given(m)[n - 1] for m in GIVEN}}) for n, _, _ in ITEMS
    ),
    "a list a model.json": json.dumps({m: given(m) for m in GIVEN}),
    "objects a model.json": json.dumps(
        [
            {
                "model": m,
                "answers": [
                    {"question": q, "answer": a} for q, a in zip(ASKED, given(m), strict=True)
                ],
            }
            for m in GIVEN
        ]
    ),
    "a column a question.csv": "\n".join(
        [
            "model," + ",".join(map(str, range(1, N + 1))),
            *(f"{m},{','.join(given(m))}" for m in GIVEN),
        ]
    ),
    "sentences.csv": "Nº;RC;m1;m2\n"
    + "".join(
        f"{n};{k + 1};La respuesta correcta es la {GIVEN['m1'][n - 1] + 1}.;"
        f"Elijo la opción {GIVEN['m2'][n - 1] + 1} porque la 1 no procede\n"
        for n, _, k in ITEMS
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_several_models(asked, name):
    (asked / name).write_text(ANSWERS[name])
    import_answers([asked / name], "exam", asked / "questions")
    check_answers(asked, GIVEN)


def check_answers(folder, expected):
    rows = read_recorded(folder / "questions").to_pylist()
    answers = {model: [""] * N for model in {row["model_alias"] for row in rows}}
    for row in rows:
        answers[row["model_alias"]][row["question_number"] - 1] = row["letter"]
    assert answers == {model: given(model) for model in expected}


def test_a_sheet_a_model(asked):
    sheets = [
        ([["Nº", "Respuesta"], *([n, GIVEN[m][n - 1] + 1] for n, _, _ in ITEMS)], []) for m in GIVEN
    ]
    workbook(asked / "answers.xlsx", *sheets)
    import_answers([asked / "answers.xlsx"], "exam", asked / "questions")
    check_answers(asked, GIVEN)


@pytest.mark.parametrize(
    "content",
    [
        "".join(f"{n}. {letter}\n" for n, letter in enumerate(given("m1"), 1)),
        "".join(f"{letter}\n" for letter in given("m1")),
    ],
)
def test_answers_as_a_plain_list(asked, content):
    (asked / "m1.txt").write_text(content)
    import_answers([asked / "m1.txt"], "exam", asked / "questions")
    check_answers(asked, ["m1"])


@pytest.mark.parametrize(
    "form",
    [
        '{{"respuesta": {n}, "explicacion": "x"}}',
        '```json\n{{"answer": "{letter}"}}\n```',
        '["{letter}"]',
    ],
)
def test_answers_as_json(asked, form):
    records = [
        {"id": n, "output": form.format(n=GIVEN["m1"][n - 1] + 1, letter=given("m1")[n - 1])}
        for n, _, _ in ITEMS
    ]
    (asked / "m1.json").write_text(json.dumps(records))
    import_answers([asked / "m1.json"], "exam", asked / "questions")
    check_answers(asked, ["m1"])


def test_a_document_that_is_no_examination_is_refused(tmp_path):
    (tmp_path / "exam.txt").write_text("Informe de alta.\n\nEl paciente mejora.\n\nSe va a casa.\n")
    with pytest.raises(FileError, match=r"exam\.txt has no header .*say which column is which"):
        import_questions(tmp_path / "exam.txt", "exam", tmp_path / "questions")


def exam_json(folder, document):
    (folder / "exam.json").write_text(json.dumps(document))
    return folder / "exam.json"


def test_keys_beside_the_questions_of_a_document(tmp_path):
    questions = {
        f"Pregunta_{n}": {
            "pregunta": asked,
            "respuestas": {str(i + 1): option for i, option in enumerate(OPTIONS)},
        }
        for n, asked, _ in ITEMS
    }
    keys = {"2020": {f"Pregunta_{n}": key + 1 for n, _, key in ITEMS}}
    document = {"preguntas": {"Cardiología": questions}, "respuestas": keys}
    check(tmp_path, exam_json(tmp_path, document))


def test_keys_by_number_beside_a_list_of_statements(tmp_path):
    questions = [{"number": n, "statement": asked, "options": OPTIONS} for n, asked, _ in ITEMS]
    keys = {str(n): LETTERS[key] for n, _, key in ITEMS}
    check(tmp_path, exam_json(tmp_path, {"title": "x", "questions": questions, "answers": keys}))


def inline(asked):
    return asked + " " + " ".join(f"{i}. {o}." for i, o in enumerate(OPTIONS, 1))


def test_a_column_is_the_question_by_the_options_it_ends_with(tmp_path):
    rows = [["Nº pregunta", "Texto y opciones", "Resp. oficial definitiva", "Estado"]]
    rows += [[n, inline(q), k + 1, "Anulada" if n == 3 else "Válida"] for n, q, k in ITEMS]
    workbook(tmp_path / "exam.xlsx", (rows, []))
    import_questions(tmp_path / "exam.xlsx", "exam", tmp_path / "questions")
    rows = read_imported(tmp_path / "questions").to_pylist()
    assert [r["question_text"] for r in rows] == ASKED
    assert [r["unscored_reason"] for r in rows] == [None, None, "voided", *[None] * (N - 3)]
    assert [r["question_ref"] for r in rows] == [str(n) for n in range(1, N + 1)]


def test_an_official_key_side_by_side(tmp_path):
    (tmp_path / "exam.csv").write_text(
        "numero;pregunta\n" + "".join(f"{n};{inline(asked)}\n" for n, asked, _ in ITEMS)
    )
    half = N // 2
    pairs = [f"{n};{KEYS[n - 1] + 1};{n + half};{KEYS[n + half - 1] + 1}\n" for n in range(1, 5)]
    (tmp_path / "key.csv").write_text("V;RC;V;RC\n" + "".join(pairs))
    done = import_questions(
        tmp_path / "exam.csv", "exam", tmp_path / "questions", key_file=tmp_path / "key.csv"
    )
    rows = read_imported(tmp_path / "questions").to_pylist()
    assert done.n_questions == N
    assert [row["answer_letter"] for row in rows] == [LETTERS[key] for key in KEYS]


def test_a_table_in_markdown(tmp_path):
    rows = ["| Nº | Pregunta | A | B | C | D | RC |", "|---|:--|---|---|---|---|--:|"]
    rows += [f"| {n} | {q} | {' | '.join(OPTIONS)} | {LETTERS[k]} |" for n, q, k in ITEMS]
    (tmp_path / "exam.md").write_text("\n".join(rows))
    check(tmp_path, tmp_path / "exam.md")


def table(path, header, row):
    rows = [header, *(row(n, key) for n, _, key in ITEMS)]
    workbook(path, (rows, []))


def shown(model, n):
    return GIVEN[model][n - 1] + 1


def verdict(model, n, key):
    return f"{shown(model, n)} " + (
        "✓" if shown(model, n) == key + 1 else f"✗ (correcta: {key + 1})"
    )


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (
            ["Nº", "RC", "Respuesta m1", "Acierto m1", "Respuesta de m2", "m1 (seguridad)"],
            lambda n, key: [n, key + 1, shown("m1", n), 1, shown("m2", n), 2],
        ),
        (
            ["Nº", "Correcta / m1 / m2"],
            lambda n, key: [n, f"{key + 1} / {shown('m1', n)} / {shown('m2', n)}"],
        ),
        (
            ["Nº", "Correcta", "m1", "m2"],
            lambda n, key: [n, key + 1, verdict("m1", n, key), verdict("m2", n, key)],
        ),
        (
            ["question_id", "gold", "m1_answer", "m1_correct", "m2 (opción elegida)"],
            lambda n, key: [n, LETTERS[key], given("m1")[n - 1], True, given("m2")[n - 1]],
        ),
    ],
)
def test_columns_that_say_more_than_the_model(asked, header, row):
    table(asked / "answers.xlsx", header, row)
    import_answers([asked / "answers.xlsx"], "exam", asked / "questions")
    check_answers(asked, GIVEN)


def test_a_sheet_a_model_with_the_number_under_pregunta(asked):
    sheets = [
        ([["Pregunta", "Respuesta"], *([n, shown(m, n)] for n, _, _ in ITEMS)], []) for m in GIVEN
    ]
    workbook(asked / "answers.xlsx", *sheets)
    import_answers([asked / "answers.xlsx"], "exam", asked / "questions")
    check_answers(asked, GIVEN)


def test_objects_of_models_in_each_question(asked):
    records = [
        {
            "numero": n,
            "modelos": [{"nombre": m, "respuesta": given(m)[n - 1]} for m in GIVEN],
        }
        for n, _, _ in ITEMS
    ]
    (asked / "answers.json").write_text(json.dumps(records))
    import_answers([asked / "answers.json"], "exam", asked / "questions")
    check_answers(asked, GIVEN)


def test_the_output_of_a_batch(asked):
    lines = [
        json.dumps(
            {
                "id": "batch",
                "custom_id": f"exam-{n}",
                "response": {
                    "status_code": 200,
                    "body": {
                        "model": "m1",
                        "choices": [
                            {
                                "message": {
                                    "role": "assistant",
                                    "content": f"Respuesta: {given('m1')[n - 1]}",
                                }
                            }
                        ],
                    },
                },
            }
        )
        for n, _, _ in ITEMS
    ]
    (asked / "batch.jsonl").write_text("\n".join(lines))
    import_answers([asked / "batch.jsonl"], "exam", asked / "questions")
    check_answers(asked, ["m1"])


def test_the_samples_of_a_harness(asked):
    lines = [
        json.dumps(
            {
                "doc_id": n - 1,
                "doc": {"question": q, "choices": OPTIONS, "answer": k},
                "resps": [[given("m1")[n - 1]]],
                "filtered_resps": [given("m1")[n - 1]],
                "exact_match": 1.0,
            }
        )
        for n, q, k in ITEMS
    ]
    (asked / "m1.jsonl").write_text("\n".join(lines))
    import_answers([asked / "m1.jsonl"], "exam", asked / "questions")
    check_answers(asked, ["m1"])
