"""What a Python model made of each row stays in the warehouse, for the next build to use again.

For a model that treats every row of its input by itself and takes long over it: a new case among
thousands then costs what one case costs. A row's result is kept under a digest of the row and of
everything else that went into it: the parts of the node (its code, its modules, the versions of
packages) and the content of its other parents. So it is used only where making it again would make
the same. `kernel29 build --full` forgets what is kept.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from python_llm.job.changes import apart

PREFIX = "kept_"
ID = "case_id"


def by_row(
    session: duckdb.DuckDBPyConnection,
    unique_id: str,
    rows: duckdb.DuckDBPyRelation,
    rows_from: str,
    make: Callable[[pa.Table], pa.Table],
) -> pa.Table:
    """What `make` returns for `rows`, made of those only that are not kept.

    unique_id  the node that is built
    rows       one row per case_id; they come from the node `rows_from` and from no other
    make       a table like `rows` to a table with any number of rows per case_id. What it makes of
               a row may depend on no other row and not on its case_id. It can be pickled:
               another process reads half of the rows where they are many.
    """
    else_made_of = _all_but(session, unique_id, rows_from)
    if else_made_of is None:
        return apart.made(make, rows.to_arrow_table())
    table = f"build_state.{PREFIX}{unique_id.split('.')[-1]}"
    has_table = _is_made_of(session, table, else_made_of)
    session.register("all_rows", rows.to_arrow_table())
    session.execute(
        "create or replace temp table digested as select *, sha256("
        f"to_json({_packed(name for name in rows.columns if name != ID)}) || '{else_made_of}'"
        ") as row_digest from all_rows"
    )
    of_new = f"where row_digest not in (select row_digest from {table})" if has_table else ""
    new_rows = session.sql(
        f"select distinct on (row_digest) * exclude ({ID}, row_digest), row_digest as {ID} "
        f"from digested {of_new}"
    ).to_arrow_table()
    made = apart.shared(make, new_rows.select(rows.columns))
    results = [name for name in made.schema.names if name != ID]
    session.register("new_rows", new_rows)
    session.register("made", made)
    results_of_new = (
        f"select new_rows.{ID} as row_digest, '{else_made_of}' as else_made_of, "
        f"list({_packed(results)}) filter (where made.{ID} is not null) as results "
        f"from new_rows left join made on new_rows.{ID} = made.{ID} group by all"
    )
    # a row is kept whole or not at all; a build that is killed here leaves the table it had
    with _transaction(session):
        if has_table:
            session.execute(f"insert into {table} by name {results_of_new}")
        else:
            session.execute(f"create or replace table {table} as {results_of_new}")
        session.execute(
            f"delete from {table} where row_digest not in (select row_digest from digested)"
        )
    all_made = session.execute(
        f"select {ID}, {', '.join(results)} from ("
        f"select digested.{ID}, unnest(kept.results, max_depth := 2) from digested "
        f"inner join {table} as kept on digested.row_digest = kept.row_digest)"
    ).to_arrow_table()
    session.execute("drop table digested")
    for name in ("all_rows", "new_rows", "made"):
        session.unregister(name)
    return all_made.select(made.schema.names).cast(made.schema)


@contextmanager
def _transaction(session: duckdb.DuckDBPyConnection) -> Iterator[None]:
    session.execute("begin")
    try:
        yield
    except BaseException:
        session.execute("rollback")
        raise
    session.execute("commit")


def forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop all that is kept."""
    names = connection.execute(
        "select table_name from duckdb_tables() "
        f"where schema_name = 'build_state' and starts_with(table_name, '{PREFIX}')"
    ).fetchall()
    for (name,) in names:
        connection.execute(f'drop table build_state."{name}"')


def _all_but(session: duckdb.DuckDBPyConnection, unique_id: str, rows_from: str) -> str | None:
    """A digest of what a node is made of beside the rows of one parent; None if it is unknown."""
    # one patient's work-up has no such schema, and does not wait for what a build needs
    if not session.execute(
        "from duckdb_schemas() where schema_name = 'build_state' limit 1"
    ).fetchall():
        return None
    from python_llm.job.changes import state
    from python_llm.job.changes.digests import digest

    parts = state.RUN.parts(unique_id, "now")
    project = state.RUN.project
    if parts is None or project is None:
        return None
    others = sorted({*project.parents(unique_id)} - {rows_from})
    contents = dict(
        session.execute(
            "select unique_id, content from build_state.latest where content is not null"
        ).fetchall()
    )
    if any(parent not in contents for parent in others):
        return None
    return digest("\n".join([parts, *(f"{parent} {contents[parent]}" for parent in others)]))


def _is_made_of(session: duckdb.DuckDBPyConnection, table: str, else_made_of: str) -> bool:
    """Whether the table of what is kept is there, and of this digest."""
    try:
        row = session.execute(f"select else_made_of from {table} limit 1").fetchone()
    except duckdb.CatalogException:
        return False
    return row is not None and row[0] == else_made_of


def _packed(columns: Iterable[str]) -> str:
    """An expression for these columns as one value."""
    return f"struct_pack({', '.join(f'{name} := {name}' for name in columns)})"
