"""The most urgent stands first, nothing critical is missing, and nothing urgent is put off."""

import json

import pytest

from python_llm.recommendations.schema import Patient, Recommendation


def patient(**facts):
    return Patient.model_validate({"patient_id": "p", "age": 62, "sex": "male", **facts})


STEMI = {"notes": ["Crushing chest pain. ECG: ST elevation in II, III and aVF."]}
PE = {"notes": ["Acute pulmonary embolism on CT."], "vitals": {"systolic_bp": 78.0}}
COPD = {
    "conditions": ["COPD"],
    "notes": ["COPD exacerbation."],
    "labs": [{"name": "pH", "value": 7.24}, {"name": "paCO2", "value": 72, "unit": "mmHg"}],
    "vitals": {"spo2_percent": 82},
}
SHOCK = {
    "notes": ["Pneumonia in the right lower lobe, confused."],
    "vitals": {"systolic_bp": 74, "respiratory_rate": 34},
    "labs": [{"name": "BUN", "value": 40}],
}
DIALYSIS = {
    "conditions": ["heart failure", "on haemodialysis"],
    "notes": ["Missed dialysis, orthopnoea and leg oedema."],
    "labs": [{"name": "BNP", "value": 2400}],
}
DISSECTION = {
    "notes": ["Tearing chest pain to the back, widened mediastinum, ST elevation inferiorly."]
}

# neither a lung that wheezes anyway nor its name explains a fall of the pressure
ANAPHYLAXIS_IN_COPD = {
    "conditions": ["COPD"],
    "notes": ["Anaphylaxis ten minutes after the first dose of amoxicillin, wheeze."],
    "vitals": {"systolic_bp": 76, "spo2_percent": 89},
}

STROKE = {"notes": ["Sudden right arm weakness and aphasia, onset 70 minutes ago. NIHSS 12."]}


@pytest.mark.parametrize(
    ("facts", "first", "also"),
    [
        (STROKE, "emergency_escalation", "emergency_escalation"),
        (ANAPHYLAXIS_IN_COPD, "adrenaline", "adrenaline"),
        (STEMI, "cath_lab", "aspirin"),
        (PE, "thrombolysis", "anticoagulation"),
        (COPD, "niv", "controlled_oxygen"),
        (SHOCK, "fluids_vasopressors", "beta_lactam"),
        (DIALYSIS, "dialysis", "dialysis"),
        (DISSECTION, "dissection_team", "dissection_team"),
    ],
)
def test_the_recommender_begins_with_what_cannot_wait(checker, recommender, facts, first, also):
    made, _ = recommender.recommend(patient(**facts))
    knowledge = checker.knowledge
    texts = [knowledge.recommended(action.action) for action in made.recommended_actions]
    assert first in texts[0]
    assert also in set().union(*texts)
    findings = knowledge.findings(patient(**facts))
    assert [v.item for v in checker.urgent(made, findings) if not v.passed] == []


@pytest.mark.parametrize(
    "note",
    [
        "Stroke in 2019 with residual hemiparesis. COPD exacerbation.",
        "Pneumonia. No facial droop, no aphasia.",
        "Chronic left-sided weakness since a stroke ten years ago. Cough.",
        "Ictus antiguo con hemiparesia residual. Disnea.",
    ],
)
def test_an_old_or_denied_deficit_is_no_stroke_of_now(checker, knowledge, note):
    findings = knowledge.findings(patient(notes=[note]))
    assert "acute_stroke" not in checker.red_flags(findings)


def test_dialysis_gets_no_diuretic_dissection_no_catheter(recommender, knowledge):
    dialysis, _ = recommender.recommend(patient(**DIALYSIS))
    texts = " ".join(action.action for action in dialysis.recommended_actions)
    assert "loop_diuretic" not in knowledge.recommended(texts)
    dissection, _ = recommender.recommend(patient(**DISSECTION))
    texts = " ".join(action.action for action in dissection.recommended_actions)
    assert not {"cath_lab", "antiplatelet", "anticoagulant"} & knowledge.recommended(texts)
    assert dissection.uncertainty.level == "high"


@pytest.mark.parametrize(
    ("facts", "breaking", "failed"),
    [
        (STEMI, lambda r: r["recommended_actions"].reverse(), {"urgent_first"}),
        (
            STEMI,
            lambda r: r.update(
                recommended_actions=[
                    a for a in r["recommended_actions"] if "aspirin" not in a["action"]
                ]
            ),
            {"critical_actions", "urgent_in_time"},
        ),
        (
            STEMI,
            lambda r: [
                a.update(action="Activate the catheterisation laboratory tomorrow morning.")
                for a in r["recommended_actions"]
                if "laboratory" in a["action"]
            ],
            {"urgent_in_time"},
        ),
        (
            PE,
            lambda r: [
                a.update(action="Give systemic thrombolysis next week.")
                for a in r["recommended_actions"]
                if "thrombolysis" in a["action"]
            ],
            {"urgent_in_time"},
        ),
    ],
)
def test_order_omission_and_delay_are_seen(checker, recommender, facts, breaking, failed):
    made, _ = recommender.recommend(patient(**facts))
    broken = json.loads(made.model_dump_json())
    breaking(broken)
    findings = checker.knowledge.findings(patient(**facts))
    verdicts = checker.urgent(Recommendation.model_validate(broken), findings)
    assert {v.check for v in verdicts if not v.passed} == failed


def test_who_needs_nothing_at_once_is_not_judged(checker, recommender):
    calm = patient(conditions=["COPD"], notes=["Stable, smokes."])
    made, _ = recommender.recommend(calm)
    assert checker.urgent(made, checker.knowledge.findings(calm)) == []
    assert checker.urgent(None, checker.knowledge.findings(patient(**STEMI)))
