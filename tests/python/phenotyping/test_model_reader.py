"""The reading of a model beside that of the rules."""

from python_llm.phenotyping.extraction import parse_extraction
from python_llm.phenotyping.model_reader import compared

NAMES = {"HP:0001250": "Seizure", "HP:0000365": "Hearing impairment", "HP:0001263": "Delay"}


def mention(hpo_id, status, written="words"):
    return {"hpo_id": hpo_id, "status": status, "written": written}


def item(hpo_id, status, evidence="words", is_quoted=True, finding="a finding"):
    return {
        "hpo_id": hpo_id,
        "status": status,
        "evidence": evidence,
        "is_quoted": is_quoted,
        "finding": finding,
    }


def verdicts(mentions, items):
    rows = compared(mentions, items, NAMES)
    return [(row["hpo_name"], row["rules"], row["model"], row["verdict"]) for row in rows]


def test_disagreements_come_first_and_every_term_once():
    mentions = [mention("HP:0001250", "present"), mention("HP:0000365", "denied")]
    items = [
        item("HP:0000365", "denied"),
        item("HP:0001250", "past"),
        item("HP:0001263", "present"),
    ]
    assert verdicts(mentions, items) == [
        ("Seizure", "present", "past", "other status"),
        ("Delay", None, "present", "model only"),
        ("Hearing impairment", "denied", "denied", "same"),
    ]
    assert verdicts(mentions, [])[0] == ("Hearing impairment", "denied", None, "rules only")


def test_what_was_seen_once_decides_over_denials_and_doubts():
    mentions = [
        mention("HP:0001250", "in_doubt"),
        mention("HP:0001250", "denied"),
        mention("HP:0001250", "past"),
    ]
    items = [item("HP:0001250", "relative"), item("HP:0001250", "past")]
    assert verdicts(mentions, items) == [("Seizure", "past", "past", "same")]


def test_what_is_not_quoted_or_has_no_term_counts_for_nothing():
    items = [
        item("HP:0001250", "present", is_quoted=False, finding="Seizure"),
        item(None, "present", finding="Feeling odd"),
    ]
    assert verdicts([mention("HP:0001250", "denied")], items) == [
        ("Seizure", "denied", None, "rules only"),
        ("Seizure", None, "present", "not in the note"),
        ("Feeling odd", None, "present", "no term"),
    ]


def test_an_entry_of_another_shape_is_counted_and_not_read():
    text = """{"findings": [
        {"raw_text": "fits", "finding": "Seizure", "status": "past"},
        {"raw_text": "fits", "finding": "Seizure", "status": "maybe"},
        {"finding": "Seizure"}
    ]}"""
    items, n_unreadable = parse_extraction(text, "findings")
    assert n_unreadable == 2
    assert items == [{"finding": "Seizure", "evidence": "fits", "status": "past"}]
