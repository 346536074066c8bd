"""Examinations as tools for teachers write them, and workbooks of several sheets."""

import json

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.recorded import import_answers, read_recorded

N = 6
ASKED = [
    f"Varón de {40 + n} años con disnea. ¿Cuál es el diagnóstico {n}?" for n in range(1, N + 1)
]
OPTIONS = ["Neumonía tipo 1", "Embolia pulmonar", "Asma, grado 2", "Insuficiencia cardíaca"]
KEYS = [n % 4 for n in range(N)]
ITEMS = list(zip(range(1, N + 1), ASKED, KEYS, strict=True))
LETTERS = "ABCD"


def lettered(marks="ABCD", sign=".", between="\n"):
    return between.join(f"{m}{sign} {o}" for m, o in zip(marks, OPTIONS, strict=True))


def each(form, **more):
    return "".join(form(n, asked, key) for n, asked, key in ITEMS)


MOODLE = (
    '<?xml version="1.0"?>\n<quiz><question type="category"/>'
    + each(
        lambda n, asked, key: (
            '<question type="multichoice"><questiontext format="html"><text><![CDATA[<p>'
            f"{asked}</p>]]></text></questiontext>"
            + "".join(
                f'<answer fraction="{100 if i == key else -33.3}"><text>{o}</text></answer>'
                for i, o in enumerate(OPTIONS)
            )
            + "</question>\n"
        )
    )
    + "</quiz>"
)
QTI = (
    '<?xml version="1.0"?><questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">'
    + each(
        lambda n, asked, key: (
            f"<item><presentation><material><mattext>&lt;p&gt;{asked}&lt;/p&gt;</mattext></material>"
            "<response_lid><render_choice>"
            + "".join(
                f'<response_label ident="{n}{i}"><material><mattext>{o}</mattext></material>'
                "</response_label>"
                for i, o in enumerate(OPTIONS)
            )
            + "</render_choice></response_lid></presentation><resprocessing><respcondition>"
            f"<conditionvar><varequal>{n}{key}</varequal></conditionvar><setvar>100</setvar>"
            "</respcondition></resprocessing></item>\n"
        )
    )
    + "</questestinterop>"
)
FORMS = {
    "canvas.xml": QTI,
    "moodle.xml": MOODLE,
    "weights.gift": "$CATEGORY: MIR\n// a comment\n"
    + each(
        lambda n, asked, key: (
            f"::P{n}::[html]{asked} {{\n"
            + "".join(f"{'=' if i == key else '~%-33.3%'}{o}#said\n" for i, o in enumerate(OPTIONS))
            + "}\n\n"
        )
    ),
    "blackboard.txt": each(
        lambda n, asked, key: (
            f"MC\t{asked}\t"
            + "\t".join(
                f"{o}\t{'correct' if i == key else 'incorrect'}" for i, o in enumerate(OPTIONS)
            )
            + "\n"
        )
    ),
    "class.tex": each(
        lambda n, asked, key: (
            f"\\question {asked}\n\\begin{{choices}}\n"
            + "".join(
                f"\\{'CorrectChoice' if i == key else 'choice'} {o}\n"
                for i, o in enumerate(OPTIONS)
            )
            + "\\end{choices}\n"
        )
    ),
    "deck.txt": "#separator:tab\n#html:true\n"
    + each(lambda n, asked, key: f'"{asked}<br>{lettered(between="<br>")}"\t{LETTERS[key]}\n'),
    "list.yaml": each(
        lambda n, asked, key: (
            f'- pregunta: "{asked}"\n  opciones: {json.dumps(OPTIONS)}\n'
            f"  respuesta: {LETTERS[key]}\n"
        )
    ),
    "page.html": "<html><body><h1>MIR</h1>"
    + each(
        lambda n, asked, key: (
            f"<p>{n}. {asked}</p><ol type='a'>"
            + "".join(f"<li>{o}</li>" for o in OPTIONS)
            + f"</ol><p>Respuesta correcta: {'abcd'[key]}</p>"
        )
    )
    + "</body></html>",
    "stars.txt": each(
        lambda n, asked, key: (
            f"{n}. {asked}\n"
            + "".join(f"{'*' if i == key else ''}{'abcd'[i]}. {o}\n" for i, o in enumerate(OPTIONS))
            + "\n"
        )
    ),
    "pages.txt": "PRUEBAS 2024\nVERSIÓN 0\n\n"
    + each(
        lambda n, asked, key: (
            f"{n}. {asked}\n{lettered('1234')}\nRC: {key + 1}\n"
            + ("\nPágina 1 de 9\n\nPRUEBAS 2024\nVERSIÓN 0\n\n" if n % 2 else "")
        )
    ),
    "two in a line.txt": each(
        lambda n, asked, key: (
            f"{n}. {asked}\nA) {OPTIONS[0]}   B) {OPTIONS[1]}\nC) {OPTIONS[2]}   D) {OPTIONS[3]}\n"
            f"Sol.: {LETTERS[key]}\n\n"
        )
    ),
    "one line.txt": each(
        lambda n, asked, key: f"{n}.- {asked} {lettered('abcd', ')', '. ')}.\n"
    ).replace(".. ", ". ")
    + "SOLUCIONES: "
    + ", ".join(f"{n}{'abcd'[key]}" for n, _, key in ITEMS),
    "keys below.txt": each(lambda n, asked, key: f"{n}. {asked}\n{lettered('1234', ')')}\n\n")
    + "Plantilla de respuestas\n"
    + "\t".join(str(n) for n, *_ in ITEMS)
    + "\n"
    + "\t".join(str(key + 1) for *_, key in ITEMS),
    "chat.jsonl": each(
        lambda n, asked, key: (
            json.dumps(
                {
                    "messages": [
                        {"role": "system", "content": "Elige."},
                        {"role": "user", "content": f"{asked}\n{lettered()}"},
                        {"role": "assistant", "content": f"The answer is ({LETTERS[key]})."},
                    ]
                }
            )
            + "\n"
        )
    ),
    "task.jsonl": each(
        lambda n, asked, key: (
            json.dumps(
                {
                    "input": [{"role": "user", "content": f"{asked}\n{lettered()}"}],
                    "ideal": LETTERS[key],
                }
            )
            + "\n"
        )
    ),
    "race.json": json.dumps(
        [
            {"article": "", "questions": [a], "options": [OPTIONS], "answers": [LETTERS[key]]}
            for _, a, key in ITEMS
        ]
    ),
    "cells.csv": "item;stem;options;correct\n"
    + each(lambda n, asked, key: f"{n};{asked};{' // '.join(OPTIONS)};{OPTIONS[key]}\n"),
}


def check(folder, file):
    """Every question arrives with its options and its key; what was set aside."""
    done = import_questions(file, "exam", folder / "questions")
    rows = read_imported(folder / "questions").to_pylist()
    assert [row["question_text"].rstrip(".") for row in rows] == ASKED
    for row, key in zip(rows, KEYS, strict=True):
        options = [option.rstrip(".") for option in row["options"]]
        assert sorted(options) == sorted(OPTIONS)
        assert row["answer_letter"], row
        assert options[LETTERS.index(row["answer_letter"])] == OPTIONS[key]
    return done


@pytest.mark.parametrize("name", FORMS)
def test_files_of_tools_for_teachers(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8")
    assert not check(tmp_path, tmp_path / name).unreadable


def test_a_question_of_another_kind_is_named(tmp_path):
    essay = '<question type="essay"><questiontext><text>Comente.</text></questiontext></question>'
    (tmp_path / "exam.xml").write_text(MOODLE.replace("</quiz>", f"{essay}</quiz>"))
    (reason,) = check(tmp_path, tmp_path / "exam.xml").unreadable
    assert reason.endswith("the question has no options: it is none of multiple choice")


def test_a_table_with_braces_is_no_gift(tmp_path):
    """Options written as an object, one of which has a sign of GIFT."""
    table = "".join(
        f'{n};{asked};"{{""A"": ""p = 0.05"", ""B"": ""p ~ {n}""}}";B\n' for n, asked, _ in ITEMS
    )
    (tmp_path / "exam.csv").write_text(f"id;question;options;key\n{table}")
    import_questions(tmp_path / "exam.csv", "exam", tmp_path / "questions")
    rows = read_imported(tmp_path / "questions").to_pylist()
    assert [row["options"] for row in rows] == [["p = 0.05", f"p ~ {n}"] for n, *_ in ITEMS]


def test_yaml_that_cannot_be_read_is_named_by_its_line(tmp_path):
    (tmp_path / "exam.yaml").write_text("- pregunta: a\n- b: [1\n")
    with pytest.raises(FileError, match=r"exam\.yaml, line 3: no valid YAML .*: correct it"):
        check(tmp_path, tmp_path / "exam.yaml")


def test_an_object_around_each_record(tmp_path):
    records = [
        {
            "id": n,
            "data": {
                "Question": a,
                "Options": dict(zip(LETTERS, OPTIONS, strict=True)),
                "Correct Option": LETTERS[key],
            },
        }
        for n, a, key in ITEMS
    ]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "exam.parquet")
    check(tmp_path, tmp_path / "exam.parquet")


def workbook(file, sheets, merged=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    for area in merged:
        book.worksheets[0].merge_cells(area)
    book.save(file)
    return file


QUESTIONS = [["Nº", "Enunciado", *LETTERS], *([n, a, *OPTIONS] for n, a, _ in ITEMS)]
KEYED = [["Nº", "Enunciado", *LETTERS, "RC"], *([n, a, *OPTIONS, k + 1] for n, a, k in ITEMS)]
KEY_SHEETS = {
    "with versions": [
        ["Pregunta", "Versión 0", "Versión 1"],
        *([n, k + 1, 1] for n, _, k in ITEMS),
    ],
    "below a title": [
        ["MINISTERIO"],
        [],
        ["Pregunta", "Respuesta"],
        *([n, k + 1] for n, _, k in ITEMS),
    ],
    "in one row": [["Pregunta", *range(1, N + 1)], ["Respuesta", *(LETTERS[k] for *_, k in ITEMS)]],
}
SHEETS = {
    "a header of two rows": (
        [
            ["Nº", "Enunciado", "Opciones", None, None, None, "Correcta"],
            [None, None, *LETTERS, None],
            *KEYED[1:],
        ],
        ("C1:F1", "A1:A2", "B1:B2", "G1:G2"),
    ),
    "names below names": (
        [
            ["Pregunta", None, "Respuestas", None, None, None, "Clave"],
            ["Número", "Texto", 1, 2, 3, 4, "RC"],
            *KEYED[1:],
        ],
        ("A1:B1", "C1:F1"),
    ),
    "a sheet of Kahoot": (
        [
            ["Quiz template"],
            [],
            [
                *(None, "Question - max 120 characters"),
                *(f"Answer {n} - max 75 characters" for n in range(1, 5)),
                *("Time limit (sec)", "Correct answer(s) - choose at least one"),
            ],
            *([n, a, *OPTIONS, 30, k + 1] for n, a, k in ITEMS),
        ],
        (),
    ),
    "a star at the right option": (
        [
            QUESTIONS[0],
            *(
                [n, a, *(f"*{o}" if i == k else o for i, o in enumerate(OPTIONS))]
                for n, a, k in ITEMS
            ),
        ],
        (),
    ),
    "an option a row, marked": (
        [
            ["Nº", "Texto", "Correcta"],
            *(
                row
                for n, a, k in ITEMS
                for row in (
                    [n, a, None],
                    *(["abcd"[i] + ")", o, "X" if i == k else None] for i, o in enumerate(OPTIONS)),
                )
            ),
        ],
        (),
    ),
    "a column for each option's truth": (
        [
            [*QUESTIONS[0], *(f"Correcta {letter}" for letter in LETTERS)],
            *([n, a, *OPTIONS, *(int(i == k) for i in range(4))] for n, a, k in ITEMS),
        ],
        (),
    ),
    "a number within an option": (
        [
            ["Orden", "Pregunta", "Opciones de respuesta", "Solución"],
            *(
                [n, a, " ".join(f"{i}.- {o}." for i, o in enumerate(OPTIONS, 1)), k + 1]
                for n, a, k in ITEMS
            ),
        ],
        (),
    ),
}


@pytest.mark.parametrize("name", SHEETS)
def test_sheets_as_people_write_them(tmp_path, name):
    rows, merged = SHEETS[name]
    check(tmp_path, workbook(tmp_path / "exam.xlsx", {"Examen": rows}, merged))


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("name", KEY_SHEETS)
def test_the_key_in_any_other_sheet(tmp_path, name, is_first):
    sheets = {"Preguntas": QUESTIONS, "Plantilla": KEY_SHEETS[name]}
    ordered = dict(reversed(sheets.items())) if is_first else sheets
    assert not check(tmp_path, workbook(tmp_path / "exam.xlsx", ordered)).unreadable


def test_a_sheet_that_is_not_read_is_named(tmp_path):
    sheets = {"Examen": KEYED, "Notas": [["Revisado en mayo"]], "Reserva": [["Código"], ["R1"]]}
    done = check(tmp_path, workbook(tmp_path / "exam.xlsx", sheets))
    assert [reason.split(":")[0] for reason in done.unreadable] == [
        "exam.xlsx, sheet 'Notas'",
        "exam.xlsx, sheet 'Reserva'",
    ]


ANSWERED = [(key + (n == 2)) % 4 for n, _, key in ITEMS]  # one is wrong
ANSWER_SHEETS = {
    "models below one name": (
        [
            ["Pregunta", "Modelos", None],
            [None, "GPT-4o", "Gemini 1.5"],
            *([n, LETTERS[a], LETTERS[k]] for (n, _, k), a in zip(ITEMS, ANSWERED, strict=True)),
        ],
        ("B1:C1", "A1:A2"),
        {"GPT-4o", "Gemini_1.5"},
    ),
    "a column for each option": (
        [
            ["Pregunta", *LETTERS],
            *(
                [n, *("X" if i == a else None for i in range(4))]
                for (n, *_), a in zip(ITEMS, ANSWERED, strict=True)
            ),
        ],
        (),
        {"GPT-4o"},
    ),
}


def letters_of(folder, file):
    """The letters that are read in the answers of a file, by model."""
    import_questions(
        workbook(folder / "exam.xlsx", {"Examen": KEYED}), "exam", folder / "questions"
    )
    import_answers([file], "exam", folder / "questions")
    letters = {}
    for row in read_recorded(folder / "questions").to_pylist():
        letters.setdefault(row["model_alias"], []).append(row["letter"])
    return letters


@pytest.mark.parametrize("name", ANSWER_SHEETS)
def test_sheets_of_answers(tmp_path, name):
    rows, merged, models = ANSWER_SHEETS[name]
    letters = letters_of(tmp_path, workbook(tmp_path / "GPT-4o.xlsx", {"R": rows}, merged))
    assert letters.keys() == models
    assert letters["GPT-4o"] == [LETTERS[a] for a in ANSWERED]


def test_answers_as_the_last_words_of_conversations(tmp_path):
    file = tmp_path / "GPT-4o.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "messages": [
                        {"role": "user", "content": f"{asked}\n{lettered()}"},
                        {"role": "assistant", "content": f"{LETTERS[a]}. {OPTIONS[a]}"},
                    ]
                }
            )
            + "\n"
            for (_, asked, _), a in zip(ITEMS, ANSWERED, strict=True)
        )
    )
    assert letters_of(tmp_path, file) == {"GPT-4o": [LETTERS[a] for a in ANSWERED]}
