"""What MetricFlow answers from the served tables, beside what the marts say."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python_llm import paths

PROJECT = ("dbt_project.yml", "profiles.yml", "models", "seeds", "macros", "tests", "analyses")


# Of each domain one metric of accuracy, failures or cost, and the same in SQL.
OF_DOMAINS = {
    "question_accuracy": """
        select avg(coalesce(is_choice_correct, false)::int) from fct_question_answer
        where status <> 'not_requested'
    """,
    "disease_top10_accuracy": """
        select avg(coalesce(gold_rank <= 10, false)::int) from fct_phenotyped_case
        where len(gold_disease_ids) > 0
    """,
    "finding_recall": "select sum(n_right) / sum(n_gold) from rpt_phenotype_reading",
    "check_pass_rate": "select avg(passed::int) from fct_recommendation_verdict",
    "n_failed_calls": "select count(*) from fct_llm_call where status <> 'ok'",
    "cost_usd": "select sum(cost_usd) from fct_llm_call",
}


def test_every_domain_has_its_metrics(built, tmp_path):
    scratch, _ = built
    (row,) = asked(scratch, tmp_path, "--metrics", ",".join(OF_DOMAINS))
    served = scratch.folder / "serve" / "kernel29.duckdb"
    for metric, query in OF_DOMAINS.items():
        ((expected,),) = scratch.rows(query, served)
        assert float(row[metric]) == pytest.approx(float(expected)), metric


def asked(scratch, tmp_path, *query):
    """The rows that mf answers from what was served."""
    # mf looks for the project and what dbt made of it in one folder
    for name in PROJECT:
        (tmp_path / name).symlink_to(paths.project_root() / name)
    (tmp_path / "target").mkdir()
    shutil.copy(scratch.folder / "target" / "semantic_manifest.json", tmp_path / "target")
    answer = tmp_path / "answer.csv"
    subprocess.run(
        [str(Path(sys.executable).parent / "mf"), "query", "--csv", str(answer), *query],
        cwd=tmp_path,
        # mf asks the package index for a newer version of itself: not from a test
        env=os.environ
        | scratch.environment
        | {"KERNEL29_TARGET": "served", "HTTPS_PROXY": "http://127.0.0.1:9"},
        check=True,
        capture_output=True,
        timeout=240,
    )
    with answer.open(newline="") as file:
        return list(csv.DictReader(file))


def test_metrics_by_any_dimension_are_what_the_marts_say(built, tmp_path):
    scratch, _ = built
    served = scratch.folder / "serve" / "kernel29.duckdb"
    before = served.stat().st_mtime_ns
    rows = asked(
        *(scratch, tmp_path),
        *("--metrics", "top1_accuracy,mean_semantic_score,n_cells,n_failures"),
        *("--group-by", "configuration,judge,configuration__model_alias"),
    )
    measured = {
        (row["configuration"], row["judge"]): (
            row["configuration__model_alias"],
            round(float(row["top1_accuracy"]), 9),
            round(float(row["mean_semantic_score"]), 9),
            int(row["n_cells"]),
            int(row["n_failures"]),
        )
        for row in rows
        if int(row["n_cells"])
    }
    expected = {
        (configuration, judge): numbers
        for configuration, judge, *numbers in scratch.rows(
            "select configuration_id, judge_id, model_alias, round(top1_strict, 9), "
            "round(mean_semantic_score, 9), n_cases, n_failures "
            "from fct_configuration_score where setting = 'medium' and is_asked",
            served,
        )
    }
    assert {key: list(numbers) for key, numbers in measured.items()} == expected
    assert len(expected) > 10
    assert served.stat().st_mtime_ns == before
