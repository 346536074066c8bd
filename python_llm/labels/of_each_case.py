"""Gradings that lie on their side: a form with a question for each case, a row for each rater."""

import re
from collections.abc import Sequence

from python_llm.imports.numbered_rows import Row
from python_llm.labels import layout
from python_llm.parsing.folding import column_key
from python_llm.runs.cases import Case
from python_llm.runs.sideways import MOSTLY, case_in

_CASE = r"(?:(?:case|caso|cas|fall|patient|paciente)\W+)?"


def upright(rows: list[Row], cases: Sequence[Case], test_set: str) -> list[Row]:
    """A row for each rater and case, where each of most headings has the id of one of the `cases`;
    other rows as they are. What is left of a heading is the question."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    case_of = {name: ref for name in names if (ref := case_in(name, cases, test_set))}
    others = [name for name in names if name not in case_of]
    is_of_cases = len({*case_of.values()}) > 1 and len(case_of) >= MOSTLY * len(names)
    if not is_of_cases or any(column_key(name) in layout.ROLES["case"] for name in others):
        return rows
    asked: dict[str, dict[str, str]] = {}  # by case: its columns by what they ask
    for name, ref in case_of.items():
        question = re.sub(rf"\W*\b{_CASE}{re.escape(ref)}\b\W*", " ", name, flags=re.IGNORECASE)
        asked.setdefault(ref, {}).setdefault(question.strip() or "gold_rank", name)
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
