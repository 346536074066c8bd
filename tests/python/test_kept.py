"""What a Python model made of each row is used again where making it would give the same."""

from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest

from python_llm.job.changes import kept, state

NODE, ROWS_FROM, OTHER = "model.kernel29.words", "model.kernel29.notes", "seed.kernel29.stops"
SCHEMA = pa.schema([("case_id", pa.string()), ("n", pa.int32()), ("word", pa.string())])


class House:
    """A warehouse in which a model takes notes apart into words, and how many notes it was given
    each time."""

    def __init__(self, monkeypatch):
        self.connection = duckdb.connect()
        self.connection.execute(state.SCHEMA)
        self.parts = {NODE: "code"}
        self.given = []
        project = SimpleNamespace(parents=lambda _: [ROWS_FROM, OTHER])
        run = SimpleNamespace(project=project, parts=lambda node, _: self.parts.get(node))
        monkeypatch.setattr(state, "RUN", run)
        self.other("stops")

    def other(self, content):
        self.connection.execute("delete from build_state.node")
        self.connection.execute(
            "insert into build_state.node (unique_id, content) values (?, ?)", [OTHER, content]
        )

    def build(self, notes):
        rows = pa.Table.from_pylist(
            [{"case_id": name, "note": note} for name, note in notes.items()],
            schema=pa.schema([("case_id", pa.string()), ("note", pa.string())]),
        )
        relation = self.connection.from_arrow(rows)
        made = kept.by_row(self.connection, NODE, relation, ROWS_FROM, self._words)
        assert made.schema == SCHEMA
        words = {}
        for row in sorted(made.to_pylist(), key=lambda row: row["n"]):
            words.setdefault(row["case_id"], []).append(row["word"])
        return words

    def _words(self, rows):
        self.given.append(len(rows))
        return pa.Table.from_pylist(
            [
                {"case_id": row["case_id"], "n": n, "word": word}
                for row in rows.to_pylist()
                for n, word in enumerate(row["note"].split())
            ],
            schema=SCHEMA,
        )


@pytest.fixture
def house(monkeypatch):
    return House(monkeypatch)


def test_only_new_rows_are_made(house):
    first = house.build({"a": "one two", "b": "", "c": "three"})
    assert first == {"a": ["one", "two"], "c": ["three"]}
    assert house.build({"a": "one two", "b": "", "d": "four"}) == {
        "a": ["one", "two"],
        "d": ["four"],
    }
    assert house.given == [3, 1]  # a note without any word is kept too


def test_equal_rows_are_made_once_for_all_their_cases(house):
    assert house.build({"a": "same", "b": "same"}) == {"a": ["same"], "b": ["same"]}
    assert house.given == [1]


@pytest.mark.parametrize("change", ["code", "other parent", "forgotten"])
def test_all_is_made_again_when_anything_else_changed(house, change):
    house.build({"a": "one"})
    if change == "code":
        house.parts[NODE] = "other code"
    elif change == "other parent":
        house.other("other stops")
    else:
        kept.forget(house.connection)
    assert house.build({"a": "one"}) == {"a": ["one"]}
    assert house.given == [1, 1]


def test_nothing_is_kept_where_it_is_unknown_what_was_built(house):
    house.parts.clear()
    for _ in range(2):
        assert house.build({"a": "one"}) == {"a": ["one"]}
    assert house.given == [1, 1]


def test_what_no_row_needs_any_more_is_dropped(house):
    house.build({"a": "one", "b": "two"})
    house.build({"b": "two"})
    (n,) = house.connection.execute("select count(*) from build_state.kept_words").fetchone()
    assert n == 1


def test_a_failure_leaves_what_was_kept(house, monkeypatch):
    house.build({"a": "one"})
    with monkeypatch.context() as patched:
        patched.setattr(house, "_words", lambda rows: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            house.build({"a": "one", "b": "two"})
    assert house.build({"a": "one", "b": "two"}) == {"a": ["one"], "b": ["two"]}
    assert house.given == [1, 1]
