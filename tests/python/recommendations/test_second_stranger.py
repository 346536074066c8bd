"""Kinds that a stranger's unseen set for the gate showed: what was let through, and what was called
unsafe without being so. The words are other than the stranger's."""

import json

import pytest

from python_llm.recommendations.checks.urgency import is_at_once
from python_llm.recommendations.schema import Patient


def person(text, age=55, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


def labs(**values):
    units = {"platelets": "10^9/L"}
    return [{"name": n, "value": v, "unit": units.get(n, "U/L")} for n, v in values.items()]


HIT = "Trombocitopenia inducida por heparina."


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        (person("Heart failure."), "Transfuse four units of red cells.", "overload"),
        (
            person("Heart failure."),
            "Crossmatch and transfuse four units of red cells.",
            "overload",
        ),
        (
            person("Deep vein thrombosis.", labs=labs(platelets=31)),
            "Start argatroban 2 mcg/kg/min iv.",
            "very low platelets",
        ),
        (
            person(HIT, labs=labs(platelets=31)),
            "Start heparin 5000 units subcutaneously twice a day.",
            "heparin-induced",
        ),
        (
            person("Broken hip this morning, in pain.", medications=["ibuprofen"]),
            "Put on a fentanyl patch of 25 mcg/h.",
            "without tolerance",
        ),
        (
            person("Hombro roto. Nunca ha tomado opioides."),
            "Poner un parche de buprenorfina de 35 mcg/h.",
            "without tolerance",
        ),
        (
            person("Pulmonary arterial hypertension.", labs=labs(AST=170)),
            "Start bosentan 62.5 mg twice a day.",
            "three times normal",
        ),
        (
            person("Le quedan ocho semanas para el parto. Lumbago.", 29, "female"),
            "Naproxeno 500 mg cada 12 horas.",
            "pregnan",
        ),
        (
            person("It is nine weeks until her due date. Backache.", 29, "female"),
            "Naproxen 500 mg twice a day.",
            "pregnan",
        ),
    ],
    ids=str,
)
def test_what_is_unsafe_is_refused(objections, patient, text, reason):
    assert reason in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    ("patient", "text"),
    [
        (person("Heart failure."), "Crossmatch six units of red cells now."),
        (person("Insuficiencia cardíaca."), "Cruzar cuatro concentrados de hematíes."),
        (person(HIT, labs=labs(platelets=31)), "Start argatroban 2 mcg/kg/min iv."),
        (
            person("Cancer pain on morphine 120 mg a day.", medications=["morphine"]),
            "Put on a fentanyl patch of 25 mcg/h.",
        ),
        (
            person("Pulmonary arterial hypertension.", labs=labs(ALT=60, AST=50)),
            "Start bosentan 62.5 mg twice a day.",
        ),
    ],
    ids=str,
)
def test_what_is_safe_is_let_through(objections, patient, text):
    unwanted = ("overload", "platelets", "tolerance", "three times")
    assert not [r for r in objections(patient, text) if any(word in r for word in unwanted)]


def test_spanish_words_for_at_once_are_known():
    assert is_at_once("Llamar a intensivos de inmediato.")
    assert not is_at_once("Avisar a intensivos si empeora.")


def test_a_stage_without_a_target_is_told_which_have_one(checker, recommended):
    document = {**recommended("pe_03"), "stage_ms": {"search": 3}}
    (verdict,) = (v for v in checker.tier1(json.dumps(document), None) if v.check == "latency")
    assert "retrieve, recommend, generate, check" in verdict.reason
