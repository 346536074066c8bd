"""What is known of one drug, name or word is known of its whole family."""

import pytest

from python_llm.recommendations.checks.grounds import Grounds
from python_llm.recommendations.checks.sides import Sides
from python_llm.recommendations.drugs.history import TAKES
from python_llm.recommendations.schema import Patient


def person(*notes, age=60, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=list(notes), **facts)


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("Rifinah", "rifampicin"),
        ("Zaldiar", "tramadol"),
        ("co-codamol", "codeine"),
        ("Kaletra", "cyp3a4_inhibitor"),
        ("Stugeron", "antihistamine"),
        ("Buscapina", "anticholinergic"),
        ("Azilect", "maoi"),
        ("Anafranil", "tricyclic"),
        ("Epilim", "valproate"),
        ("Oramorph", "opioid"),
        ("Sandimmun", "ciclosporin"),
    ],
)
def test_a_trade_name_is_its_drug(knowledge, name, concept):
    assert concept in knowledge.book.concepts(f"Takes {name}.")


@pytest.mark.parametrize(
    ("order", "record", "against"),
    [
        ("Start apixaban 5 mg.", {"medications": ["Rifinah"]}, "strong inducer"),
        ("Give gentamicin 240 mg.", {"medications": ["pyridostigmine"]}, "myasthenia"),
        ("Give droperidol 2.5 mg.", {"medications": ["levodopa"]}, "dopamine"),
        ("Start hydroxyzine 25 mg.", {"notes": ["QTc 540 ms today."]}, "prolonged QT"),
        ("Start oxcarbazepine 300 mg.", {"conditions": ["porphyria"]}, "porphyria"),
        ("Start sertraline 50 mg.", {"medications": ["Azilect"]}, "MAO"),
        ("Give sulfasalazine 1 g.", {"notes": ["Favism since childhood."]}, "G6PD"),
        ("Give promethazine 5 mg.", {"age": 1}, "below 2 years"),
        ("Start Xarelto 20 mg.", {"notes": ["St Jude aortic prosthesis, warfarin."]}, "valve"),
        ("Give Methergin 0.2 mg.", {"vitals": {"systolic_bp": 168}}, "hypertension"),
        ("Start lithium 400 mg.", {"notes": ["She is breastfeeding."]}, "breastfeeding"),
    ],
)
def test_what_forbids_one_forbids_its_family(knowledge, order, record, against):
    facts = {"patient_id": "p", "age": 60, "sex": "female", **record}
    patient = Patient.model_validate(facts)
    problems = knowledge.book.problems([order], knowledge.findings(patient))
    assert any(against in problem.against for problem in problems)


@pytest.mark.parametrize(
    ("note", "is_recent"),
    [
        ("DES to the LAD five weeks ago.", True),
        ("PCI of the right coronary three weeks ago.", True),
        ("Angioplastia hace dos meses.", True),
        ("Five weeks ago a drug-eluting stent was placed in the LAD.", True),
        ("Five weeks ago he got two stents in his heart.", True),
        ("DES to LAD 5/52 ago.", True),
        ("PCI 3/12 ago.", True),
        ("Hace cinco semanas, IAMCEST anterior tratado con stent.", True),
        ("Five weeks ago he declined a stent.", False),
        ("PCI 9/12 ago.", False),
        ("PCI of the right coronary nine months ago.", False),
        ("DES to the LAD in 2015.", False),
    ],
)
def test_a_stent_has_many_names(knowledge, note, is_recent):
    assert ("recent_stent" in knowledge.findings(person(note))) == is_recent


@pytest.mark.parametrize(
    ("note", "is_allergic"),
    [
        ("When somebody gave him Augmentin his face blew up like a balloon.", True),
        ("They gave her amoxicillin and she nearly died.", True),
        ("His lips swelled after prawns. Somebody gave him amoxicillin.", False),
        ("They gave her amoxicillin for her throat and she got well.", False),
        ("They gave her mother amoxicillin and nothing came of it.", False),
    ],
)
def test_a_reaction_to_what_somebody_gave(knowledge, note, is_allergic):
    assert ("allergy:penicillin" in knowledge.findings(person(note))) == is_allergic


def test_what_a_drug_once_did_closes_no_airway_now(knowledge):
    allergic = person("Alergia a penicilina (edema de glotis con Augmentine).")
    assert "stridor" not in knowledge.findings(allergic)
    for now in (
        "Estridor y edema de glotis ahora.",
        "Allergic to nuts: stridor ten minutes after a biscuit.",
        "Stridor since the first dose of Augmentine.",
    ):
        assert "stridor" in knowledge.findings(person(now)), now
    now = "Allergic to shellfish. Hives and a tight throat after prawns ten minutes ago."
    assert "airway_sign" in knowledge.findings(person(now))


@pytest.mark.parametrize(
    ("note", "order", "is_wrong"),
    [
        ("4 cm rim of air on the right, left lung up.", "Insert a drain on the left side.", True),
        ("4 cm rim of air on the right, left lung up.", "Insert a drain on the right side.", False),
        ("Crackles at the rt base, left fine.", "Drain the left chest.", True),
        ("15 l chest drain output, effusion on the right.", "Drain the right chest.", False),
    ],
)
def test_a_lung_that_is_up_is_not_the_sick_one(knowledge, note, order, is_wrong):
    sides = Sides(knowledge)
    told = sides.told(person(note))
    assert bool(list(sides.problems(order, told, is_bleeding=False))) == is_wrong


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Avoid trimethoprim because of methotrexate.", set()),
        ("Give vitamin K because of her warfarin.", {"vitamin k"}),
        ("Evitar claritromicina por interacción con simvastatina.", set()),
        ("Give heparin because he takes it well.", {"heparin"}),
    ],
)
def test_a_drug_that_is_the_reason_is_not_given(knowledge, text, given):
    named = {m.concept for m in knowledge.book.named(text) if m.affirmed}
    assert {name for name in named if name in knowledge.book.drugs} == given


def test_the_emergency_is_the_reason_for_its_drug(knowledge):
    def reasons(note, order):
        patient = person(note)
        mentions = knowledge.book.named(order)
        return list(
            Grounds(knowledge)._without_reason(
                mentions, knowledge.findings(patient), set(), knowledge.alarms(patient)
            )
        )

    assert not reasons("Elephant on his chest since noon, grey.", "Give aspirin 300 mg now.")
    assert reasons("A verruca of the left foot.", "Give aspirin 300 mg now.")
    assert TAKES  # what is taken needs no reason, and nothing is taken here


def test_an_antihistamine_is_no_answer_to_anaphylaxis(checker):
    knowledge = checker.knowledge
    alarms = knowledge.alarms(person("Throat tight five minutes after a dose of amoxicillin."))
    assert checker._answers.answers("Give adrenaline 0.5 mg into the thigh now.", alarms)
    assert not checker._answers.answers("Give cetirizine 10 mg by mouth now.", alarms)


@pytest.mark.parametrize(
    ("note", "is_deficient"),
    [
        ("G6PD normal", False),
        ("G6PD level checked and normal", False),
        ("Normal G6PD", False),
        ("G6PD assay 9.8 U/g Hb (normal)", False),
        ("G6PD within the normal range", False),
        ("G6PD deficiency, normal blood count", True),
        ("G6PD below normal", True),
        ("G6PD activity not normal", True),
        ("Normal ECG, G6PD deficiency", True),
    ],
)
def test_a_normal_enzyme_is_no_deficiency(knowledge, note, is_deficient):
    assert ("g6pd" in knowledge.findings(person(note))) == is_deficient


@pytest.mark.parametrize(
    ("note", "finding", "is_hers"),
    [
        ("Madre con miastenia gravis; la paciente no la padece.", "myasthenia", False),
        ("Su madre tiene miastenia gravis.", "myasthenia", False),
        ("Antecedentes familiares: miastenia gravis en la madre.", "myasthenia", False),
        ("Madre con QT largo.", "qt_prolonged", False),
        ("Abuela con epilepsia.", "seizures", False),
        ("La madre refiere que el niño tiene epilepsia.", "seizures", True),
        ("Acude la madre con el niño, epilepsia conocida.", "seizures", True),
        ("Acude con su hija con epilepsia y miastenia.", "myasthenia", True),
        ("Paciente con miastenia gravis.", "myasthenia", True),
    ],
)
def test_what_a_spanish_relative_has_is_not_hers(knowledge, note, finding, is_hers):
    assert (finding in knowledge.findings(person(note))) == is_hers


@pytest.mark.parametrize(
    ("note", "is_wrong"),
    [
        ("COPD exacerbation. Day 5 of 5 of prednisone 40 mg.", False),
        ("COPD exacerbation, prednisone 40 mg, day 5 of 5.", False),
        ("COPD, prednisone for many years.", True),
        ("Prednisone 5 mg long-term; now prednisone 40 mg day 5 of 5.", True),
        ("Prednisone 10 mg, amoxicillin day 5 of 5.", True),
    ],
)
def test_a_burst_of_steroid_may_end(knowledge, note, is_wrong):
    facts = {"patient_id": "p", "age": 60, "sex": "female", "medications": ["prednisone 40 mg"]}
    findings = knowledge.findings(Patient.model_validate({**facts, "notes": [note]}))
    problems = knowledge.book.problems(["Stop prednisone after today's dose."], findings)
    assert any("long-term steroid" in problem.against for problem in problems) == is_wrong


@pytest.mark.parametrize(
    ("note", "is_of_today"),
    [
        ("STEMI five weeks ago, stent.", False),
        ("Five weeks ago STEMI, stent.", False),
        ("STEMI two hours ago.", True),
        ("STEMI five weeks ago, ST elevation again today.", True),
        ("STEMI five weeks ago. Now anterior STEMI.", True),
    ],
)
def test_an_infarction_of_weeks_ago_is_not_now(knowledge, note, is_of_today):
    assert ("stemi" in knowledge.findings(person(note))) == is_of_today
