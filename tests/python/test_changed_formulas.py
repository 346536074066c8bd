"""Which formulas a change can break."""

import pytest
from changed_formulas import unit_tests_of


def node(file, *macros):
    return {"original_file_path": file, "depends_on": {"macros": list(macros)}}


MANIFEST = {
    "macros": {"weight": node("macros/w.sql"), "score": node("macros/s.sql", "weight")},
    "nodes": {"a": node("models/a.sql", "score"), "b": node("models/b.sql")},
    "unit_tests": {
        name: {"name": name, "original_file_path": file, "depends_on": {"nodes": [model]}}
        for name, file, model in (("of_a", "a.yml", "a"), ("of_b", "b.yml", "b"))
    },
}


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"models/b.sql"}, ["of_b"]),
        ({"a.yml"}, ["of_a"]),
        ({"macros/w.sql"}, ["of_a"]),  # through the macro that calls it
        ({"README.md"}, []),
        ({"macros/s.sql", "b.yml"}, ["of_a", "of_b"]),
    ],
)
def test_a_formula_is_tested_if_what_it_is_made_of_changed(changed, names):
    assert unit_tests_of(MANIFEST, changed) == names
