"""The test sets a run can be of: shipped, imported a moment ago, or chosen from others."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from python_llm import seeds
from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.registries.names import nearest
from python_llm.runs.golds import Golds, SeedTerminology, Terminology
from python_llm.test_sets import store
from python_llm.test_sets.known import known_test_sets, only_for_reading

DEFINITIONS = "seeds/test_sets/test_set_definitions.csv"
PARTS = ("narrative", "reason", "history", "background", "examination", "complementary")
SIMPLE = {"test_set", "source_test_sets", "first_n", "description", "source"}


class Case(NamedTuple):
    """A case as answers refer to it; `number` is its place in the set the run is of."""

    case_id: str
    number: int
    record_id: str | None
    gold_names: list[str]
    gold_codes: list[str]
    contains_phi: bool


class KnownSets:
    """Cases by test set, each read once: imported ones as stored, the others as served."""

    def __init__(self, served: Served, cases_dir: Path | None = None) -> None:
        self._served = served
        self._folder = cases_dir or store.cases_folder()
        self._terminology = Terminology(served) if served else SeedTerminology()
        self._golds: dict[str, Golds] = {}
        self._cases: dict[str, list[Case]] = {}

    def cases(self, test_set: str) -> list[Case]:
        """The cases in the order of their numbers. Raises FileError for a set that is nowhere."""
        if test_set not in self._cases:
            self._cases[test_set] = (
                self._imported(test_set) or self._chosen(test_set) or self._of_served(test_set)
            )
        if not self._cases[test_set]:
            raise FileError(self._unknown(test_set))
        return self._cases[test_set]

    def golds(self, test_set: str) -> Golds:
        """What compares the gold names of a file with those of the set."""
        if test_set not in self._golds:
            self._golds[test_set] = Golds(self.cases(test_set), self._terminology)
        return self._golds[test_set]

    def texts(self, test_set: str) -> dict[str, str]:
        """The longest text of each case of an imported set, by case."""
        rows = store.records_of(test_set, self._folder).to_pylist()
        return {
            store.case_id(test_set, row["record_number"]): max(
                (row[part] or "" for part in PARTS), key=len
            )
            for row in rows
        }

    @cached_property
    def names(self) -> list[str]:
        """Every set that has cases, sorted."""
        stored = {
            file.name.rpartition("--")[0]
            for file in (self._folder / "records").glob("*--*.parquet")
        }
        chosen = {
            row["test_set"]
            for row in seeds.read(DEFINITIONS)
            if stored & set(row["source_test_sets"].split("|"))
        }
        served = self._served.rows("select distinct test_set from dim_case")
        served += self._served.rows("select distinct test_set from bridge_test_set_case")
        return sorted(stored | chosen | {name for (name,) in served})

    def _imported(self, test_set: str) -> list[Case]:
        return [
            Case(
                case.case_id,
                case.position,
                case.record_id,
                case.gold_names,
                case.gold_codes,
                case.contains_phi,
            )
            for case in store.known_cases(test_set, self._folder)
        ]

    def _chosen(self, test_set: str) -> list[Case]:
        """Of a set that is a choice from imported ones: the first of each, or all of them.

        A choice by what only the build knows (chapters, ages) is taken from what was served.
        """
        row = next((row for row in seeds.read(DEFINITIONS) if row["test_set"] == test_set), None)
        if row is None or any(value for name, value in row.items() if name not in SIMPLE):
            return []
        first_n = int(row["first_n"]) if row["first_n"] else None
        members = [
            case
            for source in sorted(row["source_test_sets"].split("|"))
            for case in (self._imported(source) or self._of_served(source))[:first_n]
        ]
        return [case._replace(number=number) for number, case in enumerate(members, 1)]

    def _of_served(self, test_set: str) -> list[Case]:
        columns = {
            name for (name,) in self._served.rows("select column_name from (describe dim_case)")
        }
        if not columns:
            return []

        def or_null(name: str) -> str:  # what an older build served lacks some
            return f"cases.{name}" if name in columns else "null"

        # of patients neither is served: then answers are found by id, and no gold is compared
        golds = (
            f"coalesce({or_null('gold_names')}, "
            "list_filter([cases.gold_diagnosis], lambda name: name is not null))"
        )
        fields = (
            f"{or_null('record_id')}, {golds}, coalesce({or_null('gold_codes')}, []), "
            f"coalesce({or_null('contains_phi')}, true)"
        )
        members = self._served.rows(
            f"select members.case_id, members.case_number, {fields} from bridge_test_set_case as "
            "members inner join dim_case as cases using (case_id) where members.test_set = ? "
            "order by members.case_number",
            test_set,
        ) or self._served.rows(
            f"select cases.case_id, cases.case_number, {fields} from dim_case as cases "
            "where cases.test_set = ? order by cases.case_number",
            test_set,
        )
        return [Case(*row) for row in members]

    def _unknown(self, test_set: str) -> str:
        if any(row["test_set"] == test_set for row in seeds.read(DEFINITIONS)):
            return (
                f"Test set '{test_set}' has no cases yet: import the sets it is chosen from "
                f"({DEFINITIONS}) with kernel29 cases import, or run kernel29 build."
            )
        shipped = known_test_sets(self._folder)
        if store.is_for_reading(test_set, self._folder):
            return only_for_reading(test_set)
        if test_set in shipped:
            return f"Test set '{test_set}' is not built yet: run kernel29 build, then import again."
        near = nearest(test_set, {*self.names, *shipped})
        return (
            f"There is no test set '{test_set}'; the nearest: {near}. Correct --test-set, or "
            f"import the cases first with kernel29 cases import FILE --test-set {test_set}."
        )
