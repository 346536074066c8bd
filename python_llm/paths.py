"""Where things are, whichever directory a command was started from."""

import os
from pathlib import Path
from typing import Any

import yaml

from python_llm.errors import UserError

PROJECT_FILE = "dbt_project.yml"
PACKAGES = Path(__file__).resolve().parents[1]  # what python_llm lies in: a clone, or site-packages

# In what is served:
VERSION = ".served-"  # a folder with a database and its Parquet, as one build wrote them
CURRENT = ".current"  # a link to the one that is served


class ProjectError(UserError):
    """There is no project where a command was started, or it is not what it should be."""


def project_root() -> Path:
    """The folder that holds dbt_project.yml: the nearest one above the working directory,
    otherwise the clone this package was installed from. Raises ProjectError if there is neither."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / PROJECT_FILE).is_file() and (folder / "python_llm").is_dir():
            return folder
    if (PACKAGES / PROJECT_FILE).is_file():
        return PACKAGES
    raise ProjectError(
        f"{here} is in no Kernel29 project: change to one, or make one with "
        "`kernel29 init my-project`."
    )


def prompts_folder() -> Path:
    """Where the prompts of the project are."""
    return project_root() / "python_llm" / "prompts"


def resolve(path: str | Path) -> Path:
    """An absolute path as it is; a relative one from the project root."""
    return project_root() / path


def project_variables() -> dict[str, Any]:
    """The variables of dbt_project.yml and their defaults."""
    text = (project_root() / PROJECT_FILE).read_text(encoding="utf-8")
    variables: dict[str, Any] = yaml.load(text, yaml.CSafeLoader).get("vars", {})
    return variables


def terminology_folder() -> Path:
    """Where imported names, mappings and translations are kept."""
    return resolve(os.environ.get("KERNEL29_TERMINOLOGY_DIR", "data/terminology"))


def runs_folder() -> Path:
    """Where recorded runs are kept."""
    return resolve(os.environ.get("KERNEL29_RUNS_DIR", "data/runs"))


def built_database() -> Path:
    """The warehouse that dbt builds into."""
    return resolve(os.environ.get("KERNEL29_BUILD_DIR", "build")) / "kernel29.duckdb"


def lexicons() -> Path:
    """Where what readers of notes have made of the seeds is kept: beside the warehouse, or where
    several warehouses of one project share it."""
    return resolve(os.environ.get("KERNEL29_LEXICON_DIR") or built_database().parent / "lexicons")


def served_database() -> Path:
    """Where the public marts are served."""
    return resolve(os.environ.get("KERNEL29_SERVE_DIR", "serve")) / "kernel29.duckdb"
