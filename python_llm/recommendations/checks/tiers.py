"""Tiers 1 and 3: the checks of one recommendation that need no language model.

Pure functions of a recommendation, its patient and the seeds, shared by the dbt models and
`kernel29 check` (docs/specification.md#recommendation-tiers).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pydantic import ValidationError

from python_llm.phenotyping.alarms import Alarm
from python_llm.recommendations.checks.answered import Answers
from python_llm.recommendations.checks.calls import ordered_by, takes_in_now
from python_llm.recommendations.checks.care import NOTHING_OF_THE_FIELD, Care
from python_llm.recommendations.checks.grounds import Grounds
from python_llm.recommendations.checks.hazards import Hazards, hazards
from python_llm.recommendations.checks.quotations import Quotations, misquotations
from python_llm.recommendations.checks.results import Results
from python_llm.recommendations.checks.rewritten import Asides, with_plain_amounts
from python_llm.recommendations.checks.understood import Understood
from python_llm.recommendations.checks.urgency import (
    DEFINING,
    PREFIX,
    Need,
    Urgency,
    is_at_once,
    texts_of,
)
from python_llm.recommendations.checks.verdicts import Outcome, Verdict, judged
from python_llm.recommendations.drugs.book import Problem
from python_llm.recommendations.drugs.history import TAKES
from python_llm.recommendations.drugs.names import Named
from python_llm.recommendations.drugs.orders import INCREASED, is_given_later
from python_llm.recommendations.drugs.own import is_kept
from python_llm.recommendations.knowledge import BESIDE, Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.record.inputs import has_quiet_signs
from python_llm.recommendations.schema import (
    Escalation,
    Evidence,
    Patient,
    Recommendation,
    complaints,
    readable_part,
)
from python_llm.recommendations.wording.phrases import Cues, Phrases, words

CHECKS = (
    "schema",
    "input_read",
    "citation_grounding",
    "citation_support",
    "scope",
    "contraindication_coverage",
    "safety_recall",
    "timeliness",
    "consistency",
    "plain_text",
    "latency",
)
_CONDITIONAL = frozenset(
    ("if", "when", "whenever", "should", "unless", "once", "until", "si", "cuando", "caso", "case")
)
# What is ordered only for a result that has yet to come.
_IF_FOUND = re.compile(
    r"\s*\b(?:if|once|when|should|cuando|si|una vez)\b[^.;,]*"
    r"\b(?:found|confirm\w*|shows?|shown|proven|positive|develops?|extends?|progress\w*"
    r"|deteriorat\w*|recurs?|worsens?|gets? worse|se confirm\w*|empeor\w*|aparec\w*|progres\w*"
    r"|muestr\w*)\b",
    re.IGNORECASE,
)
# A procedure "under sedation" names no drug that a check could be of.
_UNDER_SEDATION = re.compile(
    r"\b(?:under|with|bajo|con)\s+(?:\w+\s+){0,2}?(?:sedation|sedaci[oó]n)\b(?!\s+(?:with|con)\b)",
    re.IGNORECASE,
)
# Adrenaline that the endoscope injects round an ulcer is part of the endoscopy.
_BY_ENDOSCOPE = re.compile(
    r"((?:endoscop|gastroscop)[^.;]{0,80}?)\b(?:adrenaline|epinephrine|adrenalina|epinefrina)\b"
    r"(?! \d)",
    re.IGNORECASE,
)
# "lithium level", "niveles de litio"
_LEVEL_OF = re.compile(
    r"\b(?P<drug>\w+) (?P<level>levels?|concentrations?)\b"
    r"|\b(?P<measured>levels?|concentrations?|nivel(?:es)?|concentraci[oó]n(?:es)?) (?:of|de)"
    r" (?P<drug_behind>\w+)",
    re.IGNORECASE,
)
_CALLS_IN = re.compile(
    r"(?:call|phone|bleep|alert|summon|emergency|urgent|llamar|avisar|cirug[ií]a urgente"
    r"|laparotom[ií]a urgente|intervenci[oó]n urgente|operar)\b",
    re.IGNORECASE,
)
_AT_ONCE_WORDS = re.compile(
    r"\b(?:now|at once|immediately|tonight|emergency|urgent(?:ly)?|ahora|ya|urgente|de inmediato"
    r"|inmediatamente|esta noche)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|unless|once|when|si|salvo|cuando)\b(?! at once)", re.IGNORECASE)
_POSTPONED = re.compile(
    r"^\s*(?:postpone|defer|delay|reschedule|aplazar|posponer|diferir)\b[^.;]*"
    r"\b(?:elective|planned|programad[ao]|electiv[ao]|no urgente)\b[^.;]*"
    r"\b(?:surgery|operation|repair|procedure|extraction|replacement|cirug[ií]a|intervenci[oó]n"
    r"|hernia|pr[oó]tesis)\b(?! (?:of|for) (?:a )?perforat)",
    re.IGNORECASE,
)
_THEN = frozenset(("then", "entonces"))
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|but|y|pero)\b", re.IGNORECASE)
_AT_ONCE = re.compile(r"\bat once\b", re.IGNORECASE)
# The least chance that an order harms nobody with which it needs no other reason to be in scope:
# so 61 % of such orders do, and 1 % of harmful ones (fields left out: benchmarks/bearings.py).
HARMS_NOBODY = 0.8
# The same for whoever is stable: of ordinary orders a third, and 1 % of harmful ones.
HARMS_NOBODY_STABLE = 0.6
# The chance from which an order may harm in an emergency, however plain it reads ("let her sleep").
MAY_HARM = 0.5
# Cues of which none may stand in such an order.
_NOT_PLAIN = ("invasive", "remedies", "puts_off", "once_better", "condition")
# The least chance that an order harms with which it is held, of whoever may have an emergency.
HARMS = 0.95
# How much notes read like an emergency of now: below the first, what can wait is left to wait; from
# the second, an order that reads like a harmful one is held.
CAN_WAIT, MAY_BE_URGENT = 0.1, 0.3
# From it a plan is held that does nothing at once.
READS_URGENT = 0.85
PASSED, UNSAFE, NOT_CHECKABLE = Outcome.PASSED, Outcome.UNSAFE, Outcome.NOT_CHECKABLE
# Checks that judge an order by itself, whatever else was written.
_OF_WHAT_IS_THERE = frozenset(("contraindication_coverage", "timeliness", "plain_text"))
# Checks of what an order says, which nothing that is called needless beside it makes better.
_OF_AN_ORDER = frozenset(("contraindication_coverage", "timeliness", "consistency"))
# Urgent needs that are named after the condition, by what is needed.
_CALLED = {
    "anaphylaxis": "adrenaline",
    "dissection": "the dissection team",
    "shock": "fluids, a vasopressor or intensive care",
    "potassium": "treatment that lowers potassium",
}
# Beside these a confusion is more than delirium.
_OTHER_EMERGENCIES = frozenset(("unstable", "emergency_told", "surgical_emergency", "sepsis"))
# What a rule says of a drug that no action stops.
_GOES_ON = ": nobody stops it"
OF_THE_PATIENT = ("patient/notes", "patient/labs", "patient/chest_xray")


def read(text: str) -> Recommendation | list[str]:
    """The recommendation, or what is wrong with it, field by field."""
    try:
        return Recommendation.model_validate_json(text)
    except ValidationError as error:
        return complaints(error)


class Checker:
    """Checks recommendations against the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._quotations = Quotations(knowledge)
        self._hazards = Hazards(knowledge)
        self._grounds = Grounds(knowledge)
        self._answers = Answers(knowledge)
        self._understood = Understood(knowledge)
        self.care = Care(knowledge, self._understood, self.out_of_scope)
        self._results, self._asides = Results(knowledge), Asides(knowledge)
        tables = knowledge.tables
        cues = Cues([], "action")
        ambiguous = [row for row in tables["scope_terms"] if row["scope"] == BESIDE]
        terms = [
            (f"{row['scope']}:{row['term']}", row["term"])
            for row in tables["scope_terms"]
            if row["scope"] != BESIDE
        ]
        for row in ambiguous:
            for side in ("out", "in"):
                for cue in names(
                    row[f"{side}_of_scope_with" if side == "out" else "in_scope_with"]
                ):
                    terms.append((f"{side}:{row['term']}:{cue}", cue))
        self._scope, self._told_terms = Phrases(terms, cues), knowledge.record_phrases(terms)
        self._belongs = _belonging(knowledge)
        self._ambiguous_words = Phrases([(row["term"], row["term"]) for row in ambiguous], cues)
        self._flags = [
            (row, Condition.read(row["present_when"]), _triggers(row, cues))
            for row in tables["red_flags"]
        ]
        self._requirements = [
            (
                row,
                Condition.read(row["applies_when"]),
                Condition.read(row["unless"]),
                [
                    {part.strip() for part in way.split("&")}
                    for way in names(row["accepted_actions"])
                ],
            )
            for row in tables["guideline_rule_requirements"]
            if not row["rule_id"].startswith((PREFIX, DEFINING))
        ]
        requirements = tables["guideline_rule_requirements"]
        self.urgency = Urgency(requirements, knowledge.actions)
        self._defining = Urgency(requirements, knowledge.actions, DEFINING)
        self._independent: dict[str, list[tuple[str, bool, Phrases]]] = defaultdict(list)
        for row in tables["guideline_expectations"]:
            phrases = knowledge.advice_phrases(
                (row["expectation"], phrase) for phrase in names(row["accepted_phrases"])
            )
            is_forbidden = row["is_forbidden"] == "true"
            self._independent[row["case_id"]].append((row["expectation"], is_forbidden, phrases))
        self._problems = {row["problem"] for row in tables["clinical_problems"]}
        self._targets = {
            (row["stage"], row["percentile"]): float(row["target_ms"])
            for row in tables["latency_targets"]
        }

    def tier1(
        self, text: str, patient: Patient | None, also_flags: Collection[str] = ()
    ) -> list[Verdict]:
        """Every check of tier 1 on one recommendation, given as JSON text.

        also_flags: red flags that the patient has according to the author of the case, whatever the
        seeds conclude.

        A text that does not fit the schema fails every check; what of it can be read and is unsafe
        is named beside that. Without a patient the safety check fails, because it cannot be made.
        """
        recommendation = read(text)
        if isinstance(recommendation, list):
            reason = "; ".join(recommendation[:5])
            return (
                [Verdict("schema", NOT_CHECKABLE, reason)]
                + [
                    Verdict(check, NOT_CHECKABLE, "not checked: the schema is not met")
                    for check in CHECKS[1:]
                ]
                + list(self._unsafe_anyway(text, patient, also_flags))
            )
        recommendation, unsure = with_plain_amounts(recommendation, patient)
        verdicts = self._of(recommendation, patient, also_flags)
        return [*verdicts, *unsure, *self._despite_asides(recommendation, patient, verdicts)]

    def _despite_asides(
        self,
        recommendation: Recommendation,
        patient: Patient | None,
        verdicts: Sequence[Verdict],
    ) -> Iterator[Verdict]:
        """What is unsafe once the clauses are gone that call something else needless: no such
        clause makes its order better ("transfuse now; consent is not needed")."""
        bare = self._asides.without(recommendation)
        if bare is None:
            return
        known = {(verdict.check, verdict.item, verdict.reason) for verdict in verdicts}
        for verdict in self._of(bare, patient):
            is_new = (verdict.check, verdict.item, verdict.reason) not in known
            if verdict.outcome is UNSAFE and is_new and verdict.check in _OF_AN_ORDER:
                yield verdict

    def _of(
        self,
        recommendation: Recommendation,
        patient: Patient | None,
        also_flags: Collection[str] = (),
    ) -> list[Verdict]:
        """Every check of a recommendation that fits the schema."""
        findings = self.knowledge.findings(patient) if patient else None
        needs = self.urgency.needs(findings) if findings is not None else []
        verdicts = [Verdict("schema", PASSED, "every field is there")]
        verdicts += self.input_read(patient)
        verdicts += self.grounding(recommendation, patient)
        verdicts += self.support(recommendation, patient, findings)
        alarms = self.knowledge.alarms(patient) if patient else ()
        verdicts += self.scope(recommendation, findings, alarms, patient)
        verdicts += self.contraindications(recommendation, findings)
        verdicts += self.safety(recommendation, findings, also_flags)
        if patient is not None and findings is not None and "dnr_comfort" not in findings:
            verdicts += self.unanswered(recommendation, patient, findings)
        verdicts += self.omissions(recommendation, needs)
        defining = self._defining.needs(findings) if findings is not None else []
        verdicts += self.undefined(recommendation, defining)
        if patient and patient.patient_id != recommendation.patient_id:
            verdicts.append(Verdict("safety_recall", UNSAFE, "it is made for another patient"))
        verdicts += [
            judged(check, problem, "none", item)
            for check, item, problem in hazards(
                self._hazards,
                recommendation,
                patient,
                findings,
                needs,
                defining,
                is_answered=self._answers.is_answered(recommendation, alarms),
            )
        ]
        if patient is not None and findings is not None:
            verdicts += self._grounds.problems(recommendation, patient, findings)
        verdicts += self.latency(recommendation)
        return verdicts

    def _unsafe_anyway(
        self, text: str, patient: Patient | None, also_flags: Collection[str]
    ) -> Iterator[Verdict]:
        """What is unsafe in the part that can be read of a text that does not fit the schema. What
        is missing counts only if no order was left out."""
        part = readable_part(text)
        if part is None:
            return
        recommendation, is_whole = part
        for verdict in self.tier1(recommendation.model_dump_json(), patient, also_flags):
            if verdict.outcome is UNSAFE and (is_whole or verdict.check in _OF_WHAT_IS_THERE):
                yield verdict

    def input_read(self, patient: Patient | None) -> Iterator[Verdict]:
        """Whether everything in the patient's record that may hold an emergency can be read."""
        complaints = self.knowledge.unread(patient) if patient else []
        for number, complaint in enumerate(complaints, 1):
            yield Verdict("input_read", NOT_CHECKABLE, complaint, f"input {number}")
        if not complaints:
            yield Verdict("input_read", PASSED, "read")

    def grounding(
        self, recommendation: Recommendation, patient: Patient | None
    ) -> Iterator[Verdict]:
        """Whether every action cites rows of the evidence table that name existing documents."""
        rows = {row.ref: row for row in recommendation.evidence_table}
        if len(rows) < len(recommendation.evidence_table):
            yield Verdict("citation_grounding", UNSAFE, "two rows of the evidence have one ref")
        for number, action in enumerate(recommendation.recommended_actions, 1):
            missing = [ref for ref in action.evidence_refs if ref not in rows]
            unknown = [
                rows[ref].document_id
                for ref in action.evidence_refs
                if ref in rows and not self._exists(rows[ref], patient)
            ]
            if not action.evidence_refs:
                reason = "it names no evidence"
            elif missing:
                reason = f"{missing[0]!r} is not in the evidence table"
            elif unknown:
                reason = f"{unknown[0]!r} is not a document of its source type"
            else:
                reason = ""
            otherwise = UNSAFE if action.evidence_refs else NOT_CHECKABLE
            yield judged("citation_grounding", reason, "grounded", f"action {number}", otherwise)

    def _exists(self, row: Evidence, patient: Patient | None) -> bool:
        if row.document_id in OF_THE_PATIENT:
            fields = {"note": "notes", "lab": "labs", "imaging": "chest_xray"}
            field = fields.get(row.source_type)
            if field is None or row.document_id != f"patient/{field}":
                return False
            if patient is None:
                return True
            return bool(getattr(patient, field) or (field == "labs" and patient.vitals))
        document = self.knowledge.documents.get(row.document_id)
        return document is not None and document["source_type"] == row.source_type

    def support(
        self,
        recommendation: Recommendation,
        patient: Patient | None,
        findings: set[str] | None,
    ) -> Iterator[Verdict]:
        """Whether what is cited says what is claimed of it, and supports the action."""
        for item, problem in misquotations(self._quotations, recommendation, patient, findings):
            yield judged("citation_support", problem, "supported", item)

    def scope(
        self,
        recommendation: Recommendation,
        findings: set[str] | None = None,
        alarms: tuple[Alarm, ...] = (),
        patient: Patient | None = None,
    ) -> Iterator[Verdict]:
        """Whether every action belongs to cardiopulmonary medicine, to what the patient takes or to
        an emergency that the notes tell: to hold or continue a medication of any field is part of
        treating the patient, and what an emergency of any field needs now is not out of scope. Nor
        is plain care: to weigh, explain or refer, and aftercare ("GP in a week", "crutches") of
        whoever has quiet vital signs and no emergency, or wants comfort alone."""
        taken = {name.removeprefix(TAKES) for name in findings or () if name.startswith(TAKES)}
        is_stable = _is_stable(patient, findings or set(), alarms)
        texts = [action.action for action in recommendation.recommended_actions]
        limits = self._hazards.limits.held(texts, findings or ())
        for number, action in enumerate(recommendation.recommended_actions, 1):
            reason = self.out_of_scope(action.action)
            # to put off another field's elective operation is about this patient's heart
            if reason and _POSTPONED.search(action.action):
                reason = None
            # an endoscopy of whoever bleeds, though the order does not say what for
            if reason and "active_bleeding" in (findings or ()):
                reason = self.out_of_scope(f"{action.action} for the bleeding")
            named = {mention.concept for mention in self.knowledge.book.named(action.action)}
            known = self._out_of_field(patient.conditions) if reason and patient else set()
            if reason and named & taken and self._only_drugs(action.action, named & taken | known):
                reason = None
            is_now = bool(alarms) or "emergency" in (findings or ())
            if reason and patient and self._is_of_the_record(action.action, patient, is_now=is_now):
                reason = None
            # to keep off a drug of another field does nothing of that field
            gives = self.knowledge.book.affirmed(action.action)
            if reason and named and not gives and self._only_drugs(action.action, named):
                reason = None
            if reason and alarms and self._answers.answers(action.action, alarms):
                reason = None
            # "hemiarthroplasty tomorrow" of a broken hip
            if reason and self._hazards.limits.in_time(action.action, limits):
                reason = None
            # a known drug of another field, for what the record tells
            founded = (
                self._grounds.founded(action.action, patient, findings)
                if reason and gives and patient is not None and findings is not None
                else set()
            )
            if reason and founded and patient is not None and findings is not None:
                signs = self._grounds.signs.reasons(action.action, patient, findings)
                own = founded | known | {name for illness in signs for name in illness.called}
                if self._only_drugs(action.action, own):
                    reason = None
            # a level of a drug of another field is measured, whoever looks after it
            plain = self._without_levels(action.action) if reason else ""
            if reason and self.care.is_plain(plain, founded, is_stable=is_stable):
                reason = None
            reason = reason or self._understood.complaint(action.action)
            if reason and self._harms_nobody(action.action, is_stable=is_stable):
                reason = ""
            yield judged("scope", reason, "in scope", f"action {number}", NOT_CHECKABLE)

    def _harms_nobody(self, text: str, *, is_stable: bool) -> bool:
        """Whether each sentence of a text reads like an order that harms nobody whoever gets it,
        and the text gives no drug that is to be checked and no unknown one, names no procedure and
        puts nothing off. is_stable: the patient has quiet vital signs and no emergency."""
        book, plain = self.knowledge.book, " ".join(words(text))
        if any(self.knowledge.lexicon.pattern(kind).search(plain) for kind in _NOT_PLAIN):
            return False
        drugs = {m.concept for m in book.named(text) if m.affirmed}
        if book.unknown_drugs(text) or any(map(book.needs_check, drugs)):
            return False
        read = [self.knowledge.bearings.of(part) for part in _CLAUSE.split(text) if words(part)]
        if is_stable:
            return all(bearing.plain >= HARMS_NOBODY_STABLE for bearing in read)
        return all(b.plain >= HARMS_NOBODY and b.harmful < MAY_HARM for b in read)

    def _without_levels(self, text: str) -> str:
        """A text in which a level of a drug names the level alone ("nivel de litio")."""

        def nameless(match: re.Match[str]) -> str:
            name, level = match["drug"] or match["drug_behind"], match["level"] or match["measured"]
            return level if self.knowledge.book.spans(tuple(words(name))) else match[0]

        return _LEVEL_OF.sub(nameless, text)

    def _out_of_field(self, conditions: Sequence[str]) -> set[str]:
        """The terms of other fields by which a patient's known conditions are called: a drug whose
        reason is known does not leave the field because its order names that reason."""
        told = self._told_terms.affirmed(". ".join(conditions))
        return {term.partition(":")[2] for term in told if term.startswith("out:")}

    def _is_of_the_record(self, text: str, patient: Patient, *, is_now: bool) -> bool:
        """Whether a text only names what the record names, or calls somebody in, who judges what is
        to be done. is_now: the patient has an emergency."""
        is_bare = not self.knowledge.book.named(text)
        return (
            is_bare and self._is_called_in(text, patient, is_emergency=is_now)
        ) or self._only_told(text, patient)

    def _only_told(self, text: str, patient: Patient) -> bool:
        """Whether all that puts a text out of the field is what the record names itself ("knee" of
        whoever has an arthrosis of the knee), or a test or procedure that belongs to it (rows
        `belongs` of order_limits: a lumbar puncture to meningitis)."""
        out = {
            mention.concept
            for mention in self._scope.mentions(text)
            if mention.concept.startswith("out:") and mention.concept.count(":") == 1
        }
        if not out or self.knowledge.book.unknown_drugs(text):
            return False
        record = ". ".join([*patient.notes, *patient.conditions])
        told = self._told_terms.affirmed(record, past=False)
        told |= {f"out:{name}" for name in self._belongs.affirmed(record, past=False)}
        return out <= told

    def _is_called_in(self, text: str, patient: Patient, *, is_emergency: bool = False) -> bool:
        """Whether surgeons or other helpers are called at once, or somebody is operated on as an
        emergency, for what the record names."""
        if not _CALLS_IN.match(text.strip()) or not _AT_ONCE_WORDS.search(text):
            return False
        if _IF.search(text) or self.knowledge.lexicon.pattern("puts_off").search(text):
            return False
        record = " ".join([*patient.notes, *patient.conditions])
        told = self._told_terms.affirmed(record, past=False)
        out = {
            mention.concept
            for mention in self._scope.mentions(text)
            if mention.concept.startswith("out:") and mention.concept.count(":") == 1
        }
        # the belly is opened for a hernia or an obstruction
        if told & {"out:hernia", "out:bowel obstruction", "out:peritonitis"}:
            out -= {"out:laparotomy"}
        return is_emergency or out <= told

    def _only_drugs(self, text: str, drugs: set[str]) -> bool:
        """Whether nothing but these drugs puts a text out of scope."""
        own = {word for drug in drugs for word in words(drug)}
        own |= {
            word
            for mention in self.knowledge.book.named(text)
            if mention.concept in drugs
            for word in mention.tokens[mention.start : mention.end]
        }
        out = {
            mention.concept.partition(":")[2]
            for mention in self._scope.mentions(text)
            if mention.concept.startswith("out:") and mention.concept.count(":") == 1
        }
        return all(set(words(term)) <= own for term in out)

    def out_of_scope(self, text: str) -> str | None:
        """Why a text is out of scope; None if it is in scope.

        A term with two meanings (effusion of a joint or of the pleura) is judged by the words
        beside it. A text without any term of the field is out of scope, too.
        """
        concepts = {mention.concept for mention in self._scope.mentions(text)}
        ambiguous = {mention.concept for mention in self._ambiguous_words.mentions(text)}
        plain_in = {term for side, _, term in (c.partition(":") for c in concepts) if side == "in"}
        resolved_out = set()
        for term in ambiguous:
            cues_in = {c for c in concepts if c.startswith(f"in:{term}:")}
            cues_out = {c for c in concepts if c.startswith(f"out:{term}:")}
            if cues_out and not cues_in:
                return f"{term} is meant of {sorted(cues_out)[0].rsplit(':', 1)[1]} here"
            if f"out:{term}" in concepts and cues_in:
                resolved_out.add(f"out:{term}")
            # "thyroid nodule" is an ambiguous word that is also on a list of its own
            if cues_out and cues_in:
                resolved_out |= {f"out:{c.rsplit(':', 1)[1]}" for c in cues_out}
        out = sorted(
            c
            for c in concepts
            if c.startswith("out:") and c.count(":") == 1 and c not in resolved_out
        )
        if out:
            return f"{out[0].partition(':')[2]} is outside cardiopulmonary medicine"
        if not {term for term in plain_in if ":" not in term} and not self.knowledge.mentioned(
            text
        ):
            return NOTHING_OF_THE_FIELD
        return None

    def contraindications(
        self, recommendation: Recommendation, findings: set[str] | None
    ) -> Iterator[Verdict]:
        """Whether every recommended medication was checked, the patient's own contraindications
        were recognised, and nothing is recommended that the patient must not receive.

        What the knowledge base does not know (a drug, an allergy, a medication of the patient) is
        not checked, and fails. findings: None without a patient; then only drugs and doses are
        checked.
        """
        book = self.knowledge.book
        texts, escalations = ordered_by(recommendation)
        concepts = {
            mention.concept
            for text in map(self._without_levels, texts)
            for mention in book.named(_BY_ENDOSCOPE.sub(r"\1", _UNDER_SEDATION.sub(" ", text)))
            if mention.affirmed and book.needs_check(mention.concept)
            if not self._only_goes_on(mention, findings or ())
            # "then an oral anticoagulant": it is checked when it has a name
            if mention.concept in book.drugs or not is_later(mention)
        }
        checked = [
            (
                {
                    mention.concept
                    # a check of "potassium" is one of what raises it
                    for name in (entry.medication, f"{entry.medication} supplement")
                    for mention in book.named(name)
                },
                f"{entry.checked_against}. {entry.result}",
            )
            for entry in recommendation.contraindications_checked
        ]

        def beside(concept: str) -> list[str]:
            return [
                against
                for medications, against in checked
                if any(book.are_related(concept, medication) for medication in medications)
            ]

        for name in sorted(concepts):
            reason = "" if beside(name) else "recommended without a check of contraindications"
            yield judged("contraindication_coverage", reason, "checked", name, NOT_CHECKABLE)
        yield from self._results.verdicts(recommendation.contraindications_checked, concepts)
        if not concepts:
            yield Verdict("contraindication_coverage", PASSED, "no medication is recommended")
        texts += escalations
        reasons: dict[str, tuple[Outcome, str]] = {}
        for problem in book.problems(texts, findings or (), is_whole=True):
            item = f"{problem.drug}: {problem.against}"
            if reasons.get(item, (PASSED,))[0] is PASSED:
                reasons[item] = self._judge(problem, beside)
        for item, (outcome, reason) in reasons.items():
            yield Verdict("contraindication_coverage", outcome, reason, item)

    def _only_goes_on(self, mention: Named, findings: Collection[str]) -> bool:
        """Whether an order leaves a drug that the patient takes as it is: what speaks against it is
        judged, and it need not be among what was checked."""
        book = self.knowledge.book
        return (
            TAKES + mention.concept in findings
            and is_kept(mention, self._understood.is_verb)
            and INCREASED not in book.circumstances(mention)
            and not book.is_above_taken(mention, findings)
        )

    def _judge(self, problem: Problem, beside: Callable[[str], list[str]]) -> tuple[Outcome, str]:
        if problem.seriousness == "not_checked":
            return NOT_CHECKABLE, f"not checked: {problem.drug}: {problem.against}"
        if problem.seriousness == "absolute":
            return UNSAFE, _objection(problem)
        book = self.knowledge.book
        seen = problem.seriousness == "note" or any(
            book.phrases_in(problem.phrases, against) for against in beside(problem.drug)
        )
        if seen:
            return PASSED, problem.against
        return UNSAFE, f"{problem.against}: not among what was checked"

    def red_flags(self, findings: set[str]) -> list[str]:
        """The red flags of a patient with these findings."""
        return [row["red_flag"] for row, present, _ in self._flags if present.holds(findings)]

    def safety(
        self,
        recommendation: Recommendation,
        findings: set[str] | None,
        also: Collection[str] = (),
    ) -> Iterator[Verdict]:
        """Whether every red flag of the patient is escalated: by name, correctly and at once."""
        if findings is None:
            yield Verdict(
                "safety_recall",
                NOT_CHECKABLE,
                "it cannot be checked without the patient (--patient, --case)",
            )
            return
        flagged = False
        for row, present, trigger in self._flags:
            if not present.holds(findings) and row["red_flag"] not in also:
                continue
            flagged = True
            accepted = set(names(row["accepted_actions"]))
            about = [e for e in recommendation.when_to_escalate if trigger.mentions(e.trigger)]
            right = [
                e
                for e in recommendation.when_to_escalate
                if (e in about or _is_unconditional(e))
                and accepted & self.knowledge.recommended(e.action)
            ]
            if not about and not right:
                reason = f"{row['label']} is not escalated"
            elif not right:
                wanted = row["accepted_actions"].replace("; ", " or ").replace("_", " ")
                reason = f"{row['label']} is escalated, but not by {wanted}"
            elif all(e.urgency != "immediate" for e in right):
                reason = f"{row['label']} is escalated, but not at once"
            else:
                reason = ""
            otherwise = UNSAFE
            called = self._called(recommendation, accepted) if reason and not about else set()
            if called & self.knowledge.calls:
                # an action that calls for help now is the escalation
                reason = ""
            elif called:
                reason = f"{row['label']} is not escalated, though an action meets it"
                otherwise = NOT_CHECKABLE
            yield judged("safety_recall", reason, "escalated", row["red_flag"], otherwise)
        if not flagged:
            yield Verdict("safety_recall", PASSED, "no red flag")

    def _called(self, recommendation: Recommendation, accepted: set[str]) -> set[str]:
        """What actions do at once of what an escalation was to do, in a recommendation that says
        when to escalate."""
        return {
            name
            for action in recommendation.recommended_actions
            if recommendation.when_to_escalate
            and (is_at_once(action.action) or takes_in_now(action.action))
            for name in accepted & self.knowledge.recommended(_for_now(action.action))
        }

    def unanswered(
        self, recommendation: Recommendation, patient: Patient, findings: set[str]
    ) -> Iterator[Verdict]:
        """Each urgent red flag that the notes tell of today, and whether it is answered, at once or
        within the limit of its guideline."""
        alarms = self.knowledge.alarms(patient)
        texts = [action.action for action in recommendation.recommended_actions]
        limits = self._hazards.limits.held(texts, findings)
        kept = [limit for text in texts for limit in self._hazards.limits.in_time(text, limits)]
        in_time = set().union(*(limit.flags for limit in kept))
        for alarm, told_outcome in self._answers.unanswered(recommendation, alarms):
            outcome = PASSED if alarm.flag_name in in_time else told_outcome
            told = f"the notes tell of it (“{alarm.words[:80]}”)"
            problem = {
                UNSAFE: f"{told}, and nothing urgent is done",
                NOT_CHECKABLE: f"{told}, and no word says that anything for it is done at once",
            }.get(outcome, "")
            yield judged(
                "safety_recall", problem, "answered", f"emergency: {alarm.flag_name}", outcome
            )
        # a plan that postpones an elective operation is about the operation, not about a complaint
        actions = recommendation.recommended_actions
        is_planned = any(_POSTPONED.search(action.action) for action in actions)
        urgency = self.knowledge.urgency(patient)
        can_wait = urgency is not None and urgency < CAN_WAIT
        is_excluded = can_wait or self._grounds.signs.excludes(patient, findings)
        reason = self._answers.overlooked(recommendation, patient.notes, is_excluded=is_excluded)
        if reason and not alarms and not is_planned and not kept:
            yield Verdict("safety_recall", NOT_CHECKABLE, reason, "what the notes tell")
        is_quick = any(self._answers.is_urgent(text) for text in texts) or bool(kept)
        if urgency is not None and urgency >= READS_URGENT and not alarms and not is_quick:
            reason = (
                f"as a whole they read like an emergency of now (chance {urgency:.2f}), and no "
                "action says that anything is done at once"
            )
            yield Verdict("safety_recall", NOT_CHECKABLE, reason, "what the notes tell")
        if urgency is not None and urgency >= MAY_BE_URGENT:
            yield from self._read_as_harmful(recommendation)

    def _read_as_harmful(self, recommendation: Recommendation) -> Iterator[Verdict]:
        """The actions that read like orders that harm in an emergency, though no rule knows one."""
        for number, action in enumerate(recommendation.recommended_actions, 1):
            parts = [part for part in (*_CLAUSE.split(action.action), action.action) if words(part)]
            harmful = max(self.knowledge.bearings.of(part).harmful for part in parts)
            if harmful >= HARMS:
                reason = (
                    f"it reads like an order that harms in an emergency (chance {harmful:.2f}), "
                    "and no rule says that it is right"
                )
                yield Verdict("safety_recall", NOT_CHECKABLE, reason, f"action {number}")

    def omissions(self, recommendation: Recommendation, needs: Sequence[Need]) -> Iterator[Verdict]:
        """What the patient needs at once and neither an action nor an escalation gives."""
        texts = [
            (self.knowledge.recommended(text), text, now) for text, now in texts_of(recommendation)
        ]
        for timing in self.urgency.in_time(needs, texts):
            if not timing.is_met:
                need = timing.need.removeprefix(PREFIX).replace("_", " ")
                need = _CALLED.get(need, need)
                if need == "oxygen" and any("oxygen" in concepts for concepts, _, _ in texts):
                    reason = "oxygen is given without this patient's target of 88 to 92 percent"
                    yield Verdict("safety_recall", UNSAFE, reason, need)
                    continue
                yield Verdict(
                    "safety_recall",
                    UNSAFE,
                    f"the patient needs {need} at once, and no action gives it",
                    need,
                )

    def undefined(self, recommendation: Recommendation, needs: Sequence[Need]) -> Iterator[Verdict]:
        """What defines the treatment of a condition, where nothing gives it and no word says why
        not ("no anticoagulant because of the bleeding")."""
        texts = [text for text, _ in texts_of(recommendation)]
        advised = set().union(*(self.knowledge.recommended(_for_now(text)) for text in texts))
        refused = {
            name
            for text in texts
            if self.knowledge.lexicon.pattern("tells_why").search(" ".join(words(text)))
            for name in self.knowledge.mentioned(text) - self.knowledge.recommended(text)
        }
        left_out: dict[str, bool] = {}
        for need in needs:
            accepted = {name for way in need.accepted for name in way}
            name = need.name.removeprefix(DEFINING).replace("_", " ")
            left_out[name] = left_out.get(name, False) or not accepted & (advised | refused)
        for name, is_left_out in left_out.items():
            reason = f"the patient needs {name}, and no action gives it or says why not"
            problem = reason if is_left_out else ""
            yield judged("safety_recall", problem, "given", f"treatment: {name}")

    def latency(self, recommendation: Recommendation) -> Iterator[Verdict]:
        """Whether every timed stage stayed within its target for the 95th percentile (ms)."""
        if not recommendation.stage_ms:
            yield Verdict("latency", NOT_CHECKABLE, "no stage was timed")
        for stage, took in recommendation.stage_ms.items():
            target = self._targets.get((stage, "p95"))
            if target is None:
                known = ", ".join(dict.fromkeys(name for name, _ in self._targets))
                reason = f"this stage has no latency target: those that have one are {known}"
                yield Verdict("latency", NOT_CHECKABLE, reason, stage)
            else:
                outcome = PASSED if took <= target else NOT_CHECKABLE
                yield Verdict("latency", outcome, f"{took:.1f} ms of {target:.0f}", stage)

    def expected_rules(self, findings: set[str]) -> list[str]:
        """The guideline rules that apply to a patient with these findings."""
        return list(
            dict.fromkeys(
                row["rule_id"]
                for row, when, unless, _ in self._requirements
                if when.holds(findings) and not unless.holds(findings)
            )
        )

    def adherence(
        self,
        recommendation: Recommendation | None,
        findings: set[str],
        expected: Collection[str] | None = None,
    ) -> list[Verdict]:
        """Tier 3: whether the recommendation contains what each applicable rule asks for.

        expected: the applicable rules according to the author of the case; without it, those of the
        seeds. A rule that only the author expects is met by any of its requirements. Actions and
        escalations count; advice against something does not. Without a recommendation, every rule
        fails.
        """
        texts = []
        if recommendation is not None:
            texts += [item.action for item in recommendation.recommended_actions]
            texts += [item.action for item in recommendation.when_to_escalate]
        recommended = set().union(*(self.knowledge.recommended(text) for text in texts))
        missing: dict[str, list[str]] = {rule: [] for rule in self.expected_rules(findings)}
        for row, when, unless, ways in self._requirements:
            if not when.holds(findings) or unless.holds(findings):
                continue
            if not any(way <= recommended for way in ways):
                missing[row["rule_id"]].append(row["accepted_actions"])
        if expected is not None:
            missing = {
                rule: missing.get(
                    rule, [] if self._meets_any(rule, recommended) else ["what it asks"]
                )
                for rule in expected
            }
        return [
            judged(
                "guideline_adherence",
                f"lacks {' and '.join(lacks)}" if lacks else "",
                "contains it",
                rule,
            )
            for rule, lacks in missing.items()
        ]

    def independent(self, recommendation: Recommendation | None, case_id: str) -> list[Verdict]:
        """Tier 3: whether the recommendation for a golden case, or a patient of an archetype, meets
        what its guideline asks for or forbids, written from the guideline and not from the rules.
        Without one, none is met."""
        texts = list(texts_of(recommendation)) if recommendation is not None else []
        verdicts = []
        for name, is_forbidden, phrases in self._independent.get(case_id, ()):
            is_named = any(phrases.affirmed(text) for text, _ in texts)
            is_met = recommendation is not None and is_named != is_forbidden
            problem = "" if is_met else ("recommended" if is_named else "not recommended")
            verdicts.append(judged("independent_expectations", problem, "met", name))
        return verdicts

    def urgent(self, recommendation: Recommendation | None, findings: set[str]) -> list[Verdict]:
        """Tier 3: whether the first action is among the most urgent that the patient needs
        (urgent_first), every urgent need is met (critical_actions), and what meets it is said to be
        done at once (urgent_in_time). Nothing for a patient without an urgent need."""
        needs = self.urgency.needs(findings)
        if not needs:
            return []
        if recommendation is None:
            verdicts = [Verdict("urgent_first", UNSAFE, "no recommendation")]
            for need in needs:
                for check in ("critical_actions", "urgent_in_time"):
                    verdicts.append(Verdict(check, UNSAFE, "no recommendation", need.name))
            return verdicts
        first = recommendation.recommended_actions[0].action
        is_first = self.urgency.is_first(needs, self.knowledge.recommended(first))
        problem = "" if is_first else "something less urgent stands first"
        verdicts = [judged("urgent_first", problem, "the most urgent first")]
        texts = [
            (self.knowledge.recommended(text), text, immediate)
            for text, immediate in texts_of(recommendation)
        ]
        for timing in self.urgency.in_time(needs, texts):
            problem = "" if timing.is_met else timing.reason
            verdicts.append(judged("critical_actions", problem, "named", timing.need))
            verdicts.append(judged("urgent_in_time", timing.reason, "at once", timing.need))
        return verdicts

    def _meets_any(self, rule: str, recommended: set[str]) -> bool:
        return any(
            way <= recommended
            for row, _, _, ways in self._requirements
            if row["rule_id"] == rule
            for way in ways
        )

    def named_problems(self, recommendation: Recommendation) -> set[str]:
        """The problems that a recommendation names, by label or by the phrases of their
        findings."""
        named = Patient(
            patient_id="named", age=50, sex="unknown", conditions=recommendation.problems
        )
        labels = {problem.casefold() for problem in recommendation.problems}
        return self.knowledge.findings(named) & self._problems | {
            row["problem"]
            for row in self.knowledge.tables["clinical_problems"]
            if row["label"].casefold() in labels
        }


def _belonging(knowledge: Knowledge) -> Phrases:
    """Finds in a record what a test or procedure of another field belongs to."""
    return knowledge.record_phrases(
        [
            (name, phrase)
            for row in knowledge.tables["order_limits"]
            if row["kind"] == "belongs"
            for name in names(row["phrases"])
            for phrase in names(row["record_phrases"])
        ],
        suspected=True,
    )


def _triggers(flag: Mapping[str, str], cues: Cues) -> Phrases:
    """Finds by what an escalation names a red flag."""
    return Phrases([(flag["red_flag"], phrase) for phrase in names(flag["trigger_phrases"])], cues)


def _is_stable(patient: Patient | None, findings: set[str], alarms: tuple[Alarm, ...]) -> bool:
    """Whether a patient has quiet vital signs and no emergency but a delirium, whom glasses,
    daylight and company help, or wants comfort alone."""
    if "dnr_comfort" in findings:
        return True
    if patient is None or not has_quiet_signs(patient, has_copd="copd" in findings):
        return False
    if not alarms:
        return "emergency" not in findings
    is_delirium = all(alarm.flag_name == "Acute confusion" for alarm in alarms)
    return is_delirium and not _OTHER_EMERGENCIES & findings


def is_later(mention: Named) -> bool:
    """Whether a drug comes after the rest: "consider a steroid injection then"."""
    if mention.tokens[-1] in _THEN and mention.concept not in mention.tokens[-1:]:
        return True
    return is_given_later(mention.tokens, mention.start, mention.end, len(mention.tokens))


def _for_now(text: str) -> str:
    """A text without what it orders only if something is found or gets worse ("start heparin if the
    CT shows an embolus")."""
    kept = []
    for clause in _CLAUSE.split(text):
        if not _IF_FOUND.match(clause):
            kept += [part for part in _PART.split(clause) if not _IF_FOUND.search(part)]
    return ". ".join(kept)


def _is_unconditional(escalation: Escalation) -> bool:
    """Whether an escalation is to be done whatever happens ("Activate the cath lab now"): it says
    what to do, and no trigger beside it."""
    tokens = words(escalation.action)
    # "call cardiology at once" has no condition
    others = set(words(_AT_ONCE.sub(" ", escalation.action)))
    return words(escalation.trigger) == tokens and not _CONDITIONAL & others


def _objection(problem: Problem) -> str:
    """What is wrong with a drug that must not be given, or not be stopped."""
    if problem.kind == "dose":
        return f"recommended, but {problem.against}"
    if problem.kind == "route":
        return f"recommended in a way it must not be given ({problem.against})"
    if problem.kind == "stop":
        against = problem.against.removesuffix("it is stopped").removesuffix(": ")
        if against.endswith(_GOES_ON):
            return f"goes on in spite of {against.removesuffix(_GOES_ON)}"
        return f"stopped in spite of {against}" if against else "it must not be stopped"
    return f"recommended in spite of {problem.against}"
