"""Seeds as macros/dbt/seed.sql loads them, in a small project of its own."""

from pathlib import Path

import duckdb
import pytest
from alone import Alone

pytestmark = pytest.mark.slow

YML = """
seeds:
  - name: thing
    description: One row per thing.
    config: {column_types: {code: varchar, weight: double}}
    columns:
      - {name: code, description: A code.}
      - {name: note, description: A note.}
"""


class Project(Alone):
    """A dbt project of one seed, `thing`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.declare(YML)

    def declare(self, yml: str) -> None:
        (self.folder / "seeds" / "_seeds.yml").write_text(yml)

    def seed(self, content: bytes | str | None, *arguments: str) -> str:
        """Load the seed with this content; the message of the result, an error's too."""
        if content is not None:
            file = self.folder / "seeds" / "thing.csv"
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.dbt("seed", *arguments)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


GOOD = 'code,weight,note\n007,1.5,"a, ""quoted"" note\nin two lines"\n008,,é\n009,2,""\n'


def test_types_quotes_and_nulls(project: Project) -> None:
    assert project.seed(GOOD) == "INSERT 3"
    assert project.query("select * from thing") == [
        ("007", 1.5, 'a, "quoted" note\nin two lines'),
        ("008", None, "é"),
        ("009", 2.0, None),
    ]
    types = project.query("select column_name, data_type, comment from duckdb_columns()")
    assert ("code", "VARCHAR", "A code.") in types
    assert ("weight", "DOUBLE", None) in types
    comment = "select comment from duckdb_tables() where table_name = 'thing'"
    assert project.query(comment) == [("One row per thing.",)]


def test_crlf_bom_and_missing_last_newline(project: Project) -> None:
    content = b"\xef\xbb\xbf" + b"code,weight,note\r\n01,1,a\r\n02,2,b"
    assert project.seed(content) == "INSERT 2"
    assert project.query("select code from thing order by 1") == [("01",), ("02",)]


def test_changed_types_need_no_full_refresh(project: Project) -> None:
    project.seed(GOOD)
    project.declare(YML.replace("weight: double", "weight: varchar"))
    assert project.seed(None) == "INSERT 3"
    assert project.query("select typeof(weight) from thing limit 1") == [("VARCHAR",)]


def test_undeclared_seed_is_all_text(project: Project) -> None:
    project.declare("")
    assert project.seed("a,b\n1,2024-01-01\n") == "INSERT 1"
    assert project.query("select * from thing") == [("1", "2024-01-01")]


def test_seed_replaces_a_view_of_its_name(project: Project) -> None:
    with duckdb.connect(str(project.folder / "warehouse.duckdb")) as connection:
        connection.execute("create view thing as select 1 as x")
    assert project.seed(GOOD) == "INSERT 3"


def test_show_works(project: Project) -> None:
    assert project.seed(GOOD, "--show") == "INSERT 3"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("code,weight,note\n1,1,a\n2,2\n3,3,c\n", "thing.csv, line 3: Expected Number of Columns"),
        (
            "code,weight,note\n1,1,a,b\n",
            "thing.csv, line 2: Expected Number of Columns: 3",
        ),
        (
            "code,weight,note\n1,heavy,a\n",
            'line 2: Error when converting column "weight"',
        ),
        ('code,weight,note\n1,1,"a\n2,2,b\n', "thing.csv, line 2: Value with unterminated quote"),
        ("code,wieght,note\n1,1,a\n", "(not in the file: weight; not declared: wieght)"),
        ("code,weight\n1,1\n", "(not in the file: note; not declared: none)"),
        ("code,code,weight,note\n", "names a column twice: code, code, weight, note"),
        ("", "thing.csv is empty"),
    ],
)
def test_a_faulty_file_says_where_and_changes_nothing(
    project: Project, content: str, message: str
) -> None:
    project.seed(GOOD)
    assert message in project.seed(content)
    assert project.query("select count(*) from thing") == [(3,)]
    assert project.seed(GOOD) == "INSERT 3"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (b",one too many", "Expected Number of Columns: 3 Found: 4"),
        # dbt itself stumbles over the bytes of a file below 1 MiB, before it loads anything
        (b"\xe9", "Invalid unicode"),
    ],
)
def test_a_fault_deep_in_a_large_file_is_found(
    project: Project, fault: bytes, message: str
) -> None:
    lines = [b"%d,%d,%s" % (n, n, b"x" * 60) for n in range(100_000)]
    lines[77_000] += fault
    content = b"\n".join([b"code,weight,note", *lines]) + b"\n"
    assert f"thing.csv, line 77002: {message}" in project.seed(content)
