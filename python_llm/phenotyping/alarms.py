"""The urgent red flags of one note, told at once and without a warehouse.

The rules are those of fct_red_flag and its seeds; of the vocabulary only those terms are known that
an urgent flag names, and nothing that lies below them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from python_llm import seeds
from python_llm.parsing.folding import name_key, without_accents
from python_llm.phenotyping.negation import Status
from python_llm.phenotyping.reading import Reader, Reading, language_of

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
ADULT_YEARS = 40.0  # where no age is known
# how surely a name of this scope means its term: the macro name_claim
_CLAIMS = {"preferred": 1.0, "exact": 0.95}
_ONLY_SINCE_WHEN = frozenset(("sign:sudden", "sign:days"))
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Alarm:
    """An urgent red flag that a note tells of today. words: those of the note that raise it."""

    flag_name: str
    words: str
    source: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a note tells. is_recognised: whether anything in it was."""

    alarms: tuple[Alarm, ...]
    is_recognised: bool


@dataclass(frozen=True, slots=True)
class _Flag:
    hpo_id: str
    name: str
    words: re.Pattern[str] | None
    company: tuple[frozenset[str], ...]
    without: frozenset[str]
    below_years: float | None
    is_picture: bool
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
        self._flags: dict[str, list[_Flag]] = defaultdict(list)
        for row in tables["hpo_red_flags"]:
            if row["severity"] == URGENT:
                self._flags[row["hpo_id"]].append(_flag(row))
        for flags in self._flags.values():
            flags.sort(key=lambda flag: (not flag.is_picture, flag.name))
        self._abnormal = [_limits(row) for row in tables["abnormal_values"]]
        self.told = lru_cache(maxsize=20_000)(self._told)

    def _told(
        self, note: str, age_years: float | None, measures: tuple[tuple[str, float], ...] = ()
    ) -> Told:
        """What a note tells of a patient. measures: name and value of what was measured beside the
        note; alone they raise no flag."""
        readings = self._reader(language_of(note)).read(note, age_years)
        recognised = any(
            reading.kind in ("finding", "function", "sign", "measure")
            and reading.finding.partition("#")[0] not in _ONLY_SINCE_WHEN
            for reading in readings
        )
        present = [
            reading
            for reading in readings
            if reading.assertion.status is Status.PRESENT
            and reading.kind != "section"
            and not _is_long_ago(reading)
        ]
        signs = _Signs(note, present, age_years, self._criteria, self._abnormal, measures)
        return Told(tuple(self._raised(signs, age_years)), recognised)

    def _raised(self, signs: "_Signs", age_years: float | None) -> Iterable[Alarm]:
        names = set()
        for hpo_id, flags in self._flags.items():
            for flag in flags if hpo_id in signs.words else ():
                if signs.raise_(flag, age_years):
                    if flag.name not in names:
                        names.add(flag.name)
                        yield Alarm(flag.name, signs.words_of(flag), flag.source)
                    break

    def _reader(self, language: str) -> Reader:
        if language not in self._readers:
            self._readers[language] = Reader(language, **self._knowledge)
        return self._readers[language]

    @cached_property
    def _knowledge(self) -> dict[str, Any]:
        tables = self._tables
        flags = tables["hpo_red_flags"]
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
            "signs": tables["clinical_signs"],
        }

    @cached_property
    def _criteria(self) -> list[dict[str, Any]]:
        return [
            {
                **_limits(row),
                "sign": row["sign"],
                "finding": f"{row['sign']}#{row['criterion']}",
                "points": int(row["points"] or 0),
                "needed": int(row["needed"] or 0),
            }
            for row in self._tables["clinical_signs"]
        ]


class _Signs:
    """The signs and findings of today, each with the words and the sentences that tell it."""

    def __init__(
        self,
        note: str,
        present: Sequence[Reading],
        age_years: float | None,
        criteria: Sequence[Mapping[str, Any]],
        abnormal: Sequence[Mapping[str, Any]],
        measures: Sequence[tuple[str, float]],
    ) -> None:
        self.words: dict[str, list[str]] = {}
        self.evidence: dict[str, list[str]] = {}
        age = ADULT_YEARS if age_years is None else age_years
        values: list[tuple[str, float | None, str, str]] = [
            (
                reading.finding,
                reading.value,
                " ".join(note[reading.start : reading.end].split()),
                " ".join(note[slice(*reading.sentence)].split())[:300],
            )
            for reading in present
            if reading.kind in ("sign", "measure")
        ]
        told = {finding for finding, *_ in values}
        values += [(name, value, "", "") for name, value in measures if name not in told]
        values += _shock_index(values)
        for reading in present:
            if reading.hpo_id is not None and reading.kind in ("finding", "function"):
                start, end = reading.sentence
                self._add(reading.hpo_id, note[reading.start : reading.end], note[start:end][:300])
        for row in abnormal:
            for finding, value, written, evidence in values:
                if _meets(row, finding, value, age):
                    self._add(row["hpo_id"], written, evidence)
        self._score(values, criteria, age)

    def _score(
        self,
        values: Sequence[tuple[str, float | None, str, str]],
        criteria: Sequence[Mapping[str, Any]],
        age: float,
    ) -> None:
        by_finding: dict[str, list[tuple[float | None, str, str]]] = defaultdict(list)
        for finding, value, written, evidence in values:
            by_finding[finding].append((value, written, evidence))
        points: dict[str, dict[str, int]] = defaultdict(dict)
        needed: dict[str, int] = {}
        matches: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for row in criteria:
            met = [(w, e) for _, w, e in by_finding.get(row["finding"], ())]
            met += [
                (w, e)
                for value, w, e in by_finding.get(row["measure"], ())
                if _meets(row, row["measure"], value, age)
            ]
            if met:
                sign = row["sign"]
                own = points[sign]
                own[row["measure"]] = max(own.get(row["measure"], 0), row["points"])
                needed[sign] = min(needed.get(sign, row["needed"]), row["needed"])
                matches[sign] += met
        for sign, own in points.items():
            if sum(own.values()) >= needed[sign]:
                for written, evidence in matches[sign]:
                    self._add(sign, written, evidence)

    def _add(self, name: str, written: str, evidence: str) -> None:
        own = self.words.setdefault(name, [])
        if written and written not in own:
            own.append(" ".join(written.split()))
        self.evidence.setdefault(name, []).append(without_accents(evidence).lower())

    def raise_(self, flag: _Flag, age_years: float | None) -> bool:
        """Whether these signs raise a flag by words of the note."""
        return bool(
            self.words[flag.hpo_id]
            and (flag.words is None or any(map(flag.words.search, self.evidence[flag.hpo_id])))
            and all(company & self.words.keys() for company in flag.company)
            and not flag.without & self.words.keys()
            and (
                flag.below_years is None or (age_years is not None and age_years < flag.below_years)
            )
        )

    def words_of(self, flag: _Flag) -> str:
        """The words that raise a flag: its own, and those of its company."""
        beside = sorted(
            name
            for company in flag.company
            for name in company & self.words.keys()
            if name != flag.hpo_id and name not in _ONLY_SINCE_WHEN
        )
        parts = [word for name in (flag.hpo_id, *beside) for word in self.words[name]]
        return ", ".join(dict.fromkeys(parts))


def _is_long_ago(reading: Reading) -> bool:
    """Whether a finding is told to have begun long ago: a headache of 2015 is no emergency."""
    ago = reading.timing.onset_ago
    return reading.kind == "finding" and ago is not None and ago > RECENT_YEARS


def _flag(row: Row) -> _Flag:
    company = tuple(
        frozenset(row[column].split(";"))
        for column in ("with_hpo_ids", "also_with_hpo_ids")
        if row[column]
    )
    is_picture = bool(row["words"] or row["with_hpo_ids"] or row["below_years"])
    return _Flag(
        row["hpo_id"],
        row["flag_name"],
        re.compile(row["words"]) if row["words"] else None,
        company,
        frozenset((row["without_hpo_ids"] or "").split(";")),
        _number(row["below_years"]),
        is_picture,
        row["source"],
    )


def _limits(row: Row) -> dict[str, Any]:
    limits = {
        name: _number(row[name]) for name in ("from_years", "below_years", "at_least", "below")
    }
    return {**limits, "measure": row["measure"] or "", "hpo_id": row.get("hpo_id", "")}


def _meets(row: Mapping[str, Any], finding: str, value: float | None, age: float) -> bool:
    """Whether a value of a measure is within the limits of a row, at an age in years."""
    if not row["measure"] or finding != row["measure"] or value is None:
        return False
    low, high = row["at_least"], row["below"]
    youngest, oldest = row["from_years"] or 0, row["below_years"]
    return (
        (low is None or value >= low)
        and (high is None or value < high)
        and age >= youngest
        and (oldest is None or age < oldest)
    )


def _shock_index(
    values: Sequence[tuple[str, float | None, str, str]],
) -> list[tuple[str, float | None, str, str]]:
    """The highest pulse by the lowest systolic pressure, if both are known."""
    pulses = [(v, w, e) for name, v, w, e in values if name == "heart_rate" and v]
    pressures = [(v, w, e) for name, v, w, e in values if name == "systolic_pressure" and v]
    if not pulses or not pressures:
        return []
    pulse, pressure = max(pulses), min(pressures)
    written = ", ".join(filter(None, (pulse[1], pressure[1])))
    return [("shock_index", pulse[0] / pressure[0], written, pulse[2])]


def _number(text: Any) -> float | None:
    return float(text) if text or text == 0 else None


def _is_true(text: Any) -> bool:
    return str(text).lower() == "true"
