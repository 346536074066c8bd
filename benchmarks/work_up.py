"""How the work-up of notes of our own compares with what was expected of each beforehand.

    python benchmarks/work_up.py [NOTES.tsv]

Columns: number, language, red_flag (those that stop the case, `*` for any, or empty), expected (ids
of the disease or how its name begins, or `stopped`), step (words of the test that is asked for, any
of which will do), sources, note. Prints, per note, whether the red flags are as expected, the rank
of the expected group, whether a common cause has its name, and the rank of the step; a note without
an expected disease or step does not count for it.
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
    print("| note | red flags | expected disease | common cause | first step | read |")
    print("|---|---|---|---|---|---|")
    for row, result in zip(rows, results, strict=True):
        disease = "stopped" if result["is_stopped"] else ordinal(result["disease"])
        step = "" if result["is_stopped"] else ordinal(result["step"])
        flags = "as expected" if result["flags"] else "WRONG"
        number = f"{row['number']} {row['language']}"
        cause = "yes" if result["common"] else "—"
        print(f"| {number} | {flags} | {disease} | {cause} | {step} | {result['n']} |")
    print(f"\nRed flags as expected {sum(r['flags'] for r in results)} of {len(results)}")
    for name, wanted, most in (("disease", "expected", "ten"), ("step", "step", "five")):
        pairs = zip(rows, results, strict=True)
        asked = [r[name] for row, r in pairs if row[wanted] and not r["is_stopped"]]
        first, among = asked.count(1), len(asked) - asked.count(None)
        third = sum(rank is not None and rank <= 3 for rank in asked)
        counts = f"first {first}, among three {third}, among {most} {among}"
        print(f"{name.capitalize()} {counts}, of {len(asked)}")
    named = [r for row, r in zip(rows, results, strict=True) if row["expected"]]
    first = sum(r["common"] or r["disease"] == 1 for r in named)
    among = sum(r["common"] or r["disease"] is not None for r in named)
    print(f"Disease first or a common cause {first}, among ten or a common cause {among}")


def measured(row: dict[str, str]) -> dict:
    """Whether flags are as expected, and the ranks of disease and step (None: not listed)."""
    found = work_up(
        paths.served_database(), PatientInput(note=row["note"], language=row["language"])
    )
    urgent = {flag["flag_name"] for flag in found["red_flags"] if flag["severity"] == "URGENT"}
    wanted = set(filter(None, row["red_flag"].split(";")))
    ids = list(filter(None, row["expected"].split(";")))
    words = [word.lower() for word in row["step"].split(";") if word]
    groups = found.get("disease_candidates", [])
    steps = found.get("next_best_steps", [])
    return {
        "flags": bool(urgent) if wanted == {"*"} else urgent == wanted,
        "is_stopped": found["status"] == "stopped",
        "disease": next((group["rank"] for group in groups if holds(group, ids)), None),
        "common": any(
            begins(cause, wanted) for wanted in ids for cause in found.get("common_causes", [])
        ),
        "step": next(
            (
                step["rank"]
                for step in steps
                if any(word in step["action"].lower() for word in words)
            ),
            None,
        ),
        "n": sum(not finding["is_excluded"] for finding in found.get("phenotypes", [])),
    }


def holds(group: dict, ids: list[str]) -> bool:
    """Whether the group is led by, is most likely the same as, or contains one of the diseases."""
    named = [group[key] for key in ("disease_id", "disease", "same_as") if group.get(key)]
    named += group.get("group", [])
    return any(begins(name, wanted) for wanted in ids for name in named)


def begins(name: str, wanted: str) -> bool:
    """Whether a name begins with the wanted words: "Parkinson disease" is no juvenile one."""
    return name.lower().startswith(wanted.lower())


def ordinal(rank: int | None) -> str:
    """A rank, or a dash."""
    return "—" if rank is None else str(rank)


if __name__ == "__main__":
    main()
