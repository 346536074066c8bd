"""Gradings that lie on their side: a form with a question for each case, a row for each rater."""

import re
from collections.abc import Sequence

from python_llm.imports.cells import as_written
from python_llm.imports.numbered_rows import Row
from python_llm.labels import layout
from python_llm.labels.unfolding import parsed
from python_llm.parsing.folding import column_key
from python_llm.runs.cases import Case
from python_llm.runs.sideways import MOSTLY, case_in

_CASE = r"(?:(?:case|caso|cas|fall|patient|paciente)\W+)?"


def upright(rows: list[Row], cases: Sequence[Case], test_set: str) -> list[Row]:
    """A row for each rater and case, where each of most headings has the id of one of the `cases`;
    other rows as they are. What is left of a heading is the question."""
    rows = _of_raters(rows, cases, test_set)
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    case_of = {name: ref for name in names if (ref := case_in(name, cases, test_set))}
    others = [name for name in names if name not in case_of]
    is_of_cases = len({*case_of.values()}) > 1 and len(case_of) >= MOSTLY * len(names)
    if not is_of_cases or any(column_key(name) in layout.ROLES["case"] for name in others):
        return rows
    asked: dict[str, dict[str, str]] = {}  # by case: its columns by what they ask
    for name, ref in case_of.items():
        asked.setdefault(ref, {}).setdefault(_question(name, ref) or "gold_rank", name)
    if sum(map(len, asked.values())) < len(case_of):
        return rows
    return [
        Row(
            number,
            {
                **{name: values.get(name, "") for name in others},
                "case_id": ref,
                **{question: values.get(name, "") for question, name in questions.items()},
            },
        )
        for number, values in rows
        for ref, questions in asked.items()
    ]


def _question(name: str, ref: str) -> str:
    """What is left of a heading without its case."""
    return re.sub(rf"\W*\b{_CASE}{re.escape(ref)}\b\W*", " ", name, flags=re.IGNORECASE).strip()


def _of_raters(rows: list[Row], cases: Sequence[Case], test_set: str) -> list[Row]:
    """A row for each rater of a document that holds an object for each, with a label by case; where
    the keys are cases alone, a row for each rater and case. Other rows as they are."""
    if len(rows) != 1:
        return rows
    number, written = rows[0]
    objects = {name: parsed(text) for name, text in written.items()}
    labels = {name: item for name, item in objects.items() if isinstance(item, dict) and item}
    named = list(dict.fromkeys(name for item in labels.values() for name in item))
    values = [value for item in labels.values() for value in item.values()]
    is_plain = not any(isinstance(value, dict | list) for value in values)
    refs = {name: ref for name in named if (ref := case_in(name, cases, test_set))}
    is_of_cases = is_plain and len(refs) >= max(1, MOSTLY * len(named))
    if len(labels) < len(objects) or not is_of_cases:
        return rows
    if any(case_in(rater, cases, test_set) for rater in labels):
        return rows
    if not any(_question(name, ref) for name, ref in refs.items()):
        # an unknown case is one as well, and is set aside as such
        return [
            Row(
                number,
                {"rater": rater, "case_id": name, "gold_rank": as_written(item.get(name))},
            )
            for rater, item in labels.items()
            for name in named
            if name in item or name in refs
        ]
    return [
        Row(number, {"rater": rater, **{name: as_written(item.get(name)) for name in named}})
        for rater, item in labels.items()
    ]
