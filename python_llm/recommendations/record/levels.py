"""Levels of drugs and counts of neutrophils as notes tell them ("lithium 3.4 mmol/L", "ANC 900"),
told apart from doses ("lithium 800 mg") and percentages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.wording.phrases import Cues, words

# How far behind its name (characters) a value may stand.
_REACH = 60
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_NUMBER = re.compile(r"(?<![\d.,/-])[1-9]\d{0,2}(?:,\d{3})+(?![\d.])|(?<![\d.,/-])\d+(?:[.,]\d+)?")
_SAYS_LEVEL = re.compile(
    r"\b(?:levels?|concentrations?|serum|plasma|trough|nivel(?:es)?|concentracion(?:es)?|valle)\b"
)
# a dose, a span of time or a percentage
_OTHER_UNIT = re.compile(
    r"\s*-?\s*(?:%|percent|por ciento|(?:mg|mcg|ug|g|ml|mmol|meq|tablets?|tabs?|comp\w*|capsul\w+"
    r"|times?|veces|x (?:a )?day|min\w*|h|hrs?|hours?|horas?|days?|dias?|weeks?|semanas?|months?"
    r"|mes(?:es)?|years?|anos?|am|pm)\b(?!\s?/\s?(?:m?l|dl)\b))"
)
_PER_MICROLITRE = re.compile(
    r"\s*(?:cells?|celulas?)?\s*(?:/|per|por)\s*(?:[uμ]l\b|mm3\b|cubic|micro)"
)
# From here a count without its unit is per microlitre: nobody has 50 x 10^9/L.
_COUNTED_SINGLY = 50
_IN_ALL = re.compile(
    r"\b(?:below|under|less than|above|over|target|objetivo|until|hasta|if|si)\W*$"
)
# Of single cells nobody counts fractions: a point between three digits is one of thousands.
_GROUPED = r"\d{1,3}(?:[.,]\d{3})+"
_CHANGES = re.compile(r"\s*(?:to|a|hasta|->|→)\s*\d")


class Levels:
    """The tests of `lab_tests` whose values notes tell beside doses of the same name."""

    def __init__(self, tests: Iterable[Mapping[str, str]]) -> None:
        self._tests: dict[str, str] = {}
        self._units: dict[str, list[tuple[str, float]]] = {}
        for row in tests:
            lab = row["lab"]
            if not lab.endswith(("_level", "_trough")) and lab != "neutrophils":
                continue
            for name in (lab.replace("_", " "), *names(row["aliases"])):
                self._tests[_folded(name)] = lab
            units = (part.rsplit("=", 1) for part in names(row["accepted_units"]))
            self._units[lab] = sorted(
                ((_folded(unit), float(factor)) for unit, factor in units if unit.strip(" %")),
                key=lambda unit: -len(unit[0]),
            )
        longest = sorted(self._tests, key=len, reverse=True)
        self._named = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b")

    def noted(self, notes: Iterable[str], cues: Cues) -> Iterator[tuple[str, float]]:
        """Each test with its value in the unit of the seed; what is told as history is skipped."""
        for note in notes:
            for sentence in _SENTENCE.split(note):
                if cues.tells_history(words(sentence)):
                    continue
                text = _folded(sentence)
                named = list(self._named.finditer(text))
                ends = [*(name.start() for name in named[1:]), len(text)]
                for name, end in zip(named, ends, strict=False):
                    rest = text[name.end() : min(end, name.end() + _REACH)]
                    is_level = _SAYS_LEVEL.search(text[max(0, name.start() - 25) : name.end()])
                    yield from self._values(self._tests[name[0]], rest, bool(is_level))

    def _values(self, lab: str, rest: str, is_level: bool) -> Iterator[tuple[str, float]]:
        """The values behind a name. is_level: the words before it say that they are levels."""
        for number in _NUMBER.finditer(rest):
            before, after = rest[: number.start()], rest[number.end() :]
            is_single = _PER_MICROLITRE.match(after)
            is_grouped = re.fullmatch(
                r"[1-9]\d{0,2}(?:,\d{3})+" if not is_single else _GROUPED, number[0]
            )
            value = float(re.sub(r"[.,]", "" if is_grouped else ".", number[0]))
            # of "from 0.3 to 2.1" the last counts
            if _IN_ALL.search(before) or _CHANGES.match(after):
                continue
            is_counted = lab == "neutrophils"
            if is_counted and (is_single or value >= _COUNTED_SINGLY):
                if not _OTHER_UNIT.match(after):
                    yield lab, value / 1000
                    return
                continue
            plain = after.lstrip()
            factor = next((f for unit, f in self._units[lab] if plain.startswith(unit)), None)
            if factor is not None:
                yield lab, value * factor
                return
            if _OTHER_UNIT.match(after):
                continue
            if is_counted or is_level or _SAYS_LEVEL.search(before):
                yield lab, value
                return


def _folded(text: str) -> str:
    return without_accents(text.lower()).replace("\u00b5", "u").replace("\u03bc", "u").strip()
