"""How dbt's plugin sets up the warehouse that a build opens."""

import os

import duckdb
import pytest
from dbt.config.profile import read_profile
from dbt.config.renderer import ProfileRenderer
from dbt_common.context import set_invocation_context

from python_llm import paths
from python_llm.job import dbt_plugin


@pytest.mark.parametrize(
    ("config", "cores", "left"),
    [({}, 8, 4), ({}, 2, 1), ({}, 1, 1), ({"threads": 3}, 3, 3)],
)
def test_nodes_built_at_once_share_the_cores(config, cores, left, tmp_path, monkeypatch):
    plugin = object.__new__(dbt_plugin.Plugin)
    plugin._run = {"mode": "off"}
    for check in ("check_run", "check_warehouse"):
        monkeypatch.setattr(dbt_plugin.preflight, check, lambda *_, **__: None)
    monkeypatch.setattr(dbt_plugin, "get_flags", lambda: None)
    credentials = dbt_plugin.DuckDBCredentials(path=str(tmp_path / "kernel29.duckdb"))
    plugin.update_connection_config(credentials, config)
    with duckdb.connect(config={"threads": cores}) as connection:
        plugin.configure_connection(connection)
        assert connection.sql("select current_setting('threads')").fetchone() == (left,)
        # what is freed goes back at once
        kept = connection.sql("select current_setting('allocator_flush_threshold')").fetchone()
        assert kept == ("976.5 KiB",)


@pytest.mark.parametrize(("given", "limit"), [({}, "3.7 GiB"), ({"memory": "9GB"}, "8.3 GiB")])
def test_what_duckdb_may_hold_is_given(given, limit, monkeypatch):
    for name, value in given.items():
        monkeypatch.setenv(f"KERNEL29_DUCKDB_{name.upper()}", value)
    set_invocation_context(os.environ)
    options = read_profile(str(paths.project_root()))["kernel29"]["outputs"]["dev"][
        "config_options"
    ]
    memory = ProfileRenderer({}).render_value(options["memory_limit"])
    with duckdb.connect(config={"memory_limit": memory}) as connection:
        assert connection.sql("select current_setting('memory_limit')").fetchone() == (limit,)
