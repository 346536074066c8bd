"""What the warehouse knows of how its tables came about: the schema build_state.

`build_state.node` has a row for each time a model or seed was built or a test passed, written in
the transaction that made the table (macros/dbt/state.sql): its parts (fingerprints), the content of
its parents, its own content. The newest row counts. A node is current while its parts are what they
were, its parents hold what they held and its table still holds what it was given. dbt_plugin
prepares the schema on every connection, so plain dbt leaves the same state.
"""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from python_llm.job.changes import digests
from python_llm.job.changes.fingerprints import Parts, Project

TABLES = """
create schema if not exists build_state;
create table if not exists build_state.node (
    unique_id varchar not null,
    relation varchar,
    parts varchar,
    inputs varchar,
    content varchar,
    made_at timestamptz not null default get_current_timestamp()
);
create or replace view build_state.latest as
select distinct on (unique_id) * from build_state.node order by unique_id, made_at desc, rowid desc;
"""
# The content of a table or view whatever the order of its rows: types, number, sum of hashes. The
# rows are read once: those of a view are computed for it.
CONTENT = """
create or replace macro build_state.content(relation) as (
    select md5(concat_ws(
        '|',
        (
            select typeof(_row)
            from (select 1)
            left join (select * from query_table(relation) where false) as _row on true
        ),
        (select concat_ws('|', count(*), sum(hash(_row))) from query_table(relation) as _row)
    ))
);
"""
SCHEMA = TABLES + CONTENT


@dataclass
class Run:
    """What the functions node_parts and node_content know in this process. project: the one that is
    built, None while it is unknown; find: asked for the project when it is needed first; contents:
    of each node, as it was noted; is_whole: it builds all that is not current; withheld: nodes
    that the next build has to build, whatever this one has made of them, each with the reason."""

    project: Project | None = None
    find: Callable[[], Project | None] = lambda: None
    before: dict[str, Parts] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    is_whole: bool = False
    withheld: dict[str, str] = field(default_factory=dict)

    def known(self) -> Project | None:
        """The project that is built, as far as that can be found out."""
        self.project = self.project or self.find()
        return self.project

    def parts(self, unique_id: str, moment: str) -> str | None:
        """The parts of a node as JSON, for the table build_state.node.

        moment now: as they are. moment made: as they were when it was its turn, but what the node
        writes itself as it has left it. Null where the project is unknown, and a text that says why
        of a node that was withheld: what is built then is stale to the next build.
        """
        if reason := self.withheld.get(unique_id):
            return json.dumps(reason)
        project = self.known()
        if project is None or unique_id not in project.nodes:
            return None
        if moment == "now" or project.keeps(unique_id) or unique_id not in self.before:
            self.before[unique_id] = project.parts(unique_id)
        return _text(self.before[unique_id])

    def content(self, unique_id: str, content: str) -> str:
        """The content of a node that is being noted, as it is."""
        self.contents[unique_id] = content
        return content


RUN = Run()


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the schema and its functions known to a connection of dbt."""
    connection.execute(SCHEMA)
    connection.create_function(
        "node_parts",
        lambda unique_id, moment: RUN.parts(unique_id, moment),
        ["VARCHAR", "VARCHAR"],
        "VARCHAR",
        type=PythonUDFType.NATIVE,
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=True,
    )
    connection.create_function(
        "node_content",
        lambda unique_id, content: RUN.content(unique_id, content),
        ["VARCHAR", "VARCHAR"],
        "VARCHAR",
        type=PythonUDFType.NATIVE,
        side_effects=True,
    )


@dataclass(frozen=True)
class Made:
    """The newest row of a node in build_state.node."""

    relation: str | None
    parts: Parts
    inputs: str
    content: str
    made_at: dt.datetime


def made_in(connection: duckdb.DuckDBPyConnection) -> dict[str, Made]:
    """What a warehouse that has the schema says of each node; nothing of one without state yet."""
    rows = connection.execute("select * from build_state.latest").fetchall()
    return {
        unique_id: Made(relation, of_node, inputs, content, made_at)
        for unique_id, relation, parts, inputs, content, made_at in rows
        if parts is not None
        and inputs is not None
        and content is not None
        and isinstance(of_node := json.loads(parts), dict)
    }


def _withheld(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Why each node that was withheld was so."""
    rows = connection.execute(
        "select unique_id, parts from build_state.latest where starts_with(parts, $1)", ['"']
    ).fetchall()
    return {unique_id: json.loads(reason) for unique_id, reason in rows}


def tidy(
    warehouse: Path, project: Project, is_untouched: bool, is_trial: bool = False
) -> tuple[dict[str, Made], dict[str, str]]:
    """Forget what is no longer so. Returns what the warehouse said of each node before, and the
    nodes of the project that were forgotten, each with the reason.

    Older rows go, and tables of nodes that the project no longer has. A node whose table is missing
    or was altered is forgotten; contents are compared unless the warehouse `is_untouched` since a
    build closed it. Those that were withheld are named, too. A trial writes nothing.
    """
    if not warehouse.is_file():
        return {}, {}
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("begin")
        connection.execute(SCHEMA)
        made_before = made_in(connection)
        connection.execute(
            "delete from build_state.node where (unique_id, made_at) not in"
            " (select (unique_id, made_at) from build_state.latest)"
        )
        _drop_orphans(connection, project)
        relations = _relations(connection)
        comments = _comments(connection)
        forgotten = {}
        rows = connection.execute(
            "select unique_id, relation, content from build_state.latest where relation is not null"
        ).fetchall()
        for unique_id, relation, content in rows:
            if relation not in relations:
                forgotten[unique_id] = "its table is missing"
            elif unique_id in project.nodes and (
                comments.get(relation, {}) != project.comments(unique_id)
            ):
                forgotten[unique_id] = "its comments in the warehouse are other ones"
            elif not is_untouched and content != _content(connection, relation):
                forgotten[unique_id] = "its rows were altered"
        for unique_id in forgotten:
            connection.execute("delete from build_state.node where unique_id = ?", [unique_id])
        reasons = _withheld(connection) | forgotten
        connection.execute("rollback" if is_trial else "commit")
    return made_before, reasons


def note_closed(warehouse: Path) -> None:
    """Leave how the warehouse looks now that no build has it open."""
    _closed(warehouse).write_text(digests.look(warehouse), encoding="utf-8")


def is_as_closed(warehouse: Path) -> bool:
    """Whether nobody has written into the warehouse since the last `note_closed`."""
    note = _closed(warehouse)
    return note.is_file() and note.read_text(encoding="utf-8") == digests.look(warehouse)


def _closed(warehouse: Path) -> Path:
    return warehouse.with_name("closed.txt")


def _relations(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The name of every table and view."""
    rows = connection.execute(
        "select schema_name || '.' || table_name from duckdb_tables()"
        " union all select schema_name || '.' || view_name from duckdb_views()"
    ).fetchall()
    return {name for (name,) in rows}


def _comments(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str | None, str]]:
    """The comments of every table and view that has any: of each column, and of itself as None."""
    rows = connection.execute(
        "select schema_name || '.' || table_name, null, comment from duckdb_tables()"
        " union all select schema_name || '.' || view_name, null, comment from duckdb_views()"
        " union all select schema_name || '.' || table_name, column_name, comment"
        " from duckdb_columns()"
    ).fetchall()
    comments: dict[str, dict[str | None, str]] = {}
    for relation, column, text in rows:
        if text is not None:
            comments.setdefault(relation, {})[column] = text
    return comments


def _drop_orphans(connection: duckdb.DuckDBPyConnection, project: Project) -> None:
    """Drop the tables of nodes that the project no longer has."""
    rows = connection.execute("select unique_id, relation from build_state.latest").fetchall()
    kept = {relation for unique_id, relation in rows if unique_id in project.nodes}
    kept |= {f"{node['schema']}.{node['alias']}" for node in project.nodes.values()}
    for unique_id, relation in rows:
        if unique_id in project.nodes:
            continue
        if relation is not None and relation not in kept:
            schema, name = relation.split(".")
            is_view = connection.execute(
                "select count(*) from duckdb_views() where schema_name = ? and view_name = ?",
                [schema, name],
            ).fetchall()[0][0]
            connection.execute(f'drop {"view" if is_view else "table"} if exists {schema}."{name}"')
        connection.execute("delete from build_state.node where unique_id = ?", [unique_id])


def _content(connection: duckdb.DuckDBPyConnection, relation: str) -> str | None:
    try:
        ((content,),) = connection.execute("select build_state.content(?)", [relation]).fetchall()
    except duckdb.Error:
        return None
    return str(content)


def _text(parts: Parts) -> str:
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))
