"""How certain a diagnosis is by the column or field beside it: excluded ones are none, and doubted
ones are no gold diagnosis."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from python_llm.imports.headings import SMALL, WORDS
from python_llm.imports.principal import NO, YES
from python_llm.imports.tables import as_written
from python_llm.parsing.folding import column_key


class Certainty(Enum):
    """What a file says of a diagnosis."""

    CERTAIN = "certain"
    DOUBTED = "doubted"
    EXCLUDED = "excluded"


CERTAIN, DOUBTED, EXCLUDED = Certainty
PROBLEMS = {
    DOUBTED: "a diagnosis in doubt by its '{}': correct that if it is certain, or leave it empty",
    EXCLUDED: "an excluded diagnosis by its '{}': write the one that was made, or leave it empty",
}
_CERTAIN = (
    "confirmed certain definite definitive established proven verified final affirmed active"
    " confirmado confirmada cierto cierta seguro segura definitivo definitiva gesichert confirme"
)
_DOUBTED = (
    "suspected suspicion suspect suspicious probable possible likely unlikely presumed presumptive"
    " provisional preliminary tentative working differential uncertain unconfirmed not_confirmed"
    " unclear doubtful questionable query to_rule_out rule_out equivocal sospecha sospechado"
    " sospechada sospechoso sospechosa posible presunto presunta presuntivo presuntiva dudoso"
    " dudosa incierto incierta provisorio no_confirmado no_confirmada sin_confirmar por_confirmar"
    " a_descartar por_descartar verdacht suspecte"
)
_EXCLUDED = (
    "excluded ruled_out refuted rejected disproved disproven discarded negated denied absent"
    " not_present entered_in_error descartado descartada se_descarta excluido excluida rechazado"
    " rechazada negado negada ausente ausgeschlossen exclu"
)
_WORDS = {
    **dict.fromkeys(_CERTAIN.split(), CERTAIN),
    **dict.fromkeys(_DOUBTED.split(), DOUBTED),
    **dict.fromkeys(_EXCLUDED.split(), EXCLUDED),
}
# headings: of certainty alone, and such as speak of it beside a diagnosis
_NAMES = frozenset(("certainty", "certeza", "certitude", "verification", "verificacion"))
_OF_ANYTHING = frozenset(("status", "estado", "state", "confidence", "assertion", "confirmation"))
_BESIDE = WORDS["diagnosis"] | SMALL | {"diagnostic", "clinical", "level", "degree", "grado"}
# a heading that is itself the word: 'ruled_out: yes', 'confirmed: no'
_OPPOSITE = {CERTAIN: DOUBTED, DOUBTED: CERTAIN, EXCLUDED: CERTAIN}

Row = Mapping[str, Any]


def of_word(written: str) -> Certainty | None:
    """What a word says, or a text that begins with it: 'ruled out by biopsy'; None if it says
    nothing of this."""
    words = column_key(written).split("_")
    starts = ("_".join(words[:end]) for end in range(min(len(words), 4), 0, -1))
    return next((_WORDS[start] for start in starts if start in _WORDS), None)


def of_item(item: Row) -> Certainty | None:
    """What an object says of its diagnosis; None where it says nothing."""
    stated = {certainty for name, value in item.items() if (certainty := _of_field(name, value))}
    return next((worst for worst in (EXCLUDED, DOUBTED, CERTAIN) if worst in stated), None)


def of_rows(
    rows: Iterable[Row], *, are_of_findings: bool
) -> tuple[str, Callable[[Row], Certainty | None]] | None:
    """The column that says how certain the diagnosis of a row is, by folded name, and what it says
    of a row; None where there is none. In tables `are_of_findings` a mere status is theirs."""
    sample = list(rows)
    for column in dict.fromkeys(name for row in sample for name in row):
        words = _words(column)
        if not _is_of_certainty(words):
            continue
        values = [row.get(column) for row in sample]
        if any(isinstance(value, (list, dict)) for value in values):
            continue
        filled = [written for value in values if (written := as_written(value).strip())]
        known = [written for written in filled if of_word(written)]
        is_clear = bool(words & (_NAMES | WORDS["diagnosis"]))
        if not known or (2 * len(known) < len(filled) if is_clear else known != filled):
            continue
        if is_clear or not are_of_findings:
            return column, lambda row, column=column: of_word(as_written(row.get(column)))
    return None


def _words(name: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(filter(None, column_key(apart).split("_")))


def _is_of_certainty(words: set[str]) -> bool:
    return bool(words & (_NAMES | _OF_ANYTHING)) and words <= _NAMES | _OF_ANYTHING | _BESIDE


def _of_field(name: str, value: Any) -> Certainty | None:
    if _is_of_certainty(_words(name)):
        return next(filter(None, map(of_word, _texts(value))), None)
    word, key = _WORDS.get(column_key(name)), column_key(as_written(value))
    if word is None or isinstance(value, (dict, list)):
        return None
    return word if key in YES else _OPPOSITE[word] if key in NO else None


def _texts(value: Any) -> Iterator[str]:
    """The texts of a field, which may be an object with codes (FHIR)."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part)
    else:
        yield as_written(value)
