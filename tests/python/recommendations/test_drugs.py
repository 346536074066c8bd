"""What a patient must not be given is caught, in whatever words; what is safe passes; what is not
known is not called safe."""

import pytest

from python_llm.recommendations.schema import Patient


def patient(**facts):
    return Patient.model_validate({"patient_id": "p", "age": 62, "sex": "female", **facts})


def lab(name, value, unit=""):
    return {"name": name, "value": value, "unit": unit}


PE = ["Acute pulmonary embolism on CT."]

# (the patient, the recommended action): each is named by the issue, or tried beside it
UNSAFE = [
    # allergies
    ({"allergies": ["furosemide (anaphylaxis)"]}, "Give furosemide 40 mg IV."),
    ({"allergies": ["levofloxacin"]}, "Start levofloxacin 750 mg daily."),
    ({"allergies": ["ciprofloxacin: rash"]}, "Give moxifloxacin 400 mg."),
    ({"allergies": ["Penicilina"]}, "Give amoxicillin 1 g three times a day."),
    ({"allergies": ["amoxicillin - anaphylaxis"]}, "Start piperacillin-tazobactam 4.5 g."),
    ({"allergies": ["PCN: anaphylaxis"]}, "Give cefalexin 500 mg."),
    ({"allergies": ["Augmentin"]}, "Start ampicillin 2 g."),
    ({"notes": ["Anaphylaxis to ceftriaxone in 2019."]}, "Give ceftriaxone 2 g IV."),
    ({"notes": ["Allergic to penicillin."]}, "Start co-amoxiclav."),
    ({"notes": ["Alergia a penicilina."]}, "Start Augmentin 875 mg."),
    ({"allergies": ["sulfa drugs"]}, "Start Bactrim for pneumonia."),
    ({"allergies": ["aspirin (bronchospasm)"]}, "Give ketorolac 30 mg for pleuritic pain."),
    ({"allergies": ["ibuprofen"]}, "Give aspirin 300 mg."),
    ({"allergies": ["heparin"]}, "Start enoxaparin 1 mg/kg twice daily."),
    ({"allergies": ["enalapril: angioedema"]}, "Start sacubitril/valsartan 24/26 mg."),
    ({"allergies": ["ACE inhibitor (angioedema)"]}, "Start ramipril 2.5 mg."),
    ({"allergies": ["erythromycin"]}, "Add azithromycin 500 mg."),
    ({"allergies": ["Lasix"]}, "Give a loop diuretic such as furosemide."),
    # interactions
    ({"medications": ["ramipril 5 mg"]}, "Start sacubitril-valsartan 49/51 mg."),
    ({"medications": ["lisinopril"]}, "Stop lisinopril and start Entresto today."),
    ({"medications": ["apixaban"]}, "Start enoxaparin 1 mg/kg twice daily."),
    ({"medications": ["warfarin"], "labs": [lab("INR", 2.6)]}, "Start rivaroxaban 15 mg."),
    ({"medications": ["Xarelto 20 mg"]}, "Give a bolus of unfractionated heparin."),
    ({"medications": ["sildenafil 50 mg"]}, "Give GTN for chest pain."),
    ({"medications": ["isosorbide mononitrate"]}, "Start sildenafil 20 mg three times a day."),
    ({"medications": ["verapamil"]}, "Start bisoprolol and stop nothing."),
    ({"medications": ["bisoprolol"]}, "Add diltiazem for rate control."),
    ({"medications": ["simvastatin 40 mg"]}, "Start clarithromycin 500 mg twice a day."),
    ({"medications": ["spironolactone"]}, "Start eplerenone 25 mg."),
    ({"medications": ["losartan"]}, "Add ramipril 2.5 mg."),
    ({"medications": ["apixaban"]}, "Give ibuprofen 400 mg for chest wall pain."),
    ({"medications": ["phenytoin"]}, "Start apixaban 10 mg twice a day."),
    ({"medications": ["sertraline"]}, "Start linezolid 600 mg."),
    ({"medications": ["valproate"]}, "Give meropenem 1 g."),
    ({}, "Start apixaban 5 mg and give dalteparin 5000 units."),
    # limits: kidney, liver, pregnancy, age, bleeding
    ({"conditions": ["on haemodialysis"]}, "Start dapagliflozin 10 mg."),
    ({"conditions": ["end-stage renal disease"]}, "Start an SGLT2 inhibitor."),
    ({"labs": [lab("eGFR", 15)]}, "Start enoxaparin 1 mg/kg twice daily."),
    ({"labs": [lab("creatinine", 6.1)]}, "Start enoxaparin 1 mg/kg twice daily."),
    ({"labs": [lab("eGFR", 22)]}, "Give therapeutic LMWH."),
    ({"labs": [lab("eGFR", 12)]}, "Start dabigatran 150 mg twice daily."),
    ({"labs": [lab("eGFR", 18)]}, "Add spironolactone 25 mg."),
    ({"conditions": ["dialysis three times a week"]}, "Give furosemide 80 mg IV."),
    ({"conditions": ["20 weeks pregnant"], "notes": PE}, "Start warfarin 5 mg."),
    ({"conditions": ["pregnancy"], "notes": PE}, "Start apixaban."),
    ({"notes": ["Embarazada de 20 semanas."]}, "Start rivaroxaban 15 mg twice daily."),
    ({"conditions": ["pregnant"]}, "Continue atorvastatin and enalapril."),
    ({"labs": [lab("INR", 5.0)], "notes": PE}, "Give alteplase 100 mg over two hours."),
    ({"notes": ["INR 5 on warfarin. Acute PE."]}, "Thrombolyse with tenecteplase."),
    ({"labs": [lab("platelets", 62)], "notes": PE}, "Give systemic thrombolysis."),
    ({"notes": ["Acute PE, haemodynamically stable."]}, "Give alteplase 100 mg now."),
    ({"notes": ["Haemorrhagic stroke ten days ago."]}, "Give tPA."),
    ({"notes": ["Melaena since yesterday."]}, "Start a blood thinner."),
    ({"conditions": ["mechanical mitral valve"]}, "Switch warfarin to apixaban."),
    ({"conditions": ["cirrhosis Child-Pugh C"]}, "Start rivaroxaban 20 mg."),
    ({"conditions": ["previous TIA"]}, "Load with prasugrel 60 mg."),
    ({"conditions": ["HFrEF"]}, "Start diltiazem."),
    ({"conditions": ["heart failure"]}, "Give NSAIDs for the pain."),
    ({"conditions": ["myasthenia gravis"]}, "Start levofloxacin."),
    ({"conditions": ["Wolff-Parkinson-White"]}, "Give verapamil 5 mg IV."),
    ({"conditions": ["old myocardial infarction"]}, "Start flecainide 100 mg twice a day."),
    ({"age": 15}, "Start moxifloxacin 400 mg."),
    ({"labs": [lab("potassium", 6.0, "mmol/L")]}, "Replace potassium with KCl 40 mmol."),
    # doses
    ({}, "Give furosemide 4000 mg IV."),
    ({}, "Give 500 mg of bisoprolol."),
    ({}, "Start digoxin 125 mg daily."),
    ({}, "Give enoxaparin 10 mg/kg."),
    ({}, "Give alteplase 1000 mg."),
    ({}, "Start apixaban 50 mg twice daily."),
    ({}, "Give adrenaline 10 mg IM."),
    ({}, "Give salbutamol 50 mg and prednisolone 4 g."),
]


@pytest.mark.parametrize(("facts", "text"), UNSAFE, ids=[text for _, text in UNSAFE])
def test_what_a_patient_must_not_have_is_found(knowledge, facts, text):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    assert [p for p in problems if p.seriousness == "absolute"]


SAFE = [
    ({"allergies": ["furosemide (anaphylaxis)"]}, "Avoid furosemide; give bumetanide 1 mg."),
    ({"allergies": ["furosemide"]}, "Ultrafiltration, not furosemide."),
    ({"labs": [lab("INR", 5.0)], "notes": PE}, "Do not give alteplase."),
    ({"labs": [lab("INR", 5.0)], "notes": PE}, "Thrombolysis is contraindicated at this INR."),
    ({"medications": ["ramipril"]}, "Stop ramipril; start Entresto after a 36 hour washout."),
    ({"medications": ["ramipril"]}, "Continue ramipril and add spironolactone 25 mg."),
    ({"medications": ["warfarin"], "labs": [lab("INR", 1.4)]}, "Bridge with enoxaparin 1 mg/kg."),
    ({"medications": ["warfarin"]}, "Switch warfarin to apixaban 5 mg once INR is below 2."),
    ({"medications": ["apixaban"]}, "Continue apixaban 5 mg twice daily."),
    ({"medications": ["apixaban"]}, "Hold apixaban before the procedure."),
    ({"labs": [lab("eGFR", 25)]}, "Enoxaparin 1 mg/kg once daily."),
    ({"labs": [lab("eGFR", 25)]}, "Start unfractionated heparin 18 units/kg/h."),
    ({"conditions": ["pregnancy"], "notes": PE}, "Start low-molecular-weight heparin."),
    ({"conditions": ["pregnancy"], "notes": PE}, "Warfarin and DOACs must not be used."),
    ({"conditions": ["on dialysis"]}, "No SGLT2 inhibitor; arrange dialysis today."),
    ({"allergies": ["penicillin"]}, "Give levofloxacin 750 mg."),
    ({"allergies": ["penicillin"]}, "Give aztreonam 2 g in place of a beta-lactam."),
    ({"allergies": ["peanuts"]}, "Give ceftriaxone 2 g."),
    ({"allergies": ["NKDA"]}, "Give amoxicillin 1 g."),
    ({"allergies": ["no known drug allergies"]}, "Start lisinopril 5 mg daily."),
    ({"conditions": ["HFrEF"]}, "A beta blocker such as carvedilol 3.125 mg twice daily."),
    ({"conditions": ["HFrEF"]}, "NSAIDs should be avoided."),
    ({"conditions": ["cardiogenic shock"]}, "Start bisoprolol once shock has resolved."),
    ({"medications": ["simvastatin"]}, "Start clarithromycin and hold simvastatin."),
    ({"medications": ["aspirin"]}, "Add ticagrelor 180 mg, then 90 mg twice daily."),
    ({}, "Heparin 5,000 units IV, then 18 units/kg/h."),
    ({}, "Norepinephrine 0.1 mcg/kg/min."),
    ({}, "40 mg of furosemide and 5 mg of bisoprolol."),
    ({}, "Alteplase 100 mg over 2 hours."),
    ({}, "Digoxin level before the next dose; digoxin 125 micrograms daily."),
    ({}, "Check for heparin-induced thrombocytopenia."),
    ({}, "Start apixaban 10 mg twice daily for seven days, then 5 mg twice daily."),
    ({}, "Evitar AINE. Iniciar furosemida 40 mg."),
]


@pytest.mark.parametrize(("facts", "text"), SAFE, ids=[text for _, text in SAFE])
def test_what_is_safe_is_not_held_back(knowledge, facts, text):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    assert [p for p in problems if p.seriousness in ("absolute", "not_checked")] == []


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"allergies": ["zanthropine"]}, "Give furosemide 40 mg."),
        ({"medications": ["grumbletol"]}, "Give furosemide 40 mg."),
        ({"notes": ["Allergic to fentabulene."]}, "Give furosemide 40 mg."),
        ({}, "Start zilebesiran 300 mg."),
        ({}, "Start grumbolol."),
    ],
)
def test_what_is_not_known_is_not_called_safe(knowledge, facts, text):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    assert "not_checked" in {p.seriousness for p in problems}
