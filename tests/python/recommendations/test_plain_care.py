"""Plain care: what is looked at, told, referred or rested needs no knowledge of a drug, and what is
hidden behind such words is still seen."""

import json

import pytest

from python_llm.recommendations.schema import Patient

QUIET = {"systolic_bp": 128, "heart_rate": 72, "spo2": 98, "respiratory_rate": 14}
FOR_ANYBODY = [
    "Weigh him before breakfast and write it down.",
    "Ask what matters most to her.",
    "Occupational therapist to visit the flat.",
    "Standing and lying pressure once more on Friday.",
    "Medir la diuresis cada hora.",
    "Preguntarle por el tabaco.",
    "Derivar a digestivo.",
    "Constantes cada cuatro horas.",
]
FOR_THE_STABLE = [
    "Gargle with warm water.",
    "Refer for gastroscopy.",
    "Explain that this was an ordinary cold.",
    "No further scan for now.",
    "Sentarla en el sillón y que coma acompañada.",
    "Que no conduzca esta semana.",
    "Hacer vida normal.",
]
NO_CARE = [
    "Squeeze both carotids.",
    "Weigh him. Polish the antlers.",
    "Weigh her and give zorplexin.",
    "Tell him that the lump is harmless.",
    "Decirle que no es nada grave.",
    "Ask the physiotherapist to manipulate the neck.",
    "Vigilar y poner un enema.",
    "Drink a tea of foxglove.",
]


@pytest.mark.parametrize("text", FOR_ANYBODY)
def test_to_look_to_ask_and_to_refer_are_care_of_anybody(checker, text):
    assert checker.care.is_plain(text, (), is_stable=False)
    assert checker._understood.complaint(text) == ""


@pytest.mark.parametrize("text", FOR_THE_STABLE)
def test_to_rest_and_to_leave_out_are_care_of_the_stable(checker, text):
    assert checker.care.is_plain(text, (), is_stable=True)
    assert not checker.care.is_plain(text, (), is_stable=False)


@pytest.mark.parametrize("text", NO_CARE)
def test_words_of_care_hide_nothing(checker, text):
    assert not checker.care.is_plain(text, (), is_stable=True)


@pytest.mark.parametrize(
    ("note", "text", "is_held"),
    [
        ("Sprained wrist, otherwise well.", "Wash the plaster cast? Never. Keep warm.", False),
        ("Thunderclap headache an hour ago.", "Rest and sip some water.", True),
    ],
)
def test_rest_is_no_care_of_an_emergency(objections, note, text, is_held):
    patient = Patient(patient_id="p", age=44, sex="female", notes=[note], vitals=QUIET)
    assert any("names nothing" in reason for reason in objections(patient, text)) == is_held


@pytest.mark.parametrize(
    ("text", "affirmed"),
    [
        ("Beta-blockers are out for her.", False),
        ("Aspirin is no substitute here.", False),
        ("Talk it through before deciding on warfarin.", False),
        ("Give aspirin 300 mg.", True),
    ],
)
def test_a_drug_that_is_ruled_out_is_not_given(knowledge, text, affirmed):
    assert any(mention.affirmed for mention in knowledge.book.named(text)) == affirmed


@pytest.mark.parametrize(
    ("text", "is_second"),
    [
        ("Furosemide 80 mg iv now. Teach him when to raise the diuretic.", False),
        ("Enseñarle cuándo subir el diurético. Furosemida 80 mg iv.", False),
        ("Furosemide 40 mg and bumetanide 1 mg.", True),
    ],
)
def test_a_class_with_its_article_is_the_drug_it_has(knowledge, text, is_second):
    findings = {"takes:furosemide", "takes:loop_diuretic", "takes:diuretic", "acute_hf"}
    told = {p.against for p in knowledge.book.problems([text], findings)}
    assert any("second loop" in against for against in told) == is_second


def recommended(*actions, escalation="Call an ambulance"):
    return {
        "recommendation_id": "r",
        "patient_id": "p",
        "recommender": "a test",
        "problems": ["as told"],
        "recommended_actions": [{"action": a, "evidence_refs": ["e"]} for a in actions],
        "evidence_table": [],
        "contraindications_checked": [],
        "when_to_escalate": [
            {"trigger": "worse", "action": escalation, "urgency": "immediate"},
        ],
        "severity": "low",
        "uncertainty": {"level": "low", "reason": "told"},
        "differential": ["none"],
        "stage_ms": {},
    }


@pytest.fixture(scope="module")
def failed(checker):
    def of(note, *actions, check, **facts):
        patient = Patient(patient_id="p", age=60, sex="male", notes=[note], **facts)
        verdicts = checker.tier1(json.dumps(recommended(*actions)), patient)
        return [v.told for v in verdicts if v.check == check and not v.passed]

    return of


FAINT = "Fainted in a stuffy church, pale and sweaty before it."


@pytest.mark.parametrize(
    ("note", "is_held"),
    [(f"{FAINT} ECG normal.", False), (FAINT, True), ("Fainted on the stairs. ECG normal.", True)],
)
def test_a_simple_faint_with_a_normal_ecg_can_wait(failed, note, is_held):
    told = failed(note, "Explain how to sit down at the first sign.", check="safety_recall")
    assert any("severe" in reason for reason in told) == is_held


@pytest.mark.parametrize(
    ("ct", "is_alarm"),
    [("GCS 15, CT of the head normal.", False), ("GCS 15.", True), ("GCS 13, CT normal.", True)],
)
def test_a_clear_head_of_whoever_is_awake_is_no_emergency(knowledge, ct, is_alarm):
    note = f"Head injury two hours ago on apixaban. {ct}"
    patient = Patient(patient_id="p", age=70, sex="male", notes=[note], medications=["apixaban"])
    assert any("Head injury" in a.flag_name for a in knowledge.alarms(patient)) == is_alarm
    assert ("emergency" in knowledge.findings(patient)) == is_alarm


SVT = "Regular narrow complex tachycardia of 188 since an hour ago."


@pytest.mark.parametrize(
    ("actions", "is_put_off"),
    [
        (("Valsalva manoeuvre now.", "Refer to the arrhythmia clinic."), False),
        (("Refer to the arrhythmia clinic.",), True),
        (("Valsalva manoeuvre now.", "Send him home to the clinic."), True),
    ],
)
def test_a_referral_beside_the_answer_puts_nothing_off(failed, actions, is_put_off):
    vitals = {**QUIET, "heart_rate": 188}
    assert bool(failed(SVT, *actions, check="timeliness", vitals=vitals)) == is_put_off


@pytest.mark.parametrize(
    ("note", "is_recent"),
    [
        ("Ten days after a drug-eluting stent.", True),
        ("Tres semanas después de un stent.", True),
        ("Ten days after a fall, stent in 2015.", False),
    ],
)
def test_days_after_a_stent_are_recent(knowledge, note, is_recent):
    patient = Patient(patient_id="p", age=60, sex="male", notes=[note])
    assert ("recent_stent" in knowledge.findings(patient)) == is_recent


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("Dosulepin overdose, broad QRS.", "Flecainide 100 mg iv.", "tricyclic"),
        ("Tormenta tiroidea.", "Aspirina 500 mg.", "thyroid hormone"),
        ("Empyema.", "Alteplase 10 mg intravenously.", "pleura"),
        ("Empyema.", "Alteplase 10 mg through the drain.", ""),
        ("Brittle asthma.", "Bisoprolol 2.5 mg.", "severe asthma"),
    ],
)
def test_what_forbids_a_drug_is_named(knowledge, note, text, reason):
    findings = knowledge.findings(Patient(patient_id="p", age=50, sex="female", notes=[note]))
    told = [p.against for p in knowledge.book.problems([text], findings) if p.kind != "dose"]
    assert any(reason in against for against in told) if reason else "pleura" not in str(told)


def test_shocks_of_a_device_are_no_shock(knowledge):
    patient = Patient(patient_id="p", age=50, sex="male", notes=["Two shocks from his ICD in May."])
    assert not [a for a in knowledge.alarms(patient) if a.flag_name == "Shock"]
    patient = Patient(patient_id="p", age=50, sex="male", notes=["He is in shock, cold and grey."])
    assert [a for a in knowledge.alarms(patient) if a.flag_name == "Shock"]
