"""Examinations in further forms that people and tools write, each in a few lines."""

import csv
import io
import itertools
import json
import time
import zipfile

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions import documents
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.keys import Base, key_of
from python_llm.questions.options import split_text

KEYS = [1, 2, 0, 3, 1, 2]
ASKED = [
    f"Mujer de {40 + n} años con disnea y edemas. ¿Qué fármaco {n} pautaría?" for n in range(6)
]
OPTIONS = ["Digoxina", "Furosemida 40 mg", "Enalapril", "Ácido fólico"]
ITEMS = list(zip(range(1, 7), ASKED, KEYS, strict=True))
LETTERS = "ABCD"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def each(form):
    return "".join(form(n, asked, LETTERS[key], OPTIONS[key]) for n, asked, key in ITEMS)


def listed(form):
    return "".join(form(letter, option) for letter, option in zip(LETTERS, OPTIONS, strict=True))


def json_lines(form):
    return "".join(json.dumps(form(asked, key)) + "\n" for _, asked, key in ITEMS)


LETTERED = listed("{}) {}\n".format)
FORMS = {
    "boxes.md": each(
        lambda n, asked, letter, right: (
            f"### Question {n}\n\n{asked}\n\n"
            + listed(lambda m, o: f"- [{'x' if m == letter else ' '}] {o}\n")
            + "\n"
        )
    ),
    "folded.md": each(
        lambda n, asked, letter, right: (
            f"**{n}. {asked}**\n\n{LETTERED}\n<details><summary>Answer</summary>\n\n"
            f"{letter}. {right}\n\n</details>\n\n"
        )
    ),
    "table.md": "| # | Question | Options | Answer |\n|---|---|---|---|\n"
    + each(
        lambda n, asked, letter, right: (
            f"| {n} | {asked} | {LETTERED.strip().replace(chr(10), '<br>')} | {letter} |\n"
        )
    ),
    "points.txt": each(
        lambda n, asked, letter, right: (
            f"Pregunta {n} (2 puntos)\n{asked}\n"
            + listed(lambda m, o: f"○ {o}\n")
            + f"→ Correcta: {right}\n\n"
        )
    ),
    "comment.txt": each(
        lambda n, asked, letter, right: (
            f"{n}. {asked}\n{LETTERED}"
            f"Comentario: La respuesta correcta es la {letter.lower()} porque alivia.\n\n"
        )
    ),
    "bold.md": each(
        lambda n, asked, letter, right: (
            f"## {n}\n{asked}\n\n"
            + listed(lambda m, o: f"* **{m}. {o}**\n" if m == letter else f"* {m}. {o}\n")
            + "\n"
        )
    ),
    "dialogue.txt": each(
        lambda n, asked, letter, right: (
            f"Q: {asked}\n{listed(lambda m, o: f'- {o}{chr(10)}')}A: {right}\n\n"
        )
    ),
    "keys on top.txt": "Clave: "
    + each(lambda n, asked, letter, right: f"{n}-{letter} ")
    + "\n\n"
    + each(lambda n, asked, letter, right: f"{n}. {asked}\n{LETTERED}\n"),
    "bracketed keys.txt": each(lambda n, asked, letter, right: f"{n}) {asked}\n{LETTERED}\n")
    + "ANSWER KEY\n"
    + each(lambda n, asked, letter, right: f"{n} ({letter})  "),
    "captions.csv": "text\n"
    + each(
        lambda n, asked, letter, right: (
            f'"Question: {asked}\nOptions: {LETTERED.replace(chr(10), " ")}\nAnswer: {letter}"\n'
        )
    ),
    "valida.csv": "Cód.;Enunciado del ítem;Opc A;Opc B;Opc C;Opc D;Opción válida\n"
    + each(lambda n, asked, letter, right: f"C{n};{asked};{';'.join(OPTIONS)};{letter}\n"),
    "choice.csv": "Question;Choice 1;Choice 2;Choice 3;Choice 4;Correct choice no.\n"
    + each(
        lambda n, asked, letter, right: f"{asked};{';'.join(OPTIONS)};{LETTERS.index(letter) + 1}\n"
    ),
    "marks.csv": "Question;A;B;C;D;Key (1=correct)\n"
    + each(
        lambda n, asked, letter, right: (
            f"{asked};{';'.join(OPTIONS)};{''.join(str(int(m == letter)) for m in LETTERS)}\n"
        )
    ),
    "apart.csv": "item_id;stem;correct_response;distractor_1;distractor_2;distractor_3\n"
    + each(
        lambda n, asked, letter, right: (
            f"{n};{asked};{right};{';'.join(o for o in OPTIONS if o != right)}\n"
        )
    ),
    "is_answer.jsonl": json_lines(
        lambda asked, key: {
            "stem": asked,
            "choices": [
                {"key": m, "value": o, "is_answer": m == LETTERS[key]}
                for m, o in zip("ABCD", OPTIONS, strict=True)
            ],
        }
    ),
    "ideal.jsonl": json_lines(
        lambda asked, key: {"input": f"{asked}\n{LETTERED}Answer:", "ideal": LETTERS[key]}
    ),
    "doc.jsonl": json_lines(
        lambda asked, key: {
            "doc_id": key,
            "doc": {"query": asked, "choices": OPTIONS, "gold": key},
            "target": str(key),
        }
    ),
    "turns.jsonl": json_lines(
        lambda asked, key: {
            "messages": [
                {"role": "user", "content": f"{asked}\n{LETTERED}"},
                {"role": "assistant", "content": f"The answer is ({LETTERS[key]}) {OPTIONS[key]}."},
            ]
        }
    ),
    "pairs.json": json.dumps(
        [
            {
                "question": asked,
                "options": list(zip(LETTERS, OPTIONS, strict=True)),
                "answer": [LETTERS[key], OPTIONS[key]],
            }
            for _, asked, key in ITEMS
        ]
    ),
    "sections.json": json.dumps(
        {
            "exam": {
                "sections": [
                    {
                        "items": [
                            {
                                "prompt": asked,
                                "alternatives": dict(zip("1234", OPTIONS, strict=True)),
                                "solution": key + 1,
                            }
                            for _, asked, key in half
                        ]
                    }
                    for half in (ITEMS[:3], ITEMS[3:])
                ]
            }
        }
    ),
    "texts.json": json.dumps(
        {
            "title": "Quiz",
            "questions": [
                {
                    "text": asked,
                    "answers": [
                        {"text": o, "correct": m == LETTERS[key]}
                        for m, o in zip(LETTERS, OPTIONS, strict=True)
                    ],
                }
                for _, asked, key in ITEMS
            ],
        }
    ),
    "columns.json": json.dumps(
        {
            "question": {str(n): asked for n, asked, _ in ITEMS},
            **{m: {str(n): o for n, _, _ in ITEMS} for m, o in zip(LETTERS, OPTIONS, strict=True)},
            "answer": {str(n): LETTERS[key] for n, _, key in ITEMS},
        }
    ),
    "short.yaml": each(
        lambda n, asked, letter, right: (
            f'- q: "{asked}"\n  a: {json.dumps(OPTIONS)}\n  correct: {LETTERS.index(letter) + 1}\n'
        )
    ),
    "kinds.csv": "id;type;text;correct\n"
    + each(
        lambda n, asked, letter, right: (
            f"{n};question;{asked};\n" + listed(lambda m, o: f"{n};option;{o};{int(m == letter)}\n")
        )
    ),
    "repeated.jsonl": json_lines(
        lambda asked, key: {
            "question": f"{asked}\nAnswer Choices: "
            + " ".join(f"({m}) {o}" for m, o in zip(LETTERS, OPTIONS, strict=True)),
            "options": [{"letter": m, "content": o} for m, o in zip(LETTERS, OPTIONS, strict=True)],
            "label": LETTERS[key],
        }
    ),
    "filled up.jsonl": json_lines(
        lambda asked, key: {
            "question": asked,
            "options": [*OPTIONS, "N/A", "N/A"],
            "answer": LETTERS[key],
        }
    ),
    "named options.jsonl": json_lines(
        lambda asked, key: {
            "question": asked,
            "answer_options": json.dumps({f"option{n}": o for n, o in enumerate(OPTIONS, 1)}),
            "correct_answer": f"option{key + 1}",
        }
    ),
    "hash.txt": each(
        lambda n, asked, letter, right: (
            f"Question #{n}\n{asked}\n{LETTERED}\nCorrect Answer: {letter}\n"
            "Explanation: it is better than A and B.\nReference: a book.\n\n---\n"
        )
    ),
    "short heads.md": each(
        lambda n, asked, letter, right: (
            f"**Q{n}.** {asked}\n\n"
            + "".join(f"{m}. {o}\n" for m, o in enumerate(OPTIONS, 1))
            + f"\n<details><summary>Answer</summary>\n\n{LETTERS.index(letter) + 1}. {right}\n\n"
            "</details>\n\n"
        )
    ),
    "inline.txt": each(
        lambda n, asked, letter, right: (
            f"{n}) {asked} "
            + listed(lambda m, o: f"{m.lower()}) {o}; ").rstrip("; ")
            + f" [Respuesta: {letter.lower()}]\n"
        )
    ),
    "explained keys.txt": each(lambda n, asked, letter, right: f"{n}. {asked}\n{LETTERED}\n")
    + "\nANSWERS AND EXPLANATIONS\n\n"
    + each(lambda n, asked, letter, right: f"{n}. The answer is {letter}. {right} fits best.\n\n"),
    "bullets.txt": each(
        lambda n, asked, letter, right: (
            f"{n}. {asked}\n"
            + listed(lambda m, o: f"  - {o}{' (CORRECTA)' * (m == letter)}\n")
            + "\n"
        )
    ),
    "numbered of.txt": each(
        lambda n, asked, letter, right: (
            f"Question {n} of 6\n\n{asked}\n\n{LETTERED}\nAnswer: {letter}\n\n"
        )
    ),
    "french.json": json.dumps(
        [
            {
                "enonce": asked,
                "propositions": dict(zip(LETTERS, OPTIONS, strict=True)),
                "reponses_correctes": [LETTERS[key]],
            }
            for _, asked, key in ITEMS
        ]
    ),
    "escaped.tsv": "qid\tquestion\tgold\n"
    + each(
        lambda n, asked, letter, right: (
            f"{n}\t{asked}\\n{LETTERED.strip().replace(chr(10), chr(92) + 'n')}\t{letter}\n"
        )
    ),
    "caption.jsonl": json_lines(
        lambda asked, key: {
            "prompt": f"Question: {asked}\nOptions:\n{LETTERED}Answer:",
            "completion": f" {LETTERS[key]}",
        }
    ),
    "initials.csv": "Nº;PREGUNTA;1;2;3;4;5;R.C.\n"
    + each(
        lambda n, asked, letter, right: (
            f"{n};{asked};{';'.join(OPTIONS)};;{LETTERS.index(letter) + 1}\n"
        )
    ),
    "turned.json": json.dumps(
        {
            "question": {str(n): asked for n, asked, _ in ITEMS},
            "options": {str(n): OPTIONS for n, _, _ in ITEMS},
            "answer": {str(n): key for n, _, key in ITEMS},
        }
    ),
    "own.xml": "<?xml version='1.0'?>\n<exam>"
    + each(
        lambda n, asked, letter, right: (
            f"<question id='{n}'><text>{asked}</text>"
            + listed(
                lambda m, o: (
                    f"<option value='{m}' correct='{str(m == letter).lower()}'>{o}</option>"
                )
            )
            + "</question>"
        )
    )
    + "</exam>",
    "list of options.xml": "<test>"
    + each(
        lambda n, asked, letter, right: (
            f"<item key='{letter}'><stem>{asked}</stem><choices>"
            + listed(lambda m, o: f"<choice>{o}</choice>")
            + "</choices></item>"
        )
    )
    + "</test>",
}
NUMBERED = [f"{n}. {option}" for n, option in enumerate(OPTIONS, 1)]
SHEETS = {
    "versions": [
        [["Nº", "Pregunta"], *([n, "\n".join([asked, *NUMBERED])] for n, asked, _ in ITEMS)],
        [["V", 0, 1, 2], *([n, key + 1, 4, 4] for n, _, key in ITEMS)],
    ],
    "options in rows": [
        [
            ["Pregunta", "Texto", "Correcta"],
            *(
                row
                for n, asked, key in ITEMS
                for row in ([n, asked, key + 1], *([None, option, None] for option in NUMBERED))
            ),
        ]
    ],
    "blocks": [
        [
            row
            for n, asked, key in ITEMS
            for row in (
                [f"PREGUNTA {n}", asked],
                *([f"{m})", option] for m, option in zip("abcd", OPTIONS, strict=True)),
                ["RC:", key + 1],
                [],
            )
        ]
    ],
    "abbreviated": [
        [
            ["Examen de simulacro"],
            [],
            ["Num.", "Enunciado", "Resp. 1", "Resp. 2", "Resp. 3", "Resp. 4", "Rpta. correcta"],
            *([n, asked, *OPTIONS, key + 1] for n, asked, key in ITEMS),
        ]
    ],
    "on its side": [
        [
            ["Campo", *(f"P{n}" for n, _, _ in ITEMS)],
            ["Enunciado", *(asked for _, asked, _ in ITEMS)],
            *(
                [f"Opción {m}", *(option for _ in ITEMS)]
                for m, option in zip(LETTERS, OPTIONS, strict=True)
            ),
            ["Correcta", *(LETTERS[key] for _, _, key in ITEMS)],
        ]
    ],
    "web page": [
        [
            ["question_html", "choice_1", "choice_2", "choice_3", "choice_4", "answer_number"],
            *(
                [
                    f"<p><b>{asked.replace('ñ', '&ntilde;')}</b></p>",
                    *map("<p>{}</p>".format, OPTIONS),
                    key + 1,
                ]
                for _, asked, key in ITEMS
            ),
        ]
    ],
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_workbook_arrives_with_its_options_and_keys(name, tmp_path):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in SHEETS[name]:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    check(tmp_path, f"{name}.xlsx", content.getvalue())


def test_a_line_near_two_marks_of_one_page_stays(tmp_path):
    """It may be 'señale la incorrecta', without which the question asks the contrary."""
    foot = "\n              - 3 -\n          Página 3 de 40\n\n"
    pages = each(
        lambda n, asked, letter, right: (
            f"{n}. {asked[:-8]}\n{asked[-8:]}\n{LETTERED}Respuesta: {letter}\n" + foot * (n == 3)
        )
    )
    rows = documents.questions_of(pages)
    assert [row.values["question"].split("\nA)")[0].replace("\n", "") for row in rows] == ASKED


@pytest.mark.parametrize(
    "head", ["", "VERSIÓN 0\n", "MEDICINA - VERSIÓN: 0\n", "V\t0\n", "Pregunta\tRespuesta\n"]
)
def test_what_heads_a_list_of_keys_shifts_none(head):
    listed_keys = "".join(f"{n}\t{key + 1}\n" for n, _, key in ITEMS)
    assert documents.keys_of(head + listed_keys) == {str(n): str(key + 1) for n, _, key in ITEMS}


def test_of_the_versions_of_a_key_version_0_counts():
    table = "V 0 1 2\n" + "".join(f"{n} {key + 1} 4 1\n" for n, _, key in ITEMS)
    assert documents.keys_of(table) == {str(n): str(key + 1) for n, _, key in ITEMS}


def test_numbers_that_repeat_are_no_keys():
    assert documents.keys_of("1 3 2 4\n1 2 2 2\n") == {}


def check(folder, name, content, **options):
    """Every question arrives with its options and its key."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    import_questions(file, "exam", folder / "questions", **options)
    rows = read_imported(folder / "questions").to_pylist()
    keyed = {row["question_text"].replace("\n", " "): row for row in rows}
    assert list(keyed) == ASKED
    for asked, key in zip(ASKED, KEYS, strict=True):
        row = keyed[asked]
        assert sorted(row["options"]) == sorted(OPTIONS)
        assert row["answer_letter"], (row["unscored_reason"], row)
        assert row["options"][LETTERS.index(row["answer_letter"])] == OPTIONS[key]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_arrives_with_its_options_and_keys(name, tmp_path):
    check(tmp_path, name, FORMS[name])


def two_columns():
    def column(items):
        return [
            line
            for n, asked, _ in items
            for line in (
                *(f"{n}. {asked[:38].rpartition(' ')[0]}", asked[asked[:38].rindex(" ") + 1 :]),
                *(*LETTERED.splitlines(), ""),
            )
        ]

    sides = zip(column(ITEMS[:3]), column(ITEMS[3:]), strict=True)
    return "\n".join(f"{left:<60}{right}".rstrip() for left, right in sides)


def test_columns_of_a_printed_page_are_read_in_turn(tmp_path):
    keys = each(lambda n, asked, letter, right: f"{n}. {letter}  ")
    check(tmp_path, "page.txt", f"Examen final\n\n{two_columns()}\n\nRespuestas\n{keys}\n")


def word(paragraphs):
    """A Word document; a list is a row of a table, a text ending with * is bold."""

    def paragraph(text):
        bold = "<w:rPr><w:b/></w:rPr>" if text.endswith("*") else ""
        return f"<w:p><w:r>{bold}<w:t>{text.rstrip('*')}</w:t></w:r></w:p>"

    body = "".join(
        paragraph(item)
        if isinstance(item, str)
        else f"<w:tbl><w:tr>{''.join(f'<w:tc>{paragraph(c)}</w:tc>' for c in item)}</w:tr></w:tbl>"
        for item in paragraphs
    ).replace("</w:tbl><w:tbl>", "")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        )
    return content.getvalue()


LEVELS = {0: ("decimal", "%1."), 1: ("lowerLetter", "%2)")}


def numbered_word(paragraphs, numbers, numbering):
    """A Word document whose paragraphs are (text, list, level)."""

    def paragraph(text, number, level):
        listed = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        return f"<w:p><w:pPr>{listed if number else ''}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"

    content = io.BytesIO()
    body = "".join(itertools.starmap(paragraph, paragraphs))
    with zipfile.ZipFile(content, "w") as archive:
        parts = {"document": f"<w:body>{body}</w:body>", "numbering": numbering + numbers}
        for tag, inner in parts.items():
            archive.writestr(f"word/{tag}.xml", f'<w:{tag} xmlns:w="{W}">{inner}</w:{tag}>')
    return content.getvalue()


def definition(number, levels):
    listed = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (form, text) in levels.items()
    )
    return f'<w:abstractNum w:abstractNumId="{number}">{listed}</w:abstractNum>'


def listed_num(number, of, start=None):
    override = f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start}"/></w:lvlOverride>'
    inner = f'<w:abstractNumId w:val="{of}"/>{override if start else ""}'
    return f'<w:num w:numId="{number}">{inner}</w:num>'


def test_numbers_that_word_counts_are_read(tmp_path):
    """One list of two levels, and options in lists that start anew."""
    keys = [(f"{n}. {LETTERS[key]}", 0, 0) for n, _, key in ITEMS]
    nested = [
        line
        for _, asked, _ in ITEMS
        for line in ((asked, 1, 0), *((option, 1, 1) for option in OPTIONS))
    ]
    content = numbered_word(
        [*nested, ("Respuestas", 0, 0), *keys], listed_num(1, 0), definition(0, LEVELS)
    )
    check(tmp_path, "nested.docx", content)
    apart = [
        line
        for n, asked, _ in ITEMS
        for line in ((asked, 1, 0), *((option, n + 1, 0) for option in OPTIONS))
    ]
    nums = listed_num(1, 0) + "".join(listed_num(n + 1, 1, 1) for n, _, _ in ITEMS)
    both = definition(0, {0: ("decimal", "%1.")}) + definition(1, {0: ("upperLetter", "%1)")})
    content = numbered_word([*apart, ("Respuestas", 0, 0), *keys], nums, both)
    check(tmp_path, "apart.docx", content)


def bold_options(letter):
    marks = zip(LETTERS, OPTIONS, strict=True)
    return [f"{m}) {o}{'*' if m == letter else ''}" for m, o in marks]


def test_options_and_keys_in_tables_of_a_word_document_are_read(tmp_path):
    paragraphs: list = []
    for n, asked, _ in ITEMS:
        options = LETTERED.splitlines()
        paragraphs += [f"{n}. {asked}", options[:2], options[2:]]
    table = [[str(n) for n, _, _ in ITEMS], [LETTERS[key] for key in KEYS]]
    check(tmp_path, "exam.docx", word([*paragraphs, "Respuestas", *table]))
    upright = [["Pregunta", "Respuesta"], *zip(*table, strict=True)]
    content = word([*paragraphs, "Plantilla de respuestas", *map(list, upright)])
    check(tmp_path, "upright.docx", content)


def test_the_bold_option_of_a_word_document_is_the_key(tmp_path):
    paragraphs: list = []
    for n, asked, key in ITEMS:
        paragraphs += [f"{n}. {asked}", *bold_options(LETTERS[key])]
    check(tmp_path, "exam.docx", word(paragraphs))


def test_a_letter_in_word_is_refused(tmp_path):
    file = tmp_path / "letter.docx"
    file.write_bytes(word(["Estimada doctora:", "Le escribo por la paciente.", "Atentamente"]))
    with pytest.raises(FileError):
        import_questions(file, "exam", tmp_path / "questions")


def test_bold_options_that_are_not_one_a_question_are_no_key(tmp_path):
    paragraphs: list = []
    for n, asked, key in ITEMS:
        paragraphs += [f"{n}. {asked}", *bold_options(LETTERS[key] if n > 1 else "")]
    file = tmp_path / "exam.docx"
    file.write_bytes(word(paragraphs))
    with pytest.raises(FileError, match="no column looks like the key"):
        import_questions(file, "exam", tmp_path / "questions")


def test_a_sheet_without_a_header_is_read_as_a_document(tmp_path):
    rows: list = [["Examen de prueba"]]
    for n, asked, key in ITEMS:
        rows.append([n, asked])
        marks = zip("abcd", OPTIONS, strict=True)
        rows += [[m, o, "X" if m == "abcd"[key] else None] for m, o in marks]
    check(tmp_path, "exam.xlsx", workbook({"Hoja1": rows}))


def test_a_sheet_may_hold_keys_side_by_side(tmp_path):
    questions = [["Nº", "Enunciado"], *([n, f"{asked} {' '.join(LETTERED.split(chr(10)))}"]
                                       for n, asked, _ in ITEMS)]  # fmt: skip
    halves = zip(ITEMS[:3], ITEMS[3:], strict=True)
    keys = [["PREG", "RC", "PREG", "RC"], *([a[0], a[2] + 1, b[0], b[2] + 1] for a, b in halves)]
    check(tmp_path, "exam.xlsx", workbook({"Preguntas": questions, "Plantilla": keys}))


def workbook(sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_a_key_file_without_a_header_has_pairs_in_its_rows(tmp_path):
    rows = [
        [str(cell) for n, _, key in half for cell in (n, key + 1)]
        for half in (ITEMS[:3], ITEMS[3:])
    ]
    (tmp_path / "keys.csv").write_text("".join(";".join(row) + "\n" for row in rows))
    exam = each(lambda n, asked, letter, right: f"{n}. {asked}\n{LETTERED}\n")
    check(tmp_path, "exam.txt", exam, key_file=tmp_path / "keys.csv")


@pytest.mark.parametrize("name", ["GPT-4", "GPT-4 correct", "n_correct", "confidence_correct"])
def test_a_column_of_a_model_is_no_key(name, tmp_path):
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerow(["question", "A", "B", "C", "D", name])
    writer.writerows([asked, *OPTIONS, 1] for asked in ASKED)
    file = tmp_path / "exam.csv"
    file.write_text(content.getvalue())
    with pytest.raises(FileError, match=rf"no column looks like the key.*question, A.*{name}\)"):
        import_questions(file, "exam", tmp_path / "questions")


@pytest.mark.parametrize(
    ("written", "letter", "reason"),
    [
        *(("0010", "C", None), ("0,1,0,0", "B", None), ([0, 0, 0, 1], "D", None)),
        *(("0110", None, "two_keys"), ("010", None, "key_is_no_option")),
        *(("The answer is (B) Furosemida", "B", None), ("la c porque alivia", "C", None)),
        *(("a loop diuretic", None, "key_is_no_option"), (["B", "Furosemida 40 mg"], "B", None)),
        *((["A", "Furosemida 40 mg"], None, "two_keys"), (["A", "B"], None, "two_keys")),
    ],
)
def test_a_key_is_read_as_written(written, letter, reason):
    assert key_of(written, None, OPTIONS, Base(1)) == (letter, reason)


@pytest.mark.parametrize(
    "text", ["a" + " " * 20_000 + "b", "Answer" + " " * 20_000, "\n" * 20_000 + "x", "[ ] " * 5000]
)
def test_reading_takes_time_that_grows_with_the_text(text):
    started = time.process_time()
    assert documents.questions_of(text) == []
    assert split_text(text) is None
    assert time.process_time() - started < 5


@pytest.mark.parametrize("content", [b"a\rb\n", b"PK\x03\x04" + bytes(range(256)), b"text\n\r\x00"])
def test_a_damaged_table_is_refused(content, tmp_path):
    file = tmp_path / "exam.csv"
    file.write_bytes(content)
    with pytest.raises(FileError):
        import_questions(file, "exam", tmp_path / "questions")
