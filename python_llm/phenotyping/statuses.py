"""What a note says of each finding in it, learnt from the project's own notes.

The rules know that a finding is denied, past or somebody else's by cue words that seeds list, and
take it for present where they know none. This second reader lists nothing. It has learnt from the
notes of the seed example_notes in which every finding is marked with what is said of it: a logistic
regression over the words around a finding, ahead of and behind the list it stands in, in its
sentence and the next, and over where in the note it stands. How often it is right on notes it has
not learnt from: benchmarks/statuses.py.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from python_llm.errors import UserError
from python_llm.learnt.lessons import (
    MARKED,
    Arrays,
    Lesson,
    Row,
    Weights,
    as_array,
    as_texts,
)
from python_llm.parsing import folding
from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.negation import Assertion, Status
from python_llm.phenotyping.reading import OF_HISTORY, OF_PICTURES
from python_llm.phenotyping.readings import Reading

# the code of a mark in example_notes and what it says of the finding
CODES = {
    "n": "present",
    "p": "past",
    "d": "denied",
    "f": "relative",
    "c": "conditional",
    "u": "in_doubt",
    "t": "of_nobody",
}
# how likely a finding must be present for the rules to be believed that it is. One that alarms is
# believed the sooner, the more the note as a whole reads like an emergency: by the product of both
# odds; in a note too short to say, unless it is all but excluded
LEAST, LEAST_ODDS_OF_ALARM, LEAST_IN_SHORT_NOTE = 0.2, 0.05, 0.01
OVERRULED = 0.9  # how likely a status must be against another one that the rules tell
RAREST = 4  # contexts that a feature must stand in to count
LONG_NOTE = 80  # words and signs of a note that is told in an order
LONGEST_FINDING = 40  # characters of one that hides its words from the others
_C, _TOLERANCE = 10.0, 1e-3  # how strictly the weights are kept small: chosen out of fold
_MARK = re.compile(rf"\{{(?P<code>[{''.join(CODES)}]):(?P<words>[^{{}}]*)\}}")

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,/:]\d+)*|\n| / |[^\w\s]")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_FINDING, _LINE, _YEAR_WORD, _YES = "<finding>", "<line>", "<year>", "<yes>"
_BEFORE, _BEHIND = "<first>", "<last>"
_JOINTS = frozenset((",", "and", "or", "y", "o", "u", "e", "ni", "nor", "/", "&", "+", "-"))
_STOPS = frozenset((".", "!", "?", ";", _LINE))
_CLAUSE_STOPS = frozenset((",", "but", "pero", ":", "(", ")"))
# words that count: beside a finding, ahead of and behind it in its sentence, in those around it
_BESIDE, _AHEAD, _AFTER, _PAIRS, _EARLIER, _LATER = 3, 40, 30, 20, 12, 8
_HEADING_WORDS = 3
_QUARTERS = 4  # of a note
# a word counts the less the farther away it is
_NEAR, _FAR = (6, 1.0), (15, 0.7)
_FARTHEST = 0.5

# the cue that each status of a finding comes to (negation.Assertion)
_KIND_OF = {
    "past": "resolved",
    "denied": "negation",
    "relative": "family",
    "conditional": "conditional",
    "in_doubt": "uncertain",
    "of_nobody": "conditional",
}
# statuses that no mark of example_notes knows
_KEPT = frozenset((Status.PLANNED, Status.TRIGGER, Status.STOPPED))
JUDGED = frozenset(("finding", "sign", "measure"))
_HIDING = frozenset(("function", "unnamed"))  # their words are no context of the others
_LASTING = (OF_PICTURES, OF_HISTORY)  # signs of what lasts, or was: their past is no news

Span = tuple[int, int]
Features = dict[str, float]
Chances = Mapping[str, float]


class MarkError(UserError):
    """A note of example_notes whose marks cannot be read."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A note without its marks, and the characters and code of each finding that was marked."""

    note: str
    marks: tuple[tuple[Span, str], ...]


def unmarked(text: str) -> Marked:
    """The note and its marks: "no {d:fever}" is the note "no fever" with one finding. Raises
    MarkError for a brace that belongs to no mark."""
    parts, marks, at, length = [], [], 0, 0
    for match in _MARK.finditer(text):
        before, words = text[at : match.start()], match["words"]
        parts += [before, words]
        start = length + len(before)
        length, at = start + len(words), match.end()
        marks.append(((start, length), match["code"]))
    note = "".join([*parts, text[at:]])
    if "{" in note or "}" in note:
        raise MarkError(
            f"example_notes: a mark cannot be read in “{text[:80]}”: write {{code:words}} with "
            f"one of the codes {', '.join(CODES)}"
        )
    return Marked(note, tuple(marks))


def apart(spans: Iterable[Span]) -> list[Span]:
    """Of spans that overlap the longest, in order; none longer than LONGEST_FINDING."""
    chosen: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0] - span[1], span)):
        if 0 < end - start <= LONGEST_FINDING and all(
            end <= first or last <= start for first, last in chosen
        ):
            chosen.append((start, end))
    return sorted(chosen)


@dataclass(frozen=True)
class _Text:
    """The words of a note, each finding one word. own: of each finding its number among the
    words and the words that it consists of."""

    words: list[str]
    own: list[tuple[int, list[str]]]


def _text(note: str, spans: Sequence[Span]) -> _Text:
    """spans: in order, apart."""
    words: list[str] = []
    own: list[tuple[int, list[str]]] = []
    number, is_inside = 0, False
    note = composed(note)
    for match in _WORD.finditer(fold_in_place(note)):
        start, end = match.span()
        while number < len(spans) and spans[number][1] <= start:
            number, is_inside = number + 1, False
        # "sí" and "si" say opposite things
        word = _YES if note[start:end].lower() == "sí" else _common(match[0])
        if number < len(spans) and spans[number][0] < end and start < spans[number][1]:
            if not is_inside:
                own += [(len(words), [])] * (number - len(own)) + [(len(words), [])]
                words.append(_FINDING)
                is_inside = True
            own[number][1].append(word)
        else:
            words.append(word)
    return _Text(words, own + [(max(len(words) - 1, 0), [])] * (len(spans) - len(own)))


def _common(word: str) -> str:
    """What stands for a word: of a number how many digits it has, of a line's end one sign."""
    if word in ("\n", " / "):
        return _LINE
    if not word[0].isdigit():
        return word
    if _YEAR.match(word):
        return _YEAR_WORD
    for sign in "/:":
        if sign in word:
            return f"#{sign}#"
    return "#" * len(re.split(r"[.,]", word)[0])


@dataclass(frozen=True)
class _Layout:
    """sentences: the words [first, last) of each. sentence_of, heading_of: of each word the number
    of its sentence, and the heading it stands under."""

    sentences: list[Span]
    sentence_of: list[int]
    heading_of: list[str]


def _layout(words: Sequence[str]) -> _Layout:
    stops = [number + 1 for number, word in enumerate(words) if word in _STOPS]
    bounds = [0, *stops, len(words)]
    sentences = [(first, last) for first, last in pairwise(bounds) if first < last]
    sentence_of = [n for n, (first, last) in enumerate(sentences) for _ in range(first, last)]
    heading_of: list[str] = []
    heading = ""
    for number, word in enumerate(words):
        if word == ":":
            first = number
            while (
                first
                and number - first < _HEADING_WORDS
                and words[first - 1] not in _STOPS
                and words[first - 1] not in (",", ":")
            ):
                first -= 1
            heading = " ".join(words[first:number])
        heading_of.append(heading)
    return _Layout(sentences, sentence_of, heading_of)


def features_of(note: str, spans: Sequence[Span]) -> list[Features]:
    """What speaks for a status, of each finding in `spans` (characters, in order, apart)."""
    text = _text(note, spans)
    layout = _layout(text.words)
    contexts = []
    for at, own in text.own:
        features: Features = {}
        if own:
            sentence = layout.sentences[layout.sentence_of[at]]
            parts = (
                _beside(text.words, at),
                _around_list(text.words, at, sentence),
                _in_sentence(text.words, at, sentence),
                _in_note(text.words, at, layout),
                _of_itself(own),
            )
            for name, share in (pair for part in parts for pair in part):
                features[name] = max(features.get(name, 0.0), share)
        contexts.append(features)
    return contexts


def _beside(words: Sequence[str], at: int) -> Iterator[tuple[str, float]]:
    for gap in range(1, _BESIDE + 1):
        yield f"-{gap} {words[at - gap] if at >= gap else _BEFORE}", 1.0
        yield f"+{gap} {words[at + gap] if at + gap < len(words) else _BEHIND}", 1.0
        if gap > 1 and at >= gap:
            yield f"ahead {' '.join(words[at - gap : at])}", 1.0
        if gap > 1 and at + gap < len(words):
            yield f"behind {' '.join(words[at + 1 : at + 1 + gap])}", 1.0


def _around_list(words: Sequence[str], at: int, sentence: Span) -> Iterator[tuple[str, float]]:
    """The words ahead of and behind all findings of the list that it stands in."""
    first, last = sentence
    head, tail = at - 1, at + 1
    while head >= first and (words[head] == _FINDING or words[head] in _JOINTS):
        head -= 1
    while tail < last and (words[tail] == _FINDING or words[tail] in _JOINTS):
        tail += 1
    for gap in range(_BESIDE):
        yield f"head-{gap} {words[head - gap] if head - gap >= first else _BEFORE}", 1.0
        yield f"tail+{gap} {words[tail + gap] if tail + gap < len(words) else _BEHIND}", 1.0
        if gap and head - gap >= first:
            yield f"head {' '.join(words[head - gap : head + 1])}", 1.0
        if gap and tail + gap < len(words):
            yield f"tail {' '.join(words[tail : tail + gap + 1])}", 1.0
    yield f"in list {head != at - 1}", 1.0


def _in_sentence(words: Sequence[str], at: int, sentence: Span) -> Iterator[tuple[str, float]]:
    first, last = sentence
    ahead, after = words[first:at], words[at + 1 : last]
    for gap, word in enumerate(reversed(ahead[-_AHEAD:])):
        yield f"before {word}", _share(gap)
    for gap, word in enumerate(after[:_AFTER]):
        yield f"after {word}", _share(gap)
    for pair in pairwise(ahead[-_PAIRS:]):
        yield f"before2 {' '.join(pair)}", _FAR[1]
    for pair in pairwise(after[:_PAIRS]):
        yield f"after2 {' '.join(pair)}", _FAR[1]
    clause = at - 1
    while clause >= first and words[clause] not in _CLAUSE_STOPS:
        yield f"clause {words[clause]}", 1.0
        clause -= 1
    yield f"clause ends {words[clause] if clause >= first else _BEFORE}", 1.0
    if ahead.count("(") > ahead.count(")"):
        yield "in bracket", 1.0
    yield f"begins {words[first]}", 1.0
    yield f"begins {' '.join(words[first : first + 2])}", 1.0


def _share(gap: int) -> float:
    return next((share for words, share in (_NEAR, _FAR) if gap < words), _FARTHEST)


def _in_note(words: Sequence[str], at: int, layout: _Layout) -> Iterator[tuple[str, float]]:
    number = layout.sentence_of[at]
    is_long = len(words) >= LONG_NOTE  # where it stands in a short one says nothing
    if number:
        first, last = layout.sentences[number - 1]
        for word in words[first:last][-_EARLIER:]:
            yield f"earlier {word}", _FARTHEST
        yield f"earlier begins {' '.join(words[first : first + 2])}", _FAR[1]
    else:
        yield "first sentence", 1.0
    if number + 1 < len(layout.sentences):
        first, last = layout.sentences[number + 1]
        for word in words[first:last][:_LATER]:
            yield f"later {word}", _FARTHEST
        yield f"later begins {' '.join(words[first : first + 2])}", _FAR[1]
    elif is_long:
        yield "last sentence", 1.0
    if heading := layout.heading_of[at]:
        yield f"under {heading}", 1.0
        yield f"under {heading.rpartition(' ')[2]}", 1.0
    if is_long:
        yield f"quarter {_QUARTERS * at // len(words)}", 1.0


def _of_itself(own: Sequence[str]) -> Iterator[tuple[str, float]]:
    for word in own:
        yield f"own {word}", 1.0
    yield f"own first {own[0]}", 1.0
    yield f"own last {own[-1]}", 1.0
    yield f"own words {min(len(own), _BESIDE + 1)}", 1.0


@dataclass(frozen=True)
class Statuses:
    """What was learnt. numbers: of the features that count. weights: (feature, status);
    of_none: (status,); names: the statuses."""

    numbers: Mapping[str, int]
    weights: npt.NDArray[np.float16]
    of_none: Weights
    names: tuple[str, ...]

    def of(self, note: str, spans: Iterable[Span]) -> dict[Span, Chances]:
        """How much the note says each status of each of these findings (characters [start, end)).

        One that is longer than LONGEST_FINDING, or overlaps a longer one, is what those that it
        overlaps are: present as much as the most present, anything else as much as all are."""
        asked = set(spans)
        units = apart(asked)
        chances = dict(zip(units, self._chances(note, units), strict=True))
        answers: dict[Span, Chances] = {}
        for start, end in asked:
            overlapping = [chances[u] for u in units if u[0] < end and start < u[1]]
            if overlapping:
                of_all = dict(zip(self.names, np.min(overlapping, axis=0).tolist(), strict=True))
                if Status.PRESENT in of_all:
                    present = self.names.index(Status.PRESENT)
                    of_all[Status.PRESENT] = max(float(chance[present]) for chance in overlapping)
                answers[start, end] = of_all
        return answers

    def _chances(self, note: str, units: Sequence[Span]) -> Iterator[npt.NDArray[Any]]:
        for features in features_of(note, units):
            margins = self.of_none.astype(np.float64)
            if known := _measured(features, self.numbers):
                numbers, shares = zip(*known, strict=True)
                margins = margins + np.array(shares) @ self.weights[[*numbers]]
            odds = np.exp(margins - margins.max())
            yield odds / odds.sum()


def settled(
    readings: Sequence[Reading],
    statuses: Statuses,
    note: str,
    alarming: Collection[str],
    urgency: float | None,
) -> list[Reading]:
    """The readings of a note, each with the status that the rules and what was learnt come to.

    alarming: terms that raise a red flag. urgency: how much the note as a whole reads like an
    emergency, 0 to 1; None if it is too short to say. A finding that alarms is present by the rules
    alone unless that is all but excluded, or the note as a whole does not alarm either."""
    of_alarm = _least_of_alarm(urgency)
    judged = [r for r in readings if r.kind in JUDGED and r.end > r.start]
    hiding = [r for r in readings if r.kind in _HIDING and r.end > r.start]
    chances = statuses.of(note, ((r.start, r.end) for r in (*judged, *hiding)))
    settled_ones = []
    for reading in readings:
        if reading.kind in JUDGED and (of_span := chances.get((reading.start, reading.end))):
            is_alarm = reading.kind != "finding" or reading.hpo_id in alarming
            least = of_alarm if is_alarm else LEAST
            if reading.assertion.status is Status.PRESENT:
                assertion = _doubted(reading, of_span, least)
            elif is_alarm:
                assertion = reading.assertion
            else:
                assertion = _overruled(reading, of_span, note)
            reading = replace(reading, assertion=assertion)
        settled_ones.append(reading)
    return settled_ones


def _least_of_alarm(urgency: float | None) -> float:
    if urgency is None:
        return LEAST_IN_SHORT_NOTE
    # of 1 and 0 the odds are no numbers
    certain = min(max(urgency, 1e-6), 1 - 1e-6)
    odds = LEAST_ODDS_OF_ALARM * (1 - certain) / certain
    return min(odds / (1 + odds), LEAST)


def _doubted(reading: Reading, chances: Chances, least: float) -> Assertion:
    """What is said of a finding that is present by the rules."""
    likeliest = max(chances, key=chances.__getitem__)
    if likeliest == Status.PRESENT or chances.get(Status.PRESENT, 0.0) > least:
        return reading.assertion
    if likeliest == Status.PAST and reading.finding.startswith(_LASTING):
        return reading.assertion
    return reading.assertion.also(_KIND_OF[likeliest])


def _overruled(reading: Reading, chances: Chances, note: str) -> Assertion:
    """What is said of a finding that is something else than present by the rules."""
    assertion = reading.assertion
    likeliest = max(chances, key=chances.__getitem__)
    # "afebrile" is fever denied by its own word
    is_own = assertion.cue and assertion.cue in fold_in_place(note[reading.start : reading.end])
    if assertion.status in _KEPT or is_own or chances[likeliest] < OVERRULED:
        return assertion
    if likeliest == assertion.status:
        return assertion
    kind = _KIND_OF.get(likeliest)
    return Assertion(frozenset((kind,)) if kind else frozenset())


def learnt(rows: Sequence[Row]) -> Statuses:
    """What rows of example_notes whose status is marked teach (note: with its marks)."""
    # needed to learn alone: these take a second to import
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    contexts: list[Features] = []
    codes: list[str] = []
    for row in rows:
        marked = unmarked(row["note"])
        # a reader knows some of the findings alone: of every note one reading with all of them
        # hidden from each other, one with every second
        for marks in (marked.marks, marked.marks[::2]):
            contexts += features_of(marked.note, [span for span, _ in marks])
            codes += [code for _, code in marks]
    counts = Counter(name for features in contexts for name in features)
    names = sorted(name for name, count in counts.items() if count >= RAREST)
    numbers = dict(zip(names, range(len(names)), strict=True))
    shares, columns, ends = [], [], [0]
    for features in contexts:
        for number, share in _measured(features, numbers):
            columns.append(number)
            shares.append(share)
        ends.append(len(columns))
    matrix = csr_matrix((shares, columns, ends), shape=(len(contexts), len(names)))
    machine = LogisticRegression(C=_C, tol=_TOLERANCE, max_iter=400)
    machine.fit(matrix, codes)
    weights, of_none = machine.coef_, machine.intercept_
    if len(weights) == 1:  # of two statuses it keeps one row
        weights, of_none = (np.concatenate([0 * row, row]) for row in (weights, of_none))
    return Statuses(
        numbers,
        np.ascontiguousarray(weights.T, np.float16),
        of_none.astype(np.float32),
        tuple(CODES[code] for code in machine.classes_),
    )


def _measured(features: Features, numbers: Mapping[str, int]) -> list[tuple[int, float]]:
    """The numbers of the features that count and their shares, in a vector that is of length 1
    with those that do not."""
    length = math.sqrt(sum(share * share for share in features.values())) or 1.0
    return [
        (number, share / length)
        for name, share in features.items()
        if (number := numbers.get(name)) is not None
    ]


def _packed(made: Statuses) -> dict[str, Any]:
    return {
        "features": as_array(made.numbers),
        "weights": made.weights,
        "of_none": made.of_none,
        "names": as_array(made.names),
    }


def _unpacked(arrays: Arrays) -> Statuses:
    features = as_texts(arrays["features"])
    return Statuses(
        dict(zip(features, range(len(features)), strict=True)),
        arrays["weights"],
        arrays["of_none"],
        tuple(as_texts(arrays["names"])),
    )


LESSON = Lesson(
    name="statuses",
    columns=("note",),
    is_of=lambda row: row["status"] == MARKED,
    code=(Path(__file__), Path(folding.__file__)),
    learnt=learnt,
    packed=_packed,
    unpacked=_unpacked,
)
