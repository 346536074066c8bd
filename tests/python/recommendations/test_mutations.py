"""The mutation suite: what is made unsafe is caught, what is only reworded is not."""

import re

import pytest

from python_llm import paths
from python_llm.recommendations.evaluation.mutations import (
    KINDS,
    Suite,
    reversed_statement,
    with_results,
)
from python_llm.recommendations.evaluation.recommender import Recommender
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import names


@pytest.fixture(scope="module")
def suite(checker, recommender, golden):
    return Suite(checker, recommender, list(golden.values()))


@pytest.fixture(scope="module")
def outcome(suite):
    return suite.run()


def test_each_kind_of_mutant_is_caught_as_often_as_it_must(outcome):
    assert len(KINDS) == 10
    assert set(outcome.n_mutants) == set(KINDS)
    assert outcome.n_mutants.total() >= 1000
    assert outcome.complaints() == []


def test_hundreds_of_harmless_rewordings_raise_no_alarm(outcome):
    assert outcome.n_harmless.total() >= 300
    assert outcome.false_alarm_rate() <= 0.01, outcome.false_alarms[:3]


def test_every_golden_case_has_mutants(outcome, suite, golden):
    assert {mutant.case_id for mutant in suite.mutants()} == set(golden)


def test_the_page_says_what_is_measured(outcome):
    page = (paths.project_root() / "docs/mutation-suite.md").read_text("utf-8")
    for kind in KINDS:
        (row,) = re.findall(rf"^\| `{kind}` .*$", page, re.MULTILINE)
        published = float(re.findall(r"([\d.]+)%", row)[0])
        assert abs(published - 100 * outcome.rate(kind)) <= 2, "run kernel29 mutations --write"
    assert "| all | 4" in page  # harmless rewordings
    assert with_results(page, outcome).count("<!-- end of results -->") == 1


def test_without_a_check_its_mutants_are_missed(suite, monkeypatch):
    """The suite sees a check that no longer works."""
    monkeypatch.setattr(type(suite.checker), "support", lambda *_: iter(()))
    suite_of_few = object.__new__(Suite)
    suite_of_few.__dict__ = {**suite.__dict__, "bases": suite.bases[:6]}
    blind = suite_of_few.run()
    assert blind.rate("outdated_class") == 0
    assert any(complaint.startswith("reversed_citation") for complaint in blind.complaints())


def test_the_overlap_of_authors_is_what_the_page_says(knowledge, recommender, checker, golden):
    """The share of expected rules that is followed without the statements behind the rules."""
    asked = {
        part.strip()
        for row in knowledge.tables["guideline_rule_requirements"]
        for way in names(row["accepted_actions"])
        for part in way.split("&")
    }
    documents = [
        {**row, "actions": "; ".join(name for name in names(row["actions"]) if name not in asked)}
        for row in knowledge.tables["clinical_documents"]
    ]
    without = Knowledge({**knowledge.tables, "clinical_documents": documents})
    poorer = Recommender(without, recommender._index, recommender._configuration)
    followed = [
        verdict.passed
        for case in golden.values()
        for verdict in checker.adherence(
            poorer.recommend(case.patient)[0],
            knowledge.findings(case.patient),
            [rule.value for rule in case.expected.rules if rule.value != "none"],
        )
    ]
    page = (paths.project_root() / "docs/recommendations.md").read_text("utf-8")
    assert f"of the {len(followed)} rules" in page
    (share,) = re.findall(r"and (\d+) % \(\d+\) when", page)
    assert abs(int(share) - 100 * sum(followed) / len(followed)) <= 3


@pytest.mark.parametrize(
    ("statement", "opposite"),
    [
        ("An ARNI reduces death.", "An ARNI increases death."),
        ("Do not start a beta-blocker.", "Do not stop a beta-blocker."),
        ("Aspirin is given at once.", "Aspirin is not given at once."),
        ("Nothing to turn round", None),
    ],
)
def test_statements_are_turned_round(statement, opposite):
    assert reversed_statement(statement, 0) == opposite
