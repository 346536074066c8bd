"""Who is better than whom among a few configurations, and on which cases they differ."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from python_llm.console import terminal
from python_llm.report.golds import GOLD

SHOWN_CASES = 5
METRIC = "top5_strict"
FIRST = "top1_strict"  # of which a verdict is told where it is not that of METRIC
ALPHA = 0.05

Row = dict[str, Any]

# how `kernel29 case` takes a case: by its record where nothing else has that name
NAMED = f"""
named as (
    select
        case_id,
        record_id,
        {GOLD} as gold_diagnosis,
        record_id is not null
            and count(*) over (partition by test_set, record_id) = 1
            and not list_contains(
                list(case_id) over (partition by test_set), test_set || '/' || record_id
            ) as is_unique,
        if(is_unique, test_set || '/' || record_id, case_id) as name
    from dim_case
)
"""
NO_REPEATS: Mapping[str, str] = MappingProxyType({})


def differences(
    database: Path, configurations: Collection[str], repeats: Mapping[str, str] = NO_REPEATS
) -> list[str]:
    """Of these configurations one model's prompts, and one prompt's models, pair by pair: which is
    better, whether the data can tell, and cases that only one of the two solved. p is corrected
    within such a family, which is the question a person asks. `database`: the served one; repeats:
    models that are others asked again, which are compared with those alone."""
    first = {
        configuration
        for configuration in configurations
        if configuration.partition("/")[0] not in repeats
    }
    rows = terminal.read(
        database,
        "from fct_configuration_comparison where metric in ($1, $2)"
        " and list_contains($3, configuration_a) and list_contains($3, configuration_b)"
        " order by test_set, judge_id,"
        " family nulls last, p_value, configuration_a, configuration_b",
        [METRIC, FIRST, sorted(first)],
    )
    as_first = {_of_whom(row): row for row in rows if row["metric"] == FIRST}
    rows = [row for row in rows if row["metric"] == METRIC]
    lines: list[str] = []
    for (test_set, judge), pairs in groupby(rows, lambda row: (row["test_set"], row["judge_id"])):
        compared = list(pairs)
        lines += [
            "",
            f"The gold diagnosis among the first five, pair by pair: {test_set}, judge {judge}, "
            f"{compared[0]['n_cases']} cases. Intervals are not corrected.",
        ]
        for family, members in groupby(compared, lambda row: row["family"]):
            alike = list(members)
            if family is None and len(alike) < len(compared):
                lines.append(_not_alike(len(alike)))
                continue
            lines.append(_corrected(alike[0]))
            for row in alike:
                lines += _pair(database, row, as_first.get(_of_whom(row)))
    lines += _consistency(database, set(configurations) - first, repeats)
    return [*lines, "", "One case whole: kernel29 case CASE"] if lines else []


def _consistency(
    database: Path, configurations: Iterable[str], repeats: Mapping[str, str]
) -> Iterator[str]:
    """How far a model asked the same again answers the same."""
    pairs = [
        (f"{repeats[model]}/{rest}", configuration)
        for configuration in sorted(configurations)
        for model, _, rest in [configuration.partition("/")]
    ]
    rows = terminal.read(
        database,
        "select once.configuration_id as name, once.judge_id, count(*) as n_pairs,"
        " avg((once.is_top5_strict = again.is_top5_strict)::integer) as same"
        " from fct_case_score as once"
        " inner join fct_case_score as again using (case_id, judge_id)"
        " semi join (select unnest($1) as once, unnest($2) as again) as pairs"
        " on once.configuration_id = pairs.once and again.configuration_id = pairs.again"
        " where once.is_scored and again.is_scored"
        " group by all order by name, once.judge_id",
        [[pair[0] for pair in pairs], [pair[1] for pair in pairs]],
    )
    if rows:
        yield "\nAsked the same again, the gold diagnosis is among the first five or not as before:"
    for row in rows:
        yield (
            f"  {row['name']}, judge {row['judge_id']}: in {100 * row['same']:.0f} % of "
            f"{row['n_pairs']:,} repeated answers"
        )


def _corrected(first: Row) -> str:
    """The family of some pairs, and for how many p is corrected; without one all of the set."""
    if family := first["family"]:
        n, whose = first["n_family_comparisons"], f"{family[0].upper()}{family[1:]}"
    else:
        n, whose = first["n_comparisons"], "All configurations of the test set"
    return f"{whose}: p is corrected for {n:,} pair{'' if n == 1 else 's'} (Holm)."


def _not_alike(n: int) -> str:
    """What stands for the pairs that share neither the model nor the prompt."""
    differ = "1 more pair differs" if n == 1 else f"{n:,} more pairs differ"
    return f"{differ} in model and prompt, and the difference is of both: kernel29 compare A B"


def _of_whom(row: Row) -> tuple[str, ...]:
    return row["judge_id"], row["configuration_a"], row["configuration_b"]


def _pair(database: Path, row: Row, as_first: Row | None) -> Iterator[str]:
    (ahead, behind), measured, is_told = _measured(row)
    if caveat := row.get("caveat"):
        yield f"  {_name(ahead, row)} and {_name(behind, row)} are not compared fairly: {caveat}"
        first = f"{_name(ahead, row)} is ahead" if row["difference"] else "neither is ahead"
        yield f"    as they came, {first}: {measured}"
    else:
        verdict = "is better than" if is_told else "cannot be told from"
        yield f"  {_name(ahead, row)} {verdict} {_name(behind, row)}: {measured}"
        if as_first:
            (first, _), at_rank_1, is_told_first = _measured(as_first)
            if is_told_first and (first != ahead or not is_told):
                yield f"    at rank 1 alone, {_name(first, row)} is better: {at_rank_1}"
    yield from _failed(database, (ahead, behind), row)
    for solver, other in ((ahead, behind), (behind, ahead)):
        cases = _solved_by_one(database, solver, other, row["judge_id"])
        if cases:
            left = len(cases) - SHOWN_CASES
            more = f" and {left} more (kernel29 compare A B --cases)" if left > 0 else ""
            yield f"    only {_name(solver, row)}: {', '.join(cases[:SHOWN_CASES])}{more}"


def _measured(row: Row) -> tuple[tuple[str, str], str, bool]:
    """Who is ahead and who behind, by how much, and whether the data can tell them apart."""
    pair = row["configuration_a"], row["configuration_b"]
    difference, low, high = row["difference"], row["difference_low"], row["difference_high"]
    if difference < 0:
        pair, difference, low, high = pair[::-1], -difference, -high, -low
    p = row["p_value_family" if row["family"] else "p_value_adjusted"]
    measured = f"{100 * difference:.1f} points ({100 * low:.1f} to {100 * high:.1f}), {_p(p)}"
    return pair, measured, p < ALPHA


def _p(p: float) -> str:
    """A p value as papers print it: never 0."""
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def _failed(database: Path, pair: tuple[str, str], row: Row) -> Iterator[str]:
    """How many of the common cases either has no list for: a difference may be theirs."""
    rows = terminal.read(
        database,
        "select configuration_id, count(*) as n from fct_case_score as scores"
        " inner join fct_answer as answers using (configuration_id, case_id)"
        " semi join (select case_id from fct_case_score where judge_id = $2 and is_scored"
        " and list_contains($1, configuration_id) group by case_id having count(*) = 2) as common"
        " using (case_id)"
        " where list_contains($1, configuration_id) and judge_id = $2 and answers.status != 'ok'"
        " group by configuration_id",
        [list(pair), row["judge_id"]],
    )
    counts = {failed["configuration_id"]: failed["n"] for failed in rows}
    if counts:
        told = ", ".join(f"{_name(name, row)} {counts.get(name, 0):,}" for name in pair)
        yield f"    failed, and counted as misses: {told}"


def _name(configuration: str, row: Row) -> str:
    return configuration.removesuffix(f"/{row['test_set']}")


def cases_apart(database: Path, first: str, second: str, judge: str | None = None) -> list[Row]:
    """Every case in which the gold diagnosis is among the first five of one of two configurations
    alone, with its rank in each (null: not among those judged) and the status of each answer, by
    one judge or all of those that scored both. `case` is what `kernel29 case` takes: the case_id
    where other cases have the id of the record, too. Names as in terminal.compare, which raises
    LookupFailed."""
    compared = terminal.compare(database, first, second, judge)
    a, b = compared[0]["configuration_a"], compared[0]["configuration_b"]
    return terminal.read(
        database,
        f"with {NAMED} select a.judge_id as judge, name as case, record_id as record,"
        " gold_diagnosis as gold, a.strict_rank as rank_a, b.strict_rank as rank_b,"
        " answer_a.status as status_a, answer_b.status as status_b"
        " from fct_case_score as a inner join fct_case_score as b using (case_id, judge_id)"
        " inner join named using (case_id)"
        " inner join fct_answer as answer_a"
        " on a.configuration_id = answer_a.configuration_id and a.case_id = answer_a.case_id"
        " inner join fct_answer as answer_b"
        " on b.configuration_id = answer_b.configuration_id and b.case_id = answer_b.case_id"
        " where a.configuration_id = $1 and b.configuration_id = $2 and a.is_scored and b.is_scored"
        " and a.is_top5_strict != b.is_top5_strict and list_contains($3, a.judge_id)"
        " order by judge, a.is_top5_strict desc, case_id",
        [a, b, sorted({row["judge_id"] for row in compared})],
    )


def _solved_by_one(database: Path, solver: str, other: str, judge: str) -> list[str]:
    """The cases one of two configurations solved and the other did not, by the user's own id where
    no other case has it; otherwise with that id behind their own."""
    rows = terminal.read(
        database,
        f"with {NAMED} select"
        " name || if(is_unique or record_id is null, '', ' (' || record_id || ')') as name"
        " from fct_case_score as solver"
        " inner join fct_case_score as other using (case_id, judge_id)"
        " inner join named using (case_id)"
        " where solver.configuration_id = $1 and other.configuration_id = $2 and judge_id = $3"
        " and solver.is_scored and other.is_scored"
        " and solver.is_top5_strict and not other.is_top5_strict order by case_id",
        [solver, other, judge],
    )
    return [row["name"] for row in rows]
