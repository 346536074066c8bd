"""Write what is locked into pyproject.toml too, so that `uv sync` installs these versions.

    python .ci/lock.py

`make lock` runs it after requirements.lock. A lock of uv's own would name the index each file came
from; constraints name none, so every mirror serves.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(?<=^constraint-dependencies = \[\n).*?(?=^\]$)", re.MULTILINE | re.DOTALL)


def pins(lock: str) -> list[str]:
    """Every version of a lock with its condition, without hashes."""
    lines = re.findall(r"^([A-Za-z0-9][^\\\n]*?) *\\?$", lock, re.MULTILINE)
    return [line.replace('"', "'") for line in lines]


def constrained(project: str, lock: str) -> str:
    """pyproject.toml with the versions of the lock as constraints."""
    block = "".join(f'  "{pin}",\n' for pin in pins(lock))
    changed, n_blocks = BLOCK.subn(lambda _: block, project)
    if n_blocks != 1:
        raise SystemExit("pyproject.toml: no block constraint-dependencies under [tool.uv].")
    return changed


if __name__ == "__main__":
    file = ROOT / "pyproject.toml"
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    file.write_text(constrained(file.read_text(encoding="utf-8"), lock), encoding="utf-8")
