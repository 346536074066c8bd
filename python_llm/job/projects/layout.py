"""Lays out a project from the installed package, and brings it up to date with a newer one.

A project is a folder with the files of a release, which dbt and people may change, and the user's
own folders (data, experiments, ledger), which no upgrade touches. What the release looked like is
kept in the project, so that an upgrade knows what the user has changed since.
"""

import io
import os
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from python_llm import files, paths
from python_llm.job.projects import merging

HOME = ".kernel29"
RELEASE = "release.zip"
ASIDE = "set_aside"
VERSION = "VERSION"
CARRIED = "kernel29/project"  # where the wheel has the files
# Results that people promote: what a release ships is only where they begin.
OWNED = ("baselines/",)
OWN_FOLDERS = ("data", "experiments", "ledger", "baselines")
README = """# A Kernel29 project

Made by `kernel29 init` of version {version}. It evaluates diagnostic systems; it does not treat.

    kernel29 build        # builds, tests and serves what has changed, prints the leaderboard
    kernel29 upgrade      # after pip install --upgrade kernel29: brings these files up to date

`data/`, `experiments/`, `ledger/` and `baselines/` are yours, and no upgrade touches them; back up
`ledger/`. `models/`, `seeds/`, `macros/` and `python_llm/prompts/` are the release's: change them
as docs/extending.md says, and `kernel29 upgrade` carries your changes over. Where the pages say
`make build` or `make docs`, it is `kernel29 build` or `kernel29 docs` here.
"""


@dataclass(frozen=True)
class Release:
    """A version, and what its files hold by their path in a project."""

    version: str
    files: Mapping[str, bytes]

    @classmethod
    def installed(cls) -> "Release":
        """That of the package that runs: carried by a wheel, or in the clone it is installed from.
        Raises ProjectError for a package without."""
        carried = paths.PACKAGES / CARRIED
        if carried.is_dir():
            roots = [carried]
        elif (paths.PACKAGES / paths.PROJECT_FILE).is_file():
            settings = (paths.PACKAGES / "pyproject.toml").read_text(encoding="utf-8")
            names = tomllib.loads(settings)["tool"]["kernel29"]["project"]
            carried, roots = paths.PACKAGES, [paths.PACKAGES / name for name in names]
        else:
            raise paths.ProjectError(
                "This installation of kernel29 carries no project: install its wheel again."
            )
        contents = {
            file.relative_to(carried).as_posix(): file.read_bytes()
            for root in roots
            for file in ([root] if root.is_file() else _files_below(root))
        }
        return cls(metadata.version("kernel29"), contents)

    @classmethod
    def of(cls, project: Path) -> "Release":
        """The one that a project was laid out or last upgraded from. Raises ProjectError."""
        try:
            with zipfile.ZipFile(project / HOME / RELEASE) as archive:
                contents = {name: archive.read(name) for name in archive.namelist()}
        except (OSError, zipfile.BadZipFile) as error:
            raise paths.ProjectError(
                f"{project} has no readable {HOME}/{RELEASE}, so what you have changed is not "
                "known. A clone is brought up to date by git; otherwise `kernel29 init NEW --from "
                f"{project}` lays out a new project with your data."
            ) from error
        return cls(contents.pop(VERSION).decode(), contents)

    def keep(self, project: Path) -> None:
        """Write it down in a project."""
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as release:
            for name, content in {VERSION: self.version.encode(), **self.files}.items():
                release.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        with files.replacing(project / HOME / RELEASE) as draft:
            draft.write_bytes(archive.getvalue())


@dataclass
class Upgrade:
    """What bringing a project up to date does with each file, by its path.

    outcomes: what happens to a file, for the report. contents: what is written. gone: what is
    deleted. aside: what of the user's is moved to .kernel29/set_aside.
    """

    outcomes: dict[str, str] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return dict(Counter(self.outcomes.values()))


ADDED, REPLACED, REMOVED = "added", "brought up to date", "removed"
KEPT, MERGED = "yours, kept", "yours, with the changes of the release"
LEFT_OUT = "deleted by you, left out"
SET_ASIDE = f"the release's; yours is in {HOME}/{ASIDE}"
NOT_IN_RELEASE = f"no longer part of the release; yours is in {HOME}/{ASIDE}"
WORTH_NAMING = (KEPT, MERGED, SET_ASIDE, NOT_IN_RELEASE, LEFT_OUT)


def init(project: Path, release: Release, previous: Path | None = None) -> list[str]:
    """Lay out a project; the files of `previous` that are not as the release has them.

    previous: a project or clone whose data, experiments, ledger and baselines are copied. Raises
    ProjectError for a folder that is not empty, or a previous one that is no project.
    """
    if project.exists() and any(path.name != ".git" for path in project.iterdir()):
        raise paths.ProjectError(f"{project} is not empty: name a folder that is, or a new one.")
    if previous is not None and not (previous / paths.PROJECT_FILE).is_file():
        raise paths.ProjectError(
            f"{previous} has no {paths.PROJECT_FILE}: name a project's folder."
        )
    for name, content in release.files.items():
        _write(project / name, content)
    _write(project / "README.md", README.format(version=release.version).encode())
    for name in OWN_FOLDERS:
        (project / name).mkdir(exist_ok=True)
    if previous is not None:
        for file in (file for name in OWN_FOLDERS for file in _files_below(previous / name)):
            _write(project / file.relative_to(previous), file.read_bytes())
    release.keep(project)
    return [] if previous is None else sorted(_differing(previous, release))


def planned(project: Path, release: Release) -> Upgrade:
    """What bringing a project up to date would do. Raises ProjectError if that is not known."""
    before = Release.of(project)
    upgrade = Upgrade()
    for name in sorted({*before.files, *release.files}):
        if name.startswith(OWNED):
            continue
        file = project / name
        own = file.read_bytes() if file.is_file() else None
        _decide(upgrade, name, own, before.files.get(name), release.files.get(name))
    return upgrade


def carry_out(project: Path, release: Release, upgrade: Upgrade) -> None:
    """Bring a project up to date as planned; one that is interrupted can be repeated."""
    folder = project / HOME / ASIDE / Release.of(project).version
    for name in upgrade.aside:
        _write(folder / name, (project / name).read_bytes())
    for name, content in upgrade.contents.items():
        _write(project / name, content)
    for name in upgrade.gone:
        (project / name).unlink(missing_ok=True)
    release.keep(project)


def report(upgrade: Upgrade) -> Iterator[str]:
    """How many files what happens to, and the names of those the user has changed."""
    for outcome, n_files in sorted(upgrade.counts().items()):
        yield f"{n_files} {'file' if n_files == 1 else 'files'}: {outcome}"
        if outcome in WORTH_NAMING:
            yield from (f"  {name}" for name, state in upgrade.outcomes.items() if state == outcome)


def _decide(
    upgrade: Upgrade, name: str, own: bytes | None, before: bytes | None, now: bytes | None
) -> None:
    """Note what becomes of one file: own is the user's, before and now are the releases'."""
    if own == now:
        return
    if own == before or (own is not None and now is None):
        is_changed = own != before
        if now is None:
            upgrade.gone.append(name)
            if is_changed:
                upgrade.aside.append(name)
            upgrade.outcomes[name] = NOT_IN_RELEASE if is_changed else REMOVED
        else:
            upgrade.contents[name] = now
            upgrade.outcomes[name] = ADDED if before is None else REPLACED
    elif own is None:
        upgrade.outcomes[name] = LEFT_OUT
    elif before == now:
        upgrade.outcomes[name] = KEPT
    elif now is not None:
        merge: Callable[..., bytes | None] = (
            merging.merged_rows if name.endswith(".csv") else merging.merged_lines
        )
        together = None if before is None else merge(before, own, now)
        upgrade.contents[name] = now if together is None else together
        upgrade.outcomes[name] = SET_ASIDE if together is None else MERGED
        if together is None:
            upgrade.aside.append(name)


def _differing(previous: Path, release: Release) -> Iterator[str]:
    """Seeds and prompts that a previous project has otherwise, or more."""
    for folder in ("seeds", "python_llm/prompts", "models", "macros"):
        for file in _files_below(previous / folder):
            name = file.relative_to(previous).as_posix()
            if release.files.get(name) != file.read_bytes():
                yield name


def _files_below(folder: Path) -> Iterator[Path]:
    """The files of a folder at any depth, but for what programs leave behind and locks."""
    for path, names, contents in os.walk(folder):
        names[:] = sorted(
            name for name in names if not name.startswith((".venv", "__pycache__", ".superset"))
        )
        yield from (Path(path, name) for name in sorted(contents) if name != ".lock")


def _write(file: Path, content: bytes) -> None:
    with files.replacing(file) as draft:
        draft.write_bytes(content)
