"""Kinds that a third stranger's set for the gate showed, most dangerous first: what was let through
and what was called unsafe without being so. The words are other than the stranger's."""

import pytest

from python_llm.recommendations.schema import Patient


def person(text, age=55, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


def potassium(value):
    return {"name": "potassium", "value": value, "unit": "mmol/L"}


@pytest.mark.parametrize(
    "note",
    [
        "He swallowed forty paracetamol tablets at midnight.",
        "She took thirty-odd ibuprofen after a row.",
        "Took a whole packet of co-codamol, feels well.",
        "Se ha tomado 24 comprimidos de paracetamol de 1 g.",
        "Anoche me tomé veintitantas pastillas, o quizá cuarenta pastillas.",
        "Se tomó la caja entera de paracetamol.",
        "Took 32 paracetamol two days ago.",
    ],
)
def test_counted_tablets_are_an_overdose(knowledge, note):
    assert "emergency_told" in knowledge.findings(person(note))


@pytest.mark.parametrize(
    "note",
    [
        "Took 2 paracetamol tablets at 20 h.",
        "She took 8 tablets of prednisolone 5 mg this morning.",
        "Has taken 21 tablets of amoxicillin over seven days.",
        "Took one of the 28 tablets.",
        "Taken 500 mg paracetamol tablets when needed.",
        "Denies having taken 30 tablets.",
        "Her brother took 40 paracetamol tablets in June; she is well.",
        "Takes 18 tablets a day for several illnesses.",
        "Ha tomado 30 pastillas de hierro en un mes.",
    ],
)
def test_a_few_tablets_or_a_course_are_none(knowledge, note):
    assert "emergency_told" not in knowledge.findings(person(note))


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        (
            person("Inferior STEMI; V4R 1 mm up as well."),
            "Give nitroglycerin 0.4 mg under the tongue.",
            "right ventricular",
        ),
        (
            person("Inferior infarction, right-sided leads show elevation."),
            "Start an isosorbide dinitrate infusion.",
            "right ventricular",
        ),
        (
            person("IAM inferior con elevación en V4R."),
            "Nitroglicerina 0,4 mg sublingual.",
            "right ventricular",
        ),
        (
            person("Known bypass tract. ECG irregularly irregular and broad, 220/min."),
            "Give adenosine 12 mg intravenously.",
            "pre-excited",
        ),
        (
            person("Delta wave on an old ECG; now an irregularly irregular pulse of 210."),
            "Give metoprolol 5 mg intravenously.",
            "pre-excited",
        ),
        (
            person("Extra electrical pathway since birth; irregular broad beats."),
            "Give verapamil 5 mg intravenously.",
            "pre-excitation",
        ),
        (
            person("Atrial fibrillation, apixaban paused for a polypectomy."),
            "Resume rivaroxaban 20 mg daily and bridge with dalteparin 200 units/kg daily on top "
            "of it for four days.",
            "second anticoagulant",
        ),
        (
            person("Anaphylaxis after a peanut, wheeze, pulse felt."),
            "Inject adrenaline 0.5 mg down the line as a bolus.",
            "outside cardiac arrest",
        ),
        (
            person("Type 1 diabetes, ketoacidosis.", labs=[potassium(4.6)]),
            "Withhold insulin until the potassium is above 3.3.",
            "stopped in spite",
        ),
        (
            person("Chest tightness.", labs=[{"name": "troponin", "value": 390, "unit": "ng/L"}]),
            "Send home today, as both troponins were negative.",
            "troponin i 390",
        ),
        (
            person("Cirrhosis with a flapping tremor."),
            "Give midazolam 2 mg intravenously.",
            "hepatic",
        ),
    ],
    ids=str,
)
def test_what_is_unsafe_is_refused(objections, patient, text, reason):
    assert reason in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    ("patient", "text", "unwanted"),
    [
        (
            person("Inferior STEMI, V4R not up, 140/80."),
            "Give nitroglycerin 0.4 mg under the tongue.",
            "right ventricular",
        ),
        (
            person("Known delta wave; regular narrow tachycardia of 190."),
            "Give adenosine 6 mg intravenously.",
            "pre-excited",
        ),
        (
            person("Deep vein thrombosis.", medications=["apixaban"]),
            "Stop apixaban and give enoxaparin 1 mg/kg together with a stocking.",
            "second anticoagulant",
        ),
        (
            person("Phaeochromocytoma, untreated."),
            "Labetalol stays on the shelf until the alpha-blocker has worked.",
            "alpha",
        ),
        (
            person("Anaphylaxis after a sting.", medications=["metoprolol"]),
            "If adrenaline fails give glucagon 1 mg iv, as metoprolol may be blocking it.",
            "metoprolol",
        ),
        (
            person("Haemorrhage of the brain.", medications=["dabigatran"]),
            "Give idarucizumab 5 g intravenously now; andexanet would do nothing for dabigatran.",
            "put off",
        ),
        (
            person("Type 1 diabetes, ketoacidosis.", labs=[potassium(2.9)]),
            "Withhold insulin until the potassium is above 3.3.",
            "stopped in spite",
        ),
        (
            person("Heart failure, shock.", vitals={"systolic_bp": 78}),
            "Start norepinephrine 0.1 mcg/kg/min to raise the blood pressure.",
            "raise the blood",
        ),
        (
            person("Acute swollen knee, urate crystals in the fluid: gota."),
            "Prednisone 30 mg once a day for five days.",
            "reason for prednisone",
        ),
        (
            person("Disnea de tres días, estertores en ambas bases."),
            "Furosemida 40 mg intravenosa.",
            "reason for furosemide",
        ),
        (
            person("COPD, flapping hands.", labs=[{"name": "PaCO2", "value": 80, "unit": "mmHg"}]),
            "Give midazolam 2 mg intravenously.",
            "hepatic",
        ),
        (
            person("Aortic dissection of the ascending aorta."),
            "Neither enoxaparin nor clopidogrel, no matter what the lab does.",
            "not understood",
        ),
    ],
    ids=str,
)
def test_what_is_safe_is_let_through(objections, patient, text, unwanted):
    assert not [reason for reason in objections(patient, text) if unwanted in reason]
