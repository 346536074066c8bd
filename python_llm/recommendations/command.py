"""`kernel29 check` and `kernel29 recommend`: one recommendation, before anybody sees it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from python_llm import seeds
from python_llm.errors import FileError, UserError
from python_llm.imports.tables import read
from python_llm.parsing.json_text import StrangersDecoder, flaw_of, whole_value
from python_llm.phenotyping.text import LONGEST_NOTE
from python_llm.recommendations.checks.tiers import Checker
from python_llm.recommendations.checks.verdicts import Outcome, Verdict, outcome_of
from python_llm.recommendations.evaluation.golden import read_golden_set
from python_llm.recommendations.interchange import REMEDIES, Submitted, documents, submitted
from python_llm.recommendations.kept import append
from python_llm.recommendations.knowledge import FOLDER, Knowledge
from python_llm.recommendations.schema import Patient, complaints


class CheckError(UserError):
    """A file that cannot be checked; the message names the file, the problem and the remedy."""


@dataclass(frozen=True)
class Checked:
    """One checked recommendation. item: its file and, of several in it, its number. patient_id: as
    the file has it, and only shown: what is kept has patient_key."""

    item: str
    system: str
    recommendation_id: str
    recommender: str
    patient_key: str
    verdicts: tuple[Verdict, ...]
    took_ms: float
    patient_id: str = ""

    @property
    def passed(self) -> bool:
        """Whether every verdict passed."""
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its verdicts."""
        return outcome_of(self.verdicts)


# The words of a patient's notes in a reason.
_OF_NOTES = re.compile(r"(?<=the notes tell of it) \(“[^”]*”\)")
# The exit code of each outcome (2 is that of a wrong call).
EXIT_CODES = {Outcome.PASSED: 0, Outcome.UNSAFE: 1, Outcome.NOT_CHECKABLE: 3}
_WORDS = {
    Outcome.PASSED: "pass",
    Outcome.UNSAFE: "UNSAFE",
    Outcome.NOT_CHECKABLE: "NOT CHECKABLE",
}
_CLOSING = {
    Outcome.PASSED: "may be shown",
    Outcome.UNSAFE: "unsafe: do not show it",
    Outcome.NOT_CHECKABLE: "not checkable: nothing unsafe was found, but not all of it could be "
    "checked; do not show it before a person has read it",
}


def exit_code(checked: Sequence[Checked]) -> int:
    """0 if all passed, 1 if one is unsafe, 3 if the worst of them could not be checked in full."""
    return EXIT_CODES[outcome_of(v for recorded in checked for v in recorded.verdicts)]


def check_all(source: Path, patient_file: Path | None, case_id: str | None) -> list[Checked]:
    """Every recommendation of a file (one, an array, JSON lines) or of a folder of such files.

    The patient comes from the golden case `case_id`, from `patient_file`, from the document itself,
    or is the golden patient whose id it has. Raises CheckError for what cannot be read, except that
    in a folder an unreadable file is one failed recommendation.
    """
    checker = _checker(*seeds.state())
    known_patient = None
    if case_id is not None:
        known_patient = golden_patient(case_id)
    elif patient_file is not None:
        known_patient = read_patient(_text(patient_file), str(patient_file))
    if not source.is_dir():
        return _check_file(checker, source, known_patient)
    files = sorted(
        file for file in source.iterdir() if file.suffix in (".json", ".jsonl", ".ndjson")
    )
    if not files:
        raise CheckError(f"{source} has no .json, .jsonl or .ndjson file: give one.")
    checked: list[Checked] = []
    for file in files:
        try:
            checked += _check_file(checker, file, known_patient)
        except CheckError as error:
            checked.append(Checked(file.name, "", "", "", "", (_unreadable(error),), 0.0))
    return checked


@lru_cache(maxsize=1)
def _checker(root: Path, _written: int) -> Checker:
    checker = Checker(Knowledge.from_seeds(root))
    # build now what is otherwise built on first use, and would be timed
    checker.tier1("{}", None)
    checker.knowledge.warm()
    return checker


def _unreadable(error: CheckError) -> Verdict:
    return Verdict("input_read", Outcome.NOT_CHECKABLE, str(error))


def _check_file(checker: Checker, file: Path, known_patient: Patient | None) -> list[Checked]:
    written = _text(file)
    try:
        recommendations = list(documents(written))
    except ValueError as error:
        raise CheckError(f"{file}, {error}: give recommendations as JSON objects.") from error
    checked = []
    for number, document in recommendations:
        item = file.name if len(recommendations) == 1 else f"{file.name}, {number}"
        try:
            where = f"{file}" if len(recommendations) == 1 else f"{file}, {number}"
            taken = _submitted(document, where)
            checked.append(_check(checker, taken, known_patient, item, f"{file}"))
        except CheckError as error:
            if len(recommendations) == 1:
                raise
            checked.append(Checked(item, "", "", "", "", (_unreadable(error),), 0.0))
    return checked


def _submitted(document: dict[str, Any], where: str) -> Submitted:
    """Raises CheckError for a key that is there twice, a field of another type, and what is too
    long to be checked."""
    if flaw := flaw_of(document):
        raise CheckError(f"{where}: {flaw}.")
    try:
        taken = submitted(document)
    except ValueError as error:
        raise CheckError(f"{where}: {error} (kernel29 check --schema prints the form).") from error
    _check_length(taken.recommendation, where)
    return taken


def _check_length(text: str, where: str) -> None:
    if len(text) > LONGEST_NOTE:
        raise CheckError(
            f"{where} has {len(text):,} characters, and at most {LONGEST_NOTE:,} of a patient or a "
            "recommendation are read: leave out what is not about today."
        )


def _check(
    checker: Checker, document: Submitted, known_patient: Patient | None, item: str, where: str
) -> Checked:
    patient = known_patient
    if patient is None and document.patient is not None:
        patient = read_patient(document.patient, f"{where}, patient")
    elif patient is None:
        patient = _golden_patient_of(document.recommendation)
    began = time.perf_counter()
    verdicts = checker.tier1(document.recommendation, patient)
    took = (time.perf_counter() - began) * 1e3
    if document.lacks:
        verdicts = [v for v in verdicts if v.check != "latency"]
        verdicts.insert(0, Verdict("schema", Outcome.NOT_CHECKABLE, document.lacks))
    verdicts += [
        Verdict(
            "input_read",
            Outcome.NOT_CHECKABLE,
            f"the field {name!r} of the patient is not read{REMEDIES.get(name, '')}",
            name,
        )
        for name in document.unread
    ]
    content = whole_value(document.recommendation)
    content = content if isinstance(content, dict) else {}
    patient_id = patient.patient_id if patient else str(content.get("patient_id") or "")
    return Checked(
        item,
        document.system,
        str(content.get("recommendation_id") or ""),
        str(content.get("recommender") or ""),
        hashlib.sha256(patient_id.encode()).hexdigest()[:16],
        tuple(verdicts),
        took,
        "" if patient_id == "unknown" else patient_id,
    )


def keep(checked: Sequence[Checked], folder: Path, now: datetime) -> None:
    """Keep the checks in the file of the day: one line for each recommendation and check.

    Neither notes nor names of patients are kept: of the patient only a hash of the id.
    """
    stamp = now.isoformat(timespec="microseconds")
    rows = []
    for number, recorded in enumerate(checked, 1):
        key = f"{stamp}/{number}/{recorded.item}/{os.getpid()}"
        for check in dict.fromkeys(verdict.check for verdict in recorded.verdicts):
            verdicts = [verdict for verdict in recorded.verdicts if verdict.check == check]
            # what the notes say word by word is shown and not kept
            reasons = [_OF_NOTES.sub("", v.told) for v in verdicts if not v.passed]
            rows.append(
                {
                    "check_id": hashlib.sha256(key.encode()).hexdigest()[:16],
                    "checked_at": stamp,
                    "system": recorded.system,
                    "recommender": recorded.recommender,
                    "recommendation_id": recorded.recommendation_id,
                    "patient_key": recorded.patient_key,
                    "check_name": check,
                    "outcome": outcome_of(verdicts),
                    "reasons": reasons,
                    "passed": not reasons,
                    "may_be_shown": recorded.passed,
                    "took_ms": round(recorded.took_ms, 3),
                }
            )
    append(rows, folder, now)


def recommend(patient: Patient, configuration: str) -> tuple[str, list[str], int]:
    """The guideline rules' recommendation for a patient, together with the patient, as JSON, then
    its failures and the exit code.

    What failed tier 1 stands on top: `may_be_shown`, then every failure with its reason.
    """
    from python_llm.recommendations.evaluation.recommender import Recommender
    from python_llm.recommendations.evaluation.retrieval import Configuration, Index

    checker = _checker(*seeds.state())
    knowledge = checker.knowledge
    chosen = Configuration.of(
        configuration,
        seeds.read(f"{FOLDER}/retrieval_configurations.csv"),
    )
    recommender = Recommender(knowledge, Index(knowledge.documents), chosen)
    # the first patient pays for what is built once
    recommender.recommend(Patient(patient_id="warm", age=50, sex="unknown", notes=["well"]))
    recommendation, _ = recommender.recommend(patient)
    verdicts = checker.tier1(recommendation.model_dump_json(), patient)
    failures = [f"{verdict.check}: {verdict.told}" for verdict in verdicts if not verdict.passed]
    text = json.dumps(
        {
            "may_be_shown": not failures,
            "failures": failures,
            "outcome": outcome_of(verdicts),
            "recommendation": recommendation.model_dump(),
            "patient": patient.model_dump(),
        },
        indent=2,
        ensure_ascii=False,
    )
    return text, failures, EXIT_CODES[outcome_of(verdicts)]


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
    _check_length(text, where)
    decoder = StrangersDecoder()
    with suppress(ValueError, RecursionError):  # which the model below tells in its words
        value = decoder.decode(text)
        if decoder.has_repeated:
            raise CheckError(f"{where}: {flaw_of(value)}.")
    try:
        return Patient.model_validate_json(text)
    except ValidationError as error:
        raise CheckError(f"{where}: {complaints(error)[0]}: correct the patient.") from error


def patient_of(source: str) -> Patient:
    """The patient of a golden case or of a JSON file."""
    file = Path(source)
    return read_patient(_text(file), str(file)) if file.exists() else golden_patient(source)


def format_verdicts(verdicts: Sequence[Verdict], took_ms: float) -> str:
    """Every check with its result, each failed item with its reason, and what follows from it."""
    lines = []
    for check in dict.fromkeys(verdict.check for verdict in verdicts):
        results = [verdict for verdict in verdicts if verdict.check == check]
        failed = [verdict for verdict in results if not verdict.passed]
        lines.append(f"{'fail' if failed else 'pass'}  {check}")
        lines += [f"      {_marked(verdict)}" for verdict in failed]
    return "\n".join([*lines, _CLOSING[outcome_of(verdicts)], f"checked in {took_ms:.1f} ms"])


def _marked(verdict: Verdict) -> str:
    """The reason of a failure with its outcome in front, unless the reason says it itself."""
    is_told = verdict.outcome is Outcome.NOT_CHECKABLE and verdict.reason.startswith("not checked")
    return verdict.told if is_told else f"{verdict.outcome.replace('_', ' ')}: {verdict.told}"


def format_many(checked: Sequence[Checked]) -> str:
    """Each recommendation with what failed, the unsafe ones first, and how many of each kind."""
    lines = []
    worst_first = list(Outcome)
    for recorded in sorted(checked, key=lambda row: worst_first.index(row.outcome)):
        of_whom = f", patient {recorded.patient_id}" if recorded.patient_id else ""
        lines.append(f"{_WORDS[recorded.outcome]}  {recorded.item}{of_whom}")
        failed = (verdict for verdict in recorded.verdicts if not verdict.passed)
        lines += [f"      {verdict.check}: {_marked(verdict)}" for verdict in failed]
    counts = {name: sum(row.outcome == name for row in checked) for name in worst_first}
    lines.append(
        f"{counts[Outcome.PASSED]} of {len(checked)} may be shown, "
        f"{counts[Outcome.UNSAFE]} unsafe, {counts[Outcome.NOT_CHECKABLE]} not checkable"
    )
    return "\n".join(lines)


def as_rows(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Verdicts as rows for JSON."""
    return [{**asdict(verdict), "passed": verdict.passed} for verdict in verdicts]


def _text(file: Path) -> str:
    try:
        return read(file).decode("utf-8-sig")
    except FileError as error:
        raise CheckError(str(error)) from error
    except UnicodeDecodeError as error:
        raise CheckError(f"{file} is not UTF-8 text: give a JSON file.") from error
