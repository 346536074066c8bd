"""Every test set that ships can be evaluated, however its cases come into it."""

import csv

import duckdb
import pytest
from click.testing import CliRunner
from scratch import Scratch

from python_llm.console.cli import main

CHOSEN = "synthetic_urg_200"  # the first cases of another set
# what stands beside the experiments and reads nothing of them
OTHERS = ("questions", "recommendations")  # phenotyping: rankers read notes and profiles
RUN = f"somebody/plain/{CHOSEN}"
NUMBERED = f"another/plain/{CHOSEN}"  # whose cases are named by their numbers in the set


def record(scratch: Scratch, run: str, rows: list[tuple]) -> None:
    """Import answers that begin with the gold diagnosis as a recorded run; rows: (case, gold)."""
    file = scratch.folder / "answers.csv"
    with file.open("w", newline="", encoding="utf-8") as handle:
        answers = [(case, gold, f"1. {gold}\n2. Gout") for case, gold in rows]
        csv.writer(handle).writerows([("case_id", "gold", "answer"), *answers])
    model, prompt, test_set = run.split("/")
    done = CliRunner().invoke(
        main,
        [
            *("runs", "import", str(file)),
            *("--model", model, "--prompt", prompt, "--test-set", test_set),
        ],
        # what is served are the tables the groundwork has built
        env={**scratch.environment, "KERNEL29_SERVE_DIR": str(scratch.warehouse.parent)},
    )
    assert done.exit_code == 0, done.output or repr(done.exception)


@pytest.fixture(scope="module")
def evaluated(groundwork, tmp_path_factory) -> Scratch:
    """A warehouse whose configurations ask the baseline about every set, and two runs recorded on
    a chosen one, with the ids of its cases and with their numbers there."""
    folder = tmp_path_factory.mktemp("sets")
    groundwork.copy_to(folder)
    scratch = Scratch.make(folder)
    members = scratch.rows(
        "select members.case_id, members.case_number, cases.gold_name "
        "from bridge_test_set_case as members inner join dim_case as cases using (case_id) "
        f"where members.test_set = '{CHOSEN}' order by case_number"
    )
    for run, names in ((RUN, [row[0] for row in members]), (NUMBERED, [row[1] for row in members])):
        record(scratch, run, [(name, *row[2:]) for name, row in zip(names, members, strict=True)])
    with duckdb.connect(str(scratch.warehouse)) as connection:
        connection.execute("delete from configurations")
        connection.execute(
            "insert into configurations by name select 'ic_ranker' as model_alias, "
            "'no_prompt' as prompt_alias, test_set from dim_test_set"
        )
    code, output = scratch.dbt(
        *("build", "--quiet", "--exclude-resource-type", "unit_test"),
        *groundwork.exclude,
        *(f"path:models/*/{domain}" for domain in OTHERS),
        *(f"path:tests/data/{domain}" for domain in OTHERS),
        "path:models/intermediate/quality",
    )
    assert code == 0, output
    return scratch


def test_the_grid_of_every_set_is_its_members(evaluated):
    assert (
        evaluated.rows(
            "select sets.test_set, cells.n from dim_test_set as sets left join ("
            "select test_set, count(*) as n from bridge_test_set_case group by all"
            ") as members using (test_set) left join ("
            "select test_set, count(*) as n from fct_answer "
            "where configuration_id like 'ic_ranker/%' group by all"
            ") as cells using (test_set) where members.n is distinct from cells.n"
        )
        == []
    )


def test_the_leaderboard_has_every_set_even_an_empty_one(evaluated):
    board = evaluated.rows(
        "select board.test_set, board.n_cases, sets.n_cases, board.is_asked "
        "from rpt_leaderboard as board inner join dim_test_set as sets using (test_set) "
        "where configuration_id like 'ic_ranker/%'"
    )
    assert len(board) == len(evaluated.rows("from dim_test_set"))
    assert all(n == expected and asked == (n > 0) for _, n, expected, asked in board)
    assert {name for name, n, *_ in board if n == 0} == {"rarebench", "ramedis_200"}


@pytest.mark.parametrize("run", [RUN, NUMBERED])
def test_a_recorded_run_finds_the_cases_of_a_chosen_set(evaluated, run):
    assert evaluated.rows(
        "select n_cases, n_answers, n_missing, n_left_out, n_gold_worded_differently "
        f"from rpt_recorded_run where configuration_id = '{run}'"
    ) == [(200, 200, 0, 0, 0)]
    ((n_cases, top1),) = evaluated.rows(
        f"select n_cases, top1_strict from rpt_leaderboard where configuration_id = '{run}' "
        "and judge_id = 'terminology'"
    )
    assert n_cases == 200
    assert top1 > 0.9  # every list begins with the gold diagnosis as it is written


def test_chosen_sets_are_compared_and_broken_down_like_others(evaluated):
    compared = evaluated.rows(
        "select distinct n_cases from fct_configuration_comparison "
        f"where test_set = '{CHOSEN}' and judge_id = 'terminology' and metric = 'top1_strict'"
    )
    assert compared == [(200,)]
    parts = evaluated.rows(
        "select stratum, n_cases from fct_stratified_score where stratum_kind = 'test_set' "
        "and test_set = 'hybrid_pediatric' and setting = 'medium' and judge_id = 'terminology'"
    )
    assert {name for name, _ in parts} == {"synthetic_urg_all", "simulated_rare_200"}
    ((n_cases,),) = evaluated.rows(
        "select n_cases from dim_test_set where test_set = 'hybrid_pediatric'"
    )
    assert sum(n for _, n in parts) == n_cases
