"""`kernel29 check` and `kernel29 recommend`: one recommendation, before anybody sees it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from python_llm import seeds
from python_llm.errors import UserError
from python_llm.imports.tables import read
from python_llm.parsing.json_text import whole_value
from python_llm.recommendations.checks import Checker, Verdict, envelope
from python_llm.recommendations.golden import read_golden_set
from python_llm.recommendations.knowledge import FOLDER, Knowledge
from python_llm.recommendations.schema import Patient, complaints


class CheckError(UserError):
    """A file that cannot be checked; the message names the file, the problem and the remedy."""


def check_file(
    file: Path, patient_file: Path | None, case_id: str | None
) -> tuple[list[Verdict], float]:
    """The verdicts on the recommendation of a file, and the milliseconds they took.

    The patient comes from the golden case `case_id`, from `patient_file`, from the file itself
    ({"recommendation": …, "patient": …}), or is the golden patient whose id it has. Raises
    CheckError for what cannot be read.
    """
    text = _text(file)
    try:
        recommendation, embedded = envelope(text)
    except ValueError as error:
        raise CheckError(f"{file}, {error}: give one recommendation as a JSON object.") from error
    patient = None
    if case_id is not None:
        patient = golden_patient(case_id)
    elif patient_file is not None:
        patient = read_patient(_text(patient_file), str(patient_file))
    elif embedded is not None:
        patient = read_patient(embedded, f"{file}, patient")
    else:
        patient = _golden_patient_of(recommendation)
    checker = Checker(Knowledge.from_seeds())
    # build now what is otherwise built on first use, and would be timed
    checker.tier1("{}", None)
    checker.knowledge.warm()
    began = time.perf_counter()
    verdicts = checker.tier1(recommendation, patient)
    return verdicts, (time.perf_counter() - began) * 1e3


def recommend(patient: Patient, configuration: str) -> str:
    """The guideline rules' recommendation for a patient, together with the patient, as JSON."""
    from python_llm.recommendations.recommender import Recommender
    from python_llm.recommendations.retrieval import Configuration, Index

    knowledge = Knowledge.from_seeds()
    chosen = Configuration.of(
        configuration,
        seeds.read(f"{FOLDER}/retrieval_configurations.csv"),
        seeds.read(f"{FOLDER}/retrieval_boosts.csv"),
    )
    recommendation, _ = Recommender(knowledge, Index(knowledge.documents), chosen).recommend(
        patient
    )
    return json.dumps(
        {"recommendation": recommendation.model_dump(), "patient": patient.model_dump()},
        indent=2,
        ensure_ascii=False,
    )


def golden_patient(case_id: str) -> Patient:
    """The patient of a golden case. Raises CheckError if there is no such case."""
    cases = {case.case_id: case.patient for case in read_golden_set()}
    if case_id not in cases:
        raise CheckError(
            f"{case_id!r} is neither a golden case nor a file: use one of {min(cases)} to "
            f"{max(cases)} (kernel29 query 'select case_id, tests from dim_golden_case')."
        )
    return cases[case_id]


def _golden_patient_of(recommendation: str) -> Patient | None:
    """The golden patient that a recommendation is for; None if it is for another patient."""
    content = whole_value(recommendation)
    patient_id = content.get("patient_id") if isinstance(content, dict) else None
    return next(
        (case.patient for case in read_golden_set() if case.patient.patient_id == patient_id),
        None,
    )


def read_patient(text: str, where: str) -> Patient:
    """A patient from JSON. Raises CheckError, which names the field but not its value."""
    try:
        return Patient.model_validate_json(text)
    except ValidationError as error:
        raise CheckError(f"{where}: {complaints(error)[0]}: correct the patient.") from error


def patient_of(source: str) -> Patient:
    """The patient of a golden case or of a JSON file."""
    file = Path(source)
    return read_patient(_text(file), str(file)) if file.exists() else golden_patient(source)


def format_verdicts(verdicts: list[Verdict], took_ms: float) -> str:
    """Every check with its result, and each failed item with its reason."""
    lines = []
    for check in dict.fromkeys(verdict.check for verdict in verdicts):
        results = [verdict for verdict in verdicts if verdict.check == check]
        failed = [verdict for verdict in results if not verdict.passed]
        lines.append(f"{'fail' if failed else 'pass'}  {check}")
        lines += [
            f"      {verdict.item + ': ' if verdict.item else ''}{verdict.reason}"
            for verdict in failed
        ]
    return "\n".join([*lines, f"checked in {took_ms:.1f} ms"])


def as_rows(verdicts: list[Verdict]) -> list[dict[str, Any]]:
    return [asdict(verdict) for verdict in verdicts]


def _text(file: Path) -> str:
    try:
        return read(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CheckError(f"{file} is not UTF-8 text: give a JSON file.") from error
