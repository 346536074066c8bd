"""The final reasoning asked of a model, against a server on this machine.

What the model says is the rules' own recommendation, said well or spoilt in one way or another.
"""

import json
import os
import subprocess
import sys

import duckdb
import pytest
from loopback import Fault, Loopback, user_text

from python_llm import paths
from python_llm.phenotyping.recommending import recommend

INVENTS, RAMBLES, REFUSES = "kernel29_notes/0001", "kernel29_notes/0002", "kernel29_notes/0004"


def packet_of(text):
    return json.loads(text.split("=== PACKET BEGINS ===")[1].split("=== PACKET ENDS ===")[0])


def reasoner(provider, payload):
    packet = packet_of(user_text(payload))
    answer = recommend(packet, 0.4)
    if packet["case_id"] == INVENTS:
        answer["what_would_change"].append("If the lens is displaced, Marfan syndrome gains.")
    if packet["case_id"] == RAMBLES:
        return "I would rather talk about the weather."
    return f"```json\n{json.dumps(answer)}\n```"


def refuses(seen):
    return Fault("refusal") if packet_of(user_text(seen.payload))["case_id"] == REFUSES else None


@pytest.fixture(scope="module")
def reasoned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phenotyping")
    with Loopback(answer=reasoner, faults=refuses) as server:
        done = subprocess.run(
            [
                *(sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--quiet", "build"),
                *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
                *("--exclude-resource-types", "test", "unit_test", "--select"),
                *("+fct_recommendation", "+fct_recommendation_violation", "+fct_next_step"),
                *("+fct_phenotyping_call", "+fct_work_up_step"),
                *("--vars", "{mode: live, reasoner: gpt4o, max_usd: 20}"),
            ],
            cwd=paths.project_root(),
            env={
                **os.environ,
                "KERNEL29_BUILD_DIR": str(folder / "build"),
                "KERNEL29_SERVE_DIR": str(folder / "serve"),
                "KERNEL29_LEDGER_DIR": str(folder / "ledger"),
                "KERNEL29_DATA_DIR": str(folder / "data"),
                "OPENAI_API_KEY": "sk-scratch-0123456789",
                "OPENAI_BASE_URL": server.openai_url,
            },
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(folder / "build" / "kernel29.duckdb"), read_only=True) as db:
        yield db


def answer_of(db, case_id):
    return db.execute(
        "select status, is_fallback, n_violations, recommendation = rules.recommendation "
        "from fct_recommendation as said "
        "inner join (select case_id, recommendation from fct_recommendation "
        "where reasoner = 'rules') as rules using (case_id) "
        "where said.case_id = ? and reasoner = 'gpt4o'".replace(
            "recommendation = rules", "said.recommendation = rules"
        ),
        [case_id],
    ).fetchone()


def test_only_the_chosen_sets_are_asked_and_stopped_cases_never(reasoned):
    asked = reasoned.execute(
        "select distinct case_id from fct_recommendation where reasoner = 'gpt4o'"
    ).fetchall()
    cases = {case_id for (case_id,) in asked}
    assert cases
    assert all(case_id.startswith("kernel29_notes/") for case_id in cases)
    assert "kernel29_notes/0003" not in cases


def test_a_good_answer_is_shown(reasoned):
    status, is_fallback, n_violations, _ = answer_of(reasoned, "kernel29_notes/0005")
    assert (status, is_fallback, n_violations) == ("ok", False, 0)


def test_an_invented_disease_is_a_violation_and_the_rules_speak(reasoned):
    assert answer_of(reasoned, INVENTS) == ("violates_rules", True, 1, True)
    found = reasoned.execute(
        "select rule, detail from fct_recommendation_violation where case_id = ?", [INVENTS]
    ).fetchall()
    assert found == [("unknown_disease", "marfan syndrome")]


def test_what_cannot_be_read_and_what_is_refused_falls_back(reasoned):
    assert answer_of(reasoned, RAMBLES) == ("parse_error", True, 0, True)
    assert answer_of(reasoned, REFUSES) == ("refused", True, 0, True)


def test_every_call_and_every_step_is_on_record(reasoned):
    calls = reasoned.execute(
        "select count(*) from fct_phenotyping_call where task = 'phenotype_reasoning'"
    ).fetchone()[0]
    asked = reasoned.execute(
        "select count(*) from fct_recommendation where reasoner = 'gpt4o'"
    ).fetchone()[0]
    assert calls >= asked > 0
    steps = reasoned.execute(
        "select status, duration_ms > 0 from fct_work_up_step "
        "where case_id = 'kernel29_notes/0005' and step = 'final_reasoning:gpt4o'"
    ).fetchall()
    assert steps == [("ok", True)]
