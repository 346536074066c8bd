"""The page itself: style, script, the plotting library and the data in one HTML file."""

import base64
import gzip
import html
import os
import tempfile
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from python_llm.report.data import read_report

# the browser decompresses these parts, so they are never parsed as HTML
PART = '<script type="text/plain" id="{name}">{content}</script>'

# the last one starts the page
SCRIPTS = ("page.numbers.js", "page.cases.js", "page.filters.js", "page.js")


def write_report(database: Path, page: Path, leaderboard: str = "") -> int:
    """Write the page for a served database, all or nothing; returns its size in bytes.

    The leaderboard as plain text is what the page shows until its script has run, or without one.
    Raises FileNotFoundError with the remedy if nothing has been served yet.
    """
    data = read_report(database)
    here = resources.files("python_llm.report")
    library = resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    parts = {
        "library": gzip.compress(library, 9),
        "core": data.core,
        "arrays": data.arrays,
        "reasons": data.reasons,
        "words": data.words,
        "votes": data.votes,
    }
    served = datetime.fromtimestamp(database.stat().st_mtime, UTC)
    text = here.joinpath("page.html").read_text(encoding="utf-8")
    replacements = {
        "%STYLE%": here.joinpath("page.css").read_text(encoding="utf-8"),
        "%SCRIPT%": "\n".join(here.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS),
        "%SERVED%": html.escape(f"{served:%Y-%m-%d %H:%M} UTC"),
        "%PARTS%": "\n".join(
            PART.format(name=name, content=base64.b64encode(content).decode())
            for name, content in parts.items()
        ),
        "%LEADERBOARD%": html.escape(leaderboard),
    }
    for mark, replacement in replacements.items():
        text = text.replace(mark, replacement)
    page.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=page.parent, prefix=".report-", delete=False
    ) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, page)
    return page.stat().st_size
