"""What an action says of a report must be what the record tells, and the first control of a drug
that is new must come in time (rows `grade`, `test` and `interval` of order_limits)."""

import pytest

from python_llm.recommendations.checks.intervals import Intervals
from python_llm.recommendations.checks.reports import Reports
from python_llm.recommendations.schema import Patient


@pytest.fixture(scope="module")
def untrue(knowledge):
    reports = Reports(knowledge)

    def told(note, text):
        patient = Patient(patient_id="p", age=60, sex="female", notes=[note])
        return "; ".join(reports.untrue(text, patient))

    return told


@pytest.fixture(scope="module")
def late(knowledge):
    intervals = Intervals(knowledge)

    def told(*texts, findings=frozenset()):
        return "; ".join(reason for t in texts for reason in intervals.problems(t, texts, findings))

    return told


@pytest.mark.parametrize(
    ("note", "text", "record"),
    [
        ("Punch biopsy: CIN 3.", "As the biopsy shows CIN 1, repeat the smear.", "cin 3"),
        ("Biopsia: NIC III.", "Revisión en un año, porque es NIC I.", "nic iii"),
        ("CIN1 in 2019. Now CIN 2-3.", "Discharge, as it is CIN 1.", "cin 2 3"),
        ("Adenoma with high-grade dysplasia.", "Low-grade dysplasia: in ten years.", "high grade"),
        ("Displasia de alto grado.", "Control en 5 años, porque es displasia leve.", "alto grado"),
        ("Gleason 4+4.", "Surveillance for Gleason 3+3=6.", "4 4"),
        ("Gleason score 9.", "Surveillance, as it is Gleason 6.", "gleason score 9"),
        ("BI-RADS 5 on the left.", "No biopsy, as it is BI-RADS 2.", "bi rads 5"),
        ("NYHA class III.", "No change, as she is NYHA II.", "nyha class iii"),
        ("HIV 4th gen test negative.", "As the HIV test is positive, start treatment.", "negative"),
        ("VIH positivo.", "Sin tratamiento, ya que el VIH es negativo.", "positivo"),
        ("HBsAg reactive.", "Start rituximab, as hepatitis B is negative.", "reactive"),
        ("Margin involved.", "No further surgery, as the margins are clear.", "involved"),
        ("Blood cultures: no growth.", "Six weeks of treatment for positive blood cultures.", "no"),
    ],
)
def test_a_report_told_otherwise_shows_both_texts(untrue, note, text, record):
    assert record in untrue(note, text).partition("the record")[2]


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("CIN 3.", "Excision, because the biopsy shows CIN 3."),
        ("CIN III.", "Excision for CIN 3."),
        ("CIN 2-3.", "Excision for CIN 2."),
        ("CIN 3.", "If the next biopsy shows CIN 1, repeat the smear in a year."),
        ("No biopsy yet.", "Repeat the smear for CIN 1."),
        ("Gleason 4+4=8 (ISUP 4).", "Radiotherapy for Gleason 8, grade group 4."),
        ("CKD stage 3a.", "No NSAID in CKD 3."),
        ("HIV negative.", "Repeat the HIV test in six weeks."),
        ("HIV negative.", "If the HIV test is positive, call the clinic."),
        ("HIV positive, viral load undetectable.", "Continue, as HIV RNA is not detected."),
        ("Syphilis positive, HIV negative.", "Benzylpenicillin, as syphilis is positive."),
        ("Margins clear.", "No further surgery, as the margins are clear."),
    ],
)
def test_a_report_told_as_it_is_stands(untrue, note, text):
    assert untrue(note, text) == ""


@pytest.mark.parametrize(
    "texts",
    [
        ("Start lithium 400 mg at night.", "First lithium level in twelve months."),
        ("Iniciar litio 400 mg.", "Litemia al cabo de un año."),
        ("Start clozapine 12.5 mg.", "Full blood count every three months."),
        ("Start methotrexate 15 mg weekly.", "Blood count yearly."),
        ("Start warfarin 5 mg.", "INR in six weeks."),
        ("Start ramipril 2.5 mg; creatinine and potassium in one year.",),
        ("Iniciar amiodarona 200 mg.", "TSH cada 2 años."),
    ],
)
def test_a_first_control_that_comes_too_late_is_named(late, texts):
    assert "the first control is due" in late(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("Start lithium 400 mg at night.", "Lithium level in one week.", "TSH in six months."),
        ("Start lithium 400 mg.", "Lithium level in 5 days, then every three months."),
        ("Start clozapine 12.5 mg.", "Full blood count every week."),
        ("Start warfarin 5 mg.", "INR in three days.", "Clinic in six weeks."),
        ("Start ramipril 2.5 mg.", "Potassium in two weeks, then yearly."),
        ("Start paracetamol 1 g.", "Blood tests in one year."),
    ],
)
def test_a_first_control_in_time_is_right(late, texts):
    assert late(*texts) == ""


def test_a_drug_that_is_taken_had_its_first_control(late):
    texts = ("Continue lithium 400 mg.", "Lithium level in three months.")
    assert late(*texts, findings=frozenset(("takes:lithium",))) == ""
