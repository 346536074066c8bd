"""Quotations: a paraphrase passes, a reversal under a real id fails and shows the passage."""

import json

import pytest

from python_llm.recommendations.checks.preferences import reversed_preference
from python_llm.recommendations.checks.quotations import Quotations
from python_llm.recommendations.checks.verdicts import passed
from python_llm.recommendations.schema import Evidence, Patient


@pytest.fixture(scope="module")
def quotations(knowledge):
    return Quotations(knowledge)


def evidence(quotations, document, statement):
    row = quotations.knowledge.documents.get(document)
    source_type = row["source_type"] if row else document.partition("/")[2].rstrip("s")
    source_type = {"chest_xray": "imaging"}.get(source_type, source_type)
    return Evidence(ref="E1", source_type=source_type, document_id=document, statement=statement)


REVERSED = [
    # negation
    ("hf_2022#1", "Patients with heart failure and fluid overload should not receive diuretics."),
    ("hf_2022#9", "In cardiogenic shock, start a beta-blocker in intensive care."),
    ("gold_2026#10", "Methylxanthines are recommended in a COPD exacerbation."),
    ("cap_2019#11", "Corticosteroids are routine in non-severe pneumonia."),
    ("pe_2019#1", "Anticoagulation must not be started in pulmonary embolism."),
    ("drug_aztreonam#1", "Monobactam that cannot be given in penicillin allergy."),
    (
        "fleischner_2017#3",
        "Solid nodules below 6 mm need routine follow-up at low risk.",
    ),
    ("gold_2026#9", "Where COPD and asthma overlap, a LABA may be given alone."),
    # direction
    ("hf_2022#2", "In HFrEF, sacubitril-valsartan increases death and admissions."),
    ("hf_2022#5", "SGLT2 inhibitors raise cardiovascular death and admissions in HFrEF."),
    ("gold_2026#7", "Pulmonary rehabilitation increases readmission after a COPD exacerbation."),
    ("hf_2022#3", "Bisoprolol in HFrEF: begin high when euvolaemic."),
    ("hf_2022#11", "Verapamil and diltiazem improve heart failure with reduced ejection fraction."),
    ("drug_calcium_gluconate#1", "Stabilises the heart in hyperkalaemia and lowers potassium."),
    # limits and quantities
    ("hf_2022#4", "Spironolactone is recommended in HFrEF when eGFR is below 30."),
    ("acs_2025#9", "Oxygen is given in acute coronary syndrome above a saturation of 90 percent."),
    (
        "oxygen_2017#1",
        "Oxygen is titrated to a saturation of 94 to 98 percent.",
    ),
    ("acs_2025#3", "Aspirin 1620 to 3250 mg is given at once in acute coronary syndrome."),
    ("acs_2025#3", "Aspirin 162 to 325 g is given at once in acute coronary syndrome."),
    ("acs_2025#1", "In STEMI primary PCI is performed within 900 minutes of first contact."),
    ("drug_apixaban#1", "Apixaban for stable pulmonary embolism, 100 mg twice daily for a week."),
    # drug
    ("hf_2022#3", "Atenolol is recommended in heart failure with reduced ejection fraction."),
    ("acs_2025#3", "Ibuprofen is given at once in acute coronary syndrome."),
    ("pe_2019#2", "In high-risk pulmonary embolism, aspirin is started."),
    ("cap_2019#3", "Outpatients with pneumonia who cannot take a penicillin receive amoxicillin."),
    # condition
    ("gold_2026#5", "Patients with heart failure receive LABA and LAMA maintenance."),
    ("acs_2025#6", "Parenteral anticoagulation is given in community-acquired pneumonia."),
    # class, year, and nothing to do with it
    ("hf_2022#11", "Class 1: verapamil and diltiazem worsen HFrEF."),
    ("pe_2019#1", "ESC 2008, Class I: anticoagulation starts without delay in pulmonary embolism."),
    ("hf_2022#8", "Hospital food quality predicts satisfaction of relatives on the ward."),
]


@pytest.mark.parametrize(("document", "statement"), REVERSED)
def test_a_reversed_quotation_fails_and_shows_the_passage(quotations, document, statement):
    problem = quotations.of_evidence(evidence(quotations, document, statement), None)
    assert problem
    assert quotations.knowledge.documents[document]["document_text"] in problem


PARAPHRASED = [
    ("hf_2022#1", "Give IV loop diuretics early when heart failure comes with fluid overload."),
    ("hf_2022#1", "Furosemide at 1 to 2.5 times the home dose relieves congestion."),
    ("hf_2022#2", "ARNI, ACE inhibitor or ARB lowers mortality and hospitalisation in HFrEF."),
    (
        "hf_2022#3",
        "Carvedilol, bisoprolol or metoprolol succinate for HFrEF.",
    ),
    ("hf_2022#4", "Check potassium and creatinine after 7 days of spironolactone."),
    ("hf_2022#5", "Dapagliflozin reduces admissions in HFrEF, diabetic or not."),
    ("hf_2022#9", "Inotropes and a shock team; beta-blockers should not be started."),
    ("hf_2022#11", "NSAIDs and verapamil should be avoided in HFrEF (Class III)."),
    (
        "cap_2019#5",
        "On the ward, ceftriaxone plus azithromycin, or levofloxacin alone.",
    ),
    ("cap_2019#12", "At least 5 days of antibiotics in pneumonia."),
    ("cap_2019#11", "Steroids are not routinely given in non-severe pneumonia."),
    (
        "pe_2019#1",
        "Anticoagulate immediately in PE; a DOAC or LMWH is preferred if stable.",
    ),
    ("pe_2019#1", "Do not delay anticoagulation in pulmonary embolism (ESC 2019, Class I)."),
    ("pe_2019#2", "High-risk PE: systemic thrombolysis with unfractionated heparin."),
    ("pe_2019#4", "Embolectomy is an option when thrombolysis is contraindicated."),
    ("gold_2026#10", "Theophylline is not recommended in exacerbations of COPD."),
    ("gold_2026#4", "NIV first in hypercapnic exacerbations with a pH at or below 7.35."),
    ("acs_2025#1", "Activate the cath lab immediately: primary PCI within 1.5 hours in STEMI."),
    (
        "acs_2025#3",
        "Aspirin 162-325 mg immediately in ACS, then a P2Y12 inhibitor.",
    ),
    ("acs_2025#9", "No oxygen in ACS unless saturation is below 90 %."),
    ("oxygen_2017#1", "Titrate oxygen to 88–92 % in patients at risk of hypercapnia."),
    (
        "ukka_2023#1",
        "Potassium 6.5 mmol/L or above: IV calcium, insulin with glucose.",
    ),
    (
        "drug_calcium_gluconate#1",
        "Protects the heart but does not lower potassium.",
    ),
    ("fleischner_2017#1", "CT follow-up after 6 to 12 months for a solid nodule of 6 to 8 mm."),
]


@pytest.mark.parametrize(("document", "statement"), PARAPHRASED)
def test_a_true_paraphrase_passes(quotations, document, statement):
    assert quotations.of_evidence(evidence(quotations, document, statement), None) == ""


def test_every_passage_supports_itself_and_its_actions(quotations):
    for key, row in quotations.knowledge.documents.items():
        whole = evidence(quotations, key, f"{row['document_text']} ")
        assert quotations.of_evidence(whole, None) == "", key
        for name in filter(None, (part.strip() for part in row["actions"].split(";"))):
            instruction = quotations.knowledge.actions[name]["instruction"]
            assert quotations.of_action(instruction, [whole]) == "", (key, name)


@pytest.mark.parametrize(
    ("action", "document", "supported"),
    [
        ("Start apixaban.", "pe_2019#1", True),
        ("Start apixaban.", "drug_aspirin#1", False),
        ("Start apixaban and colchicine.", "pe_2019#1", False),
        ("Start a beta-blocker.", "hf_2022#9", False),
        ("Do not start a beta-blocker.", "hf_2022#9", True),
        ("Do not give loop diuretics.", "hf_2022#1", False),
        ("Give aminophylline.", "gold_2026#10", False),
        ("Give theophylline for the COPD exacerbation.", "gold_2026#2", False),
        ("Obtain an echocardiogram.", "hf_2022#7", True),
        ("Obtain an echocardiogram.", "gold_2026#6", False),
        ("Heparin for acute coronary syndrome.", "pe_2019#2", False),
        ("Anticoagulate the pulmonary embolism with heparin (ESC 2008).", "pe_2019#2", False),
        ("Call the attending now.", "gold_2026#6", True),
    ],
)
def test_an_action_needs_a_passage_for_it(quotations, action, document, supported):
    row = evidence(quotations, document, quotations.knowledge.documents[document]["document_text"])
    assert (quotations.of_action(action, [row]) == "") is supported


PATIENT = Patient(
    patient_id="p",
    age=70,
    sex="female",
    vitals={"systolic_bp": 88.0},
    labs=[
        {"name": "potassium", "value": 7.1, "unit": "mmol/L"},
        {"name": "troponin_i", "value": 4.0, "unit": "ng/L"},
    ],
    chest_xray=[{"label": "Edema", "probability": 0.81}],
    notes=["No pneumonia. COPD for ten years. Lactate 2.4 at 10:30."],
)


@pytest.mark.parametrize(
    ("document", "statement", "true"),
    [
        ("patient/labs", "potassium 7.1 mmol/L, troponin_i 4 ng/L", True),
        ("patient/labs", "K+ 7.1", True),
        ("patient/labs", "lactate 2.4 and systolic pressure 88", True),
        ("patient/labs", "potassium 4.1 mmol/L", False),
        ("patient/labs", "potassium 7.1 ng/L; troponin_i 4 ng/L", False),
        ("patient/labs", "troponin_i 4 ng/mL", False),
        ("patient/labs", "troponin_i 400 ng/L", False),
        ("patient/chest_xray", "Edema 0.81", True),
        ("patient/chest_xray", "Edema 0.18", False),
        ("patient/notes", "The notes of this patient.", True),
        ("patient/notes", "Known COPD, pneumonia excluded.", True),
        ("patient/notes", "The note affirms pneumonia.", False),
        ("patient/notes", "No COPD.", False),
    ],
)
def test_the_record_of_the_patient_is_quoted_truly(quotations, document, statement, true):
    problem = quotations.of_evidence(evidence(quotations, document, statement), PATIENT)
    assert (problem == "") is true
    assert not any(character.isdigit() for character in problem)


def test_a_reversed_quotation_fails_tier_1(checker, golden, recommended):
    made = recommended("chf_01")
    row = next(r for r in made["evidence_table"] if r["document_id"] == "hf_2022#1")
    row["statement"] = row["statement"].replace("should receive", "should not receive")
    verdicts = checker.tier1(json.dumps(made), golden["chf_01"].patient)
    assert {check for check, fine in passed(verdicts).items() if not fine} == {"citation_support"}
    (problem,) = [verdict for verdict in verdicts if not verdict.passed]
    assert problem.item == f"evidence {row['ref']}"
    assert "reversed" in problem.reason


@pytest.mark.parametrize(
    ("statement", "true"),
    [
        (
            "In haemodynamically stable patients unfractionated heparin is preferred to "
            "low-molecular-weight heparin, fondaparinux or a direct oral anticoagulant.",
            False,
        ),
        ("In stable patients prefer unfractionated heparin to enoxaparin.", False),
        ("In stable patients heparin is safer than a direct oral anticoagulant.", False),
        ("En pacientes estables la heparina sódica se prefiere a enoxaparina.", False),
        ("In stable patients low-molecular-weight heparin rather than heparin sodium.", True),
        ("In stable patients a direct oral anticoagulant is preferred to heparin.", True),
        ("In stable patients unfractionated heparin is inferior to apixaban.", True),
        ("In stable patients heparin is not preferred to enoxaparin.", True),
    ],
)
def test_a_reversed_preference_is_no_quotation(knowledge, statement, true):
    passage = knowledge.documents["pe_2019#1"]["document_text"]
    assert (reversed_preference(statement, passage, knowledge.book) == "") is true
