"""Emergencies in the words of a layman raise their alarm, and the same words of something else do
not."""

import pytest

from python_llm.recommendations.schema import Patient


def flags(knowledge, note, age=50, sex="female", **vitals):
    patient = Patient(patient_id="p", age=age, sex=sex, notes=[note], vitals=vitals)
    return [alarm.flag_name for alarm in knowledge.alarms(patient)]


@pytest.mark.parametrize(
    ("note", "age", "sex", "flag"),
    [
        (
            "Headache came on as if hit by a bat, at once, while hanging washing.",
            50,
            "female",
            "Thunderclap headache",
        ),
        (
            "Pain hit the back of her head like a bat while in the bath.",
            50,
            "female",
            "Thunderclap headache",
        ),
        (
            "Fue como si le hubieran dado un martillazo en la cabeza esta mañana.",
            50,
            "female",
            "Thunderclap headache",
        ),
        (
            "Red dots on his legs that stay under a tumbler, hot and shivery since noon.",
            18,
            "male",
            "Fever with petechiae or purpura",
        ),
        (
            "Since breakfast the cup keeps slipping out of his right hand, and his words come out "
            "as gibberish.",
            72,
            "male",
            "Acute stroke",
        ),
        ("Her mouth hangs on the left since this morning.", 72, "female", "Acute stroke"),
        (
            "Le aprieta el pecho desde hace una hora, empapado en sudor frío.",
            58,
            "male",
            "Signs of an acute coronary syndrome",
        ),
        (
            "Woke at four with a ripping feeling between the shoulder blades.",
            64,
            "female",
            "Tearing pain of chest or back",
        ),
        (
            "His left ball blew up during football practice an hour and a half ago.",
            14,
            "male",
            "Acute scrotal pain",
        ),
        (
            "She has been drinking from the tap all night, her breath smells of pear drops.",
            9,
            "female",
            "Signs of diabetic ketoacidosis",
        ),
        (
            "Pupils like pinheads, takes a breath every twelve seconds.",
            29,
            "male",
            "Signs of opioid or nerve poisoning",
        ),
        (
            "Le falta la regla desde hace cinco semanas y el test salió positivo. Le duele mucho "
            "abajo a la izquierda y se ha desmayado.",
            31,
            "female",
            "Pain or collapse in early pregnancy",
        ),
        (
            "Bitten by a hornet ten minutes ago; lips like balloons, wheezing.",
            42,
            "male",
            "Signs of anaphylaxis",
        ),
        ("Took all her amitriptyline tablets.", 60, "female", "Overdose or poisoning"),
        ("Took all her tablets after a row.", 60, "female", "Overdose or poisoning"),
        (
            "Something tore in his back at noon. He has a lump in his belly that throbs.",
            74,
            "male",
            "Signs of a ruptured aneurysm",
        ),
        (
            "Tiene algo en la barriga que le late y dolor de espalda desde hace una hora.",
            70,
            "male",
            "Signs of a ruptured aneurysm",
        ),
        ("Her left eye feels like a stone to the touch.", 68, "female", "Acute angle closure"),
        (
            "Forearm in plaster since Monday, he howls when we stretch his fingers.",
            30,
            "male",
            "Signs of compartment syndrome",
        ),
        (
            "No tablet touches the pain and the leg in its cast is tight.",
            30,
            "male",
            "Signs of compartment syndrome",
        ),
        (
            "He has been peeing round the clock and his breath smells of nail varnish.",
            22,
            "male",
            "Signs of diabetic ketoacidosis",
        ),
        (
            "Five weeks overdue. There is a cramping low down on the right; the tip of her "
            "shoulder aches.",
            27,
            "female",
            "Pain or collapse in early pregnancy",
        ),
        (
            "I am about six weeks late. Since noon there is a stabbing low down on the left.",
            27,
            "female",
            "Pain or collapse in early pregnancy",
        ),
        (
            "Jaw ache and both arms like lead, drenched in cold sweat.",
            64,
            "female",
            "Signs of an acute coronary syndrome",
        ),
        ("Hot 39.5, the soft spot bulges.", 0.5, "female", "Signs of meningitis"),
        ("Elephant on his chest since noon.", 61, "male", "Signs of an acute coronary syndrome"),
        (
            "As if somebody sat on his chest, ashen and dripping.",
            61,
            "male",
            "Signs of an acute coronary syndrome",
        ),
        (
            "Nota como una losa en el pecho y está frío y pálido.",
            61,
            "male",
            "Signs of an acute coronary syndrome",
        ),
        ("She swallowed a whole strip of painkillers.", 44, "female", "Overdose or poisoning"),
        (
            "She took twenty of her mother's sleeping tablets to end her life.",
            44,
            "female",
            "Overdose or poisoning",
        ),
        (
            "Se ha tomado una tira entera de pastillas para quitarse la vida.",
            19,
            "female",
            "Overdose or poisoning",
        ),
        (
            "Back pain since noon; his wife can see a lump in his tummy that beats in time with "
            "his heart.",
            74,
            "male",
            "Signs of a ruptured aneurysm",
        ),
        (
            "Drinking from the tap all week. Now he breathes as if he had run a race.",
            22,
            "male",
            "Signs of diabetic ketoacidosis",
        ),
    ],
)
def test_lay_words_raise_their_alarm(knowledge, note, age, sex, flag):
    assert flag in flags(knowledge, note, age, sex)


@pytest.mark.parametrize(
    ("note", "age", "sex"),
    [
        ("He was hit on the head with a bat ten years ago.", 50, "male"),
        ("Spots that fade under a glass, no fever, plays.", 8, "male"),
        ("Her mouth does not hang and her speech is not slurred today.", 72, "female"),
        ("Her smile has been lopsided since a stroke in 2015.", 72, "female"),
        ("He kicked the ball an hour ago and his knee is swollen and sore.", 14, "male"),
        ("The ball of his left foot hurts since an hour ago.", 14, "male"),
        ("Has taken all his tablets as prescribed.", 60, "male"),
        ("Has taken all his tablets.", 60, "male"),
        ("Has taken all his morning tablets.", 60, "male"),
        ("Ha tomado todas sus pastillas como siempre.", 60, "male"),
        ("Seizures at four, none since.", 30, "male"),
        ("A lump in her belly that never throbs. Back pain today.", 60, "female"),
        ("The child screams when we bend his fingers to give the vaccine.", 3, "male"),
        ("A boil on her eyelid feels like a marble.", 40, "female"),
        ("Jaw pain on chewing steak, in a cold sweat over the bill.", 64, "female"),
        ("Hot 39.5, the soft spot is flat and not tense; feeds and smiles.", 0.5, "female"),
        ("The dog sat on his chest this morning, he laughs.", 60, "male"),
        ("His brother had a weight like an anvil on the chest last year.", 66, "male"),
        ("No heaviness, nobody sits on his chest today.", 60, "male"),
        ("His father took twenty tablets to end his life.", 60, "male"),
        ("She took a whole box of paracetamol in 2009, well since.", 60, "female"),
        ("He took a whole strip of antibiotics over a week as prescribed.", 60, "male"),
        ("Never took tablets to end his life.", 60, "male"),
        ("If she took a whole box of tablets it would harm her.", 45, "female"),
        ("He breathes easily, as if he had not run at all. Drinks from the tap.", 40, "male"),
        ("The library book is six weeks late. Low back ache after gardening.", 30, "female"),
    ],
)
def test_the_same_words_of_something_else_raise_none(knowledge, note, age, sex):
    assert flags(knowledge, note, age, sex) == []


@pytest.mark.parametrize(
    ("age", "pressure", "is_low"),
    [(0.03, 72, False), (0.5, 85, False), (3, 88, False), (3, 70, True), (50, 88, True)],
)
def test_a_low_pressure_is_one_of_its_age(knowledge, age, pressure, is_low):
    child = Patient(
        patient_id="p", age=age, sex="male", notes=["A cold."], vitals={"systolic_bp": pressure}
    )
    assert ("hypotension" in knowledge.findings(child)) == is_low


@pytest.mark.parametrize(
    "note",
    [
        "I can't feel it when I wipe myself and I've wet the bed twice without knowing.",
        "Sciatica in both legs. Numb when I wipe myself.",
        "She can't feel the toilet paper.",
        "My bum and privates have gone numb.",
        "I can't feel myself wee.",
        "Lost feeling round my back passage.",
        "Legs are weak and I lost control of my bladder twice.",
    ],
)
def test_a_numb_saddle_in_the_first_person_alarms(knowledge, note):
    assert flags(knowledge, note) == ["Signs of cauda equina compression"]


@pytest.mark.parametrize(
    "note",
    [
        "Thunderclap HA",
        "Sudden onset HA, worst of life",
        "HA worst of life, onset seconds",
        "Headache, sudden onset in shower, max intensity <1 min",
    ],
)
def test_a_thunderclap_in_short_words_alarms(knowledge, note):
    assert flags(knowledge, note) == ["Thunderclap headache"]


@pytest.mark.parametrize(
    "note",
    [
        "I can feel it when I wipe myself, no numbness there.",
        "Unsteady on his feet for years, incontinent of urine with dementia.",
        "Denies losing control of the bladder; legs are weak.",
        "No thunderclap HA. No sudden onset HA.",
        "Gradual HA, max intensity after 6 hours.",
        "El paciente ha tenido cefalea tensional.",
    ],
)
def test_near_words_of_back_and_head_raise_nothing(knowledge, note):
    assert not flags(knowledge, note)
