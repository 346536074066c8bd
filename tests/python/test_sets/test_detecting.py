"""Which format a file of cases has, where nobody names it."""

import json

import openpyxl
import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.test_sets.detecting import format_of
from python_llm.test_sets.importing import import_cases

HPO_LINE = {"Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:607208"], "Department": None}
PACKET = {
    "id": "p1",
    "subject": {"id": "p1", "sex": "FEMALE"},
    "phenotypicFeatures": [{"type": {"id": "HP:0001250", "label": "Seizure"}}],
    "diseases": [{"term": {"id": "OMIM:607208", "label": "Dravet syndrome"}}],
    "metaData": {"phenopacketSchemaVersion": "2.0"},
}
NAMED = {"phenotype": "Seizure, Fever", "golden_diagnosis": "Dravet syndrome"}
FILES = [
    ("lines.jsonl", json.dumps(HPO_LINE), "rarebench"),
    ("array.json", json.dumps([HPO_LINE, HPO_LINE]), "rarebench"),
    ("packet.json", json.dumps(PACKET), "phenopacket"),
    ("family.json", json.dumps({"id": "f", "proband": PACKET}), "phenopacket"),
    ("cohort.json", json.dumps({"id": "c", "members": [PACKET]}), "phenopacket"),
    ("extract.csv", "Motivo Consulta;Enfermedad Actual;DIAG CIE\nTos;Ayer;J18.9\n", "urg"),
    ("one.csv", "Enfermedad Actual;Diagnóstico\nTos desde ayer;Neumonía\n", "table"),
    ("detailed.csv", "Disease,Detailed\nGout,A painful toe\n", "table"),
    ("ids.csv", "phenotype,diagnosis\nHP:0001250,Dravet syndrome\n", "table"),
    ("cases.csv", "id,text,diagnosis\n1,A painful toe,Gout\n", "table"),
    ("text.jsonl", json.dumps({"text": "A painful toe", "diagnosis": "Gout"}), "table"),
    ("like.csv", "id,Phenotype,RareDisease,text,diagnosis\n1,Fits,x,Fits,Gout\n", "table"),
    ("packets.csv", "id,phenotypicFeatures,diagnosis\n1,Fits,Gout\n", "table"),
    ("told.jsonl", json.dumps({**HPO_LINE, "text": "Fits"}), "table"),
    ("broken.json", '{"phenotypicFeatures": [', "table"),
]


@pytest.mark.parametrize(("name", "content", "expected"), FILES)
def test_the_fields_of_a_file_say_its_format(tmp_path, name, content, expected):
    assert format_of(tmp_path / name, content.encode()) == expected


def test_a_spreadsheet_is_looked_into(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Motivo de consulta", "Exploración física", "Juicio clínico"])
    book.active.append(["Tos", "Crepitantes", "Neumonía"])
    book.save(tmp_path / "extract.xlsx")
    file = tmp_path / "extract.xlsx"
    assert format_of(file, file.read_bytes()) == "urg"


@pytest.mark.parametrize(
    ("patient", "expected"),
    [
        *[(PACKET, "phenopacket"), (NAMED, "rarebench"), (HPO_LINE, "rarebench")],
        ({**NAMED, "text": "Fits"}, "table"),
    ],
)
def test_the_patients_of_a_folder_say_its_format(tmp_path, patient, expected):
    folder = tmp_path / "patients"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"patient_{number}.json").write_text(json.dumps(patient))
    assert format_of(folder, b"") == expected
    assert import_cases(folder, None, "mine", tmp_path / "store").n_records == 2


def test_an_empty_file_of_a_folder_leaves_the_others(tmp_path):
    folder = tmp_path / "patients"
    folder.mkdir()
    (folder / "patient_1.json").write_bytes(b"")
    (folder / "patient_2.json").write_text(json.dumps(NAMED))
    done = import_cases(folder, None, "mine", tmp_path / "store")
    assert (done.source_format, done.n_records) == ("rarebench", 1)
    assert "patient_1.json" in done.rejects[0]["reason"]


def test_only_a_format_that_is_named_makes_cases_nobodys(tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps(HPO_LINE))
    unnamed = import_cases(file, None, "unnamed", tmp_path / "store")
    named = import_cases(file, "rarebench", "named", tmp_path / "store")
    assert (unnamed.source_format, unnamed.contains_phi) == ("rarebench", True)
    assert (named.source_format, named.contains_phi) == ("rarebench", False)


def test_a_file_is_all_that_an_import_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    file = tmp_path / "ward 7.jsonl"
    file.write_text(json.dumps(HPO_LINE))
    outcome = CliRunner().invoke(main, ["cases", "import", str(file)])
    assert outcome.exit_code == 0
    assert "1 cases from ward 7.jsonl into ward_7 (rarebench, source frame, en, real patients)" in (
        outcome.output
    )
    assert "--no-phi" in outcome.output
