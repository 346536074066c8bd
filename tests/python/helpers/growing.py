"""A small dbt project with one of everything a node can read, built by the code of this one.

It has the macros of macros/dbt, seeds, models in SQL and Python, views, contracts, tests, folders
outside, a history that it keeps itself and a publication. A build of it takes a second or two, so
that many changes can be tried, each against a build of everything in an empty folder.
"""

import importlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import shared
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

import python_llm
from python_llm import paths
from python_llm.job import build as job
from python_llm.job.changes import outside, reachable, state

LOCKED = "duckdb==1.5.0\n"
FILES = {
    "dbt_project.yml": """
name: growing
version: "1.0.0"
profile: growing
vars: {factor: 2, mode: "off", unused: 1}
models: {growing: {+persist_docs: {relation: true, columns: true}, +materialized: table}}
seeds: {growing: {+persist_docs: {relation: true, columns: true}}}
on-run-end: "{{ note_tests(results) }}"
flags: {send_anonymous_usage_stats: false}
""",
    "profiles.yml": """
growing:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: build/kernel29.duckdb
      threads: 2
      plugins: [{module: python_llm.job.state_plugin}]
""",
    "requirements.lock": LOCKED,
    "macros/multiplied.sql": """
{% macro multiplied(column) %}{{ column }} * {{ var("factor") }} + {{ offset() }}{% endmacro %}
{% macro offset() %}1{% endmacro %}
{% macro nobody() %}2{% endmacro %}
""",
    "macros/at_most.sql": """
{% test at_most(model, column_name, most) %}
select * from {{ model }} where {{ column_name }} > {{ most }}
{% endtest %}
""",
    "seeds/weights.csv": "code,weight\na,1\nb,2\nc,3\n",
    "seeds/names.csv": "code,name\na,Anna\nb,Berta\nc,Cora\n",
    "seeds/_seeds.yml": """
seeds:
  - name: weights
    description: One row per code.
    config: {column_types: {code: varchar, weight: integer}}
  - name: names
    description: One row per code.
    config: {column_types: {code: varchar, name: varchar}}
""",
    "models/stg_prompt.py": """
from python_llm.growing_near import prompts


def model(dbt, session):
    return prompts()
""",
    "models/stg_answer.py": """
import pyarrow as pa

from python_llm import paths


def model(dbt, session):
    meta = dbt.config.get("meta")
    folder = paths.resolve(meta["ledger_dir"])
    texts = [file.read_text() for file in sorted(folder.glob("*.txt"))]
    return pa.table({"answer": pa.array(texts, pa.string())})
""",
    "models/stg_run.py": """
import pyarrow as pa

from python_llm import paths


def model(dbt, session):
    meta = dbt.config.get("meta")
    folder = paths.resolve(meta["runs_dir"])
    names = [file.name for file in sorted(folder.glob("*"))]
    return pa.table({"run": pa.array(names, pa.string())})
""",
    "models/int_multiplied.sql": """
select weights.code, {{ multiplied("weights.weight") }} as weight
from {{ ref("weights") }} as weights
""",
    "models/int_total.sql": "select sum(weight)::bigint as total from {{ ref('int_multiplied') }}",
    "models/int_codes.sql": "select code from {{ ref('int_multiplied') }}",
    "models/int_lengths.sql": """
{{ config(materialized="view") }}
select prompt, length(text) as n_letters from {{ ref("stg_prompt") }}
""",
    "models/int_history.py": """
import pyarrow as pa

from python_llm import paths


def model(dbt, session):
    meta = dbt.config.get("meta")
    folder = paths.resolve(meta["evaluations_dir"])
    folder.mkdir(parents=True, exist_ok=True)
    (total,) = dbt.ref("int_total").fetchone()
    (folder / f"{total}.txt").write_text(str(total))
    seen = sorted(int(file.stem) for file in folder.glob("*.txt"))
    return pa.table({"n_seen": [1 if total in seen else 0]})
""",
    "models/dim_name.sql": """
select names.code, names.name, codes.code is not null as is_weighed
from {{ ref("names") }} as names
left join {{ ref("int_codes") }} as codes on names.code = codes.code
""",
    "models/fct_weight.sql": """
select multiplied.code, names.name, multiplied.weight, total.total
from {{ ref("int_multiplied") }} as multiplied
inner join {{ ref("dim_name") }} as names on multiplied.code = names.code
cross join {{ ref("int_total") }} as total
""",
    "models/rpt_outside.sql": """
select
    (select count(*) from {{ ref("stg_answer") }}) as n_answers,
    (select count(*) from {{ ref("stg_run") }}) as n_runs,
    (select sum(n_letters)::bigint from {{ ref("int_lengths") }}) as n_letters,
    '{{ var("mode") }}' as mode
""",
    "models/publication.py": """
from dbt import selected_resources
from dbt.flags import get_flags

from python_llm import paths
from python_llm.job.serving.publish import COMMENTS, CONTENTS, PUBLISHED_SCHEMA, publish
from python_llm.job.changes.wholeness import is_withheld


def model(dbt, session):
    marts = {
        "dim_name": dbt.ref("dim_name"),
        "fct_weight": dbt.ref("fct_weight"),
        "rpt_outside": dbt.ref("rpt_outside"),
    }
    comments = session.execute(COMMENTS).fetchall()
    contents = dict(session.execute(CONTENTS).fetchall())
    meta = dbt.config.get("meta")
    folder = paths.resolve(meta["serve_dir"])
    selected = selected_resources.SELECTED_RESOURCES
    if is_withheld(session, "model.growing.publication", get_flags(), selected):
        return PUBLISHED_SCHEMA.empty_table()
    return publish(session, marts, comments, folder, contents)
""",
    "models/_models.yml": """
models:
  - name: stg_prompt
    config: {meta: {prompts_dir: python_llm/prompts}}
  - name: stg_answer
    config: {meta: {ledger_dir: ledger}}
  - name: stg_run
    config: {meta: {runs_dir: runs}}
  - name: int_history
    config: {meta: {evaluations_dir: evaluations, keeps: true}}
  - name: publication
    config: {meta: {serve_dir: serve, keeps: true}}
  - name: dim_name
    description: One row per code.
    config: {contract: {enforced: true}}
    columns:
      - {name: code, data_type: varchar, description: The code., data_tests: [unique, not_null]}
      - {name: name, data_type: varchar}
      - {name: is_weighed, data_type: boolean}
  - name: fct_weight
    description: One row per code.
    columns:
      - name: weight
        description: Its weight.
        data_tests: [{at_most: {arguments: {most: 1000}}}]
""",
    "tests/names_are_capital.sql": """
select * from {{ ref("dim_name") }} where name != upper(name[1]) || name[2:]
""",
    "tests/_tests.yml": """
data_tests:
  - name: names_are_capital
    description: Names begin with a capital.
""",
    "python_llm/prompts/plain/user.txt": "Say it.",
    "python_llm/prompts/kind/user.txt": "Please say it.",
    "python_llm/growing_near.py": """
from python_llm.growing_far import SEPARATOR, files


def prompts():
    import pyarrow as pa

    return pa.table({
        "prompt": [file.parent.name for file in files()],
        "text": [file.read_text() + SEPARATOR for file in files()],
    })
""",
    "python_llm/growing_far.py": """
from python_llm import paths

SEPARATOR = "."


def files():
    return sorted((paths.project_root() / "python_llm" / "prompts").glob("*/user.txt"))
""",
    "python_llm/growing_apart.py": "NOBODY = 1\n",
    "ledger/1.txt": "an answer",
    "runs/one.parquet": "a run",
}


class Growing:
    """The project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, folder: Path) -> "Growing":
        """The project as above, not built yet; dbt's own macros, which take longest to parse, are
        parsed once in a session."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.lstrip("\n"))
        shutil.copytree(paths.project_root() / "macros" / "dbt", folder / "macros" / "dbt")
        return cls(folder)

    def build(self, *, full: bool = False, **variables: Any) -> dict[str, str]:
        """Build it as `kernel29 build` does: what was not reused, and how it ended."""
        with self._at_home():
            dbt = job.Dbt(variables, job.Progress())
            results = job.build_due(dbt, self.warehouse, (), full)
            state.note_closed(self.warehouse)
        return {
            result.node.unique_id.split(".")[2]: str(result.status)
            for result in results
            if str(result.message) != "REUSED" and result.node.resource_type != "operation"
        }

    def plain_build(self, *arguments: str) -> None:
        """Build all of it, or what these arguments select, with dbt and nothing else."""
        with self._at_home():
            state.RUN = state.Run()
            done = dbtRunner().invoke(["--quiet", *(arguments or ("build",))])
            DuckDBConnectionManager.close_all_connections()
            assert done.success

    @contextmanager
    def parsed(self) -> Iterator[job.Dbt]:
        """dbt on the project as it is."""
        with self._at_home():
            yield job.Dbt({}, job.Progress())

    def explained(self) -> dict[str, str]:
        """What `kernel29 build --explain` says of each node that is due."""
        with self._at_home():
            dbt = job.Dbt({}, job.Progress())
            return {
                name: reason
                for reason, names in job.reasons(dbt.project, self.warehouse)
                for name in names
            }

    @contextmanager
    def _at_home(self) -> Iterator[None]:
        """In the folder of the project, with its modules and none that were imported before."""
        made = (*(f"KERNEL29_{name}_DIR" for name in ("BUILD", "SERVE")), "DBT_TARGET_PATH")
        environment = {name: os.environ.pop(name) for name in made if name in os.environ}
        before = Path.cwd()
        os.chdir(self.folder)
        python_llm.__path__.append(str(self.folder / "python_llm"))
        for name in [name for name in sys.modules if name.startswith("python_llm.growing_")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        reachable.module.cache_clear()
        outside.versions.cache_clear()
        self.warehouse.parent.mkdir(exist_ok=True)
        try:
            yield
        finally:
            python_llm.__path__.pop()
            os.chdir(before)
            os.environ.update(environment)

    def served(self) -> tuple[str, int]:
        """Which publication is served."""
        current = (self.folder / "serve" / ".current").resolve()
        return current.name, current.stat().st_mtime_ns

    @property
    def warehouse(self) -> Path:
        return self.folder / "build" / "kernel29.duckdb"

    def afresh(self, folder: Path, **variables: Any) -> "Growing":
        """The same project built whole in an empty folder."""
        made = ("build", "serve", "logs")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(
            self.folder, folder, ignore=lambda at, _: made if at == str(self.folder) else ()
        )
        other = Growing(folder)
        other.build(full=True, **variables)
        return other

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """Change a file; every text to be replaced has to be in it."""
        file = self.folder / name
        text = file.read_text()
        for old, new in changes:
            assert old in text, f"{name} has no {old}"
            text = text.replace(old, new)
        file.write_text(text)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def execute(self, sql: str) -> None:
        with duckdb.connect(str(self.warehouse)) as connection:
            connection.execute(sql)

    def content(self) -> dict[str, Any]:
        """Every table with its rows and comments, in the warehouse and as it is served."""
        content: dict[str, Any] = {}
        databases = {"built": "build/kernel29.duckdb", "served": "serve/kernel29.duckdb"}
        for kind, name in databases.items():
            with duckdb.connect(str(self.folder / name), read_only=True) as connection:
                content |= {f"{kind} {key}": rows for key, rows in _tables(connection).items()}
        for file in sorted((self.folder / "serve" / "parquet").glob("*.parquet")):
            content[file.name] = duckdb.sql(f"from '{file}' order by all").fetchall()
        current = (self.folder / "serve" / ".current").resolve()
        content["served files"] = sorted(
            str(file.relative_to(current)) for file in current.rglob("*")
        )
        return content


def _tables(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    content: dict[str, Any] = {}
    names = connection.execute(
        "select table_name, table_type from information_schema.tables where table_schema = 'main'"
    ).fetchall()
    for name, kind in names:
        columns = "* exclude (n_parquet_bytes)" if name == "publication" else "*"
        rows = connection.execute(f'select {columns} from "{name}" order by all')
        types = [str(column[1]) for column in rows.description or ()]
        content[name] = (kind, types, rows.fetchall())
    content["comments"] = connection.execute(
        "select table_name, null as column_name, comment from duckdb_tables()"
        " union all select view_name, null, comment from duckdb_views()"
        " union all select table_name, column_name, comment from duckdb_columns()"
    ).fetchall()
    content["comments"] = sorted(
        (table, column or "", text)
        for table, column, text in content["comments"]
        if text is not None
    )
    return content


def once() -> Path:
    """The folder of a project that was built once in this session; it is for copying only."""
    return shared.once("growing", lambda folder: _first(folder / "project"))


def _first(folder: Path) -> None:
    Growing.make(folder).build()
