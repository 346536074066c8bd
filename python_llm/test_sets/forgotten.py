"""Which patients were forgotten, so that no later import brings one back.

`data/forgotten.jsonl` keeps of each a fingerprint of the texts: by it the same texts are known
again, and nothing of them can be read.
"""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from python_llm import paths
from python_llm.errors import FileError

NOTE = "forgotten.jsonl"
TEXTS = ("narrative", "reason", "history", "background", "examination", "complementary")
SHORTEST = 40  # characters; a shorter text may be another patient's too


def note() -> Path:
    """The file that says who was forgotten."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / NOTE


def fingerprint(record: Mapping[str, Any]) -> str | None:
    """What the texts of a record are known by, whatever their spaces and case; None where they are
    too short to be one patient's."""
    text = " ".join(" ".join(str(record.get(name) or "") for name in TEXTS).split()).casefold()
    return sha256(text.encode()).hexdigest() if len(text) >= SHORTEST else None


def known() -> dict[str, str]:
    """The day each fingerprint was forgotten; empty where nobody was. Raises FileError for a line
    that cannot be read: whoever is in it could come back."""
    if not note().is_file():
        return {}
    days: dict[str, str] = {}
    for number, written in enumerate(note().read_text(encoding="utf-8").splitlines(), 1):
        if not written.strip():
            continue
        try:
            line = json.loads(written)
            days |= dict.fromkeys(line.get("fingerprints", []), line["at"][:10])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FileError(
                f"{note()}, line {number}: it cannot be read, so nobody knows who was forgotten: "
                "restore the file from a backup, or take the line out."
            ) from error
    return days
