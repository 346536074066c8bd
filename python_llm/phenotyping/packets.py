"""The context packet of a case: everything the final reasoning may speak of, and nothing else.

A packet holds no text of the note, only what was mapped from it; what somebody typed about tests
and family is there on one line. What may be recommended is in it as `step_options`, each with the
diseases it tells apart, so that a recommendation can be checked against the packet alone.
"""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

LONGEST_TEXT = 1000  # characters of what somebody typed about tests or family
MOST_GENES = 12  # genes named in one recommendation
MOST_ASSESSED = 5  # single findings offered to be looked for
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


def build_packet(
    case: Mapping[str, Any],
    phenotypes: Sequence[Mapping[str, Any]],
    flags: Sequence[Mapping[str, Any]],
    candidates: Sequence[Mapping[str, Any]],
    features: Mapping[str, Mapping[str, float]],
    profiles: Mapping[str, Mapping[str, Any]],
    feature_names: Mapping[str, str],
    tests_of: Mapping[str, Sequence[str]],
    tests: Mapping[str, Mapping[str, Any]],
    reanalyses: Sequence[Mapping[str, Any]],
    difference: float,
) -> Row:
    """The packet of one case.

    case         case_id, age_years, sex, prior_tests, family_history, completeness
    phenotypes   hpo_id, hpo_name, is_excluded, onset_years, onset_stage, progression, is_ongoing,
                 method, confidence, is_contradicted
    candidates   best first, as fct_disease_match has them
    features     per finding that tells the best apart its frequency in each of them
    profiles     per disease inheritance_names, onset_names, gene_symbols, top_phenotypes
    tests_of     per finding the ids of the tests that look for it; tests: action_type and action
    difference   from which difference in frequency on two diseases are told apart
    """
    compared = [each for each in candidates if each["disease_id"] in profiles]
    names = {each["disease_id"]: each["disease_name"] for each in compared}
    return {
        "case_id": case["case_id"],
        "age_years": case["age_years"],
        "sex": case["sex"],
        "data_completeness": case["completeness"],
        "patient_phenotypes": [_phenotype(each) for each in phenotypes if not each["is_excluded"]],
        "excluded_findings": [
            {
                "hpo_id": each["hpo_id"],
                "name": each["hpo_name"],
                "method": each["method"],
                **({"is_contradicted": True} if each["is_contradicted"] else {}),
            }
            for each in phenotypes
            if each["is_excluded"]
        ],
        "red_flags": [
            {name: each[name] for name in ("hpo_id", "flag_name", "severity", "reason", "source")}
            for each in flags
        ],
        "disease_candidates": [
            {
                "rank": each["match_rank"],
                "disease_id": each["disease_id"],
                "disease": each["disease_name"],
                **({"same_as": each["gene_twin_id"]} if each["gene_twin_id"] else {}),
                "confidence": each["confidence"],
                "score": round(each["score"], 3),
                "supporting_phenotypes": each["supporting_phenotypes"],
                "contradicting_phenotypes": each["contradicting_phenotypes"],
                "missing_key_phenotypes": each["missing_phenotypes"],
            }
            for each in candidates
        ],
        "disease_profiles": [
            {
                "disease_id": disease_id,
                "inheritance": profiles[disease_id]["inheritance_names"],
                "onset": profiles[disease_id]["onset_names"],
                "genes": profiles[disease_id]["gene_symbols"],
                "top_phenotypes": profiles[disease_id]["top_phenotypes"],
            }
            for disease_id in names
        ],
        "prior_tests": _one_line(case["prior_tests"]),
        "family_history": _one_line(case["family_history"]),
        "reanalysis": [
            {
                "test_number": each["test_number"],
                "test_type": each["test_type"],
                "score": each["reanalysis_score"],
                "reasons": each["reasons"],
            }
            for each in reanalyses
        ],
        "step_options": [
            *_assess_options(features, names, feature_names),
            *_test_options(features, names, feature_names, tests_of, tests, difference),
            *_gene_option(names, profiles),
            *_reanalysis_options(reanalyses),
            *_flag_options(flags),
            _more_phenotypes(names),
        ],
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
    """Names of the diseases that expect it and of those that do not, parted half-way."""
    values = {disease_id: frequencies.get(disease_id, 0.0) for disease_id in names}
    middle = (max(values.values()) + min(values.values())) / 2
    expecting = [names[each] for each, value in values.items() if value >= middle]
    others = [names[each] for each, value in values.items() if value < middle]
    return expecting, others


def _spread(frequencies: Mapping[str, float], names: Mapping[str, str]) -> float:
    values = [frequencies.get(each, 0.0) for each in names]
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


def _assess_options(
    features: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
    feature_names: Mapping[str, str],
) -> list[Row]:
    options = []
    for hpo_id in list(features)[:MOST_ASSESSED]:
        expecting, others = _sides(features[hpo_id], names)
        name = feature_names[hpo_id]
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
    features: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
    feature_names: Mapping[str, str],
    tests_of: Mapping[str, Sequence[str]],
    tests: Mapping[str, Mapping[str, Any]],
    difference: float,
) -> list[Row]:
    """Tests whose result the best candidates disagree on: how probable an abnormal one is in each
    is the frequency of the most frequent finding the test looks for."""
    looked_for: dict[str, list[str]] = defaultdict(list)
    for hpo_id in features:
        for test_id in tests_of.get(hpo_id, ()):
            looked_for[test_id].append(hpo_id)
    ranked = []
    for test_id, hpo_ids in looked_for.items():
        abnormal = {
            disease_id: max(features[each].get(disease_id, 0.0) for each in hpo_ids)
            for disease_id in names
        }
        if max(abnormal.values()) - min(abnormal.values()) >= difference:
            ranked.append((-round(_spread(abnormal, names), 9), test_id, abnormal, hpo_ids))
    options, actions = [], set()
    for _, test_id, abnormal, hpo_ids in sorted(ranked, key=lambda each: each[:2]):
        action = tests[test_id]["action"]
        if action in actions or len(options) == MOST_TESTS:
            continue
        actions.add(action)
        expecting, others = _sides(abnormal, names)
        options.append(
            _option(
                f"test:{test_id}",
                tests[test_id]["action_type"],
                action,
                expecting + others,
                expecting,
                [feature_names[each] for each in hpo_ids[:MOST_ASSESSED]],
                "disease_match",
            )
        )
    return options


def _gene_option(names: Mapping[str, str], profiles: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """One option where at least two candidates have genes, and not the same ones."""
    of_disease = {
        disease_id: tuple(profiles[disease_id]["gene_symbols"])
        for disease_id in names
        if profiles[disease_id]["gene_symbols"]
    }
    if len(set(of_disease.values())) < 2:
        return []
    genes = list(dict.fromkeys(gene for each in of_disease.values() for gene in each))
    more = f" and {len(genes) - MOST_GENES} more" if len(genes) > MOST_GENES else ""
    between = [names[each] for each in of_disease]
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
            f"reanalysis:{each['test_number']}",
            "reanalysis",
            f"Have the {each['test_type'].replace('_', ' ')} of {each['tested_on']} analysed again",
            [],
            [],
            [],
            "reanalysis",
        )
        for each in reanalyses
        if each["is_recommended"]
    ]


def _flag_options(flags: Sequence[Mapping[str, Any]]) -> list[Row]:
    options = {
        each["flag_name"]: _option(
            f"flag:{each['flag_hpo_id']}",
            "urgent_escalation",
            f"Have {each['flag_name']} seen to the same day: {each['reason']}",
            [],
            [],
            [],
            "red_flags",
        )
        for each in flags
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
    """The packet as canonical JSON: the same packet is the same text, and the same request."""
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
    """Packets of many cases, PACKET_SCHEMA, from tables with the columns build_packet() names.

    features        case_id, disease_id, hpo_id, hpo_name, frequency, feature_rank, test_ids
    profiles        of every candidate up to compared_ranks, at least
    compared_ranks  up to which rank candidates are told apart
    """
    all_profiles = {row["disease_id"]: row for row in profiles.to_pylist()}
    all_tests = {row["test_id"]: row for row in tests.to_pylist()}
    by_case = [
        _grouped(table)
        for table in (
            phenotypes.sort_by([("case_id", "ascending"), ("hpo_id", "ascending")]),
            flags.sort_by([("case_id", "ascending"), ("hpo_id", "ascending")]),
            candidates.sort_by([("case_id", "ascending"), ("match_rank", "ascending")]),
            features.sort_by([("case_id", "ascending"), ("feature_rank", "ascending")]),
            reanalyses.sort_by([("case_id", "ascending"), ("test_number", "ascending")]),
        )
    ]
    rows = []
    for case in cases.sort_by("case_id").to_pylist():
        began = time.perf_counter()
        found, raised, best, telling, again = (each.get(case["case_id"], []) for each in by_case)
        frequencies: dict[str, dict[str, float]] = defaultdict(dict)
        compared: dict[str, None] = {}
        for row in telling:
            frequencies[row["hpo_id"]][row["disease_id"]] = row["frequency"]
        for row in best:
            if row["match_rank"] <= compared_ranks:
                compared[row["disease_id"]] = None
        packet = build_packet(
            case,
            found,
            raised,
            best,
            frequencies,
            {each: all_profiles[each] for each in compared},
            {row["hpo_id"]: row["hpo_name"] for row in telling},
            {row["hpo_id"]: row["test_ids"] for row in telling},
            all_tests,
            again,
            difference,
        )
        text = packet_text(packet)
        rows.append(
            {
                "case_id": case["case_id"],
                "packet": text,
                "packet_hash": hash_of(text),
                "n_step_options": len(packet["step_options"]),
                "duration_ms": (time.perf_counter() - began) * 1000,
            }
        )
    return pa.Table.from_pylist(rows, schema=PACKET_SCHEMA)


def _grouped(table: pa.Table) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    rows: Iterable[Row] = table.to_pylist()
    for row in rows:
        groups[row["case_id"]].append(row)
    return groups
