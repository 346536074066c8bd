"""A first look: part of the project, served apart, which a whole build goes on from."""

from datetime import datetime
from itertools import product

import duckdb
from scratch import Scratch

from python_llm.report.data import MARTS

SYSTEMS = ("frequency_baseline", "ic_ranker", "lexical_ranker", "profile_ranker")
RANKINGS = ("ic", "lexical", "profile")
SETS = ("simulated_rare_200", "synthetic_urg_200")


def test_the_demo_serves_a_slice_apart(shown):
    scratch, output = shown
    assert "/no_prompt/simulated_rare_200" in output
    folder = scratch.folder / "serve" / "demo"
    page = folder / "report.html"
    assert page.as_uri() in output
    assert page.stat().st_size > 1_000_000
    assert [file.name for file in folder.parent.iterdir()] == ["demo"]
    with duckdb.connect(str(folder / "kernel29.duckdb"), read_only=True) as connection:
        tables = {name for (name,) in connection.execute("show tables").fetchall()}
        asked = connection.execute(
            "select split_part(configuration_id, '/', 1), test_set from rpt_leaderboard "
            "where is_asked order by all"
        ).fetchall()
        best = dict(
            connection.execute(
                "select test_set, max_by(split_part(configuration_id, '/', 1), top1_strict) "
                "from rpt_leaderboard where is_asked group by test_set"
            ).fetchall()
        )
        with_findings = connection.execute(
            "select distinct split_part(configuration_id, '/', 1) from fct_answer "
            "where regexp_matches(findings, '^HP:[0-9]{7} [A-Z]') order by all"
        ).fetchall()
    assert with_findings == [("ic_ranker",), ("profile_ranker",)]
    assert tables == {*MARTS}
    assert asked == [*product(SYSTEMS, SETS)]
    # a search by words is the best there is for emergencies, and worse than a ranker elsewhere
    assert best["synthetic_urg_200"] == "lexical_ranker"
    assert best["simulated_rare_200"] in ("ic_ranker", "profile_ranker")
    assert "int_quality__publication" not in made_at(scratch)


def made_at(scratch: Scratch) -> dict[str, datetime]:
    """When each model was made, by its name."""
    query = "select split_part(unique_id, '.', 3), made_at from build_state.latest"
    return dict(scratch.rows(f"{query} where unique_id like 'model.%'"))


def test_a_whole_build_goes_on_from_the_demo(shown, built):
    """What no answer of a model changes is not built a second time."""
    demo, whole = made_at(shown[0]), made_at(built[0])
    rankings = {f"int_experiments__{name}_ranking" for name in RANKINGS}
    assert rankings <= {name for name in demo if whole[name] == demo[name]}
    assert whole["rpt_leaderboard"] > demo["rpt_leaderboard"]
    assert "int_quality__publication" in whole
