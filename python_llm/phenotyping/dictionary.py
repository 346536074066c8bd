"""Names of findings in running text.

A name matches where all its words are near each other, in any order and with any ending: "fingers
are long" is Long fingers, "hepatosplenomegalia" is Hepatosplenomegaly. Words are compared by a root
that English and Spanish share, because most of them are Greek or Latin in both.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

from python_llm.phenotyping.text import Token, word_set

# Words that carry no meaning in a name; "with", "without" and "no" do carry one.
_EMPTY = word_set(
    "of the in on at to a an and or for by from as its their his her this that these is are was "
    "were be been being has have had de la el los las del al en un una unos unas y e o u es son "
    "era fue con se su sus lo que para por ha han become becomes became becoming very more "
    "quite rather muy mas algo bastante"
)
# not every -ly is an adverb: hepatomegaly, polydactyly, family
_ADVERB = re.compile(r"...[bdelst]ly$|.{3}mente$")
# these say what is impaired: mentally retarded
_TELLING_ADVERBS = word_set("mentally intellectually visually developmentally psychomotorally")
# signs that end a name; a comma or a hyphen may stand inside one
_WALLS = frozenset(".;:!?()[]•|=<>")
# these count only in a name that contains them: "absence seizures" is not an absence of seizures
_BOUND = word_set("absence ausencia no sin without lack falta not nor ni")
_DENIALS = _BOUND | word_set("absent ausente ausentes abolido abolida abolidos abolidas")
_ABSENT = {
    **dict.fromkeys(("absent",), ("absence", "lack")),
    **dict.fromkeys(("ausente", "ausentes"), ("ausencia", "falta")),
}
# between a noun and its attribute: "pitting of the nails", "the abdomen is distended"
_LINKS = word_set("of in on is are was were de del en es son era eran esta estan con")
# who shakes a hand has no tremor of it: the verb stands before its object
_GRASPS = word_set("shakes shake shook shaken")
_OF_SOMEBODY = word_set("the his her my their your")
_JOINTS = frozenset(("and", "or", "y", "e", "o", "u", "ni", ",", "/", "nor"))

_SOUNDS = (
    ("ph", "f"),
    ("th", "t"),
    ("rh", "r"),
    ("ch", "c"),
    ("qu", "c"),
    ("k", "c"),
    ("y", "i"),
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("z", "c"),
    ("cion", "tion"),
)
_DOUBLE = re.compile(r"([b-df-hj-np-tv-z])\1")
_LEADING = re.compile(r"^es(?=[bcdfglmnpqtv])")


def _longest_first(endings: str) -> Mapping[str, tuple[str, ...]]:
    """Endings by their last letter, the longest first."""
    by_letter: dict[str, tuple[str, ...]] = {}
    for ending in sorted(endings.split(), key=len, reverse=True):
        by_letter[ending[-1]] = (*by_letter.get(ending[-1], ()), ending)
    return by_letter


# Inflection, and the adjective of a noun in -ia or -y (microcephaly, microcephalic).
_INFLECTIONS = _longest_first(
    "ies ias ia i ical icales icas icos ico ica ic us um os as es s a e o"
)
# Derivation, which only names of several words allow: delay, delayed; develop, developmental.
_DERIVATIONS = _longest_first(
    "ities idades iti ity idad isms ismos ismo ism ically icales ical icas icos ico ica ic ies ias "
    "ia i us um os as es is o a e s al ales ar ares ed ing ment ally li osa oso osas osos ous "
    "ation ations ationes ated ates ating ative ion ions iones ive ives ivo iva"
)
_SHORTENED = frozenset(("s", "ia", "ic", "ico", "ica"))
# Endings that change the meaning: leukocyte and leukocytosis, vaginal and vaginismus.
_MEANINGFUL = re.compile(r"(?:osis|itis|ismus|isms?|ismos?|filia|iasis|osico|itic)$")
_SAME_MEANING = (
    *(("oses", "osis"), ("itides", "itis"), ("otic", "osis")),
    *((ending, "ism") for ending in ("ismos", "ismus", "isms", "ismo")),
)
# rash, rashes; but testes and tests differ
_SIBILANT_PLURAL = re.compile(r"(?:sh|x|ss)es$")
SHORTEST_ROOT = 5
# names that are not merely related to their term
SURELY = 0.9
# attributes in one list that share a noun
MOST_LISTED = 4
SHORTEST_WORD = 4
# shorter words are too easily mistaken; one slip in eight letters stays above the cut-off of 80
SHORTEST_CORRECTED = 8
# -y ends Greek nouns, which are long (sleepy does not come from sleep)
SHORTEST_GREEK = 8


def _spoken(word: str) -> str:
    """A folded word without the spelling differences between English and Spanish."""
    for written, spoken in _SOUNDS:
        if written in word:
            word = word.replace(written, spoken)
    return _DOUBLE.sub(r"\1", _LEADING.sub("s", word))


def _without_ending(word: str, endings: Mapping[str, Sequence[str]]) -> str:
    for ending in endings.get(word[-1:], ()):
        if word.endswith(ending):
            shortest = SHORTEST_WORD if ending in _SHORTENED else SHORTEST_ROOT
            if ending == "i" and len(word) < SHORTEST_GREEK:
                continue
            if len(word) - len(ending) >= shortest:
                return word[: -len(ending)]
    return word


@lru_cache(maxsize=200_000)
def roots_of(word: str) -> tuple[str, str]:
    """(strict, loose) root of a folded word: without inflection, and also without derivation.

    A name of one word is compared by its strict root, the words of a longer name by their loose
    roots. Words of up to four letters lose only a plural s; numbers stay.
    """
    if not word.isalpha():
        bare = word.removesuffix("'s")
        return bare, bare
    if len(word) <= SHORTEST_WORD:
        bare = word[:-1] if len(word) == SHORTEST_WORD and word.endswith("s") else word
        return bare, bare
    # mentally, mental; but not the "ally" of a short word
    word = _spoken(word.removesuffix("ly") if word.endswith("ally") and len(word) > 6 else word)
    for ending, singular in _SAME_MEANING:
        if word.endswith(ending):
            word = word[: -len(ending)] + singular
    if _SIBILANT_PLURAL.search(word):
        word = word[:-2]
    if _MEANINGFUL.search(word):
        return word, word
    strict = _without_ending(word, _INFLECTIONS)
    loose = _without_ending(_without_ending(word, _DERIVATIONS), _DERIVATIONS)
    return strict, loose


class Name(NamedTuple):  # there are forty thousand, and a tuple is made in half the time
    """A name of a finding: its meaningful words, its term, and how surely it means it (0 to 1)."""

    words: tuple[str, ...]
    hpo_id: str
    name: str
    claim: float

    @property
    def is_joint(self) -> bool:
        """Whether the name itself joins two findings ("Nausea and vomiting")."""
        return not _JOINTS.isdisjoint(self.name.lower().replace(",", " , ").split())


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in tokens [first, last) of a sentence; places: the tokens that are its words.
    confidence: 0 to 1; is_corrected: one of its words is misspelt; holds_denial: one of its words
    would otherwise deny findings (absent speech)."""

    first: int
    last: int
    places: frozenset[int]
    hpo_id: str
    name: str
    confidence: float
    is_corrected: bool = False
    holds_denial: bool = False


def _unpacked(name: Sequence[Any]) -> Name:
    words, hpo_id, text, claim = name
    return Name(tuple(words), hpo_id, text, claim)


class Dictionary:
    """Names of findings, indexed by the rarest of their roots."""

    def __init__(
        self,
        names: Iterable[Mapping[str, Any]],
        *,
        same_words: Mapping[str, str] | None = None,
        stop_names: Iterable[str] = (),
    ) -> None:
        """names: name_normalised, name, scope, hpo_id, claim, is_lay (an everyday word); each means
        one term. same_words: folded word to the word it counts as. stop_names: words and normalised
        names that mean something else in a note."""
        self._same = {roots_of(a)[1]: roots_of(b)[1] for a, b in (same_words or {}).items()}
        self._loose = cache(self._loose_root)  # notes and names repeat their words
        self._abnormal = self._loose("abnormal")
        self._stopped = stopped = frozenset(stop_names)
        singles: dict[str, Name] = {}
        as_spelt: dict[str, Name] = {}
        several: dict[frozenset[str], Name] = {}
        all_of: dict[frozenset[str], list[Name]] = {}
        self._shorts: dict[str, list[Name]] = {}
        spelt: set[str] = set()
        for row in names:
            if row["name_normalised"] in stopped:
                continue
            words = tuple(w for w in row["name_normalised"].split() if w not in _EMPTY)
            if not words:
                continue
            name = Name(words, row["hpo_id"], row["name"], row["claim"])
            if words[0] in _ABSENT and len(words) > 1:
                # "Absent speech" is written "absence of speech" as well
                for noun in _ABSENT[words[0]]:
                    other = name._replace(words=(noun, *words[1:]))
                    _keep_best(several, frozenset(map(self._loose, other.words)), other)
            if _is_short(row):
                self._shorts.setdefault(words[0], []).append(name)
                continue
            if not row["is_lay"]:
                spelt.update(word for word in words if len(word) >= SHORTEST_CORRECTED)
            if len(words) == 1:
                _keep_best(singles, roots_of(words[0])[0], name)
                _keep_best(as_spelt, words[0], name)
            else:
                key = frozenset(map(self._loose, words))
                _keep_best(several, key, name)
                all_of.setdefault(key, []).append(name)
        self._exact = _contested(all_of)
        commonness = Counter(chain.from_iterable(several))
        self._singles = singles
        self._as_spelt = _told_apart(as_spelt, singles)
        self._known = frozenset(singles) | frozenset(commonness)
        self._by_anchor: dict[str, list[tuple[Name, tuple[str, ...]]]] = {}
        self._packed_at: Mapping[str, str] = {}
        in_order = sorted(commonness, key=lambda root: (commonness[root], root))
        rarity = {root: number for number, root in enumerate(in_order)}.__getitem__
        for roots, name in several.items():
            anchor, *others = sorted(roots, key=rarity)
            self._by_anchor.setdefault(anchor, []).append((name, tuple(others)))
        self._spelt: dict[str, list[str]] = {}
        for word in sorted(spelt):
            self._spelt.setdefault(word[0], []).append(word)
        self._corrected: dict[str, str] = {}

    def packed(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return {
            "same": self._same,
            "stopped": sorted(self._stopped),
            "shorts": self._shorts,
            "exact": [(sorted(words), name) for words, name in self._exact.items()],
            "singles": self._singles,
            "as_spelt": self._as_spelt,
            "known": sorted(self._known),
            "by_anchor": self._packed_at
            or {root: json.dumps(named) for root, named in self._by_anchor.items()},
            "spelt": self._spelt,
        }

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> "Dictionary":
        """What `packed` gave. The names of an anchor are unpacked when a text has it."""
        dictionary = cls(())
        dictionary._same = packed["same"]
        dictionary._loose = cache(dictionary._loose_root)
        dictionary._abnormal = dictionary._loose("abnormal")
        dictionary._stopped = frozenset(packed["stopped"])
        dictionary._shorts = {
            word: [_unpacked(name) for name in names] for word, names in packed["shorts"].items()
        }
        dictionary._exact = {frozenset(words): _unpacked(name) for words, name in packed["exact"]}
        for attribute in ("singles", "as_spelt"):
            named = {word: _unpacked(name) for word, name in packed[attribute].items()}
            setattr(dictionary, f"_{attribute}", named)
        dictionary._known = frozenset(packed["known"])
        dictionary._packed_at = packed["by_anchor"]
        dictionary._spelt = packed["spelt"]
        return dictionary

    def _named_at(self, anchor: str) -> Sequence[tuple[Name, tuple[str, ...]]]:
        """The names whose rarest root this is, each with its other roots."""
        named = self._by_anchor.get(anchor)
        if named is None and anchor in self._packed_at:
            read = json.loads(self._packed_at[anchor])
            named = [(_unpacked(name), tuple(others)) for name, others in read]
            self._by_anchor[anchor] = named
        return named or ()

    def _loose_root(self, word: str) -> str:
        root = roots_of(word)[1]
        return self._same.get(root, root)

    def _correct(self, word: str) -> str:
        """A long unknown word as the word of a name that is one slip away; others unchanged."""
        strict, loose = roots_of(word)
        if len(word) < SHORTEST_CORRECTED or strict in self._known or loose in self._known:
            return word
        if word not in self._corrected:
            nearest = extractOne(
                word, self._spelt.get(word[0], ()), scorer=OSA.distance, score_cutoff=1
            )
            self._corrected[word] = word if nearest is None else nearest[0]
        return self._corrected[word]

    def find(
        self, tokens: Sequence[Token], text: str, *, is_every_name: bool = False
    ) -> list[Mention]:
        """Every finding named in a sentence; of names that share words, the fullest, or with
        is_every_name every one whose words stand together.

        tokens: of the folded text; text: as written, for abbreviations that need their capitals.
        """
        rooted: list[tuple[int, str]] = []
        corrected: set[int] = set()
        content: dict[int, int] = {}
        walls = [0]
        hits: list[tuple[frozenset[int], Name]] = []
        for position, token in enumerate(tokens):
            word = token.word
            walls.append(walls[-1] + (word in _WALLS))
            for name in self._shorts.get(word, ()):
                hit = _as_written(name, position, tokens, text)
                if hit:
                    hits.append((hit, name))
            if _is_empty(word):
                continue
            right = self._correct(word)
            if right != word:
                corrected.add(position)
            content[position] = len(rooted)
            rooted.append((position, self._loose(right)))
            single = self._as_spelt.get(right) or self._singles.get(roots_of(right)[0])
            if single is not None and word not in self._stopped:
                hits.append((frozenset((position,)), single))
        places: dict[str, list[int]] = {}
        for position, root in rooted:
            places.setdefault(root, []).append(position)
        for position, anchor in rooted:
            for name, others in self._named_at(anchor):
                if all(other in places for other in others):
                    hit = self._hit(name, position, others, places, content, walls, tokens)
                    if hit is not None:
                        ours = _strict(tokens[p].word for p in hit)
                        hits.append((hit, self._exact.get(ours, name)))
        return _fullest(hits, tokens, corrected, is_every_name=is_every_name)

    @staticmethod
    def _is_listed(used: Sequence[int], gap: int, tokens: Sequence[Token]) -> bool:
        """Whether the words between those of a name are a list of attributes that share its noun
        ("ophthalmic, articular and auditory anomalies")."""
        inside = [token.word for token in tokens[min(used) : max(used) + 1]]
        joints = sum(word in _JOINTS and after not in _JOINTS for word, after in pairwise(inside))
        return len(used) == 2 and gap <= MOST_LISTED and joints >= gap

    def _hit(
        self,
        name: Name,
        position: int,
        others: Sequence[str],
        places: Mapping[str, list[int]],
        content: Mapping[int, int],
        walls: Sequence[int],
        tokens: Sequence[Token],
    ) -> frozenset[int] | None:
        """The tokens of a name around one of its words; None if they do not form one expression."""
        used = [position]
        for other in others:
            used.append(min(places[other], key=lambda p: abs(p - position)))
        first, last = min(used), max(used)
        n = len(used)
        gap = content[last] - content[first] + 1 - n
        is_listed = gap > 0 and self._is_listed(used, gap, tokens)
        if (gap > min(n - 1, 2) and not is_listed) or walls[last] != walls[first]:
            return None
        inside = [token.word for token in tokens[first : last + 1]]
        ours = [self._loose(tokens[p].word) for p in sorted(used)]
        is_in_order = ours == [r for r in map(self._loose, name.words) if r in ours]
        if _BOUND.intersection(name.words):
            if "no para " in name.name and "para" not in inside:
                return None  # who does not vomit does not keep on vomiting either
            return frozenset(used) if is_in_order and not gap else None
        if (not is_in_order or inside[0] == "shaking") and _is_grasp(inside):
            return None
        if _BOUND.intersection(inside[:-1]):
            return None
        if not _JOINTS.isdisjoint(inside) and not name.is_joint:
            skipped = (p for p in content if first < p < last and p not in used)
            if any(roots_of(tokens[p].word)[0] in self._singles for p in skipped):
                return None  # "severe brachycephaly, hearing loss" is no severe hearing loss
            if inside[1] in _JOINTS and ours[0] == self._abnormal:
                return None  # in "an anomaly and a flat face", the face has no anomaly
            is_shared = is_listed and ours[-1] == self._abnormal
            if not gap or not (is_in_order or is_shared):
                return None
            if is_shared:
                return frozenset(used)
        if gap and not is_in_order and _LINKS.isdisjoint(inside):
            return None
        return frozenset(used)


def _is_grasp(words: Sequence[str]) -> bool:
    """Whether a verb has its object behind it: "shakes the hand", "shaking her hands"."""
    if not {"in", "of"}.isdisjoint(words):
        return False
    is_of_somebody = words[0] == "shaking" and words[1] in _OF_SOMEBODY
    return words[0] in _GRASPS or is_of_somebody


def _contested(all_of: Mapping[frozenset[str], list[Name]]) -> dict[frozenset[str], Name]:
    """Names of several terms with the same roots, by their inflected words: hypopigmented macules
    are no macular hypopigmentation."""
    return {
        _strict(name.words): name
        for names in all_of.values()
        if len(names) > 1 and len({name.hpo_id for name in names}) > 1
        for name in sorted(names, key=_preference, reverse=True)
    }


def _strict(words: Iterable[str]) -> frozenset[str]:
    return frozenset(roots_of(word)[0] for word in words)


def _is_empty(word: str) -> bool:
    """Whether a word may stand between the words of a name: function words, adverbs, signs."""
    if word in _EMPTY or not word[0].isalnum():
        return True
    return _ADVERB.search(word) is not None and word not in _TELLING_ADVERBS


def _told_apart(as_spelt: Mapping[str, Name], singles: Mapping[str, Name]) -> dict[str, Name]:
    """The names of one word whose root means something else: ronchas (wheals), ronca (snores)."""
    return {
        word: name
        for word, name in as_spelt.items()
        if name.claim >= SURELY and singles[roots_of(word)[0]].hpo_id != name.hpo_id
    }


def _is_short(row: Mapping[str, Any]) -> bool:
    """Whether a name is an abbreviation, which matches only in the same capitals."""
    return row["scope"] == "abbreviation" or (
        " " not in row["name"] and len(row["name"]) <= SHORTEST_WORD and row["name"].isupper()
    )


def _keep_best(names: dict[Any, Name], key: Any, name: Name) -> None:
    """Keep the surest of the names that share their roots, whatever their order."""
    known = names.get(key)
    if known is None or _preference(name) < _preference(known):
        names[key] = name


def _preference(name: Name) -> tuple[float, str, str, tuple[str, ...]]:
    return -name.claim, name.hpo_id, name.name, name.words


def _as_written(
    name: Name, position: int, tokens: Sequence[Token], text: str
) -> frozenset[int] | None:
    start = tokens[position].start
    end = start + len(name.name)
    if text[start:end] != name.name or text[end : end + 1].isalnum():
        return None
    last = position
    while last + 1 < len(tokens) and tokens[last + 1].end <= end:
        last += 1
    return frozenset(range(position, last + 1))


def _fullest(
    hits: list[tuple[frozenset[int], Name]],
    tokens: Sequence[Token],
    corrected: set[int],
    *,
    is_every_name: bool = False,
) -> list[Mention]:
    def looseness(hit: frozenset[int]) -> int:
        return max(hit) - min(hit) + 1 - len(hit)

    taken: set[int] = set()
    mentions = []
    for hit, name in sorted(
        hits, key=lambda h: (-len(h[0]), looseness(h[0]), _preference(h[1]), min(h[0]))
    ):
        shared = hit & taken
        if shared:
            # "short fingers and toes": two findings that share an adjective
            span = range(min(hit), max(hit) + 1)
            is_coordinated = any(tokens[p].word in _JOINTS for p in span)
            is_inside = is_every_name and hit <= taken and not looseness(hit)
            if not is_inside and (hit <= taken or not is_coordinated):
                continue
        taken |= hit
        first, last = min(hit), max(hit) + 1
        ours = [tokens[p].word for p in sorted(hit)]
        confidence = name.claim
        if ours != [word for word in name.words if word not in _EMPTY]:
            confidence *= 0.9
        if looseness(hit):
            confidence *= 0.95
        mentions.append(
            Mention(
                first,
                last,
                hit,
                name.hpo_id,
                name.name,
                round(confidence, 3),
                bool(corrected & hit),
                not _DENIALS.isdisjoint(ours),
            )
        )
    return sorted(mentions, key=lambda mention: (mention.first, mention.last))
