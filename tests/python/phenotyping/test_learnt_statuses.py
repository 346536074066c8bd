"""What a note says of each finding is learnt from marked notes, and weighed against the rules."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from python_llm import paths, seeds
from python_llm.learnt.lessons import MARKED
from python_llm.phenotyping import statuses
from python_llm.phenotyping.negation import Assertion
from python_llm.phenotyping.readings import Reading
from python_llm.phenotyping.statuses import LESSON, MarkError, apart, features_of, learnt, unmarked
from python_llm.phenotyping.timing import Timing

NOTES = "seeds/phenotyping/example_notes.csv"
FINDINGS = ("cough", "fever", "rash", "wheeze", "limp", "squint")
STORIES = (
    "He has {{n:{}}} and {{n:{}}} today.",
    "Since Monday {{n:{}}}, worse at night, and {{n:{}}}.",
    "No {{d:{}}}, {{d:{}}} or {{d:{}}}.",
    "She denies {{d:{}}} and {{d:{}}}, but has {{n:{}}}.",
    "Had {{p:{}}} in 2011, and {{p:{}}} as a child.",
    "In 2011 {{p:{}}}, long gone.",
    "His brother has {{f:{}}} and {{f:{}}}.",
    "Return if {{c:{}}} or {{c:{}}} appears.",
)
ROWS = [
    {"note": story.format(*(FINDINGS * 2)[shift:]), "status": MARKED}
    for story in STORIES
    for shift in range(len(FINDINGS))
]


def likeliest(chances):
    return max(chances, key=chances.get)


def told(learnt_ones, note, words):
    start = note.index(words)
    return likeliest(learnt_ones.of(note, [(start, start + len(words))])[start, start + len(words)])


@pytest.fixture(scope="module")
def small():
    return learnt(ROWS)


@pytest.fixture(scope="module")
def shipped():
    return LESSON.kept(paths.lexicons(), seeds.read(NOTES))


def test_marks_are_taken_out_and_tell_where_they_stood():
    marked = unmarked("No {d:fever}, mother had {f:gout}.")
    assert marked.note == "No fever, mother had gout."
    assert [(marked.note[slice(*span)], code) for span, code in marked.marks] == [
        ("fever", "d"),
        ("gout", "f"),
    ]


@pytest.mark.parametrize("text", ["no {x:fever}", "no {d:fever", "no fever}", "{d:{n:a} b}"])
def test_a_mark_that_cannot_be_read_is_named(text):
    with pytest.raises(MarkError, match="example_notes: a mark cannot be read in"):
        unmarked(text)


def test_every_mark_of_the_seed_can_be_read():
    marked = [unmarked(row["note"]) for row in seeds.read(NOTES) if row["status"] == MARKED]
    codes = [code for note in marked for _, code in note.marks]
    assert {*codes} == {*statuses.CODES}
    assert all(start < end for note in marked for (start, end), _ in note.marks)
    # a reader of it that always said present would be wrong in every second
    assert 0.4 < codes.count("n") / len(codes) < 0.6


def test_of_overlapping_findings_the_longest_hides_its_words():
    assert apart([(0, 5), (3, 12), (20, 25), (3, 12), (8, 8), (30, 90)]) == [(3, 12), (20, 25)]


def test_statuses_are_told_by_the_words_around(small):
    assert told(small, "He has gout and fever today.", "gout") == "present"
    assert told(small, "No gout, no fever.", "fever") == "denied"
    assert told(small, "She denies gout and warts, but has fever.", "fever") == "present"
    assert told(small, "In 2017 gout, long gone.", "gout") == "past"
    assert told(small, "His brother has gout.", "gout") == "relative"
    assert told(small, "Return if gout appears.", "gout") == "conditional"


def test_a_denial_reaches_all_of_a_list_of_findings():
    note = "No cough, fever, rash or limp."
    spans = [(note.index(word), note.index(word) + len(word)) for word in ("cough", "limp")]
    all_of_them = [(3, 8), (10, 15), (17, 21), (25, 29)]
    first, *_, last = features_of(note, all_of_them)
    assert first["head-0 no"] == last["head-0 no"] == 1
    # what the reader does not know as a finding is a word as any other
    assert "head-0 no" not in features_of(note, spans)[1]


def test_where_it_stands_counts_in_long_notes_alone():
    note = "Cough. " + "He walks to the shop every day. " * 20 + "Return if fever."
    spans = [(0, 5), (len(note) - 6, len(note) - 1)]
    assert "quarter 0" in features_of(note, spans)[0]
    assert "quarter 3" in features_of(note, spans)[1]
    assert not any("quarter" in name for name in features_of("Return if fever.", [(10, 15)])[0])


def test_yes_and_if_are_two_words_in_spanish():
    yes, condition = (features_of(note, [(3, 9)])[0] for note in ("Sí fiebre.", "Si fiebre."))
    assert "-1 <yes>" in yes
    assert "-1 si" in condition


def test_the_numbers_are_those_of_the_library_that_learnt(small):
    marked = [unmarked(row["note"]) for row in ROWS]
    contexts, codes = [], []
    for note in marked:
        for marks in (note.marks, note.marks[::2]):
            contexts += features_of(note.note, [span for span, _ in marks])
            codes += [code for _, code in marks]
    matrix = np.zeros((len(contexts), len(small.numbers)))
    for row, features in enumerate(contexts):
        length = np.linalg.norm([*features.values()])
        for name, share in features.items():
            if name in small.numbers:
                matrix[row, small.numbers[name]] = share / length
    model = LogisticRegression(C=10.0, tol=1e-3, max_iter=400).fit(csr_matrix(matrix), codes)
    expected = model.predict_proba(matrix)[0]
    span = marked[0].marks[0][0]
    spans = [span for span, _ in marked[0].marks]
    read = small.of(marked[0].note, spans)[span]
    names = [statuses.CODES[code] for code in model.classes_]
    assert [read[name] for name in names] == pytest.approx(expected.tolist(), abs=0.01)


def test_what_was_learnt_is_kept_and_a_damaged_file_made_anew(tmp_path):
    others = [{"note": "Well. No marks.", "status": "now"}]
    note = "No gout, no fever."
    first = LESSON.kept(tmp_path, [*ROWS, *others]).of(note, [(3, 7)])
    (file,) = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    assert LESSON.kept(tmp_path, ROWS[::-1]).of(note, [(3, 7)]) == first
    assert file.stat().st_mtime_ns == before  # a note without marks teaches nothing here
    file.write_bytes(file.read_bytes()[:900])
    assert LESSON.kept(tmp_path, ROWS).of(note, [(3, 7)]) == first


def test_of_two_statuses_one_is_learnt_as_well():
    rows = [row for row in ROWS if row["note"].startswith(("He has", "No "))]
    assert told(learnt(rows), "No gout, no fever.", "fever") == "denied"


class Fixed:
    """Whatever is asked, with these chances."""

    def __init__(self, **chances):
        self.chances = chances

    def of(self, _note, spans):
        return dict.fromkeys(spans, self.chances)


def reading(kind="finding", status="present", name="Fever", cue=None):
    kinds = {"present": (), "denied": ("negation",), "past": ("historical",)}
    kinds |= {"planned": ("planned",)}
    assertion = Assertion(frozenset(kinds[status]), cue=cue)
    span = (0, 5)
    return Reading(*span, name, "HP:1", kind, None, 1.0, assertion, Timing(), span)


def settled(of, chances, *, alarming=(), urgency=None):
    (both,) = statuses.settled([of], Fixed(**chances), "fever", alarming, urgency)
    return str(both.assertion.status)


@pytest.mark.parametrize(
    ("present", "alarming", "urgency", "status"),
    [
        (0.21, (), None, "present"),
        (0.19, (), None, "past"),
        # in a short note what alarms stays unless it is all but excluded
        (0.02, ("HP:1",), None, "present"),
        (0.005, ("HP:1",), None, "past"),
        # else the product of both odds decides, 0.05 against 1 or 19, up to the limit of all
        (0.049, ("HP:1",), 0.5, "present"),
        (0.046, ("HP:1",), 0.5, "past"),
        (0.004, ("HP:1",), 0.95, "present"),
        (0.19, ("HP:1",), 0.05, "past"),
        (0.21, ("HP:1",), 0.05, "present"),
        (0.21, ("HP:1",), 0.0, "present"),
        (0.3, ("HP:1",), 1.0, "present"),
    ],
)
def test_what_alarms_is_believed_with_the_note_as_a_whole(present, alarming, urgency, status):
    chances = {"present": present, "past": 1 - present}
    assert settled(reading(), chances, alarming=alarming, urgency=urgency) == status


@pytest.mark.parametrize(
    ("likely", "status"),
    [
        ("denied", "denied"),
        ("relative", "relative"),
        ("conditional", "conditional"),
        ("in_doubt", "in_doubt"),
        ("of_nobody", "conditional"),
    ],
)
def test_each_status_that_is_learnt_becomes_one_of_the_rules(likely, status):
    assert settled(reading(), {"present": 0.1, likely: 0.9}) == status


def test_signs_and_values_alarm_and_what_lasts_is_not_past():
    chances = {"present": 0.15, "past": 0.85}
    assert settled(reading("sign", name="sign:x#1"), chances) == "present"
    assert settled(reading("measure", name="potassium"), chances) == "present"
    calm = {"urgency": 0.05}
    assert settled(reading("sign", name="sign:x#1"), chances, **calm) == "past"
    assert settled(reading("sign", name="known:af#1"), chances, **calm) == "present"
    assert settled(reading("section"), chances) == "present"


def test_the_rules_are_overruled_by_what_is_almost_certain():
    sure, likely = {"present": 0.95, "denied": 0.05}, {"present": 0.85, "denied": 0.15}
    assert settled(reading(status="denied"), sure) == "present"
    assert settled(reading(status="denied"), likely) == "denied"
    assert settled(reading(status="past"), {"denied": 0.95, "past": 0.05}) == "denied"
    # never to alarm, nor what no mark knows, nor what its own word denies
    assert settled(reading(status="denied"), sure, alarming=("HP:1",)) == "denied"
    assert settled(reading(status="planned"), sure) == "planned"
    assert settled(reading(status="denied", cue="fever"), sure) == "denied"


def test_findings_in_a_longer_one_are_present_if_any_is(small):
    note = "He has gout today. No fever, no warts here at all."
    both = (7, len(note))
    chances = small.of(note, [(7, 11), (22, 27), both])
    assert chances[both]["present"] == chances[7, 11]["present"]
    assert chances[both]["denied"] == chances[7, 11]["denied"]


# written for this test and in no seed
UNHEARD = {
    "en": [
        "Retired miner, spirometry. Had a {p:pneumothorax} ten winters back, {n:breathes well}.",
        "Well child check, {n:thriving}. Mum told what to do if {c:croup} or {c:stridor} comes.",
        "Parish clerk. No {d:wheeze}, {d:stridor} or {d:cough}; {n:itchy eyes} though.",
        "Knee review, {n:stiff knee}. Her flatmate was carted off with {f:meningitis} on Sunday.",
        "Two hours of {n:crushing chest pain}, now {n:grey} and {n:cold} on the trolley.",
        "Renal clinic. {p:K 7.1} and {p:arrhythmia} in March; today {n:K 4.6}, {n:feels well}.",
        "PMH: {p:stroke} 2014, {p:DVT} 2016. Now {n:fever} and {n:rigors} since noon.",
        "Exam station: the actor mimes {t:haemoptysis} and {t:collapse} for the students.",
    ],
    "es": [
        "Control anual. Por 2012 pasó una {p:pancreatitis}, sin secuelas; hoy {n:asintomático}.",
        "Alta hoy, {n:afebril}. Motivos de reconsulta: {c:disnea} o {c:sangrado abundante}.",
        "Acude por recetas; ni {d:disnea} ni {d:edemas}. Solo {n:insomnio}.",
        "Viene por {n:lumbalgia}. Su suegro tuvo un {f:aneurisma} roto en marzo.",
        "Desde las tres con {n:dolor torácico opresivo}, {n:pálido} y {n:sudoroso}.",
        "Niega {d:fiebre}, {d:tos}, {d:cefalea} y {d:vómitos}. Refiere {n:mareo} al levantarse.",
        "Ingresó en mayo por {p:shock séptico} con {p:TA 70/40}; hoy {n:TA 124/78}, camina solo.",
        "Remitida por posible {u:trombosis} de la pierna; {n:pantorrilla hinchada} desde ayer.",
    ],
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_shipped_marks_tell_what_no_cue_tells(shipped, language):
    right = []
    for text in UNHEARD[language]:
        marked = unmarked(text)
        chances = shipped.of(marked.note, [span for span, _ in marked.marks])
        right += [likeliest(chances[span]) == statuses.CODES[code] for span, code in marked.marks]
    assert sum(right) / len(right) > 0.8, (sum(right), len(right))
