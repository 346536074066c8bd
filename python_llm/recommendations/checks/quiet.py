"""Whether a record tells nothing new: each of its parts is a disease or a drug of long standing, a
value within its interval, something denied or over, a relative's history, or why somebody came
(cues `quiet_part` of assertion_cues). A part that nobody has read is not quiet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Lab
from python_llm.recommendations.wording.amounts import DECIMAL_COMMA
from python_llm.recommendations.wording.phrases import words

_PART = re.compile(r"[;:!?\n,]|\.(?=\s|$)|\b(?:and|but|with|on|y|e|pero|con)\b", re.IGNORECASE)
_VALUE = re.compile(
    r"^(?P<name>[a-z][\w -]*?)(?: (?:is|was|of|at|de|es|now|today))*"
    r" (?P<value>\d+(?:[.,]\d+)?)(?: (?P<unit>%|[a-zµμ]\S*))?$",
    re.IGNORECASE,
)
_MICRO = re.compile("[µμ]")
# A drug with its dose and nothing else.
_OF_A_DOSE = re.compile(
    r"\b(?:\d+(?:[.,]\d+)?|mg|g|mcg|ug|micrograms?|microgramos|units?|unidades|ml|once|twice|daily"
    r"|weekly|a day|at night|in the morning|every|times|hours|cada|horas|al dia|diari[oa]s?|semanal"
    r"(?:es)?|por la noche|on|takes?|taking|uses?|toma|usa|en tratamiento|the|a|her|his|su|tablets?"
    r"|inhalers?|inhalador|for years|since \d{4}|desde hace anos|for (?:\w+ )?(?:years|months))\b"
)


class Quiet:
    """Reads whether notes tell nothing new; a pure function of them and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._in = knowledge.lexicon.pattern
        self._intervals = {
            row["lab"]: (float(row["low"] or 0), float(row["high"] or "inf"))
            for row in knowledge.tables["lab_tests"]
        }

    def is_quiet(self, notes: Sequence[str]) -> bool:
        """Whether every part of every note is quiet."""
        parts = [part for note in notes for part in _parts(note)]
        return bool(parts) and all(self._is_quiet_part(part) for part in parts)

    def _is_quiet_part(self, part: str) -> bool:
        plain = " ".join(words(part))
        if not plain or self._in("quiet_part").match(plain):
            return True
        return self._is_within(part.strip()) or self._is_a_drug(plain)

    def _is_a_drug(self, plain: str) -> bool:
        """Whether a part names a drug that is known, and nothing but its dose beside it."""
        spans = [m for m in self._knowledge.book.named(plain) if m.affirmed]
        rest = plain
        for mention in spans:
            rest = rest.replace(" ".join(mention.tokens[mention.start : mention.end]), " ")
        return bool(spans) and not words(_OF_A_DOSE.sub(" ", rest))

    def _is_within(self, part: str) -> bool:
        """Whether a part is a laboratory value within its interval."""
        match = _VALUE.match(part)
        name = self._knowledge.lab_name(match["name"]) if match else None
        if match is None or name is None:
            return False
        value = float(match["value"].replace(",", "."))
        unit = _MICRO.sub("u", match["unit"] or "")
        lab = Lab(name=match["name"], value=value, unit=unit)
        low, high = self._intervals[name]
        values = self._knowledge.values_of([lab]).get(name, [])
        return bool(values) and all(low <= measured <= high for measured in values)


def _parts(note: str) -> Iterator[str]:
    for part in _PART.split(DECIMAL_COMMA.sub(".", note)):
        if words(part):
            yield part
