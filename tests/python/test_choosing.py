"""Cases that separate configurations: which are chosen, and how the loss is measured."""

import json

import numpy as np
import pytest
import served_marts
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.errors import UserError
from python_llm.report.choice_of_cases import choose_cases, sentences
from python_llm.report.paper.choice import Choice
from python_llm.report.paper.writing import write_paper
from python_llm.statistics import choosing
from python_llm.statistics.choosing import Answers, chosen, halves, loss, uniform, worth


def rasch(n_models=12, n_cases=300, prompts=1, seed=1) -> Answers:
    """Configurations of different ability on cases of different difficulty (Rasch 1960): many of
    the cases are found by all or by none."""
    random = np.random.default_rng(seed)
    ability = np.repeat(np.linspace(-1.5, 1.5, n_models), prompts)
    difficulty = random.uniform(-6, 6, n_cases)
    odds = 1 / (1 + np.exp(difficulty[None, :] - ability[:, None]))
    found = random.random((n_models * prompts, n_cases)) < odds
    models = np.repeat(np.arange(n_models), prompts)
    return Answers(found, models, [f"t/{number}" for number in range(n_cases)])


def test_a_case_that_all_or_none_find_is_worth_nothing():
    found = np.array([[1, 0, 1, 1], [1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]], bool)
    values = worth(found, np.arange(4))
    assert values.tolist() == [0, 0, 0.25, 0.1875]
    assert chosen(Answers(found, np.arange(4), list("abcd")), 2).tolist() == [2, 3]


def test_every_model_counts_alike_whatever_its_prompts():
    found = np.array([[1], [1], [1], [0]], bool)
    assert worth(found, np.array(["m", "m", "m", "n"])).tolist() == [0.25]


def test_a_choice_does_not_know_whose_an_answer_is():
    answers = rasch()
    order = np.random.default_rng(3).permutation(len(answers.models))
    names = np.array([f"model {number}" for number in answers.models[order]])
    renamed = Answers(answers.hits[order], names, answers.cases)
    assert chosen(renamed, 80).tolist() == chosen(answers, 80).tolist()
    # better and worse is not looked at, either: what is found may be what is missed
    turned = Answers(~answers.hits, answers.models, answers.cases)
    assert chosen(turned, 80).tolist() == chosen(answers, 80).tolist()


def test_equal_cases_are_in_a_random_order_that_stays():
    nothing = Answers(np.zeros((4, 50), bool), np.arange(4), [f"t/{n}" for n in range(50)])
    first = chosen(nothing, 50).tolist()
    assert first != sorted(first)
    assert first == sorted(range(50), key=lambda n: uniform(f"choice:t/{n}"))
    assert uniform("a") == int("ca978112ca1b", 16) / 2**48  # sha256 of 'a', as the macro has it


def test_halves_keep_prompts_together_and_span_the_abilities():
    answers = rasch(n_models=7, prompts=2)
    ways = list(halves(answers))
    assert len({tuple(way) for way in ways}) == len(ways) > 5
    accuracy = {m: answers.hits[answers.models == m].mean() for m in set(answers.models)}
    order = sorted(accuracy, key=accuracy.get)
    for way in ways:
        half, other = set(answers.models[way]), set(answers.models[~way])
        assert not half & other
        assert {len(half), len(other)} == {3, 4}
        for pair in (order[0:2], order[2:4], order[4:6]):
            assert len(half & set(pair)) == 1


def test_chosen_cases_lose_less_than_random_ones():
    result = loss(rasch(), 100)
    assert result.n_separated > 100
    assert 0.8 < result.power <= 1
    assert result.power > result.random_power + 0.1
    assert result.order > result.random_order


def test_the_loss_is_measured_on_models_left_out_of_the_choice(monkeypatch):
    """The columns are chosen by one half; what is then tried shares no model with it."""
    answers = rasch(n_models=6, prompts=2)
    parts = []
    choose, keep = choosing.chosen, choosing._kept
    monkeypatch.setattr(choosing, "chosen", lambda a, n: parts.append(a.hits) or choose(a, n))
    tried = []
    monkeypatch.setattr(choosing, "_kept", lambda f, c: tried.append(f) or keep(f, c))
    loss(answers, 50)
    every = {row.tobytes() for row in answers.hits}
    for number, choosing_half in enumerate(parts):
        own = {row.tobytes() for row in choosing_half}
        other = {row.tobytes() for row in tried[number * (1 + choosing.DRAWS)]}
        assert not own & other
        assert own | other == every


def test_a_pair_counts_once_in_each_half_that_has_it():
    """Two models find all of twenty cases and two none: each half has one of either kind."""
    hits = np.repeat([[True], [True], [False], [False]], 20, axis=1)
    result = loss(Answers(hits, np.arange(4), [str(number) for number in range(20)]), 10)
    assert (result.n_splits, result.n_separated) == (2, 4)
    assert (result.power, result.random_power) == (1.0, 1.0)


def test_too_few_models_or_cases_have_no_loss():
    answers = rasch(n_models=3)
    with pytest.raises(ValueError, match="fewer than 4 models"):
        loss(answers, 10)
    for number in (0, 300, 301):
        with pytest.raises(ValueError, match="no choice"):
            loss(rasch(), number)


def test_without_a_separated_pair_there_is_no_power():
    same = Answers(np.ones((4, 20), bool), np.arange(4), [str(n) for n in range(20)])
    result = loss(same, 5)
    assert (result.power, result.random_power, result.order) == (None, None, None)


SCORES = """
insert into dim_configuration by name
select model || '/plain/one' as configuration_id, model as model_alias, 'plain' as prompt_alias,
    'one' as test_set, 'here' as provider, model as api_model from (values ('delta')) as t (model);
delete from fct_case_score;
insert into fct_case_score by name
select configuration_id, case_id, 'terminology' as judge_id, test_set,
    split_part(case_id, '/', 2)::integer <= list_position(['alpha', 'beta', 'gamma', 'delta'],
        model_alias) * 5 - 2 as is_top5_strict,
    true as is_scored, true as is_asked, 1.0 as semantic_score, 1.0 as severity_score
from dim_configuration inner join dim_case using (test_set)
-- one of them was asked about a sample only
where configuration_id != 'alpha/other/one' or case_id != 'one/7';
insert into fct_case_difficulty by name
select distinct test_set, case_id, judge_id, 'low' as complexity_level, 4 as n_configurations,
    0.75 as share_found, 3 as n_findings, 2.5 as mean_specificity, 0.1 as noise_share
from fct_case_score where test_set = 'one';
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chosen")
    return served_marts.make(folder / "kernel29.duckdb", [SCORES])


def test_cases_are_chosen_from_the_served_scores(database):
    choice = choose_cases(database, "one", "", 5)
    assert (choice.n_whole, choice.n_models, choice.n_configurations) == (20, 4, 4)
    # found by two of the four: 9 to 13 of 3, 8, 13 and 18
    assert {int(case.partition("/")[2]) for case in choice.cases} == {9, 10, 11, 12, 13}
    assert "5 of the 20 cases of one" in sentences(choice)[0]


@pytest.mark.parametrize(
    ("test_set", "judge", "n_cases", "hint"),
    [
        ("won", "", 5, "test set 'won'. The nearest: one"),
        ("one", "lits", 5, "judge 'lits'. The nearest: lists"),
        ("one", "", 20, "from 1 to 19"),
        ("one", "", 0, "from 1 to 19"),
        ("two", "", 5, "of 3 models with labels by terminology: at least 4"),
        ("one", "lists", 5, "of 0 models with labels by lists: at least 4"),
    ],
)
def test_what_cannot_be_chosen_says_why(database, test_set, judge, n_cases, hint):
    with pytest.raises(UserError, match=hint):
        choose_cases(database, test_set, judge, n_cases)


def test_the_command_prints_ids_alone_to_stdout(database, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(database.parent))
    command = ["cases", "choose", "--test-set", "one", "--cases", "3"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.split()) == 3
    assert "models left out of the choice" in done.stderr
    record = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    assert record["cases"] == done.stdout.split()
    assert record["loss"]["n_splits"] == 2


def test_the_paper_says_how_hard_cases_are_and_what_fewer_lose(database, tmp_path):
    write_paper(database, tmp_path / "paper", Choice())
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "| one | low | 20 | 100.0 | 20 | 3.00 | 2.50 | 0.10 | – |" in text
    assert "| one | 5 | 20 | 4 |" in text
    assert "| one | 10 | 20 | 4 |" in text
    assert len(list((tmp_path / "paper").glob("table_*_case_difficulty.csv"))) == 1
