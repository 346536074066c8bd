"""Orders that do not heed what the record tells: a result, a procedure that this body must not
have, the order of two drugs, a weight, how long ago it began, or what the patient has decided."""

import json

import pytest

from python_llm.recommendations.checks.contradictions import conflicts
from python_llm.recommendations.checks.quotations import Quotations
from python_llm.recommendations.record.inputs import hours_since_onset
from python_llm.recommendations.schema import Evidence, Patient


def person(text, age=50, sex="female", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


EPIDURAL = person("Epidural catheter since surgery on Monday.", medications=["enoxaparin"])
RIVAROXABAN = person("Hip fracture.", medications=["rivaroxaban 20 mg"])
CANNOT_CLOT = person("Acute leukaemia, platelets 9.", labs=[{"name": "platelets", "value": 9}])
HYPERKALAEMIA = person(
    "Wide QRS, potassium 7.1.", labs=[{"name": "potassium", "value": 7.1, "unit": "mmol/L"}]
)
TRANSPLANTED = person("Kidney graft.", medications=["mycophenolate 1 g"])


@pytest.mark.parametrize(
    ("case", "text", "reason"),
    [
        # a procedure that this body must not have
        (EPIDURAL, "Remove the epidural catheter an hour after enoxaparin.", "spinal haematoma"),
        (RIVAROXABAN, "Spinal anaesthesia this afternoon.", "spinal haematoma"),
        (CANNOT_CLOT, "Left subclavian line at the bedside.", "cannot be pressed"),
        (person("Raccoon eyes after a fall."), "Pass an NG tube.", "enters the skull"),
        (person("Sangre en el meato tras fractura de pelvis."), "Sondaje vesical.", "injured uret"),
        (person("GCS 5, COPD."), "Start BiPAP on the ward.", "not protected"),
        (person("Toxic megacolon."), "Colonoscopy this morning.", "toxic megacolon"),
        (person("Placenta praevia, 34 weeks."), "Vaginal examination now.", "placenta praevia"),
        (person("Drank drain cleaner."), "Gastric lavage at once.", "burns again"),
        (person("Drain in place, bubbling."), "Clamp the chest tube for the night.", "air leak"),
        (person("Fracture of C5, moves all limbs."), "Take off the collar.", "cervical spine"),
        # a result that is not heeded
        (person("Sputum: Klebsiella resistant to cefotaxime."), "Cefotaxime 1 g iv.", "resistance"),
        (person("Neumonía. Serratia resistente a cefepima."), "Cefepime 2 g iv.", "resistance"),
        (person("MRSA in the blood."), "Flucloxacillin 2 g iv every six hours.", "MRSA"),
        (person("Pyelonephritis with ESBL E. coli."), "Ceftriaxone 2 g iv.", "ESBL"),
        (HYPERKALAEMIA, "Continue ramipril, as potassium is 4.2.", "says “potassium 4.2”"),
        (
            person("INR was 2.2 on Monday; today 5.9.", medications=["warfarin"]),
            "Warfarin 5 mg tonight, since the INR is 2.2.",
            "says “inr 2.2”, the record “5.9”",
        ),
        # how long ago it began
        (person("Stroke, last seen well ten hours ago."), "Alteplase 0.9 mg/kg.", "4.5 hours"),
        (person("Ictus isquémico, inicio hace 8 horas."), "Alteplasa 0,9 mg/kg iv.", "4.5 hours"),
        (person("STEMI, pain for 30 hours. BP 130/80."), "Tenecteplase 40 mg iv.", "12 hours"),
        # one drug comes before another, or with it
        (
            person("Thyroid storm, Graves disease."),
            "Lugol's iodine now, propylthiouracil this evening.",
            "thionamide comes",
        ),
        (
            person("Myxoedema coma."),
            "Levothyroxine 300 micrograms iv; hydrocortisone tomorrow.",
            "corticosteroid comes first",
        ),
        (
            person("Phaeochromocytoma.", medications=["doxazosin"]),
            "Propranolol 40 mg today and phenoxybenzamine next week.",
            "alpha-blocker comes first",
        ),
        # a weight, and an amount that contradicts itself
        (person("PE. Weight 50 kg."), "Heparin 10,000 units iv.", "for 50 kg"),
        (
            person("Septic shock. Weight 50 kg."),
            "Gentamicin 5 mg/kg, so 400 mg iv.",
            "is not 5 mg a kg",
        ),
        # what is not to be given in a disease
        (person("Burns of 40 % last week."), "Suxamethonium 100 mg iv.", "potassium rises"),
        (TRANSPLANTED, "Give the MMR vaccine.", "suppresses the immune response"),
        (person("Crohn's disease, IGRA positive."), "Infliximab 5 mg/kg.", "tuberculosis"),
        (
            person("Sodium 109, confused.", labs=[{"name": "sodium", "value": 109}]),
            "Glucose 5 % 1 litre over four hours.",
            "it falls further",
        ),
        (person("Nursing a newborn."), "Codeine 30 mg.", "breastfeeding"),
        # what has harmed the patient already
        (person("Phenytoin toxicity, ataxia."), "Phenytoin 300 mg daily.", "the record blames"),
        (person("Pancreatitis due to azathioprine."), "Azathioprine 100 mg.", "record blames"),
        (person("Intoxicación por digoxina."), "Digoxina 0,25 mg al día.", "record blames"),
        # kidneys, and a disease that the drug adds to
        (person("Zoster.", labs=[{"name": "egfr", "value": 9}]), "Gabapentin 600 mg tds.", "high"),
        (person("Sepsis. Filtrado 12."), "Cefepime 2 g iv every 8 hours.", "too high"),
        (person("Clostridioides difficile."), "Loperamide 4 mg.", "toxic megacolon"),
        (person("Neuroleptic malignant syndrome."), "Haloperidol 5 mg im.", "malignant"),
        (person("Opioid-naive, back pain."), "Fentanyl patch 50 micrograms/h.", "tolerance"),
        (
            person("Hypertension.", medications=["nifedipine LA"]),
            "Crush nifedipine LA.",
            "slow rel",
        ),
        # oxygen in whoever retains carbon dioxide
        *(
            (person("COPD exacerbation, pH 7.29, pCO2 68."), text, "hypercapnia")
            for text in (
                "Oxygen well beyond 98 percent.",
                "Oxígeno por encima del 97 %.",
                "Give oxygen until pink, at least 96 percent.",
                "Oxígeno en gafas nasales a 7 l/min.",
                "Oxygen by simple mask at 8 L/min until comfortable.",
            )
        ),
        # a needle where the blood does not clot
        *(
            (person("Large effusion, INR 4.4."), text, "clotting")
            for text in ("Pleural biopsy today.", "Thoracentesis this morning.", "Chest drain now.")
        ),
        (CANNOT_CLOT, "Broncoscopia con biopsia transbronquial.", "cannot be pressed"),
        # ST elevation cannot wait for a day
        *(
            ("mi_01", text, "put off")
            for text in (
                "Book primary PCI for Tuesday.",
                "Primary PCI in 24 hours.",
                "Solicitar coronariografía para el jueves.",
            )
        ),
        # a drug that was taken, told in other words
        *(
            (person(f"NSTEMI. {told}"), "Nitroglycerin 0.4 mg sublingual.", "phosphodiesterase")
            for told in ("Anoche tomó sildenafilo.", "Consumió Viagra hace 8 horas.")
        ),
        *(
            (person(f"Pulmonary embolism. {told}"), "Fondaparinux 7.5 mg.", "second anticoag")
            for told in (
                "Lleva apixabán.",
                "Recibió enoxaparina 80 mg esta mañana.",
                "Last apixaban this morning.",
            )
        ),
        (person("Pneumothorax, not drained."), "Entonox for the reduction.", "closed space"),
        (person("Unconscious, glucose 28."), "A glass of orange juice.", "aspiration"),
        (
            person("Compartment syndrome of the leg."),
            "Raise the leg and review in clinic on Thursday.",
            "put off",
        ),
        # a refusal that nobody told
        ("pe_01", "No anticoagulant, as she has declined it.", "the record does not"),
    ],
)
def test_what_is_not_heeded_is_told(objections, case, text, reason):
    assert reason in "\n".join(objections(case, text))


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (EPIDURAL, "Remove the epidural catheter 12 hours after the last enoxaparin."),
        (RIVAROXABAN, "Spinal anaesthesia once 72 hours have gone since rivaroxaban."),
        (person("Raccoon eyes after a fall."), "Pass an orogastric tube."),
        (person("No blood at the meatus. Retention."), "Insert a Foley catheter."),
        (person("Drain in place, bubbling."), "Do not clamp the chest tube."),
        (
            person("Klebsiella resistant to cefotaxime, sensitive to meropenem."),
            "Meropenem 1 g iv.",
        ),
        (person("Not resistant to cefotaxime. Pneumonia."), "Cefotaxime 1 g iv."),
        (
            person("MRSA in the blood."),
            "Flucloxacillin 2 g iv beside vancomycin 1 g iv with its levels.",
        ),
        (HYPERKALAEMIA, "Calcium gluconate 10 % 30 mL, as potassium is 7.1."),
        (HYPERKALAEMIA, "Insulin 10 units in 50 mL of glucose 50 %."),
        (person("Stroke, last seen well two hours ago."), "Alteplase 0.9 mg/kg."),
        (person("Thyroid storm."), "Propylthiouracil 600 mg now, Lugol's iodine an hour later."),
        (person("Myxoedema coma."), "Hydrocortisone 100 mg iv, then levothyroxine 300 micrograms."),
        (person("PE. Weight 50 kg."), "Heparin 4,000 units iv (80 units/kg)."),
        (person("Burns of 40 % last week."), "Rocuronium 60 mg, and no suxamethonium."),
        (person("Refuses blood. Haemoglobin 6.1."), "No red cells, since that is her decision."),
        (person("COPD, pH 7.29, pCO2 68."), "Oxygen at 2 L/min by nasal prongs, 88 to 92 %."),
        (person("Large effusion, INR 4.4."), "Chest drain once the INR is reversed."),
        ("mi_01", "Primary PCI now."),
        ("mi_01", "Tenecteplase 40 mg now, since PCI would take 150 minutes, beside heparin."),
        (person("Discitis with MRSA."), "Vancomycin 1 g iv with its levels."),
        (person("Digoxin toxicity, HR 40."), "Digoxin immune fab today."),
        (
            person("Anaphylaxis to penicillin.", allergies=["penicillin: anaphylaxis"]),
            "Avoid amoxicillin and co-amoxiclav because of the penicillin anaphylaxis.",
        ),
        (person("Digoxin toxicity, HR 40."), "Stop digoxin."),
        (person("Haematemesis, BP 118/70."), "Endoscopy within 24 hours once he is stable."),
    ],
)
def test_what_heeds_it_is_not_told(objections, case, text):
    hindrances = ("in spite of", "quotes", "record does not", "above", "comes", "without", "is not")
    told = [r for r in objections(case, text) if any(word in r for word in hindrances)]
    assert [r for r in told if "stroke is not escalated" not in r] == []


@pytest.mark.parametrize(
    ("note", "hours"),
    [
        ("Left hemiparesis for 40 minutes.", 2 / 3),
        ("Hemiparesis, last known well 6 hours ago.", 6),
        ("Afasia, inicio hace diez horas.", 10),
        ("Chest pain since yesterday.", 24),
        ("Nine hours after onset of weakness.", 9),
        ("Fever for three days.", None),
    ],
)
def test_how_long_ago_it_began_is_read(note, hours):
    assert hours_since_onset([note]) == (None if hours is None else pytest.approx(hours))


WARFARIN = person("PE, stable. INR 1.1.", medications=["enoxaparin 70 mg"])


@pytest.mark.parametrize(
    ("actions", "is_told"),
    [
        (["Start warfarin 5 mg.", "Continue enoxaparin 70 mg until INR is 2."], False),
        (["Iniciar acenocumarol.", "Mantener enoxaparina 70 mg hasta INR de 2."], False),
        (["Start warfarin 5 mg.", "Continue enoxaparin 70 mg for a month."], True),
        (["Start apixaban 5 mg.", "Continue enoxaparin 70 mg until INR is 2."], True),
    ],
)
def test_heparin_overlaps_warfarin_until_the_inr(knowledge, actions, is_told):
    findings = knowledge.findings(WARFARIN)
    problems = knowledge.book.problems(actions, findings, is_whole=True)
    assert any("a second anticoagulant" in p.against for p in problems) == is_told


@pytest.fixture(scope="module")
def quotations(knowledge):
    return Quotations(knowledge)


def cited(document):
    return [Evidence(ref="E", source_type="guideline", document_id=document, statement="x")]


@pytest.mark.parametrize(
    ("text", "document", "is_told"),
    [
        # a passage that says "antibiotics" speaks of each of them
        ("Ceftriaxone 2 g and azithromycin 500 mg iv.", "sepsis_2021#1", False),
        ("Doxycycline 200 mg today.", "gold_2026#3", False),
        ("Begin warfarin 5 mg tonight.", "pe_2019#11", False),
        ("Oseltamivir 75 mg twice daily.", "sepsis_2021#1", True),
    ],
)
def test_a_generic_passage_supports_its_drugs(quotations, text, document, is_told):
    assert bool(quotations.of_action(text, cited(document))) == is_told


@pytest.mark.parametrize(
    ("document", "statement", "is_told"),
    [
        ("pe_2019#1", "In pulmonary embolism anticoagulation waits for the echocardiogram.", True),
        ("pe_2019#1", "Anticoagulation is postponed in pulmonary embolism.", True),
        ("gold_2026#4", "Intubate first; non-invasive ventilation comes second.", True),
        ("gold_2026#4", "La ventilación no invasiva no es la primera opción.", True),
        ("gold_2026#4", "La ventilación no invasiva es la primera opción.", False),
        ("gold_2026#2", "Corticosteroids lengthen recovery and worsen oxygenation.", True),
        ("anaphylaxis_2021#1", "Repeat adrenaline after five minutes if not improved.", False),
    ],
)
def test_a_quotation_that_puts_last_is_reversed(quotations, document, statement, is_told):
    row = cited(document)[0].model_copy(update={"statement": statement})
    assert bool(quotations.of_evidence(row, None)) == is_told


@pytest.mark.parametrize(
    ("note", "is_told"),
    [
        ("Pulmonary embolism suspected, stable.", False),
        ("Pulmonary embolism was ruled out.", True),
    ],
)
def test_what_is_suspected_may_be_treated(checker, quotations, note, is_told):
    patient = person(note)
    found, suspected = checker.knowledge.findings(patient), checker.knowledge.suspected(patient)
    told = quotations.of_action("Enoxaparin 80 mg.", cited("pe_2019#1"), found, suspected)
    assert ("not known to have" in told) == is_told


def test_a_named_cause_escalates_an_acidosis(checker, recommended, golden):
    patient = person(
        "Diabetic ketoacidosis, pH 7.05.", labs=[{"name": "ph", "value": 7.05}], age=24
    )
    made = recommended("pe_01") | {"patient_id": "p"}
    made["when_to_escalate"] = [
        {
            "trigger": "diabetic ketoacidosis",
            "action": "Call intensive care now.",
            "urgency": "immediate",
        }
    ]
    verdicts = checker.tier1(json.dumps(made), patient)
    assert not [v for v in verdicts if v.item == "severe_acidemia" and not v.passed]


KIDNEY = person("Foot ulcer.", labs=[{"name": "egfr", "value": 18}])


@pytest.mark.parametrize(
    ("case", "text", "reason"),
    [
        (HYPERKALAEMIA, "Insulin 10 units iv.", "insulin without glucose"),
        (HYPERKALAEMIA, "Insulina 10 unidades iv.", "insulin without glucose"),
        (HYPERKALAEMIA, "Insulin 10 units iv in glucose 50 % 50 mL.", ""),
        (KIDNEY, "CT of the foot with iodinated contrast.", "eGFR below 30: kidney injury"),
        (KIDNEY, "CT of the foot without iodinated contrast.", ""),
    ],
)
def test_what_a_drug_lacks_or_harms_is_told(knowledge, case, text, reason):
    problems = knowledge.book.problems([text], knowledge.findings(case), is_whole=True)
    told = "\n".join(p.against for p in problems if p.seriousness in ("absolute", "caution"))
    assert reason in told
    assert bool(told) == bool(reason)


@pytest.mark.parametrize(
    ("checked", "is_told"),
    [("potasio, función renal, alergia a sulfamidas", False), ("nada", True)],
)
def test_what_was_checked_may_be_spanish(knowledge, checked, is_told):
    book = knowledge.book
    findings = {"allergy:sulfonamide_antibiotic"}
    problems = book.problems(["Furosemida 40 mg iv."], findings)
    unseen = [p for p in problems if not book.phrases_in(p.phrases, checked)]
    assert bool(unseen) == is_told


def test_a_class_denied_in_spanish_is_no_contradiction(knowledge):
    named = knowledge.book.named("No dar anticoagulantes orales directos en el embarazo.")
    assert [(mention.concept, mention.affirmed) for mention in named] == [("doac", False)]


def test_a_note_of_one_spanish_sentence_is_read(knowledge):
    assert knowledge.unread(person("El paciente tiene hiperpotasemia.")) == []


def test_a_record_quoted_with_a_decimal_comma_is_true(quotations):
    row = Evidence(
        ref="E",
        source_type="note",
        document_id="patient/notes",
        statement="Hiperpotasemia de 7,2 y lactato 3,1.",
    )
    assert quotations.of_evidence(row, person("Hiperpotasemia de 7,2 y lactato 3,1.")) == ""


@pytest.mark.parametrize("text", ["Coronariografía urgente.", "AngioTC de tórax urgente."])
def test_an_order_of_one_noun_is_understood(checker, text):
    made = checker.out_of_scope(text) or checker._understood.complaint(text)
    assert made == ""


@pytest.mark.parametrize(
    ("note", "is_taken"),
    [("Given enoxaparin an hour ago.", True), ("Given enoxaparin in 2019.", False)],
)
def test_what_was_given_today_is_taken(knowledge, note, is_taken):
    assert ("takes:enoxaparin" in knowledge.findings(person(note))) == is_taken


@pytest.mark.parametrize(
    ("first", "is_told"),
    [
        ("Apixaban 10 mg twice daily for a week, then 5 mg twice daily.", True),
        ("Apixaban 5 mg twice daily if the scan is positive.", False),
    ],
)
def test_a_course_in_two_steps_is_an_order(knowledge, first, is_told):
    found = list(conflicts(knowledge.book, [first, "Do not give apixaban."]))
    assert bool(found) == is_told


@pytest.mark.parametrize(
    ("text", "document", "is_told"),
    [
        ("Intubate first; non-invasive ventilation comes second.", "gold_2026#4", True),
        ("Reservar la ventilación no invasiva si fracasa la intubación.", "gold_2026#4", True),
        ("Prednisone 40 mg, although steroids lengthen recovery.", "gold_2026#2", True),
        ("Non-invasive ventilation now.", "gold_2026#4", False),
        ("Prednisone 40 mg for five days to shorten recovery.", "gold_2026#2", False),
    ],
)
def test_an_order_that_reverses_its_passage_fails(quotations, text, document, is_told):
    assert ("reversed" in quotations.of_action(text, cited(document))) == is_told


@pytest.mark.parametrize(
    ("note", "needs_it"),
    [
        ("COPD exacerbation, pH 7.28, pCO2 66.", True),
        ("COPD exacerbation, pH 7.28, pCO2 66, GCS 5.", False),
        ("COPD exacerbation, pH 7.40, pCO2 48.", False),
    ],
)
def test_acidosis_in_copd_needs_ventilation(checker, recommended, note, needs_it):
    patient = person(note)
    made = recommended("pe_01") | {"patient_id": "p"}
    made["recommended_actions"][0]["action"] = "Salbutamol 2.5 mg nebulised with air."
    verdicts = checker.tier1(json.dumps(made), patient)
    told = [v for v in verdicts if v.item == "treatment: ventilation" and not v.passed]
    assert bool(told) == needs_it


def test_oral_anticoagulants_denied_spare_heparin(knowledge):
    named = knowledge.book.named("No dar anticoagulantes orales durante el embarazo.")
    assert [mention.concept for mention in named] == ["oral_anticoagulant"]
