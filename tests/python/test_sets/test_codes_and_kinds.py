"""Gold diagnoses with codes that only ICD-10-CM tells from names, and texts of a principal and
secondary diagnoses."""

import csv

import pytest

from python_llm.imports.principal import principal_in
from python_llm.test_sets import store
from python_llm.test_sets.gold_fields import several_names, undoubted
from python_llm.test_sets.golds import is_no_gold, read_codes, read_gold, without_codes
from python_llm.test_sets.importing import import_cases


@pytest.mark.parametrize(
    ("written", "name", "codes"),
    [
        ("B05.9 Measles", "Measles", ["B05.9"]),
        ("B54 - Malaria", "Malaria", ["B54"]),
        ("B54: Malaria", "Malaria", ["B54"]),
        ("M109: Gout", "Gout", ["M10.9"]),
        ("Malaria [B54]", "Malaria", ["B54"]),
        ("B12 deficiency", "B12 deficiency", []),
        ("B12 - deficiency", "B12 - deficiency", []),
        ("Trisomy (T21)", "Trisomy (T21)", []),
        ("S100 tumour", "S100 tumour", []),
        ("Q11.2 deletion syndrome", "Q11.2 deletion syndrome", []),
    ],
)
def test_codes_that_the_vocabulary_has(written, name, codes):
    assert without_codes(written) == (name, [], codes)


@pytest.mark.parametrize(
    ("written", "principal"),
    [
        ("Gout (principal) / Sepsis (secondary)", "Gout"),
        ("Sepsis (secondary); Gout (main)", "Gout"),
        ("Gout (primary dx), sepsis (secondary dx)", "Gout"),
        ("Principal: Gout; Secondary: Hypertension, Obesity", "Gout"),
        ("Diagnóstico principal: Gout. Diagnósticos secundarios: HTA", "Gout"),
        ("Hyperaldosteronism (primary)", None),
        ("Hypertension (secondary)", None),
        ("Gout (principal) / Sepsis (principal) / HTA (secondary)", None),
    ],
)
def test_the_principal_of_a_text(written, principal):
    assert principal_in(written) == principal


def golds_of(tmp_path, header, rows):
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    import_cases(tmp_path / "a.csv", None, "mine", tmp_path / "cases")
    records = store.read_records(tmp_path / "cases").to_pylist()
    return {record["record_id"]: record["gold_names"] for record in records}


def test_secondary_diagnoses_of_a_text_are_no_golds(tmp_path):
    rows = [
        ["A", "Pain in the toe.", "Gout (principal) / Sepsis (secondary)"],
        ["B", "Wheeze at night.", "Hypertension (secondary) / Asthma (principal)"],
    ]
    golds = golds_of(tmp_path, ["case_id", "text", "diagnosis"], rows)
    assert golds == {"A": ["Gout"], "B": ["Asthma"]}


def test_shares_beside_percentages_are_certain(tmp_path):
    certainties = ["0,95", "40%", ".9", "0.2", "80 %"]
    rows = [[n, f"Pain {n}.", "Gout", written] for n, written in enumerate(certainties)]
    golds = golds_of(tmp_path, ["case_id", "text", "diagnosis", "certainty"], rows)
    assert sorted(golds) == ["0", "2", "4"]


@pytest.mark.parametrize(
    "written",
    [
        *("o. A.", "K.A.", "keine Angaben", "nicht angegeben", "entfällt", "unklar"),
        *("no procede", "Sin datos", "N.C.", "no especificado", "se desconoce"),
        *("não disponível", "Sem diagnóstico", "nenhum", "non précisé", "Non communiqué", "aucun"),
        *("non specificata", "nessuna diagnosi", "niet ingevuld", "n.v.t.", "not recorded"),
    ],
)
def test_words_for_not_given_are_no_gold(written):
    assert is_no_gold(written)


@pytest.mark.parametrize(
    "written", ["Norrie disease", "Noma", "ND", "NS", "Non-Hodgkin lymphoma", "Aucun-like syndrome"]
)
def test_names_like_words_for_not_given_are_golds(written):
    assert not is_no_gold(written)


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("ORDO:355", ["ORPHA:355"]),
        ("https://www.orpha.net/ORDO/Orphanet_355", ["ORPHA:355"]),
        ("https://www.orpha.net/en/disease/detail/355", ["ORPHA:355"]),
        ("https://omim.org/entry/219700#description", ["OMIM:219700"]),
        ("OMIM: 219 700", ["OMIM:219700"]),
        ("MIM:219700", ["OMIM:219700"]),
        ("#219700", ["OMIM:219700"]),
        ("mondo:9061", ["MONDO:0009061"]),
        ("http://purl.obolibrary.org/obo/MONDO_0009061", ["MONDO:0009061"]),
        ("OMIM:219700, 277900", ["OMIM:219700", "OMIM:277900"]),
        ("219700", ["219700"]),
        ("DOID:1485", ["DOID:1485"]),
    ],
)
def test_odd_spellings_of_ids(written, ids):
    assert read_codes([written]) == (ids, [])


def test_a_page_in_brackets_is_an_id_beside_a_name():
    gold = read_gold(["Cystic fibrosis (https://omim.org/entry/219700)"])
    assert (gold.names, gold.codes) == (["Cystic fibrosis"], ["OMIM:219700"])


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("J45.9 G", None),
        ("J45.9", None),
        ("S72.001A", None),
        ("J45.9 V", "in doubt"),
        ("J45 A", "excluded"),
        ("J45.9 Z", "past"),
    ],
)
def test_only_g_behind_a_german_code_is_a_gold(code, says):
    record = undoubted({"icd10_code": code, "gold_names": ["Asthma"]})
    if says:
        assert says in record["gold_problem"]
        assert not record["icd10_code"]
        assert not record["gold_names"]
    else:
        assert record["icd10_code"] == code.removesuffix(" G")
        assert record["gold_names"] == ["Asthma"]


@pytest.mark.parametrize(
    ("record", "names"),
    [
        ({"gold_names": ["Asthma", "Gout"]}, ["Asthma", "Gout"]),
        ({"gold_names": ["Asthma; Gout"]}, ["Asthma", "Gout"]),
        ({"gold_names": ["Asthma | Asthma"]}, ["Asthma"]),
        ({"judgement": "Asma + Gota"}, ["Asma", "Gota"]),
        ({"gold_names": ["Type 2 diabetes, insulin-dependent"]}, None),
    ],
)
def test_several_names_of_a_gold_are_told_apart(record, names):
    assert several_names(record) == (names or record["gold_names"])


def test_the_import_says_how_many_cases_have_several_names(tmp_path):
    lines = ["id,text,diagnosis", "1,Wheeze.,Asthma; Gout", "2,Toe.,Gout", "3,Skin.,Psoriasis|Gout"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    done = import_cases(tmp_path / "a.csv", None, "mine", tmp_path / "cases")
    assert [note for note in done.notes if note.startswith("2 cases have several names")]


def test_entities_of_a_page_are_signs_in_golds_alone(tmp_path):
    (tmp_path / "a.csv").write_text(
        "id,text,diagnosis\n1,Temp 39 &deg;C &amp; chills.,Sj&ouml;gren&#39;s syndrome\n"
    )
    import_cases(tmp_path / "a.csv", None, "mine", tmp_path / "cases")
    (record,) = store.read_records(tmp_path / "cases").to_pylist()
    assert record["gold_names"] == ["Sjögren's syndrome"]
    assert record["narrative"] == "Temp 39 &deg;C &amp; chills."  # models get it byte for byte


@pytest.mark.parametrize(
    "gold", ["Crohn's disease", "Alcohol-associated hepatitis", "Other polyneuropathies"]
)
def test_a_word_of_a_name_makes_no_diagnosis_secondary(tmp_path, gold):
    (tmp_path / "a.csv").write_text(f"id,text,diagnosis\n1,Cramps for weeks.,{gold}\n")
    import_cases(tmp_path / "a.csv", None, "mine", tmp_path / "cases")
    (record,) = store.read_records(tmp_path / "cases").to_pylist()
    assert record["gold_names"] == [gold]
