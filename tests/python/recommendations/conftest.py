import json

import pytest

from python_llm import seeds
from python_llm.recommendations.checks import Checker
from python_llm.recommendations.golden import read_golden_set
from python_llm.recommendations.knowledge import FOLDER, Knowledge
from python_llm.recommendations.recommender import Recommender
from python_llm.recommendations.retrieval import Configuration, Index


@pytest.fixture(scope="session")
def knowledge():
    return Knowledge.from_seeds()


@pytest.fixture(scope="session")
def checker(knowledge):
    return Checker(knowledge)


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
