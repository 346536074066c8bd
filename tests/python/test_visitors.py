"""What a visitor finds beside the code: licences, citation, container and workflows."""

import json
import re
from fnmatch import fnmatch
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import check_jsonschema
import jsonschema
import pytest
import yaml

from python_llm import paths

ROOT = paths.project_root()
SCHEMAS = Path(check_jsonschema.__file__).parent / "builtin_schemas" / "vendor"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DOCKERFILES = [ROOT / "Dockerfile", ROOT / ".devcontainer" / "Dockerfile"]
INSTRUCTIONS = {
    *("FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "ENTRYPOINT", "CMD", "ARG"),
}

spec = spec_from_file_location("licences", ROOT / ".ci" / "licences.py")
licences = module_from_spec(spec)
spec.loader.exec_module(licences)


def valid(content, schema: str) -> None:
    text = (SCHEMAS / f"{schema}.json").read_text(encoding="utf-8")
    jsonschema.validate(content, json.loads(text))


def loaded(file: Path):
    """YAML as a forge reads it: `on` is a word, not true."""
    loader = type("Words", (yaml.SafeLoader,), {})
    loader.yaml_implicit_resolvers = {
        first: [
            (tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", "stamp"))
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return yaml.load(file.read_text(encoding="utf-8"), loader)


def steps(file: Path) -> list[dict]:
    return [step for job in loaded(file)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_is_valid_and_runs_what_there_is(file):
    content = loaded(file)
    for job in content["jobs"].values():  # false would be a word for the reader above
        job["strategy"] = {**job.get("strategy", {"matrix": {"none": ["one"]}}), "fail-fast": False}
        for step in job["steps"]:
            step.get("with", {}).pop("fetch-depth", None)
        job["timeout-minutes"] = int(job["timeout-minutes"])
    if "concurrency" in content:
        content["concurrency"]["cancel-in-progress"] = True
    valid(content, "github-workflows")
    commands = "\n".join(step.get("run", "") for step in steps(file))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^ *make ([a-z-]+)", commands, re.MULTILINE)) <= targets
    selectors = {row["name"] for row in loaded(ROOT / "selectors.yml")["selectors"]}
    assert set(re.findall(r"--selector (\w+)", commands)) <= selectors
    assert content["permissions"] == {"contents": "read"}


def test_every_python_is_tested_and_the_environment_is_kept():
    (job,) = loaded(ROOT / ".github/workflows/test.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == "make test"
    (cache,) = (step["with"] for step in job["steps"] if "cache@" in step.get("uses", ""))
    assert ".venv" in cache["path"]
    for name in ("requirements.lock", "pyproject.toml", "outputs.python-version"):
        assert name in cache["key"]


def test_a_schema_that_is_broken_is_noticed():
    broken = loaded(ROOT / ".github/workflows/nightly.yml")
    del broken["jobs"]["gates"]["runs-on"]
    with pytest.raises(jsonschema.ValidationError):
        valid(broken, "github-workflows")


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.parent.name)
def test_an_image_comes_from_the_registries_and_runs_as_a_user(file):
    text = re.sub(r"\\\n", " ", file.read_text(encoding="utf-8"))
    lines = [line.split(None, 1) for line in text.splitlines() if line and line[0] != "#"]
    assert {word for word, _ in lines} <= INSTRUCTIONS
    for word, rest in lines:
        if word == "FROM":  # without a host: what the machine's registry is, mirrors included
            assert re.fullmatch(r"python:3\.13-slim( AS \w+)?", rest), rest
        if word == "RUN":
            assert not re.search(r"https?://|curl|wget", rest), rest
        if word == "COPY" and not rest.startswith("--from"):
            assert (file.parent / rest.split()[0]).exists()
    assert [rest for word, rest in lines if word == "USER"][-1] == "kernel29"


def test_no_data_enters_an_image():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    private = {"build", "serve", "ledger", "data", "experiments", "target", "logs", ".git"}
    assert private <= set(ignored)


def test_the_devcontainer_is_the_one_that_is_there():
    content = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    assert (ROOT / ".devcontainer" / content["build"]["dockerfile"]).is_file()
    assert (ROOT / content["postCreateCommand"]).is_file()
    dockerfile = (ROOT / ".devcontainer/Dockerfile").read_text(encoding="utf-8")
    assert f"USER {content['remoteUser']}" in dockerfile


def test_the_citation_is_valid_and_of_this_version():
    citation = loaded(ROOT / "CITATION.cff")
    for reference in citation["references"]:
        reference["volume"], reference["year"] = int(reference["volume"]), int(reference["year"])
    valid(citation, "citation-file-format")
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    assert citation["version"] == version[1] == project["version"]


def test_the_changelog_is_headed_by_this_version_or_the_next():
    """`## Unreleased`, or `## 0.3.0, 2026-12-31` from the commit of the tag on; then what went
    before, newest first."""
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    version = yaml.safe_load((ROOT / "dbt_project.yml").read_text())["version"]
    released = [re.fullmatch(r"(\d+\.\d+\.\d+), \d{4}-\d\d-\d\d", text) for text in headings]
    assert [text for text, match in zip(headings, released, strict=True) if not match] in (
        [],
        ["Unreleased"],
    )
    assert released[0] is None or released[0][1] == version
    numbers = [tuple(map(int, match[1].split("."))) for match in released if match]
    assert numbers == sorted(set(numbers), reverse=True)
    assert all(number <= tuple(map(int, version.split("."))) for number in numbers)


def test_every_data_file_that_ships_has_a_licence():
    """Add a row to the first table of docs/licences.md."""
    page = licences.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| .* \| .* \|$", page, re.MULTILINE)
    patterns = re.findall(r"`([^`]+)`", " ".join(rows))
    shipped = [
        file.relative_to(ROOT).as_posix()
        for folder in ("seeds", "baselines", "python_llm", "examples")
        for file in (ROOT / folder).rglob("*")
        if file.is_file()
        and not any(part.startswith((".", "__pycache__")) for part in file.parts)
        and file.suffix in {".csv", ".jsonl", ".parquet", ".txt", ".toml", ".json", ".tsv", ".xlsx"}
    ]
    assert [name for name in shipped if not any(fnmatch(name, glob) for glob in patterns)] == []
    unused = [glob for glob in patterns if not any(fnmatch(name, glob) for name in shipped)]
    assert unused == []


def test_every_licence_is_permitted_and_on_the_page():
    """Run `make lock`: it looks at each package, and writes the table."""
    page = licences.PAGE.read_text(encoding="utf-8")
    assert licences.table(licences.locked()) == licences.BLOCK.search(page)[0]


@pytest.mark.parametrize(
    ("expression", "is_permitted"),
    [
        ("MIT", True),
        ("Artistic-1.0 OR GPL-2.0-or-later", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
    ],
)
def test_a_licence_that_nobody_looked_at_is_refused(expression, is_permitted):
    assert licences.is_permitted(expression) is is_permitted


def test_the_proposed_licence_is_called_proposed():
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")[:200]
    assert "proposed" in licences.PAGE.read_text(encoding="utf-8").partition("## ")[0]
    (line,) = [line for line in (ROOT / "README.md").read_text().splitlines() if "LICENSE" in line]
    assert "proposed" in line
