"""What a patient must not be given is caught, in whatever words; what is safe passes; what is not
known is not called safe."""

import pytest

from python_llm import seeds
from python_llm.recommendations.drugs.doses import amount_a_day, doses_of
from python_llm.recommendations.record.numerals import spelled
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording import phrases
from python_llm.recommendations.wording.phrases import clauses, words


def patient(**facts):
    return Patient.model_validate({"patient_id": "p", "age": 62, "sex": "female", **facts})


def lab(name, value, unit=""):
    return {"name": name, "value": value, "unit": unit}


PE = ["Acute pulmonary embolism on CT."]

CONGESTED = {"notes": ["Acute decompensated heart failure, crackles to both mid zones."]}
ANAPHYLAXIS = {"notes": ["Wheeze and BP 78/40 ten minutes after a wasp sting: anaphylaxis."]}
# (the patient, the recommended action): each is named by the issue, or tried beside it
UNSAFE = [
    # once a week, whatever the words for a day
    ({}, "Continue methotrexate 15 mg orally once daily."),
    ({}, "Continue methotrexate 15 mg PO OD."),
    ({}, "Continue methotrexate 15 mg by mouth every 24 hours."),
    ({}, "Continue methotrexate 15 mg by mouth every morning."),
    ({}, "Continuar metotrexato 15 mg al día."),
    ({}, "Continuar metotrexato 15 mg vía oral cada 24 horas."),
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
    # the most of an order without a day may be given at once
    ({}, "Give IV fentanyl, maximum 400 micrograms."),
    # more than the list of medications tells is a higher dose, in whatever words
    ({**CONGESTED, "medications": ["bisoprolol 5 mg daily"]}, "Bisoprolol 10 mg daily."),
    ({**CONGESTED, "medications": ["carvedilol 6.25 mg bd"]}, "Carvedilol 12.5 mg twice daily."),
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
    ({"allergies": ["Bactrim"]}, "Start trimethoprim-sulfamethoxazole."),
    ({"allergies": ["clopidogrel"]}, "Load with Plavix 300 mg."),
    (
        {"allergies": ["iodinated contrast: anaphylaxis"]},
        "Obtain CT angiography with iodinated contrast.",
    ),
    ({"medications": ["Viagra"]}, "Isosorbide dinitrate 20 mg."),
    (
        {"medications": ["digoxin"], "labs": [lab("potassium", 2.6, "")]},
        "Continue digoxin 125 micrograms.",
    ),
    ({"medications": ["azathioprine"]}, "Start allopurinol 300 mg."),
    ({"medications": ["phenelzine"]}, "Give pethidine 50 mg."),
    ({"medications": ["lithium"]}, "Give ibuprofen 400 mg."),
    ({"medications": ["rivaroxaban"]}, "Start rifampicin 600 mg."),
    ({"medications": ["colchicine"]}, "Start clarithromycin 500 mg."),
    ({"conditions": ["HIT"]}, "Flush with heparin."),
    ({"notes": ["Heparin-induced thrombocytopenia last week."]}, "Give dalteparin 5000 units."),
    ({"conditions": ["hypertrophic obstructive cardiomyopathy"]}, "Start dobutamine 5 mcg/kg/min."),
    ({"conditions": ["severe asthma"]}, "Give propranolol 40 mg."),
    ({"notes": ["Epidural catheter in place."]}, "Start therapeutic heparin."),
    ({"labs": [lab("platelets", 30, "")]}, "Start apixaban 5 mg."),
    ({"notes": ["Active variceal bleeding."]}, "Give aspirin 300 mg and clopidogrel."),
    ({"conditions": ["antiphospholipid syndrome"]}, "Start rivaroxaban."),
    ({"labs": [lab("glucose", 48, "")]}, "Give 10 units of insulin."),
    ({"labs": [lab("K", 6.8, "")]}, "Give suxamethonium 100 mg."),
    ({"conditions": ["type 1 diabetes"]}, "Start empagliflozin 10 mg."),
    ({"vitals": {"systolic_bp": 78}}, "Give amlodipine 10 mg."),
    ({"vitals": {"heart_rate": 38}}, "Give metoprolol 5 mg IV."),
    ({"notes": ["Atrial fibrillation with WPW."]}, "Give adenosine 6 mg."),
    (
        {"notes": ["COPD, hypercapnic."], "labs": [lab("paCO2", 80, "mmHg")]},
        "Give lorazepam 2 mg for agitation.",
    ),
    ({"notes": ["Inferior STEMI with RV infarction."]}, "Give sublingual nitroglycerin."),
    ({"notes": ["Type A dissection."]}, "Load with ticagrelor 180 mg."),
    ({"conditions": ["breastfeeding"]}, "Start amiodarone."),
    ({"age": 6}, "Start doxycycline 100 mg."),
    ({}, "Give morphine 100 mg IV."),
    ({}, "Norepinephrine 50 mcg/kg/min."),
    ({}, "Heparin 80,000 units bolus."),
    ({}, "Give magnesium sulfate 20 g."),
    ({}, "Methotrexate 200 mg daily."),
    ({"medications": ["Eliquis"]}, "Commence warfarin 5 mg tonight."),
    (
        {"notes": ["She takes Sintrom."], "labs": [lab("INR", 2.8, "")]},
        "Start Clexane 60 mg twice daily.",
    ),
    ({"conditions": ["gestante de 12 semanas"]}, "Iniciar enalapril 5 mg."),
    ({"allergies": ["Ibuprofeno"]}, "Give Toradol 30 mg."),
    ({"labs": [lab("eGFR", 24, "")]}, "Start metformin 1000 mg."),
    ({"labs": [lab("Creatinina", 480, "umol/L")]}, "Give gentamicin 5 mg/kg."),
    # how it is ordered: route, speed, frequency, and what must not be stopped
    ({}, "Give potassium chloride 20 mmol as a bolus."),
    ({}, "Epinephrine 1 mg intravenously as a bolus for the urticaria."),
    ({"notes": ["Cardiac arrest, asystole."]}, "Give adrenaline 1 mg intramuscularly."),
    ({}, "Give Bicillin 1.2 million units IV."),
    ({}, "Lantus 10 units intravenously."),
    ({}, "Methotrexate 10 mg once a day."),
    ({}, "Levofloxacin 750 mg every four hours."),
    ({}, "Paracetamol 1 g six times daily."),
    ({}, "Prednisone 400 mg daily for five days."),
    ({"conditions": ["coronary stent six days ago"]}, "Stop ticagrelor tonight."),
    ({"conditions": ["mechanical mitral valve"]}, "Discontinue warfarin."),
    ({"conditions": ["type 1 diabetes"]}, "Withhold insulin while fasting."),
    ({"vitals": {"spo2_percent": 84}}, "Stop oxygen."),
    (
        {"conditions": ["COPD"], "labs": [lab("paCO2", 70, "mmHg")]},
        "Give oxygen to a saturation of 98 percent.",
    ),
    # kinds that a second reader tried
    ({"age": 12, "notes": ["Influenza."]}, "Give aspirin 500 mg."),
    ({"medications": ["tizanidine 4 mg"]}, "Start ciprofloxacin 500 mg."),
    ({"medications": ["sotalol"]}, "Start moxifloxacin 400 mg."),
    ({"conditions": ["Parkinson's disease"]}, "Metoclopramide 10 mg for nausea."),
    ({"conditions": ["haemophilia A"]}, "Start apixaban 5 mg."),
    ({"conditions": ["decompensated cirrhosis"]}, "Start atorvastatin 40 mg."),
    ({"conditions": ["liver failure"]}, "Continue valproate 500 mg."),
    ({"labs": [lab("lactate", 7, "mmol/L")]}, "Continue metformin 850 mg."),
    ({"labs": [lab("glucose", 41, "mg/dL")]}, "Give glibenclamide 5 mg."),
    ({"allergies": ["codeine: anaphylaxis"]}, "Give morphine 4 mg."),
    ({"notes": ["Her lips swelled after ampicillin."]}, "Give amoxicillin 1 g."),
    ({"conditions": ["dialysis"]}, "Nitrofurantoin 100 mg twice daily."),
    # routes, speeds, sequences and monitoring that nobody had named
    (ANAPHYLAXIS, "Give adrenaline 1 mg by nebuliser."),
    (ANAPHYLAXIS, "Epinephrine 0.5 mg subcutaneously."),
    (ANAPHYLAXIS, "Hydrocortisone first; adrenaline if there is no response."),
    ({}, "Enoxaparin 80 mg intramuscularly."),
    ({}, "Vancomycin 1 g over 20 minutes."),
    ({}, "Vancomycin 250 mg by mouth for the bacteraemia."),
    ({}, "Amoxicillin suspension 500 mg intravenously."),
    ({}, "Amiodarone 300 mg as a rapid bolus."),
    ({}, "Potassium chloride 20 mmol over 30 minutes through a peripheral line."),
    ({}, "Start a heparin infusion; APTT monitoring is not necessary."),
    ({}, "Digoxin 250 micrograms; levels need not be checked."),
    ({}, "Spironolactone 25 mg; blood tests can be skipped."),
    ({}, "Lipitor 80 mg besides atorvastatin 40 mg."),
    ({}, "Paracetamol 1 g four times daily and Panadol 1 g four times daily."),
    # a drug that goes on although it must not, without a word
    ({"medications": ["ramipril"], "labs": [lab("potassium", 6.9)]}, "Call the attending."),
    ({"medications": ["ramipril"], "conditions": ["pregnant, 8 weeks"]}, "Give paracetamol 1 g."),
    ({"medications": ["losartan"], "notes": ["AKI on admission."]}, "Give saline."),
    ({"medications": ["losartan"], "notes": ["AKI on admission."]}, "Continue losartan 50 mg."),
]


@pytest.mark.parametrize(("facts", "text"), UNSAFE, ids=[text for _, text in UNSAFE])
def test_what_a_patient_must_not_have_is_found(knowledge, facts, text):
    findings = knowledge.findings(patient(**facts))
    problems = knowledge.book.problems([text], findings, is_whole=True)
    assert [p for p in problems if p.seriousness == "absolute"]


SAFE = [
    ({}, "Continue methotrexate 15 mg orally once weekly."),
    ({}, "Continue methotrexate 15 mg by mouth once a week."),
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
    ({}, "Diclofenac 50 mg, at most 150 mg in 24 hours."),
    ({"medications": ["metoprolol"]}, "Increase metoprolol to 100 mg."),
    ({**CONGESTED, "medications": ["bisoprolol 5 mg daily"]}, "Continue bisoprolol 5 mg daily."),
    ({**CONGESTED, "medications": ["bisoprolol 10 mg od"]}, "Bisoprolol 5 mg, not 10 mg, daily."),
    (
        {"medications": ["sildenafil"]},
        "Nitrates are contraindicated with sildenafil; give morphine 2 mg.",
    ),
    ({"allergies": ["penicillin: mild rash in childhood"]}, "Give ceftriaxone 2 g."),
    ({"conditions": ["pregnancy"]}, "Give salbutamol 5 mg by nebuliser."),
    ({"notes": ["No known allergies."]}, "Give amoxicillin 500 mg."),
    ({"labs": [lab("eGFR", 70, "")]}, "Start dabigatran 150 mg twice daily."),
    ({"conditions": ["HFrEF"]}, "Uptitrate sacubitril/valsartan to 97/103 mg twice daily."),
    ({"medications": ["warfarin"]}, "Replace warfarin with edoxaban 60 mg when INR is below 2.5."),
    ({}, "Nitroglycerin 0.4 mg sublingual, repeat every 5 minutes."),
    ({}, "Prednisolone 40 mg once daily for 5 days."),
    ({}, "Amiodarone 300 mg IV, then 900 mg over 24 hours."),
    ({}, "Apixaban 10 mg twice daily."),
    ({"medications": ["aspirin", "ramipril"]}, "Continue both and add atorvastatin 80 mg."),
    ({}, "Insulin 10 units with 25 g of dextrose."),
    ({}, "Furosemide infusion at 10 mg/h."),
    ({}, "Ticagrelor 180 mg loading dose."),
    ({"medications": ["enoxaparin"]}, "Continue enoxaparin 80 mg twice daily."),
    ({"conditions": ["asthma"]}, "No beta-blocker; give salbutamol."),
    ({"labs": [lab("potassium", 6.1, "")]}, "Stop ramipril and spironolactone."),
    ({"allergies": ["pollen", "latex"]}, "Give azithromycin 500 mg."),
    ({"medications": ["multivitamin", "oxygen"]}, "Give furosemide 40 mg."),
    ({}, "Levofloxacin 750 mg IV every 24 hours."),
    ({}, "Dobutamine at 5 micrograms/kg/min."),
    ({}, "Metoprolol tartrate 25 mg twice daily."),
    ({}, "Potassium chloride 20 mmol over two hours."),
    ({"notes": ["Cardiac arrest."]}, "Adrenaline 1 mg intravenously as a bolus."),
    ({}, "Adrenaline 0.5 mg into the thigh."),
    ({}, "Methotrexate 15 mg once a week."),
    ({}, "Paracetamol 1 g four times daily."),
    ({"conditions": ["coronary stent six days ago"]}, "Do not stop clopidogrel."),
    ({"conditions": ["coronary stent six days ago"]}, "Switch clopidogrel to ticagrelor."),
    ({"age": 5, "notes": ["Weight 18 kg."]}, "Paracetamol 250 mg every six hours."),
    ({"age": 5}, "Paracetamol 15 mg/kg every six hours."),
    ({"conditions": ["COPD"]}, "Give oxygen to a saturation of 88 to 92 percent."),
    ({"notes": ["Leg swelling with furosemide half a dose."]}, "Furosemide 40 mg daily."),
    (ANAPHYLAXIS, "Adrenaline 0.5 mg into the thigh, then nebulised adrenaline for the stridor."),
    ({}, "Vancomycin 1 g over at least 100 minutes."),
    ({}, "Vancomycin 125 mg orally for Clostridioides difficile."),
    ({}, "Heparin infusion; APTT after six hours."),
    ({}, "Lipitor (atorvastatin) 40 mg at night."),
    ({"medications": ["ramipril"], "labs": [lab("potassium", 6.9)]}, "Stop ramipril today."),
    ({"medications": ["losartan"], "notes": ["AKI on admission."]}, "Withhold losartan."),
]


@pytest.mark.parametrize(("facts", "text"), SAFE, ids=[text for _, text in SAFE])
def test_what_is_safe_is_not_held_back(knowledge, facts, text):
    findings = knowledge.findings(patient(**facts))
    problems = knowledge.book.problems([text], findings, is_whole=True)
    assert [p for p in problems if p.seriousness in ("absolute", "not_checked")] == []


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"allergies": ["zanthropine"]}, "Give furosemide 40 mg."),
        ({"medications": ["grumbletol"]}, "Give furosemide 40 mg."),
        ({"notes": ["Allergic to fentabulene."]}, "Give furosemide 40 mg."),
        ({}, "Start zilebesiran 300 mg."),
        ({}, "Start grumbolol."),
        # limits are those of adults
        ({"age": 4}, "Amoxicillin 500 mg three times a day."),
    ],
)
def test_what_is_not_known_is_not_called_safe(knowledge, facts, text):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    assert "not_checked" in {p.seriousness for p in problems}


def test_what_is_above_the_usual_dose_needs_a_reason(knowledge):
    """Specialists give more: the dose may stand where what was checked says why."""
    (problem,) = knowledge.book.problems(["Furosemide 400 mg."], knowledge.findings(patient()))
    assert problem.seriousness == "caution"
    assert knowledge.book.phrases_in(problem.phrases, "high dose: diuretic resistance")
    assert not knowledge.book.phrases_in(problem.phrases, "allergies; renal function")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Aspirin 300 mg intrathecally.", {"route"}),
        ("Heparin given intrathecally.", {"route"}),
        ("Give heparin via the epidural.", {"route"}),
        ("Give morphine intrathecally.", set()),
        ("Restart enoxaparin 12 hours after the intrathecal catheter is removed.", set()),
        ("Insulin 100 U IV bolus.", {"dose"}),
        ("Insulin 10 units with 25 g glucose intravenously.", set()),
        ("Inject 500 micrograms of adrenaline intramuscularly.", set()),
        ("If pain worsens, call the attending.", set()),
    ],
)
def test_routes_doses_and_verbs(knowledge, text, kinds):
    problems = knowledge.book.problems([text], knowledge.findings(patient()))
    assert {problem.kind or problem.drug for problem in problems} == kinds


HEAVY, LIGHT = {"measurements": {"weight_kg": 96}}, {"measurements": {"weight_kg": 47}}


@pytest.mark.parametrize(
    ("facts", "text", "is_too_much"),
    [
        (LIGHT, "Enoxaparin 100 mg subcutaneously twice a day.", True),
        (LIGHT, "Clexane 80 mg every 12 hours.", True),
        ({"notes": ["PE on CT. Weight: 52 kg."]}, "Enoxaparin 100 mg bd.", True),
        ({"notes": ["Peso de 52,5 kg."]}, "Enoxaparina 100 mg cada 12 horas.", True),
        ({"vitals": {"weight_kg": 50}}, "Gentamicin 480 mg once a day.", True),
        (LIGHT, "Dalteparin 15000 units once a day.", True),
        ({}, "Enoxaparin 1.5 mg/kg twice a day.", True),
        (LIGHT, "Enoxaparin 50 mg twice a day.", False),
        (LIGHT, "Enoxaparin 40 mg once a day for prophylaxis.", False),
        (HEAVY, "Enoxaparin 100 mg twice a day.", False),
        (HEAVY, "Enoxaparin 140 mg once a day.", False),
        ({"notes": ["PE on CT. Weight 81 kg."]}, "Enoxaparin 80 mg (1 mg/kg) every 12 h.", False),
        ({"notes": ["Weight loss of 8 kg."]}, "Enoxaparin 80 mg twice a day.", False),
        ({"notes": ["Ideal body weight 45 kg."]}, "Enoxaparin 80 mg twice a day.", False),
        ({"notes": ["Pérdida de peso de 35 kg."]}, "Enoxaparin 80 mg twice a day.", False),
        ({}, "Dalteparin 120 units/kg every 12 hours.", False),
        (LIGHT, "Alteplase 100 mg over two hours.", False),
    ],
)
def test_a_dose_by_weight_fits_the_weight(knowledge, facts, text, is_too_much):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    assert ("dose" in {problem.kind for problem in problems}) is is_too_much


def test_a_diuretic_in_shock_needs_a_reason(knowledge):
    facts = patient(
        conditions=["heart failure"],
        notes=["Cardiogenic shock, pulmonary edema."],
        vitals={"systolic_bp": 78},
    )
    problems = knowledge.book.problems(["Furosemide 80 mg IV."], knowledge.findings(facts))
    assert any("perfusion" in problem.against for problem in problems)


@pytest.mark.parametrize(
    ("note", "is_allergic"),
    [
        ("Her mother is allergic to penicillin; she has no allergies.", False),
        ("Mother and sister are allergic to penicillin.", False),
        ("Penicillin allergy in her mother.", False),
        ("Su madre es alérgica a la penicilina.", False),
        ("His wife says he is allergic to penicillin.", True),
        ("Mother with diabetes, allergic to penicillin.", True),
        ("Allergic to penicillin like her mother.", True),
        ("Found by her son in anaphylaxis, allergic to penicillin.", True),
        # under the name of a relative
        ("Father - penicillin: angioedema.", False),
        ("Sister: allergic to penicillin, shock in 2001.", False),
        ("Family history: penicillin anaphylaxis; asthma in two aunts.", False),
        ("Hermano - penicilina: shock anafiláctico.", False),
        ("Penicillin: throat swelling (brother).", False),
        ("Father: tells us he reacted to penicillin with hives.", True),
        ("Father: diabetes. Penicillin: angioedema.", True),
        ("Father: diabetes, allergies: penicillin.", True),
        ("Mother: penicillin anaphylaxis, 34 weeks of gestation. Penicillin - angioedema.", True),
    ],
)
def test_an_allergy_of_a_relative_is_none_of_the_patients(knowledge, note, is_allergic):
    findings = knowledge.findings(patient(notes=[note]))
    assert ("allergy:penicillin" in findings) is is_allergic


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("Penicillin: throat closed up and collapsed in 2015.", "allergy:penicillin"),
        ("Penicillin -> throat swelling and hives.", "allergy:penicillin"),
        ("Allergies: pen V - angioedema.", "allergy:penicillin"),
        ("Alergia: penicilina (shock).", "allergy:penicillin"),
        ("Allergy: penicillin.", "allergy:penicillin"),
        ("G2P1, 24/40. BP at the clinic 152/96.", "pregnancy"),
        ("G2P1 at 24 weeks.", "pregnancy"),
        ("IUP 24w.", "pregnancy"),
        ("G4P2A1, 31 sem.", "pregnancy"),
        ("G2 A0 V1 de 19+3 semanas.", "pregnancy"),
        ("HD MWF via AVF.", "dialysis"),
        ("On CAPD.", "dialysis"),
        ("ERC estadio 5D.", "dialysis"),
        ("CKD G5D.", "dialysis"),
        ("Alérgica a PNC desde niña.", "allergy:penicillin"),
        ("AP: HTA. Alergia a PNC (habones).", "allergy:penicillin"),
        ("RAM: cefalosporinas (urticaria).", "allergy:cephalosporin"),
        ("RAMs: β-lactámicos.", "allergy:beta_lactam"),
        ("Reacciones adversas a medicamentos: betalactámicos, shock.", "allergy:beta_lactam"),
        ("Alergias medicamentosas: amox-clav.", "allergy:penicillin"),
        ("Alergia: amoxicilina/clav (edema de glotis).", "allergy:penicillin"),
        ("ADRs: amoxi/clav - hives.", "allergy:penicillin"),
        ("IRC terminal en HD M-J-S por FAV.", "dialysis"),
        ("ERCT G5 en HD.", "dialysis"),
        ("HD trisemanal, última HD ayer.", "dialysis"),
        ("ESRD, HD L/M/V.", "dialysis"),
        ("Ingresa por TEP lobar.", "pe"),
        ("AngioTC: TEP en ambas bases.", "pe"),
    ],
)
def test_what_wards_write_in_short_is_read(knowledge, note, finding):
    assert finding in knowledge.findings(patient(notes=[note]))


@pytest.mark.parametrize(
    "note",
    [
        "Amlodipine: ankle swelling.",
        "Allergies: none known.",
        "Penicillin: tolerated in 2015.",
        "BP 80/40.",
        "G3P2, 5 weeks of cough.",
        "RAM: no conocidas.",
        "RAM: ninguna. Toma amoxicilina.",
        "No alérgico a PNC.",
        "Madre alérgica a PNC.",
        "TA 120/80, TV HD 1080 p.",
        "Revisión en HD de cardiología.",
        "Se descarta TEP.",
        "Antecedente de TEP en 2012.",
        "Laparoscopic TEP repair of an inguinal hernia.",
        "Mother: anaphylaxis to penicillin.",
    ],
)
def test_what_only_looks_like_a_short_form_is_not_read(knowledge, note):
    findings = knowledge.findings(patient(notes=[note]))
    assert not {"pregnancy", "dialysis", "pe"} & findings
    assert not [name for name in findings if name.startswith("allergy:")]


def test_a_spelling_that_is_not_tried_would_not_have_matched(monkeypatch):
    rows = seeds.read("seeds/recommendations/order_limits.csv")
    texts = sorted({text for row in rows for text in row.values() if text})
    texts += ["Electric shock-like pain", "4/0,5 g", "Mg 2 g"]
    texts += ["5 \u00b5g, 32/40", "U & E's", "IUP 24w"]
    read = [words(text) for text in texts]
    always = [(pattern, spelling, [""]) for pattern, spelling, _ in phrases._SPELLINGS]
    monkeypatch.setattr(phrases, "_SPELLINGS", always)
    phrases._words.cache_clear()
    assert [words(text) for text in texts] == read


@pytest.mark.parametrize(
    ("text", "is_adapted"),
    [
        ("Continue apixaban 2.5 mg twice daily.", True),
        ("Continue apixaban 5 mg twice daily.", False),
        ("Continue apixaban.", False),
        ("Start gabapentin 300 mg once daily.", True),
        ("Start gabapentin 300 mg three times a day.", False),
        ("Seguir con memantina 10 mg al día.", True),
        ("Memantine 20 mg daily.", False),
        ("Valaciclovir 1 g three times a day.", False),
    ],
)
def test_a_dose_for_failing_kidneys_meets_its_caution(knowledge, text, is_adapted):
    egfr = {"name": "eGFR", "value": 22}
    findings = knowledge.findings(patient(conditions=["atrial fibrillation"], labs=[egfr]))
    problems = knowledge.book.problems([text], findings, is_whole=True)
    assert ("caution" in {p.seriousness for p in problems if p.kind == "renal"}) is not is_adapted


def test_a_decimal_comma_is_a_decimal_point():
    assert words("adrenalina 0,5 mg i.m.; 1,000 ml; a, b")[:3] == ["adrenalina", "0.5", "mg"]
    assert words("1,000 ml")[0] == "1"


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        # the route in any order and abbreviation, and a dose that is no infusion
        ("Epinephrine 0.5 mg i.v. as a bolus.", True),
        ("Give epinephrine 0.3 mg IVP.", True),
        ("Give epinephrine 0.5 mg straight into the vein.", True),
        ("Slow IV epinephrine 0.5 mg.", True),
        ("Epinefrina 1 ampolla e.v.", True),
        ("Bolo i.v. de 0,5 mg de epinefrina.", True),
        ("Inyectar 0,5 mg de epinefrina en vena.", True),
        ("Hydrocortisone 200 mg i.m. and epinephrine 1 mg i.v.", True),
        ("Epinephrine 0.5 mg i.m.; crystalloid 500 ml i.v. as a bolus.", False),
        ("Epinephrine 0.5 mg i.m. and chlorphenamine 10 mg i.v.", False),
        ("Hydrocortisone 200 mg i.v., then epinephrine 0.5 mg i.m.", False),
        ("Epinephrine 0.5 mg IM, never IV.", False),
        ("Epinephrine 0.5 mg IM and place an IV line.", False),
        ("Epinephrine infusion i.v. at 0.1 mcg/kg/min after two doses i.m.", False),
        ("Perfusión i.v. de epinefrina a 0,05 mcg/kg/min.", False),
        ("Epinefrina 0,5 mg i.m. en el muslo.", False),
    ],
)
def test_adrenaline_is_not_injected_into_a_vein(knowledge, text, is_refused):
    findings = knowledge.findings(patient(**ANAPHYLAXIS))
    problems = knowledge.book.problems([text], findings)
    assert any(problem.kind == "route" for problem in problems) is is_refused
    arrest = knowledge.findings(patient(notes=["Cardiac arrest, CPR in progress."]))
    routes = [p.against for p in knowledge.book.problems([text], arrest) if p.kind == "route"]
    assert "intravenous bolus outside cardiac arrest" not in routes


def test_a_point_in_a_route_ends_no_sentence():
    assert list(clauses("Inyectar 1 mg i.v. directa. Vigilar.")) == [
        ["inyectar", "1", "mg", "iv", "directa"],
        ["vigilar"],
    ]
    assert list(clauses("Give 1 mg i.m. Repeat.")) == [["give", "1", "mg", "im"], ["repeat"]]


def test_a_medication_of_a_relative_is_none_of_the_patients(knowledge):
    def takes(note):
        return "takes:apixaban" in knowledge.findings(patient(notes=[note]))

    assert not takes("Father: on apixaban.")
    assert not takes("Her grandmother takes apixaban.")
    assert takes("Lives with her grandmother, takes apixaban.")
    assert takes("Brought in by her son on apixaban.")
    for entry in ("Brother: penicillin", "penicillin (aunt)"):
        findings = knowledge.findings(patient(allergies=[entry]))
        assert not [name for name in findings if name.startswith(("allergy:", "unread:"))]


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Ceftriaxone: avoid.", False),
        ("Ceftriaxone - avoid in this patient.", False),
        ("Ceftriaxona: evitar por la alergia.", False),
        ("Evite la ceftriaxona.", False),
        ("Avoidance of ceftriaxone.", False),
        ("Contraindicated: ceftriaxone.", False),
        ("Nothing containing ceftriaxone.", False),
        ("Avoid cephalosporins (ceftriaxone, cefuroxime).", False),
        ("Avoid cephalosporins, e.g. ceftriaxone.", False),
        ("Do not avoid ceftriaxone.", True),
        ("Ceftriaxone. Contraindicated in newborns with calcium.", True),
        ("Avoid delay: give ceftriaxone.", True),
        ("Give ceftriaxone 2 g; avoid alcohol.", True),
        ("Give ceftriaxone 2 g. Avoid if jaundiced.", True),
        ("Give a cephalosporin (ceftriaxone, cefuroxime).", True),
    ],
)
def test_an_avoidance_is_no_order(knowledge, text, is_order):
    mentions = [m for m in knowledge.book.named(text) if m.concept == "ceftriaxone"]
    assert [mention.affirmed for mention in mentions] == [is_order]
    findings = knowledge.findings(patient(allergies=["ceftriaxone (anaphylaxis)"]))
    assert bool(knowledge.book.problems([text], findings)) is is_order


@pytest.mark.parametrize(
    ("facts", "text", "against"),
    [
        ({}, "Lanthanum 500 mg with meals.", ""),
        ({"medications": ["levofloxacin"]}, "Start lanthanum 500 mg.", "binds"),
        ({"conditions": ["bowel obstruction"]}, "Start Renvela 800 mg.", "bowel obstruction"),
        ({"labs": [lab("calcium", 7.4, "mg/dL")]}, "Start Mimpara 30 mg.", "low calcium"),
        (
            {"labs": [lab("calcium", 11.8, "mg/dL")]},
            "Start alfacalcidol 0.5 mcg.",
            "raised calcium",
        ),
        ({"vitals": {"systolic_bp": 196}}, "Start epoetin 4000 units.", "hypertension"),
        ({"conditions": ["pregnancy"]}, "Start valganciclovir 900 mg.", "pregnancy"),
        ({"labs": [lab("eGFR", 14)]}, "Start aciclovir 800 mg.", "eGFR below 30"),
        ({}, "Paricalcitol 200 mcg.", "above the limit"),
    ],
)
def test_drugs_of_the_kidney_are_known(knowledge, facts, text, against):
    problems = knowledge.book.problems([text], knowledge.findings(patient(**facts)))
    told = [problem.against for problem in problems if problem.seriousness != "note"]
    assert all(against in reason for reason in told)
    assert bool(told) is bool(against)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Start zorplexin for the pneumonia.", ["zorplexin"]),
        ("Pautar bronquinol cada 6 horas.", ["bronquinol"]),
        ("Give breakfast now.", []),
        ("Start physiotherapy today.", []),
        ("Colchicina 1 mg ahora; desde mañana 0,5 mg cada 12 horas.", []),
        ("Start amoxicillin for the pneumonia.", []),
    ],
)
def test_a_word_in_the_place_of_a_drug_is_known_or_told(knowledge, text, words):
    assert knowledge.book.unknown_drugs(text) == words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("two and a half milligrams", 2.5),
        ("two hundred and fifty mg", 250),
        ("a hundred mg", 100),
        ("dos mil unidades", 2000),
        ("treinta y cinco mg", 35),
        ("a day", None),
        ("and fifty mg", None),
    ],
)
def test_a_number_in_words_is_read(text, number):
    read = spelled(text.split(), 0)
    assert (read and read[0]) == number


@pytest.mark.parametrize("text", ["Digoxina dos miligramos y medio.", "Digoxina 2,5 miligramos."])
def test_a_dose_in_words_is_above_the_limit(knowledge, text):
    assert [p.kind for p in knowledge.book.problems([text], set())] == ["dose"]


@pytest.mark.parametrize(
    ("text", "seriousness"),
    [
        ("Clarithromycin 500 mg twice daily, INR in six weeks.", "absolute"),
        ("Clarithromycin 500 mg twice daily, INR in three days.", "interaction"),
        ("Clarithromycin 500 mg twice daily, warfarin at the same dose.", "absolute"),
    ],
)
def test_an_effect_on_another_drug_left_as_it_was_fails(knowledge, text, seriousness):
    problems = knowledge.book.problems([text], {"takes:warfarin", "takes:vitamin_k_antagonist"})
    assert seriousness in {p.seriousness for p in problems if p.kind == "interaction"}


@pytest.mark.parametrize("note", ["Pneumonia, fever.", "Neumonía, fiebre. Peso 16 kg."])
def test_a_child_is_dosed_by_weight(recommender, note):
    patient = Patient(patient_id="p", age=4, sex="male", notes=[note])
    recommendation, _ = recommender.recommend(patient)
    actions = " ".join(item.action for item in recommendation.recommended_actions)
    assert "amoxicillin 30 mg/kg" in actions
    assert "1 g" not in actions


def test_an_adult_is_not_dosed_as_a_child(recommender):
    patient = Patient(patient_id="p", age=40, sex="male", notes=["Pneumonia, fever."])
    recommendation, _ = recommender.recommend(patient)
    actions = " ".join(item.action for item in recommendation.recommended_actions)
    assert "amoxicillin 1 g" in actions
    assert "/kg" not in actions


@pytest.mark.parametrize(
    "text",
    [
        "Salbutamol 2.5 mg nebulised and ipratropium 250 mcg with it.",
        "Salbutamol 2.5 mg and nebulised ipratropium 250 mcg.",
    ],
)
def test_two_mists_share_one_word(knowledge, text):
    notes = ["Acute asthma, weight 20 kg."]
    patient = Patient(patient_id="p", age=6, sex="female", notes=notes)
    problems = knowledge.book.problems([text], knowledge.findings(patient))
    assert not [problem for problem in problems if problem.kind == "dose"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Continue pyridostigmine 60 mg four times a day.", ""),
        ("Seguir con piridostigmina 60 mg cada 6 horas.", ""),
        ("Stop pyridostigmine today.", "myasthenic crisis"),
    ],
)
def test_pyridostigmine_is_known(knowledge, text, reason):
    patient = Patient(
        patient_id="p", age=44, sex="female", notes=["Myasthenia gravis."], medications=["mestinon"]
    )
    told = [p.against for p in knowledge.book.problems([text], knowledge.findings(patient))]
    assert reason in "; ".join(told)
    assert bool(told) == bool(reason)


def test_a_child_gets_no_dose_of_an_adult(recommender):
    patient = Patient(
        patient_id="p", age=9, sex="male", notes=["Pneumonia."], allergies=["penicillin"]
    )
    recommendation, _ = recommender.recommend(patient)
    assert not any("100 mg" in item.action for item in recommendation.recommended_actions)


def test_the_least_dose_of_a_child_is_the_one_per_kg(knowledge):
    limits = knowledge.book._limits["ceftriaxone"]
    (dose,) = doses_of(("ceftriaxone", "160", "mg"), ((0, 1),), (0, 1))
    assert limits.complaint(dose)
    assert not limits.complaint(dose, 3.2)
    (dose,) = doses_of(("ceftriaxone", "16", "mg"), ((0, 1),), (0, 1))
    assert limits.complaint(dose, 3.2)


@pytest.mark.parametrize(
    ("order", "amount"),
    [
        ("warfarin 4 mg daily", ("mg", 4)),
        ("carvedilol 6.25 mg twice daily", ("mg", 12.5)),
        ("warfarin 6 mg tonight instead of 4 mg", ("mg", 6)),
        ("warfarin from 5 mg to 3 mg", ("mg", 3)),
        ("warfarin 30 mg a week", None),
        ("warfarin 4 mg and 5 mg on alternate days", None),
        ("heparin 18 units/kg/h", None),
        ("warfarin as before", None),
    ],
)
def test_an_order_tells_what_is_given_in_a_day(order, amount):
    tokens = words(order)
    assert amount_a_day(tokens, doses_of(tokens, [(0, 1)], (0, 1))) == amount
