"""Tables of answers that lie on their side: a column for each case, or for each disease."""

import re
from collections.abc import Mapping, Sequence

from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import column_key
from python_llm.runs.cases import Case
from python_llm.runs.matching import by_id
from python_llm.runs.reading import MODELS, ROLES, WIDE, value_of
from python_llm.runs.weights import weight_of

MOSTLY = 0.5  # share of the columns of a table that are of cases, or of diseases
FEWEST = 3  # diseases
MOST_IN_ALL = 1.02  # of the probabilities of a case, which were rounded
_WORD = re.compile(r"\w+(?:[-/.]\w+)*")
_OF_ANSWERS = (*ROLES["answer"], *ROLES["diagnosis"])

Upright = tuple[list[Row], list[str]]  # rows, and what to say of them


def upright(
    name: str, rows: list[Row], assigned: Mapping[str, str], cases: Sequence[Case], test_set: str
) -> Upright:
    """The rows of a file called `name` with a row for each case, rank or disease, where a column is
    one of the `cases` or a disease. Others as they are, as are those whose answers are named."""
    names = [*rows[0].values] if rows else []
    known = {column_key(column) for column in names}
    has_answers = not known.isdisjoint(_OF_ANSWERS) or any(map(WIDE.fullmatch, known))
    if has_answers or {"answer", "diagnosis"} & assigned.keys():
        return rows, []
    case = assigned.get("case") or next((n for n in names if column_key(n) in ROLES["case"]), None)
    if case is not None:
        return _of_diseases(name, rows, case)
    return _of_cases(name, rows, names, cases, test_set)


def _of_cases(
    name: str, rows: list[Row], names: Sequence[str], cases: Sequence[Case], test_set: str
) -> Upright:
    """A row for each case and row, where each of most columns has the id of one case in its name:
    a survey with a question for each, or a table with a row for each rank."""
    case_of = {column: ref for column in names if (ref := case_in(column, cases, test_set))}
    others = [column for column in names if column not in case_of]
    if len({*case_of.values()}) < 2 or len(case_of) < MOSTLY * len(names):
        return rows, []
    if len({*case_of.values()}) < len(case_of):
        return rows, []
    is_by_rank = any(column_key(column) in ROLES["rank"] for column in others)
    role = "diagnosis" if is_by_rank else "answer"
    turned = [
        Row(number, {"case_id": ref, **{n: values.get(n, "") for n in others}, role: text})
        for number, values in rows
        for column, ref in case_of.items()
        if (text := value_of(values.get(column, "")))
    ]
    told = f"{name}: {len(case_of)} columns are of a case each, by the ids in their names."
    return turned, [told]


def case_in(column: str, cases: Sequence[Case], test_set: str) -> str | None:
    """The id of a case that a name is or has among its words; a bare number may be a rank."""
    words = [column, *_WORD.findall(column)]
    named = by_id([word for word in words if not word.isdecimal()], test_set, list(cases))
    return next(iter(named)) if len({case.case_id for case in named.values()}) == 1 else None


def _of_diseases(name: str, rows: list[Row], case: str) -> Upright:
    """A row for each case and disease with its probability, where most columns are a disease with a
    share or a percentage for each case; what is 0 is left out."""
    columns = [
        column
        for column in rows[0].values
        if column != case
        and column_key(column) not in MODELS
        and sum(map(str.isalpha, column)) > FEWEST
        and all(_is_share(row.values.get(column, "")) for row in rows)
    ]
    others = [column for column in rows[0].values if column not in (case, *columns)]
    if len(columns) < FEWEST or len(columns) < MOSTLY * len(rows[0].values):
        return rows, []
    shares = [[weight_of(row.values.get(column, "")) or 0 for column in columns] for row in rows]
    if any(sum(of_row) > MOST_IN_ALL for of_row in shares) or not any(
        0 < share < 1 for of_row in shares for share in of_row
    ):
        return rows, []
    turned = [
        Row(
            number,
            {
                "case_id": values.get(case, ""),
                **{n: values.get(n, "") for n in others},
                "diagnosis": column,
                "probability": values[column],
            },
        )
        for (number, values), of_row in zip(rows, shares, strict=True)
        for column, share in zip(columns, of_row, strict=True)
        if share
    ]
    return turned, [
        f"{name}: {len(columns)} columns are read as diagnoses with their probabilities; what is 0 "
        "is left out."
    ]


def _is_share(written: str) -> bool:
    """Whether a cell is a share, a percentage with its sign, or empty."""
    text = value_of(written)
    weight = weight_of(text) if text else 0.0
    return weight is not None and weight <= 1
