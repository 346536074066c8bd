"""How the work-up of thirty notes of our own compares with what was expected of each beforehand.

    python benchmarks/work_up.py [NOTES.tsv]

Columns: number, language, red_flag (one that stops the case, or empty), expected (ids of the
disease, or `stopped`), step (a word of the test that is asked for), sources, note. Prints, per
note, whether the red flags are as expected, the rank of the expected group, and that of the step.
"""

import csv
import sys
from pathlib import Path

from python_llm import paths
from python_llm.phenotyping.one_patient import PatientInput, work_up

NOTES = Path(__file__).with_name("work_up_notes.tsv")


def main() -> None:
    """Work up every note and print the table."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else NOTES
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    results = [measured(row) for row in rows]
    print("| note | red flags | expected disease | first step | read |")
    print("|---|---|---|---|---|")
    for row, result in zip(rows, results, strict=True):
        disease = "stopped" if result["is_stopped"] else ordinal(result["disease"])
        step = "" if result["is_stopped"] else ordinal(result["step"])
        flags = "as expected" if result["flags"] else "WRONG"
        number = f"{row['number']} {row['language']}"
        print(f"| {number} | {flags} | {disease} | {step} | {result['n']} |")
    going = [result for result in results if not result["is_stopped"]]
    print(
        f"\nRed flags as expected {sum(r['flags'] for r in results)} of {len(results)}; disease "
        f"first {sum(r['disease'] == 1 for r in going)}, among ten "
        f"{sum(r['disease'] is not None for r in going)}, step first "
        f"{sum(r['step'] == 1 for r in going)}, among five "
        f"{sum(r['step'] is not None for r in going)}, of {len(going)}"
    )


def measured(row: dict[str, str]) -> dict:
    """Whether flags are as expected, and the ranks of disease and step (None: not listed)."""
    found = work_up(
        paths.served_database(), PatientInput(note=row["note"], language=row["language"])
    )
    urgent = {flag["flag_name"] for flag in found["red_flags"] if flag["severity"] == "URGENT"}
    wanted = set(filter(None, row["red_flag"].split(";")))
    ids = row["expected"].split(";")
    groups = found.get("disease_candidates", [])
    steps = found.get("next_best_steps", [])
    return {
        "flags": urgent == wanted,
        "is_stopped": found["status"] == "stopped",
        "disease": next((group["rank"] for group in groups if holds(group, ids)), None),
        "step": next(
            (step["rank"] for step in steps if row["step"].lower() in step["action"].lower()), None
        ),
        "n": sum(not finding["is_excluded"] for finding in found.get("phenotypes", [])),
    }


def holds(group: dict, ids: list[str]) -> bool:
    """Whether the group is led by, is most likely the same as, or contains one of the diseases."""
    named = [group["disease_id"], group.get("same_as", ""), *group.get("group", [])]
    return any(disease_id in name for disease_id in ids for name in named)


def ordinal(rank: int | None) -> str:
    """A rank, or a dash."""
    return "—" if rank is None else str(rank)


if __name__ == "__main__":
    main()
