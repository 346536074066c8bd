"""A model reads the project's own notes, against a server on this machine."""

import json

import duckdb
import project
import pytest
from loopback import Loopback, user_text
from scratch import copied

READER_MODELS = (
    "int_phenotyping__extracted_findings",
    "fct_excluded_finding",
    "fct_phenotype_timing",
    "rpt_phenotype_issue",
)


def answer(provider, payload):
    """Reads the two examples of docs/specification.md#excluded-findings and #onset-and-timing, and
    invents one finding and one time."""
    text = user_text(payload)
    if "=== PHENOTYPES BEGIN ===" in text:
        if "Hypotonia was noted since birth" not in text:
            return '{"timings": []}'
        timing = {
            "phenotype_ref": "Seizure",
            "onset": "at 4 months of age",
            "onset_normalized": 0.5,
            "resolution": None,
            "is_ongoing": True,
            "progression": "episodic",
            "raw_evidence": "Seizures began at 4 months of age",
        }
        invented = {**timing, "phenotype_ref": "Ataxia"}
        return json.dumps({"timings": [timing, invented]})
    if "Deep tendon reflexes are absent" not in text:
        return "I would rather not."
    finding = {
        "raw_text": "Hearing was tested and confirmed normal",
        "finding": "Hearing impairment",
        "exclusion_type": "explicit",
        "confidence": "high",
    }
    invented = {**finding, "raw_text": "no ataxia", "finding": "Ataxia"}
    misspelt = {**finding, "raw_text": "No seizures have ever been reported", "finding": "Seizzure"}
    return json.dumps({"findings": [finding, invented, misspelt]})


@pytest.fixture(scope="module")
def read(built, tmp_path_factory):
    """What a model reads in the notes of the live build, and how many requests that took."""
    folder = tmp_path_factory.mktemp("phenotyping")
    copied(built[0].warehouse, folder)
    with Loopback(answer=answer) as server:
        done = project.dbt(
            folder,
            *("--quiet", "run", "--select"),
            *(f"int_phenotyping__extraction_asks+,+{model}" for model in READER_MODELS),
            *("--vars", "{mode: live, phenotype_reader: gpt4o, max_usd: 20}"),
            OPENAI_API_KEY="sk-scratch-0123456789",
            OPENAI_BASE_URL=server.openai_url,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        sent = server.total
    with duckdb.connect(str(folder / "build" / "kernel29.duckdb"), read_only=True) as db:
        yield db, sent


def test_only_own_notes_are_read_and_each_task_once(read):
    db, sent = read
    [(asks, sets)] = db.execute(
        "select count(*), list(distinct split_part(case_id, '/', 1)) "
        "from int_phenotyping__extraction_asks"
    ).fetchall()
    assert sets == ["kernel29_notes"]
    assert sent == asks


def test_findings_are_mapped_and_inventions_are_issues(read):
    db, _ = read
    found = db.execute(
        "select finding, hpo_id, method, issue from int_phenotyping__extracted_findings "
        "where case_id = 'kernel29_notes/0005' and task = 'excluded' order by item_number"
    ).fetchall()
    assert found == [
        ("Hearing impairment", "HP:0000365", "llm", None),
        ("Ataxia", None, "llm", "quotation not in the note"),
        ("Seizzure", "HP:0001250", "llm", None),
    ]
    issues = db.execute(
        "select written, issue from rpt_phenotype_issue where origin = 'model: timing'"
    ).fetchall()
    assert issues == [("Ataxia", "phenotype not asked for")]


def test_a_model_is_heard_before_the_rules(read):
    db, _ = read
    assert db.execute(
        "select onset_years, origin from fct_phenotype_timing "
        "where case_id = 'kernel29_notes/0006' and hpo_id = 'HP:0001250'"
    ).fetchone() == (0.5, "model")


def test_an_answer_that_is_none_leaves_the_rules_reading(read):
    db, _ = read
    assert (
        db.execute(
            "select count(*) from int_phenotyping__parsed_extractions "
            "where parse_status = 'parse_error'"
        ).fetchone()[0]
        > 10
    )
    assert (
        db.execute(
            "select count(*) from fct_excluded_finding where case_id = 'kernel29_notes/0002'"
        ).fetchone()[0]
        >= 3
    )
