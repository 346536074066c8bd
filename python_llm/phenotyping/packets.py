"""The context packet of a case: everything the final reasoning may mention, and nothing else.

A packet holds no text of the note, only the findings mapped from it; free text about tests and
family is kept on one line. The actions that may be recommended are its `step_options`, each with
the diseases it tells apart, so a recommendation can be checked against the packet alone.
"""

import hashlib
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from python_llm.parsing.folding import fold_in_place
from python_llm.phenotyping.steps import (
    DiagnosticTests,
    Evidence,
    fullness,
    is_complaint,
    is_ruled_out,
    options_that_tell_apart,
    step_option,
)

MOST_CAUSES = 5  # common conditions beside the ranking
_LIKENESS = re.compile(r"-like\b|\blike syndrome\b")
LONGEST_TEXT = 1000  # characters of free text about tests or family

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


def build_packet(evidence: Evidence, tests: DiagnosticTests) -> Row:
    """The packet of one case."""
    case, profiles = evidence.case, evidence.profiles
    names = {
        row["disease_id"]: row["disease_name"]
        for row in evidence.candidates
        if row["disease_id"] in profiles
    }
    evidence = replace(evidence, pictures=_fitting(evidence, tests))
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
        "common_causes": _common_causes(evidence.pictures),
        "prior_tests": _one_line(case["prior_tests"]),
        "family_history": _one_line(case["family_history"]),
        "reanalysis": [_reanalysis(row) for row in evidence.reanalyses],
        "step_options": [
            *options_that_tell_apart(evidence, names, tests),
            *_reanalysis_options(evidence.reanalyses),
            *_flag_options(evidence.flags),
            _more_phenotypes(names),
        ],
    }


def _fitting(evidence: Evidence, tests: DiagnosticTests) -> list[Row]:
    """The pictures, which lead only if at least half of the findings of today belong to them, and
    bare complaints only if nothing fuller fits; beside a disease of high confidence only those of
    half the findings are named, and those whose test confirms one of the compared diseases. A
    picture whose first test was negative is none."""
    n_present = sum(not row["is_excluded"] and not _is_past(row) for row in evidence.phenotypes)
    leader = next(iter(evidence.candidates), None)
    is_clear = leader is not None and leader["confidence"] == "high"
    confirming = {
        row["action"]
        for profile in evidence.profiles.values()
        for disease_id in profile["source_disease_ids"]
        for row in tests.confirming.get(disease_id, ())
    }
    fitting = [
        (row, 2 * row["n_findings"] >= n_present)
        for row in evidence.pictures
        if not is_ruled_out(row, evidence.told)
    ]
    is_named = any(not is_complaint(row) for row, _ in fitting)
    return [
        {**row, "leads": bool(row["leads"]) and fits and not (is_named and is_complaint(row))}
        for row, fits in fitting
        if fits or not is_clear or row["action"] in confirming
    ]


def _is_past(finding: Mapping[str, Any]) -> bool:
    return finding.get("status") == "past"


def _common_causes(pictures: Iterable[Mapping[str, Any]]) -> list[str]:
    """The conditions of the pictures: first those that lead, then those that most findings make
    up. A bare complaint names none."""
    ordered = sorted((row for row in pictures if not is_complaint(row)), key=fullness)
    return list(dict.fromkeys(row["condition"] for row in ordered))[:MOST_CAUSES]


def _excluded_finding(row: Mapping[str, Any]) -> Row:
    return {
        "hpo_id": row["hpo_id"],
        "name": row["hpo_name"],
        "method": row["method"],
        **({"is_contradicted": True} if row["is_contradicted"] else {}),
    }


def _candidate(row: Mapping[str, Any]) -> Row:
    return {
        "rank": row["group_rank"],
        "disease_id": row["disease_id"],
        "disease": row["disease_name"],
        **({"same_as": row["gene_twin_id"]} if row["gene_twin_id"] else {}),
        **({"group": row["members"]} if row["members"] else {}),
        "confidence": row["confidence"],
        "score": round(row["score"], 3),
        "probability": round(row["group_probability"], 3),
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


def _reanalysis_options(reanalyses: Sequence[Mapping[str, Any]]) -> list[Row]:
    return [
        step_option(
            f"reanalysis:{row['test_number']}",
            "reanalysis",
            f"Have the {row['test_type'].replace('_', ' ')} of {row['tested_on']} analysed again",
            "reanalysis",
        )
        for row in reanalyses
        if row["is_recommended"]
    ]


def _flag_options(flags: Sequence[Mapping[str, Any]]) -> list[Row]:
    options = {
        row["flag_name"]: step_option(
            f"flag:{row['flag_hpo_id']}",
            "urgent_escalation",
            f"Arrange same-day assessment for {row['flag_name']}: {row['reason']}",
            "red_flags",
        )
        for row in flags
    }
    return [options[name] for name in sorted(options)]


def _more_phenotypes(names: Mapping[str, str]) -> Row:
    return step_option(
        "assess:more",
        "refine_phenotype",
        "Record more of the phenotype: findings present and excluded, with their ages of onset",
        "completeness",
        between=list(names.values()),
    )


def packet_text(packet: Mapping[str, Any]) -> str:
    """The packet as canonical JSON: equal packets are equal texts and so equal requests."""
    return json.dumps(packet, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def hash_of(text: str) -> str:
    """The sha256 of a packet's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def build_packets(
    cases: pa.Table,
    *,
    phenotypes: pa.Table,
    flags: pa.Table,
    candidates: pa.Table,
    features: pa.Table,
    profiles: pa.Table,
    tests: pa.Table,
    looked_for: pa.Table,
    confirming: pa.Table,
    reanalyses: pa.Table,
    pictures: pa.Table,
    test_names: pa.Table,
    numbers: Mapping[str, float],
) -> pa.Table:
    """Packets of many cases, PACKET_SCHEMA, from tables with the columns that Evidence names.

    features    case_id, disease_id, hpo_id, hpo_name, frequency, feature_rank
    profiles    of every leader of a group up to the rank `compared_ranks`, at least
    looked_for  hpo_id, test_id: which tests look for a finding
    pictures    case_id, picture, condition, action_type, action, done_words, next_action,
                next_done_words, source, n_features, n_findings, leads
    test_names  name, means: how notes write tests, and the name each is counted under
    numbers     the parameters of the work-up by name
    """
    all_profiles = {row["disease_id"]: row for row in profiles.to_pylist()}
    known_tests = _known_tests(tests, looked_for, confirming, numbers)
    phenotypes_of = _grouped(phenotypes, "hpo_id")
    flags_of = _grouped(flags, "hpo_id")
    candidates_of = _grouped(candidates, "match_rank")
    features_of = _grouped(features, "feature_rank")
    reanalyses_of = _grouped(reanalyses, "test_number")
    pictures_of = _grouped(pictures, "picture")
    counted = [
        (fold_in_place(r["name"]), fold_in_place(r["means"])) for r in test_names.to_pylist()
    ]
    rows = []
    for case in cases.sort_by("case_id").to_pylist():
        began = time.perf_counter()
        case_id = case["case_id"]
        case_candidates = _leaders(candidates_of.get(case_id, []))
        telling = features_of.get(case_id, [])
        best = [row for row in case_candidates if row["group_rank"] <= numbers["compared_ranks"]]
        evidence = Evidence(
            case,
            phenotypes_of.get(case_id, []),
            flags_of.get(case_id, []),
            case_candidates,
            _frequencies(telling),
            {row["hpo_id"]: row["hpo_name"] for row in telling},
            {row["disease_id"]: _of_group(row, all_profiles) for row in best},
            reanalyses_of.get(case_id, []),
            pictures_of.get(case_id, []),
            counted,
        )
        row = _as_row(build_packet(evidence, known_tests))
        rows.append({**row, "duration_ms": (time.perf_counter() - began) * 1000})
    return pa.Table.from_pylist(rows, schema=PACKET_SCHEMA)


def _as_row(packet: Mapping[str, Any]) -> Row:
    text = packet_text(packet)
    return {
        "case_id": packet["case_id"],
        "packet": text,
        "packet_hash": hash_of(text),
        "n_step_options": len(packet["step_options"]),
    }


def _leaders(candidates: Sequence[Row]) -> list[Row]:
    """The leaders of the groups, best first, each with the names of the others of its group. A
    disease named for its likeness to another (Huntington disease-like 1) is never of high
    confidence: the other is excluded first."""
    members: dict[str, list[Row]] = defaultdict(list)
    for row in candidates:
        if row["disease_id"] != row["group_leader_id"]:
            members[row["group_leader_id"]].append(row)
    leaders = [row for row in candidates if row["disease_id"] == row["group_leader_id"]]
    return [
        {
            **row,
            "confidence": "moderate" if _is_unclear_likeness(row) else row["confidence"],
            "members": [
                f"{member['disease_name']} ({member['disease_id']})"
                for member in members[row["disease_id"]]
            ],
            "member_ids": [member["disease_id"] for member in members[row["disease_id"]]],
        }
        for row in sorted(leaders, key=lambda row: row["group_rank"])
    ]


def _is_unclear_likeness(row: Row) -> bool:
    return row["confidence"] == "high" and _LIKENESS.search(row["disease_name"]) is not None


def _of_group(leader: Row, profiles: Mapping[str, Row]) -> Row:
    """The leader's profile with the ids and the genes of its whole group, the leader's first, and
    its own alone."""
    own = profiles[leader["disease_id"]]
    others = [profiles[disease_id] for disease_id in leader["member_ids"]]
    # a twin is the same disease under the id of another vocabulary
    if (twin := leader["gene_twin_id"]) in profiles:
        others.append(profiles[twin])
    return {
        **own,
        "own_source_ids": own["source_disease_ids"],
        "own_genes": own["gene_symbols"],
        **{
            field: list(dict.fromkeys(value for row in (own, *others) for value in row[field]))
            for field in ("source_disease_ids", "gene_symbols")
        },
    }


def _known_tests(
    tests: pa.Table, looked_for: pa.Table, confirming: pa.Table, numbers: Mapping[str, float]
) -> DiagnosticTests:
    of_finding: dict[str, list[str]] = defaultdict(list)
    for row in looked_for.sort_by("test_id").to_pylist():
        of_finding[row["hpo_id"]].append(row["test_id"])
    of_disease: dict[str, list[Row]] = defaultdict(list)
    for row in confirming.to_pylist():
        of_disease[row["disease_id"]].append(row)
    return DiagnosticTests(
        of_finding,
        {row["test_id"]: row for row in tests.to_pylist()},
        of_disease,
        numbers["discriminating_difference"],
        numbers["unknown_frequency"],
    )


def _frequencies(features: Iterable[Row]) -> dict[str, dict[str, float | None]]:
    """Per finding its frequency in each disease."""
    frequencies: dict[str, dict[str, float | None]] = defaultdict(dict)
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
