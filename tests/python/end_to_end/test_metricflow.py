"""What MetricFlow answers from the served tables, beside what the marts say."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

from python_llm import paths

PROJECT = ("dbt_project.yml", "profiles.yml", "models", "seeds", "macros", "tests", "analyses")


def test_metrics_by_any_dimension_are_what_the_marts_say(built, tmp_path):
    scratch, _ = built
    # mf looks for the project and what dbt made of it in one folder
    for name in PROJECT:
        (tmp_path / name).symlink_to(paths.project_root() / name)
    (tmp_path / "target").mkdir()
    shutil.copy(scratch.folder / "target" / "semantic_manifest.json", tmp_path / "target")
    found = tmp_path / "found.csv"
    served = scratch.folder / "serve" / "kernel29.duckdb"
    before = served.stat().st_mtime_ns
    subprocess.run(
        [
            *(str(Path(sys.executable).parent / "mf"), "query", "--csv", str(found)),
            *("--metrics", "top1_accuracy,mean_semantic_score,n_cells,n_failures"),
            *("--group-by", "configuration,judge,configuration__model_alias"),
        ],
        cwd=tmp_path,
        # mf asks the package index for a newer version of itself: not from a test
        env=os.environ
        | scratch.environment
        | {"KERNEL29_TARGET": "served", "HTTPS_PROXY": "http://127.0.0.1:9"},
        check=True,
        capture_output=True,
        timeout=120,
    )
    with found.open(newline="") as file:
        rows = list(csv.DictReader(file))
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
