"""Where the cases are in a JSON document."""

from pathlib import Path

import pytest

from python_llm.imports.nesting import unwrapped
from python_llm.imports.numbered_rows import Row

ONE, TWO = ({"id": n, "text": f"Fever, {n} days.", "diagnosis": "Gout"} for n in (1, 2))


def cases_of(document):
    return [values for _, values in unwrapped(Path("cases.json"), iter([Row(1, document)]))]


@pytest.mark.parametrize(
    "document",
    [
        {"records": [ONE, TWO]},
        {"export": {"generated": "2026-01-01", "records": [ONE, TWO]}},
        {"data": {"cases": [ONE, TWO]}, "version": 3},
        {"study": "A", "patients": {"1": ONE, "2": TWO}},
        {"wards": [{"patients": [ONE]}, {"ward": "B", "patients": [TWO]}]},
    ],
)
def test_cases_are_found_within_what_is_around_them(document):
    assert cases_of(document) == [ONE, TWO]


def test_a_list_within_a_case_is_not_a_list_of_cases():
    case = {"id": 1, "text": "Fever.", "records": [{"date": "2026-01-01"}, {"date": "2026-01-02"}]}
    assert cases_of({"cases": [case, case]}) == [case, case]
