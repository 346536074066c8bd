"""How well and how fast the disease match finds known diagnoses.

    python benchmarks/ranker.py FILE.jsonl …   cases as RareBench has them, one JSON object a line:
                                               Phenotype (HPO ids), RareDisease (ids of one disease)
    python benchmarks/ranker.py FOLDER …       GA4GH phenopackets, with age, sex and exclusions

Reads the served database of the last build. A case counts as found at the best rank of any of its
diseases' canonical ids among all diseases with phenotypes; a case none of whose ids is among them
is counted as not found. Prints recall at 1, 3 and 10 and the median rank per file and over all,
then recall when kin count as one (the rank of the group that holds the disease), how well the
probability of the best group is calibrated, and the time, loading apart.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

import duckdb

from python_llm import paths
from python_llm.paths import served_database
from python_llm.phenotyping import phenopacket
from python_llm.phenotyping.matching import Parameters, Patient, corpus, match

ALT_IDS = "seeds/terminology/hpo_alt_id.csv"
PARAMETERS = "seeds/phenotyping/work_up_parameters.csv"


def main() -> None:
    """Read the files, rank, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=1, help="Rank every case so many times.")
    arguments = parser.parse_args()
    began = time.perf_counter()
    with duckdb.connect(str(served_database()), read_only=True) as served:
        known, numbers = read(served)
        patients = [
            patient
            for _ in range(arguments.repeat)
            for file in arguments.files
            for patient in (read_packets if file.is_dir() else read_cases)(file, served)
        ]
    loaded = time.perf_counter()
    matches = match(patients, known, numbers)
    ranked = time.perf_counter()
    rows = matches.to_pylist()
    report(patients, rows, "match_rank")
    print("\nkin as one group")
    report(patients, rows, "group_rank")
    calibration(patients, rows)
    print(
        f"{len(patients):,} cases against {len(known.disease_ids):,} diseases: "
        f"{ranked - loaded:.1f} s; loading before it {loaded - began:.1f} s"
    )


def read(served: duckdb.DuckDBPyConnection):
    """Corpus and parameters, from the served tables and the seed."""
    queries = [
        "select hpo_id, information_content from dim_hpo_term where is_phenotypic_abnormality",
        "select hpo_id, ancestor_hpo_id from bridge_hpo_ancestor",
        "select disease_id, hpo_id, frequency from bridge_disease_phenotype_closure",
        "select disease_id, hpo_id, frequency from bridge_disease_phenotype",
        "from dim_disease_profile",
        "select disease_id, gene_symbol from bridge_disease_gene",
    ]
    known = corpus(*(served.sql(query).to_arrow_table() for query in queries))
    rows = duckdb.sql(
        f"select parameter, value::double from read_csv('{paths.resolve(PARAMETERS)}')"
    )
    return known, Parameters.of(dict(rows.fetchall()))


def read_cases(file: Path, served: duckdb.DuckDBPyConnection) -> list[Patient]:
    """Cases with current HPO ids and canonical diseases."""
    current = dict(duckdb.sql(f"from read_csv('{paths.resolve(ALT_IDS)}')").fetchall())
    canonical = dict(
        served.sql("select unnest(source_disease_ids), disease_id from dim_disease").fetchall()
    )
    patients = []
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        try:
            case = json.loads(line)
            found = [current.get(each, each) for each in case["Phenotype"]]
            diseases = {canonical[each] for each in case["RareDisease"] if each in canonical}
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            sys.exit(f"{file}, line {number}: no case with Phenotype and RareDisease ({error!r})")
        patients.append(Patient(f"{file.stem}/{number}", found, gold=sorted(diseases)))
    return patients


def read_packets(folder: Path, served: duckdb.DuckDBPyConnection) -> list[Patient]:
    """Phenopackets with current HPO ids and canonical diseases; the onset is the earliest."""
    current = dict(duckdb.sql(f"from read_csv('{paths.resolve(ALT_IDS)}')").fetchall())
    canonical = dict(
        served.sql("select unnest(source_disease_ids), disease_id from dim_disease").fetchall()
    )
    patients = []
    for file in sorted(folder.glob("*.json")):
        text = file.read_text()
        packet, read = json.loads(text), phenopacket.read(text)
        ids = {each["term"]["id"] for each in packet.get("diseases", [])}
        for each in packet.get("interpretations", []):
            ids.add(each.get("diagnosis", {}).get("disease", {}).get("id"))
        patients.append(
            Patient(
                f"{folder.name}/{file.stem}",
                [current.get(each, each) for each in read["findings"]],
                [current.get(each, each) for each in read["excluded"]],
                min(read["onsets"].values(), default=None),
                read["age_years"],
                read["sex"],
                sorted({canonical[each] for each in ids if each in canonical}),
            )
        )
    return patients


def calibration(patients: list[Patient], rows: list[dict]) -> None:
    """The probability of the best group against how often it holds the disease."""
    gold = {patient.case_id: set(patient.gold) for patient in patients}
    held, said = defaultdict(bool), {}
    for row in rows:
        if row["group_rank"] == 1:
            said[row["case_id"]] = row["group_probability"]
            held[row["case_id"]] |= row["disease_id"] in gold[row["case_id"]]
    print(f"\n{'probability':<14}{'cases':>7}{'mean':>8}{'right':>8}")
    error = brier = 0.0
    for tenth in range(10):
        cases = [case for case, p in said.items() if min(int(p * 10), 9) == tenth]
        if cases:
            mean = statistics.mean(said[case] for case in cases)
            right = statistics.mean(held[case] for case in cases)
            error += abs(mean - right) * len(cases) / len(said)
            print(f"{tenth / 10:<14}{len(cases):>7}{mean:>8.3f}{right:>8.3f}")
    brier = statistics.mean((said[case] - held[case]) ** 2 for case in said)
    print(f"expected calibration error {error:.3f}, Brier score {brier:.3f}\n")


def report(patients: list[Patient], rows: list[dict], rank_column: str) -> None:
    """Recall and median rank per file and over all."""
    best: dict[str, int] = {}
    gold = {patient.case_id: set(patient.gold) for patient in patients}
    for row in rows:
        if row["disease_id"] in gold[row["case_id"]]:
            rank = row[rank_column] or float("inf")
            best[row["case_id"]] = min(best.get(row["case_id"], rank), rank)
    ranks: dict[str, list[float]] = defaultdict(list)
    for case_id in dict.fromkeys(patient.case_id for patient in patients):
        for group in (case_id.partition("/")[0], "all"):
            ranks[group].append(best.get(case_id, float("inf")))
    print(f"{'set':<20}{'cases':>7}{'@1':>8}{'@3':>8}{'@10':>8}{'median':>9}")
    for group, found in ranks.items():
        recall = "".join(f"{sum(r <= k for r in found) / len(found):>8.3f}" for k in (1, 3, 10))
        print(f"{group:<20}{len(found):>7}{recall}{statistics.median(found):>9.1f}")


if __name__ == "__main__":
    main()
