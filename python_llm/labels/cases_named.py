"""Rows of a file of labels that are of no case, such as the totals below a table: what a column
means is decided without them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from python_llm.imports.tables import Row
from python_llm.labels import layout
from python_llm.parsing.folding import column_key, name_key

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
