"""A dbt project of one node, with the materialisations of macros/dbt, in a folder of its own."""

import shutil
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import duckdb
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from python_llm import paths
from python_llm.job import state_plugin

PROJECT = """
name: alone
version: "1.0.0"
profile: alone
models: {alone: {+persist_docs: {relation: true, columns: true}}}
seeds: {alone: {+persist_docs: {relation: true, columns: true}}}
flags: {send_anonymous_usage_stats: false}
"""
PROFILE = """
alone:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: warehouse.duckdb
      threads: 2
      plugins: [{module: python_llm.job.state_plugin}]
"""


class Alone:
    """The project in `folder`, which has to be the working directory."""

    # what dbt has parsed: its own macros, which take longest, are the same in every folder
    parsed: ClassVar[bytes | None] = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results: list[Any] = []  # of the last command
        (folder / "models").mkdir(exist_ok=True)
        (folder / "seeds").mkdir(exist_ok=True)
        macros = paths.project_root() / "macros" / "dbt"
        shutil.copytree(macros, folder / "macros", dirs_exist_ok=True)
        (folder / "dbt_project.yml").write_text(PROJECT)
        (folder / "profiles.yml").write_text(PROFILE)
        if self.parsed and not (folder / "target").exists():
            (folder / "target").mkdir()
            (folder / "target" / "partial_parse.msgpack").write_bytes(self.parsed)

    def dbt(self, command: str, *arguments: str) -> str:
        """`dbt run` or `dbt seed`; the message of the result, an error's too."""
        own = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        # wherever the environment says: a project parsed there before would be taken for this one
        own += ["--target-path", str(self.folder / "target")]
        # what a build notes of its nodes would be read from the project this package lies in
        with patch.object(state_plugin, "parsed_just_now", return_value=None):
            done = dbtRunner().invoke(["--quiet", command, *own, *arguments])
        # the adapter keeps the warehouse open for the next command of this process
        DuckDBConnectionManager.close_all_connections()
        if done.exception:
            raise done.exception
        self.results = list(done.result.results)
        if Alone.parsed is None:
            Alone.parsed = (self.folder / "target" / "partial_parse.msgpack").read_bytes()
        return " ".join(str(done.result.results[0].message).split())

    def query(self, sql: str) -> list[tuple]:
        with duckdb.connect(str(self.folder / "warehouse.duckdb"), read_only=True) as connection:
            return connection.execute(sql).fetchall()
