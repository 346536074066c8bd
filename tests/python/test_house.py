"""The rules of the house, read off the parsed project."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from python_llm import paths

ROOT = paths.project_root()
LAYERS = {"staging": 0, "intermediate": 1, "marts": 2}
# a domain may read the public marts of the domains before it, and what asking models needs
DOMAINS = [
    "calls",
    "terminology",
    "test_sets",
    "experiments",
    "questions",
    "phenotyping",
    "recommendations",
    "quality",
]
PUBLIC = re.compile(r"^(dim|bridge|fct|rpt)_")


@pytest.fixture(scope="session")
def manifest(tmp_path_factory):
    target = tmp_path_factory.mktemp("target")
    subprocess.run(
        [
            *(sys.executable, "-m", "dbt.cli.main", "--quiet", "parse", "--no-partial-parse"),
            *("--project-dir", str(ROOT), "--profiles-dir", str(ROOT)),
            *("--target-path", str(target), "--log-path", str(target)),
        ],
        check=True,
    )
    return json.loads((target / "manifest.json").read_text())


@pytest.fixture
def models(manifest):
    return {
        key: node
        for key, node in manifest["nodes"].items()
        if node["resource_type"] == "model" and node["package_name"] == "kernel29"
    }


def place(node):
    """(layer, domain) of a model, from its folder."""
    _, layer, domain, *_ = Path(node["original_file_path"]).parts
    return layer, domain


def test_data_flows_one_way(models, manifest):
    wrong = []
    for node in models.values():
        layer, domain = place(node)
        for parent_key in node["depends_on"]["nodes"]:
            if parent_key not in models:
                if parent_key in manifest["sources"]:
                    fine = layer == "staging"
                else:  # a seed
                    _, of, *_ = Path(manifest["nodes"][parent_key]["original_file_path"]).parts
                    fine = DOMAINS.index(of) <= DOMAINS.index(domain)
                if not fine:
                    wrong.append(f"{node['name']} reads {parent_key}")
                continue
            parent = models[parent_key]
            parent_layer, parent_domain = place(parent)
            if parent_domain == domain:
                fine = LAYERS[parent_layer] <= LAYERS[layer] or parent_layer == "marts"
            else:
                earlier = DOMAINS.index(parent_domain) < DOMAINS.index(domain)
                shared = parent_layer == "staging" or parent_domain == "calls"
                fine = earlier and (PUBLIC.match(parent["name"]) or shared)
            if not fine:
                wrong.append(f"{node['name']} reads {parent['name']}")
    assert not wrong


def test_names_say_layer_and_domain(models):
    for node in models.values():
        layer, domain = place(node)
        if layer == "staging":
            assert node["name"].startswith("stg_")
        elif layer == "intermediate":
            assert node["name"].startswith(f"int_{domain}__")
        else:
            assert PUBLIC.match(node["name"])


# a view of the rows of one other model, whose grain is its own
PASSED_ON = re.compile(
    r"(\{#-.*?-#\}\s*)?\{\{ config\(materialized='view'\) \}\}\s*"
    r"select \*( exclude \(\w+\))?\s*from \{\{ ref\('\w+'\) \}\}\s*",
    re.DOTALL,
)


def test_every_model_begins_with_its_grain_and_proves_it(models, manifest):
    tested = {
        parent
        for test in manifest["nodes"].values()
        if test["resource_type"] == "test"
        and (test.get("test_metadata") or {}).get("name") == "grain"
        for parent in test["depends_on"]["nodes"]
    }
    for key, node in models.items():
        assert node["description"].startswith("One row per"), node["name"]
        proof = node["depends_on"]["nodes"] if PASSED_ON.fullmatch(node["raw_code"]) else [key]
        assert tested.issuperset(proof), f"{node['name']} has no grain test"


def test_every_seed_is_typed_described_and_proves_its_grain(manifest):
    tested = {
        parent
        for test in manifest["nodes"].values()
        if (test.get("test_metadata") or {}).get("name") == "grain"
        for parent in test["depends_on"]["nodes"]
    }
    for key, node in manifest["nodes"].items():
        if node["resource_type"] != "seed" or node["package_name"] != "kernel29":
            continue
        with (ROOT / node["original_file_path"]).open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        assert set(header) == set(node["config"]["column_types"]), node["name"]
        assert node["description"].startswith("One row per"), node["name"]
        # two rows of configurations may ask for the same: that is one configuration
        assert key in tested or node["name"] == "configurations", node["name"]


# a column as it is, or with a type that the seed could say itself
ONLY_TYPED = re.compile(r"(\w+)|cast\((\w+) as \w+\) as \2|(\w+)::\w+ as \3")
ONE_SELECT = re.compile(
    r"\s*with \w+ as \(\s*select(?P<columns>.*?)from \{\{ ref\('\w+'\) \}\}\s*\)"
    r"\s*select \* from \w+\s*",
    re.DOTALL,
)


def test_no_staging_model_only_repeats_a_seed(models):
    for node in models.values():
        found = ONE_SELECT.fullmatch(node["raw_code"]) if place(node)[0] == "staging" else None
        if found:
            columns = [one.strip() for one in re.split(r",\s*\n", found["columns"]) if one.strip()]
            repeats = all(ONLY_TYPED.fullmatch(one) for one in columns)
            assert not repeats, f"{node['name']} repeats its seed: give the seed its types"


def test_every_mart_is_contracted_described_and_served(models):
    publication = models["model.kernel29.int_quality__publication"]["depends_on"]["nodes"]
    for key, node in models.items():
        if place(node)[0] != "marts":
            continue
        assert node["contract"]["enforced"], node["name"]
        assert node["columns"], node["name"]
        for name, column in node["columns"].items():
            assert column["description"], f"{node['name']}.{name}"
        assert key in publication, f"{node['name']} is not served"


def test_python_models_are_thin(models):
    for node in models.values():
        if node["language"] == "python":
            code = (ROOT / node["original_file_path"]).read_text().splitlines()
            own = [line for line in code if "dbt.ref(" not in line]
            assert len(own) <= 30, node["name"]


def test_every_parameter_is_in_the_seed_and_used_by_the_model_it_names(models):
    rows = [
        line.split(",")
        for line in (ROOT / "seeds/experiments/parameters.csv").read_text().splitlines()[1:]
    ]
    declared = {row[0]: row[2] for row in rows}
    mentioned = set()
    for node in models.values():
        code = (ROOT / node["original_file_path"]).read_text()
        mentioned |= set(re.findall(r"parameter\('(\w+)'\)", code))
        for name, used_by in declared.items():
            if used_by == node["name"]:
                assert name in code, f"{used_by} does not use {name}"
    assert mentioned <= set(declared)
    assert set(declared.values()) <= {node["name"] for node in models.values()}


def test_package_knows_dbt_only_where_it_must():
    allowed = {"dbt_plugin.py", "build.py", "cli.py"}
    for file in (ROOT / "python_llm").rglob("*.py"):
        if re.search(r"^\s*(from|import) dbt", file.read_text(), re.MULTILINE):
            assert file.name in allowed, file


def test_every_page_that_is_linked_exists_and_the_readme_is_short():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).is_file()
    ]
    assert not missing
    assert (ROOT / "README.md").stat().st_size <= 9000


def test_every_data_test_says_what_it_holds_of(manifest):
    """Of our code: it fails a build. Of somebody's data: it warns and never fails one."""
    begins = {"code": "Holds of our code. ", "data": "Reports on data. "}
    tests = [node for node in manifest["nodes"].values() if node["resource_type"] == "test"]
    macros = {
        macro["name"].removeprefix("test_"): macro["description"]
        for macro in manifest["macros"].values()
        if macro["package_name"] == "kernel29" and macro["name"].startswith("test_")
    }
    for node in tests:
        kind = node["config"]["meta"].get("holds_of")
        severity = node["config"]["severity"].lower()
        assert (kind, severity) in {("code", "error"), ("data", "warn")}, node["name"]
        generic = (node.get("test_metadata") or {}).get("name")
        if generic is None:
            assert node["description"].startswith(begins[kind]), node["name"]
        elif generic in macros:
            assert macros[generic].startswith(begins["code"]), generic
    singular = {
        Path(node["original_file_path"]).stem for node in tests if not node.get("test_metadata")
    }
    described = {
        key.split(".")[-1]
        for key in re.findall(
            r"^  - name: (\w+)$",
            "".join(file.read_text() for file in (ROOT / "tests/data").rglob("*.yml")),
            re.MULTILINE,
        )
    }
    assert described == singular
