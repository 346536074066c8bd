"""Tables with a row for each diagnosis and a probability instead of a rank."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import column_key
from python_llm.runs.reading import Table, value_of

MOSTLY = 0.5  # share of the cases that have several rows where each row is one diagnosis of a list
READABLE = 0.9  # share of the numbers in a column of weights that is named score
LISTED = re.compile(r"[\n;|]|.{161}")  # no answer of one name: names have at most 160 characters
WEIGHT = re.compile(r"(\d+(?:[.,]\d*)?|[.,]\d+)(?:e(-?\d{1,3}))?\s*%?", re.IGNORECASE)
THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
WHOLE = re.compile(r"[1-9]\d{1,2}")
# What a model gives the less of, the likelier it holds a diagnosis.
SMALLER_IS_LIKELIER = re.compile(
    r"(?:^|_)(?:neg|negative|minus|nll|loss|perplexity|ppl|surprisal|distance|distancia|perdida|"
    r"cost|coste|energy|error)(?:_|$)"
)
RANKS = "rank by {}"


def ranked(source: Table) -> Table:
    """A table whose cases have several rows, each with a name and a weight (a share or a
    percentage), and no ranks: with a column of ranks, the greatest weight first and equal ones as
    they stand. A row without a readable weight gets no rank. Any other table is as it was. Raises
    FileError for numbers that may have separators of thousands."""
    columns = source.columns
    named = columns.get("diagnosis") or columns.get("answer")
    if not named or "case" not in columns or "rank" in columns or source.is_in_order:
        return source
    cases = _cases(source.rows, columns["case"])
    weight = _column_of_weights(source)
    n_several = sum(len(placed) > 1 for placed in cases.values())
    if weight is None or n_several < max(1, MOSTLY * len(cases)):
        return source
    if any(LISTED.search(value_of(row.values.get(named, ""))) for row in source.rows):
        return source
    _check_direction(source, weight)
    _check_thousands(source, weight)
    in_percent = any("%" in row.values.get(weight, "") for row in source.rows)
    ranks: dict[int, str] = {}  # by the place of a row: several may have one number
    for placed in cases.values():
        weights = {at: weight_of(row.values.get(weight, ""), in_percent) for at, row in placed}
        usable = [at for at, value in weights.items() if value is not None]
        usable.sort(key=lambda at: -(weights[at] or 0))
        ranks |= {at: str(rank) for rank, at in enumerate(usable, 1)}
    name = RANKS.format(weight)
    rows = [
        row._replace(values={**row.values, name: ranks.get(at, "")})
        for at, row in enumerate(source.rows)
    ]
    kept = {role: column for role, column in columns.items() if column not in (weight, named)}
    kept |= {"rank": name, "probability": weight, "diagnosis": named}
    note = (
        f"The rows of a case are ranked by '{weight}', the greatest first and equal ones as they "
        "stand."
    )
    return replace(source, rows=rows, columns=kept, notes=[*source.notes, note])


def _check_direction(source: Table, weight: str) -> None:
    """Raise FileError where the name of the column says that the least counts most."""
    if word := SMALLER_IS_LIKELIER.search(column_key(weight)):
        raise FileError(
            f"{source.name}: '{weight}' is called after what is small for a likely diagnosis "
            f"({word[0].strip('_')}), and the rows of a case are ranked by the greatest first: add "
            "a column rank (1 is the likeliest), or one of probabilities."
        )


def _check_thousands(source: Table, weight: str) -> None:
    """Raise FileError where 1.200 stands beside 950: it may be 1,200 or 1.2."""
    written = [value_of(row.values.get(weight, "")) for row in source.rows]
    grouped = [text for text in written if THOUSANDS.fullmatch(text)]
    if grouped and all(text in grouped or WHOLE.fullmatch(text) for text in written if text):
        raise FileError(
            f"{source.name}: in the column '{weight}', '{grouped[0]}' may be a number above a "
            "thousand or have decimals: write the numbers without separators of thousands."
        )


def weight_of(written: str, in_percent: bool = False) -> float | None:
    """'0.45', '.45', '0,45', '45 %', '4.5e-1' as a number, a percentage as a share; None for
    anything else, and, in a column that has percentages, for a number above 1 without the sign."""
    match = WEIGHT.fullmatch(written.strip())
    if not match:
        return None
    weight = float(match[1].replace(",", ".")) * 10 ** int(match[2] or 0)
    if written.strip().endswith("%"):
        return weight / 100
    return None if in_percent and weight > 1 else weight


def _cases(rows: Iterable[Row], column: str) -> dict[str, list[tuple[int, Row]]]:
    """The rows of each case, each with its place among all."""
    cases: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    for at, row in enumerate(rows):
        if ref := value_of(row.values.get(column, "")):
            cases[ref].append((at, row))
    return cases


def _column_of_weights(source: Table) -> str | None:
    """The column that is named as one; or one named score, which may also be the rank of the gold
    diagnosis, where some of its numbers are no whole ones."""
    if "probability" in source.columns:
        return source.columns["probability"]
    column = source.columns.get("gold_rank")
    if column is None or column_key(column) != "score":
        return None
    weights = [weight_of(row.values.get(column, "")) for row in source.rows]
    numbers = [weight for weight in weights if weight is not None]
    is_fractional = any(number % 1 for number in numbers)
    return column if is_fractional and len(numbers) >= READABLE * len(weights) else None
