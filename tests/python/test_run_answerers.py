"""Recorded answers of several models in one file, told apart by other fields than `model`."""

import json

import duckdb
import pytest

from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.runs import store
from python_llm.runs.cases import KnownSets
from python_llm.runs.importing import Run, import_run, read_source

GOLD = ["Gout", "Measles", "Marfan syndrome", "Asthma"]
RUN = Run("llama-3", "p", "t")
TEXT = "A person of {} years comes with a complaint that is told at some length."


@pytest.fixture
def served(tmp_path):
    file = tmp_path / "kernel29.duckdb"
    with duckdb.connect(str(file)) as database:
        rows = ", ".join(f"('t/{n:04}', 't', {n}, '{g}', false)" for n, g in enumerate(GOLD, 1))
        database.execute(
            f"create table dim_case as select * from (values {rows}) as cases "
            "(case_id, test_set, case_number, gold_diagnosis, contains_phi)"
        )
    return file


def imported(tmp_path, served, rows, run=RUN):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(rows))
    sets = KnownSets(Served(served), cases_dir=tmp_path / "cases")
    report = import_run(read_source(file, {}), run, tmp_path / "runs", sets)
    answers = store.read(tmp_path / "runs", "answers").to_pylist()
    return report, {row["answer_text"] for row in answers}


def answers_of(*named, cases=(1, 2, 3, 4), case="case_id"):
    """A row for each model and case: a model answers with its number."""
    return [
        {case: f"t/000{n}", **fields, "answer": f"1. Disease {number}\n2. Flu"}
        for number, fields in enumerate(named, 1)
        for n in cases
    ]


TWO = [
    [{"provider": "groq:llama-3"}, {"provider": "openai:chat:o1"}],
    [{"provider": {"id": "groq:llama-3"}}, {"provider": {"id": "openai:o1"}}],
    [{"provider": {"id": "x", "label": "Llama 3"}}, {"provider": {"id": "y", "label": "o1"}}],
    [{"deployment": "llama-3"}, {"deployment": "o1-east"}],
    [{"endpoint": "meta/llama-3"}, {"endpoint": "openai/o1"}],
    [{"model": "meta/llama-3"}, {"model": "openai/o1"}],
    [{"system": "groq", "model": "llama-3"}, {"system": "groq", "model": "o1"}],
    [{"meta": {"model": "llama-3"}}, {"meta": {"model": "o1"}}],
    [{"request": {"engine": "llama-3"}}, {"request": {"engine": "o1"}}],
]


@pytest.mark.parametrize("named", TWO)
@pytest.mark.parametrize("is_last", [False, True])
def test_rows_of_the_model_are_taken(tmp_path, served, named, is_last):
    rows = answers_of(*(named[::-1] if is_last else named))
    report, texts = imported(tmp_path, served, rows)
    assert (texts, report.rejects) == ({f"1. Disease {1 + is_last}\n2. Flu"}, [])
    assert "4 rows are of other models" in " ".join(report.notes)


@pytest.mark.parametrize("named", [two for two in TWO if "model" not in two[0]])
def test_several_models_of_which_none_is_the_one_are_refused(tmp_path, served, named):
    with pytest.raises(FileError, match=r"several models answered the same cases.*o1") as error:
        imported(tmp_path, served, answers_of(*named), Run("gemini", "p", "t"))
    assert "--model" in str(error.value)
    assert not (tmp_path / "runs").exists()


def test_two_models_that_may_both_be_the_one_are_refused(tmp_path, served):
    rows = answers_of({"provider": "groq:llama-3"}, {"provider": "azure:llama-3"})
    with pytest.raises(FileError, match="all may be called 'llama-3'"):
        imported(tmp_path, served, rows)


def test_a_whole_name_goes_before_the_end_of_another(tmp_path, served):
    rows = answers_of({"provider": "azure:llama-3"}, {"provider": "llama-3"})
    assert imported(tmp_path, served, rows)[1] == {"1. Disease 2\n2. Flu"}


def test_cases_told_by_their_texts_are_the_same_cases(tmp_path, served):
    rows = answers_of({"provider": "a:o1"}, {"provider": "a:o3"}, case="id")
    rows = [{**row, "id": f"call-{i}", "q": TEXT.format(row["id"])} for i, row in enumerate(rows)]
    with pytest.raises(FileError, match="several models answered the same cases"):
        imported(tmp_path, served, rows)


@pytest.mark.parametrize("other", ["azure", "llama-3-0125"])
def test_places_and_versions_of_one_model_stay_together(tmp_path, served, other):
    rows = answers_of({"provider": "llama-3"}, cases=(1, 2))
    rows += answers_of({"provider": other}, cases=(3, 4))
    own = rows if other != "azure" else [{**r, "provider": r["provider"][:3]} for r in rows]
    report, _ = imported(tmp_path, served, own)
    assert report.n_answers == 4


def test_who_judged_an_answer_is_no_model(tmp_path, served):
    rows = [
        {"case_id": f"t/000{n}", "answer": f"1. {gold}\n2. Flu", "grader": {"model": f"o{n % 2}"}}
        for n, gold in enumerate(GOLD, 1)
    ]
    assert imported(tmp_path, served, rows)[0].n_answers == 4


def test_a_column_of_promptfoo_for_each_provider(tmp_path, served):
    rows = [
        {"case_id": f"t/000{n}", "[groq:llama-3] p": "1. Gout\n2. Flu", "[openai:o1] p": "1. Flu"}
        for n in (1, 2, 3, 4)
    ]
    assert imported(tmp_path, served, rows)[1] == {"1. Gout\n2. Flu"}
