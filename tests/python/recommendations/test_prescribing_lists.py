"""Rules of the lists of prescribing errors and never events: STOPP/START, Beers, the drug safety
alerts of EMA and MHRA, UK MEC, NHS Never Events; and the same orders where they are right."""

import pytest

from python_llm.recommendations.checks.urgency import DEFINING, Urgency
from python_llm.recommendations.schema import Patient


@pytest.fixture(scope="module")
def against(knowledge):
    """What the rules of drugs say against an order, from the problem list of a patient."""

    def told(text, age, sex, conditions=(), medications=()):
        patient = Patient(
            patient_id="p", age=age, sex=sex, conditions=conditions, medications=medications
        )
        problems = knowledge.book.problems([text], knowledge.findings(patient), is_whole=True)
        return "; ".join(p.against for p in problems if p.seriousness not in ("note",))

    return told


@pytest.mark.parametrize(
    ("age", "sex", "conditions", "medications", "text", "reason"),
    [
        (84, "male", ["repeated falls"], [], "Start zopiclone 3.75 mg at night.", "falls"),
        (84, "male", ["caídas de repetición"], [], "Iniciar lorazepam 1 mg.", "falls"),
        (79, "female", ["dementia"], [], "Start solifenacin 5 mg daily.", "anticholinergic"),
        (79, "female", ["sick sinus"], [], "Start galantamine 8 mg.", "bradycardia"),
        (79, "female", ["urgency"], ["donepezil"], "Start oxybutynin 5 mg.", "cholinesterase"),
        (79, "female", ["diabetes"], [], "Start glimepiride 1 mg daily.", "long hypoglycaemia"),
        (66, "male", ["bladder cancer"], [], "Start pioglitazone 15 mg.", "bladder cancer"),
        (66, "male", ["hyponatraemia"], [], "Start citalopram 10 mg.", "low sodium"),
        (29, "female", ["visual aura"], [], "Start the combined pill today.", "stroke"),
        (29, "female", ["trombofilia"], [], "Prescribe ethinylestradiol 30 micrograms.", "thrombo"),
        (39, "female", ["smoker"], [], "Prescribe the combined pill.", "smoker from 35"),
        (50, "female", ["breast cancer"], [], "Start estradiol 1 mg daily.", "breast cancer"),
        (25, "female", ["bulimia"], [], "Start bupropion 150 mg.", "eating disorder"),
        (25, "female", ["optic neuritis"], [], "Start etanercept 50 mg.", "demyelinating"),
        (45, "male", ["HBsAg positive"], [], "Start rituximab 1 g.", "hepatitis B"),
        (70, "male", ["arthritis"], [], "Start upadacitinib 15 mg.", "only if nothing else"),
        (40, "male", ["heart block"], [], "Start fingolimod 0.5 mg.", "asystole"),
        (60, "male", ["thrush"], ["warfarin"], "Miconazole gel four times a day.", "INR rises"),
        (60, "male", ["epilepsy"], ["carbamazepine"], "Clarithromycin 500 mg.", "carbamazepine"),
        (60, "male", ["heart failure"], [], "Domperidone 10 mg before meals.", "arrhythmia"),
        (60, "male", ["heart failure"], [], "Desmopressin 25 micrograms.", "water is kept"),
        (26, "female", ["epilepsy"], [], "Start valproate 300 mg twice a day.", "may conceive"),
        (26, "female", ["migraine"], [], "Start topiramate 25 mg at night.", "may conceive"),
        (35, "male", ["schizophrenia"], [], "Mefloquine 250 mg weekly.", "mental illness"),
        (35, "male", ["epilepsia"], [], "Mefloquina 250 mg semanal.", "epilepsy"),
        (35, "male", ["Crohn's disease"], [], "Naproxen 500 mg twice daily.", "bowel disease"),
        (75, "male", ["postural hypotension"], [], "Start doxazosin 1 mg.", "on standing"),
        (75, "male", ["MEN 2"], [], "Start semaglutide 0.25 mg weekly.", "thyroid"),
        (75, "male", ["raynaud"], [], "Ergotamine 1 mg at the start.", "gangrene"),
        (75, "female", ["myocardial infarction"], [], "Romosozumab 210 mg.", "infarction"),
        (50, "male", ["C difficile colitis"], [], "Loperamide 4 mg now.", "megacolon"),
        (28, "female", ["puerperio", "breastfeeding"], [], "The combined pill.", "breastfeeding"),
        (60, "male", ["gout", "myocardial infarction"], [], "Febuxostat 80 mg.", "more deaths"),
        (60, "male", ["hypertension"], ["tizanidine"], "Clonidine 0.1 mg.", "alpha-2"),
        (60, "male", ["HIV"], ["atazanavir"], "Lansoprazole 30 mg daily.", "not absorbed"),
        (60, "male", ["psychosis"], ["clozapine"], "Start fluvoxamine 50 mg.", "clozapine level"),
        (60, "male", ["transplant"], ["mycophenolate"], "Start azathioprine 50 mg.", "marrow"),
        (70, "male", ["depression"], [], "Start citalopram 40 mg daily.", "20 mg at most"),
        (60, "male", ["alcoholism"], [], "Start methotrexate 10 mg weekly.", "fibrosis"),
        (80, "male", ["pain"], [], "Start pethidine 50 mg.", "seizures"),
        (16, "female", ["anxiety"], [], "Start paroxetine 10 mg daily.", "suicidal"),
        (
            *(72, "male", ["peptic ulcer"], ["clopidogrel", "lansoprazole"]),
            *("Stop lansoprazole.", "at risk of bleeding"),
        ),
    ],
)
def test_rules_of_prescribing_lists(against, age, sex, conditions, medications, text, reason):
    assert reason in against(text, age, sex, conditions, medications)


@pytest.mark.parametrize(
    ("age", "sex", "conditions", "medications", "text", "reason"),
    [
        (70, "male", ["depression"], [], "Start citalopram 20 mg daily.", "at most"),
        (44, "male", ["repeated falls"], [], "Start zopiclone 3.75 mg at night.", "falls"),
        (84, "male", ["falls"], ["zopiclone"], "Taper zopiclone over four weeks.", "falls"),
        (50, "male", ["diabetes"], [], "Start glimepiride 1 mg daily.", "hypoglycaemia"),
        (29, "female", ["visual aura"], [], "Start desogestrel 75 micrograms.", "stroke"),
        (29, "female", ["smoker"], [], "Prescribe the combined pill.", "smoker"),
        (26, "male", ["epilepsy"], [], "Start valproate 300 mg twice a day.", "conceive"),
        (60, "female", ["epilepsy"], [], "Start valproate 300 mg twice a day.", "conceive"),
        (40, "female", ["hysterectomy"], [], "Start topiramate 25 mg.", "conceive"),
        (
            *(30, "female", ["epilepsy"], []),
            *("Start valproate 300 mg with the pregnancy prevention programme.", "conceive"),
        ),
        (
            *(72, "male", ["peptic ulcer"], ["clopidogrel", "omeprazole"]),
            *("Switch omeprazole to pantoprazole 40 mg.", "at risk of bleeding"),
        ),
    ],
)
def test_what_the_lists_do_not_forbid(against, age, sex, conditions, medications, text, reason):
    assert reason not in against(text, age, sex, conditions, medications)


COUNT = "Caesarean. The final count of sponges is one short."
PRAEVIA = "34 weeks. The scan shows a low-lying placenta. Spotting since noon."
FASTED = "Planned knee arthroscopy. Had a sandwich two hours ago."
UNCLE = "Hernia. An uncle died of malignant hyperthermia."
MOLE = "A mole on the calf, larger than last year, with a ragged border."
LENS = "Wears contact lenses. White infiltrate on the cornea."
KNEE = "First day after a knee replacement."
LYMPHOMA = "Burkitt lymphoma, first cycle today."
TUBE = "Le pusieron la sonda nasogástrica. No se ha medido el pH."


@pytest.mark.parametrize(
    ("note", "text", "reason", "facts"),
    [
        (COUNT, "Accept the count and transfer her to the ward.", "count", {}),
        (PRAEVIA, "Assess the cervix with a vaginal examination.", "finger", {}),
        ("Placenta previa, 35 semanas.", "Hacer un tacto vaginal.", "finger", {}),
        (FASTED, "Proceed under general anaesthesia.", "six hours", {}),
        (UNCLE, "Isoflurane for maintenance.", "malignant hyperthermia", {}),
        (MOLE, "Cryotherapy today.", "melanoma", {}),
        (LENS, "Dexamethasone drops four times a day.", "infected cornea", {}),
        ("Lentillas, ojo rojo con dolor.", "Puede seguir con lentillas.", "stay out", {}),
        (KNEE, "Omit enoxaparin, she is up already.", "clots are prevented", {}),
        (LYMPHOMA, "Start the cycle without allopurinol.", "breaks down fast", {}),
        (TUBE, "Empezar la nutrición por la sonda.", "nasogastric tube", {}),
        ("Intubated. No capnography trace.", "Fix the tube at 22 cm.", "no trace", {}),
        ("Labour.", "Connect the epidural bupivacaine to the cannula.", "stops the heart", {}),
        ("Stroke.", "Bathe her in water of 50 degrees.", "scalds", {}),
        ("Wanders at night, confused.", "Leave the window open.", "fall from a height", {}),
        ("Rhesus negative. Gave birth.", "She needs no anti-D.", "within 72 hours", {}),
        (
            *("Vasculitis.", "Skip co-trimoxazole.", "Pneumocystis"),
            {"medications": ["cyclophosphamide", "prednisolone"]},
        ),
        (
            *("A premolar hurts.", "Pull the premolar this week.", "bares the jaw"),
            {"medications": ["zoledronic acid"], "conditions": ["multiple myeloma"]},
        ),
        ("Hot since noon.", "Home with paracetamol, come back in two days.", "cultured", "infant"),
        ("Lupus.", "Blood counts on azathioprine can be dropped.", "all along", {}),
    ],
)
def test_deeds_of_never_event_lists(reasons, note, text, reason, facts):
    if facts == "infant":
        facts = {"age": 0.1, "vitals": {"temperature_c": 38.7}}
    assert reason in reasons(note, text, **facts)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (COUNT, "Search the theatre and X-ray her before the wound is closed."),
        (PRAEVIA, "No vaginal examination; admit her."),
        (FASTED, "Postpone until she has fasted six hours."),
        (UNCLE, "Total intravenous anaesthesia, no isoflurane."),
        (MOLE, "Refer to dermatology for excision."),
        (LENS, "Take the lenses out and scrape the cornea."),
        (KNEE, "Enoxaparin 40 mg daily for 14 days."),
        (TUBE, "Esperar a la radiografía."),
        ("Intubated. No capnography trace.", "Remove the tube and ventilate with a mask."),
        ("Neutrophils 0.3 on clozapine.", "Stop clozapine now and admit him."),
    ],
)
def test_what_never_event_lists_ask_for(reasons, note, text):
    assert not reasons(note, text)


def test_a_unit_named_by_its_group_is_blood(objections):
    patient = Patient(patient_id="p", age=45, sex="female", notes=["Group O negative. Bleeds."])
    assert any("incompatible" in o for o in objections(patient, "Hang the A positive units."))


def test_a_drug_called_wrong_is_not_ordered(knowledge):
    for text in (
        "Dabigatran is not for mechanical valves.",
        "Thiazides would raise her pressure.",
        "Trimethoprim is dangerous with methotrexate.",
        "Creatinina a las 48 horas del contraste.",
    ):
        assert not knowledge.book.affirmed(text), text


def test_controlled_asthma_needs_no_nebuliser(knowledge):
    needs = Urgency(knowledge.tables["guideline_rule_requirements"], knowledge.actions, DEFINING)

    def named(note):
        patient = Patient(
            patient_id="p",
            age=60,
            sex="male",
            notes=[note],
            medications=["salbutamol", "beclometasone"],
        )
        return {need.name for need in needs.needs(knowledge.findings(patient))}

    assert not named("Severe asthma, well controlled.")
    assert named("Severe asthma, wheezing all over.")
