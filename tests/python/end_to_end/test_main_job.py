"""The main job, whole: a live build through both SDKs, then everything that must hold of it."""

import shutil
import signal
import subprocess
import sys
import time

import columns
import duckdb
import project
import pytest
from loopback import Loopback
from scratch import ANTHROPIC_KEY, OPENAI_KEY, Scratch, addresses, clinician, copied

from python_llm.console.board import board
from python_llm.console.leaderboard import read_leaderboard
from python_llm.engine import attempts
from python_llm.job.changes import state
from python_llm.job.changes.fingerprints import Project
from python_llm.job.planning import narrowing

CASES = 200
MODELS = 3
# eleven configurations for the terminology judge; four that models judge (helpers/scratch.py) for
# each of three juries; the judges of two families judge all of these but that of their own
LEADERBOARD_ROWS = 11 + 3 * 4 + 2 * 3


def test_the_leaderboard_is_printed_and_served(built):
    scratch, output = built
    assert "Judge: terminology" in output
    assert "profile_ranker/no_prompt/simulated_rare_200" in output
    (others,) = [line for line in output.splitlines() if line.startswith("Not shown: ")]
    served = scratch.folder / "serve" / "kernel29.duckdb"
    whole = board(read_leaderboard(served), is_whole=True)
    for configuration in ("ic_ranker/no_prompt", "gpt4o/dxgpt_standard", "local/dxgpt_standard"):
        assert f"{configuration}/simulated_rare_200" in whole
    for judge in ("gpt4o_judge", "claude_sonnet45_judge", "jury_majority"):
        # a judge that the run asked is shown, a jury is named
        assert judge in others if judge == "jury_majority" else f"Judge: {judge}" in output
        assert f"Judge: {judge}" in whole
    (n,) = scratch.rows("select count(*) from rpt_leaderboard where is_asked", served)[0]
    assert n == LEADERBOARD_ROWS
    n_described, n_columns = scratch.rows(
        "select count(comment), count(*) from duckdb_columns() where not internal", served
    )[0]
    assert n_described == n_columns
    tables = {name for (name,) in scratch.rows("select table_name from duckdb_tables()", served)}
    parquet = {file.stem for file in (scratch.folder / "serve" / "parquet").iterdir()}
    assert tables == parquet


def test_every_column_is_declared_as_it_was_built(built):
    """Marts have a contract; this holds the others. The helper declares what is missing."""
    scratch, _ = built
    tables = columns.built(scratch.folder / "build" / "kernel29.duckdb")
    assert columns.differences(project.manifest(), tables) == []


def test_what_ships_gives_no_test_of_data_anything_to_report(built):
    _, output = built
    (summary,) = [line for line in output.splitlines() if line.startswith("dbt: ")]
    assert "warn" not in summary, output


def test_failures_keep_their_status_and_their_cell(built):
    scratch, _ = built
    ((failing,),) = scratch.rows("select avg(cast(status != 'ok' as integer)) from fct_llm_call")
    assert 0.25 < failing < 0.35
    statuses = dict(
        scratch.rows(
            "select status, count(*) from fct_answer "
            "where configuration_id not like '%/no_prompt/%' group by all"
        )
    )
    assert sum(statuses.values()) == MODELS * CASES
    # each injected fault leaves its own trace: some are retried away, some are answers
    assert {"ok", "refused", "truncated", "content_filtered", "provider_error"} <= set(statuses)
    assert statuses["ok"] > 0.8 * MODELS * CASES
    rows = scratch.rows(
        "select n_cases, n_failures, failure_rate, top5_strict from fct_configuration_score "
        "where judge_id = 'terminology' and setting = 'medium' and model_alias = 'gpt4o'"
    )
    ((n_cases, n_failures, failure_rate, top5),) = rows
    assert n_cases == CASES
    assert n_failures > 0
    assert failure_rate == pytest.approx(n_failures / CASES)
    ((hits,),) = scratch.rows(
        "select count(*) from fct_case_score where judge_id = 'terminology' "
        "and configuration_id like 'gpt4o/%' and strict_rank <= 5"
    )
    assert top5 == pytest.approx(hits / CASES)


def test_judges_label_every_rank_and_inventions_are_counted(built):
    scratch, _ = built
    relations = dict(
        scratch.rows(
            "select semantic_relation, count(*) from fct_judged_diagnosis "
            "where judge_id = 'gpt4o_judge' group by all"
        )
    )
    assert {"Exact Synonym", "Broad Disease Group", "Not Related", "unlabelled"} == set(relations)
    ((unlabelled,),) = scratch.rows(
        "select sum(n_without_relation) from fct_case_score where judge_id = 'gpt4o_judge'"
    )
    ((scored,),) = scratch.rows(
        "select count(*) from fct_judged_diagnosis where judge_id = 'gpt4o_judge' "
        "and semantic_relation = 'unlabelled' and diagnosis_rank <= 5"
    )
    assert 0 < unlabelled == scored <= relations["unlabelled"]
    agreement = scratch.rows(
        "select judge_a, judge_b, scale, n_ranks > 0 from fct_judge_agreement where label = 'all' "
        "and configuration_id = 'all'"
    )
    # six judges: relations, severities, and strict and broad the rank and the first 1, 3, 5, 10
    assert len(agreement) == 15 * (2 + 2 * 5)
    assert all(row[-1] for row in agreement)


def test_a_verdict_leads_to_what_its_judge_was_sent_and_said(built):
    scratch, _ = built
    ((verdicts, unsent, unsaid),) = scratch.rows(
        "select count(distinct (configuration_id, case_id, diagnosis_rank)), "
        "count(*) filter (where not coalesce(contains(user_text, diagnosis), false)), "
        "count(*) filter (where votes.label is not null and "
        "not coalesce(contains(raw_response, votes.label), false)) "
        "from fct_judged_diagnosis "
        "inner join fct_judge_vote as votes "
        "using (configuration_id, case_id, diagnosis_rank, judge_id) "
        "left join dim_llm_request using (request_key) "
        "left join fct_llm_call as calls "
        "on votes.request_key = calls.request_key and calls.is_final "
        "where judge_id = 'gpt4o_judge' and votes.probe = 'none' and votes.outcome != 'no_answer'"
    )
    assert verdicts > 0
    assert (unsent, unsaid) == (0, 0)


def test_no_model_judges_its_own_family(built):
    scratch, _ = built
    judged = scratch.rows(
        "select distinct judge_id, configuration_id from fct_judged_diagnosis "
        "where judge_id in ('gpt4o_judge', 'claude_sonnet45_judge')"
    )
    assert ("gpt4o_judge", "gpt4o/dxgpt_standard/simulated_rare_200") not in judged
    assert ("gpt4o_judge", "claude_sonnet45/dxgpt_standard/simulated_rare_200") in judged
    assert len(judged) == 2 * 3


def test_a_repeated_name_is_merged_and_leaves_its_rank_empty(built):
    scratch, _ = built
    ((lists, ranks, merged),) = scratch.rows(
        "select count(*), min((first_rank, last_rank, n_items, n_read, n_left)), min(n_merged) "
        "from rpt_answer_reading inner join fct_answer using (configuration_id, case_id) "
        "where answer_text like '%NOONAN SYNDROME%' and n_diagnoses = 3"
    )
    assert lists > 0
    assert (ranks, merged) == ((1, 4, 4, 3, 0), 1)
    judged = scratch.rows(
        "select distinct judged.diagnosis_rank from fct_judged_diagnosis as judged "
        "semi join rpt_answer_issue using (configuration_id, case_id) "
        "inner join fct_answer using (configuration_id, case_id) "
        "where answer_text like '%NOONAN SYNDROME%' and judged.diagnosis_rank <= 4 order by all"
    )
    assert judged == [(1,), (3,), (4,)]


def test_every_call_is_a_row_with_its_cost(built, n_requests):
    scratch, _ = built
    ((attempts, unpriced, spent),) = scratch.rows(
        "select count(*), count(*) filter (where not is_priced), sum(cost_usd) from fct_llm_call"
    )
    assert attempts == n_requests
    assert unpriced == 0
    assert 0 < spent < 50
    tasks = {task for (task,) in scratch.rows("select distinct task from fct_llm_call")}
    assert tasks == {"generation", "semantic_judge", "severity_judge"}


def test_comparisons_are_paired_and_corrected(built):
    scratch, _ = built
    rows = scratch.rows(
        "select n_cases, p_value, p_value_adjusted, n_comparisons, method "
        "from fct_configuration_comparison "
        "where metric = 'top5_strict' and judge_id = 'terminology'"
    )
    # pairs of seven configurations of one test set, of four of another
    assert sorted(k for *_, k, _ in rows) == [6] * 6 + [21] * 21
    assert all(n == CASES and p <= adjusted for n, p, adjusted, *_ in rows)
    assert {row[-1] for row in rows} == {"McNemar exact"}


def test_keys_are_nowhere(built):
    scratch, output = built
    for key in (OPENAI_KEY, ANTHROPIC_KEY):
        assert key not in output
        for file in scratch.folder.rglob("*"):
            if file.is_file():
                assert key.encode() not in file.read_bytes(), file


# opens, counts and closes until a line arrives, then says how often it did
READER = """
import duckdb, select, sys
reads = 0
while not select.select([sys.stdin], [], [], 0.5)[0]:
    with duckdb.connect(sys.argv[1], read_only=True) as connection:
        (rows,) = connection.execute("select count(*) from rpt_leaderboard").fetchone()
    assert rows == int(sys.argv[2]), rows
    reads += 1
print(reads)
"""
SCORES = ("fct_answer", "fct_judged_diagnosis", "fct_case_score", "fct_configuration_score")


def test_a_lost_warehouse_costs_nothing_and_readers_never_wait(
    built, groundwork, tmp_path, monkeypatch
):
    """The ledger alone gives the same scores back through a build by dbt: not one request is
    sent for it, and whoever reads what is served meanwhile never waits. What no ledger holds is
    there already, as are the marts that others make of the scores: test_every_set.py builds those,
    and runs the data tests on a whole build."""
    whole, _ = built
    scratch = Scratch.make(tmp_path)
    for kept in ("build", "ledger", "serve"):
        shutil.copytree(whole.folder / kept, tmp_path / kept)
    lose(scratch)
    served = tmp_path / "serve" / "kernel29.duckdb"
    before = served.stat().st_mtime_ns
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(served), str(LEADERBOARD_ROWS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with Loopback(answer=clinician) as server:
        scratch.environment |= addresses(server)
        code, output = scratch.dbt(
            *("build", "--quiet", "--vars", "{mode: 'off'}"),
            *("--exclude-resource-types", "test", "unit_test"),
            *("--select", *(f"+{table}" for table in SCORES)),
            *(*groundwork.exclude, "path:models/*/phenotyping"),
        )
    assert code == 0, output
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(served.parent))
    narrowing.serve(Project(project.manifest(), {}), scratch.warehouse, "")
    reads, _ = process.communicate("stop\n", timeout=30)
    assert process.returncode == 0
    assert int(reads) > 10
    assert server.total == 0
    assert served.stat().st_mtime_ns > before
    for table in SCORES:
        assert scratch.content(table) == whole.content(table), table


def lose(scratch: Scratch) -> None:
    """Drop all models of calls and experiments that the scores are made of."""
    nodes, waiting, models = project.manifest()["nodes"], list(SCORES), set()
    while waiting:
        name = waiting.pop()
        node = nodes.get(f"model.kernel29.{name}")
        if node and node["fqn"][2] in ("calls", "experiments") and name not in models:
            models.add(name)
            waiting += [parent.split(".")[-1] for parent in node["depends_on"]["nodes"]]
    assert len(models) > 60
    with duckdb.connect(str(scratch.warehouse)) as connection:
        for name, kind in connection.execute(
            "select table_name, replace(table_type, 'BASE ', '') from information_schema.tables"
        ).fetchall():
            if name in models:
                connection.execute(f"drop {kind} {name}")


def test_every_formula_holds(built, tmp_path):
    """The unit tests of dbt, which need the tables that their models read."""
    scratch = Scratch.make(tmp_path)
    scratch.warehouse.parent.mkdir()
    shutil.copyfile(built[0].warehouse, scratch.warehouse)
    code, output = scratch.dbt("test", "--select", "test_type:unit")
    assert code == 0, output
    parsed = project.manifest()
    hooks = [node for node in parsed["nodes"].values() if node["resource_type"] == "operation"]
    # dbt counts what it runs before and after the tests, too
    assert f"PASS={len(parsed['unit_tests']) + len(hooks)} " in output


def test_a_locked_warehouse_is_explained_in_one_sentence(tmp_path):
    scratch = Scratch.make(tmp_path)
    scratch.warehouse.parent.mkdir()
    holder = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True);"
            "sys.stdin.readline()",
            str(scratch.warehouse),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        code, output = scratch.build()
    finally:
        holder.communicate("\n", timeout=30)
    assert code != 0
    assert "is in use by another process" in output
    assert "Traceback" not in output


def test_wrong_requests_end_in_one_sentence_and_touch_nothing(built):
    scratch, _ = built
    before = (scratch.folder / "serve" / "kernel29.duckdb").stat().st_mtime_ns
    for arguments, message in [
        (("--models", "gpt5000"), "MODELS=gpt5000 is in no row"),
        (("--mode", "live"), "MODE=live asks nobody"),
        (("--mode", "live", "--models", "gpt4o", "--max-usd", "a lot"), "MAX_USD=a lot"),
    ]:
        code, output = scratch.build(*arguments)
        assert code != 0
        assert message in output
        assert "Traceback" not in output
    code, output = scratch.dbt("build", "--vars", "{models: gpt5000}")
    assert code != 0
    assert "MODELS=gpt5000 is in no row" in output
    assert (scratch.folder / "serve" / "kernel29.duckdb").stat().st_mtime_ns == before


# What breaks each tier 1 test. The tables are damaged in a copy of the warehouse, all at once.
DAMAGE = {
    "no_rank_moves": (
        "delete from int_experiments__ranked_diagnoses where diagnosis_rank = 1 "
        "and case_id = 'simulated_rare_200/0001'"
    ),
    "every_item_is_accounted_for": (
        "update rpt_answer_reading set n_items = n_items + 1 "
        "where case_id = 'simulated_rare_200/0015'"
    ),
    "a_disease_has_one_rank_in_a_list": (
        "update int_experiments__ranked_diagnoses set diagnosis_normalised = 'twice' "
        "where case_id = 'simulated_rare_200/0002'"
    ),
    "grid_is_complete": "delete from fct_answer where case_id = 'simulated_rare_200/0003'",
    "grain_fct_answer_configuration_id__case_id": (
        "insert into fct_answer select * from fct_answer where case_id = 'simulated_rare_200/0004'"
    ),
    "scores_cover_the_grid": "delete from fct_case_score where case_id = 'simulated_rare_200/0005'",
    "every_scored_rank_is_judged_once": (
        "delete from fct_judged_diagnosis where diagnosis_rank = 2 "
        "and case_id = 'simulated_rare_200/0006'"
    ),
    "relationships_fct_judged_diagnosis_semantic_relation": (
        "update fct_judged_diagnosis set semantic_relation = 'A Cousin' "
        "where case_id = 'simulated_rare_200/0007'"
    ),
    "relationships_fct_judged_diagnosis_severity": (
        "update fct_judged_diagnosis set severity = 'lethal' "
        "where case_id = 'simulated_rare_200/0008'"
    ),
    "scores_are_within_bounds": (
        "update fct_case_score set semantic_score = 16.5 where case_id = 'simulated_rare_200/0009'"
    ),
    "answers_trace_to_a_prompt_version": (
        "update fct_answer set prompt_version = 'another' where case_id = 'simulated_rare_200/0010'"
    ),
    "failures_score_nothing": (
        "update fct_case_score set strict_rank = 1 where is_failure and strict_rank is null"
    ),
    "relationships_fct_answer_status": (
        "update fct_answer set status = 'lost' where case_id = 'simulated_rare_200/0011'"
    ),
    "not_null_fct_judged_diagnosis_semantic_relation": (
        "update fct_judged_diagnosis set semantic_relation = null "
        "where case_id = 'simulated_rare_200/0012'"
    ),
    "not_null_fct_judged_diagnosis_severity": (
        "update fct_judged_diagnosis set severity = null where case_id = 'simulated_rare_200/0013'"
    ),
    "every_case_is_in_its_own_set": (
        "delete from bridge_test_set_case where case_id = 'simulated_rare_200/0014'"
    ),
    "question_grid_is_complete": (
        "delete from fct_question_answer "
        "where question_id = (select min(question_id) from fct_question_answer)"
    ),
    "question_failures_have_no_hit": (
        "update fct_question_answer set is_choice_correct = not is_choice_correct "
        "where outcome_class = 'answered'"
    ),
    "relationships_fct_question_answer_status": (
        "update fct_question_answer set status = 'lost' "
        "where question_id = (select max(question_id) from fct_question_answer)"
    ),
    "sparse_cases_are_refined_first": (
        "update fct_next_step set action_type = 'order_test' where action_type = 'refine_phenotype'"
    ),
    "rules_break_no_rule": (
        "insert into fct_work_up_violation by name select min(case_id) as case_id, "
        "'rules' as reasoner, 1 as violation_number, 'no_steps' as rule, 'x' as place, "
        "'x' as detail from fct_phenotyped_case"
    ),
    "no_regression_rpt_recommendation_gate_": (
        "update rpt_recommendation_gate set gates = true, status = 'regressed'"
    ),
    "reference_recommender_passes_tier1": (
        "update fct_recommendation_verdict set passed = false "
        "where tier = 1 and check_name = 'schema' and case_id = 'chf_01'"
    ),
}


def test_each_tier_1_test_fails_when_what_it_guards_is_broken(built, tmp_path):
    scratch, _ = built
    damaged = Scratch.make(tmp_path)
    copied(scratch.warehouse, tmp_path)
    # all that are noted have passed on these very rows: nobody has written since
    with duckdb.connect(str(damaged.warehouse)) as connection:
        noted = state.made_in(connection)
    assert tier1_tests() <= noted.keys()
    with_rows = {
        test: table
        for test, table in grains(damaged).items()
        if damaged.rows(f"select 1 from {table} limit 1")
    }
    with duckdb.connect(str(damaged.warehouse)) as connection:
        give_views_rows(connection)
        for damage in DAMAGE.values():
            connection.execute(damage)
        for table in with_rows.values():
            connection.execute(f"insert into {table} select * from {table} limit 1")
    assert len(with_rows) > 50  # the others are empty until a model is asked or somebody labels
    code, output = damaged.dbt("test", "--select", "tag:tier1")
    assert code != 0
    failed = [line for line in output.splitlines() if "Failure in test " in line]
    broken = [*DAMAGE, *with_rows]
    unnoticed = [test for test in broken if not any(f" {test}" in line for line in failed)]
    assert not unnoticed, output


def tier1_tests() -> set[str]:
    return {
        unique_id
        for unique_id, node in project.manifest()["nodes"].items()
        if node["resource_type"] == "test" and "tier1" in node["tags"]
    }


def give_views_rows(connection: duckdb.DuckDBPyConnection) -> None:
    """Put a table in the place of every mart that is a view: only rows can be damaged."""
    marts = connection.execute(
        "select view_name from duckdb_views() "
        "where regexp_matches(view_name, '^(dim|bridge|fct|rpt)_') and database_name = 'kernel29'"
    ).fetchall()
    for (mart,) in marts:
        connection.execute(f"create temp table shown as from {mart}")
        connection.execute(f"drop view {mart}")
        connection.execute(f"create table {mart} as from shown")
        connection.execute("drop table shown")


def grains(scratch: Scratch) -> dict[str, str]:
    """The tier 1 tests of a grain, each with its table; views show what tables have."""
    nodes = project.manifest()["nodes"]
    tables = {name for (name,) in scratch.rows("select table_name from duckdb_tables()")}
    return {
        node["name"]: nodes[node["attached_node"]]["name"]
        for node in map(nodes.get, tier1_tests())
        if (node.get("test_metadata") or {}).get("name") == "grain"
        and nodes[node["attached_node"]]["name"] in tables
    }


# what comes of the answers of one model, anew: beside what the live build made there is no ledger
ASKING = (
    *("run", "--select", "int_experiments__generation_asks+,+fct_answer"),
    *("--vars", "{mode: live, models: gpt4o, max_usd: 50}"),
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_told_to_stop_keeps_what_is_in_flight(number, built, tmp_path):
    """dbt asks in a thread of its own, where no signal arrives."""
    copied(built[0].warehouse, tmp_path)
    with Loopback(answer=clinician, latency=0.3) as server:
        scratch = Scratch.make(tmp_path, **addresses(server))
        process = scratch.start_dbt(*ASKING)
        while server.total < 40:
            assert not process.is_over, process.printed()
            time.sleep(0.02)
        process.send(number)
        done = process.wait(30)
        assert done.returncode != 0, done.stdout
        assert server.total < CASES
        log = attempts(tmp_path / "ledger").to_pylist()
        assert len(log) == server.total
        assert {row["status"] for row in log} == {"ok"}


def test_a_killed_build_goes_on_where_it_was(built, tmp_path):
    """SIGKILL while answers come in; the next build asks only what was not answered."""
    copied(built[0].warehouse, tmp_path)
    with Loopback(answer=clinician, latency=0.05) as server:
        scratch = Scratch.make(tmp_path, **addresses(server))
        process = scratch.start_dbt(*ASKING)
        while server.total < 60:
            assert not process.is_over, process.printed()
            time.sleep(0.02)
        process.send(signal.SIGKILL)
        process.wait(60)
        code, output = scratch.dbt(*ASKING)
        assert code == 0, output
        # only what was in flight when it died may have been asked twice: at most one per lane
        assert CASES <= server.total <= CASES + 20
        statuses = scratch.rows(
            "select status, count(*) from fct_answer where configuration_id like 'gpt4o/%' "
            "group by all"
        )
        assert statuses == [("ok", CASES)]
