"""Keys in a file of their own: each arrives at its question, or the import is refused."""

import csv
import json
import time
from itertools import pairwise

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.questions.imported import import_questions, read_imported
from python_llm.questions.key_files import read_key_file
from python_llm.questions.key_tables import table_of_text
from python_llm.questions.keys import Base, base_of, place_of

N = 8
KEYS = [1, 2, 3, 4, 1, 3, 2, 4]
OF_V1 = [1, 3, 2, 4, 1, 2, 3, 4]
PLACES = range(1, N + 1)
VERSIONS = {"0": KEYS, "1": OF_V1}

LISTS = {
    "a.json": '["B", "A", "C"]',
    "b.json": '{"solutions": ["B", "A", "C"]}',
    "c.json": json.dumps([{"number": n, "solution": key} for n, key in enumerate("BAC", 1)]),
    "d.json": '{"1": "B", "2": "A", "3": "C"}',
    "e.csv": "B\nA\nC\n",
    "f.csv": "pregunta;solución\n1;B\n2;A\n3;C\n",
    "g.txt": "B\nA\nC\n",
    "h.txt": "B A C",
    "i.txt": "BAC\n",
    "j.txt": "Clave\nB\nA\nC\n",
    "k.csv": "RC\nB\nA\nC\n",
    "l.txt": "1\nB\n2\nA\n3\nC\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_solutions_is_a_key(tmp_path, name):
    (tmp_path / name).write_text(LISTS[name])
    assert read_key_file(tmp_path / name, {}).keys == {"1": "B", "2": "A", "3": "C"}


IN_WORDS = {
    "ordinals.txt": "1. la primera\n2. 2.ª opción\n3. la tercera es la correcta\n4. cuarta\n",
    "ordinals.csv": "pregunta;respuesta\n1;First\n2;the second one\n3;3rd\n4;option four\n",
    "numbers.txt": "1. nº 1\n2. la número 2\n3. No. 3\n4. # 4\n",
    "both.txt": "1. 1 (A)\n2. B = 2\n3. 3 - C\n4. 4 (D)\n",
    "versions.csv": "V0;RC0;V1;RC1\n1;1;4;4\n2;2;3;3\n3;3;2;2\n4;4;1;1\n",
    "in a line.txt": "1 2 3 4\n",
}


@pytest.mark.parametrize("name", IN_WORDS)
def test_keys_are_read_in_words_and_in_order(tmp_path, name):
    assert letters(tmp_path, exam([1, 2, 3, 4]), name, IN_WORDS[name])[0] == "ABCD"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("1 3 2 4 3 1\n", "CDA"), ("1 3 2\n", "ACB")],
)
def test_digits_of_one_line_are_pairs_or_keys_of_all(tmp_path, keys, expected):
    assert letters(tmp_path, exam([1, 2, 3]), "keys.txt", keys)[0] == expected


def test_a_number_and_a_letter_that_differ_are_no_key(tmp_path):
    keys = "1. 1 (B)\n2. 2 (B)\n3. 3 (C)\n4. la primera y la segunda\n5. 1\n"
    assert letters(tmp_path, exam([1, 2, 3, 4, 5]), "keys.txt", keys)[0] == "-BC-A"


@pytest.mark.parametrize("word", ["la " * 20_000, "opción " * 20_000, "n." * 40_000])
def test_a_long_text_is_no_ordinal(word):
    assert place_of(word, Base(1)) is None


def test_digits_that_fit_neither_way_are_refused(tmp_path):
    with pytest.raises(FileError, match="one too many or too few"):
        letters(tmp_path, exam([1, 2, 3, 4, 5]), "keys.txt", "1 3 2 4\n")


def exam(numbers, *, text="{n}", empty=()):
    """A table of questions; those that are `empty` have no option."""
    rows = [
        f"{n};¿Qué es {text.format(n=n, place=place)}?;{';;;' if n in empty else 'w;x;y;z'}\n"
        for place, n in enumerate(numbers, 1)
    ]
    return "Número;Enunciado;A;B;C;D\n" + "".join(rows)


def letters(folder, questions, key_file, keys, **options):
    (folder / "exam.csv").write_text(questions)
    (folder / key_file).write_text(keys)
    done = import_questions(
        folder / "exam.csv", "exam", folder / "q", key_file=folder / key_file, **options
    )
    rows = read_imported(folder / "q").to_pylist()
    return "".join(row["answer_letter"] or "-" for row in rows), done


@pytest.mark.parametrize(
    ("questions", "key_file", "keys", "expected"),
    [
        (exam(PLACES), "k.json", json.dumps([*"ABCDABCD"]), "ABCDABCD"),
        (exam([101, 102, 103]), "k.txt", "C\nB\nA\n", "CBA"),
        (exam([1, 2, 4]), "k.txt", "CBA", "CBA"),
        (exam([""] * 3, text="{place}"), "k.csv", "number,key\n1,C\n2,B\n3,A\n", "CBA"),
        # a row that is set aside keeps its place
        (exam(PLACES, empty=[3]), "k.json", json.dumps([*"ABCDABCD"]), "ABDABCD"),
        (exam(PLACES, empty=[8]), "k.json", json.dumps([*"ABCDABC"]), "ABCDABC"),
        (exam([""] * 3, text="{place}"), "k.csv", "number,key\n2,C\n1,B\n3,A\n", "BCA"),
    ],
)
def test_keys_arrive_at_their_questions(tmp_path, questions, key_file, keys, expected):
    assert letters(tmp_path, questions, key_file, keys)[0] == expected


@pytest.mark.parametrize(
    ("questions", "key_file", "keys", "message"),
    [
        (exam(PLACES), "k.json", json.dumps([*"ABCDABC"]), "lists 7 keys .* there are 8 questions"),
        (exam(PLACES), "k.txt", "A\n" * 9, "lists 9 keys .* there are 8 questions"),
        (exam(PLACES), "k.txt", "ABCDABC", "lists 7 keys"),
        (exam(PLACES, empty=[3]), "k.txt", "ABCDABC", r"8 questions \(1 of them set aside\)"),
        (
            exam([""] * 4, text="{place}"),
            "k.csv",
            "number,key\n2,C\n3,B\n4,A\n5,B\n",
            "have no numbers",
        ),
        (
            exam([""] * 4, text="{place}"),
            "k.csv",
            "number,key\n1,C\n2,B\n3,A\n4,B\n5,C\n",
            "have no numbers",
        ),
        (exam(PLACES), "k.json", json.dumps({n: "A" for n in range(N)}), "counts .* from 0"),
        (
            exam([*range(1, 5)] * 2, text="{place}"),
            "k.csv",
            "number,key\n" + "".join(f"{n},A\n" for n in PLACES),
            "are numbers of several questions",
        ),
    ],
)
def test_keys_that_may_be_anothers_are_refused(tmp_path, questions, key_file, keys, message):
    with pytest.raises(FileError, match=message):
        letters(tmp_path, questions, key_file, keys)
    assert not (tmp_path / "q" / "exam.parquet").exists()


def test_a_number_of_two_questions_gives_neither_a_key(tmp_path):
    keys = "number,key\n" + "".join(f"{n},B\n" for n in PLACES)
    questions = exam([1, 2, 2, *range(3, 8)], text="{place}")
    found, done = letters(tmp_path, questions, "k.csv", keys)
    assert found == "B--BBBBB"
    assert "k.csv: question 2: several questions have this number" in done.unreadable[0]


def test_a_question_without_a_number_gets_no_key_of_its_place(tmp_path):
    keys = "number,key\n" + "".join(f"{n},{'ABCD'[n % 4]}\n" for n in PLACES)
    assert letters(tmp_path, exam([1, 2, "", 4, 5, 6]), "k.csv", keys)[0] == "BC-ABC"


def test_keys_of_sections_that_share_numbers_are_nobodys(tmp_path):
    questions = [
        {"number": n, "question": f"¿Qué es {n}?", "options": ["x", "y"]} for n in range(1, 4)
    ]
    document = {"questions": questions, "answers": {"a": {"1": "A", "2": "B"}, "b": {"1": "B"}}}
    (tmp_path / "exam.json").write_text(json.dumps(document))
    import_questions(tmp_path / "exam.json", "exam", tmp_path / "q")
    rows = read_imported(tmp_path / "q").to_pylist()
    assert [row["answer_letter"] for row in rows] == [None, "B", None]


SHEETS = {
    "V0 RC V1 RC": [["V0", "RC", "V1", "RC"], *([n, KEYS[n - 1], n, OF_V1[n - 1]] for n in PLACES)],
    "RC V0": [["Pregunta V0", "RC V0"], *([n, KEYS[n - 1]] for n in PLACES)],
    "Pregunta V0 RC V0": [
        ["Pregunta V0", "RC V0", "Pregunta V1", "RC V1"],
        *([n, KEYS[n - 1], n, OF_V1[n - 1]] for n in PLACES),
    ],
    "two rows": [
        ["Versión 0", None, "Versión 1", None],
        ["V", "RC", "V", "RC"],
        *([n, KEYS[n - 1], n, OF_V1[n - 1]] for n in PLACES),
    ],
    "a title": [
        ["MEDICINA"],
        ["VERSIÓN 0", None, "VERSIÓN 1", None],
        ["Pregunta", "RC", "Pregunta", "RC"],
        *([n, KEYS[n - 1], n, OF_V1[n - 1]] for n in PLACES),
    ],
    "one number": [
        ["Pregunta", "Respuesta correcta", None],
        [None, "V0", "V1"],
        *([n, KEYS[n - 1], OF_V1[n - 1]] for n in PLACES),
    ],
    "side by side": [
        ["V0", "RC", "V0", "RC"],
        *([n, KEYS[n - 1], n + 4, KEYS[n + 3]] for n in range(1, 5)),
    ],
    "a column of versions": [
        ["Versión", "Pregunta", "RC"],
        *([v, n, keys[n - 1]] for v, keys in VERSIONS.items() for n in PLACES),
    ],
    "provisional": [
        ["Pregunta", "RC provisional", "RC definitiva"],
        *([n, 4, KEYS[n - 1]] for n in PLACES),
    ],
    "of a student": [["Pregunta", "Respuesta", "Correcta"], *([n, 4, KEYS[n - 1]] for n in PLACES)],
}
WITHOUT_V1 = ("RC V0", "side by side", "provisional", "of a student")


def written(file, rows):
    if file.suffix == ".csv":
        with file.open("w") as handle:
            csv.writer(handle, delimiter=";").writerows(rows)
    else:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for number, row in enumerate(rows[:2], 1):  # a name over several columns is one cell
            for column, (cell, after) in enumerate(pairwise(row), 1):
                if cell and after is None:
                    book.active.merge_cells(
                        start_row=number, end_row=number, start_column=column, end_column=column + 1
                    )
        book.save(file)
    return file


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize("name", SHEETS)
def test_official_keys_as_they_are_published(tmp_path, name, suffix):
    file = written(tmp_path / f"keys.{suffix}", SHEETS[name])
    listed = read_key_file(file, {})
    assert [str(listed.keys[str(n)]) for n in PLACES] == [*map(str, KEYS)]
    assert bool(listed.notes) == (name not in WITHOUT_V1)
    if name in WITHOUT_V1:
        with pytest.raises(FileError, match="has no keys of version 1"):
            read_key_file(file, {"key": "V1"})
    else:
        of_v1 = read_key_file(file, {"key": "V1"})
        assert [str(key) for key in of_v1.keys.values()] == [*map(str, OF_V1)]


@pytest.mark.parametrize("head", ["V0 RC V1 RC", "MEDICINA\nVERSIÓN 0 VERSIÓN 1\nV RC V RC"])
def test_a_printed_table_of_versions(tmp_path, head):
    rows = "".join(f"{n} {KEYS[n - 1]} {n} {OF_V1[n - 1]}\n" for n in PLACES)
    (tmp_path / "keys.txt").write_text(f"{head}\n{rows}")
    assert [*read_key_file(tmp_path / "keys.txt", {}).keys.values()] == [*map(str, KEYS)]
    of_v1 = read_key_file(tmp_path / "keys.txt", {"key": "V1"})
    assert [*of_v1.keys.values()] == [*map(str, OF_V1)]


def test_without_version_0_one_is_chosen_by_its_name(tmp_path):
    rows = [["Nº", "Modelo A", "Modelo B"], *([n, KEYS[n - 1], OF_V1[n - 1]] for n in PLACES)]
    file = written(tmp_path / "keys.xlsx", rows)
    with pytest.raises(
        FileError, match=r"sheet 'Sheet' of keys\.xlsx .* choose one .*key=Modelo A"
    ):
        read_key_file(file, {})
    keys = read_key_file(file, {"key": "Modelo B"}).keys
    assert [str(key) for key in keys.values()] == [*map(str, OF_V1)]


@pytest.mark.parametrize(("version", "expected"), [("0", KEYS), ("1", OF_V1)])
def test_the_version_that_the_examination_says_is_its_key(tmp_path, version, expected):
    file = written(tmp_path / "keys.csv", SHEETS["V0 RC V1 RC"])
    questions = "".join(f"{n}. ¿Qué es {n}?\n1. w\n2. x\n3. y\n4. z\n" for n in PLACES)
    (tmp_path / "exam.txt").write_text(f"MEDICINA - VERSIÓN: {version}\n\n{questions}")
    done = import_questions(tmp_path / "exam.txt", "exam", tmp_path / "q", key_file=file)
    rows = read_imported(tmp_path / "q").to_pylist()
    assert [row["answer_letter"] for row in rows] == ["ABCD"[key - 1] for key in expected]
    assert f"keys of version {version} of 2" in done.choices[0]


def test_the_key_of_another_version_is_refused(tmp_path):
    file = written(tmp_path / "keys.csv", SHEETS["RC V0"])
    questions = "".join(f"{n}. ¿Qué es {n}?\n1. w\n2. x\n3. y\n4. z\n" for n in PLACES)
    (tmp_path / "exam.txt").write_text(f"MEDICINA - VERSIÓN: 3\n\n{questions}")
    with pytest.raises(FileError, match=r"keys of version 0, and the examination .* version 3"):
        import_questions(tmp_path / "exam.txt", "exam", tmp_path / "q", key_file=file)


def test_columns_may_be_those_of_the_key_file(tmp_path):
    keys = "Casilla;Marca\n" + "".join(f"{n};{KEYS[n - 1]}\n" for n in reversed(PLACES))
    columns = {"number": "Casilla", "key": "Marca"}
    found, _ = letters(tmp_path, exam(PLACES), "k.csv", keys, columns=columns)
    assert found == "ABCDACBD"
    with pytest.raises(FileError, match=r"k\.csv: there is no column 'Caja' for number"):
        letters(tmp_path, exam(PLACES), "k.csv", keys, columns={"number": "Caja", "key": "Marca"})


def test_a_key_that_says_what_became_of_it_is_read_whole(tmp_path):
    keys = (
        "1. B\n2. La respuesta correcta es la D\n3. void\n4. C (anulada)\n5. A, B\n6. **D**\n7. D\n"
    )
    found, done = letters(tmp_path, exam(PLACES), "k.txt", keys)
    assert found == "BD---DD-"
    assert done.unscored_numbers == {"voided": [3, 4], "two_keys": [5], "no_key": [8]}


@pytest.mark.parametrize(
    ("keys", "options", "first"),
    [
        ([0, 1, 2, 3], {}, 0),
        ([1, 2, 4, 0], {"from_one": True}, 1),
        ([1, 2, 0, 3], {"from_one": True}, None),
        ([1, 2, 0, 3] * 6, {"from_one": True}, 0),
        ([1, 2, 0, 3], {"from_one": True, "is_index": True}, 0),
        ([1, 2, 3], {"is_index": True}, None),
        ([1, 2, 4], {"is_index": True}, 1),
        (["B", "C"], {"is_index": True}, 1),
    ],
)
def test_what_numbers_count_from_is_told_or_left_open(keys, options, first):
    base = base_of([(key, 4) for key in keys], **options)
    assert base == (None if first is None else Base(first))


@pytest.mark.parametrize("text", ["a " * 100_000, "1 " * 100_000, "V0 RC " * 30_000])
def test_a_long_line_is_no_header_of_a_table(text):
    begins = time.process_time()
    assert table_of_text(text) is None
    assert time.process_time() - begins < 1
