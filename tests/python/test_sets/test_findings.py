"""Tables of phenotypes: an excluded one is never read as one that the patient has."""

import duckdb
import pytest

from python_llm.errors import FileError
from python_llm.imports.beside_ids import told_apart
from python_llm.imports.presence import Presence, id_in_heading, of_cell
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
        ("Clinical features (HPO),Ruled out HPO", f"{SEIZURE},{MICROCEPHALY}"),
        ("HPO signs,Pertinent negatives (HPO)", f"{SEIZURE},{MICROCEPHALY}"),
        ("hpo,Features looked for and not found", f"{SEIZURE},{MICROCEPHALY}"),
        ("hpo,HPO descartados", f"{SEIZURE},{MICROCEPHALY}"),
        ("phenotypes", f"{SEIZURE};NOT {MICROCEPHALY}"),
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
        f'{{"id": "{DELAY}", "status": "unknown"}}, {{"id": "{DELAY}", "unknown": true}}'
    )
    text = f'{{"id": "1", "phenotypes": [{items}], "diagnosis": "Dravet syndrome"}}\n'
    found, rejects, _ = findings(tmp_path, text, ".jsonl")
    assert found == [READ]
    ((line, field, reason),) = rejects
    assert (line, field) == (1, "phenotype")
    assert reason.startswith("2 phenotypes that are neither observed nor excluded, in 'phenotypes")


@pytest.mark.parametrize(
    ("lists", "items"),
    [
        (
            f'{{"positive": ["{SEIZURE}"], "negated": ["{MICROCEPHALY}"], "unknown": ["{DELAY}"]}}',
            f'["{SEIZURE}", "NOT {MICROCEPHALY}"]',
        ),
        (
            f'{{"positive": [{{"id": "{SEIZURE}"}}], "negated": [{{"id": "{MICROCEPHALY}"}}], '
            f'"unknown": [{{"id": "{DELAY}"}}]}}',
            f'[{{"id": "{SEIZURE}"}}, {{"id": "{MICROCEPHALY}", "excluded": true}}]',
        ),
    ],
)
def test_lists_by_what_is_said_of_them_stand_beside_plain_lists(tmp_path, lists, items):
    cases = [
        f'{{"id": "{number}", "phenotypes": {written}, "diagnosis": "Dravet syndrome"}}'
        for number, written in enumerate((lists, items))
    ]
    found, rejects, _ = findings(tmp_path, f"[{', '.join(cases)}]", ".json")
    assert found == [READ, READ]
    assert [(line, field) for line, field, _ in rejects] == [(1, "phenotype")]


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


def test_an_exclusion_of_patients_excludes_no_phenotype(tmp_path):
    header = "id,hpo_id,excluded,reason for exclusion of patient,diagnosis\n"
    rows = f"1,{SEIZURE},yes,no consent,Dravet syndrome\n2,{DELAY},no,,Rett syndrome\n"
    found, _, imported = findings(tmp_path, header + rows)
    assert found == [([SEIZURE], []), ([DELAY], [])]
    assert "excluded" in imported.unread


def test_what_differs_within_a_case_is_of_its_phenotypes(tmp_path):
    header = "id,hpo_id,excluded,reason for exclusion of patient,diagnosis\n"
    rows = f"1,{SEIZURE},no,,Dravet syndrome\n1,{MICROCEPHALY},yes,,Dravet syndrome\n"
    assert findings(tmp_path, header + rows)[0] == [READ]


@pytest.mark.parametrize(
    "heading", ["phenotypes_unknown", "Features not assessed", "HPO (unclear)"]
)
def test_a_column_of_uncertain_phenotypes_is_set_aside(tmp_path, heading):
    text = f"id,hpo,{heading},diagnosis\n1,{SEIZURE},{DELAY}|{MICROCEPHALY},Dravet syndrome\n"
    found, rejects, _ = findings(tmp_path, text)
    assert found == [([SEIZURE], [])]
    ((line, _, reason),) = rejects
    assert line == 2
    assert reason.startswith(f"2 phenotypes that are neither observed nor excluded, in '{heading}'")


def test_a_column_with_ids_of_hpo_is_named_in_the_remedy(tmp_path):
    with pytest.raises(FileError, match="--column 'hpo_ids=Befunde'"):
        findings(tmp_path, f"id,Befunde,diagnosis\n1,{SEIZURE};{DELAY},Dravet syndrome\n")


@pytest.mark.parametrize(
    "cell",
    [
        f"{SEIZURE}, {MICROCEPHALY} (absent)",
        f"{SEIZURE}: yes, {MICROCEPHALY}: no",
        f"{SEIZURE} (+), {MICROCEPHALY} (-)",
        f"{SEIZURE} | {MICROCEPHALY} not present",
        f"{SEIZURE} - positive; {MICROCEPHALY} - negative",
        f"{SEIZURE}, {MICROCEPHALY} (ausente)",
        f"Seizure ({SEIZURE}), Microcephaly ({MICROCEPHALY}) absent",
        f"{SEIZURE} present {MICROCEPHALY} absent",
        f"{SEIZURE}, present, {MICROCEPHALY}, absent",
        f"{SEIZURE} Seizure, {MICROCEPHALY} Microcephaly: absent",
        f"{SEIZURE}, sin microcefalia ({MICROCEPHALY})",
    ],
)
def test_a_word_behind_an_id_is_of_it(cell):
    told = told_apart([cell] if "|" not in cell else cell.split("|"))
    ids = [item.strip().removeprefix("Seizure (").removesuffix(")") for item in told.observed]
    assert (ids, told.excluded, told.unknown) == (*READ, [])


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (f"Positive: {SEIZURE}. Negative: {MICROCEPHALY}, {DELAY}", "observed excluded excluded"),
        (f"Pertinent negatives: {SEIZURE} and {DELAY}", "excluded excluded"),
        (f"Ausentes: {DELAY}, presentes: {SEIZURE}", "observed excluded"),
        (f"Absent: {DELAY}; {SEIZURE}", "excluded unknown"),
        (f"Absent: {DELAY}|{SEIZURE}", "excluded unknown"),
        (f"NOT: {DELAY}, {SEIZURE}", "observed excluded"),
        (f"Reflexes absent: {DELAY}, {SEIZURE}", "observed"),
    ],
)
def test_a_word_with_a_colon_is_of_all_behind_it(cells, told):
    listed = told_apart(cells.split("|"))
    words = [name for name in listed._fields for _ in getattr(listed, name)]
    assert " ".join(words) == told


def test_names_with_such_words_are_names():
    cells = [
        "HP:0001344 - Absent speech; HP:0001284 (Deep tendon reflexes absent)",
        f"{SEIZURE}-{DELAY}",
        f"{SEIZURE} y {DELAY}",
        "Absent speech",
    ]
    assert told_apart(cells) == (cells, [], [])


def test_a_doubtful_name_is_neither_there_nor_denied():
    assert told_apart(["Seizure; Microcephaly (absent)"]) == (["Seizure"], ["Microcephaly"], [])
    assert told_apart([f"{SEIZURE} (unknown)"]) == ([], [], [SEIZURE])
    assert told_apart([f"No seizures ({SEIZURE})"]) == ([], [], [SEIZURE])
    several = "Seizure, microcephaly (absent)"
    assert told_apart([several]) == ([], [], [several])


def test_a_long_list_is_told_apart_in_time():
    long = "no " * 50_000 + f"{SEIZURE} " * 20_000 + "(" * 50_000 + " - " * 50_000
    assert told_apart([long]).excluded == [SEIZURE]


def test_a_list_with_bullets_denies_nothing():
    assert told_apart([f"-{SEIZURE}\n-{DELAY}"]) == ([f"-{SEIZURE}\n-{DELAY}"], [], [])
    assert told_apart([f"Seizure-{SEIZURE}"]) == ([f"Seizure-{SEIZURE}"], [], [])
    assert told_apart([f"¬{SEIZURE}", DELAY]) == ([DELAY], [SEIZURE], [])


def test_zero_under_an_id_leaves_it_open():
    says = {"1": "observed", "x": "observed", "0": "unknown", "false": "unknown", "": "unknown"}
    assert {written: of_cell(written).value for written in says} == says
    assert of_cell("absent") is of_cell(-1) is Presence.EXCLUDED
    assert [id_in_heading(name) for name in ("HP_0001250", "Weight", "HP:00012501")] == [
        SEIZURE,
        None,
        None,
    ]
