"""How often what a note reads like is right, on notes it was not learnt from.

    python benchmarks/impressions.py [--folds 5 | --writers]

The notes of the seed example_notes that the rules are not held to are dealt into folds; what is
measured of one is learnt from all others. `read` is how much like an emergency of now: of notes of
one (status now) it should be high, of all others low. With --writers the notes of one writer are
measured by what is learnt from all others. The notes were written by language models, so
this is how it does on notes written in that way, and says little of a ward's.
"""

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from python_llm import seeds
from python_llm.learnt.lessons import MARKED
from python_llm.phenotyping import alarms, impressions
from python_llm.phenotyping.impressions import NOW, Impression, first_of

LIMITS = (0.1, 0.5, 0.8)
# macros/phenotyping/impressions.sql
LOWERED, LOWERED_OF_FEW, FEW_WORDS, RAISED = 0.1, 0.02, 25, 0.5


def out_of_fold(folds: int) -> list[tuple[dict[str, str], Impression | None]]:
    """Every note that is measured, with what it reads like to whoever has not learnt from it; None
    for one of few words."""
    rows = [r for r in seeds.read("seeds/phenotyping/example_notes.csv") if r["status"] != MARKED]
    always = [row for row in rows if row["rules_tell"] == "true"]
    dealt = [row for row in rows if row["rules_tell"] != "true"]
    random.Random(29).shuffle(dealt)  # neighbours are of one kind and of like registers
    read = []
    for fold in range(folds):
        others = [row for number, row in enumerate(dealt) if number % folds != fold]
        learnt = impressions.learnt([*always, *others])
        for row in dealt[fold::folds]:
            read.append((row, learnt.of(row["note"])))
    return read


def out_of_writer() -> list[tuple[dict[str, str], Impression | None]]:
    """Every note of a writer whom the source names, with what it reads like to whoever has learnt
    from everybody else."""
    rows = [r for r in seeds.read("seeds/phenotyping/example_notes.csv") if r["status"] != MARKED]
    read = []
    for writer in sorted({row["source"] for row in rows if "writer" in row["source"]}):
        learnt = impressions.learnt([row for row in rows if row["source"] != writer])
        read += [(row, learnt.of(row["note"])) for row in rows if row["source"] == writer]
    return read


def print_with_rules(read: list[tuple[dict[str, str], Impression | None]]) -> None:
    """Which notes raise an urgent flag by the rules alone, and by both readers as fct_red_flag has
    it, but that a measured value keeps its flag there."""
    rules = alarms.Alarms(alarms.tables_of_seeds())
    raised: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row, impression in read:
        alone = bool(rules.told(row["note"], None))
        both = alone
        if impression:
            lowered = LOWERED_OF_FEW if impression.n_words < FEW_WORDS else LOWERED
            both = impression.urgency >= (lowered if alone else RAISED)
        group = row["status"] if row["status"] in (NOW, "can_wait") else "others"
        raised[group].append((alone, both))
    print("\nurgent flags           by the rules alone         with the note as a whole")
    for group, pairs in raised.items():
        of_rules, of_both = ([*flags] for flags in zip(*pairs, strict=True))
        print(f"{group:22} {share(of_rules):26} {share(of_both)}")


def share(of: list[bool]) -> str:
    return f"{sum(of):5} of {len(of):5} ({sum(of) / len(of):.3f})" if of else "none"


def print_kinds(name: str, column: str, read: list[tuple[dict[str, str], Impression]]) -> None:
    rows = [
        (first_of(row[column]), [kind for kind, _ in getattr(impression, name)])
        for row, impression in read
        if row[column] and (name == "illnesses" or row["status"] == NOW)
    ]
    print(
        f"\n{name}: nearest {share([kinds[0] == gold for gold, kinds in rows])}, "
        f"among three {share([gold in kinds for gold, kinds in rows])}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--writers", action="store_true")
    asked = parser.parse_args()
    all_read = out_of_writer() if asked.writers else out_of_fold(asked.folds)
    read = [(row, impression) for row, impression in all_read if impression]
    print(f"{len(all_read)} notes, {len(all_read) - len(read)} of them too short to be judged")
    by_status: dict[str, list[float]] = defaultdict(list)
    for row, impression in read:
        by_status[row["status"]].append(impression.urgency)
        by_status[f"{'now' if row['status'] == NOW else 'all others'} in {row['language']}"].append(
            impression.urgency
        )
    print("status                 " + "".join(f"read above {limit:<18}" for limit in LIMITS))
    for status, values in sorted(by_status.items()):
        print(f"{status:22} " + "  ".join(share([v >= limit for v in values]) for limit in LIMITS))
    print_kinds("emergencies", "emergency", read)
    print_kinds("illnesses", "picture", read)
    for limit in (-0.9, -0.85, -0.82, -0.8, -0.75, -0.7):
        near = [
            impression.illnesses[0][0] == row["picture"]
            for row, impression in read
            if row["picture"] and impression.illnesses[0][1] >= limit
        ]
        others = [
            impression.illnesses[0][1] >= limit for row, impression in read if not row["picture"]
        ]
        print(f"  margin {limit}: right {share(near)}; of notes of no illness {share(others)}")
    print_with_rules(all_read)


if __name__ == "__main__":
    main()
