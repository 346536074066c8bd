"""What is not positively understood does not pass: a drug needs a reason in the record, a procedure
must fit the patient, targets and courses must be sane, and what an action says of the patient must
be so (docs/specification.md#grounds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from python_llm.phenotyping.alarms import Alarm
from python_llm.recommendations.checks.abbreviations import misread
from python_llm.recommendations.checks.answered import Answers
from python_llm.recommendations.checks.blood import Blood
from python_llm.recommendations.checks.claims import Claims
from python_llm.recommendations.checks.deeds import Deeds
from python_llm.recommendations.checks.digits import Digits
from python_llm.recommendations.checks.intervals import Intervals
from python_llm.recommendations.checks.reports import Reports
from python_llm.recommendations.checks.sides import Sides
from python_llm.recommendations.checks.signs import Signs
from python_llm.recommendations.checks.statements import Statements
from python_llm.recommendations.checks.targets import COUNTS, Targets
from python_llm.recommendations.checks.verdicts import Outcome, Verdict
from python_llm.recommendations.drugs.combined import Combinations
from python_llm.recommendations.drugs.history import TAKES
from python_llm.recommendations.drugs.names import REPLACING, Named
from python_llm.recommendations.drugs.orders import STOP, is_given_later
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.schema import Patient, Recommendation
from python_llm.recommendations.wording.phrases import clauses, words

Row = Mapping[str, str]
_OF_A_DRUG = "contraindication_coverage"
_COURSE = re.compile(
    r"\b(?:for|during|durante|over|after|tras|por)(?: (?:only|just|about|the|solo|next|another))*"
    r" (\w+)(?: more)? (days?|weeks?|months?|years?|dias?|semanas?|mes(?:es)?|anos?)\b"
)
# How far behind a drug its course is told.
_REACH = 60
_DAYS = {"d": 1, "w": 7, "s": 7, "m": 30, "y": 365, "a": 365}
_ONE_DOSE = re.compile(r"\bto (?:a single|just one|only one|one) dose\b")
_GOES_ON = re.compile(
    r"(?<!or )(?<!o )\b(?:continue|keep|maintain|resume|continuar|mantener|seguir|reanudar)"
    r"(?: (?:his|her|their|the|usual|home|regular|own|same|with|on|giving|su|sus|el|la|con"
    r"|habitual))*$"
)
_THEIR_OWN = frozenset(("usual", "regular", "home", "own", "habitual", "habituales"))
_NOT_OF_IT = re.compile(r", (?:no|without|sin|avoid|evitar)\b")
# "without waiting for an ultrasound" leaves nothing out, it hurries
# "so that she does not convulse" is what is aimed at.
_AIM = re.compile(r"\b(?:so that|in order that|para que|a fin de que)\b")
_NO_WAITING = re.compile(r"\b(?:wait\w*|delay\w*|esper\w+|demor\w+|retras\w+)\b")
_NO_ROUTINE = re.compile(r"\b(?:inr|anti-?xa|aptt)\b")
# What texts say of a patient, and the findings that say otherwise.
_STATES = (
    (
        "renal function|kidney function|kidneys|funcion renal",
        "severe_renal_impairment | egfr_below_50 | dialysis | acute_kidney_injury",
    ),
    ("liver function|liver|funcion hepatica", "severe_liver_disease | acute_liver_failure"),
    (
        "blood pressure|pressure|hemodynamics|patient|he|she|paciente|tension",
        "hypotension | unstable",
    ),
    ("saturation|oxygenation|oxygen|breathing|chest|saturacion", "hypoxemia | severe_asthma"),
    (
        "pulse|heart rate|rhythm|conduction|pr interval|ritmo",
        "av_block | bradycardia | ventricular_arrhythmia",
    ),
    ("qt|qtc|qt interval", "qt_prolonged"),
    ("potassium|potasio", "critical_potassium | very_low_potassium | raised_potassium"),
    ("ph|blood gas|gases|gas", "acidemia | severe_acidemia"),
    ("ecg|electrocardiogram", "st_elevation | av_block | qt_prolonged"),
    ("troponin|troponina", "elevated_troponin"),
    ("platelets|platelet count|plaquetas", "low_platelets | platelets_below_100"),
)
_NOT = frozenset(("no", "not", "without", "never", "sin", "nor", "neither", "non"))


def _record_of(patient: Patient) -> str:
    """Notes, conditions and names of laboratory tests."""
    names_of_labs = (lab.name.replace("_", " ") for lab in patient.labs)
    record = ". ".join([*patient.notes, *patient.conditions, *names_of_labs])
    # "no breath sounds: tension pneumothorax" denies the sounds alone
    return record.replace(": ", ". ")


def _at_once(recommendation: Recommendation) -> list[str]:
    """The actions, and the escalations that are immediate."""
    escalations = recommendation.when_to_escalate
    calls = [escalation.action for escalation in escalations if escalation.urgency == "immediate"]
    return [action.action for action in recommendation.recommended_actions] + calls


def _number(text: str | None) -> float | None:
    return float(text) if text else None


class Grounds:
    """Finds what nothing in the record or the seeds supports; pure functions of both."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge, self._book = knowledge, knowledge.book
        lexicon = self._lexicon = knowledge.lexicon
        self._waiting = lexicon.words("waits_for")
        # "without stopping it first": a precaution that is left out in so many words
        self._left_out_words = re.compile(
            rf"\b{lexicon.alternatives('leaves_out')}(?: \w+){{0,3}}?"
            rf" {lexicon.alternatives('precaution')}\b(?! (?:anything|nada|things) (?:up|back)\b)"
        )
        tables = knowledge.tables
        self._reasons = {
            row["drug"]: Condition.read(row["indicated_when"])
            for row in tables["drugs"]
            if row["indicated_when"] or row["indication_phrases"]
        }
        self._in_record = knowledge.record_phrases(
            (
                (row["drug"], phrase)
                for row in tables["drugs"]
                for phrase in names(row["indication_phrases"])
            ),
            suspected=True,
        )
        rows = [row for row in tables["order_limits"] if row["kind"] == "procedure"]
        self._procedures = [(row, Condition.read(row["applies_when"])) for row in rows]
        self._named_procedures = knowledge.advice_phrases(
            (row["subject"], phrase) for row in rows for phrase in names(row["phrases"])
        )
        self._against_procedures = knowledge.record_phrases(
            (row["subject"], phrase) for row in rows for phrase in names(row["record_phrases"])
        )
        self._courses = [
            (
                row["subject"],
                Condition.read(row["applies_when"]),
                _number(row["low"]),
                _number(row["high"]),
            )
            for row in tables["order_limits"]
            if row["kind"] == "course"
        ]
        self._targets = Targets(knowledge)
        self._combinations = Combinations(tables["order_limits"])
        self._states = _states(lexicon.alternatives("called_normal"))
        self._sides, self._digits = Sides(knowledge), Digits(knowledge)
        self._blood = Blood(knowledge)
        self._statements = Statements(knowledge)
        self._claims = Claims(knowledge)
        self._reports = Reports(knowledge)
        self._intervals = Intervals(knowledge)
        self._deeds = Deeds(knowledge)
        self._answers = Answers(knowledge)
        self.signs = Signs(knowledge)

    def problems(
        self, recommendation: Recommendation, patient: Patient, findings: set[str]
    ) -> Iterator[Verdict]:
        """What is wrong with each action, for everything without a ground."""
        record, claims = _record_of(patient), self._claims
        told = self._in_record.affirmed(record)
        against = self._against_procedures.affirmed(record)
        texts = [action.action for action in recommendation.recommended_actions]
        texts += [escalation.action for escalation in recommendation.when_to_escalate]
        n_actions = len(recommendation.recommended_actions)
        sides, fistulas = self._sides.told(patient), self._sides.fistulas(patient)
        sodium = self.knowledge.labs(patient)[0].get("sodium", [])
        alarms = self.knowledge.alarms(patient)
        situation = cache(lambda: self._deeds.situation(patient))
        started: set[str] = set()
        for number, text in enumerate(texts, 1):
            item = f"action {number}" if number <= n_actions else f"escalation {number - n_actions}"
            is_action, mentions = number <= n_actions, self._book.named(text)
            tablets = list(self._combinations.problems(text))
            continued = list(self._continued(mentions, started, findings, patient))
            illnesses = self.signs.reasons(text, patient, findings)
            by_signs = self.signs.founded({m.concept for m in mentions}, illnesses)
            for reason in (
                *self._without_reason(
                    [m for m in mentions if m.concept not in by_signs], findings, told, alarms
                ),
                *self._stopped(mentions, text, findings),
                *(why for why, own in continued if not own),
                *self._blood.unknown(text, patient),
                *(why for why, is_unsafe in tablets if not is_unsafe),
            ):
                yield Verdict(_OF_A_DRUG, Outcome.NOT_CHECKABLE, f"not checked: {reason}", item)
            started |= {m.concept for m in mentions if m.affirmed}
            for reason in (
                *self._unfit(text, findings, against),
                *self._deeds.problems(text, texts, situation, findings, _at_once(recommendation)),
                *self._targets.problems(text, findings, sodium),
                *self._course(mentions, text, findings),
                *self._left_out(text),
                *self._intervals.problems(text, texts, findings, patient.notes),
                *(why for why, is_unsafe in tablets if is_unsafe),
                *self._blood.problems(text, patient),
                *self._statements.resisted(mentions, patient),
                *self._statements.harmful(mentions, text, patient),
            ):
                yield Verdict(_OF_A_DRUG, Outcome.UNSAFE, reason, item)
            for reason in (
                *self._untrue(text, findings),
                *self._statements.misquoted(text, patient),
                *(claims.untrue if is_action else claims.untrue_in_escalation)(text, patient),
                *self._reports.untrue(text, patient),
                *(f"it says “{own}”, the record does not" for _, own in continued if own),
                *self._statements.unwilling(text, patient),
                *self._sides.problems(text, sides, is_bleeding="active_bleeding" in findings),
                *self._sides.in_the_fistula_arm(text, fistulas),
                *self._digits.problems(text, patient),
            ):
                yield Verdict("consistency", Outcome.UNSAFE, reason, item)
            for reason in claims.unfounded(text, patient, findings):
                yield Verdict("consistency", Outcome.NOT_CHECKABLE, reason, item)

    def founded(self, text: str, patient: Patient, findings: set[str]) -> set[str]:
        """The drugs that a text gives, of which the findings or the record tell the reason."""
        told = self._in_record.affirmed(". ".join([*patient.notes, *patient.conditions]))
        concepts = {mention.concept for mention in self._book.named(text) if mention.affirmed}
        founded = self.signs.founded(concepts, self.signs.reasons(text, patient, findings))
        for concept in concepts:
            # a laxative beside an opioid
            others = {other for other in concepts if not self._book.are_related(concept, other)}
            beside = {TAKES + name for other in others for name in self._book.closures[other]}
            for name in self._book.closures[concept] & self._reasons.keys():
                reason = self._reasons[name]
                if name in told or (reason.names and reason.holds(findings | beside)):
                    founded.add(concept)
        return founded

    def _without_reason(
        self,
        mentions: Sequence[Named],
        findings: set[str],
        told: set[str],
        alarms: tuple[Alarm, ...],
    ) -> Iterator[str]:
        """Each drug that is given though neither the findings nor the record tell why, and no
        emergency of the notes needs it."""
        for mention in mentions:
            known = self._book.closures[mention.concept] & self._reasons.keys()
            if not mention.affirmed or not known or TAKES + mention.concept in findings:
                continue
            around = set(mention.tokens)
            before = mention.tokens[max(0, mention.start - 3) : mention.start]
            if around & self._waiting or self._lexicon.words("diluent") & set(before):
                continue
            if self._lexicon.is_told("prevents", mention.tokens):
                continue
            has_reason = known & told or any(self._reasons[n].holds(findings) for n in known)
            has_reason = has_reason or self._answers.is_answer(mention.concept, alarms)
            if not has_reason and self._book.needs_check(mention.concept):
                name = mention.concept.replace("_", " ")
                yield f"nothing in the record is a reason for {name}"

    def _stopped(self, mentions: Sequence[Named], text: str, findings: set[str]) -> Iterator[str]:
        """Each drug for the long term that is stopped, and nothing speaks against it."""
        for mention in mentions:
            above = self._book.closures[mention.concept]
            if mention.affirmed or not above & self._lexicon.words("prolongs_life"):
                continue
            why = self._lexicon.words("tells_why_stopped") & set(words(text))
            if self._book.is_swapped_for_another_kind(mention):
                why -= REPLACING  # the swap is not its own reason
            if TAKES + mention.concept not in findings or why:
                continue
            if STOP not in self._book.circumstances(mention):
                continue
            # "stop the tablets, give hydrocortisone into a vein": the same drug by another route
            if any(m.affirmed and m.concept == mention.concept and _is_now(m) for m in mentions):
                continue
            if not self._book.speaks_against(mention.concept, findings):
                name = mention.concept.replace("_", " ")
                yield f"{name} is stopped, and nothing in the record says why"

    def _continued(
        self,
        mentions: Sequence[Named],
        started: set[str],
        findings: set[str],
        patient: Patient,
    ) -> Iterator[tuple[str, str]]:
        """Each drug for the long term that goes on, though the patient's list does not have it and
        no action before starts it: it may be another patient's. With it the words that call it the
        patient's own ("his usual warfarin"); empty if there are none."""
        if not patient.medications:
            return
        record = self._book.concepts(". ".join([*patient.notes, *patient.conditions]))
        for mention in mentions:
            above = self._book.closures[mention.concept]
            before = mention.tokens[max(0, mention.start - 4) : mention.start]
            if not above & self._lexicon.words("prolongs_life") - {"oxygen", "vasopressor"}:
                continue
            if not mention.affirmed or not _GOES_ON.search(" ".join(before)):
                continue
            known = record | started | {m.concept for m in mentions if m.start < mention.start}
            is_known = any(self._book.are_related(mention.concept, name) for name in known)
            if not is_known and not {TAKES + name for name in above} & findings:
                name = mention.concept.replace("_", " ")
                after = [t for t in mention.tokens[mention.end :][:1] if t in _THEIR_OWN]
                tokens = [*mention.tokens[max(0, mention.start - 2) : mention.end], *after]
                own = " ".join(tokens) if _THEIR_OWN & set(tokens) else ""
                yield f"{name} is continued, and the record does not say that it is taken", own

    def _unfit(self, text: str, findings: set[str], against: set[str]) -> Iterator[str]:
        """Each procedure that the patient must not have."""
        named = self._named_procedures.affirmed(text)
        plain = f" {' '.join(words(text))} "
        for row, present in self._procedures:
            name = row["subject"]
            if name not in named or not (present.holds(findings) or name in against):
                continue
            if not any(f" {' '.join(words(safe))} " in plain for safe in names(row["safe_with"])):
                yield f"{name.replace('_', ' ')} in spite of {row['against']}"

    def _course(self, mentions: Sequence[Named], text: str, findings: set[str]) -> Iterator[str]:
        """Each course of treatment that is shorter or longer than its guideline allows."""
        if self._lexicon.is_told("goes_on", tuple(words(text))):
            return
        for mention in mentions:
            behind = " ".join(mention.tokens[mention.end : mention.end + _REACH])
            rest = _NOT_OF_IT.split(behind.replace(" ,", ","))[0]
            course = _COURSE.search(rest)
            once = _ONE_DOSE.search(rest)
            if not mention.affirmed:
                continue
            days = 1.0 if once else _days(course)
            if days is None:
                continue
            for drug, applies, least, most in self._courses:
                if drug in self._book.closures[mention.concept] and applies.holds(findings):
                    name = mention.concept.replace("_", " ")
                    if least is not None and days < least:
                        yield f"{name} for {days:g} days: {least:g} at least"
                    if most is not None and days > most:
                        yield f"{name} for {days:g} days: {most:g} at most"

    def _left_out(self, text: str) -> Iterator[str]:
        """A precaution that a text leaves out in so many words, and a dose that is misread."""
        yield from misread(text)
        for tokens in clauses(text):
            plain = " ".join(tokens)
            match = self._left_out_words.search(plain)
            if match and not _NO_ROUTINE.search(match[0]) and not _NO_WAITING.search(match[0]):
                yield f"a precaution is left out: “{match[0]}”"

    def _untrue(self, text: str, findings: set[str]) -> Iterator[str]:
        """What a text says of the patient, and the record says otherwise."""
        for tokens in clauses(text):
            if (self._waiting - {"in", "should"}) & set(tokens):
                continue
            plain = " ".join(tokens)
            for pattern, otherwise in self._states:
                match = pattern.search(plain)
                if match and otherwise.holds(findings):
                    yield f"it says “{match[0]}”, the record says otherwise"
            for finding, at in self.knowledge.denied_findings(list(tokens)):
                # "her not to smoke", "not for mechanical valves"
                is_advice = tuple(tokens[at - 2 : at]) in (("not", "to"), ("not", "for"))
                if is_advice or _AIM.search(" ".join(tokens[:at])):
                    continue
                if finding in findings and _NOT & set(tokens[max(0, at - 3) : at]):
                    phrase = " ".join(tokens[max(0, at - 3) : at + 2])
                    yield f"it says “{phrase}”, the record says otherwise"


def _is_now(mention: Named) -> bool:
    """Whether a drug is given with the rest, and not later."""
    return not is_given_later(mention.tokens, mention.start, mention.end, len(mention.tokens))


def _days(course: re.Match[str] | None) -> float | None:
    if course is None:
        return None
    count = COUNTS.get(course[1]) or (float(course[1]) if course[1].isdigit() else None)
    return None if count is None else count * _DAYS[course[2][0]]


def _states(normal: str) -> list[tuple[re.Pattern[str], Condition]]:
    """How a text calls each state normal, and the findings that say otherwise."""
    return [
        (
            re.compile(
                rf"\b(?:{subject})\b(?: \w+){{0,3}} (?:is|are|was|were|remains?|looks?|seems?"
                rf"|being|es|esta|parece)(?: (?:now|still|quite|also|entirely|all))?"
                rf" {normal}\b|\b(?:since|because|as|given|with|con|dado)(?: \w+){{0,2}}"
                rf" {normal} (?:{subject})\b"
            ),
            Condition.read(otherwise),
        )
        for subject, otherwise in _STATES
    ]
