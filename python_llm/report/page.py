"""The page itself: style, script, the plotting library and the data, in one file or beside it."""

import base64
import gzip
import hashlib
import html
import re
import secrets
import shutil
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from python_llm.report.data import ReportData, read_report

# the browser decompresses these parts, so they are never parsed as HTML
PART = '<script type="text/plain" id="part-{name}">{content}</script>'
# A page on disk may not fetch a file, but it may run a script beside it.
SCRIPT = 'part("{name}","{content}")\n'
# of a page's folder of data
FOLDER = "{page}-data-{version}"
VERSION_DIGITS = 12

# Up to so many compressed bytes the page is one file, which can be sent as it is: with the plotting
# library and a third more for base64 they make ten megabytes, what mail takes. A browser reads the
# whole file before it shows anything; a larger report lies beside its page in parts.
ONE_FILE_BYTES = 6_000_000

# the last one starts the page
SCRIPTS = (
    "page.data.js",
    "page.numbers.js",
    "page.cases.js",
    "page.filters.js",
    "page.questions.js",
    "page.js",
)


def write_report(database: Path, page: Path, leaderboard: str = "") -> int:
    """Write the page for a served database, all or nothing; returns the bytes of page and data.

    Beyond ONE_FILE_BYTES the parts are files in a folder beside the page, named after its content.
    The page changes from one folder to the next in one rename; earlier ones are removed after it.
    The leaderboard as plain text is what the page shows until its script has run, or without one.
    Raises FileNotFoundError with the remedy if nothing has been served yet.
    """
    data = read_report(database)
    served = datetime.fromtimestamp(database.stat().st_mtime, UTC)
    page.parent.mkdir(parents=True, exist_ok=True)
    library = resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    parts = {"library": gzip.compress(library, 9, mtime=0), **data.parts}
    inside, folder = {"core": data.core, **parts}, None
    if sum(map(len, data.parts.values())) > ONE_FILE_BYTES:
        inside, folder = {"core": data.core}, _write_folder(page, data, parts)
    _replace(page, _text(inside, folder, f"{served:%Y-%m-%d %H:%M} UTC", leaderboard))
    _remove_others(page, folder)
    beside = folder.iterdir() if folder else ()
    return page.stat().st_size + sum(file.stat().st_size for file in beside)


def _text(inside: dict[str, bytes], folder: Path | None, served: str, leaderboard: str) -> str:
    """The page with the parts that are inside it; the others are in the folder."""
    here = resources.files("python_llm.report")
    replacements = {
        "%STYLE%": here.joinpath("page.css").read_text(encoding="utf-8"),
        "%SCRIPT%": "\n".join(here.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS),
        "%SERVED%": html.escape(served),
        "%FOLDER%": html.escape(folder.name if folder else ""),
        "%PARTS%": "\n".join(
            PART.format(name=name, content=base64.b64encode(content).decode())
            for name, content in inside.items()
        ),
        "%LEADERBOARD%": html.escape(leaderboard),
    }
    text = here.joinpath("page.html").read_text(encoding="utf-8")
    # in one pass: what is filled in may hold such a mark itself
    return re.sub("|".join(replacements), lambda mark: replacements[mark[0]], text)


def _write_folder(page: Path, data: ReportData, parts: dict[str, bytes]) -> Path:
    """The folder with the parts as scripts, whole or not at all; named after what is in it."""
    digest = hashlib.sha256(data.core)
    for name, content in parts.items():
        digest.update(name.encode() + content)
    version = digest.hexdigest()[:VERSION_DIGITS]
    folder = page.parent / FOLDER.format(page=page.stem, version=version)
    if folder.is_dir():
        return folder
    scratch = page.with_name(f".{page.stem}-data-{secrets.token_hex(8)}")
    scratch.mkdir()
    try:
        for name, content in parts.items():
            script = SCRIPT.format(name=name, content=base64.b64encode(content).decode())
            (scratch / f"{name}.js").write_text(script, encoding="ascii")
        scratch.rename(folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return folder


def _replace(page: Path, text: str) -> None:
    draft = page.with_name(f".report-{secrets.token_hex(8)}")  # as private as any file made now
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(page)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _remove_others(page: Path, kept: Path | None) -> None:
    """Remove the folders of earlier versions of this page."""
    version = f"[0-9a-f]{{{VERSION_DIGITS}}}"
    name = re.compile(FOLDER.format(page=re.escape(page.stem), version=version))
    for folder in page.parent.iterdir():
        if folder != kept and folder.is_dir() and name.fullmatch(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
