"""Exclusions, combined tablets, prevention, the order of drugs, and calls for help in actions."""

import json

import pytest

from python_llm.recommendations.checks.grounds import Grounds
from python_llm.recommendations.checks.understood import Understood
from python_llm.recommendations.drugs import book, doses
from python_llm.recommendations.drugs.combined import Combinations
from python_llm.recommendations.schema import Patient


def person(text, age=60, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


def outcomes(checker, patient, *actions, escalations=(("Worse pain", "Call for help."),)):
    """The failures of a recommendation with these actions, as (check, outcome, what is told)."""
    document = {
        "problems": ["not stated"],
        "recommended_actions": [{"action": text, "evidence_refs": ["E1"]} for text in actions],
        "evidence_table": [
            {
                "ref": "E1",
                "source_type": "note",
                "document_id": "patient/notes",
                "statement": patient.notes[0],
            }
        ],
        "contraindications_checked": [
            {"medication": concept, "checked_against": "allergies, kidney", "result": "none"}
            for concept in sorted(
                {m.concept for text in actions for m in checker.knowledge.book.named(text)}
            )
        ],
        "when_to_escalate": [
            {"trigger": trigger, "action": action, "urgency": "immediate"}
            for trigger, action in escalations
        ],
        "severity": "high",
        "uncertainty": {"level": "low", "reason": "none"},
        "differential": [],
        "recommendation_id": "r",
        "patient_id": "p",
        "recommender": "test",
        "stage_ms": {"check": 1},
    }
    verdicts = checker.tier1(json.dumps(document), patient)
    return [(v.check, str(v.outcome), v.told) for v in verdicts if not v.passed]


EXCLUDED = [
    ("CT today: filling defects in both lower lobes.", "Since the CT excluded an embolism, stop."),
    ("TC: colgajo intimal hasta las renales.", "Como la TC descartó una disección, paracetamol."),
    ("Film: the visceral pleural line is seen.", "As the film shows no pneumothorax, no drain."),
    ("ECG: 2 mm of ST elevation in II, III, aVF.", "ECG without ST elevation: wait for troponin."),
]


@pytest.mark.parametrize(("note", "text"), EXCLUDED)
def test_what_the_record_shows_was_not_excluded(checker, note, text):
    told = outcomes(checker, person(note), text)
    assert [1 for check, how, _ in told if (check, how) == ("consistency", "unsafe")]


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("CT: no filling defects.", "Since the CT excluded an embolism, stop."),
        (EXCLUDED[0][0], "Once CT has excluded an embolism, stop."),
        (EXCLUDED[1][0], "Descartar una disección con TC."),
        ("Pneumothorax in 2015 with a pleural line.", "As the film shows no pneumothorax, wait."),
    ],
)
def test_exclusions_that_hold_or_are_awaited_pass(checker, note, text):
    assert not [c for c in outcomes(checker, person(note), text) if c[0] == "consistency"]


@pytest.mark.parametrize(
    ("text", "is_unsafe"),
    [
        ("Amoxicilina-clavulánico 875/125 mg cada ocho horas.", None),
        ("Co-amoxiclav 8750/125 mg twice daily.", True),
        ("Sacubitril/valsartan 97/103 mg twice daily.", None),
        ("Sacubitril/valsartan 48/52 mg twice daily.", None),
        ("Sacubitril/valsartan 97/103 mg four times daily.", True),
        ("Sacubitril/valsartan 60/103 mg twice daily.", False),
        ("Amlodipine/valsartan 100/160 mg daily.", True),
        ("Piperacillin-tazobactam 4 g/0.5 g every six hours.", None),
        ("Piperacillin/tazobactam 4/0.5 g every six hours.", None),
    ],
)
def test_the_strength_of_a_combined_tablet_exists(knowledge, text, is_unsafe):
    told = list(Combinations(knowledge.tables["order_limits"]).problems(text))
    assert [unsafe for _, unsafe in told] == ([] if is_unsafe is None else [is_unsafe])


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (
            "Anterior infarction, sinus rhythm.",
            "Lidocaine 2 mg/min to keep ventricular fibrillation from occurring.",
            "to prevent arrhythmia",
        ),
        ("Acute pericarditis.", "Colchicine 0.5 mg every hour until the pain goes.", "day's limit"),
        (
            "Pneumonia, exhausted, awake.",
            "Rocuronium 80 mg first; ketamine 80 mg once he is paralysed.",
            "before the paralysis",
        ),
        (
            "Empyema: effusion on the right with pus. The left pleural space is free.",
            "Insert a left-sided chest drain.",
            "for the left chest",
        ),
        (
            "It ripped from the breastbone through to the back.",
            "Fondaparinux 2.5 mg now.",
            "dissection",
        ),
    ],
)
def test_unsafe_kinds_of_the_last_sets_are_told(checker, note, text, reason):
    told = outcomes(checker, person(note), text)
    assert any(reason in why and how == "unsafe" for _, how, why in told), told


def test_glucose_is_given_and_not_claimed(checker):
    patient = person("Kidney failure.", labs=[{"name": "glucose", "value": 112, "unit": "mg/dL"}])
    given = outcomes(checker, patient, "Insulin 10 units with glucose 25 g intravenously now.")
    assert not [told for told in given if told[0] == "consistency"]
    claimed = outcomes(checker, patient, "Insulin 10 units, as glucose is 250 mg/dL.")
    assert [told for told in claimed if told[0] == "consistency"]


def test_monitoring_denied_in_another_action_counts(checker):
    patient = person("Deep vein thrombosis.", labs=[{"name": "platelets", "value": 230}])
    order = "Heparin 80 units/kg as a bolus, then 18 units/kg/h as an infusion, APTT as usual."
    told = outcomes(checker, patient, order, "No hace falta medir el TTPa.")
    assert any("without APTT" in why for _, _, why in told)
    assert not any("without APTT" in why for _, _, why in outcomes(checker, patient, order))


def test_advice_against_a_drug_is_understood(checker):
    patient = person("Intracranial haemorrhage.", medications=["warfarin 3 mg"])
    told = outcomes(
        checker,
        patient,
        "Prothrombin complex concentrate 50 units/kg now.",
        "No andexanet: andexanet would do nothing against warfarin.",
    )
    assert not [why for _, _, why in told if "not understood" in why or "andexanet" in why]


@pytest.mark.parametrize("rhythm", ["Atrial fibrillation", "Wolff-Parkinson-White, irregular"])
def test_a_shock_treats_the_shock_of_a_fast_rhythm(checker, rhythm):
    patient = person(
        f"{rhythm} tachycardia at 210, grey and drowsy.",
        vitals={"systolic_bp": 70, "heart_rate": 210, "spo2": 95},
    )
    told = outcomes(
        checker,
        patient,
        "Synchronised DC cardioversion of 200 J now.",
        "Call the resuscitation team now.",
    )
    assert not [why for check, how, why in told if (check, how) == ("safety_recall", "unsafe")]
    waits = outcomes(checker, patient, "Call the resuscitation team now.")
    assert rhythm.startswith("Atrial") or any("cardioversion" in why for _, _, why in waits)


def test_an_action_that_calls_at_once_is_the_escalation(checker):
    patient = person("ECG with 3 mm of ST elevation in V1 to V4, chest pain for an hour.")
    rest = "Aspirin 300 mg and ticagrelor 180 mg now."
    calls = outcomes(checker, patient, "Activate the catheter laboratory now for PCI.", rest)
    assert not [why for check, _, why in calls if check == "safety_recall"]
    silent = outcomes(checker, patient, "Catheter laboratory tomorrow for PCI.", rest)
    assert any("is not escalated" in why for _, _, why in silent)


@pytest.mark.parametrize(
    "note",
    [
        "Tensión arterial en casa de media 156/96 durante dos semanas; se encuentra bien.",
        "Blood pressure averaged 152/94 at home over a week; no symptoms, no organ damage.",
    ],
)
def test_a_note_with_a_pressure_alone_is_read(knowledge, note):
    assert not knowledge.unread(person(note))


def test_each_text_is_read_once_whatever_its_drugs(knowledge, monkeypatch):
    calls = []
    read = book.of_the_action
    monkeypatch.setattr(book, "of_the_action", lambda *texts: calls.append(texts) or read(*texts))
    knowledge.book.problems(["Furosemide 40 mg, bisoprolol 5 mg, ramipril 5 mg. " * 20], set())
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("She has missed two periods and the strip showed two lines.", "pregnancy"),
        ("I borrowed one of those blue pills from my brother last night.", "takes:sildenafil"),
        ("CT: segmental embolus of the right lower lobe.", "pulmonary_embolism_stated"),
    ],
)
def test_lay_words_of_what_matters_to_drugs(knowledge, note, finding):
    assert finding in knowledge.findings(person(note, 31, "female"))


@pytest.mark.parametrize(
    "text",
    [
        "Slip in dapagliflozin 10 mg once a day.",
        "Dial in a 28 percent Venturi mask.",
        "Dejarlo en ayunas desde ahora.",
        "Verle de nuevo en 48 horas.",
        "Pencil in a low-dose CT in six months.",
    ],
)
def test_unusual_verbs_order_as_well(knowledge, text):
    assert Understood(knowledge).complaint(text) == ""


def test_cultures_that_hold_nothing_up_leave_nothing_out(knowledge):
    grounds = Grounds(knowledge)
    assert grounds._left_out_words.search("cultures now without holding anything up") is None
    assert grounds._left_out_words.search("start it without holding apixaban")


def test_the_middle_of_a_name_is_no_finding(knowledge):
    told = knowledge.findings(person("Wolff-Parkinson-White syndrome, no other illness.", 29))
    assert "wpw" in told
    assert "parkinson" not in told
    assert "parkinson" in knowledge.findings(person("Parkinson, on no drugs.", 79))


def test_the_doses_of_a_list_are_looked_for_once(knowledge, monkeypatch):
    calls = []
    read = doses._amounts
    monkeypatch.setattr(doses, "_amounts", lambda tokens: calls.append(1) or read(tokens))
    order = "Give " + ", ".join(f"bisoprolol {n} mg and ramipril {n} mg" for n in range(1, 60))
    assert len(knowledge.book.problems([order], set())) > 1
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("ECG: P waves and QRS go their own ways, rate 34.", "av_block"),
        ("Arm limp when her son woke her; she had gone to bed well at 22.", "onset_unknown"),
        ("Eight weeks without a period, ache at the tip of the shoulder.", "surgical_emergency"),
        ("Dolor que le bajó desgarrando por la espalda.", "dissection"),
    ],
)
def test_lay_signs_of_emergencies_are_findings(knowledge, note, finding):
    assert finding in knowledge.findings(person(note, 29, "female"))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Consulta por disnea desde ayer.", "Furosemida 40 mg al día."),
        ("Regular tachycardia at 180.", "Modified Valsalva manoeuvre first, legs raised after."),
    ],
)
def test_orders_with_their_reason_are_understood(checker, note, text):
    told = outcomes(checker, person(note), text)
    assert not [why for _, _, why in told if "reason" in why or "understood" in why]
    assert not [how for _, how, _ in told if how == "unsafe"], told


# A list of drugs, the one that must not be given so, and what is against it ("" for nothing).
LISTS = [
    ("Vincristine 2 mg and methotrexate 12 mg, both intrathecally.", "vincristine", "fatal"),
    ("Give both vincristine 2 mg and methotrexate 12 mg by the intrathecal route.", "", "fatal"),
    ("Vincristine 2 mg plus methotrexate 12 mg intrathecally today.", "", "fatal"),
    ("Intrathecally: methotrexate 12 mg and vincristine 2 mg.", "", "fatal"),
    ("Vincristina 2 mg y metotrexato 12 mg, los dos por vía intratecal.", "", "fatal"),
    ("Administrar vincristina 2 mg y metotrexato 12 mg intratecales.", "", "fatal"),
    ("Methotrexate 10 mg with folic acid 5 mg, each of them daily.", "", "weekly"),
    ("One methotrexate 10 mg tablet and one folic acid 5 mg tablet every day.", "", "weekly"),
    ("Metotrexato 10 mg y ácido fólico 5 mg, ambos una vez al día.", "", "weekly"),
    ("Potassium chloride 40 mmol and magnesium sulfate 2 g, both as a bolus.", "", "rapid"),
    ("Cloruro potásico 40 mmol y sulfato de magnesio 2 g en bolo.", "", "rapid"),
    ("Vincristine 2 mg intravenously, methotrexate 12 mg intrathecally.", "vincristine", ""),
    ("Vincristine 2 mg IV and methotrexate 12 mg intrathecally, both today.", "vincristine", ""),
    ("Methotrexate 10 mg once a week and prednisolone 5 mg daily.", "methotrexate", ""),
    ("Daily prednisolone 5 mg, and methotrexate 10 mg once weekly.", "methotrexate", ""),
    ("Prednisolone 30 mg and salbutamol 5 mg nebulised.", "prednisolone", ""),
]


def test_the_drugs_of_a_list_share_route_and_frequency(knowledge):
    wrong = []
    for text, drug, told in LISTS:
        against = [
            problem.against
            for problem in knowledge.book.problems([text], set())
            if problem.seriousness == "absolute" and drug in problem.drug
        ]
        if bool(against) != bool(told) or (told and told not in " ".join(against)):
            wrong.append((text, against))
    assert wrong == []


# An order of an opioid, the findings of its patient, and whether it is too much.
OPIOIDS = [
    ("Morphine 10 mg by mouth every 4 hours.", {"egfr_below_15"}, True),
    ("Morfina 10 mg por vía oral cada 4 horas.", {"severe_renal_impairment"}, True),
    ("Codeine 60 mg every 6 hours.", {"severe_renal_impairment"}, True),
    ("Dihydrocodeine 30 mg every four hours.", {"dialysis"}, True),
    ("Tramadol 100 mg three times a day.", {"dialysis"}, True),
    ("Oxycodone 10 mg every 6 hours.", {"egfr_below_20"}, True),
    ("Morphine 10 mg by mouth every 4 hours.", {"age_80"}, True),
    ("Tramadol 100 mg four times a day.", {"age_75"}, True),
    ("Fentanyl 50 micrograms intravenously now.", {"slow_breathing"}, True),
    ("Oxicodona 5 mg ahora.", {"slow_breathing"}, True),
    ("Morphine 10 mg by mouth every 4 hours.", set(), False),
    ("Morphine 2 mg by mouth every 6 hours.", {"egfr_below_15"}, False),
    ("Morphine 10 mg by mouth every 4 hours.", {"age_80", "takes:opioid"}, False),
    ("Codeine 30 mg every 6 hours.", {"severe_renal_impairment"}, False),
    ("Morphine 5 mg by mouth for comfort.", {"slow_breathing", "dnr_comfort"}, False),
    ("Tramadol 50 mg twice daily.", {"age_75"}, False),
]


def test_opioids_fit_kidneys_age_and_breathing(knowledge):
    wrong = [
        (text, findings)
        for text, findings, is_too_much in OPIOIDS
        if any(p.seriousness == "absolute" for p in knowledge.book.problems([text], findings))
        is not is_too_much
    ]
    assert wrong == []


# Safe orders that were read as something else: note, conditions, medications, order.
SAFE_ORDERS = [
    ("Chest clear, well.", ["severe asthma", "glaucoma"], [], "Latanoprost one drop at night."),
    ("AF, INR 5.6, well.", [], ["warfarin"], "Omit warfarin tonight and repeat the INR tomorrow."),
    ("INR 5,6, estable.", [], ["warfarina"], "Omitir la warfarina hoy y repetir el INR mañana."),
    ("INR 5.6, well.", [], ["warfarin"], "Hold warfarin; restart once the INR is below 5."),
    ("AF, well.", ["AF"], [], "Apixaban 5 mg twice daily; elective cardioversion in four weeks."),
    ("Healthy, well.", [], [], "Give yellow fever vaccine 0.5 mL subcutaneously today."),
    ("Viajero sano, bien.", [], [], "Vacuna de la fiebre amarilla 0,5 ml subcutánea hoy."),
    ("Migraine, well.", ["migraine"], [], "Sumatriptan 50 mg now, at most 300 mg in 24 hours."),
    ("Dolor de muelas, estable.", [], [], "Paracetamol 1 g cada 6 horas, máximo 4 g al día."),
    (
        "Potassium 2.7, stable.",
        [],
        [],
        "Potassium chloride 40 mmol in 1 litre of normal saline at 10 mmol per hour on a monitor.",
    ),
]
# Neighbours in which the danger is real.
UNSAFE_ORDERS = [
    ("Severe asthma attack, silent chest.", [], [], "Home with paracetamol."),
    ("AF, INR stable, well.", [], ["warfarin"], "Leave out the INR for the next year."),
    ("AF at 170, blood pressure 74/40, shocked.", [], [], "Elective cardioversion in four weeks."),
    ("Migraine, well.", ["migraine"], [], "Sumatriptan 300 mg by mouth now."),
    ("INR 2.5, well.", [], ["warfarin"], "Keep the INR at 6."),
]


def test_safe_orders_are_not_read_as_others(checker):
    def told(note, conditions, medications, order):
        vitals = {"heart_rate": 78, "respiratory_rate": 15, "spo2_percent": 98}
        vitals |= {"systolic_bp": 74, "heart_rate": 170} if "170" in note else {}
        patient = person(note, conditions=conditions, medications=medications, vitals=vitals)
        return [why for _, outcome, why in outcomes(checker, patient, order) if "unsafe" in outcome]

    wrong = [(row, why) for row in SAFE_ORDERS if (why := told(*row))]
    wrong += [(row, "passed") for row in UNSAFE_ORDERS if not told(*row)]
    assert wrong == []


def test_ordinals_are_no_drugs_and_a_reason_no_other_field(checker):
    book = checker.knowledge.book
    assert book.unknown_drugs("a second 50 mg tablet; máximo 1 mg; third 2 mg dose") == []
    patient = person("Haemoglobin 8.4, ferritin 4, well.", conditions=["iron deficiency anaemia"])
    order = "Give ferric carboxymaltose 1000 mg over 15 minutes for iron deficiency anaemia."
    assert "scope" not in {check for check, *_ in outcomes(checker, patient, order)}
    patient = person("Haemoglobin 8.4, ferritin 4, well.")
    assert "scope" in {check for check, *_ in outcomes(checker, patient, order)}
