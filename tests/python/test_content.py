"""The content of a table or view, by which a build tells that nothing has changed."""

import duckdb
import pytest

from python_llm.job.changes import state


@pytest.fixture
def connection():
    connection = duckdb.connect()
    connection.execute(state.SCHEMA)
    return connection


def content(connection, relation):
    return connection.execute("select build_state.content(?)", [relation]).fetchone()[0]


def test_the_rows_of_a_view_are_computed_once(connection):
    connection.execute("create sequence computed")
    connection.execute("create view v as from range(5) where nextval('computed') > 0 * range")
    content(connection, "v")
    assert connection.execute("select currval('computed')").fetchone() == (5,)


def test_content_is_types_and_rows_in_any_order(connection):
    connection.execute("create table a as from (values (1, 'x'), (2, null)) as whole (n, t)")
    connection.execute("create table b as from a order by n desc")
    connection.execute("create table c as select n::bigint as n, t from a")
    connection.execute("create table d as from a union all from a")
    assert content(connection, "a") == content(connection, "b")
    assert len({content(connection, relation) for relation in "acd"}) == 3


def test_tables_without_rows_differ_by_their_types(connection):
    connection.execute("create table a (n integer)")
    connection.execute("create table b (n bigint)")
    assert content(connection, "a") != content(connection, "b")
