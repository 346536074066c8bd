"""Forms in which other groups keep cases, answers and labels: sets that models are taught with,
exports of REDCap, workbooks with a codebook, LaTeX, tables with a column for each rank."""

import json
from functools import partial

import pytest

from python_llm.errors import FileError
from python_llm.imports.encodings import decode
from python_llm.imports.rejects import unread
from python_llm.labels import store as labels_store
from python_llm.labels.importing import Source, import_labels
from python_llm.questions.imported import import_questions
from python_llm.runs import store
from python_llm.test_sets.stated import is_sentence, name_in
from tests.python.helpers import brought
from tests.python.helpers.brought import as_book, as_lines, cases_of, written

PATIENTS = [
    ("P-1", "A man woke with a hot, swollen, painful big toe after a feast.", "Gout"),
    ("P-2", "A girl has fever, cough, red eyes and a rash behind the ears.", "Measles"),
    ("P-3", "A tall man with long fingers and a dislocated lens came.", "Marfan syndrome"),
    ("P-4", "A woman wheezes at night and after running.", "Asthma"),
]
LISTS = {patient: [gold, "Septic arthritis", "Influenza"] for patient, _, gold in PATIENTS}
HEADER = ["patient_id", "case_text", "diagnosis"]
answers_of = partial(brought.answers_of, [HEADER, *PATIENTS])
WITHOUT_IDS = [(text, [gold]) for _, text, gold in PATIENTS]
EXPECTED = [(patient, text, [gold]) for patient, text, gold in PATIENTS]


def golds_of(file):
    return [(text, golds) for _, text, golds in cases_of(file)[1]]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("The diagnosis is Gout.", "Gout"),
        ("The most likely diagnosis is **Marfan syndrome**.", "Marfan syndrome"),
        ("Final diagnosis: Gout\nReasoning: the toe is hot.", "Gout"),
        ("The toe is hot. The diagnosis is an acute gout because urate is high.", "acute gout"),
        ("Based on the findings, the diagnosis is Measles.", "Measles"),
        ("This is most consistent with Measles.", "Measles"),
        ("Gout is the most likely diagnosis.", "Gout"),
        ("The diagnosis is Hepatitis A. Serology will confirm it.", "Hepatitis A"),
        ("The patient has St. Louis encephalitis.", "St. Louis encephalitis"),
        ("El diagnóstico más probable es gota.", "gota"),
        ("Die Diagnose lautet Gicht.", "Gicht"),
        ("Cushing's disease", "Cushing's disease"),
        ("Alport syndrome, X-linked", "Alport syndrome, X-linked"),
        ("Differential diagnosis: gout", "Differential diagnosis: gout"),
    ],
)
def test_the_name_in_a_sentence_is_the_gold_diagnosis(sentence, name):
    assert name_in(sentence) == name


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("She has a hot toe and should rest.", True),
        ("The diagnosis is gout. The diagnosis is asthma.", True),
        ("Angelman syndrome due to a point mutation", False),
        ("E. coli infection", False),
    ],
)
def test_a_sentence_without_a_diagnosis_is_no_name(text, is_one):
    assert is_sentence(name_in(text)) is is_one


def openai(text, gold):
    answer = {"role": "assistant", "content": f"The diagnosis is {gold}."}
    return {"messages": [{"role": "user", "content": text}, answer]}


def openai_parts(text, gold):
    user = {"role": "user", "content": [{"type": "text", "text": text}]}
    return {"messages": [user, {"role": "assistant", "content": gold}]}


def gemini(text, gold):
    said = {"user": text, "model": gold}
    return {"contents": [{"role": who, "parts": [{"text": words}]} for who, words in said.items()]}


def alpaca(text, gold):
    return {"instruction": "Name the diagnosis.", "input": text, "output": gold}


def alpaca_without_input(text, gold):
    return {"instruction": text, "input": "", "output": gold}


def ragas(text, gold):
    return {"user_input": text, "retrieved_contexts": ["A page."], "reference": gold}


def squad_row(text, gold):
    answers = {"text": [gold], "answer_start": [0]}
    return {"context": text, "question": "What is the diagnosis?", "answers": answers}


@pytest.mark.parametrize(
    "form", [openai, openai_parts, gemini, alpaca, alpaca_without_input, ragas, squad_row]
)
def test_sets_that_models_are_taught_with_are_cases(tmp_path, form):
    file = as_lines(tmp_path, "a.jsonl", [form(text, gold) for _, text, gold in PATIENTS])
    assert golds_of(file) == WITHOUT_IDS


def test_gold_sentences_are_counted_or_set_aside(tmp_path):
    rows = [openai(text, gold) for _, text, gold in PATIENTS]
    rows[1]["messages"][1]["content"] = "She is ill and should stay at home."
    done, cases = cases_of(as_lines(tmp_path, "a.jsonl", rows))
    assert [golds for *_, golds in cases] == [["Gout"], ["Marfan syndrome"], ["Asthma"]]
    assert any(note.startswith("3 gold diagnoses are written as a sentence") for note in done.notes)
    assert "does not say which diagnosis it is" in done.rejects[0]["reason"]


def test_an_output_without_an_instruction_is_no_gold(tmp_path):
    rows = [{"id": patient, "text": text, "output": gold} for patient, text, gold in PATIENTS]
    with pytest.raises(FileError, match="no column known as the gold diagnosis"):
        cases_of(as_lines(tmp_path, "a.jsonl", rows))


def test_questions_of_squad_for_a_diagnosis_are_cases(tmp_path):
    def asked(patient, question, answer):
        return {"id": patient, "question": question, "answers": [{"text": answer}]}

    paragraphs = [
        {
            "context": text,
            "qas": [
                asked(patient, "What is the diagnosis?", gold),
                asked(f"{patient}b", "Who came?", "A person"),
            ],
        }
        for patient, text, gold in PATIENTS
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"version": "2", "data": [{"paragraphs": paragraphs}]}))
    done, cases = cases_of(file)
    assert cases == EXPECTED
    assert {reject["reason"] for reject in done.rejects} == {
        "a question that asks for no diagnosis, and no case of its own"
    }


def test_a_diagnosis_in_another_event_is_that_of_the_record(tmp_path):
    header = ["record_id", "redcap_event_name", "vignette", "dx_confirmed"]
    rows = [
        row
        for patient, text, gold in PATIENTS
        for row in ([patient, "baseline", text, ""], [patient, "followup", "", gold])
    ]
    done, cases = cases_of(written(tmp_path, "a.csv", [header, *rows]))
    assert cases == EXPECTED
    assert any("8 rows are 4 cases" in note for note in done.notes)
    assert done.rejects == []


def test_notes_of_a_record_follow_each_other(tmp_path):
    header = ["record_id", "redcap_repeat_instrument", "final_dx", "note_text"]
    rows = [
        row
        for patient, text, gold in PATIENTS
        for row in ([patient, "", gold, ""], [patient, "n", "", text], [patient, "n", "", "Later."])
    ]
    cases = cases_of(written(tmp_path, "a.csv", [header, *rows]))[1]
    assert cases == [(patient, f"{text}\n\nLater.", golds) for patient, text, golds in EXPECTED]


def test_two_diagnoses_in_other_events_are_not_chosen_from(tmp_path):
    rows = [["P-9", "A note.", ""], ["P-9", "", "Gout"], ["P-9", "", "Asthma"], *PATIENTS]
    assert cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))[1] == EXPECTED


def test_a_row_for_each_field_is_a_record_each(tmp_path):
    header = ["record", "event_id", "field_name", "value"]
    rows = [
        [patient, event, name, value]
        for patient, text, gold in PATIENTS
        for event, name, value in ((1, "age", 40), (1, "vignette", text), (2, "final_dx", gold))
    ]
    assert cases_of(written(tmp_path, "a.csv", [header, *rows]))[1] == EXPECTED
    other = tmp_path / "other"
    other.mkdir()
    rows.append(["P-1", 2, "final_dx", "Pseudogout"])
    assert cases_of(written(other, "a.csv", [header, *rows]))[1] == EXPECTED[1:]


@pytest.mark.parametrize(
    "header",
    [["paciente", "campo", "valor"], ["subject_id", "variable", "value"], ["id", "item", "wert"]],
)
def test_a_row_for_each_field_has_names_of_many(tmp_path, header):
    rows = [
        [patient, name, value]
        for patient, text, gold in PATIENTS
        for name, value in (("edad", 40), ("texto", text), ("diagnostico", gold))
    ]
    assert cases_of(written(tmp_path, "a.csv", [header, *rows]))[1] == EXPECTED


@pytest.mark.parametrize("sign", ["N/A", "-", "null", "#N/A", "sin datos", "No consta", "…"])
def test_a_sign_for_none_is_no_text_of_a_case(tmp_path, sign):
    rows = [*PATIENTS, ["P-9", sign, "Gout"]]
    done, cases = cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))
    assert cases == EXPECTED
    assert [(reject["field"], reject["is_record_lost"]) for reject in done.rejects] == [
        ("case text", True)
    ]


def test_a_short_text_of_a_case_is_one(tmp_path):
    rows = [*PATIENTS, ["P-9", "Pain.", "Gout"]]
    cases = cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))[1]
    assert cases == [*EXPECTED, ("P-9", "Pain.", ["Gout"])]


CODEBOOK = [
    ["Code", "Label", "Description", "Notes"],
    ["patient_id", "Number", "The number of the study", ""],
    ["case_text", "History", "The history as the ward wrote it", ""],
    ["diagnosis", "Diagnosis", "What the board agreed on", "free text"],
]


@pytest.mark.parametrize("name", ["Codebook", "Sheet1"])
def test_a_codebook_before_the_data_is_not_read(tmp_path, name):
    done, cases = cases_of(as_book(tmp_path, {name: CODEBOOK, "Data": [HEADER, *PATIENTS]}))
    assert cases == EXPECTED
    assert any("describes the columns of another" in note for note in done.notes)


def test_a_table_of_models_is_no_codebook(tmp_path):
    long = [["case_id", "model", "rank", "diagnosis"]]
    for patient, names in LISTS.items():
        for model in ("gpt4", "claude"):
            long += [[patient, model, rank, name] for rank, name in enumerate(names, 1)]
    wide = [["case_id", "gpt4", "claude"], *[[patient, "P1", "P2"] for patient in LISTS]]
    assert answers_of(as_book(tmp_path, {"ranks": wide, "lists": long}))[1] == LISTS


def test_a_sheet_of_codes_beside_gradings_is_no_case(tmp_path):
    codes = [["id", "text", "diagnosis"], [1, "benign", "Gout"]]
    book = as_book(tmp_path, {"codes": codes, "wards": [["id", "text", "diagnosis"], *PATIENTS]})
    assert cases_of(book)[1] == EXPECTED


def test_a_page_in_utf16_called_xls_is_read(tmp_path):
    cells = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in [HEADER, *PATIENTS]
    )
    file = tmp_path / "a.xls"
    file.write_bytes(f"<html><body><table>{cells}</table></body></html>".encode("utf-16"))
    assert cases_of(file)[1] == EXPECTED


LATEX = r"""\begin{table}[h]
\caption{Cases & more}
\begin{tabular}{l p{6cm} l}
\toprule
\textbf{ID} & \multicolumn{1}{c}{Case description} & Diagnosis \\ \midrule % a comment
%s \\ \bottomrule
\end{tabular}
\end{table}
"""


def test_a_table_of_latex_is_read(tmp_path):
    told = [(p, f"{text} 5\\% \\emph{{odd}} \\& more", gold) for p, text, gold in PATIENTS]
    told[2] = (*told[2][:2], r"Guillain--Barr\'{e} syndrome")
    told[3] = (*told[3][:2], r"$\beta$-thalassemia")
    file = tmp_path / "a.tex"
    file.write_text(LATEX.replace("%s", " \\\\\n".join(" & ".join(row) for row in told)))
    cases = cases_of(file)[1]
    assert [text for _, text, _ in cases] == [f"{text} 5% odd & more" for _, text, _ in PATIENTS]
    assert [golds[0] for *_, golds in cases] == [
        *("Gout", "Measles", "Guillain–Barré syndrome", "β-thalassemia"),
    ]


@pytest.mark.parametrize("n_columns", ["999999999", "9" * 5000])
def test_a_cell_over_too_many_columns_takes_no_memory(tmp_path, n_columns):
    rows = " \\\\\n".join(" & ".join(row) for row in PATIENTS)
    file = tmp_path / "a.tex"
    file.write_text(LATEX.replace("%s", rf"{rows} \\ \multicolumn{{{n_columns}}}{{c}}{{note}}"))
    assert [case[2] for case in cases_of(file)[1]] == [case[2] for case in EXPECTED]


def test_a_long_heading_is_read_and_named_by_its_beginning(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(f"{';'.join(HEADER)};{'kurz' * 50_000}\n{';'.join(PATIENTS[0])};x\n")
    imported = cases_of(file)[0]
    assert imported.unread
    assert len(unread(imported.unread)) < 120


def test_columns_that_anki_names_are_a_header(tmp_path):
    rows = "\n".join("\t".join(row) for row in PATIENTS)
    file = tmp_path / "a.txt"
    file.write_text(f"#separator:tab\n#html:false\n#columns:{chr(9).join(HEADER)}\n{rows}\n")
    assert cases_of(file)[1] == EXPECTED


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("患者は高熱を訴えた。", "iso2022_jp"), ("환자는 열이 난다.", "iso2022_kr")],
)
def test_encodings_of_seven_bits_are_told_by_escapes(text, encoding):
    assert decode(f"id,text\n1,{text}\n".encode(encoding)) == f"id,text\n1,{text}\n"


def test_an_encoding_is_named_by_what_decodes(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes("id,text\n1,المريض يعاني من حمى وسعال\n".encode("cp1256") * 3)
    with pytest.raises(FileError, match=r"a\.csv is in an encoding .* \(it may be .*cp1256"):
        cases_of(file)


NUMBERED = {
    patient: "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))
    for patient, names in LISTS.items()
}


def of_telemetry(patient):
    said = {"case_id": patient, "gen_ai.completion.0.content": NUMBERED[patient]}
    return {"name": "chat", "attributes": said}


def of_azure(patient):
    return {"inputs.case_id": patient, "outputs.response": NUMBERED[patient]}


def of_haystack(patient):
    return {"case": patient, "replies": [NUMBERED[patient]], "meta": [{"model": "m"}]}


@pytest.mark.parametrize("form", [of_telemetry, of_azure, of_haystack])
def test_answers_inside_records_of_calls_are_read(tmp_path, form):
    """The name of the call, the same in all rows, is no diagnosis."""
    file = as_lines(tmp_path, "a.jsonl", [form(patient) for patient in reversed(LISTS)])
    assert answers_of(file)[1] == LISTS


def test_the_name_of_a_call_is_no_answer(tmp_path):
    rows = [{"case": patient, "name": "chat", "n": 1} for patient in LISTS]
    with pytest.raises(FileError, match="no column for the answer"):
        answers_of(as_lines(tmp_path, "a.jsonl", rows))


@pytest.mark.parametrize("joint", ["_", "-", ": "])
def test_ranks_of_each_model_side_by_side_are_read(tmp_path, joint):
    heads = [f"{model}{joint}top{rank}" for model in ("gpt4", "claude") for rank in (1, 2, 3)]
    rows = [[patient, *names, *reversed(names)] for patient, names in LISTS.items()]
    file = written(tmp_path, "a.csv", [["case_id", *heads], *rows])
    assert answers_of(file)[1] == LISTS
    with pytest.raises(FileError, match="its columns are of 'gpt4', 'claude', none of 'llama'"):
        answers_of(file, "llama")


def test_ranks_in_roman_numerals_are_read(tmp_path):
    rows = [
        [patient, rank, names[at]]
        for patient, names in LISTS.items()
        for rank, at in (("III", 2), ("I", 0), ("II", 1))
    ]
    file = written(tmp_path, "a.csv", [["case_id", "rank", "diagnosis"], *rows])
    assert {p: [*sorted(names)] for p, names in answers_of(file)[1].items()} == {
        p: [*sorted(names)] for p, names in LISTS.items()
    }
    ranked = store.read(tmp_path / "runs", "answers").to_pylist()[0]["diagnoses"]
    assert {item["rank"]: item["diagnosis"] for item in ranked}[1] in {g for *_, g in PATIENTS}


def graded(folder, header, cells):
    """The labels of a file with a row for each list, by case, rater and rank."""
    cases_of(written(folder, "t.csv", [HEADER, *PATIENTS]))
    answers_of(
        written(
            folder, "r.csv", [["case_id", "dx1", "dx2"], *[[p, *n[:2]] for p, n in LISTS.items()]]
        )
    )
    file = written(folder, "l.csv", [["case_id", *header], *[[p, *cells] for p in LISTS]])
    source = Source(judge="panel", configuration="gpt4/p/t")
    import_labels(
        file,
        source,
        folder / "labels",
        runs_dir=folder / "runs",
        cases_dir=folder / "cases",
    )
    return sorted(
        (row["case_ref"], row["rater"], row["diagnosis_rank"], row["label"])
        for row in labels_store.read(folder / "labels", "labels").to_pylist()
    )


def test_a_column_of_labels_for_each_rank_is_read(tmp_path):
    header = ["rank1_relation", "rank2_relation"]
    said = graded(tmp_path, header, ["Exact Synonym", "Not Related"])
    assert len(said) == 2 * len(LISTS)
    assert {(rank, label) for *_, rank, label in said} == {
        (1, "Exact Synonym"),
        (2, "Not Related"),
    }


def test_a_column_for_each_rank_and_rater_is_read(tmp_path):
    header = ["dx1_rater_A", "dx1_rater_B", "dx2_rater_A", "dx2_rater_B"]
    said = graded(
        tmp_path, header, ["Exact Synonym", "Broad Synonym", "Not Related", "Exact Disease Group"]
    )
    assert {(rater, rank, label) for _, rater, rank, label in said} == {
        ("rater_a", 1, "Exact Synonym"),
        ("rater_b", 1, "Broad Synonym"),
        ("rater_a", 2, "Not Related"),
        ("rater_b", 2, "Exact Disease Group"),
    }


def test_options_in_columns_that_anki_names_are_read(tmp_path):
    options = "Aspirin\tIron\tZinc\tSalt"
    rows = "".join(f"Which drug is of use in case {n}?\t{options}\tA\n" for n in (1, 2, 3))
    file = tmp_path / "deck.txt"
    file.write_text(f"#separator:tab\n#html:true\n#columns:Question\tA\tB\tC\tD\tAnswer\n{rows}")
    done = import_questions(file, "deck", tmp_path / "questions")
    assert done.n_questions == 3
