"""What one sentence without an end costs: copied lists have thousands of words in one."""

import csv
import time

import pytest

from python_llm import paths
from python_llm.phenotyping.negation import Clauses, CueBook
from python_llm.phenotyping.text import tokens_of
from python_llm.recommendations.wording.phrases import Cues, Phrases

SEEDS = paths.project_root() / "seeds"


def seed(name):
    with (SEEDS / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


@pytest.mark.parametrize(
    ("language", "item", "finding"),
    [
        ("en", "no fever, ", "fever"),
        ("en", "no cough (no fever), ", "fever"),
        ("es", "sin fiebre, ", "fiebre"),
        ("es", "niega fiebre y tos, ", "fiebre"),
    ],
)
def test_a_list_of_a_thousand_denials_takes_no_time(language, item, finding):
    tokens = tokens_of(item * 1000)
    clauses = Clauses(tokens, CueBook(seed("phenotyping/note_cues"), language))
    places = [n for n, token in enumerate(tokens) if token.word == finding]
    began = time.process_time()
    assert not any(clauses.about(n, n + 1).is_present for n in places)
    assert time.process_time() - began < 5
    assert len(places) == 1000


def test_a_clause_of_three_thousand_mentions_takes_no_time():
    cues = Cues(seed("recommendations/assertion_cues"), "finding")
    phrases = Phrases([("headed", "headed"), ("bone", "big headed bone")], cues)
    began = time.process_time()
    mentions = phrases.mentions("big headed bone no " * 3000)
    assert time.process_time() - began < 5
    # the word in the middle of the longer name is no mention of its own
    assert {mention.concept for mention in mentions} == {"bone"}
    assert len(mentions) == 3000
