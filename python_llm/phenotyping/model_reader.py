"""A language model reads one note, and its reading is put beside that of the rules.

The work-up rests on the rules' reading: what a model reads otherwise is shown for a person to
judge (docs/decisions/0005-rules-before-models.md).
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from python_llm.engine import Settings, answer
from python_llm.engine.ledger.tools import project_ledger
from python_llm.errors import UserError
from python_llm.experiments.registries import experiment_table
from python_llm.phenotyping.extraction import parse_extractions
from python_llm.phenotyping.negation import Status

TASK = "findings"
_SOURCES = ("model", "price", "prompt")
_REFERENCES = (
    *("stg_prompts__version", "stg_registry__prompt", "stg_registry__llm_model"),
    *("stg_registry__llm_price", "llm_capabilities"),
)
# the prompt fences the note with runs of =: a note must not be able to close the fence
_ASK = """
with {{ prompts_and_models() }},

asked as (
    select
        registered.model_alias,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("note", "regexp_replace(cases.note, '={2,}', '=', 'g')"),
        ]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        true as is_selected,
        cases.contains_phi and not registered.is_phi_approved as is_blocked_by_policy,
        cases.contains_phi,
        cases.case_id,
    from int_phenotyping__cases as cases
    cross join stg_registry__llm_model as registered
    inner join prompts on prompts.prompt_alias = 'phenotype_findings'
    where registered.model_alias = '{{ var("phenotype_reader") }}' and registered.kind = 'llm'
)

select
    asked.case_id,
    'findings' as task,
    asked.model_alias,
    {{ request_columns("asked.response_schema") }},
from asked
inner join models on asked.model_alias = models.model_alias
"""
Row = dict[str, Any]


class Models(Protocol):
    """The project's models for one case (one_patient)."""

    def give(self, name: str, table: pa.Table) -> None: ...
    def rows(self, name: str) -> list[Row]: ...
    def table(self, name: str) -> duckdb.DuckDBPyRelation: ...
    def query(self, sql: str) -> pa.Table: ...


def read(models: Models, alias: str, max_usd: Decimal) -> Row:
    """What the model of this alias reads in the note, beside what the rules read.

    Returns model, usd, n_unreadable (entries of the answer that are no finding) and comparison, as
    `compared` has it. Errors: UserError if the model may not see the note or gave no answer that
    can be read; EngineError as `answer` raises it.
    """
    for name in _SOURCES:
        models.give(f"experiment_files_{name}", experiment_table(name))
    for name in _REFERENCES:
        models.table(name)
    asks = models.query(_ASK)
    models.give("int_phenotyping__extraction_asks", asks)
    settings = Settings(
        mode="live",
        max_usd=max_usd,
        ledger_dir=os.environ.get("KERNEL29_LEDGER_DIR", "ledger"),
        progress=False,
        domain="phenotyping",
        task="phenotype_findings",
    )
    response = answer(asks, settings=settings).to_pylist()[0]
    if response["status"] == "blocked_by_policy":
        raise UserError(
            f"{alias} is not approved for notes of real patients: choose a model that is "
            "(`kernel29 models list`), or say with --no-phi that nobody real is in this note."
        )
    if response["status"] != "ok":
        raise UserError(
            f"{alias} gave no answer ({response['status']}: {response['error_message']}): try it "
            "again, or leave --reader out."
        )
    answers = [{**response, "task": TASK}]
    parsed = parse_extractions(pa.Table.from_pylist(answers))
    if parsed.column("parse_status")[0].as_py() == "parse_error":
        raise UserError(
            f"The answer of {alias} holds no list of findings: `kernel29 ledger show` tells what "
            "it cost; choose another model, or leave --reader out."
        )
    models.give("int_phenotyping__parsed_extractions", parsed)
    return {
        "model": alias,
        "usd": float(project_ledger().spent(settings.run_id)),  # 0: it was answered before
        "n_unreadable": parsed.column("n_unreadable")[0].as_py(),
        "comparison": compared(
            models.rows("int_phenotyping__mentions"),
            _with_spellings(models),
            dict(models.table("dim_hpo_term").select("hpo_id, hpo_name").fetchall()),
        ),
    }


def _with_spellings(models: Models) -> list[Row]:
    """The items of the model's answer, misspelt names with the term they are nearest to."""
    nearest = {
        row["name_normalised"]: row["hpo_id"]
        for row in models.rows("int_phenotyping__extracted_spellings")
    }
    items = models.rows("int_phenotyping__extracted_items")
    return [
        {**row, "hpo_id": row["hpo_id"] or nearest.get(row["name_normalised"])} for row in items
    ]


def compared(
    mentions: Sequence[Mapping[str, Any]],
    items: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
) -> list[Row]:
    """One row per term that either reading has, and per item of the model that counts for none:
    hpo_id, hpo_name, rules and model (each the status that decides, or None), words of each, and
    verdict: `same`, `other status`, `rules only`, `model only`, `not in the note` (the model's
    quotation), `no term`. Disagreements first.

    mentions: hpo_id, status, written. items: hpo_id, status, finding, evidence, is_quoted.
    """
    by_rules = _decided((row["hpo_id"], row["status"], row["written"]) for row in mentions)
    counted = [row for row in items if row["is_quoted"] and row["hpo_id"]]
    by_model = _decided((row["hpo_id"], row["status"], row["evidence"]) for row in counted)
    rows = []
    for hpo_id in {**by_rules, **by_model}:
        (rules, rules_words) = by_rules.get(hpo_id, (None, None))
        (model, model_words) = by_model.get(hpo_id, (None, None))
        rows.append(
            {
                "hpo_id": hpo_id,
                "hpo_name": names.get(hpo_id, hpo_id),
                "rules": rules,
                "rules_words": rules_words,
                "model": model,
                "model_words": model_words,
                "verdict": _verdict(rules, model),
            }
        )
    for row in items:
        if not (row["is_quoted"] and row["hpo_id"]):
            rows.append(
                {
                    **dict.fromkeys(("hpo_id", "rules", "rules_words")),
                    "hpo_name": row["finding"],
                    "model": row["status"],
                    "model_words": row["evidence"],
                    "verdict": "no term" if row["is_quoted"] else "not in the note",
                }
            )
    return sorted(rows, key=lambda row: (_ORDER.index(row["verdict"]), row["hpo_name"]))


_ORDER = ("other status", "model only", "rules only", "not in the note", "no term", "same")
# of several mentions of one term, as in int_phenotyping__decided_findings: seen once is seen
_DECIDES = (Status.PRESENT, Status.PAST, Status.DENIED, Status.STOPPED)


def _decided(
    mentions: Iterable[tuple[str | None, str, str]],
) -> dict[str, tuple[str, str]]:
    decided: dict[str, tuple[str, str]] = {}
    for hpo_id, status, words in mentions:
        if hpo_id and (hpo_id not in decided or _rank(status) < _rank(decided[hpo_id][0])):
            decided[hpo_id] = (status, words)
    return decided


def _rank(status: str) -> int:
    return _DECIDES.index(Status(status)) if status in _DECIDES else len(_DECIDES)


def _verdict(rules: str | None, model: str | None) -> str:
    if rules is None:
        return "model only"
    if model is None:
        return "rules only"
    return "same" if rules == model else "other status"
