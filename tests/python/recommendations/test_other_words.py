"""Orders, allergies and findings told in other words than the seeds' own."""

import pytest

from python_llm.recommendations.checks.tiers import _objection
from python_llm.recommendations.drugs.book import Problem
from python_llm.recommendations.drugs.orders import STOP
from python_llm.recommendations.schema import Patient


def patient(*notes, **facts):
    return Patient(**{"patient_id": "p", "age": 50, "sex": "female", "notes": list(notes), **facts})


def against(checker, text, person):
    """Why the drugs of one action must not be given, or stopped."""
    findings = checker.knowledge.findings(person)
    return [p.against for p in checker.knowledge.book.problems([text], findings)]


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("Stools like tar since Monday.", "active_bleeding"),
        ("Deposiciones alquitranadas desde ayer.", "active_bleeding"),
        ("Dementia with Lewy bodies.", "lewy_body"),
        ("She and her husband hope for a child and are trying for a baby.", "planning_pregnancy"),
        ("Urinary metanephrines four times the limit.", "pheochromocytoma"),
        ("CT angiography shows an M1 occlusion.", "ischemic_stroke"),
        ("MR-conditional pacemaker since 2020.", "mr_conditional"),
    ],
)
def test_findings_have_their_other_names(knowledge, note, finding):
    assert finding in knowledge.findings(patient(note))


@pytest.mark.parametrize(
    ("text", "facts", "reason"),
    [
        ("Start risperidone 0.5 mg.", {"notes": ["Lewy body dementia."]}, "Lewy"),
        ("Start topiramate 25 mg.", {"notes": ["Planning a pregnancy."]}, "pregnancy is planned"),
        ("Start itraconazole 200 mg.", {"medications": ["ciclosporin 100 mg"]}, "strong CYP3A4"),
        ("CT with iodinated contrast.", {"notes": ["Anaphylaxis to iohexol."]}, "contrast allergy"),
        ("Vincristine 2 mg down the spinal needle.", {}, "intrathecal"),
        ("Halt clonidine; tapering is unnecessary.", {"medications": ["clonidine"]}, "rebound"),
        ("Take clonidine away, no taper.", {"medications": ["clonidine"]}, "rebound"),
        ("End prednisolone today.", {"medications": ["prednisolone 10 mg"]}, "adrenal crisis"),
    ],
)
def test_what_must_not_be_done_is_read_in_other_words(checker, text, facts, reason):
    notes = facts.pop("notes", ["Prednisolone for two years."])
    assert any(reason in told for told in against(checker, text, patient(*notes, **facts)))


@pytest.mark.parametrize(
    "text",
    [
        "Amoxicillin is off limits.",
        "Penicillins must never be given again.",
        "Because amoxicillin gave her anaphylaxis, no penicillin.",
        "Make sure nobody prescribes amoxicillin.",
        "Steer clear of amoxicillin.",
    ],
)
def test_an_allergy_is_respected_in_other_words(knowledge, text):
    assert knowledge.book.affirmed(text) == set()


def test_who_does_not_interrupt_goes_on(knowledge):
    (mention,) = knowledge.book.named("Do not pause the colchicine.")
    assert mention.affirmed


def test_the_end_of_a_course_is_no_stop(knowledge):
    (mention,) = knowledge.book.named("Review at the end of prednisolone.")
    assert STOP not in knowledge.book.circumstances(mention)


@pytest.mark.parametrize(
    "text",
    [
        "Insulin 10 units in 50 mL of 50 % glucose.",
        "Adrenaline 0.5 mg now, repeated after five minutes if there is no improvement.",
        "Aspirina 300 mg masticada y prasugrel 60 mg en la sala.",
    ],
)
def test_what_is_right_is_not_called_wrong(checker, text):
    person = patient(
        "Anaphylaxis to a wasp sting. Potassium 6.9.", labs=[{"name": "potassium", "value": 6.9}]
    )
    told = against(checker, text, person)
    assert not any(w in t for t in told for w in ("second line", "slow release", "without glucose"))


def test_a_breastfeeding_mother_has_a_baby(checker):
    person = patient("Breastfeeding, six weeks after the birth.")
    findings = checker.knowledge.findings(person)
    told = checker._hazards.of_another("Watch the baby for drowsiness.", person, findings)
    assert told == ""
    other = patient("Hypertension.")
    assert checker._hazards.of_another(
        "Watch the baby for drowsiness.", other, checker.knowledge.findings(other)
    )


def test_a_drug_that_goes_on_is_not_called_stopped():
    problem = Problem("ramipril", "potassium above 6.5: nobody stops it", "absolute", 1, (), "stop")
    assert _objection(problem) == "goes on in spite of potassium above 6.5"
