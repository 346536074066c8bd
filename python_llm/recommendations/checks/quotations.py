"""Whether a cited passage says what is claimed of it: entailment by rule, without a model.

Two texts are compared: the statement of a row of evidence with the passage whose id it bears, and
an action with the passages it cites. A claim fails if it reverses the passage (negation, direction,
order, limit), or names a drug, a disease, a quantity or a class that the passage does not have. A
paraphrase passes: words are compared by stem, drugs by class, quantities in any unit
(docs/specification.md#quotations).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import takewhile

from snowballstemmer import stemmer

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.checks.preferences import reversed_preference
from python_llm.recommendations.knowledge import Knowledge, Row
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.schema import Evidence, Patient, Recommendation
from python_llm.recommendations.wording.amounts import DECIMAL_COMMA
from python_llm.recommendations.wording.phrases import Cue, Cues, clauses, words

# What an order may say of a measure and its passage says the other way round.
_OUTCOMES = frozenset(("effect", "duration"))
# How many words beside a direction tell what it is a direction of.
NEAR = 4
# How many words a negation covers, and which share of them must be in the other text.
COVERED, SHARED = 3, 0.6
# A statement of at least this many words of content shares one in five with its passage.
LEAST_WORDS, LEAST_OVERLAP = 5, 0.2
TOLERANCE = 0.011


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Opposite words. A direction is reversed where two texts speak of the same thing in opposite words.
_AXES: Mapping[str, tuple[str, str]] = {
    "change": (
        "increase increases increased raise raises raised rise rises "
        "elevate elevates elevated up double doubles",
        "reduce reduces reduced lower lowers lowered decrease decreases decreased fall falls cut "
        "cuts diminish diminishes down halve halves lessen lessens",
    ),
    "duration": (
        "prolong prolongs prolonged lengthen lengthens lengthened extend extends",
        "shorten shortens shortened",
    ),
    "level": (
        "high higher highest more most greater greatest maximal",
        "low lowest less least fewer smaller smallest minimal",
    ),
    "effect": (
        "improve improves improved benefit benefits help helps prevent prevents protect protects "
        "relieve relieves better safe tolerated",
        "worsen worsens worsened harm harms harmful aggravate aggravates cause causes "
        "precipitate precipitates worse unsafe dangerous",
    ),
    "time": (
        "immediately immediate promptly prompt early once now urgent urgently emergently first",
        "delay delays delayed late later elective electively eventually last defer deferred "
        "tomorrow wait waits waiting postpone postpones postponed",
    ),
    "order": ("before", "after"),
    "start": (
        "start starts started begin begins begun initiate continue continues continued add added",
        "stop stops stopped discontinue discontinued withdraw withdrawn cease withhold withheld",
    ),
    "degree": ("severe unstable massive instability", "mild stable stability"),
    "route": ("intravenous intravenously iv parenteral", "oral orally"),
}
_POLES = {
    word: (axis, sign)
    for axis, poles in _AXES.items()
    for sign, pole in ((1, poles[0]), (-1, poles[1]))
    for word in pole.split()
}
_NOT = _words("no not never without cannot neither nor")
# cues of actions that deny what they cover; "hold" and "allergy" do more than that
_DENYING = _NOT | _words(
    "avoid avoiding avoided contraindicated withhold withheld refrain needless"
)
# where these stand, a text is for an action in one case and against it in another
_ASIDE = _words("when where if unless until because which who ,")
_CONDITIONAL = _words("only unless except if until")
_OF_A_NOUN = _words("a the its of other another reversible underlying this any")
_STOP = _words(
    "a an the and or of to in is are was were be been with for on at by from as it its that this "
    "these those who which where when while into such can may should must will would has have had "
    "patient patients , than then there their they given give gives"
)
_NUMBER_WORDS = {
    "zero": 0.0,
    **{"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0},
    **{"eight": 8.0, "nine": 9.0, "ten": 10.0, "eleven": 11.0, "twelve": 12.0, "twenty": 20.0},
    **{"thirty": 30.0, "forty": 40.0, "once": 1.0, "twice": 2.0, "half": 0.5},
}
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_NUMBER_WORDS)})\b( and a half\b)?")
# unit: (dimension, factor to the base unit)
_UNITS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("mass", 1.0)),
    **dict.fromkeys(("g", "gram", "grams"), ("mass", 1e3)),
    **dict.fromkeys(("mcg", "ug", "µg", "microgram", "micrograms"), ("mass", 1e-3)),
    **dict.fromkeys(("min", "minute", "minutes"), ("time", 1.0)),
    **dict.fromkeys(("h", "hour", "hours", "hourly"), ("time", 60.0)),
    **dict.fromkeys(("day", "days"), ("time", 1440.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 10080.0)),
    **dict.fromkeys(("month", "months"), ("time", 43800.0)),
    **dict.fromkeys(("%", "percent", "per cent"), ("share", 1.0)),
    **dict.fromkeys(("mm",), ("length", 1.0)),
    **dict.fromkeys(("cm",), ("length", 10.0)),
    **dict.fromkeys(("ml", "millilitre", "millilitres"), ("volume", 1.0)),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters"), ("volume", 1e3)),
    **dict.fromkeys(("mmol/l", "meq/l"), ("molarity", 1.0)),
    **dict.fromkeys(("unit", "units", "iu"), ("units", 1.0)),
    **dict.fromkeys(("mg/kg",), ("mass by weight", 1.0)),
    **dict.fromkeys(("mcg/kg", "µg/kg"), ("mass by weight", 1e-3)),
    **dict.fromkeys(("ml/kg",), ("volume by weight", 1.0)),
    **dict.fromkeys(("mg/dl",), ("mass in volume", 1.0)),
}
_QUANTITY = re.compile(
    r"(?<![\w.\-#])(\d+(?:[.,]\d+)?)(?![\d:])(?:\s*(?:-|–|to)\s*(\d+(?:\.\d+)?))?"
    rf"(?:[\s-]*({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![\w/]))?"
)
_MORE = r"above|over|more than|greater than|exceed(?:s|ing)?|at least|beyond|[>≥]=?"
_LESS = r"below|under|less than|lower than|at most|no more than|up to|within|[<≤]=?"
_LIMIT = re.compile(
    rf"(?:\b|(?<=\s)|^)(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\s*(?:[a-z]+\s+){{0,3}}?"
    r"(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<before>\d+(?:\.\d+)?)\s*(?:%|percent|[a-z]{1,6}(?:/[a-z]+)?)?\s*(?:or|and)\s*"
    r"(?:(?P<up>more|above|higher|over|greater|longer|older)|(?P<down>less|below|lower|under|fewer|"
    r"younger|shorter))\b"
)
_MEASURED = re.compile(r"(?<![\w.#/-])(\d+(?:\.\d+)?)(?![\d:/])\s*([^\s,;()]*)")
_CLASS = re.compile(r"\bclass(?:\s+of\s+recommendation)?\s+(iii|ii|i|[123])\s*([ab])?\b")
_FIRST = re.compile(r"\b(?:first|initial|preferred|immediately|at once)\b")
_LAST = re.compile(
    r"\b(?:not (?:the )?(?:first|initial|preferred)|(?:comes|is|as) (?:the )?(?:second|last)"
    r"|last (?:mode|resort|option|choice|step)|reserv\w+|no (?:es|son) (?:la |el )?(?:primer\w*"
    r"|de eleccion|preferid\w+)|segunda (?:linea|opcion)|ultim[oa] (?:opcion|recurso|paso)"
    r"|(?:after|once|if|when|cuando|si) [^.]{0,30}\b(?:fails?|failed|fracas\w+))\b"
)
# "2000 ml" is no year
_YEAR = re.compile(r"\b(19[89]\d|20[0-4]\d)\b(?! ?(?:ml|mg|mcg|g|units?|ui?|iu|l)\b)")
_ROMAN = {"i": "1", "ii": "2", "iii": "3"}
_OPENING_DENIAL = re.compile(
    r"\s*(?:please\s+)?(?:do not|don't|never|avoid|withhold|refrain from)\b"
    r"(?! delay| withhold| hold| stop| wait| omit| defer| hesitate| discontinue)"
    r"(?:(?!\.\s|\bbut\b|\binstead\b)[^;])*",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(because|since|due to|given the|in view of|contraindicat|allerg|bleeding)")
# What makes a mention of a drug an example of its class.
_EXAMPLE = re.compile(r"\b(such as|for example|for instance|e\.?g\.?|like)\b")
# Findings that are the name of a disease: a passage about one does not support a claim on another.
_DISEASES = {
    "heart_failure": "heart failure",
    "acute_heart_failure_stated": "heart failure",
    "cardiogenic_shock": "cardiogenic shock",
    "pneumonia_stated": "pneumonia",
    "pulmonary_embolism_stated": "pulmonary embolism",
    "copd": "COPD",
    "copd_exacerbation_stated": "COPD",
    "mi_stated": "acute coronary syndrome",
    "nstemi_stated": "acute coronary syndrome",
    "st_elevation": "acute coronary syndrome",
    "asthma": "asthma",
    "lung_nodule": "lung nodule",
    "aortic_dissection": "aortic dissection",
    "large_effusion": "pleural effusion",
    "pleural_effusion": "pleural effusion",
}
# Conditions of guidelines that a patient has or has not; the others are of no single disease.
_CONDITIONS = {
    "chf": "heart failure",
    "pneumonia": "pneumonia",
    "copd": "COPD",
    "pe": "pulmonary embolism",
    "mi": "acute coronary syndrome",
}


@dataclass(frozen=True)
class Pole:
    """A word of direction: its axis, its sign (negation applied) and the stems beside it."""

    axis: str
    sign: int
    word: str
    near: frozenset[str]


@dataclass(frozen=True)
class Denial:
    """The stems that a negation covers, and the words that make its clause conditional."""

    covered: frozenset[str]
    condition: frozenset[str]


@dataclass(frozen=True)
class Reading:
    """What a text says, as far as rules tell. concepts and diseases: affirmed or denied (or both);
    quantities: (value, unit's dimension or "") in base units; limits: +1 or -1 by number;
    denies_flatly: it opens with "do not", and gives no reason."""

    stems: frozenset[str]
    clauses: tuple[frozenset[str], ...]
    concepts: Mapping[str, frozenset[bool]]
    diseases: Mapping[str, frozenset[bool]]
    poles: tuple[Pole, ...]
    denials: tuple[Denial, ...]
    quantities: frozenset[tuple[float, str]]
    limits: Mapping[float, frozenset[int]]
    strengths: frozenset[str]
    years: frozenset[int]
    has_examples: bool
    denies_flatly: bool
    conditions: tuple[frozenset[str], ...]

    @property
    def condition(self) -> frozenset[str]:
        """The words that make it hold in one case and not in another."""
        return frozenset().union(*self.conditions)

    def clauses_under(self, condition: frozenset[str]) -> Iterator[frozenset[str]]:
        """The clauses that are conditional by these words, or by none."""
        pairs = zip(self.clauses, self.conditions, strict=True)
        return (clause for clause, words in pairs if words == condition)

    @property
    def warns(self) -> bool:
        """Whether it speaks of harm, and so against what it names."""
        return any(pole.axis == "effect" and pole.sign < 0 for pole in self.poles)


class Quotations:
    """Compares claims with the passages they cite."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._cues = Cues(knowledge.tables["assertion_cues"], "action")
        self._stemmer = stemmer("english")
        self._of_condition: dict[str, set[str]] = defaultdict(set)
        self._held: dict[str, frozenset[str]] = {}
        for row in knowledge.tables["clinical_problems"]:
            held = Condition.read(row["holds_when"]).names
            self._held[row["problem"]] = held
            self._of_condition[row["condition"]] |= held
        self.read = lru_cache(maxsize=4096)(self._read)
        self._passages: dict[str, Reading] = {}
        self._compared: dict[tuple[str, str], str] = {}

    # reading

    def _stem(self, word: str) -> str:
        return self._stemmer.stemWord(word)

    def _read(self, text: str) -> Reading:
        tokens = [list(clause) for clause in clauses(text)]
        poles: list[Pole] = []
        denials: list[Denial] = []
        stems: list[frozenset[str]] = []
        for clause in tokens:
            cues = self._cues.marked(clause)
            poles += self._poles(clause)
            denials += self._denials(clause, cues)
            stems.append(frozenset(self._stem(token) for token in clause if _is_content(token)))
        concepts: dict[str, set[bool]] = defaultdict(set)
        # an opening "do not" denies a list to its end, however long
        opening = _OPENING_DENIAL.match(text)
        rest = text[opening.end() :] if opening else text
        for concept, affirmed in self.knowledge.action_mentions(rest):
            concepts[concept].add(affirmed)
        if opening:
            for concept, _ in self.knowledge.action_mentions(opening[0]):
                concepts[concept].add(False)
        diseases: dict[str, set[bool]] = defaultdict(set)
        for finding, affirmed in self.knowledge.finding_mentions(text):
            if finding in _DISEASES:
                diseases[_DISEASES[finding]].add(affirmed)
        lower = without_accents(text.lower())
        return Reading(
            frozenset().union(*stems),
            tuple(stems),
            {concept: frozenset(polarity) for concept, polarity in concepts.items()},
            {disease: frozenset(polarity) for disease, polarity in diseases.items()},
            tuple(poles),
            tuple(denials),
            frozenset(_quantities(lower)),
            _limits(_NUMBER_WORD.sub(_digits, lower)),
            frozenset(_strengths(lower)),
            frozenset(int(year) for year in _YEAR.findall(lower)),
            bool(_EXAMPLE.search(lower)),
            bool(opening) and not _REASON.search(lower),
            tuple(_CONDITIONAL & set(clause) for clause in tokens),
        )

    def _poles(self, clause: Sequence[str]) -> Iterator[Pole]:
        content = [(at, self._stem(token)) for at, token in enumerate(clause) if _is_content(token)]
        for at, token in enumerate(clause):
            if token not in _POLES or (token == "once" and clause[at - 1 : at] != ["at"]):
                continue
            # "a reversible cause", "treat the cause": what is looked for, and no harm
            if token == "cause" and _OF_A_NOUN & set(clause[max(0, at - 2) : at]):
                continue
            if token == "help" and clause[at - 1 : at] == ["for"]:  # call for help
                continue
            axis, sign = _POLES[token]
            before = clause[max(0, at - 2) : at]
            if any(word in _NOT for word in before) and "or" not in before:
                sign = -sign
            beside = [c for c in content if _POLES.get(clause[c[0]], ("",))[0] != axis]
            left = [stem for position, stem in beside if position < at][-NEAR:]
            right = [stem for position, stem in beside if position > at][:NEAR]
            yield Pole(axis, sign, token, frozenset((*left, *right)))

    def _denials(self, clause: Sequence[str], cues: Mapping[int, Cue]) -> Iterator[Denial]:
        """The stems that each negation of a clause covers."""
        for at, cue in cues.items():
            end = at + len(cue.words)
            if not _DENYING & set(cue.words):
                continue
            # "if not improved" denies no order, and what it says is denied in the passage, too
            if cue.kind == "before" or cue.words == ("if", "not"):
                reach = takewhile(lambda token: token not in _ASIDE, clause[end:])
                covered = [token for token in reach if _is_content(token)][:COVERED]
            elif cue.kind == "after":
                reach = takewhile(lambda token: token not in _ASIDE - {","}, reversed(clause[:at]))
                covered = [token for token in reach if _is_content(token)][:COVERED]
            else:
                continue
            if covered:
                stems = frozenset(self._stem(token) for token in covered)
                yield Denial(stems, _CONDITIONAL & set(clause))

    def _passage(self, key: str) -> Reading:
        if key not in self._passages:
            row = self.knowledge.documents[key]
            text, title = self._read(row["document_text"]), self._read(row["title"])
            # a title names what the passage is about, whatever the passage says of it
            self._passages[key] = replace(
                text,
                stems=text.stems | title.stems,
                concepts={**title.concepts, **text.concepts},
                diseases={**title.diseases, **text.diseases},
                quantities=text.quantities | title.quantities,
            )
        return self._passages[key]

    def _diseases_of(self, row: Row) -> set[str]:
        """The diseases a passage is about, by its text and by what its row says of it."""
        reading = self._passage(f"{row['document_id']}#{row['chunk_number']}")
        named = self._of_condition.get(row["condition"], set()).copy()
        for column in ("applies_when", "unless"):
            for name in Condition.read(row[column]).names:
                named |= {name} | self._held.get(name, set())
        return set(reading.diseases) | {_DISEASES[name] for name in named if name in _DISEASES}

    # comparing

    def of_evidence(self, row: Evidence, patient: Patient | None) -> str:
        """Why a row of evidence misquotes its document, with the passage; empty if it does not."""
        document = self.knowledge.documents.get(row.document_id)
        if document is None:
            return self._of_record(row, patient) if patient is not None else ""
        if row.statement == document["document_text"]:
            return ""
        key = (row.document_id, row.statement)
        if key not in self._compared:
            if len(self._compared) > 4096:
                self._compared.clear()
            claim = self.read(row.statement)
            problem = (
                self._misquotes(claim, document)
                or self._demoted(row.statement, document)
                or reversed_preference(
                    row.statement, document["document_text"], self.knowledge.book
                )
            )
            self._compared[key] = f"{problem}; the passage: {_quoted(document)}" if problem else ""
        return self._compared[key]

    def _misquotes(self, claim: Reading, document: Row) -> str:
        passage = self._passage(f"{document['document_id']}#{document['chunk_number']}")
        return (
            self._class_or_year(claim, [document])
            or self._reversed(claim, passage)
            or self._drugs(claim, passage, document)
            or self._other_disease(claim, [document])
            or self._quantities(claim, passage)
            or self._foreign(claim, passage, document)
        )

    def _demoted(self, statement: str, document: Row) -> str:
        """What a claim puts last that the passage puts first, in whichever language."""
        first = _FIRST.search(" ".join(words(document["document_text"])))
        last = _LAST.search(" ".join(words(statement)))
        passage = self._passage(f"{document['document_id']}#{document['chunk_number']}")
        both = self.read(statement).concepts.keys() & passage.concepts.keys()
        if first and last and both and not _LAST.search(" ".join(words(document["document_text"]))):
            return f"reversed: “{last[0]}” where the passage has “{first[0]}”"
        return ""

    @staticmethod
    def _class_or_year(claim: Reading, documents: Sequence[Row]) -> str:
        guidelines = [row for row in documents if row["guideline"]]
        if not guidelines:
            return ""
        for strength in sorted(claim.strengths):
            known = {
                s for row in guidelines for s in _strengths(row["recommendation_class"].lower())
            }
            if known and not any(strength == s or strength == s[:1] for s in known):
                return f"it claims Class {strength}, the guideline says Class {min(known)}"
        years = {int(row["guideline_year"]) for row in guidelines if row["guideline_year"]}
        stated = {int(y) for row in documents for y in _YEAR.findall(row["document_text"])}
        for year in sorted(claim.years - stated):
            if years and year not in years:
                return f"it cites {year}, the document is of {min(years)}"
        return ""

    @staticmethod
    def _reversed(claim: Reading, passage: Reading) -> str:
        """What the claim says the other way round; empty if nothing."""
        for concept in sorted(claim.concepts.keys() & passage.concepts.keys()):
            if claim.condition != passage.condition:
                continue
            if claim.concepts[concept] == {False} and passage.warns:
                continue
            if not claim.concepts[concept] & passage.concepts[concept]:
                verb = "advises" if True in claim.concepts[concept] else "advises against"
                return f"reversed: it {verb} {_readable(concept)}, the passage does the opposite"
        for denying, other, whose in ((claim, passage, "it"), (passage, claim, "the passage")):
            for denial in denying.denials:
                known = denial.covered & other.stems
                if (
                    known
                    and len(known) >= SHARED * len(denial.covered)
                    and not any(_covers(denied.covered, known) for denied in other.denials)
                    and any(known <= clause for clause in other.clauses_under(denial.condition))
                    and (len(known) > 1 or _same_clause(known, denying, other))
                ):
                    return f"reversed: {whose} alone denies “{' '.join(sorted(known))}”"
        if opposite := _opposite(claim, passage, frozenset(_AXES)):
            return opposite
        for number in sorted(claim.limits.keys() & passage.limits.keys()):
            if not claim.limits[number] & passage.limits[number]:
                return f"reversed: the limit of {number:g} is on the other side"
        return ""

    def _drugs(self, claim: Reading, passage: Reading, document: Row) -> str:
        known = set(passage.concepts)
        classes = self.knowledge.drugs_of_class
        for action in names(document["actions"]):
            known |= {action, self.knowledge.actions[action]["drug_class"]}
        for drug in sorted(self._named_drugs(claim)):
            of = {name for name, members in classes.items() if drug in members}
            siblings = {member for name in of for member in classes[name]} & passage.concepts.keys()
            if drug in known or drug in self.knowledge.action_concepts - self._all_drugs:
                continue
            if not of & known:
                return f"it names {drug}, the passage does not"
            if siblings and not passage.has_examples and not of & self._generic(passage, document):
                return f"it names {drug}, the passage names {', '.join(sorted(siblings))}"
        for name in sorted(claim.concepts.keys() & classes.keys()):
            if name not in known and not classes[name] & known:
                return f"it names {_readable(name)}, the passage does not"
        return ""

    @cached_property
    def _all_drugs(self) -> set[str]:
        return set().union(*self.knowledge.drugs_of_class.values())

    def _named_drugs(self, reading: Reading) -> set[str]:
        return reading.concepts.keys() & self._all_drugs

    def _generic(self, reading: Reading, document: Row) -> set[str]:
        """Classes that a passage names as such, beside or without single drugs of them."""
        text = " ".join(words(document["document_text"]))
        return {
            row["drug_class"]
            for action in reading.concepts.keys() & self.knowledge.actions.keys()
            for row in [self.knowledge.actions[action]]
            if row["drug_class"]
            and any(phrase in text for phrase in self._class_phrases.get(action, ()))
        }

    @cached_property
    def _class_phrases(self) -> dict[str, list[str]]:
        phrases: dict[str, list[str]] = defaultdict(list)
        for row in self.knowledge.tables["action_phrases"]:
            phrase = " ".join(words(row["phrase"]))
            if phrase not in self._all_drugs:
                phrases[row["action"]].append(phrase)
        return phrases

    def _other_disease(self, claim: Reading, documents: Sequence[Row]) -> str:
        about = set().union(*(self._diseases_of(row) for row in documents))
        named = {disease for disease, polarity in claim.diseases.items() if True in polarity}
        if named and about and not named & about:
            return f"it is about {min(named)}, the passage about {', '.join(sorted(about))}"
        foreign = named - about if len(documents) == 1 else set()
        return f"it speaks of {min(foreign)}, the passage does not" if foreign and about else ""

    @staticmethod
    def _quantities(claim: Reading, passage: Reading) -> str:
        known = {dimension for _, dimension in passage.quantities}
        for value, dimension in sorted(claim.quantities):
            if not dimension and value in claim.years:
                continue
            alike = [
                other
                for other, kind in passage.quantities
                if kind == dimension or not dimension or not kind
            ]
            if any(abs(other - value) <= TOLERANCE * abs(other) for other in alike):
                continue
            if dimension or value > 2 or known:
                return f"it says {value:g}{_base(dimension)}, the passage does not"
        return ""

    def _foreign(self, claim: Reading, passage: Reading, document: Row) -> str:
        if len(claim.stems) < LEAST_WORDS or claim.concepts.keys() & passage.concepts.keys():
            return ""
        shared = claim.stems & passage.stems
        if len(shared) < LEAST_OVERLAP * len(claim.stems):
            return "the passage says nothing of the kind"
        return ""

    def of_action(
        self,
        text: str,
        rows: Sequence[Evidence],
        findings: set[str] | None = None,
        suspected: frozenset[str] = frozenset(),
    ) -> str:
        """Why the passages that an action cites do not support it; empty if they do.

        findings: those of the patient, who must have what the guidelines of a treatment are about;
        suspected: the problems that are only suspected, which may be treated before they are
        proven.

        Rows of the patient's own record say why, not what to do: an action that cites nothing else
        is not judged here.
        """
        documents = [
            self.knowledge.documents[row.document_id]
            for row in rows
            if row.document_id in self.knowledge.documents
        ]
        if not documents:
            return ""
        claim = self.read(text)
        passages = [
            self._passage(f"{row['document_id']}#{row['chunk_number']}") for row in documents
        ]
        problem = (
            self._unsupported(claim, documents, passages)
            or self._class_or_year(claim, documents)
            or self._disease_of_action(claim, documents)
            or self._not_indicated(claim, documents, findings and findings | suspected)
            or next(filter(None, (self._demoted(text, row) for row in documents)), "")
            or next(filter(None, (_opposite(claim, p, _OUTCOMES) for p in passages)), "")
        )
        return f"{problem}; the passage: {_quoted(documents[0])}" if problem else ""

    def _unsupported(
        self, claim: Reading, documents: Sequence[Row], passages: Sequence[Reading]
    ) -> str:
        classes = self.knowledge.drugs_of_class
        curated: set[str] = set()
        for row in documents:
            for action in names(row["actions"]):
                curated |= {action, self.knowledge.actions[action]["drug_class"]}
        polarities: dict[str, set[bool]] = defaultdict(set)
        for passage in passages:
            for concept, polarity in passage.concepts.items():
                polarities[concept] |= polarity
        for name in sorted(claim.concepts.keys() & classes.keys()):
            family = {name} | classes[name]
            if True not in claim.concepts[name] or family & curated:
                continue
            # a passage that says "antibiotics" speaks of each of them
            family |= self.knowledge.book.closures.get(name, frozenset()) & polarities.keys()
            known = set().union(*(polarities.get(member, set()) for member in family))
            if any(passage.warns and family & passage.concepts.keys() for passage in passages):
                known.discard(True)
            if known == {False}:
                return f"reversed: it advises {_readable(name)}, what it cites advises against it"
            if not known:
                return f"what it cites does not name {_readable(name)}"
        for name in sorted(claim.concepts.keys() & curated):
            if claim.concepts[name] != {False}:
                continue
            n_against = sum(True not in p.concepts.get(name, {True}) for p in passages)
            flatly = claim.denies_flatly and n_against <= self._n_advising(name, documents)
            if flatly or (name in classes and False not in polarities.get(name, set())):
                return f"reversed: it advises against {_readable(name)}, what it cites advises it"
        # whoever calls for help needs no passage that says so
        wanted = {
            concept
            for concept, polarity in claim.concepts.items()
            if True in polarity
            and self.knowledge.actions.get(concept, {}).get("category") != "escalation"
        }
        advised = curated | {c for c, p in polarities.items() if True in p}
        closures = self.knowledge.book.closures
        if wanted and not any(({name} | closures.get(name, set())) & advised for name in wanted):
            return f"what it cites says nothing of {', '.join(sorted(map(_readable, wanted)))}"
        return ""

    def _n_advising(self, name: str, documents: Sequence[Row]) -> int:
        """How many documents advise an action, or one of a drug class."""
        actions = self.knowledge.actions
        return sum(
            any(name in (action, actions[action]["drug_class"]) for action in names(row["actions"]))
            for row in documents
        )

    def _disease_of_action(self, claim: Reading, documents: Sequence[Row]) -> str:
        guidelines = [row for row in documents if row["source_type"] == "guideline"]
        named = {disease for disease, polarity in claim.diseases.items() if True in polarity}
        about = set().union(*(self._diseases_of(row) for row in guidelines))
        if named and about and not named & about:
            return f"it treats {min(named)}, what it cites is about {', '.join(sorted(about))}"
        return ""

    def _not_indicated(
        self, claim: Reading, documents: Sequence[Row], findings: set[str] | None
    ) -> str:
        treats = {
            concept
            for concept, polarity in claim.concepts.items()
            if True in polarity
            and (
                concept in self.knowledge.drugs_of_class
                or self.knowledge.actions.get(concept, {}).get("category") == "treatment"
            )
        }
        if findings is None or not treats:
            return ""
        about = {
            row["condition"]
            for row in documents
            if row["source_type"] == "guideline" and row["condition"] in _CONDITIONS
        }
        held = {
            row["condition"]
            for row in self.knowledge.tables["clinical_problems"]
            if row["problem"] in findings
        }
        # venous thrombosis of the leg is anticoagulated like embolism (CHEST VTE 2021)
        if findings & {"acute_dvt", "dvt"} and all(
            "anticoagulant" in self.knowledge.book.closures.get(concept, ())
            or concept.startswith("anticoagulation")
            for concept in treats
        ):
            held.add("pe")
        # what is said of septic shock in pneumonia is said of every septic shock (SSC 2021)
        if "sepsis" in findings and any(
            row["guideline"] == "Surviving Sepsis Campaign" for row in documents
        ):
            held.add("pneumonia")
        if about and not about & held:
            labels = ", ".join(_CONDITIONS[name] for name in sorted(about))
            return f"it is for {labels}, which this patient is not known to have"
        return ""

    # the patient's own record

    def _of_record(self, row: Evidence, patient: Patient | None) -> str:
        """Why a statement about the patient is not what the record says. Gives no value of it."""
        if patient is None or row.document_id not in (
            "patient/notes",
            "patient/labs",
            "patient/chest_xray",
        ):
            return ""
        wrong = self._values_of_record(row.statement, patient)
        if not wrong and row.document_id == "patient/notes":
            claim, record = self.read(row.statement), self._record_of(patient)
            for disease in sorted(claim.diseases.keys() & record.diseases.keys()):
                if not claim.diseases[disease] & record.diseases[disease]:
                    wrong = disease
                    break
        return f"the record of the patient says otherwise of {wrong}" if wrong else ""

    @cached_property
    def _lab_units(self) -> set[str]:
        return {
            unit.rsplit("=", 1)[0].strip().lower()
            for row in self.knowledge.tables["lab_tests"]
            for unit in names(row["accepted_units"])
        } - {""}

    def _record_of(self, patient: Patient) -> Reading:
        return self.read("\n".join([*patient.conditions, *patient.notes]))

    def _values_of_record(self, statement: str, patient: Patient) -> str:
        """The first measurement of a statement that the patient's record does not have."""
        measured: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for lab in patient.labs:
            name = self.knowledge.lab_name(lab.name) or lab.name.lower()
            if lab.value is not None:
                measured[name].append((lab.value, lab.unit.lower()))
        record = " ".join([*patient.notes, *patient.conditions, *patient.medications]).lower()
        if statement.lower().strip(" .") in record:
            return ""
        statement = DECIMAL_COMMA.sub(".", statement)
        record = DECIMAL_COMMA.sub(".", record)
        loose = {value for value, _ in _quantities(record)}
        loose |= {value for values in measured.values() for value, _ in values}
        loose |= {*patient.vitals.values(), *patient.measurements.values(), patient.age}
        loose |= {round(item.probability, 2) for item in patient.chest_xray}
        loose |= {round(100 * item.probability) for item in patient.chest_xray}
        for test, value, unit in self._named_values(statement):
            of_name = measured.get(test or "")
            if f"{value:g} {unit}" in record:
                continue
            if of_name and not any(
                abs(value - known) <= TOLERANCE * abs(known) + 1e-9
                and (unit == known_unit or not known_unit or unit not in self._lab_units)
                for known, known_unit in of_name
            ):
                in_notes = any(abs(value - known) <= 1e-9 for known, _ in _quantities(record))
                if not in_notes or any(abs(value - known) <= 1e-9 for known, _ in of_name):
                    return test or "a value"
            elif not of_name and not any(
                abs(value - known) <= TOLERANCE * abs(known) + 1e-9 for known in loose
            ):
                return test or "a value"
        return ""

    def _named_values(self, statement: str) -> Iterator[tuple[str | None, float, str]]:
        """Each number of a statement with the laboratory test before it and the unit after it."""
        for part in re.split(r"[,;\n]|\.\s|\band\b", statement):
            for match in re.finditer(
                r"(?<![\w.#/-])(\d+(?:\.\d+)?)(?![\d:/])\s*([^\s,;()]*)", part
            ):
                before = re.findall(r"[^\s,;:=()]+", part[: match.start()])
                name: str | None = None
                for size in (3, 2, 1):
                    for start in range(max(0, len(before) - size - 1), len(before) - size + 1):
                        name = name or self.knowledge.lab_name(
                            " ".join(before[start : start + size])
                        )
                yield name, float(match[1]), match[2].lower().rstrip(".")


def misquotations(
    quotations: Quotations,
    recommendation: Recommendation,
    patient: Patient | None,
    findings: set[str] | None,
) -> Iterator[tuple[str, str]]:
    """Each row of evidence and each action (item), and what is wrong with it ("" if nothing)."""
    rows = {row.ref: row for row in recommendation.evidence_table}
    suspected = quotations.knowledge.suspected(patient) if patient else frozenset()
    for row in rows.values():
        yield f"evidence {row.ref}", quotations.of_evidence(row, patient)
    for number, action in enumerate(recommendation.recommended_actions, 1):
        cited = [rows[ref] for ref in action.evidence_refs if ref in rows]
        yield (
            f"support of action {number}",
            quotations.of_action(action.action, cited, findings, suspected),
        )


def _opposite(claim: Reading, passage: Reading, axes: frozenset[str]) -> str:
    """What the claim says of the same thing in the opposite word, of these axes; empty if
    nothing."""
    for pole in (pole for pole in claim.poles if pole.axis in axes):
        same = [p for p in passage.poles if p.axis == pole.axis]
        agree = max((len(p.near & pole.near) for p in same if p.sign == pole.sign), default=0)
        against = max((len(p.near & pole.near) for p in same if p.sign != pole.sign), default=0)
        if against > agree:
            word = next(
                p.word for p in same if p.sign != pole.sign and len(p.near & pole.near) == against
            )
            return f"reversed: “{pole.word}” where the passage has “{word}”"
    return ""


def _is_content(token: str) -> bool:
    return token not in _STOP and token not in _NOT and not token[0].isdigit()


def _covers(denied: frozenset[str], known: frozenset[str]) -> bool:
    return len(known & denied) >= SHARED * len(known)


def _same_clause(known: frozenset[str], denying: Reading, other: Reading) -> bool:
    """Whether the clause with these stems has most of its words in a clause of the other text."""
    return any(
        len(clause & counterpart) >= max(2, SHARED * min(len(clause), len(counterpart)))
        for clause in denying.clauses
        if known <= clause
        for counterpart in other.clauses
        if known <= counterpart
    )


def _quantities(text: str) -> Iterator[tuple[float, str]]:
    """Every number of a lower-case text in the base unit of its dimension ("" without a unit)."""
    text = _NUMBER_WORD.sub(_digits, text)
    for match in _QUANTITY.finditer(text):
        dimension, factor = _UNITS.get(match[3] or "", ("", 1.0))
        for number in (match[1], match[2]):
            if number:
                yield float(number.replace(",", ".")) * factor, dimension


def _digits(match: re.Match[str]) -> str:
    value = _NUMBER_WORDS[match[1]] + (0.5 if match[2] else 0)
    return f"{value:g}"


def _limits(text: str) -> Mapping[float, frozenset[int]]:
    limits: dict[float, set[int]] = defaultdict(set)
    for match in _LIMIT.finditer(text):
        number = match["number"] or match["before"]
        limits[float(number)].add(1 if match["more"] or match["up"] else -1)
    return {number: frozenset(signs) for number, signs in limits.items()}


def _strengths(text: str) -> Iterator[str]:
    for roman, letter in _CLASS.findall(text):
        yield _ROMAN.get(roman, roman) + (letter or "")


def _base(dimension: str) -> str:
    units = {"mass": " mg", "time": " minutes", "share": " %", "length": " mm", "volume": " mL"}
    return units.get(dimension, "")


def _quoted(document: Row) -> str:
    return f"“{document['document_text']}” ({document['document_id']}#{document['chunk_number']})"


def _readable(name: str) -> str:
    return name.replace("_", " ")
