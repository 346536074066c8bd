import json
from functools import cache

import pytest

from python_llm import seeds
from python_llm.recommendations.checks.deeds import Deeds
from python_llm.recommendations.checks.tiers import Checker
from python_llm.recommendations.evaluation.golden import read_golden_set
from python_llm.recommendations.evaluation.recommender import Recommender
from python_llm.recommendations.evaluation.retrieval import Configuration, Index
from python_llm.recommendations.knowledge import FOLDER, Knowledge
from python_llm.recommendations.schema import Patient

CHECKED = "allergies; interactions; renal function; liver; pregnancy; age; bleeding; dose"


@pytest.fixture(scope="session")
def knowledge():
    return Knowledge.from_seeds()


@pytest.fixture(scope="session")
def checker(knowledge):
    return Checker(knowledge)


@pytest.fixture(scope="session")
def deeds(knowledge):
    return Deeds(knowledge)


@pytest.fixture(scope="session")
def reasons(knowledge, deeds):
    """What deeds say against an action, from the note of the patient and the action."""

    def told(note, text, age=50, sex="female", others=(), **facts):
        patient = Patient(patient_id="p", age=age, sex=sex, notes=[note], **facts)
        findings = knowledge.findings(patient)
        return "; ".join(
            deeds.problems(text, [text, *others], lambda: deeds.situation(patient), findings)
        )

    return told


@pytest.fixture(scope="session")
def golden():
    return {case.case_id: case for case in read_golden_set()}


@pytest.fixture(scope="session")
def recommender(knowledge):
    configuration = Configuration.of(
        "balanced",
        seeds.read(f"{FOLDER}/retrieval_configurations.csv"),
    )
    return Recommender(knowledge, Index(knowledge.documents), configuration)


@pytest.fixture
def recommended(recommender, golden):
    """A golden case's recommendation as a dict that a test may break."""

    def make(case_id):
        recommendation, _ = recommender.recommend(golden[case_id].patient)
        made = json.loads(recommendation.model_dump_json())
        # how busy this machine is says nothing of the recommendation
        return {**made, "stage_ms": dict.fromkeys(made["stage_ms"], 1.0)}

    return make


@pytest.fixture(scope="session")
def objections(checker, recommender, golden):
    """What a golden case's recommendation fails once an action is added, and did not before."""

    def fails(document, patient):
        verdicts = checker.tier1(json.dumps(document), patient)
        return {
            (verdict.check, verdict.item, verdict.reason)
            for verdict in verdicts
            if not verdict.passed
            and verdict.check not in ("citation_support", "citation_grounding", "latency")
        }

    @cache
    def recommended_to(facts):
        """A patient's recommendation as text, and what it fails as it is: many orders are added to
        the same patient's."""
        patient = Patient.model_validate_json(facts)
        document = recommender.recommend(patient)[0].model_dump_json()
        return document, fails(json.loads(document), patient)

    def added(case, text):
        patient = case if isinstance(case, Patient) else golden[case].patient
        made, before = recommended_to(patient.model_dump_json())
        document = json.loads(made)
        actions = document["recommended_actions"]
        actions.append({"action": text, "evidence_refs": actions[0]["evidence_refs"]})
        book = checker.knowledge.book
        for concept in {mention.concept for mention in book.named(text)}:
            document["contraindications_checked"].append(
                {"medication": concept, "checked_against": CHECKED, "result": "none found"}
            )
        return sorted(reason for _, _, reason in fails(document, patient) - before)

    return added


@pytest.fixture(scope="session")
def without_calls(knowledge):
    """A document in which no action calls for help: each would be an escalation."""

    def silent(action):
        is_call = knowledge.calls & knowledge.recommended(action["action"])
        return {**action, "action": "Record a 12-lead ECG."} if is_call else action

    return lambda document: {
        **document,
        "recommended_actions": [silent(action) for action in document["recommended_actions"]],
    }
