"""What a patient and a recommendation look like. Unknown fields are errors."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from python_llm.recommendations.wording.amounts import of_record

_LETTER = re.compile(r"[^\W\d_]")


def has_a_word(text: str) -> bool:
    """Whether a text has a letter: "((((" and "..." say nothing."""
    return bool(_LETTER.search(text))


def _worded(text: str) -> str:
    if not has_a_word(text):
        raise ValueError("there is no word in it: write what is meant")
    return text


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers: give a number")
    return value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Prose = Annotated[Text, AfterValidator(_worded)]
Number = Annotated[float, BeforeValidator(_no_truth)]
Severity = Literal["low", "moderate", "high", "critical"]
SourceType = Literal["guideline", "drug", "imaging", "note", "lab"]
Flag = Literal["low", "normal", "high", "critical", ""]

SEVERITIES = ("low", "moderate", "high", "critical")


class Strict(BaseModel):
    """A model that rejects unknown fields, infinities and NaN."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


# Results in words, and flags of other systems (HL7 v2, table 0078).
_RAISED = frozenset(("positive", "pos", "+", "++", "raised", "elevated", "high", "reactive"))
_NORMAL = frozenset(("negative", "neg", "-", "normal", "undetectable", "not detected", "low"))
_FLAGS = {
    **{"h": "high", "hh": "critical", "l": "low", "ll": "low", "n": "normal", "a": "high"},
    **{"aa": "critical", "c": "critical", "*": "high", "crit": "critical", "abnormal": "high"},
}


class Lab(Strict):
    """One result; `unit` is any that the lab_tests seed accepts, empty for the seed's own.

    A value in words ("positive") becomes a flag, and one with a sign (">25000") its number.
    """

    name: Text
    value: Number | None = None
    unit: str = ""
    flag: Flag = ""

    @model_validator(mode="before")
    @classmethod
    def _read_words(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        flag = str(data.get("flag") or "").strip().lower()
        data = {**data, "flag": _FLAGS.get(flag, flag)}
        value = data.get("value")
        if isinstance(value, str):
            text = value.strip().lower()
            if text in _RAISED or text in _NORMAL:
                word = "high" if text in _RAISED else "normal"
                return {**data, "value": None, "flag": data["flag"] or word}
            data["value"] = text.lstrip("<>=≤≥~ ").replace(",", "")
        return data

    @model_validator(mode="after")
    def _has_a_result(self) -> Lab:
        if self.value is None and not self.flag:
            raise ValueError("a result needs a value or a flag")
        return self


class ImageClass(Strict):
    """One class of a chest X-ray reader with its probability."""

    label: Text
    probability: Number = Field(ge=0, le=1)


class Patient(Strict):
    """What is known about a patient. Age in years; vitals and measurements in the usual units of
    their names: systolic_bp and diastolic_bp mmHg, heart_rate and respiratory_rate per minute."""

    patient_id: Text
    tenant_id: str = ""
    age: Number = Field(ge=0, le=120)
    sex: Literal["female", "male", "unknown"]
    conditions: list[Text] = []
    medications: list[Text] = []
    allergies: list[Text] = []
    vitals: dict[str, Number] = {}
    measurements: dict[str, Number] = {}
    labs: list[Lab] = []
    chest_xray: list[ImageClass] = []
    notes: list[Text] = []

    @model_validator(mode="after")
    def _read_thousands(self) -> Patient:
        beside = " ".join([*self.notes, *self.conditions])
        self.notes = of_record(self.notes, beside)
        self.conditions = of_record(self.conditions, beside)
        self.medications = of_record(self.medications, beside)
        return self


class Action(Strict):
    """A recommended action and the references of its evidence."""

    action: Prose
    evidence_refs: list[Text]


class Evidence(Strict):
    """`document_id` is a document of the corpus, or patient/notes, patient/labs or
    patient/chest_xray."""

    ref: Text
    source_type: SourceType
    document_id: Text
    statement: Prose


class Contraindication(Strict):
    """A medication, what it was checked against, and the result."""

    medication: Prose
    checked_against: Prose
    result: Prose


class Escalation(Strict):
    """What to do when a trigger occurs, and how soon."""

    trigger: Prose
    action: Prose
    urgency: Literal["immediate", "urgent", "routine"]


class Uncertainty(Strict):
    """How uncertain a recommendation is, and why."""

    level: Literal["low", "moderate", "high"]
    reason: Prose


class RecommendationBody(Strict):
    """The content of a recommendation."""

    problems: list[Prose] = Field(min_length=1)
    recommended_actions: list[Action] = Field(min_length=1)
    evidence_table: list[Evidence]
    contraindications_checked: list[Contraindication]
    when_to_escalate: list[Escalation]
    severity: Severity
    uncertainty: Uncertainty
    differential: list[Prose]


class Recommendation(RecommendationBody):
    """A recommendation with its recommender, its patient and the duration of each stage (ms)."""

    recommendation_id: Text
    patient_id: Text
    recommender: Text
    stage_ms: dict[str, Annotated[Number, Field(ge=0)]]


class Expectation(Strict):
    """One expectation of a golden case, and the rule or guideline behind it."""

    value: Text
    because: Text


class Expected(Strict):
    """What a good recommendation for a golden case contains."""

    problems: list[Expectation] = Field(min_length=1)
    rules: list[Expectation]
    escalations: list[Expectation]
    source_types: list[Expectation]
    severity: Expectation


class GoldenCase(Strict):
    """One case of the golden set: a patient and the content of a good recommendation."""

    case_id: Text
    stratum: Literal["pneumonia", "chf", "copd", "pe", "mi", "multi_system", "adversarial"]
    tests: Text
    patient: Patient
    expected: Expected


def complaints(error: ValidationError) -> list[str]:
    """What is wrong, field by field, without the values, which may be a patient's."""
    return [
        f"{'.'.join(str(part) for part in item['loc']) or 'the document'}: "
        f"{item['msg'].removeprefix('Value error, ')}"
        for item in error.errors(include_input=False, include_url=False, include_context=False)
    ]


def readable_part(text: str) -> tuple[Recommendation, bool] | None:
    """What can be read of a recommendation that does not fit the schema, and whether every action,
    check and escalation is in it; None if no action can be read. The other fields get values that
    say nothing of the patient."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict):
        return None
    values: dict[str, Any] = {
        **{"problems": ["not stated"], "evidence_table": [], "differential": []},
        **{"contraindications_checked": [], "when_to_escalate": [], "stage_ms": {}},
        **{"severity": "critical", "uncertainty": {"level": "high", "reason": "not stated"}},
        **{"recommendation_id": "unnamed", "patient_id": "unnamed", "recommender": "not stated"},
    }
    is_whole = True
    for name in ("recommended_actions", *values):
        field = Recommendation.model_fields[name]
        kind: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
        entry = whole.get(name)
        items = [entry] if not isinstance(entry, list) else [entry, _valid_items(name, entry)]
        for value in items:
            try:
                kind.validate_python(value)
            except ValidationError:
                is_whole = is_whole and name not in _ORDERS
            else:
                values[name] = value
                break
    if "recommended_actions" not in values:
        return None
    return Recommendation.model_validate(values), is_whole


_ORDERS = frozenset(
    (
        *("recommended_actions", "contraindications_checked", "when_to_escalate"),
        *("evidence_table", "patient_id"),
    )
)
_ITEMS: dict[str, type[BaseModel]] = {
    "recommended_actions": Action,
    "evidence_table": Evidence,
    "contraindications_checked": Contraindication,
    "when_to_escalate": Escalation,
}


def _valid_items(name: str, items: list[Any]) -> list[Any]:
    """The items of a list that fit the schema."""
    valid = []
    for item in items:
        try:
            if name in _ITEMS:
                _ITEMS[name].model_validate(item)
        except ValidationError:
            continue
        valid.append(item)
    return valid
