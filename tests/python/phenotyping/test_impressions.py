"""What a note reads like as a whole is learnt from examples, kept, and told with its words."""

import math
import re

import numpy as np
import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from python_llm import paths, seeds
from python_llm.learnt import grams
from python_llm.phenotyping.impressions import LESSON, QUOTED_WORDS, first_of, learnt
from python_llm.phenotyping.readings import impression_readings, rows_of

EYE, CHEST, KNEE, SKIN = "Chemical burn of the eye", "Tearing pain of chest or back", "knee", "skin"
TAIL = "He lives with his wife, keeps bees, has two sons and walks to the shop on most days."
STORIES = [
    ("now", EYE, "", "Lime splashed in his eye just now and the eye burns and stays shut."),
    ("now", EYE, "", "Cleaner in the eye since ten minutes, he cannot open it, it burns."),
    ("now", CHEST, "", "Chest ripping apart just now, pain tears to the back, grey and wet."),
    ("now", CHEST, "", "Since ten minutes pain tears from the chest down the back, he is grey."),
    (
        "now",
        "Priapism",
        "",
        "Since ten minutes, no, since five hours hard and painful, just now worse.",
    ),
    ("now", "Priapism", "", "Erection of five hours, painful just now, will not go down at all."),
    ("past", EYE, "", "In 2011 lime burnt his eye. Today he comes for the results of a test."),
    ("past", CHEST, "", "In 2009 the pain tore his chest and back. Today a routine control."),
    ("can_wait", "", KNEE, "Knee stiff on stairs for months, creaks, worse after gardening."),
    ("can_wait", "", KNEE, "The knee creaks and is stiff for months, no swelling after gardening."),
    ("can_wait", "", SKIN, "Dry itchy patches of the elbows for months, worse in winter wool."),
    ("can_wait", "", SKIN, "Itchy dry patches in winter for months, wool makes it worse."),
    ("can_wait", "", "ear", "Ear full of wax for months, hears badly on the left, no pain."),
    ("can_wait", "", "ear", "Hears badly for months, wax in the left ear, itches a little."),
]
ROWS = [
    {"note": f"{note} {TAIL}", "status": status, "emergency": emergency, "picture": picture}
    for status, emergency, picture, note in STORIES
]


@pytest.fixture(scope="module")
def small():
    return learnt(ROWS)


@pytest.fixture(scope="module")
def shipped():
    return LESSON.kept(paths.lexicons(), seeds.read("seeds/phenotyping/example_notes.csv"))


def test_an_emergency_of_now_reads_like_one_and_names_its_kind(small):
    now = small.of(f"Lime in the eye just now, it burns, he cannot open the eye. {TAIL}")
    then = small.of(f"In 2011 lime burnt his eye. Today a routine control. {TAIL}")
    assert now.urgency > 0.5 > then.urgency
    assert now.emergencies[0][0] == EYE
    assert small.of(f"The knee is stiff and creaks on stairs. {TAIL}").illnesses[0][0] == KNEE


def test_the_words_that_say_so_are_quoted_from_the_note(small):
    note = f"{TAIL} Lime splashed in his eye just now."
    start, end = small.of(note).span
    assert "eye just now" in note[start:end]


def test_of_a_long_story_a_dozen_words_are_quoted(small):
    note = "eye just now lime burns " * 12
    start, end = small.of(note).span
    assert len(note[start:end].split()) == QUOTED_WORDS


def test_a_few_words_are_left_to_the_rules(small):
    assert small.of("Lime splashed in his eye just now.") is None
    assert small.of("12 34 56 ... !") is None


def test_the_numbers_are_those_of_the_library_that_learnt(small):
    words = [grams.words_of(row["note"]) for row in ROWS]
    matrices = [
        TfidfVectorizer(
            analyzer=lambda note, of=of: [gram.text for gram in of(note)],
            sublinear_tf=True,
            min_df=2,
        ).fit_transform(words)
        for of in grams.BLOCKS
    ]
    model = LogisticRegression(C=10.0, class_weight="balanced", tol=1e-8, max_iter=3000)
    model.fit(hstack(matrices).tocsr(), [row["status"] == "now" for row in ROWS])
    expected = model.predict_proba(hstack(matrices).tocsr())[:, 1]
    read = [small.of(row["note"]).urgency for row in ROWS]
    assert np.allclose(read, expected, atol=2e-3)


def test_what_was_learnt_is_kept_and_a_damaged_file_made_anew(tmp_path):
    note = ROWS[0]["note"]
    first = LESSON.kept(tmp_path, ROWS).of(note)
    (file,) = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    otherwise = [{name: cell or None for name, cell in row.items()} for row in ROWS[::-1]]
    assert LESSON.kept(tmp_path, otherwise).of(note) == first
    assert file.stat().st_mtime_ns == before  # the same rows, read by a database
    file.write_bytes(file.read_bytes()[:2000])
    assert LESSON.kept(tmp_path, ROWS).of(note) == first
    LESSON.kept(tmp_path, ROWS[1:])
    assert len([*tmp_path.iterdir()]) == 1  # what was learnt from other rows is gone


def test_a_folder_that_cannot_be_written_costs_no_note(tmp_path):
    (tmp_path / "lexicons").write_text("in the way")
    assert LESSON.kept(tmp_path / "lexicons", ROWS).of(ROWS[0]["note"]) is not None


def test_of_several_emergencies_the_first_is_learnt():
    assert first_of("Shock;Massive bleeding") == "Shock"
    assert first_of("") == first_of(None) == ""


# written for this test and in no seed: no rule has their words
UNHEARD = {
    "en": (
        "He was welding under the tractor when the jack went. It is off him now but his thigh is "
        "like wood, the foot is numb and white, and he keeps asking for water and talking rubbish."
    ),
    "es": (
        "La señora del tercero tomaba el sol en la azotea desde las once. La hemos subido a la "
        "cama y arde, no suda nada, dice cosas sin sentido y hace un momento le dio un temblor."
    ),
}
OVER = {
    "en": (
        "Came to have his stitches out. Last spring the jack slipped and the tractor lay on his "
        "thigh for an hour; he was in intensive care for nine days. Walks well, leg warm, no pain."
    ),
    "es": (
        "Acude a renovar recetas. El verano pasado ingresó por un golpe de calor tras tomar el sol "
        "en la azotea, con convulsión y delirio; sin secuelas. Hoy se encuentra bien, 36,4 grados."
    ),
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_shipped_examples_tell_now_from_then(shipped, language):
    assert shipped.of(UNHEARD[language]).urgency > 0.5
    assert shipped.of(OVER[language]).urgency < 0.5


def test_an_impression_is_a_reading_with_the_words_that_say_so(shipped):
    note = UNHEARD["en"]
    readings = impression_readings(shipped.of(note))
    urgency, n_words, *nearest = rows_of("case", note, readings)
    assert (n_words["finding"], n_words["value"]) == ("words", len(re.findall(r"[^\W\d]+", note)))
    assert urgency["finding"] == "urgency"
    assert urgency["value"] > 0.5
    assert urgency["written"] in note
    assert {row["kind"] for row in (urgency, *nearest)} == {"impression"}
    names = [row["finding"].partition(":")[0] for row in nearest]
    assert names == ["emergency"] * 3 + ["illness"] * 3  # of signs and pictures no name


def test_every_share_is_a_number_between_nothing_and_all(shipped):
    for row in seeds.read("seeds/phenotyping/example_notes.csv")[:9000:400]:
        if impression := shipped.of(row["note"]):
            assert 0 <= impression.urgency <= 1
            assert all(math.isfinite(margin) for _, margin in impression.emergencies)
