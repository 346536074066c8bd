"""How certain a diagnosis is by the columns or fields beside it: excluded and doubted
ones do not become gold diagnoses, and neither do those of rows that annotators rejected."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.certainty_words import (
    CERTAIN,
    DOUBTED,
    EXCLUDED,
    PAST,
    REJECTED,
    UNKNOWN,
    Certainty,
    of_text,
)
from python_llm.imports.headings import SMALL, WORDS, words_of
from python_llm.imports.principal import NO, YES
from python_llm.parsing.folding import column_key

PROBLEMS = {
    DOUBTED: "a diagnosis in doubt by its '{}': correct that if it is certain, or leave it empty",
    EXCLUDED: "an excluded diagnosis by its '{}': write the one that was made, or leave it empty",
    PAST: "a past diagnosis by its '{}': write the present one, or leave it empty",
    UNKNOWN: "a diagnosis whose '{}' has a word that is not known: write confirmed, suspected or"
    " excluded there, or leave it empty",
    REJECTED: "a row rejected or passed over by its '{}': correct it and that mark, or take it out",
}


def _all(certainty: Certainty, words: str) -> dict[str, Certainty]:
    return dict.fromkeys(words.split(), certainty)


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
# of a field that is itself the word: 'ruled_out: yes', 'confirmed: no'
_OPPOSITE = {CERTAIN: DOUBTED, DOUBTED: CERTAIN, EXCLUDED: CERTAIN}
# headings: of certainty alone, and such as speak of it beside a diagnosis
_LETTERED = words_of(
    "sicherheit diagnosesicherheit diagnosensicherheit diagnosegewissheit zusatzkennzeichen"
)
_NAMES = _LETTERED | words_of(
    "certainty certeza certezza certitude gewissheit verification verificacion verificacao verifica"
    " verifizierung"
)
_OF_ANYTHING = words_of(
    "status estado state confidence assertion confirmation estatus statut stato confirmacion"
    " confirmacao conferma bestatigung"
)
_BESIDE = (
    WORDS["diagnosis"]
    | SMALL
    | words_of(
        "diagnostic diagnostica diagnostique diagnostische diagnostischer clinical clinica level"
        " degree grado grau grad degre nivel niveau livello dx diagnosi"
    )
)
# what files call the gold diagnosis, or the object it stands in: label.certainty
_OF_GOLD = {"label", "gold", "target", "truth", "reference", "disease"}
# additional letters of ICD-10-GM: assured, suspected, excluded, state after
_LETTERS = {"g": CERTAIN, "v": DOUBTED, "a": EXCLUDED, "z": PAST}
_ON_A_SCALE = _NAMES | {"confidence", "confianza", "konfidenz", "confiance"}
_LOW = words_of("low very_low baja bajo muy_baja gering niedrig faible bassa baixa")
_NOT_LOW = words_of(
    "high very_high medium moderate alta alto muy_alta media moderada hoch mittel haute moyenne"
    " elevee"
)
_LEAST_CERTAIN = 0.5  # share or percentage below which a diagnosis is in doubt
# what annotators decide on a row, and headings under which they do
_ACCEPTED = (
    "accept accepted approve approved validate validated valid submitted submit completed complete"
    " done ok pass passed include included keep kept agree agreed aceptado aceptada validado"
    " validada aprobado aprobada incluido incluida revisado revisada"
)
_REJECTED = (
    "reject rejected ignore ignored discard discarded skip skipped exclude excluded invalid drop"
    " dropped disagree disagreed failed deleted removed cancelled canceled not_valid not_included"
    " do_not_use rechazado rechazada descartado descartada excluido excluida omitido omitida"
    " anulado anulada invalido invalida"
)
_UNDECIDED = "draft pending in_progress in_review to_review needs_review flagged borrador pendiente"
_DECISIONS = {
    **dict.fromkeys(_ACCEPTED.split(), CERTAIN),
    **dict.fromkeys(_REJECTED.split(), REJECTED),
    **dict.fromkeys(_UNDECIDED.split(), DOUBTED),
}
_OF_REVIEW = words_of(
    "answer status estado state decision review revision verdict validation validacion adjudication"
    " qc screening"
)
_OF_ROWS = words_of(
    "annotation anotacion annotator reviewer revisor expert experto record row case caso quality"
    " label data final"
)
# headings of yes and no: what each says of a row where it is no, and where it is yes
_ASKED = {
    **_all(
        REJECTED,
        "include included inclusion keep accepted approved validated valid agree agrees agreed"
        " agreement incluir incluido incluida aceptado aceptada validado validada valido acuerdo"
        " einschliessen inclure",
    ),
    **_all(
        DOUBTED,
        "confirmed certain definite definitive proven verified confirmado confirmada gesichert"
        " bestatigt confirme confirmee confermato confermata gesicherte segura cierta certo certa"
        " sicher certaine",
    ),
}
_SAID = {
    **_all(
        REJECTED,
        "exclude discarded discard rejected reject skipped skip ignored ignore invalid dropped"
        " deleted cancelled canceled disagree disagrees rechazado rechazada anulado",
    ),
    **_all(
        DOUBTED,
        "suspected suspicion suspect probable possible provisional unconfirmed doubtful sospecha"
        " sospechoso sospechosa sospechado sospechada suspeita suspeito sospetto sospetta verdacht"
        " suspecte suspicion pendiente pendente pending dudoso dudosa provavel probabile moglich",
    ),
    **_all(
        EXCLUDED,
        "excluded ruled_out refuted disproved descartado descartada excluido excluida"
        " ausgeschlossen",
    ),
}
_MARKED = frozenset(("is", "was", "es", "est", "ist", "flag", "has", "been"))
_PARTLY = frozenset(("partly", "partial", "partially", "parcial", "parcialmente", "teilweise"))

Row = Mapping[str, Any]
Says = Callable[[str], Certainty | None]  # of a text in a column


def of_word(written: str) -> Certainty | None:
    """What a word says, or a text that begins with it: 'ruled out by biopsy'; None if it says
    nothing of this."""
    words = column_key(written).split("_")
    starts = ("_".join(words[:end]) for end in range(min(len(words), 4), 0, -1))
    return next((_WORDS[start] for start in starts if start in _WORDS), None)


def of_letter(letter: str) -> Certainty | None:
    """What a letter of ICD-10-GM says behind a code: assured, suspected, excluded, state after."""
    return _LETTERS.get(letter)


def of_item(item: Row) -> Certainty | None:
    """What an object says of its diagnosis; None where it says nothing."""
    stated = {certainty for name, value in item.items() if (certainty := _of_field(name, value))}
    worst_first = (EXCLUDED, PAST, DOUBTED, UNKNOWN, CERTAIN)
    return next((worst for worst in worst_first if worst in stated), None)


def of_rows(rows: Iterable[Row], *, are_of_findings: bool) -> list[tuple[str, Says]]:
    """The columns that say how certain the diagnosis of a row is, or that the row was rejected, by
    folded name, and what their texts say. In tables `are_of_findings` a status is theirs."""
    sample = list(rows)
    held = []
    for column in dict.fromkeys(name for row in sample for name in row):
        values = [row.get(column) for row in sample]
        if any(isinstance(value, (list, dict)) for value in values):
            continue
        filled = [written for value in values if (written := as_written(value).strip())]
        says = _of_column(column, filled, are_of_findings=are_of_findings) if filled else None
        if says:
            held.append((column, says))
    return held


def _of_column(column: str, filled: list[str], *, are_of_findings: bool) -> Says | None:
    """What the values of a column say; None for one that speaks of something else. `filled` are
    those that are not empty."""
    words = _words(column)
    is_clear = bool(words & (_NAMES | WORDS["diagnosis"]))
    if flag := _flag(column, are_of_findings=are_of_findings and not is_clear):
        values = {column_key(written) for written in filled}
        return flag if values <= YES | NO | _PARTLY | _DECISIONS.keys() else None
    if _is_of_certainty(words) and (is_clear or not are_of_findings):
        says = _reader(words, filled)
        known = [written for written in filled if says(written) not in (None, UNKNOWN)]
        if words & _NAMES or (is_clear and known and 2 * len(known) >= len(filled)):
            return says
        if is_clear and known:  # of the disease, for the most part
            return lambda written: None if (how := says(written)) in (CERTAIN, UNKNOWN) else how
        if known and known == filled:
            return says
    if words & _OF_REVIEW and words <= _OF_REVIEW | _OF_ROWS | _BESIDE and not are_of_findings:
        known = [written for written in filled if _decision(written)]
        # others may be of something else, but not what a word of rejection says
        return _decision if known == filled else _rejection if known and "status" in words else None
    return None


def _flag(column: str, *, are_of_findings: bool) -> Says | None:
    """What yes and no say under a heading such as 'confirmed', 'include' or 'ruled_out'."""
    beside = _MARKED | _OF_ROWS | _BESIDE
    asked = "_".join(word for word in column_key(column).split("_") if word not in beside)
    if asked not in _ASKED and asked not in _SAID:
        return None
    if are_of_findings and REJECTED not in (_ASKED.get(asked), _SAID.get(asked)):
        return None

    def says(written: str) -> Certainty | None:
        value = column_key(written)
        if value in _PARTLY:
            return DOUBTED
        decided = _DECISIONS.get(value)
        is_yes = value in YES or decided is CERTAIN
        is_no = value in NO or decided is REJECTED
        if asked in _ASKED:
            return _ASKED[asked] if is_no else CERTAIN if is_yes else None
        return _SAID[asked] if is_yes else CERTAIN if is_no else None

    return says


def _reader(words: set[str], filled: list[str]) -> Says:
    """How the values of a column of certainty are read: as words, letters, or on a scale."""
    keys = {column_key(written) for written in filled}
    letters = _LETTERS if words & _LETTERED or "g" in keys <= _LETTERS.keys() else {}
    if not words & _ON_A_SCALE:
        return lambda written: (
            of_word(written) or _DECISIONS.get(column_key(written)) or (of_text(written))
        )
    bare = [written for written in filled if "%" not in written]  # the others say what they count
    numbers = [number for written in bare if (number := _number(written)) is not None]
    # a rating from 1 to 5 says nothing by itself
    top = 1 if max(numbers, default=0) <= 1 else 100 if max(numbers) > 10 else 0

    def says(written: str) -> Certainty | None:
        number, key = _number(written), column_key(written)
        if number is not None:
            whole = 100 if "%" in written else top
            return (DOUBTED if number < _LEAST_CERTAIN * whole else CERTAIN) if whole else None
        if key in letters:
            return letters[key]
        return DOUBTED if key in _LOW else CERTAIN if key in _NOT_LOW else of_text(written)

    return says


def _number(written: str) -> float | None:
    match = re.match(r"\s*(\d{1,3}(?:[.,]\d+)?|[.,]\d+)\s*(?:%|$)", written)
    return float(match[1].replace(",", ".")) if match else None


def _decision(written: str) -> Certainty | None:
    """What annotators decided on a row: CERTAIN where they accepted it."""
    return _DECISIONS.get(column_key(written)) or of_word(written)


def _rejection(written: str) -> Certainty | None:
    return REJECTED if _DECISIONS.get(column_key(written)) is REJECTED else None


def _words(name: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(filter(None, column_key(apart).split("_")))


def _is_of_certainty(words: set[str]) -> bool:
    if words & _NAMES and words <= _NAMES | _BESIDE | _OF_GOLD:
        return True
    return bool(words & (_NAMES | _OF_ANYTHING)) and words <= _NAMES | _OF_ANYTHING | _BESIDE


def _of_field(name: str, value: Any) -> Certainty | None:
    if _is_of_certainty(words := _words(name)):
        letters = _LETTERS if words & _LETTERED else {}
        says = of_text if words & _NAMES else of_word
        read = [letters.get(column_key(part)) or says(part) for part in _texts(value)]
        known = (how for how in read if how not in (None, UNKNOWN))
        return next(known, UNKNOWN if UNKNOWN in read else None)
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
