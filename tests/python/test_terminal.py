"""The served tables on a terminal: what was asked for, or one sentence why not."""

import json
import shlex
from types import SimpleNamespace

import click
import duckdb
import pytest
from click.testing import CliRunner

from python_llm.console import terminal
from python_llm.console.cli import main
from python_llm.console.differences import differences
from python_llm.test_sets.importing import Choices, import_cases

TABLES = """
create table dim_configuration as
select * from (values ('gpt/plain/t'), ('gpt/long/t'), ('claude/plain/t'), ('claude/plain/t2')) as t (configuration_id);
create table fct_configuration_comparison as
select 'claude/plain/t' as configuration_a, 'gpt/plain/t' as configuration_b, 'rules' as judge_id,
    'top1_strict' as metric, 0.5::double as estimate_a, 0.7::double as estimate_b, -0.2::double as difference,
    -0.3::double as difference_low, -0.1::double as difference_high, 0.00001::double as p_value,
    0.03::double as p_value_adjusted, 40 as n_cases, 3 as n_a_better, 11 as n_b_better, 6 as n_comparisons,
    'models with plain' as family, 2 as n_family_comparisons, 0.02::double as p_value_family;
create table rpt_rank_sensitivity (
    test_set varchar, reference varchar, judge_id varchar, other_judge_id varchar, ranked_by varchar, swapped_pairs varchar[], kept_pairs varchar[], incomparable_pairs varchar[]);
create table fct_configuration_score as
select *, 'medium' as setting, 0.5 as semantic_aggregate, if(judge_id = 'model', null, 0.1) as severity_aggregate, 0.2 as top5_broad
from (values ('gpt/plain/t'), ('claude/plain/t')) as t (configuration_id), (values ('rules'), ('model')) as j (judge_id);
create table dim_case as
select 't/1' as case_id, 't' as test_set, 'C001' as record_id, 'M. Wilson' as gold_written,
    'plain' as frame, 'en' as language, false as contains_phi, 'female' as sex, '16-40' as age_band, 'Wilson disease' as gold_diagnosis,
    'rare' as gold_severity, 'Endocrine' as icd10_chapter_title, null::varchar as icd10_block_title,
    null::varchar as icd10_category_title, 'Tremor and a copper ring.' as narrative;
create table dim_judge as select 'rules' as judge_id;
create table dim_llm_model as select 'gpt' as model_alias, 'Reads words.' as description;
create table bridge_test_set_case as
select 'chosen' as test_set, 't/1' as case_id, 2 as case_number;
create table fct_answer as
select *, null::varchar as findings from (values
    ('gpt/plain/t', 't/1', 'ok', null, 'k', '1. A list', 'ok', 'numbered_list', 1, 2, 1, null),
    ('claude/plain/t', 't/1', 'refused', 'declined', null, 'Sorry.\n' || repeat('x', 600), null, null, 0, 0, 1, 'file.csv, line 3'))
    as t (configuration_id, case_id, status, error_message, request_key, answer_text, parse_status, read_as, n_diagnoses, n_dropped, n_attempts, recorded_in);
create table dim_llm_request as
select 'k' as request_key, 'Be a physician.' as system_text, 'Case: ' || repeat('y', 300) as user_text, null::varchar as text_withheld,
    '{"temperature":0}' as parameters, 'gpt-4o' as api_model, 1 as n_attempts, timestamp '2026-01-31' as last_sent_at;
create table fct_case_score as
select *, if(severity_score = 8, 'mild', null) as gold_severity, if(severity_score = 8, 'range_J', null) as gold_severity_rule,
    semantic_score / 8 - 1 as semantic_rescaled, severity_score / 8 - 1 as severity_rescaled, true as is_scored, from (values
    ('gpt/plain/t', 't/1', 'rules', 16.0, 8.0, true, 1, true, false), ('claude/plain/t', 't/1', 'rules', 0.0, null, true, null, false, false),
    ('gpt/plain/t', 't/1', 'model', 12.0, 7.9999, true, 1, true, false),
    ('gpt/plain/t', 't/1', 'anna', null, null, true, 2, true, false), ('gpt/plain/t', 't/1', 'ben', null, null, true, null, false, true),
    ('claude/plain/t', 't/1', 'anna', null, null, true, null, true, false), ('claude/plain/t', 't/1', 'ben', null, null, true, null, false, false))
    as t (configuration_id, case_id, judge_id, semantic_score, severity_score, is_asked, strict_rank, is_top5_strict, is_unlabelled);
create table dim_judgement_rule as select *, 'this project' as source from (values
    ('synonym', 'semantic', 'Exact Synonym', 'Another name'), ('unused', 'semantic', null, 'Not here'))
    as t (rule, scale, label, meaning);
create table fct_judged_diagnosis as
select 'gpt/plain/t' as configuration_id, 't/1' as case_id, 1 as diagnosis_rank, 'Hepatolenticular degeneration' as diagnosis,
    'explains two findings' as reasoning, 'tremor' as in_favour, null::varchar as against, *,
from (values
    ('rules', 'Exact Synonym', 'synonym', null, null, 'rare', 'rare_disease', 'OMIM', null),
    ('model', 'Broad Synonym', 'majority_vote', 'narrow', 'Broad Synonym 1, unlabelled 1', 'rare', 'majority_vote', 'so', 'rare 1'))
    as t (judge_id, semantic_relation, semantic_rule, semantic_reason, semantic_votes, severity, severity_rule, severity_reason, severity_votes);
create table fct_judge_vote as
select 'gpt/plain/t' as configuration_id, 't/1' as case_id, 'model' as judge_id, *,
    if(reason is null, 'personal health information', null) as reason_withheld,
from (values
    (1, 'none', 'semantic', 1, 'Broad Synonym', 'valid', E'narrow\\n' || repeat('z', 200), '0123456789abcdef'),
    (1, 'none', 'semantic', 2, null, 'invalid_label', 'a cousin', 'fedcba9876543210'),
    (1, 'none', 'severity', 1, 'rare', 'valid', null, 'aaaabbbbccccdddd'),
    (7, 'none', 'severity', 1, null, 'not_in_list', 'invented', 'aaaabbbbccccdddd'),
    (1, 'reversed', 'severity', 1, 'mild', 'valid', 'of a probe', 'eeee'))
    as t (diagnosis_rank, probe, scale, vote, label, outcome, reason, request_key);
"""  # noqa: E501 - rows of a table are easier to read on one line


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "none"))
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as connection:
        connection.execute(TABLES)
    return tmp_path / "kernel29.duckdb"


def run(*arguments):
    outcome = CliRunner().invoke(main, arguments)
    return outcome.exit_code, outcome.output


def test_a_case_is_found_by_its_own_id(served):
    assert run("case", "t/C001") == run("case", "t/1")
    code, text = run("case", "t/C002")
    assert code == 1
    assert "no case 't/C002'; the nearest are t/1" in text


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Three sets, of which one has lost A2 and two A1, and nothing built."""
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "served"))
    for name, rows in (("one", "A1,Cough,Flu\nA2,Rash,\n"), ("two", "A1,Fever,\nB1,Pain,Gout\n")):
        file = tmp_path / f"{name}.csv"
        file.write_text(f"id,text,gold\n{rows}")
        import_cases(file, "table", name, tmp_path / "cases", Choices(contains_phi=True))
    import_cases(file, "table", "three", tmp_path / "cases", Choices(without_gold=True))


def test_an_own_id_alone_is_found_or_told_why_not(imported):
    assert run("cases", "show", "B1")[0] == 1  # two and three have it
    assert "write three/B1 or two/B1" in run("cases", "show", "B1")[1]
    assert run("cases", "show", "two/B1") == (0, "Pain")
    says = "A2 was set aside when one was imported (one.csv, line 3), gold diagnosis: neither"
    for spoken in ("A2", "one/A2"):
        for command in (("cases", "show"), ("case",)):
            code, text = run(*command, spoken)
            assert (code, says in text) == (1, True), text


def test_an_own_id_with_a_slash_is_found(imported, tmp_path):
    file = tmp_path / "four.csv"
    file.write_text("id,text,gold\nM-7/b,Itch,Scabies\nM-8/c,Rash,\n")
    import_cases(file, "table", "four", tmp_path / "cases", Choices(contains_phi=True))
    for spoken in ("M-7/b", "four/M-7/b"):
        assert run("cases", "show", spoken) == (0, "Itch")
    for spoken in ("M-8/c", "four/M-8/c"):
        code, text = run("case", spoken)
        assert code == 1
        assert "M-8/c was set aside when four was imported (four.csv, line 3)" in text


def test_a_list_of_sets_says_what_is_for_reading(imported):
    text = run("cases", "list")[1]
    assert text.endswith("for reading: without a gold diagnosis, so no answer to them is scored\n")
    assert "for reading:" not in run("cases", "list", "--json")[1]


def test_only_a_case_that_a_build_makes_asks_for_one(imported):
    for spoken in ("x", "one/A3", "nothing/1"):
        code, text = run("cases", "show", spoken)
        assert code == 1
        assert "kernel29 build" not in text
        assert f"no case '{spoken}'" in text
    assert "run `kernel29 build` first" in run("cases", "show", "synthetic_urg_all/0001")[1]


def test_the_id_a_case_was_imported_with_is_shown(served, imported, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(served.parent))
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into dim_case by name select * replace ('one/0001' as case_id, "
            "'one' as test_set, null as record_id, true as contains_phi) from dim_case"
        )
    assert "Case      t/1 (female, 16-40 years)\nYour id   C001\n" in run("case", "C001")[1]
    assert "\nYour id   A1\n" in run("case", "one/A1")[1]


def test_a_case_is_printed_as_a_model_gets_it(served):
    assert run("cases", "show", "t/C001") == (0, "Tremor and a copper ring.")
    assert (
        "t/1: plain frame, en; gold diagnosis 'M. Wilson'"
        in run("cases", "show", "t/1", "--about")[1]
    )


def test_a_ranker_says_why_since_it_has_no_answer_in_words(served):
    says = "       ranked here: explains two findings; tremor"
    assert says not in run("case", "t/1")[1]
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_answer set answer_text = null where status = 'ok'")
    assert f"{says}\n" in run("case", "t/1")[1]


def test_a_case_is_shown_for_some_configurations(served):
    code, text = run("case", "t/1", "--configuration", "claude")
    assert code == 0
    assert "claude/plain/t: refused" in text
    assert "gpt/plain/t" not in text
    assert "synonym: Another name" not in text  # the rule of another configuration
    code, text = run("case", "t/1", "--configuration", "llama")
    assert code == 1
    assert "No configuration of this case has 'llama' in its name: gpt/plain/t, " in text


def test_a_case_that_was_never_sent_names_those_that_were(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into dim_case by name select * replace ('t/2' as case_id) from dim_case"
        )
        connection.execute(
            "insert into fct_answer by name select * replace ('t/2' as case_id, "
            "'not_requested' as status, 'of_t2' as request_key) from fct_answer "
            "where configuration_id = 'gpt/plain/t'"
        )
    assert "  Request: never sent; cases that were: t/1\n" in run("case", "t/2")[1]
    with duckdb.connect(str(served)) as connection:
        connection.execute("delete from dim_llm_request")
    assert "  Request: never sent\n" in run("case", "t/2")[1]


def test_a_case_shows_lists_labels_and_failures(served):
    code, text = run("case", "t/1")
    assert code == 0
    for line in (
        "Gold      M. Wilson",
        "          (in terminologies: Wilson disease)",
        "Tremor and a copper ring.",
        "rules: semantic 16.00 of 16 (1.000), severity 8.00 of 16 (0.000); "
        "gold diagnosis graded mild (range_J)\n",
        "1. Hepatolenticular degeneration: Exact Synonym (synonym), rare (rare_disease: OMIM)",
        "  Request (gpt-4o, sent 1 time, last on 2026-01-31; "
        'parameters {"temperature":0}; request k)',
        "  Instructions\n  | Be a physician.\n  Request (gpt-4o, ",
        "  | Case: " + "y" * 234 + "… (306 characters: --full)\n",
        "  Answer\n  | 1. A list\n  Reading: ok, numbered_list; 1 diagnoses, 2 left out\n  anna:",
        "claude/plain/t: refused",
        "  Request: not on record, the answer was imported\n  Imported from file.csv, line 3\n",
        "declined",
        "rules: semantic 0.00 of 16 (-1.000), severity -\n",
        "anna: gold diagnosis at rank 2",
        "ben: no label",
        "anna: gold diagnosis among the first five",
        "ben: gold diagnosis not among the first five",
        "\nWhat the rules mean\n  synonym: Another name\n\nHow labels become a score: ",
    ):
        assert line in text
    code, text = run("case", "t/1", "--json")
    answers = json.loads(text)["answers"]
    assert [answer["status"] for answer in answers] == ["ok", "refused"]
    assert answers[0]["judged"][1]["semantic_relation"] == "Exact Synonym"


def test_a_verdict_leads_to_its_votes_and_their_requests(served):
    code, text = run("case", "t/1")
    assert code == 0
    assert (
        "  model: semantic 12.00 of 16 (0.500), severity 8.00 of 16 (0.000)\n"
        "    1. Hepatolenticular degeneration: "
        "Broad Synonym (majority_vote: Broad Synonym 1, unlabelled 1), "
        "rare (majority_vote: rare 1)\n"
        f"       semantic vote 1, request 0123456789ab: Broad Synonym: narrow {'z' * 112}…\n"
        "       semantic vote 2, request fedcba987654: invalid label: a cousin\n"
        "       severity vote 1, request aaaabbbbcccc: rare: "
        "reason withheld, personal health information\n"
    ) in text
    assert "a probe" not in text
    assert "invented" not in text
    assert "z" * 200 in run("case", "t/1", "--full")[1]
    shown = json.loads(run("case", "t/1", "--json")[1])["answers"][0]["judged"]
    assert [vote["request_key"] for vote in shown[0]["votes"]] == [
        *("0123456789abcdef", "fedcba9876543210", "aaaabbbbccccdddd")
    ]
    assert shown[1]["votes"] == []


@pytest.mark.parametrize("is_asked", [True, False])
def test_the_command_that_prints_a_request_works(served, is_asked):
    """It is that of a model, and a judge's where no model was asked for the list."""
    key = "k" if is_asked else "aaaabbbbccccdddd"
    with duckdb.connect(str(served)) as connection:
        if not is_asked:
            connection.execute("update dim_llm_request set request_key = 'aaaabbbbccccdddd'")
        connection.execute("update dim_llm_request set user_text = 'How grave is it?'")
        connection.execute(
            "create table fct_llm_call as select $1 as request_key, 'It is rare.' as raw_response",
            [key],
        )
    command = run("case", "t/1")[1].splitlines()[-1]
    program, *arguments = shlex.split(command)
    assert program == "kernel29"
    (request,) = json.loads(run(*arguments)[1])
    assert (request["user_text"], request["raw_response"]) == ("How grave is it?", "It is rare.")


def test_a_number_alone_suggests_the_cases_that_have_it(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into dim_case by name select * replace ('x/1' as case_id, 'x' as test_set, "
            "'C7' as record_id) from dim_case"
        )
    for command in (("case",), ("cases", "show")):
        code, text = run(*command, "1")
        assert code == 1
        assert "There is no case '1'; write it with its set: t/1 or x/1." in text


def test_texts_are_cut_short_and_never_shown_of_a_patient(served):
    text = run("case", "t/1")[1]
    assert "  | Sorry.\n  | " + "x" * 493 + "… (607 characters: --full)\n" in text
    full = run("case", "t/1", "--full")[1]
    assert "x" * 600 in full
    assert "y" * 300 in full
    with duckdb.connect(str(served)) as connection:
        connection.execute("update dim_case set contains_phi = true")
    for arguments in ((), ("--json",)):
        private = run("case", "t/1", *arguments)[1]
        assert not any(text in private for text in ("Sorry", "A list", "physician", "yyy"))
        assert "personal health information" in private


def test_a_number_in_a_chosen_set_leads_to_its_case(served):
    for command in (("case",), ("cases", "show")):
        code, text = run(*command, "chosen/0002")
        assert code == 1
        assert "the ids of the sets they were chosen from. Its case 2 is t/1." in text
    assert "the nearest are t/1" in run("case", "chosen/0003")[1]


def test_a_list_outside_a_judges_sample_has_no_score(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_case_score set is_scored = false where judge_id = 'model'")
    text = run("case", "t/1")[1]
    assert "  model: not in the judge's sample\n" in text
    assert "  rules: semantic 16.00 of 16" in text


def test_what_is_absent_is_counted_apart(served):
    findings = "HP:1 Tremor\nHP:2 Ataxia\nHP:3 Fever, absent"
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_answer set findings = ?", [findings])
    text = run("case", "t/1")[1]
    assert "Findings given to the system (2): HP:1 Tremor, HP:2 Ataxia\n" in text
    assert "Absent findings (1): HP:3 Fever\n" in text


def test_a_wrong_case_names_the_nearest(served):
    code, text = run("case", "t/2")
    assert code == 1
    assert "There is no case 't/2'; the nearest are t/1" in text


def test_a_comparison_reads_the_same_from_both_sides(served):
    (there,) = terminal.compare(served, "claude/plain/t", "gpt/plain")
    (back,) = terminal.compare(served, "gpt/plain", "claude/plain/t")
    assert (there["difference"], back["difference"]) == (-0.2, 0.2)
    assert (back["difference_low"], back["difference_high"]) == (0.1, 0.3)
    assert (back["estimate_a"], back["estimate_b"]) == (0.7, 0.5)
    assert (back["n_a_better"], back["n_b_better"]) == (11, 3)
    code, text = run("compare", "gpt/plain", "claude/plain/t")
    assert code == 0
    row = next(line for line in text.splitlines() if line.startswith("top1_strict"))
    assert row.split() == [
        *("top1_strict", "0.700", "0.500", "+0.200", "+0.100..+0.300"),
        *("11/3", "<0.0001", "0.0300", "0.0200"),
    ]
    assert "\np all: Holm's correction for all 6 pairs of the test set\n" in text
    assert (
        "\np family: Holm's correction for the 2 pairs of its family, models with plain\n" in text
    )


def test_each_judge_says_for_how_many_pairs_it_corrects(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into fct_configuration_comparison select * replace ('zoe' as judge_id, "
            "10 as n_comparisons, 3 as n_family_comparisons) from fct_configuration_comparison"
        )
    first, second = run("compare", "gpt/plain", "claude/plain/t")[1].split("Judge: ")[1:]
    assert first.startswith("rules\np all: Holm's correction for all 6 pairs of the test set\n")
    assert second.startswith("zoe\np all: Holm's correction for all 10 pairs of the test set\n")
    assert "for the 3 pairs of its family" in second


def test_a_comparison_lists_every_case_of_one_alone(served):
    code, text = run("compare", "gpt/plain", "claude/plain/t", "--cases", "--json")
    assert code == 0
    (row,) = json.loads(text)
    assert (row["judge"], row["rank_a"], row["rank_b"]) == ("rules", 1, None)
    assert row["gold"] == "M. Wilson"
    (turned,) = json.loads(run("compare", "claude/plain/t", "gpt/plain", "--cases", "--json")[1])
    assert (turned["case"], turned["rank_a"], turned["rank_b"]) == (row["case"], None, 1)
    text = run("compare", "gpt/plain", "claude/plain/t", "--cases")[1]
    assert text.startswith("A  gpt/plain/t\nB  claude/plain/t\n")
    assert "\n(1 row)\nrank: of the gold diagnosis in A's and B's list; '-': in none" in text


def compared_by_top5(served):
    """Let the served comparisons be of the strict top-5, as lists of differences want them."""
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "create or replace table fct_configuration_comparison as"
            " select * replace ('top5_strict' as metric), 't' as test_set,"
            " null as caveat from fct_configuration_comparison"
        )


def test_failures_of_a_pair_are_told(served):
    """A case that one of two has no list for says nothing of which diagnoses better."""
    pair = ("gpt/plain/t", "claude/plain/t")
    (row,) = json.loads(run("compare", *pair, "--cases", "--json")[1])
    assert (row["status_a"], row["status_b"]) == ("ok", "refused")
    compared_by_top5(served)
    with duckdb.connect(str(served)) as connection:  # which the marts have, too
        connection.execute("alter table fct_case_score add column status varchar")
    told = "    failed, and counted as misses: gpt/plain 0, claude/plain 1"
    assert told in differences(served, pair)
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_answer set status = 'ok'")
    assert not [line for line in differences(served, pair) if "failed" in line]


def test_a_small_p_value_is_not_printed_as_zero(served):
    compared_by_top5(served)
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_configuration_comparison set p_value_family = 0.0002")
    lines = "\n".join(differences(served, ("gpt/plain/t", "claude/plain/t")))
    assert "(10.0 to 30.0), p < 0.001" in lines


def test_two_columns_of_one_name_are_both_shown(served):
    sql = "select 1 as label, 2 as label, 3 as label_1"
    assert json.loads(run("query", "--json", sql)[1]) == [
        {"label": 1, "label_1": 2, "label_1_1": 3}
    ]


@pytest.mark.parametrize("other", ["'t/2', 't', 'C001'", "'t/C001', 't', 'other'"])
def test_a_name_of_two_cases_is_that_of_none(served, other):
    """What a list calls a case is what `kernel29 case` finds."""
    pair = ("gpt/plain/t", "claude/plain/t")
    compared_by_top5(served)
    alone = json.loads(run("compare", *pair, "--cases", "--json")[1])
    assert [(row["case"], row["record"]) for row in alone] == [("t/C001", "C001")]
    assert "    only gpt/plain: t/C001" in differences(served, pair)
    with duckdb.connect(str(served)) as connection:
        connection.execute(f"insert into dim_case (case_id, test_set, record_id) values ({other})")
    alone = json.loads(run("compare", *pair, "--cases", "--json")[1])
    assert [(row["case"], row["record"]) for row in alone] == [("t/1", "C001")]
    assert run("case", "t/1")[0] == 0
    assert "    only gpt/plain: t/1 (C001)" in differences(served, pair)


@pytest.mark.parametrize(
    ("written", "contains_phi", "shown"),
    [
        ("cystic fibrosis", False, "cystic fibrosis"),
        ("MEN1", False, "MEN1"),
        ("ORPHA:586, OMIM:219700", False, "Cystic fibrosis"),
        ("E84.9", False, "Cystic fibrosis"),
        (None, False, "Cystic fibrosis"),
        ("FQ del Sr. Gil", True, "Cystic fibrosis"),
    ],
)
def test_a_gold_diagnosis_is_called_as_it_was_written(served, written, contains_phi, shown):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "update dim_case set gold_written = ?, contains_phi = ?, gold_diagnosis = ?",
            [written, contains_phi, "Cystic fibrosis also known as fibrosis quística"],
        )
    (row,) = json.loads(run("compare", "gpt/plain", "claude/plain/t", "--cases", "--json")[1])
    assert row["gold"] == shown


def test_a_run_compares_what_differs_in_one_thing(served):
    """Of two models with two prompts: each model's prompts, each prompt's models, p within."""
    names = [f"{model}/{prompt}/t" for model in ("claude", "gpt") for prompt in ("long", "plain")]
    compared_by_top5(served)
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "create or replace table fct_configuration_comparison as"
            " select x.* replace (a.name as configuration_a, b.name as configuration_b, case"
            "  when split_part(a.name, '/', 1) = split_part(b.name, '/', 1)"
            "   then 'prompts of ' || split_part(a.name, '/', 1)"
            "  when split_part(a.name, '/', 2) = split_part(b.name, '/', 2)"
            "   then 'models with ' || split_part(a.name, '/', 2) end as family,"
            "  if(family is null, null, 0.5) as p_value_family)"
            " from fct_configuration_comparison as x, (select unnest($1) as name) as a,"
            " (select unnest($1) as name) as b where a.name < b.name",
            [names],
        )
    lines = differences(served, names)
    heads = [line for line in lines if line.endswith("(Holm).")]
    assert heads == [
        f"{family}: p is corrected for 2 pairs (Holm)."
        for family in (
            "Models with long",
            "Models with plain",
            "Prompts of claude",
            "Prompts of gpt",
        )
    ]
    told = [line for line in lines if " cannot be told from " in line]
    assert len(told) == 4
    assert all(line.endswith(", p 0.500") for line in told)
    assert any(line.startswith("2 more pairs differ in model and prompt") for line in lines)
    alone = differences(served, ["claude/long/t", "gpt/plain/t"])
    assert "All configurations of the test set: p is corrected for 6 pairs (Holm)." in alone
    assert any(line.endswith(", p 0.030") for line in alone)


@pytest.mark.parametrize(
    ("at_rank_1", "p", "told"),
    [(0.2, 0.01, True), (0.2, 0.2, False), (-0.2, 0.01, False)],
)
def test_what_rank_1_says_against_the_verdict_is_told(served, at_rank_1, p, told):
    compared_by_top5(served)
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into fct_configuration_comparison by name select * replace"
            " ('top1_strict' as metric, $1 as difference, $2 as p_value_family)"
            " from fct_configuration_comparison",
            [at_rank_1, p],
        )
    lines = differences(served, ("gpt/plain/t", "claude/plain/t"))
    assert any(line.startswith("  gpt/plain is better than claude/plain: 20.0") for line in lines)
    against = [line for line in lines if line.startswith("    at rank 1 alone, claude/plain is be")]
    assert len(against) == told


def test_a_case_that_one_was_not_asked_is_in_no_list(served):
    pair = ("gpt/plain/t", "claude/plain/t")
    compared_by_top5(served)
    assert any("    only gpt/plain: " in line for line in differences(served, pair))
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "update fct_case_score set is_scored = false where configuration_id = 'claude/plain/t'"
        )
    assert json.loads(run("compare", *pair, "--cases", "--json")[1]) == []
    assert not any("    only " in line for line in differences(served, pair))


def test_a_comparison_says_whom_the_budget_cap_stopped(served):
    pair = ("gpt/plain/t", "claude/plain/t")
    stopped = "the budget cap stopped gpt/plain/t before 3 of 40 cells, which count as misses"
    assert "fair" not in run("compare", *pair)[1]
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "create or replace table fct_configuration_comparison as"
            " select * exclude (metric), unnest(['top1_strict', 'top5_strict']) as metric,"
            f" 't' as test_set, '{stopped}' as caveat from fct_configuration_comparison"
        )
    assert f"\nNot a fair comparison: {stopped}\n" in run("compare", *pair)[1]
    lines = differences(served, pair)  # what `run` prints
    place = lines.index(f"  gpt/plain and claude/plain are not compared fairly: {stopped}")
    assert lines[place + 1].startswith("    as they came, gpt/plain is ahead: 20.0 points")
    assert not any("is better than" in line for line in lines)
    with duckdb.connect(str(served)) as connection:
        connection.execute("update fct_configuration_comparison set caveat = null")
    assert not any("fair" in line for line in differences(served, pair))


def test_a_comparison_says_which_metrics_rest_on_fewer_cases(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into fct_configuration_comparison select * replace ("
            "'severity_aggregate' as metric, 33 as n_cases, 1 as n_comparisons, "
            "1 as n_family_comparisons) from fct_configuration_comparison"
        )
    rows = terminal.compare(served, "claude/plain/t", "gpt/plain")
    text = terminal.format_comparison(rows)
    assert "\n40 common cases\n" in text
    assert "correction for 1 to 6 pairs of the test set" in text
    counted = {line.split()[0]: line.endswith("  (33 cases)") for line in text.splitlines() if line}
    assert counted["severity_aggregate"]
    assert not counted["top1_strict"]
    (row,) = [row for row in rows if row["metric"] == "severity_aggregate"]
    text = terminal.format_comparison([row])
    assert "for the only pair of the test set\n" in text
    assert "for the only pair of its family" in text


def test_an_order_says_how_many_judges_it_survives(served):
    pair = "gpt/plain/t > claude/plain/t"
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            f"insert into rpt_rank_sensitivity select 't', *, [], ['{pair}'], [] from (values "
            "('semantic_aggregate', 'all', 'all', 'all'), ('severity_aggregate', 'all', 'all', "
            "'all'), ('top5_broad', 'all', 'all', 'all'), "
            "('semantic_aggregate', 'rules', 'rules', 'top1_strict'), "
            "('semantic_aggregate', 'model', 'model', 'top1_strict'), "
            "('severity_aggregate', 'rules', 'rules', 'mean_acuity_score'), "
            "('top5_broad', 'model', 'rules', 'top5_broad'), "
            "('top5_broad', 'model', 'anna', 'top5_broad')) as t"
        )
    code, text = run("compare", "gpt/plain", "claude/plain/t")
    assert code == 0
    assert (
        f"semantic_aggregate: {pair} under every metric of semantics and sigmoid, by each of the "
        "2 judges that scored both"
    ) in text
    # the model gave no severities, so nothing was compared with the rules
    assert (
        f"severity_aggregate: {pair} under every metric of severity and sigmoid, by the only judge "
        "that scored both (not checked against another)"
    ) in text
    assert f"top5_broad: {pair} by each of the 3 judges that scored both" in text
    assert "every judge" not in text


def test_an_order_says_on_which_cases_judges_differ(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into fct_case_score by name select * exclude (number) "
            "replace ('t/' || number as case_id) "
            "from fct_case_score, range(2, 8) as more (number) where judge_id = 'rules'; "
            "insert into fct_case_score by name select * replace ('anna' as judge_id, "
            "case_id in ('t/2', 't/3') as is_scored) from fct_case_score "
            "where judge_id = 'rules' and case_id != 't/1'; "
            "insert into rpt_rank_sensitivity select 't', 'top5_broad', * from (values "
            "('all', 'all', 'all', ['gpt/plain/t > claude/plain/t'], [], []), "
            "('anna', 'rules', 'top5_broad', ['gpt/plain/t > claude/plain/t'], [], [])) as t"
        )
    assert (
        "top5_broad: the order depends on the choice; gpt/plain/t > claude/plain/t (anna, on the 3 "
        "cases that rules scored too) is reversed by top5_broad (rules, on the 3 cases that anna "
        "scored too)"
    ) in run("compare", "gpt/plain", "claude/plain/t")[1]
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "update rpt_rank_sensitivity set swapped_pairs = [], kept_pairs = swapped_pairs"
        )
    assert (
        "judges that scored both (two at a time, on the 3 cases they share)"
        in (run("compare", "gpt/plain", "claude/plain/t")[1])
    )


@pytest.mark.parametrize(
    ("own_order", "addition"),
    [
        ("gpt/plain/t > claude/plain/t", ""),
        (
            "claude/plain/t > gpt/plain/t",
            "; gpt/plain/t > claude/plain/t (rules) is reversed by top1_strict (sampler)",
        ),
    ],
)
def test_no_order_survives_judges_of_different_cases(served, own_order, addition):
    pair = "gpt/plain/t > claude/plain/t"
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into rpt_rank_sensitivity select 't', 'semantic_aggregate', * from (values "
            f"('all', 'all', 'all', null, null, ['{pair}']), "
            f"('rules', 'rules', 'top1_strict', null, ['{pair}'], null), "
            f"('sampler', 'sampler', 'top1_strict', null, ['{own_order}'], null)) as t"
        )
    code, text = run("compare", "gpt/plain", "claude/plain/t")
    assert code == 0
    assert (
        "semantic_aggregate: not comparable across the 2 judges that scored both, who saw "
        f"different cases{addition}\n"
    ) in text + "\n"
    assert "by each of" not in text


def test_a_comparison_shows_one_judge(served):
    with duckdb.connect(str(served)) as connection:
        connection.execute(
            "insert into fct_configuration_comparison "
            "select * replace ('model' as judge_id) from fct_configuration_comparison"
        )
    assert len(terminal.compare(served, "claude/plain/t", "gpt/plain")) == 2
    (row,) = terminal.compare(served, "claude/plain/t", "gpt/plain", "model")
    assert row["judge_id"] == "model"


def test_a_difference_of_nothing_has_no_sign(served):
    (row,) = terminal.compare(served, "claude/plain/t", "gpt/plain")
    row |= {"difference": -0.0001, "difference_low": -0.0, "difference_high": 0.0002}
    row |= {"estimate_a": -0.0001}
    (text,) = [
        line
        for line in terminal.format_comparison([row]).splitlines()
        if line.startswith(row["metric"])
    ]
    assert "family" not in terminal.format_comparison([row | {"family": None}]).split("p all")[0]
    fields = text.split()
    assert fields[1:5] == ["0.000", "0.700", "0.000", "0.000..0.000"]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("gpt", "claude/plain/t"), "'gpt' fits 2"),
        (("llama", "gpt/plain"), "'llama' fits none"),
        (("rules", "gpt/plain"), "agree: kernel29 query 'from fct_judge_agreement'."),
        (("gpt/plain", "gpt/plain/t"), "name two configurations"),
        (("gpt/plain", "gpt/long"), "were not compared"),
        (("gpt/plain", "claude/plain/t", "--judge", "nobody"), "Judges that did: rules."),
    ],
)
def test_what_cannot_be_compared_says_why(served, names, sentence):
    code, text = run("compare", *names)
    assert code == 1
    assert sentence in text


def test_a_query_prints_a_table_or_json(served):
    sql = "select case_id, 0.123456::double as share, null as nothing from dim_case"
    code, text = run("query", sql)
    assert code == 0
    assert [line.split() for line in text.splitlines()] == [
        ["case_id", "share", "nothing"],
        ["-------", "------", "-------"],
        ["t/1", "0.1235", "-"],
        ["(1", "row)"],
    ]
    code, text = run("query", sql, "--json")
    assert json.loads(text) == [{"case_id": "t/1", "share": 0.123456, "nothing": None}]
    assert run("query", "from dim_case where false") == (0, "no rows\n")
    printed = run("query", "select range as n from range(1200)")[1].splitlines()
    assert [line for line in ("999", "1000") if line in map(str.strip, printed)] == ["999"]
    assert printed[-1] == "The first 1,000 of 1,200 rows: --json prints all, `limit` fewer."
    assert len(json.loads(run("query", "select range as n from range(1200)", "--json")[1])) == 1_200


@pytest.mark.parametrize("sql", ["selec 1", "drop table dim_case", "from dim_nothing"])
def test_a_query_that_fails_is_one_sentence_and_changes_nothing(served, sql):
    code, text = run("query", sql)
    assert code == 1
    assert text.startswith("Error: ")
    assert "Traceback" not in text
    assert run("query", "select count(*) as n from dim_case")[0] == 0


def test_before_the_first_build_there_is_a_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    for arguments in (("query", "select 1"), ("case", "x"), ("compare", "a", "b"), ("report",)):
        code, text = run(*arguments)
        assert code == 1
        assert "run `kernel29 build` first" in text


def groups(command):
    """A group of commands and every group below it."""
    yield command
    for member in command.commands.values():
        if isinstance(member, click.Group):
            yield from groups(member)


def test_lists_of_commands_do_not_cut_their_sentences():
    cut = {
        line.split()[0]
        for group in groups(main)
        for line in group.get_help(click.Context(group, max_content_width=80)).splitlines()
        if line.startswith("  ") and line.endswith("...")
    }
    assert not cut


def test_values_are_whole_but_on_a_screen_too_narrow(monkeypatch):
    rows = [{"comment": "x" * 200, "n": 1}]
    assert "x" * 200 in terminal.format_result(rows)
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("COLUMNS", "250")
    assert "x" * 200 in terminal.format_result(rows)
    monkeypatch.setenv("COLUMNS", "80")
    assert "x" * 39 + "…" in terminal.format_result(rows)
    assert "x" * 40 not in terminal.format_result(rows)


def test_a_wrong_column_is_told_the_nearest(served):
    with pytest.raises(terminal.LookupFailed, match=r'"case_idd" not found.*bindings: "case_id"'):
        terminal.query(served, "select case_idd from dim_case")
