"""Stays and events that are over, told in a note beside what is of today."""

import time

import pytest

from python_llm.phenotyping.episodes import Clause, brackets_of_then, clauses_of, over
from python_llm.phenotyping.negation import Status


def statuses(reader, note):
    """The statuses of the values of a note, in order."""
    return [
        str(reading.assertion.status)
        for reading in sorted(reader.read(note), key=lambda reading: reading.start)
        if reading.kind == "measure"
    ]


OVER = [
    ("en", "Admitted in 2019 with sepsis, K 7.0, lactate 7. Now here for his flu jab."),
    ("en", "On admission in May: pH 6.98, GCS 10. Feels well since."),
    ("en", "When she was nine she presented with pH 6.9, K 7.1. She is well today."),
    ("en", "In March he was admitted with sepsis. K was 7.0, pH was 7.1. He now walks a mile."),
    ("en", "K 7.4, pH 7.05 at diagnosis three years ago. In remission, here for a check."),
    ("en", "On 4 August she had a stroke; on arrival GCS 3, K 7.1. Now she walks a mile a day."),
    ("en", "Hospitalised in 2020 with COVID, K 7.1, pH 7.1. Follow-up: no symptoms."),
    ("en", "Diagnosed at 5 in ketoacidosis with pH 6.98, K 6.9. No ketoacidosis since."),
    ("en", "Review after septic shock, K 7.0, lactate 7. Her old self, no fever since."),
    ("es", "En marzo sufrió un infarto; llegó con K 7,1, pH 7,1. Ahora camina una hora al día."),
    ("es", "Ingresó en 2019 por sepsis, K 7,0, lactato 7. Ahora acude a vacunarse a consulta."),
    ("es", "Al ingreso en mayo: pH 6,98, Glasgow 10. Desde entonces bien."),
    ("es", "Cuando tenía nueve años presentó pH 6,9, K 7,1. Hoy está bien."),
    ("es", "En marzo ingresó por sepsis. El K era 7,0, el pH era 7,1. Ahora camina una hora."),
    ("es", "Diagnosticada a los 3 en cetoacidosis con pH 7,0, K 7,1. Desde entonces bien."),
    ("es", "Control tras sepsis, K 7,0, lactato 7. Juega, sin fiebre desde el alta."),
    ("es", "K 7,4, pH 7,05 al diagnóstico hace tres años. En remisión, acude a control."),
]


@pytest.mark.parametrize(("language", "note"), OVER)
def test_the_values_of_a_stay_that_is_over_are_past(readers, language, note):
    assert set(statuses(readers[language], note)) == {"past"}
    assert len(statuses(readers[language], note)) >= 2


IN_DOUBT = [
    # a review of today, and an hour rather than an age
    ("en", "Day 2 review after bowel resection, K 7.4, pH 7.1. Now mottled."),
    ("en", "Diagnosed at 4 am with ketoacidosis, K 7.1, pH 6.9. Well until then, no fever since."),
    # nothing turns to today
    ("en", "Admitted in 2019 with sepsis, K 7.0, lactate 7."),
    ("es", "Al ingreso en mayo: pH 6,98, K 7,0."),
    # today is no better
    ("en", "Admitted in 2019 with sepsis, K 7.0, lactate 7. Now drowsy, seen in clinic."),
    ("en", "Admitted in May with sepsis, K 7.0, lactate 7. Was well until this morning."),
    ("es", "Ingresó en mayo por sepsis, K 7,0, lactato 7. Hoy confuso en consulta."),
    # the time is that of another item, or the clause has its own present
    ("en", "Stroke in 2018, K 7.4, pH 7.1. Here for review."),
    ("en", "Stroke in 2018, admitted again today, K 7.4, pH 7.1. Here for review."),
    ("es", "Ictus en 2018, K 7,4, pH 7,1. Acude a revisión."),
    ("en", "Known Addison's since 2011, K 7.4, pH 7.1. Here for review."),
    # what began long ago goes on
    ("en", "Vomiting began in May with K 7.4, pH 7.1. Here for review."),
]


@pytest.mark.parametrize(("language", "note"), IN_DOUBT)
def test_in_doubt_a_value_is_of_today(readers, language, note):
    assert set(statuses(readers[language], note)) == {"present"}


def test_a_value_beside_an_older_one_of_its_own_is_of_today(readers):
    note = "K 7.4, Na 139, K 4.1 last week. Here for review."
    assert statuses(readers["en"], note) == ["present", "present", "past"]


@pytest.mark.parametrize(
    ("language", "note", "finding"),
    [
        ("en", "STEMI eight months ago with crushing chest pain, stented. Well.", "HP:0100749"),
        ("es", "IAM hace ocho meses con dolor torácico, stent. Bien.", "HP:0100749"),
    ],
)
def test_what_came_with_an_event_is_past_with_it(readers, language, note, finding):
    (reading,) = [r for r in readers[language].read(note) if r.hpo_id == finding]
    assert reading.assertion.status is Status.PAST


@pytest.mark.parametrize(
    ("language", "note", "statuses_then"),
    [
        ("en", "PMH: type 1 diabetes, CKD, K 7.4, pH 7.1.", ["present", "present"]),
        ("en", "PMH: sepsis 2019, K 7.4, lactate 7.", ["past", "past"]),
        ("en", "PMH: COPD (saturation 86%), CKD, K 7.4.", ["past", "present"]),
        ("en", "PMH: ketoacidosis with a pH of 6.9, K 6.8.", ["past", "past"]),
        ("es", "Antecedentes: ERC, K 7,4.", ["present"]),
        ("es", "Antecedentes: shock séptico 2019, K 7,4, lactato 7.", ["past", "past"]),
    ],
)
def test_a_value_in_a_list_of_diseases_is_of_today(readers, language, note, statuses_then):
    assert statuses(readers[language], note) == statuses_then


@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("en", "Her brother died at 36, and her father had surgery for it with a BP of 70/40."),
        ("es", "Su hermano murió a los 36 y el padre se operó por lo mismo con una TA de 70/40."),
    ],
)
def test_a_second_relative_has_what_is_told_of_him(readers, language, note):
    assert set(statuses(readers[language], note)) == {"relative"}


@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("en", "A man of 66 is seen three months after a cardiac arrest. He is well."),
        ("es", "Varón de 66 años, visto a los tres meses de una parada cardíaca. Está bien."),
    ],
)
def test_an_event_from_which_time_is_counted_is_past(readers, language, note):
    (reading,) = [r for r in readers[language].read(note) if r.hpo_id == "HP:0001695"]
    assert reading.assertion.status is Status.PAST


def test_the_patient_behind_a_relative_has_her_own_values(readers):
    assert set(statuses(readers["en"], "Her brother has asthma, her BP is 70/40.")) == {"present"}


@pytest.mark.parametrize(
    "text",
    ["admitted in may ", "in 2019 ", "was well ", "k 7, 7 mg/dl ", "hace 3 anos ", "on the 4th "],
)
def test_the_clauses_of_a_long_note_take_no_time(text):
    def seconds(length):
        folded = (text * 4000)[:length] + "; now well"
        began = time.process_time()
        clauses = [Clause(*span, True) for span in clauses_of(folded, 0, len(folded))]
        over(folded, clauses, range(len(clauses)))
        return time.process_time() - began

    seconds(5_000)  # compiles the patterns
    # as long as the text: with its square it would be sixteen times as long
    assert seconds(40_000) < 8 * max(seconds(10_000), 0.1)


@pytest.mark.parametrize(
    ("note", "is_over"),
    [
        ("stroke (2016: gcs 9)", True),
        ("in 2011 she had a bleed (gcs 9), clipped", True),
        ("meningitis as a child (fever 40)", True),
        ("ketoacidosis (ph 6.98), now resolved", True),
        ("cetoacidosis (ph 6,98), ya resuelta", True),
        ("lupus since 2011 (gcs 9)", False),
        ("drowsy (gcs 9), stroke in 2019", False),
        ("stroke in 2019, now drowsy (gcs 9)", False),
        ("drowsy (gcs 9 now, 15 in 2019)", False),
    ],
)
def test_a_bracket_of_years_ago_or_of_what_is_over(note, is_over):
    assert bool(brackets_of_then(note)) == is_over


def test_a_denial_of_today_makes_what_is_told_of_then_past(readers):
    note = "In March he had septic shock, lactate 7. No fever now, no pain."
    assert statuses(readers["en"], note) == ["past"]
