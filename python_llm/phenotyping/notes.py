"""Many notes read at once, for the models."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from python_llm import paths
from python_llm.parsing.folding import composed
from python_llm.phenotyping import impressions, lexicon, statuses
from python_llm.phenotyping.demographics import stage_of_patient, told_of_patient
from python_llm.phenotyping.language import LANGUAGES, language_of
from python_llm.phenotyping.negation import Assertion
from python_llm.phenotyping.reading import Reader
from python_llm.phenotyping.readings import (
    MENTION_SCHEMA,
    Reading,
    impression_readings,
    rows_of,
)
from python_llm.phenotyping.timing import Timing


def readers(
    languages: Iterable[str] = LANGUAGES,
    *,
    names: pa.Table,
    same_words: pa.Table,
    stop_words: pa.Table,
    cues: pa.Table,
    normal_findings: pa.Table,
    relative_times: pa.Table,
    progression_cues: pa.Table,
    red_flags: pa.Table,
    signs: pa.Table | None = None,
    values: pa.Table | None = None,
    is_every_name: bool = False,
) -> dict[str, Reader]:
    """A reader for each of the languages, from tables with the columns of the seeds. red_flags:
    hpo_id, is_event; signs, values and is_every_name: as for Reader."""
    folder = paths.lexicons()
    rows = {
        "stop_words": stop_words.to_pylist(),
        "cues": cues.to_pylist(),
        "normal_findings": normal_findings.to_pylist(),
        "relative_times": relative_times.to_pylist(),
        "progression_cues": progression_cues.to_pylist(),
        "events": [row["hpo_id"] for row in red_flags.to_pylist() if row["is_event"]],
        "alarming": red_flags["hpo_id"].to_pylist(),
        "values": values.to_pylist() if values is not None else [],
    }
    return {
        language: Reader(
            language,
            lexicon=lexicon.kept(
                folder,
                language,
                names=names,
                same_words=same_words,
                stop_words=stop_words,
                signs=signs,
            ),
            is_every_name=is_every_name,
            **rows,
        )
        for language in languages
    }


@contextmanager
def _without_collections() -> Iterator[None]:
    """No garbage collection: reading makes many small objects and no cycles, and each collection
    walks through all names of the dictionaries."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _told_age(note: str, language: str, age_years: float | None) -> list[Reading]:
    """The age that a note tells of a patient whose age is not known, as a measure; without one,
    that of a baby or a child."""
    if age_years is not None:
        return []
    age = told_of_patient(note, language).age_years
    age = stage_of_patient(note) if age is None else age
    if age is None:
        return []
    told = Assertion(), Timing(), (0, 0), age
    return [Reading(0, 0, "age_years", None, "measure", None, 1.0, *told)]


def read_notes(notes: pa.Table, examples: pa.Table, **knowledge: pa.Table) -> pa.Table:
    """MENTION_SCHEMA, the findings of every note in `notes` (case_id, language, note, age_years).

    A note whose language is missing is read in the one its words suggest. examples: the seed
    example_notes; knowledge: as for readers().
    """
    read = [
        (row, row["language"] if row["language"] in LANGUAGES else language_of(row["note"]))
        for row in notes.to_pylist()
    ]
    rows: list[dict[str, Any]] = []
    with _without_collections():
        # a reader takes a second to make
        by_language = readers({language for _, language in read}, **knowledge) if read else {}
        folder = paths.lexicons()
        if read:
            whole = impressions.LESSON.kept(folder, examples.to_pylist())
            told = statuses.LESSON.kept(folder, examples.to_pylist())
        alarming = frozenset(knowledge["red_flags"]["hpo_id"].to_pylist())
        for row, language in read:
            note = composed(row["note"])
            readings = by_language[language].read(note, row["age_years"])
            impression = whole.of(note)
            urgency = impression.urgency if impression else None
            readings = statuses.settled(readings, told, note, alarming, urgency)
            readings += _told_age(note, language, row["age_years"])
            if impression:
                readings += impression_readings(impression)
            rows.extend(rows_of(row["case_id"], note, readings))
        return pa.Table.from_pylist(rows, schema=MENTION_SCHEMA)
