"""Which columns of a table of keys hold the number of a question and its key, in which version of
the examination.

Official keys are printed as 'Pregunta | RC', several pairs side by side, 'V0 | RC | V1 | RC' with
the place of each question in every version, or 'Pregunta | V0 | V1' with a key for each version.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from python_llm.parsing.folding import column_key

NUMBER_WORDS = {
    *("numero", "n", "no", "num", "number", "nr", "nro", "nummer", "pregunta", "preg", "question"),
    *("questao", "questio", "domanda", "frage", "q", "p", "item", "id", "qid", "orden", "ordre"),
    *("ordem", "index"),
}
KEY_WORDS = {
    *("respuesta", "respuestas", "rc", "ra", "r", "clave", "claves", "key", "keys", "correcta"),
    *(
        "correcto",
        "correct",
        "answer",
        "answers",
        "solucion",
        "soluciones",
        "solution",
        "solutions",
    ),
    *("losung", "loesung", "soluzione", "reponse", "reponses", "resposta", "risposta", "antwort"),
    *("plantilla", "gabarito", "cop", "correta", "corretta", "correcte", "richtige", "bonne"),
    *("valida", "gold", "resp", "rpta", "letra", "letter", "opcion", "option", "choice"),
    "alternativa",
}
# what may stand beside the words of a key or a number
SMALL = {
    *("de", "del", "la", "the", "of", "da", "do", "oficial", "official", "definitiva", "final"),
    *("definitivo", "definitive", "provisional", "idx", "examen", "exam", "cuadernillo", "en"),
}
# of two columns of keys, those are the key; an answer may be anybody's
TELLING = KEY_WORDS - {
    *("respuesta", "respuestas", "answer", "answers", "r", "resp", "rpta", "letra", "letter"),
    *("opcion", "option", "choice", "alternativa"),
}
LAST = {"definitiva", "definitivo", "definitive", "final"}
VERSION_WORDS = "version|versao|versione|ver|v|modelo|tipo|cuaderno|form|booklet|test"
# the key of a version: 'RC1' beside 'V1'
KEY_OF_VERSION = re.compile(r"(rc|ra|clave|key|correcta|plantilla)_?(\d)")
VERSION = re.compile(rf"(?:^|_)(?:{VERSION_WORDS})_?([0-9]|[a-e])(?=_|$)")
REPEATED = re.compile(r" \(\d{1,4}\)$")  # a name that is there twice has its place behind it
MOST_CELLS = 40  # of a header
# what a row of a table is recognised by
NAMES = (
    *sorted(NUMBER_WORDS | KEY_WORDS | SMALL - {"de", "del", "la", "the", "of", "da", "do", "en"}),
    *VERSION_WORDS.split("|"),
    *(f"v{digit}" for digit in range(10)),
)


class Column(NamedTuple):
    """What the name of a column says: number, key, version (of one of the two) or nothing."""

    name: str
    role: str
    version: str | None


class Pair(NamedTuple):
    """A column of numbers and the column of their keys in a version of the examination."""

    number: str
    key: str
    version: str | None


def version_of(text: str) -> str | None:
    """The version that a name or a line says: '0' for 'V0' and 'Versión: 0'."""
    match = VERSION.search(column_key(text))
    return match[1] if match else None


def _column(name: str, *, are_versions: bool) -> Column:
    key = column_key(REPEATED.sub("", name)) or ("no" if "#" in name else "")
    if are_versions and re.fullmatch(r"\d", key):
        return Column(name, "version", key)
    if of_version := KEY_OF_VERSION.fullmatch(key):
        return Column(name, "key", of_version[2])
    version = version_of(key)
    words = {*VERSION.sub("", key).strip("_").split("_")} - {""}
    if not words or words <= {"v", "version"}:
        is_place = bool(words and version)  # 'Versión 0 V'
        return Column(
            name, "number" if is_place else "version" if version or words else "", version
        )
    if words & KEY_WORDS and words <= KEY_WORDS | NUMBER_WORDS | SMALL:
        return Column(name, "key", version)
    return Column(name, "number" if words <= NUMBER_WORDS | SMALL else "", version)


def pairs_of(names: Iterable[str], chosen: Mapping[str, str]) -> list[Pair]:
    """The pairs of columns with a number and its key; `chosen` names the column of numbers or that
    of keys."""
    names = list(names)
    plain = {column_key(REPEATED.sub("", name)) for name in names}
    columns = [_column(name, are_versions={"0", "1"} <= plain) for name in names]
    for role in ("number", "key"):
        if chosen.get(role) in names:
            columns = [
                c._replace(
                    role=role if c.name == chosen[role] else "" if c.role == role else c.role
                )
                for c in columns
            ]
    columns = _with_versions_told(columns)
    pairs: list[Pair] = []
    numbers: list[Column] = []
    is_after_key = False
    for column in columns:
        if column.role == "number":
            numbers = [column] if is_after_key else [*numbers, column]
            is_after_key = False
        elif column.role == "key":
            pairs += [
                Pair(number.name, column.name, column.version or number.version)
                for number in _numbers_of(column, numbers)
            ]
            is_after_key = True
    return pairs


def _with_versions_told(columns: list[Column]) -> list[Column]:
    """The columns with a role for each that a version names: numbers if a key of no other version
    follows it, otherwise keys."""
    told: list[Column] = []
    for index, column in enumerate(columns):
        if column.role == "version":
            after = next((c for c in columns[index + 1 :] if c.role), None)
            of_same = after is not None and after.version in (None, column.version)
            has_own = of_same and after is not None and after.role == "key"
            is_first = not column.version and not any(c.role == "number" for c in told)
            column = column._replace(role="number" if has_own or is_first else "key")
        told.append(column)
    return told


def _numbers_of(key: Column, numbers: list[Column]) -> list[Column]:
    """The columns of numbers that a column of keys belongs to: that of its version, otherwise those
    of several versions, otherwise the last before it."""
    if key.version and (same := [c for c in numbers if c.version == key.version]):
        return same[-1:]
    versions = [column for column in numbers if column.version]
    return versions if versions and not key.version else numbers[-1:]


def best_of(pairs: list[Pair]) -> list[Pair]:
    """Of the keys of one number in one version, those whose names tell most: the official answer
    before an answer, the final before the provisional one."""
    best: list[Pair] = []
    for pair in pairs:
        rivals = [p for p in pairs if (p.number, p.version) == (pair.number, pair.version)]
        if _tells(pair.key) == max(_tells(rival.key) for rival in rivals):
            best.append(pair)
    return best


def _tells(name: str) -> int:
    words = {*column_key(name).split("_")}
    return 2 * bool(words & LAST) + bool(words & TELLING)


def table_of_text(text: str) -> tuple[list[str], list[dict[str, str]]] | None:
    """The names and rows of a table of keys that spaces part, as a printed page has it; None for
    another text. Every line below the header that begins with a number is one of its rows."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    for index, cells in enumerate(lines):
        if not 2 <= len(cells) <= MOST_CELLS:
            continue
        names = _with_versions(_joined_versions(cells), lines[index - 1] if index else [])
        if len(names) < 2 or not all(re.match(r"[^\W_]", name) for name in names):
            continue
        unique = [
            f"{name} ({n + 1})" if name in names[:n] else name for n, name in enumerate(names)
        ]
        pairs = pairs_of(unique, {})
        if not pairs or {*unique} - {p.number for p in pairs} - {p.key for p in pairs}:
            continue
        below = [row for row in lines[index + 1 :] if row[0].rstrip(".)").isdigit()]
        if len(below) < 2 or any(len(row) != len(names) for row in below):
            return None
        return unique, [dict(zip(unique, row, strict=True)) for row in below]
    return None


def _with_versions(names: list[str], above: list[str]) -> list[str]:
    """The names below a line of versions, each with its own."""
    versions = [version_of(name) for name in _joined_versions(above[:MOST_CELLS])]
    if len(versions) < 2 or None in versions or len(names) % len(versions):
        return names
    width = len(names) // len(versions)
    return [f"{name}_v{versions[n // width]}" for n, name in enumerate(names)]


def _joined_versions(cells: list[str]) -> list[str]:
    """The names of a header line: a word for a version and its sign are one name."""
    joined = re.sub(r"(?i)\b(versi[oó]n|modelo|tipo)[ :]+(\d|[a-e])\b", r"\1_\2", " ".join(cells))
    return joined.split()
