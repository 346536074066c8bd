"""What the last whole build read, and whether anything of it has changed since.

A build that succeeds leaves a note beside its warehouse: a digest of everything it read, by name,
and how what it made looked when it ended. While both still hold, building again would make the
same, and `kernel29 build` says so and ends. Nothing here is a cache: the note can be deleted, and
whoever is in doubt builds with --full.
"""

import datetime as dt
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from python_llm import files, paths
from python_llm.experiments import registries
from python_llm.job.changes.digests import digest, files_below, look
from python_llm.providers import PROVIDERS

NAME = "last_build.json"
# Of the project what dbt and its Python models read; by content, because a checkout dates anew.
PROJECT = (
    *("models", "macros", "seeds", "tests/data", "python_llm", "dbt_project.yml"),
    *("profiles.yml", "selectors.yml", "requirements.lock", "pyproject.toml"),
)
# Of the user, with the variable that moves each; by size and time, because they may be large.
FOLDERS = {
    "data": "KERNEL29_DATA_DIR",
    "data/audit": "KERNEL29_AUDIT_DIR",
    "data/runs": "KERNEL29_RUNS_DIR",
    "data/cases": "KERNEL29_CASES_DIR",
    "data/labels": "KERNEL29_LABELS_DIR",
    "data/terminology": "KERNEL29_TERMINOLOGY_DIR",
    "ledger": "KERNEL29_LEDGER_DIR",
    "baselines": "KERNEL29_BASELINES_DIR",
}
# What a build that sends nothing writes there itself: it counts as it is when the build ends.
OWN = ("data/evaluations/", "ledger/prompts/", "ledger/requests/")
VARIABLES = "KERNEL29_"
TEAM_LEDGER = "KERNEL29_LEDGER_URL"


@dataclass(frozen=True)
class LastBuild:
    """ended_at: in UTC. read and made: digests by name. messages: the lines printed of its results,
    warnings included."""

    ended_at: dt.datetime
    read: dict[str, str]
    made: dict[str, str]
    messages: list[str]


def reads(run: Mapping[str, Any]) -> dict[str, str]:
    """A digest of everything a build with these options reads, by the name a person knows it by.

    Keys and addresses of providers are read as whether they are set; nothing of what they say is
    kept.
    """
    return {
        **{f"option --{name.replace('_', '-')}": str(value) for name, value in run.items()},
        **dict(_project()),
        **dict(_folders()),
        **dict(_experiments()),
        **dict(_environment()),
        "the date": dt.date.today().isoformat(),  # prices are valid from a day to a day
        "Python": sys.version,
        "installed packages": digest(
            "\n".join(
                sorted(f"{package.name} {package.version}" for package in metadata.distributions())
            )
        ),
    }


def made() -> dict[str, str]:
    """How the warehouse and everything served look: size, time and number of each file."""
    served = paths.served_database()
    tables = {f"serve/parquet/{file.name}": file for file in served.parent.glob("parquet/*")}
    outputs = {
        **tables,
        "serve/kernel29.duckdb": served,
        "the warehouse": paths.built_database(),
    }
    return {name: look(file) for name, file in outputs.items()}


def remember(run: Mapping[str, Any], before: Mapping[str, str], messages: Iterable[str]) -> None:
    """Leave the note of a whole build that has succeeded; `before`: its `reads` when it began."""
    own = {name: state for name, state in reads(run).items() if name.startswith(OWN)}
    read = {name: state for name, state in before.items() if not name.startswith(OWN)} | own
    note = LastBuild(dt.datetime.now(dt.UTC), read, made(), list(messages))
    with files.replacing(_file()) as draft:
        draft.write_text(json.dumps(asdict(note), default=str), encoding="utf-8")


def forget() -> None:
    """Take the note away: what begins now may end anywhere."""
    _file().unlink(missing_ok=True)


def last() -> LastBuild | None:
    """The note, or None if there is none that can be read."""
    try:
        note = json.loads(_file().read_text(encoding="utf-8"))
        return LastBuild(**{**note, "ended_at": dt.datetime.fromisoformat(note["ended_at"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def changes(note: LastBuild, now: Mapping[str, str]) -> list[str]:
    """The names of what has changed since `note`: first what is read, then what was made."""
    return [*_differences(note.read, now), *_differences(note.made, made())]


def can_be_current(run: Mapping[str, Any]) -> bool:
    """Whether a build may have nothing to do: a live one asks again what has failed, and nobody
    here knows what others have written into a team's ledger."""
    return run["mode"] != "live" and not os.environ.get(TEAM_LEDGER, "").strip()


def _differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _file() -> Path:
    return paths.built_database().parent / NAME


def _project() -> Iterator[tuple[str, str]]:
    root = paths.project_root()
    for name in PROJECT:
        for file in files_below(root / name):
            if file.suffix != ".pyc":
                yield file.relative_to(root).as_posix(), digest(file.read_bytes())
    if root != paths.PACKAGES:  # laid out by `kernel29 init`: the package is where it was installed
        for file in (paths.PACKAGES / "python_llm").rglob("*.py"):
            yield f"installed {file.relative_to(paths.PACKAGES)}", digest(file.read_bytes())


def _folders() -> Iterator[tuple[str, str]]:
    for default, variable in FOLDERS.items():
        folder = paths.resolve(os.environ.get(variable, default))
        for file in files_below(folder):
            yield f"{default}/{file.relative_to(folder).as_posix()}", look(file)


def _experiments() -> Iterator[tuple[str, str]]:
    for file in registries.read_files():
        yield os.path.relpath(file, paths.project_root()), digest(file.read_bytes())


def _environment() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if name.startswith(VARIABLES):
            yield f"environment variable {name}", digest(value)
    rows = registries.models()
    names = {row[column] for row in rows for column in ("base_url_env", "api_key_env")}
    for provider in PROVIDERS.values():
        names |= {*provider.region, *provider.project}
    for name in names - {"", None}:
        yield f"environment variable {name}", str(bool(os.environ.get(name, "").strip()))
