"""The golden set, the tenants' patients, feedback, and what models answer."""

import json
from collections import Counter

import pyarrow as pa
import pytest

from python_llm import paths, seeds
from python_llm.errors import FileError
from python_llm.phenotyping.alarms import Alarms
from python_llm.recommendations.checks.tiers import read
from python_llm.recommendations.evaluation import answers
from python_llm.recommendations.evaluation.feedback import read_feedback
from python_llm.recommendations.evaluation.golden import FOLDER, GoldenSetError, read_golden_set
from python_llm.recommendations.evaluation.patients import synthetic_patients
from python_llm.recommendations.evaluation.tables import verdicts_of
from python_llm.recommendations.knowledge import (
    EXAMPLE_NOTES,
    OF_NOTES,
    Knowledge,
    KnowledgeError,
    curb65,
)
from python_llm.recommendations.knowledge import FOLDER as SEEDS
from python_llm.recommendations.knowledge import SEEDS as KNOWLEDGE_SEEDS
from python_llm.recommendations.schema import Patient


def test_the_golden_set_has_its_strata_and_its_reasons(golden):
    strata = Counter(case.stratum for case in golden.values())
    assert strata.pop("adversarial") == 10
    assert set(strata.values()) == {15}
    assert len(strata) == 6
    for case in golden.values():
        expected = case.expected
        for expectation in [*expected.problems, *expected.rules, expected.severity]:
            assert len(expectation.because) > 10, case.case_id


def test_half_of_the_golden_notes_are_as_long_as_real_ones(golden):
    """50 of 100 of at least 600 characters, each in words of its own; a film for who has a chest
    complaint, and troponin more than once."""
    notes = [" ".join(case.patient.notes) for case in golden.values()]
    assert sum(len(text) >= 600 for text in notes) >= 50
    long = [case.patient.notes[1] for case in golden.values() if len(case.patient.notes) > 1]
    assert len(set(long)) == len(long) >= 50
    assert all(case.patient.chest_xray for case in golden.values() if case.stratum in ("mi", "pe"))
    repeated = [
        case.case_id
        for case in golden.values()
        if max(Counter(lab.name for lab in case.patient.labs).values(), default=0) > 1
    ]
    assert len(repeated) >= 7


def test_what_the_author_expects_is_what_the_seeds_derive(golden, checker):
    for case in golden.values():
        findings = checker.knowledge.findings(case.patient)
        rules = {expectation.value for expectation in case.expected.rules}
        assert set(checker.expected_rules(findings)) == rules, case.case_id
        flags = {expectation.value for expectation in case.expected.escalations}
        assert set(checker.red_flags(findings)) == flags, case.case_id


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2"),
        ('{"case_id": "x"}', "stratum: Field required"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path, golden, line, says):
    good = golden["pe_01"].model_dump_json()
    (tmp_path / "pe.jsonl").write_text(f"{good}\n{line}\n")
    with pytest.raises(GoldenSetError, match=r"pe.jsonl, line 2") as error:
        read_golden_set(tmp_path)
    assert says in str(error.value)
    (tmp_path / "pe.jsonl").write_text(f"{good}\n{good}\n")
    with pytest.raises(GoldenSetError, match="exists already"):
        read_golden_set(tmp_path)
    with pytest.raises(GoldenSetError, match=FOLDER):
        read_golden_set(tmp_path / "nowhere")


def patients(**changes):
    tenants = [
        {**row, "n_patients": "300", **changes}
        for row in seeds.read(f"{SEEDS}/patient_tenants.csv")
    ]
    return synthetic_patients(
        tenants,
        seeds.read(f"{SEEDS}/patient_archetypes.csv"),
        seeds.read(f"{SEEDS}/patient_archetype_features.csv"),
        seeds.read(f"{SEEDS}/lab_tests.csv"),
    )


def test_patients_depend_on_the_seed_alone():
    first = patients()
    assert first.equals(patients())
    assert not first.equals(patients(seed="5"))
    for row in first.to_pylist():
        Patient.model_validate_json(row["patient_json"])
    held_out = Counter(row["tenant_id"] for row in first.to_pylist() if row["is_holdout"])
    assert set(held_out.values()) == {60}


def test_a_lab_value_is_flagged_by_the_limits_of_its_test():
    limits = {row["lab"]: row for row in seeds.read(f"{SEEDS}/lab_tests.csv")}
    seen = set()
    for row in patients().to_pylist():
        for lab in json.loads(row["patient_json"])["labs"]:
            low, high = limits[lab["name"]]["low"], limits[lab["name"]]["high"]
            is_high, is_low = high and lab["value"] > float(high), low and lab["value"] < float(low)
            assert lab["flag"] == ("high" if is_high else "low" if is_low else "normal")
            seen.add(lab["flag"])
    assert seen == {"high", "low", "normal"}


def test_being_held_out_does_not_depend_on_the_patient():
    before = {r["patient_id"]: r["is_holdout"] for r in patients().to_pylist()}
    after = {r["patient_id"]: r["is_holdout"] for r in patients(mean_age="40").to_pylist()}
    assert before == after


def test_guidelines_are_asked_of_held_out_patients(knowledge, golden, monkeypatch):
    """A golden case is asked by its own id, a patient by what it was drawn from. Notes are read for
    each measurement, whoever has read them."""
    read, forgotten = [], Alarms.forget
    monkeypatch.setattr(Alarms, "forget", lambda alarms: read.append(1) or forgotten(alarms))
    facts = pa.Table.from_pylist(
        [
            {"fact_table": name, "fact_number": number, "fact": json.dumps(row)}
            for name in (*KNOWLEDGE_SEEDS, *OF_NOTES, EXAMPLE_NOTES)
            for number, row in enumerate(knowledge.tables[name])
        ]
    )
    case = golden["mi_01"]
    patient = {
        **dict.fromkeys(("expected_rules", "expected_flags", "recommendation_json")),
        "recommender": "r",
        "patient_json": case.patient.model_dump_json(),
    }
    cases = [
        {**patient, "tenant_id": "golden_set", "case_id": "mi_01", "archetype": None},
        {**patient, "tenant_id": "harbour_general", "case_id": "h/1", "archetype": "stemi"},
    ]
    verdicts = verdicts_of(pa.Table.from_pylist(cases), facts).to_pylist()
    asked = Counter(
        verdict["case_id"]
        for verdict in verdicts
        if verdict["check_name"] == "independent_expectations"
    )
    written = Counter(row["case_id"] for row in knowledge.tables["guideline_expectations"])
    assert asked == {"mi_01": written["mi_01"], "h/1": written["stemi"]}
    assert read
    archetypes = {row["archetype"] for row in seeds.read(f"{SEEDS}/patient_archetypes.csv")}
    assert archetypes <= {name for name, n in written.items() if n > 1}


def test_tenants_are_of_different_make_up():
    shares = {}
    rows = patients().to_pylist()
    for tenant in {row["tenant_id"] for row in rows}:
        of = Counter(row["condition"] for row in rows if row["tenant_id"] == tenant)
        shares[tenant] = of["copd"] / sum(of.values())
    assert abs(shares["harbour_general"] - shares["valley_pulmonary"]) > 0.1


@pytest.mark.parametrize(
    ("vitals", "labs", "age", "confused", "points"),
    [
        ({}, {}, 64, False, 0),
        ({}, {}, 65, False, 1),
        ({"respiratory_rate": 30}, {}, 40, False, 1),
        ({"systolic_bp": 89, "diastolic_bp": 60}, {}, 40, False, 1),
        ({"systolic_bp": 90, "diastolic_bp": 61}, {}, 40, False, 0),
        ({}, {"bun": 19.7}, 40, True, 2),
        ({"respiratory_rate": 34, "systolic_bp": 80}, {"bun": 40}, 80, True, 5),
    ],
)
def test_curb65(vitals, labs, age, confused, points):
    patient = Patient(patient_id="p", age=age, sex="male", vitals=vitals)
    assert curb65(patient, labs, confused=confused) == points


def test_a_seed_that_names_what_is_not_there_is_an_error(knowledge):
    tables = dict(knowledge.tables)
    rule = {**tables["red_flags"][0], "present_when": "no_such_finding"}
    with pytest.raises(KnowledgeError, match=r"red_flags.csv, row 1, present_when"):
        Knowledge({**tables, "red_flags": [rule]})


def test_feedback_files_are_read_or_named(tmp_path):
    assert read_feedback(tmp_path).num_rows == 0
    file = tmp_path / "june.csv"
    file.write_text("feedback_id,tenant_id,patient_id,document,is_helpful\n1,t,t/1,hf_2022#1,yes\n")
    assert read_feedback(tmp_path).to_pylist()[0]["is_helpful"] is True
    rows = [f"{n},t,t/1,hf_2022#1,{said}" for n, said in enumerate(("1", "0", "TRUE", "no"))]
    (tmp_path / "july.csv").write_text("\n".join([file.read_text().split("\n")[0], *rows]))
    helpful = {r["feedback_id"]: r["is_helpful"] for r in read_feedback(tmp_path).to_pylist()[:4]}
    assert helpful == {"0": True, "1": False, "2": True, "3": False}
    (tmp_path / "july.csv").unlink()
    file.write_text("feedback_id,tenant_id,patient_id,document,is_helpful\n1,t,t/1,hf_2022#1,hm\n")
    (row,) = read_feedback(tmp_path).to_pylist()
    assert (row["source_file"], row["source_line"], row["is_helpful"]) == ("june.csv", 2, None)
    file.write_text("feedback_id,tenant_id,patient_id,document\n1,t,t/1,hf_2022#1\n")
    with pytest.raises(FileError, match=r"june.csv: the column is_helpful is missing"):
        read_feedback(tmp_path)


def answered(text):
    row = {"tenant_id": "t", "case_id": "c", "patient_id": "p", "model_alias": "gpt4o"}
    table = pa.Table.from_pylist([{**row, "answer_text": text, "retrieve_ms": 3, "generate_ms": 9}])
    return answers.parse_recommendations(table).to_pylist()[0]["recommendation_json"]


def test_an_answer_is_a_recommendation_or_fails_the_schema(recommended):
    body = {
        name: part
        for name, part in recommended("pe_01").items()
        if name not in ("recommendation_id", "patient_id", "recommender", "stage_ms")
    }
    for text in (json.dumps(body), f"<think>hm</think>```json\n{json.dumps(body)}\n```"):
        made = read(answered(text))
        assert not isinstance(made, list)
        assert made.recommender == "gpt4o"
        assert made.stage_ms == {"retrieve": 3, "generate": 9}
    for text in ("I cannot help.", "[]", json.dumps({**body, "severity": "dire"})):
        assert isinstance(read(answered(text)), list)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 4, "reason": "clear"}', 4),
        ('```json\n{"score": 1}\n```', 1),
        ('{"score": 5}', 5),
        ('{"score": 0}', None),
        ('{"score": 6}', None),
        ('{"score": 4.5}', None),
        ('{"score": "4/5"}', None),
        ('{"score": true}', None),
        ("4", None),
        ("", None),
    ],
)
def test_scores_of_judges_are_read_strictly(text, score):
    table = pa.table({"request_key": ["k"], "answer_text": [text]})
    assert answers.parse_scores(table).to_pylist()[0]["score"] == score


def test_the_schema_sent_to_models_is_that_of_the_check():
    file = paths.prompts_folder() / "recommendation" / "schema.json"
    assert json.loads(file.read_text()) == answers.response_schema()
