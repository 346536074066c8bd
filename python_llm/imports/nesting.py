"""Objects inside the rows of JSON and Parquet, as columns with dotted names.

`{"note": {"history": "…"}}` is the column `note.history`. A list of objects has a column for each
of their fields, with the list of its values: `{"diagnoses": [{"name": "A"}, {"name": "B"}]}` is
`diagnoses.name` with A and B. The name of a field is never a value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from python_llm.errors import FileError
from python_llm.imports import certainty, presence, principal
from python_llm.imports.certainty_words import Certainty
from python_llm.imports.headings import kind_of
from python_llm.imports.numbered_rows import Reject, Row, Rows, numbered
from python_llm.imports.presence import Presence
from python_llm.parsing.folding import column_key

DEEPEST = 12  # objects within objects
OF_CASES = {"cases", "patients", "records", "data", "rows", "items", "casos", "pacientes"}
PEOPLE = {"cases", "patients", "casos", "pacientes"}
# objects inside a case
OF_PARTS = {
    *("patient", "case", "subject", "paciente", "caso", "note", "notes", "text", "gold", "disease"),
    *("diseases", "diagnoses", "phenotypes", "metadata", "info", "model", "answer", "input"),
    *("output", "request", "response"),
}
OF_DIAGNOSES = ("diagnoses", "diagnosis", "diagnosticos", "diagnostico", "diseases", "conditions")
SECONDARY = "secondary"
DOUBT = "suspected"
IN_DOUBT = (Certainty.DOUBTED, Certainty.UNKNOWN)
EXCLUDED_ITEMS = f"{Presence.EXCLUDED.value}_items"
# fields of a diagnosis beside its name
_OF_A_DIAGNOSIS = {
    *("name", "label", "code", "id", "type", "rank", "date", "source", "year", "onset", "text"),
    *("certainty", "certeza", "status", "estado", "confidence", "probability", "system", "tipo"),
    *("nombre", "codigo", "fecha", "nome", "nom", "bezeichnung", "codice", "data", "datum"),
}
SEVERAL = (
    "several patients in one record ({}): save the list as a file of its own, with one object for "
    "each patient"
)
_TEXTS = {"text", "case_text", "note", "vignette", "narrative", "texto", "description"}
# of conversations, by what programs call them
SPEAKERS = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "model", "gpt", "ai"), "assistant"),
}


_OF_A_DIAGNOSIS_ASKED = re.compile(
    r"diagn|disease|disorder|condition|syndrome|enferm|trastorno|krankheit|erkrankung|maladie"
    r"|malattia|doen[cç]a|wrong with|suffer",
    re.IGNORECASE,
)


class TooDeepError(ValueError):
    """Objects nested deeper than any table is."""


def flat_rows(file: Path, rows: Rows, reject: Reject) -> Rows:
    """Rows without objects in them. Raises FileError for FHIR; a row that is nested too deeply or
    holds several patients goes to `reject`."""
    for number, values in unwrapped(file, rows):
        refuse_fhir(file, number, values)
        if _asks_something_else(values):
            reject(
                number, "record", "a question that asks for no diagnosis, and no case of its own"
            )
            continue
        if several := _several_cases(values):
            reject(number, "record", SEVERAL.format(several))
            continue
        try:
            yield Row(number, flat(values))
        except TooDeepError:
            reason = f"objects nested more than {DEEPEST} deep: give the row as plain columns"
            reject(number, "record", reason)


def _asks_something_else(values: Mapping[str, Any]) -> bool:
    """Whether a question of SQuAD on a text is about something else than the diagnosis."""
    asked = values.get("question")
    is_squad = isinstance(asked, str) and "context" in values and "answers" in values
    return is_squad and _OF_A_DIAGNOSIS_ASKED.search(str(asked)) is None


def _of_squad(rows: list[Row]) -> list[dict[str, Any]]:
    """The questions of a file of SQuAD, each with its text; none of another file."""
    articles = rows[0].values.get("data") if len(rows) == 1 else None
    if not _is_of_objects(articles) or not all("paragraphs" in article for article in articles):
        return []
    return [
        {"context": paragraph.get("context"), **question}
        for article in articles
        for paragraph in article["paragraphs"] or ()
        for question in paragraph.get("qas") or ()
    ]


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object without objects in them, by dotted name. What a list says twice of a
    field is a list. An item that says it was excluded is `phenotypes.excluded_items`, one that is
    unknown `phenotypes.unknown_items`; of diagnoses these are left out (`_of_diagnosis`), and a
    secondary one is `diagnoses.secondary`."""
    if not any(isinstance(value, (dict, list, tuple)) for value in values.values()):
        return dict(values)
    leaves: dict[str, Any] = {}
    for name, value in values.items():
        if not _holds_objects(value):
            leaves[str(name)] = value
            continue
        if turns := _turns(value):
            leaves |= {f"{name}.{speaker}": spoken for speaker, spoken in turns.items()}
            continue
        listed = isinstance(value, (list, tuple))
        for path, part in _leaves(str(name), value, 0):
            if listed or path in leaves:
                before = leaves.get(path, [])
                leaves[path] = [*(before if isinstance(before, list) else [before]), part]
            else:
                leaves[path] = part
    return leaves


def names_of(rows: Iterable[Row]) -> list[str]:
    """The columns of some rows, in order, without those that are empty wherever they are no object:
    `note` of `{"note": null}` beside `note.history`."""
    filled: dict[str, bool] = {}
    for _, values in rows:
        for name, value in values.items():
            if name:
                filled[name] = filled.get(name, False) or value not in (None, "", [])
    objects = {name[:end] for name in filled for end in range(len(name)) if name[end] == "."}
    return [name for name, is_filled in filled.items() if is_filled or name not in objects]


def _turns(value: Any) -> dict[str, str]:
    """What each speaker of a conversation says, as models are taught with them; empty if it is
    none."""
    spoken: dict[str, list[str]] = {}
    for turn in value if isinstance(value, list) else ():
        speaker = (turn.get("role") or turn.get("from")) if isinstance(turn, dict) else None
        words = _spoken(turn) if isinstance(turn, dict) else None
        if speaker not in SPEAKERS or words is None:
            return {}
        spoken.setdefault(SPEAKERS[speaker], []).append(words)
    return {speaker: "\n\n".join(words) for speaker, words in spoken.items()}


def _spoken(turn: Mapping[str, Any]) -> str | None:
    """The words of a turn: a text, or the texts of its parts, as OpenAI and Gemini have them."""
    words = next((turn[n] for n in ("content", "value", "parts") if turn.get(n)), None)
    if isinstance(words, list):
        texts = [part.get("text") if isinstance(part, dict) else part for part in words]
        spoken = [text for text in texts if isinstance(text, str)]
        return "\n".join(spoken) if spoken else None
    return words if isinstance(words, str) else None


def _holds_objects(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(item, (dict, list, tuple)) for item in value)
    return isinstance(value, dict)


def _leaves(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > DEEPEST:
        raise TooDeepError(path)
    is_of_diagnoses = _is_of_diagnoses(path)
    if isinstance(value, dict) and not is_of_diagnoses:
        yield from _fields(path, value, depth)
    elif isinstance(value, (dict, list, tuple)):
        items = [value] if isinstance(value, dict) else value
        for item in items:
            if not isinstance(item, dict):
                yield from _leaves(path, item, depth + 1)
            elif is_of_diagnoses:
                yield from _of_diagnosis(path, item, items, depth + 1)
            else:
                status = presence.of_item(item)
                is_open = status in (Presence.EXCLUDED, Presence.UNKNOWN)
                inside = f"{path}.{status.value}_items" if status and is_open else path
                yield from _fields(inside, item, depth + 1)
    else:
        yield path, value


def _fields(path: str, values: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for name, part in values.items():
        yield from _leaves(f"{path}.{name}", part, depth + 1)


def _is_of_diagnoses(path: str) -> bool:
    name = path.rpartition(".")[2]
    return column_key(name) in OF_DIAGNOSES or _has_gold({name: None})


def _of_diagnosis(
    path: str, item: Mapping[str, Any], others: Iterable[Any], depth: int
) -> Iterator[tuple[str, Any]]:
    """The fields of a diagnosis: of an excluded one none, of one in doubt only where no other is
    certain, and with the word of doubt before its name."""
    how = certainty.of_item(item)
    is_open = presence.of_item(item) in (Presence.EXCLUDED, Presence.UNKNOWN)
    if how in (Certainty.EXCLUDED, Certainty.PAST) or (is_open and how not in IN_DOUBT):
        return
    inside = f"{path}.{SECONDARY}" if principal.of_item(item, others) else path
    if how not in IN_DOUBT:
        yield from _fields(inside, item, depth)
    elif not any(_is_certain(other) for other in others):
        for name, value in _fields(inside, item, depth):
            if not isinstance(value, str) or not any(map(str.isdigit, value)):
                yield name, f"{DOUBT} {value}" if isinstance(value, str) and value else value


def _is_certain(item: Any) -> bool:
    if not isinstance(item, dict):
        return bool(item)
    is_open = presence.of_item(item) in (Presence.EXCLUDED, Presence.UNKNOWN)
    return not is_open and certainty.of_item(item) in (None, Certainty.CERTAIN)


def unwrapped(file: Path, rows: Rows) -> Rows:
    """The rows, or those of the one list of objects that a JSON object is around."""
    if file.suffix.lower() != ".json":
        return rows
    records = list(rows)
    if questions := _of_squad(records):
        return iter([Row(number, question) for number, question in enumerate(questions, 1)])
    outer = list(_of_one_list(records))
    # an export around the list, or a list of wards with their patients
    for _ in range(DEEPEST):
        if (inner := _within_all(outer)) is None:
            break
        outer = inner
    return iter(outer)


def _within_all(rows: list[Row]) -> list[Row] | None:
    """The cases that the rows are around, wards without any aside; None if one is a case itself or
    has several such lists."""
    cases: list[dict[str, Any]] = []
    for _, values in rows:
        lists = list(_lists_of_cases(values, 0))
        is_of_people = len(lists) == 1 and lists[0][0] in PEOPLE and not _has_gold(values)
        if len(lists) > 1 or (any(map(_is_of_a_case, values)) and not is_of_people):
            return None
        cases += lists[0][1] if lists else []
    return [Row(number, case) for number, case in enumerate(cases, 1)] or None


def _is_of_a_case(name: str) -> bool:
    key = column_key(name)
    return bool(kind_of(name)) or key in OF_PARTS or key in ("id", "case_id", "record_id")


def _lists_of_cases(
    values: Mapping[str, Any], depth: int
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The lists of objects, or objects by id, that are called or look as lists of cases do, in an
    object and in what it holds, each with its name; those of the objects of a list are one."""
    for name, value in values.items():
        key = column_key(name)
        if is_list := _is_of_objects(value):
            if key in OF_CASES or _are_cases(value):
                yield key, value
                continue
        elif isinstance(value, dict) and key in OF_CASES and (cases := _by_id(value)):
            yield key, cases
            continue
        if depth >= DEEPEST or not (is_list or isinstance(value, dict)):
            continue
        items = value if is_list else _of_wards(value) or [value]
        inner = [list(_lists_of_cases(item, depth + 1)) for item in items]
        named = [pair for lists in inner for pair in lists]
        is_one_list = len({key for key, _ in named}) == 1 and all(len(lists) < 2 for lists in inner)
        if is_one_list:
            yield named[0][0], [case for _, cases in named for case in cases]
        else:
            yield from named


def _of_wards(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of an object that has one for each ward, by its name, with a list of patients of
    the same name in each; none of another object."""
    wards = list(value.values())
    if len(wards) < 2 or not all(isinstance(ward, dict) for ward in wards):
        return []
    shared = set.intersection(*(set(ward) for ward in wards))
    are_wards = any(
        column_key(name) in PEOPLE and all(_is_of_objects(ward[name]) for ward in wards)
        for name in shared
    )
    return wards if are_wards else []


def _is_of_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(o, dict) for o in value)


def _has_gold(values: Mapping[str, Any]) -> bool:
    return any((kind_of(name) or ("",))[0] == "gold_names" for name in values)


def _are_cases(items: list[dict[str, Any]]) -> bool:
    """Whether most objects of a list have a diagnosis and more beside it than a diagnosis has."""
    n_cases = sum(
        _has_gold(item)
        and len(item) > 2
        and any(column_key(n) not in _OF_A_DIAGNOSIS and not _has_gold({n: ""}) for n in item)
        for item in items
    )
    return 2 * n_cases > len(items)


def _several_cases(values: Mapping[str, Any]) -> str:
    """The paths of the patients in a row, where it holds several; '' where it is one. A patient
    with an id may have visits, which have none."""
    if not any(isinstance(value, (dict, list)) for value in values.values()):
        return ""
    is_one = any(column_key(name) in ("id", "case_id", "record_id") for name in values)
    paths: dict[str, int] = {}
    for path, items in _paths_of_cases(values, "", 0):
        have_ids = all(any(column_key(name) == "id" for name in item) for item in items)
        if have_ids or not is_one or column_key(path.rpartition(".")[2]) in PEOPLE:
            paths[path] = paths.get(path, 0) + len(items)
    return ", ".join(paths) if sum(paths.values()) > 1 else ""


def _paths_of_cases(
    values: Mapping[str, Any], path: str, depth: int
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The lists of cases at any depth, with their dotted names."""
    for name, value in values.items():
        inside = f"{path}.{name}" if path else str(name)
        is_list = _is_of_objects(value)
        if is_list and (column_key(name) in PEOPLE or _are_cases(value)):
            yield inside, value
        elif depth < DEEPEST and (is_list or isinstance(value, dict)):
            for item in value if is_list else [value]:
                yield from _paths_of_cases(item, inside, depth + 1)


def _by_id(values: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The objects of an object that has one for each case by its id; None for any other. Objects
    for parts of a case are called by what they are, and have other fields each."""
    objects = list(values.values())
    if len(objects) < 2 or not all(isinstance(item, dict) and len(item) > 1 for item in objects):
        return None
    shared = set.intersection(*(set(item) for item in objects))
    is_of_parts = any(kind_of(name) or column_key(name) in OF_PARTS for name in values)
    if is_of_parts or any(2 * len(shared) < len(item) for item in objects):
        return None
    # numbers of rows are no ids where the objects have their own
    is_of_rows = all(str(name).isdigit() for name in values) and all(
        any((kind_of(name) or ("",))[0] == "record_id" for name in item) for item in objects
    )
    return [item if is_of_rows else {"id": name, **item} for name, item in values.items()]


def _by_column(values: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object that has, by the name of a column, its values by the number of the row,
    or a list of them in turn; None for any other."""
    columns = list(values.values())
    if rows := _of_lists(values):
        return rows
    if len(columns) < 2 or not all(isinstance(column, dict) and column for column in columns):
        return None
    n_known = sum(bool(kind_of(name)) or column_key(name) in OF_PARTS for name in values)
    numbers = dict.fromkeys(number for column in columns for number in column)
    if n_known < 2 or not all(str(number).isdigit() for number in numbers):
        return None
    return [{name: column.get(n) for name, column in values.items()} for n in numbers]


def _of_lists(values: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object of columns, lists of texts and numbers of the same length. One patient
    may have lists, too, but none of ids or of texts of cases."""
    columns = list(values.values())
    if len(columns) < 2 or not all(isinstance(column, list) for column in columns):
        return None
    n_rows = {len(column) for column in columns}
    kinds = {(kind_of(name) or ("",))[0] for name in values}
    kinds |= {"narrative" for name in values if column_key(name) in _TEXTS}
    are_values = not any(isinstance(cell, (list, dict)) for column in columns for cell in column)
    if len(n_rows) > 1 or n_rows == {1} or not are_values or not kinds & {"record_id", "narrative"}:
        return None
    return [dict(zip(values, row, strict=True)) for row in zip(*columns, strict=True)]


def _of_one_list(rows: list[Row]) -> Rows:
    if len(rows) == 1 and (cases := _by_column(rows[0].values) or _by_id(rows[0].values)):
        return iter([Row(number, item) for number, item in enumerate(cases, 1)])
    if len(rows) == 1 and "resourceType" not in rows[0].values:
        lists = {
            column_key(name): value
            for name, value in rows[0].values.items()
            if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
        }
        of_cases = [value for name, value in lists.items() if name in OF_CASES]
        others = [value for value in rows[0].values.values() if value not in lists.values()]
        # a patient has values of his own beside his list of diagnoses
        if not of_cases and len(lists) == 1 and not others:
            of_cases = list(lists.values())
        if len(of_cases) == 1:
            return iter([Row(number, item) for number, item in enumerate(of_cases[0], 1)])
    return iter(rows)


def refuse_fhir(file: Path, number: int, values: Mapping[str, Any]) -> None:
    """Raise FileError, with what to do, for a resource of FHIR."""
    kind = values.get("resourceType")
    if not isinstance(kind, str):
        return
    kind_named = f"a FHIR {'bundle' if kind == 'Bundle' else f'resource ({kind})'}"
    held: list[str] = []
    entries = values.get("entry") if kind == "Bundle" else None
    for entry in entries if isinstance(entries, list) else []:
        resource = entry.get("resource") if isinstance(entry, dict) else None
        name = resource.get("resourceType") if isinstance(resource, dict) else None
        if isinstance(name, str) and name not in held:
            held.append(name)
    of_what = f" of {', '.join(held[:8])}" if held else ""
    raise FileError(
        f"{file.name}, {numbered(file, number)} is {kind_named}{of_what}, in which one patient is "
        "spread over many resources, and FHIR is not read: export a table or JSON list with one "
        "row for each patient (id, text, diagnosis), or phenopackets (--format phenopacket)."
    )
