"""A run narrowed to a few cases sends what its plan says, the same cases for everybody."""

from collections import defaultdict

import pytest
from loopback import Loopback
from scratch import JUDGED, Scratch, addresses, clinician, copied

OF_VERDICTS = ("every_scored_rank_is_judged_once", "every_model_verdict_has_its_votes")
SAMPLE = {"models": "gpt4o,local", "prompts": "dxgpt_standard", "limit": "3", "max_usd": "5"}


@pytest.fixture(scope="module")
def asked(built, tmp_path_factory):
    """Three live runs on one ledger, which begins empty: three cases, the same three, five cases;
    with the plan before each, the cells that were asked after each, and how many requests have
    arrived by then."""
    folder = tmp_path_factory.mktemp("narrowed")
    copied(built[0].warehouse, folder)
    runs = []
    judges = {"judges": "claude_sonnet45_judge", "judge_runs": JUDGED}
    with Loopback(answer=clinician) as server:
        scratch = Scratch.make(folder, **addresses(server))
        for limit in ("3", "3", "5"):
            variables = {**SAMPLE, **judges, "mode": "live", "limit": limit}
            output = scratch.part(("int_experiments__generation_responses",), **variables)
            plan = scratch.rows(
                "select name, task, n_cells, n_answered, n_requests "
                "from int_experiments__run_plan order by all"
            )
            cells = scratch.rows(
                "select model_alias, case_id from int_experiments__generation_asks "
                "inner join int_experiments__generation_responses using (request_key) "
                "where status != 'not_requested'"
            )
            runs.append((output, plan, cells, server.total))
        yield scratch, runs


def cases_of(cells) -> dict[str, set[str]]:
    found = defaultdict(set)
    for model, case_id in cells:
        found[model].add(case_id)
    return dict(found)


def test_the_planned_cells_are_sent_with_the_same_cases_for_all(asked):
    _, ((_, plan, cells, total), *_) = asked
    of_models = [row for row in plan if row[1] == "generation"]
    assert of_models == [("gpt4o", "generation", 3, 0, 3), ("local", "generation", 3, 0, 3)]
    assert total == 6 == len(cells)
    found = cases_of(cells)
    assert set(found) == {"gpt4o", "local"}
    assert found["gpt4o"] == found["local"]


def test_a_larger_sample_plans_only_what_it_adds(asked):
    _, ((*_, first, _), (_, again, _, still), (_, larger, cells, total)) = asked
    assert still == 6
    assert ("gpt4o", "generation", 3, 3, 0) in again
    assert ("gpt4o", "generation", 5, 3, 2) in larger
    assert total == 10
    assert cases_of(first)["gpt4o"] < cases_of(cells)["gpt4o"]


def test_judges_are_planned_for_as_many_lists_as_there_can_be(asked):
    """Three lists of the baseline, three of each model asked, three votes; none of its own."""
    _, ((_, plan, *_), *_) = asked
    assert [row for row in plan if row[0] == "claude_sonnet45_judge"] == [
        ("claude_sonnet45_judge", "semantic judge", 9, 0, 27),
        ("claude_sonnet45_judge", "severity judge", 9, 0, 27),
    ]


def test_a_judge_of_a_sample_judges_exactly_the_sample(asked):
    scratch, _ = asked
    judges = {"judges": "claude_sonnet45_judge", "judge_runs": JUDGED}
    scratch.part(("fct_judged_diagnosis",), **SAMPLE, **judges, mode="live")
    judged = scratch.rows(
        "select split_part(configuration_id, '/', 1), count(distinct case_id) "
        "from fct_judged_diagnosis where judge_id = 'claude_sonnet45_judge' group by 1 order by 1"
    )
    # some of the loopback's few lists are also other cases', whose severities are known with them
    assert [(name, n >= 3) for name, n in judged] == [
        ("gpt4o", True),
        ("ic_ranker", True),
        ("local", True),
    ]
    assert dict(judged)["ic_ranker"] == 3
    code, output = scratch.dbt("test", "--quiet", "--select", *OF_VERDICTS)
    assert code == 0, output


def test_a_list_judged_by_chance_is_not_of_the_sample(asked):
    """The baseline gives every case of a set one list, and gold diagnoses repeat: what a judge says
    of a case of the sample it also says of others."""
    scratch, _ = asked
    runs = "frequency_baseline/no_prompt/synthetic_urg_200"
    chosen = {"judges": "claude_sonnet45_judge", "judge_runs": runs, "limit": "20", "max_usd": "5"}
    scratch.part(("fct_judged_diagnosis", "int_experiments__case_scores"), **chosen, mode="live")
    of_judge = f"configuration_id = '{runs}' and judge_id = 'claude_sonnet45_judge'"
    ((n_votes,),) = scratch.rows(
        f"select count(distinct case_id) from fct_judge_vote where {of_judge} and probe = 'none'"
    )
    ((n_judged, last),) = scratch.rows(
        "select count(distinct case_id), max(sample_order) from fct_judged_diagnosis "
        "inner join int_experiments__expected_cells using (configuration_id, case_id) "
        f"where {of_judge}"
    )
    ((n_counted,),) = scratch.rows(
        f"select count(*) from int_experiments__case_scores where {of_judge} and is_counted"
    )
    assert n_votes > n_judged
    assert 20 <= n_judged <= last <= 20 / 0.9
    assert n_counted == n_judged
    code, output = scratch.dbt("test", "--quiet", "--select", *OF_VERDICTS)
    assert code == 0, output


def test_the_plan_is_printed_before_the_first_request(asked):
    _, ((output, *_), *_) = asked
    assert "engine: Plan, before anything is sent:" in output
    assert output.index("engine: Plan") < output.index("requests to send")


def test_a_sample_is_scored_on_its_cases_and_says_so(asked):
    scratch, _ = asked
    output = scratch.part(("rpt_leaderboard", "fct_configuration_comparison"))
    rows = scratch.rows(
        "select split_part(configuration_id, '/', 1), state, n_cases, n_test_set_cases, "
        "n_not_requested from rpt_leaderboard where judge_id = 'terminology' order by all"
    )
    keyless = ("frequency_baseline", "ic_ranker", "lexical_ranker", "profile_ranker")
    assert rows == sorted(
        [
            ("claude_sonnet45", "not requested", 0, 200, 200),
            ("gpt4o", "sample", 5, 200, 195),
            ("local", "sample", 5, 200, 195),
            *[(name, "asked", 200, 200, 0) for name in keyless] * 2,
        ]
    ), output
    compared = scratch.rows(
        "select n_cases, count(*) from fct_configuration_comparison "
        "where judge_id = 'terminology' and metric = 'top5_strict' group by all order by all"
    )
    # on the sample the two models with each other and four rankers; these on two whole sets
    assert compared == [(5, 1 + 2 * 4), (200, 2 * 6)]
