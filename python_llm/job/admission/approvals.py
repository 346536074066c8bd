"""Which models are approved for patients' data, and the trail of every change of it.

An approval stands in the registry, which people review. The trail says what it was when a build
first saw it, whose build that was, and which commit of the registry said so.
"""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from python_llm import paths
from python_llm.audit import trail
from python_llm.experiments import registries
from python_llm.registries.names import MODELS

EVENT = "approval"
# What an approval is for, and who gave it.
OF_APPROVAL = ("provider", "api_model", "hosts", "base_url", "base_url_env")
OF_PEOPLE = ("approved_by", "reviewed_by", "source")


def note_changes() -> None:
    """Add an event for each model whose approval is not what the trail last said. Raises
    AuditError, and FileError for a damaged registry."""
    before: dict[str, dict[str, Any]] = {}
    for event in trail.read().events:
        if event["event"] == EVENT:
            before[event["subject"]] = json.loads(event["details"])
    now = {
        row["model_alias"]: _told(row)
        for row in registries.models()
        if row["kind"] == "llm" and row["phi_approved"] == "true"
    }
    commit = None
    for alias in sorted({*before, *now}):
        told = now.get(alias, {"is_approved": False})
        noted = {name: value for name, value in before.get(alias, {}).items() if name != "commit"}
        if noted != told and (noted or told["is_approved"]):
            commit = commit or _commit()
            trail.note(EVENT, alias, **told, commit=commit)


def _told(row: Mapping[str, str]) -> dict[str, Any]:
    names = (*OF_APPROVAL, *OF_PEOPLE)
    return {"is_approved": True, **{name: row.get(name) or None for name in names}}


def _commit() -> str:
    """The last commit of the registry and its author, as far as git knows."""
    root = paths.project_root()
    try:
        last = _git("log", "-1", "--format=%h of %an", "--", MODELS)
        changed = _git("status", "--porcelain", "--", MODELS)
    except (OSError, subprocess.SubprocessError):
        return f"no git in {root.name}"
    return f"{last or 'none'}{', changed since' if changed else ''}"


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=paths.project_root(),
        check=True,
        capture_output=True,
        text=True,
        timeout=10,
    )
    return done.stdout.strip()
