"""Readers made of the seeds, as the models make them of the staging tables."""

import csv
import re
import unicodedata

import pytest

from python_llm import paths
from python_llm.phenotyping.language import LANGUAGES
from python_llm.phenotyping.lexicon import Lexicon
from python_llm.phenotyping.negation import CueBook
from python_llm.phenotyping.reading import Reader

SCOPES = {"exact": 0.95, "narrow": 0.85, "broad": 0.65, "related": 0.6}


def seed(path):
    with paths.resolve(f"seeds/{path}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def normalised(name):
    bare = unicodedata.normalize("NFKD", name.lower())
    bare = "".join(c for c in bare if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^a-z0-9]+", " ", re.sub(r"['’`´]s\b", "", bare)).split())


def below(*roots):
    """The ids of terms, and of all below them."""
    children = {}
    for row in seed("terminology/hpo_is_a"):
        children.setdefault(row["parent"], []).append(row["child"])
    found, waiting = set(), list(roots)
    while waiting:
        hpo_id = waiting.pop()
        if hpo_id not in found:
            found.add(hpo_id)
            waiting.extend(children.get(hpo_id, []))
    return found


def names():
    """Names and synonyms of HPO in the branch of abnormalities, and the project's own."""
    known = below("HP:0000118")
    for row in seed("terminology/hpo_term"):
        if row["id"] in known:
            yield row["name"], "en", row["id"], "preferred", 1.0, False
    for row in seed("terminology/hpo_synonym"):
        if row["id"] in known:
            short = row["type"] == "abbreviation"
            scope = "abbreviation" if short else row["scope"]
            claim = 0.7 if short else SCOPES[row["scope"]]
            yield row["synonym"], "en", row["id"], scope, claim, row["type"] == "layperson"
    for row in seed("phenotyping/phenotype_names"):
        yield row["name"], row["language"], row["hpo_id"], "exact", 0.95, True


@pytest.fixture(scope="session")
def name_rows():
    columns = ("name", "language", "hpo_id", "scope", "claim", "is_lay")
    return [
        {**dict(zip(columns, row, strict=True)), "name_normalised": normalised(row[0])}
        for row in names()
    ]


@pytest.fixture(scope="session")
def readers(name_rows):
    words = {
        "names": name_rows,
        "same_words": {r["word"]: r["same_as"] for r in seed("phenotyping/finding_words")},
        "stop_words": seed("phenotyping/reading_stop_words"),
        "signs": seed("phenotyping/clinical_signs"),
    }
    knowledge = {
        "stop_words": seed("phenotyping/reading_stop_words"),
        "cues": seed("phenotyping/note_cues"),
        "normal_findings": seed("phenotyping/normal_findings"),
        "relative_times": seed("phenotyping/relative_times"),
        "progression_cues": seed("phenotyping/progression_cues"),
        "values": seed("phenotyping/abnormal_values"),
        "alarming": below(
            *(
                row["hpo_id"]
                for row in seed("phenotyping/hpo_red_flags")
                if row["hpo_id"].startswith("HP:")
            )
        ),
        "events": below(
            *(
                row["hpo_id"]
                for row in seed("phenotyping/hpo_red_flags")
                if row["is_event"] == "true" and row["hpo_id"].startswith("HP:")
            )
        ),
    }
    return {
        language: Reader(language, lexicon=Lexicon.of(language, **words), **knowledge)
        for language in LANGUAGES
    }


@pytest.fixture(scope="session")
def books():
    cues = seed("phenotyping/note_cues")
    return {language: CueBook(cues, language) for language in LANGUAGES}
