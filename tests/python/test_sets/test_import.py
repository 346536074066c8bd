"""Imports of files as they are met: encodings, separators, merged cells, cut off, twice."""

import json
import re
import time

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from python_llm import paths
from python_llm.console.case_lookup import find_case
from python_llm.console.cli import main
from python_llm.errors import FileError, UserError
from python_llm.imports.served import Served
from python_llm.runs.cases import KnownSets
from python_llm.test_sets.columns import WANTED
from python_llm.test_sets.importing import Choices, import_cases
from python_llm.test_sets.store import (
    RECORDS,
    case_id,
    imported_table,
    known_cases,
    read_records,
    read_rejects,
)

URG = ["Motivo Consulta", "Enfermedad Actual", "Exploración", "Juicio Diagnóstico", "DIAG CIE"]
URG += ["Sexo", "EDAD", "TA max", "est_planta"]
ROWS = [
    [
        "Disnea.-",
        "Fatiga; desde ayer, peor",
        "Vigil",
        "Neumonía",
        "J18.9",
        "Mujer",
        "71",
        "144",
        "5",
    ],
    ["Otalgia.-", "Le duele el oído\nhace días", "BEG", "OMA ñ", "H66.90", "Hombre", "3", "", ""],
]


def written(rows, separator, quote='"'):
    lines = [separator.join(f"{quote}{field}{quote}" for field in row) for row in [URG, *rows]]
    return "\n".join(lines) + "\n"


def records(folder):
    return read_records(folder).to_pylist()


def rejects(folder):
    return read_rejects(folder).to_pylist()


@pytest.fixture
def store(tmp_path):
    return tmp_path / "cases"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_hospital_extract_in_any_encoding_and_separator(tmp_path, store, encoding, separator):
    file = tmp_path / "urg.csv"
    file.write_bytes(written(ROWS, separator).encode(encoding))
    import_cases(file, "urg", "urg", store)
    first, second = records(store)
    assert first["history"] == "Fatiga; desde ayer, peor"
    assert (first["judgement"], first["icd10_code"]) == ("Neumonía", "J18.9")
    assert (first["sex"], first["age"], first["ta_max"], first["ward_days"]) == (
        "Mujer",
        "71",
        "144",
        "5",
    )
    assert second["history"] == "Le duele el oído\nhace días"
    assert (second["source_row"], second["source_line"], second["ta_max"]) == (2, 3, None)
    assert first["language"] == "es"
    assert first["contains_phi"]


def test_excel_with_a_title_merged_and_empty_cells(tmp_path, store):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Urgencias"])
    sheet.merge_cells("A1:I1")
    sheet.append(URG)
    sheet.append(["Disnea", "Fatiga", "Vigil", "Neumonía", "J18.9", "Mujer", 71, 144.0, 5])
    sheet.append([None, "Tos", None, "Gripe", None, "Hombre", 40.0, None, None])
    sheet.merge_cells("A3:A4")
    sheet.append([None] * 9)
    sheet.append(["Fuga", None, None, None, None, "Hombre", 20, None, None])
    file = tmp_path / "urg.xlsx"
    book.save(file)
    import_cases(file, "urg", "urg", store)
    first, second = records(store)
    assert [first["reason"], second["reason"]] == ["Disnea", "Disnea"]
    assert (first["age"], second["age"], first["ta_max"]) == ("71", "40", "144")
    assert [second["source_line"], second["icd10_code"]] == [4, None]
    assert [(r["source_line"], r["field"]) for r in rejects(store)] == [(6, "gold diagnosis")]


def test_only_another_file_adds_cases_and_goes_on_counting(tmp_path, store):
    file, other = tmp_path / "a.csv", tmp_path / "b.csv"
    file.write_text(written(ROWS, ";"))
    other.write_text(written(ROWS[:1], ";"))
    assert import_cases(file, "urg", "urg", store).is_new
    before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
    assert not import_cases(file, "urg", "urg", store).is_new
    assert {path: path.read_bytes() for path in store.rglob("*.parquet")} == before
    import_cases(other, "urg", "urg", store)
    assert sorted(record["record_number"] for record in records(store)) == [1, 2, 3]
    import_cases(other, "urg", "urg", store, replace=True)
    assert [record["record_number"] for record in records(store)] == [1]


def test_every_lost_row_is_named_with_line_field_and_reason(tmp_path, store):
    good = json.dumps({"Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:1", "ORPHA:2"]})
    lines = [
        good,
        '{"Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:1"',
        json.dumps({"Phenotype": [], "RareDisease": ["OMIM:1"]}),
        json.dumps({"Phenotype": ["HP:0001250"]}),
        "[]",
        "",
        good,
    ]
    file = tmp_path / "cut.jsonl"
    file.write_text("\n".join(lines))
    outcome = import_cases(file, "rarebench", "rb", store)
    assert (outcome.n_records, outcome.n_lost) == (2, 4)
    assert [(r["source_line"], r["field"]) for r in rejects(store)] == [
        (2, "record"),
        (3, "Phenotype"),
        (4, "RareDisease"),
        (5, "record"),
    ]
    # answers of other tools come in the order of the file: a lost row keeps its number
    assert [record["source_row"] for record in records(store)] == [1, 6]


def test_a_row_that_cannot_be_read_moves_no_number(tmp_path, store):
    rows = ["id,text,gold", "1,Fever,Gout", "2,Rash", "id,text,gold", "3,Cough,Flu", "4,Pain,"]
    (tmp_path / "a.csv").write_text("\n".join([*rows, "5,Tremor,Wilson disease"]) + "\n")
    import_cases(tmp_path / "a.csv", None, "a", store)
    assert {record["record_id"]: record["source_row"] for record in records(store)} == {
        "1": 1,
        "3": 3,
        "5": 5,
    }


def test_a_csv_cut_off_in_a_quote_loses_only_its_last_record(tmp_path, store):
    file = tmp_path / "cut.csv"
    whole = written([*ROWS, ROWS[0]], ",")
    file.write_text(whole[: whole.rindex("desde ayer")])
    import_cases(file, "urg", "urg", store)
    assert len(records(store)) == 2
    (lost,) = rejects(store)
    assert lost["source_line"] == 5
    assert "never closed" in lost["reason"]


def test_rows_of_another_length_or_header_are_rejected(tmp_path, store):
    file = tmp_path / "rows.csv"
    text = written(ROWS, ";", "").replace("oído\nhace", "oído hace")
    text = text.replace("Fatiga; desde ayer", "Fatiga desde ayer")
    file.write_text(text + text + "Disnea;Fatiga\n")
    import_cases(file, "urg", "urg", store)
    assert len(records(store)) == 4
    assert [(r["source_line"], r["reason"].split()[0]) for r in rejects(store)] == [
        (4, "the"),
        (7, "2"),
    ]


V2 = {
    "id": "P1",
    "subject": {"sex": "FEMALE", "timeAtLastEncounter": {"age": {"iso8601duration": "P3Y2M"}}},
    "phenotypicFeatures": [
        {"type": {"id": "HP:0001250", "label": "Seizure"}},
        {"type": {"id": "HP:0001263"}, "excluded": True},
    ],
    "interpretations": [
        {
            "progressStatus": "SOLVED",
            "diagnosis": {"disease": {"id": "OMIM:154700", "label": "Marfan syndrome"}},
        }
    ],
    "diseases": [
        {"term": {"id": "OMIM:154700"}, "onset": {"ontologyClass": {"label": "Childhood onset"}}},
        {"term": {"id": "OMIM:1"}, "excluded": True},
    ],
}
V1 = {
    "id": "P2",
    "subject": {"sex": "MALE", "ageAtCollection": {"age": "P10Y"}},
    "phenotypic_features": [
        {"type": {"id": "HP:0001250"}},
        {"type": {"id": "HP:0000252"}, "negated": True},
    ],
    "diseases": [{"term": {"id": "ORPHA:558", "label": "Marfan"}, "ageOfOnset": {"age": "P1Y"}}],
}


def test_phenopackets_of_both_versions(tmp_path, store):
    folder = tmp_path / "packets"
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps(V2))
    (folder / "2.json").write_text(json.dumps(V1))
    (folder / "3.json").write_text('{"id": "cut", "subject"')
    (folder / "4.json").write_text(json.dumps({**V2, "phenotypicFeatures": []}))
    import_cases(folder, "phenopacket", "packets", store)
    second, first = records(store)[::-1]
    assert (first["sex"], first["age"], first["onset"]) == ("FEMALE", "P3Y2M", "Childhood onset")
    assert (first["hpo_ids"], first["excluded_hpo_ids"]) == (["HP:0001250"], ["HP:0001263"])
    assert (first["gold_codes"], first["gold_names"]) == (["OMIM:154700"], ["Marfan syndrome"])
    assert (second["age"], second["onset"], second["excluded_hpo_ids"]) == (
        "P10Y",
        "P1Y",
        ["HP:0000252"],
    )
    assert [reject["reason"].split(":")[0] for reject in rejects(store)] == ["3.json", "4.json"]


@pytest.mark.parametrize("status", ["UNSOLVED", 4])
def test_an_unsolved_interpretation_is_no_gold_diagnosis(tmp_path, store, status):
    (interpretation,) = V2["interpretations"]
    unsolved = {**interpretation, "progressStatus": status}
    packet = {**V1, "interpretations": [unsolved]}
    (tmp_path / "packet.json").write_text(json.dumps(packet))
    import_cases(tmp_path / "packet.json", "phenopacket", "packets", store)
    (record,) = records(store)
    assert record["gold_codes"] == ["ORPHA:558"]


def test_a_packet_that_is_only_unsolved_says_so(tmp_path, store):
    unsolved = {**V2["interpretations"][0], "progressStatus": "UNSOLVED"}
    packet = {**V1, "diseases": [], "interpretations": [unsolved]}
    (tmp_path / "packet.json").write_text(json.dumps([V1, packet]))
    import_cases(tmp_path / "packet.json", "phenopacket", "packets", store)
    (lost,) = rejects(store)
    assert (lost["field"], "UNSOLVED" in lost["reason"]) == ("progressStatus", True)


def test_the_first_filled_column_of_a_field_counts(tmp_path, store):
    file = tmp_path / "urg.csv"
    file.write_text("motivo;motivo consulta;enfermedad actual;diagnostico\na;b;x;y\n;b;x;y\n")
    import_cases(file, "urg", "urg", store)
    assert [record["reason"] for record in records(store)] == ["a", "b"]


def test_pumch_in_two_steps(tmp_path, store):
    folder = tmp_path / "pumch"
    folder.mkdir()
    for number, names in ((10, ["Seizure", "Ataxia"]), (2, ["Hypotonia"]), (3, ["Cough"])):
        (folder / f"patient_{number}.json").write_text(json.dumps({"Phenotype": names}))
    (folder / "scores.csv").write_text("patient,GT\n2,Wilson disease\n10,POEMS syndrome\n")
    import_cases(folder, "rarebench", "pumch_adm", store)
    found = {record["record_id"]: record for record in records(store)}
    assert found["2"]["gold_names"] == ["Wilson disease"]
    assert found["10"]["hpo_names"] == ["Seizure", "Ataxia"]
    (lost,) = rejects(store)
    assert (lost["field"], lost["reason"].split(":")[0]) == ("gold diagnosis", "patient_3.json")


def test_pumch_scores_come_in_any_table(tmp_path, store):
    folder = tmp_path / "pumch"
    folder.mkdir()
    (folder / "patient_1.json").write_text(json.dumps({"Phenotype": ["Seizure"]}))
    scores = "Número;Diagnosis\n1;Síndrome de Wilson / Wilson disease\n"
    (folder / "scores.csv").write_bytes(scores.encode("latin-1"))
    import_cases(folder, "rarebench", "pumch_adm", store)
    (record,) = records(store)
    assert record["gold_names"] == ["Síndrome de Wilson", "Wilson disease"]
    (folder / "more.csv").write_text(scores)
    with pytest.raises(FileError, match="2 tables"):
        import_cases(folder, "rarebench", "pumch_adm", store)


@pytest.mark.parametrize(
    ("written", "names", "judgement"),
    [
        ("Marfan syndrome", ["Marfan syndrome"], None),
        ("Marfan syndrome also known as MFS / Marfan", ["Marfan syndrome", "MFS", "Marfan"], None),
        (
            "Comorbid diagnosis: Heart failure also known as ICC + EPOC",
            ["Heart failure"],
            "ICC + EPOC",
        ),
        ("1. Marfan syndrome (MFS) 2. Gout", None, "Marfan syndrome + Gout"),
    ],
)
def test_the_notation_of_the_source_is_taken_apart(tmp_path, store, written, names, judgement):
    mapping = tmp_path / "map.yml"
    mapping.write_text("columns: {history: case, gold_names: golden_diagnosis}\n")
    file = tmp_path / "test_death.csv"
    file.write_text(f"id,case,golden_diagnosis\n1,cough,{written}\n")
    import_cases(file, "table", "death", store, Choices(mapping))
    (record,) = records(store)
    assert (record["gold_names"], record["judgement"]) == (names, judgement)
    assert record["gold_written"] == written


def test_dbt_reads_imported_cases_as_sources(tmp_path, store, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(store))
    assert imported_table("record").num_rows == 0
    assert imported_table("record").schema == RECORDS
    file = tmp_path / "urg.csv"
    file.write_text(written([*ROWS, [""] * 8 + ["x"]], ";"))
    import_cases(file, "urg", "urg", store)
    assert imported_table("record").num_rows == 2
    assert imported_table("rejected_record").column("source_line").to_pylist() == [5]


def test_a_severity_is_read_as_it_is_spelled_or_set_aside(tmp_path, store):
    written = {
        "mild": "mild", "LEVE": "mild", "grave": "severe", "Muy grave": "critical", "": None,
        "unknown": None, "NA": None, "catastrophic": None, "3": None, "mild?": None,
    }  # fmt: skip
    file = tmp_path / "a.csv"
    lines = [f"{n},cough {n},Flu,{severity}" for n, severity in enumerate(written)]
    file.write_text("\n".join(["id,text,diagnosis,severity", *lines]))
    imported = import_cases(file, "table", "a", store, Choices(contains_phi=False))
    assert [record["severity"] for record in records(store)] == list(written.values())
    assert imported.n_lost == 0
    said = {reject["source_line"]: reject["reason"] for reject in imported.rejects}
    assert list(said) == [9, 10, 11]
    assert said[9].startswith("'catastrophic', not a severity; the case is kept without one")
    assert said[11].endswith("write mild, moderate, severe, critical or rare")
    assert {reject["field"] for reject in imported.rejects} == {"severity"}
    imported = import_cases(file, "table", "patients", store)
    assert all(reject["reason"].startswith("not a severity") for reject in imported.rejects)


def test_any_table_with_a_mapping(tmp_path, store):
    mapping = tmp_path / "map.yml"
    mapping.write_text(
        "columns:\n  history: [Notes, Plan]\n  gold_names: Dx\n  hpo_ids: HPO\nseparator: ','\n"
        "values: {severity: mild}\nlanguage: en\n"
    )
    rows = [{"Notes": "cough", "Plan": "rest", "Dx": "Flu", "HPO": "HP:0012735,HP:0001945"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    for name in ("a.parquet", "a.jsonl"):
        choices = Choices(mapping, contains_phi=False)
        import_cases(tmp_path / name, "table", name[2:], store, choices)
    for record in records(store):
        assert record["narrative"] == "cough\nrest"
        assert record["hpo_ids"] == ["HP:0012735", "HP:0001945"]
        assert (record["gold_names"], record["severity"]) == (["Flu"], "mild")
        assert not record["contains_phi"]


@pytest.mark.parametrize(
    ("name", "content", "source_format", "says"),
    [
        ("a.csv", b"", "urg", "empty"),
        ("a.csv", b"x,y\n1,2\n", "urg", "no header"),
        ("a.xlsx", b"PK\x03\x04cut", "urg", "not a readable Excel"),
        ("a.parquet", b"PAR1cut", "urg", "not a readable Parquet"),
        ("a.jsonl", b"{", "rarebench", "line 1"),
        ("a.csv", b"x", "hl7", "not a format"),
        ("a.csv", b"x,y\n1,2\n", "table", "no header"),
        ("a.csv", b"text,y\n1,2\n", "table", "--column gold=NAME"),
        ("a.csv", b"gold,y\n1,2\n", "table", "--column text=NAME"),
    ],
)
def test_a_file_nobody_can_use_ends_in_one_sentence(
    tmp_path, store, name, content, source_format, says
):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(FileError, match=says):
        import_cases(file, source_format, "some_set", store)
    assert not list(store.rglob("*.parquet"))


def test_names_of_shipped_sets_are_taken(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text(written(ROWS, ";"))
    for name in ("simulated_rare_200", "synthetic_urg_all", "synthetic_urg_death", "../x"):
        with pytest.raises(FileError, match=r"another name|cannot name"):
            import_cases(file, "urg", name, store)


def test_a_damaged_store_says_what_to_delete(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text(written(ROWS, ";"))
    import_cases(file, "urg", "urg", store)
    (stored,) = (store / "records").glob("*.parquet")
    stored.write_bytes(b"damaged")
    with pytest.raises(FileError, match="delete it and import"):
        read_records(store)


def test_a_big_excel_sheet_takes_seconds(tmp_path, store):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(URG)
    for number in range(20_000):
        sheet.append([f"Motivo {number}", "Fatiga", "Vigil", "Gripe", "J11.1", "Mujer", 71, 144, 5])
    file = tmp_path / "many.xlsx"
    book.save(file)
    started = time.process_time()
    assert import_cases(file, "urg", "many", store).n_records == 20_000
    assert time.process_time() - started < 6


def test_a_hundred_thousand_cases_take_seconds(tmp_path, store):
    file = tmp_path / "many.jsonl"
    with file.open("w") as handle:
        for number in range(100_000):
            item = {"Phenotype": [f"HP:{number % 9999:07}"] * 9, "RareDisease": [f"OMIM:{number}"]}
            handle.write(json.dumps(item) + "\n")
    started = time.process_time()
    assert import_cases(file, "rarebench", "many", store).n_records == 100_000
    assert time.process_time() - started < 30


def test_an_imported_set_has_the_ids_of_the_models(tmp_path, store):
    file = tmp_path / "a.jsonl"
    lines = [
        {"id": "C7", "Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:1", "Wilson disease"]},
        {"id": "C8", "Phenotype": ["HP:0001250"]},
        {"id": "C9", "Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:2"]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    import_cases(file, "rarebench", "mine", store)
    assert known_cases("mine", store) == [
        ("mine/0001", 1, "C7", ["Wilson disease"], ["OMIM:1"], False),
        ("mine/0003", 3, "C9", [], ["OMIM:2"], False),
    ]
    assert known_cases("min", store) == []
    assert case_id("mine", 12345) == "mine/12345"


def test_published_patients_are_read_in_order_of_their_numbers(tmp_path, store):
    folder = tmp_path / "some_model_diagnosis"
    folder.mkdir()
    for number in (0, 10, 2):
        patient = {
            "patient_info": "Seizure,Weakness, proximal,Ataxia",
            "golden_diagnosis": "Usher 综合征/Usher syndrome; USH,Usher syndrome 2",
            "predict_diagnosis": " 1. Gout",
            "predict_rank": "否",
        }
        content = json.dumps(patient, ensure_ascii=False).encode("utf-8-sig")
        (folder / f"patient_{number}.json").write_bytes(content)
    (folder / "patient_1.json").write_text('{"patient_info": "cut')
    (folder / "patient_3.json").write_text('{"patient_info": "Ataxia"}')
    (folder / "README.md").write_text("what this is")
    (folder / ".DS_Store").write_bytes(b"\x00")
    (folder / "more").mkdir()
    imported = import_cases(folder, "rarebench", "pumch", store)
    found = records(store)
    assert [record["record_id"] for record in found] == ["0", "2", "10"]
    # what could not be read keeps its number, what is not a patient has none
    assert [record["record_number"] for record in found] == [1, 3, 5]
    assert found[0]["hpo_names"] == ["Seizure", "Weakness, proximal", "Ataxia"]
    assert found[0]["gold_names"] == ["Usher syndrome", "Usher syndrome 2", "USH", "Usher 综合征"]
    assert found[0]["gold_written"] == "Usher 综合征/Usher syndrome; USH,Usher syndrome 2"
    assert sorted(one["reason"].split(":")[0] for one in imported.rejects) == [
        *("README.md", "more", "patient_1.json", "patient_3.json"),
    ]


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("id,text,diagnosis", ("id", "text", "diagnosis")),
        ("Case ID ,Vignette , Final Diagnosis", ("Case ID", "Vignette", "Final Diagnosis")),
        ("patient_id,case,gold", ("patient_id", "case", "gold")),
        ("case,note,disease", ("case", "note", "disease")),
        ("id_caso,Descripción,Diagnóstico", ("id_caso", "Descripción", "Diagnóstico")),
        ("paciente,Historia,enfermedad", ("paciente", "Historia", "enfermedad")),
    ],
)
def test_a_table_with_usual_names_needs_no_mapping(tmp_path, store, header, taken):
    file = tmp_path / "a.csv"
    rows = "".join(f'\nC00{n},"  A cough for {n} weeks. ",Gout' for n in range(3))
    file.write_text(header + rows, encoding="utf-8")
    imported = import_cases(file, "table", "mine", store)
    (first, _, _) = records(store)
    assert (first["record_id"], first["gold_names"]) == ("C000", ["Gout"])
    assert (first["narrative"], first["frame"]) == ("  A cough for 0 weeks. ", "plain")
    fields = ("record_id", "narrative", "gold_names")
    assert tuple(imported.taken[field] for field in fields) == tuple([name] for name in taken)
    assert imported.unread == []


@pytest.mark.parametrize(
    ("header", "columns", "says"),
    [
        ("id,text,note,gold", {}, "'text', 'note' could both be the text of the case"),
        ("id,text,diagnosis,disease", {}, "'diagnosis', 'disease' could both be the gold"),
        ("id,text,history,gold", {}, "say which with --column text=text"),
        ("id,text,x,gold", {"text": "x", "gold": "x"}, "'x' is named for narrative and for gold"),
        ("id,text,x,gold", {"text": "y"}, "text=y: there is no such column; there are id, text, x"),
        ("id,text,x,gold", {"nothing": "x"}, "--column nothing=x: not a field"),
        (
            "id,text,x,y",
            {},
            "known as the gold diagnosis .*gold=NAME, or .*--without-gold",
        ),
        ("id,x,y,gold", {}, r"known as the text of the case .*--column text=NAME\. The usual"),
        (
            "id,x,y,z",
            {},
            "the case and none as the gold .*text=NAME --column gold=NAME, or",
        ),
    ],
)
def test_a_table_that_leaves_a_choice_says_what_to_choose(tmp_path, store, header, columns, says):
    file = tmp_path / "a.csv"
    file.write_text(f"{header}\n1,a b c,d e f,Gout\n")
    with pytest.raises(FileError, match=says):
        import_cases(file, "table", "mine", store, Choices(columns=columns))
    assert not list(store.rglob("*.parquet"))


def test_the_names_the_documentation_lists_are_found():
    page = (paths.project_root() / "docs/test-sets.md").read_text(encoding="utf-8")
    columns = page.partition("These names are recognised")[2].partition("\n- **")[0]
    listed = columns.partition("\n")[2]
    names = re.findall(r"`(\w+)`", listed)
    assert len(names) > 50
    assert set(names) <= set(WANTED)


def test_sections_of_a_table_stay_sections(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("id,description,tests,gold,age\n1, cough ,CRP 9,Flu,P3Y\n")
    import_cases(file, "table", "mine", store)
    (record,) = records(store)
    assert (record["narrative"], record["history"]) == (None, " cough ")
    assert (record["complementary"], record["age"]) == ("CRP 9", "P3Y")


def test_notes_without_a_gold_diagnosis_are_for_reading_only(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("id,note\nC1,cough\nC2,\n")
    imported = import_cases(file, "table", "mine", store, Choices(without_gold=True))
    assert (imported.n_records, imported.n_for_reading, imported.n_lost) == (1, 1, 1)
    assert known_cases("mine", store) == []
    with pytest.raises(FileError, match="imported for reading"):
        KnownSets(Served(None), store).cases("mine")


def test_a_frame_is_no_choice_of_one_text(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("id,note,gold\nC1,cough,Flu\n")
    with pytest.raises(FileError, match="asked as they are"):
        import_cases(file, "table", "mine", store, Choices(frame="source"))
    with pytest.raises(FileError, match="not a frame: use one of source, plain"):
        import_cases(file, "table", "mine", store, Choices(frame="none"))


def test_the_episode_of_a_hospital_extract_is_its_id(tmp_path, store):
    file = tmp_path / "urg.csv"
    file.write_text("EPISODIO ANONIMIZADO;Enfermedad Actual;Juicio Diagnóstico\nE7;Tos;Gripe\n")
    import_cases(file, "urg", "urg", store)
    (record,) = records(store)
    assert (record["record_id"], record["frame"], record["language"]) == ("E7", "source", "es")


def test_an_id_that_several_cases_have_is_said_and_loses_none(tmp_path, store):
    def imported_from(name, ids):
        rows = [f"{one},Pain in toe {at}.,Gout" for at, one in enumerate(ids)]
        (tmp_path / name).write_text("\n".join(["id,text,diagnosis", *rows]) + "\n")
        return import_cases(tmp_path / name, "table", "mine", store)

    first = imported_from("a.csv", ["A", "B", "A", ""])
    assert (first.n_records, first.n_lost) == (4, 0)
    assert [(one["source_line"], one["record_id"]) for one in first.rejects] == [(2, "A"), (4, "A")]
    assert "2 cases of the set have this id" in first.rejects[0]["reason"]
    second = imported_from("b.csv", ["C", "B", ""])
    assert [one["record_id"] for one in second.rejects] == ["B"]
    assert [one["is_record_lost"] for one in rejects(store)] == [False] * 3


def test_imports_are_told_listed_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "serve"))
    file = tmp_path / "a.csv"
    file.write_text("id,note,gold,x\nC1, cough ,Flu,1\nC2,cough,,1\n")

    def run(*arguments):
        outcome = CliRunner().invoke(main, ["cases", *map(str, arguments)])
        return outcome.exit_code, outcome.output

    code, said = run("import", file, "--format", "table", "--test-set", "mine")
    assert code == 0
    for line in (
        "1 cases from a.csv into mine (table, plain frame, en, real patients), 1 rejected.",
        "Read: record_id from id, narrative from note, gold_names from gold.",
        "Not read: x.",
        "1 rejected, gold diagnosis: neither a diagnosis nor a code: fill in one of them "
        "[a.csv, line 3].",
    ):
        assert line in said.splitlines()
    assert "No column of ids" not in said
    file.write_text("protocol,note,gold\nC1, cough ,Flu\n")
    said = run("import", file, "--test-set", "other")[1]
    assert "No column of ids was recognised, so the cases are known by their numbers" in said
    assert run("forget", "other")[0] == 0
    assert run("show", "mine/C1") == (0, " cough ")
    assert run("list", "--rejects", "mine")[1].startswith("a.csv, line 3, gold diagnosis")
    (row,) = json.loads(run("list", "--json")[1])
    assert (row["test_set"], row["cases"], row["rejected"], row["phi"]) == ("mine", 1, 1, "yes")
    code, said = run("forget", "mine")
    assert code == 0
    assert "the requests and answers stay in the ledger, and every build serves them" in said
    assert "written for Spark is deleted: kernel29 lakehouse writes it again" in said
    assert re.search(r"kernel29 ledger prune --before 2\d{3}-\d\d-\d\d --answers --yes", said)
    assert run("list") == (0, "no rows\n")
    assert run("forget", "mine")[0] == 1


NO_GOLDS = ["N/A", "unknown", "none", "-", "null", "desconocido", "Sin diagnóstico", "?"]


@pytest.mark.parametrize("written", NO_GOLDS)
def test_what_says_that_there_is_no_gold_is_none(tmp_path, store, written):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,gold\nC1,cough,{written}\nC2,cough,Flu\n")
    imported = import_cases(file, "table", "mine", store)
    assert (imported.n_records, imported.n_lost) == (1, 1)
    assert rejects(store)[0]["reason"] == "neither a diagnosis nor a code: fill in one of them"
    read = import_cases(file, "table", "other", store, Choices(without_gold=True))
    assert (read.n_records, read.n_for_reading) == (2, 1)


@pytest.mark.parametrize("written", ["154700", "G35", "#558"])
def test_a_code_of_no_vocabulary_is_told_how_to_write_it(tmp_path, store, written):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,gold\nC1,cough,{written}\nC2,cough,Q87.4\n")
    import_cases(file, "table", "mine", store)
    assert [record["gold_codes"] for record in records(store)] == [["Q87.4"]]
    (reject,) = rejects(store)
    assert "write OMIM:154700, ORPHA:558 or ICD-10 G35" in reject["reason"]


@pytest.mark.parametrize(
    ("header", "row", "codes"),
    [
        ("omim", "154700", ["OMIM:154700"]),
        ("OMIM id", "#154700", ["OMIM:154700"]),
        ("orpha", "558", ["ORPHA:558"]),
        ("Orphanet", "558|ORPHA:284963", ["ORPHA:558", "ORPHA:284963"]),
        ("mondo", "7947", ["MONDO:0007947"]),
        ("icd10", "Q87.4", ["Q87.4"]),
        ("gold,orphacode,omim", "Marfan,558,154700", ["ORPHA:558", "OMIM:154700"]),
    ],
)
def test_a_column_says_the_vocabulary_of_its_numbers(tmp_path, store, header, row, codes):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,{header}\nC1,cough,{row}\n")
    import_cases(file, "table", "mine", store)
    (record,) = records(store)
    assert (record["gold_codes"] or [record["icd10_code"]]) == codes


def test_a_column_of_gold_codes_says_its_vocabulary(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("id,text,omim\nC1,cough,154700\n")
    import_cases(file, "table", "mine", store, Choices(columns={"gold": "omim"}))
    assert records(store)[0]["gold_codes"] == ["OMIM:154700"]


def test_an_id_of_several_cases_of_a_set_is_ambiguous(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("id,text,gold\nC1,cough,Flu\nC15,cough,Flu\nC15,pain,Gout\n3,pain,Gout\n")
    import_cases(file, "table", "mine", store)
    served = tmp_path / "kernel29.duckdb"
    for spoken in ("mine/C15", "C15"):
        with pytest.raises(UserError, match=r"several cases: write one of mine/0002, mine/0003\."):
            find_case(served, spoken, store)
    # the id of a record goes before the number of a case
    assert find_case(served, "mine/3", store) == "mine/0004"
    assert find_case(served, "mine/2", store) == "mine/0002"
    with duckdb.connect(str(served)) as database:
        database.execute(
            "create table dim_case as select * from (values ('mine/0002', 'mine', 'C15'), "
            "('mine/0003', 'mine', 'C15'), ('mine/0001', 'mine', 'C1')) "
            "as cases (case_id, test_set, record_id)"
        )
    with pytest.raises(UserError, match=r"several cases: write one of mine/0002, mine/0003\."):
        find_case(served, "mine/C15", store)
    assert find_case(served, "mine/C1", store) == "mine/0001"


def test_a_folder_of_notes_is_told_what_brings_the_gold(tmp_path, store):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "pat_01.txt").write_text("cough")
    with pytest.raises(FileError, match="a text file has no gold diagnosis: give a table") as error:
        import_cases(tmp_path / "notes", "table", "mine", store)
    assert "--without-gold" in str(error.value)
    assert "--column" not in str(error.value)


NESTED = {
    "patient": {"id": "N1", "age": 40, "sex": "F"},
    "note": {"history": "A cough.", "examination": "Rales."},
    "diagnoses": [{"name": "Gout", "code": "ORPHA:558"}, {"name": "Flu", "excluded": True}],
}


def from_json(folder, store, rows, *, suffix=".json", **columns):
    """What an import of some objects stores and says."""
    file = folder / f"a{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    else:
        lines = "\n".join(map(json.dumps, rows)) if suffix == ".jsonl" else json.dumps(rows)
        file.write_text(lines)
    imported = import_cases(file, "table", "nested", store, Choices(columns=columns))
    return imported, records(store)


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".parquet"])
def test_fields_of_objects_are_columns_and_their_names_no_text(tmp_path, store, suffix):
    imported, (record,) = from_json(tmp_path, store, [NESTED], suffix=suffix)
    assert (record["record_id"], record["age"], record["sex"]) == ("N1", "40", "F")
    assert (record["history"], record["examination"]) == ("A cough.", "Rales.")
    assert (record["gold_names"], record["gold_codes"]) == (["Gout"], ["ORPHA:558"])
    assert imported.taken["history"] == ["note.history"]


@pytest.mark.parametrize(
    ("text", "narrative"),
    [
        ({"status": "generated", "div": "<div>A cough</div>"}, "<div>A cough</div>"),
        ([{"section": "HPI", "content": "A cough"}, {"content": "Rales"}], "A cough\nRales"),
        ({"text": {"value": "A cough"}}, "A cough"),
        ("A cough", "A cough"),
    ],
)
def test_a_text_in_an_object_is_what_the_object_says(tmp_path, store, text, narrative):
    rows = [
        {"id": "1", "text": text, "diagnosis": [{"code": "M10.9", "display": "Gout"}]},
        {"id": "2", "text": "A rash", "diagnosis": "Gout"},
        {"id": "3", "text": "A rash", "diagnosis": {"coding": [{"code": "M10.9"}]}},
        {"id": "4", "text": None, "diagnosis": None},
    ]
    imported, (first, second, third) = from_json(tmp_path, store, rows)
    assert (first["narrative"], second["narrative"]) == (narrative, "A rash")
    assert (first["gold_names"], first["gold_codes"]) == (["Gout"], ["M10.9"])
    assert (second["gold_names"], third["gold_codes"]) == (["Gout"], ["M10.9"])
    assert imported.n_lost == 1


def test_a_text_may_have_several_columns_of_an_object(tmp_path, store):
    columns = {"text": ["note.examination", "note.history"], "gold": "diagnoses.name"}
    _, (record,) = from_json(tmp_path, store, [NESTED], **columns)
    assert record["narrative"] == "Rales.\nA cough."


@pytest.mark.parametrize(
    ("rows", "columns", "says"),
    [
        ([NESTED], {"history": "history"}, "history=history: there is no such column; there are p"),
        ([NESTED], {"id": "patient"}, "id=patient: there is no such column; there are patient.id"),
        ([NESTED], {"id": ["note.history", "patient.id"]}, "--column id=…: give it once"),
        (
            [{"id": "1", "text": "x", "in": {"diagnosis": "A"}, "out": {"diagnosis": "B"}}],
            {},
            "'in.diagnosis', 'out.diagnosis' could both be the gold",
        ),
        ([{"id": "1", "note": {"x": "a", "y": "b"}, "gold": "Gout"}], {}, "'note.x', 'note.y'"),
        (
            {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}]},
            {},
            "item 1 is a FHIR bundle of Patient, .*export a table",
        ),
        ([{"resourceType": "Condition", "id": "1"}], {}, r"a FHIR resource \(Condition\)"),
    ],
)
def test_what_objects_leave_open_is_asked(tmp_path, store, rows, columns, says):
    with pytest.raises(FileError, match=says):
        from_json(tmp_path, store, rows, **columns)


def test_phenotypes_of_objects_are_no_diagnoses(tmp_path, store):
    row = {
        "id": "1",
        "phenotypes": [
            {"id": "HP:0012735", "label": "Cough"},
            {"id": "HP:0001945", "label": "Fever", "excluded": True},
        ],
        "disease": {"id": "OMIM:154700", "label": "Marfan syndrome"},
    }
    _, (record,) = from_json(tmp_path, store, {"cases": [row]})
    assert (record["hpo_ids"], record["hpo_names"]) == (["HP:0012735"], ["Cough"])
    assert (record["gold_codes"], record["gold_names"]) == (["OMIM:154700"], ["Marfan syndrome"])


def test_a_row_of_endless_objects_leaves_the_others(tmp_path, store):
    deep = {"a": "x"}
    for _ in range(400):
        deep = {"a": deep}
    rows = [{"id": "1", "text": "A cough", "gold": "Gout"}, {"id": "2", "text": deep}]
    imported, _ = from_json(tmp_path, store, rows)
    assert (imported.n_records, imported.n_lost) == (1, 1)
    assert "nested more than" in rejects(store)[0]["reason"]


def test_a_header_without_rows_is_said_so(tmp_path, store):
    (tmp_path / "a.csv").write_text("id,text,diagnosis\n")
    with pytest.raises(FileError, match="it has no rows"):
        import_cases(tmp_path / "a.csv", "table", "mine", store)


TOTALS = ["Total", "TOTAL:", "Suma", "Sum", "Gesamt", "Grand total", "Total casos", "Total n=10"]


@pytest.mark.parametrize("written", TOTALS)
def test_a_row_of_totals_is_no_patient(tmp_path, store, written):
    file = tmp_path / "a.csv"
    rows = f"Summer,A cough,Gout\n{written},10 cases,10 diagnoses\n"
    file.write_text(f"id,text,gold\n{rows}")
    import_cases(file, "table", "mine", store)
    assert [record["record_id"] for record in records(store)] == ["Summer"]
    assert "a row of totals" in rejects(store)[0]["reason"]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("admission diagnosis,diagnosis", {}),
        ("diagnosis,final diagnosis", {}),
        ("diagnosis,diagnosis", {"gold": "diagnosis (2)"}),
    ],
)
def test_a_final_diagnosis_wins_and_a_name_twice_is_asked(tmp_path, store, header, columns):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,{header}\n1,A cough,Flu,Gout\n")
    if columns:
        with pytest.raises(FileError, match=r"'diagnosis', 'diagnosis \(2\)' could both be the"):
            import_cases(file, "table", "mine", store)
    import_cases(file, "table", "mine", store, Choices(columns=columns))
    assert records(store)[0]["gold_names"] == ["Gout"]


DOUBTED = ["? Gout", "Gout?", "¿Gota?", "(?) Gout", "r/o gout", "Ausschluss Gicht"]
DOUBTED += ["疑似痛风", "考虑痛风", "痛风待排", "痛风可能性大"]
OBJECTS = ["{'name': 'Gout'}"]


@pytest.mark.parametrize("written", DOUBTED + OBJECTS)
def test_a_doubted_diagnosis_is_no_gold(tmp_path, store, written):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,gold,icd10\n1,A cough,{written},M10.9\n2,A rash,Gout,\n")
    import_cases(file, "table", "mine", store)
    assert [record["record_id"] for record in records(store)] == ["2"]
    said = "an object and no name" if written in OBJECTS else "a diagnosis in doubt"
    assert said in rejects(store)[0]["reason"]
    read = import_cases(file, "table", "other", store, Choices(without_gold=True))
    assert (read.n_records, read.n_for_reading, read.n_lost) == (2, 1, 0)
    assert [record["source_row"] for record in records(store)][-2:] == [1, 2]


@pytest.mark.parametrize(
    ("header", "row", "codes"),
    [
        ("gold", "E752", ["E75.2"]),
        ("gold", "e8301", ["E83.01"]),
        ("gold_code", "E752", ["E75.2"]),
        ("orpha", "586.0", ["ORPHA:586"]),
        ("omim", "219700.0", ["OMIM:219700"]),
        ("orpha,omim", "abc,219700", ["OMIM:219700"]),
        ("gold,orpha", "Gout,5.5", None),
    ],
)
def test_a_code_without_its_point_or_with_one_too_many(tmp_path, store, header, row, codes):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,{header}\n1,cough,{row}\n")
    imported = import_cases(file, "table", "mine", store)
    (record,) = records(store)
    assert (record["gold_codes"], imported.n_lost) == (codes, 0)
    is_faulty = "abc" in row or "5.5" in row
    assert [reject["is_record_lost"] for reject in rejects(store)] == [False] * is_faulty
    assert all("no code of ORPHA" in reject["reason"] for reject in rejects(store))


@pytest.mark.parametrize(("header", "row"), [("gold", "H1N1"), ("orpha", "abc"), ("orpha", "5.5")])
def test_what_is_no_code_is_set_aside_with_its_reason(tmp_path, store, header, row):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,{header}\n1,cough,{row}\n2,rash,ORPHA:558\n")
    import_cases(file, "table", "mine", store)
    kept = [record["record_id"] for record in records(store)]
    assert kept == (["1", "2"] if row == "H1N1" else ["2"])  # a name, which terminologies judge


def test_one_unusable_file_does_not_refuse_its_folder(tmp_path, store):
    folder = tmp_path / "patients"
    folder.mkdir()
    cases = [{"text": f"Fever {n}", "diagnosis": "Gout"} for n in range(4)]
    for name, content in {
        "patient_1.json": json.dumps(cases[0]),
        "patient_2.json": "",
        "patient_3.json": json.dumps(cases[1:3]),
        "patient_4.json": '{"text": ',
        "patient_5.json": "[]",
        "patient_6.json": json.dumps({"resourceType": "Patient"}),
        "patient_7.jsonl": json.dumps(cases[3]),
        "notes.txt": "Seen yesterday.",
        "scan.pdf": "%PDF-1.7",
        "README.md": "Patients of the ward.",
    }.items():
        (folder / name).write_text(content)
    (folder / "patient_8.json").write_bytes(b"\x1f\x8b packed")
    outcome = import_cases(folder, None, "p", store)
    assert {(r["record_id"], r["narrative"], r["source_row"]) for r in records(store)} == {
        ("1", "Fever 0", 1),
        ("3-1", "Fever 1", 3),
        ("3-2", "Fever 2", 4),
        ("7", "Fever 3", 8),
    }
    names = sorted(reject["reason"].partition(":")[0] for reject in rejects(store))
    assert names == [
        *("notes.txt", "patient_2.json", "patient_4.json", "patient_5.json"),
        *("patient_6.json", "patient_8.json", "scan.pdf"),
    ]
    assert outcome.n_lost == 7


def test_the_tables_of_a_folder_are_read_together(tmp_path, store):
    folder = tmp_path / "months"
    folder.mkdir()
    (folder / "jan.csv").write_text("id,text,diagnosis\n1,Fever,Gout\n2,Rash,Measles\n")
    (folder / "feb.csv").write_text("id;text;diagnosis\n3;Fever;Gout\n4;Rash\n")
    (folder / "mar.csv").write_text("")
    (folder / "apr.xlsx").write_bytes(b"PK\x03\x04 cut off")
    outcome = import_cases(folder, None, "p", store)
    assert sorted(record["record_id"] for record in records(store)) == ["1", "2", "3"]
    assert outcome.n_lost == 3
    assert any("feb.csv: line 3: 2 fields" in reject["reason"] for reject in rejects(store))


def test_cases_by_their_ids_are_rows(tmp_path, store):
    cases = {"C1": {"text": "Fever", "diagnosis": "Flu"}, "C2": {"text": "x", "diagnosis": "Gout"}}
    (tmp_path / "a.json").write_text(json.dumps(cases))
    import_cases(tmp_path / "a.json", None, "a", store)
    assert [(r["record_id"], r["gold_names"]) for r in records(store)] == [
        ("C1", ["Flu"]),
        ("C2", ["Gout"]),
    ]
    columns = {"text": {"0": "Fever", "1": "x"}, "diagnosis": {"0": "Flu", "1": "Gout"}}
    (tmp_path / "c.json").write_text(json.dumps(columns))
    import_cases(tmp_path / "c.json", None, "c", store)
    assert [r["gold_names"] for r in records(store) if r["test_set"] == "c"] == [["Flu"], ["Gout"]]
    parts = {"note": {"id": 1, "text": "Fever"}, "diagnosis": {"id": "OMIM:1", "text": "Flu"}}
    (tmp_path / "b.json").write_text(json.dumps(parts))
    import_cases(tmp_path / "b.json", None, "b", store)
    assert len(records(store)) == 5


@pytest.mark.parametrize("gold", ["no Gout", "Gout vs. Flu", "sin gota", "descartada gota"])
def test_a_diagnosis_that_is_denied_or_undecided_is_none(tmp_path, store, gold):
    (tmp_path / "a.csv").write_text(f"id,text,gold\n1,Fever,{gold}\n2,Rash,Factor V or X lack\n")
    assert import_cases(tmp_path / "a.csv", None, "a", store).n_lost == 1
    assert records(store)[0]["gold_names"] == ["Factor V or X lack"]


def test_what_a_build_set_aside_is_listed_with_its_reason(tmp_path, store, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(store))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "serve"))
    file = tmp_path / "a.csv"
    file.write_text("id,hpo_ids,gold\nC1,HP:9999999,Flu\nC2,HP:0001250,\nC3,HP:0001250,Gout\n")
    import_cases(file, "table", "mine", store, Choices(contains_phi=False))
    served = paths.served_database()
    served.parent.mkdir()
    with duckdb.connect(str(served)) as database:
        database.execute(
            "create table dim_case (case_id text, test_set text, record_id text, kind text);"
            "create table dim_test_set (test_set text);"
            "create table rpt_record_issue as select * from (values "
            "('mine', 'a.csv', 2, 1, 'case text', null, 'no known phenotype', true), "
            "('mine', 'a.csv', 2, 2, 'phenotype', 'HP:9999999', 'no such term', false), "
            "('mine', 'a.csv', 3, 1, 'gold diagnosis', null, 'neither', true)) as issues "
            "(test_set, source_file, source_line, issue_number, field, value, reason, "
            "is_record_lost)"
        )

    def run(*arguments):
        return CliRunner().invoke(main, arguments).output

    assert run("cases", "list", "--rejects", "mine").splitlines()[1:] == [
        "a.csv, line 2, case text: no known phenotype (last build)",
        "a.csv, line 2, phenotype: 'HP:9999999': no such term (last build)",
    ]
    (mine,) = json.loads(run("cases", "list", "--json"))
    assert (mine["cases"], mine["set aside"]) == (2, 1)
    rows = json.loads(run("cases", "list", "mine", "--json"))
    assert [row["set aside"] for row in rows] == ["case text: no known phenotype", ""]
    (ready,) = [
        row for row in json.loads(run("test-sets", "list", "--json")) if row["test_set"] == "mine"
    ]
    assert (ready["n_cases"], ready["state"]) == (1, "ready")
    assert "set 1 of 2 cases aside" in ready["remedy"]
    for spoken in ("mine/C1", "mine/0001"):
        said = run("case", spoken)
        assert "set aside by the build: case text: no known phenotype; phenotype: 'HP:9" in said
    assert "not built yet" in run("case", "mine/C3")


def test_rows_that_differ_only_in_their_phenotypes_are_one_case(tmp_path, store):
    file = tmp_path / "long.csv"
    file.write_text(
        "patient_id,hpo_id,disease_name,sex\n"
        "P1,HP:0001166,Marfan syndrome,F\nP1,HP:0004942,,\nP1,HP:0001083,Marfan syndrome,F\n"
        "P2,HP:0001250,Rett syndrome,F\nP3,HP:0001250,Gout,M\nP3,HP:0001166,Fabry disease,M\n"
    )
    imported = import_cases(file, None, "long", store, Choices(contains_phi=False))
    assert [(row["record_number"], row["record_id"], row["hpo_ids"]) for row in records(store)] == [
        (1, "P1", ["HP:0001166", "HP:0004942", "HP:0001083"]),
        (2, "P2", ["HP:0001250"]),
        (3, "P3", ["HP:0001250"]),
        (4, "P3", ["HP:0001166"]),
    ]
    assert "6 rows are 4 cases" in " ".join(imported.notes)
    first, second = rejects(store)
    assert (first["source_line"], second["source_line"]) == (6, 7)
    assert "2 cases of the set have this id, with 2 different gold diagnoses" in first["reason"]


def test_a_row_that_follows_a_case_up_has_nothing_to_fill_in(tmp_path, store):
    file = tmp_path / "redcap.csv"
    file.write_text(
        "record_id,redcap_repeat_instance,sex,presentation,final_dx\n"
        "1,,1,A tall man.,Marfan syndrome\n1,1,,Stable.,\n2,,2,A rash.,\n3,,2,A toe.,Gout\n"
    )
    imported = import_cases(file, None, "redcap", store, Choices(contains_phi=False))
    assert [row["record_id"] for row in records(store)] == ["1", "3"]
    assert "2 sexes are numbers" in " ".join(imported.notes)
    follow_up, lacking = imported.rejects
    assert (follow_up["field"], follow_up["source_line"]) == ("record", 3)
    assert "nothing to fill in" in follow_up["reason"]
    assert (lacking["source_line"], lacking["field"]) == (4, "gold diagnosis")


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda packets: {"cohort": {"id": "X", "members": packets}},
        lambda packets: {"id": "X", "members": packets},
        lambda packets: {"patients": packets},
        lambda packets: [{"id": n, "proband": packet} for n, packet in enumerate(packets)],
        lambda packets: {"phenopackets": {"a": packets[0], "b": packets[1]}},
    ],
)
def test_phenopackets_below_any_key_are_read(tmp_path, store, wrapped):
    file = tmp_path / "cohort.json"
    file.write_text(json.dumps(wrapped([{**V2, "id": "one"}, {**V1, "id": "two"}])))
    imported = import_cases(file, None, "cohort", store, Choices(contains_phi=False))
    assert imported.source_format == "phenopacket"
    assert [(row["record_id"], row["source_line"]) for row in records(store)] == [
        ("one", 1),
        ("two", 2),
    ]


def test_a_code_of_icd_9_and_a_text_with_the_answer_are_told(tmp_path, store):
    file = tmp_path / "mimic.csv"
    file.write_text(
        "note_id,text,icd_code,icd_version,long_title\n"
        "1,Discharge diagnosis: Fabry disease,27789,9,Fabry disease\n"
        "2,A tall man.,E752,10,Fabry disease\n3,A rash.,27789,9,\n"
    )
    imported = import_cases(file, None, "mimic", store, Choices(contains_phi=False))
    assert [(row["gold_names"], row["icd10_code"]) for row in records(store)] == [
        (["Fabry disease"], None),
        (["Fabry disease"], "E752"),
    ]
    assert [(row["source_line"], row["is_record_lost"]) for row in imported.rejects] == [
        (2, False),
        (4, True),
    ]
    assert all("a code of ICD-9" in row["reason"] for row in imported.rejects)
    assert "1 of 2 texts name the gold diagnosis" in " ".join(imported.notes)


def test_a_number_is_an_id_and_the_true_dx_the_gold_diagnosis(tmp_path, store):
    file = tmp_path / "supplement.csv"
    file.write_text("No.,Presentation,True Dx\n7,A rash.,Gout\n8,A toe.,Flu\n")
    import_cases(file, None, "supplement", store, Choices(contains_phi=False))
    assert [(row["record_id"], row["gold_names"]) for row in records(store)] == [
        ("7", ["Gout"]),
        ("8", ["Flu"]),
    ]


def test_files_of_a_folder_that_are_about_it_are_named(tmp_path, store):
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "README.txt").write_text("about")
    (folder / "a.csv").write_text("id,text,gold\n1,A toe.,Gout\n")
    imported = import_cases(folder, None, "cases", store, Choices(contains_phi=False))
    assert "Not read, because about the folder: README.txt." in imported.notes
