"""A row of assertion_cues is enough to teach the gate a word."""

import pytest

from python_llm.errors import UserError
from python_llm.recommendations.checks.hazards import Hazards
from python_llm.recommendations.checks.understood import Understood
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.wording.lexicon import Lexicon


def row(cue, kind, use="hazard"):
    return {"cue": cue, "kind": kind, "applies_to": use, "source": "a test"}


@pytest.fixture(scope="module")
def taught(knowledge):
    """The knowledge of the seeds with more cues."""

    def make(*rows):
        cues = [*knowledge.tables["assertion_cues"], *rows]
        return Knowledge({**knowledge.tables, "assertion_cues": cues})

    return make


def test_a_verb_in_the_seed_makes_an_order(knowledge, taught):
    text = "Zubble the patient."
    assert Understood(knowledge).complaint(text)
    assert not Understood(taught(row("zubble", "order_verb", "order"))).complaint(text)


def test_a_spanish_infinitive_in_the_seed_orders_politely_too(taught):
    understood = Understood(taught(row("zubblar", "order_verb_spanish", "order")))
    assert not understood.complaint("Zubble al paciente.")


def test_words_of_delay_in_the_seed_put_an_emergency_off(knowledge, taught):
    text = "Aspirin at zubble time."
    assert not Hazards(knowledge).delay(text)
    assert Hazards(taught(row("at zubble time", "puts_off"))).delay(text) == "at zubble time"


def test_a_star_is_any_ending_and_a_kind_stands_for_its_cues():
    lexicon = Lexicon([row("wait* <day>", "delay"), row("monday", "day"), row("friday", "day")])
    delay = lexicon.pattern("delay")
    assert delay.search("Waiting Friday")
    assert delay.search("wait monday")
    assert not delay.search("waiting sunday")


def test_a_damaged_cue_is_named():
    with pytest.raises(UserError, match=r"'delay'.*regular expression"):
        Lexicon([row("wait (for", "delay")]).pattern("delay")


def test_a_kind_without_cues_is_named():
    with pytest.raises(UserError, match="no cue of the kind 'delay'"):
        Lexicon([]).words("delay")
