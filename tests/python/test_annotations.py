"""Exports of tools for annotation: who said what, what was cancelled, and places of a text."""

import json

import pytest
from written import as_csv

from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.labels import store as labels_store
from python_llm.labels.importing import Source, import_labels
from python_llm.test_sets import store
from python_llm.test_sets.importing import import_cases

TEXT = "Pain in the toe at night. Gout was found."


def annotation(name, *, by=1, was_cancelled=False, question="dx"):
    value = {"choices": [name]}
    result = [{"from_name": question, "to_name": "text", "type": "choices", "value": value}]
    return {"id": by, "completed_by": by, "was_cancelled": was_cancelled, "result": result}


def task(*annotations, case="K01"):
    return {"id": 7, "data": {"text": TEXT, "case_id": case}, "annotations": list(annotations)}


def golds_of(tmp_path, items):
    (tmp_path / "a.json").write_text(json.dumps(items))
    import_cases(tmp_path / "a.json", None, "mine", tmp_path / "cases")
    records = store.read_records(tmp_path / "cases").to_pylist()
    return {record["record_id"]: record["gold_names"] for record in records}


def test_a_task_is_a_case(tmp_path):
    items = [task(annotation("Gout")), task(annotation("Asthma"), case="K02")]
    assert golds_of(tmp_path, items) == {"K01": ["Gout"], "K02": ["Asthma"]}


def test_a_cancelled_annotation_is_no_gold(tmp_path):
    items = [
        task(annotation("Flu", was_cancelled=True), annotation("Gout", by=2)),
        task(annotation("Asthma"), case="K02"),
    ]
    assert golds_of(tmp_path, items) == {"K01": ["Gout"], "K02": ["Asthma"]}


def test_annotators_who_differ_name_no_gold(tmp_path):
    items = [
        task(annotation("Flu"), annotation("Gout", by=2)),
        task(annotation("Asthma"), annotation("Asthma", by=2), case="K02"),
    ]
    assert golds_of(tmp_path, items) == {"K02": ["Asthma"]}


@pytest.mark.parametrize(
    "spans",
    [
        {"label": [[26, 30, "DIAGNOSIS"], [0, 4, "FINDING"]]},
        {"entities": [{"id": 1, "label": "DIAGNOSIS", "start_offset": 26, "end_offset": 30}]},
        {"spans": [{"start": 26, "end": 30, "label": "DIAGNOSIS"}]},
    ],
)
def test_a_place_of_a_text_is_its_words(tmp_path, spans):
    assert golds_of(tmp_path, [{"id": "K01", "text": TEXT, **spans}]) == {"K01": ["Gout"]}


def test_places_in_a_table_are_no_names(tmp_path):
    rows = [{"case_id": "K01", "text": TEXT, "label": '[[26, 30, "DIAGNOSIS"]]'}]
    with pytest.raises(FileError, match="object and no name"):
        import_cases(as_csv(tmp_path / "a", rows), None, "mine", tmp_path / "cases")


def gradings_of(tmp_path, content):
    file = tmp_path / "g.json"
    file.write_text(json.dumps(content))
    source = Source("panel", configuration="m/p/mine")
    report = import_labels(
        file, source, tmp_path / "labels", runs_dir=tmp_path / "runs", cases_dir=tmp_path / "cases"
    )
    rows = labels_store.read(tmp_path / "labels", "labels").to_pylist()
    return {(row["judge_id"], row["case_ref"][-1], row["label"]) for row in rows}, report


@pytest.fixture
def recorded(tmp_path):
    from python_llm.runs.cases import KnownSets
    from python_llm.runs.importing import Run, import_run, read_source

    cases = [{"case_id": f"K0{n}", "text": f"{TEXT} {n}", "diagnosis": "Gout"} for n in (1, 2)]
    import_cases(as_csv(tmp_path / "set", cases), None, "mine", tmp_path / "cases")
    answers = [{"case_id": f"K0{n}", "answer": "1. Flu\n2. Gout\n3. Cold"} for n in (1, 2)]
    file = as_csv(tmp_path / "answers", answers)
    sets = KnownSets(Served(None), cases_dir=tmp_path / "cases")
    import_run(read_source(file, {}), Run("m", "p", "mine"), tmp_path / "runs", sets)


def test_gradings_of_two_annotators(recorded, tmp_path):
    items = [
        task(
            annotation("P2", question="gold_rank"),
            annotation("P1", by=2, question="gold_rank"),
            annotation("P0", by=3, question="gold_rank", was_cancelled=True),
            case=f"K0{n}",
        )
        for n in (1, 2)
    ]
    said, report = gradings_of(tmp_path, items)
    assert {(judge, label) for judge, _, label in said} == {("panel/1", "2"), ("panel/2", "1")}
    assert {reject["field"] for reject in report.rejects} == {"rater"}


def test_discarded_responses_are_no_gradings(recorded, tmp_path):
    def responses(label):
        by = [("ana", "submitted", "P2"), ("ben", "discarded", label)]
        return [
            {"user_id": user, "status": status, "values": {"gold_rank": {"value": value}}}
            for user, status, value in by
        ]

    items = [{"id": f"K0{n}", "responses": responses("P1")} for n in (1, 2)]
    said, report = gradings_of(tmp_path, items)
    assert {(judge, label) for judge, _, label in said} == {("panel/ana", "2")}
    assert len(report.rejects) == 2


@pytest.mark.parametrize("column", ["user", "completed_by", "annotator_id"])
def test_who_graded_under_other_names(recorded, tmp_path, column):
    items = [
        {"case_id": f"K0{n}", column: user, "gold_rank": "P2"}
        for n in (1, 2)
        for user in ("ana", "ben")
    ]
    said, _ = gradings_of(tmp_path, items)
    assert {judge for judge, *_ in said} == {"panel/ana", "panel/ben"}


@pytest.mark.parametrize(("n_ranks", "is_read"), [(4, True), (3, False)])
def test_few_unreadable_gradings_are_set_aside(recorded, tmp_path, n_ranks, is_read):
    written = ["P2"] * n_ranks + ["maybe"] * (8 - n_ranks)
    raters = [f"r{n}" for n in range(8)]
    items = [
        {"case_id": "K01", "rater": rater, "gold_rank": label}
        for rater, label in zip(raters, written, strict=True)
    ]
    if is_read:
        said, report = gradings_of(tmp_path, items)
        assert (len(said), len(report.rejects)) == (4, 4)
    else:
        with pytest.raises(FileError, match=r"a rank in 3 of 8 cells.*'maybe'"):
            gradings_of(tmp_path, items)
