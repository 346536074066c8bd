"""Right orders in other words that were held or called unsafe, by kind: what an order does not
give, what it aims at, whose drug it is, plain care, known names; and the twins that are wrong."""

import pytest

from python_llm.recommendations.checks.care import NOTHING_OF_THE_FIELD
from python_llm.recommendations.checks.targets import Targets
from python_llm.recommendations.schema import Lab, Patient


def affirmed(knowledge, text):
    return {mention.concept for mention in knowledge.book.named(text) if mention.affirmed}


def test_a_drug_that_is_named_and_not_given(knowledge):
    not_given = [
        ("Ask his sister to bring the morphine tablets to the pharmacy today.", "morphine"),
        ("Llevar los comprimidos de morfina a la farmacia.", "morphine"),
        ("Observe for a day, because the methadone lasts longer.", "methadone"),
        ("Observar 24 horas, porque la metadona dura más.", "methadone"),
        ("Suero antiofídico en una hora, con adrenalina preparada.", "epinephrine"),
        ("Keep adrenaline at hand.", "epinephrine"),
        ("Morfina no; paracetamol 1 g.", "morphine"),
        ("Revisar las dosis de insulina con él.", "insulin"),
        ("Rasburicase 0.2 mg/kg today to prevent tumour lysis.", "thrombolytic"),
    ]
    wrong = [text for text, drug in not_given if drug in affirmed(knowledge, text)]
    given = [
        ("Bring the morphine to the bedside and give morphine 5 mg.", "morphine"),
        ("Give methadone 30 mg because the methadone is needed.", "methadone"),
        ("Adrenalina 0,5 mg intramuscular.", "epinephrine"),
        ("Lysis with alteplase now.", "thrombolytic"),
    ]
    wrong += [text for text, drug in given if drug not in affirmed(knowledge, text)]
    assert not wrong


def test_how_far_it_moves_and_whose_acidity(knowledge):
    targets = Targets(knowledge)

    def told(text):
        return list(targets.problems(text, set(), []))

    right = [
        "Irrigate the eye with saline until the pH is 7.",
        "Lavar el ojo hasta que el pH sea 7.",
        "Reducir la presión arterial media un 20-25 % en la primera hora; mantener el resto.",
        "Lower the mean arterial pressure by 20 to 25 %, target within the hour.",
    ]
    assert not [(text, told(text)) for text in right if told(text)]
    assert told("Target pH of 7 by bicarbonate.")
    assert told("Target mean arterial pressure of 20.")


def test_two_words_of_one_tablet(knowledge):
    def twice(text):
        problems = knowledge.book.problems([text], set())
        return any(problem.against == "the same drug under two names" for problem in problems)

    assert not twice("Mantener levodopa/carbidopa 100/25 mg tres veces al día y rivastigmina 6 mg.")
    assert twice("Salbutamol 2.5 mg and ventolin 2.5 mg.")


def test_the_insulin_of_meals_rests_beside_the_basal_one(knowledge):
    def stopped(*texts):
        problems = knowledge.book.problems(texts, {"type1_diabetes", "takes:insulin"})
        return [problem.against for problem in problems if "it is stopped" in problem.against]

    glargine = "Give insulin glargine 18 units tonight."
    assert not stopped(glargine, "Omit the insulin aspart while he is nil by mouth.")
    assert stopped("Omit the insulin aspart while he is nil by mouth.")
    assert stopped(glargine, "Omit all insulin while he is nil by mouth.")


def test_another_word_between_is_another_thing(reasons):
    refuses = "EPOC. Rechaza la intubación y acepta la ventilación no invasiva."
    assert reasons(refuses, "Iniciar ahora ventilación no invasiva.") == ""
    assert "refuses" in reasons(refuses, "Iniciar ahora ventilación invasiva.")


def test_the_steroid_of_an_inhaler_and_a_disease_of_years(knowledge):
    def lacks_steroid(text):
        problems = knowledge.book.problems([text], {"asthma"})
        return any("without inhaled steroid" in problem.against for problem in problems)

    inhalers = (
        "Budesonida/formoterol 160/4,5 dos veces al día.; Beclometasona/formoterol 100/6.; "
        "Fluticasona/salmeterol 250/50 cada 12 horas.; Budesonide/formoterol 160/4.5 twice a day.; "
        "Mometasona/formoterol 200/5 cada 12 horas."
    )
    assert not [text for text in inhalers.split("; ") if lacks_steroid(text)]
    assert lacks_steroid("Formoterol 12 microgramos cada 12 horas.")

    def findings(note):
        patient = Patient(patient_id="p", age=50, sex="male", notes=[note])
        return knowledge.findings(patient) & {"slow_breathing", "severe_asthma"}

    assert not findings("Obstructive sleep apnoea, uses no mask.")
    assert not findings("Apnea obstructiva del sueño. Severe asthma since childhood, no wheeze.")
    assert findings("Long apnoeas after morphine.") == {"slow_breathing"}
    assert findings("Severe asthma since this morning, wheeze.") == {"severe_asthma"}


def test_names_of_labs_conditions_and_drugs(knowledge):
    labs = (
        "urine protein creatinine ratio; CD4 count; carga viral; calprotectina; colesterol LDL; "
        "vitamina D; neutrófilos en líquido ascítico; cetonas en orina; PTH; ferritina; cortisol"
    )
    unknown = [name for name in labs.split("; ") if knowledge.lab_name(name) is None]
    conditions = (
        "insuficiencia respiratoria crónica; chemical injury of the eye; neonatal jaundice; "
        "dispepsia; hipermetropía; trigger finger; otitis media; gallstones; esguince de tobillo"
    )
    for name in conditions.split("; "):
        patient = Patient(patient_id="p", age=40, sex="male", notes=["Tired."], conditions=[name])
        if any(finding.startswith("unread") for finding in knowledge.findings(patient)):
            unknown.append(name)
    drugs = (
        "tetracaine; pamidronato; betametasona; carboprost; oxaliplatino; terbinafina; nistatina; "
        "leuprorelina; hioscina; permetrina; carbón activado; calcipotriol; "
        "dolutegravir/lamivudine; cashew; anacardo; crustáceos"
    )
    unknown += [name for name in drugs.split("; ") if not knowledge.book.named(name)]
    assert not unknown
    tsh = Lab(name="TSH", value=18, unit="mUI/L")
    assert knowledge.values_of([tsh]) == {"tsh": [18.0]}
    assert knowledge.lab_name("zorplexase") is None
    assert knowledge.book.unknown_drugs("Start zorplexin 5 mg.") == ["zorplexin"]


def test_plain_care_in_an_emergency_and_what_belongs(checker):
    def reason(text, note, **facts):
        patient = Patient(patient_id="p", age=40, sex="female", notes=[note], **facts)
        action = type("Action", (), {"action": text})
        recommendation = type("Recommendation", (), {"recommended_actions": [action]})
        findings = checker.knowledge.findings(patient)
        alarms = checker.knowledge.alarms(patient)
        return next(checker.scope(recommendation, findings, alarms, patient)).reason

    shocked = {"vitals": {"systolic_bp": 84, "heart_rate": 128, "respiratory_rate": 24}}
    right = [
        ("Inmovilizar el brazo derecho y quitar anillos.", "Mordedura de víbora.", shocked),
        ("Sondaje vesical y reposo en bloque.", "Nivel sensitivo.", shocked),
        ("Notificar el caso a salud pública.", "Tuberculosis bacilífera.", shocked),
        ("No hacer tacto vaginal.", "Placenta previa, sangra.", shocked),
        ("Aislamiento por gotas.", "Rigidez de nuca y fiebre.", shocked),
        ("Order a urine sediment today.", "Papilloedema, pressure 210/130.", shocked),
        ("Ask the gynaecologist to postpone the hysterectomy.", "Hysterectomy is planned.", {}),
        ("Repetir la paracentesis a las 48 horas.", "Ascitis con fiebre.", {}),
        ("Recheck urate in four weeks; aim below 360 micromol/L.", "Gout. Feels well.", {}),
    ]
    held = [(text, reason(text, note, **facts)) for text, note, facts in right]
    passed = ("in scope",)
    assert not [pair for pair in held if pair[1] not in passed]
    assert reason("Repetir la paracentesis.", "Tos.") != "in scope"
    assert reason("Polish the antlers.", "Cough.", **shocked) == NOTHING_OF_THE_FIELD


@pytest.mark.parametrize(
    ("text", "is_needed"),
    [
        ("Continue methotrexate 15 mg once weekly and folic acid 5 mg.", False),
        ("Seguir con metotrexato 15 mg una vez por semana.", False),
        ("Continue methotrexate at double dose.", True),
        ("Restart methotrexate 15 mg once weekly.", True),
        ("Continue aspirin and start methotrexate 15 mg once weekly.", True),
    ],
)
def test_what_only_goes_on_needs_no_check(checker, text, is_needed):
    patient = Patient(
        patient_id="p",
        age=60,
        sex="female",
        notes=["Rheumatoid arthritis, well."],
        medications=["methotrexate 15 mg once weekly", "folic acid 5 mg", "aspirin 100 mg"],
        labs=[Lab(name="creatinine", value=0.8, unit="mg/dL")],
    )
    action = type("Action", (), {"action": text})
    made = {"recommended_actions": [action], "contraindications_checked": []}
    made["when_to_escalate"] = []
    findings = checker.knowledge.findings(patient)
    verdicts = checker.contraindications(type("Recommendation", (), made), findings)
    held = [v for v in verdicts if v.item == "methotrexate" and "without a check" in v.reason]
    assert bool(held) is is_needed
