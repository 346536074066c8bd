"""How often the status of a finding is right, by the rules alone and with what was learnt.

    python benchmarks/statuses.py [--folds 5] [--database build/kernel29.duckdb]

The marked notes of the seed example_notes are dealt into folds; what is measured of one is learnt
from all others. Counted are the findings that the reader finds in them, where a mark says what they
are: right; present and not said to be (lost); something else and called present (false). A finding
that alarms is measured as in a note that reads like an emergency or not as it may be, so that the
rules are believed the longest. The notes were written by language models, each mark by the writer
of its note.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1]))

from python_llm import seeds
from python_llm.learnt.lessons import MARKED
from python_llm.phenotyping import statuses
from python_llm.phenotyping.negation import Status
from python_llm.phenotyping.notes import readers
from python_llm.phenotyping.reading import Reader
from python_llm.phenotyping.readings import Reading

LONGEST = 80  # characters of a finding that has one status
# what the rules have a status for and the marks have not, and the other way round
AS_MARKED = {
    "planned": "conditional",
    "trigger": "conditional",
    "stopped": "denied",
    "of_nobody": "conditional",
}


def readers_of(database: str) -> tuple[dict[str, Reader], frozenset[str]]:
    """The readers of a built project, and the terms that raise a red flag."""
    tables = {
        "names": "select * exclude (method, is_meant, is_looked_up) from int_phenotyping__names "
        "where is_meant order by all",
        "same_words": "select * from finding_words",
        "stop_words": "select * from reading_stop_words",
        "cues": "select * from note_cues",
        "normal_findings": "select * from normal_findings",
        "relative_times": "select * from relative_times",
        "progression_cues": "select * from progression_cues",
        "signs": "select sign, criterion, words from clinical_signs",
        "values": "select * from abnormal_values",
        "red_flags": "select hpo_id, is_event from dim_red_flag",
    }
    with duckdb.connect(database, read_only=True) as connection:
        schemas = connection.sql("select distinct schema_name from duckdb_tables()").fetchall()
        connection.execute(f"set search_path = '{','.join(schema for (schema,) in schemas)}'")
        knowledge = {name: connection.sql(sql).to_arrow_table() for name, sql in tables.items()}
    return readers(**knowledge), frozenset(knowledge["red_flags"]["hpo_id"].to_pylist())


def pairs(marked: statuses.Marked, readings: list[Reading]) -> Iterator[tuple[str, int]]:
    """The marked status of each reading that has one, and the reading's number."""
    for number, reading in enumerate(readings):
        if reading.kind not in statuses.JUDGED or reading.end - reading.start >= LONGEST:
            continue
        codes = {
            code
            for (start, end), code in marked.marks
            if reading.start < end and start < reading.end
        }
        if len(codes) == 1:
            status = statuses.CODES[codes.pop()]
            yield AS_MARKED.get(status, status), number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--database", default="build/kernel29.duckdb")
    arguments = parser.parse_args()
    by_language, alarming = readers_of(arguments.database)
    rows = [r for r in seeds.read("seeds/phenotyping/example_notes.csv") if r["status"] == MARKED]
    random.Random(29).shuffle(rows)
    counts: dict[str, Counter[tuple[str, str]]] = {"rules": Counter(), "with it": Counter()}
    for fold in range(arguments.folds):
        others = [row for number, row in enumerate(rows) if number % arguments.folds != fold]
        learnt = statuses.learnt(others)
        for row in rows[fold :: arguments.folds]:
            marked = statuses.unmarked(row["note"])
            readings = by_language[row["language"]].read(marked.note)
            both = statuses.settled(readings, learnt, marked.note, alarming, urgency=0.5)
            for status, number in pairs(marked, readings):
                for name, read in (("rules", readings), ("with it", both)):
                    told = str(read[number].assertion.status)
                    counts[name][status, AS_MARKED.get(told, told)] += 1
    for name, of in counts.items():
        present = sum(n for (status, _), n in of.items() if status == Status.PRESENT)
        right = sum(n for (status, told), n in of.items() if status == told)
        lost = sum(n for (status, told), n in of.items() if status == Status.PRESENT != told)
        false = sum(n for (status, told), n in of.items() if told == Status.PRESENT != status)
        print(
            f"{name:8} right {right} of {of.total()} ({right / of.total():.3f}); lost {lost} of "
            f"{present} present; called present {false} of {of.total() - present} others"
        )


if __name__ == "__main__":
    main()
