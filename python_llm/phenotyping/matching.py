"""Which diseases fit a patient's phenotypes: every disease scored, the best explained.

A disease's score is the mean, over the patient's findings, of what each finding says for it, in
nats, and what else is known:

- **finding**: ln(1 + o · f^b · e^m), the evidence of a finding that may also be incidental. m is
  the information content of the most telling thing above or at the finding that the disease is
  known to have, less s times the information lost where that is vaguer than the finding; f is its
  annotated frequency; o the odds that a finding belongs to the disease at all. A likelihood ratio
  with a mixture for noise, as in LIRICAL (Robinson et al., AJHG 2020; 107:403-417), with the
  information content of Resnik (1995) for the background.
- **overlap**: the information of what patient and disease share, weighted by frequency, over the
  geometric mean of what each has: of two diseases that explain equally much, the one with fewer
  other findings ranks higher (Pesquita et al., BMC Bioinformatics 2008; 9(S5):S4, for the
  unweighted form).
- **excluded**: ln(1 - r f) for every excluded finding that the disease has with a frequency f of at
  least that of a key finding; r is how reliable an exclusion is. A rarer one is absent in most
  patients with the disease and says nothing.
- **onset**, **sex**: the log of how probable it is that a patient with the disease has this age of
  onset or this sex. What only the other sex has, or another age, or a pregnancy of which the note
  says nothing (patient_rules), is never listed.
- **relatives**: a share of the best score among the diseases of the same gene, because the
  vocabularies list one gene's disease under several ids, each with part of its annotations.

A finding that is over and began in adulthood weighs `past_weight`, and so does one that an adult's
note calls resolved without saying when it began; any other weighs 1, also one of childhood. All
means are over these weights.

Information content is in nats; frequencies and probabilities are fractions of 1. The formulas are
in docs/specification.md#disease-match.
"""

import math
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

RARELY = 0.02  # below this an annotated frequency is a rounding of a count of one
LEAST_SHARE = 1e-6  # smaller shares of the softmax are noise
LISTED = 10  # diagnoses in a differential
RULED_OUT = 10.0  # nats per finding against a disease of another sex or age: it is never listed
GROUPED = 120  # best diseases that are sorted into groups
ADULT_YEARS = 18.0  # what began before may be how a lifelong disease began, even if it is over
REMEMBERED = 200  # cases whose findings' evidence is kept at once: bounds the memory
ROLES = ("supporting", "unexplained", "contradicting", "missing")

EVIDENCE = pa.list_(
    pa.struct(
        [
            ("hpo_id", pa.string()),
            ("role", pa.string()),
            ("matched_hpo_id", pa.string()),
            ("frequency", pa.float64()),
            ("evidence", pa.float64()),
        ]
    )
)
FEATURES = pa.list_(pa.struct([("hpo_id", pa.string()), ("frequency", pa.float64())]))
MATCH_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("disease_id", pa.string()),
        ("match_rank", pa.int32()),
        ("group_rank", pa.int32()),
        ("group_leader_id", pa.string()),
        ("score", pa.float64()),
        ("finding_score", pa.float64()),
        ("overlap_score", pa.float64()),
        ("excluded_score", pa.float64()),
        ("onset_score", pa.float64()),
        ("sex_score", pa.float64()),
        ("relatives_score", pa.float64()),
        ("probability", pa.float64()),
        ("group_probability", pa.float64()),
        ("evidence", EVIDENCE),
        ("features", FEATURES),
        ("n_findings", pa.int32()),
        ("duration_ms", pa.float64()),
    ]
)


DIFFERENTIAL_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("diagnosis_rank", pa.int32()),
        ("disease_id", pa.string()),
        ("diagnosis", pa.string()),
        ("reasoning", pa.string()),
        ("in_favour", pa.string()),
        ("against", pa.string()),
        ("score", pa.float64()),
    ]
)


@dataclass(frozen=True)
class Parameters:
    """The constants of the work-up; seeds/phenotyping/work_up_parameters.csv explains each."""

    association_odds: float
    vagueness_penalty: float
    frequency_exponent: float
    overlap_weight: float
    relatives_weight: float
    exclusion_reliability: float
    onset_mismatch_probability: float
    key_frequency: float
    key_phenotypes: int
    explained_ranks: int
    compared_ranks: int
    feature_frequency: float
    unknown_frequency: float
    compared_features: int
    discriminating_difference: float
    sparse_completeness: float
    reanalysis_score: float
    spelling_cut_off: float
    confidence_sharpness: float
    completeness_phenotypes: float
    completeness_timing: float
    completeness_exclusions: float
    completeness_tests: float
    completeness_family: float
    past_weight: float
    confidence_intercept: float
    confidence_slope: float
    confidence_first: float

    @classmethod
    def of(cls, values: Mapping[str, float]) -> "Parameters":
        """From numbers by name. Raises ValueError naming what is missing or unknown."""
        known = get_type_hints(cls)
        if missing := sorted(set(known) - set(values)):
            raise ValueError(f"work_up_parameters.csv lacks {', '.join(missing)}")
        if unknown := sorted(set(values) - set(known)):
            raise ValueError(f"work_up_parameters.csv has unknown {', '.join(unknown)}")
        return cls(**{name: kind(values[name]) for name, kind in known.items()})


@dataclass(frozen=True)
class FindingEvidence:
    """What one finding says about every disease: evidence in nats, the matching ancestor of the
    finding, and its frequency in the disease (0 to 1); one entry per disease."""

    evidence: np.ndarray
    matched: np.ndarray  # position among the ancestors of the finding; -1: none
    frequency: np.ndarray


@dataclass(frozen=True)
class Patient:
    """One patient as the ranker reads it: HPO ids, ages in years, sex male or female. past: the
    present findings that are over and began in adulthood; is_pregnant: None where nothing was
    read."""

    case_id: str
    present: Sequence[str]
    excluded: Sequence[str] = ()
    onset_years: float | None = None
    age_years: float | None = None
    sex: str | None = None
    gold: Sequence[str] = ()
    past: Sequence[str] = ()
    is_pregnant: bool | None = None


@dataclass(frozen=True)
class PatientRule:
    """Whom a finding can be looked for in: sexes, ages from and below, in years, and whether only
    in a pregnancy or after it."""

    female: bool
    male: bool
    from_years: float
    below_years: float
    needs_pregnancy: bool = False

    def fits(self, patient: Patient) -> bool:
        """False if the patient's sex or age, where known, rules the finding out."""
        of_sex = {"female": self.female, "male": self.male}.get(patient.sex or "", True)
        age = patient.age_years
        return of_sex and (age is None or self.from_years <= age < self.below_years)

    def is_out_of_age(self, patient: Patient) -> bool:
        """Whether a disease of these ages cannot be there yet, or would have begun before: with
        the first finding, or as the patient's age now where that has no time."""
        age, onset = patient.age_years, patient.onset_years
        first = age if onset is None else onset
        is_too_young = age is not None and age < self.from_years
        return is_too_young or (first is not None and first >= self.below_years)

    def lacks_pregnancy(self, patient: Patient) -> bool:
        """Whether it needs a pregnancy and the note that was read has none."""
        return self.needs_pregnancy and patient.is_pregnant is False

    def is_of_other_sex(self, patient: Patient) -> bool:
        """Whether the patient is of the sex that never has it."""
        return not {"female": self.female, "male": self.male}.get(patient.sex or "", True)


@dataclass
class Corpus:
    """What is known about the diseases, as arrays. Columns are diseases, in the order of their
    ids."""

    disease_ids: list[str]
    information: dict[str, float]
    ancestors: dict[str, list[str]]
    # per term the diseases that have it or a descendant, and how often (0 to 1)
    columns: dict[str, tuple[np.ndarray, np.ndarray]]
    profile_information: np.ndarray
    onset_low: np.ndarray
    onset_high: np.ndarray
    female_probability: np.ndarray
    male_probability: np.ndarray
    # annotated terms and frequencies of disease i: from annotation_start[i] to [i + 1]
    annotation_start: np.ndarray
    annotated_terms: np.ndarray
    annotated_frequencies: np.ndarray
    relatives: np.ndarray
    relatives_of: np.ndarray
    relatives_start: np.ndarray
    rules: dict[str, PatientRule] = field(default_factory=dict)
    genes: list[frozenset[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    position: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.position = {name: row for row, name in enumerate(self.disease_ids)}
        self._frequencies: dict[int, dict[str, float]] = {}
        self._rules_of: dict[str, list[PatientRule]] = {}

    def rules_of(self, hpo_id: str) -> list[PatientRule]:
        """Whom a finding can be looked for in: its own rule and those of what is above it."""
        if hpo_id not in self._rules_of:
            above = self.ancestors.get(hpo_id, [hpo_id])
            self._rules_of[hpo_id] = [self.rules[term] for term in above if term in self.rules]
        return self._rules_of[hpo_id]

    def frequencies_of(self, row: int) -> dict[str, float]:
        """How often a disease has each term annotated to it and everything above it (0 to 1): an
        ancestor is as frequent as its most frequent descendant; 0 is annotated as absent."""
        if row not in self._frequencies:
            start, end = self.annotation_start[row : row + 2]
            terms = self.annotated_terms[start:end].tolist()
            of_term: dict[str, float] = {}
            for hpo_id, value in zip(
                terms, self.annotated_frequencies[start:end].tolist(), strict=True
            ):
                for term in self.ancestors.get(hpo_id, ()) if value > 0 else (hpo_id,):
                    of_term[term] = max(of_term.get(term, 0.0), value)
            self._frequencies[row] = of_term
        return self._frequencies[row]


def corpus(
    terms: pa.Table,
    ancestors: pa.Table,
    closure: pa.Table,
    annotations: pa.Table,
    profiles: pa.Table,
    genes: pa.Table,
    rules: pa.Table | None = None,
) -> Corpus:
    """The arrays of the ranker from the marts' columns.

    terms        hpo_id, information_content (phenotypic abnormalities only; null: no disease)
    ancestors    hpo_id, ancestor_hpo_id, each term its own ancestor; of all terms
    closure      disease_id, hpo_id, frequency; at least of what the patients' findings imply
    annotations  disease_id, hpo_id, frequency; 0 where a finding is annotated as excluded
    profiles     disease_id, profile_information, onset_low_years, onset_high_years,
                 female_probability, male_probability, and for the groups disease_name; the
                 diseases that are ranked
    genes        disease_id, gene_symbol
    rules        hpo_id, female_probability, male_probability, from_years, below_years,
                 needs_pregnancy: whom a finding and everything below it can be looked for in
    """
    profiles = profiles.sort_by("disease_id")
    disease_ids = profiles["disease_id"].to_pylist()
    information = {
        hpo_id: value or 0.0
        for hpo_id, value in zip(
            terms["hpo_id"].to_pylist(), terms["information_content"].to_pylist(), strict=True
        )
    }
    diseases = pa.array(disease_ids)
    rows, annotated_terms, annotated_frequencies = _entries(annotations, diseases)
    columns = _columns(closure, diseases)
    members, of, start = _relatives(genes, diseases)
    return Corpus(
        disease_ids,
        information,
        _ancestors(ancestors, information),
        columns,
        _numbers(profiles, "profile_information", 0),
        _numbers(profiles, "onset_low_years", -math.inf),
        _numbers(profiles, "onset_high_years", math.inf),
        _numbers(profiles, "female_probability", 1),
        _numbers(profiles, "male_probability", 1),
        np.searchsorted(rows, np.arange(len(disease_ids) + 1)),
        annotated_terms,
        annotated_frequencies,
        members,
        of,
        start,
        _patient_rules(rules),
        _genes(genes, disease_ids),
        _names(profiles),
    )


def _names(profiles: pa.Table) -> list[str]:
    if "disease_name" not in profiles.column_names:
        return [""] * len(profiles)
    names: list[str] = profiles["disease_name"].to_pylist()
    return names


_NUMBER = re.compile(r"[,\s-]+(?:type\s+)?(?:\d{1,3}[a-z]{0,2}|[ivx]{1,5}[a-z]?)(?=$|[\s,;(])")
SHORTEST_SERIES = 8  # letters


@cache
def series_of(name: str) -> str | None:
    """The name of the series a numbered disease belongs to ("Loeys-Dietz syndrome 2": that of the
    syndrome): what precedes its number; the name itself if it has none."""
    lower = name.lower()
    number = _NUMBER.search(lower)
    stem = lower[: number.start()] if number else lower
    words = sorted(re.findall(r"[a-z]+", stem))
    return " ".join(words) if sum(map(len, words)) >= SHORTEST_SERIES else None


def are_kin(row: int, other: int, known: Corpus) -> bool:
    """Whether two diseases belong together: of one series, or one's genes are all the other's."""
    genes, genes_of_other = known.genes[row], known.genes[other]
    if genes and genes_of_other and (genes <= genes_of_other or genes_of_other <= genes):
        return True
    series = series_of(known.names[row])
    return series is not None and series == series_of(known.names[other])


def _groups(score: np.ndarray, known: Corpus, n_groups: int) -> dict[int, tuple[int, int]]:
    """Per row of the best, as many as it takes to fill n groups, its group's rank and leader: each
    disease joins the best group whose leader it is kin to, or leads one of its own."""
    leaders: list[int] = []
    group_of: dict[int, tuple[int, int]] = {}
    for row in _best(score, GROUPED):
        rank = next((i for i, leader in enumerate(leaders) if are_kin(row, leader, known)), None)
        if rank is None and len(leaders) == n_groups:
            continue
        if rank is None:
            rank = len(leaders)
            leaders.append(row)
        group_of[row] = (rank + 1, leaders[rank])
    return group_of


def _ancestors(ancestors: pa.Table, information: Mapping[str, float]) -> dict[str, list[str]]:
    """Per term what is above it and itself, in the order of their ids, as far as it tells."""
    telling = pa.array([hpo_id for hpo_id, value in information.items() if value > 0], pa.string())
    ancestors = ancestors.filter(pc.is_in(ancestors["ancestor_hpo_id"], value_set=telling))
    names, above = _coded(ancestors["ancestor_hpo_id"])
    terms, term = _coded(ancestors["hpo_id"])
    rank = np.empty(len(names), int)
    rank[np.argsort(names)] = np.arange(len(names))
    order = np.lexsort((rank[above], term))
    in_order = names[above[order]].tolist()
    ends = np.searchsorted(term[order], np.arange(len(terms)), side="right").tolist()
    return {
        hpo_id: in_order[start:end]
        for hpo_id, start, end in zip(terms.tolist(), [0, *ends], ends, strict=False)
    }


def _coded(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """The different texts of a column, and for each row the position of its own among them: a text
    that stands in thousands of rows is made once."""
    coded = column.combine_chunks().dictionary_encode()
    return coded.dictionary.to_numpy(zero_copy_only=False), coded.indices.to_numpy()


def _genes(genes: pa.Table, disease_ids: Iterable[str]) -> list[frozenset[str]]:
    symbols: dict[str, set[str]] = defaultdict(set)
    for disease_id, symbol in zip(
        genes["disease_id"].to_pylist(), genes["gene_symbol"].to_pylist(), strict=True
    ):
        symbols[disease_id].add(symbol)
    return [frozenset(symbols[disease_id]) for disease_id in disease_ids]


def _patient_rules(table: pa.Table | None) -> dict[str, PatientRule]:
    return {
        row["hpo_id"]: PatientRule(
            row["female_probability"] > 0,
            row["male_probability"] > 0,
            row["from_years"] or 0.0,
            math.inf if row["below_years"] is None else row["below_years"],
            bool(row["needs_pregnancy"]),
        )
        for row in (table.to_pylist() if table is not None else [])
    }


def _numbers(table: pa.Table, name: str, default: float) -> np.ndarray:
    column = pc.fill_null(pc.cast(table[name], pa.float64()), default)
    return column.to_numpy(zero_copy_only=False)


def _entries(table: pa.Table, diseases: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Disease row, term and frequency of the annotations of ranked diseases, ordered by row."""
    rows = pc.fill_null(pc.index_in(table["disease_id"], value_set=diseases), -1)
    rows = rows.to_numpy(zero_copy_only=False)
    order = np.argsort(rows, kind="stable")
    order = order[np.searchsorted(rows[order], 0) :]
    names, terms = _coded(table["hpo_id"])
    frequency = pc.cast(table["frequency"], pa.float64()).to_numpy(zero_copy_only=False)
    return rows[order], names[terms[order]], frequency[order]


def _columns(closure: pa.Table, diseases: pa.Array) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Per term the rows of its diseases, ascending, and their frequencies."""
    if not len(closure):
        return {}
    rows = pc.fill_null(pc.index_in(closure["disease_id"], value_set=diseases), -1)
    rows = rows.to_numpy(zero_copy_only=False)
    names = pc.unique(closure["hpo_id"])
    codes = pc.index_in(closure["hpo_id"], value_set=names).to_numpy(zero_copy_only=False)
    frequency = pc.cast(closure["frequency"], pa.float64()).to_numpy(zero_copy_only=False)
    order = np.argsort(codes.astype(np.int64) * len(diseases) + rows, kind="stable")
    order = order[rows[order] >= 0]
    codes, rows, frequency = codes[order], rows[order], frequency[order]
    ends = np.flatnonzero(np.diff(codes, append=-1)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    known = names.to_pylist()
    return {
        known[codes[start]]: (rows[start:end], frequency[start:end])
        for start, end in zip(starts, ends, strict=True)
    }


def _relatives(genes: pa.Table, diseases: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Other diseases of the same genes: the relatives, the diseases they belong to, and where the
    relatives of each disease begin."""
    row = pc.index_in(genes["disease_id"], value_set=diseases).to_pylist()
    of_gene: dict[str, set[int]] = defaultdict(set)
    for disease, gene in zip(row, genes["gene_symbol"].to_pylist(), strict=True):
        if disease is not None:
            of_gene[gene].add(disease)
    of_disease: dict[int, set[int]] = defaultdict(set)
    for together in of_gene.values():
        for disease in together:
            of_disease[disease] |= together - {disease}
    having = sorted(disease for disease, others in of_disease.items() if others)
    members = [sorted(of_disease[disease]) for disease in having]
    starts = np.cumsum([0, *(len(relatives) for relatives in members)])[:-1]
    flat = [member for relatives in members for member in relatives]
    return np.array(flat, int), np.array(having, int), starts.astype(int)


def match(patients: Iterable[Patient], known: Corpus, numbers: Parameters) -> pa.Table:
    """The best diseases of each patient and the leaders of the best groups, explained, and every
    gold disease with its rank.

    One row per (case_id, disease_id), MATCH_SCHEMA. A patient without any finding that the corpus
    knows gets no row. Ties are broken by disease id. `score` and its parts are in nats per finding;
    the roles of the evidence are supporting, unexplained, contradicting and missing.
    """
    rows: list[dict[str, Any]] = []
    cache: dict[str, FindingEvidence] = {}
    for number, patient in enumerate(patients):
        if number % REMEMBERED == 0:
            cache.clear()
        began = time.perf_counter()
        present, excluded = effective_findings(patient, known)
        if present:
            matches = _match_one(patient, present, excluded, known, numbers, cache)
            duration = (time.perf_counter() - began) * 1000
            rows.extend({**row, "duration_ms": duration} for row in matches)
    return pa.Table.from_pylist(rows, schema=MATCH_SCHEMA)


def match_all(
    cases: pa.Table, findings: pa.Table, numbers: Mapping[str, float], **known: pa.Table
) -> pa.Table:
    """MATCH_SCHEMA of the patients in tables: `cases` and `findings` as for patients_of, `numbers`
    as for Parameters, `known` as for corpus."""
    return match(patients_of(cases, findings), corpus(**known), Parameters.of(numbers))


def effective_findings(patient: Patient, known: Corpus) -> tuple[list[str], list[str]]:
    """The findings that count: (present, excluded), each once and without those that others imply.

    Focal seizures imply seizures, so the vaguer of two present findings adds nothing; and an
    exclusion of what a present finding implies contradicts it and does not count.
    """
    present = sorted({hpo_id for hpo_id in patient.present if known.ancestors.get(hpo_id)})
    implied = {above for hpo_id in present for above in known.ancestors[hpo_id] if above != hpo_id}
    seen = implied | set(present)
    excluded = sorted(
        {
            hpo_id
            for hpo_id in patient.excluded
            if known.ancestors.get(hpo_id) and hpo_id not in seen
        }
    )
    return [hpo_id for hpo_id in present if hpo_id not in implied], excluded


def _match_one(
    patient: Patient,
    present: list[str],
    excluded: list[str],
    known: Corpus,
    numbers: Parameters,
    cache: dict[str, FindingEvidence],
) -> list[dict[str, Any]]:
    parts = _scores(patient, present, excluded, known, numbers, cache)
    score = np.round(sum(parts.values()), 9)
    ranks = {row: rank for rank, row in enumerate(_best(score, numbers.explained_ranks), start=1)}
    groups = _groups(score, known, numbers.explained_ranks)
    leaders = {leader: rank for rank, leader in groups.values()}
    share = _shares(score, sum(_weights(patient, present, known, numbers)), numbers)
    probability = _probabilities(share, groups, numbers)
    golds = (known.position.get(gold) for gold in patient.gold)
    for row in (*leaders, *(row for row in golds if row is not None)):
        if row not in ranks:
            before = np.count_nonzero(score > score[row])
            ranks[row] = int(1 + before + np.count_nonzero(score[:row] == score[row]))
    compared = [row for row, rank in leaders.items() if rank <= numbers.compared_ranks]
    features = _features(patient, compared, present, excluded, known, numbers)
    return [
        {
            "case_id": patient.case_id,
            "disease_id": known.disease_ids[row],
            "match_rank": int(rank),
            "group_rank": groups[row][0] if row in groups else None,
            "group_leader_id": known.disease_ids[groups[row][1]] if row in groups else None,
            "score": float(score[row]),
            **{name: round(float(part[row]), 9) for name, part in parts.items()},
            "probability": round(
                probability[row][0]
                if row in groups
                else calibrated(float(share[row]), False, numbers),
                6,
            ),
            "group_probability": round(probability[row][1], 6) if row in groups else None,
            "evidence": _explain(patient, row, present, excluded, known, numbers, cache),
            "features": features.get(row, []),
            "n_findings": len(present),
        }
        for row, rank in sorted(ranks.items(), key=lambda pair: pair[1])
    ]


def _shares(score: np.ndarray, n_findings: float, numbers: Parameters) -> np.ndarray:
    """The share of each disease in a softmax over all of them. `score` is in nats per finding;
    findings are not independent, so n of them count as the root of n."""
    sharpness = numbers.confidence_sharpness * math.sqrt(n_findings)
    weight = np.exp(sharpness * (score - score.max()))
    share: np.ndarray = weight / weight.sum()
    return share


def calibrated(share: float, is_first: bool, numbers: Parameters) -> float:
    """How probable it is that the patient's disease is in a group with this share of the softmax,
    0 to 1, as often as it was in published cases (docs/specification.md#candidate-confidence)."""
    share = min(max(share, LEAST_SHARE), 1 - LEAST_SHARE)
    odds = numbers.confidence_intercept + numbers.confidence_slope * math.log(share / (1 - share))
    return 1 / (1 + math.exp(-odds - numbers.confidence_first * is_first))


def _probabilities(
    share: np.ndarray, groups: Mapping[int, tuple[int, int]], numbers: Parameters
) -> dict[int, tuple[float, float]]:
    """Per row of the groups its own probability and that of its group, which sum to 1 at most."""
    of_group: dict[int, float] = defaultdict(float)
    for row, (rank, _) in groups.items():
        of_group[rank] += float(share[row])
    probability = {rank: calibrated(of, rank == 1, numbers) for rank, of in of_group.items()}
    scale = max(sum(probability.values()), 1.0)
    return {
        row: (
            probability[rank] / scale * float(share[row]) / of_group[rank],
            probability[rank] / scale,
        )
        for row, (rank, _) in groups.items()
    }


def _best(score: np.ndarray, n: int) -> list[int]:
    """Rows of the n highest scores, best first; among equals the lower row first."""
    n = min(n, len(score))
    if not n:
        return []
    least = np.partition(score, -n)[-n]
    candidates = np.flatnonzero(score >= least)
    return candidates[np.argsort(-score[candidates], kind="stable")][:n].tolist()


def _scores(
    patient: Patient,
    present: list[str],
    excluded: list[str],
    known: Corpus,
    numbers: Parameters,
    cache: dict[str, FindingEvidence],
) -> dict[str, np.ndarray]:
    size, weights = len(known.disease_ids), _weights(patient, present, known, numbers)
    n = sum(weights)
    supporting = np.zeros(size)
    for hpo_id, weight in zip(present, weights, strict=True):
        if hpo_id not in cache:
            cache[hpo_id] = _evidence_of(hpo_id, known, numbers)
        supporting += weight * cache[hpo_id].evidence
    against = np.zeros(size)
    for hpo_id in excluded:
        rows, frequency = known.columns.get(hpo_id, _NO_DISEASES)
        is_key = frequency >= numbers.key_frequency
        against[rows[is_key]] += np.log1p(-numbers.exclusion_reliability * frequency[is_key])
    onset = np.where(_onset_mismatch(patient, known), numbers.onset_mismatch_probability, 1.0)
    sex = {"female": known.female_probability, "male": known.male_probability}.get(
        patient.sex or "", np.ones(size)
    )
    other_sex, other_age = _ruled_out_rows(patient, known)
    parts = {
        "finding_score": supporting / n,
        "overlap_score": numbers.overlap_weight * _overlap(present, weights, known),
        "excluded_score": against / n,
        "onset_score": np.log(onset) / n - RULED_OUT * other_age,
        "sex_score": np.log(np.maximum(sex, LEAST_SHARE)) / n - RULED_OUT * other_sex,
    }
    own = sum(parts.values(), np.zeros(size))
    relatives = np.zeros(size)
    if len(known.relatives):
        best = np.maximum.reduceat(own[known.relatives], known.relatives_start)
        relatives[known.relatives_of] = numbers.relatives_weight * np.maximum(best, 0)
    return {**parts, "relatives_score": relatives}


def _ruled_out_rows(patient: Patient, known: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """1 for the diseases that patients of this sex, and of this age or without a pregnancy, do not
    have; else 0."""
    size = len(known.disease_ids)
    other_sex, other_age = np.zeros(size), np.zeros(size)
    for disease_id, rule in known.rules.items():
        if (row := known.position.get(disease_id)) is not None:
            other_sex[row] = rule.is_of_other_sex(patient)
            other_age[row] = rule.is_out_of_age(patient) or rule.lacks_pregnancy(patient)
    return other_sex, other_age


_NO_DISEASES = (np.array([], int), np.array([], float))


def _odds(information: float, vaguer: float, frequency: Any, numbers: Parameters) -> Any:
    """How much likelier a finding of this `information` is in a disease that has a term of `vaguer`
    nats above it: the odds of which ln(1 + odds) is the evidence."""
    matched = max(vaguer - numbers.vagueness_penalty * (information - vaguer), 0.0)
    tempered = np.maximum(frequency, RARELY) ** numbers.frequency_exponent
    return numbers.association_odds * math.exp(matched) * tempered


def _evidence_of(hpo_id: str, known: Corpus, numbers: Parameters) -> FindingEvidence:
    size = len(known.disease_ids)
    odds = np.zeros(size)
    matched = np.full(size, -1, np.int16)
    frequencies = np.zeros(size, np.float32)
    information = known.information[hpo_id]
    # the finding itself first: of terms that are worth the same, it is the one that is shown
    above = sorted(enumerate(known.ancestors[hpo_id]), key=lambda term: term[1] != hpo_id)
    for position, ancestor in above:
        rows, frequency = known.columns.get(ancestor, _NO_DISEASES)
        vaguer = known.information[ancestor]
        worth = _odds(information, vaguer, frequency, numbers)
        better = worth > odds[rows]
        rows = rows[better]
        odds[rows] = worth[better]
        frequencies[rows] = frequency[better]
        # a match that is worth nothing after the penalty explains nothing
        explains = vaguer > numbers.vagueness_penalty * (information - vaguer)
        matched[rows] = position if explains else -1
    return FindingEvidence(np.log1p(odds).astype(np.float32), matched, frequencies)


def _implied(present: Iterable[str], known: Corpus) -> list[str]:
    return sorted({above for hpo_id in present for above in known.ancestors[hpo_id]})


def _weights(
    patient: Patient, present: Sequence[str], known: Corpus, numbers: Parameters
) -> list[float]:
    """What each finding counts: `past_weight` if it is over and began in adulthood and nothing
    above it is of today, otherwise 1."""
    if not patient.past:
        return [1.0] * len(present)
    today = set(patient.present) - set(patient.past)
    return [
        numbers.past_weight
        if hpo_id in patient.past and today.isdisjoint(known.ancestors[hpo_id])
        else 1.0
        for hpo_id in present
    ]


def _implied_weights(
    present: Sequence[str], weights: Sequence[float], known: Corpus
) -> dict[str, float]:
    """Everything that the findings imply, with the highest weight of a finding that does."""
    implied: dict[str, float] = dict.fromkeys(_implied(present, known), 0.0)
    for hpo_id, weight in zip(present, weights, strict=True):
        for above in known.ancestors[hpo_id]:
            implied[above] = max(implied[above], weight)
    return implied


def _overlap(present: list[str], weights: Sequence[float], known: Corpus) -> np.ndarray:
    """The information that the patient shares with each disease, frequency times information
    content times weight, summed over all terms that the findings imply; over the geometric mean of
    what each has."""
    implied = _implied_weights(present, weights, known)
    own = sum(known.information[hpo_id] * weight for hpo_id, weight in implied.items())
    annotated = [known.columns.get(hpo_id, _NO_DISEASES) for hpo_id in implied]
    shared = np.bincount(
        np.concatenate([rows for rows, _ in annotated]),
        np.concatenate(
            [
                frequency * known.information[hpo_id] * weight
                for (_, frequency), (hpo_id, weight) in zip(annotated, implied.items(), strict=True)
            ]
        ),
        len(known.disease_ids),
    )
    return shared / np.sqrt(np.maximum(known.profile_information * own, 1e-9))


def _onset_mismatch(patient: Patient, known: Corpus) -> np.ndarray:
    """Which diseases do not fit the onset: it lies outside their range or, where it is unknown, the
    patient is younger than their earliest onset."""
    if patient.onset_years is not None:
        return (known.onset_low > patient.onset_years) | (known.onset_high < patient.onset_years)
    if patient.age_years is not None:
        return known.onset_low > patient.age_years
    return np.zeros(len(known.disease_ids), bool)


def _explain(
    patient: Patient,
    row: int,
    present: list[str],
    excluded: list[str],
    known: Corpus,
    numbers: Parameters,
    cache: dict[str, FindingEvidence],
) -> list[dict[str, Any]]:
    entries = [_explain_present(row, hpo_id, known, cache[hpo_id]) for hpo_id in present]
    entries.sort(
        key=lambda entry: (entry["role"] != "supporting", -entry["evidence"], entry["hpo_id"])
    )
    for hpo_id in excluded:
        rows, frequencies = known.columns.get(hpo_id, _NO_DISEASES)
        position = int(np.searchsorted(rows, row))
        if position < len(rows) and rows[position] == row:
            frequency = float(frequencies[position])
            if frequency < numbers.key_frequency:
                continue
            against = math.log1p(-numbers.exclusion_reliability * frequency)
            entries.append(_entry(hpo_id, "contradicting", hpo_id, frequency, against))
    covered = set(_implied(present, known))
    start, end = known.annotation_start[row : row + 2]
    typical = [
        (-frequency * known.information.get(hpo_id, 0.0), hpo_id, frequency)
        for hpo_id, frequency in zip(
            known.annotated_terms[start:end].tolist(),
            known.annotated_frequencies[start:end].tolist(),
            strict=True,
        )
        if frequency >= numbers.key_frequency
        and hpo_id not in covered
        and _is_open(hpo_id, patient, excluded, known)
    ]
    for _, hpo_id, frequency in sorted(typical)[: numbers.key_phenotypes]:
        entries.append(_entry(hpo_id, "missing", None, frequency, None))
    return entries


def _explain_present(
    row: int, hpo_id: str, known: Corpus, evidence: FindingEvidence
) -> dict[str, Any]:
    position = int(evidence.matched[row])
    if position < 0:
        return _entry(hpo_id, "unexplained", None, None, float(evidence.evidence[row]))
    return _entry(
        hpo_id,
        "supporting",
        known.ancestors[hpo_id][position],
        float(evidence.frequency[row]),
        float(evidence.evidence[row]),
    )


def _entry(
    hpo_id: str, role: str, matched: str | None, frequency: float | None, evidence: float | None
) -> dict[str, Any]:
    return {
        "hpo_id": hpo_id,
        "role": role,
        "matched_hpo_id": matched,
        "frequency": None if frequency is None else round(frequency, 6),
        "evidence": None if evidence is None else round(evidence, 6),
    }


def _ruled_out(hpo_id: str, excluded: Iterable[str], known: Corpus) -> bool:
    return bool(excluded) and not set(excluded).isdisjoint(known.ancestors.get(hpo_id, ()))


def _is_open(hpo_id: str, patient: Patient, excluded: Iterable[str], known: Corpus) -> bool:
    """Whether it says something to look for a finding in this patient: it is an abnormality, not
    ruled out by an exclusion, and fits age and sex."""
    return (
        known.information.get(hpo_id, 0.0) > 0
        and not _ruled_out(hpo_id, excluded, known)
        and all(rule.fits(patient) for rule in known.rules_of(hpo_id))
    )


def _features(
    patient: Patient,
    compared: list[int],
    present: list[str],
    excluded: list[str],
    known: Corpus,
    numbers: Parameters,
) -> dict[int, list[dict[str, Any]]]:
    """Per compared disease the frequency of every finding that tells these diseases apart, has not
    been looked for and fits the patient: the same findings for each disease, the most
    discriminating first. What is not annotated is unknown: null, counted as `unknown_frequency`."""
    covered = set(_implied(present, known))
    candidates = set()
    for row in compared:
        start, end = known.annotation_start[row : row + 2]
        frequent = known.annotated_frequencies[start:end] >= numbers.feature_frequency
        candidates.update(known.annotated_terms[start:end][frequent].tolist())
    names = [
        hpo_id
        for hpo_id in sorted(candidates - covered)
        if _is_open(hpo_id, patient, excluded, known)
    ]
    if not names:
        return {}
    frequency_of = np.full((len(names), len(compared)), np.nan)
    for column, row in enumerate(compared):
        known_of = known.frequencies_of(row)
        frequency_of[:, column] = [known_of.get(hpo_id, math.nan) for hpo_id in names]
    assumed = np.where(np.isnan(frequency_of), numbers.unknown_frequency, frequency_of)
    apart = np.flatnonzero(np.ptp(assumed, axis=1) >= numbers.discriminating_difference)
    spread = np.round(assumed[apart].std(axis=1), 9)
    best = apart[np.argsort(-spread, kind="stable")][: numbers.compared_features]
    telling = [(names[position], frequency_of[position].tolist()) for position in best]
    return {
        row: [
            {"hpo_id": hpo_id, "frequency": _known_frequency(frequencies[column])}
            for hpo_id, frequencies in telling
        ]
        for column, row in enumerate(compared)
    }


def _known_frequency(frequency: float) -> float | None:
    return None if math.isnan(frequency) else round(frequency, 6)


def patients_of(cases: pa.Table, findings: pa.Table) -> list[Patient]:
    """Patients from one row per case (case_id, age_years, sex; if known onset_years, is_pregnant
    and gold_disease_ids) and one row per finding (case_id, hpo_id, is_excluded; if known status,
    onset_years and is_ongoing); in the order of their ids."""
    ages = dict(zip(*(cases[name].to_pylist() for name in ("case_id", "age_years")), strict=True))
    past: dict[str, list[str]] = defaultdict(list)
    present: dict[str, list[str]] = defaultdict(list)
    excluded: dict[str, list[str]] = defaultdict(list)
    for row in findings.to_pylist():
        (excluded if row["is_excluded"] else present)[row["case_id"]].append(row["hpo_id"])
        began = row.get("onset_years")
        if began is None and row.get("is_ongoing") is False:
            began = ages.get(row["case_id"])  # resolved, and nothing says that it was in childhood
        if row.get("status") == "past" and (began or 0.0) >= ADULT_YEARS:
            past[row["case_id"]].append(row["hpo_id"])
    return [
        Patient(
            row["case_id"],
            present[row["case_id"]],
            excluded[row["case_id"]],
            row.get("onset_years"),
            row["age_years"],
            row["sex"],
            row.get("gold_disease_ids") or [],
            past[row["case_id"]],
            row.get("is_pregnant"),
        )
        for row in cases.sort_by("case_id").to_pylist()
        if row["case_id"] in present
    ]


def differentials(matches: pa.Table, diseases: pa.Table, terms: pa.Table) -> pa.Table:
    """What `match` found of patients without a gold disease, as lists of diagnoses with words.

    diseases  disease_id, disease_name
    terms     hpo_id, hpo_name

    One row per (case_id, diagnosis_rank), DIFFERENTIAL_SCHEMA. `score` is in nats per finding.
    """
    disease_names = {row["disease_id"]: row["disease_name"] for row in diseases.to_pylist()}
    term_names = {row["hpo_id"]: row["hpo_name"] for row in terms.to_pylist()}
    rows = []
    for match_row in matches.filter(pc.field("match_rank") <= LISTED).to_pylist():
        names: dict[str, list[str]] = defaultdict(list)
        for entry in match_row["evidence"]:
            names[entry["role"]].append(term_names[entry["hpo_id"]])
        listed = {role: ", ".join(names[role]) or "none" for role in ROLES}
        rows.append(
            {
                "case_id": match_row["case_id"],
                "diagnosis_rank": match_row["match_rank"],
                "disease_id": match_row["disease_id"],
                "diagnosis": disease_names[match_row["disease_id"]],
                "reasoning": f"{len(names['supporting'])} of {match_row['n_findings']} findings "
                f"speak for it; {match_row['score']:.1f} nats per finding",
                "in_favour": f"Matched: {listed['supporting']}",
                "against": f"Unexpected: {listed['unexplained']}. Excluded in the patient: "
                f"{listed['contradicting']}. Missing: {listed['missing']}",
                "score": match_row["score"],
            }
        )
    return pa.Table.from_pylist(rows, schema=DIFFERENTIAL_SCHEMA)
