"""What a paper consists of while it is put together: the page, and the files beside it."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from itertools import groupby

import duckdb

from python_llm.report.paper.choice import Row
from python_llm.report.paper.tables import Table


@dataclass(frozen=True)
class Build:
    """The project and the day of its build, as the paragraph of methods names them."""

    served: str
    version: str = ""

    @property
    def project(self) -> str:
        return self.version or metadata.version("kernel29")


@dataclass
class Paper:
    """What is to be written: the page, paragraph by paragraph, and the other files by name."""

    connection: duckdb.DuckDBPyConnection
    judge: str
    tables: dict[str, Table]
    build: Build
    page: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    n_tables: int = 0

    @property
    def ranks_only(self) -> bool:
        """Whether the judge states the rank of the gold diagnosis but labels no single rank: its
        lists then have no score, and strict equals broad."""
        return scores_nothing(self.tables["results"].rows)

    def add(self, *paragraphs: str) -> None:
        """Add paragraphs to the page."""
        self.page += paragraphs

    def table(self, table: Table, text: str) -> None:
        """Add a numbered table to the page, and all of its columns as CSV."""
        self.n_tables += 1
        name = f"table_{self.n_tables}_{table.name}.csv"
        self.files[name] = as_csv(table.rows)
        self.add(
            f"**Table {self.n_tables}. {table.caption}** (all columns: [{name}]({name}))", text
        )

    def beside(self, suffix: str, rows: list[Row]) -> str:
        """Add a CSV file that belongs to the next table, and return a link to it."""
        name = f"table_{self.n_tables + 1}_{suffix}.csv"
        self.files[name] = as_csv(rows)
        return f"[{name}]({name})"

    def figure(self, name: str, caption: str, picture: str) -> None:
        """Add a figure to the page; its caption says which configurations it shows."""
        self.files[f"{name}.svg"] = picture
        self.add(f"![{caption}]({name}.svg)", f"*{caption}*")

    def by_set(self) -> Iterable[tuple[str, list[Row]]]:
        """Each test set with the rows of its results, the best first."""
        for test_set, rows in groupby(self.tables["results"].rows, lambda row: row["test_set"]):
            yield test_set, list(rows)


def scores_nothing(results: Iterable[Row]) -> bool:
    """Whether none of these results has a score of its lists."""
    return all(row["mean_semantic_score"] is None for row in results)


def as_csv(rows: list[Row]) -> str:
    """Rows as CSV with a header, decimals as they are, lists joined by '; '."""
    text = io.StringIO()
    if rows:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                "; ".join(map(str, value)) if isinstance(value, list) else value
                for value in row.values()
            )
    return text.getvalue()
