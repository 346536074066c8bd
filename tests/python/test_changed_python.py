"""`make test-fast` leaves out no Python test that a change could break."""

import pytest
from changed_python import files_of_tests

CODES = {
    "python_llm/__init__.py": "",
    "python_llm/low.py": "import json",
    "python_llm/high.py": "def late():\n    from python_llm import low",
    "tests/python/conftest.py": "",
    "tests/python/engine/conftest.py": "import server",
    "tests/python/helpers/server.py": "",
    "tests/python/engine/test_engine.py": "",
    "tests/python/test_low.py": "from python_llm.low import anything",
    "tests/python/test_high.py": "import python_llm.high",
    "tests/python/test_neither.py": "import json",
    "tests/spark/test_scores.py": "import python_llm.low",
}
ALL = [
    *("tests/python/engine/test_engine.py", "tests/python/test_high.py"),
    *("tests/python/test_low.py", "tests/python/test_neither.py"),
]


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ((), []),
        (("tests/python/test_neither.py",), ["tests/python/test_neither.py"]),
        (("python_llm/high.py",), ["tests/python/test_high.py"]),
        (("python_llm/low.py",), ["tests/python/test_high.py", "tests/python/test_low.py"]),
        (("python_llm/__init__.py",), ["tests/python/test_high.py", "tests/python/test_low.py"]),
        (("tests/python/helpers/server.py",), ["tests/python/engine/test_engine.py"]),
        (("tests/python/conftest.py",), ALL),
        (("seeds/calls/prices.csv",), ALL),
        (("python_llm/prompts/any/system.txt",), ALL),
        (("README.md", "models/marts/dim_case.sql"), []),
    ],
)
def test_what_a_change_may_break_runs(changed, tests):
    """But for the tests on Spark, which the environment of the others lacks."""
    assert files_of_tests(CODES, set(changed)) == tests
