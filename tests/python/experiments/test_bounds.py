"""What the test of the bounds of scores lets pass and what it names, on rows of its own."""

import duckdb
import jinja2
import pytest

from python_llm import paths

TEST = "tests/data/experiments/scores_are_within_bounds.sql"
SHARES = [
    *(f"is_top{depth}_{kind}" for depth in (1, 3, 5, 10) for kind in ("strict", "broad")),
    *("reciprocal_rank_strict", "reciprocal_rank_broad"),
]
SCORES = [
    *("semantic_score", "semantic_score_full_list", "semantic_rescaled"),
    *("severity_score", "severity_score_full_list", "severity_rescaled"),
]


def named(kind, has_semantic_label, **score):
    """How many rows the test names of one scored case of a judge of this kind."""
    values = {**dict.fromkeys(SHARES + SCORES), "is_scored": True, **score}
    sql = jinja2.Template((paths.project_root() / TEST).read_text()).render(
        config=lambda **_: "", ref=str
    )
    with duckdb.connect() as database:
        database.execute("create table int_experiments__list_gradings (judge_id varchar)")
        database.execute("create table dim_judge as select 'j' as judge_id, ? as kind", [kind])
        database.execute(
            "create table fct_judged_diagnosis as select 'j' as judge_id, "
            "?::boolean as has_semantic_label",
            [has_semantic_label],
        )
        columns = ", ".join(
            f"?::{'boolean' if name.startswith('is_') else 'double'} as {name}" for name in values
        )
        database.execute(
            "create table fct_case_score as select 'm/p/t' as configuration_id, 't/1' as case_id, "
            f"'j' as judge_id, {columns}",
            list(values.values()),
        )
        return len(database.execute(sql).fetchall())


MISSED = {
    **dict.fromkeys(SHARES[:8], False),
    **dict.fromkeys(SHARES[8:], 0),
    **dict.fromkeys(SCORES[:2], 0),
    "semantic_rescaled": -1,
}


@pytest.mark.parametrize("kind", ["person", "recorded"])
@pytest.mark.parametrize("severity", [8.0, None])
def test_severities_alone_need_no_semantic_score(kind, severity):
    assert named(kind, False, severity_score=severity) == 0
    assert named(kind, False, severity_score=severity, **MISSED) == 1
    assert named(kind, False, severity_score=17.0) == 1


@pytest.mark.parametrize(
    ("kind", "has_label"), [("person", True), ("llm", False), ("terminology", True)]
)
def test_who_gives_relations_scores_every_case(kind, has_label):
    assert named(kind, has_label, **MISSED) == 0
    assert named(kind, has_label, severity_score=8.0) == 1
    assert named(kind, has_label, is_scored=False, **MISSED) == 1
