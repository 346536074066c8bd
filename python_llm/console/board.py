"""What of the leaderboard is shown: chosen rows in a chosen order, and at most a screen of them."""

import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from python_llm.console.leaderboard import (
    IN_PART,
    LEGEND,
    SCORES,
    format_leaderboard,
    score_lines,
)
from python_llm.errors import UserError
from python_llm.registries.names import nearest

Row = dict[str, Any]
RULES = "terminology"  # the judge that has judged everything, and is shown unless another is named
# Where the output is no terminal: about a printed page.
LINES = 50
HEADINGS = {
    **{heading.split()[0].replace("-", ""): metric for heading, metric, *_ in SCORES},
    **{
        f"broad-{heading.split()[0].replace('-', '')}": metric.replace("_strict", "_broad")
        for heading, metric, *_ in SCORES
        if metric.endswith("_strict")
    },
    "cost": "generation_usd",
    "failed": "n_failures",
}
# n_cases counts too: a row that rests on fewer cases comes first, to be seen
LESS_IS_BETTER = ("n_", "dangerous_omission", "generation_usd")
# lines of a board that are no configuration's, and those above each set
AROUND, PER_SET = 6, 3


class NoSuchRow(UserError):
    """A name that no row of the leaderboard has."""


def chosen(
    rows: Sequence[Row],
    names: Mapping[str, Collection[str]],
    sort: str | None = None,
) -> list[Row]:
    """The rows of the leaderboard that have these names, the best by `sort` first.

    names: by 'model', 'prompt', 'test-set' and 'judge'; none means all. sort: a heading or a
    numeric column; of dollars and counts the smallest is the best. Raises NoSuchRow for a name or a
    column that no row has.
    """
    values = [dict(zip(("model", "prompt", "test-set"), _parts(row), strict=True)) for row in rows]
    for value, row in zip(values, rows, strict=True):
        value["judge"] = row["judge_id"]
    for kind, wanted in names.items():
        known = {value[kind] for value in values}
        for name in wanted:
            if name not in known:
                raise NoSuchRow(
                    f"The leaderboard has no {kind} '{name}'. The nearest: {nearest(name, known)}."
                )
    kept = [
        row
        for value, row in zip(values, rows, strict=True)
        if all(value[kind] in wanted for kind, wanted in names.items() if wanted)
    ]
    return kept if sort is None else _sorted(kept, sort)


def nothing_chosen(rows: Sequence[Row], names: Mapping[str, Collection[str]]) -> str:
    """Why no row has all of these names, each of which some row has: who else has judged these."""
    judges = ", ".join(names.get("judge", ())) or "any judge"
    others = chosen(rows, {kind: wanted for kind, wanted in names.items() if kind != "judge"})
    wanted = [
        f"{kind} {' or '.join(chosen_names)}"
        for kind, chosen_names in names.items()
        if chosen_names
    ]
    if not others:
        return f"No configuration has {', '.join(wanted)} together."
    known = ", ".join(sorted({row["judge_id"] for row in others}))
    n_asked = len({row["configuration_id"] for row in others if row["is_asked"]})
    return (
        f"Judged by {judges}: none of the {n_asked} configurations asked that you choose. "
        f"Judged by: {known}."
    )


def _parts(row: Row) -> list[str]:
    """Model, prompt and test set of a configuration."""
    return [str(part) for part in row["configuration_id"].split("/", 2)]


def _sorted(rows: list[Row], sort: str) -> list[Row]:
    numeric = {
        name
        for row in rows
        for name, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    column = HEADINGS.get(sort.removesuffix("%").strip().replace("-", ""), HEADINGS.get(sort, sort))
    if rows and column not in numeric:
        known = {*HEADINGS, *numeric}
        raise NoSuchRow(
            f"The leaderboard has no number '{sort}'. The nearest: {nearest(sort, known)}."
        )
    sign = 1 if column.startswith(LESS_IS_BETTER) else -1
    filled = [row for row in rows if row[column] is not None]
    unknown = [row for row in rows if row[column] is None]
    return sorted(filled, key=lambda row: sign * row[column]) + unknown


def board(
    rows: Sequence[Row],
    sort: str | None = None,
    *,
    is_whole: bool = False,
    asked_judges: Collection[str] = (),
    asked_models: Collection[str] = (),
) -> str:
    """The leaderboard as text: all of `rows`, or the first of each test set as a screen has room
    for and those of the models that a run has just asked, by one judge and the judges that it
    asked, and what else there is."""
    if is_whole:
        return f"{format_leaderboard(rows)}\n{_order(rows, sort)}"
    judges = sorted({row["judge_id"] for row in rows})
    usual = RULES if RULES in judges else next(iter(judges), None)
    shown: list[Row] = []
    left = unasked = 0
    shown_judges = [name for name in judges if name == usual or name in asked_judges]
    for judge in shown_judges:
        judged = [row for row in rows if row["judge_id"] == judge]
        asked = [row for row in judged if row["is_asked"] or row["state"] == IN_PART]
        height = shutil.get_terminal_size((80, LINES)).lines
        first = _first(asked or judged, height, asked_models)
        shown += first
        left += len(asked or judged) - len(first)
        unasked += len(judged) - len(asked) if asked else 0
    others = ", ".join(name for name in judges if name not in shown_judges)
    more = {
        f"{left} more configuration{'' if left == 1 else 's'}": left,
        f"{unasked} that {'was' if unasked == 1 else 'were'} not asked": unasked,
        f"what other judges say: {others}": others,
    }
    text = f"{format_leaderboard(shown)}\n{_order(shown, sort)}"
    if not any(more.values()):
        return text
    return "\n".join(
        [
            text,
            f"Not shown: {'; '.join(words for words, is_so in more.items() if is_so)}.",
            "All: kernel29 leaderboard --all; some: --test-set, --judge, --model, --prompt.",
        ]
    )


def _order(rows: Sequence[Row], sort: str | None) -> str:
    """By what the rows are sorted: a judge of whole lists gives no semantic score, and its rows
    are in the order of top-5 (leaderboard.BOARD)."""
    scored: dict[tuple[str, str], bool] = {}
    for row in rows:
        if row["is_asked"]:
            key = (row["judge_id"], _parts(row)[2])
            scored[key] = scored.get(key, False) or row["semantic_aggregate"] is not None
    without = sorted({judge for (judge, _), is_scored in scored.items() if not is_scored})
    if sort or not without:
        by = sort or "the semantic score"
        return f"Sorted by {by} within each test set, best first."
    if not any(scored.values()):
        return "Sorted by top-5 within each test set, best first: no semantic score here."
    order = "Sorted by the semantic score within each test set, best first."
    return f"{order}\nBy top-5 where a judge gives none: {', '.join(without)}."


def _first(rows: Sequence[Row], height: int, models: Collection[str]) -> list[Row]:
    """As many of the first rows of every test set as fit, one of each at least, and every row of
    these models, whether it fits or not."""
    sets: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        sets[_parts(row)[2]].append(row)
    room = height - AROUND - len(LEGEND) - PER_SET * len(sets)
    fits = 1
    while fits < len(rows) and _n_lines(sets.values(), fits + 1) <= room:
        fits += 1
    order = {id(row): number for number, row in enumerate(rows)}
    kept = [
        row
        for members in sets.values()
        for rank, row in enumerate(members, start=1)
        if rank <= fits or _parts(row)[0] in models
    ]
    return sorted(kept, key=lambda row: order[id(row)])


def _n_lines(sets: Iterable[Sequence[Row]], fits: int) -> int:
    return sum(1 + len(score_lines(row)) for rows in sets for row in rows[:fits])
