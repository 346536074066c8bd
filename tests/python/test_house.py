"""The rules of the house, read off the parsed project."""

import ast
import csv
import re
from pathlib import Path

import columns
import house_measures
import project
import pytest
import yaml

from python_llm import paths
from python_llm.job.changes.fingerprints import Project
from python_llm.job.planning import narrowing
from python_llm.job.serving import keys

ROOT = paths.project_root()
LAYERS = {"staging": 0, "intermediate": 1, "marts": 2}
# a domain may read its own marts, and of the domains before it the public marts and what they
# declare protected
DOMAINS = [
    "calls",
    "terminology",
    "test_sets",
    "phenotyping",
    "experiments",
    "questions",
    "recommendations",
    "quality",
]
# Two models read the ledger after every domain's calls: they name the responses for the order only,
# in a function that nobody calls, and can take no row of them.
ORDER_ONLY = {"stg_ledger__attempt", "stg_ledger__request"}
PUBLIC = re.compile(r"^(dim|bridge|fct|rpt)_")
PACKAGE = ROOT / "python_llm"
# a room of the package may import from those before it, and from the few files outside the rooms
ROOMS = [
    *("audit", "parsing", "learnt", "registries", "imports", "providers", "experiments", "engine"),
    *("prompting", "statistics"),
    *("terminology", "test_sets", "runs", "labels", "questions", "phenotyping"),
    *("recommendations", "report", "job", "console"),
]


@pytest.fixture(scope="session")
def manifest():
    return project.manifest()


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


def assert_nothing_is_read(node):
    """Every reference of a Python model is a statement of `only_the_order_matters`, which nothing
    calls: what it would return is used nowhere."""
    tree = ast.parse(node["raw_code"])
    order = next(one for one in tree.body if getattr(one, "name", "") == "only_the_order_matters")
    references = [line.value for line in order.body if "dbt.ref" in ast.unparse(line)]
    everywhere = [
        call
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("dbt.ref", "dbt.source")
    ]
    assert everywhere == references, node["name"]
    assert node["raw_code"].count("only_the_order_matters") == 1


def test_data_flows_one_way(models, manifest):
    seeds = [node for node in manifest["nodes"].values() if node["resource_type"] == "seed"]
    domains = {place(node)[1] for node in models.values()}
    domains |= {Path(node["original_file_path"]).parts[1] for node in seeds}
    unknown = sorted(domains - {*DOMAINS})
    assert not unknown, (
        f"Add {', '.join(unknown)} to DOMAINS in {Path(__file__).name}, after every domain it "
        "reads and before quality"
    )
    wrong = []
    for node in models.values():
        layer, domain = place(node)
        if node["name"] in ORDER_ONLY:
            assert_nothing_is_read(node)
            continue
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
                shared = parent["config"]["access"] == "protected"
                fine = earlier and (PUBLIC.match(parent["name"]) or shared)
            if not fine:
                wrong.append(f"{node['name']} reads {parent['name']}")
    assert not wrong, (
        f"{'; '.join(wrong)}. Data flows from seeds and sources through staging and intermediate "
        "to marts, and a domain reads only the marts of earlier ones (CONTRIBUTING.md)"
    )


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
        untyped = set(header) ^ set(node["config"]["column_types"])
        assert not untyped, (
            f"{node['name']}: {', '.join(sorted(untyped))} must be in the header of its file and "
            "in its column_types"
        )
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


def test_every_mart_is_contracted_and_served(models):
    publication = models["model.kernel29.int_quality__publication"]["depends_on"]["nodes"]
    for key, node in models.items():
        if place(node)[0] != "marts":
            continue
        assert node["contract"]["enforced"], node["name"]
        assert key in publication, (
            f"{node['name']} is not served: add its line to int_quality__publication.py"
        )


def test_every_column_is_declared_with_type_and_meaning(models):
    """As it was built, which end_to_end/test_main_job.py compares."""
    bare = [
        f"{node['name']}.{name}"
        for node in models.values()
        for name, column in node["columns"].items()
        if not (column["description"] and column["data_type"])
    ]
    undeclared = [node["name"] for node in models.values() if not node["columns"]]
    assert (bare, undeclared) == ([], []), "run tests/python/helpers/columns.py after a build"


def test_what_is_built_is_declared_and_what_is_said_of_it_stays():
    part = """\
  - name: int_a
    description: One row per x.
    columns:
      - name: x
        description: "Key: the first."
        data_tests:
          - not_null
      - name: gone
        description: No longer there.

"""
    text = columns.with_columns(part, {"x": "integer", "y": "varchar[]"}, {"y": "Second."})
    (model,) = yaml.safe_load(text)
    assert model["columns"] == [
        {
            "name": "x",
            "data_type": "integer",
            "description": "Key: the first.",
            "data_tests": ["not_null"],
        },
        {"name": "y", "data_type": "varchar[]", "description": "Second."},
        {"name": "gone", "description": "No longer there."},
    ]
    assert columns.with_columns(text, {"x": "integer", "y": "varchar[]"}, {}) == text

    node = {**model, "resource_type": "model", "package_name": "kernel29"}
    node["columns"] = {column["name"]: column for column in model["columns"][:2]}
    built = {"int_a": {"x": "bigint", "y": "varchar[]", "z": "date"}}
    assert columns.differences({"nodes": {"int_a": node}}, built) == [
        "int_a.x: declared integer, built bigint",
        "int_a.z: declared nothing, built date",
    ]


def test_every_mart_is_served_with_its_grain_as_primary_key(models, manifest):
    """Read off the yml, because dbt has no manifest for a model; here beside the manifest."""
    tested = {}
    for test in manifest["nodes"].values():
        if (test.get("test_metadata") or {}).get("name") == "grain":
            for parent in test["depends_on"]["nodes"]:
                columns = tuple(test["test_metadata"]["kwargs"]["columns"])
                tested.setdefault(parent.split(".")[-1], []).append(columns)
    grains = keys.grains()
    other = sorted(name for name, key in grains.items() if key not in tested.get(name, [key]))
    assert not other, f"{', '.join(other)}: the key that is served is not the grain that is tested"
    marts = {node["name"] for node in models.values() if place(node)[0] == "marts"}
    without = sorted(marts - grains.keys())
    assert not without, f"Give {', '.join(without)} a grain test in its yml: it is served without"


def test_python_models_are_thin(models):
    for node in models.values():
        if node["language"] == "python":
            code = (ROOT / node["original_file_path"]).read_text().splitlines()
            own = [line for line in code if "dbt.ref(" not in line]
            assert len(own) <= 30, node["name"]


def test_every_parameter_is_used_by_the_model_it_names(models):
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
    unknown = sorted(mentioned - declared.keys())
    assert not unknown, f"Add {', '.join(unknown)} to seeds/experiments/parameters.csv"
    gone = sorted({*declared.values()} - {node["name"] for node in models.values()})
    assert not gone, f"parameters.csv names {', '.join(gone)}, and there is no such model"


@pytest.fixture(scope="session")
def imports_of():
    return house_measures.import_graph()


def test_rooms_import_one_way(imports_of):
    """Without a circle, because every arrow goes to a room earlier in the list."""
    backwards = []
    for module, imported in imports_of.items():
        here = house_measures.room_of(module)
        order = ROOMS.index(here) if here else -1
        for other in imported:
            there = house_measures.room_of(other)
            if there != here and there is not None and ROOMS.index(there) >= order:
                backwards.append(f"{module} -> {other}")
    assert not backwards


@pytest.mark.parametrize(
    ("within", "order"),
    [
        (
            "recommendations",
            ("wording", "schema", "record", "drugs", "knowledge", "checks", "evaluation"),
        ),
        (
            "job",
            ("dbt", "admission", "changes", "serving", "patients", "run", "planning", "projects"),
        ),
    ],
)
def test_rooms_within_a_room_import_one_way(imports_of, within, order):
    """What is not in the order is above it."""
    above = f"python_llm.{within}."

    def place_of(module):
        room = module.removeprefix(above).split(".")[0]
        return order.index(room) if room in order else len(order)

    own = {module for module in imports_of if module.startswith(above)}
    assert {place_of(module) for module in own} == {*range(len(order) + 1)}
    backwards = [
        f"{module} -> {other}"
        for module in own
        for other in imports_of[module] & own
        if place_of(other) > place_of(module)
    ]
    assert sorted(backwards) == []


def test_every_folder_of_the_package_is_a_room():
    rooms = {path.parent.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("*/**/*.py")}
    unlisted, empty = sorted(rooms - {*ROOMS}), sorted({*ROOMS} - rooms)
    assert not unlisted, (
        f"Add {', '.join(unlisted)} to ROOMS in {Path(__file__).name}, after every room it imports "
        "from and before those that import from it"
    )
    assert not empty, f"Take {', '.join(empty)} out of ROOMS in {Path(__file__).name}: no folder"


def test_package_knows_dbt_only_where_it_must():
    names = ("build", "dbt/dbt_events", "dbt/dbt_tables", "dbt_plugin", "run", "served_plugin")
    names += ("state_plugin", "changes/turns")
    allowed = {f"job/{name}.py" for name in names}
    allowed.add("console/build.py")
    for file in (ROOT / "python_llm").rglob("*.py"):
        if re.search(r"^\s*(from|import) dbt", file.read_text(), re.MULTILINE):
            assert str(file.relative_to(PACKAGE)) in allowed


def test_linked_pages_exist_and_the_readme_is_short():
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
            assert node["description"].startswith(begins[kind]), (
                f"Describe {node['name']} in the _<domain>__data_tests.yml of its folder, "
                f"beginning with '{begins[kind].strip()}' (docs/tests.md, Data tests)"
            )
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
    undescribed, gone = sorted(singular - described), sorted(described - singular)
    assert not undescribed, (
        f"Describe {', '.join(undescribed)} in the _<domain>__data_tests.yml of its folder"
    )
    assert not gone, f"tests/data describes {', '.join(gone)}, of which there is no file"


def test_a_singular_test_is_configured_in_its_own_file():
    """When dbt parses such a file again it forgets what a yml configures (partial parsing of dbt
    1.11): a report on data would fail a build from then on."""
    described = [
        (file.name, test)
        for file in (ROOT / "tests/data").rglob("*.yml")
        for test in yaml.safe_load(file.read_text(encoding="utf-8"))["data_tests"]
    ]
    assert described
    wrong = [f"{file}: {test['name']}" for file, test in described if {*test} & {"config", "tags"}]
    assert not wrong, f"Write {{{{ config(…) }}}} into the SQL file in place of: {wrong}"


def test_names_of_tests_are_short():
    long = [
        name
        for file in (ROOT / "tests/python").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        if len(name) >= 60
    ]
    assert not long


def test_no_local_is_called_like_anything():
    """A name says what it holds, in the words of the field; a pronoun fits every value."""
    anything = {"place", "what", "found", "had", "got", "one", "each", "said", "given", "meant"}
    anything |= {"it", "them", "this", "that", "these", "those", "they"}
    stored = {("parsing/records.py", "place")}  # a field of the parsed answer
    names = {
        (str(file.relative_to(package)), name)
        for package in (PACKAGE, ROOT / "kernel29")
        for file in package.rglob("*.py")
        for name in assigned_names(file.read_text(encoding="utf-8"))
    }
    assert assigned_names("def f(what): got = [one for one in what]") == {"what", "got", "one"}
    pronouns = {(file, name) for file, name in names if name in anything} - stored
    assert not pronouns, f"Name what these hold: {sorted(pronouns)}"


def assigned_names(source):
    """Parameters and variables of a module, its fields among them."""
    nodes = list(ast.walk(ast.parse(source)))
    stores = (node for node in nodes if isinstance(node, ast.Name))
    return {node.id for node in stores if isinstance(node.ctx, ast.Store)} | {
        node.arg for node in nodes if isinstance(node, ast.arg)
    }


def test_a_key_that_is_set_makes_the_access_to_models_due(manifest, monkeypatch):
    """And what it says is in no digest."""

    def keys() -> str:
        return Project(manifest, {}).parts("model.kernel29.int_calls__model_access")[
            "keys and addresses"
        ]

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    without = keys()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-first")
    first = keys()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-second")
    assert without != first == keys()


def test_the_tables_that_a_run_leaves_are_named(manifest, monkeypatch):
    monkeypatch.setattr(narrowing, "_is_other", lambda *_: False)
    monkeypatch.setattr(narrowing, "_n_unranked", lambda _: 0)
    whole = Project(manifest, {})
    made = dict.fromkeys(whole.nodes)
    part = narrowing.scope(whole, narrowing.MARTS, made, {}, paths.built_database())
    published = whole.parents(f"model.kernel29.{narrowing.PUBLICATION}")
    left = {
        node.split(".")[2]
        for node in published
        if node not in part and whole.nodes[node]["config"]["group"] in narrowing.DOMAINS
    }
    page = (ROOT / "docs" / "asking-models.md").read_text()
    _, table = page.split("| tables that a run leaves as they are |")
    assert {*re.findall(r"`((?:fct|rpt|dim|bridge)_\w+)`", table.split("\n\n")[0])} == left


def test_the_house_keeps_its_measures(manifest):
    """The table is also printed by `python tests/python/helpers/house_measures.py`."""
    measures = house_measures.measures(manifest)
    print(house_measures.table(measures))
    above = [
        f"{measure.name}: {measure.now:g} of at most {measure.at_most:g}"
        for measure in measures
        if not measure.is_good
    ]
    assert not above, f"{'; '.join(above)} (docs/extending.md, A domain)"
