"""What speaks against the drugs that a text recommends: rules, interactions, allergies and doses.

Pure functions over the seeds drugs and drug_rules.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from python_llm.recommendations.drugs.doses import Dose, DoseLimits, amount_a_day, doses_of
from python_llm.recommendations.drugs.history import (
    ALLERGY,
    INTOLERANCE,
    MILD,
    SEVERE,
    TAKES,
    UNREAD,
    DrugHistory,
)
from python_llm.recommendations.drugs.names import (
    DEFINITE,
    REPLACING,
    DrugNames,
    Named,
    Row,
    is_replaced,
)
from python_llm.recommendations.drugs.orders import (
    AGAINST_ARRHYTHMIA,
    INCREASED,
    KEPT,
    LATER,
    ORDER,
    OVERLAP,
    STOP,
    UNMONITORED,
    UNWATCHED,
    circumstances,
    ends_by_inr,
    is_given_later,
    of_the_action,
)
from python_llm.recommendations.drugs.own import gives_basal_insulin, is_of_meals
from python_llm.recommendations.drugs.shared import shared
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import Cues, Phrases, words

# What may be given into the cerebrospinal fluid or the epidural space, by drug or class (BNF:
# intrathecal and epidural use; FDA labels of methotrexate, cytarabine, baclofen and nusinersen;
# IDSA ventriculitis and meningitis 2017 for the antibiotics).
# What is said of a drug that no seed has.
_UNKNOWN = "it is not in the knowledge base"
_SPINAL = frozenset(
    (
        *("local_anesthetic", "opioid", "systemic_corticosteroid", "aminoglycoside", "baclofen"),
        *("methotrexate", "clonidine", "vancomycin", "colistin", "ziconotide"),
        *("nusinersen", "iodinated_contrast"),
    )
)
# an injection into the eye is told once for all drugs of a clause
_INTO_THE_EYE = re.compile(
    r"\b(?:intravitre\w+|intracameral\w*|intraocular (?:injection|vancomycin|antibiotic\w*)"
    r"|in(?:to)? (?:the )?(?:vitreous|anterior chamber)|en (?:el )?(?:humor )?vitreo"
    r"|en (?:la )?camara anterior)\b"
)
_INTRAOCULAR = f"{ORDER}intraocular"
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_AT_DISCHARGE = re.compile(
    r"\b(?:at|on|before) discharge\b|\bal alta\b|\bafter \w+ days of\b", re.IGNORECASE
)
# What may be inhaled as a mist (BNF: nebulised preparations); anything else is not made for it.
_NEBULIZED = frozenset(
    (
        *("short_acting_bronchodilator", "anticholinergic", "inhaled_corticosteroid", "laba"),
        *("epinephrine", "aminoglycoside", "colistin", "mucolytic", "pulmonary_vasodilator"),
        *("magnesium sulfate", "lidocaine", "tranexamic acid", "antiviral", "normal saline"),
        *("oxygen", "aztreonam", "opioid", "long_acting_bronchodilator", "potassium_treatment"),
    )
)
_BRONCHODILATORS = {"short_acting_bronchodilator", "anticholinergic"}
_MIST = {
    *("nebulized", "nebuliser", "nebulizer", "nebs", "neb", "nebulizado", "nebulizada"),
    *("nebulizados", "nebulizadas", "nebulizacion", "nebulize", "inhaled"),
}
_BY_MOUTH = {"suspension", "syrup", "crushed", "jarabe"}
_DOSED = r"\d[\d.,]*\s?(?:mg|g|mcg|microgram\w*|units?|iu)\b"
# a patch beside a form that acts at once (NICE NG209: tobacco)
_NICOTINE = "nicotine"
_PATCH_AND_MORE = re.compile(
    r"(?i)(?=.*\b(?:patch|parche))(?=.*\b(?:gum|spray|lozenge|inhalator|chicle|comprimidos? para"
    r" chupar|caramelo|pulverizador|aerosol))"
)
_ADDED = re.compile(
    r"\b(?:add|adding|on top of|in addition to|as well as|alongside|separate prescription|besides|"
    r"anadir|ademas de|junto con)\b"
)
# A dose of insulin into a vein above this (units) is one of ten, or is for poisoning.
_INSULIN_IV = 20.0
_DILUTED = {"infusion", "perfusion", "infuse", "syringe", "pump", "bomba", "ml", "per", "hour"}
_POISONING = {"poisoning", "overdose", "intoxication", "intoxicacion", "sobredosis"}
# What is said of a drug that opens its sentence, and of "it" in the next one.
# Kinds of cues that say how an action orders as a whole.
_OF_THE_ACTION = "of_the_action_"
# What tells how much of a drug a volume holds, and a volume in which it is only dissolved.
_STRENGTH = re.compile(
    r"%|per ?cent|por ciento|\b1 ?(?::|in) ?1[.,]?0|/ ?ml\b|\b(?:per|por) ml\b|/ ?\d+ ?ml\b",
    re.IGNORECASE,
)
_VOLUME_OF = re.compile(r"\bml (?:of|de) (\w+)")
_DILUENT = re.compile(
    r"\b(?:in|into|with|to|per|en|con) (?:\w+ )?\d+(?:\.\d+)? ?(?:ml|l|litres?)\b"
)
# Of children below 12 years; a weight in kg, where it is known.
CHILD, WEIGHT = "child_12", "weight_kg:"
# What is taken of a drug in a day: `daily:warfarin:mg:4`.
DAILY = "daily:"
# A dose is higher than that of the list only beyond what rounding does.
_HIGHER = 1.05
# "40 mmol per litre": what a bag holds, and not what is given
_IN_EACH = re.compile(r"^(?:per|por|in each|to each|en cada|a cada|each|cada|/) ?(?:l|lit\w+)\b")
_CHOOSES = frozenset(("or", "either", "o", "such", "alternatively"))
_LATER = {"once", "when", "after", "until", "cuando", "tras", "hasta", "despues"}
_OFTEN = {"a", "daily", "weekly", "nightly", "per", "every", "each", "in", "only"}  # behind "once"
_DENYING = {"no", "not", "without", "never", "sin", "instead", "skip", "before"}
_RECOVERS = {"falls", "fall", "improves", "recovers", "resolves", "normalizes", "below", "normal"}
# How a Spanish recommendation names what was checked.
_IN_SPANISH: Mapping[str, tuple[str, ...]] = {
    "allergy": ("alergia", "alergias", "alergico"),
    "allergies": ("alergia", "alergias"),
    "sulfonamide": ("sulfamida", "sulfamidas", "sulfas"),
    "penicillin": ("penicilina", "penicilinas"),
    "potassium": ("potasio", "kaliemia", "potasemia"),
    "sodium": ("sodio", "natremia"),
    "renal": ("renal", "filtrado", "riñon", "creatinina"),
    "kidney": ("renal", "filtrado", "riñon"),
    "egfr": ("filtrado", "funcion renal"),
    "liver": ("higado", "hepatica", "hepatico", "hepatopatia"),
    "hepatic": ("hepatica", "hepatico"),
    "bleed": ("sangrado", "hemorragia", "sangra"),
    "bleeding": ("sangrado", "hemorragia"),
    "pregnancy": ("embarazo", "embarazada", "gestacion"),
    "pregnant": ("embarazada", "embarazo"),
    "breast": ("lactancia",),
    "breastfeeding": ("lactancia",),
    "interaction": ("interaccion", "interacciones"),
    "qt": ("qtc",),
    "age": ("edad",),
    "child": ("niño", "edad"),
    "asthma": ("asma",),
    "hypotension": ("hipotension", "tension arterial"),
    "blood pressure": ("presion arterial", "tension arterial"),
    "hypertension": ("hipertension",),
    "glucose": ("glucosa", "glucemia"),
    "platelets": ("plaquetas",),
    "platelet": ("plaquetas",),
    "surgery": ("cirugia",),
    "stroke": ("ictus",),
    "heart failure": ("insuficiencia cardiaca",),
    "seizure": ("convulsiones", "epilepsia"),
    "glaucoma": ("glaucoma",),
    "digoxin": ("digoxina",),
    "warfarin": ("warfarina", "acenocumarol", "sintrom"),
    "aspirin": ("aspirina", "aas"),
    "antiplatelet": ("antiagregante", "antiagregantes"),
    "anticoagulant": ("anticoagulante", "anticoagulantes"),
    "nsaid": ("aine", "aines"),
    "dose": ("dosis",),
    "dialysis": ("dialisis",),
    "thrombosis": ("trombosis",),
    "infection": ("infeccion",),
    "respiratory": ("respiratoria", "respiratorio"),
}
_NO_SUCH = frozenset(("no", "not", "without", "never", "unnecessary", "needless", "sin", "nunca"))
# What excuses the dose beside which it stands, and no other of the action: "5 mg IV, then 50 mg by
# mouth". Behind the last words a reason begins ("50 mg IV, as he cannot take it by mouth").
_OF_ONE_DOSE = frozenset(
    (
        *(("oral",), ("orally",), ("by", "mouth"), ("po",), ("via", "oral"), ("total",)),
        *(("in", "all"), ("24", "hours"), ("per", "day"), ("24", "h")),
    )
)
_ENDS_DOSE = frozenset(
    (
        *("as", "because", "since", "instead", "rather", "than", "not", "no", "cannot", "unable"),
        *("if", "when", "once", "until", "after", "before", "then", ",", "porque", "ya", "pues"),
        *("lugar", "vez", "cuando", "si", "hasta", "tras", "luego", "without", "sin"),
    )
)


@dataclass(frozen=True)
class Rule:
    """A row of drug_rules: what forbids a drug or class, or must be named when it is given."""

    drug: str
    present: Condition
    against: str
    phrases: tuple[str, ...]
    seriousness: str
    kind: str
    safe_with: tuple[tuple[str, ...], ...]
    source: str
    doses: DoseLimits | None


@dataclass(frozen=True)
class Problem:
    """What speaks against a recommended drug. seriousness: absolute, interaction, caution, note,
    or not_checked. action: its number, from 1."""

    drug: str
    against: str
    seriousness: str
    action: int
    phrases: tuple[str, ...] = ()
    kind: str = ""
    source: str = ""


@dataclass(frozen=True)
class _Text:
    """A text of a recommendation, read once: its words, the drugs it names and those it gives, how
    it orders them as a whole, and whether they are choices."""

    tokens: tuple[str, ...]
    named: frozenset[str]
    recommended: frozenset[str]
    ordered: frozenset[str]
    has_choices: bool

    @classmethod
    def of(cls, text: str, mentions: Sequence[Named], lexicon: Lexicon) -> _Text:
        tokens = tuple(words(text))
        plain = " ".join(tokens)
        sentences = [" ".join(words(sentence)) for sentence in _SENTENCE.split(text)]
        told = {
            ORDER + kind.removeprefix(_OF_THE_ACTION)
            for kind in lexicon.kinds(_OF_THE_ACTION)
            if lexicon.pattern(kind).search(plain)
        }
        return cls(
            tokens,
            frozenset(mention.concept for mention in mentions),
            frozenset(mention.concept for mention in mentions if mention.affirmed),
            frozenset(told | of_the_action(plain, sentences)),
            bool(_CHOOSES & set(tokens) or _AT_DISCHARGE.search(text)),
        )


@dataclass(frozen=True)
class _Order:
    """The action `number` and the patient it is for. every: the words of all actions; present: the
    findings without what continues; together: the other drugs that are given."""

    number: int
    text: _Text
    every: Sequence[str]
    findings: set[str]
    present: set[str]
    together: set[str]


class DrugBook(DrugNames):
    """The drugs of the seeds with their rules and doses."""

    def __init__(self, tables: Mapping[str, Sequence[Row]], cues: Cues) -> None:
        lexicon = Lexicon(tables["assertion_cues"])
        super().__init__(tables, cues, lexicon)
        record_cues = Cues(tables["assertion_cues"], "finding")
        self.history = DrugHistory(self, lexicon, record_cues)
        self._phrases: dict[tuple[str, ...], Phrases] = {}
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        for row in tables["drug_rules"]:
            self.rules[row["drug"]].append(
                Rule(
                    row["drug"],
                    Condition.read(row["present_when"]),
                    row["against"],
                    _in_both_languages(names(row["check_phrases"])),
                    row["seriousness"],
                    row["kind"],
                    tuple(tuple(words(text)) for text in names(row["safe_with"])),
                    row["source"],
                    DoseLimits.read(row["doses"] or "", row["drug"]),
                )
            )
        self._limits = {
            drug: DoseLimits.read(row["doses"] or "", drug)
            for drug, row in {**self.classes, **self.drugs}.items()
        }

    def problems(
        self, texts: Sequence[str], findings: Collection[str], *, is_whole: bool = False
    ) -> list[Problem]:
        """Everything that speaks against the drugs recommended in `texts`, for a patient with these
        findings (which include `takes:`, `allergy:` and `unread:`). is_whole: `texts` are all of a
        recommendation, so that what none of them stops goes on."""
        named = [self.named(text) for text in texts]
        read = [
            _Text.of(text, mentions, self._lexicon)
            for text, mentions in zip(texts, named, strict=True)
        ]
        # "no glucose yet" denies nothing of the next action
        every = [token for text in texts for token in (*words(text), ".")]
        # what a text without a drug says of monitoring is said of the drugs of all others
        unwatched = {UNMONITORED for text in read if not text.named and UNMONITORED in text.ordered}
        stopped = {
            TAKES + member
            for mentions in named
            for mention in mentions
            if not mention.affirmed
            for member in self._stopped_with(mention.concept)
        }
        problems: list[Problem] = []
        watched = {UNWATCHED} | self._later(named) if is_whole else set()
        watched |= unwatched
        if self._overlaps(named, set(findings), " . ".join(" ".join(words(t)) for t in texts)):
            watched |= {OVERLAP}
        for number, mentions in enumerate(named, 1):
            for mention in mentions:
                if not mention.affirmed:
                    # the insulin of meals rests with them, beside the basal one
                    if not (is_of_meals(mention) and gives_basal_insulin(named)):
                        problems += self._stopped(mention, number, set(findings))
                    continue
                if self._runs_out(mention):
                    problems += self._stopped(mention, number, set(findings))
                together = self._given_together(read, number, mention)
                present = self._present(findings, mention.concept) - stopped
                present -= self._known_of(mention, named)
                seen, present = set(findings) | watched, present | watched
                order = _Order(number, read[number - 1], every, seen, present, together)
                problems += self._against(mention, order)
                problems += self._against_members(mention, order, named)
                problems += self._from_the_other_side(mention, number, set(findings), stopped)
                problems += self._doses(mention, number, findings)
                problems += self._volume(mention, texts[number - 1], number)
            problems += [
                Problem(word, _UNKNOWN, "not_checked", number)
                for word in self.unknown_drugs(texts[number - 1])
            ]
            problems += self._twice(mentions, texts[number - 1], number)
        if is_whole:
            problems += self._kept(named, set(findings))
        if any(m.affirmed and self.needs_check(m.concept) for mentions in named for m in mentions):
            problems += [
                Problem(name.removeprefix(UNREAD), _UNKNOWN, "not_checked", 0)
                for name in sorted(findings)
                if name.startswith(UNREAD)
            ]
        return list(dict.fromkeys(problems))

    def _known_of(self, mention: Named, named: Sequence[Sequence[Named]]) -> set[str]:
        """What the patient takes of a class whose article stands for a drug of it that an action
        names: "raise the diuretic" adds none to the one that is taken."""
        if mention.concept in self.drugs or not mention.start:
            return set()
        ordered = {m.concept for mentions in named for m in mentions if m.affirmed}
        is_meant = mention.tokens[mention.start - 1] in DEFINITE
        if not is_meant or not self.members[mention.concept] & ordered & self.drugs.keys():
            return set()
        return {TAKES + name for name in {mention.concept, *self.members[mention.concept]}}

    def _present(self, findings: Collection[str], concept: str) -> set[str]:
        """The findings without `takes:` of the drug itself: to continue it adds no second."""
        taken = {name.removeprefix(TAKES) for name in findings if name.startswith(TAKES)}
        named = self._narrowest(taken)
        others = {TAKES + above for name in named - {concept} for above in self.closures[name]}
        return {name for name in findings if not name.startswith(TAKES)} | others

    def _narrowest(self, taken: set[str]) -> set[str]:
        """The drugs that are taken, and the classes of which no drug is named."""
        return {
            name
            for name in taken
            if name in self.drugs or not (self.members[name] - {name}) & taken
        }

    def _stopped_with(self, concept: str) -> set[str]:
        members = self.members.get(concept, frozenset({concept}))
        if concept in self.drugs:
            return set(self.closures[concept])
        return set(members) | set(self.closures[concept])

    def _given_together(self, texts: Sequence[_Text], number: int, mention: Named) -> set[str]:
        """`takes:` findings of the other drugs that the recommendation gives."""
        own = mention.concept
        others: set[str] = set()
        for other_number, text in enumerate(texts, 1):
            # of several choices in another action it is the one that is taken
            if text.has_choices and (
                other_number == number or any(self.are_related(own, o) for o in text.named)
            ):
                continue
            others |= {other for other in text.recommended if not self.are_related(own, other)}
        return {TAKES + name for other in others for name in self.closures[other]}

    def _against(self, mention: Named, order: _Order) -> Iterator[Problem]:
        """What speaks against one drug of an action."""
        number, tokens, together = order.number, order.text.tokens, order.together
        ordered = self.circumstances(mention) | order.text.ordered
        ordered |= {INCREASED} if self.is_above_taken(mention, order.findings) else set()
        findings, present = order.findings | ordered, order.present | ordered
        yield from self._misrouted(mention, number, ordered)
        is_new = TAKES + mention.concept not in findings
        is_unadapted = f"{ORDER}unadapted" in ordered
        for name in sorted(self.closures[mention.concept]):
            if ALLERGY + name in present:
                yield Problem(
                    mention.concept,
                    f"allergy to {name.replace('_', ' ')}",
                    "absolute",
                    number,
                    ("allergy", "allergies", name.replace("_", " ")),
                    "allergy",
                )
            for rule in self.rules.get(name, ()):
                seen = findings if rule.kind == "washout" or rule.doses else present
                holds = rule.present.holds(seen)
                if not holds and not (together and rule.present.holds(seen | together)):
                    continue
                if UNWATCHED in rule.present.names:
                    is_safe = any(_is_told(order.every, phrase) for phrase in rule.safe_with)
                else:
                    of_all = [p for p in rule.safe_with if not (rule.doses and p in _OF_ONE_DOSE)]
                    is_safe = any(_contains(tokens, phrase) for phrase in of_all)
                if is_safe:
                    continue
                if rule.doses and self._is_kept(rule, rule.doses, mention):
                    continue
                if self._is_deferred(mention, rule.phrases):
                    continue
                is_left_so = is_unadapted and rule.kind == "interaction" and (is_new or not holds)
                yield Problem(
                    mention.concept,
                    rule.against if holds else f"{rule.against} (recommended together)",
                    "absolute" if is_left_so else rule.seriousness,
                    number,
                    rule.phrases,
                    rule.kind,
                    rule.source,
                )

    def _is_kept(self, rule: Rule, limits: DoseLimits, mention: Named) -> bool:
        """Whether no written dose breaks a rule of doses. What is only a caution asks for a dose
        besides: without one nothing tells that it was adapted."""
        doses = self._doses_of(mention)
        if rule.seriousness != "absolute" and not doses:
            return False
        return not any(
            limits.breaks(dose)
            for dose in doses
            if not _is_excused(mention.tokens, dose, rule.safe_with)
        )

    def _could_be(
        self, mention: Named, named: Sequence[Sequence[Named]], findings: set[str]
    ) -> list[Named]:
        """The drugs that the order of a class may mean; empty for the order of a drug, and where
        an action names which one it is, or the patient takes one of them."""
        below = self.members[mention.concept] - {mention.concept}
        ordered = {m.concept for mentions in named for m in mentions if m.affirmed}
        taken = {
            drug for drug in below if TAKES + drug in findings and ALLERGY + drug not in findings
        }
        if mention.concept in self.drugs or below & ordered or taken & self.drugs.keys():
            return []
        return [replace(mention, concept=drug) for drug in sorted(below & self.drugs.keys())]

    def _against_members(
        self, mention: Named, order: _Order, named: Sequence[Sequence[Named]]
    ) -> Iterator[Problem]:
        """What speaks against the order of a class because of the drugs that it may mean."""
        members = self._could_be(mention, named, order.findings)
        if members:
            yield from self._allergies_within(mention, order, named)
            of_it = list(self._against(mention, order))
            of_each = [list(self._against(member, order)) for member in members]
            yield from _of_every_member(mention.concept, of_it, of_each)

    def _allergies_within(
        self, mention: Named, order: _Order, named: Sequence[Sequence[Named]]
    ) -> Iterator[Problem]:
        """Allergies to drugs of a class that is ordered without a drug: the one that is given may
        be the one that the patient does not bear. A rule of the class about them goes before."""
        concept, present = mention.concept, order.present
        above = self.closures[concept]
        if any(ALLERGY + name in present for name in above):
            return
        ruled = {
            name.partition(":")[2]
            for rule in (rule for name in above for rule in self.rules.get(name, ()))
            for name in rule.present.names
            if name.startswith((ALLERGY, MILD))
        }
        avoided = {m.concept for mentions in named for m in mentions if not m.affirmed}
        allergens = {
            name
            for name in self.members[concept] - {concept}
            if ALLERGY + name in present and not self.closures[name] & (ruled | avoided - above)
        }
        # of "penicillin" and "amoxicillin" the drug is what the record names
        for name in sorted(allergens & self.drugs.keys() or allergens):
            is_severe = SEVERE + name in present and self.classes[concept]["kind"] != "property"
            told = name.replace("_", " ")
            yield Problem(
                concept,
                f"severe allergy to {told}, which is of this class"
                if is_severe
                else f"it names no drug of the class, and the patient is allergic to {told}",
                "absolute" if is_severe else "not_checked",
                order.number,
                ("allergy", "allergies", told),
                "allergy",
            )

    def _from_the_other_side(
        self, mention: Named, number: int, findings: set[str], stopped: set[str]
    ) -> Iterator[Problem]:
        """What forbids a drug that the patient takes beside the one that is new: a rule of apixaban
        against phenytoin speaks against phenytoin for whoever takes apixaban."""
        own = {TAKES + name for name in self.closures[mention.concept]}
        if TAKES + mention.concept in findings:
            return
        taken = {name for name in findings - stopped if name.startswith(TAKES)}
        for drug in sorted(self._narrowest({name.removeprefix(TAKES) for name in taken})):
            for rule in [r for n in sorted(self.closures[drug]) for r in self.rules.get(n, ())]:
                if rule.kind != "interaction" or rule.seriousness != "absolute" or rule.doses:
                    continue
                if any(name.startswith(ORDER) for name in rule.present.names):
                    continue
                is_new = rule.present.holds(findings | own) and not rule.present.holds(findings)
                if not is_new or any(_contains(mention.tokens, safe) for safe in rule.safe_with):
                    continue
                yield Problem(
                    mention.concept,
                    f"{drug}: {rule.against}",
                    rule.seriousness,
                    number,
                    rule.phrases,
                    rule.kind,
                    rule.source,
                )

    def _overlaps(self, named: Sequence[Sequence[Named]], findings: set[str], text: str) -> bool:
        """Whether a heparin goes beside a vitamin K antagonist until the INR is high enough, and no
        third anticoagulant beside them."""
        drugs = {m.concept for mentions in named for m in mentions if m.affirmed}
        drugs |= {name.removeprefix(TAKES) for name in findings if name.startswith(TAKES)}
        thinning = {c for c in drugs & self.drugs.keys() if "anticoagulant" in self.closures[c]}
        kinds = {
            kind
            for concept in thinning
            for kind in ("vitamin_k_antagonist", "heparins")
            if kind in self.closures[concept]
        }
        return len(thinning) == len(kinds) == 2 and ends_by_inr(text)

    def _later(self, named: Sequence[Sequence[Named]]) -> set[str]:
        """`later:` findings of the drugs that the recommendation gives only after others, and
        nowhere at once."""
        late: set[str] = set()
        at_once: set[str] = set()
        for mention in (m for mentions in named for m in mentions if m.affirmed):
            spans = self.spans(mention.tokens)
            until = min((s for _, s, _ in spans if s >= mention.end), default=len(mention.tokens))
            is_late = is_given_later(mention.tokens, mention.start, mention.end, until)
            (late if is_late else at_once).update(self.closures[mention.concept])
        return {LATER + name for name in late - at_once}

    def _twice(self, mentions: Sequence[Named], text: str, number: int) -> Iterator[Problem]:
        """A drug that one action gives under two names, one beside the other."""
        by_drug: dict[str, list[Named]] = defaultdict(list)
        for mention in mentions:
            if mention.concept in self.drugs:
                by_drug[mention.concept].append(mention)
        for drug, same in by_drug.items():
            # "levodopa/carbidopa 100/25 mg" is one tablet
            followed = zip(same, [*same[1:], None], strict=True)
            same = [mention for mention, behind in followed if not _is_beside(mention, behind)]
            written = {mention.tokens[mention.start : mention.end] for mention in same}
            if drug == _NICOTINE and _PATCH_AND_MORE.search(text):
                continue
            are_given = [mention for mention in same if mention.affirmed]
            has_doses = len(re.findall(rf"{_DOSED}", text.lower())) >= len(written)
            if (
                len(written) > 1
                and are_given
                and (_ADDED.search(text.lower()) or (has_doses and len(are_given) > 1))
            ):
                yield Problem(
                    drug,
                    "the same drug under two names",
                    "absolute",
                    number,
                    ("duplicate",),
                    "interaction",
                    "WHO 2014, High 5s: medication reconciliation",
                )

    def _kept(self, named: Sequence[Sequence[Named]], findings: set[str]) -> Iterator[Problem]:
        """What the patient takes, must not go on with, and no action names."""
        touched = {
            concept
            for mentions in named
            for mention in mentions
            for concept in (*self.closures[mention.concept], *self.members.get(mention.concept, ()))
        }
        for name in sorted(findings):
            drug = name.removeprefix(TAKES)
            if not name.startswith(TAKES) or drug not in self.drugs or drug in touched:
                continue
            for concept in sorted(self.closures[drug]):
                for rule in self.rules.get(concept, ()):
                    if KEPT in rule.present.names and rule.present.holds(findings | {KEPT}):
                        yield Problem(
                            drug,
                            rule.against,
                            rule.seriousness,
                            0,
                            rule.phrases,
                            rule.kind,
                            rule.source,
                        )

    def _misrouted(self, mention: Named, number: int, ordered: set[str]) -> Iterator[Problem]:
        """A drug into the cerebrospinal fluid or the epidural space that is not made for it."""
        if f"{ORDER}iv" in ordered and _BY_MOUTH & set(mention.tokens):
            yield Problem(
                mention.concept,
                "a form for the mouth into a vein",
                "absolute",
                number,
                ("route",),
                "route",
                "ISMP: oral medicines given by the wrong route",
            )
        if f"{ORDER}crushed_release" in ordered and mention.concept in self.drugs:
            yield Problem(
                mention.concept,
                "a tablet of slow release that is crushed: the whole dose at once",
                "absolute",
                number,
                ("crush",),
                "route",
                "ISMP: oral dosage forms that should not be crushed",
            )
        if f"{ORDER}nebulized" in ordered and not self.closures[mention.concept] & _NEBULIZED:
            yield Problem(
                mention.concept,
                "nebulised: it is not made for that",
                "absolute",
                number,
                ("nebulised", "route"),
                "route",
                "BNF: nebulised preparations",
            )
        for route in ("intrathecal", "epidural"):
            own_rule = any(
                f"order:{route}" in rule.present.names
                for name in self.closures[mention.concept]
                for rule in self.rules.get(name, ())
            )
            is_meant = own_rule or self.closures[mention.concept] & _SPINAL
            if f"order:{route}" in ordered and not is_meant:
                yield Problem(
                    mention.concept,
                    f"{route} route",
                    "absolute",
                    number,
                    (route, "route"),
                    "route",
                    "BNF: intrathecal and epidural use",
                )

    def circumstances(self, mention: Named) -> set[str]:
        """The `order:` findings of a mention."""
        spans = self.spans(mention.tokens)
        until = min((s for _, s, _ in spans if s >= mention.end), default=len(mention.tokens))
        since = max((e for _, _, e in spans if e <= mention.start), default=0)
        places = tuple((start, end) for _, start, end in spans)
        common = shared(mention.tokens, places, (mention.start, mention.end))
        ordered = circumstances(mention.tokens, mention.start, mention.end, until, since, common)
        is_stopped = self.is_swapped_for_another_kind(mention) or self._runs_out(mention)
        own = " ".join(mention.tokens[since:until])
        is_preventive = self._lexicon.pattern("against_arrhythmia").search(own)
        elsewhere = {f"{ORDER}{route}" for route in ("iv", "im", "oral", "subcutaneous")}
        if _INTO_THE_EYE.search(" ".join(mention.tokens)) and not ordered & elsewhere:
            ordered = ordered | {_INTRAOCULAR}
        return (
            ordered
            | ({STOP} if is_stopped else set())
            | ({AGAINST_ARRHYTHMIA} if is_preventive else set())
        )

    def _runs_out(self, mention: Named) -> bool:
        """Whether a drug is left to end by itself: "let the epoprostenol run out"."""
        around = mention.tokens[max(0, mention.start - 6) : mention.end + 8]
        match = self._lexicon.pattern("runs_out").search(" ".join(around))
        if match is None:
            return False
        before = " ".join(around)[: match.start()].split()[-6:]
        return not {"never", "not", "don", "nunca", "avoid", "before", "antes"} & set(before)

    def is_swapped_for_another_kind(self, mention: Named) -> bool:
        """Whether what replaces a drug is of none of its classes: "swap ticagrelor for
        omeprazole" stops it."""
        if not is_replaced(mention.tokens, mention.start, mention.end):
            return False
        behind = [c for c, start, _ in self.spans(mention.tokens) if start >= mention.end]
        own = self.closures[mention.concept]
        return bool(behind) and not any(own & self.closures[concept] for concept in behind)

    def speaks_against(self, concept: str, findings: Collection[str]) -> bool:
        """Whether an allergy or any rule speaks against a drug that the patient takes."""
        present = self._present(findings, concept)
        above = self.closures[concept]
        return any(
            ALLERGY + name in present
            or INTOLERANCE + name in present
            or any(
                (rule.doses is None or rule.seriousness != "absolute")
                and rule.present.holds(present)
                for rule in self.rules.get(name, ())
            )
            for name in above
        )

    def _stopped(self, mention: Named, number: int, findings: set[str]) -> Iterator[Problem]:
        """What speaks against stopping a drug."""
        ordered = self.circumstances(mention)
        if STOP not in ordered:
            return
        is_swapped = self.is_swapped_for_another_kind(mention)
        for name in sorted(self.closures[mention.concept]):
            for rule in self.rules.get(name, ()):
                if STOP not in rule.present.names or not rule.present.holds(findings | ordered):
                    continue
                safe = {
                    phrase
                    for phrase in rule.safe_with
                    if not (is_swapped and REPLACING & set(phrase))
                }
                # "stop hydrocortisone" does not name what replaces it
                others = (*mention.tokens[: mention.start], "", *mention.tokens[mention.end :])
                offered = _without_denied(others)
                if not any(_contains(offered, phrase) for phrase in safe):
                    yield Problem(
                        mention.concept,
                        rule.against,
                        rule.seriousness,
                        number,
                        rule.phrases,
                        rule.kind,
                        rule.source,
                    )

    def _doses(self, mention: Named, number: int, findings: Collection[str]) -> Iterator[Problem]:
        limits = self._limits.get(mention.concept)
        if limits is None or self._has_a_dose_for_the_eye(mention):
            return
        weight = next(
            (float(name.removeprefix(WEIGHT)) for name in findings if name.startswith(WEIGHT)), None
        )
        elsewhere = {f"{ORDER}oral", f"{ORDER}im", f"{ORDER}subcutaneous", f"{ORDER}nebulized"}
        is_into_a_vein = bool(limits.speeds) and not self.circumstances(mention) & elsewhere
        if weight and (wrong := limits.does_not_fit(self._doses_of(mention), weight)):
            yield Problem(mention.concept, wrong, "absolute", number, (), "dose")
        for dose in self._doses_of(mention):
            # a mist is breathed in the same dose at any age
            is_mist = self._is_mist(mention)
            is_fluid = "intravenous_fluid" in self.closures[mention.concept]
            if is_fluid and CHILD in findings and limits.is_maintenance(dose, weight):
                continue
            is_mixed = bool(_IN_EACH.search(" ".join(mention.tokens[dose.end : dose.end + 4])))
            if CHILD in findings and not (is_mist or is_mixed or limits.fits_a_child(dose, weight)):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} is an adult's, the patient is a child",
                    "absolute" if weight and limits.per_kg else "not_checked",
                    number,
                    kind="dose",
                )
            elif reason := limits.complaint(dose, weight if CHILD in findings else None) or (
                limits.too_much_for(dose, weight) if weight and CHILD not in findings else ""
            ):
                yield Problem(mention.concept, reason, "absolute", number, (), "dose")
            elif mention.concept == "insulin" and self._is_too_much_insulin(mention, dose):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} into a vein is above the limit",
                    "absolute",
                    number,
                    (),
                    "dose",
                    "UK Kidney Association hyperkalaemia guideline 2023",
                )
            elif reason := limits.too_fast(dose, weight) if is_into_a_vein else "":
                yield Problem(mention.concept, reason, "absolute", number, (), "dose")
            elif limits.is_unusual(dose):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} is above the usual one",
                    "caution",
                    number,
                    ("above the usual", "high dose", "usual dose", "resistance"),
                    "dose",
                )

    def _has_a_dose_for_the_eye(self, mention: Named) -> bool:
        """Whether a drug is injected into the eye, and a rule of its own limits that dose."""
        return _INTRAOCULAR in self.circumstances(mention) and any(
            rule.doses is not None and _INTRAOCULAR in rule.present.names
            for rule in self.rules.get(mention.concept, ())
        )

    def _volume(self, mention: Named, text: str, number: int) -> Iterator[Problem]:
        """A dose that is a volume alone, without a strength: how much of the drug it holds is not
        known, and for insulin it is a hundredfold error (NPSA 2010/RRR013)."""
        limits = self._limits.get(mention.concept)
        doses = self._doses_of(mention)
        if limits is None or any(name.startswith("ml") for name in limits.ranges):
            return
        is_volume = bool(doses) and all(dose.dimension.startswith("ml") for dose in doses)
        clause = " ".join(mention.tokens)
        if not is_volume or _STRENGTH.search(text) or _DILUENT.search(clause):
            return
        # "noradrenaline and 500 mL of crystalloid"
        own = mention.tokens[mention.start : mention.end]
        if any(match[1] not in own for match in _VOLUME_OF.finditer(clause)):
            return
        is_insulin = mention.tokens[mention.start].startswith("insulin")
        is_insulin = is_insulin or mention.concept.startswith("insulin")
        yield Problem(
            mention.concept,
            f"the dose {doses[0].written} is a volume without a strength",
            "absolute" if is_insulin else "not_checked",
            number,
            ("volume",),
            "dose",
            "NPSA 2010/RRR013: safer administration of insulin",
        )

    def _is_mist(self, mention: Named) -> bool:
        """Whether a drug is breathed in; "nebulised" may stand beside the other one of two
        ("nebulised salbutamol with ipratropium")."""
        ordered = self.circumstances(mention)
        if f"{ORDER}nebulized" in ordered:
            return True
        is_inhaled = bool(self.closures[mention.concept] & _BRONCHODILATORS)
        elsewhere = {f"{ORDER}iv", f"{ORDER}oral", f"{ORDER}subcutaneous"}
        return is_inhaled and not ordered & elsewhere and bool(_MIST & set(mention.tokens))

    def _doses_of(self, mention: Named) -> Sequence[Dose]:
        spans = [(start, end) for _, start, end in self.spans(mention.tokens)]
        return doses_of(mention.tokens, spans, (mention.start, mention.end))

    def daily_doses(self, medications: Sequence[str]) -> set[str]:
        """What a list of medications tells to be taken in a day, as `daily:` findings."""
        findings = set()
        for mention in (m for text in medications for m in self.named(text) if m.affirmed):
            if taken := amount_a_day(mention.tokens, self._doses_of(mention)):
                findings.add(f"{DAILY}{mention.concept}:{taken[0]}:{taken[1]:g}")
        return findings

    def is_above_taken(self, mention: Named, findings: Collection[str]) -> bool:
        """Whether an order gives more of a drug in a day than the patient takes."""
        known = f"{DAILY}{mention.concept}:"
        taken = [name.removeprefix(known) for name in findings if name.startswith(known)]
        ordered = amount_a_day(mention.tokens, self._doses_of(mention)) if len(taken) == 1 else None
        if ordered is None:
            return False
        unit, amount = taken[0].split(":")
        return unit == ordered[0] and ordered[1] > float(amount) * _HIGHER

    def _is_too_much_insulin(self, mention: Named, dose: Dose) -> bool:
        """Whether insulin is pushed into a vein above what hyperkalaemia or ketoacidosis takes; a
        syringe of 50 units in 50 ml is an infusion."""
        ordered, around = self.circumstances(mention), set(mention.tokens)
        is_pushed = f"{ORDER}bolus" in ordered or f"{ORDER}push" in ordered
        is_pushed = is_pushed or (f"{ORDER}iv" in ordered and not around & _DILUTED)
        above = dose.dimension == "units" and dose.amount > _INSULIN_IV * 1.001
        return is_pushed and above and not around & _POISONING

    def _is_deferred(self, mention: Named, phrases: Sequence[str]) -> bool:
        """Whether the drug is to be given only once what speaks against it is over."""
        rest = mention.tokens[mention.end :]
        if {"before", "antes"} & set(mention.tokens[max(0, mention.start - 3) : mention.start]):
            return self.phrases_in(phrases, " ".join(mention.tokens[: mention.start]))
        at = next(
            (
                n
                for n, token in enumerate(rest)
                if token in _LATER and not (token == "once" and _OFTEN & set(rest[n + 1 : n + 2]))
            ),
            None,
        )
        if at is None and "if" in rest and _RECOVERS & set(rest[rest.index("if") :]):
            at = rest.index("if")
        if at is None:
            return False
        # "repeat the INR and restart warfarin once it is below 5"
        told = mention.tokens if rest[at + 1 : at + 2] == ("it",) else rest[at:]
        return self.phrases_in(phrases, " ".join(told))

    def phrases_in(self, phrases: Sequence[str], text: str) -> bool:
        """Whether a text has any of the phrases."""
        key = tuple(phrases)
        if key not in self._phrases:
            self._phrases[key] = Phrases([("it", phrase) for phrase in key], Cues([], "action"))
        return bool(key) and bool(self._phrases[key].mentions(text))

    def considered(self, concept: str) -> list[str]:
        """What the rules of a drug look for, by name."""
        rules = [
            rule for name in sorted(self.closures[concept]) for rule in self.rules.get(name, ())
        ]
        own = f"allergy to {concept.replace('_', ' ')} or its class"
        return list(dict.fromkeys([own, *(rule.against for rule in rules)]))


def _of_every_member(
    concept: str, of_it: Sequence[Problem], of_each: Sequence[Sequence[Problem]]
) -> Iterator[Problem]:
    """What speaks against a class because it speaks against each drug of it, and no rule of the
    class says it. of_each: the problems of each drug."""
    if any(problem.seriousness == "absolute" for problem in of_it):
        return
    known = {problem.against for problem in of_it}
    shared = {(p.against, p.seriousness) for p in of_each[0] if p.against not in known}
    for problems in of_each[1:]:
        shared &= {(p.against, p.seriousness) for p in problems}
    common = [p for p in of_each[0] if (p.against, p.seriousness) in shared]
    yield from (replace(problem, drug=concept) for problem in common)
    absolute = [[p for p in problems if p.seriousness == "absolute"] for problems in of_each]
    if all(absolute) and not any(problem.seriousness == "absolute" for problem in common):
        first = absolute[0][0]
        against = f"what forbids every drug of the class ({first.drug}: {first.against})"
        yield replace(first, drug=concept, against=against)


def _is_beside(mention: Named, following: Named | None) -> bool:
    """Whether the next name stands right behind a name, as in that of a combined tablet."""
    return (
        following is not None
        and following.tokens is mention.tokens
        and following.start == mention.end
    )


def _in_both_languages(phrases: Sequence[str]) -> tuple[str, ...]:
    """What must be among what was checked, with its Spanish names."""
    spanish = [name for phrase in phrases for name in _IN_SPANISH.get(phrase, ())]
    return tuple(dict.fromkeys([*phrases, *spanish]))


def _is_excused(tokens: Sequence[str], dose: Dose, safe: Sequence[tuple[str, ...]]) -> bool:
    """Whether a dose is told to be of another route, or the sum of several."""
    behind: list[str] = []
    for at in range(dose.end, min(dose.end + 8, len(tokens))):
        # "24 hours" tells of this dose, another number begins the next
        is_next = tokens[at] in _ENDS_DOSE or tokens[at][0].isdigit()
        if is_next and tuple(tokens[at : at + 2]) not in _OF_ONE_DOSE:
            break
        behind.append(tokens[at])
    around = [*tokens[max(0, dose.start - 2) : dose.start], "", *behind]
    return any(phrase in _OF_ONE_DOSE and _contains(around, phrase) for phrase in safe)


def _is_told(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether a phrase stands somewhere without a denial before it ("no APTT needed")."""
    width = len(phrase)
    return any(
        tuple(tokens[n : n + width]) == tuple(phrase)
        and not _DENYING & set(tokens[max(0, n - 3) : n])
        for n in range(len(tokens) - width + 1)
    )


def _without_denied(tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens without those that are denied: "no taper is called for", "tapering is not
    needed"."""
    return tuple(
        token
        for at, token in enumerate(tokens)
        if not _NO_SUCH & {*tokens[max(0, at - 2) : at], *tokens[at + 1 : at + 3]}
    )


def _contains(tokens: Sequence[str], phrase: tuple[str, ...]) -> bool:
    # a list of a thousand drugs is asked for the phrases of each rule of each drug
    at, width = -1, len(phrase)
    for _ in range(tokens.count(phrase[0])):
        at = tokens.index(phrase[0], at + 1)
        if tuple(tokens[at : at + width]) == phrase:
            return True
    return False
