"""`kernel29 prompts show`: a prompt as it is sent, before anything is."""

import json
from pathlib import Path

import duckdb

from python_llm.experiments import registries
from python_llm.experiments.prompts import COLUMN
from python_llm.prompting.templates import PromptError, compose_row
from python_llm.test_sets.reading import OF_ANY_CASE
from python_llm.test_sets.store import record_of


def show_prompt(alias: str, case_id: str | None, served: Path, warehouse: Path) -> str:
    """System and user text of `alias`, and the schema if it has one; filled for a case that is
    served, built or imported.

    Raises PromptError for an alias or case that is not there and for a prompt that does not
    compose.
    """
    registry = {row["prompt_alias"]: row for row in registries.prompts()}
    if alias not in registry:
        raise PromptError(f"'{alias}' is no prompt: use one of {', '.join(registry)}.")
    if registry[alias]["output_format"] == "table":
        raise PromptError(f"'{alias}' has no text: {registry[alias]['description']}")
    prompt = compose_row(registry[alias])
    values = {name: "{" + name + "}" for name in prompt.placeholders}
    if case_id is not None:
        values |= _values(prompt.placeholders, case_id, served, warehouse)
    system, user = prompt.filled(values)
    parts = [f"# {alias} {prompt.version}"]
    parts += [f"## system\n{system}"] if system is not None else []
    parts += [f"## user\n{user}"]
    parts += [f"## schema\n{prompt.response_schema}"] if prompt.response_schema else []
    return "\n\n".join(parts)


def narrative_of(case_id: str, warehouse: Path) -> str | None:
    """The text of a case as it was last built, a patient's too; None if it was not."""
    if not warehouse.is_file():
        return None
    try:
        with duckdb.connect(str(warehouse), read_only=True) as database:
            row = database.execute(
                "select narrative from int_test_sets__recorded_cases where case_id = ?", [case_id]
            ).fetchone()
    except duckdb.Error:  # a build is running, or none has come so far
        return None
    return row[0] if row else None


def in_parts(case_id: str) -> str:
    """Why an imported case has no text, and what to do."""
    return (
        f"{case_id} was imported in parts, which a build puts together under their headings, and "
        "is not built yet: run `kernel29 build`, or `kernel29 run FILE --dry-run` if it is of an "
        f"experiment. `kernel29 cases show {case_id} --parts` prints the parts."
    )


def _values(
    placeholders: tuple[str, ...], case_id: str, served: Path, warehouse: Path
) -> dict[str, str]:
    """What SQL fills in for a case, as it was served, built or imported; a judge's list depends on
    an answer and stays open."""
    row = _served(case_id, served)
    stored = record_of(case_id)
    if row is None and stored is None:
        if not served.is_file():
            raise PromptError(f"{served} is not there: run `kernel29 build` first.")
        raise PromptError(
            f"No served or imported case is called '{case_id}': kernel29 cases list and kernel29 "
            "test-sets list name the sets."
        )
    known = row or {}
    stored = stored or {}
    narrative = known.get("narrative") or stored.get("narrative")
    narrative = narrative or narrative_of(case_id, warehouse)
    if narrative is None and row is None:
        raise PromptError(in_parts(case_id))
    if narrative is None:
        raise PromptError(
            f"The words of '{case_id}', a patient's, are not served, and are neither built nor "
            "imported here: build again with KERNEL29_SERVE_PROFILE=full to see a prompt filled "
            "with them."
        )
    names = stored.get("gold_names") or [stored.get("judgement")]
    values = {
        "case_narrative": narrative,
        "gold_diagnosis": known.get("gold_diagnosis") or names[0] or "",
    }
    columns = {name: known.get(name) or stored.get(name) for name in OF_ANY_CASE}
    columns |= json.loads(stored.get("row_values") or "{}")
    for placeholder in filter(lambda name: name.startswith(COLUMN), placeholders):
        column = placeholder.removeprefix(COLUMN)
        if column not in columns:
            raise PromptError(
                f"The prompt shows the column '{column}', which {case_id} does not have: if its "
                f"table does, import it again with kernel29 cases import --keep '{column}'."
            )
        values[placeholder] = columns[column] or ""
    if "similar_cases" in placeholders:
        values["similar_cases"] = _similar_cases(case_id, warehouse)
    return {name: value for name, value in values.items() if name in placeholders}


def _served(case_id: str, served: Path) -> dict[str, str | None] | None:
    if not served.is_file():
        return None
    with duckdb.connect(str(served), read_only=True) as database:
        rows = database.execute(
            "select narrative, gold_diagnosis, age_years::varchar as age, sex "
            "from dim_case where case_id = ?",
            [case_id],
        )
        names = [column[0] for column in rows.description or ()]
        return next((dict(zip(names, row, strict=True)) for row in rows.fetchall()), None)


def _similar_cases(case_id: str, warehouse: Path) -> str:
    """The examples of the last build; 'none' for a case that no configuration shows any."""
    try:
        with duckdb.connect(str(warehouse), read_only=True) as database:
            rows = database.execute(
                "select 'Case: ' || narrative || chr(10) || 'Diagnosis: ' || gold_name "
                "from int_experiments__similar_cases where case_id = ? order by example_rank",
                [case_id],
            ).fetchall()
    except duckdb.Error as error:
        raise PromptError(
            f"{warehouse} cannot be read ({str(error).splitlines()[0]}): build first, or wait for "
            "the build that is running."
        ) from error
    return "\n\n".join(text for (text,) in rows) or "none"
