"""Headings as hospitals write them, and what an import makes of their tables."""

import openpyxl
import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.errors import FileError
from python_llm.imports.headings import is_of_person, kind_of
from python_llm.parsing.folding import registered_name
from python_llm.test_sets.importing import Choices, import_cases
from python_llm.test_sets.language import language_of
from python_llm.test_sets.store import read_records


def imported(file, tmp_path, **choices):
    outcome = import_cases(file, None, "mine", tmp_path / "cases", Choices(**choices))
    return outcome, read_records(tmp_path / "cases").to_pylist()


@pytest.mark.parametrize(
    ("field", "headings"),
    [
        (
            "history",
            [
                "Anamnesi patologica prossima",
                "ENF. ACTUAL",
                "E. actual",
                "enfermedadActual",
                "Malaltia actual",
                "HDA",
            ],
        ),
        ("reason", ["Motivo de la consulta", "motivo_ingreso", "Motif d'hospitalisation"]),
        ("examination", ["Expl. física", "Körperliche Untersuchung", "Esame obiettivo"]),
        ("complementary", ["PP.CC.", "EXPL. COMPL.", "Exames complementares", "Laborbefunde"]),
        ("background", ["AP", "Antec. personales", "Antécédents", "Vorerkrankungen"]),
        ("gold_names", ["J. CLÍNICO", "diagnóstico al alta", "Impresión diagnóstica", "Dx1"]),
        ("gold_names", ["diagnostico_principal", "Hauptdiagnose", "Diagnostic de sortie"]),
        ("icd10_code", ["Código CIE-10 ES", "cie10_principal", "Code CIM-10", "ICD-10-GM"]),
        ("record_id", ["Nº episodio", "N.º de caso", "Fallnummer", "ID paciente", "Study No."]),
        ("sex", ["genero", "Geschlecht", "Sexe"]),
        ("age", ["Edad (años)", "Alter", "Âge", "Età", "Age (yrs)"]),
        (None, ["Diagnóstico diferencial", "CIE10 secundario", "Motivo alta", "Age at diagnosis"]),
        (None, ["Diagnóstico de ingreso", "model", "n", "Fecha", "Date of diagnosis"]),
    ],
)
def test_a_heading_is_known_by_its_words(field, headings):
    assert {heading: (kind_of(heading) or (None,))[0] for heading in headings} == dict.fromkeys(
        headings, field
    )


def test_what_tells_who_a_patient_is_is_known():
    names = ["NHC", "num_historia", "DNI", "Nombre del paciente", "Apellidos y nombre"]
    assert all(map(is_of_person, names))
    assert not any(map(is_of_person, ["nombre", "historia", "Nº episodio", "disease name"]))


HEADER = ["NHC", "MOTIVO", "ENF. ACTUAL", "EXPL. FÍSICA", "J. CLÍNICO", "Código CIE-10"]
SHEET = [
    [4711, "Tos", "Acude por tos desde hace tres días, sin fiebre", "BEG", "Gripe", "J11.1"],
    [4712, "Dolor", "Acude con dolor de la pierna desde ayer", "Edema", "Gota", "M10.9"],
]


def emergency_sheet(path):
    book = openpyxl.Workbook()
    for row in [["Servicio de Urgencias"], HEADER, *SHEET]:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize("columns", [{}, {"gold": "J. CLÍNICO"}, {"history": "ENF. ACTUAL"}])
def test_an_emergency_sheet_stays_one_with_columns_named(tmp_path, columns):
    outcome, rows = imported(emergency_sheet(tmp_path / "u.xlsx"), tmp_path, columns=columns)
    assert (outcome.source_format, outcome.frame, outcome.language) == ("urg", "source", "es")
    assert [(row["history"], row["judgement"], row["icd10_code"]) for row in rows] == [
        (SHEET[0][2], "Gripe", "J11.1"),
        (SHEET[1][2], "Gota", "M10.9"),
    ]


def test_a_record_number_is_stored_only_if_somebody_says_so(tmp_path):
    file = emergency_sheet(tmp_path / "u.xlsx")
    outcome, rows = imported(file, tmp_path)
    assert "4711" not in str(rows)
    assert "'NHC' tells who a patient is" in outcome.notes[0]
    assert "--column 'id=NHC'" in outcome.notes[0]
    _, rows = imported(file, tmp_path / "named", columns={"id": "NHC"})
    assert [row["record_id"] for row in rows] == ["4711", "4712"]
    for choices in ({"columns": {"history": "NHC"}}, {"keep": ("NHC",)}):
        with pytest.raises(FileError, match="'NHC' tells who the patient is"):
            imported(file, tmp_path / "shown", **choices)


def test_the_choice_between_two_diagnoses_is_stated(tmp_path):
    file = tmp_path / "d.csv"
    head = "id;texto;juicio clínico;diagnóstico;diagnóstico al alta\n"
    file.write_text(head + "1;Acude por tos;Catarro;Gripe A;Gripe\n")
    outcome, rows = imported(file, tmp_path)
    assert rows[0]["gold_names"] == ["Gripe"]
    (note,) = outcome.notes
    assert "'diagnóstico al alta', not of 'juicio clínico', 'diagnóstico'" in note
    file.write_text("motivo;enf. actual;impresión;dx final\nTos;Tos seca;Catarro;\n")
    outcome, rows = imported(file, tmp_path / "urg")
    assert rows[0]["judgement"] == "Catarro"
    assert "of 'dx final', and where it is empty that of 'impresión'" in outcome.notes[0]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("es", "Paciente que acude por tos y fiebre desde ayer, sin disnea"),
        ("en", "A patient presents with fever and a rash for two days; no travel"),
        ("ca", "Pacient que acudeix per febre des de fa tres dies, sense dispnea"),
        ("fr", "Patient de 45 ans avec des douleurs depuis une semaine, sans fièvre"),
        ("de", "Die Patientin klagt seit zwei Tagen über Fieber und Husten, ohne Dyspnoe"),
        ("it", "Il paziente riferisce febbre da tre giorni senza tosse"),
        ("pt", "Paciente com febre há três dias, sem tosse, não refere dor"),
        ("zh", "患者发热三天，伴咳嗽。"),
        ("de", "Großzehe rot und heiß. Alter Befund"),
        ("it", "Dispnea improvvisa dopo intervento. Età Sesso"),
        ("en", "Gout"),
        ("en", ""),
    ],
)
def test_the_language_of_a_text_is_told_by_its_small_words(code, text):
    assert language_of([text]) == code


def test_a_spanish_table_is_spanish_unless_told_otherwise(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,texto,diagnostico\n1,Acude por tos y fiebre desde ayer,Gripe\n")
    assert imported(file, tmp_path)[1][0]["language"] == "es"
    assert imported(file, tmp_path / "told", language="ca")[1][0]["language"] == "ca"


def test_a_file_read_in_another_way_does_not_double_its_set(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,text,diagnosis,other\n1,Fever,Gout,Flu\n2,Rash,Measles,Mumps\n")
    imported(file, tmp_path)
    with pytest.raises(FileError, match="already, read in another way: --replace"):
        imported(file, tmp_path, columns={"gold": "other"})
    file.write_text("id,text,diagnosis\n1,Fever,Gout\n2,Rash,Rubella\n3,Cough,Flu\n")
    with pytest.raises(FileError, match="from another state of this file"):
        imported(file, tmp_path)
    file.write_text("id,text,diagnosis\n8,Fever,Gout\n9,Rash,Rubella\n")
    assert len(imported(file, tmp_path)[1]) == 4  # the next month's file of the same name


@pytest.mark.parametrize(
    ("spoken", "field", "value"),
    [
        ("gold_code", "gold_codes", ["OMIM:154700"]),
        ("code", "gold_codes", ["OMIM:154700"]),
        ("OMIM", "gold_codes", ["OMIM:154700"]),
        ("cie10", "icd10_code", "OMIM:154700"),
        ("enfermedad actual", "narrative", "OMIM:154700"),
    ],
)
def test_a_field_may_be_called_as_its_columns_are(tmp_path, spoken, field, value):
    file = tmp_path / "t.csv"
    file.write_text("id,text,diagnosis,x\n1,Fever,Marfan syndrome,OMIM:154700\n")
    if field == "narrative":
        file.write_text("id,diagnosis,x\n1,Marfan syndrome,OMIM:154700\n")
    assert imported(file, tmp_path, columns={spoken: "x"})[1][0][field] == value


def test_accents_are_folded_in_the_name_of_a_set():
    assert registered_name("urgencias_león") == "urgencias_leon"
    assert registered_name("Straße 2–Ørsted") == "Strasse_2_Orsted"


def test_kinds_of_rejects_are_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    file = tmp_path / "t.csv"
    rows = [f"E{n % 4},Fever {n},Gout" for n in range(20)] + [f"L{n},Rash,?Flu" for n in range(3)]
    file.write_text("id,text,diagnosis\n" + "\n".join([*rows, "X,Tos,", "T,a"]) + "\n")

    def run(*words):
        return CliRunner().invoke(main, ["cases", *words])

    lines = run("import", str(file), "--format", "table").output.splitlines()
    assert lines[2] == (
        "They count as real patients because nothing says otherwise: --no-phi does."
    )
    named = "The set has the name of the file, which is served: if 't' says who the patients are,"
    assert lines[3].startswith(named)
    other = run("import", str(file), "--format", "table", "--test-set", "ward").output
    assert "The set has the name of the file" not in other
    kinds = [(line.split(",")[0], line.partition("[")[2]) for line in lines if " [" in line]
    assert kinds == [
        ("3 rejected", "t.csv, lines 22, 23, 24]."),
        ("1 rejected", "t.csv, line 26]."),
        ("1 rejected", "t.csv, line 25]."),
        ("20 kept", "t.csv, lines 2, 3, 4, 5, 6, …]."),
    ]
    assert len(run("list", "--rejects", "t").output.splitlines()) == 25
    assert run("list", "t").output.splitlines()[2].split()[:2] == ["t/0001", "E0"]
    assert "Nothing was imported into 'other'" in run("list", "other").output


LATER = ["correct_diagnosis", "confirmed_diagnosis", "Definitive diagnosis", "Final Dx"]


@pytest.mark.parametrize("heading", LATER)
def test_the_right_diagnosis_goes_before_a_plain_one(tmp_path, heading):
    file = tmp_path / "a.csv"
    file.write_text(f"id,note,diagnosis,{heading}\n1,Red joint,Cellulitis,Gout\n")
    outcome, rows = imported(file, tmp_path)
    assert rows[0]["gold_names"] == ["Gout"]
    assert "not of 'diagnosis'" in outcome.notes[0]


@pytest.mark.parametrize("heading", ["diagnosis after follow-up", "Final Dx of the board"])
def test_a_later_diagnosis_in_other_words_is_asked_for(tmp_path, heading):
    file = tmp_path / "a.csv"
    file.write_text(f"id,note,diagnosis,{heading}\n1,Red joint,Cellulitis,Gout\n")
    with pytest.raises(FileError, match=f"'diagnosis', '{heading}' could both be the gold"):
        imported(file, tmp_path)
    _, rows = imported(file, tmp_path, columns={"gold": heading})
    assert rows[0]["gold_names"] == ["Gout"]


@pytest.mark.parametrize(
    ("heading", "value"),
    [
        ("diagnosis_confirmed", "yes"),
        ("date of final diagnosis", "2024-01-03"),
        ("true_dx_icd", "I10"),
    ],
)
def test_what_is_said_of_a_diagnosis_is_no_other_one(tmp_path, heading, value):
    file = tmp_path / "a.csv"
    file.write_text(f"id,note,diagnosis,{heading}\n1,Red joint,Gout,{value}\n")
    assert imported(file, tmp_path)[1][0]["gold_names"] == ["Gout"]


@pytest.mark.parametrize("heading", ["Diagnosis", "diagnosis.", "DIAGNOSIS"])
def test_two_columns_of_one_folded_name_are_refused(tmp_path, heading):
    file = tmp_path / "a.csv"
    file.write_text(f"id,note,diagnosis,{heading}\n1,Red joint,Gout,Cellulitis\n")
    with pytest.raises(FileError, match=f"'diagnosis', '{heading}' have one name .* rename one"):
        imported(file, tmp_path)


def test_the_first_diagnosis_of_several_is_gold(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id;texto;2º diagnóstico;1º diagnóstico\n1;Dedo rojo;HTA;Gota\n")
    assert imported(file, tmp_path)[1][0]["gold_names"] == ["Gota"]
