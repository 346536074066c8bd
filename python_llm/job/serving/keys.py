"""What tells the rows of each table apart, as its grain test says: the primary keys of what is
served."""

import re
from collections.abc import Iterator
from pathlib import Path

from python_llm import paths

NAMED = re.compile(r"^  - name: (\w+)$", re.MULTILINE)
GRAIN = re.compile(
    r"^ +- grain:\s+(?:arguments:)?\s*\{?\s*(?:arguments: *\{)?columns:\s*", re.MULTILINE
)
LISTED = re.compile(r"\[([^\]]*)\]|((?:\s*- \w+$)+)", re.MULTILINE)
PASSED_ON = re.compile(r"select \*( exclude \([\w, ]+\))?\s*from \{\{ ref\('(\w+)'\) \}\}\s*$")


def grains() -> dict[str, tuple[str, ...]]:
    """The columns of the first grain test of every model and seed; of a mart that shows the rows of
    another table, those of that one."""
    root = paths.project_root()
    tested = [file for name in ("seeds", "models") for file in sorted((root / name).rglob("*.yml"))]
    keys = dict(pair for file in tested for pair in _tested(file))
    for file in (root / "models" / "marts").rglob("*.sql"):
        shown = PASSED_ON.search(file.read_text(encoding="utf-8"))
        if file.stem not in keys and shown and shown[2] in keys:
            keys[file.stem] = keys[shown[2]]
    return keys


def _tested(file: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    text = file.read_text(encoding="utf-8")
    starts = [(match[1], match.end()) for match in NAMED.finditer(text)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    for (name, start), end in zip(starts, ends, strict=True):
        grain = GRAIN.search(text, start, end)
        if grain and (listed := LISTED.match(text, grain.end(), end)):
            yield name, tuple(re.findall(r"\w+", listed[0]))
