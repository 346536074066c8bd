"""Gold diagnoses as people write them, and judgements of several diagnoses."""

import time

import duckdb
import project
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from python_llm.imports.cells import texts
from python_llm.test_sets.golds import (
    VOCABULARIES,
    is_no_gold,
    numbered,
    problem_of,
    read_codes,
    read_gold,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("written", "names", "codes", "icd10_codes"),
    [
        ("Bardet-Biedl syndrome (ORPHA: 110)", ["Bardet-Biedl syndrome"], ["ORPHA:110"], []),
        ("OMIM 154700 Marfan syndrome", ["Marfan syndrome"], ["OMIM:154700"], []),
        ("Marfan syndrome, OMIM:#154700", ["Marfan syndrome"], ["OMIM:154700"], []),
        ("Marfan [Orphanet:558; MIM#154700]", ["Marfan"], ["ORPHA:558", "OMIM:154700"], []),
        ("OMIM: 154700, 154780", [], ["OMIM:154700", "OMIM:154780"], []),
        ("ICD-10 G71.2", [], [], ["G71.2"]),
        ("Miopatía central, CIE-10: g71.2", ["Miopatía central"], [], ["G71.2"]),
        ("X - MONDO:0001234 - ICD10CM E83.01", ["X"], ["MONDO:0001234"], ["E83.01"]),
        ("Trisomy 21", ["Trisomy 21"], [], []),
        ("q87.4", [], [], ["Q87.4"]),
        ("Type Q87.4", ["Type Q87.4"], [], []),
        ("Mimicry 123456", ["Mimicry 123456"], [], []),
    ],
)
def test_codes_in_a_name_are_codes(written, names, codes, icd10_codes):
    gold = read_gold([written])
    if names != ["X"]:  # a single letter is not a name
        assert gold.names == names
    assert (gold.codes, gold.icd10_codes) == (codes, icd10_codes)


@settings(deadline=None)
@given(
    st.sampled_from(["Marfan syndrome", "Alport syndrome, X-linked", "β-thalassemia"]),
    st.sampled_from(["ORPHA", "OMIM", "MONDO", "CCRD"]),
    st.sampled_from([": ", ":", " ", "_", ":#"]),
    st.integers(0, 10**9),
    st.sampled_from(["{name} ({code})", "{code} {name}", "{name} - {code}", "{name}; {code}"]),
)
def test_a_code_is_found_wherever_it_stands(name, prefix, between, number, form):
    digits = {"ORPHA": 4, "OMIM": 6, "MONDO": 7, "CCRD": 2}[prefix]
    code = f"{number % 10**digits:0{digits}}"
    written = form.format(name=name, code=f"{prefix}{between}{code}")
    assert read_gold([written]) == ([name], [f"{prefix}:{code}"], [])


def test_columns_of_codes_keep_what_they_do_not_know():
    assert read_codes(["OMIM:1", "omim #154700", "G71.2", "GENE:X"]) == (
        ["OMIM:1", "OMIM:154700", "GENE:X"],
        ["G71.2"],
    )
    assert len({prefix for _, prefix, _ in VOCABULARIES}) == len(VOCABULARIES)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        # one name in two scripts, with its abbreviation, once for each id of the disease
        (
            "Usher 综合征/Usher syndrome; USH/Usher syndrome,Usher 综合征/Usher syndrome",
            ["Usher syndrome", "USH", "Usher 综合征"],
        ),
        ("Wilson disease; WD", ["Wilson disease", "WD"]),
        ("Болезнь Вильсона/Wilson disease", ["Wilson disease", "Болезнь Вильсона"]),
        # parts of one name, and two diseases
        ("Cleft lip/palate", ["Cleft lip/palate"]),
        ("Asthma/COPD", ["Asthma/COPD"]),
        ("Asthma; COPD", ["Asthma; COPD"]),
        ("Dementia and/or parkinsonism", ["Dementia and/or parkinsonism"]),
        ("Alport syndrome, X-linked", ["Alport syndrome, X-linked"]),
        ("2,4-dienoyl-CoA reductase deficiency", ["2,4-dienoyl-CoA reductase deficiency"]),
        ("Prader-Willi 综合征", ["Prader-Willi 综合征"]),
        # a comma and a blank set names apart where all behind them say the first one again
        (
            "Marfan syndrome, MFS, Marfan's syndrome",
            ["Marfan syndrome", "Marfan's syndrome", "MFS"],
        ),
        ("Wilson disease (WD)/Morbus Wilson", ["Wilson disease (WD)/Morbus Wilson"]),
        ("Marfan syndrome, MFS, aortic dissection", ["Marfan syndrome, MFS, aortic dissection"]),
        ("Leukemia, LMA", ["Leukemia, LMA"]),
    ],
)
def test_parts_that_say_one_disease_are_names_of_it(written, names):
    assert read_gold([written]).names == names


@pytest.mark.parametrize(
    ("name", "addition"),
    [
        ("Prader-Willi syndrome", "(PWS)"),
        ("Síndrome de Prader-Willi", "(PWS)"),
        ("MARFAN SYNDROME", "(MFS) [154700]"),
        ("Charcot-Marie-Tooth disease", "（CMT）"),
        ("Long QT syndrome", ", (LQTS)"),
        ("Diabetes mellitus type 2", "(T2DM)"),
        ("Mucopolysaccharidosis type II", "(MPS II)"),
        ("Neurofibromatosis type 1", "(NF1)"),
        ("Turner syndrome", "(45,X)"),
        ("Turner syndrome", "(mos 45,X/46,XX)"),
        ("Síndrome de Down", "(47,XY,+21)"),
        ("Fabry disease", "(E75.21)"),
        ("Marfan syndrome", "(confirmed by FBN1 sequencing)"),
        ("Síndrome de Marfan", "(confirmado genéticamente)"),
        ("Pneumonia", "(biopsy-proven)"),
        ("Tuberculosis", "(suspected)"),
    ],
)
def test_a_bracket_that_adds_nothing_is_no_part_of_the_name(name, addition):
    assert read_gold([f"{name} {addition}"]).names == [name]


@pytest.mark.parametrize(
    "name",
    [
        *("Diabetes mellitus (type 2)", "DIABETES MELLITUS (TYPE 2)", "Diabetes mellitus (T2DM)"),
        *("Mucopolysaccharidosis (Hurler)", "Mucopolysaccharidosis (MPS II)", "Amyloidosis (AL)"),
        *("Ehlers-Danlos syndrome (vascular type)", "Ehlers-Danlos syndrome (vEDS)"),
        *(
            "Pneumonia (viral)",
            "Pneumonia (probable viral)",
            "Colitis (confirmed by biopsy, ulcerative)",
            "Pneumonia (confirmed influenza A)",
        ),
        *("Neurofibromatosis (NF1)", "Neurofibromatosis type 2 (NF1)", "Heart failure (HFrEF)"),
        *("Spinocerebellar ataxia (SCA3)", "Charcot-Marie-Tooth disease (CMT1A)", "Trisomy (21)"),
        *("Lupus erythematosus (LES)", "Leukemia (LMA)", "Disorder of sex development (46,XY)"),
        *(
            "Influenza (2009)",
            "Del(15)(q11.2)",
            "DEL(15)(Q11.2)",
            "Gaucher disease (GD), type 1",
            "(MFS)",
        ),
    ],
)
def test_a_bracket_that_changes_the_disease_stays(name):
    assert read_gold([name]).names == [name]


@pytest.mark.parametrize(
    "name",
    ["a" * 20_000 + " disease (AAAAAAAAAD)", "(" * 20_000, "( " * 20_000 + ")", "() " * 9_000],
)
def test_a_long_gold_takes_no_longer_than_its_length(name):
    begin = time.perf_counter()
    read_gold([name])
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize(
    ("written", "diagnoses"),
    [
        ("1. Marfan syndrome 2. Gout", ["Marfan syndrome", "Gout"]),
        ("(1) Marfan syndrome; (2) Gout.", ["Marfan syndrome", "Gout"]),
        ("1.- Marfan syndrome\n2.- Gout", ["Marfan syndrome", "Gout"]),
        *((name, []) for name in ("1. Marfan syndrome", "1-2-oxo 2-oxo", "Type 1. Gout 2. Asthma")),
        *((name, []) for name in ("2. Gout 1. Asthma", "Gout", "")),
    ],
)
def test_a_numbered_line_is_a_list_of_diagnoses(written, diagnoses):
    assert numbered(written) == diagnoses


def test_the_name_that_all_alternatives_share_stands_first():
    written = (
        "Gower dysplasia, familial, 10,Gower dysplasia 12,Holt disease/Holt disease,"
        "Gower dysplasia, familial, 9"
    )
    names = read_gold([written], are_alternatives=True).names
    assert names[0].startswith("Gower dysplasia")
    assert sorted(names) == [
        *("Gower dysplasia 12", "Gower dysplasia, familial, 10", "Gower dysplasia, familial, 9"),
        "Holt disease",
    ]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The macro that takes a judgement apart, as a function."""
    folder = tmp_path_factory.mktemp("parts")
    (sql,) = project.compiled(folder, "--inline", "select {{ judgement_parts('$text') }}").values()
    return lambda text: duckdb.execute(sql, {"text": text}).fetchone()[0]


ONE_DIAGNOSIS = (
    *("Otitis externa derecha", "Insuf. cardiaca", "INSUF. CARDIACA", "Fx. de radio", "Fx. Colles"),
    *("Sd. de Down", "Enf. de Crohn", "I.R.A. prerrenal", "HTA", "DM tipo 2", "COVID-19"),
    *("Hb 8.5", "Neumonía (LID)", "Prob. TEP", "Dolor valorado por Dr. Pérez", "Alergia, p.ej. Al"),
    *("Tto. Sintrom", "S. Down", "Cefalea vs. Migraña", "Otitis media izq", "Anemia no filiada"),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(ONE_DIAGNOSIS), min_size=1, max_size=4),
    st.sampled_from([". ", ".  ", ".- ", " / ", " + ", "\n", ".\n"]),
    st.sampled_from(["", ".", ".-", " "]),
)
def test_a_judgement_is_split_only_between_diagnoses(parts, diagnoses, between, end):
    assert parts(between.join(diagnoses) + end) == diagnoses


@pytest.mark.parametrize("number", ["{}. ", "{}.- ", "{}) ", "{}.-"])
def test_a_numbered_judgement_is_a_list(parts, number):
    written = " ".join(number.format(n) + one for n, one in enumerate(ONE_DIAGNOSIS[:3], 1))
    assert parts(written) == list(ONE_DIAGNOSIS[:3])


def test_nothing_is_nothing(parts):
    assert parts(None) is None
    assert parts(" .- ") == []


@pytest.mark.parametrize(
    ("written", "names", "codes"),
    [
        ("[G43.9] Migraine", ["Migraine"], ["G43.9"]),
        ("[G43] Migraine", ["Migraine"], ["G43"]),
        ("G70.00 - Myasthenia gravis", ["Myasthenia gravis"], ["G70.00"]),
        ("M10.9: Gout", ["Gout"], ["M10.9"]),
        ("Diabetic ketoacidosis (E10.1)", ["Diabetic ketoacidosis"], ["E10.1"]),
        ("Migraine [G43.9]", ["Migraine"], ["G43.9"]),
        ("Q11.2 - duplication syndrome", ["Q11.2 - duplication syndrome"], []),
        ("B12 deficiency", ["B12 deficiency"], []),
    ],
)
def test_a_code_before_a_name_is_read_as_one(written, names, codes):
    gold = read_gold(texts(written, "|") or [])
    assert (gold.names, gold.icd10_codes) == (names, codes)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("See above", "another row"),
        ("Idem.", "another row"),
        ("siehe oben", "another row"),
        ("Other", "names no disease"),
        ("Healthy", "names no disease"),
        ("normal", "names no disease"),
        ("Otros", "names no disease"),
        ("Gout, ruled out", "is denied"),
        ("Gota (descartada)", "is denied"),
        ("Family history of gout", "of the family"),
        ("Antecedentes familiares de gota", "of the family"),
        ("#NV", "error of a spreadsheet"),
        ("#¡REF!", "error of a spreadsheet"),
        ("#DIV/0!", "error of a spreadsheet"),
        ("#NAME?", "error of a spreadsheet"),
        ("TRUE", "truth value"),
    ],
)
def test_what_names_no_disease_is_no_gold(written, says):
    assert says in (problem_of(written) or "")
    for name in ("Normal pressure hydrocephalus", "#154700", "Familial Mediterranean fever"):
        assert problem_of(name) is None


@pytest.mark.parametrize("written", ["unbekannt", "Desconocido", "inconnu", "#N/A"])
def test_an_unknown_diagnosis_is_no_gold_in_any_language(written):
    assert is_no_gold(written) or problem_of(written)
