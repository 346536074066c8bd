"""Which case a row of a file of labels is of; totals below a table are of none, and what a column
means is decided without them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from python_llm.imports.numbered_rows import Row
from python_llm.labels import layout
from python_llm.parsing.folding import column_key, name_key
from python_llm.runs.cases import Case, KnownSets
from python_llm.runs.matching import by_id, has_padded_ids, is_padded_id, of_several, shared_ids

A_TOTAL = re.compile(
    r"(?:grand |gran |sub ?)?(?:totale?s?|sums?|sumas?|sumatorio|summe|somme|σ|means?|medias?"
    r"|promedios?|averages?|avg|medians?|medianas?|std|sd|stdev|desv\w*(?: estandar| tipica)?"
    r"|counts?|recuento|percent(?:age)?|porcentaje|accuracy|exactitud)"
    r"(?: (?:general|of|de|los|the|all|cases|casos|rows|filas|hits|aciertos|score|correct|correctos"
    r"|row|fila|global|sd|n|n \d+))*"
)
REASON = "a total of the table, not a case"


@dataclass(frozen=True)
class Sorted:
    """The rows of a file without its totals, those totals, and the rows that say what its columns
    mean: those of a case."""

    rows: list[Row]
    totals: list[Row]
    telling: list[Row]


def sort(rows: list[Row], assigned: Mapping[str, str], is_known: Callable[[str], bool]) -> Sorted:
    """Tell the rows of cases from the others. `assigned` maps roles to columns; `is_known` says
    whether a name is that of a case that is here.

    Totals are known by their word, in the column of cases or, in a row without a case, in any. If
    most names of cases are known, rows of the others tell nothing; nor do rows without a case.
    """
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    case = _column(present, "case", assigned)
    totals = [row for row in rows if _is_total(row, case, is_known)]
    numbers = {id(row) for row in totals}
    others = [row for row in rows if id(row) not in numbers]
    naming = [case] if case else [name for name in present if layout.guess(name) in ("gold",)]
    named = [row for row in others if any(_text(row, name) for name in naming)]
    if case:
        known = {text for row in named if is_known(text := _text(row, case))}
        if 2 * len(known) >= len({_text(row, case) for row in named}):
            named = [row for row in named if _text(row, case) in known]
    return Sorted(others, totals, named or others)


def _column(present: list[str], role: str, assigned: Mapping[str, str]) -> str:
    """The column of a role, by what was assigned, by its name, or by its words; '' if none is."""
    if role in assigned:
        return assigned[role]
    names = [name for name in present if column_key(name) in layout.ROLES[role]]
    return next(iter([*names, *(name for name in present if layout.guess(name) == role)]), "")


def _is_total(row: Row, case: str, is_known: Callable[[str], bool]) -> bool:
    text = _text(row, case)
    texts = [text] if text else [cell.strip() for cell in row.values.values()]
    return any(A_TOTAL.fullmatch(name_key(cell)) and not is_known(cell) for cell in texts)


def _text(row: Row, column: str) -> str:
    return row.values.get(column, "").strip()


@dataclass
class CaseNames:
    """Which cases the `refs` of a file mean in test sets that are here."""

    refs: list[str]
    sets: KnownSets
    _known: dict[str, tuple[dict[str, Case], dict[str, int]]] = field(default_factory=dict)

    def of(self, test_set: str, ref: str) -> tuple[str, str]:
        """How to store the case, and why it cannot be told.

        A case of a patient by its case_id, because no table of a build has the ids of patients; any
        other as it is written, which the build finds. An id that several cases share is of none.
        """
        if test_set not in self._known:
            self._known[test_set] = self._of_set(test_set)
        cases, shared = self._known[test_set]
        case = cases.get(ref)
        if case is None and ref in shared:
            reason = of_several(shared[ref], ref, test_set, self._cases(test_set))
            return ref, f"{reason}: name the case by its case_id"
        if case is None and is_padded_id(ref) and has_padded_ids(self._cases(test_set)):
            return ref, f"there is no case '{ref[:40]}' in '{test_set}'"
        return (case.case_id if case and case.contains_phi else ref), ""

    def _cases(self, test_set: str) -> list[Case]:
        return self.sets.cases(test_set) if test_set in self.sets.names else []

    def _of_set(self, test_set: str) -> tuple[dict[str, Case], dict[str, int]]:
        if test_set not in self.sets.names:  # it may come with a later build
            return {}, {}
        cases = self.sets.cases(test_set)
        shared = shared_ids(self.refs, cases)
        numbered = {str(case.number): case for case in cases}
        of_number = {ref: numbered[ref] for ref in self.refs if ref in numbered.keys() - shared}
        return {**of_number, **by_id(self.refs, test_set, cases)}, shared
