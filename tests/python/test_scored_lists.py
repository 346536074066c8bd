"""Names with a score each, as programs write a differential."""

import json

import pytest

from python_llm.parsing.differential import parse_differential
from python_llm.parsing.scored import numbered_by_score


@pytest.mark.parametrize(
    "written",
    [
        "Gout: 0.45; Wilson's disease: 0.3",
        "Wilson's disease: 0,3\nGout: 0,45",
        "Gout (45%), Wilson's disease (30%)",
        '{"Wilson\'s disease": 0.3, "Gout": 0.45}',
        "Gout: 0.5; Wilson's disease: 0.5",
    ],
)
def test_a_score_ranks_the_names(written):
    parsed = parse_differential(written, "numbered_list")
    names = [(d.rank, d.diagnosis) for d in parsed.diagnoses]
    assert names == [(1, "Gout"), (2, "Wilson's disease")]
    assert [issue.rule for issue in parsed.issues] == ["by_score"]


SCORES = ["probability", "p", "prob", "score", "confidence", "likelihood", "weight", "probabilidad"]


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    "scores", [(0.1, 0.2, 0.7), ("10 %", "20 %", "70 %"), ("0,1", "0,2", "3e-1")]
)
def test_objects_with_a_score_each_are_ranked_by_it(name, scores):
    names = ["Influenza", "Migraine", "Gout"]
    items = [{"name": n, name: score} for n, score in zip(names, scores, strict=True)]
    for written in (items, {"diagnoses": items}):
        parsed = parse_differential(json.dumps(written), "numbered_list")
        assert [d.diagnosis for d in parsed.diagnoses] == names[::-1]
        assert [d.rank for d in parsed.diagnoses] == [1, 2, 3]
        assert [issue.rule for issue in parsed.issues] == ["by_score"]


@pytest.mark.parametrize(
    "beside",
    [
        [{"rank": 1, "p": 0.1}, {"rank": 2, "p": 0.9}],
        [{"p": 0.1}, {}],
        [{"p": "low"}, {"p": "high"}],
        [{"p": 0.5}, {"p": 0.5}],
        [{"p": "10 %"}, {"p": 0.5}],
        [{"p": True}, {"p": False}],
    ],
)
def test_other_objects_stay_as_they_stand(beside):
    items = [{"name": n, **more} for n, more in zip(["Gout", "Flu"], beside, strict=True)]
    parsed = parse_differential(json.dumps(items), "numbered_list")
    assert [d.diagnosis for d in parsed.diagnoses] == ["Gout", "Flu"]
    assert "by_score" not in [issue.rule for issue in parsed.issues]


@pytest.mark.parametrize(
    "written",
    [
        "Gout; Flu",
        "Sodium: 140; Potassium: 4",
        "Gout: 0.4",
        "Gout: 45%; Flu: 0.3",
        "0.4: 0.3; 1: 1",
    ],
)
def test_what_is_no_list_of_scores_stays_what_it_is(written):
    assert numbered_by_score(written) is None


def test_a_number_among_the_items_keeps_its_own_list():
    parsed = parse_differential("1. Gout: 0.1\n2. Flu: 0.9", "numbered_list")
    assert [d.diagnosis for d in parsed.diagnoses] == ["Gout", "Flu"]
    assert not parsed.issues
