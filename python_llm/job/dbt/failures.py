"""What a failing build says: which rule broke for which run and case, and what to do about it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

MOST_ROWS = 3  # shown of a failing test
# Columns that name a row and say nothing of a patient: no text, no name, no label is shown.
NAMES = (
    *("configuration_id", "case_id", "judge_id", "diagnosis_rank", "test_set", "question_set"),
    *("question_id", "source_file", "source_line", "source_row", "setting", "scale", "metric"),
    *("stratum_kind", "note_set", "tenant_id", "document_id", "feedback_id", "model_alias"),
    *("prompt_alias", "request_key", "answer_key", "row_number", "n_rows"),
)
# the query of such a test returns values of one column: the rows that break it are those with one
OF_ONE_COLUMN = ("not_null", "accepted_values", "relationships")
# what a generic test without a description of its own says
RULES = {
    "grain": "{table} has one row per {columns}, none of them empty",
    "not_null": "{column_name} of {table} is never empty",
    "accepted_values": "{column_name} of {table} is one of {values}",
    "relationships": "every {column_name} of {table} is a {field} of {to}",
    "adds_up": "the parts of {table} add up to {total} in every row",
}
BEGINS = r"^(Holds of our code|Reports on data)\. "  # how descriptions of tests begin
OURS = (
    "this holds whatever rows come in, so the mistake is in the project: correct the file if you "
    "have changed it, otherwise report these lines."
)
# what DuckDB says of a file that is no whole database
DAMAGED = (
    *("not a valid DuckDB", "Corrupt database", "deserializ", "WAL file"),
    "Could not read enough bytes",  # it was cut off
)
FULL = ("No space left", "max_temp_directory_size", "quota exceeded", "File too large")
# what is the machine's, and what to do about it
OF_THE_MACHINE = {
    DAMAGED: "the warehouse is damaged: delete it and build again, which makes it anew; imports, "
    "ledger and serve/ are elsewhere.",
    FULL: "the disk is full: make room where the error says, or for build/, and build again, which "
    "goes on from here.",
}
# what dbt puts around the sentence that says what is wrong
HEADING = re.compile(r"(\w+ )?(Database|Runtime|Compilation) Error( in .*)?$|compiled code at |> ")
# errors of the database about a value quote it, and the value may be a patient's
# a row of dbt's table of columns: name, type in the query, type in the yml, what differs
OF_CONTRACT = re.compile(
    r"\|\s*(?!column_name)(\w+)\s*\|\s*([^|]*?)\s*\|\s*([^|]*?)\s*\|\s*([^|]*[a-z][^|]*?)\s*\|"
)
OF_A_VALUE = re.compile(r"(Conversion|Invalid Input|Out of Range|Constraint) Error: ")


@dataclass(frozen=True)
class Node:
    """What is known of a model, seed or test that was built, failed or was skipped."""

    unique_id: str
    kind: str  # model, seed, test …
    name: str
    file: str
    status: str
    message: str = ""
    description: str = ""
    sql: str = ""
    n_failures: int = 0
    test: str = ""  # name of a generic test
    column: str = ""  # that it is about
    about: str = ""  # unique id of the model or seed that it is about
    remedy: str = ""
    parents: Sequence[str] = field(default_factory=tuple)

    @property
    def table(self) -> str:
        """Name of the model or seed that a generic test is about."""
        return self.about.rpartition(".")[-1]


def report(nodes: Sequence[Node], database: Path) -> Iterator[str]:
    """Lines on what failed, first things first, each followed by what was skipped because of it;
    then a line for each rule that somebody's data does not meet, which stops nothing.

    nodes: all that the build came to. database: the built warehouse; it is only read. Of a test
    that failed up to MOST_ROWS rows are named by their ids (NAMES); no text of a row is shown.
    """
    failed = [node for node in nodes if node.status in ("error", "fail")]
    # a model that could not be built is the cause of more than a rule that does not hold
    for node in sorted(failed, key=lambda node: node.status == "fail"):
        if node.status == "fail":
            yield from _of_test(node, database)
        else:
            yield f"ERROR {node.kind} {node.name} ({node.file}): {sentence(node.message)}"
            if remedy := _remedy_of_error(node):
                yield f"  To do: {remedy}"
        skipped = _skipped(node, nodes)
        if skipped:
            models = [failed_node.name for failed_node in skipped if failed_node.kind == "model"]
            named = f", {models[0]} first" if models else ""
            yield f"  Skipped because of it: {len(skipped)} nodes{named}."
    for node in nodes:
        if node.status == "warn":
            yield f"WARN {node.name}: {_counted(node)}. Rule: {_rule(node)}"


def _of_test(node: Node, database: Path) -> Iterator[str]:
    yield f"FAIL {node.name} ({node.file}): {_counted(node)}"
    if node.description:
        yield f"  Rule: {_rule(node)}"
    rows = list(_rows(node, database))
    yield from (f"  {line}" for line in rows)
    if rows and node.n_failures > len(rows):
        yield f"  … and {node.n_failures - len(rows)} more"
    yield f"  To do: {node.remedy or _remedy(node, rows)}"


def _counted(node: Node) -> str:
    return f"{node.n_failures} row{'s' if node.n_failures != 1 else ''}"


def _rule(node: Node) -> str:
    """The description without the words that say which kind of rule it is."""
    return " ".join(re.sub(BEGINS, "", node.description).split())


def _remedy_of_error(node: Node) -> str:
    """What to do about a node that could not be built; '' where its own sentence says it."""
    for words, remedy in OF_THE_MACHINE.items():
        if any(word in node.message for word in words):
            return remedy
    return node.remedy or ("" if is_python(node.message) or node.kind == "seed" else OURS)


def _remedy(node: Node, rows: Iterable[str]) -> str:
    if node.about.startswith("seed."):
        return f"correct that row of the seed {node.table}.csv, then build again."
    runs = re.findall(r"configuration_id=([^,\s]+)", " ".join(rows))
    if not runs:
        return OURS
    return (
        f"{OURS} To build without it: kernel29 runs forget {runs[0]} if it was recorded, or take "
        "it out of seeds/experiments/configurations.csv."
    )


def _rows(node: Node, database: Path) -> Iterator[str]:
    """Ids of rows that break a rule, `name=value` each; none if they cannot be asked for."""
    if not node.sql or not database.is_file():
        return
    try:
        with duckdb.connect() as connection:
            path = str(database).replace("'", "''")
            connection.execute(f"attach '{path}' as {_quoted(database.stem)} (read_only)")
            connection.execute(f"use {_quoted(database.stem)}")
            query = f"select * from ({node.sql}) as broken"
            if node.test in OF_ONE_COLUMN and node.table and node.column:
                tested_column, *_ = connection.execute(query).description[0]
                query = (
                    f"select rows_of.* from {_quoted(node.table)} as rows_of where exists ("
                    f"select 1 from ({node.sql}) as broken where rows_of.{_quoted(node.column)} "
                    f"is not distinct from broken.{_quoted(tested_column)})"
                )
            cursor = connection.execute(f"{query} limit 0")
            names = [column[0] for column in cursor.description]
            # a seed is the project's own: its first columns name a row
            is_ours = node.about.startswith("seed.")
            shown = names[:4] if is_ours else [name for name in NAMES if name in names]
            if not shown:
                return
            columns = ", ".join(map(_quoted, shown))
            result = connection.execute(
                f"select distinct {columns} from ({query}) as broken order by all limit {MOST_ROWS}"
            ).fetchall()
    except duckdb.Error:
        return  # the log has the query; what failed is said without its rows
    for row in result:
        yield ", ".join(
            f"{name}={value}" for name, value in zip(shown, row, strict=True) if value is not None
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _skipped(node: Node, nodes: Sequence[Node]) -> list[Node]:
    """Nodes that were skipped and depend on what failed; of a failed test, on what it tests."""
    children: dict[str, list[Node]] = {}
    for skipped_node in nodes:
        for parent in skipped_node.parents:
            children.setdefault(parent, []).append(skipped_node)
    reached: dict[str, Node] = {}
    waiting = list(node.parents) if node.kind == "test" else [node.unique_id]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child.status == "skipped" and child.unique_id not in reached:
                reached[child.unique_id] = child
                waiting.append(child.unique_id)
    return list(reached.values())


def is_python(message: str) -> bool:
    """Whether an error comes from Python code, whose sentences say themselves what to do."""
    return "Traceback" in message


def sentence(message: str) -> str:
    """The one line of a dbt message that says what is wrong.

    Of a Python traceback that is the last line without the class of the error; of a contract the
    columns that differ from it; of anything else the lines without their headings. A value that the
    database quotes is left out.
    """
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    if not lines:
        return "no message"
    if differing := [match for line in lines if (match := OF_CONTRACT.fullmatch(line))]:
        columns = (
            f"{name} ({made or 'not built'}, declared {declared or 'nowhere'}): {reason}"
            for name, made, declared, reason in (match.groups() for match in differing)
        )
        return "the columns differ from the contract: " + "; ".join(columns)
    if is_python(message):
        last_line = next(line for line in reversed(lines) if not HEADING.match(line))
        last_words = last_line.split(": ", 1)[-1]
        return (
            _without_value(last_line).split(": ", 1)[-1]
            if OF_A_VALUE.search(last_line)
            else last_words
        )
    body = [line for line in lines if not HEADING.match(line)]
    last_words = " ".join(body[:4]).split(" LINE ")[0] if body else lines[0]
    if OF_A_VALUE.search(last_words):
        return _without_value(last_words)
    line = re.search(r"^LINE (\d+):", "\n".join(body), re.MULTILINE)
    return f"{last_words} (line {line[1]} of the compiled SQL)" if line else last_words


def _without_value(message: str) -> str:
    return re.sub(r"(['\"]).*\1", "'…'", message)


def of_results(results: Iterable[Any]) -> list[Node]:
    """Nodes from the results of a dbt run."""
    return [_node(result) for result in results]


def _node(result: Any) -> Node:
    node = result.node
    metadata: Any = getattr(node, "test_metadata", None)
    arguments = dict(metadata.kwargs) if metadata else {}
    meta: Mapping[str, Any] = getattr(node.config, "meta", None) or {}
    built = Node(
        unique_id=node.unique_id,
        kind=str(node.resource_type),
        name=node.name,
        file=node.original_file_path,
        status=str(result.status),
        message=result.message or "",
        description=node.description or "",
        sql=(getattr(node, "compiled_code", None) or "").strip(),
        n_failures=result.failures or 0,
        test=metadata.name if metadata else "",
        column=str(arguments.get("column_name") or ""),
        about=str(getattr(node, "attached_node", None) or ""),
        remedy=str(meta.get("remedy") or ""),
        parents=tuple(getattr(node.depends_on, "nodes", ())) if hasattr(node, "depends_on") else (),
    )
    if built.description or built.test not in RULES:
        return built
    words = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in arguments.items()
    }
    rule = RULES[built.test].format_map({"table": built.table, **words})
    return replace(built, description=rule)
