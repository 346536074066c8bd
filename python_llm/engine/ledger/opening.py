"""Which ledger the project writes to: the team's database, or a folder of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from python_llm import paths
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.contract import URL_VARIABLE, Ledger
from python_llm.engine.ledger.folder import FileLedger


def open_ledger(folder: Path | str, notify: Callable[[str], None] = print) -> Ledger:
    """The team's ledger where KERNEL29_LEDGER_URL names one, otherwise the one in the folder.
    Errors: EngineError for an address that is none, and where the extra `team` is absent."""
    folder = paths.resolve(folder)
    if url := os.environ.get(URL_VARIABLE, "").strip():
        if not all(map(find_spec, ("sqlalchemy", "psycopg"))):
            raise EngineError(
                f"{URL_VARIABLE} names a database, and what talks to it is not installed: run "
                "`pip install 'kernel29[team]'`, or leave the variable out."
            )
        from python_llm.engine.ledger.postgres import TeamLedger

        return TeamLedger(url, folder, notify)
    return FileLedger(folder, notify)
