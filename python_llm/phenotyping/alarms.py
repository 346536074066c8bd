"""The urgent red flags of one note, told at once and without a warehouse.

The project's own models raise them (fct_red_flag), in memory; of the vocabulary only those terms
are known that an urgent flag names, and nothing that lies below them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import pyarrow as pa

from python_llm import paths, seeds
from python_llm.parsing.folding import name_key
from python_llm.phenotyping.in_memory import Models, types_of
from python_llm.phenotyping.language import language_of
from python_llm.phenotyping.lexicon import kept_of_rows
from python_llm.phenotyping.reading import Reader
from python_llm.phenotyping.readings import MENTION_SCHEMA, Reading, rows_of

FOLDER = "seeds/phenotyping"
# the seeds that say how a note is read and which signs raise a flag
SEEDS = (
    "abnormal_values",
    "clinical_signs",
    "finding_words",
    "hpo_red_flags",
    "normal_findings",
    "note_cues",
    "progression_cues",
    "reading_stop_words",
    "relative_times",
)
# the names of the terms of urgent flags, from the release and the project's own
NAMES = "alarm_names"
URGENT = "URGENT"
# what began longer ago raises no urgent flag
RECENT_YEARS = 0.25
# how surely a name of this scope means its term: the macro name_claim
_CLAIMS = {"preferred": 1.0, "exact": 0.95}
_ONLY_SINCE_WHEN = frozenset(("sign:sudden", "sign:days"))
MOST_KEPT = 20_000  # notes
_TEXT, _WHOLE, _NUMBER, _TRUTH = pa.string(), pa.int32(), pa.float64(), pa.bool_()
# findings that come with a case, or that a language model reads: here nobody gives any
_NOT_GIVEN = {
    "int_phenotyping__mapped_inputs": [
        *((name, _TEXT) for name in ("case_id", "hpo_id", "method", "written")),
        *(("input_number", _WHOLE), ("is_excluded", _TRUTH), ("confidence", _NUMBER)),
    ],
    "int_phenotyping__extracted_findings": [
        *((name, _TEXT) for name in ("case_id", "hpo_id", "task", "evidence")),
        *(("item_number", _WHOLE), ("confidence", _NUMBER)),
    ],
}
# with the words of the note that raise a flag, without which it counts for nothing
_RAISED = """
    with flags as (
        select * from {{ ref('fct_red_flag') }}
        where severity = 'URGENT'
    ),
    words as (
        select
            findings.case_id,
            findings.hpo_id,
            string_agg(distinct mentions.written, ', ') as written,
        from {{ ref('int_phenotyping__decided_findings') }} as findings
        inner join {{ ref('int_phenotyping__mentions') }} as mentions
            on findings.case_id = mentions.case_id and mentions.status = 'present'
        left join {{ ref('abnormal_values') }} as abnormal
            on findings.hpo_id = abnormal.hpo_id and mentions.finding = abnormal.measure
        where findings.hpo_id = mentions.hpo_id or abnormal.hpo_id is not null
        group by all
    )
    select
        flags.case_id,
        flags.flag_name,
        max_by(
            coalesce(flags.written, words.written),
            length(coalesce(flags.written, words.written))
        ) as words,
        min(flags.source) as source,
    from flags
    left join words on flags.case_id = words.case_id and flags.hpo_id = words.hpo_id
    group by flags.case_id, flags.flag_name
    having words is not null
    order by flags.case_id, flags.flag_name
"""
Row = Mapping[str, str]
# a note, the age in years, and name and value of what was measured beside it
Note = tuple[str, float | None, tuple[tuple[str, float], ...]]


@dataclass(frozen=True, slots=True)
class Alarm:
    """An urgent red flag that a note tells of today. words: those of the note that raise it."""

    flag_name: str
    words: str
    source: str


def tables_of_seeds(root: Path | None = None) -> dict[str, Sequence[Row]]:
    """The tables of SEEDS and NAMES from their files. Raises FileError for a damaged one."""
    tables: dict[str, Sequence[Row]] = {
        name: seeds.read(f"{FOLDER}/{name}.csv", root=root) for name in SEEDS
    }
    terms = terms_of(tables["hpo_red_flags"])
    names = [
        {"hpo_id": row["id"], "name": row["name"], "scope": "preferred", "language": "en"}
        for row in seeds.read("seeds/terminology/hpo_term.csv", root=root)
        if row["id"] in terms
    ]
    names += [
        {"hpo_id": row["id"], "name": row["synonym"], "scope": "exact", "language": "en"}
        for row in seeds.read("seeds/terminology/hpo_synonym.csv", root=root)
        if row["id"] in terms and row["scope"] == "exact" and row["type"] != "abbreviation"
    ]
    names += [
        {
            "hpo_id": row["hpo_id"],
            "name": row["name"],
            "scope": "exact",
            "language": row["language"],
        }
        for row in seeds.read(f"{FOLDER}/phenotype_names.csv", root=root)
        if row["hpo_id"] in terms
    ]
    tables[NAMES] = names
    return tables


def terms_of(flags: Iterable[Row]) -> frozenset[str]:
    """The terms that urgent flags name, as what raises them or as its company."""
    return frozenset(
        name
        for row in flags
        if row["severity"] == URGENT
        for column in ("hpo_id", "with_hpo_ids", "also_with_hpo_ids", "without_hpo_ids")
        for name in (row[column] or "").split(";")
        if name.startswith("HP:")
    )


class Alarms:
    """Reads notes for their urgent red flags. A reader of a language is made when a note needs it;
    what was read of a note is kept."""

    def __init__(self, tables: Mapping[str, Sequence[Row]]) -> None:
        self._tables = tables
        self._readers: dict[str, Reader] = {}
        self._lock = Lock()  # of the models, in which one batch at a time has its cases
        self._told: dict[Note, tuple[Alarm, ...]] = {}
        self._recognised: dict[str, bool] = {}

    def told(
        self, note: str, age_years: float | None, measures: tuple[tuple[str, float], ...] = ()
    ) -> tuple[Alarm, ...]:
        """The urgent red flags that a note tells of a patient. measures: name and value of what was
        measured beside the note; alone they raise no flag."""
        asked = (note, age_years, measures)
        known = self._told.get(asked)  # another thread may forget them all
        return self.read_ahead([asked])[asked] if known is None else known

    def recognises(self, note: str) -> bool:
        """Whether anything in a note is known."""
        known = self._recognised.get(note)
        return self._read(note, None)[1] if known is None else known

    def forget(self) -> None:
        """Read again what was read, as a measurement of the reading must."""
        self._told.clear()
        self._recognised.clear()

    def read_ahead(self, notes: Iterable[Note]) -> dict[Note, tuple[Alarm, ...]]:
        """Read many notes at once, which takes little more time than one, for `told` to know; what
        those tell that were not read before."""
        new = [asked for asked in dict.fromkeys(notes) if asked not in self._told]
        if len(self._told) + len(new) > MOST_KEPT:
            self.forget()
        mentions: list[dict[str, Any]] = []
        for number, (note, age_years, measures) in enumerate(new):
            readings, _ = self._read(note, age_years)
            mentions += _mentions(str(number), note, readings, measures)
        alarms: dict[str, list[Alarm]] = defaultdict(list)
        if any(row["status"] == "present" for row in mentions):
            patients = {str(number): age_years for number, (_, age_years, _) in enumerate(new)}
            for flag in self._flags(patients, mentions):
                alarms[flag.pop("case_id")].append(Alarm(**flag))
        told = {asked: tuple(alarms[str(number)]) for number, asked in enumerate(new)}
        self._told.update(told)
        return told

    def _read(self, note: str, age_years: float | None) -> tuple[list[Reading], bool]:
        readings = self._reader(language_of(note)).read(note, age_years)
        is_recognised = any(map(_tells_something, readings))
        self._recognised[note] = is_recognised
        return readings, is_recognised

    def _flags(
        self, patients: Mapping[str, float | None], mentions: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        with self._lock:
            models, flags = self._models
            models.refill("int_phenotyping__cases", _cases(patients))
            models.refill(
                "int_phenotyping__mentions", pa.Table.from_pylist(mentions, schema=MENTION_SCHEMA)
            )
            return flags()

    @cached_property
    def _models(self) -> tuple[Models, Callable[[], list[dict[str, Any]]]]:
        """The models of red flags, over the seeds that were given, and what they raise; nothing but
        a note is known of a patient, and no term but those of urgent flags."""
        root = paths.project_root()
        connection = duckdb.connect(config={"threads": 1})
        # a plan made for one note must not count on what that note lacks
        connection.execute("set disabled_optimizers = 'statistics_propagation,empty_result_pullup'")
        models = Models(connection, root)
        for seed in ("abnormal_values", "clinical_signs", "hpo_red_flags"):
            types = types_of(root / FOLDER / f"{seed}.csv")
            texts = [{name: _text(row.get(name)) for name in types} for row in self._tables[seed]]
            schema = pa.schema([(name, _TEXT) for name in types])
            typed = ", ".join(f'"{name}"::{type_} as "{name}"' for name, type_ in types.items())
            connection.register("written", pa.Table.from_pylist(texts, schema=schema))
            models.give(seed, connection.sql(f"select {typed} from written").to_arrow_table())
        terms = sorted(terms_of(self._tables["hpo_red_flags"]))
        own = {"hpo_id": terms, "ancestor_hpo_id": terms, "distance": [0] * len(terms)}
        models.give("bridge_hpo_ancestor", pa.table(own))
        models.give("dim_hpo_term", pa.table({"hpo_id": terms, "hpo_name": terms}))
        for name, columns in _NOT_GIVEN.items():
            models.give(name, pa.schema(columns).empty_table())
        models.give("int_phenotyping__cases", _cases({}))
        models.give("int_phenotyping__mentions", MENTION_SCHEMA.empty_table())
        models.follow("int_phenotyping__decided_findings")
        models.follow("fct_red_flag")
        return models, models.prepared(_RAISED)

    def _reader(self, language: str) -> Reader:
        if language not in self._readers:
            lexicon = kept_of_rows(paths.lexicons(), "alarms", language, self._words)
            self._readers[language] = Reader(language, lexicon=lexicon, **self._knowledge)
        return self._readers[language]

    @cached_property
    def _words(self) -> dict[str, Any]:
        """What a lexicon is made of."""
        tables = self._tables
        return {
            "names": [
                {
                    "name_normalised": name_key(row["name"]),
                    "name": row["name"],
                    "scope": row["scope"],
                    "hpo_id": row["hpo_id"],
                    "claim": _CLAIMS[row["scope"]],
                    "language": row["language"],
                    "is_lay": row["scope"] != "preferred",
                }
                for row in tables[NAMES]
            ],
            "same_words": {row["word"]: row["same_as"] for row in tables["finding_words"]},
            "stop_words": tables["reading_stop_words"],
            "signs": tables["clinical_signs"],
        }

    @cached_property
    def _knowledge(self) -> dict[str, Any]:
        tables = self._tables
        flags = tables["hpo_red_flags"]
        return {
            "stop_words": tables["reading_stop_words"],
            "cues": [
                {**row, "max_words": int(row["max_words"]) if row["max_words"] else None}
                for row in tables["note_cues"]
            ],
            "normal_findings": tables["normal_findings"],
            "relative_times": [
                {**row, "onset_years": _number(row["onset_years"])}
                for row in tables["relative_times"]
            ],
            "progression_cues": tables["progression_cues"],
            "events": [row["hpo_id"] for row in flags if _is_true(row["is_event"])],
            "alarming": [row["hpo_id"] for row in flags],
        }


def _cases(patients: Mapping[str, float | None]) -> pa.Table:
    ages = pa.array([*patients.values()], pa.float64())
    return pa.table({"case_id": pa.array([*patients], pa.string()), "age_years": ages})


def _mentions(
    case_id: str,
    note: str,
    readings: Iterable[Reading],
    measures: Iterable[tuple[str, float]],
) -> list[dict[str, Any]]:
    """The rows of a note, and of what was measured beside it where the note does not say it."""
    rows = rows_of(case_id, note, (reading for reading in readings if not _is_long_ago(reading)))
    known = {row["finding"] for row in rows if row["status"] == "present"}
    beside = [
        {"case_id": case_id, "finding": name, "value": value, "kind": "measure"}
        | {"mention_number": len(rows) + number, "status": "present"}
        for number, (name, value) in enumerate(measures, start=1)
        if name not in known
    ]
    return rows + beside


def _tells_something(reading: Reading) -> bool:
    return (
        reading.kind in ("finding", "function", "sign", "measure")
        and reading.finding.partition("#")[0] not in _ONLY_SINCE_WHEN
    )


def _is_long_ago(reading: Reading) -> bool:
    """Whether a finding is told to have begun long ago: a headache of 2015 is no emergency."""
    ago = reading.timing.onset_ago
    return reading.kind == "finding" and ago is not None and ago > RECENT_YEARS


def _text(cell: Any) -> str | None:
    """A cell of a seed, which a file has as text and a table of facts with its type."""
    return None if cell is None or cell == "" else str(cell)


def _number(text: Any) -> float | None:
    return float(text) if text or text == 0 else None


def _is_true(text: Any) -> bool:
    return str(text).lower() == "true"
