"""Objects and lists inside a row laid out as rows and columns, however a program nested them."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import column_key

# What a name says is in its column ('case', 'diagnosis', 'relation', …), or that it does not say
RoleOf = Callable[[str], str | None]

# Names of what only holds others: no name of a model, a rater or a case
OF_RATERS = {
    *("ratings", "raters", "annotations", "annotators", "grades", "gradings", "graders", "reviews"),
    *("reviewers", "judges", "judgements", "judgments", "labels", "evaluations", "evaluators"),
    *("evaluadores", "evaluaciones", "valoraciones", "experts"),
}
CONTAINERS = OF_RATERS | {
    *("predictions", "differential", "differentials", "results", "list", "lists", "answers"),
    *("data", "items", "entries", "ranks", "candidates", "hypotheses", "evaluation", "scores"),
    *("outputs", "output", "responses", "response", "predicciones", "resultados", "respuestas"),
    *("records", "values", "fields", "metadata"),
}
KEY = "key "  # begins the name of a column of keys, until it is known what they are
A_PLACE = re.compile(r"(?:rank|top|dx|diagnosis|diagnostico|p)?_?(\d{1,2})")
MOST_RANKS = 20
OF_LISTS = ("diagnosis", "relation", "severity")  # roles of what may stand in lists side by side


def unfolded(rows: list[Row], role_of: RoleOf) -> list[Row]:
    """One row for each innermost object in the cells of `rows`; those without any as they are.

    Of an object in a cell the columns are named after both ('ratings' and 'anna' are 'ratings
    anna'), a list of objects is a row each, an object of objects a row each with its key in a
    column, and lists of diagnoses and labels side by side are a row for each place. A column of
    keys gets the role that is left for what it holds.
    """
    records: list[tuple[int, dict[str, str]]] = []
    for row in rows:
        cells = {name: parsed(text) for name, text in row.values.items()}
        if any(isinstance(cell, (dict, list)) for cell in cells.values()):
            records += [(row.number, laid_out) for laid_out in _rows(cells, role_of, "")]
        else:
            records.append((row.number, row.values))
    if any(name.startswith(KEY) for _, values in records for name in values):
        records = _with_roles(records, role_of)
    return [Row(number, values) for number, values in records]


def parsed(text: str) -> Any:
    """The object or list that a cell holds, written as JSON or as Python prints it; else `text`."""
    if text[:1] not in ("[", "{"):
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return value if isinstance(value, (dict, list)) else text
    return text


def _rows(value: Any, role_of: RoleOf, path: str) -> Iterator[dict[str, str]]:
    """The rows an object or a list of objects comes to; `path` are the names it is found under."""
    if isinstance(value, list):
        for position, item in enumerate(value, 1):
            if isinstance(item, dict):
                # the position is a rank where what has it is a diagnosis
                ranked = any(role_of(name) == "diagnosis" for name in item)
                for row in _rows(item, role_of, path):
                    yield {"rank": str(position), **row} if ranked else row
        return
    # an empty list has no rows, and its column no values
    value = {str(name): item for name, item in value.items() if item not in ([], {})}
    inner = {name: item for name, item in value.items() if _holds_objects(item)}
    if _is_keyed(value, inner, role_of):
        for key, item in value.items():
            for row in _rows(item, role_of, f"{path} *"):
                yield {KEY + path: key, **row}
        return
    plain: dict[str, str] = {}
    lists: dict[str, list[Any]] = {}
    flat = [item for name, item in value.items() if isinstance(item, dict) and name not in inner]
    fields = Counter(sub for item in (value, *flat) for sub in item)
    for name, item in value.items():
        if isinstance(item, dict) and name not in inner:
            for sub, inner_item in item.items():
                # the name before it says nothing more: 'severity' of a 'judgement'
                is_same = role_of(sub) is not None and role_of(sub) == role_of(f"{name} {sub}")
                alone = is_same and fields[sub] == 1
                plain[sub if alone else f"{name} {sub}"] = as_written(inner_item)
        elif isinstance(item, list) and role_of(name) in OF_LISTS and name not in inner:
            lists[name] = item
        elif name not in inner:
            plain[name] = as_written(item)
    if any(role_of(name) == "diagnosis" for name in lists):
        for position, items in enumerate(zip_longest(*lists.values()), 1):
            yield {
                **plain,
                "rank": str(position),
                **dict(zip(lists, map(as_written, items), strict=True)),
            }
        return
    # a list of one, as programs for annotations write a label, is that one
    plain |= {
        name: as_written(items[0] if len(items) == 1 else items) for name, items in lists.items()
    }
    if inner and all(role_of(name) is None and not _is_container(name) for name in inner):
        for key, item in inner.items():
            for row in _rows(item, role_of, f"{path} *"):
                yield {**plain, KEY + path: key, **row}
        return
    sides = {name: list(_rows(item, role_of, f"{path} {name}")) for name, item in inner.items()}
    yield from _side_by_side(plain, sides, role_of)


def _side_by_side(
    plain: dict[str, str], sides: dict[str, list[dict[str, str]]], role_of: RoleOf
) -> Iterator[dict[str, str]]:
    """Lists of the same things, the diagnoses and what was said of each, as one: by their ranks
    where all have ranks, otherwise by their places."""
    if not sides:
        yield plain
        return
    by_place = {name: dict(enumerate(rows)) for name, rows in sides.items()}
    by_rank = {
        name: {text: row for row in rows for sub, text in row.items() if role_of(sub) == "rank"}
        for name, rows in sides.items()
    }
    all_ranked = all(len(by_rank[name]) == len(rows) for name, rows in sides.items())
    sides_by_key: dict[str, Any] = by_rank if len(sides) > 1 and all_ranked else by_place
    for entry in dict.fromkeys(entry for rows in sides_by_key.values() for entry in rows):
        merged = dict(plain)
        for name, rows in sides_by_key.items():
            for sub, text in rows.get(entry, {}).items():
                is_other = sub in merged and role_of(sub) != "rank"
                merged[f"{name} {sub}" if is_other else sub] = text
        yield merged


def _holds_objects(value: Any) -> bool:
    """Whether rows are in it: a list of objects, or an object with objects or lists in it."""
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in value)
    if not isinstance(value, dict):
        return False
    return any(isinstance(item, (dict, list)) for item in value.values())


def _is_container(name: str) -> bool:
    return bool(set(column_key(name).split("_")) & CONTAINERS)


def _is_keyed(value: Mapping[str, Any], inner: Mapping[str, Any], role_of: RoleOf) -> bool:
    """Whether an object is entries under their keys, rather than one thing with its fields."""
    return bool(value) and all(
        (isinstance(item, dict) or name in inner)
        and (A_PLACE.fullmatch(column_key(name)) or role_of(name) is None)
        and not _is_container(name)
        for name, item in value.items()
    )


def _with_roles(
    records: list[tuple[int, dict[str, str]]], role_of: RoleOf
) -> list[tuple[int, dict[str, str]]]:
    """The columns of keys named after what they hold: ranks if they count; raters if they stand
    under a name for such; otherwise the case, the model, the rater, whichever the rows do not
    name."""
    values: dict[str, dict[str, None]] = {}
    for _, row in records:
        for name, text in row.items():
            values.setdefault(name, {})[text] = None
    keys = [name for name in values if name.startswith(KEY)]
    taken = {role_of(name) for name in values if name not in keys}
    named: dict[str, str] = {}
    for name in sorted(keys, key=len, reverse=True):
        places = [A_PLACE.fullmatch(column_key(text)) for text in values[name]]
        counts = all(number and int(number[1]) <= MOST_RANKS for number in places)
        under = column_key(name.removeprefix(KEY)).split("_")[-1:]
        for role, is_it in (("rank", counts), ("rater", bool(set(under) & OF_RATERS))):
            if is_it and role not in taken and name not in named:
                named[name] = role
                taken.add(role)
    gold = next((name for name in values if role_of(name) == "gold"), "")
    golds = {name: {(row.get(name), row.get(gold)) for _, row in records} for name in keys}
    # a case has one gold diagnosis, and there are more cases than models
    others = sorted(
        (name for name in keys if name not in named),
        key=lambda name: (len(golds[name]) > len(values[name]), -len(values[name])),
    )
    free = [role for role in ("case", "model", "rater") if role not in taken]
    named |= dict(zip(others, free, strict=False))
    # in one document what is counted is its outermost entries
    outermost = min(keys, key=len)
    place_of = {text: number for number, text in enumerate(values[outermost], 1)}
    is_one = len({number for number, _ in records}) == 1
    return [
        (
            place_of[row[outermost]] if is_one and outermost in row else number,
            {named.get(name, name): text for name, text in row.items()},
        )
        for number, row in records
    ]
