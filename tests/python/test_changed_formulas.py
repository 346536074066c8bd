"""Which formulas a change can break."""

import pytest
from changed_formulas import ancestors_of, unit_tests_of


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


def test_a_formula_needs_what_its_model_is_made_of():
    nodes = {
        "seed.k.s": {"depends_on": {}},
        "model.k.a": {"depends_on": {"nodes": ["seed.k.s", "source.k.x"]}},
        "model.k.b": {"depends_on": {"nodes": ["model.k.a"]}},
        "model.k.other": {"depends_on": {"nodes": []}},
    }
    tests = {"of_b": {"name": "of_b", "depends_on": {"nodes": ["model.k.b"]}}}
    needed = ancestors_of({"nodes": nodes, "unit_tests": tests}, ["of_b"])
    assert needed == {"model.k.a", "seed.k.s"}
