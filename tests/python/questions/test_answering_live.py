"""The questions of the bank asked through the engine, against a server on this machine."""

import json
import re

import duckdb
import project
import pytest
from loopback import Fault, Loopback, user_text

BANK = 69
SEEN_TYPES = {"question_analysis", "question_choice"}


def examinee(provider, payload):
    """An analysis for an analysis prompt; for a choice prompt the letter of the last option."""
    text = user_text(payload)
    if "=== OPTIONS BEGIN ===" not in text:
        return json.dumps(
            {
                "differential_diagnosis": [
                    {"diagnosis": "Influenza", "reasoning": "fever"},
                    {"diagnosis": "Myasthenia gravis", "reasoning": "ptosis"},
                ],
                "management_options": [{"action": "Give intramuscular epinephrine"}],
                "mechanism_explanation": "It inhibits the sodium-potassium ATPase.",
                "recommended_workup": ["Lipasa"],
                "reasoning_chain": "so",
                "direct_answer": "Methotrexate",
            }
        )
    options = text.split("=== OPTIONS BEGIN ===")[1]
    letters = re.findall(r"^([A-J])\) ", options, re.MULTILINE)
    if "Jehovah" in text:
        return f"{letters[0]} or {letters[1]}"
    return f"{letters[-1]}) It fits."


def refuses_wasps(seen):
    return Fault("refusal") if "wasp sting" in user_text(seen.payload) else None


@pytest.fixture(scope="module")
def answered(groundwork, tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    groundwork.copy_to(folder)
    with Loopback(answer=examinee, faults=refuses_wasps) as server:
        done = project.dbt(
            folder,
            *("--quiet", "build", "--exclude-resource-types", "test", "unit_test", "--select"),
            *("+rpt_question_report", "+fct_question_comparison"),
            *("stg_ledger__attempt", "stg_ledger__request", "dim_llm_request", "fct_llm_call"),
            "fct_question_answer",
            *groundwork.exclude,
            *("--vars", "{mode: live, questions: gpt4o, max_usd: 20}"),
            OPENAI_API_KEY="sk-scratch-0123456789",
            OPENAI_BASE_URL=server.openai_url,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        sent = server.total
    with duckdb.connect(str(folder / "build" / "kernel29.duckdb"), read_only=True) as db:
        yield db, sent


def one(db, query):
    return db.execute(query).fetchone()


def test_every_question_is_analysed_and_chosen(answered):
    db, sent = answered
    tasks = dict(db.execute("select task, count(*) from fct_llm_call group by all").fetchall())
    assert set(tasks) == SEEN_TYPES
    assert sum(tasks.values()) == sent
    # the refused analysis leads to no choice; the direct strategy asks for every question
    assert tasks == {"question_analysis": BANK, "question_choice": 2 * BANK - 1}
    assert one(db, "select count(*) from fct_llm_call where cost_usd is null")[0] == 0


def test_the_answer_is_found_where_its_type_answers(answered):
    db, _ = answered
    found = db.execute(
        "select answers.question_type, match_field, match_rank, is_top1, is_top3, is_fallback "
        "from fct_question_answer as answers join dim_question using (question_id) "
        "where configuration_id = 'gpt4o/analysis_first/kernel29_bank' and answer_text in "
        "('Myasthenia gravis', 'Methotrexate', 'Lipasa sérica', "
        "'Inhibition of the sodium-potassium ATPase') order by all"
    ).fetchall()
    assert found == [
        ("diagnostic", "differential", 2, False, True, False),
        ("lab_finding", "recommended_workup", 1, True, True, False),
        ("mechanism", "mechanism_explanation", None, False, False, False),
        ("pharmacology", "direct_answer", 1, True, True, False),
    ]


def test_failures_keep_their_status_and_stay_in_the_denominator(answered):
    db, _ = answered
    where = "where configuration_id = 'gpt4o/analysis_first/kernel29_bank'"
    statuses = dict(
        db.execute(
            f"select status, count(*) from fct_question_answer {where} group by all"
        ).fetchall()
    )
    assert statuses == {"ok": BANK - 2, "refused": 1, "parse_error": 1}
    reason = one(
        db, f"select parse_reason from fct_question_answer {where} and status = 'parse_error'"
    )
    assert reason == ("two_letters",)
    report = one(
        db,
        "select n_questions, n_failures, choice_accuracy, choice_accuracy_low, chance_level, "
        f"baseline_choice_accuracy from rpt_question_report {where} and stratum_kind = 'all'",
    )
    hits = one(db, f"select count(*) from fct_question_answer {where} and is_choice_correct")[0]
    assert report[:2] == (BANK, 2)
    assert report[2] == pytest.approx(hits / BANK)
    assert 0 < report[3] < report[2]
    assert 0.2 < report[4] <= 0.25
    assert report[5] is not None


def test_nobody_asked_has_no_score_and_pairs_are_compared(answered):
    db, _ = answered
    assert one(
        db,
        "select n_questions, n_not_asked, choice_accuracy, is_asked from rpt_question_report "
        "where configuration_id = 'claude_sonnet45/direct/kernel29_bank' and stratum_kind = 'all'",
    ) == (BANK, BANK, None, False)
    pairs = db.execute(
        "select n_questions, p_value <= p_value_adjusted from fct_question_comparison "
        "where stratum_kind = 'all' and metric = 'choice_accuracy'"
    ).fetchall()
    assert pairs == [(BANK, True)] * 6
    method, *counts = one(
        db,
        "select method, n_a_better, n_b_better from fct_question_comparison "
        "where stratum_kind = 'all' and metric = 'choice_accuracy' "
        "and configuration_a like 'gpt4o/analysis%' and configuration_b like 'gpt4o/direct%'",
    )
    assert method == "McNemar exact"
    assert counts == list(
        one(
            db,
            "select count(*) filter (a.is_choice_correct > b.is_choice_correct), "
            "count(*) filter (a.is_choice_correct < b.is_choice_correct) "
            "from fct_question_answer as a join fct_question_answer as b using (question_id) "
            "where a.configuration_id like 'gpt4o/analysis%' "
            "and b.configuration_id like 'gpt4o/direct%'",
        )
    )
    # only one configuration was asked for an analysis, so ranks have nothing to be compared with
    assert one(
        db, "select count(*) from fct_question_comparison where metric != 'choice_accuracy'"
    ) == (0,)
