"""Who may read what the project keeps: its owner, or a group that was named.

Folders and files are made without rights for anybody else, and folders that an older version has
left open are closed. A link in them could lead a build to write somewhere else, so it is refused.
"""

import grp
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from python_llm import paths
from python_llm.errors import UserError
from python_llm.paths import CURRENT, VERSION

GROUP = "KERNEL29_GROUP"
OWNER_ONLY, WITH_GROUP = 0o700, 0o2750  # what is made in the second belongs to the group


class ProtectionError(UserError):
    """A folder that is not protected as was asked for."""


def folders() -> list[Path]:
    """Where data of patients is kept, as far as it exists."""
    names = ("DATA", "CASES", "RUNS", "LABELS", "TERMINOLOGY")
    moved = {"DATA": "data"} | {name: f"data/{name.lower()}" for name in names[1:]}
    moved |= {"AUDIT": "data/audit", "LEDGER": "ledger", "BUILD": "build", "SERVE": "serve"}
    places = (os.environ.get(f"KERNEL29_{name}_DIR", default) for name, default in moved.items())
    return sorted({path for path in map(paths.resolve, places) if path.is_dir()})


def _group() -> int | None:
    """The number of the group that may read, None for none. Raises ProtectionError."""
    name = os.environ.get(GROUP, "").strip()
    if not name:
        return None
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        raise ProtectionError(
            f"{GROUP}={name} is no group of this machine: correct the name (`getent group` lists "
            "them), or unset it so that only you can read."
        ) from None


def make_private() -> int:
    """Make files from now on for the owner, or also readable by the group; the mask of before."""
    return os.umask(0o077 if _group() is None else 0o027)


@contextmanager
def made_private() -> Iterator[None]:
    """Files that are made meanwhile are for the owner, or also readable by the group."""
    before = make_private()
    try:
        yield
    finally:
        os.umask(before)


def protect(kept: Iterable[Path]) -> None:
    """Close these folders to others, and refuse links in them. Folders of another owner stay as
    they are. Raises ProtectionError, before anything is written, for a link and for a group that
    does not exist or is not one's own."""
    group = _group()
    for folder in kept:
        refuse_links(folder)
        status = folder.stat()
        if status.st_uid != os.geteuid():
            continue
        try:
            if group is not None and status.st_gid != group:
                os.chown(folder, -1, group)
            folder.chmod(OWNER_ONLY if group is None else WITH_GROUP)
        except PermissionError as error:
            raise ProtectionError(
                f"{folder} cannot be given to the group {os.environ[GROUP]}: be a member of it, or "
                f"unset {GROUP}."
            ) from error


def refuse_links(*kept: Path) -> None:
    """Raise ProtectionError for a link in one of these folders, at any depth."""
    for link in (link for folder in kept for link in _links(folder)):
        raise ProtectionError(
            f"{link} is a link to {os.readlink(link)}, and what is written there would land "
            "elsewhere: remove it, or set the folder's variable (docs/operations.md) instead."
        )


def _links(folder: Path) -> Iterator[Path]:
    """Links at any depth, but for those with which tables are served."""
    for path, names, files in os.walk(folder):
        for name in (*names, *files):
            link = Path(path, name)
            if link.is_symlink() and not _is_served(os.readlink(link)):
                yield link


def _is_served(target: str) -> bool:
    return target.startswith((VERSION, f"{CURRENT}/")) and ".." not in target
