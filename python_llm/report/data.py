"""The content of the page, read from the served database and packed in parts.

The page reads `core` first, then what the filters choose: the scores of a judge and a setting
(`scores-J-T`), the cases of a test set (`cases-S`, `narratives-S-B`), what is known of single
answers (python_llm/report/cells.py) and, when a case is opened, `reasons-G`, `words-G` and
`votes-G` of the configuration's group.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from python_llm.report.cells import CELLS, MAX_RANK, NOTHING, packed_json, read_cells
from python_llm.report.golds import GOLD
from python_llm.report.questions import read_questions

# Of compressed reasons, and the most that are tried; the rest stays in the served database.
REASON_BYTES, MOST_REASONS = 2_200_000, 500_000
# The same for questions, answers and readings, and the most cells that are tried.
WORD_BYTES, MOST_WORDS = 2_200_000, 20_000
VOTE_BYTES, MOST_VOTES = 600_000, 200_000  # the same for the votes of judges
KEY_DIGITS = 12  # of a request's key that are shown
# Replaces the narrative in a question: the page holds it once for all configurations.
NARRATIVE = "\x01"
NARRATIVES = 1000  # of a part: about half a megabyte
# What the database may hold in memory; more goes to disk.
MEMORY = "800MB"

# the marts that the page and the leaderboard are made of
MARTS = (
    *("dim_test_set", "dim_case", "bridge_test_set_case"),
    *("dim_llm_model", "dim_llm_request", "fct_llm_call"),
    *("dim_configuration", "dim_judge", "dim_judgement_rule"),
    *("fct_answer", "fct_judged_diagnosis", "fct_judge_vote", "fct_case_score"),
    *("fct_configuration_score", "fct_configuration_rank", "rpt_leaderboard"),
    *("rpt_detectable_difference", "rpt_missed_diagnosis", "rpt_rank_sensitivity"),
    *("fct_judge_agreement", "rpt_judge_calibration", "rpt_judge_bias"),
)
KINDS = ("strict", "broad")
METRICS = (
    *(f"{name}_{kind}" for name in ("top1", "top3", "top5", "top10", "mrr") for kind in KINDS),
    *("semantic_aggregate", "severity_aggregate"),
)

JUDGES = """
create temp table judges as
select judge_id, kind, row_number() over (order by kind != 'terminology', judge_id) - 1 as judge
from dim_judge
where judge_id in (select judge_id from fct_configuration_score)
"""

# the lists of the page, each with its query
RECORDS = {
    "configurations": (
        # asked: about a case at all; judged: the judges that have a score for it
        "select configuration_id as id, model_alias as model, prompt_alias as prompt, "
        "prompt_version, provider, family, test_set, coalesce(asked, false) as asked, "
        "coalesce(judged, []) as judged "
        "from dim_configuration left join (select configuration_id, bool_or(is_asked) as asked, "
        "list(distinct judge order by judge) as judged "
        "from fct_configuration_score inner join judges using (judge_id) group by all) "
        "using (configuration_id) order by configuration_id"
    ),
    "judges": (
        "select judge_id as id, judges.kind, "
        "case when judges.kind = 'llm' then family end as family, "
        "coalesce(labelled_in_part, []) as labelled_in_part "
        "from judges inner join dim_judge using (judge_id) "
        "left join dim_llm_model using (model_alias) left join ("
        "select judge_id, list({id: configuration_id, n_unlabelled: n_unlabelled} "
        "order by configuration_id) as labelled_in_part "
        "from rpt_leaderboard where state = 'labelled in part' group by all) using (judge_id) "
        "order by judge"
    ),
    "test_sets": (
        "select test_set as id, description, sets.n_cases, version, contains_phi "
        "from dim_test_set as sets "
        # the sets that were asked, the largest first; and sets of configurations that have no
        # cases yet
        "left join (select test_set, count(*) filter (where is_asked) as n_asked "
        "from fct_configuration_score group by all) as asked using (test_set) "
        "where n_asked is not null or (sets.n_cases = 0 and test_set in "
        "(select test_set from dim_configuration)) "
        "order by n_asked desc nulls last, test_set"
    ),
    # every test set of a configuration, in the order of its parts
    "sets": (
        "select test_set as id, count(case_id) as n_cases "
        "from (select distinct test_set from dim_configuration) "
        "left join bridge_test_set_case using (test_set) group by all order by test_set"
    ),
    "agreement": (
        "select judge_a, judge_b, test_set, scale, n_ranks, agreement, kappa, kappa_quadratic, "
        "kappa_quadratic_low, kappa_quadratic_high from fct_judge_agreement "
        "where label = 'all' and configuration_id = 'all' order by all"
    ),
    "calibration": (
        "select judge_id, panel, test_set, scale, n_raters, n_ranks, n_pairs, kappa_quadratic, "
        "kappa_quadratic_low, kappa_quadratic_high, lowest_rater, highest_rater, is_rater, "
        "is_calibrated from rpt_judge_calibration order by all"
    ),
    "bias": (
        "select judge_id, probe, scale, n_lists, share_changed, shift, shift_low, shift_high "
        "from rpt_judge_bias where n_lists > 0 order by all"
    ),
    "orders": (
        # with how many judges give what the reference ranks by
        "select test_set, reference, n_pairs, n_swapped, n_kept, n_incomparable, n_judges "
        "from rpt_rank_sensitivity inner join ("
        "select test_set, reference, count(distinct judge) as n_judges from ("
        "select test_set, reference, unnest([judge_id, other_judge_id]) as judge "
        "from rpt_rank_sensitivity where ranked_by != 'all') group by all"
        ") using (test_set, reference) where ranked_by = 'all' order by all"
    ),
    # the pairs that change places most often; two judges may have a pair in either order
    "changes": (
        "with turned as (select test_set, reference, "
        "list_sort(string_split(unnest(swapped_pairs), ' > ')) as pair, "
        "if(judge_id = other_judge_id, ranked_by, 'judge ' || other_judge_id) "
        "|| ' (' || judge_id || ')' as ranking "
        "from rpt_rank_sensitivity where ranked_by != 'all') "
        "select test_set, reference, pair[1] as one, pair[2] as other, "
        "list(ranking order by ranking) as rankings from turned group by test_set, reference, pair "
        "qualify row_number() over (partition by test_set, reference "
        "order by count(*) desc, one, other) <= 15 "
        "order by test_set, reference, len(rankings) desc, one, other"
    ),
    "missed": (
        "select gold_name, "
        "case when not contains_phi then nullif(gold_written, gold_name) end as gold_written, "
        "test_set, "
        "judge_id, usual_first_diagnosis, n_answers, n_failures, n_missed, missed.n_cases "
        "from rpt_missed_diagnosis as missed inner join dim_test_set using (test_set) "
        "where n_missed > 0 "
        "qualify row_number() over (partition by test_set, judge_id "
        "order by n_missed desc, share_missed desc, gold_name) <= 12 "
        "order by n_missed desc, share_missed desc, gold_name"
    ),
}

# of patients no own id and the terminology's name alone: what a hospital wrote may name a person;
# no exact age: with sex and diagnosis it would name a patient
CASES = f"""
select case_id as id,
    case when not contains_phi then record_id end as own_id,
    case
        when not contains_phi then {GOLD}
        when gold_concept_id is null and icd10_code is null then 'in no terminology'
        else gold_name
    end as gold,
    case when not contains_phi then nullif(gold_diagnosis, {GOLD}) end as known_as,
    gold_severity as severity, grades.severity as graded,
    icd10_chapter_code as chapter_code, icd10_chapter_title as chapter,
    organ_system as system_code, organ_system_title as system,
    icd10_block_code as block_code, icd10_block_title as block,
    icd10_category_code as category_code, icd10_category_title as category,
    icd10_code as code, sex, age_band, language, is_holdout as holdout,
from bridge_test_set_case as members inner join dim_case using (case_id)
left join (
    -- where nobody gave one, as the rules grade it
    select case_id, min(gold_severity || ' (' || gold_severity_rule || ')') as severity
    from fct_case_score inner join dim_judge using (judge_id)
    where kind = 'terminology' and gold_severity_rule != 'given'
    group by case_id
) as grades using (case_id)
where members.test_set = ?
order by case_id
"""
TEXTS_OF_CASES = """
select case when not contains_phi then narrative end as narrative
from bridge_test_set_case as members inner join dim_case using (case_id)
where members.test_set = ?
order by case_id
"""

ROUNDED = ", ".join(
    f"round({metric}{end}, 6) as {metric}{end}"
    for metric in METRICS
    for end in ("", "_low", "_high")
)
SCORES = f"""
select scores.configuration_id, scores.n_cases,
    n_failures, n_model_failures, n_delivery_failures, n_not_asked, n_unlabelled,
    n_without_gold_severity,
    n_test_set_cases, is_asked, generation_usd, n_unpriced_calls,
    round(median_latency_ms) as latency_ms, ranks.score_rank, ranks.n_ranked,
    ranks.rank_low, ranks.rank_high, scores.is_calibrated, leaderboard.is_judge_constant,
    leaderboard.state, {ROUNDED}
from fct_configuration_score as scores
left join (
    select configuration_id, judge_id, state, is_judge_constant from rpt_leaderboard
) as leaderboard using (configuration_id, judge_id)
left join fct_configuration_rank as ranks
    on scores.configuration_id = ranks.configuration_id
    and scores.judge_id = ranks.judge_id
    and scores.setting = ranks.setting
    -- judges that grade whole lists give no relations
    and ranks.metric
    = if(scores.semantic_aggregate is null, 'top5_strict', 'semantic_aggregate')
where scores.judge_id = ? and scores.setting = ?
order by scores.configuration_id
"""

DISAGREEMENTS = """
select test_set, test_power, assumed_discordant_share, observed_discordant_share
from rpt_detectable_difference
"""
SCORED_NUMBERS = """
select test_set, n_cases from fct_configuration_score where is_asked and n_cases > 0
group by all order by all
"""

SETTINGS = "select distinct setting from fct_configuration_score order by setting"

# the texts that arrays refer to by number
WORDS = {
    "statuses": "select distinct status from fct_answer order by status",
    "relations": (
        "select semantic_relation from fct_judged_diagnosis "
        "group by all order by min(coalesce(semantic_distance, 9)), "
        "bool_and(not coalesce(has_semantic_label, false)), semantic_relation"
    ),
    "severities": "select distinct severity from fct_judged_diagnosis order by severity",
    **{
        f"{scale}_rules": (
            f"select {scale}_rule from fct_judged_diagnosis where {scale}_rule is not null "
            f"group by all order by count(*) desc, {scale}_rule limit {NOTHING - 1}"
        )
        for scale in ("semantic", "severity")
    },
}

# what the rules that judged something mean
MEANINGS = """
select rule, meaning from dim_judgement_rule
where rule in (
    select semantic_rule from fct_judged_diagnosis
    union select severity_rule from fct_judged_diagnosis
)
order by rule
"""


@dataclass(frozen=True)
class ReportData:
    """What the page begins with, compressed JSON, and its other parts by name, compressed."""

    core: bytes
    parts: dict[str, bytes]


def read_report(database: Path) -> ReportData:
    """Everything the page shows, from the served database.

    Raises FileNotFoundError with the remedy if nothing has been served yet. Narratives, questions
    and answers of test sets with personal health information are left out, as are the reasons of
    votes: a page is easily passed on.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} does not exist yet: run `kernel29 build` first.")
    with tempfile.TemporaryDirectory() as spill, duckdb.connect() as connection:
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute("set temp_directory = ?", [spill])
        connection.execute("set enable_progress_bar = false")
        connection.execute("set preserve_insertion_order = false")
        path = str(database).replace("'", "''")
        connection.execute(f"attach '{path}' (read_only)")
        connection.execute(f'use "{database.stem}"')
        connection.execute(CELLS)
        connection.execute(JUDGES)
        core = _core(connection)
        core["questions"], questions = read_questions(connection)
        parts = dict(_parts(connection, core)) | dict(questions)
    return ReportData(_json(core), parts)


def _parts(
    connection: duckdb.DuckDBPyConnection, core: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """The parts of the page that are not its core, each with its name; completes the core."""
    for name in WORDS:
        connection.execute(f"create temp table {name} (name varchar, number integer)")
        if core[name]:
            connection.executemany(
                f"insert into {name} values (?, ?)",
                [(text, number) for number, text in enumerate(core[name])],
            )
    for judge, row in enumerate(core["judges"]):
        for number, setting in enumerate(core["settings"]):
            scores = _columns(connection, SCORES, [row["id"], setting])
            yield f"scores-{judge}-{number}", _json(scores)
    for number, row in enumerate(core["sets"]):
        yield f"cases-{number}", _json(_records(connection, CASES, [row["id"]]))
        texts = _first_column(connection, TEXTS_OF_CASES, [row["id"]])
        for first in range(0, len(texts), NARRATIVES):
            block = texts[first : first + NARRATIVES]
            yield f"narratives-{number}-{first // NARRATIVES}", _json(block)
    yield from read_cells(connection, core)
    yield from _reasons(connection, core)
    yield from _words(connection, core)
    yield from _votes(connection, core)


def _by_group(cells: np.ndarray, core: dict[str, Any]) -> Iterator[tuple[int, np.ndarray]]:
    """Each group of configurations, and the places of its cells among these."""
    groups = np.searchsorted(core["groups"], cells, side="right") - 1
    for group in range(len(core["groups"])):
        yield group, np.flatnonzero(groups == group)


def _json(content: Any) -> bytes:
    return packed_json(content, _plain)


def _plain(value: Any) -> float | str:
    """The JSON form of other types: a DECIMAL becomes a number, anything else a text."""
    return float(value) if isinstance(value, Decimal) else str(value)


def _records(
    connection: duckdb.DuckDBPyConnection, query: str, values: list[str] | None = None
) -> list[dict[str, Any]]:
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _first_column(
    connection: duckdb.DuckDBPyConnection, query: str, values: list[str] | None = None
) -> list[Any]:
    return [row[0] for row in connection.execute(query, values).fetchall()]


def _columns(
    connection: duckdb.DuckDBPyConnection, query: str, values: list[str]
) -> dict[str, list[Any]]:
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    return (
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if rows
        else {name: [] for name in names}
    )


def _core(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """The lists of the page by name, in the order in which they are written."""
    records = {name: _records(connection, query) for name, query in RECORDS.items()}
    return {
        "configurations": records.pop("configurations"),
        "judges": records.pop("judges"),
        "settings": _first_column(connection, SETTINGS),
        **records,
        **{name: _first_column(connection, query) for name, query in WORDS.items()},
        "meanings": dict(connection.execute(MEANINGS).fetchall()),
        "detectable": _detectable(connection),
    }


def _detectable(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Of each test set the shares of cases on which two configurations disagree, as assumed and as
    observed, and what each lets be detected by how many cases were scored, which a sample lowers.

    None where even all cases of disagreement are too few, and for what was not observed.
    """
    # scipy takes a second, which other users of MARTS need not wait
    from python_llm.statistics.detectable import detectable_share_difference

    scored = connection.execute(SCORED_NUMBERS).fetchall()
    return {
        test_set: {
            "shares": shares,
            "differences": {
                n_cases: [
                    share and detectable_share_difference(n_cases, discordant=share, power=power)
                    for share in shares
                ]
                for of_set, n_cases in scored
                if of_set == test_set
            },
        }
        for test_set, power, *shares in connection.execute(DISAGREEMENTS).fetchall()
    }


def _reasons(
    connection: duckdb.DuckDBPyConnection, core: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """The reasons of the labels, first ranks first, until the page is full.

    For each group a compressed JSON object: `texts`, and for each reason its place among the ranks
    of all cells, judge after judge (`places`, each as the distance from the one before), and the
    number of its text (`numbers`).
    """
    n_ranks = core["n_cells"] * MAX_RANK
    judged = connection.execute(
        f"""
        select judge * {n_ranks}::bigint + cell * {MAX_RANK} + diagnosis_rank - 1 as place,
            concat_ws(
                ' · ',
                semantic_rule || coalesce(': ' || semantic_reason, ''),
                severity_rule || coalesce(': ' || severity_reason, '')
            ) as reason,
        from fct_judged_diagnosis
        inner join cells using (configuration_id, case_id)
        inner join judges using (judge_id)
        where diagnosis_rank <= {MAX_RANK}
        order by judge != 0, diagnosis_rank, place
        limit {MOST_REASONS}
        """
    ).fetchnumpy()
    places, reasons = judged["place"], judged["reason"]
    # estimate how many fit from a compressed sample, with a margin
    kept = len(places)
    if kept > 20_000:
        sample = _packed_reasons(places[:: kept // 10_000], reasons[:: kept // 10_000])
        kept = min(kept, int(REASON_BYTES / (len(sample) / 10_000) * 1.2))
    packed = _packed_reasons(places[:kept], reasons[:kept])
    while len(packed) > REASON_BYTES:
        kept = int(kept * 0.97 * REASON_BYTES / len(packed))
        packed = _packed_reasons(places[:kept], reasons[:kept])
    core["n_reasons"] = kept
    places, reasons = places[:kept], reasons[:kept]
    for group, at in _by_group(places % n_ranks // MAX_RANK, core):
        yield f"reasons-{group}", _packed_reasons(places[at], reasons[at])


def _packed_reasons(places: np.ndarray, reasons: np.ndarray) -> bytes:
    order = np.argsort(places, kind="stable")
    numbers: dict[str, int] = {}
    of_text = [numbers.setdefault(text, len(numbers)) for text in reasons[order]]
    distances = np.diff(places[order], prepend=0).tolist()
    return _json({"texts": list(numbers), "places": distances, "numbers": of_text})


# the first cases of every configuration before the second ones; every attempt at an answer is paid
WORDS_OF_CELLS = f"""
with asked as (
    select configuration_id, case_id, cell, request_key
    from fct_answer
    inner join cells using (configuration_id, case_id)
    inner join dim_case using (case_id)
    left join dim_llm_request using (request_key)
    where not contains_phi and coalesce(answer_text, user_text, findings) is not null
),

-- before the texts are read: they are large
picked as (
    select *
    from asked
    order by row_number() over (partition by configuration_id order by cell), cell
    limit {MOST_WORDS}
),

costs as (
    select
        request_key,
        if(bool_and(is_priced), format('${{:.5f}}', coalesce(sum(cost_usd), 0)), 'price unknown')
        || ', ' || count(*) || if(count(*) = 1, ' attempt', ' attempts')
        || coalesce(format(', {{:.1f}} s', max(latency_ms) filter (where is_final) / 1000), '')
            as cost,
    from fct_llm_call
    semi join picked using (request_key)
    group by all
)

select
    cell,
    system_text as system,
    replace(user_text, narrative, chr({ord(NARRATIVE)})) as question,
    findings,
    answer_text as answer,
    concat_ws(
        ', ',
        parse_status,
        read_as,
        if(parse_status is null, null, n_diagnoses || ' diagnoses'),
        if(n_dropped > 0, n_dropped || ' left out', null)
    ) as reading,
    cost,
from picked
inner join fct_answer using (configuration_id, case_id)
inner join dim_case using (case_id)
left join dim_llm_request on picked.request_key = dim_llm_request.request_key
left join costs on picked.request_key = costs.request_key
order by row_number() over (partition by configuration_id order by cell), cell
"""
PARTS = ("system", "question", "findings", "answer", "reading", "cost")


def _words(
    connection: duckdb.DuckDBPyConnection, core: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """The question, the answer, its reading and its cost for each cell, until the page is full.

    For each group a compressed JSON object: `texts` and, for the `cells` (each as the distance from
    the one before), the number of the text of each of PARTS, null for none.
    """
    rows = _records(connection, WORDS_OF_CELLS)
    rows = _fitting(rows, _packed_words, WORD_BYTES)
    core["n_words"] = len(rows)
    for group, at in _by_group(np.array([row["cell"] for row in rows]), core):
        yield f"words-{group}", _packed_words([rows[number] for number in at])


def _fitting(
    rows: list[dict[str, Any]], pack: Callable[[list[dict[str, Any]]], bytes], most_bytes: int
) -> list[dict[str, Any]]:
    """Those of the first rows that fit into so many bytes, packed together."""
    kept, packed = len(rows), pack(rows)
    while len(packed) > most_bytes:
        kept = int(kept * 0.97 * most_bytes / len(packed))
        packed = pack(rows[:kept])
    return rows[:kept]


def _packed_words(rows: list[dict[str, Any]]) -> bytes:
    rows = sorted(rows, key=lambda row: row["cell"])
    numbers: dict[str, int] = {}
    content: dict[str, Any] = {
        name: [
            None if not row[name] else numbers.setdefault(row[name], len(numbers)) for row in rows
        ]
        for name in PARTS
    }
    return _json({**content, "cells": _distances(rows), "texts": list(numbers)})


def _distances(rows: list[dict[str, Any]]) -> list[int]:
    """The cell of each row as the distance from the one before."""
    return [after - before for before, after in pairwise([0, *(row["cell"] for row in rows)])]


# the first lists of every configuration and judge before the second ones
VOTES_OF_CELLS = f"""
with voted as (
    select distinct configuration_id, cell, judge
    from fct_judge_vote
    inner join cells using (configuration_id, case_id)
    inner join judges using (judge_id)
    where probe = 'none'
),

-- before the reasons are read: they are large; a list has one vote at least
lists as (
    select
        cell,
        judge,
        row_number() over (partition by configuration_id, judge order by cell) as list_number,
    from voted
    order by list_number, cell, judge
    limit {MOST_VOTES}
)

select
    cell,
    judge,
    diagnosis_rank as rank,
    vote,
    scale,
    left(request_key, {KEY_DIGITS}) as request,
    coalesce(label, replace(outcome, '_', ' ')) as label,
    coalesce(reason_withheld, reason, '') as reason,
from fct_judge_vote
inner join cells using (configuration_id, case_id)
inner join judges using (judge_id)
inner join lists using (cell, judge)
where probe = 'none' and outcome != 'not_in_list' and diagnosis_rank <= {MAX_RANK}
order by list_number, cell, judge, rank, scale, vote
limit {MOST_VOTES}
"""
NUMBERS_OF_VOTES = ("judge", "rank", "vote")
TEXTS_OF_VOTES = ("scale", "request", "label", "reason")


def _votes(
    connection: duckdb.DuckDBPyConnection, core: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """The votes behind the labels of models that judge, until the page is full.

    For each group a compressed JSON object: `cells` (each as the distance from the one before),
    NUMBERS_OF_VOTES as they are, and for each of TEXTS_OF_VOTES the number of its text in `texts`.
    """
    rows = _records(connection, VOTES_OF_CELLS)
    rows = _fitting(rows, _packed_votes, VOTE_BYTES)
    core["n_votes"] = len(rows)
    for group, at in _by_group(np.array([row["cell"] for row in rows]), core):
        yield f"votes-{group}", _packed_votes([rows[number] for number in at])


def _packed_votes(rows: list[dict[str, Any]]) -> bytes:
    rows = sorted(rows, key=lambda row: row["cell"])
    numbers: dict[str, int] = {}
    content: dict[str, Any] = {name: [row[name] for row in rows] for name in NUMBERS_OF_VOTES}
    for name in TEXTS_OF_VOTES:
        content[name] = [numbers.setdefault(row[name], len(numbers)) for row in rows]
    return _json({**content, "cells": _distances(rows), "texts": list(numbers)})
