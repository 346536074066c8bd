"""Kinds that a clinician's trial of the gate showed: deeds that a sign forbids, interactions of
classes, minor illness told by its signs, decision rules, plain words of discharge and care, and
limits of time longer than a day. The words are other than the clinician's."""

import pytest

from python_llm.recommendations.checks.signs import Signs
from python_llm.recommendations.schema import Patient

QUIET = {
    "systolic_bp": 126,
    "heart_rate": 76,
    "spo2_percent": 98,
    "respiratory_rate": 14,
    "temperature_c": 36.8,
}


def person(text, age=55, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


@pytest.mark.parametrize(
    "note",
    [
        "Knocked off his bike by a car. Bruising behind the left ear.",
        "She fell down the stairs; her left ear drips clear liquid.",
        "Assaulted last night, two black eyes, haemotympanum on the right.",
        "Thrown from a horse, watery fluid from one nostril since.",
        "Atropellado por una moto, equimosis retroauricular derecha.",
        "Se ha caído de un tejado y le gotea un líquido transparente por la nariz.",
        "Accidente de tráfico. Otolicuorrea izquierda.",
    ],
)
def test_signs_of_a_broken_skull_base_are_urgent(knowledge, note):
    names = [alarm.flag_name for alarm in knowledge.alarms(person(note))]
    assert "Head injury with signs of a skull base fracture" in names


@pytest.mark.parametrize(
    "note",
    [
        "Hay fever: clear fluid from the nose all spring.",
        "Fell on his wrist. No bruising behind the ear, no fluid from nose or ear.",
        "Her brother fell from a roof and had panda eyes; she feels well.",
        "Tripped on the kerb and grazed a knee. Nose and ears dry.",
        "Alergia estacional con secreción acuosa por la nariz.",
        "Se cayó en la calle. No sale líquido por la nariz ni por los oídos.",
    ],
)
def test_a_runny_nose_is_no_broken_skull(knowledge, note):
    names = [alarm.flag_name for alarm in knowledge.alarms(person(note))]
    assert "Head injury with signs of a skull base fracture" not in names


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Fell off a ladder, bruised behind the right ear.", "Insert a nasopharyngeal airway."),
        ("Punched twice, two black eyes, CSF rhinorrhoea.", "Start CPAP at 8 cmH2O."),
        ("Head injury. CT: fracture of the skull base.", "Intubate through the nose."),
        ("Fractured base of skull on CT.", "Start nasal high flow at 50 l/min."),
        ("Cayó de una escalera, hemotímpano.", "Intubación nasotraqueal."),
        ("Fractura de la base del cráneo en la TC.", "Gafas de alto flujo a 40 l/min."),
        ("Fractura de peñasco tras una agresión.", "Colocar sonda por la nariz."),
        ("Fracture of the skull base.", "Nil by mouth and pass an NG tube after intubation."),
    ],
)
def test_nothing_goes_through_the_nose_of_a_broken_skull(objections, note, text):
    assert "fracture of the skull base" in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Fracture of the skull base on CT.", "Pass an orogastric tube."),
        ("Fracture of the skull base on CT.", "Do not pass a nasogastric tube."),
        ("Fractura de la base del cráneo.", "Sonda orogástrica; no por vía nasal."),
        ("Bowel obstruction, vomiting.", "Pass a nasogastric tube through the nose."),
        ("Fell and broke a wrist. No fluid from the nose.", "Start CPAP at 8 cmH2O."),
        ("His father had a skull base fracture.", "Pass a nasogastric tube."),
    ],
)
def test_a_tube_by_another_way_or_in_another_head(objections, note, text):
    assert "fracture of the skull base" not in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    ("medication", "text"),
    [
        ("ciclosporin", "Start clarithromycin 500 mg twice daily."),
        ("everolimus", "Give erythromycin 500 mg four times a day."),
        ("tacrolimus", "Iniciar posaconazol 300 mg al día."),
        ("sirolimus", "Start cobicistat 150 mg daily."),
        ("voriconazole", "Start tacrolimus 1 mg twice daily."),
        ("colchicine", "Start itraconazole 200 mg daily."),
        ("simvastatin", "Iniciar voriconazol 200 mg cada 12 horas."),
        ("clarithromycin", "Give dihydroergotamine 1 mg."),
        ("quetiapine", "Start ketoconazole 200 mg daily."),
        ("dronedarone", "Start clarithromycin 500 mg twice daily."),
        ("itraconazole", "Give vincristine 1 mg intravenously."),
    ],
)
def test_strong_inhibitors_of_cyp3a4_by_class(objections, medication, text):
    patient = person("Transplanted kidney, fever.", medications=[medication])
    told = [reason for reason in objections(patient, text) if "in spite of" in reason]
    assert any("CYP3A4" in reason or "level of" in reason or "azole" in reason for reason in told)


@pytest.mark.parametrize(
    ("medication", "text"),
    [
        ("tacrolimus", "Start voriconazole 200 mg twice daily, a third of the tacrolimus, levels."),
        ("ciclosporin", "Iniciar claritromicina 500 mg y reducir la ciclosporina según niveles."),
        ("tacrolimus", "Start azithromycin 500 mg daily."),
        ("tacrolimus", "Avoid clarithromycin."),
        ("azathioprine", "Start clarithromycin 500 mg twice daily."),
    ],
)
def test_an_inhibitor_with_levels_or_none(objections, medication, text):
    patient = person("Transplanted kidney, pneumonia.", medications=[medication])
    assert "level of the immunosuppressant" not in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Esguince leve de muñeca, se encuentra bien.", "Alta a su domicilio con analgesia."),
        ("Esguince leve de muñeca, se encuentra bien.", "Se va de alta."),
        ("Gastroenteritis leve, tolera líquidos y está mejor.", "Puede irse a casa."),
        ("Mild gastroenteritis, drinking well, better today.", "Send him home."),
        ("Mild gastroenteritis, drinking well, better today.", "Home with written advice."),
    ],
)
def test_discharge_of_who_is_well_is_plain(objections, note, text):
    assert objections(person(note, vitals=QUIET), text) == []


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Dolor opresivo en el pecho con sudor frío.", "Alta a su domicilio."),
        ("Dolor opresivo en el pecho con sudor frío.", "Que se vaya a casa."),
        ("Testículo izquierdo alto y muy doloroso.", "A casa con ibuprofeno."),
        ("Crushing chest pain and sweating.", "Send her home."),
    ],
)
def test_discharge_in_an_emergency_puts_it_off(objections, note, text):
    assert "put off" in "\n".join(objections(person(note, vitals=QUIET), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Tripped in the bathroom at night, not hurt.", "Leave a lamp on and lift the loose mats."),
        ("Tripped in the bathroom at night, not hurt.", "Buy flat shoes with a strap."),
        ("Frail, mild bronchitis, better.", "Keep the bed low and put the bell within reach."),
        ("Frail, mild bronchitis, better.", "Leave a jug of water at the bedside."),
        ("Tropezó de noche, ilesa.", "Instalar pasamanos en la escalera y recoger los cables."),
        ("Tropezó de noche, ilesa.", "Compañía por las tardes: que su vecina la visite."),
        ("Bronquitis leve, mejor.", "Bajar la cama y dejar el timbre al alcance."),
    ],
)
def test_measures_of_the_house_are_plain_care(objections, note, text):
    assert objections(person(note, age=82, vitals=QUIET), text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Remove the drain and the rugs.",
        "Remove the tube and the rugs.",
        "Leave a jug of zorplexin on the table.",
        "Put a light spell on the door.",
    ],
)
def test_what_is_more_than_the_house_is_held(objections, text):
    note = "Frail, mild bronchitis, better."
    assert objections(person(note, age=82, vitals=QUIET), text) != []


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("TC y cita en consulta en tres semanas.", "“en tres semanas”"),
        ("Ecografía en consulta la semana que viene.", "“la semana que viene”"),
        ("CT in clinic, next month.", "“next month”"),
        ("Ecografía en la consulta.", "“en la consulta”"),
    ],
)
def test_a_delay_is_quoted_by_its_words_of_time(objections, text, quoted):
    patient = person("Vientre en tabla, fiebre y vómitos.", age=40)
    assert f"put off: {quoted}" in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    "text",
    ["Solicitar consulta a cirugía y TC urgente.", "Consulta urgente con el cirujano y TC."],
)
def test_a_call_to_a_colleague_puts_nothing_off(objections, text):
    patient = person("Vientre en tabla, fiebre y vómitos.", age=40)
    assert "put off" not in "\n".join(objections(patient, text))


HIP = "Slipped today; the right leg is short and turned outwards. Femoral neck fracture on film."
CADERA = "Fractura pertrocantérea tras una caída hoy. Pierna acortada y en rotación externa."
ULCER = "Two coffee-ground vomits today. 128/76, pulse 80."


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (HIP, "Admit; hip replacement on the next day."),
        (HIP, "Fascia iliaca block now, operation within 36 hours."),
        (CADERA, "Ingresar y osteosíntesis al día siguiente."),
        (CADERA, "Analgesia con paracetamol y cirugía en menos de 48 horas."),
        (ULCER, "Admit, omeprazole 40 mg intravenously, endoscopy within 24 hours."),
        (ULCER, "Admit and gastroscopy tomorrow morning; repeat gastroscopy in eight weeks."),
    ],
)
def test_what_comes_within_its_limit_is_in_time(objections, note, text):
    reasons = "\n".join(objections(person(note, age=81, vitals=QUIET), text))
    assert "put off" not in reasons
    assert "nothing urgent" not in reasons


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (HIP, "Admit; hip replacement in four days."),
        (HIP, "Paracetamol now and operation the day after tomorrow."),
        (CADERA, "Ingresar y cirugía la próxima semana."),
        (CADERA, "Analgesia y operar en 5 días."),
        (ULCER, "Admit, omeprazole intravenously, endoscopy in three days."),
        ("Right testis lies high and is very painful.", "Admit; operation tomorrow."),
    ],
)
def test_what_comes_after_its_limit_is_put_off(objections, note, text):
    assert "put off" in "\n".join(objections(person(note, age=16, vitals=QUIET), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            "Grazed his forearm on Sunday; the skin about it is hot, red and sore.",
            "Cefalexin 500 mg by mouth three times daily for cellulitis.",
        ),
        (
            "Picadura en la pierna, piel enrojecida, caliente y dolorosa.",
            "Cloxacilina 500 mg cada 6 horas por celulitis.",
        ),
        (
            "It stings to pass urine and she goes every half hour; no fever.",
            "Fosfomycin 3 g by mouth once for cystitis.",
        ),
        (
            "Exudado en amígdalas, fiebre y ganglios dolorosos.",
            "Fenoximetilpenicilina 500 mg cada 12 horas por amigdalitis.",
        ),
        (
            "Otalgia desde ayer, tímpano abombado.",
            "Amoxicilina 500 mg cada 8 horas por otitis media.",
        ),
    ],
)
def test_a_minor_infection_is_told_by_its_signs(objections, note, text):
    reasons = "\n".join(objections(person(note, age=30, sex="female", vitals=QUIET), text))
    assert "a reason for" not in reasons
    assert "outside cardiopulmonary" not in reasons


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Both legs red, warm and tender for years.", "Flucloxacillin 500 mg for cellulitis."),
        ("Her son's hand is red, hot and sore.", "Flucloxacillin 500 mg for cellulitis."),
        ("Shin grazed, not red, not hot, not tender.", "Flucloxacillin 500 mg for cellulitis."),
        ("Skin of the shin red, hot and sore with blisters.", "Cloxacillin 500 mg for cellulitis."),
        ("Skin of the shin red, hot and sore.", "Start flucloxacillin 500 mg."),
        ("Skin of the shin red, hot and sore.", "Start ciclosporin 100 mg for cellulitis."),
    ],
)
def test_signs_that_are_no_infection_are_no_reason(objections, note, text):
    reasons = "\n".join(objections(person(note, age=30, vitals=QUIET), text))
    assert "a reason for" in reasons or "outside" in reasons or "nothing of" in reasons


ANKLE = "Turned her ankle on a kerb. "
KNEE = "Twisted the knee at skiing. "


@pytest.mark.parametrize(
    ("note", "age", "is_excluded"),
    [
        (ANKLE + "She took four steps here, no bony tenderness.", 30, True),
        (ANKLE + "Bears weight. Malleoli not tender, nor the navicular and midfoot.", 30, False),
        (ANKLE + "No bony tenderness, but she cannot bear weight.", 30, False),
        (ANKLE + "Walks with a limp, the lateral malleolus is tender.", 30, False),
        (ANKLE + "Her friend took four steps.", 30, False),
        ("Se torció el tobillo; da cuatro pasos, sin dolor óseo.", 30, True),
        ("Se torció el tobillo; no apoya, sin dolor óseo.", 30, False),
        (
            KNEE + "Walks, bends to 90 degrees, no patellar tenderness, fibular head not tender.",
            30,
            True,
        ),
        (
            KNEE + "Walks, bends to 90 degrees, no patellar tenderness, fibular head not tender.",
            70,
            False,
        ),
        (KNEE + "Walks, bends to 90 degrees.", 30, False),
        (
            "Neck ache after a bump. Alert, sober, no midline tenderness, no weakness or "
            "numbness, no other injuries.",
            30,
            True,
        ),
        ("Neck ache after a bump. Alert, no midline tenderness.", 30, False),
    ],
)
def test_a_decision_rule_needs_all_its_items(knowledge, note, age, is_excluded):
    patient = person(note, age=age, vitals=QUIET)
    assert Signs(knowledge).excludes(patient, knowledge.findings(patient)) is is_excluded
