"""Who judged: rules, a model or people, how far they agree with people, and what they labelled."""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

import duckdb

from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.page import Paper
from python_llm.report.paper.tables import Table, estimate, markdown
from python_llm.report.paper.words import listing, number, scale

JUDGE = """
select judge_id, judges.kind, judges.panel, judges.description, judges.model_alias,
    models.provider, models.api_model, semantic_prompt_version, severity_prompt_version, n_votes
from dim_judge as judges left join dim_llm_model as models using (model_alias)
where judge_id = $1
"""
RATERS = "select judge_id from dim_judge where kind = 'person' and panel = $1 order by judge_id"
CALIBRATION = """
select panel, test_set, scale, n_raters, n_ranks, n_cases, agreement, agreement_low, agreement_high,
    kappa, kappa_low, kappa_high, kappa_quadratic, kappa_quadratic_low, kappa_quadratic_high,
    lowest_rater, highest_rater, share_labelled, is_rater, is_calibrated
from rpt_judge_calibration
where judge_id = $1 and test_set in (select test_set from chosen)
order by test_set, panel, list_position($2, scale), scale
"""
# what a rank, then what a list was asked; the rest follows by name
QUESTIONS = ["semantic", "severity", "rank_strict", "rank_broad"]
QUESTIONS += [f"top{depth}_{kind}" for depth in (1, 3, 5, 10) for kind in ("strict", "broad")]
TOLD = {"semantic", "severity", "top1_strict", "top1_broad", "top5_strict", "top5_broad"}
LABELLED = """
select sum(n_cases) as n_lists, sum(n_unlabelled) as n_unlabelled,
    min(n_cases - n_unlabelled) as fewest, max(n_cases - n_unlabelled) as most,
    sum(n_scored_ranks) as n_ranks, sum(n_without_relation) as n_without_relation
from fct_configuration_score semi join chosen using (configuration_id)
where setting = 'medium' and judge_id = $1
"""
# Configurations that a person labelled in part, of the chosen test sets: they have no score.
IN_PART = """
select configuration_id, n_unlabelled
from rpt_leaderboard semi join (select distinct test_set from chosen) as sets using (test_set)
where judge_id = $1 and state = 'labelled in part'
order by configuration_id
"""
# Lists that the judge left without a label, of the chosen configurations or of all of their sets.
UNLABELLED = """
select count(*) filter (where is_unlabelled) as n_lists,
    count(*) filter (where is_unlabelled and is_failure) as n_failed
from fct_case_score semi join {chosen}
where judge_id = $1
"""
# Labels by people that name the fifth rank often and the ranks before it hardly ever. Ranks get
# rarer from the first to the last in an honest reading; ten fifths, and nine of them for each rank
# between, are no chance: with equal shares of ranks 2 to 5 that has a probability below 1e-4.
LUMPED = """
select scores.configuration_id, scores.judge_id,
    count(*) filter (where strict_rank between 2 and 4) as n_between,
    count(*) filter (where strict_rank = 5) as n_fifth
from fct_case_score as scores
semi join chosen using (configuration_id)
semi join (select judge_id from dim_judge where kind in ('recorded', 'person')) using (judge_id)
where list_contains($1, scores.judge_id) and is_scored
group by scores.configuration_id, scores.judge_id
having n_fifth >= 10 and n_fifth >= 9 * n_between
order by scores.configuration_id, scores.judge_id
"""
# Cases whose gold diagnosis the judge itself graded, and those that a score rests on.
GRADED = """
select test_set, count(distinct case_id) as n_cases,
    count(distinct case_id) filter (where gold_severity_rule != 'given') as n_graded,
    count(distinct case_id) filter (where gold_severity = 'rare') as n_rare,
    count(distinct case_id) filter (where acuity_score is not null) as n_with_acuity,
    count(distinct case_id) filter (where dangerous_omission is not null) as n_with_danger
from fct_case_score semi join chosen using (configuration_id)
where judge_id = $1
group by test_set
order by test_set
"""
# Diagnoses labelled rare of which nobody knows how acute they are: they count as the mildest.
OF_UNKNOWN_ACUITY = """
select chosen.test_set, count(*) as n_ranks,
    count(*) filter (where severity = 'rare' and acuity is null) as n_unknown
from fct_judged_diagnosis as judged inner join chosen using (configuration_id)
where judge_id = $1 and diagnosis_rank <= 5
group by chosen.test_set
order by chosen.test_set
"""


def sentences(connection: duckdb.DuckDBPyConnection, judge: str) -> Sequence[str]:
    """The judge for the paragraph of methods: who it is, and how far it agrees with people."""
    (judged,) = rows_of(connection, JUDGE, [judge])
    compared = rows_of(connection, CALIBRATION, [judge, QUESTIONS])
    if judged["kind"] == "person":
        own = [row for row in compared if row["panel"] == judged["panel"]]
        others = [row for row in compared if row["panel"] != judged["panel"]]
        labelled = [*_labelled(connection, judge), *_in_part(connection, judge)]
        return [*_person(connection, judged, own), *labelled, *_people(others)]
    if not compared:
        compared_with = ["On these test sets the judge has not been compared with people."]
    else:
        compared_with = _people(compared)
    labelled = _labelled(connection, judge) if judged["kind"] == "recorded" else []
    return [*_program(judged), *labelled, *compared_with]


def _program(judged: Row) -> list[str]:
    name = judged["judge_id"]
    if judged["kind"] == "terminology":
        return [
            f"The judge is {name} (rules): it compares names, synonyms, codes and hierarchies of "
            "the terminologies, and no language model takes part."
        ]
    kinds = {
        "llm": "a language model",
        "jury": "several judges together",
        "recorded": "labels that came with the answers",
    }
    text = (
        f"The judge is {name} ({kinds.get(judged['kind'], judged['kind'])}): "
        f"{judged['description'].rstrip('.')}."
    )
    if judged["model_alias"] is None:
        return [text]
    return [
        text,
        f"Its model is {judged['api_model']} of {judged['provider']}, with {judged['n_votes']} "
        f"votes on each rank; the hash of its prompt is {judged['semantic_prompt_version']} for "
        f"semantics and {judged['severity_prompt_version']} for severity.",
    ]


def _person(connection: duckdb.DuckDBPyConnection, judged: Row, own: list[Row]) -> list[str]:
    """A human judge: its panel, the number of raters and their agreement among themselves."""
    name, panel = judged["judge_id"], judged["panel"]
    raters = [row["judge_id"] for row in rows_of(connection, RATERS, [panel])]
    if len(raters) < 2:
        return [
            f"The judge is human: the labels of {name}, a panel with a single rater on record, so "
            "that agreement between raters is unknown."
        ]
    text = (
        f"The judge is human: {name}, one of the {len(raters)} raters of the panel {panel} "
        f"({listing(raters)})."
    )
    measured = _told([row for row in own if row["lowest_rater"] is not None])
    if not measured:
        return [text, "The raters have no lists in common here, so their agreement is unknown."]
    between = [
        f"{_span(row)} for {scale(row['scale'])} ({row['test_set']}, "
        f"{number(row['n_ranks'], _unit(row))} of {number(row['n_cases'], 'case')})"
        for row in measured
    ]
    return [text, f"Agreement among the raters is, as {_kind(measured)}, {listing(between)}."]


def _told(rows: Iterable[Row], questions: Collection[str] = TOLD) -> list[Row]:
    """Those of these questions that were asked. Strict and broad are one where all numbers are
    equal, as they are if nobody told them apart."""
    told: list[Row] = []
    numbers = (
        "test_set",
        "panel",
        "n_ranks",
        "kappa",
        "kappa_low",
        "kappa_high",
        "lowest_rater",
        "is_calibrated",
    )
    for row in sorted(rows, key=lambda row: (row["test_set"], row["panel"], _order(row))):
        if row["scale"] not in questions:
            continue
        strict = row["scale"].replace("_broad", "_strict")
        is_broad = bool(told) and strict != row["scale"] and told[-1]["scale"] == strict
        if is_broad and all(told[-1][name] == row[name] for name in numbers):
            told[-1] = {**row, "scale": strict.removesuffix("_strict")}
        else:
            told.append(row)
    return told


def _order(row: Row) -> int:
    return QUESTIONS.index(row["scale"]) if row["scale"] in QUESTIONS else len(QUESTIONS)


def _span(row: Row) -> str:
    low, high = f"{row['lowest_rater']:.2f}", f"{row['highest_rater'] or row['lowest_rater']:.2f}"
    return low if low == high else f"{low} to {high} by rater"


def _kind(rows: list[Row]) -> str:
    """Which kappa `_value` gives: quadratic weights where labels are ordered."""
    ordered = any(row["scale"] in ("semantic", "severity") for row in rows)
    return "kappa (with quadratic weights for labels of ranks)" if ordered else "kappa"


def _unit(row: Row) -> str:
    return "rank" if row["scale"] in ("semantic", "severity") else "list"


def _people(compared: list[Row]) -> list[str]:
    """How far the judge agrees with each panel, beside the raters among themselves."""
    texts = []
    for (test_set, panel), group in groupby(compared, lambda row: (row["test_set"], row["panel"])):
        members = list(group)
        rows = _told(members)
        if not rows:
            continue
        raters = number(max(row["n_raters"] or 1 for row in rows), "rater")
        cases = number(max(row["n_cases"] for row in rows), "case")
        values = listing([_kappa(row) for row in rows])
        texts.append(
            f"Compared with the people of {panel} ({raters}; {test_set}, {cases}), its "
            f"{_kind(rows)} is {values}{_verdict(members)}."
        )
    return texts


def _kappa(row: Row) -> str:
    value = _value(row)
    text = f"{'undefined' if value is None else f'{value:.2f}'} for {scale(row['scale'])}"
    if value == 0 and row["agreement"] == 1:
        text += " (both gave one and the same label throughout, for which kappa is 0 by convention)"
    if row["lowest_rater"] is None:
        return text
    return f"{text} (lowest among the raters: {row['lowest_rater']:.2f})"


def _value(row: Row) -> float | None:
    """Quadratic kappa for ordered labels, plain kappa for yes or no."""
    ordered = row["kappa_quadratic"] is not None
    value: float | None = row["kappa_quadratic"] if ordered else row["kappa"]
    return value


def _verdict(compared: list[Row]) -> str:
    """For which questions the judge is calibrated, those included that no sentence names."""
    rows = _told(compared, QUESTIONS)
    if all(row["lowest_rater"] is None for row in rows):
        single = all((row["n_raters"] or 1) == 1 for row in rows)
        return (
            "; a single rater cannot calibrate a judge"
            if single
            else "; how far the raters agree among themselves is not known"
        )
    passed = [scale(row["scale"]) for row in rows if row["is_calibrated"]]
    if len(passed) == len(rows):
        return ", which meets the criteria of calibration throughout"
    if not passed:
        return ", which does not meet the criteria of calibration"
    return f", which meets the criteria of calibration for {listing(passed)} only"


def _labelled(connection: duckdb.DuckDBPyConnection, judge: str) -> list[str]:
    """How many lists, or ranks, carry a label of the judge."""
    (row,) = rows_of(connection, LABELLED, [judge])
    if row["n_unlabelled"]:
        n_labels = row["n_lists"] - row["n_unlabelled"]
        span = number(row["most"], "list")
        if row["fewest"] != row["most"]:
            span = f"{row['fewest']:,} to {span}"
        return [
            f"It labelled {n_labels:,} of {row['n_lists']:,} lists ({span} per configuration).",
            unlabelled(connection, judge),
        ]
    if row["n_ranks"]:
        n_labels = row["n_ranks"] - (row["n_without_relation"] or 0)
        return [f"It labelled {n_labels:,} of the {row['n_ranks']:,} diagnoses at ranks 1 to 5."]
    return []


def _in_part(connection: duckdb.DuckDBPyConnection, judge: str) -> list[str]:
    """The configurations that are not in the paper because some of their lists have no label."""
    rows = rows_of(connection, IN_PART, [judge])
    if not rows:
        return []
    texts = [f"{row['configuration_id']} ({number(row['n_unlabelled'], 'list')})" for row in rows]
    return [f"Not compared, because it left lists of theirs without a label: {listing(texts)}."]


def unlabelled(connection: duckdb.DuckDBPyConnection, judge: str, *, of_all: bool = False) -> str:
    """What a reader must know of the lists without a label by this judge: how many of the chosen
    configurations (of_all: of all configurations of their test sets), and that they are misses.
    Empty if every list has one."""
    kept = "(select distinct test_set from chosen)" if of_all else "chosen"
    key = "test_set" if of_all else "configuration_id"
    query = UNLABELLED.format(chosen=f"{kept} as kept using ({key})")
    (row,) = rows_of(connection, query, [judge])
    if not row["n_lists"]:
        return ""
    have = "has" if row["n_lists"] == 1 else "have"
    failed = f" ({row['n_failed']:,} of them are failed answers)" if row["n_failed"] else ""
    miss = "counts as a miss" if row["n_lists"] == 1 else "count as misses"
    return f"{number(row['n_lists'], 'list')} {have} no label by {judge} and {miss}{failed}."


def lumped(connection: duckdb.DuckDBPyConnection, judges: Sequence[str]) -> str:
    """A warning of labels that name rank 5 where they mean any rank after the first; empty if
    there are none. Top-3 and MRR by them are too low."""
    rows = rows_of(connection, LUMPED, [list(judges)])
    if not rows:
        return ""
    counts = [
        f"{row['configuration_id']} by {row['judge_id']} ({row['n_fifth']:,} at rank 5, "
        f"{row['n_between']:,} at ranks 2 to 4)"
        for row in rows
    ]
    return (
        f"Labels seem to say rank 5 for any rank after the first: {listing(counts)}. Top-3 and MRR "
        "by these labels are then too low; top-1 and top-5 are not touched."
    )


def severities(connection: duckdb.DuckDBPyConnection, judge: str) -> Sequence[str]:
    """How many cases the scores of severity rest on, and who graded their gold diagnoses."""
    texts = []
    for row in rows_of(connection, GRADED, [judge]):
        graded = (
            "the judge itself, blind to the answers, graded the severity of "
            f"{row['n_graded']:,} of {row['n_cases']:,} gold diagnoses"
        )
        if not row["n_graded"]:
            graded = "none of the severities of the gold diagnoses is the judge's own"
        texts.append(
            f"In {row['test_set']} {graded}; acuity rests on "
            f"{row['n_with_acuity']:,} cases and the omission of dangerous diagnoses on "
            f"{row['n_with_danger']:,}."
        )
        if row["n_rare"] == row["n_cases"]:
            texts.append(
                f"All diseases of {row['test_set']} are rare, so that the severity score says "
                "little more than whether a system names rare diseases."
            )
    for row in rows_of(connection, OF_UNKNOWN_ACUITY, [judge]):
        if row["n_unknown"]:
            texts.append(
                f"{row['n_unknown']:,} of the {row['n_ranks']:,} diagnoses that answers to "
                f"{row['test_set']} have among their first five are labelled rare without a known "
                "acuity, and count in acuity and omission as wrong and as milder."
            )
    return texts


def add_agreement(paper: Paper) -> None:
    """The agreement of the judge with people, question by question."""
    rows = rows_of(paper.connection, CALIBRATION, [paper.judge, QUESTIONS])
    if not rows:
        return
    paper.add(
        "## How far the judge agrees with people",
        f"Each row compares {paper.judge} with the raters of a panel on what both labelled, over "
        "all configurations of the test set. Kappa (Cohen 1960) has quadratic weights (Cohen 1968) "
        "where the labels are ordered. Beside it stands the kappa of the rater who agrees least "
        "with the others of the panel; a judge that reaches it is calibrated (specification, "
        "Calibration). One rater cannot calibrate a judge.",
    )
    lines = [
        [
            row["test_set"],
            f"{row['panel']}{' (its own)' if row['is_rater'] else ''}",
            row["n_raters"],
            scale(row["scale"]),
            row["n_ranks"],
            row["n_cases"],
            estimate(row, "agreement", 100, 1),
            estimate(row, "kappa_quadratic" if row["kappa_quadratic"] is not None else "kappa"),
            row["lowest_rater"],
            row["is_calibrated"],
        ]
        for row in rows
    ]
    heads = ["test set", "panel", "raters", "question", "lists or ranks", "cases", "agreement, %"]
    heads += ["kappa", "lowest rater", "calibrated"]
    caption = f"Agreement of the judge {paper.judge} with people"
    paper.table(Table("agreement", caption, rows), markdown(heads, lines))
