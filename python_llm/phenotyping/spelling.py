"""Misspelt names of findings.

`rapidfuzz.fuzz.ratio`, not `WRatio`: WRatio also scores the best part of a name, so every short
name inside a long one would be a near match ("pain" in "painful swelling of the hands"), and part
of what a clinician wrote is not what the clinician meant. Word order is free, as in headings.
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

# how many names within the cut-off are tried, because the nearest may be an opposite
LOOKED_AT = 5


def in_order(name: str) -> str:
    """The words of a normalised name in alphabetical order."""
    return " ".join(sorted(name.split()))


def is_opposite(written: str, known: str, opposites: Iterable[tuple[str, str]]) -> bool:
    """Whether one name contains a word beginning and the other its opposite: hypertelorism is not a
    misspelt hypotelorism, although only two letters differ."""
    ours, theirs = written.split(), known.split()

    def starts(words: list[str], beginning: str) -> bool:
        return any(word.startswith(beginning) for word in words)

    for pair in opposites:
        for left, right in (pair, pair[::-1]):
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
    if not written.num_rows:
        return SPELLING_SCHEMA.empty_table()
    known = list(zip(*(names[c].to_pylist() for c in ("name_normalised", "hpo_id")), strict=True))
    choices = [in_order(name) for name, _ in known]
    pairs = list(zip(opposites["one"].to_pylist(), opposites["other"].to_pylist(), strict=True))
    rows = []
    for name in written["name_normalised"].to_pylist():
        near = process.extract(
            in_order(name), choices, scorer=fuzz.ratio, score_cutoff=cut_off, limit=LOOKED_AT
        )
        matches = ((score, *known[position]) for _, score, position in near)
        for score, known_name, hpo_id in sorted(matches, key=lambda match: (-match[0], match[1:])):
            if not is_opposite(name, known_name, pairs):
                rows.append((name, hpo_id, known_name, score / 100))
                break
    columns = list(zip(*rows, strict=True)) or [() for _ in SPELLING_SCHEMA]
    return pa.Table.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, SPELLING_SCHEMA, strict=True)],
        schema=SPELLING_SCHEMA,
    )
