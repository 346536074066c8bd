"""A deed that harms in a situation: a mask over the face of whoever breathes through the neck, a
synchronised shock in ventricular fibrillation (rows `deed` of order_limits;
docs/specification.md#grounds).

The words of a row are alternatives (`;`) of parts (`&`) of synonyms (`/`). The parts stand in one
action or in one sentence of a record. Of a record, a part behind `!` stands nowhere, one behind `^`
in any sentence (the signs of a disease), and one behind `@` is not history; of both, one behind `~`
is named, be it affirmed or not ("stop baclofen", "no clozapine for five days"). Of an action,
`#away` is any word that puts off, sends home or reassures, in a recommendation that does nothing at
once, and `#omits` any that leaves something out (cues `puts_off`, `omits` and others).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from python_llm.recommendations.checks.answered import Answers
from python_llm.recommendations.checks.rewritten import Asides
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Mention, Phrases, clauses, words

# "S. aureus" is one name
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)(?!(?<=\b[A-Z]\.)\s[a-z])")
_NUMBER_WITH_UNIT = re.compile(r"(?<=\d)(?=(?:J|[mM]?[lL])\b)")
# "4 J/kg" is no amount
_FOR_A_WEIGHT = frozenset(("kg", "per", "por", "a"))
# a pronoun behind a Spanish infinitive or gerund: "retirarlo" is "retirar it"
_PRONOUN_BEHIND = re.compile(
    r"\b([a-zñ]+(?:[aeiáéí]r|[aá]ndo|i[eé]ndo|yendo))(?:[mts]e|nos)?l[aeo]s?\b", re.IGNORECASE
)
# A phrase that says "no" itself ("no isolation", "position not confirmed") is denied by no cue.
_DENYING = frozenset(("no", "not", "without", "nothing", "never", "sin", "nunca"))
# What the words of a record tell of today has this before it.
_TODAY = "today "
# What an action names, affirmed or not.
_NAMED = "named "
_MARKS = {"@": _TODAY, "~": _NAMED}
# Words of a kind, as the cues of assertion_cues have them.
_OMITS, _AWAY = "#omits", "#away"
_LEADS_AWAY = (
    *("puts_off", "sends_home", "sends_away", "can_wait", "makes_light", "calls_benign"),
    *("reassures_falsely", "carries_on", "explains_away"),
)
# "home alone tonight" says when somebody leaves, and nothing that is done at once
_LEAVES_NOW = re.compile(
    r"\b(home|casa|domicilio|discharged?|alta)\b([^.;,]{0,25}?)"
    r"\b(?:tonight|today|now|this evening|esta noche|hoy|ya|ahora)\b",
    re.IGNORECASE,
)
Sentence = frozenset[str]


@dataclass(frozen=True)
class Part:
    """Synonyms of which one is told, or none (is_absent); in any sentence (is_anywhere)."""

    synonyms: frozenset[str]
    is_absent: bool = False
    is_anywhere: bool = False

    @classmethod
    def read(cls, text: str) -> Part:
        """`!a / b`: neither; `^a / b`: in any sentence; `@a`: of today; `~a`: named."""
        is_absent, is_anywhere = text.startswith("!"), text.startswith("^")
        texts = [part.strip() for part in text.removeprefix("!").removeprefix("^").split("/")]
        marked = (f"{_MARKS[t[:1]]}{t[1:]}" if t[:1] in _MARKS else t for t in texts)
        return cls(frozenset(marked), is_absent, is_anywhere)


@dataclass(frozen=True)
class Told:
    """Alternatives of parts, as a row of the seed writes them."""

    alternatives: tuple[tuple[Part, ...], ...]

    @classmethod
    def read(cls, text: str) -> Told:
        """The alternatives of a field; none of an empty one."""
        return cls(tuple(tuple(_parts(alternative)) for alternative in names(text)))

    def phrases(self) -> Iterator[str]:
        """Every phrase, without its mark."""
        for alternative in self.alternatives:
            for part in alternative:
                for synonym in part.synonyms:
                    phrase = synonym.removeprefix(_TODAY).removeprefix(_NAMED)
                    if phrase[:1] != "#":
                        yield phrase

    @property
    def kinds(self) -> set[str]:
        """The kinds of words that stand among the phrases."""
        synonyms = (s for parts in self.alternatives for part in parts for s in part.synonyms)
        return {synonym for synonym in synonyms if synonym[:1] == "#"}

    def holds(self, sentences: Sequence[Sentence]) -> bool:
        """Whether one sentence has all parts of an alternative but those of any sentence, and none
        has what is to be absent."""
        return any(_is_told_by(alternative, sentences) for alternative in self.alternatives)


def _is_told_by(alternative: Sequence[Part], sentences: Sequence[Sentence]) -> bool:
    wanted = [part for part in alternative if not part.is_absent]
    together = [part.synonyms for part in wanted if not part.is_anywhere]
    is_told = any(
        all(not sentence.isdisjoint(synonyms) for synonyms in together) for sentence in sentences
    ) and all(
        any(not sentence.isdisjoint(part.synonyms) for sentence in sentences)
        for part in wanted
        if part.is_anywhere
    )
    return is_told and all(
        sentence.isdisjoint(part.synonyms)
        for part in alternative
        if part.is_absent
        for sentence in sentences
    )


def _parts(alternative: str) -> Iterator[Part]:
    for part in alternative.split("&"):
        yield Part.read(part.strip())


@dataclass(frozen=True)
class Deed:
    """One row. low, high: the amounts before the words within which nothing is wrong."""

    subject: str
    done: Told
    present: Condition | None
    told: Told
    reason: str
    safe_here: tuple[str, ...]
    safe_anywhere: tuple[str, ...]
    low: float | None
    high: float | None

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Deed:
        """A row of order_limits; `+` before a safe word: in any action."""
        safe = [(word[:1] == "+", " ".join(words(word))) for word in names(row["safe_with"])]
        return cls(
            subject=row["subject"].replace("_", " "),
            done=Told.read(row["phrases"]),
            present=Condition.read(row["applies_when"]) if row["applies_when"] else None,
            told=Told.read(row["record_phrases"]),
            reason=row["against"],
            safe_here=tuple(word for anywhere, word in safe if not anywhere),
            safe_anywhere=tuple(word for anywhere, word in safe if anywhere),
            low=float(row["low"]) if row["low"] else None,
            high=float(row["high"]) if row["high"] else None,
        )

    def is_harmful_amount(self, number: float) -> bool:
        """Whether an amount is outside the limits."""
        return (self.low is not None and number < self.low) or (
            self.high is not None and number > self.high
        )

    @property
    def is_amount(self) -> bool:
        """Whether only an amount makes the deed wrong."""
        return self.low is not None or self.high is not None


class Deeds:
    """Finds the deeds of a recommendation that its patient must not have."""

    def __init__(self, knowledge: Knowledge) -> None:
        rows = [row for row in knowledge.tables["order_limits"] if row["kind"] == "deed"]
        self._deeds = [Deed.read(row) for row in rows]
        # the rows that a phrase of an action may belong to
        self._of_phrase: dict[str, set[int]] = defaultdict(set)
        for number, deed in enumerate(self._deeds):
            for phrase in (*deed.done.phrases(), *deed.done.kinds):
                self._of_phrase[phrase].add(number)
        self._done = knowledge.advice_phrases(
            phrases_of(deed.done for deed in self._deeds), splits=True
        )
        self._asides, self._answers = Asides(knowledge), Answers(knowledge)
        self._in = knowledge.lexicon.pattern
        self._in_record = knowledge.record_phrases(phrases_of(deed.told for deed in self._deeds))

    def situation(self, patient: Patient) -> list[Sentence]:
        """What each sentence of a record tells of the situations of the rows."""
        return situation(self._in_record, patient)

    def problems(
        self,
        text: str,
        others: Sequence[str],
        situation: Callable[[], Sequence[Sentence]],
        findings: set[str],
        at_once: Sequence[str] | None = None,
    ) -> Iterator[str]:
        """What is wrong with an action. others: every action of the recommendation.
        situation: what its patient's record tells, asked for only by what may be a deed.
        at_once: those of the others that wait for no change of the patient; all of them unless
        told."""
        doing = others if at_once is None else at_once
        kinds: dict[str, list[float]] = {kind: [] for kind in self._kinds(text, doing)}
        text = _pronouns_apart(text)
        done = _mentioned(self._done, text) | kinds
        if not done:
            return
        told = [frozenset(done)]
        # what is called needless is no shelter
        here = _plain([self._asides.left_by(text)])
        anywhere = _plain([self._asides.left_by(_pronouns_apart(other)) for other in others])
        rows = set().union(*(self._of_phrase.get(phrase, ()) for phrase in done))
        for deed in (self._deeds[number] for number in sorted(rows)):
            if not deed.done.holds(told):
                continue
            if deed.is_amount and not any(
                deed.is_harmful_amount(number)
                for phrase in deed.done.phrases()
                for number in done.get(phrase, ())
            ):
                continue
            if deed.present is not None and not deed.present.holds(findings):
                continue
            if deed.told.alternatives and not deed.told.holds(situation()):
                continue
            if any(f" {word} " in here for word in deed.safe_here):
                continue
            if not any(f" {word} " in anywhere for word in deed.safe_anywhere):
                yield f"{deed.subject}: {deed.reason}"

    def _kinds(self, text: str, others: Sequence[str]) -> Iterator[str]:
        """The kinds of words that an action has."""
        plain = " ".join(words(text))
        if self._in("omits").search(plain):
            yield _OMITS
        is_away = any(self._in(kind).search(plain) for kind in _LEADS_AWAY)
        if is_away and not any(self._acts_now(other) for other in others):
            yield _AWAY

    def _acts_now(self, text: str) -> bool:
        """Whether a text does something at once, and not only if the patient gets worse."""
        return any(
            self._answers.is_urgent(part) and not self._in("condition").search(part)
            for part in _SENTENCE.split(_LEAVES_NOW.sub(r"\1\2", text))
        )


def _pronouns_apart(text: str) -> str:
    return _PRONOUN_BEHIND.sub(r"\1 it", text)


def situation(finder: Phrases, patient: Patient) -> list[Sentence]:
    """What each sentence of a record tells of the phrases of a finder."""
    sentences = []
    for text in [*patient.notes, *patient.conditions]:
        for sentence in _SENTENCE.split(_pronouns_apart(text)):
            told: set[str] = set()
            # "no breath sounds: tension pneumothorax" denies the sounds alone
            for piece in sentence.split(": "):
                for mention in finder.mentions(piece):
                    told.add(_NAMED + mention.concept)
                    if _is_told(mention):
                        told.add(mention.concept)
                    if _is_told(mention) and not mention.past:
                        told.add(_TODAY + mention.concept)
            sentences.append(frozenset(told))
    return sentences


def phrases_of(fields: Iterable[Told]) -> list[tuple[str, str]]:
    """Every phrase as its own concept, for a finder."""
    return [(phrase, phrase) for told in fields for phrase in told.phrases()]


def _is_told(mention: Mention) -> bool:
    return mention.affirmed or not _DENYING.isdisjoint(mention.concept.split())


def _plain(texts: Sequence[str]) -> str:
    return f" {' '.join(word for text in texts for word in words(text))} "


def _mentioned(finder: Phrases, text: str) -> dict[str, list[float]]:
    """The phrases that a text affirms, with the amounts before them, and those it names."""
    amounts_of: dict[str, list[float]] = {}
    for tokens in clauses(_NUMBER_WITH_UNIT.sub(" ", text)):
        for mention in finder.in_clause(tokens):
            amounts_of[_NAMED + mention.concept] = []
            if not _is_told(mention):
                continue
            amounts = amounts_of.setdefault(mention.concept, [])
            before = tokens[mention.start - 1] if mention.start else ""
            behind = tokens[mention.end : mention.end + 1]
            if before.replace(".", "", 1).isdigit() and not _FOR_A_WEIGHT & set(behind):
                amounts.append(float(before))
    return amounts_of
