"""What an experiment builds, and when it builds everything."""

import datetime as dt

import duckdb
import pytest

from python_llm.job.changes import wholeness
from python_llm.job.changes.fingerprints import Project
from python_llm.job.changes.selection import told_apart
from python_llm.job.changes.state import Made
from python_llm.job.planning import narrowing

# model: (domain, what it reads)
MODELS = {
    "stg_cases__record": (None, []),
    "int_experiments__expected_cells": ("experiments", ["stg_cases__record"]),
    "int_phenotyping__mentions": ("phenotyping", ["stg_cases__record"]),
    "int_experiments__ic_ranking": ("experiments", ["int_phenotyping__mentions"]),
    "int_experiments__diagnoses": (
        "experiments",
        ["int_experiments__expected_cells", "int_experiments__ic_ranking"],
    ),
    "fct_answer": ("experiments", ["int_experiments__diagnoses"]),
    "rpt_leaderboard": ("experiments", ["fct_answer"]),
    "fct_work_up": ("phenotyping", ["int_phenotyping__mentions"]),
    "int_quality__publication": ("quality", ["rpt_leaderboard", "fct_work_up"]),
}
TESTS = {
    "grain_rpt_leaderboard": ["rpt_leaderboard"],
    "grain_fct_work_up": ["fct_work_up"],
    "every_work_up_is_of_an_answer": ["fct_answer", "fct_work_up"],
}
PART = {
    *("stg_cases__record", "int_experiments__expected_cells", "int_experiments__diagnoses"),
    *("fct_answer", "rpt_leaderboard", "grain_rpt_leaderboard"),
}


def node(kind, name, parents, group=None):
    return {
        "resource_type": kind,
        "package_name": "kernel29",
        "name": name,
        "config": {"group": group},
        "depends_on": {"nodes": [f"model.kernel29.{parent}" for parent in parents]},
    }


@pytest.fixture
def project():
    nodes = {
        f"model.kernel29.{name}": node("model", name, parents, group)
        for name, (group, parents) in MODELS.items()
    }
    nodes |= {
        f"test.kernel29.{name}": node("test", name, parents) for name, parents in TESTS.items()
    }
    return Project({"metadata": {"project_name": "kernel29"}, "nodes": nodes}, {})


@pytest.mark.parametrize(
    ("served", "sentence"),
    [
        (["rpt_leaderboard", "fct_work_up"], None),
        (["rpt_leaderboard"], "fct_work_up is built and not served: add its line"),
        ([], "fct_work_up, rpt_leaderboard are built and not served: add their lines"),
    ],
)
def test_a_build_names_the_marts_it_does_not_serve(project, served, sentence):
    for name in ("rpt_leaderboard", "fct_work_up"):
        project.nodes[f"model.kernel29.{name}"]["original_file_path"] = f"models/marts/{name}.sql"
    publication = project.nodes["model.kernel29.int_quality__publication"]
    publication["depends_on"]["nodes"] = [f"model.kernel29.{name}" for name in served]
    sentences = wholeness.unserved(project)
    assert len(sentences) == bool(sentence)
    assert not sentence or sentence in sentences[0]


@pytest.fixture
def scope(project, tmp_path, monkeypatch):
    """The part of a project whose answers are those of one ranker on one shipped case."""
    warehouse = tmp_path / "kernel29.duckdb"
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "create table int_experiments__expected_cells as"
            " select 'ic/-/rare' as configuration_id, 'rare/1' as case_id, 'ic' as ranker"
            " union all select 'gpt/p/mine', 'mine/1', null"
        )
        connection.execute(
            "create table fct_answer as select 'ic/-/rare' as configuration_id, 'rare/1' as case_id"
        )
    ranker = {"kind": "sql", "api_model": "int_experiments__ic_ranking"}
    monkeypatch.setattr(narrowing.registries, "models", lambda: [ranker])
    monkeypatch.setattr(narrowing, "shipped_test_sets", lambda: {"rare"})

    def run(changed=None, missing=(), sql="select 1", stale=()):
        changed = {f"model.kernel29.{name}": parts for name, parts in (changed or {}).items()}
        monkeypatch.setattr(narrowing, "changed_parts", lambda _, __, name: changed.get(name, []))
        row = Made("main.t", {}, "", "", dt.datetime.now(dt.UTC))
        made = {name: row for name in project.nodes if name.split(".")[2] not in missing}
        why = dict.fromkeys([*changed, *(f"model.kernel29.{name}" for name in stale)], "so")
        with duckdb.connect(str(warehouse)) as connection:
            connection.execute(sql)
        nodes = narrowing.scope(project, ["rpt_leaderboard"], made, why, warehouse)
        return nodes and {name.split(".")[2] for name in nodes}

    return run


def test_other_domains_and_rankers_are_left_as_they_are(scope):
    assert scope() == PART
    new_cases = {"stg_cases__record": ["imported cases", "experiments"]}
    assert scope(new_cases, stale=["int_phenotyping__mentions"]) == PART
    assert scope({"stg_cases__record": ["variable mode", "live mode's time of asking"]}) == PART


@pytest.mark.parametrize(
    "state",
    [
        {"missing": ["int_quality__publication"]},
        {"missing": ["int_experiments__ic_ranking"]},
        {"missing": ["fct_answer"]},
        {"missing": ["grain_fct_work_up"]},
        {"changed": {"int_phenotyping__mentions": ["module python_llm.phenotyping.reading"]}},
        {"changed": {"stg_cases__record": ["models/staging/test_sets/stg_cases__record.sql"]}},
        {"stale": ["int_experiments__expected_cells"]},
        {"sql": "delete from fct_answer"},
        {"sql": "update int_experiments__expected_cells set ranker = 'ic'"},
    ],
    ids=str,
)
def test_what_rankers_may_rank_anew_is_built_as_well(scope, state):
    assert scope(**state) is None


def test_a_ranked_case_of_an_import_may_have_another_text(scope):
    rename = "update {} set case_id = 'mine/1' where configuration_id = 'ic/-/rare'"
    tables = ("int_experiments__expected_cells", "fct_answer")
    assert scope(sql="; ".join(rename.format(table) for table in tables)) is None


def test_a_warning_of_another_domain_is_no_reason_to_build_it(scope, project):
    project.nodes["test.kernel29.grain_fct_work_up"]["config"]["severity"] = "WARN"
    assert scope(missing=["grain_fct_work_up"]) == PART


def test_judges_bring_what_is_said_of_them():
    assert set(narrowing.marts([])) < set(narrowing.marts(["gpt4o_judge"]))


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        ({"models/a.sql": "1"}, {"models/a.sql": "2"}, "models/a.sql changed"),
        ({"models/a.sql": "1"}, {"models/b/a.sql": "1"}, "models/a.sql moved to models/b/a.sql"),
        (
            {"models/a.sql": "1"},
            {"models/b/a.sql": "2"},
            "models/a.sql, models/b/a.sql changed",
        ),
        (
            {"models/a.sql": "1", "settings": "1"},
            {"models/b/a.sql": "1", "settings": "2"},
            "models/a.sql moved to models/b/a.sql; its yml or configuration changed",
        ),
        ({"settings": "1"}, {"settings": "2"}, "its yml or configuration changed"),
        ({"macro a": "1"}, {"macro b": "1"}, "macro a, macro b changed"),
    ],
)
def test_a_reason_tells_a_move_from_an_edit(before, now, reason):
    assert told_apart(before, now) == reason
