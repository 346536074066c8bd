"""Misspelt names of findings.

`rapidfuzz.fuzz.ratio` and not `WRatio`: WRatio also scores a name by its best part, so that every
short name inside a long one is a near match ("pain" in "painful swelling of the hands"), and a
part of what a clinician wrote is not what was meant. Word order is free, as it is in headings.
"""

from collections.abc import Iterable

import pyarrow as pa
from rapidfuzz import fuzz, process

SPELLING_SCHEMA = pa.schema(
    [
        ("name_normalised", pa.string()),
        ("hpo_id", pa.string()),
        ("matched_name", pa.string()),
        ("similarity", pa.float64()),
    ]
)

# of the names within the cut-off, how many are looked at before giving up on opposites
LOOKED_AT = 5


def in_order(name: str) -> str:
    """The words of a normalised name in alphabetical order."""
    return " ".join(sorted(name.split()))


def is_opposite(written: str, known: str, opposites: Iterable[tuple[str, str]]) -> bool:
    """Whether one name holds the beginning of a word where the other holds its opposite: no slip
    of the pen turns hypertelorism into hypotelorism, two letters away as it is."""
    ours, theirs = written.split(), known.split()

    def starts(words: list[str], beginning: str) -> bool:
        return any(word.startswith(beginning) for word in words)

    for one, other in opposites:
        for left, right in ((one, other), (other, one)):
            if (
                starts(ours, left)
                and starts(theirs, right)
                and not starts(ours, right)
                and not starts(theirs, left)
            ):
                return True
    return False


def match_spellings(
    written: pa.Table, names: pa.Table, opposites: pa.Table, *, cut_off: float
) -> pa.Table:
    """SPELLING_SCHEMA, one row per name of `written` (name_normalised) that has a known name
    (`names`: name_normalised, hpo_id) within `cut_off` (0 to 100) and not its opposite
    (`opposites`: one, other). similarity is a share, 0 to 1."""
    known = list(zip(*(names[c].to_pylist() for c in ("name_normalised", "hpo_id")), strict=True))
    choices = [in_order(name) for name, _ in known]
    pairs = list(zip(opposites["one"].to_pylist(), opposites["other"].to_pylist(), strict=True))
    rows = []
    for name in written["name_normalised"].to_pylist():
        near = process.extract(
            in_order(name), choices, scorer=fuzz.ratio, score_cutoff=cut_off, limit=LOOKED_AT
        )
        for _, score, place in sorted(near, key=lambda found: (-found[1], known[found[2]])):
            if not is_opposite(name, known[place][0], pairs):
                rows.append((name, known[place][1], known[place][0], score / 100))
                break
    columns = list(zip(*rows, strict=True)) or [() for _ in SPELLING_SCHEMA]
    return pa.Table.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, SPELLING_SCHEMA, strict=True)],
        schema=SPELLING_SCHEMA,
    )
