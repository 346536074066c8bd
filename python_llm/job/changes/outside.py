"""What a node reads outside the warehouse, as digests: folders, prompts, the date, packages.

A model says in `meta` which folders it reads: a key of FOLDERS and the folder. Files of prompts,
which git checks out anew, count by their content; what users and builds write, which may be large,
by size and time.
"""

import datetime as dt
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from python_llm import paths
from python_llm.experiments import registries
from python_llm.job.admission.access import lacking
from python_llm.job.changes.digests import digest, files_below, look

# Keys of a model's `meta` that name what it reads, and what that is called.
FOLDERS = {
    "ledger_dir": "the ledger",
    "requests_dir": "the requests of the ledger",
    "versions_dir": "the prompt versions of the ledger",
    "scores_file": "the scores of prompt versions",
    "runs_dir": "imported runs",
    "labels_dir": "imported labels",
    "cases_dir": "imported cases",
    "questions_dir": "imported questions",
    "terminology_dir": "imported terminology",
    "evaluations_dir": "earlier evaluations",
    "baselines_dir": "baselines",
    "feedback_dir": "feedback",
    "checks_dir": "checks",
    "audit_dir": "the trail of audit",
    "golden_dir": "the golden set",
    "prompts_dir": "prompts",
    "experiments_dir": "experiments",
    "serve_dir": "what is served",
}
# Folders of the ledger that builds write themselves; other keys name them.
OF_LEDGER = ("requests", "prompts")
# What stands in the name of the files that count, where others lie beside them.
NAMED = {"versions_dir": ("@",), "serve_dir": (".parquet", ".duckdb")}
# `meta` of a model that writes what it reads: it counts as the model left it.
KEEPS = "keeps"
# Of SQL and of what it calls: the words that read the clock, and those that are new in every run.
CLOCK = re.compile(r"\b(current_date|current_timestamp|localtimestamp|today\(|now\()")
RUN = re.compile(r"\b(run_started_at|invocation_id)\b")


def folders(meta: Mapping[str, Any]) -> dict[str, str]:
    """A digest of each folder that `meta` names; of prompts one for each prompt."""
    digests: dict[str, str] = {}
    for key, name in FOLDERS.items():
        if key not in meta:
            continue
        folder = paths.resolve(meta[key])
        if key == "prompts_dir":
            digests |= _prompts(folder)
        elif key == "experiments_dir":
            files = registries.read_files(folder)
            contents = (f"{file} {digest(file.read_bytes())}" for file in files)
            digests[name] = digest("\n".join(sorted(contents)))
        else:
            without = OF_LEDGER if key == "ledger_dir" else ()
            parts = NAMED.get(key, ("",))
            looks = (
                f"{file} {look(file)}"
                for file in files_below(folder, without, follows=key == "serve_dir")
                if any(part in file.name for part in parts)
            )
            digests[name] = digest("\n".join(sorted(looks)))
    return digests


def access() -> str:
    """A digest of what each model of the registry lacks to be called: of which keys and addresses
    are set, never of what they say."""
    lacks = (
        (model["model_alias"], lacking(model, os.environ, is_priced=True))
        for model in registries.models()
    )
    return digest("\n".join(f"{alias} {lack.state if lack else ''}" for alias, lack in lacks))


def the_date() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()


@cache
def versions() -> str:
    """A digest of this Python and of the installed versions of everything that is locked."""
    lock = (paths.project_root() / "requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", lock, re.MULTILINE)
    return digest("\n".join([sys.version, *(f"{name} {_version(name)}" for name in locked)]))


def _prompts(folder: Path) -> dict[str, str]:
    """A digest of each folder of prompts, by content."""
    contents: dict[str, list[str]] = {}
    for file in sorted(files_below(folder)):
        name = file.relative_to(folder)
        shared = name.parts[0].startswith("_")
        alias = f"prompt section {name.stem}" if shared else f"prompt {name.parts[0]}"
        contents.setdefault(alias, []).append(f"{name} {digest(file.read_bytes())}")
    return {alias: digest("\n".join(lines)) for alias, lines in contents.items()}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"
