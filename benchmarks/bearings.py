"""How often what an order reads like is right, in fields it was not learnt from.

    python benchmarks/bearings.py

The orders of the seed example_orders are measured field by field; what is measured of one field is
learnt from all others, whose situations and writers are different. `plain` should be high for
orders that harm nobody, `harmful` for those that harm in an acute situation. The orders were
written by language models, so this is how it does on orders written in that way.
"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from python_llm import seeds
from python_llm.recommendations.wording import bearings
from python_llm.recommendations.wording.bearings import ACUTE, Bearing

LIMITS = (0.6, 0.7, 0.8, 0.9, 0.95)


def read_by_others() -> dict[tuple[str, str], list[Bearing]]:
    """By setting and bearing of an order, how it reads to whoever has not learnt from its field."""
    rows = seeds.read("seeds/recommendations/example_orders.csv")
    read = defaultdict(list)
    for field in sorted({row["field"] for row in rows}):
        learnt = bearings.learnt([row for row in rows if row["field"] != field])
        for row in rows:
            if row["field"] == field:
                group = row["setting"], row["bearing"]
                read[group].append(learnt.of(row["order_text"]))
    return read


def main() -> None:
    read = read_by_others()
    for name in ("plain", "harmful"):
        print(f"\n{name + ' at least':28}", *(f"{limit:>8}" for limit in LIMITS))
        for (setting, bearing), those in sorted(read.items()):
            if name == "harmful" and setting != ACUTE:
                continue
            values = [getattr(bearing, name) for bearing in those]
            shares = (sum(v >= limit for v in values) / len(values) for limit in LIMITS)
            told = f"{setting} {bearing} ({len(values)})"
            print(f"{told:28}", *(f"{share:8.1%}" for share in shares))


if __name__ == "__main__":
    main()
