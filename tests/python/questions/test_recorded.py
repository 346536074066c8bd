"""Answers of models to question sets, as people have recorded them."""

import json

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions
from python_llm.questions.recorded import import_answers, read_recorded
from python_llm.questions.stated_answers import read_choice

OPTIONS = ["Carcinoma papilar", "Carcinoma medular", "Linfoma", "Sarcoma sinovial"]


@pytest.mark.parametrize(
    ("written", "letter"),
    [
        ("2", "B"),
        ("2.0", "B"),
        ("b", "B"),
        ("B)", "B"),
        ("2. Carcinoma medular", "B"),
        ("Carcinoma medular.", "B"),
        ("La respuesta correcta es la 2.", "B"),
        ("**Respuesta correcta: 2. Carcinoma medular**", "B"),
        ("La opción correcta es la número 2, porque la 1 es falsa", "B"),
        ("La afirmación incorrecta es la 2. La 1 es cierta.", "B"),
        ("La respuesta correcta es la B", "B"),
        ("Opción 2", "B"),
        ("B.", "B"),
        ("b)", "B"),
        ("**B**", "B"),
        ("Es la B.", "B"),
        ("Creo que la correcta es la B", "B"),
        ("La bonne réponse est la B", "B"),
        ("Resposta correta: letra B", "B"),
        ("The answer is (B) because calcitonin is raised.", "B"),
        ("Answer: 2\nExplanation: 1. is wrong", "B"),
        ('{"answer": "B", "justification": "calcitonin"}', "B"),
        ("I think this is a carcinoma medular of the thyroid", "B"),
        ("5", None),
        ("No lo sé", None),
        ("A o B", None),
        ("2. Carcinoma papilar", None),
        ("Carcinoma papilar o linfoma", None),
        ("Tiene 2 meses de evolución", None),
    ],
)
def test_an_option_is_read_as_it_is_written(written, letter):
    assert read_choice(written, OPTIONS).letter == letter


@pytest.fixture
def folder(tmp_path):
    lines = [
        json.dumps(
            {"id": n, "question": f"¿Qué es {n}?", "options": ["x", "y", "z"], "answer_idx": "A"}
        )
        for n in range(1, 7)
    ]
    (tmp_path / "exam.jsonl").write_text("\n".join(lines))
    import_questions(tmp_path / "exam.jsonl", "exam", tmp_path / "questions")
    return tmp_path


def stored(folder, name, content, **options):
    (folder / name).write_text(content)
    done, notes = import_answers([folder / name], "exam", folder / "questions", **options)
    rows = read_recorded(folder / "questions").to_pylist()
    letters: dict[str, str] = {}
    for row in sorted(
        rows, key=lambda r: (r["model_alias"], r["repeat_number"], r["question_number"])
    ):
        name = f"{row['model_alias']}#{row['repeat_number']}"
        letters[name] = letters.get(name, "") + (row["letter"] or "-")
    return letters, done, notes


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "wide.csv",
            "Número,GPT-9,Otro modelo,Confianza\n"
            + "".join(f"{n},{n % 3 + 1},c,3\n" for n in range(1, 7)),
            {"GPT-9#1": "BCABCA", "Otro_modelo#1": "CCCCCC"},
        ),
        (
            "long.csv",
            "question_id,model,answer\n"
            + "".join(f"{n},{m},{a}\n" for n in range(1, 7) for m, a in (("m1", "A"), ("m2", "y"))),
            {"m1#1": "AAAAAA", "m2#1": "BBBBBB"},
        ),
        ("gpt_x.json", json.dumps({str(n): "B" for n in range(1, 7)}), {"gpt_x#1": "BBBBBB"}),
        (
            "models.json",
            json.dumps({m: {str(n): "C" for n in range(1, 7)} for m in ("m1", "m2")}),
            {"m1#1": "CCCCCC", "m2#1": "CCCCCC"},
        ),
        (
            "runs.csv",
            "Pregunta,M run 1,M run 2\n" + "".join(f"¿Qué es {n}?,A,B\n" for n in range(1, 7)),
            {"M#1": "AAAAAA", "M#2": "BBBBBB"},
        ),
        (
            "named_model.csv",
            "Pregunta,model-a,model-b run 1,model-b run 2\n"
            + "".join(f"¿Qué es {n}?,A,B,C\n" for n in range(1, 7)),
            {"model-a#1": "AAAAAA", "model-b#1": "BBBBBB", "model-b#2": "CCCCCC"},
        ),
        (
            "texts.jsonl",
            "\n".join(
                json.dumps(
                    {"question": f"¿Qué es {n}?", "response": f"La respuesta es la {n % 3 + 1}."}
                )
                for n in range(1, 7)
            ),
            {"texts#1": "BCABCA"},
        ),
        (
            "raters.csv",
            "Número,Respuesta 1,Respuesta de m2\n" + "".join(f"{n},A,B\n" for n in range(1, 7)),
            {"Respuesta_1#1": "AAAAAA", "m2#1": "BBBBBB"},
        ),
        ("order.csv", "prediction\n" + "0\n1\n2\n0\n1\n2\n", {"order#1": "ABCABC"}),
    ],
)
def test_layouts_of_recorded_answers(folder, name, content, expected):
    letters, _, notes = stored(folder, name, content)
    assert letters == expected
    from_zero = ["order.csv: the answers of order count the options from 0"]
    assert notes == (from_zero if name == "order.csv" else [])


def test_the_examination_itself_may_hold_the_answers(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(
        ["Numero", "Pregunta", "Especialidad", "Respuesta correcta", " GPT-4", "Vacía"]
    )
    for n in range(1, 6):
        book.active.append([n, f"¿Qué es {n}?:\n1. x.\n2. y.\n3. z.", "uno", 1, "2.", None])
    # the number twice, as a slip has it: the text tells the two apart
    book.active.append([5, "¿Qué es 6?:\n1. x.\n2. y.\n3. z.", "uno", 1, "3. z.", None])
    book.save(tmp_path / "MIR.xlsx")
    import_questions(tmp_path / "MIR.xlsx", "exam", tmp_path / "questions")
    (done,), notes = import_answers([tmp_path / "MIR.xlsx"], "exam", tmp_path / "questions")
    assert (done.model, done.n_answers, done.n_readable, done.matched_by) == ("GPT-4", 6, 6, "text")
    assert not notes
    rows = read_recorded(tmp_path / "questions").to_pylist()
    assert [row["letter"] for row in rows] == ["B", "B", "B", "B", "B", "C"]


def test_answers_to_other_questions_are_set_aside_or_refused(folder):
    rows = "".join(f"{n},A\n" for n in range(1, 5)) + "99,B\n1,C\n"
    letters, _, notes = stored(folder, "m.csv", "numero,answer\n" + rows)
    assert letters == {"m#1": "AAAA"}
    assert notes == [
        "m.csv, line 6: no question of exam is this one: answer set aside",
        "m.csv, line 7: question 1 has two answers: the first counts",
    ]
    with pytest.raises(FileError, match=r"n\.csv: 0 of 2 answers of n are to questions of exam"):
        stored(folder, "n.csv", "numero,answer\n100,A\n101,B\n")
    with pytest.raises(FileError, match="'other' is no imported question set"):
        import_answers([folder / "m.csv"], "other", folder / "questions")


def test_a_plain_list_loses_no_answer(folder):
    written = ["A", "La respuesta correcta es la B", "The answer is (C)", "no lo sé", "a)", "**B**"]
    lines = "".join(f"{n}. {answer}\n" for n, answer in enumerate(written, 1))
    letters, (done,), notes = stored(folder, "m.txt", lines)
    assert letters == {"m#1": "ABC-AB"}
    assert (done.n_answers, done.n_readable) == (6, 5)
    assert notes == [
        "m.txt, line 4: no option is read in the answer to question 4: it counts as wrong"
    ]


def test_a_list_of_answers_in_words_is_read(folder):
    lines = "".join(f"{n}. La opción correcta es la {'ABC'[n % 3]}.\n" for n in range(1, 6))
    letters, _, _ = stored(folder, "m.txt", "Respuestas del modelo\n" + lines + "6. Opción 1\n")
    assert letters == {"m#1": "BCABCA"}


@pytest.mark.parametrize("name", ["foo", "idx", "Ref", "Test ID"])
@pytest.mark.parametrize("answers", ["ABCABC", "123123"])
@pytest.mark.parametrize("n_rows", [3, 6])
def test_the_named_answers_go_before_numbers(folder, name, answers, n_rows):
    order = [n for n in (2, 1, 3, 6, 5, 4) if n <= n_rows]
    content = f"{name},answer\n" + "".join(f"{n},{answers[n - 1]}\n" for n in order)
    letters, done, _ = stored(folder, "m.csv", content)
    assert letters == {"m#1": "ABCABC"[:n_rows]}
    assert done[0].matched_by == "number"


def test_numbers_beside_a_models_column_are_no_model(folder):
    lines = [{"Ref": n, "GPT-4": "ABCABC"[n - 1]} for n in (2, 1, 3, 6, 5, 4)]
    content = "\n".join(map(json.dumps, lines))
    assert stored(folder, "wide.jsonl", content)[0] == {"GPT-4#1": "ABCABC"}


def test_of_log_likelihoods_the_highest_is_the_answer(folder):
    lines = [
        {
            "doc": {"question": f"¿Qué es {n}?"},
            "filtered_resps": [[-1.0 if i == n % 3 else -5.5, False] for i in range(3)],
        }
        for n in range(1, 7)
    ]
    content = "\n".join(map(json.dumps, lines))
    assert stored(folder, "lm.jsonl", content)[0] == {"lm#1": "BCABCA"}


def test_answers_of_which_none_is_read_are_refused(folder):
    lines = [{"id": n, "response": "I cannot tell."} for n in range(1, 7)]
    with pytest.raises(FileError, match="--column answer=COLUMN"):
        stored(folder, "lm.jsonl", "\n".join(map(json.dumps, lines)))


def test_the_output_of_a_google_batch_is_read(folder):
    lines = [
        {"key": f"q{n}", "response": {"candidates": [{"content": {"parts": [{"text": "B"}]}}]}}
        for n in (2, 1, 3, 6, 5, 4)
    ]
    letters, done, _ = stored(folder, "gemini.jsonl", "\n".join(map(json.dumps, lines)))
    assert (letters, done[0].matched_by) == ({"gemini#1": "BBBBBB"}, "number")


def test_answers_with_the_case_apart_are_matched_by_text(tmp_path):
    case = "A man of 40 has had fever for a week"
    lines = [f"{case} and {n} days.,Which?,x,y" for n in (1, 2)]
    (tmp_path / "exam.csv").write_text(
        "vignette,question,A,B,key\n" + "".join(f"{line},A\n" for line in lines)
    )
    import_questions(tmp_path / "exam.csv", "exam", tmp_path / "questions")
    content = "vignette,question,A,B,GPT-4\n" + "".join(
        f"{line},{answer}\n" for line, answer in zip(lines[::-1], "BA", strict=True)
    )
    letters, done, _ = stored(tmp_path, "answers.csv", content)
    assert (letters, done[0].matched_by) == ({"GPT-4#1": "AB"}, "text")


def test_a_second_file_of_a_model_adds_to_the_first(folder):
    stored(folder, "part1.csv", "number,answer\n1,A\n2,A\n3,A\n", model="m")
    letters, _, notes = stored(folder, "part2.csv", "number,answer\n3,B\n4,B\n5,B\n", model="m")
    assert letters == {"m#1": "AABBB"}
    assert any("1 stored answers are replaced by others (question 3)" in note for note in notes)
    assert any("2 answers of an earlier import (part1.csv)" in note for note in notes)
    letters, _, notes = stored(folder, "part2.csv", "number,answer\n3,B\n4,B\n5,B\n", model="m")
    assert letters == {"m#1": "AABBB"}
    assert not any("replaced" in note for note in notes)


def test_an_error_in_one_model_stores_none(tmp_path):
    questions = [
        {
            "question": f"What is shown in case {n}?",
            "options": dict(zip("ABCD", LETTERED[n], strict=True)),
        }
        | {"answer_idx": "A"}
        for n in range(4)
    ]
    file = tmp_path / "exam.jsonl"
    file.write_text("\n".join(map(json.dumps, questions)))
    import_questions(file, "exam", tmp_path / "set")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("number,gpt4\n" + "".join(f"{n},B\n" for n in range(1, 5)))
    bad.write_text("number,claude\n" + "".join(f"{n},B\n" for n in range(91, 99)))
    with pytest.raises(FileError):
        import_answers([good, bad], "exam", tmp_path / "set")
    assert read_recorded(tmp_path / "set").num_rows == 0


LETTERED = [[f"Disease {n}{letter}" for letter in "ABCD"] for n in range(4)]


ASKED = [f"What is shown in case {n}?" for n in range(4)]


def helm(letter):
    return {
        "request_states": [
            {
                "instance": {"id": f"id{n}", "input": {"text": text}, "references": []},
                "output_mapping": dict(zip("ABCD", reversed(LETTERED[n]), strict=True)),
                "result": {"completions": [{"text": f" {letter}"}]},
            }
            for n, text in enumerate(ASKED)
        ]
    }


def promptfoo(letter):
    items = [
        {
            "vars": {"question": text},
            "provider": {"id": "openai:gpt-4"},
            "response": {"output": letter},
            "success": False,
        }
        for text in ASKED
    ]
    items[3] = {"vars": {"question": ASKED[3]}, "provider": {"id": "openai:gpt-4"}, "error": "503"}
    return {"results": {"version": 3, "results": items}}


@pytest.mark.parametrize(
    ("document", "answers"),
    [
        (helm("A"), ["Disease 0D", "Disease 1D", "Disease 2D", "Disease 3D"]),
        (promptfoo("B"), "BBB"),
    ],
)
def test_documents_of_programs_for_evaluation(tmp_path, document, answers):
    questions = [
        {
            "question": text,
            "options": dict(zip("ABCD", options, strict=True)),
            "answer_idx": "A",
        }
        for text, options in zip(ASKED, LETTERED, strict=True)
    ]
    (tmp_path / "exam.jsonl").write_text("\n".join(map(json.dumps, questions)))
    import_questions(tmp_path / "exam.jsonl", "exam", tmp_path / "set")
    (tmp_path / "a.json").write_text(json.dumps(document))
    import_answers([tmp_path / "a.json"], "exam", tmp_path / "set")
    rows = read_recorded(tmp_path / "set").to_pylist()
    assert [row["answer_text"] for row in rows] == [*answers]


# columns of a file of answers to six questions: heading and answers, and what is stored of each
COLUMNS = [
    (("GPT-4", "ABCABC"), ("Llama 3", "????BC"), {"GPT-4#1": "ABCABC", "Llama_3#1": "----BC"}),
    (("GPT-4", "ABCABC"), ("Llama 3", "??????"), {"GPT-4#1": "ABCABC", "Llama_3#1": "------"}),
    (("Respuesta de Claude", "??AB??"), ("x", "      "), {"Claude#1": "--AB--"}),
    (("gemini-1.5", "A     "), ("m2", "ABCABC"), {"gemini-1.5#1": "A", "m2#1": "ABCABC"}),
    (
        ("o3-mini", "?A??A?"),
        ("Qwen2 run 2", "??B?BB"),
        {"o3-mini#1": "-A--A-", "Qwen2#2": "--B-BB"},
    ),
    (("GPT-4", "ABCABC"), ("GPT-4 rationale", "??????"), {"GPT-4#1": "ABCABC"}),
    (("GPT-4", "ABCABC"), ("GPT-4 confianza", "123123"), {"GPT-4#1": "ABCABC"}),
    (("GPT-4", "ABCABC"), ("Claude, Gemini: acuerdo", "??????"), {"GPT-4#1": "ABCABC"}),
    (("GPT-4", "ABCABC"), ("Hospital", "??????"), {"GPT-4#1": "ABCABC"}),
]


@pytest.mark.parametrize(("first", "second", "expected"), COLUMNS)
def test_a_model_keeps_what_is_not_read(folder, first, second, expected):
    rows = [
        ",".join(
            [
                str(n),
                *(column[1][n - 1].replace("?", "Lo siento").strip() for column in (first, second)),
            ]
        )
        for n in range(1, 7)
    ]
    heads = ",".join(f'"{column[0]}"' for column in (first, second))
    letters, _, _ = stored(folder, "a.csv", "\n".join([f"Número,{heads}", *rows, ""]))
    assert letters == expected


def test_a_column_that_may_be_a_model_is_named(folder):
    rows = [f"{n},A,{'B' if n < 3 else 'Lo siento'},Adultos" for n in range(1, 7)]
    letters, _, notes = stored(folder, "a.csv", "\n".join(["Número,GPT-4,MedBot,Grupo", *rows, ""]))
    assert letters == {"GPT-4#1": "AAAAAA"}
    assert notes == [
        "a.csv: not read: 'MedBot'; name the answers of a model with --column 'answer=MedBot' "
        "--model NAME"
    ]


def test_an_answer_of_two_options_names_none():
    options = ["Corticoides", "Adrenalina intramuscular", "Antihistamínicos", "Salbutamol"]
    two = (
        "A o C; A u C; A ou C; A oder C; A e C; A und C; A/C; A or C; Either A or C; entre A y C"
        "; B o quizá C; B, tal vez C; B (o C); B o bien C; B vs C; La A o la C"
        "; Corticoides o adrenalina; Adrenalina o corticoides; Corticoides / adrenalina"
        "; Corticoides oder Adrenalina; Corticoides o quizá salbutamol; corticoides vs. salbutamol"
    )
    single = {
        "A": "La A; corticoides y no adrenalina; A) porque la C no; Corticoides o esteroides",
        "B": "Adrenalina intramuscular o epinefrina; La respuesta es la B porque la A es falsa",
        "C": "c; Antihistamínicos; Option C",
    }
    expected = {text.strip(): None for text in two.split(";")} | {
        text.strip(): letter for letter, texts in single.items() for text in texts.split(";")
    }
    assert {text: read_choice(text, options).letter for text in expected} == expected
