"""Whether a finding was observed or excluded, by the column, the field or the sign that says so.

Tables with a row for each finding have a column for it (`excluded`, `observed`, `status`), objects
a field, lists a word or sign before an id ('NOT HP:0000252'), matrices a cell under each id.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.principal import NO, YES
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
    " code codes name names label labels fenotipo fenotipos hallazgo hallazgos sign signs signo"
    " signos symptom symptoms sintoma sintomas"
)
OF_FINDINGS = frozenset(_OF_FINDINGS.split())
_PHENOTYPES = "hpo hp phenotype phenotypes feature features fenotipo fenotipos"
_EXCLUSION = (
    "excluded negated absent negative negatives negation denied not ruled ausente ausentes excluido"
    " excluidos negado negados negativo negativos descartado descartados no"
)
_PRESENCE = (
    "present observed positive positives presence found detected presente presentes"
    " observado observados positivo positivos presencia encontrado encontrados"
)
_OF_PHENOTYPES, _OF_EXCLUSION = frozenset(_PHENOTYPES.split()), frozenset(_EXCLUSION.split())
_OF_PRESENCE = frozenset(_PRESENCE.split())
_UNASSESSED = (
    "unknown uncertain unclear equivocal unassessed untested desconocido desconocidos dudoso"
    " dudosos items"
)
_ASSESSED = "assessed evaluated tested known valorado valorados evaluado evaluados"
_OF_DOUBT, _OF_ASSESSMENT = frozenset(_UNASSESSED.split()), frozenset(_ASSESSED.split())
_DENIALS = frozenset(("not", "no"))
_OF_STATUS = frozenset(("status", "state", "assertion", "polarity", "estado"))
_BESIDE = (
    "is was in of de es and y for looked sought searched buscado buscados out pertinent relevant"
    " clinical clinico clinicos"
)
_SMALL = frozenset(_BESIDE.split())
# of a column on why or when a patient was left out, which no finding is
_OF_LEAVING_OUT = frozenset(
    ["exclusion", "exclusions", "exclude", "excluded", "excluido", "excluir"]
)
_WHOSE = (
    "patient patients paciente pacientes subject subjects participant study estudio analysis cohort"
    " reason reasons why motivo criteria criterion criterio criterios"
)
_OF_PATIENTS = frozenset(_WHOSE.split())
ID = r"HPO?[:_]?\d{7}"
_ID_IN_HEADING = re.compile(rf"(?i)(?:^|[^A-Za-z])({ID})(?!\d)")

Row = Mapping[str, Any]


def senses(column: str) -> Collection[Presence] | None:
    """Of a column by its folded name, what it speaks of where it speaks of findings: those that are
    observed, those that are excluded, or (both) the status of either; None for any other."""
    words = set(column.split("_")) - _SMALL
    of = words - OF_FINDINGS
    if not of or of <= {"no"}:  # a column of numbers
        return None
    if of <= _OF_EXCLUSION | _OF_PRESENCE and of & _OF_EXCLUSION:
        return (EXCLUDED,)
    if of <= _OF_PRESENCE:
        return (OBSERVED,)
    return (OBSERVED, EXCLUDED) if of <= _OF_STATUS else None


def is_of_doubt(column: str) -> bool:
    """Whether a column, by its folded name, holds findings that are neither observed nor excluded:
    'phenotypes_unknown', 'features not assessed'."""
    of = {*column.split("_")} - _SMALL - OF_FINDINGS
    if of & _DENIALS:
        return bool(of - _DENIALS) and of - _DENIALS <= _OF_ASSESSMENT
    return of <= _OF_DOUBT and bool(of & (_OF_DOUBT - {"items"}))


def is_by_name(column: str) -> bool:
    """Whether a column, by its folded name, is one of findings of HPO: 'Clinical features (HPO)',
    'HPO signs'."""
    words = {*column.split("_")} - _SMALL
    return words <= OF_FINDINGS and not words.isdisjoint({"hpo", "hp"})


def has_ids(values: Iterable[Any]) -> bool:
    """Whether most of what a column holds has an id of HPO in it."""
    written = [as_written(item) for value in values for item in _items(value)]
    filled = [value for value in written if value.strip()]
    return 2 * sum(bool(re.search(ID, value, re.IGNORECASE)) for value in filled) > len(filled)


def of_findings(columns: Iterable[str], rows: Sequence[Row]) -> dict[Presence, list[str]]:
    """The columns that hold observed findings and those that hold excluded ones, by folded name:
    'phenotypes_absent', 'Negative, HPO codes'."""
    held: dict[Presence, list[str]] = {OBSERVED: [], EXCLUDED: []}
    for column in columns:
        sense = senses(column)
        values = [row.get(column) for row in rows]
        if sense and len(sense) == 1 and holds_findings(column, values):
            held[next(iter(sense))].append(column)
    return held


def holds_findings(column: str, values: Iterable[Any]) -> bool:
    """Whether a column of such a heading ('positive findings' may be a text) holds findings."""
    written = [as_written(item) for value in values for item in _items(value)]
    speaks = bool({*column.split("_")} & _OF_PHENOTYPES)
    any_ids = any(re.search(ID, value, re.IGNORECASE) for value in written)
    return (speaks or any_ids) and not _are_flags(column, written)


def of_rows(
    columns: Iterable[str], rows: Sequence[Row], ids: Sequence[Any], *, is_of_one_finding: bool
) -> tuple[str, Callable[[Row], Presence]] | None:
    """The column that says of each row whether its findings were observed, by folded name, and what
    it says of a row; None where there is none. `ids` are the cases. `is_of_one_finding`: no row has
    several. Where some have, 'excluded' may be a patient of the study, and a heading has
    to speak of phenotypes; beside a column on the exclusion of patients it has to, or to differ
    between the rows of a case."""
    columns = list(columns)
    is_on_patients = any(map(is_on_patients_left_out, columns))
    for column in columns:
        values = [row.get(column) for row in rows]
        if not senses(column) or any(isinstance(value, (list, dict)) for value in values):
            continue
        value_of = dict(zip(ids, values, strict=True))
        differs = any(value_of[case] != value for case, value in zip(ids, values, strict=True))
        is_clear = bool({*column.split("_")} & _OF_PHENOTYPES) or (
            is_of_one_finding and (differs or not is_on_patients)
        )
        if is_clear and _are_flags(column, [as_written(value) for value in values]):
            return column, lambda row, column=column: _presence(column, as_written(row.get(column)))
    return None


def is_on_patients_left_out(column: str) -> bool:
    """Whether a column, by its folded name, says why or that patients are left out of a study:
    'reason_for_exclusion', 'excluded_from_analysis'."""
    words = {*column.split("_")}
    return not words.isdisjoint(_OF_LEAVING_OUT) and not words.isdisjoint(_OF_PATIENTS)


def is_list_of_findings(value: Any) -> bool:
    """Whether a cell holds several findings."""
    if isinstance(value, (list, tuple)):
        return len(value) > 1
    return bool(re.search(r"[|;\n]", as_written(value).strip())) or (
        len(re.findall(ID, as_written(value), re.IGNORECASE)) > 1
    )


def of_item(item: Row) -> Presence | None:
    """What an object in a list says of itself; None where it says nothing."""
    for name, value in item.items():
        if is_of_doubt(column_key(name)) and _key(as_written(value)) in YES:
            return UNKNOWN
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


def of_word(written: str) -> Presence | None:
    """What a word or sign says where it stands beside a finding; None if it says nothing of it."""
    key = _key(written)
    if key in YES or key in NO:
        return OBSERVED if key in YES else EXCLUDED
    return _WORDS.get(key) if key else None


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
