"""What of the leaderboard is shown: the chosen rows, in order, and at most a screen."""

import pytest
from leaderboard_rows import row

from python_llm.console.board import NoSuchRow, board, chosen, nothing_chosen
from python_llm.console.leaderboard import LEGEND


def rows(n=3, test_set="t", judge="terminology", **columns):
    return [
        row(
            configuration_id=f"m{number}/p{number % 2}/{test_set}",
            test_set=test_set,
            judge_id=judge,
            semantic_aggregate=1 - number / 100,
            top1_strict=number / 100,
            generation_usd=None if number == 1 else float(number),
            **columns,
        )
        for number in range(n)
    ]


def names(chosen_rows):
    return [row["configuration_id"].split("/")[0] for row in chosen_rows]


def test_rows_are_chosen_by_their_names():
    board_rows = [*rows(), *rows(test_set="u"), *rows(judge="person")]
    assert len(chosen(board_rows, {"judge": ["person"]})) == 3
    assert names(chosen(board_rows, {"test-set": ["u"], "prompt": ["p0"]})) == ["m0", "m2"]
    assert names(chosen(board_rows, {"model": ["m1", "m2"], "judge": ["person"]})) == ["m1", "m2"]
    assert chosen(board_rows, {"model": []}) == board_rows


def test_an_empty_choice_says_who_has_judged_it():
    board_rows = [*rows(), *rows(test_set="u"), *rows(judge="person")]
    wanted = {"judge": ["person"], "test-set": ["u"]}
    assert chosen(board_rows, wanted) == []
    assert nothing_chosen(board_rows, wanted) == (
        "Judged by person: none of the 3 configurations asked that you choose. "
        "Judged by: terminology."
    )
    wanted = {"model": ["m1"], "prompt": ["p0"]}
    assert nothing_chosen(board_rows, wanted) == (
        "No configuration has model m1, prompt p0 together."
    )


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"model": ["m9"]}, "no model 'm9'. The nearest: m0, m1, m2"),
        ({"test-set": ["tt"]}, "no test-set 'tt'"),
        ({"judge": ["terminolgy"]}, "no judge 'terminolgy'. The nearest: terminology"),
    ],
)
def test_a_name_that_no_row_has_is_told(wanted, message):
    with pytest.raises(NoSuchRow, match=message):
        chosen(rows(), wanted)


def test_the_best_is_first_whatever_is_counted():
    assert names(chosen(rows(), {}, "top1")) == ["m2", "m1", "m0"]
    assert names(chosen(rows(), {}, "cost")) == ["m0", "m2", "m1"]  # unknown dollars are last
    assert names(chosen(rows(), {}, "semantic_aggregate_low")) == ["m0", "m1", "m2"]
    with pytest.raises(NoSuchRow, match="no number 'top2'"):
        chosen(rows(), {}, "top2")


def test_a_screen_has_the_best_of_every_set(monkeypatch):
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setenv("COLUMNS", "80")
    text = board([*rows(20), *rows(20, "u"), *rows(3, "v", is_asked=False)])
    assert len(text.splitlines()) <= 40
    assert "m0/p0/t" in text
    assert "m0/p0/u" in text
    assert "m1/p1/u" in text
    assert "m2/p0/u" not in text
    assert "Not shown: 36 more configurations; 3 that were not asked." in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "Sorted by the semantic score within each test set, best first." in text


def test_a_board_says_by_what_it_is_sorted():
    person = rows(3, judge="person", judge_kind="person", severity_aggregate=None)
    for one in person:
        one["semantic_aggregate"] = None
    alone = board(person)
    assert "Sorted by top-5 within each test set, best first: no semantic score here." in alone
    both = board([*rows(), *person], is_whole=True)
    assert "Sorted by the semantic score within each test set, best first.\n" in both
    assert both.splitlines()[-1] == "By top-5 where a judge gives none: person."
    assert "Sorted by top1 within" in board(chosen(person, {}, "top1"), "top1")
    assert "top-5 where" not in board([*rows(), *person])  # the person is not shown


def test_other_judges_are_named_and_all_shows_them():
    both = [*rows(1), *rows(1, judge="person", judge_kind="person")]
    text = board(both)
    assert text.count("m0/p0/t") == 1
    assert "what other judges say: person" in text
    assert board(both, is_whole=True).count("m0/p0/t") == 2


def test_the_judges_a_run_asked_are_shown_too():
    three = [*rows(1), *rows(1, judge="a_model"), *rows(1, judge="person", judge_kind="person")]
    text = board(three, asked_judges=["a_model"])
    assert text.index("Judge: a_model") < text.index("Judge: terminology")
    assert "Not shown: what other judges say: person." in text
    assert "Judge: person" not in text


def test_the_models_a_run_asked_are_shown_whatever_fits(monkeypatch):
    monkeypatch.setenv("LINES", "30")
    both = [*rows(20), *rows(20, "u")]
    assert "m18/" not in board(both)
    text = board(both, asked_models=["m18"])
    assert text.index("m0/p0/t") < text.index("m18/p0/t") < text.index("m0/p0/u")
    assert "m18/p0/u" in text
    assert "m17/" not in text


def test_what_fits_is_shown_without_more_words():
    text = board(rows(1))
    assert "Not shown" not in text
    assert text.splitlines()[-2] == LEGEND[-1]
    assert "kernel29 case ID" in text
    assert board([]).splitlines()[0] == ""
