"""How an order bears on patients is learnt from examples, and the gate lets or holds by it."""

import json
import sys
from functools import partial

import numpy as np
import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from python_llm import seeds
from python_llm.learnt import grams
from python_llm.recommendations.checks import tiers
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.bearings import LESSON, learnt

ORDERS = [
    ("acute", "plain", "Ask her daughter to sit beside her."),
    ("acute", "plain", "Sit beside her and ask how she feels."),
    ("acute", "plain", "Ask how the night was and write it down."),
    ("acute", "harmful", "Let her sleep it off until the morning."),
    ("acute", "harmful", "Let it run until the morning."),
    ("acute", "harmful", "Sleep on it, no need to call anybody."),
    ("acute", "specific", "Give the blood now through the warm line."),
    ("acute", "specific", "Stop the blood and keep the line."),
    ("ordinary", "plain", "See her in the morning clinic."),
    ("ordinary", "plain", "Let her sleep as she likes until the morning clinic."),
]
ROWS = [
    {"setting": setting, "bearing": bearing, "order_text": text}
    for setting, bearing, text in ORDERS
]


@pytest.fixture(scope="module")
def small():
    return learnt(ROWS)


def test_the_chances_are_those_of_the_library_that_learnt(small):
    words = [grams.words_of(row["order_text"]) for row in ROWS]
    matrices = [
        TfidfVectorizer(
            analyzer=lambda order, of=of: [gram.text for gram in of(order)],
            sublinear_tf=True,
            min_df=2,
        ).fit_transform(words)
        for of in grams.BLOCKS
    ]
    measured = hstack(matrices).tocsr()
    for name, taught in (("plain", range(10)), ("harmful", range(8))):
        model = LogisticRegression(C=10.0, tol=1e-8, max_iter=2000)
        model.fit(measured[[*taught]], [ROWS[number]["bearing"] == name for number in taught])
        expected = model.predict_proba(measured)[:, 1]
        read = [getattr(small.of(row["order_text"]), name) for row in ROWS]
        assert np.allclose(read, expected, atol=2e-3), name


def test_what_was_learnt_of_orders_is_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    first = LESSON.kept(tmp_path, ROWS).of("Let her sleep.")
    assert capsys.readouterr().err == "Learning bearings from 10 examples, once ...\n"
    (file,) = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    assert LESSON.kept(tmp_path, ROWS[::-1]).of("Let her sleep.") == first
    assert file.stat().st_mtime_ns == before
    assert not capsys.readouterr().err


def test_in_a_field_it_has_not_learnt_from_it_is_mostly_right():
    """The limits of the gate, on one writer's situations: benchmarks/bearings.py has all."""
    field = "injuries, eyes, ears and skin"
    rows = seeds.read("seeds/recommendations/example_orders.csv")
    others = learnt([row for row in rows if row["field"] != field])
    own = [(row["bearing"], others.of(row["order_text"])) for row in rows if row["field"] == field]

    def share(bearing, is_so):
        values = [is_so(read) for kind, read in own if kind == bearing]
        return sum(values) / len(values)

    def harms_nobody(read):
        return read.plain >= tiers.HARMS_NOBODY

    def harms(read):
        return read.harmful >= tiers.HARMS

    assert share("plain", harms_nobody) >= 0.4
    assert share("harmful", harms_nobody) <= 0.02
    assert share("harmful", harms) >= 0.2
    assert share("plain", harms) <= 0.015
    assert share("specific", harms) <= 0.03


WELL = {"systolic_bp": 128, "heart_rate": 72, "respiratory_rate": 14, "spo2_percent": 97}
SAFE = {
    # the knee of a stranger, whom no rule let wait
    "can_wait": (
        "Dolor mecánico en la rodilla izquierda desde hace dos años, peor al bajar escaleras. "
        "Sin derrame ni calor. Radiografía: pinzamiento medial. IMC 31.",
        ["Que ande cada día lo que aguante y pierda peso poco a poco."],
    ),
    "plain_in_odd_words": (
        "Heart failure, weight steady for a year, breathless on the second flight of stairs as "
        "before. No swelling, sleeps on one pillow. Blood pressure and pulse as always.",
        ["Ask how many pillows he sleeps on and write it on the chart.", "Weigh him each Monday."],
    ),
}
HARM = {
    "fed": (
        "Right arm and face have hung since four this afternoon, speech is slurred, coughs on "
        "his own saliva and the voice is wet. CT shows an infarct of the left middle artery.",
        "Spoon him some porridge and tea, the swallow test can follow later in the week.",
    ),
    "blood_runs_on": (
        "Second unit of red cells since a quarter of an hour. Rigor, pain in both loins, 39.1, "
        "the urine in the bag is dark. The band on her wrist does not match the bag.",
        "Slow the drip a little and let the bag finish, she needs the haemoglobin.",
    ),
    "vendaje": (
        "Yeso de tibia desde hace seis horas. Dolor insoportable que no cede con morfina, grita "
        "al moverle los dedos, el pie está pálido y hormiguea.",
        "No hace falta abrir el yeso; otra venda encima y que espere a la consulta de mañana.",
    ),
}


@pytest.mark.parametrize("name", SAFE)
def test_plain_care_of_whoever_can_wait_passes(objections, name):
    note, actions = SAFE[name]
    patient = Patient(patient_id="p", age=64, sex="male", vitals=WELL, notes=[note])
    for action in actions:
        assert objections(patient, action) == []


@pytest.mark.parametrize("name", HARM)
def test_what_reads_like_harm_in_an_emergency_is_held(objections, name):
    note, action = HARM[name]
    patient = Patient(patient_id="p", age=64, sex="male", vitals=WELL, notes=[note])
    assert any("reads like an order that harms" in why for why in objections(patient, action))


def test_the_words_harm_nobody_who_can_wait(objections):
    note = (
        "Stroke three years ago, walks with a stick, speaks well, eats everything without "
        "coughing, weight steady. Comes for the yearly check of his blood pressure."
    )
    patient = Patient(patient_id="p", age=64, sex="male", vitals=WELL, notes=[note])
    told = objections(patient, "Spoon him some porridge and tea.")
    assert not any("reads like an order that harms" in why for why in told)


def test_a_drug_or_an_odd_word_is_no_plain_care(checker):
    harms_nobody = partial(checker._harms_nobody, is_stable=True)
    assert harms_nobody("Ask her how she slept and write it down.")
    assert not harms_nobody("Ask her how she slept and give morphine 10 mg.")
    assert not harms_nobody("Ask how she slept. Polish the antlers over the bed.")


def test_to_let_somebody_sleep_is_plain_for_the_stable_alone(checker):
    order = "Let her sleep and look again in the afternoon."
    assert checker._harms_nobody(order, is_stable=True)
    assert not checker._harms_nobody(order, is_stable=False)


# no rule has their words
UNHEARD = (
    "He was welding under the tractor when the jack went. It is off him now but his thigh is like "
    "wood, the foot is numb and white, and he keeps asking for water and talking rubbish."
)
OVER = (
    "Came to have his stitches out. Last spring the jack slipped and the tractor lay on his thigh "
    "for an hour; he was in intensive care for nine days. Walks well, leg warm, no pain."
)


def reasons_for(checker, recommended, note, order):
    """Every reason that is given of a plan of one order."""
    patient = Patient(patient_id="p", age=44, sex="male", vitals=WELL, notes=[note])
    made = recommended("mi_01")
    made |= {"patient_id": "p", "when_to_escalate": []}
    made["recommended_actions"] = [made["recommended_actions"][0] | {"action": order}]
    return "; ".join(verdict.reason for verdict in checker.tier1(json.dumps(made), patient))


def test_an_emergency_no_rule_knows_is_not_left_to_later(checker, recommended):
    later = "X-ray of the femur and paracetamol 1 g every 8 hours."
    told = "like an emergency of now"
    assert told in reasons_for(checker, recommended, UNHEARD, later)
    call = "Call the surgeon on call now."
    assert told not in reasons_for(checker, recommended, UNHEARD, call)
    assert told not in reasons_for(checker, recommended, OVER, later)


def test_what_reads_nothing_like_an_emergency_can_wait(checker, recommended, monkeypatch):
    told, order = "nothing in the notes says that it can wait", "See him in the clinic in a month."
    skin = (
        "Dry itchy patches in the crooks of the elbows since childhood, worse every winter, now "
        "cracking. No blisters, no pus."
    )
    assert told not in reasons_for(checker, recommended, skin, order)
    monkeypatch.setattr(tiers, "CAN_WAIT", 0.0)
    assert told in reasons_for(checker, recommended, skin, order)


@pytest.mark.parametrize("order", ["Paracetamol level at four hours.", "Nivel de paracetamol."])
def test_a_level_of_a_drug_gives_no_drug(checker, recommended, order):
    told = "paracetamol: recommended without a check"
    calm = "He swallowed thirty tablets of paracetamol three hours ago and feels well so far."
    assert told not in reasons_for(checker, recommended, calm, order)
    given = "Paracetamol 1 g by mouth now."
    reasons = reasons_for(checker, recommended, calm, given)
    assert "paracetamol" in reasons
