"""How dbt's plugin sets up the warehouse that a build opens."""

import duckdb
import pytest

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
