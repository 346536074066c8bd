"""Gold diagnoses with codes that only ICD-10-CM tells from names, and texts of a principal and
secondary diagnoses."""

import csv

import pytest

from python_llm.imports.principal import principal_in
from python_llm.test_sets import store
from python_llm.test_sets.golds import without_codes
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
