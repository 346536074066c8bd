"""A recommender without a language model: it recommends what the retrieved guidelines ask for.

It serves as a baseline and as a test object. A guideline statement becomes an action if its
condition holds for the patient and no contraindication forbids it; red flags do not depend on
retrieval.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from python_llm.recommendations.checks.answered import Answers
from python_llm.recommendations.checks.urgency import DEFINING, Urgency
from python_llm.recommendations.drugs.book import CHILD
from python_llm.recommendations.evaluation.pace import Pace
from python_llm.recommendations.evaluation.retrieval import Configuration, Hit, Index
from python_llm.recommendations.knowledge import Knowledge, Row
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.schema import (
    Action,
    Contraindication,
    Escalation,
    Evidence,
    Patient,
    Recommendation,
    Uncertainty,
)

NAME = "guideline_rules"
# what was checked, by drug class or drug and contraindication
Checked = dict[tuple[str, str], Contraindication]
# How many guideline statements are cited for one action.
SUPPORT = 2
# What raises potassium and is stopped in severe hyperkalaemia, and the document that says so.
_RAISES_POTASSIUM = {
    *("raas_inhibitor", "mra", "potassium_sparing_diuretic", "potassium_supplement", "nsaid"),
    *("trimethoprim", "co-trimoxazole"),
}
_STOPS_POTASSIUM = "ukka_2023#2"
# How guidelines word a severity.
_DEGREE = {
    "low": "outpatient stable",
    "moderate": "inpatient",
    "high": "inpatient severe",
    "critical": "severe high-risk shock",
}


class Recommender:
    """Rules over retrieved documents."""

    def __init__(self, knowledge: Knowledge, index: Index, configuration: Configuration) -> None:
        self.knowledge = knowledge
        self._index = index
        self._configuration = configuration
        self._pace = Pace()
        requirements = knowledge.tables["guideline_rule_requirements"]
        self._urgency = Urgency(requirements, knowledge.actions)
        self._answers = Answers(knowledge)
        self._defining = Urgency(requirements, knowledge.actions, DEFINING)
        self._documents = {
            key: (row, Condition.read(row["applies_when"]), Condition.read(row["unless"]))
            for key, row in knowledge.documents.items()
        }
        self._problems = {row["problem"]: row for row in knowledge.tables["clinical_problems"]}
        self._drug_documents = {
            key: knowledge.drug_classes(knowledge.mentioned(row["title"]))
            for key, row in knowledge.documents.items()
            if row["source_type"] == "drug"
        }

    def queries(self, patient: Patient, findings: set[str]) -> list[str]:
        """One query for each problem, and one in the words of each note of the patient's record.

        Notes are asked with apart: what matters in one would be lost among the words of another.
        """
        conditions = " ".join(patient.conditions)
        own_words = [f"{conditions} {note}".strip() for note in patient.notes or [""]]
        held = [row for name, row in self._problems.items() if name in findings]
        degree = _DEGREE[self.knowledge.severity(findings)]
        queries = [
            f"{row['label']} treatment {degree}" for row in held if row["is_scoped"] == "true"
        ]
        obstacles = [row["label"] for row in held if row["is_scoped"] != "true"]
        obstacles += [f"{allergy} allergy" for allergy in patient.allergies]
        if obstacles and queries:
            queries.append(f"{' '.join(row['label'] for row in held)} {' '.join(obstacles)}")
        return [*queries, *(text for text in own_words if text or not queries)]

    def retrieve(self, patient: Patient, findings: set[str]) -> list[Hit]:
        """The documents of all queries, each once, ordered by its best rank."""
        best: dict[str, Hit] = {}
        for hits in self._index.search(self.queries(patient, findings), self._configuration):
            for hit in hits:
                known = best.get(hit.document)
                if known is None or (hit.rank, -hit.score) < (known.rank, -known.score):
                    best[hit.document] = hit
        ordered = sorted(best.values(), key=lambda hit: (hit.rank, -hit.score, hit.document))
        return [Hit(hit.document, rank, hit.score) for rank, hit in enumerate(ordered, 1)]

    def recommend(self, patient: Patient) -> tuple[Recommendation, list[Hit]]:
        """A recommendation for a patient, and the documents it was made from."""
        began = self._pace.start()
        findings = self.knowledge.findings(patient)
        hits = self.retrieve(patient, findings)
        retrieve_ms = self._pace.since(began)
        body = self._compose(patient, findings, [hit.document for hit in hits])
        took = {
            "retrieve": round(retrieve_ms, 3),
            "recommend": round(self._pace.since(began) - retrieve_ms, 3),
        }
        key = f"{NAME}/{self._configuration.name}/{patient.patient_id}"
        return (
            Recommendation(
                **body,
                recommendation_id=hashlib.sha256(key.encode()).hexdigest()[:16],
                patient_id=patient.patient_id,
                recommender=NAME,
                stage_ms=took,
            ),
            hits,
        )

    def _compose(
        self, patient: Patient, findings: set[str], documents: Sequence[str]
    ) -> dict[str, Any]:
        evidence = EvidenceTable(self.knowledge)
        own = evidence.of_patient(patient)
        flags = [
            row
            for row in self.knowledge.tables["red_flags"]
            if Condition.read(row["present_when"]).holds(findings)
        ]
        checked: Checked = {}
        actions: list[Action] = []
        # the patient chose comfort care alone: nothing is added to it
        for action, cited in self._wanted(findings, documents).items():
            text = self._wording(action, [item.action for item in actions], findings, checked)
            if text is None:
                continue
            refs = [evidence.cite(key) for key in cited[:SUPPORT]]
            refs += [evidence.cite(key) for key in self._support(action, documents, cited)]
            actions.append(Action(action=text, evidence_refs=list(dict.fromkeys(refs + own))))
        for row in flags:
            refs = [evidence.cite(key) for key in names(row["documents"])]
            earlier = [item.action for item in actions]
            if not self._forbidden(row["instruction"], earlier, findings, checked):
                actions.append(Action(action=row["instruction"], evidence_refs=refs + own))
        actions.sort(key=lambda item: self._urgency.rank(self.knowledge.recommended(item.action)))
        if "critical_potassium" in findings and "dnr_comfort" not in findings:
            actions[2:2] = self._stopped(patient, evidence, own)
        problems = [
            row["label"]
            for name, row in self._problems.items()
            if name in findings and row["is_scoped"] == "true"
        ]
        if not actions:
            text = (
                "Ask the attending to review the patient: no cardiopulmonary action is indicated."
            )
            if "dnr_comfort" in findings:
                text = "Keep to comfort care as the patient chose, with palliative review."
            actions = [Action(action=text, evidence_refs=own or [evidence.cite("cap_2019#1")])]
        return {
            "problems": problems or ["no cardiopulmonary problem recognised"],
            "recommended_actions": actions,
            "evidence_table": evidence.rows,
            "contraindications_checked": list(checked.values()),
            "when_to_escalate": self._escalations(
                flags or self._told_of(patient, findings, actions)
            ),
            "severity": self.knowledge.severity(findings),
            "uncertainty": self._uncertainty(patient, findings, problems, checked),
            "differential": list(
                dict.fromkeys(
                    other
                    for name, row in self._problems.items()
                    if name in findings
                    for other in names(row["differential"])
                )
            ),
        }

    def _stopped(
        self, patient: Patient, evidence: EvidenceTable, own: Sequence[str]
    ) -> list[Action]:
        """What the patient takes that raises potassium, to be stopped."""
        book = self.knowledge.book
        taken = [
            mention.concept
            for text in patient.medications
            for mention in book.named(text)
            if mention.affirmed and book.closures[mention.concept] & _RAISES_POTASSIUM
        ]
        if not taken:
            return []
        listed = " and ".join(_readable(drug) for drug in dict.fromkeys(taken))
        text = f"Stop {listed} now, because potassium is dangerously high."
        return [Action(action=text, evidence_refs=[evidence.cite(_STOPS_POTASSIUM), *own])]

    def _wanted(self, findings: set[str], documents: Sequence[str]) -> dict[str, list[str]]:
        """Each wanted action with the documents that ask for it, the most urgent first.

        Retrieved statements ask for most; what is urgent does not depend on retrieval.
        """
        if "dnr_comfort" in findings:
            return {}
        wanted: dict[str, list[str]] = {}
        for key in documents:
            row, when, unless = self._documents[key]
            if when.holds(findings) and not unless.holds(findings):
                for action in names(row["actions"]):
                    wanted.setdefault(action, []).append(key)
        for need in (*self._urgency.needs(findings), *self._defining.needs(findings)):
            for way in need.accepted:
                if way <= wanted.keys():
                    break
                if way <= self.knowledge.actions.keys() and not any(
                    self._is_forbidden(action, findings) for action in way
                ):
                    for action in way:
                        wanted.setdefault(action, []).extend(need.documents)
                    break
        return dict(sorted(wanted.items(), key=lambda item: self._urgency.rank({item[0]})))

    def _is_forbidden(self, action: str, findings: set[str]) -> bool:
        return self._wording(action, [], findings, {}) is None

    def _support(self, action: str, documents: Sequence[str], cited: Sequence[str]) -> list[str]:
        """The drug's own document and other guideline statements of the condition."""
        # only a drug that the wording names: dialysis lowers potassium and is no drug
        classes = self.knowledge.book.affirmed(self.knowledge.actions[action]["instruction"])
        drug = [key for key in documents if self._drug_documents.get(key, set()) & classes]
        if not cited:
            own = {self.knowledge.actions[action]["drug_class"]}
            return [key for key in drug if own & self._drug_documents[key]][:1]
        condition = self._documents[cited[0]][0]["condition"]
        guidelines = [
            key
            for key in documents
            if key not in cited
            and self._documents[key][0]["source_type"] == "guideline"
            and self._documents[key][0]["condition"] == condition
        ]
        return drug[:1] + guidelines[:1]

    def _wording(
        self, action: str, earlier: Sequence[str], findings: set[str], checked: Checked
    ) -> str | None:
        """The first wording of an action that the patient may have; None if there is none."""
        row = self.knowledge.actions[action]
        options = [row["instruction"], *(row["options"] or "").split(" | ")]
        is_child = CHILD in findings
        options = [text for text in options if is_child or "/kg" not in text]
        options.sort(key=lambda text: "/kg" not in text)
        for text in filter(None, options):
            of_text: Checked = {}
            if not self._forbidden(text, earlier, findings, of_text):
                checked.update(of_text)
                return text
            # what forbids a wording is told, and not that its other drugs are free of problems
            checked.update({k: v for k, v in of_text.items() if v.result != "none found"})
        return None

    def _forbidden(
        self, text: str, earlier: Sequence[str], findings: set[str], checked: Checked
    ) -> bool:
        """Whether a text recommends what the patient must not have, alone or beside the texts
        already `earlier`. Every check is recorded in `checked`."""
        book = self.knowledge.book
        problems = [
            problem
            for problem in book.problems([*earlier, text], findings)
            if problem.action in (0, len(earlier) + 1) or problem.against.endswith("together)")
        ]
        for mention in book.named(text):
            if not mention.affirmed or not book.needs_check(mention.concept):
                continue
            drug = mention.concept
            of_drug = [problem for problem in problems if problem.drug == drug]
            unread = [problem for problem in problems if problem.seriousness == "not_checked"]
            for problem in of_drug:
                absolute = problem.seriousness == "absolute"
                checked[drug, problem.against] = Contraindication(
                    medication=_readable(drug),
                    checked_against=problem.against,
                    result="present: not given" if absolute else "present: monitor",
                )
            for problem in unread:
                checked[drug, problem.drug] = Contraindication(
                    medication=_readable(drug),
                    checked_against=problem.drug,
                    result="not checked: it is not in the knowledge base",
                )
            if not of_drug and not unread:
                checked[drug, ""] = Contraindication(
                    medication=_readable(drug),
                    checked_against="; ".join(book.considered(drug)),
                    result="none found",
                )
        # never order an adult dose for a child, even if the weight is unknown
        is_dosed = CHILD in findings and any(problem.kind == "dose" for problem in problems)
        return is_dosed or any(problem.seriousness == "absolute" for problem in problems)

    def _told_of(
        self, patient: Patient, findings: set[str], actions: Sequence[Action]
    ) -> list[Row]:
        """The urgent red flags that only the notes tell of, where no action answers them."""
        texts = (item.action for item in actions)
        if "dnr_comfort" in findings or any(map(self._answers.is_urgent, texts)):
            return []
        instruction = self.knowledge.actions["emergency_escalation"]["instruction"]
        return [
            {"label": alarm.flag_name, "instruction": instruction}
            for alarm in self.knowledge.alarms(patient)
        ]

    @staticmethod
    def _escalations(flags: Sequence[Row]) -> list[Escalation]:
        return [
            Escalation(trigger=row["label"], action=row["instruction"], urgency="immediate")
            for row in flags
        ] + [
            Escalation(
                trigger="worse breathlessness, new confusion or falling blood pressure",
                action="Call the attending for a review within the hour.",
                urgency="urgent",
            )
        ]

    @staticmethod
    def _uncertainty(
        patient: Patient, findings: set[str], problems: Sequence[str], checked: Checked
    ) -> Uncertainty:
        blocked = any(entry.result == "present: not given" for entry in checked.values())
        if "dissection" in findings:
            return Uncertainty(
                level="high",
                reason="Aortic dissection is to be excluded before anything else is concluded.",
            )
        if not problems or "not_ischemic_st" in findings:
            return Uncertainty(
                level="high", reason="The findings fit no single problem of the field."
            )
        if blocked or len(problems) > 3 or not patient.labs:
            return Uncertainty(
                level="moderate",
                reason="Several problems, a contraindication or missing laboratory values.",
            )
        return Uncertainty(level="low", reason="The findings meet the criteria of the guideline.")


class EvidenceTable:
    """The rows of evidence, each document once."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._documents = knowledge.documents
        self._refs: dict[str, str] = {}
        self.rows: list[Evidence] = []

    def cite(self, key: str) -> str:
        """The reference (E1, E2, ...) of a document, which is added on first use."""
        row = self._documents[key]
        return self._add(key, row["source_type"], row["document_text"])

    def of_patient(self, patient: Patient) -> list[str]:
        """References to the patient's own record: notes, laboratory values, chest X-ray."""
        refs = []
        if patient.notes:
            refs.append(self._add("patient/notes", "note", "The notes of this patient."))
        if patient.labs:
            values = (lab.flag if lab.value is None else f"{lab.value:g}" for lab in patient.labs)
            statement = ", ".join(
                f"{lab.name} {value} {lab.unit}".strip()
                for lab, value in zip(patient.labs, values, strict=True)
            )
            refs.append(self._add("patient/labs", "lab", statement))
        likely = [item for item in patient.chest_xray if item.probability >= 0.5]
        if likely:
            statement = ", ".join(f"{item.label} {item.probability:.2f}" for item in likely)
            refs.append(self._add("patient/chest_xray", "imaging", statement))
        return refs

    def _add(self, key: str, source_type: str, statement: str) -> str:
        if key not in self._refs:
            self._refs[key] = f"E{len(self.rows) + 1}"
            self.rows.append(
                Evidence.model_validate(
                    {
                        "ref": self._refs[key],
                        "source_type": source_type,
                        "document_id": key,
                        "statement": statement,
                    }
                )
            )
        return self._refs[key]


def _readable(name: str) -> str:
    return name.replace("_", " ")
