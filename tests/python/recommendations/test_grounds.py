"""What nothing in the record supports does not pass, and what is sound in other words does."""

import pytest

from python_llm.paths import project_root
from python_llm.recommendations.schema import Patient


def patient(**facts):
    return Patient.model_validate({"patient_id": "p", "age": 62, "sex": "female", **facts})


ASTHMA = patient(age=22, conditions=["asthma"], notes=["Acute severe asthma with a silent chest."])
SHOCK = patient(notes=["Septic shock from pneumonia."], vitals={"systolic_bp": 76, "spo2": 88})
PNEUMOTHORAX = patient(age=25, notes=["Trachea deviated: tension pneumothorax."])
STENT = patient(notes=["Drug-eluting stent six weeks ago."], medications=["aspirin", "ticagrelor"])
PREEXCITED = patient(notes=["Fibrilación auricular preexcitada, 220 por minuto."])
SUBDURAL = patient(conditions=["atrial fibrillation"], notes=["Acute subdural haematoma."])


@pytest.mark.parametrize(
    ("case", "text", "reason"),
    [
        # a drug without a reason in the record
        ("pneumonia_03", "Start levothyroxine 100 micrograms.", "is a reason for levothyroxine"),
        ("pneumonia_04", "Give haloperidol 5 mg three times daily.", "is a reason for haloperidol"),
        ("pneumonia_01", "Start amiodarone 200 mg daily.", "is a reason for amiodarone"),
        # one that prolongs life stopped, and nobody says why
        ("chf_01", "Discontinue carvedilol and lisinopril.", "nothing in the record says why"),
        (STENT, "Leave out the ticagrelor for a week.", "stopped in spite of recent stent"),
        (PREEXCITED, "Administrar digoxina 0,5 mg iv.", "in spite of pre-excitation"),
        (SHOCK, "Give ceftriaxone 2 g once the sensitivities are known.", "put off"),
        # a procedure that does not fit
        ("mi_04", "Book a treadmill test for this afternoon.", "stress test in spite of"),
        (PNEUMOTHORAX, "Apply CPAP at 10 cm of water.", "ventilation through a mask in spite of"),
        ("pneumonia_11", "Drain five litres from the left chest at once.", "5 litres are drained"),
        # targets, alarms, courses
        (SHOCK, "Accept a mean arterial pressure of 45 mmHg.", "a target of 45"),
        ("copd_02", "Titrate oxygen to a saturation of 100 %.", "a target of 100"),
        ("pneumonia_04", "Call a doctor if saturation falls below 70 %.", "only below 70"),
        ("pe_08", "Give dalteparin for ten days only.", "10 days: 84 at least"),
        # a precaution that is left out
        ("pneumonia_11", "Insert a chest drain without checking the clotting.", "is left out"),
        # what is said of the patient and is not so
        ("pe_09", "Because renal function is normal, give the full dose.", "record says otherwise"),
        ("pe_11", "She is not pregnant, so a chest CT can be repeated.", "record says otherwise"),
        # what is told instead of ordered, or has no verb that is known
        ("pe_10", "Circulation is back, so the embolus is a matter of time.", "not understood"),
        ("pneumonia_07", "Cut the antibiotic to a single dose.", "1 days: 3 at least"),
        # an emergency made light of, sent away, or behind something else
        (ASTHMA, "Discharge with a spacer, because the chest is now quiet.", "put off"),
        (PNEUMOTHORAX, "Obtain a chest radiograph before any decompression.", "put off"),
        (SHOCK, "Give cultures and see how the night goes.", "put off"),
        (SHOCK, "Do not ventilate.", "put off"),
        ("mi_08", "A left bundle branch block is of no importance.", "put off"),
        (SUBDURAL, "No need to repeat the CT.", "put off"),
        ("pe_02", "Hold anticoagulation until the leg ultrasound is done.", "put off"),
        ("pneumonia_06", "Review in the morning.", "put off"),
        # routes and doses that no rule names one by one
        ("mi_11", "Give noradrenaline through a nebuliser.", "it is not made for that"),
        ("pe_03", "Give a preventive dose of enoxaparin.", "a preventive dose"),
        ("chf_01", "Double carvedilol today.", "the dose is not raised"),
    ],
)
def test_what_nothing_supports_does_not_pass(objections, case, text, reason):
    assert any(reason in objection for objection in objections(case, text)), objections(case, text)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("mi_01", "Keep a defibrillator at the bedside and monitor the rhythm continuously."),
        # a ward's own words, and orders without a verb
        ("mi_01", "Phone the cath lab now: primary PCI within 120 minutes."),
        ("mi_01", "STEMI: call the interventional cardiologist now."),
        ("copd_01", "Six puffs of salbutamol through a spacer every 20 minutes."),
        ("copd_01", "Swap oral prednisolone for hydrocortisone 100 mg IV now."),
        ("copd_01", "Dejar prednisona 40 mg por la mañana durante 5 días."),
        ("copd_01", "Under no circumstances let him go without a steroid."),
        ("pneumonia_01", "Full blood count, liver tests and creatinine every three months."),
        ("pneumonia_01", "Chest film in six weeks to make sure that it has cleared."),
        ("pneumonia_01", "Daily CRP: she is over 70 and her creatinine is above 1.5 mg/dL."),
        ("pneumonia_01", "She can go home on amoxicillin 500 mg three times a day."),
        ("pneumonia_01", "Reevaluar en 48-72 h; si no mejora, repetir la radiografía."),
        ("pe_11", "Ask obstetrics to plan delivery today."),
        ("chf_01", "Avisar al nefrólogo de guardia para diálisis inmediata."),
        ("mi_02", "Avoid nitrates, because the right ventricle is involved."),
        ("mi_13", "Treat as a STEMI equivalent: alert the interventional cardiologist now."),
        ("mi_14", "Observe on telemetry and repeat troponin in three hours."),
        ("mi_09", "Dual antiplatelet therapy for twelve months and cardiac rehabilitation."),
        ("pe_02", "Watch closely in a monitored bed; thrombolyse if the pressure falls below 90."),
        ("pe_11", "Low-molecular-weight heparin by weight, throughout the pregnancy."),
        ("pe_06", "Keep every heparin product away from her."),
        ("chf_03", "Uptitrate bisoprolol every two weeks as tolerated, aiming at 10 mg."),
        ("chf_05", "Check potassium again this evening."),
        ("copd_01", "Teach inhaler technique before discharge and book a follow-up visit."),
        ("copd_02", "Titrate oxygen to 88 to 92 % and start non-invasive ventilation now."),
        ("copd_12", "Prednisone 40 mg for five days, with capillary glucose four times a day."),
        ("pneumonia_01", "Ask the patient to come back if breathing gets worse."),
        (SHOCK, "Hydrocortisone 50 mg iv every six hours if norepinephrine keeps rising."),
        (SHOCK, "Start norepinephrine and titrate to a mean pressure of 65 mmHg."),
        (ASTHMA, "Magnesium sulfate 2 g over 20 minutes, and prepare for intubation."),
        (PNEUMOTHORAX, "Decompress the chest with a needle at once, then insert a chest drain."),
        ("chf_01", "A loop diuretic should be given into a vein without delay."),
        (SUBDURAL, "Stop apixaban, if it is taken, and discuss with neurosurgery now."),
    ],
)
def test_what_is_sound_in_other_words_passes(objections, case, text):
    assert not objections(case, text)


def test_a_reason_in_a_note_is_enough(objections):
    told = patient(notes=["Community-acquired pneumonia. Diabetes since 2010."])
    assert not objections(told, "Start insulin 6 units before each meal.")


def test_guidelines_are_measured_apart_from_the_rules(checker, recommender, golden):
    """`met` and `n` are the figures of docs/recommendations.md."""
    verdicts = [
        verdict
        for case_id, case in golden.items()
        for verdict in checker.independent(recommender.recommend(case.patient)[0], case_id)
    ]
    met, n = sum(verdict.passed for verdict in verdicts), len(verdicts)
    page = (project_root() / "docs/recommendations.md").read_text(encoding="utf-8")
    assert f"Of {n} expectations" in page
    assert f"it meets {met}" in page
    asked = checker.independent(None, "mi_01")
    assert asked
    assert not any(verdict.passed for verdict in asked)


def test_a_forbidden_measure_meets_no_expectation(checker, recommender, golden):
    made, _ = recommender.recommend(golden["mi_02"].patient)
    action = made.recommended_actions[0].model_copy(update={"action": "Give a nitrate."})
    with_nitrate = made.model_copy(
        update={"recommended_actions": [*made.recommended_actions, action]}
    )
    sound, unsound = (
        {verdict.item: verdict.passed for verdict in checker.independent(document, "mi_02")}
        for document in (made, with_nitrate)
    )
    assert sound["nitrate"]
    assert not unsound["nitrate"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "Potasio 7,4: avisar a nefrología para hemodiálisis urgente.",
            "emergency_escalation",
        ),
        ("Avisar al nefrólogo de guardia para diálisis inmediata.", "dialysis"),
        ("STEMI: call the interventional cardiologist now.", "cath_lab"),
        ("Never let her go without prednisolone.", "prednisolone"),
    ],
)
def test_a_call_in_the_words_of_a_ward_is_a_measure(knowledge, text, named):
    assert named in knowledge.recommended(text)


@pytest.mark.parametrize(
    "text",
    ["Move her from warfarin to apixaban.", "Pasar de warfarina a apixaban."],
)
def test_what_is_left_for_another_drug_is_not_recommended(knowledge, text):
    assert "apixaban" in knowledge.recommended(text)
    assert "warfarin" not in knowledge.recommended(text)


LEFT = Patient.model_validate(
    {
        "patient_id": "left",
        "age": 40,
        "sex": "male",
        "notes": ["Large left pneumothorax, right lung clear. Right leg DVT in 2015. SpO2 94 %."],
    }
)


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("Insert a chest drain on the right side.", True),
        ("Drenaje pleural derecho con aguja.", True),
        ("Chest drain on the left.", False),
        ("Insert a left chest drain right away.", False),
        ("Compare with the right lung.", False),
        ("Central line in the right chest access.", False),
        ("Echocardiogram for right heart strain.", False),
    ],
)
def test_an_order_for_the_other_side_is_told(objections, text, is_wrong):
    assert any("the record tells the left" in reason for reason in objections(LEFT, text)) == (
        is_wrong
    )


def test_the_bleeding_lung_lies_below(objections):
    bleeding = LEFT.model_copy(
        update={"notes": ["Massive haemoptysis from the left lung, active bleeding."]}
    )
    assert any("lies below" in r for r in objections(bleeding, "Lie him on the right side."))
    assert not any("lies below" in r for r in objections(bleeding, "Lie him on the left side."))


def test_nothing_is_told_of_a_side_where_the_record_names_both(objections):
    both = LEFT.model_copy(update={"notes": ["Effusion of the left and of the right lung."]})
    assert not any("record tells" in r for r in objections(both, "Drain the right chest."))
