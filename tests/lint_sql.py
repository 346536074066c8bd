"""`sqlfluff lint` of what changed since it last passed.

    python tests/lint_sql.py PATH...     default: models, tests/data and analyses

What passed is kept in target/, by a hash of all that the verdict depends on: the file, the macros
it uses, directly or not, the configuration and the version of sqlfluff.
"""

import gc
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlfluff.cli.commands import cli
from sqlfluff.core.templaters.jinja import JinjaTemplater

PATHS = ("models", "tests/data", "analyses")
PASSED = Path("target") / "linted.json"
MACRO = re.compile(r"\{%-?\s*(?:macro|test)\s+(\w+).*?\{%-?\s*end(?:macro|test)\s*-?%\}", re.DOTALL)
WORD = re.compile(r"\w+")

load_macros = JinjaTemplater._extract_macros_from_path


@cache
def _one_template(folders: tuple[str, ...]) -> str:
    files = (file for folder in folders for file in sorted(Path(folder).rglob("*.sql")))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def load_macros_at_once(path: list[str], env: Any, ctx: dict[str, Any], **options: Any) -> Any:
    """All macros, out of one template. If it has none, sqlfluff loads them and names the file."""
    try:
        template = _one_template(tuple(path))
        macros = JinjaTemplater._extract_macros_from_template(template, env=env, ctx=ctx)
    except Exception:  # noqa: BLE001
        macros = {}
    return macros or load_macros(path, env=env, ctx=ctx, **options)


if __name__ in ("__main__", "__mp_main__"):  # here and in the processes of sqlfluff
    # for every file sqlfluff loads every macro, one template for each of their files: a seventh of
    # the time
    JinjaTemplater._extract_macros_from_path = staticmethod(load_macros_at_once)
    # sqlfluff makes millions of objects that live as long as their file; looking for garbage among
    # them as often as Python does by itself takes a fifth of the time
    gc.set_threshold(200_000, 50, 100)


def macros(folder: Path) -> dict[str, str]:
    """The text of every macro below `folder`, by name."""
    return {
        macro[1]: macro[0]
        for file in sorted(folder.rglob("*.sql"))
        for macro in MACRO.finditer(file.read_text(encoding="utf-8"))
    }


def fingerprint(text: str, macros: dict[str, str], rest: str) -> str:
    """A hash of a file's text, the macros that it names or that those name, and the rest."""
    used, new = {}, {text}
    while new:
        names = {word for part in new for word in WORD.findall(part)} & macros.keys() - used.keys()
        new = {macros[name] for name in names}
        used.update({name: macros[name] for name in names})
    return hashlib.sha256(
        "\0".join([rest, text, *map(used.get, sorted(used))]).encode()
    ).hexdigest()


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.sql")) if path.is_dir() else [path]


def main(paths: list[str]) -> int:
    rest = Path(".sqlfluff").read_text(encoding="utf-8") + version("sqlfluff")
    known = macros(Path("macros"))
    wanted = {
        fingerprint(file.read_text(encoding="utf-8"), known, rest): str(file)
        for file in _files(paths or PATHS)
    }
    passed = set(json.loads(PASSED.read_text())) if PASSED.is_file() else set()
    if todo := [file for key, file in wanted.items() if key not in passed]:
        try:
            cli(["lint", *todo])
        except SystemExit as end:
            if end.code:
                return int(end.code)
    # what other branches and other paths left stays: it is a few kilobytes
    PASSED.parent.mkdir(exist_ok=True)
    PASSED.write_text(json.dumps(sorted(passed | wanted.keys())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
