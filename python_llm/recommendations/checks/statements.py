"""Results in the record that an order does not heed: a drug to which the bacteria are resistant, a
laboratory value that is quoted and is not the patient's (docs/specification.md#grounds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from python_llm.phenotyping.text import word_set
from python_llm.recommendations.drugs.names import Named
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.inputs import noted_values
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Cues, clauses, words

_RESISTS = re.compile(r"^(?:resist\w+|insensitive|nonsusceptible)$")
_YIELDS = re.compile(r"^(?:sensitiv\w+|susceptib\w+|sensib\w+|but|pero|however|except|salvo)$")
# A disease resists its treatment; that says nothing of a drug unless one is named behind "to".
_DISEASES = word_set(
    "schizophrenia psychosis depression mania epilepsy seizures epilepticus hypertension arterial "
    "migraine headache angina pain ascites asthma treatment therapy drug disorder insulin "
    "pharmacoresistant esquizofrenia psicosis depresion epilepsia crisis hipertension migrana "
    "cefalea dolor asma tratamiento terapia farmacos trastorno insulina"
)
_TO = frozenset(("to", "a", "al"))
_GOES_ON = frozenset(
    ("stable", "on", "with", "takes", "treated", "estable", "con", "toma", "tratado")
)
_NOT = frozenset(("no", "not", "without", "sin", "never", "non", "if", "possible"))
# "as potassium is 4.1", "INR 2.3 today": a value that is told, and no target, limit or trigger
_TOLD = re.compile(
    r"\b(?:as|because|since|with|given|for|porque|ya que|con|dado|por|tiene|has)\b"
    r"(?: (?:the|his|her|their|a|an|el|la|su|un|una|latest|last|current|today|s|serum)){0,3}"
    r" (?P<name>[a-z][a-z ]{0,20}?)(?: (?:is|was|of|at|es|de|level|only|now|today|hoy)){0,3}"
    r" (?P<value>\d+(?:\.\d+)?)\b(?! (?:to|a|y|and) \d)"
    # "insulin with glucose 25 g" is an amount that is given
    r"(?! ?(?:g|ml|units?|unidades)\b(?! (?:per |por )?d?l\b))"
)
# "with potassium 40 mmol in each litre" is what a bag holds: no patient has that level.
_IN_A_BAG = re.compile(r"^(?:with|con)\b.* (?:potassium|potasio)\b(?: \w+){0,2} [1-9]\d$")
_MMOL = re.compile(r" ?mmol\b")
# What a drug has done: "phenytoin toxicity", "pancreatitis due to azathioprine", "digoxin-induced"
_HAS_HARMED = frozenset(
    (
        *("toxicity", "poisoning", "overdose", "intoxication", "induced", "toxic", "overdosed"),
        *("associated", "related"),
    )
)
_HARMED_BY = re.compile(
    r"\b(?:due to|caused by|induced by|secondary to|from too much|(?:overdosed?|intoxication"
    r"|poisoning|poisoned|toxicity) (?:of|with|by|from|on|due to)|debid[oa]s? a|secundari[oa]s? a"
    r"|causad[oa]s? por|inducid[oa]s? por|(?:intoxicacion|toxicidad|sobredosis|neumonitis"
    r"|pancreatitis|hepatitis|nefritis) (?:por|con|de))(?: (?:the|his|her|la|el|su))? $"
)
# A dose that waits, or is less than the one before, may be right after a toxic one.
_LESS = frozenset(
    (
        *("once", "when", "until", "after", "lower", "reduce", "reduced", "halve", "smaller"),
        *("half", "if", "rechallenge", "taper", "tapering", "resume", "restart", "desensitization"),
        *("reducir", "cuando", "hasta", "tras", "bajar", "mitad", "si"),
    )
)
# What is said of the patient's will, and the words by which a record may tell it.
_REFUSED = re.compile(
    r"\b(?:(?:she|he|patient|they|family) (?:has |have )?(?:now )?(?:refus\w+|declin\w+|decided"
    r"|does not want|do not want|wants no)"
    r"|(?:her|his|their) (?:own )?(?:decision|wish(?:es)?|refusal|choice)"
    r"|rechaza\w*|se niega|no desea|no quiere|por decision (?:propia|suya)|su voluntad)\b"
)
_WILL = re.compile(
    r"\b(?:refus\w*|declin\w*|decid\w*|decision|wish\w*|wants?|witness\w*|testig[oa]\w*|rechaz\w*"
    r"|niega|desea|quiere|voluntad|directive|dnr|dnacpr|comfort|palliat\w*|paliativ\w*|accept\w*"
    r"|acepta|will not|choice|prefers?|agreed|ceiling)\b"
)
_WISHED = frozenset(
    (
        *("target", "until", "below", "above", "under", "over", "if", "when", "once", "reaches"),
        *("aim", "aiming", "goal", "keep", "maintain", "falls", "rises", "exceeds", "less", "more"),
        *("objetivo", "hasta", "si", "cuando", "mantener", "menor", "mayor", "between", "least"),
    )
)
# How far a quoted value may be rounded.
_ROUNDED = 0.03


class Statements:
    """Compares orders with what the record tells of results."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge, self._book = knowledge, knowledge.book
        self._cues = Cues(knowledge.tables["assertion_cues"], "finding")

    def resisted(self, mentions: Sequence[Named], patient: Patient) -> Iterator[str]:
        """Each drug that is given though the record tells resistance to it or its class, and no
        sensitivity."""
        resisted = self._resistances(patient)
        for mention in mentions:
            both = self._book.closures[mention.concept] & resisted
            if mention.affirmed and both:
                yield f"{mention.concept} in spite of resistance to {min(both).replace('_', ' ')}"

    def _resistances(self, patient: Patient) -> set[str]:
        """The drugs and classes behind "resistant to", up to what the bacteria are sensitive to."""
        resisted: set[str] = set()
        sensitive: set[str] = set()
        for note in [*patient.notes, *patient.conditions]:
            for tokens in clauses(note):
                state: set[str] | None = None
                named = {m.start: m.concept for m in self._book.named(" ".join(tokens))}
                is_of_a_disease = False
                for at, token in enumerate(tokens):
                    if _RESISTS.match(token):
                        is_of_a_disease = bool(
                            _DISEASES & {*tokens[at - 1 : at], *tokens[at + 1 : at + 2]}
                        )
                        if is_of_a_disease and not _TO & set(tokens[at + 1 : at + 2]):
                            state = None
                            continue
                        is_denied = _NOT & set(tokens[max(0, at - 2) : at])
                        state = None if is_denied else resisted
                        # "ceftazidime-resistant", "meropenem: resistant"
                        if state is not None and at - 1 in named:
                            state.add(named[at - 1])
                    elif _YIELDS.match(token):
                        state = sensitive
                    elif is_of_a_disease and (token == "," or token in _GOES_ON):
                        state = None
                    elif at in named and state is not None:
                        state.add(named[at])
        return resisted - sensitive

    def harmful(self, mentions: Sequence[Named], text: str, patient: Patient) -> Iterator[str]:
        """Each drug that is given though the record blames it for a poisoning or a disease."""
        blamed = self._blamed(patient)
        for mention in mentions:
            both = {mention.concept} & blamed
            both |= self._book.closures[mention.concept] & blamed & self._book.classes.keys()
            if mention.affirmed and both and not _LESS & set(words(text)):
                yield f"{mention.concept} in spite of the harm that the record blames on it"

    def _blamed(self, patient: Patient) -> set[str]:
        """The drugs that the record blames for a poisoning or a disease of today."""
        blamed: set[str] = set()
        for note in [*patient.notes, *patient.conditions]:
            for tokens in clauses(note):
                if self._knowledge.tells_history(tokens):
                    continue
                plain = " ".join(tokens)
                for mention in self._book.named(plain):
                    before = " ".join(tokens[max(0, mention.start - 5) : mention.start]) + " "
                    is_denied = _NOT & set(tokens[max(0, mention.start - 4) : mention.start])
                    if _HARMED_BY.search(before) and not is_denied:
                        blamed.add(mention.concept)
                # "phenytoin toxicity" names no drug that is given, so the book passes it over
                for at, token in enumerate(tokens):
                    if at and token in _HAS_HARMED and not _NOT & set(tokens[max(0, at - 4) : at]):
                        of = self._book.named(" ".join(tokens[max(0, at - 3) : at]))
                        blamed |= {m.concept for m in of if m.end == min(at, 3)}
        return blamed

    def misquoted(self, text: str, patient: Patient) -> Iterator[str]:
        """Each laboratory value that an order gives as its reason, and the record tells otherwise:
        an old one, or one of nobody."""
        labs = self._knowledge.labs(patient)[0]
        for name, value in noted_values(patient.notes, self._cues):
            labs.setdefault(name, []).append(value)
        for tokens in clauses(text):
            plain = " ".join(tokens)
            for match in _TOLD.finditer(plain):
                if _WISHED & set(words(plain[max(0, match.start() - 25) : match.end() + 12])):
                    continue
                if _IN_A_BAG.match(match[0]) and _MMOL.match(plain[match.end() :]):
                    continue
                value = float(match["value"])
                known = labs.get(self._lab_of(match["name"].split()), [])
                if known and not any(_is_near(value, other) for other in known):
                    told = ", ".join(f"{other:g}" for other in dict.fromkeys(known))
                    yield f"it says “{match['name']} {value:g}”, the record “{told}”"

    @staticmethod
    def unwilling(text: str, patient: Patient) -> Iterator[str]:
        """A refusal that an order claims and the record does not tell."""
        record = " ".join(words(". ".join([*patient.notes, *patient.conditions])))
        claimed = _REFUSED.search(" ".join(words(text)))
        if claimed and not _WILL.search(record):
            yield f"it says “{claimed[0]}”, the record does not"

    def _lab_of(self, tokens: Sequence[str]) -> str:
        """The test whose name ends these words; empty if none does."""
        names = (" ".join(tokens[start:]) for start in range(len(tokens)))
        return next((lab for name in names if (lab := self._knowledge.lab_name(name))), "")


def _is_near(value: float, other: float) -> bool:
    """Whether two values are one, rounded or in another of the usual units (g/L and g/dL, mg/dL and
    micromol/L or mmol/L)."""
    factors = (1.0, 10.0, 0.1, 88.4, 1 / 88.4, 18.0, 1 / 18.0)
    return any(abs(value * f - other) <= _ROUNDED * abs(other) for f in factors)
