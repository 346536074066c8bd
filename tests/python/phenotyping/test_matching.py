"""The disease match on a corpus small enough to work out by hand."""

import math
from dataclasses import replace

import pyarrow as pa
import pytest

from python_llm.phenotyping.matching import (
    MATCH_SCHEMA,
    Parameters,
    Patient,
    PatientRule,
    calibrated,
    corpus,
    differentials,
    match,
    patients_of,
    series_of,
)

NUMBERS = {
    "association_odds": 0.1,
    "vagueness_penalty": 0.5,
    "frequency_exponent": 0.1,
    "overlap_weight": 0.5,
    "relatives_weight": 0.1,
    "exclusion_reliability": 0.95,
    "onset_mismatch_probability": 0.1,
    "key_frequency": 0.5,
    "key_phenotypes": 5,
    "explained_ranks": 10,
    "compared_ranks": 5,
    "feature_frequency": 0.3,
    "unknown_frequency": 0.1,
    "confidence_sharpness": 4.0,
    "confidence_intercept": -1.0,
    "confidence_slope": 0.5,
    "confidence_first": 0.4,
    "compared_features": 40,
    "discriminating_difference": 0.3,
    "sparse_completeness": 0.4,
    "reanalysis_score": 0.5,
    "spelling_cut_off": 80.0,
    "completeness_phenotypes": 0.30,
    "completeness_timing": 0.20,
    "completeness_exclusions": 0.15,
    "completeness_tests": 0.20,
    "completeness_family": 0.15,
    "past_weight": 0.25,
}
# root > seizure > focal seizure; root > rash; root > fever
ANCESTORS = {
    "root": ["root"],
    "seizure": ["seizure", "root"],
    "focal": ["focal", "seizure", "root"],
    "rash": ["rash", "root"],
    "fever": ["fever", "root"],
}
INFORMATION = {"root": 0.0, "seizure": 1.5, "focal": 3.0, "rash": 4.0, "fever": 2.0}


def made(annotations, genes=(), **profiles):
    """A corpus from {disease: {term: frequency}}, with optional profile columns per disease."""
    closure = {}
    for disease, terms in annotations.items():
        for term, frequency in terms.items():
            for above in ANCESTORS[term]:
                key = (disease, above)
                closure[key] = max(closure.get(key, 0), frequency)
    rows = []
    for disease in annotations:
        total = sum(
            frequency * INFORMATION[term]
            for (owner, term), frequency in closure.items()
            if owner == disease
        )
        row = dict.fromkeys(
            ["onset_low_years", "onset_high_years", "female_probability", "male_probability"]
        )
        rows.append(
            {"disease_id": disease, "profile_information": total} | row | profiles.get(disease, {})
        )
    for row in rows:
        row.setdefault("disease_name", "")
    text = ("disease_id", "disease_name")
    kinds = [(name, pa.string() if name in text else pa.float64()) for name in rows[0]]
    pairs = pa.schema([("disease_id", pa.string()), ("hpo_id", pa.string())])
    frequencies = pairs.append(pa.field("frequency", pa.float64()))

    def table(entries):
        return pa.Table.from_pylist(
            [
                {"disease_id": disease, "hpo_id": term, "frequency": frequency}
                for (disease, term), frequency in entries
            ],
            schema=frequencies,
        )

    return corpus(
        pa.table({"hpo_id": list(INFORMATION), "information_content": list(INFORMATION.values())}),
        pa.Table.from_pylist(
            [
                {"hpo_id": term, "ancestor_hpo_id": above}
                for term, aboves in ANCESTORS.items()
                for above in aboves
            ]
        ),
        table(closure.items()),
        table(
            ((disease, term), frequency)
            for disease, terms in annotations.items()
            for term, frequency in terms.items()
        ),
        pa.Table.from_pylist(rows, schema=pa.schema(kinds)),
        pa.Table.from_pylist(
            [{"disease_id": disease, "gene_symbol": gene} for disease, gene in genes],
            schema=pa.schema([("disease_id", pa.string()), ("gene_symbol", pa.string())]),
        ),
    )


def ranked(known, *present, numbers=None, **patient):
    found = match(
        [Patient("c", present, **patient)], known, Parameters.of({**NUMBERS, **(numbers or {})})
    )
    assert found.schema == MATCH_SCHEMA
    return {row["disease_id"]: row for row in found.to_pylist()}


def roles(row, role):
    return [each["hpo_id"] for each in row["evidence"] if each["role"] == role]


def test_scores_are_as_worked_out():
    known = made({"A": {"focal": 1.0}, "B": {"seizure": 0.5}, "C": {"rash": 1.0}})
    found = ranked(known, "focal")
    # A has the finding itself; B something 1.5 nats vaguer, so 1.5 - 0.5 * 1.5 of it counts
    exact = math.log1p(0.1 * math.exp(3.0))
    vague = math.log1p(0.1 * 0.5**0.1 * math.exp(0.75))
    assert found["A"]["finding_score"] == pytest.approx(exact, abs=1e-6)
    assert found["B"]["finding_score"] == pytest.approx(vague, abs=1e-6)
    assert found["C"]["finding_score"] == 0
    # shared 4.5 of 4.5 and of 4.5; shared 0.75 of 0.75 and of 4.5
    assert found["A"]["overlap_score"] == pytest.approx(0.5)
    assert found["B"]["overlap_score"] == pytest.approx(0.5 * 0.75 / math.sqrt(0.75 * 4.5))
    assert [found[each]["match_rank"] for each in "ABC"] == [1, 2, 3]
    assert found["A"]["score"] == pytest.approx(exact + 0.5, abs=1e-6)


def test_of_equal_terms_the_finding_itself_is_shown(monkeypatch):
    # every disease with focal seizures has tonic ones: the two tell as much
    monkeypatch.setitem(ANCESTORS, "tonic", ["tonic", *ANCESTORS["focal"]])
    monkeypatch.setitem(INFORMATION, "tonic", INFORMATION["focal"])
    (entry,) = ranked(made({"A": {"tonic": 0.545}}), "tonic")["A"]["evidence"]
    assert (entry["matched_hpo_id"], entry["frequency"]) == ("tonic", 0.545)


def test_an_exclusion_costs_as_much_as_the_finding_is_typical():
    known = made({"A": {"rash": 1.0, "fever": 1.0}, "B": {"rash": 1.0, "fever": 0.2}})
    found = ranked(known, "rash", excluded=["fever"])
    assert found["A"]["excluded_score"] == pytest.approx(math.log(0.05))
    assert found["B"]["excluded_score"] == 0  # most patients with B do not have it
    assert found["B"]["match_rank"] == 1
    assert roles(found["A"], "contradicting") == ["fever"]


def test_an_exclusion_covers_what_lies_below_it():
    known = made({"A": {"rash": 1.0, "focal": 1.0}})
    assert ranked(known, "rash", excluded=["seizure"])["A"]["excluded_score"] < 0


def test_an_exclusion_of_what_is_present_does_not_count():
    known = made({"A": {"focal": 1.0}})
    found = ranked(known, "focal", excluded=["seizure", "focal"])
    assert found["A"]["excluded_score"] == 0
    assert roles(found["A"], "contradicting") == []


def test_what_another_finding_implies_says_nothing_more():
    known = made({"A": {"focal": 1.0}})
    once, twice = ranked(known, "focal"), ranked(known, "focal", "seizure", "focal")
    assert twice["A"]["score"] == once["A"]["score"]
    assert twice["A"]["n_findings"] == 1


def test_onset_and_sex_count_where_they_are_known():
    known = made(
        {"A": {"rash": 1.0}, "B": {"rash": 1.0}},
        A={"onset_low_years": 16, "female_probability": 0.1, "male_probability": 1},
    )
    assert ranked(known, "rash")["A"]["match_rank"] == 1  # the tie goes to the lower id
    young = ranked(known, "rash", onset_years=2.0)
    assert young["A"]["onset_score"] == pytest.approx(math.log(0.1))
    assert young["B"]["match_rank"] == 1
    assert ranked(known, "rash", age_years=2.0)["B"]["match_rank"] == 1
    # an old patient may have had it for long
    assert ranked(known, "rash", age_years=70.0)["A"]["onset_score"] == 0
    assert ranked(known, "rash", onset_years=20.0)["A"]["onset_score"] == 0
    assert ranked(known, "rash", sex="female")["A"]["sex_score"] == pytest.approx(math.log(0.1))
    assert ranked(known, "rash", sex="male")["A"]["sex_score"] == 0
    # nothing known of B's onset and sex: neither speaks against it, before birth as well
    assert ranked(known, "rash", sex="female")["B"]["sex_score"] == 0
    assert ranked(known, "rash", onset_years=-0.3)["B"]["onset_score"] == 0


def test_a_disease_of_the_same_gene_is_lifted():
    known = made(
        {"A": {"fever": 1.0}, "B": {"rash": 1.0}, "C": {"fever": 1.0}},
        genes=[("B", "G"), ("C", "G")],
    )
    found = ranked(known, "rash")
    own = found["B"]["score"] - found["B"]["relatives_score"]
    assert found["C"]["relatives_score"] == pytest.approx(0.1 * own)
    assert found["A"]["relatives_score"] == 0
    assert found["C"]["match_rank"] == 2


def test_the_best_are_explained_and_the_gold_is_always_there():
    diseases = {f"D{number:02}": {"rash": 1.0} for number in range(30)}
    known = made({**diseases, "Z": {"fever": 1.0}})
    found = ranked(known, "rash", gold=["Z", "unheard of"])
    assert sorted(row["match_rank"] for row in found.values()) == [*range(1, 11), 31]
    assert found["Z"]["match_rank"] == 31
    assert next(iter(found)) == "D00"


def test_missing_key_findings_are_frequent_and_not_asked_yet():
    known = made({"A": {"rash": 1.0, "fever": 0.9, "focal": 0.4, "seizure": 0.6}})
    assert roles(ranked(known, "rash")["A"], "missing") == ["fever", "seizure"]
    assert roles(ranked(known, "rash", excluded=["fever"])["A"], "missing") == ["seizure"]
    assert roles(ranked(known, "rash", "focal")["A"], "missing") == ["fever"]
    one = ranked(known, "rash", numbers={"key_phenotypes": 1})
    assert roles(one["A"], "missing") == ["fever"]


def test_features_tell_the_best_apart():
    known = made({"A": {"rash": 1.0, "focal": 0.9}, "B": {"rash": 1.0, "fever": 0.2}})
    found = ranked(known, "rash")
    # fever is too rare to be looked for; of the seizures, only what is annotated is; what is not
    # annotated is unknown
    assert found["A"]["features"] == [{"hpo_id": "focal", "frequency": 0.9}]
    assert found["B"]["features"] == [{"hpo_id": "focal", "frequency": None}]
    assert ranked(known, "rash", excluded=["focal"])["A"]["features"] == []
    assert ranked(known, "rash", excluded=["seizure"])["A"]["features"] == []


def test_an_annotated_absence_is_known():
    known = made({"A": {"rash": 1.0, "focal": 0.9}, "B": {"rash": 1.0, "focal": 0.0}})
    assert ranked(known, "rash")["B"]["features"] == [{"hpo_id": "focal", "frequency": 0.0}]


def test_findings_that_do_not_fit_the_patient_are_left_out():
    annotations = {"A": {"rash": 1.0, "focal": 0.9}, "B": {"rash": 1.0}}
    known = made(annotations)
    known.rules["seizure"] = PatientRule(False, True, 15.0, math.inf)  # of men

    def looked_for(**patient):
        match_row = ranked(known, "rash", **patient)["A"]
        return [each["hpo_id"] for each in match_row["features"]], roles(match_row, "missing")

    assert looked_for() == (["focal"], ["focal"])
    assert looked_for(sex="male", age_years=15.0) == (["focal"], ["focal"])
    assert looked_for(sex="female", age_years=30.0) == ([], [])
    assert looked_for(sex="male", age_years=3.0) == ([], [])


def test_a_disease_of_another_sex_or_age_is_last():
    rules = {
        "PREGNANCY": PatientRule(female=True, male=False, from_years=9.0, below_years=60.0),
        "NEONATAL": PatientRule(female=True, male=True, from_years=0.0, below_years=18.0),
    }
    fitting = {"PREGNANCY": {"rash": 1.0}, "NEONATAL": {"rash": 1.0}, "OTHER": {"fever": 0.1}}
    known = made(fitting)
    known.rules.update(rules)

    def behind(**patient):
        rows = ranked(known, "rash", **patient)
        return {name for name in rows if rows[name]["score"] < rows["OTHER"]["score"]}

    assert behind() == set()
    assert behind(sex="female", age_years=30.0) == {"NEONATAL"}
    assert behind(sex="female", age_years=30.0, onset_years=0.1) == set()
    assert behind(sex="female", age_years=3.0) == {"PREGNANCY"}
    assert behind(sex="female", age_years=70.0) == {"PREGNANCY", "NEONATAL"}
    assert behind(sex="male", age_years=10.0) == {"PREGNANCY"}
    known.rules["PREGNANCY"] = replace(rules["PREGNANCY"], needs_pregnancy=True)
    for is_pregnant, out in ((None, set()), (True, set()), (False, {"PREGNANCY"})):
        assert behind(sex="female", age_years=30.0, onset_years=0.1, is_pregnant=is_pregnant) == out


@pytest.mark.parametrize(
    ("status", "onset_years", "is_ongoing", "leader"),
    [
        ("present", 40.0, True, "OLD"),
        ("past", 40.0, True, "NEW"),
        ("past", 0.5, False, "OLD"),  # as infantile hypotonia that is over
        ("past", None, True, "OLD"),  # of the list of what somebody has
        ("past", None, False, "NEW"),
    ],
)
def test_what_is_over_since_adult_life_weighs_less(status, onset_years, is_ongoing, leader):
    known = made({"OLD": {"rash": 1.0}, "NEW": {"fever": 1.0}})
    cases = pa.table({"case_id": ["c"], "age_years": [50.0], "sex": ["male"]})
    rows = [("rash", status, onset_years, is_ongoing), ("fever", "present", None, True)]
    columns = ("hpo_id", "status", "onset_years", "is_ongoing")
    findings = pa.Table.from_pylist(
        [
            {"case_id": "c", "is_excluded": False, **dict(zip(columns, row, strict=True))}
            for row in rows
        ]
    )
    found = match(patients_of(cases, findings), known, Parameters.of(NUMBERS)).to_pylist()
    assert found[0]["disease_id"] == leader


def test_probabilities_are_calibrated_and_at_most_one():
    numbers = Parameters.of(NUMBERS)
    assert calibrated(0.5, False, numbers) == pytest.approx(1 / (1 + math.e))
    assert calibrated(0.5, True, numbers) == pytest.approx(1 / (1 + math.exp(0.6)))
    assert calibrated(0.0, False, numbers) > 0
    known = made({f"D{n}": {"rash": 1.0} for n in range(10)})
    sure = ranked(known, "rash", numbers={"confidence_intercept": 5.0}).values()
    assert sum(row["group_probability"] for row in sure) == pytest.approx(1, abs=1e-4)


def test_kin_are_one_group():
    known = made(
        {name: {"rash": 1.0 - number / 10} for number, name in enumerate("ABCDE")},
        genes=[("A", "G1"), ("C", "G1"), ("C", "G2"), ("D", "G3")],
        B={"disease_name": "Loeys-Dietz syndrome 1"},
        E={"disease_name": "Loeys-Dietz syndrome, type 2B"},
    )
    ranked_by_name = ranked(known, "rash")
    groups = {name: row["group_leader_id"] for name, row in ranked_by_name.items()}
    assert groups == {"A": "A", "B": "B", "C": "A", "D": "D", "E": "B"}
    assert [ranked_by_name[name]["group_rank"] for name in "ABCDE"] == [1, 2, 1, 3, 2]
    together = ranked_by_name["A"]["probability"] + ranked_by_name["C"]["probability"]
    assert ranked_by_name["C"]["group_probability"] == pytest.approx(together, abs=2e-6)


@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("Loeys-Dietz syndrome 2", "dietz loeys syndrome"),
        (
            "Ciliary dyskinesia, primary, 9, with or without situs inversus",
            "ciliary dyskinesia primary",
        ),
        ("Primary ciliary dyskinesia", "ciliary dyskinesia primary"),
        ("Gaucher disease, type I", "disease gaucher"),
        ("Charcot-Marie-Tooth disease type 2A", "charcot disease marie tooth"),
        ("Marfan syndrome", "marfan syndrome"),
        ("Type 2", None),
    ],
)
def test_numbered_diseases_are_of_one_series(name, series):
    assert series_of(name) == series


def test_a_patient_without_known_findings_has_no_match():
    known = made({"A": {"rash": 1.0}})
    assert ranked(known, "HP:unknown", "root") == {}
    assert ranked(known, excluded=["rash"]) == {}


def test_eighty_findings_are_ranked_like_one():
    known = made({"A": {"rash": 1.0}, "B": {"fever": 1.0}})
    found = ranked(known, *["rash", "fever", "focal"] * 27)
    assert found["A"]["n_findings"] == 3
    assert found["A"]["match_rank"] == 1


def test_many_patients_are_ranked_as_if_alone():
    known = made({"A": {"rash": 1.0}, "B": {"fever": 1.0}})
    numbers = Parameters.of(NUMBERS)
    many = [Patient(f"{place:04}", ["rash" if place % 2 else "fever"]) for place in range(450)]
    rows = match(many, known, numbers).to_pylist()
    first = {row["case_id"]: row["disease_id"] for row in rows if row["match_rank"] == 1}
    assert first == {each.case_id: "A" if each.present == ["rash"] else "B" for each in many}


def test_parameters_are_all_there():
    with pytest.raises(ValueError, match="lacks overlap_weight"):
        Parameters.of({name: value for name, value in NUMBERS.items() if name != "overlap_weight"})
    with pytest.raises(ValueError, match="unknown surprise"):
        Parameters.of({**NUMBERS, "surprise": 1.0})


def test_a_match_is_told_as_a_differential():
    known = made({"D1": {"focal": 1.0, "fever": 0.9}, "D2": {"rash": 1.0}})
    cases = pa.table({"case_id": ["c", "none"], "age_years": [3.0, None], "sex": ["male", None]})
    findings = pa.Table.from_pylist(
        [
            {"case_id": "c", "hpo_id": "focal", "is_excluded": False},
            {"case_id": "c", "hpo_id": "rash", "is_excluded": True},
        ]
    )
    matches = match(patients_of(cases, findings), known, Parameters.of(NUMBERS))
    diseases = pa.table({"disease_id": ["D1", "D2"], "disease_name": ["First", "Second"]})
    terms = pa.table({"hpo_id": [*ANCESTORS], "hpo_name": [name.title() for name in ANCESTORS]})
    first, second = differentials(matches, diseases, terms).to_pylist()
    assert (first["case_id"], first["diagnosis_rank"], first["diagnosis"]) == ("c", 1, "First")
    assert first["reasoning"].startswith("1 of 1 findings speak for it; ")
    assert first["in_favour"] == "Matched: Focal"
    assert first["against"] == "Unexpected: none. Excluded in the patient: none. Missing: Fever"
    assert "Excluded in the patient: Rash" in second["against"]
