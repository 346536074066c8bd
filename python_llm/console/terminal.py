"""The served tables on a terminal: a query, one case, two configurations side by side.

Everything here reads `serve/`, never the warehouse, and changes nothing.
"""

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import duckdb

from python_llm.errors import UserError
from python_llm.report.orders import PAIRS

NO_PROMPT = "no_prompt"  # what systems without a language model are asked with

Row = dict[str, Any]
# Characters of a text that is not shown in full.
SHORT_REQUEST = 240
WIDEST_COLUMN = 40
MOST_PRINTED = 1_000  # rows: those of a whole terminology take minutes to set out
SHORT_ANSWER = 500
SHORT_REASON = 120
SHOWN_RANKINGS = 4
NOT_SERVED = (
    "(The words of patients are not served: KERNEL29_SERVE_PROFILE=full, then build again.)"
)
WITHHELD = "not served, a patient's"
# Digits of a request's key that are shown; all of them are in --json.
KEY_DIGITS = 12
# The words of a request and what came back, by the beginning of its key.
REQUEST = (
    'kernel29 query --json "select system_text, user_text, text_withheld, raw_response '
    "from dim_llm_request left join fct_llm_call using (request_key) "
    "where starts_with(request_key, 'KEY')\""
)


class LookupFailed(UserError):
    """The request cannot be answered; the message says why and what to do."""


def query(database: Path, sql: str) -> list[Row]:
    """Rows of one SQL statement on the served database, which it cannot change.

    Raises LookupFailed with DuckDB's words if the statement is wrong or writes.
    """
    try:
        return read(database, sql)
    except LookupFailed as error:
        raise LookupFailed(
            f"{error} (the tables are listed by: kernel29 query 'show tables')"
        ) from error


def read(database: Path, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Rows of a statement on the served database. Raises LookupFailed with what DuckDB says before
    it repeats the statement."""
    if not database.is_file():
        raise LookupFailed(f"{database} does not exist yet: run `kernel29 build` first.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            connection.execute("set enable_external_access = false")  # no other file, no network
            cursor = connection.execute(sql, list(parameters))
            names = _told_apart(column[0] for column in cursor.description)
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except duckdb.Error as error:
        raise LookupFailed(" ".join(str(error).split("\n\n")[0].split())) from error


def _told_apart(columns: Iterable[str]) -> list[str]:
    """Names of columns, of which a second one gets a number (label, label_1), as in DuckDB."""
    names: list[str] = []
    for column in columns:
        numbered = (f"{column}_{number}" for number in count(1))
        names.append(next(name for name in chain([column], numbered) if name not in names))
    return names


def case(database: Path, case_id: str) -> Row:
    """One case: what dim_case knows and, per configuration, the question as it was sent, the answer
    as it came, what was read from it, each judge's label of each rank with its rule and votes, and
    the score. What was sent and what came back is left out if the case is a patient's.

    Raises LookupFailed with the nearest ids if there is no such case.
    """
    cases = read(database, "from dim_case where case_id = ?", [case_id])
    if not cases:
        raise no_case(database, case_id)
    answers = read(database, ANSWERS, [case_id, cases[0]["contains_phi"]])
    votes = _by(read(database, VOTES, [case_id]), "configuration_id", "judge_id", "diagnosis_rank")
    judged = read(database, JUDGED, [case_id])
    for row in judged:
        row["votes"] = votes.get(
            (row["configuration_id"], row["judge_id"], row["diagnosis_rank"]), []
        )
    parts = {"scores": read(database, CASE_SCORES, [case_id]), "judged": judged}
    for name, rows in parts.items():
        of_configuration = _by(rows, "configuration_id")
        for answer in answers:
            answer[name] = of_configuration.get((answer["configuration_id"],), [])
    meanings = read(database, RULES, [sorted(_rules_of(judged))])
    return {**cases[0], "answers": answers, "rules": meanings}


def of_configurations(record: Row, part: str | None) -> Row:
    """A case with the answers of the configurations whose name has this part, all without one, and
    the rules behind them. Raises LookupFailed if none has."""
    answers = [row for row in record["answers"] if (part or "") in row["configuration_id"]]
    if not answers and record["answers"]:
        names = ", ".join(row["configuration_id"] for row in record["answers"])
        raise LookupFailed(f"No configuration of this case has {part!r} in its name: {names}.")
    used = _rules_of(row for answer in answers for row in answer["judged"])
    rules = [rule for rule in record["rules"] if rule["rule"] in used]
    return {**record, "answers": answers, "rules": rules}


def _rules_of(judged: Iterable[Row]) -> set[str]:
    """The names of the rules behind the labels of some ranks."""
    names = {row[f"{scale}_rule"] for row in judged for scale in ("semantic", "severity")}
    return {*filter(None, names)}


ANSWERS = """
with sent as (
    select configuration_id, list(answers.case_id order by answers.case_id) as case_ids
    from fct_answer as answers
    inner join dim_llm_request as requests using (request_key)
    where requests.n_attempts > 0
    group by configuration_id
)

select configuration_id, status, error_message, request_key,
    case when not $2 then system_text end as system_text,
    case when not $2 then user_text end as user_text,
    case
        when $2 then 'personal health information'
        when recorded_in is not null then 'not on record, the answer was imported'
        when request_key is null then concat_ws('; ', 'no model was asked', (
            select description from dim_llm_model
            where model_alias = split_part(configuration_id, '/', 1)
        ))
        when n_attempts is null and case_ids is null then 'never sent'
        when n_attempts is null
            then format('never sent; cases that were: {}', array_to_string(case_ids[:3], ', '))
        else text_withheld
    end as text_withheld,
    parameters, api_model, requests.n_attempts, last_sent_at, recorded_in,
    case when not $2 then findings end as findings,
    case when not $2 then answer_text end as answer_text,
    parse_status, read_as, n_diagnoses, n_dropped
from (select * exclude (n_attempts) from fct_answer where case_id = $1) as answers
left join dim_llm_request as requests using (request_key)
left join sent using (configuration_id)
order by status != 'ok', configuration_id
"""
JUDGED = """
select configuration_id, judge_id, diagnosis_rank, diagnosis, semantic_relation, severity,
    semantic_rule, semantic_reason, semantic_votes, severity_rule, severity_reason, severity_votes,
    reasoning, in_favour, against
from fct_judged_diagnosis where case_id = ?
order by configuration_id, judge_id, diagnosis_rank
"""
RULES = """
select rule, label, meaning, source from dim_judgement_rule where rule in ? order by scale, rule
"""
VOTES = """
select configuration_id, judge_id, diagnosis_rank, scale, vote, label, outcome, reason,
    reason_withheld, request_key
from fct_judge_vote where case_id = ? and probe = 'none' and outcome != 'not_in_list'
order by configuration_id, judge_id, diagnosis_rank, scale, vote
"""
COMPARISON_LEGEND = (
    "A/B better: the cases in which A, or B, does better. Shares and reciprocal ranks",
    "run from 0 to 1, mean scores from 0 to 16, aggregates from -1 to 1.",
    "p: not corrected. '-' in p family: the two share neither the model nor the prompt,",
    "so no family has them.",
    "Near p = 0.05 p and interval may disagree: they are of different methods.",
)
CASES_APART_LEGEND = (
    "rank: of the gold diagnosis in A's and B's list; '-': in none of its places, or there is",
    "no list to read, as the status says",
)
CASE_SCORES = """
select configuration_id, judge_id, semantic_score, severity_score, semantic_rescaled,
    severity_rescaled, strict_rank, is_top5_strict, is_unlabelled, is_scored, gold_severity,
    gold_severity_rule
from fct_case_score where case_id = ? and is_asked order by configuration_id, judge_id
"""


def _by(rows: Sequence[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some of their columns, which they then do without."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        rest = {name: value for name, value in row.items() if name not in keys}
        groups.setdefault(tuple(row[key] for key in keys), []).append(rest)
    return groups


def no_case(database: Path, name: str) -> LookupFailed:
    """The error for an id that no case has: the id of the case of this number in a set chosen of
    others, the ids that end in it, otherwise the nearest ones."""
    test_set, _, number = name.rpartition("/")
    members = read(
        database,
        "select case_id, case_number from bridge_test_set_case "
        "where test_set = ? and case_number = try_cast(? as integer)",
        [test_set, number],
    )
    if members:
        return LookupFailed(
            f"There is no case {name!r}: the cases of {test_set} keep the ids of the sets they "
            f"were chosen from. Its case {members[0]['case_number']} is {members[0]['case_id']}."
        )
    rows = read(
        database,
        "select case_id, ends_with(case_id, '/' || $1) as is_number from dim_case "
        "order by is_number desc, levenshtein(case_id, $1), case_id limit 5",
        [name],
    )
    numbered = [row["case_id"] for row in rows if row["is_number"]]
    if numbered:
        return LookupFailed(
            f"There is no case {name!r}; write it with its set: {' or '.join(numbered)}."
        )
    return LookupFailed(
        f"There is no case {name!r}; the nearest are "
        + ", ".join(row["case_id"] for row in rows[:3])
        + " (sets: kernel29 test-sets list; all: kernel29 query 'select case_id from dim_case')."
    )


def compare(database: Path, first: str, second: str, judge: str | None = None) -> list[Row]:
    """The paired comparison of two configurations, the first minus the second, by one judge or all.

    Part of a name is enough if it fits one configuration only. Raises LookupFailed if it does not,
    or if the two were not compared, or not by this judge.
    """
    a, b = (_configuration(database, name) for name in (first, second))
    if a == b:
        raise LookupFailed(f"Both names mean {a}: name two configurations.")
    rows = read(
        database,
        "from fct_configuration_comparison "
        "where configuration_a in ($1, $2) and configuration_b in ($1, $2) "
        # top-k by depth, then the others
        "order by judge_id, not starts_with(metric, 'top'), "
        "try_cast(regexp_extract(metric, '[0-9]+') as integer), metric desc",
        [a, b],
    )
    if not rows:
        raise LookupFailed(
            f"{a} and {b} were not compared: both need the same test set and the same judge. On a "
            "test set with more configurations than the parameter "
            "comparison_maximum_configurations, each is compared with the best only."
        )
    judges = sorted({row["judge_id"] for row in rows})
    if judge and judge not in judges:
        raise LookupFailed(
            f"{judge!r} did not score both {a} and {b}. Judges that did: {', '.join(judges)}."
        )
    rows = [row for row in rows if judge in (None, row["judge_id"])]
    return [row if row["configuration_a"] == a else _turned(row) for row in rows]


# Two judges are compared on the cases that both scored, which may be few of those in the table.
ORDERS = f"""
with {PAIRS},
values_ as (
    select configuration_id, case_id, judge_id, unnest([
        {{reference: 'semantic_aggregate', is_there: semantic_rescaled is not null}},
        {{reference: 'severity_aggregate', is_there: severity_rescaled is not null}},
        {{reference: 'top5_broad', is_there: is_top5_strict is not null}}
    ], recursive := true)
    from fct_case_score where is_scored and configuration_id in ($1, $2)
),
scored as (
    select reference, judge_id, case_id from values_ where is_there
    group by all having count(*) = 2
),
common as (
    select reference, one.judge_id, other.judge_id as other_judge_id, count(*) as n
    from scored as one inner join scored as other using (reference, case_id)
    where one.judge_id < other.judge_id
    group by all
),
grounds as (
    select rankings.reference, judge_id, other_judge_id, best,
        ranking, coalesce(n, 0) as n
    from rankings left join common using (reference, judge_id, other_judge_id)
    where first_name = least($1, $2) and second_name = greatest($1, $2)
)
select reference, is_kept, is_incomparable, ahead || ' > ' || behind as pair, n_judges,
    first(grounds.judge_id order by grounds.judge_id, other_judge_id, ranking) as first_judge,
    first(if(grounds.judge_id = other_judge_id, null, other_judge_id)
        order by grounds.judge_id, other_judge_id, ranking) as first_against,
    first(n order by grounds.judge_id, other_judge_id, ranking) as n_first,
    min(n) filter (where n > 0) as n_least, max(n) as n_most,
    list(distinct if(
        grounds.judge_id = other_judge_id, ranking,
        format(
            '{{}}, on the {{}} cases that {{}} scored too)',
            rtrim(ranking, ')'), n, grounds.judge_id
        )
    ) order by 1) filter (where best = behind) as turned_by
from pairs left join grounds using (reference)
where (ahead, behind) in (($1, $2), ($2, $1))
group by reference, is_kept, is_incomparable, ahead, behind, n_judges
order by reference
"""
# What `rpt_rank_sensitivity` ranks by for each usual ranking, besides sigmoids.
KINDS = {
    "semantic_aggregate": "under every metric of semantics and sigmoid, ",
    "severity_aggregate": "under every metric of severity and sigmoid, ",
    "top5_broad": "",
}


def orders(database: Path, first: str, second: str) -> list[Row]:
    """Whether two configurations, by their whole names, stand in one order under every judge,
    metric and sigmoid (`is_kept`), or judges saw them on different cases and no order is said to
    survive them (`is_incomparable`), the `pair` 'A > B' in the order of the first judge, which
    rankings reverse it, for each usual ranking that does either, and how many judges scored both.
    Rankings that tie them are none."""
    return read(database, ORDERS, [first, second])


def format_orders(rows: Sequence[Row]) -> str:
    """A line for each usual ranking, after a comparison; without rows nothing."""
    lines = []
    for row in rows:
        turned = row["turned_by"] or []
        reversed_ = (
            f"; {row['pair']} ({_first(row)}) is reversed by {'; '.join(turned[:SHOWN_RANKINGS])}"
            + (f" and {len(turned) - SHOWN_RANKINGS} more" if len(turned) > SHOWN_RANKINGS else "")
            if turned
            else ""
        )
        if row["is_kept"]:
            order = f"{row['pair']} {KINDS[row['reference']]}by {_judges(row)}"
        elif row["is_incomparable"]:
            order = (
                f"not comparable across the {row['n_judges']} judges that scored both, who saw "
                f"different cases{reversed_}"
            )
        else:
            order = f"the order depends on the choice{reversed_}"
        lines.append(f"{row['reference']}: {order}")
    return "\n".join(["", *lines]) if lines else ""


def _judges(row: Row) -> str:
    """How many judges an order survives: one says nothing about another."""
    if row["n_judges"] == 1:
        return "the only judge that scored both (not checked against another)"
    several = f"each of the {row['n_judges']} judges that scored both"
    if not row["n_most"]:
        return several
    n = f"{row['n_least']} to " * (row["n_least"] < row["n_most"]) + str(row["n_most"])
    return f"{several} (two at a time, on the {n} cases they share)"


def _first(row: Row) -> str:
    """The judge whose order is reversed or not, and its cases if they are not all that it has."""
    if not row["first_against"]:
        return str(row["first_judge"])
    common = f"on the {row['n_first']} cases that {row['first_against']} scored too"
    return f"{row['first_judge']}, {common}"


def _turned(row: Row) -> Row:
    """The same comparison seen from the other side."""
    turned = dict(row)
    for name in row:
        if name.endswith("_a"):
            other = name.removesuffix("_a") + "_b"
            turned[name], turned[other] = row[other], row[name]
    turned["n_a_better"], turned["n_b_better"] = row["n_b_better"], row["n_a_better"]
    turned["difference"] = 0 - row["difference"]  # unlike the negation, never a negative zero
    for end, other in (("low", "high"), ("high", "low")):
        value = row[f"difference_{other}"]
        turned[f"difference_{end}"] = None if value is None else 0 - value
    return turned


def _configuration(database: Path, name: str) -> str:
    names = [
        row["configuration_id"]
        for row in read(
            database,
            "select configuration_id from dim_configuration where contains(configuration_id, ?) "
            "order by configuration_id != ?, configuration_id",
            [name, name],
        )
    ]
    if not names or (len(names) > 1 and names[0] != name):
        if not names and read(database, "from dim_judge where judge_id = ?", [name]):
            raise LookupFailed(
                f"{name!r} is a judge, and two configurations are compared here. How far judges "
                "agree: kernel29 query 'from fct_judge_agreement'."
            )
        fits = f"fits {len(names)}: {', '.join(names[:5])}" if names else "fits none"
        raise LookupFailed(
            f"The name {name!r} {fits} (all: kernel29 query "
            "'select configuration_id from dim_configuration')."
        )
    return names[0]


def as_json(content: Any) -> str:
    """Indented JSON; dates and other types that JSON lacks become text."""
    return json.dumps(content, indent=2, ensure_ascii=False, default=str)


def format_rows(rows: Sequence[Row], *, width: int = WIDEST_COLUMN) -> str:
    """A table with columns of at most `width` characters, and the number of rows."""
    if not rows:
        return "no rows"
    texts = [[_cell(value, width) for value in row.values()] for row in rows]
    heads = [_cell(name, width) for name in rows[0]]
    wide = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
    right = [all(isinstance(row[name], int | float | None) for row in rows) for name in rows[0]]
    lines = [
        "  ".join(
            text.rjust(size) if on_right else text.ljust(size)
            for text, size, on_right in zip(line, wide, right, strict=True)
        ).rstrip()
        for line in (heads, ["-" * size for size in wide], *texts)
    ]
    return "\n".join([*lines, f"({len(rows)} row{'s' if len(rows) != 1 else ''})"])


def format_result(rows: Sequence[Row]) -> str:
    """A table with its values whole; only if a screen is too narrow for it they are cut. Of more
    than MOST_PRINTED rows the first are printed, and the last line says so."""
    if len(rows) > MOST_PRINTED:
        return (
            f"{format_result(rows[:MOST_PRINTED])}\n"
            f"The first {MOST_PRINTED:,} of {len(rows):,} rows: --json prints all, `limit` fewer."
        )
    longest = max((len(str(value)) for row in rows for value in row.values()), default=0)
    text = format_rows(rows, width=max(longest, WIDEST_COLUMN))
    is_wide = max(map(len, text.splitlines())) > shutil.get_terminal_size().columns
    return format_rows(rows) if sys.stdout.isatty() and is_wide else text


def _cell(value: Any, width: int) -> str:
    if value is None:
        return "-"
    text = f"{value:z.4g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= width else text[: width - 1] + "…"


def _who(record: Row) -> str:
    """Sex and age as far as they are known."""
    facts = [str(record["sex"]), f"{record['age_band']} years"]
    known = [fact for fact in facts if fact and not fact.startswith(("unknown", "None"))]
    return f" ({', '.join(known)})" if known else ""


def format_case(record: Row, *, full: bool = False) -> str:
    """A case as a person reads it: gold diagnosis, narrative, then list by list from the request
    to the score. full: long texts are not cut short."""
    path = [record[f"icd10_{level}_title"] for level in ("chapter", "block", "category")]
    lines = [
        f"Case      {record['case_id']}{_who(record)}",
        *([f"Your id   {record['record_id']}"] if record["record_id"] else []),
        *_gold(record),
        f"Severity  {record['gold_severity'] or 'none given'}",
        f"ICD-10    {' > '.join(filter(None, path)) or 'no code'}",
        "",
        (record["narrative"] or NOT_SERVED).strip(),
    ]
    for answer in record["answers"]:
        lines += ["", *_asked(answer, full=full), *_judged(answer, full=full)]
    if any(answer["scores"] for answer in record["answers"]):
        lines += ["", "What the rules mean"] if record["rules"] else []
        lines += [f"  {rule['rule']}: {rule['meaning']}" for rule in record["rules"]]
        anchor = "docs/specification.md#scores-of-a-diagnostic-list"
        lines += ["", f"How labels become a score: {anchor}"]
    # those of the models; of judges where a list has no request of its own
    keys = [answer["request_key"] for answer in record["answers"] if answer["user_text"]] or [
        vote["request_key"]
        for answer in record["answers"]
        for row in answer["judged"]
        for vote in row["votes"]
    ]
    if keys:
        command = REQUEST.replace("KEY", keys[-1][:KEY_DIGITS])
        lines += ["", "What was sent and came back, by the key of a request:", f"  {command}"]
    return "\n".join(lines)


def _findings(findings: list[str]) -> list[str]:
    """Those that are there, and those that are not, each with their number: not every system counts
    what is absent."""
    absent = [line.removesuffix(", absent") for line in findings if line.endswith(", absent")]
    present = [line for line in findings if not line.endswith(", absent")]
    groups = {"Findings given to the system": present, "Absent findings": absent}
    return [
        f"  {heading} ({len(group)}): {', '.join(group)}"
        for heading, group in groups.items()
        if group
    ]


def _asked(answer: Row, *, full: bool) -> list[str]:
    """Request, answer and reading of one list."""
    is_ranker = f"/{NO_PROMPT}/" in answer["configuration_id"]
    status = answer["status"]
    if is_ranker and status == "parse_error":
        status = "no list, for the case has nothing that this system ranks by"
    lines = [f"{answer['configuration_id']}: {status}"]
    if answer["findings"]:
        lines += _findings(answer["findings"].splitlines())
    if answer["error_message"]:
        lines.append(f"  {answer['error_message']}")
    if answer["user_text"]:
        times = f"sent {answer['n_attempts']} time{'s' if answer['n_attempts'] != 1 else ''}"
        sent = f"{answer['api_model']}, {times}, last on {answer['last_sent_at']:%Y-%m-%d}"
        key = answer["request_key"][:KEY_DIGITS]
        longest = None if full else SHORT_REQUEST
        if answer["system_text"]:
            lines += ["  Instructions", _quoted(answer["system_text"], longest)]
        lines.append(f"  Request ({sent}; parameters {answer['parameters']}; request {key})")
        lines.append(_quoted(answer["user_text"], longest))
    elif answer["text_withheld"]:
        lines.append(f"  Request: {answer['text_withheld']}")
    if answer["recorded_in"]:
        lines.append(f"  Imported from {answer['recorded_in']}")
    if answer["answer_text"]:
        lines += ["  Answer", _quoted(answer["answer_text"], None if full else SHORT_ANSWER)]
    if answer["parse_status"]:
        reading = ", ".join(filter(None, (answer["parse_status"], answer["read_as"])))
        dropped = f", {answer['n_dropped']} left out" if answer["n_dropped"] else ""
        lines.append(f"  Reading: {reading}; {answer['n_diagnoses'] or 0} diagnoses{dropped}")
    return lines


def _judged(answer: Row, *, full: bool) -> list[str]:
    """Each judge's score of a list, and the label of each rank with the rule or votes behind it."""
    lines = []
    for score in answer["scores"]:
        lines.append(f"  {score['judge_id']}: {_said_of_list(score)}")
        for row in answer["judged"]:
            if row["judge_id"] == score["judge_id"]:
                relation = f"{row['semantic_relation']} ({_why(row, 'semantic')})"
                severity = f"{row['severity']} ({_why(row, 'severity')})"
                rank = f"{row['diagnosis_rank']}. {row['diagnosis'] or WITHHELD}"
                lines.append(f"    {rank}: {relation}, {severity}")
                because = [row["reasoning"], row["in_favour"], row["against"]]
                # an answer in words says it itself
                if any(because) and not answer["answer_text"]:
                    lines.append(f"       ranked here: {'; '.join(filter(None, because))}")
                lines += [f"       {_vote(vote, full=full)}" for vote in row["votes"]]
    return lines


def _why(row: Row, scale: str) -> str:
    """The rule behind a label, then how the votes split and the reason, where there are any; the
    reasons of single votes are shown with them."""
    reason = None if row["votes"] else row[f"{scale}_reason"]
    because = "; ".join(filter(None, (reason, row[f"{scale}_votes"])))
    return ": ".join(filter(None, (row[f"{scale}_rule"], because)))


def _vote(vote: Row, *, full: bool) -> str:
    """One vote: its label or why it has none, the judge's reason, and the request it answers."""
    label = vote["label"] or vote["outcome"].replace("_", " ")
    reason = " ".join((vote["reason"] or "").split())
    if not full and len(reason) > SHORT_REASON:
        reason = reason[: SHORT_REASON - 1] + "…"
    if vote["reason_withheld"]:
        reason = f"reason withheld, {vote['reason_withheld']}"
    because = f": {reason}" if reason else ""
    key = vote["request_key"][:KEY_DIGITS]
    return f"{vote['scale']} vote {vote['vote']}, request {key}: {label}{because}"


def _quoted(text: str, longest: int | None) -> str:
    """A text with a bar before each line, cut to so many characters."""
    text = text.strip()
    if longest is not None and len(text) > longest:
        text = f"{text[:longest]}… ({len(text):,} characters: --full)"
    return textwrap.indent(text, "  | ", lambda line: True)


def _said_of_list(score: Row) -> str:
    """What a judge's labels come to, or where it says the gold diagnosis stands."""
    if not score["is_scored"]:
        return "not in the judge's sample"
    if score["semantic_score"] is not None:
        return f"{_scaled(score, 'semantic')}, {_scaled(score, 'severity')}{_gold_graded(score)}"
    if score["is_unlabelled"]:
        return "no label"
    if score["strict_rank"] is not None:
        return f"gold diagnosis at rank {score['strict_rank']}"
    return {
        True: "gold diagnosis among the first five",
        False: "gold diagnosis not among the first five",
    }.get(score["is_top5_strict"], "not said whether it is among the first five")


def _gold_graded(score: Row) -> str:
    """The severity of the gold diagnosis where the judge and not the author of the case gave it."""
    if score["gold_severity_rule"] in (None, "given"):
        return ""
    return f"; gold diagnosis graded {score['gold_severity']} ({score['gold_severity_rule']})"


def _scaled(score: Row, scale: str) -> str:
    """A score on its two scales, 0 to 16 and -1 to 1."""
    if score[f"{scale}_score"] is None:
        return f"{scale} -"
    return f"{scale} {score[f'{scale}_score']:.2f} of 16 ({score[f'{scale}_rescaled']:z.3f})"


def format_comparison(rows: Sequence[Row]) -> str:
    """A paired comparison, one block per judge."""
    first = rows[0]
    n_cases = max(row["n_cases"] for row in rows)
    lines = [
        f"A  {first['configuration_a']}",
        f"B  {first['configuration_b']}",
        f"{n_cases} common cases",
    ]
    if caveat := first.get("caveat"):
        lines += [f"Not a fair comparison: {part}" for part in caveat.split("; ")]
    judge = None
    for row in rows:
        if row["judge_id"] != judge:
            judge = row["judge_id"]
            of_judge = [other for other in rows if other["judge_id"] == judge]
            lines += ["", f"Judge: {judge}", *_corrected(of_judge)]
            lines.append(
                f"{'metric':<21}{'A':>8}{'B':>8}{'A - B':>9}{'95 % interval':>18}"
                f"{'A/B better':>12}{'p':>9}{'p all':>9}{'p family':>10}"
            )
        ends = [row["difference_low"], row["difference_high"]]
        interval = "-" if None in ends else "..".join(map(_signed, ends))
        better = f"{row['n_a_better']}/{row['n_b_better']}"
        lines.append(
            f"{row['metric']:<21}{row['estimate_a']:>z8.3f}{row['estimate_b']:>z8.3f}"
            f"{_signed(row['difference']):>9}{interval:>18}{better:>12}"
            f"{_p(row['p_value']):>9}{_p(row['p_value_adjusted']):>9}{_p(row['p_value_family']):>10}"
            + (f"  ({row['n_cases']} cases)" if row["n_cases"] < n_cases else "")
        )
    return "\n".join([*lines, "", *COMPARISON_LEGEND])


def _gold(record: Row) -> list[str]:
    """The gold diagnosis as it was written, and what the terminologies call it."""
    known = record["gold_diagnosis"] or record["gold_name"]
    written = record["gold_written"] or known or WITHHELD
    return [
        f"Gold      {written}",
        *([f"          (in terminologies: {known})"] if known and known != written else []),
    ]


def format_cases_apart(first: str, second: str, rows: Sequence[Row]) -> str:
    """The cases that one of two configurations alone solved, under the names of both."""
    return "\n".join([f"A  {first}", f"B  {second}", format_rows(rows), *CASES_APART_LEGEND])


def _signed(difference: float) -> str:
    """A difference with its sign; what rounds to nothing has none."""
    text = f"{difference:+z.3f}"
    return text.removeprefix("+") if text == "+0.000" else text


def _corrected(rows: Sequence[Row]) -> list[str]:
    """For how many pairs the p of one judge are corrected, which differs by judge and, where
    metrics rest on other cases, by metric."""
    all_pairs = _pairs([row["n_comparisons"] for row in rows], "all")
    lines = [f"p all: Holm's correction for {all_pairs} of the test set"]
    if family := rows[0]["family"]:
        of_family = _pairs([row["n_family_comparisons"] for row in rows], "the")
        lines.append(f"p family: Holm's correction for {of_family} of its family, {family}")
    return lines


def _pairs(numbers: Sequence[int], several: str) -> str:
    least, most = min(numbers), max(numbers)
    if most == 1:
        return "the only pair"
    return f"{several} {most:,} pairs" if least == most else f"{least:,} to {most:,} pairs"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
