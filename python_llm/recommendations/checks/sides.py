"""Left and right: whether an order is for the side that the record tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import clauses

SITES = (
    *("chest", "leg", "arm", "eye", "knee", "hip", "kidney", "ear", "breast", "testis", "shoulder"),
    *("ankle", "foot", "groin", "carotid", "adrenal", "head"),
)
# The sites of one limb: what is done to a leg may be for its foot.
_LIMBS = (frozenset(("leg", "knee", "hip", "foot", "ankle")), frozenset(("arm", "shoulder")))
# Words of a line, which goes where the vessel is; a drain or a stent goes where the disease is.
_OF_LINES = frozenset(("access", "line", "catheter", "cannula", "acceso", "cateter", "via", "port"))
# How far a site may stand from its side, in tokens: "left femoral vein", "derrame pleural derecho".
_BEHIND, _BEFORE = 3, 4
_OTHER = {"left": "right", "right": "left"}
# "OD" is the right eye beside an "OI" or "OS", and in Spanish of eyes; alone it may be once daily.
_EYE_ABBREVIATED = re.compile(r"\bO[DIS]\b")
_RIGHT_EYE_TOLD = re.compile(r"\bO[IS]\b")


class Sides:
    """Finds orders for the other side; pure functions of the record and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        lexicon = self._lexicon = knowledge.lexicon
        self._side_of = {word: side for side in _OTHER for word in lexicon.words(f"side_{side}")}
        self._site_of = {word: site for site in SITES for word in lexicon.words(f"site_{site}")}

    def told(self, patient: Patient) -> dict[str, set[str]]:
        """The diseased sides of each site in a record: what is history, normal or denied is left
        out."""
        sides: dict[str, set[str]] = {}
        for text in [*patient.notes, *patient.conditions]:
            for tokens in clauses(self._eyes_in_words(text)):
                if self._knowledge.tells_history(tokens):
                    continue
                for part in _parts(tokens):
                    if self._is_healthy(part):
                        continue
                    for site, side in self._named(part):
                        sides.setdefault(site, set()).add(side)
        return sides

    def _eyes_in_words(self, text: str) -> str:
        """A text of eyes in which their abbreviations stand in words."""
        if not _EYE_ABBREVIATED.search(text) or not self._lexicon.pattern("of_eyes").search(text):
            return text
        is_right = _RIGHT_EYE_TOLD.search(text) or self._lexicon.pattern("of_eyes_spanish").search(
            text
        )
        text = _RIGHT_EYE_TOLD.sub("left eye", text)
        return re.sub(r"\bOD\b", "right eye", text) if is_right else text

    def _is_healthy(self, part: Sequence[str]) -> bool:
        """Whether a part of a clause tells of a site that nothing is wrong with it."""
        in_words = self._lexicon.pattern("site_healthy_in_words")
        return bool(
            self._lexicon.words("site_healthy") & set(part) or in_words.search(" ".join(part))
        )

    def fistulas(self, patient: Patient) -> set[str]:
        """The sides on which the record tells an arteriovenous fistula for dialysis."""
        words = self._lexicon.words("fistula")
        return {
            self._side_of[token]
            for text in [*patient.notes, *patient.conditions]
            for tokens in clauses(text)
            if words & set(tokens) and not self._lexicon.words("fistula_elsewhere") & set(tokens)
            for token in tokens
            if token in self._side_of
        }

    def in_the_fistula_arm(self, text: str, fistulas: set[str]) -> Iterator[str]:
        """What a text does with the arm of the fistula: a cuff, a needle, a line."""
        for tokens in clauses(text) if fistulas else ():
            if self._lexicon.words("fistula_spared") & set(tokens):
                continue
            use = self._lexicon.pattern("arm_use").search(" ".join(tokens))
            named = {side for site, side in self._named(tokens) if site == "arm"}
            if use and named & fistulas:
                yield f"“{use[0]}” in the arm of the fistula"

    def problems(self, text: str, told: dict[str, set[str]], *, is_bleeding: bool) -> Iterator[str]:
        """What a text orders for the side on which the record tells nothing. is_bleeding: blood
        comes from the lung."""
        for tokens in clauses(self._eyes_in_words(text)):
            lies = self._lexicon.pattern("lies_on").search(" ".join(tokens))
            if lies and is_bleeding and told.get("chest") == {_OTHER[self._side_of[lies[1]]]}:
                yield f"“{lies[0]}”: the bleeding lung lies below"
            is_procedure = bool(self._lexicon.words("sided_procedure") & set(tokens))
            excused = self._lexicon.words("side_excused") - (_OF_LINES if is_procedure else set())
            if excused & set(tokens):
                continue
            named = dict.fromkeys(self._named(tokens))
            for site, side in named:
                # the testis of the other side is fixed, too
                if (site, _OTHER[side]) in named and self._fixes(tokens, side):
                    continue
                known = told.get(site) or (_of_limb(site, told) if is_procedure else None)
                if known == {_OTHER[side]}:
                    yield f"it is for the {side} {site}, the record tells the {_OTHER[side]}"

    def _fixes(self, tokens: Sequence[str], side: str) -> bool:
        """Whether all that is done to a side is what is done to both for prevention."""
        prevents = self._lexicon.words("done_to_both")
        at = [n for n, token in enumerate(tokens) if self._side_of.get(token) == side]
        return all(prevents & set(tokens[max(0, n - 2) : n + 2]) for n in at)

    def _named(self, tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each site with a side."""
        for at, token in enumerate(tokens):
            side = self._side_of.get(token)
            behind = list(tokens[at + 1 : at + 1 + _BEHIND])
            if side is None or self._lexicon.words("not_of_a_side") & set(behind[:2]):
                continue
            # "2 l", "15 l/min": liters
            if token == "l" and at and tokens[at - 1][0].isdigit():
                continue
            is_noun = tokens[max(0, at - 1)] == "the"
            if not is_noun and self._lexicon.words("side_adverb") & set(behind[:1]):
                continue
            before = list(reversed(tokens[max(0, at - _BEFORE) : at]))
            site = self._first(behind) or self._first(before)
            if site:
                yield site, side

    def _first(self, tokens: Iterable[str]) -> str | None:
        for token in tokens:
            if token == "," or token in self._side_of:
                return None
            if token in self._site_of:
                return self._site_of[token]
        return None


def _of_limb(site: str, told: dict[str, set[str]]) -> set[str]:
    """The sides that a record tells of the limb of a site."""
    return {side for limb in _LIMBS if site in limb for name in limb for side in told.get(name, ())}


def _parts(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The parts of a clause between its commas."""
    part: list[str] = []
    for token in tokens:
        if token == ",":
            yield part
            part = []
        else:
            part.append(token)
    yield part
