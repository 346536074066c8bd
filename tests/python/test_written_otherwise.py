"""Lists as programs and people write them: codes before names, pairs of Python, JSON written twice,
a final diagnosis behind its list."""

import csv
import json

import pyarrow as pa
import pytest

from python_llm.imports.served import Served
from python_llm.parsing.differential import parse_differential, parse_differentials, read_ranked
from python_llm.runs.cases import KnownSets
from python_llm.runs.folders import Names, plan, read_run
from python_llm.runs.importing import Run, import_run, read_source
from python_llm.runs.unreadable import failure_patterns
from python_llm.test_sets.importing import import_cases

NAMES = [(1, "Vasculitis"), (2, "Leukemia"), (3, "Scurvy")]


def names_of(text):
    answers = pa.Table.from_pylist(
        [{"answer_key": "1", "answer_text": text, "output_format": "numbered_list"}]
    )
    parsed = parse_differentials(answers, failure_patterns()).to_pylist()[0]
    return sorted((item["rank"], item["diagnosis"]) for item in parsed["diagnoses"])


@pytest.mark.parametrize(
    "written",
    [
        "1. I77.6 Vasculitis\n2. C95.90 Leukemia\n3. E54 Scurvy",
        "1. I77.6 Vasculitis\n2. C95.90 Leukemia\n3. Scurvy",
        "I77.6: Vasculitis\nC95.90: Leukemia\nE54: Scurvy",
        "[I77.6] Vasculitis\n[C95.90] Leukemia\n[E54] Scurvy",
        "[('Leukemia', 0.3), ('Vasculitis', 0.6), ('Scurvy', 0.1)]",
        "('Leukemia', 0.3)\n('Vasculitis', 0.6)\n('Scurvy', 0.1)",
        json.dumps(json.dumps({"diagnoses": ["Vasculitis", "Leukemia", "Scurvy"]})),
        "Differential:\n1. Leukemia\n2. Scurvy\n\nFinal diagnosis: Vasculitis",
        "1. Vasculitis\n2. Leukemia\n3. Scurvy\n\nMost likely diagnosis: Vasculitis",
        "1. Vasculitis\n2. Leukemia\n3. Scurvy\n\nFinal diagnosis: pending",
        "1. Vasculitis\n2. Leukemia\n3. Scurvy\n\nFinal diagnosis: cannot be made today",
    ],
)
def test_the_names_of_a_list(written):
    assert names_of(written) == NAMES


@pytest.mark.parametrize(
    "written",
    [
        "Diagnósticos: 1- Vasculitis; 2- Leukemia; 3- Scurvy",
        "Answer: 1, Vasculitis; 2, Leukemia; 3, Scurvy",
        "诊断：1、Vasculitis；2、Leukemia；3、Scurvy。",
        "诊断：①Vasculitis；②Leukemia；③Scurvy",
        "最可能的诊断：Vasculitis；Leukemia；Scurvy",
        "一、Vasculitis\n二、Leukemia\n三、Scurvy",
        "First: Vasculitis. Second: Leukemia. Third: Scurvy.",
        "Primero: Vasculitis. Segundo: Leukemia. Tercero: Scurvy.",
        "1st: Vasculitis\n2nd: Leukemia\n3rd: Scurvy",
        "**1st diagnosis:** Vasculitis\n**2nd diagnosis:** Leukemia\n**3rd diagnosis:** Scurvy",
    ],
)
def test_the_number_is_no_part_of_a_name(written):
    assert names_of(written) == NAMES


@pytest.mark.parametrize(
    "above",
    [
        "Problem list:\n1. Fever\n2. Rash",
        "**Active problems**\n1. Fever\n2. Rash\n3. Anaemia\n4. Fatigue",
        "Lista de problemas:\n1. Fiebre\n2. Exantema",
        "Unlikely:\n1. Gout\n2. Leprosy",
        "Poco probables:\n1. Gout\n2. Leprosy",
        "Rejected diagnoses:\n1. Gout\n2. Leprosy",
    ],
)
def test_a_list_of_something_else_above_is_not_the_answer(above):
    assert names_of(f"{above}\n\nDifferential:\n1. Vasculitis\n2. Leukemia\n3. Scurvy") == NAMES


@pytest.mark.parametrize(
    "written",
    [
        "Excluded: 1. Gout 2. Leprosy\n\nDifferential: 1. Vasculitis 2. Leukemia 3. Scurvy",
        "Key findings:\n- Fever\n- Rash\n\nDiagnoses:\n- Vasculitis\n- Leukemia\n- Scurvy",
        "Likely:\n1. Vasculitis\n2. Leukemia\n3. Scurvy\n\nUnlikely:\n1. Gout\n2. Leprosy",
        "Most likely:\n1. Vasculitis\n2. Leukemia\n3. Scurvy\n\nLess likely:\n1. Gout",
    ],
)
def test_one_of_two_lists_is_the_answer(written):
    assert names_of(written) == NAMES


@pytest.mark.parametrize(
    "thought",
    [
        "[THINK]1. Gout\n2. Leprosy[/THINK]\n",
        "◁think▷1. Gout\n2. Leprosy◁/think▷",
        "<|channel|>analysis<|message|>1. Gout 2. Leprosy<|end|>"
        "<|start|>assistant<|channel|>final<|message|>",
        "analysisThe list may be 1. Gout 2. Leprosy.assistantfinal",
    ],
)
def test_what_a_model_thought_is_not_its_answer(thought):
    assert names_of(f"{thought}1. Vasculitis\n2. Leukemia\n3. Scurvy") == NAMES
    assert names_of(thought.removesuffix("assistantfinal").split("<|start|>")[0]) == []


@pytest.mark.parametrize(
    "name",
    [
        "Multiple endocrine neoplasia, type 2, Sipple",
        "Usher syndrome type 1 - Gene MYO7A",
        "GM1 gangliosidosis: 1 - Infantile",
        "Stage: 1, Early Lyme disease",
    ],
)
def test_a_number_within_a_name_begins_no_item(name):
    assert [rank for rank, _ in names_of(f"1. {name}\n2. Leukemia\n3. Scurvy")] == [1, 2, 3]


def test_one_name_behind_its_code():
    assert names_of("[M10.9] Gout") == [(1, "Gout")]


def test_a_vitamin_is_no_code():
    written = "1. B12 deficiency\n2. T12 fracture\n3. Scurvy"
    assert [name for _, name in names_of(written)] == ["B12 deficiency", "T12 fracture", "Scurvy"]


def test_a_list_that_ends_in_a_word_is_cut_off():
    parsed = parse_differential("1. Asthma: a\n2. COPD: b\n3. Gau", "numbered_list")
    assert [issue.rule for issue in parsed.issues] == ["cut_off"]


@pytest.mark.parametrize(
    "last",
    [
        *("Sepsis", "Lupus", "Gota", "Neumonía", "Septic arthritis", "**Diabetes mellitus**"),
        *("Gau\n", "Wilson.", "Morbus Wilson (M. Wilson)", "Wilson\n\nI would test for copper."),
    ],
)
def test_a_whole_last_name_of_which_nothing_is_said_is_kept(last):
    read = names_of(f"1. Asthma - wheeze\n2. COPD - smoker\n3. {last}")
    assert [rank for rank, _ in read] == [1, 2, 3]


@pytest.mark.parametrize(
    "last", ["Wils", "Sep", "Gaucher (type", "**Wilson", "Chédiak-", "Sarcoidosi", "Wilson (typ\n"]
)
def test_a_last_name_that_breaks_off_is_left(last):
    read = names_of(f"1. Asthma - wheeze\n2. COPD - smoker\n3. {last}")
    assert [rank for rank, _ in read] == [1, 2]


def test_codes_of_a_list_by_rank():
    no_more = dict.fromkeys(["reasoning", "in_favour", "against", "risk"])
    items = [
        {"rank": rank, "diagnosis": name, **no_more}
        for rank, name in enumerate(["I77.6 Vasculitis", "E54 Scurvy"], 1)
    ]
    assert [item.diagnosis for item in read_ranked(items).diagnoses] == ["Vasculitis", "Scurvy"]


CASES = ["K01", "K02", "K03", "K04"]


@pytest.fixture
def imported(tmp_path):
    with (tmp_path / "set.csv").open("w", newline="") as file:
        rows = [[case, f"Note {case}.", f"Flu {case}"] for case in CASES]
        csv.writer(file).writerows([["case_id", "text", "diagnosis"], *rows])
    import_cases(tmp_path / "set.csv", None, "mine", tmp_path / "cases")
    sets = KnownSets(Served(None), cases_dir=tmp_path / "cases")

    def read(source):
        return import_run(source, Run("m", "p", "mine"), tmp_path / "runs", sets), sets

    return read


def as_csv(file, rows):
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([["case_id", "answer"], *rows])
    return read_source(file, {})


def test_answers_without_a_diagnosis_are_told(imported, tmp_path):
    rows = [["K01", "1. Flu\n2. Gout"], ["K02", "Gout > Flu"], ["K03", "Request timed out"]]
    report, _ = imported(as_csv(tmp_path / "a.csv", rows))
    notes = " ".join(report.notes)
    assert "No diagnosis can be read in 1 of 3 answers" in notes
    assert "(a.csv, line " in notes
    assert "Gout" not in notes  # an answer may repeat what a patient said


def test_a_second_file_leaves_no_case_out(imported, tmp_path):
    first, _ = imported(as_csv(tmp_path / "a.csv", [[c, "1. Flu\n2. Gout"] for c in CASES[:2]]))
    second, _ = imported(as_csv(tmp_path / "b.csv", [[c, "1. Flu\n2. Gout"] for c in CASES[2:]]))
    assert (first.n_missing, second.n_missing) == (2, 0)
    assert "missing_from_run" not in " ".join(second.notes)


def test_a_folder_of_responses_is_a_run(imported, tmp_path):
    (tmp_path / "answers").mkdir()
    for case in CASES:
        message = {"role": "assistant", "content": f"1. Flu {case}\n2. Gout"}
        response = {"id": f"chatcmpl-{case[-1]}9", "choices": [{"message": message}]}
        (tmp_path / "answers" / f"{case}.json").write_text(json.dumps(response))
    names = Names("m", "p", {"": "mine"})
    jobs, _ = plan(tmp_path / "answers", None, names, KnownSets(Served(None), tmp_path / "cases"))
    assert [job.path.name for job in jobs] == ["answers"]
    report, _ = imported(read_run(tmp_path / "answers", {}))
    assert (report.n_answers, report.n_missing) == (4, 0)
