"""Whether a finding was observed or excluded, by the column, the field or the sign that says so.

Tables with a row for each finding have a column for it (`excluded`, `observed`, `status`), objects
a field, lists a word or sign before an id ('NOT HP:0000252'), matrices a cell under each id.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from python_llm.imports.principal import NO, YES
from python_llm.imports.tables import as_written
from python_llm.parsing.folding import column_key


class Presence(Enum):
    """What a file says of a finding. Unknown is neither: not assessed, uncertain, empty."""

    OBSERVED = "observed"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


OBSERVED, EXCLUDED, UNKNOWN = Presence
_OBSERVED = (
    "present observed positive pos confirmed affirmed detected yes presente observado observada"
    " positivo positiva confirmado confirmada presence presencia"
)
_EXCLUDED = (
    "absent excluded negated negative neg denied absence not_present not_observed not_found"
    " not_detected ruled_out ausente excluido excluida negativo negativa negado negada descartado"
    " descartada no_presente no_observado ausencia"
)
_UNKNOWN = (
    "unknown na n_a nan none null not_assessed not_evaluated not_tested not_recorded not_available"
    " uncertain possible equivocal unclear desconocido desconocida no_valorado no_evaluado dudoso"
)
_WORDS = {
    **dict.fromkeys(_OBSERVED.split(), OBSERVED),
    **dict.fromkeys(_EXCLUDED.split(), EXCLUDED),
    **dict.fromkeys(_UNKNOWN.split(), UNKNOWN),
}
_SIGNS = {"+": "yes", "-": "no", "−": "no", "–": "no", "-1": "no", "?": "unknown"}
# words of a heading: what it speaks of, and in which sense it speaks of it
_OF_FINDINGS = (
    "hpo hp phenotype phenotypes phenotypic feature features finding findings term terms id ids"
    " code codes name names fenotipo fenotipos hallazgo hallazgos"
)
OF_FINDINGS = frozenset(_OF_FINDINGS.split())
_PHENOTYPES = "hpo hp phenotype phenotypes feature features fenotipo fenotipos"
_EXCLUSION = (
    "excluded negated absent negative negation denied not ausente ausentes excluido excluidos"
    " negado negados negativo negativos"
)
_PRESENCE = (
    "present observed positive presence presente presentes observado observados positivo positivos"
    " presencia"
)
_OF_PHENOTYPES, _OF_EXCLUSION = frozenset(_PHENOTYPES.split()), frozenset(_EXCLUSION.split())
_OF_PRESENCE = frozenset(_PRESENCE.split())
_OF_STATUS = frozenset(("status", "state", "assertion", "polarity", "estado"))
_SMALL = frozenset(["is", "was", "in", "of", "de", "es"])
_ID = r"HPO?[:_]?\d{7}"
_ID_IN_HEADING = re.compile(rf"(?i)(?:^|[^A-Za-z])({_ID})(?!\d)")
# ids with what is said before each; a hyphen only where it touches the id and no word
_SIGNED = re.compile(
    r"(?i)(?P<denied>(?:\b(?:not|no|non|without|absent|absence of|excluded|negated|denied|sin"
    rf"|ausente|ausencia de)\b[\s:]*|(?<![\w)])[!¬~−-]))?\b(?P<id>{_ID})\b"
)

Row = Mapping[str, Any]


def senses(column: str) -> Collection[Presence] | None:
    """Of a column by its folded name, what it speaks of where it speaks of findings: those that are
    observed, those that are excluded, or (both) the status of either; None for any other."""
    words = set(column.split("_")) - _SMALL
    of = words - OF_FINDINGS
    if not of:
        return None
    if of <= _OF_EXCLUSION | _OF_PRESENCE and of & _OF_EXCLUSION:
        return (EXCLUDED,)
    if of <= _OF_PRESENCE:
        return (OBSERVED,)
    return (OBSERVED, EXCLUDED) if of <= _OF_STATUS else None


def of_findings(columns: Iterable[str], rows: Sequence[Row]) -> dict[Presence, list[str]]:
    """The columns that hold observed findings and those that hold excluded ones, by folded name:
    'phenotypes_absent', 'Negative, HPO codes'."""
    held: dict[Presence, list[str]] = {OBSERVED: [], EXCLUDED: []}
    for column in columns:
        sense = senses(column)
        values = [as_written(item) for row in rows for item in _items(row.get(column))]
        speaks = {*column.split("_")} & _OF_PHENOTYPES  # 'positive findings' may be a text
        has_ids = any(re.search(_ID, value, re.IGNORECASE) for value in values)
        if sense and len(sense) == 1 and (speaks or has_ids) and not _are_flags(column, values):
            held[next(iter(sense))].append(column)
    return held


def of_rows(
    columns: Iterable[str], rows: Sequence[Row], *, is_of_one_finding: bool
) -> tuple[str, Callable[[Row], Presence]] | None:
    """The column that says of each row whether its findings were observed, by folded name, and what
    it says of a row; None where there is none. `is_of_one_finding`: no row has several. Where some
    have, 'excluded' may be a patient of the study, and a heading has to speak of phenotypes."""
    for column in columns:
        values = [row.get(column) for row in rows]
        if not senses(column) or any(isinstance(value, (list, dict)) for value in values):
            continue
        is_clear = is_of_one_finding or bool({*column.split("_")} & _OF_PHENOTYPES)
        if is_clear and _are_flags(column, [as_written(value) for value in values]):
            return column, lambda row, column=column: _presence(column, as_written(row.get(column)))
    return None


def is_list_of_findings(value: Any) -> bool:
    """Whether a cell holds several findings."""
    if isinstance(value, (list, tuple)):
        return len(value) > 1
    return bool(re.search(r"[|;\n]", as_written(value).strip())) or (
        len(re.findall(_ID, as_written(value), re.IGNORECASE)) > 1
    )


def of_item(item: Row) -> Presence | None:
    """What an object in a list says of itself; None where it says nothing."""
    for name, value in item.items():
        if senses(column_key(name)) and not isinstance(value, (dict, list)):
            presence = _presence(column_key(name), as_written(value))
            if presence is not UNKNOWN or _is_known(as_written(value)):
                return presence
    return None


def id_in_heading(name: str) -> str | None:
    """The id of HPO in the heading of a column: `HP:0001250`, `Seizure (HP_0001250)`."""
    hpo_id = _ID_IN_HEADING.search(name)
    return f"HP:{hpo_id[1][-7:]}" if hpo_id else None


def of_cell(value: Any) -> Presence:
    """What a cell under the id of a finding says. 0, no and false leave it open: most such tables
    have them where nothing was recorded."""
    written = as_written(value).strip()
    if column_key(written.removesuffix(".0")) in NO:
        return UNKNOWN
    return _presence("present", written)


def told_apart(items: Iterable[str]) -> tuple[list[str], list[str]]:
    """Lists of ids without those that are denied where they stand, and the denied ones:
    'HP:0001250, NOT HP:0000252'. A list whose every id has a hyphen is one with bullets."""
    kept, denied = [], []
    for item in items:
        ids = list(_SIGNED.finditer(item))
        signs = {(match["denied"] or "").strip().lower() for match in ids}
        if not ids or signs == {""} or (len(ids) > 1 and signs == {"-"}):
            kept.append(item)
            continue
        denied += [match["id"] for match in ids if match["denied"]]
        if rest := [match["id"] for match in ids if not match["denied"]]:
            kept.append("|".join(rest))
    return kept, denied


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _are_flags(column: str, values: list[str]) -> bool:
    """Whether at least half of what a column holds says yes, no or the like; of a column that is
    only called a status, all of it in words about findings."""
    filled = [value for value in values if value.strip()]
    if senses(column) == (OBSERVED, EXCLUDED) and not {*column.split("_")} & OF_FINDINGS:
        of_tests = {"positive", "pos", "negative", "neg", "yes", "positivo", "negativo"}
        return bool(filled) and {*map(column_key, filled)} <= _WORDS.keys() - of_tests
    known = [value for value in filled if _is_known(value)]
    return bool(filled) and 2 * len(known) >= len(filled)


def _is_known(value: str) -> bool:
    return _key(value) in _WORDS.keys() | YES | NO


def _key(value: str) -> str:
    """What a cell says, folded: signs as words, 1.0 as 1."""
    written = value.strip().removesuffix(".0")
    return _SIGNS.get(written, column_key(written))


def _presence(column: str, value: str) -> Presence:
    key, is_of_exclusion = _key(value), senses(column) == (EXCLUDED,)
    if key in YES or key in NO:
        return EXCLUDED if (key in YES) == is_of_exclusion else OBSERVED
    if not key and is_of_exclusion:
        return OBSERVED
    return _WORDS.get(key, UNKNOWN)
