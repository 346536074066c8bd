"""A failing build says at once which rule broke, for which run and case, and what to do."""

import dataclasses

import duckdb
import pytest

from python_llm.job.dbt.failures import NAMES, Node, report

SECRET = "Sixty years old, lives in Arles"
BROKEN = Node(
    unique_id="test.kernel29.lists",
    kind="test",
    name="lists",
    file="tests/data/lists.sql",
    status="fail",
    description="Holds of our code. No list has a diagnosis twice.",
    sql="select configuration_id, case_id, narrative from answers where is_odd",
    n_failures=5,
    parents=("model.kernel29.answers",),
)
SKIPPED = Node(
    unique_id="model.kernel29.scores",
    kind="model",
    name="scores",
    file="scores.sql",
    status="skipped",
    parents=("model.kernel29.answers",),
)
LATER = dataclasses.replace(
    SKIPPED,
    unique_id="test.kernel29.later",
    kind="test",
    name="later",
    parents=("model.kernel29.scores",),
)


@pytest.fixture
def database(tmp_path):
    file = tmp_path / "kernel29.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "create table answers as select 'm/p/t' as configuration_id, 't/' || n as case_id, "
            f"'{SECRET}' as narrative, n > 3 as is_odd, if(n = 2, null, 'ok') as status "
            "from range(1, 9) as numbers (n)"
        )
    return file


def test_rule_rows_remedy_and_what_was_skipped(database):
    lines = list(report([BROKEN, SKIPPED, LATER], database))
    assert lines == [
        "FAIL lists (tests/data/lists.sql): 5 rows",
        "  Rule: No list has a diagnosis twice.",
        "  configuration_id=m/p/t, case_id=t/4",
        "  configuration_id=m/p/t, case_id=t/5",
        "  configuration_id=m/p/t, case_id=t/6",
        "  … and 2 more",
        "  To do: this holds whatever rows come in, so the mistake is in the project: correct the "
        "file if you have changed it, otherwise report these "
        "lines. To build without it: kernel29 runs forget m/p/t if it was recorded, or take it out "
        "of seeds/experiments/configurations.csv.",
        "  Skipped because of it: 2 nodes, scores first.",
    ]


def test_a_test_of_a_column_names_the_rows_with_the_value(database):
    node = dataclasses.replace(
        BROKEN,
        test="not_null",
        column="status",
        about="model.kernel29.answers",
        sql="select status from answers where status is null",
        n_failures=1,
    )
    assert "  configuration_id=m/p/t, case_id=t/2" in list(report([node], database))


def test_no_text_of_a_row_is_ever_shown(database):
    for sql in ("select narrative from answers", "select * from answers", "from nowhere", ""):
        said = "\n".join(report([dataclasses.replace(BROKEN, sql=sql)], database))
        assert SECRET not in said
        assert "Rule: No list has a diagnosis twice." in said
    assert not {"narrative", "gold_name", "gold_diagnosis", "answer_text", "record_id"} & {*NAMES}
    message = (
        "Runtime Error in model scores (scores.sql)\n  Conversion Error: Could not convert string "
        f"'{SECRET}' to INT32\n  LINE 3: cast(x as integer)"
    )
    error = dataclasses.replace(SKIPPED, status="error", message=message)
    assert next(report([error], database)) == (
        "ERROR model scores (scores.sql): Conversion Error: Could not convert string '…' to INT32"
    )


def test_columns_that_differ_from_the_contract_are_named(database):
    message = (
        "Compilation Error in model scores (scores.sql)\n"
        "  This model has an enforced contract that failed.\n"
        "  Please ensure the name, data_type, and number of columns in your contract match\n"
        "  | column_name | definition_type | contract_type | mismatch_reason       |\n"
        "  | ----------- | --------------- | ------------- | --------------------- |\n"
        "  | new         | DOUBLE          |               | missing in contract   |\n"
        "  | old         |                 | VARCHAR       | missing in definition |\n"
    )
    error = dataclasses.replace(SKIPPED, status="error", message=message)
    assert next(report([error], database)) == (
        "ERROR model scores (scores.sql): the columns differ from the contract: new (DOUBLE, "
        "declared nowhere): missing in contract; old (not built, declared VARCHAR): missing in "
        "definition"
    )


def test_what_was_not_built_comes_before_what_does_not_hold(database):
    error = dataclasses.replace(SKIPPED, status="error", message="Database Error\n  Locked: wait.")
    lines = list(report([BROKEN, error], database))
    assert lines[0] == "ERROR model scores (scores.sql): Locked: wait."
    assert any(line.startswith("FAIL") for line in lines)


@pytest.mark.parametrize(
    ("kind", "message", "remedy"),
    [
        ("model", "IO Error: Corrupt database file: computed checksum 1", "damaged: delete it"),
        ("model", 'IO Error: Could not read enough bytes from file "w"', "damaged: delete it"),
        ("seed", 'IO Error: Could not write file "w": No space left on device', "make room"),
        ("model", "Traceback\n IO Error: Could not write: No space left on device", "make room"),
        ("seed", "The seed file s.csv, line 3: too many fields; correct the file.", None),
        ("model", "Catalog Error: no such table", "the mistake is in the project"),
    ],
)
def test_the_remedy_is_for_what_is_at_fault(database, kind, message, remedy):
    node = dataclasses.replace(SKIPPED, status="error", kind=kind, message=message)
    advice = [line for line in report([node], database) if line.startswith("  To do: ")]
    assert len(advice) == (remedy is not None)
    assert all(remedy in line for line in advice)


def test_a_rule_that_data_does_not_meet_is_one_line_at_the_end(database):
    said = "Reports on data. Known names are there."
    odd = dataclasses.replace(BROKEN, name="anchors", status="warn", description=said)
    lines = list(report([odd, BROKEN], database))
    assert lines[0].startswith("FAIL lists")
    assert lines[-1] == "WARN anchors: 5 rows. Rule: Known names are there."


def test_a_mistake_in_sql_is_named_with_its_line(database):
    message = 'Runtime Error\n  Parser Error: syntax error at or near "fro"\n  LINE 14: fro x\n  ^'
    node = dataclasses.replace(SKIPPED, status="error", kind="model", message=message)
    first = next(iter(report([node], database)))
    assert first.endswith('syntax error at or near "fro" (line 14 of the compiled SQL)')
