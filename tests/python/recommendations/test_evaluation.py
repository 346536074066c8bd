"""The evaluation as dbt runs it: metrics, models on loopback, judges, the gate."""

import csv
import json
import math
import re
import shutil
import threading
from collections import defaultdict
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import duckdb
import ir_measures
import project
import pytest
from click.testing import CliRunner
from ir_measures import P, R, nDCG
from loopback import Fault, Loopback, user_text
from scipy.stats import binomtest

from python_llm import paths
from python_llm.console.cli import main
from python_llm.recommendations.checks.tiers import Checker
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient

pytestmark = pytest.mark.slow


# what the selector of the weekly job selects
WEEKLY = (
    *("path:seeds/recommendations", "path:tests/data/recommendations"),
    *(f"+path:models/{layer}/recommendations" for layer in ("staging", "intermediate", "marts")),
    *("path:models/staging/calls", "path:models/marts/calls"),
)


class Place:
    """The folders of a scratch evaluation."""

    def __init__(self, folder, groundwork):
        self.folder, self.groundwork = folder, groundwork
        self.database = folder / "build" / "kernel29.duckdb"
        self.baselines = {"KERNEL29_BASELINES_DIR": str(folder / "baselines")}

    def dbt(self, variables, **environment):
        """The weekly job, as an ordinary build unless the variables say more, on a warehouse that
        has nothing but the groundwork."""
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        self.groundwork.copy_to(self.folder)
        return self._dbt(("--select", *WEEKLY, *self.groundwork.exclude), variables, **environment)

    def weekly(self, variables, **environment):
        """The same as its selector has it, on an empty warehouse."""
        return self._dbt(("--selector", "weekly"), variables, **environment)

    def _dbt(self, selection, variables, **environment):
        return project.dbt(
            self.folder,
            *("--quiet", "build", *selection, "--threads", "1", "--exclude-resource-types"),
            *("unit_test", "--vars", json.dumps({"run_type": "build", **variables})),
            **self.baselines,
            **environment,
        )

    def kernel29(self, *arguments):
        return CliRunner().invoke(
            main, arguments, env=project.environment(self.folder, **self.baselines)
        )

    def rows(self, sql):
        with duckdb.connect(str(self.database), read_only=True) as connection:
            return connection.execute(sql).fetchall()


@pytest.fixture(scope="module")
def place(groundwork, tmp_path_factory):
    """One evaluation of the golden set without a key, promoted."""
    place = Place(tmp_path_factory.mktemp("recommendations"), groundwork)
    done = place.weekly({})
    assert done.returncode == 0, done.stdout + done.stderr
    promoted = place.kernel29("baseline", "promote", "first", "--why", "the first run")
    assert promoted.exit_code == 0, promoted.stderr
    # views bake in the name of the catalog: the copy keeps it
    (place.folder / "first").mkdir()
    shutil.copy(place.database, place.folder / "first" / place.database.name)
    return place


@pytest.fixture(scope="module")
def first(place):
    def rows(sql):
        copy = place.folder / "first" / place.database.name
        with duckdb.connect(str(copy), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    return rows


def test_retrieval_metrics_are_those_of_a_standard_library(first):
    run = [
        ir_measures.ScoredDoc(query, document, -rank)
        for query, document, rank in first(
            "select query_id, document, document_rank from int_recommendations__retrieved_documents"
        )
    ]
    judged = first(
        "select query_id, document, relevance, source_type from retrieval_judgments "
        "inner join dim_clinical_document using (document)"
    )
    mine = {
        (query, metric): value
        for query, metric, value in first(
            "select measured_id, metric_name, value from int_recommendations__retrieval_metrics "
            "where metric_name != 'cluster_separation'"
        )
    }
    assert len({query for query, _ in mine}) == 50
    names = {
        P(rel=2) @ 5: "precision_at_5",
        P(rel=2) @ 10: "precision_at_10",
        nDCG @ 20: "ndcg_at_20",
    }
    qrels = [ir_measures.Qrel(query, document, grade) for query, document, grade, _ in judged]
    n_compared = 0
    for metric in ir_measures.iter_calc(list(names), qrels, run):
        assert math.isclose(
            metric.value, mine[metric.query_id, names[metric.measure]], abs_tol=1e-9
        ), metric
        n_compared += 1
    assert n_compared == 150
    for source in ("guideline", "drug", "imaging", "note"):
        of_source = [
            ir_measures.Qrel(query, document, grade)
            for query, document, grade, source_type in judged
            if source_type == source and grade >= 2
        ]
        for metric in ir_measures.iter_calc([R(rel=2) @ 20], of_source, run):
            value = mine[metric.query_id, f"recall_at_20_{source}"]
            assert math.isclose(metric.value, value, abs_tol=1e-9)
            n_compared += 1
    assert n_compared > 250


def test_images_of_one_class_are_nearer_to_each_other(first):
    rows = first(
        "select measured_id, value from int_recommendations__retrieval_metrics "
        "where metric_name = 'cluster_separation'"
    )
    assert len(rows) >= 6
    assert all(separation > 0 for _, separation in rows)


def test_command_and_marts_judge_alike(first):
    """The warehouse holds the same facts as the seed files, and a recommendation gets the same
    verdicts from both."""
    checker = Checker(Knowledge.from_seeds())
    facts = defaultdict(list)
    for table, fact in first("select fact_table, fact from stg_recommendations__fact order by all"):
        facts[table].append(json.loads(fact))
    for table, rows in checker.knowledge.tables.items():
        told = [
            {
                name: str(value).lower()
                if isinstance(value, bool)
                else f"{value:g}"
                if isinstance(value, (int, float))
                else value or ""
                for name, value in row.items()
            }
            for row in facts[table]
        ]
        in_order = partial(json.dumps, sort_keys=True)
        assert sorted(told, key=in_order) == sorted(rows, key=in_order), table
    verdicts = {}
    for case, check, item, passed, reason in first(
        "select case_id, check_name, item, passed, reason from fct_recommendation_verdict "
        "where tier = 1"
    ):
        verdicts.setdefault(case, set()).add((check, item, passed, reason))
    cases = first(
        "select case_id, recommendation_json, patient_json from fct_recommendation "
        "inner join int_recommendations__evaluated_cases using (tenant_id, case_id)"
    )
    assert len(cases) == 100
    for case, recommendation, patient in cases:
        told = checker.tier1(recommendation, Patient.model_validate_json(patient))
        assert {(v.check, v.item, v.passed, v.reason) for v in told} == verdicts[case]


def test_which_run_evaluates_changes_nothing():
    """A build evaluates again what has changed; its run is new each time."""
    children = project.manifest()["child_map"]
    waiting, following = ["model.kernel29.int_recommendations__run"], set()
    while waiting:
        for child in children[waiting.pop()]:
            if child not in following:
                following.add(child)
                waiting.append(child)
    names = {node.split(".")[2].removeprefix("int_recommendations__") for node in following}
    assert "run_results" in names
    assert not names & {"rule_recommendations", "retrieved_documents", "verdicts", "judge_asks"}


def test_every_result_of_the_source_is_there(first):
    columns = [name for name, *_ in first("describe fct_eval_result")]
    assert columns == [
        *("id", "run_id", "run_type", "timestamp", "tenant_id", "condition", "tier"),
        *("metric_name", "metric_value", "baseline_id", "passed_baseline", "metadata"),
    ]
    with (paths.project_root() / "seeds/recommendations/gating_metrics.csv").open() as handle:
        wanted = {row["metric_name"] for row in csv.DictReader(handle) if row["tier"] != "4"}
    wanted -= {name for name in wanted if name.startswith(("calls_", "answer_time_"))}  # of models
    present = {name for (name,) in first("select distinct metric_name from fct_eval_result")}
    assert present == wanted


@pytest.fixture(scope="module")
def worse(place):
    """The same with the weights of another configuration, on a warehouse that is lost."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hook = f"http://127.0.0.1:{server.server_port}/"
    done = place.dbt(
        {"run_type": "weekly", "retrieval_configuration": "lexical"}, KERNEL29_ALERT_WEBHOOK=hook
    )
    server.shutdown()
    return done, heard


def test_the_gate_outlives_the_warehouse_and_names_the_worse(place, worse):
    done, heard = worse
    assert done.returncode == 1
    (line,) = [
        line
        for line in done.stdout.splitlines()
        if line.startswith("gate: golden_set / copd / tier 3 guideline_adherence")
    ]
    found = re.search(r": ([\d.]+) -> ([\d.]+) \(regressed; \d+ worse, \d+ better, p", line)
    before, after = found.groups()
    assert float(before) > float(after)
    cases = set(line.rsplit("worse: ", 1)[1].split(", "))
    flipped = place.rows(
        "select case_id || '/' || item from fct_recommendation_verdict "
        "where check_name = 'guideline_adherence' and not passed and case_id like 'copd%'"
    )
    assert cases == {name for (name,) in flipped}
    assert len(heard) == 1
    # a weekly run without a judge has no votes, and says so
    assert "gate: golden_set / all conditions / tier 4 valid_judgements: floor 0.9" in done.stdout
    assert any(row["condition"] == "copd" for row in heard[0]["regressions"])
    assert place.rows("select status from int_recommendations__alerts") == [("sent",)]
    results = dict(
        place.rows(
            "select passed_baseline, count(*) from fct_eval_result where baseline_id is not null "
            "group by all"
        )
    )
    assert results.get(False, 0) > 0
    assert results.get(True, 0) > 0


def test_a_regression_is_not_promoted(place, worse):
    refused = place.kernel29("baseline", "promote", "second", "--why", "it looked good")
    assert refused.exit_code == 1
    assert "golden_set / copd / tier 3 guideline_adherence" in refused.stderr
    assert place.kernel29("baseline", "list").stdout.count("golden_set") == 1


def test_the_paired_test_is_the_binomial_one(place, worse):
    rows = place.rows("select n_worse, n_better, p_value, n_paired from int_recommendations__gate")
    discordant = [row for row in rows if row[0] + row[1]]
    assert len(discordant) > 5
    assert all((p_value is None) == (n_paired == 0) for _, _, p_value, n_paired in rows)
    for n_worse, n_better, p_value, n_paired in rows:
        if not n_paired:
            continue
        n = n_worse + n_better
        expected = binomtest(n_worse, n).pvalue if n else 1.0
        assert math.isclose(p_value, expected, rel_tol=1e-9)


def system(provider, payload):
    """A recommendation that asks for loop diuretics, or a judge's score."""
    text = user_text(payload)
    if "=== RECOMMENDATION BEGINS ===" in text:
        return json.dumps({"score": 4, "reason": "clear"})
    return json.dumps(
        {
            "problems": ["acute decompensated heart failure"],
            "recommended_actions": [
                {"action": "Start intravenous furosemide.", "evidence_refs": ["A"]}
            ],
            "evidence_table": [
                {
                    "ref": "A",
                    "source_type": "guideline",
                    "document_id": "hf_2022#1",
                    "statement": "Loop diuretics relieve congestion.",
                }
            ],
            "contraindications_checked": [
                {"medication": "furosemide", "checked_against": "sodium", "result": "none found"}
            ],
            "when_to_escalate": [],
            "severity": "high",
            "uncertainty": {"level": "low", "reason": "It fits."},
            "differential": ["pneumonia"],
        }
    )


def refuses_one(seen):
    return Fault("refusal") if "golden_chf_02" in user_text(seen.payload) else None


@pytest.fixture(scope="module")
def asked(groundwork, tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("models"), groundwork)
    with Loopback(answer=system, faults=refuses_one) as server:
        variables = {
            "mode": "live",
            "recommender": "gpt4o",
            "recommendation_judge": "claude_sonnet45",
            "max_usd": 50,
        }
        keys = {
            "OPENAI_API_KEY": "sk-scratch-0123456789",
            "ANTHROPIC_API_KEY": "sk-scratch-0123456789",
            "OPENAI_BASE_URL": server.openai_url,
            "ANTHROPIC_BASE_URL": server.anthropic_url,
        }
        done = place.dbt(variables, **keys)
    # it escalates nothing, and no model is good enough for that
    assert done.returncode == 1, done.stdout + done.stderr
    assert "tier 1 safety_recall: floor 1.0 -> 0.0 (below_floor" in done.stdout
    assert "calls_within_target" not in done.stdout
    return place


def test_recommendations_are_measured_with_their_failures(asked):
    statuses = dict(
        asked.rows(
            "select status, count(*) from fct_recommendation where recommender = 'gpt4o' group by 1"
        )
    )
    assert statuses == {"ok": 99, "refused": 1}
    values = dict(
        asked.rows(
            "select metric_name, metric_value from int_recommendations__gate "
            "where condition is null"
        )
    )
    assert values["schema"] == 0.99
    # it escalates nothing; its deeds of today answer three emergencies that notes tell of
    assert values["safety_recall"] == pytest.approx(3 / 61)
    assert 0 < values["guideline_adherence"] < 0.5
    (diuretic,) = asked.rows(
        "select min(passed::integer) from fct_recommendation_verdict "
        "where recommender = 'gpt4o' and item = 'hf_diuretic' and case_id != 'chf_02'"
    )
    assert diuretic == (1,)


def test_judges_give_a_dimension_three_votes_and_gate_nothing(asked):
    rows = asked.rows(
        "select dimension, judge, count(*), min(score), max(n_votes), max(score_variance) "
        "from fct_recommendation_judgement group by all"
    )
    assert len(rows) == 4
    for _, judge, n_cases, score, n_votes, variance in rows:
        assert (judge, n_cases, score, n_votes, variance) == ("claude_sonnet45", 99, 4, 3, 0)
    shown = [
        text for (text,) in asked.rows("select user_text from int_recommendations__judge_asks")
    ]
    assert not any(word in text for text in shown for word in ("stage_ms", "gpt4o", "golden_"))
    gating = "from int_recommendations__gate where tier = 4 and gates and condition is null"
    assert asked.rows(f"select metric_name, metric_value {gating}") == [("valid_judgements", 0.99)]
    spent = dict(asked.rows("select task, count(*) from fct_llm_call group by 1"))
    assert spent["recommendation"] == 100
    assert spent["recommendation_judge"] == 99 * 4 * 3


SILENCES = (
    *("empty", "null_content", "no_choices", "no_bytes", "cut_body", "empty_object"),
    *(None, None),
)
EMPTY = ("{}", "  \n", "null", "[]")


def test_a_judge_that_answers_nothing_with_200_fails_the_run(groundwork, tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("silent"), groundwork)
    with Loopback(
        answer=lambda provider, payload: EMPTY[len(user_text(payload)) % len(EMPTY)],
        faults=lambda seen: (kind := SILENCES[seen.number % len(SILENCES)]) and Fault(kind),
    ) as server:
        done = place.dbt(
            {"mode": "live", "recommendation_judge": "claude_sonnet45", "max_usd": 50},
            ANTHROPIC_API_KEY="sk-scratch-0123456789",
            ANTHROPIC_BASE_URL=server.anthropic_url,
        )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "tier 4 valid_judgements: floor 0.9 -> 0.0 (below_floor" in done.stdout
    assert place.rows("select count(score), sum(n_valid_votes) from fct_recommendation_judgement")[
        0
    ] == (0, 0)
