"""The questions of the bank asked through the engine, against a server on this machine."""

import json
import re
import shutil
from pathlib import Path

import duckdb
import project
import pytest
from click.testing import CliRunner
from loopback import Fault, Loopback, user_text

from python_llm.console.questions import questions
from python_llm.questions.imported import import_questions
from python_llm.questions.recorded import import_answers

BANK = 69
EXAM = 6  # questions that can be scored
# fewer than the sample, so a model types all of them; one on an image is not paid for
TYPED = BANK + EXAM
SEEN_TYPES = {"question_analysis", "question_choice", "question_type"}
RUN = "{mode: live, questions: gpt4o, question_typist: gpt4o, max_usd: 20}"
ASKED = """model_alias,strategy,question_set,n_repeats
gpt4o,direct,exam,2
gpt4o,direct_shuffled,exam,1
gpt4o,options_only,exam,1
gpt4o,typing,kernel29_bank,1
"""


def examinee(provider, payload):
    """An analysis for an analysis prompt; for a choice prompt the letter of the last option."""
    text = user_text(payload)
    if "The kinds are:" in text:
        return "treatment"
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
    if "right-" in options:  # an option of the examination, wherever it is shown
        letter = re.search(r"([A-J])\) right-", options)[1]
        return json.dumps({"answer": letter, "justification": "It says so."})
    return f"{letters[-1]}) It fits."


def exam_of(folder):
    """Six questions that can be scored and one on an image, answers of two models, one of them
    twice, and what is asked besides the seed."""
    rows = [
        {
            "id": n,
            "question": f"A woman has had a cough for {n} weeks and fever since today. What is the "
            f"most likely diagnosis{' in the image below' if n == EXAM + 1 else ''}?",
            "options": [f"wrong-{n}", f"right-{n}", f"other-{n}", f"last-{n}"],
            "answer_idx": "B",
        }
        for n in range(1, EXAM + 2)
    ]
    (folder / "exam.jsonl").write_text("\n".join(map(json.dumps, rows)))
    answers = "".join(f"{n},{n % 4 + 1},b,{'b' if n < 6 else 'c'}\n" for n in range(1, EXAM + 1))
    (folder / "answers.csv").write_text("id,first,second,second run 2\n" + answers)
    kept = folder / "data" / "questions"
    import_questions(folder / "exam.jsonl", "exam", kept)
    import_answers([folder / "answers.csv"], "exam", kept)
    (kept / "asked.csv").write_text(ASKED)


def refuses_wasps(seen):
    return Fault("refusal") if "wasp sting" in user_text(seen.payload) else None


@pytest.fixture(scope="module")
def answered(groundwork, tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    groundwork.copy_to(folder)
    exam_of(folder)
    with Loopback(answer=examinee, faults=refuses_wasps) as server:
        done = project.dbt(
            folder,
            *("--quiet", "build", "--exclude-resource-types", "test", "unit_test", "--select"),
            *("+rpt_question_report", "+fct_question_comparison", "+rpt_question_set"),
            *("stg_ledger__attempt", "stg_ledger__request", "dim_llm_request", "fct_llm_call"),
            "fct_question_answer",
            *groundwork.exclude,
            *("--vars", RUN),
            KERNEL29_DATA_DIR=str(folder / "data"),
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
    of_exam = 5 * EXAM  # direct twice, shuffled, the options alone, and after the analysis
    assert tasks == {
        "question_analysis": BANK + EXAM,
        "question_choice": 2 * BANK - 1 + of_exam,
        "question_type": TYPED,
    }
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
        "where stratum_kind = 'all' and metric = 'choice_accuracy' "
        "and question_set = 'kernel29_bank'"
    ).fetchall()
    # the longest option is chosen without the question, and compared with nobody who had it
    assert pairs == [(BANK, True)] * 3
    method, *counts = one(
        db,
        "select method, n_a_better, n_b_better from fct_question_comparison "
        "where stratum_kind = 'all' and metric = 'choice_accuracy' "
        "and configuration_a = 'gpt4o/analysis_first/kernel29_bank' "
        "and configuration_b = 'gpt4o/direct/kernel29_bank'",
    )
    assert method == "McNemar exact"
    assert counts == list(
        one(
            db,
            "select count(*) filter (a.is_choice_correct > b.is_choice_correct), "
            "count(*) filter (a.is_choice_correct < b.is_choice_correct) "
            "from fct_question_answer as a join fct_question_answer as b using (question_id) "
            "where a.configuration_id = 'gpt4o/analysis_first/kernel29_bank' "
            "and b.configuration_id = 'gpt4o/direct/kernel29_bank'",
        )
    )
    # only one configuration was asked for an analysis, so ranks have nothing to be compared with
    assert one(
        db, "select count(*) from fct_question_comparison where metric != 'choice_accuracy'"
    ) == (0,)


def test_an_imported_set_is_asked_in_every_way(answered):
    db, _ = answered
    report = db.execute(
        "select configuration_id, n_questions, n_not_asked, choice_accuracy, n_repeated, "
        "repeat_consistency from rpt_question_report "
        "where question_set = 'exam' and stratum_kind = 'all' and is_asked order by all"
    ).fetchall()
    assert [(row[0].removesuffix("/exam"), *row[1:]) for row in report] == [
        ("first/recorded", EXAM, 0, pytest.approx(2 / 6), 0, None),
        ("gpt4o/analysis_first", EXAM, 0, 1.0, 0, None),
        ("gpt4o/direct#2", EXAM, 0, 1.0, EXAM, 1.0),
        ("gpt4o/direct", EXAM, 0, 1.0, EXAM, 1.0),
        # the option is right wherever it is shown
        ("gpt4o/direct_shuffled", EXAM, 0, 1.0, 0, None),
        ("gpt4o/options_only", EXAM, 0, 1.0, 0, None),
        ("lexical_overlap/options", EXAM, 0, report[6][3], 0, None),
        ("longest_option/options_only", EXAM, 0, report[7][3], 0, None),
        ("second/recorded#2", EXAM, 0, pytest.approx(5 / 6), EXAM, pytest.approx(5 / 6)),
        ("second/recorded", EXAM, 0, 1.0, EXAM, pytest.approx(5 / 6)),
    ]
    orders = db.execute(
        "select option_order from int_questions__choice_asks "
        "where configuration_id = 'gpt4o/direct_shuffled/exam'"
    ).fetchall()
    assert all(sorted(order) == [1, 2, 3, 4] != order for (order,) in orders)
    unscored = one(
        db,
        "select unscored_reason, count(distinct status) from dim_question "
        "join fct_question_answer using (question_id) where unscored_reason is not null "
        "and configuration_id like 'gpt4o/%' group by all",
    )
    assert unscored == ("image", 1)


def test_the_options_alone_are_asked_without_the_question(answered):
    db, _ = answered
    texts = db.execute(
        "select user_text, response_schema from int_questions__choice_asks "
        "where configuration_id = 'gpt4o/options_only/exam'"
    ).fetchall()
    assert len(texts) == EXAM + 1
    assert not [text for text, _ in texts if "cough" in text]
    # structured output, where the provider takes a schema
    assert all(json.loads(schema)["properties"]["answer"]["enum"][0] == "A" for _, schema in texts)


def test_pairs_belong_to_families(answered):
    db, _ = answered
    families = db.execute(
        "select family, count(*), any_value(n_family_comparisons), "
        "bool_and(p_value <= p_value_family and p_value_family <= p_value_adjusted) "
        "from fct_question_comparison where question_set = 'exam' and stratum_kind = 'all' "
        "and metric = 'choice_accuracy' and family is not null group by all order by all"
    ).fetchall()
    assert families == [
        ("models with options_only", 1, 1, True),
        ("models with recorded", 1, 1, True),
        ("strategies of gpt4o", 3, 3, True),
    ]


def test_rules_are_compared_with_a_model(answered):
    db, _ = answered
    agreement = one(
        db,
        "select sum(n_questions), sum(n_questions) filter (is_agreed) "
        "from rpt_question_type_agreement "
        "where question_set = 'kernel29_bank' and labelled_by = 'model'",
    )
    ruled = one(
        db,
        "select count(*) from dim_question where question_set = 'kernel29_bank' "
        "and question_type = 'treatment'",
    )[0]
    # the one about a wasp is refused
    assert agreement == (BANK - 1, ruled - 1)


KEY = {"ANTHROPIC_API_KEY": "sk-ant-scratch-0123456789"}
MODELS_OF_A_PLAN = (
    *("stg_questions__configuration", "dim_question_configuration"),
    *("int_questions__expected_cells", "int_questions__analysis_asks"),
    *("int_questions__choice_asks", "int_questions__type_asks", "stg_ledger__answered"),
)


@pytest.fixture
def command(answered, tmp_path, monkeypatch):
    """`kernel29 questions ask` on a copy of the fixture's warehouse: the plan and the build run as
    they do, on the tables that an ask concerns."""
    db, _ = answered
    (file,) = one(db, "select path from duckdb_databases() where path like '%kernel29.duckdb'")
    for name in ("build", "data", "ledger"):
        shutil.copytree(Path(file).parent.parent / name, tmp_path / name)

    def build(run, nodes, server):
        done = project.dbt(
            tmp_path,
            *("--quiet", "build", "--exclude-resource-types", "test", "unit_test"),
            *("--select", *nodes, "--vars", json.dumps(run)),
            KERNEL29_DATA_DIR=str(tmp_path / "data"),
            **KEY,
            ANTHROPIC_BASE_URL=server.anthropic_url,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return True

    def asked_with(*arguments):
        with Loopback(answer=examinee) as server:
            monkeypatch.setattr(
                "python_llm.job.question_plan.build_part",
                lambda run, *_: build(run, MODELS_OF_A_PLAN, server),
            )
            responses = (
                *("int_questions__analysis_responses", "int_questions__choice_responses"),
                *("int_questions__type_responses", "dim_question"),
            )
            monkeypatch.setattr(
                "python_llm.job.build.build",
                lambda run: build(run, (*MODELS_OF_A_PLAN, *responses), server),
            )
            monkeypatch.setattr(
                "python_llm.console.question_report.question_report", lambda *_: "REPORT"
            )
            result = CliRunner().invoke(questions, ["ask", *arguments, "--set", "exam"])
            return result, [user_text(request.payload) for request in server.seen]

    for name, value in project.environment(tmp_path, **KEY).items():
        if name.startswith("KERNEL29_") or name in KEY:
            monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return asked_with


def test_ask_shows_the_cost_and_sends_what_was_narrowed(command):
    narrow = ("claude_sonnet45", "--strategy", "direct", "--type", "diagnostic", "--sample", "3")
    unasked, sent = command(*narrow)
    assert (unasked.exit_code, sent) == (1, [])
    assert re.search(r"claude_sonnet45, choice +3 +0 +3 .*\$0\.\d", unasked.output), unasked.output
    assert "say --yes to send this unasked" in unasked.output
    blocked, sent = command(*narrow, "--yes", "--max-usd", "0.0001")
    assert (blocked.exit_code, sent) == (0, []), blocked.output
    done, sent = command(*narrow, "--yes")
    assert done.exit_code == 0, done.output
    assert len(sent) == 3
    assert all("cough" in text and "right-" in text for text in sent)
    assert done.output.index("claude_sonnet45, choice") < done.output.index("REPORT")


def test_a_typist_types_what_is_asked_and_its_types_stay(command, tmp_path):
    narrow = ("claude_sonnet45", "--strategy", "direct", "--sample", "1")
    done, sent = command(*narrow, "--typist", "claude_sonnet45", "--yes")
    assert done.exit_code == 0, done.output
    assert re.search(rf"claude_sonnet45, typing +{EXAM} +0 +{EXAM} .*\$0\.\d", done.output)
    assert len(sent) == EXAM + 1  # and one choice
    database = str(tmp_path / "build" / "kernel29.duckdb")
    with duckdb.connect(database, read_only=True) as db:
        # those of a set that another model has typed stay, but for the one that it refused
        bank = "select count(model_type) from dim_question where question_set = 'kernel29_bank'"
        assert one(db, bank) == (BANK - 1,)
    later, sent = command(*narrow, "--yes")
    assert (later.exit_code, sent) == (0, []), later.output
    with duckdb.connect(database, read_only=True) as db:
        typed = one(
            db,
            "select count(*), count(model_type) from dim_question "
            "where question_set = 'exam' and is_scored",
        )
        assert typed == (EXAM, EXAM)
        assert one(
            db, "select count(*) from dim_question_configuration where strategy = 'typing'"
        ) == (0,)
