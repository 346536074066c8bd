"""Keys that are a list, in whatever form an examination's solutions come."""

import json

import pytest

from python_llm.questions.keys import read_key_file

LISTS = {
    "a.json": '["B", "A", "C"]',
    "b.json": '{"solutions": ["B", "A", "C"]}',
    "c.json": json.dumps([{"number": n, "solution": key} for n, key in enumerate("BAC", 1)]),
    "d.json": '{"1": "B", "2": "A", "3": "C"}',
    "e.csv": "B\nA\nC\n",
    "f.csv": "pregunta;solución\n1;B\n2;A\n3;C\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_solutions_is_a_key(tmp_path, name):
    (tmp_path / name).write_text(LISTS[name])
    assert read_key_file(tmp_path / name, {}) == {"1": "B", "2": "A", "3": "C"}
