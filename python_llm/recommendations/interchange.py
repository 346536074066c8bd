"""Recommendations and patients of other systems: many in a file, under other names.

`kernel29 check --schema` prints the documented form. Fields that are not read are told, because an
allergy may stand in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)

from python_llm.parsing.json_text import StrangersDecoder
from python_llm.recommendations.checks.urgency import is_at_once
from python_llm.recommendations.schema import Patient, Recommendation


class ForeignAction(BaseModel):
    """A recommended action of another system. citations: documents of the corpus, as pe_2019#2."""

    model_config = ConfigDict(extra="allow")

    text: str
    citations: list[str] = []


class ForeignRecommendation(BaseModel):
    """What another system recommends. Lists of texts are enough; escalations are what it asks to do
    at once. With severity, uncertainty (level and reason), differential, stage_ms and citations it
    may pass; without one of them it is not checkable at best."""

    model_config = ConfigDict(extra="allow")

    actions: list[str | ForeignAction]
    problems: list[str] = []
    escalations: list[str] = []
    contraindications_checked: list[str] = []
    severity: str = ""
    uncertainty: dict[str, str] = {}
    differential: list[str] = []
    stage_ms: dict[str, float] = {}


class ForeignPatient(BaseModel):
    """A patient of another system. medications and allergies: texts, or objects with name (and
    dose, reaction); labs: objects with name, value, unit, flag, or one object of name and value."""

    model_config = ConfigDict(extra="allow")

    id: str
    age: float
    sex: str
    conditions: list[str] = []
    medications: list[str | dict[str, Any]] = []
    allergies: list[str | dict[str, Any]] = []
    vitals: dict[str, float] = {}
    labs: list[dict[str, Any]] | dict[str, Any] = []
    notes: list[str] | str = []


class Submission(BaseModel):
    """One recommendation to check, with its patient."""

    recommendation: Recommendation | ForeignRecommendation
    patient: Patient | ForeignPatient
    system: str = Field(default="", description="The system that made the recommendation.")


@dataclass(frozen=True)
class Submitted:
    """A recommendation and its patient as JSON. lacks: why the schema is not met, empty if it may
    be; unread: fields of the patient that are not read."""

    recommendation: str
    patient: str | None
    system: str = ""
    lacks: str = ""
    unread: tuple[str, ...] = ()


_PATIENT = {
    "patient_id": ("patient_id", "id", "patientId", "mrn", "subject"),
    "tenant_id": ("tenant_id", "tenant", "site"),
    "age": ("age", "age_years"),
    "sex": ("sex", "gender"),
    "conditions": ("conditions", "diagnoses", "problems", "history", "comorbidities"),
    "medications": ("medications", "meds", "current_medications", "drugs", "home_medications"),
    "allergies": ("allergies", "allergy", "intolerances"),
    "vitals": ("vitals", "vital_signs", "vitalSigns"),
    "measurements": ("measurements",),
    "labs": ("labs", "laboratory", "lab_results", "results", "observations"),
    "chest_xray": ("chest_xray",),
    "notes": ("notes", "note", "text", "clinical_notes", "narrative"),
}
_PRESSURES = re.compile(r"\s*(\d{2,3})\s*/\s*(\d{2,3})\s*(?:mm ?hg)?\s*", re.IGNORECASE)
_MEASURED = re.compile(
    r"\s*(-?\d{1,4}(?:\.\d{1,3})?)\s*(?:%|bpm|/min|mm ?hg|°? ?c|breaths/min)?\s*", re.IGNORECASE
)
_BEFORE_CHECKS = re.compile(
    r"\s*:\s*|\s*\(|\s+[-–—]\s+|\s+(?:checked |was checked )?(?:for|against)\s+"
)
# What another system cites: a part of the patient's record, or a document of the corpus.
_OF_THE_RECORD = {"patient/notes": "note", "patient/labs": "lab", "patient/chest_xray": "imaging"}
# Of other systems, with FHIR (administrative gender) and HL7 v2 (table 0001).
_SEX_NAMES = {
    "female": "f|female|w|woman|girl|mujer|femenino|femenina|hembra",
    "male": "m|male|man|boy|hombre|h|varon|varón|v|masculino",
    "unknown": "|unknown|u|other|o|x|a|n|intersex|diverse|d|ambiguous|none|n/a|not stated"
    "|unspecified|undetermined|non-binary|nonbinary|otro|desconocido|no consta",
}
_SEXES = {name: sex for sex, text in _SEX_NAMES.items() for name in text.split("|")}
# What to write in a field that has a value which is not read.
REMEDIES = dict.fromkeys(("sex", "gender"), ": give female, male or unknown")
_OF_ACTIONS = ("actions", "recommendations", "plan", "orders", "text")
_NAMES_OF_TEXT = (
    *("text", "action", "description", "name", "substance", "drug", "display"),
    *("medication", "condition", "diagnosis", "allergen"),
)
# What another system may add to be in the project's form, and then to pass.
_OF_THE_FORM = {
    "severity": "severity",
    "uncertainty": "uncertainty",
    "differential": "differential",
    "stage_ms": "stage times",
}
_OF_VITALS = "an object of names and numbers, or a list of objects with name and value"
_OF_LABS = "a list of objects with name and value, or an object of names and values"
_LAB = {
    "name": ("name", "test", "code", "display"),
    "value": ("value", "result"),
    "unit": ("unit", "units"),
    "flag": ("flag", "abnormal", "interpretation"),
}


def documents(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a text with their numbers from 1: one object, an array, or JSON lines.

    Raises ValueError, naming the line, for what is not JSON.
    """
    try:
        whole = StrangersDecoder().decode(text)
    except (ValueError, RecursionError) as error:
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].lstrip().startswith("{"):
            line = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
            problem = getattr(error, "msg", "nested too deeply, or a number too long")
            raise ValueError(f"{line}not JSON: {problem}") from error
        whole = [_object(number, line) for number, line in lines]
    items = whole if isinstance(whole, list) else [whole]
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise ValueError(f"line {number}: not a JSON object")
        yield number, item
    if not items:
        raise ValueError("line 1: not a JSON object: the list is empty")


def _object(number: int, line: str) -> Any:
    try:
        return StrangersDecoder().decode(line)
    except (ValueError, RecursionError) as error:
        problem = getattr(error, "msg", "nested too deeply")
        raise ValueError(f"line {number}: not JSON: {problem}") from error


# A value of each kind of field, and the words for it; bool is no number.
_Number = StrictInt | StrictFloat | StrictStr
_Texts = list[StrictStr | dict[str, Any]] | StrictStr | None
_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("text", StrictStr | None, "a text"),
    ("number", _Number | None, "a number or a text"),
    ("texts", _Texts, "a list of texts, or of objects with a name"),
    ("object", dict[str, Any] | None, "an object"),
    ("vitals", dict[str, _Number | None] | list[dict[str, Any]] | None, _OF_VITALS),
    ("labs", dict[str, Any] | list[dict[str, Any]] | None, _OF_LABS),
    ("recommendation", dict[str, Any] | list[Any] | StrictStr, "an object, a list or a text"),
)
_TYPES = {kind: (TypeAdapter[Any](annotation), words) for kind, annotation, words in _KINDS}
_TYPE_OF = {
    **dict.fromkeys(("patient_id", "age"), "number"),
    **dict.fromkeys(("tenant_id", "sex"), "text"),
    **dict.fromkeys(("conditions", "medications", "allergies", "notes"), "texts"),
    **{"vitals": "vitals", "labs": "labs", "measurements": "object"},
}


def _check_types(document: Mapping[str, Any]) -> None:
    """Raise ValueError for a field that would be lost, or read as something else."""
    _check_type(document, "patient", "object")
    _check_type(document, "system", "text")
    patient = document.get("patient") or {}
    for field, kind in _TYPE_OF.items():
        for alias in _PATIENT[field]:
            _check_type(patient, alias, kind, "patient.")
    if "resourceType" in document:
        return
    if "recommendation" in document:
        _check_type(document, "recommendation", "recommendation")
    whole = document.get("recommendation", document)
    if isinstance(whole, Mapping) and "recommended_actions" not in whole:
        for name in _OF_ACTIONS:
            if not isinstance(whole.get(name), Mapping):
                _check_type(whole, name, "texts", "recommendation.")
        for name in ("id", "patient_id"):
            _check_type(whole, name, "number", "recommendation.")
        for name in ("problems", "escalations", "contraindications_checked"):
            _check_type(whole, name, "texts", "recommendation.")
    for number, action in enumerate(_actions(whole), 1):
        at = f"recommendation.actions, entry {number}"
        if not isinstance(action, str | Mapping):
            raise ValueError(f"{at}: give a text, or an object with a text")
        if isinstance(action, Mapping):
            _check_named(action, at)
            _check_type(action, "citations", "texts", f"{at}, ")


def _check_type(fields: Mapping[str, Any], name: str, kind: str, above: str = "") -> None:
    adapter, words = _TYPES[kind]
    try:
        adapter.validate_python(fields.get(name))
    except ValidationError:
        raise ValueError(f"{above}{name}: give {words}") from None
    if kind == "texts" and isinstance(fields.get(name), list):
        for number, entry in enumerate(fields[name], 1):
            if isinstance(entry, Mapping):
                _check_named(entry, f"{above}{name}, entry {number}")


def _check_named(entry: Mapping[str, Any], at: str) -> None:
    """Raise ValueError for an object of which nothing would be read, or a list as its text."""
    names = [name for name in _NAMES_OF_TEXT if entry.get(name)]
    if not names or not isinstance(entry[names[0]], str | int | float):
        raise ValueError(f"{at}: give its text as {_NAMES_OF_TEXT[0]} or {_NAMES_OF_TEXT[3]}")


def submitted(document: Mapping[str, Any]) -> Submitted:
    """A document in the project's form or in the documented one of other systems.

    Raises ValueError, naming the field, for one of another type than the form has.
    """
    _check_types(document)
    recommendation = document.get("recommendation", document)
    patient = document.get("patient")
    system = str(document.get("system") or "")
    patient_json, unread = _patient(patient) if isinstance(patient, dict) else (None, ())
    if isinstance(recommendation, dict) and "recommended_actions" in recommendation:
        return Submitted(json.dumps(recommendation), patient_json, system, "", unread)
    if "resourceType" in document:
        kind = str(document["resourceType"])[:40]
        lacks = f"a FHIR {kind} is not read: kernel29 check --schema prints the form that is"
        return Submitted(json.dumps(document), patient_json, system, lacks, unread)
    if "recommendation" not in document and not _actions(document):
        return Submitted(json.dumps(document), patient_json, system, "", unread)
    patient_id = json.loads(patient_json or "{}").get("patient_id", "unknown")
    native, lacks = _native(recommendation, str(patient_id), system)
    return Submitted(json.dumps(native), patient_json, system, lacks, unread)


def _actions(recommendation: Any) -> list[Any]:
    if isinstance(recommendation, str):
        return [line for line in recommendation.splitlines() if line.strip()]
    if isinstance(recommendation, list):
        return recommendation
    if isinstance(recommendation, Mapping):
        for name in _OF_ACTIONS:
            if name in recommendation:
                return _actions(recommendation[name])
    return []


def _native(recommendation: Any, patient_id: str, system: str) -> tuple[dict[str, Any], str]:
    whole = recommendation if isinstance(recommendation, Mapping) else {}
    rows: dict[str, str] = {}
    actions = []
    for action in _actions(recommendation):
        text, citations = _text_of(action), []
        if isinstance(action, Mapping):
            citations = _texts(action.get("citations"))
        for citation in citations:
            rows.setdefault(citation, f"E{len(rows) + 1}")
        actions.append({"action": text, "evidence_refs": [rows[c] for c in citations]})
    native = {
        "recommendation_id": str(whole.get("id") or "unnamed"),
        "patient_id": str(whole.get("patient_id") or patient_id),
        "recommender": system or "another system",
        "problems": _texts(whole.get("problems")) or ["not stated"],
        "recommended_actions": actions,
        "evidence_table": [
            {
                "ref": ref,
                "source_type": _source_type(citation),
                "document_id": citation,
                "statement": "cited without a quotation",
            }
            for citation, ref in rows.items()
        ],
        "contraindications_checked": [
            check
            for item in _items(whole.get("contraindications_checked"))
            if (check := _checked(item))["medication"]
        ],
        "when_to_escalate": [
            {"trigger": text, "action": text, "urgency": "immediate"}
            for text in _texts(whole.get("escalations"))
            # who has no place for what is done at once says it among the actions
            or [text for text in (str(a["action"]) for a in actions) if is_at_once(text)]
        ],
        "severity": "critical",
        "uncertainty": {"level": "high", "reason": "not stated"},
        "differential": [],
        "stage_ms": {},
    }
    added = {field: whole[field] for field in _OF_THE_FORM if whole.get(field)}
    missing = [name for field, name in _OF_THE_FORM.items() if field not in added]
    missing = [*([] if rows else ["evidence (citations of the actions)"]), *missing]
    return {**native, **added}, (
        f"it is not in the project's form (no {', '.join(missing)}), so it can be unsafe or not "
        "checkable and cannot pass; what it has was checked"
        if missing
        else ""
    )


def _source_type(citation: str) -> str:
    if citation in _OF_THE_RECORD:
        return _OF_THE_RECORD[citation]
    return "drug" if citation.startswith("drug") else "guideline"


def _checked(item: Any) -> dict[str, str]:
    """A check from its text or object: the drug, and what it was checked against behind a colon, a
    bracket or a dash ("furosemide: allergies"). Together they would read as an allergy to it."""
    if isinstance(item, Mapping) and (drug := _first(item, ("medication", "drug", "name"))):
        against = " ".join(_texts(_first(item, ("checked_against", "against", "checks"))))
        result = str(_first(item, ("result", "outcome")) or "as stated")
        return {"medication": str(drug), "checked_against": against or str(drug), "result": result}
    text = _text_of(item).strip()
    parts = [part.strip(" ()") for part in _BEFORE_CHECKS.split(text, maxsplit=1)]
    drug, against = parts if len(parts) == 2 and all(parts) else (text, text)
    return {"medication": drug, "checked_against": against, "result": "as stated"}


def _text_of(item: Any) -> str:
    if isinstance(item, Mapping):
        parts = [str(item[name]) for name in _NAMES_OF_TEXT if item.get(name)][:1]
        extra = ("dose", "route", "frequency", "reaction", "severity")
        return " ".join([*parts, *(str(item[name]) for name in extra if item.get(name))])
    return str(item)


def _items(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else str(value).split(";")


def _texts(value: Any) -> list[str]:
    return [text for text in (_text_of(item).strip() for item in _items(value)) if text]


def _patient(patient: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The patient in the project's form, and the fields that are not read."""
    native: dict[str, Any] = {}
    used = set()
    for field, aliases in _PATIENT.items():
        for alias in aliases:
            if alias in patient and field not in native:
                native[field] = patient[alias]
                used.add(alias)
    if "sex" in native:
        sex = str(native["sex"] or "").strip().lower()
        native["sex"] = _SEXES.get(sex, "unknown")
        # what is not read is told by the name that the file has for it
        used -= set(_PATIENT["sex"]) if sex not in _SEXES else set()
    if "patient_id" in native:
        native["patient_id"] = str(native["patient_id"])
    for field in ("conditions", "medications", "allergies", "notes"):
        if field in native:
            value = native[field]
            is_note = field == "notes" and isinstance(value, str)
            native[field] = ([value] if value.strip() else []) if is_note else _texts(value)
    if "labs" in native:
        native["labs"] = [_lab(lab) for lab in _pairs(native["labs"])]
    if isinstance(native.get("vitals"), list):
        native["vitals"] = {
            str(_first(item, ("name", "code", "display"))): _first(item, ("value", "result"))
            for item in native["vitals"]
        }
    if isinstance(native.get("vitals"), Mapping):
        native["vitals"] = dict(_measured(native["vitals"]))
    unread = tuple(sorted(name for name in patient if name not in used and patient[name]))
    return json.dumps(native), unread


def _measured(vitals: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Vital signs as numbers: "84/50" are two pressures, "86 %" is 86."""
    for name, value in vitals.items():
        pressures = _PRESSURES.fullmatch(value) if isinstance(value, str) else None
        number = _MEASURED.fullmatch(value) if isinstance(value, str) else None
        if pressures:
            yield "systolic_bp", float(pressures[1])
            yield "diastolic_bp", float(pressures[2])
        else:
            yield name, float(number[1]) if number else value


def _pairs(labs: Any) -> list[Any]:
    if isinstance(labs, Mapping):
        return [
            {"name": name, **value}
            if isinstance(value, Mapping)
            else {"name": name, "value": value}
            for name, value in labs.items()
        ]
    return list(labs) if isinstance(labs, list) else []


def _lab(lab: Any) -> Any:
    if not isinstance(lab, Mapping):
        return lab
    result = {field: _first(lab, aliases) for field, aliases in _LAB.items()}
    value = result["value"]
    if isinstance(value, str) and " " in value.strip() and not result["unit"]:
        result["value"], result["unit"] = value.strip().split(" ", 1)
    return {field: value for field, value in result.items() if value is not None}


def _first(item: Mapping[str, Any], aliases: tuple[str, ...]) -> Any:
    return next((item[alias] for alias in aliases if item.get(alias) is not None), None)
