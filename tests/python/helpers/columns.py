"""The columns of every table, as they are declared and as they were built.

    python tests/python/helpers/columns.py

declares what the last build made: names and types in the order of the table, each with the
description that a column of the same name has nearby. It names those that nobody has described yet,
and those that are declared and were not built, which stay: build them, or take them out.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import duckdb
import yaml

from python_llm import paths

ROOT = paths.project_root()
WIDTH = 100
Columns = dict[str, str]  # type by name, in the order of the table
Describe = Callable[[str, str], str]  # of a model and a column
SECTION = re.compile(r"\n    columns:\n((?:      .*\n|\n(?=      ))+)")
ENTRY = re.compile(r"(?m)^      - name: \"?(\w+)\"?\n(?:(?:        .*)?\n)*")
TYPE = re.compile(r"(?m)^        data_type: .*\n(?:          .*\n)*")
DESCRIPTION = re.compile(r"(?m)^        description: ")


def models(manifest: dict) -> Iterator[dict]:
    """The models of the project."""
    for node in manifest["nodes"].values():
        if node["resource_type"] == "model" and node["package_name"] == "kernel29":
            yield node


def built(warehouse: Path) -> dict[str, Columns]:
    """The columns of every table and view of a warehouse."""
    tables: dict[str, Columns] = defaultdict(dict)
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        rows = connection.execute(
            "select table_name, column_name, lower(data_type) from duckdb_columns() "
            "where not internal order by table_oid, column_index"
        ).fetchall()
    for table, column, data_type in rows:
        tables[table][column] = data_type
    return dict(tables)


def declared(node: dict) -> Columns:
    """The columns of a model of the manifest, with the names of types that DuckDB gives them."""
    return {name: canonical(column["data_type"] or "") for name, column in node["columns"].items()}


@cache
def canonical(data_type: str) -> str:
    """As DuckDB writes a type: `int` is `integer`; nothing for no type."""
    if not data_type:
        return ""
    with duckdb.connect() as connection:
        rows = connection.execute(f"select typeof(cast(null as {data_type}))").fetchall()
    return rows[0][0].lower()


def differences(manifest: dict, tables: dict[str, Columns]) -> list[str]:
    """What is declared otherwise than it was built, a column a line; order counts too."""
    lines = []
    for node in models(manifest):
        said, made = declared(node), tables.get(node["name"], {})
        for column in {**said, **made}:
            if said.get(column) != made.get(column):
                as_said, as_made = said.get(column, "nothing"), made.get(column, "nothing")
                lines.append(f"{node['name']}.{column}: declared {as_said}, built {as_made}")
        if not lines and [*said] != [*made]:
            lines.append(f"{node['name']}: declared in another order than it was built")
    return lines


def known_descriptions(manifest: dict) -> Describe:
    """What a column of the same name is described as: by a parent or child of the model if there is
    one, then in its folder, its domain, anywhere; empty if nobody describes it."""
    words = defaultdict(list)
    nodes = {
        key: node
        for key, node in manifest["nodes"].items()
        if node["resource_type"] in ("model", "seed")
    }
    for key, node in nodes.items():
        for name, column in node["columns"].items():
            if column["description"]:
                words[name].append((key, column["description"]))
    keys = {node["name"]: key for key, node in nodes.items()}

    def parents(key: str) -> list[str]:
        return nodes[key]["depends_on"].get("nodes", [])

    def describe(model: str, column: str) -> str:
        own = keys[model]
        folders = Path(nodes[own]["original_file_path"]).parts[2:-1]
        nearness: Counter[str] = Counter()
        for key, description in words[column]:
            theirs = Path(nodes[key]["original_file_path"]).parts
            is_related = key in parents(own) or own in parents(key)
            is_of_domain = folders[0] in theirs
            is_of_folder = is_of_domain and folders[-1] in theirs
            nearness[description] += 1 + 10 * is_of_domain + 30 * is_of_folder + 100 * is_related
        return nearness.most_common(1)[0][0] if nearness else ""

    return describe


def scalar(name: str, text: str) -> str:
    """A line of an entry, or several where the text is long."""
    plain = text if _is_plain(text) else json.dumps(text, ensure_ascii=False)
    line = f"        {name}: {plain}\n"
    if len(line) <= WIDTH + 1:
        return line
    lines = [f"        {name}: >-"]
    for word in text.split():
        if len(lines) == 1 or len(lines[-1]) + len(word) >= WIDTH:
            lines.append(f"          {word}")
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines) + "\n"


def _is_plain(text: str) -> bool:
    try:
        return bool(text) and yaml.safe_load(f"key: {text}") == {"key": text}
    except yaml.YAMLError:
        return False


def with_columns(block: str, columns: Columns, descriptions: dict[str, str]) -> str:
    """A model's part of its yml with these columns; what is said of those it has stays."""
    section = SECTION.search(block)
    entries = {match[1]: match[0] for match in ENTRY.finditer(section[1] if section else "")}
    text = ""
    for name, data_type in columns.items():
        entry = entries.get(name, f"      - name: {name}\n").rstrip("\n") + "\n"
        head, _, rest = entry.partition("\n")
        rest = TYPE.sub("", rest)
        if not DESCRIPTION.search(rest):
            rest = scalar("description", descriptions.get(name, "")) + rest
        text += f"{head}\n{scalar('data_type', data_type)}{rest}"
    text += "".join(entry for name, entry in entries.items() if name not in columns)
    if section:
        return block[: section.start(1)] + text + block[section.end(1) :]
    body = block.rstrip("\n")
    return f"{body}\n    columns:\n{text}{block[len(body) + 1 :]}"


def part_of(text: str, model: str) -> tuple[int, int]:
    """Where a model's part of a yml begins and ends; ValueError if it has none."""
    models_begin = text.index("models:")
    part = re.compile(rf"(?ms)^  - name: {model}\n.*?(?=^  - name: |^\w|\Z)")
    match = part.search(text, models_begin)
    if not match:
        raise ValueError(f"there is no model {model} below models:")
    return match.span()


def write(manifest: dict, tables: dict[str, Columns], describe: Describe) -> list[str]:
    """Declare the columns of what was built. Returns what is left to do: model.column without a
    description, or declared and not built."""
    missing = []
    for node in models(manifest):
        name, columns = node["name"], tables.get(node["name"], {})
        is_described = all(column["description"] for column in node["columns"].values())
        if columns:
            unbuilt = [column for column in node["columns"] if column not in columns]
            missing += [f"Build, or take out: {name}.{column}" for column in unbuilt]
        if not columns or (is_described and [*declared(node).items()] == [*columns.items()]):
            continue
        said = {column: describe(name, column) for column in columns}
        file = ROOT / node["patch_path"].partition("://")[2]
        text = file.read_text(encoding="utf-8")
        start, end = part_of(text, name)
        part = with_columns(text[start:end], columns, said)
        file.write_text(text[:start] + part + text[end:], encoding="utf-8")
        missing += [
            f"Describe {name}.{column['name']}"
            for column in yaml.safe_load(part)[0]["columns"]
            if not column["description"]
        ]
    return missing


if __name__ == "__main__":
    parsed = json.loads((ROOT / "target" / "manifest.json").read_text(encoding="utf-8"))
    warehouse = built(ROOT / "build" / "kernel29.duckdb")
    print(*write(parsed, warehouse, known_descriptions(parsed)), sep="\n")
