"""Tables of phenotypes: an excluded one is never read as one that the patient has."""

import duckdb
import pytest

from python_llm.imports.presence import Presence, id_in_heading, of_cell, told_apart
from python_llm.test_sets.importing import import_cases

SEIZURE, DELAY, MICROCEPHALY = "HP:0001250", "HP:0001263", "HP:0000252"
READ = ([SEIZURE], [MICROCEPHALY])


def findings(folder, text, ending=".csv"):
    """For each case of a file, its observed and its excluded findings; and what was rejected."""
    file = folder / f"cases{ending}"
    file.write_text(text)
    imported = import_cases(file, "table", "own", folder / "cases")
    found = duckdb.sql(
        "select coalesce(hpo_ids, []) || coalesce(hpo_names, []), coalesce(excluded_hpo_ids, []) "
        f"from '{folder}/cases/records/*.parquet' order by record_number"
    ).fetchall()
    rejects = f"select source_line, field, reason from '{folder}/cases/rejects/*.parquet'"
    return found, duckdb.sql(f"{rejects} order by all").fetchall(), imported


@pytest.mark.parametrize(
    ("heading", "observed", "excluded"),
    [
        ("excluded", "false", "true"),
        ("is_negated", "0", "1"),
        ("absent", "", "x"),
        ("Excluido", "no", "sí"),
        ("observed", "yes", "no"),
        ("Present", "1.0", "0.0"),
        ("presence", "+", "-"),
        ("status", "present", "absent"),
        ("Estado", "presente", "ausente"),
        ("phenotype_status", "positive", "negative"),
        ("HPO status", "Observed", "Not observed"),
    ],
)
def test_a_column_says_of_each_row_whether_it_is_there(tmp_path, heading, observed, excluded):
    rows = f"1,{SEIZURE},{observed},Dravet syndrome\n1,{MICROCEPHALY},{excluded},Dravet syndrome\n"
    found, rejects, _ = findings(tmp_path, f"id,hpo_id,{heading},diagnosis\n{rows}")
    assert (found, rejects) == ([READ], [])


def test_what_is_neither_is_set_aside_with_its_row(tmp_path):
    text = (
        "id,phenotype,status,diagnosis\n"
        "1,Seizure,present,Dravet syndrome\n"
        "1,Ataxia,not assessed,Dravet syndrome\n"
        "1,Microcephaly,absent,Dravet syndrome\n"
        "2,Arachnodactyly,present,Marfan syndrome\n"
    )
    found, rejects, _ = findings(tmp_path, text)
    assert found == [(["Seizure"], ["Microcephaly"]), (["Arachnodactyly"], [])]
    (line, field, reason), *others = rejects
    assert (line, field, others) == (3, "phenotype", [])
    assert "neither observed nor excluded by 'status'" in reason


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("hpo_present,hpo_absent", f"{SEIZURE},{MICROCEPHALY}"),
        ("present_phenotypes,negated_phenotypes", f"{SEIZURE},{MICROCEPHALY}"),
        ('"Positive, HPO codes","Negative, HPO codes"', f"{SEIZURE},{MICROCEPHALY}"),
        ("hpo,excluded_hpo_ids", f"{SEIZURE},{MICROCEPHALY}"),
        ("hpo,negative findings", f"{SEIZURE},{MICROCEPHALY}"),
        ("fenotipos,fenotipos_ausentes", f"{SEIZURE},{MICROCEPHALY}"),
        ("hpo", f'"{SEIZURE}, NOT {MICROCEPHALY}"'),
        ("hpo", f"{SEIZURE};-{MICROCEPHALY}"),
        ("hpo", f"{SEIZURE}|no {MICROCEPHALY}"),
        (f"{SEIZURE},Microcephaly ({MICROCEPHALY})", "1,absent"),
        (f"{SEIZURE},{DELAY},{MICROCEPHALY}", "1,0,-1"),
    ],
)
def test_columns_and_signs_of_excluded_findings_are_read(tmp_path, header, row):
    found, rejects, _ = findings(tmp_path, f"id,diagnosis,{header}\n1,Dravet syndrome,{row}\n")
    assert (found, rejects) == ([READ], [])


def test_objects_that_say_they_are_excluded_are(tmp_path):
    items = (
        f'{{"id": "{SEIZURE}", "excluded": false}}, {{"id": "{MICROCEPHALY}", "excluded": true}}, '
        f'{{"id": "{DELAY}", "status": "unknown"}}'
    )
    text = f'{{"id": "1", "phenotypes": [{items}], "diagnosis": "Dravet syndrome"}}\n'
    found, _, imported = findings(tmp_path, text, ".jsonl")
    assert found == [READ]
    assert "phenotypes.unknown_items.id" in imported.unread


@pytest.mark.parametrize("flag", ["excluded", "negated", "absent"])
@pytest.mark.parametrize(("no", "yes"), [("false", "true"), ("0", "1"), ('"false"', '"true"')])
def test_flags_of_several_items_are_no_findings(tmp_path, flag, no, yes):
    listed = ((SEIZURE, no), (DELAY, no), (MICROCEPHALY, yes))
    items = ", ".join(f'{{"id": "{hpo_id}", "{flag}": {said}}}' for hpo_id, said in listed)
    case = f'{{"id": "1", "phenotypes": [{items}], "diagnosis": "Dravet syndrome"}}\n'
    found, rejects, _ = findings(tmp_path, case, ".jsonl")
    assert (found, rejects) == ([([SEIZURE, DELAY], [MICROCEPHALY])], [])


@pytest.mark.parametrize(
    ("heading", "value"), [("excluded", "yes"), ("status", "negative"), ("present", "no")]
)
def test_a_column_about_the_patient_excludes_no_list(tmp_path, heading, value):
    row = f"1,{SEIZURE}|{DELAY},{value},Dravet syndrome"
    found, _, _ = findings(tmp_path, f"id,hpo_ids,{heading},diagnosis\n{row}\n")
    assert found == [([SEIZURE, DELAY], [])]


def test_a_list_with_bullets_denies_nothing():
    assert told_apart([f"-{SEIZURE}\n-{DELAY}"]) == ([f"-{SEIZURE}\n-{DELAY}"], [])
    assert told_apart([f"Seizure-{SEIZURE}"]) == ([f"Seizure-{SEIZURE}"], [])
    assert told_apart([f"¬{SEIZURE}", DELAY]) == ([DELAY], [SEIZURE])


def test_zero_under_an_id_leaves_it_open():
    says = {"1": "observed", "x": "observed", "0": "unknown", "false": "unknown", "": "unknown"}
    assert {written: of_cell(written).value for written in says} == says
    assert of_cell("absent") is of_cell(-1) is Presence.EXCLUDED
    assert [id_in_heading(name) for name in ("HP_0001250", "Weight", "HP:00012501")] == [
        SEIZURE,
        None,
        None,
    ]
