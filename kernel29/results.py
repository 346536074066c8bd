"""What an experiment came to, as tables and figures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa

from kernel29 import figures
from python_llm import paths
from python_llm.console.terminal import LookupFailed
from python_llm.errors import UserError
from python_llm.experiments.file import Experiment
from python_llm.registries.names import nearest

# The tables of an experiment; $configurations and $test_sets are its own.
TABLES = {
    "leaderboard": "from rpt_leaderboard where list_contains($configurations, configuration_id) "
    "order by judge_id, test_set, semantic_aggregate desc nulls last",
    "scores": "from fct_configuration_score where list_contains($configurations, configuration_id) "
    "order by all",
    "pairs": "from fct_configuration_comparison where "
    "list_contains($configurations, configuration_a) "
    "and list_contains($configurations, configuration_b) "
    "order by test_set, judge_id, metric, p_value, configuration_a, configuration_b",
    "answers": "from fct_answer where list_contains($configurations, configuration_id) "
    "order by configuration_id, case_id",
    "diagnoses": "from fct_judged_diagnosis where "
    "list_contains($configurations, configuration_id) "
    "order by configuration_id, case_id, judge_id, diagnosis_rank",
    "case_scores": "from fct_case_score where list_contains($configurations, configuration_id) "
    "order by configuration_id, case_id, judge_id",
    "cases": "select dim_case.* from dim_case semi join (select case_id from bridge_test_set_case "
    "where list_contains($test_sets, test_set)) as own using (case_id) order by case_id",
}


class Results:
    """An experiment that was run. Tables are read from the served database when they are asked for:
    a later build shows here."""

    def __init__(self, database: Path, experiment: Experiment) -> None:
        self._database = database
        self._own = {
            "configurations": sorted(experiment.configurations()),
            "test_sets": list(experiment.test_sets),
        }
        self.file = experiment.path

    def arrow(self, name: str) -> pa.Table:
        """A table of the experiment as Arrow: leaderboard, scores, pairs, answers, diagnoses,
        case_scores or cases. Raises Error for another name."""
        if name not in TABLES:
            raise UserError(f"There is no table '{name}'. The nearest: {nearest(name, TABLES)}.")
        sql = TABLES[name]
        own = {key: values for key, values in self._own.items() if f"${key}" in sql}
        return _read(self._database, sql, own)

    @property
    def leaderboard(self) -> pd.DataFrame:
        """A row for each configuration and judge, the best first: scores with their intervals,
        failures, cost."""
        return self.arrow("leaderboard").to_pandas()

    @property
    def scores(self) -> pd.DataFrame:
        """A row for each configuration, judge, metric and setting, with its interval."""
        return self.arrow("scores").to_pandas()

    @property
    def pairs(self) -> pd.DataFrame:
        """Every two configurations of a test set compared on their common cases: the difference
        with its interval, p as it is and corrected."""
        return self.arrow("pairs").to_pandas()

    @property
    def answers(self) -> pd.DataFrame:
        """A row for each configuration and case, failures included: the text that came back."""
        return self.arrow("answers").to_pandas()

    @property
    def diagnoses(self) -> pd.DataFrame:
        """A row for each rank of each list and judge: relation, severity, rule and reason."""
        return self.arrow("diagnoses").to_pandas()

    @property
    def case_scores(self) -> pd.DataFrame:
        """A row for each configuration, case and judge: rank of the gold diagnosis and scores."""
        return self.arrow("case_scores").to_pandas()

    @property
    def cases(self) -> pd.DataFrame:
        """The cases that were asked about."""
        return self.arrow("cases").to_pandas()

    def figure(self, name: str, judge: str = "terminology") -> go.Figure:
        """A picture of the leaderboard by one judge: accuracy, plane (semantic and severity score)
        or cost. Raises Error for another name, and for a judge who judged none of it."""
        if name not in figures.FIGURES:
            known = figures.FIGURES
            raise UserError(f"There is no figure '{name}'. The nearest: {nearest(name, known)}.")
        board = self.leaderboard
        judges = set(board["judge_id"])
        if judge not in judges:
            raise UserError(f"There is no judge '{judge}' here: {', '.join(sorted(judges))}.")
        return figures.FIGURES[name](board[board["judge_id"] == judge])

    def __repr__(self) -> str:
        n = len(self._own["configurations"])
        return (
            f"<{n} configurations of {self.file.name}: .leaderboard, .pairs, .figure('accuracy')>"
        )


def query(sql: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Rows of a statement on the served tables, read only; `$name` stands for a parameter. Raises
    Error with the first line of DuckDB's."""
    return _read(paths.served_database(), sql, parameters or {}).to_pandas()


def table(name: str) -> pd.DataFrame:
    """A served table, such as 'rpt_leaderboard'. Raises Error if there is none of this name."""
    known = query("select table_name from information_schema.tables")["table_name"]
    if name not in set(known):
        raise UserError(f"No table '{name}' is served. The nearest: {nearest(name, set(known))}.")
    return query(f'from "{name}"')


def _read(database: Path, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
    if not database.is_file():
        raise LookupFailed(f"{database} does not exist yet: run `kernel29 build` first.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            return connection.execute(sql, dict(parameters)).to_arrow_table()
    except duckdb.Error as error:
        raise LookupFailed(str(error).splitlines()[0]) from error
