"""Tables and views as macros/dbt/table.sql writes them, in a small project of its own."""

import shutil
from pathlib import Path

import pytest
from alone import Alone

pytestmark = pytest.mark.slow

YML = """
models:
  - name: thing
    description: One row per thing, $a 'quoted' one.
    config: {materialized: table, contract: {enforced: false}}
    columns:
      - {name: code, data_type: varchar, description: A code.}
      - {name: weight, data_type: double}
"""
SQL = "select '007' as code, 1.5::double as weight"
PYTHON = """
import pyarrow as pa


def model(dbt, session):
    return pa.table({"code": ["007", "008"], "weight": [1.5, None]})
"""


class Project(Alone):
    """A dbt project of one model, `thing`."""

    def run(self, sql: str = "", python: str = "", yml: str = YML) -> str:
        """Run the model with this text; the message of the result, an error's too."""
        models = self.folder / "models"
        (models / "_models.yml").write_text(yml)
        for text, ending in ((sql, "sql"), (python, "py")):
            (models / f"thing.{ending}").unlink(missing_ok=True)
            if text:
                (models / f"thing.{ending}").write_text(text)
        return self.dbt("run")

    def relations(self) -> list[tuple]:
        of_project = "where table_schema = 'main'"
        return self.query(
            f"select table_name, table_type from information_schema.tables {of_project}"
        )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


VIEW = YML.replace("materialized: table", "materialized: view")
CONTRACT = YML.replace("enforced: false", "enforced: true")


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ({"sql": SQL}, "BASE TABLE"),
        ({"sql": SQL, "yml": CONTRACT}, "BASE TABLE"),
        ({"sql": SQL, "yml": VIEW}, "VIEW"),
        ({"sql": SQL, "yml": VIEW.replace("enforced: false", "enforced: true")}, "VIEW"),
        ({"python": PYTHON}, "BASE TABLE"),
    ],
)
def test_a_relation_replaces_itself_with_its_comments(
    project: Project, model: dict[str, str], kind: str
) -> None:
    for _ in range(2):
        assert project.run(**model) == "OK"
        assert project.query("select code, weight from thing order by 1")[0] == ("007", 1.5)
        assert project.relations() == [("thing", kind)]
        of_thing = "from duckdb_columns() where table_name = 'thing' order by 1"
        comments = f"select column_name, comment {of_thing}"
        assert project.query(comments) == [("code", "A code."), ("weight", None)]
        kind_name = kind.split()[-1].lower()
        of_relation = f"select comment from duckdb_{kind_name}s() where {kind_name}_name = 'thing'"
        assert project.query(of_relation) == [("One row per thing, $a 'quoted' one.",)]


@pytest.mark.parametrize("model", [{"sql": SQL, "yml": CONTRACT}, {"python": PYTHON}])
def test_a_table_takes_the_place_of_a_view_and_back(
    project: Project, model: dict[str, str]
) -> None:
    project.run(SQL, yml=VIEW)
    assert project.run(**model) == "OK"
    assert project.relations() == [("thing", "BASE TABLE")]
    assert project.run(SQL, yml=VIEW) == "OK"
    assert project.relations() == [("thing", "VIEW")]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"sql": "select error('no weight')::varchar as code, 1.5::double as weight"}, "no weight"),
        ({"sql": SQL.replace("double", "varchar"), "yml": CONTRACT}, "enforced contract"),
        ({"sql": SQL.replace("'007'", "null::varchar"), "yml": CONTRACT.replace(
            "varchar,", "varchar, constraints: [{type: not_null}],"
        )}, "NOT NULL constraint failed: thing.code"),
        ({"sql": SQL.replace("code", "cod")}, "code"),
        ({"sql": SQL.replace("code", "cod"), "yml": VIEW}, "code"),
        ({"python": PYTHON.replace("[1.5, None]", "[1.5]")}, "length"),
    ],
)  # fmt: skip
def test_a_model_that_fails_leaves_what_was_there(
    project: Project, model: dict[str, str], message: str
) -> None:
    project.run("select '001' as code, 7.0::double as weight")
    assert message in project.run(**model)
    assert project.query("select * from thing") == [("001", 7.0)]
    assert project.relations() == [("thing", "BASE TABLE")]


def test_a_copied_project_reads_its_own_seeds(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What dbt keeps of an earlier parse names the folder that it was parsed in."""
    (project.folder / "seeds" / "codes.csv").write_text("code\n007\n")
    project.dbt("seed")
    shutil.copytree(project.folder, tmp_path / "copy")
    (project.folder / "seeds" / "codes.csv").write_text("code\n008\n")
    monkeypatch.chdir(tmp_path / "copy")
    copied = Project(tmp_path / "copy")
    copied.dbt("seed")
    assert copied.query("select code from codes") == [("007",)]
