"""The rules of dbt-project-evaluator, on the parsed project.

An exception is a row of evaluator_exceptions.csv with its reason; one that is no longer needed
fails as well. Other tests hold the rest: test_house.py that marts and intermediate models read no
source, names and folders, descriptions of models and columns, a grain test for every model (its
primary key) and a contract for every public one; test_freshness.py the freshness of sources. Not
held is `rejoining of upstream concepts`: a step that reads a table and what was made of it is how
this project keeps steps small.
"""

import csv
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import project
import pytest

pytestmark = pytest.mark.slow

EXCEPTIONS = Path(__file__).with_name("evaluator_exceptions.csv")
MOST_PARENTS = 12  # models; the evaluator allows 7, for warehouses with fewer CTEs a model
MOST_LEAVES = 3  # marts that read one model and are read by none
LONGEST_VIEWS = 4
HARD_CODED = re.compile(
    r"\b(?:from|join)\s+(?:\"[\w]+\"|main|public|dev|kernel29)\.", re.IGNORECASE
)


class Graph:
    """Models of a manifest, what they read and who reads them."""

    def __init__(self, manifest):
        self.manifest = manifest
        self.sources = manifest["sources"]
        self.models = {
            key: node for key, node in manifest["nodes"].items() if node["resource_type"] == "model"
        }
        self.children = defaultdict(set)
        for key in self.models:
            for parent in self.parents(key):
                self.children[parent].add(key)

    def parents(self, key):
        return self.models[key]["depends_on"]["nodes"]

    def model_parents(self, key):
        return [parent for parent in self.parents(key) if parent in self.models]

    def layer(self, key):
        return Path(self.models[key]["original_file_path"]).parts[1]

    def named(self, keys):
        return {self.models[key]["name"] for key in keys}


def folder_of(node):
    return str(Path(node["original_file_path"]).parent)


def direct_join_to_source(graph):
    return graph.named(
        key
        for key in graph.models
        if graph.model_parents(key) and any(one in graph.sources for one in graph.parents(key))
    )


def multiple_sources_joined(graph):
    return graph.named(
        key for key in graph.models if sum(one in graph.sources for one in graph.parents(key)) > 1
    )


def source_fanout(graph):
    return {key for key in graph.sources if len(graph.children[key]) > 1}


def source_directories(graph):
    """Sources that are not declared where staging reads them."""
    return {
        f"{source['source_name']}.{source['name']}"
        for key, source in graph.sources.items()
        if {folder_of(graph.models[child]) for child in graph.children[key]} - {folder_of(source)}
        or not folder_of(source).startswith("models/staging/")
    }


def test_directories(graph):
    """Models whose tests are declared in another folder."""
    return graph.named(
        key
        for key, node in graph.models.items()
        if not (node["patch_path"] or "").partition("://")[2].startswith(folder_of(node))
    )


test_directories.__test__ = False  # a rule by the evaluator's name


def unused_sources(graph):
    return {
        f"{source['source_name']}.{source['name']}"
        for key, source in graph.sources.items()
        if not graph.children[key]
    }


def duplicate_sources(graph):
    relations = [(one["schema"], one["identifier"]) for one in graph.sources.values()]
    return {relation for relation in relations if relations.count(relation) > 1}


def undocumented_sources(graph):
    return {
        key
        for key, source in graph.sources.items()
        if not source["description"] or not source["source_description"]
    }


def root_models(graph):
    return graph.named(key for key in graph.models if not graph.parents(key))


def staging_on_staging(graph):
    return graph.named(
        key
        for key in graph.models
        if graph.layer(key) == "staging"
        and any(graph.layer(one) == "staging" for one in graph.model_parents(key))
    )


def staging_on_later(graph):
    return graph.named(
        key
        for key in graph.models
        if graph.layer(key) == "staging"
        and any(graph.layer(one) != "staging" for one in graph.model_parents(key))
    )


def hard_coded_references(graph):
    return graph.named(
        key
        for key, node in graph.models.items()
        if node["language"] == "sql" and HARD_CODED.search(node["raw_code"])
    )


def too_many_parents(graph):
    return graph.named(key for key in graph.models if len(graph.model_parents(key)) > MOST_PARENTS)


def model_fanout(graph):
    publication = {"model.kernel29.int_quality__publication"}
    leaves = {key for key in graph.models if not graph.children[key] - publication}
    return graph.named(
        key
        for key in graph.models
        if graph.layer(key) != "marts" and len(graph.children[key] & leaves) > MOST_LEAVES + 1
    )


def chained_views(graph):
    @cache
    def length(key):
        if graph.models[key]["config"]["materialized"] != "view":
            return 0
        return 1 + max(map(length, graph.model_parents(key)), default=0)

    return graph.named(key for key in graph.models if length(key) > LONGEST_VIEWS)


def exposures_on_private(graph):
    return graph.named(
        key
        for exposure in graph.manifest["exposures"].values()
        for key in exposure["depends_on"]["nodes"]
        if key in graph.models and graph.models[key]["access"] != "public"
    )


def exposures_on_views_of_views(graph):
    views = {key for key, node in graph.models.items() if node["config"]["materialized"] == "view"}
    return graph.named(
        key
        for exposure in graph.manifest["exposures"].values()
        for key in exposure["depends_on"]["nodes"]
        if key in views and views.intersection(graph.model_parents(key))
    )


RULES = [
    *(direct_join_to_source, multiple_sources_joined, source_fanout, unused_sources),
    *(duplicate_sources, undocumented_sources, root_models, staging_on_staging, staging_on_later),
    *(hard_coded_references, too_many_parents, model_fanout, chained_views),
    *(exposures_on_private, exposures_on_views_of_views, source_directories, test_directories),
]


@pytest.fixture(scope="module")
def graph():
    return Graph(project.manifest())


@pytest.fixture(scope="module")
def exceptions():
    with EXCEPTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["reason"] for row in rows)
    assert {row["rule"] for row in rows} <= {rule.__name__ for rule in RULES}
    return rows


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_holds_but_for_what_has_a_reason(rule, graph, exceptions):
    excepted = {row["name"] for row in exceptions if row["rule"] == rule.__name__}
    assert rule(graph) == excepted


def test_a_rule_notices_what_breaks_it():
    """On a project of three models that break most of them."""
    model = {"resource_type": "model", "language": "sql", "access": "private"}
    source = {"schema": "main", "identifier": "t", "name": "t", "source_name": "s"}
    source["original_file_path"] = "models/marts/d/_sources.yml"
    nodes = {
        name: {
            **model,
            "name": name,
            "original_file_path": f"models/{layer}/d/{name}.sql",
            "raw_code": code,
            "config": {"materialized": "view"},
            "patch_path": "k://models/d/_d.yml",
            "depends_on": {"nodes": parents},
        }
        for name, layer, code, parents in (
            ("a", "staging", "select 1", ["source.1", "source.2"]),
            ("b", "staging", 'select * from "dev".t', ["a", "source.1"]),
            ("c", "marts", "select 1", []),
        )
    }
    broken = Graph(
        {
            "nodes": nodes,
            "sources": {
                f"source.{n}": {**source, "description": "", "source_description": ""}
                for n in (1, 2, 3)
            },
            "exposures": {"e": {"depends_on": {"nodes": ["b"]}}},
        }
    )
    assert direct_join_to_source(broken) == hard_coded_references(broken) == {"b"}
    assert staging_on_staging(broken) == exposures_on_private(broken) == {"b"}
    assert exposures_on_views_of_views(broken) == {"b"}
    assert multiple_sources_joined(broken) == {"a"}
    assert root_models(broken) == {"c"}
    assert source_fanout(broken) == {"source.1"}
    assert unused_sources(broken) == {"s.t"}
    assert duplicate_sources(broken) == {("main", "t")}
    assert len(undocumented_sources(broken)) == 3
    assert source_directories(broken) == {"s.t"}
    assert test_directories(broken) == {"a", "b", "c"}
