"""A formula is written once: what is changed in its macro is changed on both engines."""

import shutil

import duckdb
import pytest
from conftest import ROOT, dbt
from dbt.adapters.kernel29spark.translation import translate
from test_same_numbers import differences

MODEL = "int_experiments__case_scores"
FORMULA = "coalesce({{ distance }}, {{ max_distance() }}), 2)"
LEFT_OUT = {"build", "serve", "target", "logs", "macros"}


@pytest.fixture
def changed(folder, warehouse, tmp_path) -> str:
    """The SQL of the model in a project whose goodness of a rank is a cube."""
    project = tmp_path / "project"
    project.mkdir()
    for path in ROOT.iterdir():
        if path.name not in LEFT_OUT and not path.name.startswith("."):
            (project / path.name).symlink_to(path)
    shutil.copytree(ROOT / "macros", project / "macros")
    scores = project / "macros" / "experiments" / "scores.sql"
    text = scores.read_text(encoding="utf-8")
    assert text.count(FORMULA) == 1
    scores.write_text(text.replace(FORMULA, FORMULA.replace("2)", "3)")), encoding="utf-8")
    target = tmp_path / "target"
    dbt(folder, "compile", "--quiet", "--select", MODEL, project=project, target=target)
    (compiled,) = (target / "compiled").rglob(f"{MODEL}.sql")
    return compiled.read_text(encoding="utf-8")


def test_a_formula_changed_once_is_changed_on_both(changed, spark, warehouse, lakehouse):
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        before = connection.execute(f"from main.{MODEL}").to_arrow_table()
        on_duckdb = connection.execute(changed).to_arrow_table()
    query = translate(changed.replace('"kernel29"."main".', "kernel29."))
    assert not differences(on_duckdb, spark.sql(query).toArrow())
    assert differences(before, on_duckdb)
