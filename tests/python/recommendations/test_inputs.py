"""Red flags in other words, names of other systems, notes in Spanish; and what is past."""

import json

import pytest

from python_llm.recommendations.knowledge import estimated_gfr
from python_llm.recommendations.record.inputs import language_of
from python_llm.recommendations.schema import Patient


def patient(**facts):
    return Patient.model_validate({"patient_id": "p", "age": 62, "sex": "male", **facts})


def lab(name, value, unit=""):
    return {"name": name, "value": value, "unit": unit}


ACS, STEMI, PE, K, PH = (
    "troponin_chest_pain",
    "stemi",
    "massive_pe",
    "critical_potassium",
    "severe_acidemia",
)


@pytest.mark.parametrize(
    ("facts", "flags"),
    [
        ({"labs": [lab("hs-cTnT", 88, "ng/L")], "notes": ["Chest pain."]}, [ACS]),
        ({"labs": [lab("hs-cTnI", 88, "ng/L")], "notes": ["Jaw pain since noon."]}, [ACS]),
        ({"labs": [lab("Troponina T", 0.4, "µg/L")], "notes": ["Left arm pain."]}, [ACS]),
        ({"labs": [lab("Troponin", "positive")], "notes": ["Chest tightness."]}, [ACS]),
        ({"labs": [lab("Trop I", ">25000", "ng/L")], "notes": ["Chest pain."]}, [ACS]),
        ({"notes": ["Chest pain, troponin positive."]}, [ACS]),
        ({"notes": ["Central chest pain. Troponin 450 ng/L."]}, [ACS]),
        ({"notes": ["Pain in the jaw and left arm; troponin is raised."]}, [ACS]),
        ({"notes": ["ECG: STE in V2–V4."]}, [STEMI]),
        ({"notes": ["Elevación del ST en cara anterior, dolor torácico."]}, [STEMI]),
        ({"notes": ["Dolor torácico opresivo, troponina positiva."]}, [ACS]),
        ({"notes": ["Massive PE on CT."]}, [PE]),
        ({"notes": ["TEP masivo en la angio-TC del paciente."]}, [PE]),
        ({"notes": ["Acute PE. Blood pressure fell to 78/50."]}, [PE]),
        ({"notes": ["Acute PE on CT. BP 82/50."]}, [PE]),
        ({"notes": ["Saddle embolus, systolic of 84."]}, [PE]),
        ({"notes": ["Acute PE."], "vitals": {"SBP": 80}}, [PE]),
        ({"labs": [lab("S-Potassium", 7.1, "mmol/L")]}, [K]),
        ({"labs": [lab("Potasio", 6.9, "mEq/L")]}, [K]),
        ({"notes": ["Potasio 7,0 en la analítica."]}, [K]),
        ({"labs": [lab("pH arterial", 7.05)]}, [PH]),
        # what is past, denied or of somebody else
        ({"notes": ["STEMI in 2015, now asymptomatic."]}, []),
        ({"notes": ["Anterior STEMI treated with primary PCI in 2015."]}, []),
        ({"conditions": ["STEMI (2019)"]}, []),
        ({"notes": ["Massive PE in 2018, on warfarin since."]}, []),
        ({"notes": ["Status post STEMI. Feels well."]}, []),
        ({"notes": ["Antecedente de infarto con elevación del ST hace diez años."]}, []),
        ({"notes": ["Niega dolor torácico. Troponina negativa."]}, []),
        ({"notes": ["Troponin negative, chest pain gone."]}, []),
        ({"notes": ["Acute PE. Blood pressure 128/74."]}, []),
        ({"notes": ["Last month BP was 80/50. Acute PE, stable."]}, []),
    ],
)
def test_red_flags_are_found_in_other_words_and_not_in_the_past(checker, facts, flags):
    assert checker.red_flags(checker.knowledge.findings(patient(**facts))) == flags


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({"labs": [lab("zorbium", 4)]}, "'zorbium' is unknown"),
        ({"labs": [lab("potassium", 7, "furlongs")]}, "'furlongs' of potassium is unknown"),
        ({"vitals": {"squeeze": 80}}, "'squeeze' is unknown"),
        ({"vitals": {"temperature": 101.2}}, "another unit"),
        ({"notes": ["Le patient est stable et ne se plaint pas de douleur."]}, "French"),
        ({"notes": ["Der Patient ist seit gestern mit dem Rettungsdienst hier."]}, "German"),
        ({"notes": ["El paciente refiere que se encuentra regular desde ayer."]}, "Spanish"),
        ({"notes": ["Пациент жалуется на боль в груди."]}, "not read"),
    ],
)
def test_what_cannot_be_read_is_said_and_fails(checker, golden, recommended, facts, complaint):
    whole = golden["copd_06"].patient.model_dump()
    for field, value in facts.items():
        whole[field] = (
            {**whole[field], **value} if isinstance(value, dict) else whole[field] + value
        )
    verdicts = checker.tier1(json.dumps(recommended("copd_06")), Patient.model_validate(whole))
    (failed,) = [v.reason for v in verdicts if v.check == "input_read"]
    assert complaint in failed
    assert not all(v.passed for v in verdicts)


def test_a_note_that_is_read_is_no_complaint(knowledge):
    notes = ["Disnea y edemas, insuficiencia cardiaca descompensada.", "Short of breath."]
    assert knowledge.unread(patient(notes=notes)) == []
    assert language_of("Chest pain") == "English"


def test_the_glomerular_filtration_rate_has_its_worked_values():
    # Inker 2021: creatinine 1.0 mg/dL at 50 years
    assert round(estimated_gfr(1.0, 50, "female")) == 69
    assert round(estimated_gfr(1.0, 50, "male")) == 92
    assert estimated_gfr(1.0, 50, "unknown") == estimated_gfr(1.0, 50, "female")
