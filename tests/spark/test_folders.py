"""A lakehouse is found whichever way its folder is written."""

from pathlib import Path

from dbt.adapters.kernel29spark.adapter import WAREHOUSE, Kernel29SparkCredentials, absolute


def test_a_relative_folder_is_that_of_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Path(absolute("lakehouse")) == tmp_path / "lakehouse"
    assert absolute("/mnt/lakehouse") == "/mnt/lakehouse"
    assert absolute("s3://bucket/lakehouse") == "s3://bucket/lakehouse"
    credentials = Kernel29SparkCredentials(
        host="NA",
        schema="kernel29",
        method="session",
        server_side_parameters={WAREHOUSE: "lakehouse/tables"},
    )
    tables = credentials.server_side_parameters[WAREHOUSE]
    assert Path(tables) == tmp_path / "lakehouse" / "tables"
