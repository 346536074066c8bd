"""Whether the gold diagnosis written in somebody's file is that of a case.

Golds are written in many ways: "['A', 'B']", 'A / B', 'A/B; C,A/B', with codes in the text, in
another language or script. What cannot be compared is not a disagreement.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain, product
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from python_llm import seeds
from python_llm.imports.cells import texts
from python_llm.imports.served import Served
from python_llm.parsing.folding import name_key
from python_llm.test_sets.golds import without_codes

LEAST_ALIKE = 60  # rapidfuzz token_set_ratio, 0 to 100, from which two names may be one disease
# words by which a name is seen to be no English one
FOREIGN = re.compile(
    r"\b(?:del?|la|los|las|el|con|por|y|du|des|et|enfermedad|sindrome|maladie|krankheit|doenca|"
    r"malattia|sindrom|deficit|deficiencia)\b"
)
# words that many diseases have and that make no two of them alike
GENERIC = frozenset(
    {
        *("a", "and", "by", "congenital", "deficiency", "disease", "diseases", "disorder", "due"),
        *("familial", "in", "of", "or", "syndrome", "the", "to", "type", "with", "de", "del", "la"),
        *("y", "enfermedad", "sindrome", "trastorno", "deficit", "tipo"),
    }
)
LANGUAGES_DIFFER = 0.15  # difference of the shares of names that are seen to be no English ones

Links = dict[str, set[str]]  # concepts by name or code, or names by concept


class Agreement(StrEnum):
    """What comparing two golds says."""

    SAME = "same"
    OTHER = "other"  # it is the gold of another case of the set
    UNLIKE = "unlike"  # it reads otherwise, and is that of no other case either
    NOT_COMPARED = "not_compared"
    NOT_GIVEN = "not_given"


@dataclass(frozen=True)
class Reading:
    """A gold as it is compared: normalised names, codes as VOCABULARY:ID, concepts."""

    names: frozenset[str]
    codes: frozenset[str]
    concepts: frozenset[str]

    def shares(self, other: "Reading") -> bool:
        return bool(
            self.names & other.names or self.codes & other.codes or self.concepts & other.concepts
        )


def names_in(written: str) -> list[str]:
    """The names of one gold: the text, the items of a list, and alternatives."""
    items = texts(written, None) or []
    names = []
    for item in items:
        # "A/B; C,A/B": alternatives of alternatives; a comma alone is part of a name
        outer = item.split(",") if "/" in item and "," in item else [item]
        for part in outer:
            names += [part, *re.split(r"\s*[/;|]\s*", part)]
        names.append(item)
    plain = (name_key(without_codes(part)[0]) for part in dict.fromkeys(names))
    return list(dict.fromkeys(filter(None, plain)))


def codes_in(written: Iterable[str]) -> frozenset[str]:
    """Codes in texts ('Marfan syndrome (OMIM 154700)') or codes themselves, as VOCABULARY:ID; an
    ICD-10 code is itself."""
    codes: set[str] = set()
    for text in written:
        _, ids, icd10_codes = without_codes(text)
        codes.update(ids, icd10_codes)
    return frozenset(codes)


class Terminology:
    """Concepts by name and by code as served."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def of_names(self, names: Iterable[str]) -> Links:
        """The concepts each normalised name stands for."""
        return self._pairs(
            "select distinct alias_normalised, concept_id from dim_concept_alias "
            "where alias_normalised in (select unnest(?)) "
            "and scope in ('preferred', 'exact', 'abbreviation')",
            names,
        )

    def of_codes(self, codes: Iterable[str]) -> Links:
        """The canonical diseases each code belongs to."""
        return self._pairs(
            "select code, disease_id from (select disease_id, unnest(source_disease_ids) as code "
            "from dim_disease) where code in (select unnest(?))",
            codes,
        )

    def names_of(self, concepts: Iterable[str]) -> Links:
        """The names of each concept, normalised."""
        return self._pairs(
            "select concept_id, alias_normalised from dim_concept_alias "
            "where concept_id in (select unnest(?)) and scope in ('preferred', 'exact')",
            concepts,
        )

    def _pairs(self, sql: str, keys: Iterable[str]) -> Links:
        linked: Links = {}
        unique_keys = sorted(set(keys))
        for key, value in self._served.rows(sql, unique_keys) if unique_keys else ():
            linked.setdefault(key, set()).add(value)
        return linked


class SeedTerminology(Terminology):
    """Diseases as the seeds name them, where nothing was served yet: each id is its own concept."""

    def __init__(self) -> None:
        super().__init__(Served(None))

    @property
    def _names(self) -> Links:
        return _seed_names(*seeds.state())[0]

    @property
    def _concepts(self) -> Links:
        return _seed_names(*seeds.state())[1]

    def of_names(self, names: Iterable[str]) -> Links:
        concepts = self._concepts
        return {name: concepts[name] for name in names if name in concepts}

    def of_codes(self, codes: Iterable[str]) -> Links:
        known = self._names
        return {code: {code} for code in codes if code in known}

    def names_of(self, concepts: Iterable[str]) -> Links:
        names = self._names
        return {concept: names[concept] for concept in concepts if concept in names}


@lru_cache(maxsize=1)
def _seed_names(root: Path, _written: int) -> tuple[Links, Links]:
    """The normalised names of each disease of the seed, and the diseases of each name."""
    rows = seeds.read("seeds/terminology/disease.csv", ("disease_id", "name"), root)
    names = {row["disease_id"]: set(names_in(row["name"])) for row in rows}
    concepts: Links = {}
    for concept, of_concept in names.items():
        for name in of_concept:
            concepts.setdefault(name, set()).add(concept)
    return names, concepts


class Golds:
    """The golds of one test set."""

    def __init__(self, cases: list[Any], terminology: Terminology) -> None:
        """`cases` have case_id, gold_names and gold_codes."""
        self._terminology = terminology
        self._read: dict[str, Reading] = {}
        names = {case.case_id: _names(case.gold_names) for case in cases}
        codes = {
            case.case_id: codes_in(case.gold_names) | frozenset(case.gold_codes) for case in cases
        }
        by_code = terminology.of_codes(chain.from_iterable(codes.values()))
        by_name = terminology.of_names(chain.from_iterable(names.values()))
        of_case = {
            case_id: set(case_codes).union(*(by_code.get(code, ()) for code in case_codes))
            for case_id, case_codes in codes.items()
        }
        synonyms = terminology.names_of(chain.from_iterable(of_case.values()))
        self._cases = {
            case_id: Reading(
                frozenset(names[case_id]).union(
                    *(synonyms.get(concept, ()) for concept in concepts)
                ),
                codes[case_id],
                frozenset(concepts).union(*(by_name.get(name, ()) for name in names[case_id])),
            )
            for case_id, concepts in of_case.items()
        }
        self._all = set(self._cases.values())
        self._foreign = _share_foreign(name for case in cases for name in case.gold_names[:1])

    def read(self, written: Iterable[str]) -> None:
        """Look all golds of a file up at once."""
        golds = {gold for gold in written if gold not in self._read}
        names = {gold: names_in(gold) for gold in golds}
        codes = {gold: codes_in([gold]) for gold in golds}
        by_name = self._terminology.of_names(chain.from_iterable(names.values()))
        by_code = self._terminology.of_codes(chain.from_iterable(codes.values()))
        for gold in golds:
            concepts = frozenset[str]().union(
                *(by_name.get(name, ()) for name in names[gold]),
                *(by_code.get(code, ()) for code in codes[gold]),
            )
            self._read[gold] = Reading(frozenset(names[gold]), codes[gold], concepts)

    def compare(self, pairs: list[tuple[str, str]]) -> list[Agreement]:
        """What each pair of a written gold and a case id says; '' is not a gold diagnosis."""
        self.read(written for written, _ in pairs)
        shares = _share_foreign(written for written, _ in pairs if written)
        one_language = abs(shares - self._foreign) <= LANGUAGES_DIFFER
        return [self._compare(written, case_id, one_language) for written, case_id in pairs]

    def _compare(self, written: str, case_id: str, one_language: bool) -> Agreement:
        gold, case = self._read[written], self._cases[case_id]
        if not gold.names and not gold.codes:
            return Agreement.NOT_GIVEN
        if gold.shares(case):
            return Agreement.SAME
        if not case.names and not case.concepts:
            return Agreement.NOT_COMPARED
        if self._is_of_another(gold):
            return Agreement.OTHER
        if _are_alike(gold.names, case.names):
            return Agreement.SAME
        if not case.names or not _scripts(gold.names) & _scripts(case.names):
            return Agreement.NOT_COMPARED
        # two diseases that terminologies tell apart may be a group and its member
        is_known = gold.concepts and case.concepts
        return Agreement.UNLIKE if is_known or one_language else Agreement.NOT_COMPARED

    def _is_of_another(self, gold: Reading) -> bool:
        return any(gold.shares(other) for other in self._all)


def _names(written: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for text in written for name in names_in(text)))


@lru_cache(maxsize=100_000)
def _are_alike(names: frozenset[str], other_names: frozenset[str]) -> bool:
    pairs = product(map(_telling, names), map(_telling, other_names))
    return any(fuzz.token_set_ratio(*pair) >= LEAST_ALIKE for pair in pairs)


def _telling(name: str) -> str:
    return " ".join(word for word in name.split() if word not in GENERIC) or name


def _scripts(names: Iterable[str]) -> set[str]:
    letters = {letter for name in names for letter in name if letter.isalpha()}
    return {unicodedata.name(letter, "?").split()[0] for letter in letters}


def _share_foreign(written: Iterable[str]) -> float:
    golds = list(written)
    return sum(map(_is_foreign, golds)) / max(len(golds), 1)


@lru_cache(maxsize=100_000)
def _is_foreign(written: str) -> bool:
    return bool(FOREIGN.search(name_key(written)))
