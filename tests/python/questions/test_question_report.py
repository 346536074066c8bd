"""The printed report of questions, and what is remembered of whom was asked about what."""

import duckdb
import pytest
from click.testing import CliRunner

from python_llm.console.question_report import question_report
from python_llm.console.questions import questions
from python_llm.console.terminal import LookupFailed
from python_llm.errors import UserError
from python_llm.questions import asked

# ruff: noqa: E501 - rows of a table are easier to read on one line
TABLES = """
create table rpt_question_set as select * from (values ('exam', 34, 24, 4, 1, 1, 1, 2, 1, 25, 2, 7), ('keyless', 10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0))
    as t (question_set, n_questions, n_scored, n_image, n_voided, n_without_key, n_two_keys, n_key_is_no_option, n_keys_contradict, n_typed_by_rule, n_typed_by_model, n_untyped);
create table rpt_question_type_agreement as select * from (values ('exam', 'person', 20, true), ('exam', 'person', 2, false), ('exam', 'model', 9, true))
    as t (question_set, labelled_by, n_questions, is_agreed);
create table dim_question_configuration as select *, 1 as repeat_number, configuration_id like 'longest%' as is_baseline from (values
    ('m/direct/exam'), ('m/analysis_first/exam'), ('m/options_only/exam'), ('longest_option/options_only/exam'), ('m/recorded/keyless'), ('n/recorded/keyless')) as t (configuration_id);
create table rpt_question_report as
select configuration_id, split_part(configuration_id, '/', 3) as question_set, split_part(configuration_id, '/', 1) as model_alias, split_part(configuration_id, '/', 2) as strategy,
    kind as stratum_kind, stratum, 24 as n_questions, 4 as n_not_asked, 5 as n_failures, accuracy as choice_accuracy, accuracy - 0.1 as choice_accuracy_low, accuracy + 0.1 as choice_accuracy_high,
    0.25 as chance_level, if(configuration_id like '%first%', 0.4, null) as top1_accuracy, if(configuration_id = 'm/direct/exam', 0.9, null) as repeat_consistency, true as is_asked
from (values ('m/direct/exam', 0.75), ('m/analysis_first/exam', 0.8), ('m/options_only/exam', 0.5), ('longest_option/options_only/exam', 0.3)) as t (configuration_id, accuracy),
    (values ('all', 'all'), ('question_type', 'diagnostic')) as k (kind, stratum);
create table fct_question_comparison as
select 'm/analysis_first/exam' as configuration_a, 'm/direct/exam' as configuration_b, 'exam' as question_set, 'all' as stratum_kind, 'choice_accuracy' as metric, 'strategies of m' as family,
    20 as n_questions, 0.05 as difference, -0.1 as difference_low, 0.2 as difference_high, 3 as n_a_better, 2 as n_b_better, 0.7 as p_value, 0.9 as p_value_family, 3 as n_family_comparisons;
create table fct_question_answer as
select configuration_id, 'keyless' as question_set, number::varchar as question_id, if(number > 7 and configuration_id like 'n%', 'B', 'A') as chosen_letter,
    null::varchar as analysis_status, 'ok' as status, null::varchar as parse_reason, 'answered' as outcome_class
from dim_question_configuration, range(1, 11) as numbers (number) where configuration_id like '%keyless';
insert into fct_question_answer
select 'm/analysis_first/exam', 'exam', number::varchar, null, if(number > 2, 'parse_error', 'ok'), if(number > 2, 'parse_error', 'refused'), null, 'model_failure'
from range(1, 6) as numbers (number);
insert into fct_question_answer values ('m/direct/exam', 'exam', '9', null, null, 'parse_error', 'two_letters', 'model_failure'), ('m/direct/exam', 'exam', '8', null, null, 'not_requested', null, 'not_asked');
"""


@pytest.fixture
def database(tmp_path):
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as connection:
        connection.execute(TABLES)
    return tmp_path / "kernel29.duckdb"


def test_a_set_is_reported_by_type_and_in_pairs(database):
    text = question_report(database, ["exam"])
    assert (
        "exam: 34 questions, 24 scored; 4 on images; 1 voided; 1 without a key; 1 with several keys; "
        "2 whose key is no option; 1 whose keys contradict each other."
    ) in text
    assert "7 untyped (21 %)" in text
    assert "Rules and people's labels agree on 20 of 22 questions." in text
    assert "Rules and a model's types agree on 9 of 9 questions." in text
    rows = {line[3:].split("  ")[0]: line.split() for line in text.splitlines() if "/" in line[:40]}
    assert rows["m/direct"][2:] == ["20", "75.0", "65.0", "-", "85.0", "25.0", "1", "90.0"]
    assert rows["m/analysis_first"][8] == "40.0"
    assert "80 (70-90)" in text
    assert "Strategies of m, paired on the same questions; p after Holm for 3 pairs:" in text
    assert (
        "m/analysis_first - m/direct: +5.0 points (-10.0 to +20.0), n 20, only the first right 3, "
        "only the second 2, p 0.9"
    ) in text
    # 0.25 above chance without the question, 0.5 with it
    assert "m is right on 50.0 % from the options alone, 50 % of its gain over chance" in text
    assert "not medical advice" in text


def test_shares_say_of_how_many_asked(database):
    """20 of 24 were asked; then one configuration was asked about a single question."""
    text = question_report(database, ["exam"])
    assert _line(text, "right % by type")[:7] == ["right", "%", "by", "type", "n", "chance", "%"]
    assert _line(text, "diagnostic")[:3] == ["diagnostic", "20", "25.0"]
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "update rpt_question_report set n_not_asked = 23 where configuration_id = 'm/direct/exam'"
        )
    text = question_report(database, ["exam"])
    assert "75 of 1 (65-85)" in text
    assert "80 of 20 (70-90)" in text
    assert _line(text, "diagnostic")[:2] == ["diagnostic", "25.0"]


def _line(text, beginning):
    return next(line.split() for line in text.splitlines() if line.lstrip().startswith(beginning))


def test_answers_without_a_key_are_compared_with_each_other(database):
    text = question_report(database, ["keyless"])
    assert "m/recorded and n/recorded: 70.0 % of 10 questions" in text
    with pytest.raises(LookupFailed, match="'other' is no question set that is served"):
        question_report(database, ["other"])


def test_what_was_asked_is_remembered_once(tmp_path):
    wanted = [asked.Asked("own", "direct", "exam"), asked.Asked("gpt4o", "direct", "exam")]
    asked.remember(wanted, tmp_path)
    asked.remember([asked.Asked("own", "direct", "exam", 3), *wanted], tmp_path)
    # the seed has gpt4o for every set; more repeats take the place of fewer
    assert asked.read_asked(tmp_path) == [asked.Asked("own", "direct", "exam", 3)]


@pytest.mark.parametrize(
    ("sets", "types", "strategies", "limit", "message"),
    [
        ("nowhere", "", "", "", "'nowhere' is no question set"),
        ("kernel29_bank", "surgery", "", "", "'surgery' is no question type"),
        ("", "", "twice", "", "'twice' is no strategy"),
        ("", "", "", "many", "'many' is not a number of questions"),
    ],
)
def test_a_wrong_choice_is_named_before_anything_is_sent(sets, types, strategies, limit, message):
    with pytest.raises(UserError, match=message):
        asked.check_narrowing(sets, types, strategies, limit)


def test_the_report_says_why_answers_failed(database):
    report = question_report(database, ["exam"])
    assert "Failed: m/analysis_first: 3 analysis parse error, 2 choice refused\n" in report
    assert "Failed: m/direct: 1 choice two letters\n" in report


@pytest.mark.parametrize(
    ("models", "more", "exit_code"),
    [("gtp4o", (), 1), ("gpt4o", ("--dry-run",), 0), ("gpt4o", (), 1)],
)
def test_what_is_not_sent_is_in_no_later_build(models, more, exit_code, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(
        "python_llm.job.question_plan.build_part", lambda *_: pytest.fail("nothing is built here")
    )
    plan = [{"role": "model", "name": "gpt4o, choice", "n_requests": 1}]
    if models == "gpt4o":
        monkeypatch.setattr("python_llm.job.question_plan.question_plan", lambda run: plan)
        monkeypatch.setattr("python_llm.job.planning.plan.show", lambda *_: None)
    before = "model_alias,strategy,question_set,n_repeats\nlocal,direct,kernel29_bank,1\n"
    folder = tmp_path / "questions"
    for text in (None, before):
        if text:
            folder.mkdir(exist_ok=True)
            (folder / "asked.csv").write_text(text)
        result = CliRunner().invoke(
            questions,
            ["ask", models, "--set", "kernel29_bank", "--strategy", "options_only", *more],
        )
        assert result.exit_code == exit_code, result.output
        assert asked.stored(folder) == text
