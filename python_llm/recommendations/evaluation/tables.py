"""The tables that dbt models ask for: recommendations, verdicts and retrieved documents."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

import pyarrow as pa

from python_llm.recommendations.checks.tiers import Checker, read
from python_llm.recommendations.checks.verdicts import Outcome, Verdict
from python_llm.recommendations.evaluation.pace import Pace
from python_llm.recommendations.evaluation.recommender import NAME, Recommender
from python_llm.recommendations.evaluation.retrieval import Configuration, Index, Row
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient

# Grain: tenant_id, case_id. documents: best first.
RECOMMENDATION_SCHEMA = pa.schema(
    [
        ("tenant_id", pa.string()),
        ("case_id", pa.string()),
        ("recommender", pa.string()),
        ("configuration", pa.string()),
        ("recommendation_json", pa.string()),
        ("documents", pa.list_(pa.string())),
        ("retrieve_ms", pa.float64()),
        ("recommend_ms", pa.float64()),
    ]
)
# Grain: tenant_id, case_id, recommender, tier, check, item.
VERDICT_SCHEMA = pa.schema(
    [
        ("tenant_id", pa.string()),
        ("case_id", pa.string()),
        ("recommender", pa.string()),
        ("tier", pa.int32()),
        ("check_name", pa.string()),
        ("item", pa.string()),
        ("passed", pa.bool_()),
        ("reason", pa.string()),
        ("check_ms", pa.float64()),
    ]
)
# Grain: query_id, rank.
RETRIEVED_SCHEMA = pa.schema(
    [
        ("query_id", pa.string()),
        ("document", pa.string()),
        ("document_rank", pa.int32()),
        ("score", pa.float64()),
        ("retrieve_ms", pa.float64()),
    ]
)
# Grain: document. vector: unit length.
VECTOR_SCHEMA = pa.schema([("document", pa.string()), ("vector", pa.list_(pa.float64()))])
# Grain: tenant_id, case_id, fact_kind, fact. What the seeds conclude about a patient.
CASE_FACT_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("tenant_id", "case_id", "fact_kind", "fact")]
)


def knowledge_of(facts: pa.Table) -> Knowledge:
    """The seeds, from stg_recommendations__fact (fact_table, fact_number, fact)."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for row in facts.sort_by(
        [("fact_table", "ascending"), ("fact_number", "ascending")]
    ).to_pylist():
        fact = json.loads(row["fact"])
        tables[row["fact_table"]].append(
            {name: "" if value is None else value for name, value in fact.items()}
        )
    return Knowledge(tables)


def chosen_configuration(knowledge: Knowledge) -> Configuration:
    """The weights that the run retrieves with. Raises UserError for an unknown name."""
    (choice,) = knowledge.tables["chosen_configuration"]
    return Configuration.of(choice["configuration"], knowledge.tables["retrieval_configurations"])


def index_of(knowledge: Knowledge) -> Index:
    """The index of the corpus, which three models of a build share."""
    return _index(json.dumps(knowledge.documents, sort_keys=True))


@lru_cache(maxsize=1)
def _index(documents: str) -> Index:
    return Index(json.loads(documents))


def recommend_all(cases: pa.Table, facts: pa.Table) -> pa.Table:
    """The guideline rules' recommendation for every case (RECOMMENDATION_SCHEMA).

    cases: tenant_id, case_id, patient_json. Raises UserError for an unknown configuration.
    """
    knowledge = knowledge_of(facts)
    chosen = chosen_configuration(knowledge)
    recommender = Recommender(knowledge, index_of(knowledge), chosen)
    rows = []
    for case, patient in _patients_of(cases, knowledge):
        recommendation, hits = recommender.recommend(patient)
        rows.append(
            {
                "tenant_id": case["tenant_id"],
                "case_id": case["case_id"],
                "recommender": NAME,
                "configuration": chosen.name,
                "recommendation_json": recommendation.model_dump_json(),
                "documents": [hit.document for hit in hits],
                "retrieve_ms": recommendation.stage_ms["retrieve"],
                "recommend_ms": recommendation.stage_ms["recommend"],
            }
        )
    return pa.Table.from_pylist(rows, schema=RECOMMENDATION_SCHEMA)


def verdicts_of(recommendations: pa.Table, facts: pa.Table) -> pa.Table:
    """Tiers 1 and 3 of every recommendation (VERDICT_SCHEMA).

    recommendations: tenant_id, case_id, recommender, patient_json, recommendation_json (null if the
    model did not answer: tier 1 and every applicable rule fail), expected_rules and expected_flags
    (what the author of a golden case expects; null for other patients), archetype (of a held-out
    patient, null for others: what guidelines ask for is written by archetype).
    """
    checker = Checker(knowledge_of(facts))
    asked = recommendations.to_pylist()
    patients = [Patient.model_validate_json(row["patient_json"]) for row in asked]
    checker.knowledge.warm()
    checker.knowledge.forget_notes()  # to read them is a part of each check
    pace = Pace()
    began = pace.start()
    checker.knowledge.read_ahead(patients)
    share = pace.since(began) / max(len(asked), 1)  # of each check
    rows = []
    for row, patient in zip(asked, patients, strict=True):
        began = pace.start()
        text = row["recommendation_json"] or ""
        verdicts = [
            (1, verdict) for verdict in checker.tier1(text, patient, row["expected_flags"] or ())
        ]
        took = pace.since(began) + share
        findings = checker.knowledge.findings(patient)
        outcome = read(text)
        recommendation = None if isinstance(outcome, list) else outcome
        verdicts += [
            (3, verdict)
            for verdict in checker.adherence(recommendation, findings, row["expected_rules"])
        ]
        verdicts += [(3, verdict) for verdict in checker.urgent(recommendation, findings)]
        author = row["archetype"] or row["case_id"]
        verdicts += [(3, verdict) for verdict in checker.independent(recommendation, author)]
        if recommendation is not None:
            verdicts += [
                (3, Verdict("problem_named", Outcome.PASSED, "named", problem))
                for problem in sorted(checker.named_problems(recommendation))
            ]
        rows += [
            {
                **{name: row[name] for name in ("tenant_id", "case_id", "recommender")},
                "tier": tier,
                "check_name": verdict.check,
                "item": verdict.item,
                "passed": verdict.passed,
                "reason": verdict.reason,
                "check_ms": took,
            }
            for tier, verdict in verdicts
        ]
    return pa.Table.from_pylist(rows, schema=VERDICT_SCHEMA)


def case_facts(cases: pa.Table, facts: pa.Table) -> pa.Table:
    """Problems, red flags and applicable rules of each case (CASE_FACT_SCHEMA)."""
    knowledge = knowledge_of(facts)
    checker = Checker(knowledge)
    problems = {row["problem"] for row in knowledge.tables["clinical_problems"]}
    rows = []
    for case, patient in _patients_of(cases, knowledge):
        findings = knowledge.findings(patient)
        facts_of = {
            "problem": sorted(findings & problems),
            "red_flag": checker.red_flags(findings),
            "rule": checker.expected_rules(findings),
        }
        rows += [
            {
                "tenant_id": case["tenant_id"],
                "case_id": case["case_id"],
                "fact_kind": kind,
                "fact": fact,
            }
            for kind, names in facts_of.items()
            for fact in names
        ]
    return pa.Table.from_pylist(rows, schema=CASE_FACT_SCHEMA)


def _patients_of(cases: pa.Table, knowledge: Knowledge) -> list[tuple[Row, Patient]]:
    """Each case with its patient, whose notes are read: a query for all costs what one for each
    of the hundred would."""
    rows = cases.to_pylist()
    patients = [Patient.model_validate_json(row["patient_json"]) for row in rows]
    knowledge.read_ahead(patients)
    return list(zip(rows, patients, strict=True))


def retrieved(queries: Iterable[Row], facts: pa.Table) -> pa.Table:
    """The documents that each judged query retrieves (RETRIEVED_SCHEMA). queries: query_id,
    query_text. Raises UserError for an unknown configuration."""
    knowledge = knowledge_of(facts)
    chosen = chosen_configuration(knowledge)
    index = index_of(knowledge)
    pace = Pace()
    rows = []
    for query in queries:
        began = pace.start()
        (hits,) = index.search([query["query_text"]], chosen)
        took = pace.since(began)
        rows += [
            {
                "query_id": query["query_id"],
                "document": hit.document,
                "document_rank": hit.rank,
                "score": hit.score,
                "retrieve_ms": took,
            }
            for hit in hits
        ]
    return pa.Table.from_pylist(rows, schema=RETRIEVED_SCHEMA)


def document_vectors(facts: pa.Table) -> pa.Table:
    """The vector of every document (VECTOR_SCHEMA)."""
    index = index_of(knowledge_of(facts))
    return pa.Table.from_pylist(
        [
            {"document": key, "vector": vector.tolist()}
            for key, vector in zip(index.keys, index.vectors, strict=True)
        ],
        schema=VECTOR_SCHEMA,
    )
