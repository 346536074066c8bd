"""Numbers in words, English and Spanish: "eight hundred", "dos y medio"."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNIDADES = (
    *("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    *("once", "doce", "trece", "catorce", "quince", "dieciseis", "diecisiete", "dieciocho"),
    *("diecinueve", "veinte"),
)
_DECENAS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
_CIENTOS = ("doscientos", "trescientos", "cuatrocientos", "quinientos", "seiscientos")
_MORE = ("setecientos", "ochocientos", "novecientos")
_VALUES: dict[str, float] = {
    **{name: float(number) for number, name in enumerate(_UNIDADES)},
    **{name: float(number) for number, name in enumerate(_UNITS)},
    **{name: 10.0 * number for number, name in enumerate(_TENS, 2)},
    **{name: 10.0 * number for number, name in enumerate(_DECENAS, 3)},
    **{name: 100.0 * number for number, name in enumerate((*_CIENTOS, *_MORE), 2)},
    **{"cien": 100.0, "ciento": 100.0, "half": 0.5, "medio": 0.5, "media": 0.5, "un": 1.0},
    **{"una": 1.0, "quarter": 0.25},
}
# How many hours, days or doses; "once" is one time in English and eleven in Spanish.
COUNTS = {"a": 1.0, "an": 1.0} | {
    name: value for name, value in _VALUES.items() if value >= 1 and name != "once"
}
_FACTORS = {"hundred": 100.0, "thousand": 1000.0, "mil": 1000.0, "million": 1e6, "millon": 1e6}
_FACTORS["millones"] = 1e6


def spelled(tokens: Sequence[str], at: int) -> tuple[float, int] | None:
    """The number in words that begins at a token, and where it ends; None if none begins."""
    total, current, position = 0.0, 0.0, at
    while position < len(tokens):
        token = tokens[position]
        if token in _VALUES:
            current += _VALUES[token]
        elif token in _FACTORS:
            current = max(current, 1.0) * _FACTORS[token]
            if _FACTORS[token] > 100:
                total, current = total + current, 0.0
        elif tuple(tokens[position : position + 3]) == ("and", "a", "half"):
            current, position = current + 0.5, position + 2
        elif not _is_inside(tokens, position, is_first=position == at):
            break
        position += 1
    return (total + current, position) if position > at else None


def _is_inside(tokens: Sequence[str], at: int, *, is_first: bool) -> bool:
    """Whether a token that is no number belongs to one: "a hundred", "two hundred and fifty"."""
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if is_first:
        return tokens[at] == "a" and following in ("hundred", "thousand")
    return tokens[at] in ("and", "y") and following in _VALUES


def half_behind(tokens: Sequence[str], at: int) -> bool:
    """Whether "and a half" stands behind a unit: "dos miligramos y medio"."""
    behind = tuple(tokens[at : at + 3])
    return behind[:2] in (("y", "medio"), ("y", "media")) or behind == ("and", "a", "half")
