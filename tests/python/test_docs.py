"""What the pages say exists: links with their anchors, tables, files, commands, environment."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest
import yaml

from benchmarks import bench
from python_llm import paths

ROOT = paths.project_root()
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "benchmarks").glob("*.md"),
    ]
)
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
RELATION = re.compile(r"\b(?:dim|bridge|fct|rpt|stg|int)_[a-z0-9_]+")
FILE = re.compile(
    r"`((?:\.ci|analyses|benchmarks|bi|docs|macros|models|orchestration|python_llm|seeds|tests)"
    r"/[\w./-]+)`"
)
# What a page makes up to show how something is added stands between these two comments.
EXAMPLE = re.compile(r"<!-- example -->.*?<!-- end of example -->", re.DOTALL)
COMMAND = re.compile(r"\bkernel29 ((?:[a-z]+\b ?){1,2})([^`\n|]*)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them: lower case, spaces as hyphens, other
    punctuation left out, a number behind the second of one name."""
    seen: dict[str, int] = {}
    result = set()
    for title in re.findall(r"^#+ (.+)$", FENCE.sub("", text_of(page)), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        result.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return result


def local_links(page: Path) -> list[tuple[str, Path, str]]:
    """(link, file, anchor) of every link that stays in the repository."""
    links = (link for link in LINK.findall(FENCE.sub("", text_of(page))) if ":" not in link)
    return [
        (link, (page.parent / link.partition("#")[0]).resolve() if link[0] != "#" else page, anchor)
        for link in links
        for anchor in [link.partition("#")[2]]
    ]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_merge_left_its_marks(page):
    assert not re.search(r"^(<{7}|={7}|>{7})( |$)", text_of(page), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page):
    for link, target, anchor in local_links(page):
        assert target.exists(), f"{link}: there is no such file"
        if anchor:
            assert anchor in anchors(target), f"{link}: the page has no such heading"


def test_every_section_that_code_refers_to_exists():
    sections = anchors(ROOT / "docs/specification.md")
    for folder in ("macros", "models", "python_llm", "seeds", "tests"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in {".sql", ".py", ".yml", ".md"}:
                referred = set(re.findall(r"docs/specification\.md#([\w-]+)", text_of(file)))
                assert referred <= sections, file


def test_every_page_can_be_reached_from_the_readme():
    """A page that no other page links to is read by nobody."""
    waiting, reached = [ROOT / "README.md"], set()
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [target for _, target, _ in local_links(page) if target in PAGES]
    assert sorted(set(PAGES) - reached) == []


@pytest.fixture(scope="module")
def relations() -> set[str]:
    folders = [ROOT / "models", ROOT / "seeds"]
    return {
        file.stem
        for folder in folders
        for file in folder.rglob("*")
        if file.suffix in {".sql", ".py", ".csv"}
    }


# A changelog tells of what is gone; decision records and results are dated.
HISTORY = {"CHANGELOG.md", "benchmarks/FINDINGS.md", "benchmarks/judge_disagreements.md"}
CURRENT = [page for page, name in zip(PAGES, NAMES, strict=True) if name not in HISTORY]
CURRENT_NAMES = [name for name in NAMES if name not in HISTORY]


@pytest.mark.parametrize("page", [*CURRENT, ROOT / "models/overview.md"])
def test_every_table_that_is_named_is_a_model(page, relations):
    named = set(RELATION.findall(EXAMPLE.sub("", text_of(page))))
    # `dim_…` and `stg_<source>__<entity>` are patterns
    named = {name for name in named if not name.endswith("_")}
    assert sorted(named - relations) == []


def test_every_kind_of_stratum_is_told_where_it_is_served():
    models = ROOT / "models"
    sql = text_of(models / "intermediate/experiments/grid/int_experiments__case_strata.sql")
    kinds = {*re.findall(r"stratum_kind: '(\w+)'", sql)}
    yml = yaml.safe_load(
        text_of(models / "marts/experiments/scoring/_experiments__scoring_models.yml")
    )
    (mart,) = (model for model in yml["models"] if model["name"] == "fct_stratified_score")
    (column,) = (column for column in mart["columns"] if column["name"] == "stratum_kind")
    section = text_of(ROOT / "docs/specification.md").split("\n### Strata\n")[1].split("\n#")[0]
    for text in (column["description"], section):
        assert sorted(kinds - {*re.findall(r"\w+", text)}) == []


@pytest.mark.parametrize("page", CURRENT, ids=CURRENT_NAMES)
def test_every_file_that_is_named_exists(page):
    text = EXAMPLE.sub("", text_of(page))
    assert [name for name in FILE.findall(text) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", CURRENT, ids=CURRENT_NAMES)
def test_every_test_that_is_named_exists(page):
    python = "".join(text_of(file) for file in (ROOT / "tests/python").rglob("*.py"))
    named = set(re.findall(r"`(test_\w+)`", text_of(page))) - {"test_sets"}  # a domain and a room
    assert sorted(name for name in named if f"def {name}(" not in python) == []


@pytest.fixture(scope="module")
def kernel29() -> click.Command:
    (script,) = entry_points(group="console_scripts", name="kernel29")
    return script.load()


@pytest.mark.parametrize("page", CURRENT, ids=CURRENT_NAMES)
def test_every_command_that_is_named_exists_with_its_options(page, kernel29):
    for words, rest in COMMAND.findall(text_of(page).replace("\\\n", " ")):
        command = kernel29
        for word in words.split():
            if isinstance(command, click.Group):
                assert word in command.commands, f"kernel29 {words}{rest}"
                command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}
        known |= {option for parameter in command.params for option in parameter.secondary_opts}
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest.partition(" -- ")[0]))
        assert options <= known, f"kernel29 {words}{rest}"


def test_every_variable_that_is_read_is_documented():
    variable = re.compile(r"\bKERNEL29_[A-Z0-9_]+\b")
    read = {
        name
        for path in (ROOT / "profiles.yml", *(ROOT / "python_llm").rglob("*.py"))
        for name in variable.findall(path.read_text())
    }
    documented = set(variable.findall("\n".join(page.read_text() for page in CURRENT)))
    assert "KERNEL29_BUILD_DIR" in read
    assert sorted(read - documented) == []


def test_every_domain_has_its_group_and_its_place():
    """In dbt's groups, in dbt_project.yml, and in the order of the README."""
    folders = {
        layer: {folder.name for folder in (ROOT / "models" / layer).iterdir() if folder.is_dir()}
        for layer in ("intermediate", "marts")
    }
    domains = folders["intermediate"] | folders["marts"]
    groups = yaml.safe_load(text_of(ROOT / "models/_groups.yml"))["groups"]
    assert {group["name"] for group in groups} == domains
    project = yaml.safe_load(text_of(ROOT / "dbt_project.yml"))["models"]["kernel29"]
    for layer, names in folders.items():
        assert names <= {name for name, value in project[layer].items() if isinstance(value, dict)}
    (order,) = re.findall(r"^ (\w+(?: → \w+)+)$", text_of(ROOT / "README.md"), re.MULTILINE)
    assert domains <= set(order.split(" → ")), "give it its place in the README's order"


def test_every_mart_answers_a_question_of_the_overview():
    marts = {file.stem for file in (ROOT / "models/marts").rglob("*.sql")}
    named = set(RELATION.findall(text_of(ROOT / "models/overview.md")))
    assert sorted(marts - named) == [], "add a row for each to models/overview.md"


def test_results_are_what_make_bench_wrote():
    """Nothing is written into RESULTS.md by hand: what people measured goes into FINDINGS.md. Run
    `make bench`, or `python benchmarks/bench.py --page` after editing figures.csv."""
    page = bench.RESULTS.read_text(encoding="utf-8")
    assert page == bench.page(bench.read(bench.FIGURES), bench.read(bench.HISTORY))
