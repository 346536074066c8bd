"""The urgent red flags of a note are read without a warehouse as the warehouse reads them."""

import duckdb
import pyarrow as pa
import pytest

from python_llm import paths
from python_llm.phenotyping import alarms, one_patient
from python_llm.phenotyping.reading import MENTION_SCHEMA, language_of, rows_of

NOTES = {
    "thunderclap": ("Headache like a thunderclap an hour ago while she hung up the washing.", 44.0),
    "denied": ("Headache for years. No thunderclap headache, no stiff neck, no fever.", 44.0),
    "limb": ("His right foot is ice cold and white since noon, and no pulse is felt there.", 70.0),
    "chemo": ("Docetaxel nine days ago. Temperature 38.9 this morning.", 61.0),
    "infant": ("Temperature 38.4, feeds well.", 0.1),
    "child": ("Temperature 38.4, feeds well.", 7.0),
    "potassium": ("Weak legs. Potassium 7.1 mmol/L.", 66.0),
    "relative": ("His father had a cardiac arrest at 50. Comes for a check-up.", 30.0),
    "septic": ("Pneumonia. BP 82/50, pulse 128, drowsy, respiratory rate 30.", 80.0),
    "spanish": ("Fiebre de 39, rigidez de nuca y le molesta la luz.", 20.0),
    "quiet": ("Comes for a repeat prescription of drops for dry eyes.", 50.0),
}


@pytest.fixture(scope="module")
def reader():
    return alarms.Alarms(alarms.tables_of_seeds())


def of_the_warehouse(reader):
    """The urgent flags that fct_red_flag raises of the same readings, by note; no term has another
    below it, for the reader knows none."""
    mentions, decided = [], []
    for name, (note, age) in NOTES.items():
        rows = rows_of(name, note, reader._reader(language_of(note)).read(note, age))
        mentions += rows
        decided += [
            {**{key: row[key] for key in ("case_id", "hpo_id", "evidence", "status")}}
            for row in rows
            if row["hpo_id"] and row["status"] == "present"
        ]
    terms = sorted(alarms.terms_of(reader._tables["hpo_red_flags"]))
    with duckdb.connect() as connection:
        models = one_patient._Models(connection, paths.project_root())
        models._served = set()
        own = pa.table({"hpo_id": terms, "ancestor_hpo_id": terms, "distance": [0] * len(terms)})
        models.give("bridge_hpo_ancestor", own)
        models.give("dim_hpo_term", pa.table({"hpo_id": terms, "hpo_name": terms}))
        cases = [{"case_id": name, "age_years": age} for name, (_, age) in NOTES.items()]
        models.give("int_phenotyping__cases", pa.Table.from_pylist(cases))
        models.give(
            "int_phenotyping__mentions", pa.Table.from_pylist(mentions, schema=MENTION_SCHEMA)
        )
        texts = pa.schema(
            [(key, pa.string()) for key in ("case_id", "hpo_id", "evidence", "status")]
            + [("overruling_hpo_id", pa.string())]
        )
        models.give(
            "int_phenotyping__decided_findings", pa.Table.from_pylist(decided, schema=texts)
        )
        flags = models.rows("fct_red_flag")
    return {
        name: {f["flag_name"] for f in flags if f["case_id"] == name and f["severity"] == "URGENT"}
        for name in NOTES
    }


def test_the_same_flags_are_raised_as_in_the_warehouse(reader):
    expected = of_the_warehouse(reader)
    own = {
        name: {alarm.flag_name for alarm in reader.told(note, age).alarms}
        for name, (note, age) in NOTES.items()
    }
    assert own == expected
    quiet = {"denied", "child", "relative", "quiet"}
    assert {name for name, flags in own.items() if not flags} == quiet


def test_what_is_measured_beside_a_note_raises_nothing_alone(reader):
    note = "Purple spots on both legs that do not fade under a glass."
    assert not reader.told(
        "Comes for a repeat prescription.", 30.0, (("temperature", 39.0),)
    ).alarms
    assert not reader.told(note, 30.0).alarms
    (alarm,) = reader.told(note, 30.0, (("temperature", 39.0),)).alarms
    assert alarm.flag_name == "Fever with petechiae or purpura"
    assert "not fade" in alarm.words


def test_a_note_in_which_nothing_is_known_is_told_apart(reader):
    assert not reader.told(
        "The kitchen was painted green by her nephew and it is nice.", 40
    ).is_recognised
    assert reader.told("She has had a fever since Tuesday.", 40).is_recognised
