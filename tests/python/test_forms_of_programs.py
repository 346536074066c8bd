"""What programs and forms write around cases, answers and gradings: marks before a list, lines of
several programs in one file, tags, ids that say nothing, headings that are questions."""

from functools import partial

import pytest

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.labels import store as labels_store
from python_llm.labels.gradings import GOLD_RANK, columns, grade
from python_llm.labels.importing import Source, import_labels
from python_llm.questions.imported import import_questions
from python_llm.questions.recorded import import_answers
from python_llm.test_sets.language import language_of
from tests.python.helpers import brought
from tests.python.helpers.brought import as_book, as_json, as_lines, cases_of, written

GOLDS = ("Scurvy", "Measles", "Asthma", "Leprosy")
PATIENTS = [(f"K-{n}", f"A sailor, case {n}, bleeds.", gold) for n, gold in enumerate(GOLDS, 1)]
HEADER = ["case_id", "text", "diagnosis"]
LISTS = {patient: [gold, "Pellagra", "Influenza"] for patient, _, gold in PATIENTS}
NUMBERED = {
    patient: "\n".join(f"{n}. {name}" for n, name in enumerate(names, 1))
    for patient, names in LISTS.items()
}
answers_of = partial(brought.answers_of, [HEADER, *PATIENTS])


@pytest.mark.parametrize("mark", ["[PASS]", "[FAIL] (no match)", "Of course!", "> Here they are."])
def test_a_mark_before_the_list_takes_no_rank(tmp_path, mark):
    rows = [(patient, f"{mark} {text}") for patient, text in NUMBERED.items()]
    file = written(tmp_path, "a.csv", [["case_id", "answer"], *rows])
    assert answers_of(file)[1] == LISTS


def test_an_object_of_one_text_is_no_model(tmp_path):
    records = [
        {
            "fields": {"note": text},
            "metadata": {"case_id": patient},
            "suggestions": [{"question_name": "dx", "value": NUMBERED[patient], "agent": "m"}],
        }
        for patient, text, _ in PATIENTS
    ]
    report, lists = answers_of(as_json(tmp_path, "a.json", records))
    assert lists == LISTS
    assert any("suggestions.value" in note for note in report.notes)


def test_without_an_answer_the_question_is_none(tmp_path):
    records = [{"id": patient, "fields": {"note": text}} for patient, text, _ in PATIENTS]
    with pytest.raises(FileError, match="--column answer=NAME"):
        answers_of(as_json(tmp_path, "a.json", records))


def test_lines_of_several_programs_are_read_alike(tmp_path):
    first, second, third, fourth = LISTS
    lines = [
        {"case_id": first, "answer": NUMBERED[first]},
        {"id": second, "response": NUMBERED[second]},
        {"case_id": third, "diagnoses": LISTS[third]},
        {"id": fourth, "answer": NUMBERED[fourth]},
    ]
    report, lists = answers_of(as_lines(tmp_path, "a.jsonl", lines))
    assert lists == LISTS
    assert any("'case_id', 'id'" in note for note in report.notes)


def test_two_answers_in_one_line_are_not_chosen_from(tmp_path):
    lines = [
        {"case_id": patient, "answer": text, "prediction": f"1. Gout\n2. Rickets\n3. {n}-oma"}
        for n, (patient, text) in zip("ABCD", NUMBERED.items(), strict=True)
    ]
    with pytest.raises(FileError, match="may be the answer"):
        answers_of(as_lines(tmp_path, "a.jsonl", lines))


def test_a_tag_names_the_case(tmp_path):
    lines = [
        {
            "model": "gpt4",
            "metadata": {"tags": ["night run", f"case:{patient}"]},
            "messages": [{"role": "user", "content": "Which disease is it?"}],
            "response": {"choices": [{"message": {"role": "assistant", "content": text}}]},
        }
        for patient, text in reversed(NUMBERED.items())
    ]
    assert answers_of(as_lines(tmp_path, "a.jsonl", lines))[1] == LISTS


@pytest.mark.parametrize(
    "headings",
    [
        [
            "What is your first diagnosis?",
            "What is your second diagnosis?",
            "And your third diagnosis?",
        ],
        ["Differential - Rank 1", "Differential - Rank 2", "Differential - Rank 3"],
        ["¿Cuál es su primer diagnóstico?", "¿Cuál es su segundo diagnóstico?", "Dudas"],
    ],
)
def test_headings_that_differ_in_one_word_are_ranks(tmp_path, headings):
    rows = [(patient, *names) for patient, names in LISTS.items()]
    file = written(tmp_path, "a.csv", [["Case ID", *headings], *rows])
    n_alike = 3 if headings[2].startswith("Diff") else 2
    assert answers_of(file)[1] == {patient: names[:n_alike] for patient, names in LISTS.items()}


def test_how_sure_a_diagnosis_is_says_no_rank(tmp_path):
    header = ["Case ID", "Confidence in first diagnosis", "Confidence in second diagnosis"]
    rows = [(patient, "very sure", "unsure") for patient in LISTS]
    with pytest.raises(FileError, match="no column for the answer"):
        answers_of(written(tmp_path, "a.csv", [header, *rows]))


@pytest.mark.parametrize("odd", ["NA", "nan", "None", "null"])
def test_an_id_that_stands_once_is_one(tmp_path, odd):
    patients = [(odd, *PATIENTS[0][1:]), *PATIENTS[1:]]
    lists = {odd if patient == "K-1" else patient: names for patient, names in LISTS.items()}
    rows = [(patient, "\n".join(names)) for patient, names in lists.items()]
    file = written(tmp_path, "a.csv", [["case_id", "answer"], *rows])
    assert brought.answers_of([HEADER, *patients], file)[1] == lists


def test_ids_that_say_nothing_twice_are_none(tmp_path):
    patients = [("nan", *PATIENTS[0][1:]), ("NaN", *PATIENTS[1][1:]), *PATIENTS[2:]]
    done, cases = cases_of(written(tmp_path, "a.csv", [HEADER, *patients]))
    assert [patient for patient, *_ in cases] == [None, None, "K-3", "K-4"]
    assert any("2 rows have 'nan'" in note for note in done.notes)


def test_a_row_set_aside_names_its_sheet(tmp_path):
    sheets = {
        "North": [HEADER, *PATIENTS[:2]],
        "South": [HEADER, *PATIENTS[2:], ("K-9", "Ill.", "")],
    }
    done, _ = cases_of(as_book(tmp_path, sheets))
    assert [reject["reason"] for reject in done.rejects] == [
        "neither a diagnosis nor a code: fill in one of them (sheet 'South')"
    ]


def test_a_cell_that_is_too_long_is_said_to_be(tmp_path):
    patients = [*PATIENTS, ("K-9", "cough " * 3_000_000, "Asthma")]
    done, cases = cases_of(written(tmp_path, "a.csv", [HEADER, *patients]))
    assert len(cases) == 4
    assert "more than 16 MB: shorten its text" in done.rejects[0]["reason"]


def test_a_formula_without_a_result_is_named(tmp_path):
    rows = [["case_id", "answer"], *([patient, text] for patient, text in NUMBERED.items())]
    rows[2][1] = '=CONCAT("1. Gout")'
    report, _ = answers_of(as_book(tmp_path, {"A": rows}))
    assert any("B3" in note and "formulas" in note for note in report.notes)


@pytest.mark.parametrize(
    ("word", "label"),
    [("second", "2"), ("Third", "3"), ("2,0", "2"), ("rank 4", "4"), ("not in the list", "0")],
)
def test_a_rank_is_read_in_words(word, label):
    assert grade(word, GOLD_RANK) == label


@pytest.mark.parametrize(
    ("heading", "is_one"),
    [
        ("In which position is the correct diagnosis?", True),
        ("¿En qué posición está el diagnóstico correcto?", True),
        ("Is the diagnosis in this position correct?", False),
        ("Is the rank 1 diagnosis correct?", False),
        ("Position of the patient", False),
    ],
)
def test_a_question_for_the_rank_is_one_of_ranks(heading, is_one):
    rows = [Row(n, {"case_id": f"K-{n}", heading: str(n)}) for n in (1, 2, 3)]
    assert [scale for _, scale, _ in columns(rows, {}, [])] == [GOLD_RANK] * is_one


@pytest.mark.parametrize(
    ("heading", "who"),
    [("Where is the correct diagnosis? [{}]", "Your name"), ("Caso {} - rango correcto", "Rater")],
)
@pytest.mark.parametrize("form", ["{}", "Rank {}"])
def test_a_form_with_a_column_for_each_case_is_graded(tmp_path, heading, who, form):
    lists = [(patient, *names) for patient, names in LISTS.items()]
    answers_of(written(tmp_path, "a.csv", [["case_id", "dx1", "dx2", "dx3"], *lists]))
    header = ["Timestamp", who, *(heading.format(patient) for patient in LISTS)]
    written_ranks = {"Ana": [1, 2, 0, 3], "Ben": [1, 1, 2, 3]}
    rows = [
        ["2031-01-01", rater, *map(form.format, given)] for rater, given in written_ranks.items()
    ]
    labels = graded(tmp_path, written(tmp_path, "b.csv", [header, *rows]))
    ranks = {"Ana": "1203", "Ben": "1123"}
    assert labels == sorted(
        (f"t/000{n}", rater, rank)
        for rater, of_rater in ranks.items()
        for n, rank in enumerate(of_rater, 1)
    )


def graded(folder, file):
    source = Source(judge="panel", configuration="gpt4/p/t")
    import_labels(file, source, folder / "l", runs_dir=folder / "runs", cases_dir=folder / "cases")
    rows = labels_store.read(folder / "l", "labels").to_pylist()
    return sorted((row["case_ref"], row["rater"], row["label"]) for row in rows)


@pytest.mark.parametrize("name", ["nome", "nom", "bezeichnung", "nombre"])
def test_the_name_in_an_object_of_a_diagnosis_is_gold(tmp_path, name):
    records = [
        {"codigo": patient, "historia": text, "diagnostico": {name: gold, "data": "2024"}}
        for patient, text, gold in PATIENTS
    ]
    assert [golds for *_, golds in cases_of(as_json(tmp_path, "a.json", records))[1]] == [
        [gold] for gold in GOLDS
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A tall man, a smoker. A cough. As a child, a fever.", "en"),
        ("Uma mulher com febre e dor há três dias, sem tosse.", "pt"),
        ("Un homme de 40 ans, toux et fièvre depuis hier.", "fr"),
    ],
)
def test_a_small_word_of_two_languages_tells_neither(text, language):
    assert language_of([text]) == language


def exam(folder):
    rows = [
        {"id": n, "question": f"Which is {n}?", "options": ["x", "y", "z"], "answer_idx": "A"}
        for n in range(1, 5)
    ]
    import_questions(as_lines(folder, "exam.jsonl", rows), "exam", folder / "questions")
    return folder / "questions"


def answered(folder, models, model):
    lines = [{"number": n, "model": name, "answer": "B"} for name in models for n in range(1, 5)]
    file = as_lines(folder, "b.jsonl", lines)
    return import_answers([file], "exam", exam(folder), model=model)[0]


def test_the_only_model_of_a_file_may_be_called_otherwise(tmp_path):
    [done] = answered(tmp_path, ["vendor-7-2031"], "v7")
    assert (done.model, done.n_answers) == ("v7", 4)


def test_of_several_models_none_of_which_is_meant_none_is_read(tmp_path):
    with pytest.raises(FileError, match="'one', 'two', and none is 'three'"):
        answered(tmp_path, ["one", "two"], "three")
