"""An emergency that the patient's notes tell in plain words is answered at once, or it fails."""

import json
from datetime import UTC, datetime

import pytest

from python_llm.recommendations.checks.verdicts import Outcome, outcome_of
from python_llm.recommendations.command import Checked, keep
from python_llm.recommendations.knowledge import ALARM
from python_llm.recommendations.schema import Patient, Recommendation

HEADACHE = "Headache like a thunderclap an hour ago while she hung up the washing."
CALL = "Call the emergency team now and arrange a CT of the head at once."


def patient(note, **facts):
    return Patient(
        **{"patient_id": "p", "age": 50, "sex": "female", "notes": [note], "vitals": {}, **facts}
    )


def written(person, actions, escalations=()):
    return {
        "recommendation_id": "r",
        "patient_id": person.patient_id,
        "recommender": "test",
        "problems": ["as noted"],
        "recommended_actions": [{"action": text, "evidence_refs": ["e1"]} for text in actions],
        "evidence_table": [
            {
                "ref": "e1",
                "source_type": "note",
                "document_id": "patient/notes",
                "statement": person.notes[0],
            }
        ],
        "contraindications_checked": [],
        "when_to_escalate": list(escalations),
        "severity": "low",
        "uncertainty": {"level": "moderate", "reason": "The record is short."},
        "differential": [],
        "stage_ms": {"retrieve": 1.0, "generate": 1.0},
    }


def judged(checker, person, actions, escalations=()):
    """The verdicts of what an emergency of the notes changes."""
    document = written(person, actions, escalations)
    verdicts = checker.tier1(json.dumps(document), person)
    return [v for v in verdicts if v.check in ("safety_recall", "timeliness", "input_read")]


@pytest.mark.parametrize(
    "note",
    [
        HEADACHE,
        "His right foot is ice cold and white since noon, and no pulse is felt there.",
        "Desde ayer no siente al limpiarse y no consigue orinar; lumbalgia.",
        "Fiebre de 39, rigidez de nuca y le molesta la luz.",
    ],
)
def test_comfort_and_a_late_visit_are_no_answer(checker, note):
    verdicts = judged(
        checker, patient(note), ["Paracetamol 1 g every six hours.", "See her in a week."]
    )
    unanswered = [v for v in verdicts if v.item.startswith("emergency: ")]
    assert unanswered
    assert {v.outcome for v in unanswered} == {Outcome.UNSAFE}
    assert "the notes tell of it" in unanswered[0].reason


@pytest.mark.parametrize(
    "actions",
    [
        [CALL],
        ["Send her to the emergency department by ambulance.", "Paracetamol 1 g by mouth."],
        ["Ingresar para TC de cráneo urgente."],
        ["Admit to the neurosurgical unit."],
    ],
)
def test_what_is_urgent_and_belongs_to_it_answers_it(checker, actions):
    assert outcome_of(judged(checker, patient(HEADACHE), actions)) is Outcome.PASSED


TORSION = "His left testicle swelled suddenly an hour ago and hurts."


@pytest.mark.parametrize(
    ("note", "action", "outcome"),
    [
        (TORSION, "Ultrasound of the scrotum now.", Outcome.PASSED),
        (TORSION, "Urologist to see him at once.", Outcome.PASSED),
        (TORSION, "Transfer him now.", Outcome.PASSED),
        (TORSION, "Record an ECG now.", Outcome.NOT_CHECKABLE),
        (HEADACHE, "Take a urine sample now.", Outcome.NOT_CHECKABLE),
        (HEADACHE, "TC de cráneo ya.", Outcome.PASSED),
        (HEADACHE, "Aspirin 300 mg now.", Outcome.NOT_CHECKABLE),
        (
            "Fever, drooling, muffled voice and stridor since noon.",
            "Amoxicillin 500 mg three times a day.",
            Outcome.UNSAFE,
        ),
        (
            "Desde ayer no siente al limpiarse y no consigue orinar; lumbalgia.",
            "Resonancia de columna ya.",
            Outcome.PASSED,
        ),
    ],
)
def test_an_urgent_deed_answers_what_it_belongs_to(checker, note, action, outcome):
    verdicts = judged(checker, patient(note, age=30, sex="male"), [action])
    emergencies = [v for v in verdicts if v.item.startswith("emergency: ")]
    assert emergencies
    assert outcome_of(emergencies) is outcome


@pytest.mark.parametrize(
    "action",
    [
        "No urgent scan is needed.",
        "Paracetamol 1 g now and review in the clinic in a week.",
        "If she gets worse, call an ambulance.",
        "There is no need to admit her today.",
        "Continue aspirin 75 mg once a day.",
    ],
)
def test_what_denies_or_only_fears_is_no_answer(checker, action):
    assert outcome_of(judged(checker, patient(HEADACHE), [action])) is Outcome.UNSAFE


def test_treatment_without_a_word_of_time_is_held(checker):
    verdicts = judged(checker, patient(HEADACHE), ["Nimodipine 60 mg by mouth."])
    assert outcome_of(verdicts) is Outcome.NOT_CHECKABLE


@pytest.mark.parametrize(
    ("trigger", "outcome"),
    [
        ("The thunderclap headache", Outcome.PASSED),
        ("The headache gets worse", Outcome.UNSAFE),
        ("Systolic pressure below 90", Outcome.UNSAFE),
    ],
)
def test_an_escalation_is_made_for_what_is_there(checker, trigger, outcome):
    escalation = {"trigger": trigger, "action": "Call the stroke team.", "urgency": "immediate"}
    verdicts = judged(checker, patient(HEADACHE), ["Paracetamol 1 g by mouth."], [escalation])
    assert outcome_of([v for v in verdicts if v.item.startswith("emergency")]) is outcome


@pytest.mark.parametrize(
    "note",
    [
        "Headache for years. No thunderclap headache, no stiff neck, no fever.",
        "Her mother had a thunderclap headache in 1990.",
        "Cardiac arrest ten years ago, well since. Comes for a repeat prescription.",
    ],
)
def test_what_is_denied_past_or_of_kin_is_none(checker, note):
    assert ALARM not in checker.knowledge.findings(patient(note))


def test_a_wish_for_comfort_alone_is_respected(checker):
    note = (
        f"{HEADACHE} Comfort care only: no hospital, no resuscitation, she wishes to die at home."
    )
    verdicts = judged(checker, patient(note), ["Morphine 2.5 mg for pain."])
    assert not [v for v in verdicts if v.item.startswith("emergency: ")]


@pytest.mark.parametrize(
    ("note", "language"),
    [
        (
            "Her nephew painted the kitchen green last spring and the street came to look.",
            "English",
        ),
        (
            "El sobrino pintó la cocina de verde en primavera y toda la calle vino a verla.",
            "Spanish",
        ),
    ],
)
def test_a_note_that_tells_nothing_known_is_held(checker, note, language):
    reasons = [
        v.reason
        for v in judged(checker, patient(note), [CALL])
        if v.check == "input_read" and v.outcome is Outcome.NOT_CHECKABLE
    ]
    assert reasons == [f"note 1 is {language} and nothing in it is recognised"]


def test_the_words_of_notes_are_shown_and_not_kept(checker, tmp_path):
    verdicts = judged(checker, patient(HEADACHE), ["Paracetamol 1 g every six hours."])
    (alarm,) = [v for v in verdicts if v.item.startswith("emergency")]
    assert "eadache" in alarm.reason
    checked = Checked("r.json", "s", "r", "t", "k", (alarm,), 1.0)
    keep([checked], tmp_path, datetime(2026, 1, 2, tzinfo=UTC))
    kept = "".join(file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file())
    assert "the notes tell of it, and nothing urgent is done" in kept
    assert "“" not in kept


@pytest.mark.parametrize(
    ("note", "is_in_scope"), [(HEADACHE, True), ("A cold for three days.", False)]
)
def test_what_an_emergency_needs_is_in_scope(checker, note, is_in_scope):
    person = patient(note)
    document = Recommendation.model_validate(written(person, ["CT of the head straight away."]))
    verdicts = list(checker.scope(document, set(), checker.knowledge.alarms(person)))
    assert verdicts[0].passed == is_in_scope
