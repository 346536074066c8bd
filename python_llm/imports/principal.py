"""Which diagnoses of a case are secondary ones, by a column or a field that says so.

Coders write one row for each diagnosis of an encounter, the principal one first. What says which is
which is a kind ('principal', 'secundario'), a rank within the case, or yes and no.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.headings import SMALL, WORDS, words_of
from python_llm.parsing.folding import column_key

SECONDARY = (
    "a secondary diagnosis: only the principal one is the gold diagnosis of a case; to import it "
    "as a case of its own, leave out the column that calls it secondary"
)
EARLY = (
    "a diagnosis of admission or the first impression: only the one made at discharge is the gold "
    "diagnosis of a case; if there is none, write it in a row of its own"
)
_KINDS = "tipo type typ art rol role rolle clase class classe categoria category jerarquia"
_IN_A_WORD = frozenset(("diagnoseart", "diagnosetyp", "diagnosetype"))
_RANKS = "rank rango rang orden order ordre prioridad priority secuencia sequence seq posicion"
_RANKS += " position ordinal reihenfolge n no nr num numero number"
OF_KIND, OF_RANK = frozenset(_KINDS.split()), frozenset(_RANKS.split())
PRINCIPAL_WORDS = WORDS["main"] - {"1"} | {"hauptdiagnose", "hd", "dp", "p"}
_OTHERS = (
    "secondary secundario secundaria secundarios secundarias secondaire secondario secondaria neben"
    " nebendiagnose nd ds das s sec sek sekundar comorbidity comorbilidad comorbidite asociado"
    " asociada associated associe otro otra other autre begleit begleitdiagnose"
)
SECONDARY_WORDS = frozenset(_OTHERS.split())
# words that say by themselves that a column is of secondary diagnoses; 'other' does not
_PLAIN = {word for word in SECONDARY_WORDS if word.startswith(("second", "secund", "neben"))}
# when a diagnosis was made
_AT_FIRST = words_of(
    "admission admitting admitted provisional preliminary initial intake entry triage"
    " referral ingreso entrada inicial aufnahme aufnahmediagnose einweisung"
    " einweisungsdiagnose admissao entree ingresso"
)
_AT_LAST = words_of(
    "discharge final definitive confirmed alta egreso definitivo definitiva entlassung"
    " entlassungsdiagnose sortie dimissione saida"
)
_STAGES = words_of("stage phase time timing moment fase momento zeitpunkt etapa when")
YES = {
    "si",
    "sim",
    "s",
    "yes",
    "y",
    "x",
    "true",
    "1",
    "ja",
    "j",
    "oui",
    "o",
    "verdadero",
    "v",
    "wahr",
}
NO = words_of("no nao n false 0 nein non falso f falsch")
_BESIDE = WORDS["diagnosis"] | _IN_A_WORD | SMALL | OF_KIND | OF_RANK | {"is", "es", "est", "ist"}
_KIND_WORDS = _BESIDE | PRINCIPAL_WORDS | SECONDARY_WORDS | {str(n) for n in range(100)}

_PARTS = re.compile(r"\s*[;|/\n+]\s*|,\s*(?=[^()\[\],]*[(\[])|[.]\s+(?=[^:.]{2,40}:)")
_PLURALS = frozenset(("diagnoses", "diagnosen", "diagnosticos", "diagnostics", "diagnosi"))
_KIND_LAST = re.compile(r"(?P<name>.+?)\s*[(\[](?P<kind>[^()\[\]]{2,40})[)\]]\s*\.?$")
_KIND_FIRST = re.compile(r"(?P<kind>[^:()]{2,40}):\s*(?P<name>.+)")

IsSecondary = Callable[[Mapping[str, Any]], bool]


def of_rows(
    rows: Iterable[Mapping[str, Any]], cases: Iterable[Collection[str]]
) -> IsSecondary | None:
    """Tells whether a row is of a secondary diagnosis, by the column of `rows` that says so; None
    where none does. Rows are by folded name of their columns; `cases` are the columns with the id
    of the case, and those with its texts, which tell it where the id is empty."""
    sample = list(rows)
    cases = list(cases)
    for column in dict.fromkeys(name for row in sample for name in row):
        words = set(filter(None, column.split("_")))
        if words and words <= _BESIDE | PRINCIPAL_WORDS | SECONDARY_WORDS:
            values = [_value(row, column) for row in sample]
            test = _by_words(column, values) or _by_flag(column, words, values)
            # the heading speaks of diagnoses, or the cases show that it does
            is_clear = words & (WORDS["diagnosis"] | _IN_A_WORD | _PLAIN)
            if test and (is_clear or _leaves_each_case(test, sample, cases)):
                return test
            if words & OF_RANK and (test := _by_rank(column, sample, cases)):
                return test
    return None


def principal_in(written: str) -> str | None:
    """The principal diagnosis of a text that calls its parts principal and secondary: 'Gout
    (principal) / Sepsis (secondary)', 'Principal: gout; secondary: sepsis'; None for any other."""
    principal, secondary = [], []
    for part in _PARTS.split(written):
        kind = _KIND_LAST.match(part) or _KIND_FIRST.match(part)
        words = set(column_key(kind["kind"]).split("_")) if kind else set()
        if kind and words <= _BESIDE | _PLURALS | PRINCIPAL_WORDS | SECONDARY_WORDS:
            if words & SECONDARY_WORDS:
                secondary.append(kind["name"])
            elif words & PRINCIPAL_WORDS:
                principal.append(kind["name"])
    return principal[0].strip(" .,") if len(principal) == 1 and secondary else None


def of_stages(rows: Iterable[Mapping[str, Any]]) -> IsSecondary | None:
    """Tells whether a row has the diagnosis of admission, by a column that says of each whether it
    was made then or at discharge; None where none does. Rows are by folded name."""
    sample = list(rows)
    for column in dict.fromkeys(name for row in sample for name in row):
        words = set(filter(None, column.split("_")))
        if not words & (OF_KIND | _STAGES | _IN_A_WORD) or not words <= _BESIDE | _STAGES:
            continue
        values = [set(value.split("_")) for row in sample if (value := _value(row, column))]
        is_first, is_last = ([bool(v & stage) for v in values] for stage in (_AT_FIRST, _AT_LAST))
        if any(is_first) and any(is_last) and all(map(max, is_first, is_last)):
            return _is_of_admission(column)
    return None


def _is_of_admission(column: str) -> IsSecondary:
    return lambda row: bool({*_value(row, column).split("_")} & _AT_FIRST - _AT_LAST)


def of_item(item: Mapping[str, Any], others: Iterable[Any]) -> bool:
    """Whether an object in a list of diagnoses is a secondary one; `others` are the items of the
    list."""
    items = [_folded(other) for other in others if isinstance(other, dict)]
    test = of_rows([{**fields, "": ""} for fields in items], [[""]])
    return test is not None and test({**_folded(item), "": ""})


def _folded(item: Mapping[str, Any]) -> dict[str, Any]:
    return {column_key(name): value for name, value in item.items()}


def _value(row: Mapping[str, Any], column: str) -> str:
    return column_key(as_written(row.get(column)))


def _by_words(column: str, values: list[str]) -> IsSecondary | None:
    """Kinds: each value has a word for principal or secondary, and both or the second are there."""
    kinds = [set(value.split("_")) for value in values if value]
    if any(kind & PRINCIPAL_WORDS and kind & SECONDARY_WORDS for kind in kinds):
        return None  # 'Gout (principal) / Sepsis (secondary)' is a text of both
    if not all(kind & (PRINCIPAL_WORDS | SECONDARY_WORDS) for kind in kinds):
        return None
    # "Crohn's disease" and "Other polyneuropathies" are names: nothing but its kind calls one other
    if not OF_KIND & {*column.split("_")} and not set().union(*kinds) <= _KIND_WORDS:
        return None
    if not any(kind & SECONDARY_WORDS for kind in kinds) or set(values) - {""} <= YES | NO:
        return None
    return lambda row: bool(set(_value(row, column).split("_")) & SECONDARY_WORDS)


def _by_flag(column: str, words: set[str], values: list[str]) -> IsSecondary | None:
    """Yes and no, under a heading that names one of the two kinds."""
    filled = set(values) - {""}
    if not filled or not filled <= YES | NO:
        return None
    if words & SECONDARY_WORDS:
        return lambda row: _value(row, column) in YES
    is_marked = bool(filled & YES) and ("" in values or bool(filled & NO))
    if words & PRINCIPAL_WORDS and is_marked:
        return lambda row: _value(row, column) not in YES
    return None


def _leaves_each_case(
    test: IsSecondary, rows: list[Mapping[str, Any]], cases: list[Collection[str]]
) -> bool:
    """Whether each case has one row that is not secondary, and some have others."""
    counts = Counter(_case(row, cases) for row in rows if not test(row))
    return set(counts.values()) == {1} and {_case(row, cases) for row in rows} == set(counts)


def _case(row: Mapping[str, Any], cases: list[Collection[str]]) -> str:
    told = ("\n".join(as_written(row.get(name)).strip() for name in names) for names in cases)
    return next((text for text in told if text.strip()), "")


def _by_rank(
    column: str, rows: list[Mapping[str, Any]], cases: list[Collection[str]]
) -> IsSecondary | None:
    """Ranks within a case: every case has the first one and none twice, and some have several. The
    number of a row or of diagnoses is no rank."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        value = _value(row, column)
        if not value.isdecimal():
            return None
        ranks[_case(row, cases)].append(int(value))
    first = min((min(group) for group in ranks.values()), default=0)
    if not any(len(group) > 1 for group in ranks.values()) or first not in (0, 1):
        return None
    if any(len(set(group)) < len(group) or min(group) != first for group in ranks.values()):
        return None
    return lambda row: _value(row, column).isdecimal() and int(_value(row, column)) > first
