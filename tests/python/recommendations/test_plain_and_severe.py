"""Plain follow-up that may pass, severe words that comfort alone may not meet, and reasons that an
action gives and the record does not tell."""

import json
import time

import pytest

from python_llm.recommendations.drugs.book import _contains
from python_llm.recommendations.interchange import submitted
from python_llm.recommendations.schema import Patient

QUIET = {"systolic_bp": 124, "heart_rate": 78, "respiratory_rate": 14, "spo2": 98}
SHOCKED = {"systolic_bp": 72, "heart_rate": 232}


def person(text, age=55, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


def whole(patient, actions):
    """A recommendation that is complete but for what its actions say."""
    return {
        "recommendation_id": "r",
        "patient_id": "p",
        "recommender": "another system",
        "stage_ms": {"check": 1.0},
        "severity": "low",
        "uncertainty": {"level": "moderate", "reason": "One visit."},
        "differential": ["none more likely"],
        "problems": ["complaint"],
        "recommended_actions": [{"action": text, "evidence_refs": ["E1"]} for text in actions],
        "evidence_table": [
            {
                "ref": "E1",
                "source_type": "note",
                "document_id": "patient/notes",
                "statement": patient.notes[0].split(". ")[0],
            }
        ],
        "contraindications_checked": [],
        "when_to_escalate": [
            {
                "trigger": "más dolor",
                "action": "Avisar al médico de guardia.",
                "urgency": "immediate",
            }
        ],
    }


@pytest.fixture(scope="session")
def judged_whole(checker):
    def outcomes(patient, *actions):
        verdicts = checker.tier1(json.dumps(whole(patient, actions)), patient)
        return {(str(v.outcome), v.reason) for v in verdicts if not v.passed}

    return outcomes


@pytest.mark.parametrize(
    "text",
    [
        "Lipids and ALT after eight weeks.",
        "HbA1c and kidney function in three months.",
        "Refer to the sleep clinic for overnight oximetry.",
        "Advise weight loss and no alcohol in the evening.",
        "No flying until it has gone.",
        "He can walk as much as he likes.",
        "No change of tablets today.",
        "No treatment needed for now.",
        "Volver antes si nota ahogo.",
        "Repasar la técnica del inhalador.",
        "Reforzar que no deje ninguna toma.",
        "Plenty to drink and rest.",
        "Potasio y magnesio en una semana.",
        "Come straight back if breathless.",
    ],
)
def test_plain_follow_up_of_whoever_is_well_passes(objections, text):
    note = "Sore rib since moving a wardrobe, ECG normal, worse on pressing."
    assert not objections(person(note, vitals=QUIET), text)


@pytest.mark.parametrize(
    "text",
    [
        "Liver biopsy, GP in a week.",
        "Physiotherapy. Inject the knee with steroid.",
        "Rest. Remove the tube on Sunday.",
        "Crutches. Polish the antlers.",
        "Lumbar puncture in a week.",
        "Start zorplexin, review in two weeks.",
    ],
)
def test_a_procedure_is_no_follow_up(objections, text):
    note = "Sore rib since moving a wardrobe, ECG normal, worse on pressing."
    assert objections(person(note, vitals=QUIET), text)


@pytest.mark.parametrize(
    ("saturation", "note", "is_quiet"),
    [
        (91, "COPD, as breathless as ever.", True),
        (91, "Cough, as breathless as ever.", False),
        (82, "COPD, as breathless as ever.", False),
    ],
)
def test_a_saturation_is_judged_by_the_disease(objections, saturation, note, is_quiet):
    patient = person(note, vitals={**QUIET, "spo2": saturation})
    reasons = objections(patient, "GP in a week.")
    assert any("nothing of cardiopulmonary" in reason for reason in reasons) is not is_quiet


@pytest.mark.parametrize(
    ("note", "actions"),
    [
        (
            "The calf screams under the plaster since midnight.",
            ["Leg up on pillows.", "GP in a week."],
        ),
        (
            "The room spun at ten, the left hand misses the cup.",
            ["Balance exercises, GP in a week."],
        ),
        (
            "Dolor muy fuerte de ese ojo desde anoche.",
            ["Lágrimas artificiales.", "Control en un mes."],
        ),
        ("Perdió la vista de ese ojo diez minutos.", ["Reposo y control en dos semanas."]),
        ("Blacked out twice on the stairs this week.", ["Drink more.", "Follow-up in two weeks."]),
    ],
)
def test_severe_words_need_more_than_comfort(judged_whole, note, actions):
    reasons = judged_whole(person(note, vitals=QUIET), *actions)
    assert any("nothing is done for it now" in reason for _, reason in reasons) or (
        "unsafe" in {outcome for outcome, _ in reasons}
    )


@pytest.mark.parametrize(
    ("note", "is_held"),
    [
        ("Chest tightness on every hill for two weeks, now also in bed.", True),
        ("Black sticky stools for three days.", True),
        ("Dolor en la pantorrilla, hinchada tras un vuelo.", True),
        ("Asthma, not well, uses the blue inhaler ten times a day.", True),
        ("Asthma, feels well, walks without trouble.", False),
        ("Dolor leve al palpar la costilla.", False),
    ],
)
def test_advice_alone_needs_something_settled(judged_whole, note, is_held):
    reasons = judged_whole(person(note, vitals=QUIET), "Brisk walking.", "GP in two weeks.")
    assert any("that it can wait" in reason for _, reason in reasons) is is_held


@pytest.mark.parametrize(
    ("note", "actions"),
    [
        ("Never fainted, no numb fingers, sore rib, ECG normal.", ["Rest.", "GP in a week."]),
        ("Sore rib, worse on pressing, ECG normal.", ["Rest.", "GP in a week."]),
        ("Blacked out this morning.", ["ECG today.", "GP in a week."]),
    ],
)
def test_what_is_denied_or_met_is_not_overlooked(judged_whole, note, actions):
    reasons = judged_whole(person(note, vitals=QUIET), *actions)
    assert not any("nothing is done for it now" in reason for _, reason in reasons)


def test_worse_pain_is_no_answer_to_an_emergency(judged_whole):
    note = "Dolor de barriga terrible, empezó de golpe. Fibrilación auricular. Lactato 6,1."
    reasons = judged_whole(person(note, vitals=QUIET), "Lactulosa 15 mL.", "Revisión en 48 horas.")
    assert any(o == "unsafe" and "nothing urgent is done" in reason for o, reason in reasons)


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("Apixaban 5 mg twice daily, because the ECG shows AF.", True),
        ("Doxycycline 100 mg twice a day, because of the pneumonia.", True),
        ("Furosemide 40 mg daily, as the ankles are swollen.", False),
        ("Furosemide 40 mg daily because of the ankle oedema.", False),
    ],
)
def test_a_reason_that_nobody_told_is_held(objections, text, is_held):
    patient = person("Heart failure with ankle oedema.", vitals=QUIET)
    reasons = objections(patient, text)
    assert any("the record does not tell" in reason for reason in reasons) is is_held


def test_a_reason_behind_an_order_is_no_tale(objections):
    patient = person("COPD exacerbation, green sputum.", vitals=QUIET, conditions=["COPD"])
    text = "Doxycycline 100 mg by mouth twice a day for five days, as the sputum is purulent."
    assert not objections(patient, text)
    assert objections(patient, "No oxygen needed as his saturation is 84.")


def test_the_same_again_is_an_order(objections):
    patient = person("Anaphylaxis to a wasp sting: hives and wheeze.", vitals=QUIET)
    text = "Adrenaline 0.5 mg into the thigh now; same again in five minutes if no better."
    assert not any("not understood" in reason for reason in objections(patient, text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("WPW, irregular broad-complex tachycardia.", "Shock him now: synchronised 200 J."),
        ("Accessory pathway, irregular and broad at 232.", "Cardiovert immediately, 150 J."),
    ],
)
def test_a_shock_answers_a_pre_excited_rhythm(judged_whole, note, text):
    patient = person(f"{note} Clammy, BP 72/40.", vitals=SHOCKED)
    told = judged_whole(patient, text, "Call the crash team now.")
    assert not any(outcome == "unsafe" for outcome, _ in told)


def test_a_slow_block_is_a_cause_of_shock(knowledge):
    note = "Complete heart block at 32, sweating."
    findings = knowledge.findings(person(note, vitals={"systolic_bp": 76, "heart_rate": 32}))
    assert "unstable" in findings
    assert "unexplained_shock" not in findings


@pytest.mark.parametrize(
    "note",
    [
        "A weight on his breastbone since six. ECG: ST segments sag in V4 to V6. Troponin 310.",
        "Elephant on the chest. ST down 2 mm in V3 to V6, troponin 480.",
        "Opresión en el pecho. Descenso del ST de 2 mm en V3 a V6, troponina 480.",
    ],
)
def test_a_coronary_syndrome_in_lay_words(knowledge, note):
    assert "nstemi" in knowledge.findings(person(note))


@pytest.mark.parametrize(
    ("age", "note", "is_told"),
    [
        (0.04, "Fifteen days old. Mum says she is hot.", True),
        (0.03, "Her newborn of ten days burns to the touch.", True),
        (0.04, "Slept through three feeds and is floppier than her brother.", True),
        (4, "Four years old. Mum says she is hot.", False),
        (0.04, "Fifteen days old, feeds well. No fever.", False),
    ],
)
def test_a_hot_newborn_is_an_emergency(knowledge, age, note, is_told):
    assert bool(knowledge.alarms(person(note, age))) is is_told


def test_a_measured_fever_of_a_newborn_is_one(knowledge):
    note = "Snuffles, feeding well."
    findings = knowledge.findings(person(note, 0.04, vitals={"temperature": 38.4}))
    assert "emergency" in findings
    assert "emergency" not in knowledge.findings(person(note, 4, vitals={"temperature": 38.4}))


@pytest.mark.parametrize(
    ("note", "is_told"),
    [
        ("He has written the letters, and keeps a shotgun in the boot; tonight.", True),
        ("Tonight would be the day, she says.", True),
        ("Wrote letters to her sister about the garden.", False),
    ],
)
def test_a_plan_of_suicide_by_what_is_ready(knowledge, note, is_told):
    flags = {alarm.flag_name for alarm in knowledge.alarms(person(note))}
    assert ("Plan of suicide" in flags) is is_told


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        (
            person("Low mood. Kidney transplant.", medications=["tacrolimus 3 mg"]),
            "St John's wort 300 mg three times daily.",
            "rejection",
        ),
        (
            person("Nocturia.", labs=[{"name": "sodium", "value": 126, "unit": "mmol/L"}]),
            "Desmopressin 0.2 mg by mouth at night.",
            "sodium below 130",
        ),
        (
            person("Osteoporosis. Achalasia."),
            "Alendronate 70 mg once a week.",
            "esophagus",
        ),
        (
            person("Headache for weeks, both discs swollen."),
            "Lumbar puncture now.",
            "in spite of",
        ),
    ],
)
def test_what_harms_by_another_rule(objections, patient, text, reason):
    assert any(reason in told for told in objections(patient, text))


@pytest.mark.parametrize(
    ("citation", "kind"),
    [
        ("patient/notes", "note"),
        ("patient/labs", "lab"),
        ("drug_safety#1", "drug"),
        ("pe_2019#1", "guideline"),
    ],
)
def test_another_system_may_cite_the_record(checker, citation, kind):
    document = {
        "patient": {"id": "p", "age": 60, "sex": "male", "notes": "Embolism of the lung on CT."},
        "recommendation": {"actions": [{"text": "Apixaban 10 mg.", "citations": [citation]}]},
    }
    native = json.loads(submitted(document).recommendation)
    assert native["evidence_table"][0]["source_type"] == kind
    patient = Patient.model_validate_json(submitted(document).patient)
    verdicts = checker.tier1(json.dumps(native), patient)
    cited = [v for v in verdicts if v.check.startswith("citation") and "patient/notes" in v.reason]
    assert not [v for v in cited if v.outcome == "unsafe"]


def test_a_phrase_is_found_wherever_it_begins():
    tokens = ("a", "b", "a", "c", "d")
    assert _contains(tokens, ("a", "c"))
    assert _contains(tokens, ("d",))
    assert not _contains(tokens, ("c", "a"))
    assert not _contains(tokens, ("d", "a"))


def test_a_long_list_of_drugs_is_read_in_time(checker):
    text = ", ".join(f"bisoprolol {n % 9 + 1} mg and ramipril {n % 5 + 1} mg" for n in range(250))
    patient = person("Heart failure.", vitals=QUIET)
    document = json.dumps(whole(patient, [text]))
    checker.tier1(document, patient)
    began = time.process_time()
    checker.tier1(document.replace("ramipril", "lisinopril"), patient)
    assert time.process_time() - began < 4
