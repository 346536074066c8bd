"""The work-up of one patient, from the command line.

The project's own models run for one case, over the served vocabularies and the seeds.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from python_llm import paths
from python_llm.errors import UserError
from python_llm.phenotyping import phenopacket
from python_llm.phenotyping.in_memory import Models, Row
from python_llm.phenotyping.text import LONGEST_NOTE

CASE = "patient"


class PatientError(UserError):
    """The input or the served tables do not allow a work-up; the message says what to do."""


@dataclass(frozen=True)
class PatientInput:
    """What is known about the patient: the text of a note, findings by id or name, age in years."""

    note: str | None = None
    findings: Sequence[str] = ()
    excluded: Sequence[str] = ()
    age_years: float | None = None
    sex: str | None = None
    language: str | None = None
    prior_tests: str | None = None
    family_history: str | None = None
    onsets: Mapping[str, float] = field(default_factory=dict)  # years, by the id of a finding
    contains_phi: bool = True  # decides which model may read the note


@dataclass(frozen=True)
class Reader:
    """The language model that reads the note beside the rules, and what it may cost."""

    alias: str
    max_usd: Decimal


def from_phenopacket(text: str) -> PatientInput:
    """The patient of a phenopacket. Raises UserError if it cannot be read."""
    return PatientInput(**phenopacket.read(text))


def work_up(database: Path, patient: PatientInput, reader: Reader | None = None) -> Row:
    """The work-up of one patient: findings, issues, red flags and, unless a flag is URGENT,
    candidates, completeness, recommendation and the duration of each step; with a reader, what it
    reads in the note beside what the rules read (`reading`), on which all the rest stands.

    Raises PatientError if there is neither a note nor a finding, the note is too long, or nothing
    is served yet; what model_reader.read raises.
    """
    began = time.perf_counter()

    def make(models: Models, told: list[str]) -> Row:
        result = _result(models, told)
        if reader:
            from python_llm.phenotyping import model_reader  # with what asks models

            result["reading"] = model_reader.read(models, reader.alias, reader.max_usd)
        return result

    variables = {"phenotype_reader": reader.alias} if reader else {}
    result = _with_models(database, patient, make, **variables)
    result["seconds"] = round(time.perf_counter() - began, 3)
    return result


def export(database: Path, patient: PatientInput) -> Row:
    """The findings, age and sex of one patient as a GA4GH phenopacket. Raises as work_up."""
    return _with_models(database, patient, _phenopacket)


def _with_models(
    database: Path,
    patient: PatientInput,
    make: Callable[[Models, list[str]], Row],
    **variables: str,
) -> Row:
    """What `make` makes of the models, loaded with the patient, and of the names of what was read
    from the note. variables: those of the project that have another value than usual."""
    if not database.is_file():
        raise PatientError(f"{database} does not exist yet: run `kernel29 build` first.")
    _check(patient)
    with duckdb.connect() as connection:
        connection.execute(
            f"attach '{str(database).replace(chr(39), chr(39) * 2)}' as served (read_only)"
        )
        try:
            models = Models(connection, paths.project_root(), **variables)
            patient, told = _with_what_the_note_tells(models, patient)
            _load(models, patient)
            made = make(models, told)
            models.keep()
            return made
        except duckdb.Error as error:
            raise PatientError(
                f"{str(error).splitlines()[0]} (were the tables served by another version? "
                "Run `kernel29 build` to make them again)"
            ) from error


def _phenopacket(models: Models, _: list[str]) -> Row:
    case = models.rows("int_phenotyping__patients")[0]
    phenotypes = _phenotypes(models)
    release = phenotypes[0]["release"] if phenotypes else ""
    return phenopacket.write(
        phenotypes, age_years=case["age_years"], sex=case["sex"], release=release
    )


def _check(patient: PatientInput) -> None:
    if not (patient.note or "").strip() and not patient.findings and not patient.excluded:
        raise PatientError("Give a note or findings: kernel29 phenotype NOTE.txt, or --hpo HP:…")
    if patient.note and len(patient.note) > LONGEST_NOTE:
        raise PatientError(
            f"The note has {len(patient.note):,} characters; at most {LONGEST_NOTE:,} are read."
        )
    if patient.age_years is not None and not 0 <= patient.age_years <= 130:
        raise PatientError(f"--age {patient.age_years:g}: give it in years, from 0 to 130.")


def _with_what_the_note_tells(
    models: Models, patient: PatientInput
) -> tuple[PatientInput, list[str]]:
    """The patient with language, age, sex and prior tests from the note where they are not given,
    and which of these were read from it."""
    note = (patient.note or "").strip()
    if not note:
        return patient, []
    from python_llm.parsing.folding import fold_in_place
    from python_llm.phenotyping.demographics import tests_done, told_of_patient
    from python_llm.phenotyping.language import language_of

    language = patient.language or language_of(note)
    told = told_of_patient(note, language)
    seeds = ("diagnostic_tests", "confirming_tests", "picture_tests")
    tests = [row for seed in seeds for row in models.rows(seed)]
    columns = ("done_words", "next_done_words")
    words = [row.get(column) or "" for row in tests for column in columns]
    words += [fold_in_place(row["name"]) for row in models.rows("test_names")]
    read = {
        "age_years": told.age_years,
        "sex": told.sex,
        "prior_tests": tests_done(note, {word for entry in words for word in entry.split(";")}),
    }
    new: dict[str, Any] = {
        name: value
        for name, value in read.items()
        if value is not None and getattr(patient, name) is None
    }
    return replace(patient, language=language, **new), sorted(new)


def _load(models: Models, patient: PatientInput) -> None:
    note, language = (patient.note or "").strip() or None, patient.language
    case = pa.schema(
        [
            *((name, pa.string()) for name in ("case_id", "note_set", "language", "note", "sex")),
            ("age_years", pa.float64()),
            ("prior_tests", pa.string()),
            ("family_history", pa.string()),
            ("gold_disease_ids", pa.list_(pa.string())),
            ("contains_phi", pa.bool_()),
        ]
    )
    row: Row = {
        "case_id": CASE,
        "note_set": CASE,
        "language": language or "en",
        "note": note,
        "age_years": patient.age_years,
        "sex": patient.sex,
        "prior_tests": patient.prior_tests,
        "family_history": patient.family_history,
        "gold_disease_ids": [],
        "contains_phi": patient.contains_phi,
    }
    models.give("int_phenotyping__cases", pa.Table.from_pylist([row], schema=case))
    written = [(finding, False) for finding in patient.findings] + [
        (finding, True) for finding in patient.excluded
    ]
    inputs = [
        {"case_id": CASE, "input_number": number, "written": text.strip(), "is_excluded": excluded}
        for number, (text, excluded) in enumerate(written, start=1)
        if text.strip()
    ]
    models.give(
        "int_phenotyping__inputs",
        pa.Table.from_pylist(
            inputs,
            schema=pa.schema(
                [
                    ("case_id", pa.string()),
                    ("input_number", pa.int32()),
                    ("written", pa.string()),
                    ("is_excluded", pa.bool_()),
                ]
            ),
        ),
    )
    models.give("int_phenotyping__extracted_findings", _onsets(patient.onsets))
    if not note:
        from python_llm.phenotyping.readings import MENTION_SCHEMA

        models.give("int_phenotyping__mentions", MENTION_SCHEMA.empty_table())


def _onsets(onsets: Mapping[str, float]) -> pa.Table:
    """The onsets that came with the findings, as a reader of onsets gives them; no language model
    is asked for more."""
    text = ("case_id", "task", "hpo_id", "onset_text", "resolution_text", "progression", "evidence")
    columns = [(name, pa.string()) for name in (*text, "finding", "issue")]
    columns += [("item_number", pa.int32()), ("is_ongoing", pa.bool_())]
    columns += [("confidence", pa.float64()), ("onset_years", pa.float64())]
    rows = [
        {
            "case_id": CASE,
            "task": "timing",
            "hpo_id": hpo_id,
            "onset_text": phenopacket.duration_of(years),
            "item_number": number,
            "onset_years": years,
        }
        for number, (hpo_id, years) in enumerate(onsets.items(), start=1)
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(columns))


def _result(models: Models, told: list[str]) -> Row:
    case = models.rows("int_phenotyping__patients")[0]
    issues = _issues(models)
    result: Row = {
        "status": _status(case),
        "patient": {
            **{name: case[name] for name in ("age_years", "sex", "language")},
            "pregnancy": _pregnancy(models),
            "read_from_note": told,
        },
        "prior_tests": case["prior_tests"],
        "phenotypes": _phenotypes(models),
        "issues": issues,
        "red_flags": _red_flags(models),
        "measures": _measures(models),
        "signs": _signs(models),
    }
    if case["is_stopped"]:
        urgent = [flag for flag in result["red_flags"] if flag["severity"] == "URGENT"]
        return {
            "status": "stopped",
            "patient": result["patient"],
            "red_flags": urgent,
            "measures": result["measures"],
            "steps": _steps(models),
        }
    packet = json.loads(models.rows("int_phenotyping__packets")[0]["packet"])
    recommended = json.loads(
        models.rows("int_phenotyping__rule_recommendations")[0]["recommendation"]
    )
    result["data_completeness"] = packet["data_completeness"]
    result["disease_candidates"] = packet["disease_candidates"]
    result["disease_profiles"] = packet["disease_profiles"]
    result["reanalysis"] = packet["reanalysis"]
    result["common_causes"] = packet["common_causes"]
    return {**result, **recommended, "steps": _steps(models)}


def _red_flags(models: Models) -> list[Row]:
    """The red flags, those that stop first and otherwise by their names, each once and with all the
    words that raise it."""
    of_name: dict[tuple[bool, str], list[Row]] = {}
    for row in sorted(models.rows("fct_red_flag"), key=lambda row: row["hpo_id"]):
        of_name.setdefault((row["severity"] != "URGENT", row["flag_name"]), []).append(row)
    return [
        {
            **{name: rows[0][name] for name in ("flag_name", "severity", "reason", "source")},
            "words": _once_each([row["written"] for row in rows])
            or next(filter(None, (_words_of(row["hpo_id"], models) for row in rows)), None),
        }
        for _, rows in sorted(of_name.items())
    ]


def _once_each(lists: Iterable[str | None]) -> str | None:
    """The words that raise a flag, without those that others of them hold."""
    parts = sorted({part for words in lists for part in (words or "").split(", ")})
    kept = [part for part in parts if not any(part != other and part in other for other in parts)]
    return ", ".join(kept) or None


def _pregnancy(models: Models) -> str | None:
    """What the note says of a pregnancy of today, in weeks or in its words; None if nothing."""
    today = [row for row in models.rows("int_phenotyping__mentions") if row["status"] == "present"]
    weeks = [row["value"] for row in today if row["finding"] == "gestation_weeks"]
    if weeks:
        return f"{weeks[-1]:g} weeks"
    signs = ("sign:late_pregnancy", "sign:early_pregnancy", "sign:pregnant", "sign:postpartum")
    words = (row["written"] for row in today if row["finding"].partition("#")[0] in signs)
    return next(words, None)


def _status(patient: Row) -> str:
    return "worked_up" if patient["n_present"] else "no_phenotypes"


def _phenotypes(models: Models) -> list[Row]:
    """The findings with the words they were read from, if any."""
    phenotypes = models.table("fct_case_phenotype").select(
        "hpo_id, hpo_name, is_excluded, status, onset_years, onset_stage, progression, "
        "is_ongoing, method, confidence, evidence, release"
    )
    rows = phenotypes.order("is_excluded, hpo_name").to_arrow_table().to_pylist()
    return [{**row, "words": _words_of(row["hpo_id"], models)} for row in rows]


def _words_of(hpo_id: str, models: Models) -> str | None:
    """The words of the note that name a finding; None if it came without a note."""
    words: dict[str, str] = {}
    mentions = models.rows("int_phenotyping__mentions")
    for row in mentions:
        words.setdefault(row["hpo_id"], row["written"])
    if hpo_id in words:
        return words[hpo_id]
    values = models.rows("abnormal_values")
    measures = {row["measure"] for row in values if row["hpo_id"] == hpo_id}
    return next((row["written"] for row in mentions if row["finding"] in measures), None)


def _signs(models: Models) -> list[Row]:
    """The signs of today that pictures of illnesses rest on, with the words of the note."""
    labels = {row["sign"]: row["label"] for row in models.rows("clinical_signs")}
    pictured = {
        name
        for row in models.rows("picture_tests")
        for column in ("needed_hpo_ids", "hpo_ids")
        for name in (row[column] or "").split(";")
        if name in labels
    }
    words: dict[str, str] = {}
    for row in models.rows("int_phenotyping__mentions"):
        name = (row["finding"] or "").partition("#")[0]
        if name in pictured and row["status"] == "present":
            words.setdefault(name, row["written"])
    return [{"sign": labels[name], "words": written} for name, written in words.items()]


def _measures(models: Models) -> list[Row]:
    """The vital signs and laboratory values of the note, each with its status and words."""
    return [
        {"measure": row["finding"], **{name: row[name] for name in ("value", "status", "written")}}
        for row in models.rows("int_phenotyping__mentions")
        if row["kind"] == "measure" and row["written"]
    ]


def _issues(models: Models) -> list[Row]:
    """What was not used as it stands, and why: unknown ids and names, contradictions, and what the
    note says of relatives, plans or doubts."""
    issues = models.table("rpt_phenotype_issue")
    terms = models.table("dim_hpo_term").join(issues.select("hpo_id"), "hpo_id", how="semi")
    names = dict(terms.select("hpo_id, hpo_name").fetchall())
    return [
        {
            "origin": row["origin"],
            "finding": names.get(row["hpo_id"]),
            "written": row["written"],
            "issue": row["issue"],
        }
        for row in models.rows("rpt_phenotype_issue")
    ]


def _steps(models: Models) -> list[Row]:
    """The models that were built, in order, with their duration in milliseconds."""
    return [
        {"step": name.removeprefix("int_phenotyping__"), "duration_ms": round(seconds * 1000, 1)}
        for name, seconds in models.seconds.items()
        if name.startswith(("int_phenotyping__", "fct_"))
    ]
