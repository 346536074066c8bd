"""One status for each mention: own sentences, half of them traps, in both languages."""

import csv

import pytest

from python_llm import paths

FILE = "tests/python/phenotyping/statuses.tsv"


def sentences():
    with paths.resolve(FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def target(sentence):
    """Where the words in capitals stand; an abbreviation or a capital alone is none of them."""
    words, position, spans = sentence.split(" "), 0, []
    for word in words:
        bare = word.strip(".,;:()¿?!")
        if len(bare) > 3 and bare.isupper():
            spans.append((position, position + len(word)))
        position += len(word) + 1
    return spans[0][0], spans[-1][1]


def status_of(readers, row):
    """The status of the reading that overlaps the words in capitals."""
    start, end = target(row["sentence"])
    age = float(row["age"]) if row["age"] else None
    readings = readers[row["language"]].read(row["sentence"], age)
    over = [r for r in readings if r.kind != "section" and r.start < end and r.end > start]
    return [str(reading.assertion.status) for reading in over]


@pytest.mark.parametrize("row", sentences(), ids=lambda row: row["sentence"])
def test_what_is_said_and_of_when(readers, row):
    assert row["status"] in status_of(readers, row)[:1]


def test_there_are_enough_traps_in_both_languages():
    rows = sentences()
    assert len(rows) >= 200
    assert 2 * sum(row["is_trap"] == "1" for row in rows) >= len(rows)
    assert abs(2 * sum(row["language"] == "es" for row in rows) - len(rows)) < 40
