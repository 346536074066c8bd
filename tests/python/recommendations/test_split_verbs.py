"""Verbs apart from their particles, pronouns behind Spanish verbs, and dangers told by their signs:
each with the same words where they are right."""

import pytest

from python_llm.recommendations.checks.contradictions import conflicts
from python_llm.recommendations.checks.statements import Statements
from python_llm.recommendations.checks.understood import Understood
from python_llm.recommendations.record.staggered import is_staggered_overdose
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import words

KNIFE = "A kitchen knife is still in his neck."
BLADE = "Cuchillo clavado en el muslo."
HERNIA = "Hernia in the groin, it will not go back, skin is red."
DISC = "X-ray: a metal disc with a double rim in the oesophagus."
HALO = "Placa: disco con doble halo en el esófago."
WITHOUT = "On clozapine 300 mg; had no clozapine for five days."
SIN = "Con clozapina 250 mg; lleva ocho días sin tomarla."
BLASTS = "Acute leukaemia, white count 190, leukostasis."
BLASTOS = "Leucemia aguda con leucostasis."
TABLETS = "She took 20 tablets of paracetamol 500 mg between 9 and 15."
GRAMOS = "Ha tomado 12 g de paracetamol a lo largo de la tarde."


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (KNIFE, "Pull the knife out now.", "impaled"),
        (KNIFE, "Take the long kitchen knife out here and press.", "impaled"),
        (BLADE, "Hay que retirarlo ahora.", "impaled"),
        ("Morphine PCA after surgery.", "Take the oximeter off at night.", "oximeter"),
        ("Unstable pelvis after a crash.", "Take the binder off and look.", "pelvis"),
        (HERNIA, "Push it back gently with the foot up.", "hernia"),
        ("Hernia, no se reduce, piel enrojecida.", "Empujarla con calma.", "hernia"),
        (DISC, "Observe her and repeat the film.", "battery"),
        (DISC, "Ask the ENT team to see him tomorrow.", "battery"),
        (HALO, "Observación y repetir la radiografía.", "battery"),
        (WITHOUT, "Give clozapine 300 mg tonight.", "12.5"),
        ("Clozapine 300 mg; he ran out nine days ago.", "Continue clozapine 300 mg.", "12.5"),
        (SIN, "Reanudar clozapina 250 mg esta noche.", "12.5"),
        (BLASTS, "Transfuse two units of packed cells.", "red cells"),
        (BLASTOS, "Transfundir dos concentrados de hematíes.", "red cells"),
        (
            "The head shows the turtle sign.",
            "An assistant presses on the uterine fundus.",
            "plexus",
        ),
        ("Los hombros no salen.", "Hacer presión sobre el fondo uterino.", "plexus"),
        ("Corneal wound, Seidel positive.", "Put a pressure bandage over the eye.", "open eye"),
        ("Herida corneal, pupila en gota.", "Vendaje compresivo en el ojo.", "open eye"),
        (
            "On nivolumab; bowels open nine times a day.",
            "Give the next cycle of nivolumab.",
            "grade",
        ),
        ("Con ipilimumab; doce deposiciones al día.", "Administrar ipilimumab mañana.", "grade"),
        ("On nivolumab; grade 3 hepatitis.", "Continue nivolumab with prednisolone.", "grade"),
        (TABLETS, "Acetylcysteine is not needed.", "staggered"),
        (TABLETS, "Do not give acetylcysteine.", "staggered"),
        (TABLETS, "Discharge with her mother.", "staggered"),
        (GRAMOS, "No administrar acetilcisteína.", "staggered"),
    ],
)
def test_the_deed_is_found(reasons, note, text, reason):
    assert reason in reasons(note, text)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (KNIFE, "Do not pull the knife out."),
        (KNIFE, "Take blood and send the sample out."),
        (BLADE, "No retirarlo."),
        (HERNIA, "Do not push it back."),
        ("Hernia inguinal blanda.", "Empujarla con calma."),
        (DISC, "Call the ENT team now to take it out."),
        (HALO, "Extracción endoscópica ahora."),
        ("No battery was swallowed; coin in the stomach.", "Repeat the X-ray."),
        ("Clozapine 300 mg; missed one dose last night.", "Continue clozapine 300 mg."),
        ("Clozapine for six years, never missed a dose.", "Continue clozapine 300 mg."),
        ("Con clozapina; olvidó una toma ayer.", "Continuar clozapina 250 mg."),
        (SIN, "Reiniciar clozapina con 12,5 mg."),
        ("Leukostasis, bleeding from the gut.", "Transfuse two units of packed cells."),
        ("Acute leukaemia, no leukostasis.", "Transfuse two units of packed cells."),
        (BLASTOS, "No transfundir hematíes hasta bajar los leucocitos."),
        (BLASTOS, "Transfundir un pool de plaquetas."),
        ("Los hombros no salen.", "Presión suprapúbica."),
        ("Corneal wound, Seidel negative.", "Put a pressure bandage over the eye."),
        ("Herida corneal, pupila en gota.", "Protector rígido sobre el ojo."),
        ("On nivolumab; grade 3 hepatitis.", "Withhold nivolumab."),
        ("On nivolumab, no colitis.", "Continue nivolumab."),
        ("Con ipilimumab; doce deposiciones al día.", "Suspender ipilimumab."),
        (TABLETS, "Give acetylcysteine now."),
        ("Her sister took 20 tablets of paracetamol over the day.", "Do not give acetylcysteine."),
        ("Hace tres años tomó 12 g de paracetamol en una tarde.", "Alta a domicilio."),
    ],
)
def test_what_is_right_is_no_deed(reasons, note, text):
    assert reasons(note, text) == ""


@pytest.mark.parametrize(
    ("note", "weight", "is_staggered"),
    [
        ("Took 12 g of paracetamol from 10:00 to 17:00.", 60.0, True),
        ("Tomó 16 comprimidos de paracetamol en varias tandas.", 58.0, True),
        ("Took 12 g of paracetamol at once at noon.", 60.0, False),
        ("Took 6 tablets of paracetamol over the day.", 60.0, False),
        ("Takes paracetamol 1 g four times a day.", 60.0, False),
        ("She did not take 12 g of paracetamol over the day.", 60.0, False),
    ],
)
def test_an_overdose_taken_over_hours(note, weight, is_staggered):
    patient = Patient(patient_id="p", age=30, sex="female", notes=[note])
    assert is_staggered_overdose(patient, weight) is is_staggered


@pytest.mark.parametrize(
    ("note", "text", "is_resisted"),
    [
        ("Resistant schizophrenia, stable on clozapine.", "Continue clozapine.", False),
        ("Esquizofrenia resistente; toma clozapina.", "Seguir con clozapina.", False),
        ("Treatment-resistant epilepsy on valproate.", "Continue valproate.", False),
        ("Resistant hypertension on amlodipine.", "Continue amlodipine.", False),
        ("Klebsiella resistant to meropenem.", "Give meropenem 1 g.", True),
        ("Coli resistente a ceftriaxona.", "Dar ceftriaxona 2 g.", True),
        ("Epilepsy resistant to phenytoin.", "Give phenytoin.", True),
    ],
)
def test_a_disease_that_resists_is_no_drug(knowledge, note, text, is_resisted):
    patient = Patient(patient_id="p", age=40, sex="male", notes=[note])
    mentions = knowledge.book.named(text)
    assert bool(list(Statements(knowledge).resisted(mentions, patient))) is is_resisted


@pytest.mark.parametrize(
    ("note", "drug", "is_wrong"),
    [
        ("Juvenile myoclonic epilepsy.", "oxcarbazepine", True),
        ("Epilepsia de ausencias.", "vigabatrin", True),
        ("Absence epilepsy.", "gabapentin", True),
        ("Juvenile myoclonic epilepsy.", "levetiracetam", False),
        ("Focal epilepsy.", "carbamazepine", False),
        ("No absence seizures; focal epilepsy.", "carbamazepine", False),
    ],
)
def test_what_worsens_myoclonic_epilepsy(knowledge, note, drug, is_wrong):
    patient = Patient(patient_id="p", age=17, sex="female", notes=[note])
    findings = knowledge.findings(patient)
    assert bool(knowledge.book.speaks_against(drug, findings)) is is_wrong


@pytest.mark.parametrize(
    ("first", "second", "conflicts_"),
    [
        ("Admit him: hypoglycaemia from glipizide recurs.", "Stop glipizide.", False),
        ("Ingresar: la hipoglucemia por glimepirida recurre.", "Suspender glimepirida.", False),
        ("Give glipizide 5 mg now.", "Stop glipizide.", True),
        ("She would benefit from furosemide 40 mg now.", "Avoid furosemide.", True),
        ("Cambiar enalapril por losartan 50 mg hoy.", "Suspender losartan.", True),
    ],
)
def test_a_cause_is_no_order(knowledge, first, second, conflicts_):
    assert bool(list(conflicts(knowledge.book, [first, second]))) is conflicts_


@pytest.mark.parametrize(
    ("text", "is_affirmed"),
    [
        ("Comentar el cambio de sevelamer por otro quelante.", False),
        ("Iniciar sevelamer 800 mg con las comidas.", True),
    ],
)
def test_what_is_exchanged_is_not_ordered(knowledge, text, is_affirmed):
    assert ("sevelamer" in knowledge.book.affirmed(text)) is is_affirmed


@pytest.mark.parametrize(
    ("text", "weight", "is_wrong"),
    [
        ("Saline 0.9 % at 58 ml an hour.", 19.0, False),
        ("Suero salino 0,9 % a 36 ml/h.", 9.0, False),
        ("Saline 0.9 % at 125 ml an hour.", 12.0, True),
    ],
)
def test_maintenance_of_a_child(knowledge, text, weight, is_wrong):
    patient = Patient(patient_id="p", age=3, sex="male", notes=[f"Boy of 3, {weight:g} kg."])
    problems = knowledge.book.problems([text], knowledge.findings(patient))
    assert any("adult" in problem.against for problem in problems) is is_wrong


@pytest.mark.parametrize(
    "text",
    [
        "Valoración por neurología mañana.",
        "Acompañamiento en la planta esta noche.",
        "Assessment by psychiatry tomorrow.",
    ],
)
def test_a_noun_orders_in_both_languages(knowledge, text):
    assert Understood(knowledge).complaint(text) == ""


@pytest.mark.parametrize("check", ["alergias", "allergies", "hepatopatía", "liver disease"])
def test_checks_are_read_in_both_languages(knowledge, check):
    assert knowledge.book.knows(words(check))


@pytest.mark.parametrize(
    ("note", "text", "is_called_for"),
    [
        ("Strangulated femoral hernia.", "Emergency laparotomy tonight.", True),
        ("Hernia estrangulada.", "Avisar ya al cirujano para operar la hernia.", True),
        ("Strangulated femoral hernia.", "Repair of the hernia next month.", False),
        ("Pneumonia of the left lung.", "Emergency laparotomy tonight.", False),
        ("No hernia; pneumonia.", "Call the surgeon now for the hernia.", False),
    ],
)
def test_who_is_called_for_what_is_told(checker, note, text, is_called_for):
    patient = Patient(patient_id="p", age=60, sex="male", notes=[note])
    assert checker._is_called_in(text, patient) is is_called_for
