"""Tables as wards keep them: doubts, secondary diagnoses, names, headers and totals again."""

import json

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.imports.headings import is_of_person, kind_of
from python_llm.imports.nesting import flat
from python_llm.imports.principal import EARLY, SECONDARY
from python_llm.test_sets.descriptions import REASON as DESCRIBES
from python_llm.test_sets.golds import problem_of, problem_of_judgement, read_gold
from python_llm.test_sets.importing import import_cases
from python_llm.test_sets.long_form import AGAIN, ENTERED_AGAIN, ENTERED_OTHERWISE
from python_llm.test_sets.store import read_records

WARD = "Episodio;Motivo de consulta;Enfermedad actual;Juicio diagnóstico\n"
TEXTS = ("Mareo rotatorio desde ayer.", "Tos y fiebre desde hace días.")


def imported(tmp_path, name, written):
    file = tmp_path / name
    file.write_text(written)
    outcome = import_cases(file, None, "mine", tmp_path / "cases")
    return outcome, read_records(tmp_path / "cases").to_pylist()


def reasons(outcome):
    return [reject["reason"].split(":")[0] for reject in outcome.rejects]


def sheet(book, title, rows):
    for row in rows:
        (book[title] if title in book.sheetnames else book.create_sheet(title)).append(row)


DOUBTS = [
    "? VPPB",
    "susp. VPPB",
    "probable VPPB",
    "r/o VPPB",
    "V.a. BPLS",
    "VPPB?",
    "A descartar VPPB",
]
DOUBTS += [
    "Verdacht auf BPLS",
    "Sospecha de VPPB",
    "VPPB probable",
    "VPPB (suspected)",
    "? VPPB / HTA",
]
CERTAIN = [
    "VPPB",
    "Bronquitis. Probable tapón mucoso",
    "ICC / EPOC. Se descarta TEP",
    "Probst disease",
]


@pytest.mark.parametrize("written", DOUBTS)
def test_a_doubted_judgement_of_a_ward_is_set_aside(tmp_path, written):
    rows = f"1;Mareo;{TEXTS[0]};{written}\n2;Tos;{TEXTS[1]};Neumonía\n"
    outcome, records = imported(tmp_path, "a.csv", WARD + rows)
    assert outcome.source_format == "urg"
    assert reasons(outcome) == ["a diagnosis in doubt"]
    assert [(r["reason"], r["judgement"]) for r in records] == [("Tos", "Neumonía")]


@pytest.mark.parametrize("written", CERTAIN)
def test_a_doubt_beside_the_principal_diagnosis_changes_nothing(written):
    assert problem_of_judgement(written) is None


def test_what_is_denied_or_undecided_in_a_judgement_is_no_gold():
    assert "denied" in (problem_of_judgement("Se descarta TEP") or "")
    assert "nobody decided" in (problem_of_judgement("Migraña vs cefalea tensional") or "")
    assert [bool(problem_of(name)) for name in ("V.A. Gicht", "VA block")] == [True, False]


RANKED = [
    ("dx rank", ("1", "2", "1")),
    ("orden", ("1", "2", "1")),
    ("secundario", ("no", "sí", "no")),
    ("Principal", ("x", "", "x")),
    ("Tipo diagnóstico", ("Principal", "Secundario", "Principal")),
    ("Diagnoseart", ("HD", "ND", "HD")),
]


@pytest.mark.parametrize(("heading", "marks"), RANKED)
def test_only_the_principal_diagnosis_is_gold(tmp_path, heading, marks):
    rows = zip(
        "112", (TEXTS[0], TEXTS[0], TEXTS[1]), marks, ("VPPB", "HTA", "Neumonía"), strict=True
    )
    lines = "\n".join(map(";".join, rows))
    outcome, records = imported(tmp_path, "a.csv", f"id;texto;{heading};diagnostico\n{lines}\n")
    assert [(r["record_number"], r["gold_names"]) for r in records] == [
        (1, ["VPPB"]),
        (2, ["Neumonía"]),
    ]
    assert [r["reason"] for r in outcome.rejects] == [SECONDARY]
    assert outcome.rejects[0]["source_line"] == 3


@pytest.mark.parametrize(
    ("heading", "marks"),
    [
        ("orden", ("1", "2", "3")),
        ("nº diagnósticos", ("3", "1", "2")),
        ("tipo", ("primaria", "secundaria", "primaria")),
    ],
)
def test_what_only_looks_like_a_rank_loses_no_case(tmp_path, heading, marks):
    rows = zip("123", ("Mareo", "Tos", "Fiebre"), marks, ("VPPB", "HTA", "Gota"), strict=True)
    lines = "\n".join(map(";".join, rows))
    _, records = imported(tmp_path, "a.csv", f"id;texto;{heading};diagnostico\n{lines}\n")
    assert len(records) == 3


def test_secondary_diagnoses_of_an_object_are_a_field_apart(tmp_path):
    diagnoses = [{"name": "VPPB", "type": "principal"}, {"name": "HTA", "type": "secundario"}]
    case = {"id": "1", "text": "Mareo", "diagnoses": diagnoses}
    outcome, records = imported(tmp_path, "a.json", json.dumps([case]))
    assert records[0]["gold_names"] == ["VPPB"]
    assert "diagnoses.secondary.name" in outcome.unread
    ranked = flat({"diagnoses": [{"name": "A", "rank": 2}, {"name": "B", "rank": 1}]})
    assert ranked["diagnoses.name"] == ["B"]


def test_headers_and_totals_again_are_no_cases(tmp_path):
    book = openpyxl.Workbook()
    header = ["Fecha", "id", "text", "diagnosis"]
    rows = [
        ["1/2", "a", "Cough", "Flu"],
        ["Fecha ", "ID", "Text", "Diagnosis"],
        ["1/3", "b", "Rash", "Gout"],
    ]
    totals = [["Total de casos: 2", None, None, None], ["Promedio", None, "2", None]]
    sheet(book, "Sheet", [header, *rows, *totals])
    sheet(book, "Otros", [["Leyenda"], ["x"]])
    book.create_sheet("Vacía")
    book.save(tmp_path / "a.xlsx")
    outcome = import_cases(tmp_path / "a.xlsx", None, "mine", tmp_path / "cases")
    records = read_records(tmp_path / "cases").to_pylist()
    assert [(r["record_number"], r["record_id"]) for r in records] == [(1, "a"), (2, "b")]
    assert [reason.split(",")[0] for reason in reasons(outcome)] == [
        "the header again",
        *["a row of totals"] * 2,
    ]
    assert [note.split(" is not read")[0] for note in outcome.notes] == ["The sheet 'Otros'"]


def test_a_name_is_no_id_and_is_stored_nowhere(tmp_path):
    rows = "Ana García López;7;Dolor torácico.;Angina\nLuis Pérez;8;Tos y fiebre.;Neumonía\n"
    outcome, records = imported(tmp_path, "a.csv", "Paciente;Nº caso;Texto;Diagnóstico\n" + rows)
    assert [record["record_id"] for record in records] == ["7", "8"]
    assert "García" not in f"{records}{outcome}"
    assert "'Paciente' tells who a patient is and is not stored" in outcome.notes[0]
    rows = "Ana García López;Dolor torácico.;Angina\nana pérez;Tos y fiebre.;Neumonía\n"
    assert ids_in(tmp_path, "b.csv", rows) == {None}
    rows = "P-1;Tos;Gota\nPatient B;Fiebre;Gripe\nC;Mareo;VPPB\n"
    assert ids_in(tmp_path, "c.csv", rows) == {"P-1", "Patient B", "C"}


def ids_in(tmp_path, name, rows):
    _, records = imported(tmp_path, name, "Paciente;Texto;Diagnóstico\n" + rows)
    return {record["record_id"] for record in records if record["source_file"] == name}


NUMBERS = [
    "N° dossier",
    "NIP",
    "mrn",
    "Pat.-Nr.",
    "NHC",
    "Medical record number",
    "Patientennummer",
]


@pytest.mark.parametrize("heading", NUMBERS)
def test_the_number_of_a_patient_is_said_and_not_stored(tmp_path, heading):
    assert is_of_person(heading)
    outcome, records = imported(tmp_path, "a.csv", f"{heading};text;diagnosis\n4711;Cough;Flu\n")
    assert "4711" not in str(records)
    assert f"'{heading}' tells who a patient is and is not stored" in outcome.notes[0]


HEADINGS = {"EA": "history", "MOT_CONS": "reason", "PC": "reason", "Motif d'admission": "reason"}
HEADINGS |= {"ATCD": "background", "Conclusion": "gold_names"}


def test_abbreviated_headings_are_known():
    assert {heading: (kind_of(heading) or ("",))[0] for heading in HEADINGS} == HEADINGS


@pytest.mark.parametrize(("value", "field"), [("Cough and fever", "history"), ("F", "sex")])
def test_sx_is_what_its_values_say(tmp_path, value, field):
    outcome, _ = imported(tmp_path, "a.csv", f"id,PC,SX,DX\n1,Dizzy,{value},Flu\n")
    assert outcome.taken[field] == ["SX"]


def test_a_conversation_is_a_text_and_its_diagnosis(tmp_path):
    turns = [("system", "Be short."), ("user", "A cough."), ("assistant", "Influenza")]
    messages = [{"role": role, "content": words} for role, words in turns]
    outcome, records = imported(tmp_path, "a.jsonl", json.dumps({"messages": messages}))
    assert (records[0]["narrative"], records[0]["gold_names"]) == ("A cough.", ["Influenza"])
    assert outcome.unread == ["messages.system"]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Gout / Influenza", ["Gout / Influenza"]),
        ("Marfan syndrome / MFS", ["Marfan syndrome", "MFS"]),
    ],
)
def test_a_slash_joins_names_that_are_the_same(written, names):
    assert read_gold([written]).names == names


MIMIC = """subject_id,hadm_id,text,seq_num,icd_code,long_title
1,100,Red joint.,1,M109,Gout
1,100,Red joint.,2,I10,Hypertension
1,102,Pain in the right iliac fossa.,1,K3580,Acute appendicitis
2,101,Sudden dyspnea.,2,I10,Hypertension
2,101,Sudden dyspnea.,1,I2699,Pulmonary embolism
"""


def test_the_first_code_of_each_admission_is_gold(tmp_path):
    outcome, records = imported(tmp_path, "a.csv", MIMIC)
    assert [(record["record_id"], record["gold_names"]) for record in records] == [
        ("100", ["Gout"]),
        ("102", ["Acute appendicitis"]),
        ("101", ["Pulmonary embolism"]),
    ]
    assert [reject["source_line"] for reject in outcome.rejects] == [3, 5]


@pytest.mark.parametrize(
    ("heading", "early", "late"),
    [
        ("diagnosis_type", "admission", "discharge"),
        ("dx stage", "admitting", "final"),
        ("Tipo de diagnóstico", "Ingreso", "Alta"),
        ("Diagnoseart", "Aufnahmediagnose", "Entlassungsdiagnose"),
    ],
)
def test_only_the_diagnosis_at_discharge_is_gold(tmp_path, heading, early, late):
    rows = f"1;Red joint;Cellulitis;{early}\n1;Red joint;Gout;{late}\n"
    outcome, records = imported(tmp_path, "a.csv", f"id;text;diagnosis;{heading}\n{rows}")
    assert [record["gold_names"] for record in records] == [["Gout"]]
    assert [reject["reason"] for reject in outcome.rejects] == [EARLY]


@pytest.mark.parametrize(
    ("heading", "unit", "age"),
    [
        ("age_unit", "months", "P8M"),
        ("Age units", "years", "8"),
        ("unidad de edad", "días", "P8D"),
        ("age_unit", "weeks", "P56D"),
        ("age_unit", "", "8"),
        ("room_unit", "months", "8"),
    ],
)
def test_an_age_has_the_unit_that_stands_beside_it(tmp_path, heading, unit, age):
    rows = f"1;Cough;Flu;8;{unit}\n2;Rash;Measles;3 months;years\n"
    _, records = imported(tmp_path, "a.csv", f"id;text;diagnosis;age;{heading}\n{rows}")
    assert [record["age"] for record in records] == [age, "3 months"]


def test_an_age_of_an_unknown_unit_is_left_out(tmp_path):
    rows = "1;Cough;Flu;8;3\n2;Rash;Measles;54;years\n"
    outcome, records = imported(tmp_path, "a.csv", "id;text;diagnosis;age;age_unit\n" + rows)
    assert [record["age"] for record in records] == [None, "54"]
    assert outcome.notes[-1].startswith("1 ages are left out")
    assert "(lines 2)" in outcome.notes[-1]


DESCRIPTIONS = [
    ["Record number,Clinical text,Final diagnosis"],
    ["(str),(free text),(ICD name)"],
    ["string,text,varchar"],
    ["id_caso,texto,Diagnóstico al alta"],
    ["Response,What was it?,Which one?", '"{""ImportId"":""a""}",x,"{""ImportId"":""QID2""}"'],
]


@pytest.mark.parametrize("lines", DESCRIPTIONS)
def test_a_row_that_describes_the_columns_is_no_case(tmp_path, lines):
    rows = [*lines, "7,Red joint,Gout", "8,Itch (at night),[Scabies]"]
    outcome, records = imported(tmp_path, "a.csv", "\n".join(["id,text,diagnosis", *rows]))
    assert [(r["record_number"], r["record_id"]) for r in records] == [(1, "7"), (2, "8")]
    assert [r["reason"] for r in outcome.rejects] == [DESCRIBES] * len(lines)


def test_the_same_row_again_is_no_second_case(tmp_path):
    rows = "5,1,Itch,Scabies\n6,1,Itch,Scabies\n7,2,Itch,Scabies\n8,1,Itch,Eczema\n"
    outcome, records = imported(tmp_path, "a.csv", f"row,case_id,text,diagnosis\n{rows}")
    assert [(r["record_id"], r["gold_names"]) for r in records] == [
        ("1", ["Scabies"]),
        ("2", ["Scabies"]),
        ("1", ["Eczema"]),
    ]
    assert outcome.rejects[0]["source_line"] == 3
    assert outcome.rejects[0]["reason"] == AGAIN


def test_ids_that_lost_their_zeros_are_named(tmp_path):
    rows = "1,Itch,Scabies\n002,Cough,Flu\n"
    outcome, _ = imported(tmp_path, "a.csv", f"id,text,diagnosis\n{rows}")
    assert "('002') and others have lost them or never had any ('1')" in outcome.notes[-1]


def test_texts_of_two_cases_are_named(tmp_path):
    rows = "1,Itch at night,Scabies\n2,Cough,Flu\n3,Itch at night,Scabies\n4,Cough,Gout\n"
    outcome, records = imported(tmp_path, "a.csv", f"id,text,diagnosis\n{rows}")
    assert len(records) == 4
    (told,) = (note for note in outcome.notes if "word for word" in note)
    assert ": 2 (line 4: as line 2)" in told
    assert told.endswith("In 1 the gold diagnosis is another.")
    outcome, _ = imported(tmp_path, "b.csv", "id,text,diagnosis\n1,Itch,Scabies\n2,Cough,Flu\n")
    assert not any("word for word" in note for note in outcome.notes)


@pytest.mark.parametrize(
    ("values", "ids"), [(("A1", "A2"), ["A1", "A2"]), (("M10.9", "G43.9"), [None, None])]
)
def test_a_column_called_code_is_an_id_unless_it_has_codes(tmp_path, values, ids):
    rows = f"{values[0]};Dedo rojo;Gota\n{values[1]};Cefalea;Migraña\n"
    _, records = imported(tmp_path, "a.csv", f"Código;texto;diagnóstico\n{rows}")
    assert [record["record_id"] for record in records] == ids


def test_a_formula_without_its_result_is_named_in_a_refusal(tmp_path):
    book = openpyxl.Workbook()
    sheet(book, "Sheet", [["id", "text", "diagnosis"], [1, "Itch", '=CONCATENATE("Sca","bies")']])
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(FileError, match=r"C2 of sheet 'Sheet' hold formulas .* save it"):
        import_cases(tmp_path / "a.xlsx", None, "mine", tmp_path / "cases")


def test_two_header_rows_name_id_and_diagnosis(tmp_path):
    book = openpyxl.Workbook()
    upper = ["Caso", "Paciente", None, "Clínica", None, "Diagnóstico", None]
    lower = [None, "Edad", "Sexo", "Motivo", "Exploración", "Principal", "CIE-10"]
    rows = [["Hospital"], upper, lower, [7, 54, "Varón", "Dolor", "Roja", "Gota", "M10.9"]]
    sheet(book, "Sheet", rows)
    book.save(tmp_path / "a.xlsx")
    import_cases(tmp_path / "a.xlsx", None, "mine", tmp_path / "cases")
    (record,) = read_records(tmp_path / "cases").to_pylist()
    assert (record["record_id"], record["judgement"]) == ("7", "Gota")


def test_the_second_entry_of_a_record_is_no_case(tmp_path):
    """As REDCap's double data entry writes it; an id may have dashes of its own."""
    golds = {"7--1": "Gout", "7--2": "Gout", "8--1": "Flu", "8--2": "Measles", "9--2": "Asthma"}
    rows = "".join(f"{name},Text {name}.,{gold}\n" for name, gold in golds.items())
    outcome, records = imported(tmp_path, "a.csv", f"id,text,diagnosis\n{rows}")
    assert [record["record_id"] for record in records] == ["7--1", "8--1", "9--2"]
    assert [reject["reason"] for reject in outcome.rejects] == [ENTERED_AGAIN, ENTERED_OTHERWISE]


def test_ids_that_are_dates_are_named(tmp_path):
    rows = "2026-01-03,Fever.,Flu\n13-3,Cough.,Asthma\n"
    outcome, _ = imported(tmp_path, "a.csv", f"id,text,diagnosis\n{rows}")
    assert any(note.startswith("1 ids are dates") for note in outcome.notes)


@pytest.mark.parametrize("heading", ["Storia clinica", "Histoire clinique", "Quadro clínico"])
def test_the_text_has_a_heading_of_other_languages(tmp_path, heading):
    _, records = imported(tmp_path, "a.csv", f"ID caso;{heading};Diagnosi\n7;Testo.;Gotta\n")
    assert [record["narrative"] for record in records] == ["Testo."]
