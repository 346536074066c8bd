"""The words by which orders, delays and reassurance are understood, by their kind (the seed
assertion_cues)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from python_llm.errors import UserError

USES = ("order", "hazard", "ground")
_LIST = re.compile(r"<(\w+)>")
# "titrat*": a word with any ending
_ANY_ENDING = re.compile(r"(?<!\\)([^\W_])\*")


class Lexicon:
    """The cues of each kind. A cue is a phrase, in which `*` is any ending of a word and `<kind>`
    any cue of another kind; the syntax of regular expressions may be used."""

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._cues: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            if row["applies_to"] in USES:
                self._cues[row["kind"]].append(row["cue"])
        self.words = cache(self._words)
        self.pattern = cache(self._pattern)
        # a clause is asked the same for each of its drugs
        self.is_told = lru_cache(maxsize=1024)(self._is_told)

    def _words(self, kind: str) -> frozenset[str]:
        """The words of a kind. Raises UserError for a kind without cues."""
        return frozenset(self._of(kind))

    def kinds(self, prefix: str) -> list[str]:
        """The kinds whose names begin so."""
        return [kind for kind in self._cues if kind.startswith(prefix)]

    def alternatives(self, kind: str) -> str:
        """A regular expression for any cue of a kind, as a group."""
        cues = (
            _LIST.sub(lambda match: self.alternatives(match[1]), _ANY_ENDING.sub(r"\1\\w*", cue))
            for cue in self._of(kind)
        )
        return f"(?:{'|'.join(cues)})"

    def _pattern(self, kind: str) -> re.Pattern[str]:
        """Finds a cue of a kind between the borders of words, in any case."""
        try:
            return re.compile(rf"\b{self.alternatives(kind)}\b", re.IGNORECASE)
        except re.error as error:
            raise UserError(
                f"assertion_cues, the cues of the kind {kind!r}: {error}: write the cue that has "
                "brackets or other signs as a regular expression."
            ) from error

    def _is_told(self, kind: str, tokens: tuple[str, ...]) -> bool:
        """Whether the words of a clause have a cue of a kind."""
        return bool(self.pattern(kind).search(" ".join(tokens)))

    def _of(self, kind: str) -> list[str]:
        if kind not in self._cues:
            raise UserError(f"assertion_cues has no cue of the kind {kind!r}: add one.")
        return self._cues[kind]
