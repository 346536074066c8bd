"""Cover pages, page heads and section headings of an examination stay out of its questions."""

import time

import pytest

from python_llm.questions.documents import questions_of
from python_llm.questions.imported import import_questions, read_imported

N = 8
OPTIONS = ["Digoxina", "Furosemida 40 mg", "Enalapril", "Ácido fólico"]
KEY = "\nRespuestas\n" + "".join(f"{n}. {n % 4 + 1}\n" for n in range(1, N + 1))
COVER = """PRUEBAS SELECTIVAS
LEA ATENTAMENTE LAS SIGUIENTES INSTRUCCIONES
1. Compruebe que este cuaderno lleva todas sus páginas.
2. Escriba con bolígrafo azul o negro.
3. Dispone de cuatro horas y treinta minutos.
4. No abra el cuaderno hasta que se le indique.
5. Apague el teléfono.

"""


def asked(n):
    return f"Mujer de {40 + n} años con disnea. ¿Qué fármaco {n} pautaría?"


def exam(after=(), text=""):
    """Questions with a text after some of them."""
    return "".join(
        f"{n}. {asked(n)}\n"
        + "".join(f"{mark}. {option}\n" for mark, option in enumerate(OPTIONS, 1))
        + (text.format(page=n) if n in after else "")
        for n in range(1, N + 1)
    )


@pytest.mark.parametrize(
    ("document", "removed"),
    [
        (COVER + exam(), "'1. Compruebe que este cuaderno"),
        (exam([3, 6], "\fMEDICINA - VERSIÓN: 0\n"), "'MEDICINA - VERSIÓN: 0' (2 times)"),
        (
            exam([3, 6], "MIR 2022 - Versión 0 - Página {page} de 20\n"),
            "'MIR 2022 - Versión 0 - Página 3 de 20'",
        ),
        (
            exam([3, 6], "MEDICINA. CONVOCATORIA DE JUNIO          {page}\n"),
            "'MEDICINA. CONVOCATORIA DE JUNIO          3'",
        ),
        ("SECTION A\n\n" + exam([4], "SECTION B\n"), "'SECTION A', 'SECTION B'"),
        (exam([4], "\nPart II\n\n"), "'Part II'"),
        (exam([2, 6], "\nNEUMOLOGÍA\n\n"), "'NEUMOLOGÍA'"),
        (exam([4], "\nPart II\nAnswer all questions.\n\n"), "'Part II', 'Answer all questions.'"),
        (
            COVER + exam([2, 4, 6], "\nMEDICINA - VERSIÓN: 0\n- {page} -\n\f"),
            "'MEDICINA - VERSIÓN: 0' (3 times)",
        ),
    ],
)
def test_what_is_of_no_question_is_left_out_and_listed(tmp_path, document, removed):
    (tmp_path / "exam.txt").write_text(document + KEY)
    done = import_questions(tmp_path / "exam.txt", "exam", tmp_path / "q")
    rows = read_imported(tmp_path / "q").to_pylist()
    assert [row["question_text"] for row in rows] == [asked(n) for n in range(1, N + 1)]
    assert all(row["options"] == OPTIONS for row in rows)
    assert [row["answer_letter"] for row in rows] == ["ABCD"[n % 4] for n in range(1, N + 1)]
    assert removed in done.choices[0]


@pytest.mark.parametrize("line", ["Ninguna de las anteriores", "Página 3 del informe: normal"])
def test_a_line_of_one_question_stays(tmp_path, line):
    (tmp_path / "exam.txt").write_text(exam([3], line + "\n") + KEY)
    done = import_questions(tmp_path / "exam.txt", "exam", tmp_path / "q")
    rows = read_imported(tmp_path / "q").to_pylist()
    assert rows[2]["options"][-1] == f"Ácido fólico {line}"
    assert not done.choices


def test_a_text_of_many_numbered_lines_is_read_in_time():
    text = "1. ¿Q?\n" + f"{'word ' * 20}\n" * 5_000 + "2. word\na word\n" * 5_000
    started = time.process_time()
    assert questions_of(text) == []
    assert time.process_time() - started < 20


IN_ONE_LINE = """1.- ¿Cuál es la ﬁebre de Malta?
a) Brucelosis   b) Tu\u00adlaremia   c) Lepra   d) Lyme
2.- ¿Cuál es la lepra?
a) Hansen b) Lyme c) Malta
d) Tularemia
3.- ¿Cuál es la de Lyme?
a) Lyme   b) Hansen   c) Malta   d) Lepra
"""
TABLE_OF_KEYS = "Plantilla de respuestas\nPregunta\nRespuesta\n1\na\n2\na\n3\nb\n"


@pytest.mark.parametrize("keys", ["SOLUCIONES\n1.- a 2.- a 3.- b\n", TABLE_OF_KEYS])
def test_options_of_one_line_end_where_the_next_question_begins(tmp_path, keys):
    (tmp_path / "exam.txt").write_text(IN_ONE_LINE + keys)
    import_questions(tmp_path / "exam.txt", "exam", tmp_path / "q")
    rows = read_imported(tmp_path / "q").to_pylist()
    assert [row["answer_letter"] for row in rows] == ["A", "A", "B"]
    assert rows[0]["question_text"] == "¿Cuál es la fiebre de Malta?"
    assert rows[0]["options"] == ["Brucelosis", "Tularemia", "Lepra", "Lyme"]
    assert rows[2]["options"] == ["Lyme", "Hansen", "Malta", "Lepra"]
