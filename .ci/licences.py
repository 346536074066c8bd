"""Write the licences of everything locked into docs/licences.md, as the packages state them.

    python .ci/licences.py

`make lock` runs it. A package with a licence that is not in PERMITTED stops it: somebody has to
look whether the project's own licence can stand beside it.
"""

import re
from collections import defaultdict
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
BLOCK = re.compile(r"(?<=<!-- written by \.ci/licences\.py -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
# One name for the many ways to write a licence.
NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Stated as several classifiers without saying that one may choose.
STATED = {
    "text-unidecode": "Artistic-1.0 OR GPL-2.0-or-later",
    "sniffio": "MIT OR Apache-2.0",
    "pystemmer": "MIT AND BSD-3-Clause",
    "python-dateutil": "Apache-2.0 AND BSD-3-Clause",
    "tzdata": "Apache-2.0",
    "httpx2-jsfetch": "BSD-3-Clause",  # for browsers only, installed nowhere here
}
# Each lets an Apache-2.0 project depend on it, unchanged and installed as a package of its own.
PERMITTED = {
    *("0BSD", "Apache-2.0", "Artistic-1.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0"),
    *("CNRI-Python", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Zlib"),
    "LGPL-3.0-only",  # psycopg: optional, imported and never changed or copied
}


def locked() -> list[str]:
    """The packages of the lock."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", lock, re.MULTILINE)))


def licence(package: str) -> str:
    """What a package says of its licence; LookupError if it says nothing, or is not installed."""
    if package in STATED:
        return STATED[package]
    try:
        stated = metadata.metadata(package)
    except metadata.PackageNotFoundError as error:
        raise LookupError(f"{package} is locked and not installed: run make") from error
    if expression := stated.get("License-Expression"):
        return str(expression)
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in stated.get_all("Classifier") or []
        if text.startswith("License :: ") and not text.endswith("OSI Approved")
    ]
    names = [NAMES.get(text, text) for text in classifiers]
    if not names and (written := stated.get("License")):
        names = [NAMES.get(line, line) for line in written.splitlines()[:1]]
    if not names:
        raise LookupError(f"{package} states no licence: look it up and add it to STATED")
    return " AND ".join(names)


def is_permitted(expression: str) -> bool:
    """Whether every part of an expression is, or one of those to choose from."""
    return all(
        any(choice in PERMITTED for choice in part.strip("() ").split(" OR "))
        for part in expression.split(" AND ")
    )


def table(packages: list[str]) -> str:
    """One row per licence with its packages, the most frequent first."""
    by_licence: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        expression = licence(package)
        if not is_permitted(expression):
            raise LookupError(f"{package}: {expression} is not in PERMITTED of .ci/licences.py")
        by_licence[expression].append(package)
    rows = sorted(by_licence.items(), key=lambda row: (-len(row[1]), row[0]))
    lines = [f"| {expression} | {', '.join(names)} |" for expression, names in rows]
    return "\n".join(["| licence | packages |", "|---|---|", *lines])


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: table(locked()), text), encoding="utf-8")
