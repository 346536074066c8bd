"""What is made once in a session of tests, whichever of its processes asks first."""

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

# set by conftest.py: the same in every process of a session
root: Path | None = None


def once(name: str, make: Callable[[Path], None], seconds: float = 900) -> Path:
    """The folder `name` after one process has filled it with `make`; the others wait.

    Raises filelock.Timeout after so many seconds, and whatever `make` raises.
    """
    assert root is not None, "conftest.py says where"
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(root / f"{name}.lock", timeout=seconds):
        if not (folder / "done").exists():
            make(folder)
            (folder / "done").touch()
    return folder
