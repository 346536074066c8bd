"""Which configurations a paper is about: names of test sets, models and prompts, and a judge."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from python_llm.errors import UserError
from python_llm.registries.names import nearest
from python_llm.report.paper.words import listing

RULES = "terminology"  # the judge that has judged everything, and is taken unless one is named
ASKED = """
select distinct configuration_id, test_set, model_alias, prompt_alias, judge_id
from fct_configuration_score where is_asked
"""

Row = dict[str, Any]


class NoSuchName(UserError):
    """A name that no configuration has; the text has the nearest ones."""


@dataclass(frozen=True)
class Choice:
    """Names to keep, all of them where none is given; judge: the one whose scores are shown."""

    test_sets: Collection[str] = ()
    models: Collection[str] = ()
    prompts: Collection[str] = ()
    judge: str = ""


@contextmanager
def served(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose tables are those of a served database, read-only. Raises UserError with
    the remedy if nothing has been served yet, or not all that is read: a demonstration serves a
    part, and an older version had other columns."""
    if not database.is_file():
        raise UserError(f"{database} does not exist yet: run `kernel29 build` first.")
    with duckdb.connect() as connection:
        connection.execute(f"attach '{str(database).replace(chr(39), chr(39) * 2)}' (read_only)")
        connection.execute(f"use {database.stem}")
        try:
            yield connection
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            raise UserError(
                f"{database} lacks what is read here ({str(error).splitlines()[0]}): run "
                "`kernel29 build`, which serves every table."
            ) from error


def rows_of(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] = ()
) -> list[Row]:
    """The rows of a query, by the names of its columns."""
    cursor = connection.execute(query, list(parameters))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def choose(connection: duckdb.DuckDBPyConnection, choice: Choice) -> str:
    """Fill the temporary table `chosen` (configuration_id, test_set, model_alias, prompt_alias) and
    return the judge.

    Raises NoSuchName for a name that no asked configuration has, with the nearest, and where the
    names have no configuration in common.
    """
    asked = rows_of(connection, ASKED)
    if not asked:
        raise NoSuchName("No configuration has been asked yet: run `kernel29 build` first.")
    judges = {row["judge_id"] for row in asked}
    judged = choice.judge and _rater(connection, choice.judge, judges)
    if judged not in judges:
        _check_in_part(connection, judged)
    named = {
        "test set": ("test_set", choice.test_sets),
        "model": ("model_alias", choice.models),
        "prompt": ("prompt_alias", choice.prompts),
        "judge": ("judge_id", [judged] if judged else []),
    }
    for kind, (column, names) in named.items():
        known = {row[column] for row in asked}
        for name in names:
            if name not in known:
                raise NoSuchName(
                    f"No configuration that was asked has the {kind} '{name}'. The nearest: "
                    f"{nearest(name, known)}."
                )
    judge = judged or (RULES if RULES in judges else min(judges))
    kept = sorted(
        {
            (row["configuration_id"], row["test_set"], row["model_alias"], row["prompt_alias"])
            for row in asked
            if all(row[column] in names for column, names in named.values() if names)
            and row["judge_id"] == judge
        }
    )
    if not kept:
        raise NoSuchName(
            f"No configuration that was asked has all of these names and a score by {judge}: leave "
            "one of the options out."
        )
    connection.execute(
        "create or replace temp table chosen (configuration_id varchar, test_set varchar, "
        "model_alias varchar, prompt_alias varchar)"
    )
    connection.executemany("insert into chosen values (?, ?, ?, ?)", kept)
    return judge


def without_configuration(connection: duckdb.DuckDBPyConnection, choice: Choice) -> list[str]:
    """A sentence for each chosen name of which no configuration in `chosen` has the other names."""
    kept = rows_of(connection, "select test_set, model_alias, prompt_alias from chosen")
    named = {
        "test set": ("test_set", choice.test_sets),
        "model": ("model_alias", choice.models),
        "prompt": ("prompt_alias", choice.prompts),
    }
    return [
        f"Left out: {kind} '{name}', because no configuration has it with the other names."
        for kind, (column, wanted) in named.items()
        for name in wanted
        if name not in {row[column] for row in kept}
    ]


def _rater(connection: duckdb.DuckDBPyConnection, name: str, judges: Collection[str]) -> str:
    """The judge of this name; for the name of a panel its rater. Raters have no joint label, so
    that of several one has to be named: raises NoSuchName with their names."""
    if name in judges:
        return name
    panel = rows_of(
        connection, "select judge_id from dim_judge where panel = $1 order by 1", [name]
    )
    raters = [row["judge_id"] for row in panel if row["judge_id"] in judges]
    if len(raters) > 1:
        raise NoSuchName(
            f"The panel '{name}' has {len(raters)} raters, whose labels are not merged into one: "
            f"name one of them with --judge ({', '.join(raters)})."
        )
    return raters[0] if raters else name


def _check_in_part(connection: duckdb.DuckDBPyConnection, judge: str) -> None:
    """Raises NoSuchName for a person who has labelled no configuration whole, with how many lists
    have no label."""
    rows = rows_of(
        connection,
        "select configuration_id, n_unlabelled from rpt_leaderboard "
        "where state = 'labelled in part' and judge_id = $1 order by 1",
        [judge],
    )
    if rows:
        lists = [f"{row['configuration_id']} ({row['n_unlabelled']:,})" for row in rows]
        raise NoSuchName(
            f"{judge} has labelled no configuration whole, and so has no score to print. Lists "
            f"without a label: {listing(lists)}."
        )
