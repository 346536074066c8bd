"""Kinds that a stranger's set showed: whose a dose is, and of when a finding is. The words are
other than the stranger's."""

import pytest

from python_llm.recommendations.schema import Patient


def person(text, age=58, sex="male", **facts):
    notes = [text] if isinstance(text, str) else text
    return Patient(patient_id="p", age=age, sex=sex, notes=notes, **facts)


def reasons_against(checker, text, patient):
    findings = checker.knowledge.findings(patient)
    return " ".join(map(str, checker.knowledge.book.problems([text], findings)))


def unfit(checker, text, patient):
    grounds, findings = checker._grounds, checker.knowledge.findings(patient)
    deeds = grounds._deeds
    against = grounds._against_procedures.affirmed(". ".join(patient.notes))
    told = deeds.problems(text, [text], lambda: deeds.situation(patient), findings)
    return [*told, *grounds._unfit(text, findings, against)]


@pytest.mark.parametrize(
    "note",
    [
        "When his wife nipped out to park the van he said he'd had a Viagra this morning.",
        "After his daughter went home he told us he had taken a sildenafil yesterday.",
        "His son stepped outside and he admitted to a sildenafil last night.",
        "While his mother was on the phone he owned up to having had a Levitra this morning.",
        "Cuando la esposa sale a aparcar reconoce que anoche tomó un Cialis.",
        "Cuando su hija se fue tomó un sildenafilo anoche y se acostó.",
        "Su hijo salió y confesó haber tomado sildenafilo ayer.",
    ],
)
def test_a_dose_told_behind_a_relative_is_the_patients(knowledge, note):
    assert "takes:pde5_inhibitor" in knowledge.findings(person(note))


@pytest.mark.parametrize(
    "note",
    [
        "His wife takes sildenafil for her lungs.",
        "When his brother took a Cialis last night he was asleep.",
        "When his wife had taken sildenafil last night he went to bed.",
        "His son owned up to a Viagra last night.",
        "When his wife left to park he denied taking a Viagra last night.",
        "When his wife left he said that he did not take sildenafil last night.",
        "Su marido toma sildenafilo.",
        "Cuando su marido tomó sildenafilo anoche, ella se acostó.",
        "Cuando salió su hija negó haber tomado sildenafilo.",
        "We will park the sildenafil for now.",
    ],
)
def test_a_dose_of_a_relative_or_denied_is_not(knowledge, note):
    assert "takes:pde5_inhibitor" not in knowledge.findings(person(note))


@pytest.mark.parametrize(
    "note",
    [
        "LMP seven weeks ago; she did a home test, positive. Burning when she pees.",
        "Missed her last period, two lines on the test. Dysuria for a day.",
        "Period is three weeks late. Clearblue positive on Sunday. It stings to pee.",
        "FUR hace siete semanas, prueba de farmacia positiva. Escozor al orinar.",
        "Retraso de la regla de un mes. Test de orina positivo. Disuria.",
    ],
)
def test_a_positive_test_and_a_late_period_are_a_pregnancy(checker, note):
    patient = person(note, 27, "female")
    assert "pregnancy" in checker.knowledge.findings(patient)
    assert "pregnancy" in reasons_against(checker, "Trimethoprim 200 mg twice daily.", patient)


@pytest.mark.parametrize(
    ("note", "sex"),
    [
        ("LMP eight weeks ago, pregnancy test negative.", "female"),
        ("LMP eight weeks ago, home test negative.", "female"),
        ("LMP three weeks ago. Urine test positive for nitrite.", "female"),
        ("LMP eight weeks ago, home covid test positive.", "female"),
        ("Home test positive, miscarried last week. LMP nine weeks ago.", "female"),
        ("Her sister is eight weeks late, home test positive.", "female"),
        ("His wife: LMP eight weeks ago, home test positive.", "male"),
        ("FUR hace ocho semanas, test de orina negativo.", "female"),
        ("FUR hace dos semanas. Tira de orina con nitritos positivos.", "female"),
    ],
)
def test_another_test_or_a_lost_pregnancy_is_none(knowledge, note, sex):
    assert "pregnancy" not in knowledge.findings(person(note, 27, sex))


@pytest.mark.parametrize(
    ("note", "has_reason"),
    [
        ("It stings to pee since Monday.", True),
        ("Two days of burning when she pees.", True),
        ("Quemazón al orinar desde ayer.", True),
        ("No burning when she pees.", False),
        ("Burning feet at night.", False),
        ("Sin dolor al orinar.", False),
    ],
)
def test_pain_on_passing_urine_is_a_reason_to_treat(checker, note, has_reason):
    patient = person(note, 27, "female")
    founded = checker._grounds.founded("Trimethoprim 200 mg.", patient, set())
    assert ("trimethoprim" in founded) is has_reason


@pytest.mark.parametrize(
    ("note", "is_unsafe"),
    [
        ("Scan at 34 weeks: placenta posterior, overlying the internal os.", True),
        ("Low placenta, which still covers the os.", True),
        ("Placenta anterior que cubre el orificio cervical interno.", True),
        ("Placenta low at 20 weeks, no longer covering the os.", False),
        ("Placenta fundal, not covering the os.", False),
        ("Placenta anterior que ya no cubre el orificio cervical.", False),
    ],
)
def test_a_placenta_over_the_os_is_praevia(checker, note, is_unsafe):
    patient = person(note, 30, "female")
    for order in ("Do a digital vaginal examination now.", "Tacto vaginal ahora."):
        assert bool(unfit(checker, order, patient)) is is_unsafe


@pytest.mark.parametrize(
    ("note", "order", "is_unsafe"),
    [
        ("Slipped and hit the back of her head on the tap.", "Discharge home.", True),
        ("Resbaló y se golpeó la nuca con el lavabo.", "Alta a su domicilio.", True),
        ("Caída con herida en cuero cabelludo.", "Alta a casa con antitetánica.", True),
        ("Tripped on the rug.", "Discharge home with head injury advice.", True),
        ("Tropezó.", "Alta con hoja de traumatismo craneal.", True),
        ("Hit the back of her head. CT head clear.", "Discharge home.", False),
        ("Se golpeó la nuca. TAC craneal sin sangrado.", "Alta a domicilio.", False),
        ("Fell on her bottom, no head injury.", "Discharge home.", False),
        ("Caída, no se golpeó la cabeza.", "Alta a domicilio.", False),
    ],
)
def test_a_blow_to_the_head_under_an_anticoagulant(checker, note, order, is_unsafe):
    taken = person(note, 80, "female", medications=["acenocoumarol"])
    assert bool(unfit(checker, order, taken)) is is_unsafe
    assert not unfit(checker, order, person(note, 30, "female"))


QUIET = {
    "systolic_bp": 122,
    "diastolic_bp": 70,
    "heart_rate": 80,
    "respiratory_rate": 16,
    "spo2_percent": 97,
    "temperature_c": 36.8,
}


@pytest.mark.parametrize(
    "notes",
    [
        ["Sunday, resus: BP 82/44 and rigors.", "Wednesday: walks, BP 118/70 off fluids."],
        ["Admitted Sunday with BP 82/44 on arrival, which has since recovered."],
        ["Ingreso, domingo: TA 82/44. Miércoles: pasea, TA 118/70 sin sueros."],
        ["Ayer en urgencias TA 82/44. Hoy TA 120/70 y desayuna."],
    ],
)
def test_a_low_pressure_of_another_day_is_past(knowledge, notes):
    patient = person(notes, 70, "female", vitals=QUIET)
    assert "hypotension" not in knowledge.findings(patient)
    assert not knowledge.alarms(patient)


@pytest.mark.parametrize(
    ("note", "changed"),
    [
        ("Sunday: BP 82/44.", {}),
        ("BP 82/44 on arrival. After two litres BP 112/70.", {}),
        ("Sunday: BP 82/44 on arrival. BP 110/60 now.", {}),
        ("Sunday: BP 82/44. Wednesday: BP 118/70, then BP 80/40.", {}),
        ("Sunday: BP 82/44. Wednesday: BP 118/70.", {"systolic_bp": 86}),
        ("Sunday: BP 82/44. Wednesday: BP 118/70.", {"heart_rate": 130}),
        ("Sunday: BP 82/44. Wednesday: BP 118/70 on noradrenaline.", {}),
        ("Sunday: BP 130/80. Wednesday: BP 82/44.", {}),
        ("Ingreso, domingo: TA 82/44. Miércoles: TA 80/40.", {}),
        ("Ingreso, domingo: TA 82/44, sigue igual.", {}),
        ("Admitted Sunday with BP 82/44, which has not recovered.", {}),
        ("Ingreso, domingo: TA 82/44, no se ha recuperado.", {}),
    ],
)
def test_a_low_pressure_of_now_stays(knowledge, note, changed):
    patient = person(note, 70, "female", vitals={**QUIET, **changed})
    assert "hypotension" in knowledge.findings(patient)


@pytest.mark.parametrize(
    ("note", "changed", "is_over"),
    [
        ("Pneumonia ten days ago; completed antibiotics on Friday.", {}, True),
        ("Admitted with pneumonia. Finished a course of amoxicillin, afebrile.", {}, True),
        ("Neumonía hace diez días, terminó el antibiótico el viernes.", {}, True),
        ("Neumonía, ya sin antibiótico desde el lunes, afebril.", {}, True),
        ("Pneumonia, completed antibiotics on Friday, fever again.", {}, False),
        ("Pneumonia, completed antibiotics on Friday.", {"temperature_c": 38.6}, False),
        ("Pneumonia, completed antibiotics on Friday.", {"spo2_percent": 89}, False),
        ("Pneumonia, not on antibiotics.", {}, False),
        ("Pneumonia, antibiotics stopped for a rash on Friday.", {}, False),
        ("Finished antibiotics in May. Today new pneumonia of the left base.", {}, False),
        ("Neumonía, sin antibiótico.", {}, False),
        ("Neumonía, no completó el antibiótico.", {}, False),
    ],
)
def test_a_pneumonia_treated_to_its_end_is_over(knowledge, note, changed, is_over):
    patient = person(note, 82, "female", vitals={**QUIET, **changed})
    assert ("pneumonia" not in knowledge.findings(patient)) is is_over


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("Reorient her often, a clock and a calendar in view, bring her hearing aids.", True),
        ("Reorientarlo, reloj a la vista, que traigan las gafas.", True),
        ("Daylight by day and a quiet room at night.", True),
        ("Open access to the ward for 48 hours; health visitor to phone tomorrow.", True),
        ("Acceso directo a urgencias 48 horas; la enfermera llamará mañana.", True),
        ("A clock in view and haloperidol 5 mg.", False),
        ("Gafas y sonda nasogástrica.", False),
    ],
)
def test_care_of_the_confused_and_open_access_are_plain(checker, text, is_plain):
    assert checker.care.is_plain(text, set(), is_stable=True) is is_plain


@pytest.mark.parametrize(
    ("note", "is_now"),
    [
        ("Inferior STEMI yesterday, RCA stented at midnight.", False),
        ("IAMCEST anterior ayer, stent en la descendente anterior.", False),
        ("STEMI two days ago, primary PCI.", False),
        ("Inferior STEMI yesterday, RCA stented. ST elevation again in II, III and aVF.", True),
        ("Inferior STEMI yesterday, stent thrombosis on the monitor now.", True),
        ("STEMI yesterday, declined a stent.", True),
        ("IAMCEST ayer, sin stent.", True),
        ("Inferior STEMI, for primary PCI.", True),
    ],
)
def test_an_infarct_that_was_opened_needs_no_reperfusion(knowledge, note, is_now):
    findings = knowledge.findings(person(note))
    assert ("stemi" in findings) is is_now
    assert is_now or "recent_stent" in findings


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Fosfomicina trometamol 3 g en dosis única.", []),
        ("Amlodipino besilato 5 mg al día.", []),
        ("Metformina clorhidrato 850 mg.", []),
        ("Gluconato ferroso 300 mg al día.", []),
        ("Ketorolac tromethamine 10 mg.", []),
        ("Zorplexina besilato 5 mg al día.", ["zorplexina"]),
        ("Give zorplexin tromethamine 3 g.", ["zorplexin"]),
        ("Trometamol 3 g.", ["trometamol"]),
    ],
)
def test_a_salt_is_of_the_drug_before_it(knowledge, text, unknown):
    assert knowledge.book.unknown_drugs(text) == unknown


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("Piperacilina-tazobactam 4/0,5 g iv cada 8 horas.", False),
        ("Piperacillin-tazobactam 4 g/0.5 g IV.", False),
        ("Piperacillin-tazobactam 2/0.25 g IV.", False),
        ("Piperacillin-tazobactam 40/5 g IV.", True),
        ("Piperacilina-tazobactam 0,5 g iv.", True),
    ],
)
def test_a_vial_named_by_both_of_its_drugs_is_one_dose(checker, text, is_wrong):
    assert ("dose" in reasons_against(checker, text, person("Cholangitis."))) is is_wrong


def test_a_pregnancy_of_the_problem_list_is_of_today(knowledge):
    note = "The baby has hardly moved since yesterday."
    late = person(note, 31, "female", conditions=["pregnancy, 36 weeks"])
    flags = {alarm.flag_name for alarm in knowledge.alarms(late)}
    assert "Reduced movements of the unborn child" in flags
    assert not knowledge.alarms(person("Well.", conditions=["STEMI in 2019"]))


@pytest.mark.parametrize(
    ("note", "has_it"),
    [
        ("Cough. Tuberculosis tests sent.", False),
        ("Tos. Tuberculosis: pruebas enviadas.", False),
        ("HIV and TB screen sent.", False),
        ("Pulmonary tuberculosis, sensitivity tests sent.", True),
        ("Pulmonary tuberculosis with tests pending.", True),
        ("Pulmonary tuberculosis.", True),
    ],
)
def test_a_disease_that_is_only_tested_for_is_not_there(knowledge, note, has_it):
    assert ("tuberculosis" in knowledge.findings(person(note))) is has_it
