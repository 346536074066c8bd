"""Deeds of single specialties that harm where the record tells their situation (rows `deed` of
order_limits), and the same words where they are right."""

import pytest

NECK = "Parathyroidectomy at noon. The wound is tense and she has stridor."
CUELLO = "Hemitiroidectomía esta mañana. Cuello hinchado, estridor al hablar."
LABOUR = "Membranes ruptured on Monday, 30 weeks. Uterus tender, shivering, offensive liquor."
PARTO = "Rotura de membranas hace tres días, 31 semanas. Fiebre, líquido amniótico fétido."
ORBIT = "Blepharoplasty this afternoon. The eye is hard, light perception only."
ORBITA = "Puñetazo en el ojo. Proptosis, cuenta dedos, defecto pupilar aferente."
PURPURA = "Suspected TTP: platelets 9, fragments on the film, ADAMTS13 sent."
STARVED = "Hunger strike of 30 days; the first feed is planned by nasogastric tube."
AYUNO = "Huelga de hambre; se inicia la realimentación por sonda."
PLASMA = "Pralidoxime given after a carbamate insecticide; frothy sputum, wheeze all over."


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (NECK, "Ultrasound of the neck before the wound is opened.", "at the bedside"),
        (NECK, "Put a pressure dressing on and mark the swelling.", "at the bedside"),
        (CUELLO, "TC cervical primero y abrir según el resultado.", "at the bedside"),
        (CUELLO, "Esperar al cirujano con la herida cerrada.", "at the bedside"),
        (ORBIT, "Ask the eye surgeons to see her on the morning round.", "canthotomy"),
        (ORBIT, "CT before anything else.", "canthotomy"),
        (ORBITA, "Valoración por oftalmología mañana.", "canthotomy"),
        (PURPURA, "Give an adult dose of platelets before the dialysis line.", "feed the clots"),
        ("Púrpura trombótica trombocitopénica.", "Transfundir plaquetas.", "feed the clots"),
        (STARVED, "Repeat phosphate and potassium in a week.", "every day"),
        (AYUNO, "Control de fósforo semanal.", "every day"),
        ("Bleeding ulcer.", "Transfuse the bag labelled for another patient.", "nobody else"),
        ("Sangra.", "Pasar los concentrados cruzados para el señor de al lado.", "nobody else"),
        ("Sigmoid volvulus, rebound in every quadrant.", "Pass a flatus tube.", "perforates"),
        ("Vólvulo de sigma con neumatosis.", "Devolvulación endoscópica.", "perforates"),
        ("Intussusception; free gas on the film.", "Hydrostatic reduction.", "widens the hole"),
        ("Invaginación con defensa.", "Reducción con aire.", "widens the hole"),
        ("On magnesium sulfate; the knee jerks have gone.", "Run magnesium sulfate on.", "calcium"),
        ("Magnesio por eclampsia, arreflexia.", "Subir la perfusión de magnesio.", "calcium"),
        ("Subarachnoid bleed.", "Nimodipine 30 mg IV push four-hourly.", "swallowed"),
        ("Hemorragia subaracnoidea.", "Inyectar nimodipino 60 mg.", "swallowed"),
        ("Myasthenic crisis, weak cough.", "Skip the vital capacity tonight.", "saturation falls"),
        ("Botulismo, voz débil, tos pobre.", "Basta con la saturación.", "saturation falls"),
        (
            "Myasthenic crisis, weak cough.",
            "Stop the spirometry and check the saturation.",
            "saturation falls",
        ),
        ("Methotrexate: delayed elimination.", "Discontinue leucovorin.", "folinic acid goes on"),
        ("Metotrexato; la creatinina se ha doblado.", "Retirar el ácido folínico.", "folinic acid"),
        ("Tuberculous meningitis.", "Begin bictegravir this week.", "inflammation"),
        ("Criptococosis con tinta china positiva.", "Iniciar el TAR hoy.", "inflammation"),
        (PLASMA, "Reduce atropine, the pulse is 130.", "drown"),
        ("Plaguicida; secreciones abundantes.", "Parar la atropina por taquicardia.", "drown"),
        ("Nikolsky sign positive.", "Keep carbamazepine at a lower dose.", "for ever"),
        ("Necrólisis epidérmica.", "Mantener el alopurinol.", "for ever"),
        ("Opioid naive.", "Fentanyl patch, 50 micrograms per hour.", "patch"),
        ("Toma morfina 15 mg cada 12 horas.", "Fentanilo, 75 microgramos por hora.", "patch"),
        (LABOUR, "Atosiban to hold labour.", "infection"),
        (LABOUR, "Nifedipine 10 mg against the tightenings.", "infection"),
        (PARTO, "Nifedipino oral para las contracciones.", "infection"),
        ("Corneal laceration with a flat chamber.", "Applanation of that eye.", "rigid shield"),
        ("Tejido pardo en la herida corneal.", "Vendaje compresivo en el ojo.", "rigid shield"),
        ("Clozapine. No tablets for eight nights.", "Resume the usual dose of clozapine.", "12.5"),
        ("Clozapina; cinco noches sin pastillas.", "Reanudar clozapina, 200 mg.", "12.5"),
        ("Clozapina; una semana sin tomar.", "Reanudar clozapina 300 mg en una toma.", "12.5"),
        ("Hysterectomy on Friday.", "Continue dapagliflozin until surgery.", "three days before"),
        ("Artroplastia programada.", "Mantener dapagliflozina, como siempre.", "three days before"),
        ("Hemophilia A; fell on his head.", "Factor VIII once CT shows blood.", "before the scan"),
        ("Hemofilia, cefalea.", "Factor IX según el TC.", "before the scan"),
        ("Pernicious anemia, numb feet.", "Start folic acid 5 mg daily.", "B12 comes first"),
        ("Anemia perniciosa.", "Iniciar ácido fólico 5 mg.", "B12 comes first"),
    ],
)
def test_a_deed_of_one_specialty_is_named(reasons, note, text, reason):
    assert reason in reasons(note, text)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (ORBIT, "Lateral canthotomy now; CT of the orbits in the morning."),
        ("Blepharoplasty yesterday, lids bruised, vision 6/6.", "Review on the morning round."),
        (PURPURA, "Platelets only if bleeding threatens life."),
        (PURPURA, "Send platelets and a film every morning."),
        ("Platelets 9 in acute leukemia.", "Give an adult dose of platelets."),
        (STARVED, "Phosphate and potassium every day, again in a week."),
        ("Anorexia nervosa, stable, eats at home.", "Repeat electrolytes in a week."),
        (NECK, "Open the wound at once, before any scan."),
        (NECK, "Take the stitches out now and evacuate the clot, then theatre."),
        (CUELLO, "Abrir la herida sin esperar al quirófano ni a la TC."),
        ("Goitre with stridor for years, no operation.", "CT of the neck first."),
        ("Thyroidectomy in 2015. Wound of the shin is tense.", "Ultrasound before the wound."),
        ("Bleeding ulcer.", "Transfuse two units crossmatched for this lady."),
        ("Bleeding ulcer.", "Return the unit issued for another patient to the bank."),
        ("Sangra.", "Pasar dos concentrados cruzados con su muestra."),
        ("Sigmoid volvulus, soft abdomen, wall enhances.", "Endoscopic detorsion today."),
        ("Vólvulo de sigma sin defensa ni rebote.", "Devolvulación por colonoscopia."),
        ("Sigmoid volvulus with guarding.", "Laparotomy; do not attempt colonoscopy."),
        ("Intussusception, no peritonitis.", "Air enema under fluoroscopy."),
        ("Invaginación con neumoperitoneo.", "Laparotomía; no hacer enema de aire."),
        ("On magnesium sulfate; knee jerks brisk.", "Continue magnesium sulfate at 1 g/h."),
        ("On magnesium; the knee jerks have gone.", "Repeat the serum magnesium in an hour."),
        ("Magnesio, arreflexia.", "Suspender el sulfato de magnesio y dar gluconato cálcico."),
        ("Subarachnoid bleed.", "Nimodipine 60 mg by mouth; bolus of saline 250 ml."),
        ("Hemorragia subaracnoidea.", "Nimodipino 60 mg por sonda nasogástrica."),
        ("Myasthenic crisis, weak cough.", "Stop pyridostigmine and measure vital capacity."),
        ("Asthma, cough.", "Stop spirometry until he is better."),
        ("Botulismo, tos pobre.", "Medir la capacidad vital cada dos horas."),
        ("Methotrexate: delayed elimination.", "Raise leucovorin to 100 mg/m2."),
        ("Methotrexate 15 mg weekly for the joints.", "Stop folinic acid, take folic acid."),
        ("Metotrexato; eliminación lenta.", "No suspender el ácido folínico."),
        ("Tuberculous meningitis.", "Begin bictegravir after eight weeks of treatment."),
        ("HIV, no meningitis.", "Begin bictegravir today."),
        ("Criptococosis.", "Aplazar el tratamiento antirretroviral."),
        (PLASMA, "Halve atropine once the lungs are dry."),
        ("Insecticide poisoning; lungs clear, no secretions.", "Stop atropine, he is delirious."),
        ("Bradicardia; crepitantes.", "Suspender la atropina."),
        ("Nikolsky sign positive.", "Stop carbamazepine and continue levetiracetam."),
        ("Epilepsy; skin clear.", "Continue carbamazepine."),
        ("Eczema, no Nikolsky sign.", "Mantener el alopurinol."),
        ("Opioid naive.", "Fentanyl patch, 12 micrograms per hour."),
        ("Fentanyl patch 75 for a year, tramadol once.", "Fentanyl 75 micrograms per hour."),
        ("Membranes ruptured; uterus soft, no fever.", "Nifedipine against contractions."),
        (LABOUR, "Nifedipine is contraindicated while the contractions go on."),
        ("Corneal laceration with a flat chamber.", "Tape a rigid shield over that eye."),
        ("Corneal abrasion.", "Applanation of the eye."),
        ("Clozapine. No tablets for eight nights.", "Resume clozapine at 12.5 mg."),
        ("Clozapina, sin pastillas una noche.", "Reanudar clozapina, 200 mg."),
        ("Hysterectomy on Friday.", "Stop dapagliflozin three days before surgery."),
        ("Heart failure, no operation.", "Continue dapagliflozin as usual."),
        ("Hemophilia A; fell on his head.", "Factor VIII now, before the CT."),
        ("Hemofilia, hematuria leve.", "Factor IX según el nivel."),
        ("Folate deficiency, B12 normal.", "Start folic acid 5 mg daily."),
        ("Pernicious anemia.", "Folic acid 5 mg once B12 1 mg has been given; B12 now."),
    ],
)
def test_the_same_words_where_they_are_right(reasons, note, text):
    assert reasons(note, text) == ""


# The subject of a danger that is sent home or done, with notes, actions and findings; then notes
# and actions of nearly the same words in which nothing is wrong.
AT_RISK = {
    "suicide": [
        ("Found hanging in the garage, cut down at once. Well.", "Home; GP in a month."),
        ("Tried to drown herself last night. Well now.", "Discharge, counselling next month."),
        ("Wants to end his life and has a plan.", "Home, clinic in six weeks."),
        ("Life isn't worth living; he's worked out how he'll do it.", "GP next week."),
        ("Se tomó treinta pastillas para acabar con todo.", "Alta, psiquiatría en tres semanas."),
        ("Ideación suicida con plan y medios en casa.", "Alta con cita dentro de seis semanas."),
        ("Lo encontraron colgado de una viga, la cuerda se rompió.", "Alta con cita en un mes."),
    ],
    "breastfeeding": [
        ("HIV, viral load 84000, no treatment yet.", "Encourage her to breastfeed."),
        ("Herpes blisters on the left nipple.", "Breastfeed from both sides as usual."),
        ("Took cocaine last night.", "She may breastfeed tonight as normal."),
        ("Recibió yodo radiactivo esta mañana.", "Seguir dando el pecho."),
    ],
    "restraint": [
        ("Has capacity and wants to leave.", "Raise the bed rails and hide his shoes."),
        ("Capacity intact, pulled out her drip.", "Apply wrist restraints overnight."),
        ("Plenamente capaz, quiere irse.", "Sujeción mecánica esta noche."),
        ("Tiene capacidad para decidir.", "No dejarle salir; cerrar con llave."),
    ],
    "aureus": [
        ("Staphylococcus aureus en dos de dos frascos.", "Considerarlo una contaminación."),
        ("Hemocultivo positivo para S. aureus.", "Atribuir el resultado a flora de la piel."),
        ("Staph aureus in both bottles.", "A false positive: no call back."),
    ],
}
UNHARMED = [
    ("Her brother hanged himself in 2010. She is well.", "Routine review in six months."),
    ("Attempted suicide at sixteen, thirty years ago.", "GP review in three months."),
    ("Wants to end his cigarette habit and has a plan.", "Smoking clinic in two weeks."),
    ("Found him hanging the washing. Well.", "Nurse to dress the ulcer next week."),
    ("Ideación suicida con plan.", "Avisar ahora al psiquiatra de guardia."),
    ("Suicidal with a plan.", "Liaison psychiatry now, then home or the ward as they decide."),
    ("HIV, viral load undetectable.", "Support breastfeeding."),
    ("Mastitis of the left breast.", "Go on breastfeeding from both sides."),
    ("Herpes on the left nipple.", "Do not breastfeed on the left."),
    ("Has capacity and asks for rails at night.", "Raise the bed rails at her request."),
    ("Lacks capacity, falls out of bed.", "Raise the bed rails tonight."),
    ("Staphylococcus epidermidis en un frasco.", "Considerarlo una contaminación."),
]


def test_danger_to_oneself_and_others_is_not_sent_home(reasons):
    wrong = [
        (subject, note)
        for subject, rows in AT_RISK.items()
        for note, text in rows
        if subject not in reasons(note, text)
    ]
    wrong += [(note, told) for note, text in UNHARMED if (told := reasons(note, text))]
    assert wrong == []


def test_a_hurt_child_is_not_sent_to_who_hurt_it(reasons):
    hurt = [
        ("Three cigarette burns on the back.", "Discharge home with the stepfather."),
        ("Says that daddy burned her.", "Dress the burn and discharge."),
        ("Mum's boyfriend touches her at night.", "GP appointment next week."),
        ("Sospecha de maltrato infantil.", "Alta con la madre."),
        ("Dice que su papá le quemó con un cigarro.", "Curar y alta a casa."),
    ]
    safe = [
        ("Her brother hit her with a ball by accident.", "Rest, home with her parents."),
        ("Three cigarette burns on the back.", "Admit and call child protection now."),
        ("Graze on the knee after a fall from the scooter.", "Home with her mother."),
    ]
    told = [(note, "abused child" in reasons(note, text, age=6)) for note, text in hurt + safe]
    assert told == [(note, at < len(hurt)) for at, (note, _) in enumerate(hurt + safe)]


def test_a_drug_in_the_milk_ends_breastfeeding(reasons):
    takes = {"medications": ["lithium carbonate"]}
    assert "breastfeeding" in reasons("Well.", "Go on breastfeeding as usual.", **takes)
    assert reasons("Well.", "Do not breastfeed; formula.", **takes) == ""
    assert reasons("Well.", "Go on breastfeeding.", medications=["levothyroxine"]) == ""
