"""How well questions are answered, as a printed page: by set, model and type, and paired."""

from collections.abc import Collection, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from python_llm.console import terminal

Row = dict[str, Any]
COLUMNS_OF_A_BLOCK = 5  # configurations side by side
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LEGEND = (
    "right: share of questions whose chosen option is the key, with its 95 % interval (Wilson);",
    "questions not asked do not count; unreadable answers count as wrong.",
    "chance: a random choice. analysis: the key is at rank 1 of the analysis before the choice.",
    "n: the questions that were asked; where configurations differ, each has its own.",
    "same: repeats of a question that chose the same option every time.",
    "This measures models on examination questions. It is not medical advice.",
)
REPORT = """
select report.*, configurations.repeat_number, configurations.is_baseline
from rpt_question_report as report
inner join dim_question_configuration as configurations using (configuration_id)
where (len($1) = 0 or list_contains($1, report.question_set))
order by report.question_set, stratum_kind, stratum, configurations.is_baseline,
    choice_accuracy desc nulls last, configuration_id
"""
# pairs of the questions that people ask, the surest first
PAIRS = """
select *
from fct_question_comparison
where stratum_kind = 'all' and metric = 'choice_accuracy' and question_set = $1
    and family is not null
order by family, p_value, configuration_a, configuration_b
"""
# of answers without a key all that can be said is how often two choose the same
AGREEMENT = """
select first.configuration_id as one, second.configuration_id as other,
    count(*) as n_questions,
    avg((first.chosen_letter = second.chosen_letter)::integer) as same
from fct_question_answer as first
inner join fct_question_answer as second
    on first.question_id = second.question_id
    and first.configuration_id < second.configuration_id
inner join dim_question_configuration as a on first.configuration_id = a.configuration_id
inner join dim_question_configuration as b on second.configuration_id = b.configuration_id
where first.question_set = $1 and not (a.is_baseline or b.is_baseline)
    and first.chosen_letter is not null and second.chosen_letter is not null
group by all
order by all
"""
FAILED = """
select configuration_id, if(coalesce(analysis_status, 'ok') <> 'ok', 'analysis', 'choice') as step,
    coalesce(parse_reason, status) as reason, count(*) as n_questions
from fct_question_answer
where question_set = $1 and outcome_class not in ('answered', 'not_asked')
group by all
order by configuration_id, n_questions desc
"""
TYPING = """
select labelled_by, sum(n_questions) as n_questions,
    coalesce(sum(n_questions) filter (is_agreed), 0) as n_agreed
from rpt_question_type_agreement where question_set = $1 group by all order by all desc
"""


def report_rows(database: Path, sets: Collection[str] = ()) -> list[Row]:
    """The rows of rpt_question_report of these sets, all without any."""
    return terminal.read(database, REPORT, [list(sets)])


def question_report(database: Path, sets: Collection[str] = ()) -> str:
    """The report of these question sets, of all without any. Raises LookupFailed for a set that is
    not served."""
    served = terminal.read(database, "from rpt_question_set order by question_set")
    known = [row["question_set"] for row in served]
    for name in sets:
        if name not in known:
            raise terminal.LookupFailed(
                f"'{name}' is no question set that is served (there are: {', '.join(known)}): run "
                "`kernel29 build` after an import."
            )
    rows = report_rows(database, sets)
    lines: list[str] = []
    for row in served:
        if not sets or row["question_set"] in sets:
            own = [r for r in rows if r["question_set"] == row["question_set"]]
            lines += [*_set(database, row, own), ""]
    return "\n".join([*lines, *LEGEND])


def _set(database: Path, described: Row, rows: list[Row]) -> Iterator[str]:
    """Everything about one set."""
    name = described["question_set"]
    yield f"{name}: {_counts(described)}"
    yield from _typing(database, described)
    whole = [row for row in rows if row["stratum_kind"] == "all" and row["is_asked"]]
    if whole:
        width = max(len(_name(row)) for row in whole)
        yield ""
        yield (
            f"   {'':<{width}}{'asked':>7}{'right %':>9}{'interval':>14}{'chance %':>10}"
            f"{'analysis %':>12}{'failed':>8}{'same %':>8}"
        )
        for letter, row in zip(LETTERS, whole, strict=False):
            yield f"{letter}  {_name(row):<{width}}{_numbers(row)}"
        yield from _failed(database, name)
        yield from _by_type(rows, whole)
        yield from _without_question(whole)
    yield from _pairs(database, name)
    if not described["n_scored"]:
        yield from _agreement(database, name)


def _failed(database: Path, name: str) -> Iterator[str]:
    """Why answers of each configuration failed."""
    reasons: dict[str, list[str]] = {}
    for row in terminal.read(database, FAILED, [name]):
        reason = f"{row['n_questions']} {row['step']} {row['reason'].replace('_', ' ')}"
        reasons.setdefault(_name(row), []).append(reason)
    if reasons:
        yield ""
    for configuration, listed in reasons.items():
        yield f"Failed: {configuration}: {', '.join(listed)}"


def _counts(row: Row) -> str:
    parts = [f"{row['n_questions']} questions, {row['n_scored']} scored"]
    for column, kind in (
        ("n_image", "on images"),
        ("n_voided", "voided"),
        ("n_without_key", "without a key"),
        ("n_two_keys", "with several keys"),
        ("n_key_is_no_option", "whose key is no option"),
        ("n_keys_contradict", "whose keys contradict each other"),
    ):
        if row[column]:
            parts.append(f"{row[column]} {kind}")
    return "; ".join(parts) + "."


def _typing(database: Path, row: Row) -> Iterator[str]:
    share = 100 * row["n_untyped"] / row["n_questions"]
    yield f"Types: {row['n_typed_by_rule']} by rule, {row['n_typed_by_model']} by a model, " + (
        f"{row['n_untyped']} untyped ({share:.0f} %)."
    )
    for agreed in terminal.read(database, TYPING, [row["question_set"]]):
        who = "people's labels" if agreed["labelled_by"] == "person" else "a model's types"
        yield f"Rules and {who} agree on {agreed['n_agreed']} of {agreed['n_questions']} questions."


def _name(row: Row) -> str:
    return str(row["configuration_id"]).rpartition("/")[0]


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _numbers(row: Row) -> str:
    low, high = _percent(row["choice_accuracy_low"]), _percent(row["choice_accuracy_high"])
    analysis = _percent(row["top1_accuracy"])
    return (
        f"{_n_asked(row):>7}{_percent(row['choice_accuracy']):>9}{f'{low} - {high}':>14}"
        f"{_percent(row['chance_level']):>10}{analysis:>12}"
        f"{row['n_failures'] - row['n_not_asked']:>8}{_percent(row['repeat_consistency']):>8}"
    )


def _by_type(rows: list[Row], whole: list[Row]) -> Iterator[str]:
    """A line per type, the configurations side by side under their letters; with the questions that
    were asked, in a column if they are as many for all, else beside each share."""
    letters = dict(zip((row["configuration_id"] for row in whole), LETTERS, strict=False))
    types = [row for row in rows if row["stratum_kind"] == "question_type"]
    shown = [name for name in letters if any(row["configuration_id"] == name for row in types)]
    strata = {
        stratum: {row["configuration_id"]: row for row in of_type}
        for stratum, of_type in groupby(types, lambda row: row["stratum"])
    }
    numbers = [
        {n for name in shown if (row := cells.get(name)) and (n := _n_asked(row))}
        for cells in strata.values()
    ]
    has_one_number = all(len(asked) <= 1 for asked in numbers)
    size, wide = (COLUMNS_OF_A_BLOCK, 16) if has_one_number else (COLUMNS_OF_A_BLOCK - 1, 20)
    for start in range(0, len(shown), size):
        block = shown[start : start + size]
        yield ""
        heading = "n" if has_one_number else ""
        yield f"   {'right % by type':<15}{heading:>5}{'chance %':>10}" + "".join(
            f"{letters[name]:>{wide}}" for name in block
        )
        for (stratum, cells), asked in zip(strata.items(), numbers, strict=True):
            name_read = str(stratum).replace("_", " ")
            n_asked = str(*asked) if has_one_number else ""
            chance = _percent(next(iter(cells.values()))["chance_level"])
            yield f"   {name_read:<15}{n_asked:>5}{chance:>10}" + "".join(
                f"{_cell(cells.get(name), has_n=not has_one_number):>{wide}}" for name in block
            )


def _n_asked(row: Row) -> int:
    return int(row["n_questions"] - row["n_not_asked"])


def _cell(row: Row | None, *, has_n: bool) -> str:
    if row is None or row["choice_accuracy"] is None:
        return ""
    low, high = (f"{100 * row[f'choice_accuracy_{end}']:.0f}" for end in ("low", "high"))
    of = f" of {_n_asked(row)}" if has_n else ""
    return f"{100 * row['choice_accuracy']:.0f}{of} ({low}-{high})"


def _without_question(whole: list[Row]) -> Iterator[str]:
    """What a model gets from the options alone, of what it gets with the question."""
    accuracies = {(r["model_alias"], r["strategy"]): r for r in whole if r["repeat_number"] == 1}
    for (model, strategy), row in accuracies.items():
        full = accuracies.get((model, "direct"))
        if strategy != "options_only" or full is None or row["is_baseline"]:
            continue
        gain, whole_gain = ((r["choice_accuracy"] or 0) - r["chance_level"] for r in (row, full))
        share = (
            f", {100 * gain / whole_gain:.0f} % of its gain over chance" if whole_gain > 0 else ""
        )
        yield ""
        yield (
            f"{model} is right on {_percent(row['choice_accuracy'])} % from the options alone"
            f"{share}: what it knows without the question, by test-writing habits or by heart."
        )


def _pairs(database: Path, name: str) -> Iterator[str]:
    for family, pairs in groupby(terminal.read(database, PAIRS, [name]), lambda row: row["family"]):
        compared = list(pairs)
        yield ""
        yield (
            f"{family[0].upper()}{family[1:]}, paired on the same questions; p after Holm for "
            f"{_pairs_of(compared[0]['n_family_comparisons'])}:"
        )
        for row in compared:
            difference, low, high = (
                f"{100 * row[column]:+.1f}"
                for column in ("difference", "difference_low", "difference_high")
            )
            first, second = (
                row[side].rpartition("/")[0] for side in ("configuration_a", "configuration_b")
            )
            yield (
                f"  {first} - {second}: {difference} points ({low} to {high}), "
                f"n {row['n_questions']}, only the first right {row['n_a_better']}, "
                f"only the second {row['n_b_better']}, p {row['p_value_family']:.2g}"
            )


def _pairs_of(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _agreement(database: Path, name: str) -> Iterator[str]:
    rows = terminal.read(database, AGREEMENT, [name])
    if rows:
        yield ""
        yield "No question can be scored: nothing is right or wrong. The same option is chosen by"
    for row in rows:
        first, second = (row[side].rpartition("/")[0] for side in ("one", "other"))
        yield f"  {first} and {second}: {_percent(row['same'])} % of {row['n_questions']} questions"
