"""Forms of files that strangers brought: headings of ranks, columns of JSON, logs of evaluations,
questions that alone say whose an answer is."""

import csv
from functools import partial

import pytest

from python_llm.errors import FileError
from python_llm.imports.tables import read_table
from python_llm.parsing.differential import parse_differential
from python_llm.parsing.numbered_list import parse_names_alone
from tests.python.helpers import brought
from tests.python.helpers.brought import as_json, as_lines, cases_of, written

PATIENTS = [
    ("P-1", 54, "A man woke with a hot, swollen, painful big toe after a feast.", "Gout"),
    ("P-2", 6, "A girl has fever, cough, red eyes and a rash behind the ears.", "Measles"),
    (
        "P-3",
        23,
        "A tall young man with long fingers and a dislocated lens came.",
        "Marfan syndrome",
    ),
    ("P-4", 31, "A woman wheezes at night and after running, less with salbutamol.", "Asthma"),
]
LISTS = {patient: [gold, "Septic arthritis", "Influenza"] for patient, _, _, gold in PATIENTS}
HEADER = ["patient_id", "age", "case_text", "diagnosis"]


answers_of = partial(brought.answers_of, [HEADER, *PATIENTS])
EXPECTED = [(patient, text, [gold]) for patient, _, text, gold in PATIENTS]


@pytest.mark.parametrize(
    "header",
    [
        ["1st", "2nd", "3rd"],
        ["first", "second", "third"],
        ["1.", "2.", "3."],
        ["#1", "#2", "#3"],
        ["1", "2", "3"],
        ["1er", "2do", "3er"],
        ["Premier", "Deuxième", "Troisième"],
        ["Dx1", "Dx2", "Dx3"],
        ["top1", "top2", "top3"],
        ["Guess 1", "Guess 2", "Guess 3"],
        ["Primera opción", "Segunda opción", "Tercera opción"],
        ["1st option", "2nd option", "3rd option"],
        ["gpt4 1", "gpt4 2", "gpt4 3"],
    ],
)
def test_headings_of_ranks_alone_are_read(tmp_path, header):
    rows = [[patient, *names] for patient, names in LISTS.items()]
    _, lists = answers_of(written(tmp_path, "a.csv", [["case_id", *header], *rows]))
    assert lists == LISTS


def test_numbers_below_counted_headings_are_no_names(tmp_path):
    rows = [[patient, "1. Gout", 0.5, 0.2] for patient in LISTS]
    _, lists = answers_of(written(tmp_path, "a.csv", [["case_id", "answer", "1", "2"], *rows]))
    assert set(map(tuple, lists.values())) == {("Gout",)}


NUMBERED = {
    patient: "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))
    for patient, names in LISTS.items()
}
SHUFFLED = [PATIENTS[n] for n in (2, 0, 3, 1)]


def test_labels_below_numbers_beside_answers_are_no_names(tmp_path):
    labels = ["Exact Synonym", "Not Related"]
    rows = [[patient, "1. Gout\n2. Asthma", *labels] for patient in LISTS]
    _, lists = answers_of(written(tmp_path, "a.csv", [["case_id", "answer", "1", "2"], *rows]))
    assert set(map(tuple, lists.values())) == {("Gout", "Asthma")}


def evals():
    yield {"spec": {"completion_fns": ["gpt-4"], "eval_name": "dx"}}
    for number, (patient, _, text, gold) in enumerate(SHUFFLED):
        event = {"run_id": "1", "sample_id": f"dx.dev.{number}"}
        prompt = [{"role": "user", "content": text}]
        sampled = {"prompt": prompt, "sampled": [NUMBERED[patient]]}
        yield {**event, "event_id": 2 * number, "type": "sampling", "data": sampled}
        matched = {"correct": True, "expected": gold}
        yield {**event, "event_id": 2 * number + 1, "type": "match", "data": matched}
    yield {"final_report": {"accuracy": 1}}


LOGS = {
    "evals": [*evals()],
    "ragas": [
        {"user_input": text, "response": NUMBERED[patient], "retrieved_contexts": []}
        for patient, _, text, _ in SHUFFLED
    ],
    "vertex": [
        {
            "instance": {"prompt": f"Diagnose:\n{text}\nGive five."},
            "response": {"candidates": [{"content": {"parts": [{"text": NUMBERED[patient]}]}}]},
        }
        for patient, _, text, _ in SHUFFLED
    ],
    "chats": [
        {
            "messages": [
                {"role": "user", "content": text},
                {"role": "assistant", "content": NUMBERED[patient]},
            ]
        }
        for patient, _, text, _ in SHUFFLED
    ],
}


@pytest.mark.parametrize("log", LOGS)
def test_the_text_of_the_question_says_the_case(tmp_path, log):
    report, lists = answers_of(as_lines(tmp_path, "a.jsonl", LOGS[log]))
    assert lists == LISTS
    assert any("texts of the cases" in note for note in report.notes)


def test_a_question_of_no_case_is_set_aside(tmp_path):
    rows = [[text, NUMBERED[patient]] for patient, _, text, _ in SHUFFLED]
    rows[1][0] = "Somebody else came, who is in no test set that we have here."
    report, lists = answers_of(written(tmp_path, "a.csv", [["question", "response"], *rows]))
    assert lists == {patient: names for patient, names in LISTS.items() if patient != "P-1"}
    assert [reject.rule for reject in report.rejects] == ["no_case"]


def test_answers_of_ollama_and_deepeval_are_read(tmp_path):
    chats = [
        {"case_id": patient, "model": "m", "message": {"role": "assistant", "content": text}}
        for patient, text in NUMBERED.items()
    ]
    assert answers_of(as_lines(tmp_path, "a.jsonl", chats), "m")[1] == LISTS
    tests = [{"name": patient, "actualOutput": text} for patient, text in NUMBERED.items()]
    (tmp_path / "b").mkdir()
    assert answers_of(as_json(tmp_path / "b", "b.json", {"testCases": tests}))[1] == LISTS


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("T12: 1. Gout\n2. Asthma\n3. Measles", ["Gout", "Asthma", "Measles"]),
        ("#12: 1. Gout\n2. Asthma", ["Gout", "Asthma"]),
        ("Answer: 1. Gout\n2. Asthma", ["Gout", "Asthma"]),
        ("Patient 7 - 1) Gout\n2) Asthma", ["Gout", "Asthma"]),
        (
            '```json\n[{"rank": 1, "dx": "Gout"}, {"rank": 2, "dx": "Asthma"}]\n```',
            ["Gout", "Asthma"],
        ),
    ],
)
def test_the_first_rank_behind_a_mark_is_kept(answer, names):
    parsed = parse_differential(answer, "numbered_list")
    assert [(item.rank, item.diagnosis) for item in parsed.diagnoses] == [*enumerate(names, 1)]


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("Gout > Septic arthritis > Pseudogout", ["Gout", "Septic arthritis", "Pseudogout"]),
        ("Response: Gout", ["Gout"]),
        ("Infection → Sepsis → Shock", []),
        ("Ferritin > 300 > 500", []),
    ],
)
def test_names_parted_by_greater_than_are_ranks(answer, names):
    assert [item.diagnosis for item in parse_names_alone(answer).diagnoses] == names


def test_a_document_of_columns_is_a_case_a_row(tmp_path):
    columns = {name: [row[at] for row in PATIENTS] for at, name in enumerate(HEADER)}
    assert cases_of(as_json(tmp_path, "a.json", columns))[1] == EXPECTED


def test_numbers_of_rows_are_no_ids_beside_ids(tmp_path):
    rows = {str(at): dict(zip(HEADER, row, strict=True)) for at, row in enumerate(PATIENTS)}
    assert cases_of(as_json(tmp_path, "a.json", rows))[1] == EXPECTED


def test_fields_in_single_quotes_are_read_without_them(tmp_path):
    rows = [
        [patient, age, f"The patient's story. {text}", gold]
        for patient, age, text, gold in PATIENTS
    ]
    how = {"delimiter": ";", "quotechar": "'", "quoting": csv.QUOTE_ALL}
    assert cases_of(written(tmp_path, "a.csv", [HEADER, *rows], **how))[1] == [
        (patient, text, [gold]) for patient, _, text, gold in rows
    ]


def test_a_row_of_units_is_no_case(tmp_path):
    units = ["text", "years", "free text", "final"]
    done, cases = cases_of(written(tmp_path, "a.csv", [HEADER, units, *PATIENTS]))
    assert cases == EXPECTED
    assert [reject["source_line"] for reject in done.rejects] == [2]


def test_tags_are_no_part_of_a_gold_name(tmp_path):
    rows = [[*row[:3], f"<b>{row[3]}</b>"] for row in PATIENTS]
    rows[0][3] = "Crohn&#39;s disease"
    golds = [gold for *_, gold in cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))[1]]
    assert golds == [["Crohn's disease"], ["Measles"], ["Marfan syndrome"], ["Asthma"]]


@pytest.mark.parametrize(
    "row",
    [
        lambda patient, text, gold: {"id": patient, "input": text, "target": gold},
        lambda patient, text, gold: {"id": patient, "Abstract": text, "Diagnosis": gold},
        lambda patient, text, gold: {
            "id": patient,
            "input": [
                {"role": "system", "content": "Diagnose."},
                {"role": "user", "content": text},
            ],
            "ideal": gold,
        },
    ],
)
def test_cases_of_evaluations_and_abstracts_are_read(tmp_path, row):
    rows = [row(patient, text, gold) for patient, _, text, gold in PATIENTS]
    assert cases_of(as_lines(tmp_path, "a.jsonl", rows))[1] == EXPECTED


def test_numbers_of_rows_that_r_writes_have_no_heading(tmp_path):
    rows = [[at, *row] for at, row in enumerate(PATIENTS, 1)]
    quoted = {"quoting": csv.QUOTE_ALL}
    assert cases_of(written(tmp_path, "a.csv", [HEADER, *rows], **quoted))[1] == EXPECTED


def test_a_comma_too_many_moves_no_field(tmp_path):
    rows = "".join(f"{at},A man, who is ill,Gout\n" for at in (1, 2, 3))
    (tmp_path / "a.csv").write_text(f"id,text,diagnosis\n{rows}")
    with pytest.raises(FileError, match="4 fields where the header has 3"):
        cases_of(tmp_path / "a.csv")


def test_carets_part_fields(tmp_path):
    file = written(tmp_path, "a.txt", [HEADER, *PATIENTS], delimiter="^")
    assert cases_of(file)[1] == EXPECTED


def test_ranks_without_a_first_are_refused(tmp_path):
    rows = [
        [p, 10 * rank, name] for p, names in LISTS.items() for rank, name in enumerate(names, 1)
    ]
    file = written(tmp_path, "a.csv", [["case_id", "rank", "diagnosis"], *rows])
    with pytest.raises(FileError, match="has no rank 1 in any of 4 cases, and begins with 10"):
        answers_of(file)


def test_a_differential_of_objects_is_read(tmp_path):
    rows = [
        {"case_id": p, "ddx": [{"dx": name, "p": 0.5} for name in names]}
        for p, names in LISTS.items()
    ]
    assert answers_of(as_lines(tmp_path, "a.jsonl", rows))[1] == LISTS


@pytest.mark.parametrize("rule", ["|---|---|---|", "|:-:|-|-:|", "|--|:--|--|", "-|-|-"])
def test_a_bar_in_a_text_of_markdown_is_no_column(tmp_path, rule):
    rows = ["| case_id | case_text | diagnosis |", rule]
    rows += [
        f"| {patient} | {text[:-1]} \\| and more. | {gold} |" for patient, _, text, gold in PATIENTS
    ]
    file = tmp_path / "a.md"
    file.write_text("\n".join(rows) + "\n")
    told = [(patient, f"{text[:-1]} | and more.", [gold]) for patient, _, text, gold in PATIENTS]
    assert cases_of(file)[1] == told


@pytest.mark.parametrize("asked", ["Case {}: is it right?", "¿Es correcto el caso {}?"])
def test_a_column_for_each_case_is_named_with_its_remedy(tmp_path, asked):
    header = ["Timestamp", "Email", *(asked.format(f"B{n:03}") for n in range(1, 6))]
    file = written(tmp_path, "form.csv", [header, ["2024/01/01", "a@x.org", 1, 2, 3, 4, 5]])
    with pytest.raises(FileError, match="a row for each case and person"):
        read_table(file, ["case_id", "label"])


def test_a_row_of_dashes_makes_no_markdown(tmp_path):
    rows = ["case_id|case_text|diagnosis", *(f"{p}|{text}|{gold}" for p, _, text, gold in PATIENTS)]
    file = tmp_path / "a.csv"
    file.write_text("\n".join([*rows, "-|-|-"]) + "\n")
    assert cases_of(file)[1] == [(p, text, [gold]) for p, _, text, gold in PATIENTS]


@pytest.mark.parametrize(
    "heading", ["Modell", "Modèle", "Chatbot", "KI", "Sistema", "Engine", "Arm"]
)
def test_lists_of_two_models_are_not_merged(tmp_path, heading):
    rows = [
        [patient, model, rank, f"{name}{'' if model == 'gpt4' else ' of another kind'}"]
        for patient, names in LISTS.items()
        for model in ("gpt4", "llama3")
        for rank, name in enumerate(names, 1)
    ]
    file = written(tmp_path, "r.csv", [["patient_id", heading, "rank", "diagnosis"], *rows])
    assert answers_of(file)[1] == LISTS
