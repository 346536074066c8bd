"""Which concepts a text affirms: phrases by stem, negation and history by cue.

Cues and their scope follow NegEx (Chapman et al., J Biomed Inform 2001) and ConText (Harkema et
al., J Biomed Inform 2009), with cues for actions added ("hold", "rather than", "do not delay").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from snowballstemmer import stemmer

from python_llm.parsing.folding import without_accents
from python_llm.phenotyping.signs import most_telling, needs_of
from python_llm.recommendations.wording.amounts import DECIMAL_COMMA

# How far a cue reaches, in tokens; lists ("no fever, cough, sputum or chest pain") are long.
REACH_BEFORE = 10
REACH_AFTER = 6
# A history cue applies to what is beside it ("previous myocardial infarction").
REACH_HISTORY = 5
# A year applies to more of its clause ("STEMI treated with primary PCI in 2015").
REACH_YEAR = 9
_UNITS = frozenset(("mg", "ml", "ng", "pg", "u", "units", "l", "g", "mcg", "ug", "kcal", "iu"))
# Words that may stand inside a phrase: "exacerbation of his COPD".
GAP = 2
# What a verb and its particle take between them: "pull the old kitchen knife out".
SPLIT_GAP = 4
_PARTICLES = frozenset(("out", "off", "back", "up", "down", "away", "on", "over"))
_PARTING = frozenset(("no", "non"))
_NO_VERBS = frozenset(("collar", "face", "head", "cord", "rate", "flat", "back"))
_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?|,")
_YEAR_IN_BRACKETS = re.compile(r"[(\[]((?:19|20)\d\d)[)\]]")
_SENTENCE = re.compile(r"[;!?\n()\[\]]|\.(?=\s|$)|\s[–—-]\s")
# with texts of which a match holds one, if it must: most words have none of them
_SPELLINGS = [
    (re.compile(pattern), replacement, sorted(most_telling(needs_of(pattern))) or [""])
    for pattern, replacement in (
        (r"oedema", "edema"),
        (r"pnoea", "pnea"),
        (r"haem", "hem"),
        (r"kalaemi", "kalemi"),
        (r"aemi", "emi"),
        (r"oesoph", "esoph"),
        (r"tumour", "tumor"),
        (r"phaeo", "pheo"),
        (r"(\w{4})is(e[sd]?|ing|ation)\b", r"\1iz\2"),
        (r"\bk\+", "k"),
        # "quítele el apixabán": the pronoun behind an imperative that stops
        (
            r"\b(quiten?|retiren?|suspendan?|interrumpan?|eliminen?|omitan?|detengan?)"
            r"(?:se)?(l[aeo]s?)\b",
            r"\1 \2",
        ),
        # tazobactam is an eighth of piperacillin, and the vial is named by both: "4/0,5 g"
        (r"(?<![\d.,])4 ?(?:g ?)?/ ?0[.,]50? ?g\b", "4.5 g"),
        (r"(?<![\d.,])2 ?(?:g ?)?/ ?0[.,]25 ?g\b", "2.25 g"),
        (r"(?<![\d.,])4000 ?(?:mg ?)?/ ?500 ?mg\b", "4500 mg"),
        # "Mg 2 g", and not "5 mg"
        (r"(?<![\d.])(?<![\d.] )\bmg(?= \d+(?:\.\d+)? ?(?:g|mmol)\b)", "magnesium sulfate"),
        (r"\bmagnesi(?:um|o)(?= \d+(?:\.\d+)? ?(?:g|mmol)\b)", "magnesium sulfate"),
        # the name of an assay says nothing of its result
        (r"\b(?:high|ultra)[- ]?sensitiv(?:ity|e)\b(?=,? (?:cardiac )?(?:trop|ctn))", "hs"),
        (r"\bde alta sensibilidad\b", "ultrasensible"),
        # what an antidote is measured by: "1 mg per 100 units of heparin"
        (
            r"\b(per|por|cada) ((?:\d+ )?(?:mg|units?|ui|unidades)) (?:of|de)"
            r" (?:unfractionated )?(?:heparin|enoxaparin)\w*",
            r"\1 \2",
        ),
        (r"\bu ?& ?e'?s?\b", "urea electrolytes"),
        # a shock of pain, of news or of a lithotripter is none of the circulation
        (
            r"\belectric(?:al)?[- ]shocks?(?=[- ](?:like|pains?|sensations?|feelings?|down|along"
            r"|running|shooting|through))",
            "jolts",
        ),
        (r"\b(?:(?:like|as) (?:an? )?)?electric(?:al)? shocks?(?= (?:on|when|with) )", "jolts"),
        (r"\bshocks?[- ](?=like\b|waves?\b)", "jolt "),
        (
            r"\b(?:in (?:a )?(?:(?:state|degree) of )?shock|(?:shock|choque) emocional|shocked"
            r"|en (?:estado de )?(?:shock|choque))"
            r"(?= (?:by|about|at|over|after|with|from|because of|on hearing|por|tras|ante|con)"
            r" (?:the |her |his |their |this |such |bad |la |las |el |su |sus |mala |malas ){0,2}"
            r"(?:news|diagnosis|death|bereavement|announcement|redundancy|divorce|noticias?|muerte"
            r"|fallecimiento|diagnostico|duelo|despido|divorcio)\b)",
            "upset",
        ),
        (r"\b(?:(?:emotional|culture) shock|(?:shock|choque) (?:emocional|cultural))\b", "upset"),
        # what somebody can do orders nothing: "a nurse trained in chest drains"
        (
            r"\b(trained|experienced|skilled|competent|versed|(?:formad|entrenad|expert|capacitad)"
            r"[oa]s?) (?:in|with|en)(?: (?:using|the|giving|el|la|los|las|de|del))*"
            r" (?!(?:and|or|who|y|o|que)\b)[\w-]+"
            r"(?: (?!(?:and|or|who|goes|to|must|will|should|is|stays|with|y|o|que|va|debe|para|con"
            r"|acompan\w+)\b)[\w-]+){0,2}",
            r"\1",
        ),
        (DECIMAL_COMMA.pattern, "."),
        # how a labour ward writes the weeks: G2P1, 24+3/40; G2P1 at 24 weeks; IUP 24w
        (r"(?<![\d/])([4-9]|[1-3]\d|4[0-2])(?:\+\d)? ?/ ?40\b(?! ?mm)", r"\1 weeks gestation"),
        (
            r"\b(?:g ?\d{1,2}[ ,-]{0,2}(?:(?:ab?|p|v|c|t|l|m|e)[ .]?\d{1,4}[ ,-]{0,2}){1,5}|iup),?"
            r"\W{0,2}(?:(?:at|a|de|con|eg|ga)\W{1,2})?(\d{1,2})(?:\+\d)? ?"
            r"(?:w(?:eeks?|ks?)?|semanas?|sem|s)\b"
            r"(?!\W{1,3}(?:of|de|ago|post\w*|after|tras|old)\b(?!\W*(?:gesta|pregn|embaraz|amenorr)))",
            r"\1 weeks gestation",
        ),
        # the Greek letter and the micro sign; the token would be "g"
        (r"[\u00b5\u03bc](?=g\b)", "mc"),
    )
]
# routes with points between their letters: "i.v.", "e.v." (endovenosa), "v.o." (vía oral)
_ROUTE = re.compile(r"(?<![\w.])(?:(i)\.(v|m)|(e)\.(v)|(s)\.(c)|(p)\.(o)|(v)\.(o))\b\.?", re.I)
_DENYING = frozenset(("never", "not", "cannot", "don", "circumstances", "nunca", "caso"))
_JOINING = frozenset({"and", "or", "then", "y", "e", "luego", ","})
_AUXILIARY = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "being", "has", "have"),
        *("should", "must", "will", "would", "can", "could", "currently", "at", "this"),
        *("time", "therapy", "treatment", "use", "now", "therefore", "very", "also"),
    )
)


class Cue(NamedTuple):
    """The words of an assertion cue and its kind (before, after, pseudo, break, history, ...)."""

    words: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Mention:
    """A concept at tokens [start, end) of a clause. past: it is mentioned as history."""

    concept: str
    start: int
    end: int
    affirmed: bool
    past: bool


def words(text: str) -> list[str]:
    """Lower-case tokens without accents, in American spelling; a comma is a token."""
    return list(_words(text))


# the checks of one recommendation read each of its texts many times
@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    text = _with_plain_routes(without_accents(text.lower()))
    for pattern, replacement, telling in _SPELLINGS:
        for part in telling:
            if part in text:
                text = pattern.sub(replacement, text)
                break
    return tuple(_TOKEN.findall(text))


def clauses(text: str) -> Iterator[list[str]]:
    """The tokens of each clause; a decimal point does not end one."""
    for tokens in _clauses(text):
        yield list(tokens)


@lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[tuple[str, ...], ...]:
    # a year in brackets belongs to what stands before it
    parts = _SENTENCE.split(_YEAR_IN_BRACKETS.sub(r" \1 ", _with_plain_routes(text)))
    return tuple(tokens for part in parts if (tokens := _words(part)))


def _with_plain_routes(text: str) -> str:
    """A text with the routes of drugs written without points ("i.v. directa": "iv directa"); a
    point stays where a sentence may end."""

    def plain(match: re.Match[str]) -> str:
        route = "".join(letter for letter in match.groups() if letter)
        following = text[match.end() :].lstrip()
        return f"{route}." if not following or following[0].isupper() else route

    return _ROUTE.sub(plain, text)


class Cues:
    """The assertion cues of one use: findings in notes, or actions in recommendations."""

    def __init__(self, rows: Iterable[Mapping[str, str]], use: str, past_before: int = 0) -> None:
        """past_before: a year below it makes what stands beside it history ("STEMI in 2015")."""
        self._past_before = past_before
        self._by_first: dict[str, list[Cue]] = defaultdict(list)
        for row in rows:
            if row["applies_to"] in (use, "both"):
                cue = Cue(tuple(words(row["cue"])), row["kind"])
                self._by_first[cue.words[0]].append(cue)
        for cues in self._by_first.values():
            cues.sort(key=lambda cue: (-len(cue.words), cue.kind != "pseudo"))

    def marked(self, tokens: list[str]) -> dict[int, Cue]:
        """The longest cue at each token where one begins; nothing overlaps a pseudo cue."""
        cue_at: dict[int, Cue] = {}
        taken_until = 0
        for position, token in enumerate(tokens):
            if position < taken_until:
                continue
            if self._is_past_year(tokens, position):
                cue_at[position] = Cue((token,), "history")
            for cue in self._by_first.get(token, ()):
                if tuple(tokens[position : position + len(cue.words)]) == cue.words:
                    cue_at[position] = cue
                    if cue.kind in ("pseudo", "after", "directly_after"):
                        taken_until = position + len(cue.words)
                    break
        return cue_at

    def _is_past_year(self, tokens: list[str], position: int) -> bool:
        token = tokens[position]
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        return (
            len(token) == 4
            and token.isdigit()
            and 1900 < int(token) < self._past_before
            and following not in _UNITS
        )

    def tells_history(self, tokens: list[str]) -> bool:
        """Whether a cue makes the clause history."""
        return any(cue.kind == "history" for cue in self.marked(tokens).values())


class Phrases:
    """Finds concepts by their phrases, and whether the text affirms them."""

    def __init__(
        self, phrases: Iterable[tuple[str, str]], cues: Cues, *, splits: bool = False
    ) -> None:
        """splits: a verb may stand apart from its particle, and what is between counts, too."""
        self._cues, self._splits = cues, splits
        # not shared: a stemmer is not safe to use from several threads
        self._stemmer = stemmer("english")
        self._stems: dict[str, str] = {}
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for concept, phrase in dict.fromkeys(phrases):
            stems = tuple(self._stem(word) for word in words(phrase) if word != ",")
            self._by_first[stems[0]].append((stems, concept))
            # "take the binder off" is "take off the binder"
            if splits and is_phrasal(stems) and len(stems) > 2:
                self._by_first[stems[0]].append((stems[:1] + stems[2:] + stems[1:2], concept))

    def _stem(self, word: str) -> str:
        if word not in self._stems:
            self._stems[word] = self._stemmer.stemWord(word)
        return self._stems[word]

    def mentions(self, text: str) -> list[Mention]:
        """Every mention in a text, clause by clause."""
        return [mention for tokens in clauses(text) for mention in self.in_clause(tokens)]

    def affirmed(self, text: str, *, past: bool = True) -> set[str]:
        """Concepts that the text affirms at least once; past: including mentions of history."""
        return {m.concept for m in self.mentions(text) if m.affirmed and (past or not m.past)}

    def in_clause(self, tokens: list[str]) -> Iterator[Mention]:
        """Every mention in the tokens of one clause; not what stands in the middle of a longer
        name."""
        stems = [self._stem(token) for token in tokens]
        spans = []
        for start, stem in enumerate(stems):
            for phrase, concept in self._by_first.get(stem, ()):
                is_split = self._splits and len(phrase) == 2 and is_phrasal(phrase)
                end = _match(stems, start, phrase, SPLIT_GAP if is_split else GAP)
                if end is not None:
                    # "ventilación no invasiva" is no "ventilación invasiva"
                    is_other = not _PARTING.isdisjoint(stems[start + 1 : end - 1]) and (
                        _PARTING.isdisjoint(phrase)
                    )
                    spans.append((concept, start, end, is_split, is_other))
        if not spans:
            return
        cues = self._cues.marked(tokens)
        completed = max((n for n, cue in cues.items() if cue.kind == "completed"), default=-1)
        # how far the spans reach that begin ahead of each: looked for among all of them, a list of
        # two thousand names took minutes
        reached: dict[int, int] = {}
        farthest = 0
        for _, start, end, is_split, _ in spans:
            reached.setdefault(start, farthest)
            farthest = max(farthest, start if is_split else end)
        for concept, start, end, _, is_other in spans:
            # Wolff-Parkinson-White is no Parkinson's disease
            if end < reached[start]:
                continue
            is_affirmed = not is_denied(tokens, cues, start, end)
            if is_other and is_affirmed:
                continue
            yield Mention(
                concept,
                start,
                end,
                is_affirmed,
                # a course that is over stands anywhere behind what it was for
                completed >= end or _past(tokens, cues, start, end),
            )


def is_phrasal(phrase: tuple[str, ...]) -> bool:
    """Whether a phrase begins with a verb and its particle: "take out"."""
    return len(phrase) > 1 and phrase[1] in _PARTICLES and phrase[0] not in _NO_VERBS


def _match(stems: list[str], start: int, phrase: tuple[str, ...], gap: int = GAP) -> int | None:
    """Where the phrase that begins at `start` ends; None if the tokens do not match."""
    position = start
    for wanted in phrase[1:]:
        for step in range(1, gap + 2):
            if position + step >= len(stems) or stems[position + step] == ",":
                return None
            if gap > GAP and stems[position + step] in _JOINING:
                return None
            if stems[position + step] == wanted:
                position += step
                break
        else:
            return None
    return position + 1


def is_denied(tokens: list[str], cues: dict[int, Cue], start: int, end: int) -> bool:
    """Whether the phrase at tokens [start, end) is negated, from the left or from the right."""
    return _before(tokens, cues, start, end) or is_denied_after(tokens, cues, end)


def _before(tokens: list[str], cues: dict[int, Cue], start: int, end: int) -> bool:
    """Whether the phrase is negated from the left, or by a cue inside it."""
    for position in range(start + 1, end):
        cue = cues.get(position)
        if cue and cue.kind in ("before", "directly_before") and end - start > 1:
            return True
    for position in range(start - 1, max(-1, start - 1 - REACH_BEFORE), -1):
        cue = cues.get(position)
        if cue is None:
            continue
        if position + len(cue.words) > start and cue.kind != "before":
            continue
        if cue.kind == "before":
            return not _is_twice_denied(tokens, position)
        if cue.kind == "directly_before":
            if position + len(cue.words) == start:
                return True
        elif cue.kind == "break":
            return False
        elif cue.kind == "break_unless_of":
            if position + 1 < len(tokens) and tokens[position + 1] != "of":
                return False
        elif cue.kind == "verb" and (position == 0 or tokens[position - 1] in _JOINING):
            return False
    return False


def _is_twice_denied(tokens: list[str], position: int) -> bool:
    """Whether the cue is the second of "never … without", "do not … without": that affirms."""
    if tokens[position] not in ("without", "sin"):
        return False
    for token in reversed(tokens[max(0, position - REACH_BEFORE) : position]):
        if token == ",":
            return False
        if token in _DENYING:
            return True
    return False


def is_denied_after(tokens: list[str], cues: dict[int, Cue], end: int) -> bool:
    """Whether the phrase is negated from the right, across auxiliaries and one other word at
    most."""
    others = 0
    for position in range(end, min(len(tokens), end + REACH_AFTER)):
        cue = cues.get(position)
        if cue and (cue.kind == "after" or (cue.kind == "directly_after" and not others)):
            return True
        if cue and cue.kind in ("break", "pseudo"):
            return False
        token = tokens[position]
        if token in _JOINING:
            return False
        if token not in _AUXILIARY and not token[0].isdigit():
            others += 1
        if others > 1:
            return False
    return False


def _past(tokens: list[str], cues: dict[int, Cue], start: int, end: int) -> bool:
    def is_near(position: int) -> bool:
        reach = REACH_YEAR if tokens[position].isdigit() else REACH_HISTORY
        return start - reach <= position < end + reach

    longest = max(REACH_YEAR, REACH_HISTORY)
    near = range(max(0, start - longest), min(len(tokens), end + longest))
    return any(
        is_near(position)
        and cues[position].kind == "history"
        and not any(
            cues[between].kind == "break"
            for between in range(min(position, end), max(position, start))
            if between in cues
        )
        and "," not in tokens[min(position, end) : max(position, start)]
        for position in near
        if position in cues
    )
