"""Reactions to drugs that a record tells without the word allergy: "her lips swelled on enalapril",
"con el levofloxacino se le cayó la piel". The words are cues of the seed assertion_cues."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from python_llm.recommendations.record.kin import is_of_a_relative
from python_llm.recommendations.wording.lexicon import Lexicon

# How far a reaction may stand from its drug, and a lead ("after", "con el") before it, in tokens.
_REACH, _LEAD = 12, 3
_NOT = frozenset(("no", "not", "never", "without", "sin", "denies", "niega", "nunca", "unlike"))

Span = tuple[str, int, int]


class Reactions:
    """Finds the drugs to which a clause tells a reaction; a pure function of it and the seeds."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def to(
        self,
        tokens: Sequence[str],
        spans: Sequence[Span],
        closures: Mapping[str, Collection[str]],
    ) -> set[str]:
        """The drugs and classes that a clause with drugs at `spans` blames for a reaction; what a
        reaction is treated with is not blamed. closures: each drug with its classes."""
        remedies = self._lexicon.words("reaction_remedy")
        spans = [span for span in spans if not remedies & set(closures[span[0]])]
        blamed: set[str] = set()
        if not spans:
            return blamed
        plain = " ".join(tokens)
        for match in self._lexicon.pattern("reaction").finditer(plain):
            start = plain[: match.start()].count(" ")
            end = start + len(match[0].split())
            denied = bool(_NOT & set(tokens[max(0, start - _LEAD) : start]))
            if not denied and not is_of_a_relative(tokens, start):
                blamed |= self._blamed(tokens, spans, start, end)
                # "amoxicillin, as a student, closed his throat": what acts is to blame
                if self._lexicon.pattern("reaction_of_its_subject").match(match[0]):
                    subjects = [s for s in spans if s[2] <= start <= s[2] + _REACH]
                    blamed |= {concept for concept, _, _ in subjects[-1:]}
        return blamed

    def _blamed(
        self, tokens: Sequence[str], spans: Sequence[Span], start: int, end: int
    ) -> set[str]:
        blamed: set[str] = set()
        leads, treats = self._lexicon.words("reaction_to"), self._lexicon.words("reaction_treated")
        for concept, first, last in spans:
            is_after = end <= first <= end + _REACH
            between = tokens[end:first] if is_after else tokens[last:start]
            # "contrast for a scan, and her tongue swelled": the scan is what it was for
            treated = between if is_after else between[-_LEAD:]
            # "angioedema, on ramipril": two facts; "on ramipril, her lips swelled" is one
            if is_after and "," in between:
                continue
            if not is_after and not (last <= start <= last + _REACH):
                continue
            led = leads & set(tokens[max(0, first - _LEAD) : first])
            # "required adrenaline after flucloxacillin" is a reaction as a whole
            before = max(0, first - _LEAD, end if is_after else 0)
            if treats & {*treated, *tokens[before:first]}:
                continue
            # "when they gave her Augmentin her face swelled": what came before can be to blame
            gave = self._lexicon.words("reaction_before") & set(tokens[before:first])
            # "her throat closed when they gave her Augmentin", not "so they gave her Augmentin"
            is_then = is_after and self._lexicon.words("reaction_when") & set(between)
            if led or (gave and is_then) or (not is_after and (gave or self._is_subject(between))):
                blamed.add(concept)
        return blamed

    def _is_subject(self, between: Collection[str]) -> bool:
        """Whether a drug is said to have made a reaction by what stands between them: nothing
        ("penicillin: hives"), or a verb ("enalapril made her lips swell")."""
        return not between or bool(self._lexicon.words("reaction_made") & set(between))
