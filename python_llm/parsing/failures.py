"""Texts that are no answers, but say why there is none or decline to give one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

HEAD, TAIL = 1000, 1000  # characters: an exception begins a text or ends a traceback
DECLINES_WITHIN = 600  # characters; further down 'I cannot' is said of something else


class FailurePatterns:
    """The seed answer_patterns, with the outcome class of each status.

    `patterns` are rows of pattern_order, status, pattern and outcome_class.
    """

    def __init__(self, patterns: Sequence[Mapping[str, Any]]) -> None:
        self._known = [
            (row["status"], row["outcome_class"], re.compile(row["pattern"], re.I | re.S))
            for row in sorted(patterns, key=lambda row: row["pattern_order"])
        ]

    def status_of(self, text: str | None, is_recorded: bool) -> str | None:
        """The status of the first pattern that is found in a text without a list; None if none is.

        What a provider delivered did not fail on the way: there only what the model did is looked
        for.
        """
        text = text or ""
        text = (text[:HEAD] + text[HEAD:][-TAIL:]).strip()
        for status, outcome_class, pattern in self._known:
            if not is_recorded and outcome_class != "model_failure":
                continue
            if text and pattern.search(text[:DECLINES_WITHIN] if status == "refused" else text):
                return status
        return None
