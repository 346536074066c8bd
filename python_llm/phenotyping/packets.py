"""The context packet of a case: everything the final reasoning may mention, and nothing else.

A packet holds no text of the note, only the findings mapped from it; free text about tests and
family is kept on one line. The actions that may be recommended are its `step_options`, each with
the diseases it tells apart, so a recommendation can be checked against the packet alone.
"""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

LONGEST_TEXT = 1000  # characters of free text about tests or family
MOST_GENES = 12  # genes named in one recommendation
MOST_ASSESSED = 5  # single findings offered for assessment
MOST_TESTS = 5

PACKET_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("packet", pa.string()),
        ("packet_hash", pa.string()),
        ("n_step_options", pa.int32()),
        ("duration_ms", pa.float64()),
    ]
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """What is known about one case; every list is in the order of the packet.

    case         case_id, age_years, sex, prior_tests, family_history, completeness
    phenotypes   hpo_id, hpo_name, is_excluded, onset_years, onset_stage, progression, is_ongoing,
                 method, confidence, is_contradicted
    candidates   best first, as fct_disease_match has them
    features     per finding that tells the best apart, its frequency (0 to 1) in each of them
    profiles     per compared disease: inheritance_names, onset_names, gene_symbols, top_phenotypes
    """

    case: Mapping[str, Any]
    phenotypes: Sequence[Mapping[str, Any]]
    flags: Sequence[Mapping[str, Any]]
    candidates: Sequence[Mapping[str, Any]]
    features: Mapping[str, Mapping[str, float]]
    feature_names: Mapping[str, str]
    profiles: Mapping[str, Mapping[str, Any]]
    reanalyses: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class DiagnosticTests:
    """The diagnostic tests: the ids that look for each finding, action_type and action by id, and
    the smallest difference in frequency (0 to 1) that tells two diseases apart."""

    of_finding: Mapping[str, Sequence[str]]
    by_id: Mapping[str, Mapping[str, Any]]
    difference: float


def build_packet(evidence: Evidence, tests: DiagnosticTests) -> Row:
    """The packet of one case."""
    case, profiles = evidence.case, evidence.profiles
    names = {
        row["disease_id"]: row["disease_name"]
        for row in evidence.candidates
        if row["disease_id"] in profiles
    }
    excluded = [row for row in evidence.phenotypes if row["is_excluded"]]
    present = [row for row in evidence.phenotypes if not row["is_excluded"]]
    return {
        "case_id": case["case_id"],
        "age_years": case["age_years"],
        "sex": case["sex"],
        "data_completeness": case["completeness"],
        "patient_phenotypes": [_phenotype(row) for row in present],
        "excluded_findings": [_excluded_finding(row) for row in excluded],
        "red_flags": [
            {name: row[name] for name in ("hpo_id", "flag_name", "severity", "reason", "source")}
            for row in evidence.flags
        ],
        "disease_candidates": [_candidate(row) for row in evidence.candidates],
        "disease_profiles": [_profile(disease, profiles[disease]) for disease in names],
        "prior_tests": _one_line(case["prior_tests"]),
        "family_history": _one_line(case["family_history"]),
        "reanalysis": [_reanalysis(row) for row in evidence.reanalyses],
        "step_options": [
            *_assess_options(evidence, names),
            *_test_options(evidence, names, tests),
            *_gene_option(names, profiles),
            *_reanalysis_options(evidence.reanalyses),
            *_flag_options(evidence.flags),
            _more_phenotypes(names),
        ],
    }


def _excluded_finding(row: Mapping[str, Any]) -> Row:
    return {
        "hpo_id": row["hpo_id"],
        "name": row["hpo_name"],
        "method": row["method"],
        **({"is_contradicted": True} if row["is_contradicted"] else {}),
    }


def _candidate(row: Mapping[str, Any]) -> Row:
    return {
        "rank": row["match_rank"],
        "disease_id": row["disease_id"],
        "disease": row["disease_name"],
        **({"same_as": row["gene_twin_id"]} if row["gene_twin_id"] else {}),
        "confidence": row["confidence"],
        "score": round(row["score"], 3),
        "supporting_phenotypes": row["supporting_phenotypes"],
        "contradicting_phenotypes": row["contradicting_phenotypes"],
        "missing_key_phenotypes": row["missing_phenotypes"],
    }


def _profile(disease_id: str, profile: Mapping[str, Any]) -> Row:
    return {
        "disease_id": disease_id,
        "inheritance": profile["inheritance_names"],
        "onset": profile["onset_names"],
        "genes": profile["gene_symbols"],
        "top_phenotypes": profile["top_phenotypes"],
    }


def _reanalysis(row: Mapping[str, Any]) -> Row:
    return {
        "test_number": row["test_number"],
        "test_type": row["test_type"],
        "score": row["reanalysis_score"],
        "reasons": row["reasons"],
    }


def _phenotype(row: Mapping[str, Any]) -> Row:
    kept = ("onset_years", "onset_stage", "progression", "is_ongoing")
    return {
        "hpo_id": row["hpo_id"],
        "name": row["hpo_name"],
        "method": row["method"],
        "confidence": row["confidence"],
        **{name: row[name] for name in kept if row[name] is not None},
        **({"is_contradicted": True} if row["is_contradicted"] else {}),
    }


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split())[:LONGEST_TEXT] or None if text else None


def _sides(frequencies: Mapping[str, float], names: Mapping[str, str]) -> tuple[list[str], ...]:
    """Names of the diseases that expect it and of those that do not, split at the midpoint."""
    values = {disease_id: frequencies.get(disease_id, 0.0) for disease_id in names}
    middle = (max(values.values()) + min(values.values())) / 2
    expecting = [names[key] for key, value in values.items() if value >= middle]
    others = [names[key] for key, value in values.items() if value < middle]
    return expecting, others


def _spread(frequencies: Mapping[str, float], names: Mapping[str, str]) -> float:
    values = [frequencies.get(disease_id, 0.0) for disease_id in names]
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def _option(
    step_id: str,
    action_type: str,
    action: str,
    between: Sequence[str],
    expecting: Sequence[str],
    looks_for: Sequence[str],
    source: str,
) -> Row:
    return {
        "step_id": step_id,
        "action_type": action_type,
        "action": action,
        "discriminates_between": list(between),
        "expected_in": list(expecting),
        "looks_for": list(looks_for),
        "evidence_source": source,
    }


def _assess_options(evidence: Evidence, names: Mapping[str, str]) -> list[Row]:
    options = []
    for hpo_id in list(evidence.features)[:MOST_ASSESSED]:
        expecting, others = _sides(evidence.features[hpo_id], names)
        name = evidence.feature_names[hpo_id]
        options.append(
            _option(
                f"assess:{hpo_id}",
                "refine_phenotype",
                f"Assess for: {name}",
                expecting + others,
                expecting,
                [name],
                "disease_match",
            )
        )
    return options


def _test_options(
    evidence: Evidence, names: Mapping[str, str], tests: DiagnosticTests
) -> list[Row]:
    """Tests whose result tells the best candidates apart. The probability of an abnormal result in
    a disease is the frequency of the most frequent finding that the test looks for."""
    features = evidence.features
    looked_for: dict[str, list[str]] = defaultdict(list)
    for hpo_id in features:
        for test_id in tests.of_finding.get(hpo_id, ()):
            looked_for[test_id].append(hpo_id)
    ranked = []
    for test_id, hpo_ids in looked_for.items():
        abnormal = {
            disease_id: max(features[hpo_id].get(disease_id, 0.0) for hpo_id in hpo_ids)
            for disease_id in names
        }
        if max(abnormal.values()) - min(abnormal.values()) >= tests.difference:
            ranked.append((-round(_spread(abnormal, names), 9), test_id, abnormal, hpo_ids))
    options: list[Row] = []
    actions: set[str] = set()
    for _, test_id, abnormal, hpo_ids in sorted(ranked, key=lambda option: option[:2]):
        action = tests.by_id[test_id]["action"]
        if action in actions or len(options) == MOST_TESTS:
            continue
        actions.add(action)
        expecting, others = _sides(abnormal, names)
        options.append(
            _option(
                f"test:{test_id}",
                tests.by_id[test_id]["action_type"],
                action,
                expecting + others,
                expecting,
                [evidence.feature_names[hpo_id] for hpo_id in hpo_ids[:MOST_ASSESSED]],
                "disease_match",
            )
        )
    return options


def _gene_option(names: Mapping[str, str], profiles: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """One option if at least two candidates have genes and these differ."""
    of_disease = {
        disease_id: tuple(profiles[disease_id]["gene_symbols"])
        for disease_id in names
        if profiles[disease_id]["gene_symbols"]
    }
    if len(set(of_disease.values())) < 2:
        return []
    genes = list(dict.fromkeys(gene for symbols in of_disease.values() for gene in symbols))
    more = f" and {len(genes) - MOST_GENES} more" if len(genes) > MOST_GENES else ""
    between = [names[disease_id] for disease_id in of_disease]
    return [
        _option(
            "genes",
            "genetic_testing",
            f"Order sequencing that covers {', '.join(genes[:MOST_GENES])}{more}",
            between,
            between,
            [],
            "disease_profile",
        )
    ]


def _reanalysis_options(reanalyses: Sequence[Mapping[str, Any]]) -> list[Row]:
    return [
        _option(
            f"reanalysis:{row['test_number']}",
            "reanalysis",
            f"Have the {row['test_type'].replace('_', ' ')} of {row['tested_on']} analysed again",
            [],
            [],
            [],
            "reanalysis",
        )
        for row in reanalyses
        if row["is_recommended"]
    ]


def _flag_options(flags: Sequence[Mapping[str, Any]]) -> list[Row]:
    options = {
        row["flag_name"]: _option(
            f"flag:{row['flag_hpo_id']}",
            "urgent_escalation",
            f"Have {row['flag_name']} seen to the same day: {row['reason']}",
            [],
            [],
            [],
            "red_flags",
        )
        for row in flags
    }
    return [options[name] for name in sorted(options)]


def _more_phenotypes(names: Mapping[str, str]) -> Row:
    return _option(
        "assess:more",
        "refine_phenotype",
        "Record more of the phenotype: findings present and excluded, with their ages of onset",
        list(names.values()),
        [],
        [],
        "completeness",
    )


def packet_text(packet: Mapping[str, Any]) -> str:
    """The packet as canonical JSON: equal packets are equal texts and so equal requests."""
    return json.dumps(packet, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def build_packets(
    cases: pa.Table,
    phenotypes: pa.Table,
    flags: pa.Table,
    candidates: pa.Table,
    features: pa.Table,
    profiles: pa.Table,
    tests: pa.Table,
    reanalyses: pa.Table,
    compared_ranks: float,
    difference: float,
) -> pa.Table:
    """Packets of many cases, PACKET_SCHEMA, from tables with the columns that Evidence names.

    features        case_id, disease_id, hpo_id, hpo_name, frequency, feature_rank, test_ids
    profiles        of every candidate up to compared_ranks, at least
    compared_ranks  the last rank whose candidate is compared with the others
    """
    all_profiles = {row["disease_id"]: row for row in profiles.to_pylist()}
    all_tests = {row["test_id"]: row for row in tests.to_pylist()}
    phenotypes_of = _grouped(phenotypes, "hpo_id")
    flags_of = _grouped(flags, "hpo_id")
    candidates_of = _grouped(candidates, "match_rank")
    features_of = _grouped(features, "feature_rank")
    reanalyses_of = _grouped(reanalyses, "test_number")
    rows = []
    for case in cases.sort_by("case_id").to_pylist():
        began = time.perf_counter()
        case_id = case["case_id"]
        case_candidates, telling = candidates_of.get(case_id, []), features_of.get(case_id, [])
        compared = [
            row["disease_id"] for row in case_candidates if row["match_rank"] <= compared_ranks
        ]
        evidence = Evidence(
            case,
            phenotypes_of.get(case_id, []),
            flags_of.get(case_id, []),
            case_candidates,
            _frequencies(telling),
            {row["hpo_id"]: row["hpo_name"] for row in telling},
            {disease_id: all_profiles[disease_id] for disease_id in compared},
            reanalyses_of.get(case_id, []),
        )
        tests_of = {row["hpo_id"]: row["test_ids"] for row in telling}
        packet = build_packet(evidence, DiagnosticTests(tests_of, all_tests, difference))
        text = packet_text(packet)
        rows.append(
            {
                "case_id": case_id,
                "packet": text,
                "packet_hash": hash_of(text),
                "n_step_options": len(packet["step_options"]),
                "duration_ms": (time.perf_counter() - began) * 1000,
            }
        )
    return pa.Table.from_pylist(rows, schema=PACKET_SCHEMA)


def _frequencies(features: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Per finding its frequency in each disease."""
    frequencies: dict[str, dict[str, float]] = defaultdict(dict)
    for row in features:
        frequencies[row["hpo_id"]][row["disease_id"]] = row["frequency"]
    return frequencies


def _grouped(table: pa.Table, order: str) -> dict[str, list[Row]]:
    """The rows of each case in the order of a column."""
    table = table.sort_by([("case_id", "ascending"), (order, "ascending")])
    groups: dict[str, list[Row]] = defaultdict(list)
    rows: Iterable[Row] = table.to_pylist()
    for row in rows:
        groups[row["case_id"]].append(row)
    return groups
