"""The golden set: JSON lines in the repository, validated when read
(docs/specification.md#golden-set)."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from python_llm import paths
from python_llm.errors import UserError
from python_llm.recommendations.schema import GoldenCase, complaints

FOLDER = "seeds/recommendations/golden_set"

# Grain: case_id. patient_json and expected_json are canonical, so that they can be compared.
GOLDEN_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("case_id", "stratum", "tests", "patient_json")]
    + [("expected_json", pa.string())]
)


class GoldenSetError(UserError):
    """A line of the golden set that is not a valid case; the message names the file, the line and
    the remedy."""


def read_golden_set(folder: Path | None = None) -> list[GoldenCase]:
    """Every case of every file, in order. Raises GoldenSetError for an invalid line, a repeated
    case_id and a folder without cases."""
    folder = folder or paths.project_root() / FOLDER
    cases: dict[str, GoldenCase] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip():
                continue
            where = f"{FOLDER}/{file.name}, line {number}"
            try:
                case = GoldenCase.model_validate_json(line)
            except ValidationError as error:
                raise GoldenSetError(
                    f"{where}: {complaints(error)[0]}: correct the line."
                ) from error
            if case.case_id in cases:
                raise GoldenSetError(
                    f"{where}: the case {case.case_id} exists already: give it another id."
                )
            cases[case.case_id] = case
    if not cases:
        raise GoldenSetError(f"{FOLDER} has no cases: restore it with `git checkout -- {FOLDER}`.")
    return list(cases.values())


def golden_cases(_table: str) -> pa.Table:
    """The golden set as a table (GOLDEN_SCHEMA), as the dbt source reads it."""
    return pa.Table.from_pylist(
        [
            {
                "case_id": case.case_id,
                "stratum": case.stratum,
                "tests": case.tests,
                "patient_json": json.dumps(case.patient.model_dump(), sort_keys=True),
                "expected_json": json.dumps(case.expected.model_dump(), sort_keys=True),
            }
            for case in read_golden_set()
        ],
        schema=GOLDEN_SCHEMA,
    )
