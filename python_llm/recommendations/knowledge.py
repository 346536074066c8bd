"""The clinical knowledge of the seeds: what a patient has, and what a text recommends.

The dbt models and the command `kernel29 check` share it, so a recommendation is judged in the marts
as it was before it was shown.
"""

from __future__ import annotations

import json
import operator
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from python_llm import paths, seeds
from python_llm.errors import UserError
from python_llm.phenotyping import alarms as notes_read
from python_llm.phenotyping import impressions
from python_llm.recommendations.drugs.book import WEIGHT, DrugBook
from python_llm.recommendations.drugs.history import (
    ALLERGY,
    INTOLERANCE,
    MILD,
    SEVERE,
    TAKES,
    UNREAD,
)
from python_llm.recommendations.drugs.orders import LATER
from python_llm.recommendations.drugs.orders import NAMES as ORDERS
from python_llm.recommendations.record.anticoagulation import ABOVE_TARGET, above_target
from python_llm.recommendations.record.asthma import ATTACK, GRADE, is_standing_asthma
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.record.gestation import STAGES, is_pregnant_by_test, stage_of
from python_llm.recommendations.record.inputs import (
    ECHO,
    HEAD_INJURY,
    has_clear_head,
    has_old_infarct,
    has_opened_infarct,
    has_recent_stent,
    has_spurious_potassium,
    has_steroid_burst,
    hours_since_onset,
    is_head_injury,
    language_of,
    noted_values,
    of_its_age,
    unread_vitals,
    vital_signs,
    weight_of,
    with_answers,
    without_normal_enzyme,
)
from python_llm.recommendations.record.levels import Levels
from python_llm.recommendations.record.recovered import (
    has_treated_pneumonia,
    without_recovered_pressure,
)
from python_llm.recommendations.record.staggered import is_staggered_overdose
from python_llm.recommendations.record.swallowed import Swallowed
from python_llm.recommendations.schema import SEVERITIES, Lab, Patient, has_a_word
from python_llm.recommendations.wording import bearings
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import Cues, Phrases, clauses, words

FOLDER = "seeds/recommendations"
SEEDS = (
    "action_phrases",
    "assertion_cues",
    "clinical_actions",
    "clinical_documents",
    "clinical_findings",
    "clinical_problems",
    "drug_rules",
    "drugs",
    "example_orders",
    "guideline_expectations",
    "guideline_rule_requirements",
    "guideline_rules",
    "lab_tests",
    "latency_targets",
    "order_limits",
    "red_flags",
    "scope_terms",
)
# What is read of notes as `kernel29 phenotype` reads them.
OF_NOTES = (*notes_read.SEEDS, notes_read.NAMES)
# The notes from which is learnt how an emergency reads.
EXAMPLE_NOTES = "example_notes"
# An urgent red flag that the notes tell of today, as finding.
ALARM = "urgent_flag"
# How the reader of notes calls what is measured beside them.
_AS_MEASURED = {
    "systolic_bp": "systolic_pressure",
    "diastolic_bp": "diastolic_pressure",
    "heart_rate": "heart_rate",
    "respiratory_rate": "respiratory_rate",
    "spo2_percent": "saturation",
    "temperature_c": "temperature",
}
# A note of so many words tells something of a patient.
_TELLING_WORDS = 12
_COMPARE = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "=": operator.eq,
}
ADULT = 18
# A term of two meanings: the words beside it say whether it is of the field.
BESIDE = "beside"
# What is suspected is no finding, and is a reason to treat (ESC PE 2019, 4.8).
_SUSPICIONS = frozenset(("suspected", "possible"))
_RAISED = {"high", "critical"}
# What an allergy once did to the airway is no airway that closes now, unless it is told as of now.
_OF_A_REACTION = frozenset(("stridor", "airway_sign"))
_ALLERGY = {"allergy", "allergies", "allergic", "intolerance"}
_ALLERGY |= {"alergia", "alergias", "alergico", "alergica", "intolerancia"}
# A pressure that falls on standing is no shock.
_ON_STANDING = {"orthostatic", "postural", "ortostatica", "standing", "levantarse"}
_OF_NOW = {"ago", "now", "minutes", "mins", "min", "hours", "today", "just", "since", "after"}
_OF_NOW |= {"ahora", "hace", "minutos", "horas", "hoy", "tras"}
Row = Mapping[str, str]


@lru_cache(maxsize=1)
def _alarms(tables: str) -> notes_read.Alarms:
    """The reader of notes, which the models of a build share: it takes a second to make."""
    return notes_read.Alarms(json.loads(tables))


# A problem list has diseases of long ago; a pregnancy in it is of today.
_PREGNANT = re.compile(r"\b(?:pregnan|embaraz|gestaci)", re.IGNORECASE)


def _told_of(patient: Patient) -> notes_read.Note:
    """The notes of a patient with the pregnancy of the problem list, the age and what is measured
    beside them."""
    measured = tuple(
        (_AS_MEASURED[name], value)
        for name, value in sorted(vital_signs(patient).items())
        if name in _AS_MEASURED
    )
    pregnancy = [f"{text}." for text in patient.conditions if _PREGNANT.search(text)]
    return "\n\n".join([*patient.notes, *pregnancy]), patient.age, measured


class KnowledgeError(UserError):
    """A seed that contradicts itself or another; the message names both and the remedy."""


def curb65(patient: Patient, labs: Mapping[str, float], *, confused: bool) -> int:
    """CURB-65, 0 to 5 points: confusion, urea above 7 mmol/L (19 mg/dL as BUN), 30 or more
    breaths a minute, systolic below 90 or diastolic at most 60 mmHg, 65 years or more.

    A missing measurement scores no point. Lim WS et al., Thorax 2003; 58: 377-382.
    """
    vitals = patient.vitals
    return sum(
        (
            confused,
            labs.get("bun", 0) > 19.6,  # 7 mmol/L
            vitals.get("respiratory_rate", 0) >= 30,
            vitals.get("systolic_bp", 120) < 90 or vitals.get("diastolic_bp", 80) <= 60,
            patient.age >= 65,
        )
    )


def estimated_gfr(creatinine: float, age: float, sex: str) -> float:
    """Glomerular filtration rate (mL/min/1.73 m2) from creatinine (mg/dL) by CKD-EPI 2021.

    Without a sex the lower of the two. For adults. Inker LA et al., N Engl J Med 2021; 385:
    1737-1749.
    """

    def of(scale: float, exponent: float, factor: float) -> float:
        ratio = creatinine / scale
        return 142 * min(ratio, 1) ** exponent * max(ratio, 1) ** -1.2 * 0.9938**age * factor

    female, male = of(0.7, -0.241, 1.012), of(0.9, -0.302, 1.0)
    return {"female": female, "male": male}.get(sex, min(female, male))


class Knowledge:
    """The seeds of the recommendations by name, as lists of rows of texts."""

    def __init__(self, tables: Mapping[str, Sequence[Row]]) -> None:
        missing = [name for name in (*SEEDS, *OF_NOTES, EXAMPLE_NOTES) if name not in tables]
        if missing:
            raise KnowledgeError(f"The table {missing[0]} is missing: pass every table of SEEDS.")
        self.tables = tables
        self._action_cues = Cues(tables["assertion_cues"], "action")
        newest = max(int(row["guideline_year"] or 0) for row in tables["clinical_documents"])
        self._finding_cues = Cues(tables["assertion_cues"], "finding", past_before=newest)
        certain = [row for row in tables["assertion_cues"] if row["cue"] not in _SUSPICIONS]
        self._suspicion_cues = Cues(certain, "finding", past_before=newest)
        self.lexicon = Lexicon(tables["assertion_cues"])
        self.book = DrugBook(tables, self._action_cues)
        self._swallowed = Swallowed(self.lexicon, lambda text: bool(self.book.named(text)))
        self._units = {
            row["lab"]: dict(
                (unit.strip().lower(), float(factor))
                for unit, factor in (part.rsplit("=", 1) for part in names(row["accepted_units"]))
            )
            for row in tables["lab_tests"]
        }
        self._unit = {row["lab"]: (row["unit"] or "").lower() for row in tables["lab_tests"]}
        self._lab_names = {
            self._plain(name): row["lab"]
            for row in tables["lab_tests"]
            for name in [row["lab"], *names(row["aliases"])]
        }
        self.levels = Levels(tables["lab_tests"])
        self.problems = [
            (row["problem"], Condition.read(row["holds_when"]))
            for row in tables["clinical_problems"]
        ]
        self._check_names()

    @classmethod
    def from_seeds(cls, root: Path | None = None) -> Knowledge:
        """From the project's seed files. Raises FileError for a damaged one."""
        tables = {name: seeds.read(f"{FOLDER}/{name}.csv", root=root) for name in SEEDS}
        examples = seeds.read(f"seeds/phenotyping/{EXAMPLE_NOTES}.csv", root=root)
        lesson = impressions.LESSON
        taught = [
            {name: row[name] for name in lesson.columns} for row in examples if lesson.is_of(row)
        ]
        return cls({**tables, **notes_read.tables_of_seeds(root), EXAMPLE_NOTES: taught})

    @staticmethod
    def _plain(name: str) -> str:
        return " ".join(words(name.replace("_", " ")))

    def _check_names(self) -> None:
        known = {row["finding"] for row in self.tables["clinical_findings"]}
        known |= {row["problem"] for row in self.tables["clinical_problems"]}
        known |= ORDERS | STAGES | {ALARM}
        known |= {
            prefix + concept
            for prefix in (TAKES, ALLERGY, MILD, SEVERE, INTOLERANCE, LATER)
            for concept in self.book.closures
        }
        columns = {
            "clinical_problems": ["holds_when"],
            "clinical_documents": ["applies_when", "unless"],
            "guideline_rule_requirements": ["applies_when", "unless"],
            "red_flags": ["present_when"],
            "drug_rules": ["present_when"],
            "drugs": ["indicated_when"],
            "order_limits": ["applies_when"],
        }
        for table, conditions in columns.items():
            for line, row in enumerate(self.tables[table], 2):
                for column in conditions:
                    unknown = sorted(Condition.read(row[column]).names - known)
                    if unknown:
                        raise KnowledgeError(
                            f"{FOLDER}/{table}.csv, row {line - 1}, {column}: {unknown[0]!r} is "
                            "neither a finding nor a problem: add it to clinical_findings.csv or "
                            "correct it."
                        )
        for table, column in (
            ("clinical_documents", "actions"),
            ("guideline_rule_requirements", "accepted_actions"),
            ("red_flags", "accepted_actions"),
        ):
            for line, row in enumerate(self.tables[table], 2):
                for part in names((row[column] or "").replace("&", ";")):
                    if part not in self.action_concepts:
                        raise KnowledgeError(
                            f"{FOLDER}/{table}.csv, row {line - 1}, {column}: {part!r} is not an "
                            "action: add it to clinical_actions.csv or correct it."
                        )

    @cached_property
    def action_concepts(self) -> set[str]:
        """Every concept that the text of a recommendation can affirm: actions, classes, drugs."""
        concepts = {row["action"] for row in self.tables["clinical_actions"]}
        return concepts | self.book.closures.keys()

    @cached_property
    def actions(self) -> dict[str, Row]:
        """Rows of clinical_actions by action."""
        return {row["action"]: row for row in self.tables["clinical_actions"]}

    @cached_property
    def documents(self) -> dict[str, Row]:
        """Documents by `document_id#chunk_number`."""
        return {
            f"{row['document_id']}#{row['chunk_number']}": row
            for row in self.tables["clinical_documents"]
        }

    @cached_property
    def _recommends(self) -> Phrases:
        phrases = [(row["action"], row["phrase"]) for row in self.tables["action_phrases"]]
        return Phrases(phrases, self._action_cues)

    @cached_property
    def _actions_of_class(self) -> dict[str, str]:
        """The action that a drug stands for: the only one of its class, or anticoagulation."""
        by_class = defaultdict(list)
        for action in self.tables["clinical_actions"]:
            by_class[action["drug_class"]].append(action["action"])
        return {
            name: actions[0]
            for name, actions in by_class.items()
            if name and (len(actions) == 1 or actions[0] == "anticoagulation")
        }

    def warm(self) -> None:
        """Build what is otherwise built on first use."""
        self.recommended("aspirin")
        self.findings(Patient(patient_id="warm", age=50, sex="unknown", notes=["well"]))

    def recommended(self, text: str) -> set[str]:
        """Actions, drug classes and drugs that a text recommends, not those it advises against."""
        return self._with_drugs(self._recommends.affirmed(text), self.book.affirmed(text))

    def mentioned(self, text: str) -> set[str]:
        """Actions, drug classes and drugs that a text names, for or against."""
        actions = {mention.concept for mention in self._recommends.mentions(text)}
        return self._with_drugs(actions, self.book.concepts(text))

    def _with_drugs(self, actions: set[str], drugs: set[str]) -> set[str]:
        classes = {self.actions[action]["drug_class"] for action in actions} - {""}
        stand_for = {self._actions_of_class[name] for name in drugs & self._actions_of_class.keys()}
        return actions | drugs | classes | stand_for

    def names_measure(self, text: str) -> bool:
        """Whether a text has the name of an action, drug class or drug."""
        return any(self._recommends.mentions(text)) or any(self.book.named(text))

    def action_mentions(self, text: str) -> list[tuple[str, bool]]:
        """Each mention of an action, drug class or drug, and whether the text is for it."""
        of_text = [
            (name, mention.affirmed)
            for mention in self._recommends.mentions(text)
            for name in (mention.concept, self.actions[mention.concept]["drug_class"])
            if name
        ]
        for mention in self.book.named(text):
            classes = self._guideline_classes[mention.concept]
            actions = {self._actions_of_class[c] for c in classes & self._actions_of_class.keys()}
            of_text += [(name, mention.affirmed) for name in {mention.concept} | classes | actions]
        return of_text

    @cached_property
    def _guideline_classes(self) -> dict[str, set[str]]:
        """The classes of each drug or class of which guidelines speak: those of an action, or the
        highest that texts name, or the drug itself."""
        book = self.book
        of_actions = {row["drug_class"] for row in self.tables["clinical_actions"]} - {""}
        spoken = {name for name, row in book.classes.items() if row["kind"] != "property"}
        classes = {}
        for concept, closure in book.closures.items():
            highest = {
                name for name in closure & spoken if not (book.closures[name] - {name}) & spoken
            }
            classes[concept] = set(closure & of_actions) or highest or {concept}
        return classes

    @cached_property
    def drugs_of_class(self) -> dict[str, set[str]]:
        """The drugs of each class of which guidelines speak."""
        members: dict[str, set[str]] = defaultdict(set)
        for drug in self.book.drugs:
            for name in self._guideline_classes[drug]:
                members[name].add(drug)
        return members

    def suspected(self, patient: Patient) -> frozenset[str]:
        """The problems that hold if what the record only suspects is so."""
        told = self._suspected_findings.affirmed(". ".join([*patient.notes, *patient.conditions]))
        findings = {name.partition(":")[2] for name in told}
        return frozenset(name for name, condition in self.problems if condition.holds(findings))

    @cached_property
    def _suspected_findings(self) -> Phrases:
        rows = [row for row in self.tables["clinical_findings"] if row["kind"] in ("text", "acute")]
        phrases = [(f"{row['kind']}:{row['finding']}", row["name"]) for row in rows]
        return Phrases(phrases, self._suspicion_cues)

    def finding_mentions(self, text: str) -> list[tuple[str, bool]]:
        """Each mention of a finding in a text, and whether the text affirms it."""
        return [
            (mention.concept.partition(":")[2], mention.affirmed)
            for mention in self._text_findings.mentions(text)
        ]

    def record_phrases(
        self, phrases: Iterable[tuple[str, str]], *, suspected: bool = False
    ) -> Phrases:
        """A finder of phrases in what a record tells of its patient. suspected: what is only
        suspected is told, too."""
        return Phrases(phrases, self._suspicion_cues if suspected else self._finding_cues)

    def advice_phrases(
        self, phrases: Iterable[tuple[str, str]], *, splits: bool = False
    ) -> Phrases:
        """A finder of phrases in what a recommendation advises, or advises against."""
        return Phrases(phrases, self._action_cues, splits=splits)

    def tells_history(self, tokens: list[str]) -> bool:
        """Whether a clause of a record tells what was before."""
        return self._finding_cues.tells_history(tokens)

    def denied_findings(self, tokens: list[str]) -> Iterator[tuple[str, int]]:
        """Each finding that a clause denies, and where its name begins."""
        for mention in self._text_findings.in_clause(tokens):
            if not mention.affirmed:
                yield mention.concept.partition(":")[2], mention.start

    def told_findings(self, tokens: list[str]) -> Iterator[tuple[str, int, int]]:
        """Each finding that a clause affirms, and where its name begins and ends."""
        for mention in self._text_findings.in_clause(tokens):
            if mention.affirmed:
                yield mention.concept.partition(":")[2], mention.start, mention.end

    def only_denied(self, finding: str, patient: Patient) -> str:
        """The words with which a record denies a finding that it affirms or suspects nowhere; empty
        if there are none."""
        denied = ""
        for text in [*patient.notes, *patient.conditions]:
            for tokens in clauses(text):
                for mention in self._suspected_findings.in_clause(tokens):
                    if mention.concept.partition(":")[2] != finding:
                        continue
                    if mention.affirmed:
                        return ""
                    denied = " ".join(tokens[max(0, mention.start - 4) : mention.end + 3])
        return denied

    def drug_classes(self, concepts: set[str]) -> set[str]:
        """The drugs and drug classes among recommended concepts."""
        return concepts & self.book.closures.keys()

    @cached_property
    def _text_findings(self) -> Phrases:
        kinds = ("text", "acute")
        return Phrases(
            [
                (f"{row['kind']}:{row['finding']}", row["name"])
                for row in self.tables["clinical_findings"]
                if row["kind"] in kinds
            ],
            self._finding_cues,
        )

    @cached_property
    def _list_findings(self) -> Phrases:
        return Phrases(
            [
                (f"{row['kind']}:{row['finding']}", row["name"])
                for row in self.tables["clinical_findings"]
                if row["kind"] in ("allergy", "medication")
            ],
            self._finding_cues,
        )

    @cached_property
    def _measured(self) -> list[tuple[str, str, str, str, str]]:
        return [
            (
                row["finding"],
                row["kind"],
                row["name"],
                row["operator"] or "",
                row["threshold"] or "",
            )
            for row in self.tables["clinical_findings"]
            if row["kind"] not in ("text", "acute", "allergy", "medication")
        ]

    def lab_name(self, name: str) -> str | None:
        """The name of a lab test in the seed; None if it is unknown."""
        return self._lab_names.get(self._plain(name))

    def labs(self, patient: Patient) -> tuple[dict[str, list[float]], set[str]]:
        """The values of each lab test in the unit of the seed, and the tests flagged high."""
        flagged = {self._lab(lab)[0] or "" for lab in patient.labs if lab.flag in _RAISED}
        return self.values_of(patient.labs), flagged - {""}

    def values_of(self, labs: Iterable[Lab]) -> dict[str, list[float]]:
        """The values of each lab test in the unit of the seed, of those whose unit is known."""
        values: dict[str, list[float]] = defaultdict(list)
        for lab in labs:
            name, factor = self._lab(lab)
            if name is not None and factor is not None and lab.value is not None:
                values[name].append(lab.value * factor)
        return values

    def _lab(self, lab: Lab) -> tuple[str | None, float | None]:
        """The seed's name of a result and the factor of its unit; None for what is unknown."""
        name = self.lab_name(lab.name)
        if name is None:
            return None, None
        unit = " ".join(lab.unit.split()).lower() or self._unit[name]
        if unit == self._unit[name]:
            return name, 1.0
        return name, self._units[name].get(unit)

    @cached_property
    def calls(self) -> frozenset[str]:
        """The actions that call for help or move the patient to it."""
        rows = self.actions.items()
        return frozenset(name for name, row in rows if row["category"] == "escalation")

    def unread(self, patient: Patient) -> list[str]:
        """What of a patient's record cannot be read: unknown laboratory names and units, vital
        signs, notes in a language that is not read. An emergency can hide in each."""
        complaints = list(unread_vitals(patient))
        for field in ("conditions", "notes"):
            complaints += [
                f"{field}, entry {number}: there is no word in it: write what is meant"
                for number, text in enumerate(getattr(patient, field), 1)
                if not has_a_word(text)
            ]
        for lab in patient.labs:
            name, factor = self._lab(lab)
            if name is None:
                complaints.append(f"the laboratory test {lab.name!r} is unknown: see lab_tests.csv")
            elif factor is None:
                complaints.append(
                    f"the unit {lab.unit!r} of {lab.name} is unknown: use "
                    f"{', '.join(self._units[name]) or 'no unit'}"
                )
        for number, note in enumerate(patient.notes, 1):
            language = language_of(note)
            if language in ("English", "Spanish"):
                is_telling = language == "Spanish" or len(words(note)) >= _TELLING_WORDS
                if is_telling and not self._reads(note):
                    complaints.append(
                        f"note {number} is {language} and nothing in it is recognised"
                    )
            elif language not in ("English", "Spanish"):
                complaints.append(f"the language of note {number} ({language}) is not read")
        return complaints

    def _reads(self, note: str) -> bool:
        return bool(
            self._text_findings.mentions(note)
            or self.book.named(note)
            or self._named_in_records.mentions(note)
            or self._alarms.recognises(note)
            or any(True for _ in noted_values([note], self._finding_cues))
        )

    def alarms(self, patient: Patient) -> tuple[notes_read.Alarm, ...]:
        """The urgent red flags that the notes of a patient tell of today, with what is measured
        beside them."""
        if not patient.notes:
            return ()
        told = without_recovered_pressure(of_its_age(patient))
        alarms = self._alarms.told(*_told_of(told))
        if has_clear_head(patient, self.lexicon):
            alarms = tuple(a for a in alarms if not a.flag_name.startswith(HEAD_INJURY))
        if not has_spurious_potassium(patient, self.lexicon):
            return alarms
        return tuple(alarm for alarm in alarms if "potassium" not in alarm.flag_name.lower())

    def read_ahead(self, patients: Iterable[Patient]) -> None:
        """Read the notes of many patients at once, for `alarms` to know."""
        of_age = (of_its_age(patient) for patient in patients if patient.notes)
        told = [without_recovered_pressure(patient) for patient in of_age]
        self._alarms.read_ahead(map(_told_of, [*told, *map(with_answers, told)]))

    def forget_notes(self) -> None:
        """Read notes anew, whoever in this process has read them."""
        self._alarms.forget()

    @cached_property
    def bearings(self) -> bearings.Bearings:
        """How orders bear on patients, learnt from the seed example_orders."""
        return bearings.LESSON.kept(paths.lexicons(), self.tables["example_orders"])

    def urgency(self, patient: Patient) -> float | None:
        """How much the notes of a patient read like an emergency of now, 0 to 1; None if they are
        too short to be judged as a whole."""
        impression = self._impressions.of("\n".join(patient.notes))
        return impression.urgency if impression else None

    @cached_property
    def _impressions(self) -> impressions.Impressions:
        return impressions.LESSON.kept(paths.lexicons(), self.tables[EXAMPLE_NOTES])

    @cached_property
    def _alarms(self) -> notes_read.Alarms:
        return _alarms(json.dumps({name: self.tables[name] for name in OF_NOTES}))

    def findings(self, patient: Patient) -> set[str]:
        """The findings and problems of a patient, by the seeds clinical_findings and
        clinical_problems."""
        patient = without_recovered_pressure(of_its_age(with_answers(patient)))
        findings = self.book.history.taken(patient) | self.book.history.allergies(patient)
        findings |= self.book.daily_doses(patient.medications)
        findings |= self._told(patient) | self._without_rule(patient) | self._overdose(patient)
        alarms = {alarm.flag_name for alarm in self.alarms(patient)}
        if alarms:
            findings.add(ALARM)
        labs, flagged = self.labs(patient)
        is_spurious = has_spurious_potassium(patient, self.lexicon)
        vitals, measurements = vital_signs(patient), self._measurements(patient, labs)
        self._note(patient, vitals, measurements, labs)
        if is_spurious:
            labs.pop("potassium", None)
            flagged.discard("potassium")
        if weight := weight_of(patient):
            findings.add(f"{WEIGHT}{weight:g}")
        if "egfr" not in labs and patient.age >= ADULT and min(labs.get("creatinine", [0])) > 0:
            labs["egfr"] = [estimated_gfr(max(labs["creatinine"]), patient.age, patient.sex)]
        worst = {name: (min(values), max(values)) for name, values in labs.items()}
        score = curb65(
            patient.model_copy(update={"vitals": vitals}),
            {name: high for name, (_, high) in worst.items()},
            confused="confusion" in findings,
        )
        xray = {item.label.lower(): item.probability for item in patient.chest_xray}
        conditions = {self._plain(condition) for condition in patient.conditions}
        for finding, kind, name, sign, threshold in self._measured:
            if kind == "lab_flag":
                holds = name in flagged
            elif kind == "exact_condition":
                holds = name in conditions
            elif kind in ("alarm", "sex"):
                holds = name in alarms or name == patient.sex
            else:
                measured = {
                    "lab": worst.get(name, ()),
                    "vital": (vitals[name],) if name in vitals else (),
                    "measurement": ((measurements[name],) if name in measurements else ()),
                    "xray": (xray[name.lower()],) if name.lower() in xray else (),
                    "age": (patient.age,),
                    "score": (float(score),),
                }[kind]
                limit = self._limit(name, sign, float(threshold), patient.age)
                holds = any(_COMPARE[sign](value, limit) for value in measured)
            if holds:
                findings.add(finding)
        if "pregnancy" in findings and "postpartum" not in findings:
            findings |= stage_of(patient)
        # a problem may depend on others above or below it in the seed
        for _ in range(3):
            for problem, condition in self.problems:
                if condition.holds(findings):
                    findings.add(problem)
                else:
                    findings.discard(problem)
        return findings

    def _measurements(self, patient: Patient, labs: Mapping[str, list[float]]) -> dict[str, float]:
        """The measurements of a record, and those that its texts tell. labs: of the laboratory."""
        told = {
            "hours_since_onset": hours_since_onset(patient.notes),
            "weight_kg": weight_of(patient),
            ABOVE_TARGET: above_target(patient, labs.get("inr", ()), self._finding_cues),
        }
        known = {name: value for name, value in told.items() if value is not None}
        return {**patient.measurements, **known}

    def _overdose(self, patient: Patient) -> set[str]:
        """The emergency that a count of swallowed tablets tells."""
        if is_staggered_overdose(patient, weight_of(patient)):
            return {"staggered_paracetamol", "emergency_told"}
        return {"emergency_told"} if self._swallowed.is_told(patient.notes) else set()

    def _note(
        self,
        patient: Patient,
        vitals: dict[str, float],
        measurements: dict[str, float],
        labs: dict[str, list[float]],
    ) -> None:
        """Add the values that the notes tell to what was measured."""
        told = noted_values(patient.notes, self._finding_cues)
        for name, value in [*told, *self.levels.noted(patient.notes, self._finding_cues)]:
            if name == "systolic_bp":
                vitals[name] = min(value, vitals.get(name, value))
            elif name == "qtc_ms":
                measurements[name] = max(value, measurements.get(name, value))
            elif name in ECHO:
                measurements.setdefault(name, value)
            else:
                labs.setdefault(name, []).append(value)

    def _limit(self, name: str, sign: str, threshold: float, age: float) -> float:
        """A threshold at an age (years): a systolic pressure (mmHg) is low below the limit of its
        age with which notes are read."""
        if (name, sign) != ("systolic_bp", "<"):
            return threshold
        return min(
            threshold,
            *(
                float(row["below"])
                for row in self.tables["clinical_signs"]
                if row["sign"] == "sign:low_pressure"
                and row["measure"] == "systolic_pressure"
                and float(row["from_years"] or 0) <= age < float(row["below_years"] or "inf")
            ),
            threshold,
        )

    def _without_rule(self, patient: Patient) -> set[str]:
        """The conditions of which no seed knows anything, as `unread:` findings: what they forbid
        is not checked."""
        return {
            f"{UNREAD}condition {number}"
            for number, condition in enumerate(patient.conditions, 1)
            if not self._has_a_rule(condition)
        }

    def _has_a_rule(self, condition: str) -> bool:
        folded = self._plain(condition)
        return bool(
            folded in self._exact_conditions
            or self._text_findings.mentions(condition)
            or self._named_in_records.mentions(condition)
            or self.book.named(condition)
            or self.lexicon.pattern("needs_no_rule").search(folded)
        )

    @cached_property
    def _exact_conditions(self) -> frozenset[str]:
        return frozenset(name for _, kind, name, *_ in self._measured if kind == "exact_condition")

    @cached_property
    def _named_in_records(self) -> Phrases:
        """What records may tell of a reason for a drug, or against a procedure."""
        columns = (("drugs", "indication_phrases"), ("order_limits", "record_phrases"))
        phrases = [
            ("it", phrase)
            for table, column in columns
            for row in self.tables[table]
            for phrase in names(row[column])
            if row.get("kind") not in ("blood", "claim")
        ]
        return Phrases(phrases, self._finding_cues)

    def _told(self, patient: Patient) -> set[str]:
        """The findings that notes, conditions, allergies and medications tell in words."""
        findings = {"steroid_burst"} if has_steroid_burst(patient) else set[str]()
        if is_pregnant_by_test(patient):
            findings.add("pregnancy")
        has_clear = has_clear_head(patient, self.lexicon)
        treated = patient.notes if has_treated_pneumonia(patient) else []
        for text in map(without_normal_enzyme, patient.conditions + patient.notes):
            is_allergy = not _ALLERGY.isdisjoint(words(text))
            for tokens in clauses(text):
                is_opened = has_opened_infarct(tokens)
                if is_opened or has_recent_stent(tokens):
                    findings.add("recent_stent")
                of_old = _OF_A_REACTION if is_allergy and self._is_old(tokens) else frozenset()
                of_old |= {"st_elevation"} if is_opened or has_old_infarct(tokens) else set()
                # a head that was injured, and imaged since
                of_old |= {"emergency_told"} if has_clear and is_head_injury(tokens) else set()
                of_old |= {"pneumonia_stated"} if text in treated else set()
                if is_standing_asthma(tokens, text, patient):
                    findings |= GRADE
                    of_old |= ATTACK
                clause = frozenset(tokens)
                for mention in self._text_findings.in_clause(tokens):
                    kind, _, finding = mention.concept.partition(":")
                    is_current = mention.affirmed and (kind == "text" or not mention.past)
                    is_current = is_current and finding not in of_old
                    around = {
                        *tokens[mention.start - 1 : mention.start],
                        *tokens[mention.end :][:2],
                    }
                    is_current &= finding != "instability_stated" or around.isdisjoint(_ON_STANDING)
                    if is_current and not self._elsewhere(
                        tokens[mention.start : mention.end], clause
                    ):
                        findings.add(finding)
        for kind, texts in (("allergy", patient.allergies), ("medication", patient.medications)):
            for text in texts:
                findings |= {
                    concept.partition(":")[2]
                    for concept in self._list_findings.affirmed(text)
                    if concept.startswith(kind)
                }
        return findings

    def _is_old(self, tokens: list[str]) -> bool:
        """Whether a clause names what caused a reaction, and nothing of now."""
        return _OF_NOW.isdisjoint(tokens) and bool(self.book.history.blamed(tokens))

    def _elsewhere(self, named: Sequence[str], clause: frozenset[str]) -> bool:
        """Whether an ambiguous word is about another organ here, as in the effusion of a knee.

        A name that begins or ends with the organ ("liver failure") is meant of it.
        """
        own = {named[0], named[-1]} - self._meanings.keys()
        return any(
            (clause & self._meanings[word][0]) - own
            and not (clause & self._meanings[word][1]) - own
            for word in named
            if word in self._meanings
        )

    @cached_property
    def _meanings(self) -> dict[str, tuple[set[str], set[str]]]:
        """For each ambiguous word, the words that place it outside the field and inside it."""

        def beside(row: Row, column: str) -> set[str]:
            return {word for name in names(row[column]) for word in words(name)} - {row["term"]}

        return {
            row["term"]: (beside(row, "out_of_scope_with"), beside(row, "in_scope_with"))
            for row in self.tables["scope_terms"]
            if row["scope"] == BESIDE
        }

    def severity(self, findings: set[str]) -> str:
        """The worst severity among the problems in `findings`."""
        worst = 0
        for row in self.tables["clinical_problems"]:
            if row["problem"] in findings and row["is_scoped"] == "true":
                level = row["severity"]
                for clause in names(row["severity_when"]):
                    candidate, _, condition = clause.partition(":")
                    if Condition.read(condition).holds(findings):
                        level = max(level, candidate.strip(), key=SEVERITIES.index)
                worst = max(worst, SEVERITIES.index(level))
        return SEVERITIES[worst]
