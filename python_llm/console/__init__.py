"""What a person types and reads: the command, tables for a terminal, the leaderboard."""

import os
import sys
from typing import Any

STOPPED = (
    "Stopped. Every answer that arrived is kept, and what was served before is unchanged: the same "
    "command goes on from there."
)


def _told_plainly(kind: Any, error: Any, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write(f"{STOPPED}\n")
    else:
        sys.__excepthook__(kind, error, trace)


# reading its own code takes the command a second, in which nothing else would answer Ctrl-C
if os.path.basename(sys.argv[0]) == "kernel29":
    sys.excepthook = _told_plainly
