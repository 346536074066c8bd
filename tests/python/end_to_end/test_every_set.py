"""Every test set that ships can be evaluated, and so can rows as strangers bring them.

What the two kinds of data tests promise: none of those rows fails a build, and what is right among
them is served. helpers/strangers.py has an import of every kind; every data test that can fail a
build runs on it.
"""

import csv

import project
import pytest
from click.testing import CliRunner
from scratch import Scratch
from strangers import SETS, bring_everything, command, table

from python_llm.console.cli import main

CHOSEN = "synthetic_urg_200"  # the first cases of another set
MEMBERS = ("dim_case", "bridge_test_set_case")
EMPTY = "pumch_first"  # chosen of a set that nobody has imported
RUN = f"somebody/asked/{CHOSEN}"
NUMBERED = f"another/asked/{CHOSEN}"  # whose cases are named by their numbers in the set


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


def thin_out(scratch: Scratch) -> None:
    """Of the encounters after the first thousand, which are no other than these, a twentieth is
    enough: the groundwork holds all of them to their rules."""
    scratch.change(
        "emergency_chapter_counts",
        "update emergency_chapter_counts set n_cases = greatest(n_cases // 20, 1) "
        "where suffix(segment, '_rest')",
    )
    scratch.part(MEMBERS)


@pytest.fixture(scope="module")
def built(groundwork, tmp_path_factory):
    """A warehouse with all that strangers have brought, whose configurations ask the baseline about
    every set as well, and two runs recorded on a chosen one, with the ids of its cases and with
    their numbers there; how the build ended."""
    folder = tmp_path_factory.mktemp("sets")
    groundwork.copy_to(folder)
    scratch = Scratch.make(folder)
    thin_out(scratch)
    scratch.environment["KERNEL29_DATA_DIR"] = str(folder / "data")
    bring_everything(folder)
    members = scratch.rows(
        "select members.case_id, members.case_number, cases.gold_name "
        "from bridge_test_set_case as members inner join dim_case as cases using (case_id) "
        f"where members.test_set = '{CHOSEN}' order by case_number"
    )
    for run, names in ((RUN, [row[0] for row in members]), (NUMBERED, [row[1] for row in members])):
        record(scratch, run, [(name, *row[2:]) for name, row in zip(names, members, strict=True)])
    scratch.change(
        "test_set_definitions",
        "insert into test_set_definitions by name select * replace "
        f"('{EMPTY}' as test_set, 'pumch_adm' as source_test_sets) from test_set_definitions "
        "where test_set = 'ramedis_200'",
    )
    shipped = [name for (name,) in scratch.rows("select test_set from dim_test_set")]
    scratch.change(
        "configurations",
        "insert into configurations by name select 'ic_ranker' as model_alias, "
        "'no_prompt' as prompt_alias, ? as test_set",
        "|".join((*shipped, *SETS, EMPTY)),
    )
    # of what the groundwork has, it builds again what the rows of others change
    done = project.forked(project.build_selected, (), scratch.environment)
    return scratch, done.returncode, done.stdout


@pytest.fixture(scope="module")
def evaluated(built):
    scratch, code, output = built
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
    assert {name for name, n, *_ in board if n == 0} == {EMPTY}


def test_what_a_seed_says_of_a_joined_id_still_counts(evaluated):
    assert evaluated.rows(
        "select ids.disease_id, diseases.disease_name is not null "
        "from disease_prevalence as estimates "
        "inner join bridge_disease_id as ids on estimates.disease_id = ids.source_disease_id "
        "left join dim_disease as diseases on ids.disease_id = diseases.disease_id "
        "where estimates.disease_id = 'ORPHA:275555'"
    ) == [("OMIM:189800", True)]


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


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("runs", {"model": "m", "prompt": "p", "test_set": "t", "judge": "terminology"}),
        ("runs", {"model": "m", "prompt": "p", "test_set": "t", "judge": "gpt4o_judge/anna"}),
        ("labels", {"judge": "judges"}),
        ("cases", {"test_set": "kernel29_notes", "format": "rarebench"}),
    ],
)
def test_what_is_named_like_something_of_ours_is_refused(tmp_path, kind, options):
    file = table(
        tmp_path / "file.csv", ("gold", "predicted", "relation"), [("a", "b", "Not Related")]
    )
    with pytest.raises(AssertionError, match="name"):
        command(tmp_path, kind, file, **options)


def test_no_row_of_theirs_fails_a_test_of_ours(built):
    _, code, output = built
    assert code == 0, output


def test_what_is_right_among_them_is_served(built):
    scratch, *_ = built
    sizes = dict(scratch.rows("select test_set, n_cases from dim_test_set"))
    assert sizes["single"] == 1
    assert sizes["one_text"] == 6
    assert sizes["unknown_golds"] == 8
    assert 0 < sizes["odd"] < 90
    board = scratch.rows(
        "select configuration_id, n_cases from rpt_leaderboard where judge_id = 'terminology' "
        "and configuration_id like '%/plain/%'"
    )
    assert dict(board) == {
        **{
            f"{model}/plain/{name}": sizes[name]
            for model, name in [
                ("odd", "synthetic_urg_200"),
                ("ranks", "simulated_rare_200"),
                ("nothing", "simulated_rare_200"),
                *(("some", name) for name in ("odd", "single", "unknown_golds", "one_text", "hms")),
            ]
        },
    }


def test_what_is_not_is_told(built):
    scratch, *_ = built
    ((told, lost),) = scratch.rows(
        "select count(*), count(*) filter (where is_record_lost) from rpt_record_issue "
        "where test_set = 'odd'"
    )
    assert told > lost > 0
    reasons = scratch.rows("select distinct reason from rpt_label_issue where panel = 'panel'")
    assert ("there is no such case",) in reasons
    excluded = scratch.rows(
        "select distinct excluded_because from fct_document_feedback where not is_used"
    )
    assert {("repeated_feedback",), ("unknown_patient",)} <= set(excluded)
