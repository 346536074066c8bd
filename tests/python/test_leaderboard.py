"""The printed leaderboard: nothing hidden, nothing wider than a terminal."""

import pytest
from leaderboard_rows import row

from python_llm.console import leaderboard
from python_llm.console.board import board
from python_llm.console.leaderboard import SCORES, format_leaderboard, read_leaderboard
from python_llm.console.terminal import LookupFailed


def test_scores_stand_above_their_intervals():
    lines = format_leaderboard([row()]).splitlines()
    (at,) = [number for number, line in enumerate(lines) if line == "m/p/t"]
    assert lines[at + 1].split() == ["200", "0", *["50.0"] * 4, *["0.50"] * 3]
    assert lines[at + 2].split() == [*["25..100"] * 4, *["0.25..1.00"] * 3]
    assert max(map(len, lines)) <= 80


def test_broader_names_have_a_line_of_their_own():
    text = format_leaderboard([row(top1_broad=0.6, top10_broad=0.9, mrr_broad=0.7)])
    (line,) = [line for line in text.splitlines() if line.strip().startswith("broad")]
    assert line.split() == ["broad", "60.0", "50.0", "50.0", "90.0", "0.70", "cost", "$", "1.23"]


def test_a_metric_of_ones_own_moves_no_broad_name(monkeypatch):
    own = ("ranks", "mean_n_ranks", 1, 2, 9)
    monkeypatch.setattr(leaderboard, "SCORES", (*SCORES[:3], own, *SCORES[4:]))
    ends = {"mean_n_ranks_low": 3.0, "mean_n_ranks_high": 4.0}
    lines = format_leaderboard([row(mrr_strict=0.61, mrr_broad=0.72, **ends)]).splitlines()
    (at,) = [number for number, line in enumerate(lines) if line == "m/p/t"]
    assert lines[at + 1].index("0.61") == lines[at + 3].index("0.72")
    assert len(lines[at + 1]) == len(lines[at + 3])


def test_a_severity_score_says_how_many_cases_it_rests_on():
    text = format_leaderboard([row(n_without_gold_severity=195)])
    assert "severity: of 5 cases with a severity, given or by the judge" in text
    unmeasured = row(n_without_gold_severity=200, severity_aggregate=None)
    assert "severity: of" not in format_leaderboard([unmeasured])
    assert "severity: of" not in format_leaderboard([row()])


def test_failures_say_their_kind():
    text = format_leaderboard([row(n_failures=7, n_model_failures=4, n_not_asked=3)])
    assert "failed: 4 refused, cut off or unreadable, 3 not asked because of budget" in text


def test_a_ranker_without_findings_did_not_refuse():
    text = format_leaderboard(
        [row(configuration_id="r/no_prompt/t", n_failures=4, n_model_failures=4)]
    )
    assert "failed: 4 without anything to rank by\n" in text


def test_golds_beyond_the_rules_are_reported_once_a_set():
    text = format_leaderboard([row(n_unknown_gold=50), row(n_unknown_gold=50)])
    assert text.count("50 gold diagnoses are in no terminology") == 1
    assert "1 gold diagnosis is in no terminology" in format_leaderboard([row(n_unknown_gold=1)])
    assert "terminology:" not in format_leaderboard([row()])
    text = format_leaderboard([row(n_without_icd10=12), row(n_without_icd10=12)])
    assert text.count("12 gold diagnoses have no ICD-10-CM code") == 1
    assert "ICD-10" not in format_leaderboard([row()])


def test_lists_without_a_label_are_counted_and_said():
    assert "no label: 180 lists, which count as misses" in format_leaderboard(
        [row(n_unlabelled=180)]
    )


def test_what_was_labelled_in_part_has_no_score():
    rows = [row(is_asked=False, state="labelled in part", n_unlabelled=n) for n in (9, 1)]
    text = format_leaderboard(rows)
    assert "m/p/t\n       no score: 9 lists have no label by this judge\n" in text
    assert "no score: 1 list has no label by this judge\n" in text
    assert "no score: 9 lists" in board([row(judge_id="r"), {**rows[0], "judge_id": "r"}])


def test_a_judge_says_what_it_left_out_as_its_own_family():
    rows = [row(n_own_family=2, judge_family="gpt"), row(n_own_family=2, judge_family="gpt")]
    text = format_leaderboard(rows)
    assert text.count("Not judged: 2 configurations of the judge's own model family, gpt\n") == 1
    assert "Not judged" not in format_leaderboard([row()])


def test_nothing_has_a_minus_sign():
    text = format_leaderboard([row(semantic_aggregate=-0.001, semantic_aggregate_low=-0.004)])
    assert "-0.00" not in text
    assert "0.00..1.00" in text


def test_less_than_half_a_cent_is_not_free():
    costs = {0.0: "cost $ 0.00", 0.0043: "cost $ < 0.01", 0.005: "cost $ 0.01"}
    for usd, printed in costs.items():
        assert printed in format_leaderboard([row(generation_usd=usd)])


def test_the_unasked_have_no_score_and_no_cost_is_not_zero():
    unasked = row(is_asked=False, n_cases=0, state="no price")
    text = format_leaderboard([unasked, row(generation_usd=None)])
    assert "  200  no price" in text
    assert "50.0" in text
    assert "0.00" not in text.replace("1.00", "")


def test_a_sample_says_of_how_many_cases():
    assert "a sample: 3 of 200 cases" in format_leaderboard([row(n_cases=3)])
    assert "a sample" not in format_leaderboard([row()])


def test_an_empty_test_set_is_named():
    text = format_leaderboard([row(is_asked=False, n_cases=0, n_test_set_cases=0)])
    assert "    0  the test set is empty" in text
    assert "not requested" not in text


def test_every_judge_has_its_block():
    text = format_leaderboard([row(), row(judge_id="another")])
    assert text.index("Judge: another") < text.index("Judge: terminology")


def test_every_test_set_has_its_block_in_order_of_the_rows():
    configurations = ("z/p/u", "b/p/t", "a/p/t", "c/p/u")
    unasked = row(configuration_id="m/p/empty", is_asked=False)
    rows = [unasked, *(row(configuration_id=name) for name in configurations)]
    text = format_leaderboard([*rows, *({**columns, "judge_id": "x"} for columns in rows)])
    names = [
        line.removeprefix("Test set: ")
        for line in text.splitlines()
        if line.startswith("Test set:") or line.count("/") == 2
    ]
    assert names == 2 * ["t", "b/p/t", "a/p/t", "u", "z/p/u", "c/p/u", "empty", "m/p/empty"]


def test_every_judge_says_where_people_bear_it_out():
    assert "  not measured against people" in format_leaderboard([row()])
    text = format_leaderboard(
        [
            row(is_calibrated=True),
            row(configuration_id="m/p/u", is_calibrated=False),
            row(configuration_id="m/p/v"),
        ]
    )
    assert "  calibrated against people: t\n  not calibrated against people: u\n" in text


def test_a_judge_says_the_lists_it_was_measured_on():
    measured = [
        {"panel": "boss", "scale": "top1_broad", "kappa": None, "lowest_rater": None},
        {"panel": "clinic", "scale": "top1_broad", "kappa": 0.705, "lowest_rater": 0.923},
        {"panel": "clinic", "scale": "top5", "kappa": 0.332, "lowest_rater": 0.866},
    ]
    rows = [row(measured_on_lists=measured, is_calibrated=is_so) for is_so in (None, False)]
    rows.append(row(judge_id="boss", judge_kind="person"))
    text = format_leaderboard(rows)
    assert "  kappa with boss (t), broad: top-1 -; one rater\n" in text
    assert (
        "  kappa with clinic (t), broad: top-1 0.70, top-5 0.33; lowest rater 0.92, 0.87\n" in text
    )
    assert "Judge: boss\n  a person\n" in text
    assert "against people" not in text


def test_a_constant_judge_is_named_with_what_it_judged():
    text = format_leaderboard([row(is_judge_constant=True), row(configuration_id="m/p/u")])
    assert "  one label for every rank, or none: the scores of m/p/t say nothing\n" in text
    assert "m/p/u say" not in text


def test_before_the_first_build_there_is_a_remedy(tmp_path):
    with pytest.raises(LookupFailed, match="run `kernel29 build` first"):
        read_leaderboard(tmp_path / "kernel29.duckdb")
