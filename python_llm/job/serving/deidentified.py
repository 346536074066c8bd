"""What of real patients is served: under the profile `deidentified`, none of their words.

The tables of sets with personal health information are served with their codes, numbers and labels;
the columns named here, and nothing else, are emptied as they are published. `full` serves them and
has to be asked for.
"""

import os
from collections.abc import Mapping

import duckdb

from python_llm.errors import UserError
from python_llm.job.changes import digests

VARIABLE = "KERNEL29_SERVE_PROFILE"
DEIDENTIFIED, FULL = PROFILES = ("deidentified", "full")
NO_NAME = "in no terminology"

# How the rows of a mart say whose they are: SQL that is true of the rows of real patients.
OF_CASE = "case_id in (select id from of_patients where kind = 'case')"
OF_QUESTION = "question_id in (select id from of_patients where kind = 'question')"
OF_SET = "test_set in (select id from of_patients where kind = 'test set')"
OF_RUN = (
    "split_part(configuration_id, '/', 3) in (select id from of_patients where kind = 'test set')"
)
# Rows of files that quote what they could not use, with no set to tell whose it is.
OF_ANYBODY = "exists (select id from of_patients where kind = 'test set')"
OF_REQUEST = "request_key in (select id from of_patients where kind = 'request')"

# Where patients are marked: mart -> (kind, SQL of their ids).
MARKED = {
    "dim_test_set": ("test set", "select test_set as id from {mart} where contains_phi"),
    "dim_case": (
        "case",
        "select case_id as id from {mart} where contains_phi or test_set in "
        "(select test_set from {mart} where contains_phi)",
    ),
    "dim_phenotyping_case": ("case", "select case_id as id from {mart} where contains_phi"),
    "dim_question": ("question", "select question_id as id from {mart} where contains_phi"),
    "dim_llm_request": (
        "request",
        "select request_key as id from {mart} where text_withheld = 'personal health information'",
    ),
}
# What records, models and people have written about a patient, and names of files, which may be a
# patient's. The words of prompts, terminologies and rules are not here.
TEXTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "dim_test_set": (OF_SET, ("description",)),  # of an import: the names of its files
    "bridge_test_set_case": (OF_CASE, ("gold_class",)),
    "dim_case": (
        OF_CASE,
        (
            *("narrative", "presenting_complaint", "record_id", "age_years"),
            *("gold_name", "gold_written", "gold_diagnosis", "gold_names", "content_hash"),
        ),
    ),
    "fct_clinical_impression": (OF_CASE, ("mention", "reason")),
    "bridge_case_phenotype": (OF_CASE, ("written_name",)),
    "fct_case_quality": (OF_CASE, ("leaked_name",)),
    "rpt_record_issue": (OF_SET, ("source_file", "value", "reason")),
    "fct_answer": (OF_CASE, ("answer_text", "error_message", "recorded_in")),
    "fct_judged_diagnosis": (
        OF_CASE,
        (
            *("diagnosis", "gold_diagnosis", "semantic_reason", "severity_reason"),
            *("reasoning", "in_favour", "against", "risk"),
        ),
    ),
    "fct_judge_vote": (OF_CASE, ("reason",)),
    "fct_case_error": (OF_CASE, ("gold_name", "first_diagnosis", "nearest_diagnosis")),
    "rpt_missed_diagnosis": (OF_SET, ("gold_name", "gold_written", "usual_first_diagnosis")),
    "rpt_label_disagreement": (OF_RUN, ("label_written", "source", "what")),
    "rpt_label_issue": (OF_ANYBODY, ("source_file", "reason")),
    "rpt_answer_issue": (OF_RUN, ("what",)),
    "rpt_recorded_run": (OF_SET, ("source_files", "missing_cases", "rows_left_out")),
    "rpt_run_issue": (OF_RUN, ("case_ref", "source_file", "reason", "gold_written")),
    "dim_llm_request": (OF_REQUEST, ("system_text", "user_text")),
    "fct_llm_call": (OF_REQUEST, ("error_message", "raw_response")),
    "dim_phenotyping_case": (OF_CASE, ("note", "prior_tests", "family_history", "age_years")),
    "fct_phenotyped_case": (OF_CASE, ("age_years",)),
    "fct_case_phenotype": (OF_CASE, ("evidence",)),
    "fct_red_flag": (OF_CASE, ("written",)),
    "fct_excluded_finding": (OF_CASE, ("finding", "written", "evidence")),
    "fct_phenotype_timing": (OF_CASE, ("onset_text", "resolution_text", "evidence")),
    "fct_reanalysis": (OF_CASE, ("reasons", "tested_on")),
    "rpt_phenotype_issue": (OF_CASE, ("written",)),
    "fct_work_up": (OF_CASE, ("packet", "answer", "recommendation", "parse_reason")),
    "fct_next_step": (
        OF_CASE,
        ("action", "rationale", "discriminates_between", "evidence_source"),
    ),
    "fct_work_up_violation": (OF_CASE, ("place", "detail")),
    "fct_work_up_step": (OF_CASE, ("output",)),
    "dim_question": (
        OF_QUESTION,
        (
            *("vignette", "question_text", "question_stem", "answer_text", "rationale", "source"),
            *("question_ref", "subject"),
        ),
    ),
    "bridge_question_option": (OF_QUESTION, ("option_text",)),
    "fct_question_answer": (
        OF_QUESTION,
        ("analysis_text", "choice_text", "justification", "parse_reason", "match_text"),
    ),
}
# What takes the place of a text, where there must be one. The name of a gold diagnosis is served as
# far as it is a terminology's.
INSTEAD = {
    "gold_name": "case when gold_name in (select name from names_of_terminology) then gold_name "
    f"else '{NO_NAME}' end",
    "description": "'Cases of patients.'",
}
CODED = (
    "select gold_name as name from {mart} "
    "where gold_concept_id is not null or icd10_code is not null"
)


def profile(written: str) -> str:
    """A profile by its name; empty is `deidentified`. Raises UserError for another word, so that a
    misspelt one serves nothing that was to stay."""
    name = written.strip() or DEIDENTIFIED
    if name not in PROFILES:
        raise UserError(f"{VARIABLE}={name} is not a profile: use one of {', '.join(PROFILES)}.")
    return name


def chosen() -> str:
    """The profile that the environment asks for. Raises UserError for a word that is no profile."""
    return profile(os.environ.get(VARIABLE, ""))


def served(
    session: duckdb.DuckDBPyConnection, marts: Mapping[str, duckdb.DuckDBPyRelation], profile: str
) -> tuple[dict[str, duckdb.DuckDBPyRelation], str]:
    """The marts as they are served under `profile`, and a text that differs where that does.

    A mart is emptied where its rows are a patient's. One that cannot be told apart, because the
    mart that marks patients is not among `marts`, is read as if all its rows were.
    """
    if profile == FULL:
        return dict(marts), FULL
    marked = [
        f"select '{kind}' as kind, id from ({query.format(mart=_rows(marts[name]))})"
        for name, (kind, query) in MARKED.items()
        if name in marts
    ]
    known = {MARKED[name][0] for name in MARKED if name in marts}
    session.execute(
        "create or replace temp table of_patients as "
        + (" union ".join(marked) or "select null as kind, null as id where false")
    )
    cases = marts.get("dim_case")
    named = CODED.format(mart=_rows(cases)) if cases else "select null as name"
    session.execute(f"create or replace temp table names_of_terminology as {named}")
    marks = session.execute("select kind, id from of_patients order by all").fetchall()
    version = digests.digest(repr((marks, sorted(TEXTS.items()))))
    return {name: _emptied(name, rows, known) for name, rows in marts.items()}, version


def _emptied(name: str, rows: duckdb.DuckDBPyRelation, known: set[str]) -> duckdb.DuckDBPyRelation:
    if name not in TEXTS:
        return rows
    whose, texts = TEXTS[name]
    kind = whose.split("'")[-2]
    is_patients = whose if kind in known else "true"
    present = [column for column in texts if column in rows.columns]
    emptied = ", ".join(
        f"case when {is_patients} then {INSTEAD.get(column, 'null')} else {column} end as {column}"
        for column in present
    )
    return rows.project(f"* replace ({emptied})") if present else rows


def _rows(mart: duckdb.DuckDBPyRelation) -> str:
    return f"({mart.sql_query()})"
