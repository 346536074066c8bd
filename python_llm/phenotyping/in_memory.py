"""The project's models for a few cases, run in a database in memory.

No step is written twice: what the warehouse builds for all, SQL and Python, is built here from the
same files. A ref resolves to a table that was given, then the served dimensions and bridges, then
the seeds; anything else, and every fact, is built first.
"""

import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pyarrow as pa
import yaml

from python_llm import paths
from python_llm.errors import UserError
from python_llm.phenotyping.kept_tables import MODELS, KeptTables

VOCABULARY = ("dim_", "bridge_")  # served facts are about other patients
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+).*?endmacro\s*-?%\}", re.DOTALL)
_WORD = re.compile(r"\w+")
_REF = re.compile(r"""ref\(\s*["'](\w+)["']\s*\)""")
Row = dict[str, Any]


@cache
def _declared(folder: Path) -> dict[str, dict[str, str]]:
    """The column types of each seed in a folder, from its yml."""
    declared = yaml.load((folder / "_seeds.yml").read_text(), Loader=yaml.CSafeLoader)
    return {seed["name"]: seed["config"]["column_types"] for seed in declared["seeds"]}


def types_of(seed: Path) -> dict[str, str]:
    """The declared types of the columns of a seed file."""
    return _declared(seed.parent)[seed.stem]


class Models:
    """The project's models for one case, each built on first use."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, root: Path, **variables: str) -> None:
        self._connection = connection
        self._files = {
            file.stem: file
            for pattern in ("models/**/*.sql", "models/**/*.py", "seeds/**/*.csv")
            for file in root.glob(pattern)
        }
        macros = sorted(root.glob("macros/*/*.sql"))
        self._kept = KeptTables(connection, [*sorted(self._files.values()), *macros])
        self._built: set[str] = set()
        self._prepared: list[str] = []
        self._rows: dict[str, list[Row]] = {}
        self.seconds: dict[str, float] = {}
        values = {**paths.project_variables(), **variables}
        self._jinja = jinja2.Environment(extensions=["jinja2.ext.do"])
        functions: dict[str, Any] = {
            "ref": lambda name: f'main."{name}"',  # a CTE may have the name of the seed it reads
            "var": lambda name, default=None: values.get(name, default),
            "source": lambda source, name: f'main."{source}_{name}"',  # given, like the case
        }
        self._jinja.globals.update(functions)
        self._macros = {
            macro[1]: macro[0]
            for file in macros
            if file.parent.name not in ("dbt", "generic_tests")
            for macro in _MACRO.finditer(file.read_text())
        }
        served = connection.sql(
            "select table_name from duckdb_tables() where database_name = 'served'"
        ).fetchall()
        self._served = {name for (name,) in served if name.startswith(VOCABULARY)}

    def keep(self) -> None:
        """Keep what no patient changes, for the next one."""
        seeds = {name for name, file in self._files.items() if file.suffix == ".csv"}
        self._kept.keep(self._built & (seeds | set(MODELS)))

    def give(self, name: str, table: pa.Table) -> None:
        """Put a table of the patient's own in place of the model of this name."""
        self._store(name, table)

    def refill(self, name: str, table: pa.Table) -> None:
        """Put other rows into a table that was given."""
        self._rows.clear()
        self._connection.execute(f'delete from "{name}"')
        self._connection.register("incoming", table)
        self._connection.execute(f'insert into "{name}" by name from incoming')
        self._connection.unregister("incoming")

    def follow(self, name: str) -> None:
        """Make an SQL model a view, which changes with the tables that are refilled."""
        code = self._files[name].read_text()
        for needed in dict.fromkeys(_REF.findall(code)):
            self.table(needed)
        self._connection.execute(f'create view "{name}" as {self._sql(code)}')
        self._built.add(name)

    def prepared(self, sql: str) -> Callable[[], list[Row]]:
        """A query that is planned once; every model that it reads is built."""
        name = f"query_{len(self._prepared)}"
        self._prepared.append(name)
        self._connection.execute(f"prepare {name} as {self._sql(sql)}")

        def rows() -> list[Row]:
            result = self._connection.execute(f"execute {name}")
            names = [column[0] for column in result.description or ()]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

        return rows

    def rows(self, name: str) -> list[Row]:
        """The rows of a model, to be read and not changed."""
        if name not in self._rows:
            self._rows[name] = self.table(name).to_arrow_table().to_pylist()
        return self._rows[name]

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """A model, built on first use with everything it reads."""
        if name not in self._built:
            self._build(name)
        return self._connection.table(name)

    def query(self, sql: str) -> pa.Table:
        """The rows of SQL of which every model that it reads is built."""
        return self._connection.execute(self._sql(sql)).to_arrow_table()

    def _sql(self, code: str) -> str:
        """The SQL of a model, with the macros it needs: to compile all takes half a second."""
        needed: set[str] = set()
        texts = [code]
        while texts:
            words = set(_WORD.findall(texts.pop()))
            for name in (words & self._macros.keys()) - needed:
                needed.add(name)
                texts.append(self._macros[name])
        if new := sorted(needed - self._jinja.globals.keys()):
            macros = "\n".join(self._macros[name] for name in new)
            self._jinja.globals.update(vars(self._jinja.from_string(macros).module))
        return self._jinja.from_string(code).render()

    def _build(self, name: str) -> None:
        if name in self._served:
            self._connection.execute(f'create view "{name}" as from served."{name}"')
        elif name in self._kept.names:
            self._connection.execute(f'create view "{name}" as from kept."{name}"')
        elif name not in self._files:
            raise UserError(f"There is no model, seed or served table '{name}'.")
        elif (file := self._files[name]).suffix == ".csv":
            types = ", ".join(f"'{column}': '{type_}'" for column, type_ in types_of(file).items())
            self._connection.execute(
                f'create table "{name}" as from read_csv(?, header = true, types = {{{types}}})',
                [str(file)],
            )
        else:
            code = file.read_text()
            for needed in dict.fromkeys(_REF.findall(code)):
                self.table(needed)
            began = time.perf_counter()
            if file.suffix == ".py":
                scope: dict[str, Any] = {}
                exec(compile(code, str(file), "exec"), scope)  # the project's own model
                self._store(name, scope["model"](_Dbt(self), self._connection))
            else:
                sql = self._sql(code)
                self._connection.execute(f'create table "{name}" as {sql}')
            self.seconds[name] = time.perf_counter() - began
        self._built.add(name)

    def _store(self, name: str, table: pa.Table) -> None:
        self._connection.register("incoming", table)
        self._connection.execute(f'create table "{name}" as from incoming')
        self._connection.unregister("incoming")
        self._built.add(name)


class _Dbt:
    """As much of dbt as the Python models of the work-up need."""

    def __init__(self, models: Models) -> None:
        self.ref = models.table

    def config(self, **_: Any) -> None:
        """How a table is stored is of no interest in memory."""
