"""The urgent red flags of a note are raised without a warehouse, by the models that it has."""

import pytest

from python_llm import seeds
from python_llm.phenotyping import alarms
from python_llm.phenotyping.demographics import told_of_patient

NOTES = {
    "thunderclap": ("Headache like a thunderclap an hour ago while she hung up the washing.", 44.0),
    "denied": ("Headache for years. No thunderclap headache, no stiff neck, no fever.", 44.0),
    "limb": ("His right foot is ice cold and white since noon, and no pulse is felt there.", 70.0),
    "chemo": ("Docetaxel nine days ago. Temperature 38.9 this morning.", 61.0),
    "dictated": ("Third cycle of docetaxel. Temperature is thirty-eight point seven.", 61.0),
    "dictado": ("Ciclo de docetaxel. Temperatura treinta y ocho con siete.", 61.0),
    "rigors": ("Day nine after docetaxel. Feeling cold and shaky since noon.", 61.0),
    "shaky": ("Feels cold and shaky when she has not eaten.", 61.0),
    "shaky neutropenia": ("Shivering since noon. Absolute neutrophil count 0.1.", 61.0),
    "cool": ("Third cycle of docetaxel. Temperature thirty-six point seven. No rigors.", 61.0),
    "green": ("Since 04:00 four vomits, the last three bright green.", 0.02),
    "now green": ("Vomiting, now green.", 0.02),
    "nappies": ("Green nappies, vomits milk after feeds, stools are green.", 0.02),
    "dressed": ("Vomits after feeds, mother wearing green.", 0.02),
    "mottled": ("6 days old. Lethargic, mottled, cap refill 4 s, HR 178.", 0.016),
    "undressed": ("Mottled when undressed, refill 2 s. Alert, feeds well.", 0.1),
    "infant": ("Temperature 38.4, feeds well.", 0.1),
    "child": ("Temperature 38.4, feeds well.", 7.0),
    "potassium": ("Weak legs. Potassium 7.1 mmol/L.", 66.0),
    "relative": ("His father had a cardiac arrest at 50. Comes for a check-up.", 30.0),
    "septic": ("Pneumonia. BP 82/50, pulse 128, drowsy, respiratory rate 30.", 80.0),
    "spanish": ("Fiebre de 39, rigidez de nuca y le molesta la luz.", 20.0),
    "kept none": ("I have Addison's and haven't kept one tablet down since lunch.", 38.0),
    "sick": ("I have Addison's disease. Since midnight I've been sick ten times.", 38.0),
    "retiene": ("Tengo Addison y no retengo las pastillas desde ayer.", 38.0),
    "kept": ("I have Addison's. My tablets stay down, I have not been sick.", 38.0),
    "troponin": ("Hypothyroid, confused since noon. Troponin T 31 ng/L.", 60.0),
    "quiet": ("Comes for a repeat prescription of drops for dry eyes.", 50.0),
}


@pytest.fixture(scope="module")
def reader():
    return alarms.Alarms(alarms.tables_of_seeds())


FLAGS = {
    "thunderclap": {"Thunderclap headache"},
    "limb": {"Acute limb ischemia"},
    "chemo": {"Fever under chemotherapy"},
    "dictated": {"Fever under chemotherapy"},
    "dictado": {"Fever under chemotherapy"},
    "rigors": {"Fever under chemotherapy"},
    "shaky neutropenia": {"Febrile neutropenia"},
    "green": {"Malrotation or obstruction of a newborn"},
    "now green": {"Malrotation or obstruction of a newborn"},
    "mottled": {"Signs of sepsis of a young infant"},
    "infant": {"Fever below three months of age"},
    "potassium": {"Critical potassium"},
    "septic": {"Signs of sepsis", "Deteriorating vital signs"},
    "kept none": {"Signs of an adrenal crisis"},
    "sick": {"Signs of an adrenal crisis"},
    "retiene": {"Signs of an adrenal crisis"},
    "spanish": {"Signs of meningitis"},
}


@pytest.mark.parametrize("name", NOTES)
def test_a_note_raises_the_flags_of_today(reader, name):
    note, age = NOTES[name]
    assert {alarm.flag_name for alarm in reader.told(note, age)} == FLAGS.get(name, set())


def test_one_note_leaves_nothing_to_the_next(reader):
    reader.told(*NOTES["septic"])
    assert not reader.told("Pulse 128 after the stairs, settled at once.", 80.0)


def test_the_order_of_notes_changes_nothing():
    """The flags are planned for before the first note, when no table has a row."""
    backwards = alarms.Alarms(alarms.tables_of_seeds())
    for name in reversed(NOTES):
        note, age = NOTES[name]
        raised = {alarm.flag_name for alarm in backwards.told(note, age)}
        assert raised == FLAGS.get(name, set()), name


def test_limits_are_those_of_the_age(reader):
    note = "Pulse 140, respiratory rate 32, BP 88/50, awake and playing."
    assert reader.told(note, 60.0)
    assert not reader.told(note, 1.0)


def test_seeds_may_come_with_their_types():
    """As a table of facts has them, in which a number is no text."""
    tables = alarms.tables_of_seeds()
    tables["abnormal_values"] = [
        {**row, "at_least": float(row["at_least"]) if row["at_least"] else None}
        for row in tables["abnormal_values"]
    ]
    told = alarms.Alarms(tables).told(*NOTES["potassium"])
    assert [alarm.flag_name for alarm in told] == ["Critical potassium"]


def test_what_is_measured_beside_a_note_raises_nothing_alone(reader):
    note = "Purple spots on both legs that do not fade under a glass."
    assert not reader.told("Comes for a repeat prescription.", 30.0, (("temperature", 39.0),))
    assert not reader.told(note, 30.0)
    (alarm,) = reader.told(note, 30.0, (("temperature", 39.0),))
    assert alarm.flag_name == "Fever with petechiae or purpura"
    assert "not fade" in alarm.words


def test_notes_that_are_forgotten_are_read_again(reader):
    note, age = NOTES["septic"]
    raised = reader.told(note, age)
    assert reader.read_ahead([(note, age, ())]) == {}
    reader.forget()
    assert reader.read_ahead([(note, age, ())]) == {(note, age, ()): raised}


def test_a_note_in_which_nothing_is_known_is_told_apart(reader):
    assert not reader.recognises("The kitchen was painted green by her nephew and it is nice.")
    assert reader.recognises("She has had a fever since Tuesday.")


def test_a_note_counts_before_what_is_measured_beside_it(reader):
    note = "Purple spots on both legs that do not fade under a glass. Temperature 36.9."
    assert not reader.told(note, 30.0, (("temperature", 39.0),))


def test_emergencies_in_lay_words_are_told(reader):
    """Of example_notes what the rules must tell by themselves: what patients, relatives and nurses
    say; without a flag, what is past, denied, another's, feared or harmless in the same words."""
    rows = [
        {**row, "urgent": row["emergency"]}
        for row in seeds.read("seeds/phenotyping/example_notes.csv")
        if row["rules_tell"] == "true" and not row["picture"]
    ]
    told = {}
    for row in rows:
        age = told_of_patient(row["note"], row["language"]).age_years
        told[row["note"]] = {alarm.flag_name for alarm in reader.told(row["note"], age)}
    wrong = [
        (row["urgent"], told[row["note"]], row["note"])
        for row in rows
        if (row["urgent"] not in told[row["note"]] if row["urgent"] else told[row["note"]])
    ]
    assert len(rows) > 500
    assert not wrong
