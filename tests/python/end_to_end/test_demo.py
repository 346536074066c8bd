"""A first look: part of the project, served apart, which a whole build goes on from."""

from itertools import product

import duckdb
import project
from scratch import Scratch

from python_llm.job import state
from python_llm.report.data import MARTS

SYSTEMS = ("frequency_baseline", "ic_ranker", "lexical_ranker", "profile_ranker")
SETS = ("simulated_rare_200", "synthetic_urg_200")


def test_the_demo_serves_a_slice_apart(groundwork, tmp_path):
    groundwork.copy_to(tmp_path)
    scratch = Scratch.make(tmp_path)
    done = project.forked(project.kernel29, ["demo"], scratch.environment)
    assert done.returncode == 0, done.stdout
    output = done.stdout
    assert "/no_prompt/simulated_rare_200" in output
    folder = tmp_path / "serve" / "demo"
    page = folder / "report.html"
    assert page.as_uri() in output
    assert page.stat().st_size > 1_000_000
    assert [file.name for file in (tmp_path / "serve").iterdir()] == ["demo"]
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
    built = state.made(scratch.warehouse)
    assert "model.kernel29.rpt_leaderboard" in built  # a whole build finds it current
    assert "model.kernel29.int_quality__publication" not in built
