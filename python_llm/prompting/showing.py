"""`kernel29 prompts show`: a prompt as it is sent, before anything is."""

from pathlib import Path

import duckdb

from python_llm.experiments import registries
from python_llm.prompting.templates import PromptError, compose_row


def show_prompt(alias: str, case_id: str | None, served: Path, warehouse: Path) -> str:
    """System and user text of `alias`, and the schema if it has one; filled for a served case.

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


def _values(
    placeholders: tuple[str, ...], case_id: str, served: Path, warehouse: Path
) -> dict[str, str]:
    """What SQL fills in for a case; a judge's list depends on an answer and stays open."""
    if not served.is_file():
        raise PromptError(f"{served} is not there: run `kernel29 build` first.")
    with duckdb.connect(str(served), read_only=True) as database:
        rows = database.execute(
            "select narrative, gold_diagnosis from dim_case where case_id = ?", [case_id]
        ).fetchone()
    if rows is None:
        raise PromptError(
            f"No served case is called '{case_id}': `select case_id from dim_case` lists them."
        )
    if rows[0] is None:
        raise PromptError(
            f"The words of '{case_id}', a patient's, are not served: build again with "
            "KERNEL29_SERVE_PROFILE=full to see a prompt filled with them."
        )
    values = {"case_narrative": rows[0], "gold_diagnosis": rows[1]}
    if "similar_cases" in placeholders:
        values["similar_cases"] = _similar_cases(case_id, warehouse)
    return {name: value for name, value in values.items() if name in placeholders}


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
