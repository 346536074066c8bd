"""Of when a value is, in sentences and in tables."""

import time

import pytest

from python_llm.phenotyping.measures import measures_of
from python_llm.phenotyping.tables import cells_of


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("k 7.4 (4.1 last week)", [(7.4, "")]),
        ("k (4.1 last week) 7.4", [(7.4, "")]),
        ("k last week 4.1, now 7.4", [(4.1, "past"), (7.4, "now")]),
        ("k 7.4, previa 4.1 hace un ano", [(7.4, "")]),
        ("k 7.4 last week", [(7.4, "past")]),
        ("last week k 7.4, na 118", [(7.4, "past"), (118, "past")]),
        ("since last week k 7.4", [(7.4, "")]),
        ("vomitos hace 3 dias, k 7.4", [(7.4, "")]),
        ("stroke in 2018, k 7.4", [(7.4, "")]),
        ("analitica de hace 3 dias: k 7.4", [(7.4, "past")]),
        ("dka in 2018 (ph 6.9)", [(6.9, "past")]),
        ("12/10/2026 k 4.4, 25/11/2026 k 7.4", [(4.4, "past"), (7.4, "now")]),
        ("k 4.1 -> 5.5 -> 7.4", [(4.1, "past"), (7.4, "now")]),
        ("k has risen from 4.8 to 7.3 mmol/l", [(4.8, "past"), (7.3, "now")]),
        ("k 4 to 5", [(4.5, "")]),
        ("k 4.1, now on 2 tablets", [(4.1, "")]),
        ("k (mmol/l) 7.4", [(7.4, "")]),
        ("creatinine (umol/l) 450", [(5.0895, "")]),
        ("k on admission 7.4, at discharge 4.1", [(7.4, "admission"), (4.1, "discharge")]),
        ("k 5.2 yesterday, 6.9 this morning", [(5.2, "past"), (6.9, "now")]),
        ("k 7.2 on admission, now 4.4 after treatment", [(7.2, "admission"), (4.4, "now")]),
        ("hb went from 11.3 to 6.2 in two days", [(11.3, "past"), (6.2, "now")]),
        ("10/31/2026 k 4.4, 11/02/2026 k 7.4", [(4.4, "past"), (7.4, "now")]),
        ("today well, k 4.1", [(4.1, "now")]),
        # units, said or plausible
        ("hs-ctnt 88 ng/l", [(88, "")]),
        ("troponin i 0.4 ng/ml", [(400, "")]),
        ("troponina 0,4", [(400, "")]),
        ("pco2 9.3 kpa", [(69.7556, "")]),
        ("venous pco2 62", []),
        ("creat 300", [(3.393, "")]),
        ("cr 2,4", [(2.4, "")]),
        ("metformin cr 500 mg", []),
        # what stands between a subject and its verb
        ("her potassium, which was 4.1 a year ago, is 7.4", [(7.4, "")]),
        ("her potassium - 4.1 a year ago - is 7.4", [(7.4, "")]),
        ("his potassium, which had been 4.6 in spring, came back at 7.3", [(7.3, "")]),
        ("su potasio, que el ano pasado era de 4,1, esta hoy en 7,4", [(7.4, "now")]),
        ("el potasio, que suele tener en 4,5, es de 7,4", [(7.4, "")]),
        ("her potassium, which was normal a year ago, is 7.4", [(7.4, "")]),
        ("her potassium, which is 4.2 today, was 7.4 last week", []),
        ("k 7.4, which has risen from 4.1, is due to spironolactone", [(7.4, "")]),
        ("k (normal last week) 7.4", [(7.4, "")]),
        ("her haemoglobin, 12.8 in the spring, is 5.4", [(5.4, "")]),
        ("la hemoglobina, 12,9 en enero, es hoy de 5,4", [(5.4, "now")]),
        ("k, 7.4, is high, the usual 4.1", [(7.4, "")]),
        ("ft4 8 pmol/l, t4 libre 0,5 ng/dl", [(0.6216, ""), (0.5, "")]),
        # without a unit beside a failing thyroid it is in pmol/L
        ("tsh 38, ft4 6", [(38, ""), (0.4662, "")]),
        ("tsh 0.02, ft4 6", [(0.02, ""), (6, "")]),
        ("tsh 38, ft4 6 ng/dl", [(38, ""), (6, "")]),
        # when it is repeated, and not a low pressure
        ("repeat crp in 2/52", []),
        ("crp 40, recheck crp 3/7", [(40, "")]),
        ("repeat bp 60/52", [(60, ""), (52, "")]),
        ("in 2018 septic shock, k was 7.1 then", [(7.1, "past")]),
        ("en 2018 shock, potasio 7,1 entonces", [(7.1, "past")]),
        ("grey at triage, bp was 70/40 then", [(70, ""), (40, "")]),
        # vital signs behind a result that is quoted
        ("hace un ano hb 14,1, gcs 7", [(14.1, "past"), (7, "")]),
        ("last month labs: hb 14.1, gcs 7", [(14.1, "past"), (7, "")]),
        ("last year admitted with hb 5.1, gcs 7", [(5.1, "past"), (7, "past")]),
        ("last week gcs 7, hb 5.1", [(7, "past"), (5.1, "past")]),
        # a second value is of the number before it, which may have no name here
        ("k 6.9, repeated 4.1", [(6.9, ""), (4.1, "now")]),
        ("k 6.9, cea 712 ng/ml, repeated 4.1", [(6.9, "")]),
    ],
)
def test_a_value_has_the_time_of_its_own_part(sentence, values):
    assert [(measure.value, str(measure.when)) for measure in measures_of(sentence)] == values


@pytest.mark.parametrize(
    ("table", "latest"),
    [
        ("date  12/01/2026  25/11/2026\nk  4.2  7.3\nhb  14.1  5.2", ["k 7.3", "hb 5.2"]),
        ("date  25/11/2026  12/01/2026\nk  7.3  4.2", ["k 7.3"]),
        ("date  12/01/2026  25/11/2026\nk  4.2  7.3 mmol venous", ["k 7.3"]),
        ("| test | 2024 | today |\n| k | 4.1 | 7.5 |", ["k 7.5"]),
        ("      previa  actual\nk  4,2  -", ["k 4,2"]),
        ("ingreso alta\nk 7.2 4.1", ["k 4.1"]),
        ("time    bp       k\n08:00   120/70   4.2\n12:00   74/38   7.1", ["bp 74/38", "k 7.1"]),
        # over a new year or midnight, either end may be the latest
        ("      20/12   15/01\nk   4.1   7.2", ["k 4.1", "k 7.2"]),
        ("      22:00   02:00\nk   4.1   7.2", ["k 4.1", "k 7.2"]),
        # day and month, or month and day
        ("      05/11/2026   06/10/2026\nk   4.1   7.2", ["k 4.1", "k 7.2"]),
        ("seen on 12/03/2024 and 14/05/2025 with a fever that had come back\nk 4.1 7.2", []),
    ],
)
def test_the_latest_column_of_a_table_is_of_today(table, latest):
    assert [cell.text for cell in cells_of(table) if not cell.is_past] == latest


@pytest.mark.parametrize("days", ["12/01/2026   25/11/2026", "12.01.2026   25.11.2026"])
def test_a_table_is_read_once(readers, days):
    note = f"Date        {days}\nK           4.2          7.3\nStable."
    readings = [each for each in readers["en"].read(note) if each.finding == "potassium"]
    assert [(each.value, str(each.assertion.status)) for each in readings] == [
        (4.2, "past"),
        (7.3, "present"),
    ]
    assert note[readings[1].start : readings[1].end] == "7.3"


@pytest.mark.parametrize(
    "text",
    [
        *(", which was ", ", in 1, is ", " - k 1 ", "k 4.1 (", "last week ", "k last week 4.1 "),
        *("hace 3 dias ta 80/40 (map 53), ", "12/03/2024 "),
    ],
)
def test_the_times_of_a_long_sentence_take_no_time(text):
    began = time.process_time()
    measures_of((text * 1500)[:1500])
    cells_of(text * 1500)
    cells_of((text[:12] + "\n") * 5000)
    assert time.process_time() - began < 2
