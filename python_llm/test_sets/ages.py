"""Ages whose unit stands in a column of its own, as the build reads them (docs/test-sets.md)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from python_llm.imports.cells import as_written, text
from python_llm.parsing.folding import column_key

_AGE = {"age", "edad", "alter", "idade", "eta"}
_UNIT = {"unit", "units", "unidad", "unidades", "einheit", "unite", "unidade", "uom"}
_BESIDE = {"of", "de", "la", "l", "patient", "paciente", "at", "presentation"}
_UNIT_WORDS = {
    "Y": "years year yrs yr y a ano anos jahre jahr j ans an anni anys",
    "M": "months month mos mo m mon mes meses monate monat mois mesi mese mesos",
    "W": "weeks week wks wk w semanas semana sem wochen woche semaines",
    "D": "days day d dia dias tage tag jours jour giorni dies",
    "H": "hours hour h hora horas stunden stunde heures ore",
}
_UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
DAYS = {"M": 365.25 / 12, "W": 7.0, "D": 1.0, "H": 1 / 24}


class Ages:
    """The ages of a table, of which `column` says the unit, None where none does."""

    def __init__(self, present: Iterable[str], taken: Iterable[str]) -> None:
        headings = {column_key(name): name.strip() for name in present}
        free = (column for column in headings if column not in set(taken))
        self.column = next(filter(_is_of_units, free), None)
        self.heading = headings[self.column] if self.column else None
        self.lines: list[int] = []  # of rows with a unit that is not known

    def read(self, age: str | None, row: Mapping[str, Any], line: int) -> str | None:
        """The age of a row with its unit; None where that is not known."""
        unit = text(row.get(self.column)) if self.column and age else None
        number = re.fullmatch(r"\s*(\d+)(?:[.,](\d+))?\s*", as_written(age))
        if unit is None or number is None:  # '8 months' says its own
            return age
        letter = _UNITS.get(column_key(unit))
        if letter is None:
            self.lines.append(line)
            return None
        if letter == "Y":
            return age
        if letter in "MD" and number[2] is None:
            return f"P{number[1]}{letter}"
        return f"P{int(float(f'{number[1]}.{number[2] or 0}') * DAYS[letter])}D"

    def problem(self) -> str | None:
        """A sentence on ages that were left out."""
        if not self.lines:
            return None
        where = ", ".join(map(str, self.lines[:5])) + ", …" * (len(self.lines) > 5)
        return (
            f"{len(self.lines)} ages are left out, because '{self.heading}' has a unit that is not "
            f"known (lines {where}): write years, months, weeks or days."
        )


def _is_of_units(column: str) -> bool:
    words = set(column.split("_"))
    return bool(words & _AGE and words & _UNIT) and words <= _AGE | _UNIT | _BESIDE
