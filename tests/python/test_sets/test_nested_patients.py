"""Patients in lists within lists, and diagnoses that their file calls excluded or in doubt."""

import json

import pytest

from python_llm.errors import FileError
from python_llm.test_sets.importing import import_cases
from python_llm.test_sets.store import read_records


def patient(name, gold):
    return {"id": name, "history": f"{name} has a rash.", "diagnosis": gold}


WARDS = [
    {"patients": [patient("N1", "Measles"), patient("N2", "Gout")]},
    {"patients": [patient("N3", "Asthma")]},
]
BEDS = [{"no": 1, "beds": WARDS[0]["patients"]}, {"no": 2, "beds": WARDS[1]["patients"]}]
ALL = ["N1", "N2", "N3"]


def imported(tmp_path, name, written):
    (tmp_path / name).write_text(written)
    outcome = import_cases(tmp_path / name, None, "mine", tmp_path / "cases")
    return outcome, read_records(tmp_path / "cases").to_pylist()


@pytest.mark.parametrize(
    "document",
    [
        {"site": "A", "wards": WARDS},
        {"id": "x", "description": "of May", "wards": [*WARDS, {"ward": "s", "patients": []}]},
        {"site": "A", "floors": [{"floor": 1, "wards": WARDS}]},
        {"site": "A", "floors": BEDS},
        {"site": "A", "wards": {"north": WARDS[0], "south": WARDS[1]}},
        [{"id": f"W{number}", **ward} for number, ward in enumerate(WARDS)],
    ],
)
def test_patients_of_wards_are_a_case_each(tmp_path, document):
    outcome, records = imported(tmp_path, "a.json", json.dumps(document))
    assert [record["record_id"] for record in records] == ALL
    assert (records[0]["gold_names"], outcome.rejects) == (["Measles"], [])


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_patients_are_never_merged_into_one(tmp_path, name):
    document = json.dumps({"site": "A", "wards": WARDS, "clinics": WARDS})
    with pytest.raises(FileError, match=r"several patients .*\(wards.patients, clinics.patients"):
        imported(tmp_path, name, document)


def test_visits_of_a_patient_are_no_patients(tmp_path):
    visits = [{"date": "1 May", "finding": "rash"}, {"date": "2 May", "finding": "fever"}]
    _, records = imported(
        tmp_path, "a.json", json.dumps({**patient("N1", "Gout"), "visits": visits})
    )
    assert [record["gold_names"] for record in records] == [["Gout"]]


@pytest.mark.parametrize(
    ("diagnoses", "golds", "says"),
    [
        ([("certainty", "excluded"), ("certainty", "confirmed")], ["B disease"], ""),
        ([("status", "ruled out by biopsy"), ("status", "confirmed")], ["B disease"], ""),
        ([("estado", "descartado"), ("estado", "confirmado")], ["B disease"], ""),
        ([("certeza", "sospecha"), ("certeza", "confirmado")], ["B disease"], ""),
        ([("verificationStatus", {"code": "refuted"}), ("x", "y")], ["B disease"], ""),
        ([("certainty", "suspected")], None, "a diagnosis in doubt"),
        ([("confirmed", False)], None, "a diagnosis in doubt"),
        ([("certainty", "excluded")], None, "neither a diagnosis nor a code"),
        ([("status", "active")], ["A disease"], ""),
        ([("Diagnosesicherheit", "A"), ("Diagnosesicherheit", "G")], ["B disease"], ""),
    ],
)
def test_an_excluded_diagnosis_of_an_object_is_no_gold(tmp_path, diagnoses, golds, says):
    dx = [{"label": f"{'AB'[at]} disease", key: v} for at, (key, v) in enumerate(diagnoses)]
    rows = [
        {"id": "1", "text": "Pain", "dx": dx},
        {"id": "2", "text": "x", "dx": [{"label": "Flu"}]},
    ]
    outcome, records = imported(tmp_path, "a.json", json.dumps(rows))
    assert [r["gold_names"] for r in records] == [*([golds] if golds else []), ["Flu"]]
    assert [reject["reason"].startswith(says) for reject in outcome.rejects] == [True] * (not golds)


@pytest.mark.parametrize(
    ("heading", "value", "is_gold"),
    [
        ("certainty", "excluded", False),
        ("label.certainty", "possible", False),
        ("gold_certainty", "probable", False),
        ("dx status", "ruled out", False),
        ("estado", "descartado", False),
        ("status", "suspected", False),
        ("certeza", "confirmado", True),
        ("status", "discharged", True),
    ],
)
def test_a_column_beside_the_diagnosis_may_exclude_it(tmp_path, heading, value, is_gold):
    rows = f"1,Pain,Gout,{value}\n2,Cough,Flu,confirmed\n3,Itch,Scabies,confirmed\n"
    outcome, records = imported(tmp_path, "a.csv", f"id,text,diagnosis,{heading}\n{rows}")
    assert (len(records), len(outcome.rejects)) == ((3, 0) if is_gold else (2, 1))


@pytest.mark.parametrize(
    ("heading", "values", "says"),
    [
        ("answer", ("accept", "reject"), "a row rejected"),
        ("answer", ("accept", "ignore"), "a row rejected"),
        ("status", ("submitted", "skipped"), "a row rejected"),
        ("status", ("discharged", "discarded"), "a row rejected"),
        ("annotation_status", ("validated", "pending"), "a diagnosis in doubt"),
        ("include", ("yes", "no"), "a row rejected"),
        ("reviewer_agrees", ("1", "0"), "a row rejected"),
        ("was_cancelled", ("false", "true"), "a row rejected"),
        ("confirmed", ("1", "0"), "a diagnosis in doubt"),
        ("diagnosis confirmed", ("sí", "no"), "a diagnosis in doubt"),
        ("ruled_out", ("no", "yes"), "an excluded diagnosis"),
        ("Diagnosesicherheit", ("G", "V"), "a diagnosis in doubt"),
        ("Diagnosesicherheit", ("G", "A"), "an excluded diagnosis"),
        ("Diagnosesicherheit", ("G", "Z"), "a past diagnosis"),
        ("certainty", ("95%", "20%"), "a diagnosis in doubt"),
        ("certainty", ("0.9", "0.2"), "a diagnosis in doubt"),
        ("confidence", ("high", "low"), "a diagnosis in doubt"),
    ],
)
def test_what_annotators_rejected_or_doubted_is_no_gold(tmp_path, heading, values, says):
    rows = f"1,Pain,Gout,{values[0]}\n2,Cough,Flu,{values[1]}\n"
    outcome, records = imported(tmp_path, "a.csv", f"id,text,diagnosis,{heading}\n{rows}")
    assert [record["record_id"] for record in records] == ["1"]
    (reject,) = outcome.rejects
    assert (reject["source_line"], reject["reason"].startswith(says)) == (3, True)


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("status", ("discharged", "dead")),
        ("certainty", ("4", "2")),
        ("confirmed", ("2024-01-03", "")),
        ("answer", ("A", "no")),
        ("smoker", ("no", "yes")),
    ],
)
def test_what_is_no_mark_of_annotators_loses_no_case(tmp_path, heading, values):
    rows = f"1,Pain,Gout,{values[0]}\n2,Cough,Flu,{values[1]}\n"
    outcome, records = imported(tmp_path, "a.csv", f"id,text,diagnosis,{heading}\n{rows}")
    assert (len(records), outcome.rejects) == (2, [])
