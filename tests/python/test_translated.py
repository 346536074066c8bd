"""What runs on Spark can be translated, which needs no Java. In `.ci/run` Spark builds the scores
alone (tests/spark); `make spark-test` builds everything."""

import importlib.util
import json

import project
import pytest

from python_llm import paths

TRANSLATION = "spark/dbt/adapters/kernel29spark/translation.py"


@pytest.mark.slow
def test_all_models_of_the_spark_path_are_translated(tmp_path):
    spec = importlib.util.spec_from_file_location("translation", paths.project_root() / TRANSLATION)
    translation = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(translation)
    models = project.compiled(tmp_path, "--selector", "spark")
    nodes = json.loads((tmp_path / "target/manifest.json").read_text())["nodes"]
    columns = {node["alias"]: list(node["columns"]) for node in nodes.values()}
    problems = {}
    for name, sql in models.items():
        if sql and not sql.lstrip().startswith(("import ", '"""')):
            try:
                translation.translate(sql, lambda table: columns[table.name])
            except ValueError as error:
                problems[name] = str(error)
    assert not problems
    assert {"int_experiments__name_evidence", "fct_configuration_score"} <= set(models)
