"""The sections of a paper that say how far its numbers can be trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import groupby

from python_llm.report import orders
from python_llm.report.choice_of_cases import choice_from, read_answers
from python_llm.report.paper import figures
from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.judged import lumped, unlabelled
from python_llm.report.paper.page import Paper
from python_llm.report.paper.tables import Table, estimate, markdown
from python_llm.report.paper.words import listing, metric, number, ranking
from python_llm.statistics.choosing import LEAST_MODELS

ALPHA = 0.05
MOST_PAIRS = 60  # in one figure; the table has all of them
# The usual rankings, each with the metric by which the same pairs are tested.
REFERENCES = {
    "semantic_aggregate": ("semantics", "semantic_aggregate"),
    "severity_aggregate": ("severity", "severity_aggregate"),
    "top5_broad": ("top-5", "top5_broad"),
}
PAIRS = f"""
with {orders.PAIRS}
select pairs.*, comparisons.p_value_adjusted, comparisons.n_cases
from pairs
left join fct_configuration_comparison as comparisons
    on comparisons.judge_id = $1
    and comparisons.metric = pairs.reference
    and least(comparisons.configuration_a, comparisons.configuration_b)
    = least(pairs.ahead, pairs.behind)
    and greatest(comparisons.configuration_a, comparisons.configuration_b)
    = greatest(pairs.ahead, pairs.behind)
where pairs.ahead in (select configuration_id from chosen)
    and pairs.behind in (select configuration_id from chosen)
order by pairs.test_set, pairs.reference, is_kept, len(turned_by) desc, ahead, behind
"""
# What stands under the table of labels.
SELECTED = (
    "Contradicted are only labels that the rules can read: a name that no terminology has hides an "
    "error, so the share is a lower bound of what is wrong with the labels, and does not say who "
    "is right. Top-1 and top-5 are shares of all cases of the test set: by labels a list without "
    "one is a miss, while the rules judge every list; beside them stands top-5 of the labelled "
    "lists alone. Labels that end at the fifth rank answer questions about later ranks "
    "mostly where the diagnosis was found, so that agreement on `top10_…` and `rank_…` "
    "(`fct_judge_agreement`, column `caveat`) is that of lists which these labels select. In "
    "brackets: over the labels written as plain P0 to P5, which is how some published tables count."
)
GRADINGS = """
select gradings.configuration_id, gradings.judge_id, gradings.test_set,
    gradings.n_labelled + gradings.n_contradictory as n_labels,
    gradings.n_contradicted, gradings.share_contradicted, gradings.share_contradicted_low,
    gradings.share_contradicted_high, gradings.n_contradictory, gradings.n_rank_not_read,
    gradings.n_found_earlier, gradings.n_found_later, gradings.n_ranks_say_otherwise,
    gradings.top1 as top1_by_labels, gradings.top1_of_plain,
    gradings.top5 as top5_by_labels, gradings.top5_of_plain, gradings.n_written_plainly,
    gradings.top5_of_labelled,
    rules.top5_strict as top5_strict_by_rules,
    rules.top5_broad as top5_broad_by_rules, gradings.contradicted_cases
from rpt_label_grading as gradings
semi join chosen using (configuration_id)
left join fct_configuration_score as rules
    on gradings.configuration_id = rules.configuration_id
    and rules.judge_id = 'terminology' and rules.setting = 'medium'
order by gradings.test_set, share_contradicted desc, gradings.configuration_id, gradings.judge_id
"""
COMPLEXITY = """
select test_set, complexity_level, count(*) as n_cases,
    100 * count(*) / sum(count(*)) over (partition by test_set) as percent,
    any_value(n_configurations) as n_configurations, avg(share_found) as mean_share_found,
    count(*) filter (where n_findings > 0) as n_with_findings,
    avg(n_findings) filter (where n_findings > 0) as mean_n_findings,
    avg(mean_specificity) as mean_specificity,
    avg(noise_share) as mean_noise_share, count(noise_share) as n_with_noise,
    avg(discrimination) filter (where complexity_level != 'not known') as mean_discrimination
from fct_case_difficulty
semi join chosen using (test_set)
where judge_id = $1
group by test_set, complexity_level
order by test_set, mean_share_found desc, complexity_level
"""
DIFFICULTIES = """
select * replace (if(complexity_level = 'not known', null, discrimination) as discrimination)
from fct_case_difficulty semi join chosen using (test_set)
where judge_id = $1 order by test_set, share_found, case_id
"""
PARTS = (4, 2)  # of the cases of a set, one in so many is chosen
# what a label says in words may name a person; rank and rule are enough to look at the case
CONTRADICTIONS = """
select configuration_id, case_id, judge_id, rule, label_rank, rank_by_rules, n_read, what, source
from rpt_label_disagreement
semi join chosen using (configuration_id)
order by all
"""
JUDGES = """
select test_set, judge_id, bool_or(mean_semantic_score is not null) as semantic_aggregate,
    bool_or(mean_severity_score is not null) as severity_aggregate,
    bool_or(top5_broad is not null) as top5_broad
from fct_configuration_score semi join chosen using (configuration_id)
where setting = 'medium'
group by test_set, judge_id
order by test_set, judge_id
"""
TOTALS = """
select test_set, reference, n_pairs,
    (
        select list(distinct judge order by judge) from (
            select test_set, reference, ranked_by, unnest([judge_id, other_judge_id]) as judge
            from rpt_rank_sensitivity
        ) as rankings
        where rankings.test_set = totals.test_set and rankings.reference = totals.reference
            and ranked_by != 'all'
    ) as judges,
    (select count(*) from chosen where chosen.test_set = totals.test_set) as n_configurations
from rpt_rank_sensitivity as totals
where ranked_by = 'all' and test_set in (select test_set from chosen)
order by all
"""


def add_sensitivity(paper: Paper) -> None:
    """Which conclusions survive every judge, metric and sigmoid, which do not, and why."""
    rows = rows_of(paper.connection, PAIRS, [paper.judge])
    judges = rows_of(paper.connection, JUDGES)
    totals = _with_judges(rows_of(paper.connection, TOTALS), judges)
    paper.add("## Which conclusions survive other rankings")
    if not totals:
        paper.add("With fewer than two configurations on each test set there is no order.")
        return
    paper.add(
        "An order survives if two configurations stand in it, without a tie, under every judge "
        "that scored both (two judges are compared on the cases that both judged), every steepness "
        "and midpoint of the sigmoid (k 0.5 to 4, x₀ −0.3 to 0.3) and every metric of the same "
        "kind. For semantics these are top-1, top-5 and MRR, "
        "strict and broad, the mean scores of the first five and of full lists, the mean over "
        "organ systems and the omission of dangerous diagnoses; for severity the mean scores, "
        "acuity, rarity and the mean over organ systems. The sign of the difference decides, "
        "however small it is.",
        _judges(paper, judges),
        "\n".join(f"- {_answer(total, rows, paper.judge)}" for total in totals),
    )
    lines = [
        [
            f"{row['ahead']} > {row['behind']}",
            REFERENCES[row["reference"]][0],
            len(row["turned_by"] or []),
            _reversing(row["turned_by"] or []) or "none: judges saw different cases",
            _p(row["p_value_adjusted"]),
        ]
        for row in rows
        if not row["is_kept"]
    ]
    heads = ["pair in its usual order", "by", "reversed by", "rankings", "p (Holm)"]
    table = Table("sensitivity", "Pairs of configurations whose order does not survive", rows)
    note = (
        "Usual order: by the medium aggregate (top-5: broad) of the first judge that scored both, "
        "in the order of their names. Reversed by: how many rankings have the opposite order; "
        f"their judge is in brackets. p: test of the difference by "
        f"{paper.judge}, corrected over all pairs of the test set as in the comparisons above."
    )
    missing = unlabelled(paper.connection, paper.judge)
    paper.table(table, f"{markdown(heads, lines)}\n{' '.join(filter(None, (note, missing)))}")
    for (test_set, reference), members in groupby(
        (row for row in rows if row["turned_by"] and not row["is_kept"]),
        lambda row: (row["test_set"], row["reference"]),
    ):
        (total,) = [
            total
            for total in totals
            if (total["test_set"], total["reference"]) == (test_set, reference)
        ]
        _picture(paper, total, list(members))


def _with_judges(totals: list[Row], judges: list[Row]) -> list[Row]:
    """Each total with the judges that rank these configurations by its reference, and those that
    score them by it; what a judge does on another test set is not said of this one."""
    of_sets: dict[str, list[Row]] = {}
    for row in judges:
        of_sets.setdefault(row["test_set"], []).append(row)
    return [
        {
            **total,
            "judges": [
                row["judge_id"]
                for row in of_sets.get(total["test_set"], [])
                if row["judge_id"] in (total["judges"] or [])
            ],
            "scorers": [
                row["judge_id"]
                for row in of_sets.get(total["test_set"], [])
                if row[total["reference"]]
            ],
        }
        for total in totals
    ]


def _judges(paper: Paper, judges: list[Row]) -> str:
    """Which judges a conclusion has to survive: with one, another might reverse it."""
    names = sorted({row["judge_id"] for row in judges})
    if len(names) == 1:
        return "Only one judge scored these answers: no conclusion is tested against another."
    return f"{len(names)} judges scored these answers: {listing(names)}."


def _answer(total: Row, rows: list[Row], judge: str) -> str:
    """How many pairs keep their order, and how many of the significant ones, as a sentence."""
    key = (total["test_set"], total["reference"])
    own = [row for row in rows if (row["test_set"], row["reference"]) == key]
    n_chosen = total["n_configurations"] * (total["n_configurations"] - 1) // 2
    n_pairs = min(total["n_pairs"], n_chosen)
    kept = [row for row in own if row["is_kept"]]
    incomparable = sum(row["is_incomparable"] for row in own)
    reversed_ = len(own) - len(kept) - incomparable
    apart = (
        f"; not comparable across judges, who saw different cases: {incomparable}"
        if incomparable
        else ""
    )
    kind, tested = REFERENCES[total["reference"]]
    if not n_pairs:
        several = "no two configurations with the same number of cases"
        which = "one configuration" if total["n_configurations"] < 2 else several
        return f"{total['test_set']}, {kind}: {which}, so there is nothing to compare."
    text = (
        f"{total['test_set']}, {kind}, {number(len(total['judges']), 'judge')}: "
        f"**{len(kept)} of {n_pairs} pairs keep their order**; "
        f"reversed by some ranking: {reversed_}; tied in one: {n_pairs - len(own)}{apart}."
        f"{_untested(total, kept)}"
    )
    if judge not in total["scorers"]:
        rankers = total["judges"]
        by = f"; the rankings are those of {listing(rankers)}" if rankers else ""
        return f"{text} {judge} gives no such score and hence no test of it{by}."
    significant = [
        row
        for row in own
        if row["p_value_adjusted"] is not None and row["p_value_adjusted"] < ALPHA
    ]
    if not significant:
        return (
            f"{text} No difference in {metric(tested)} is significant by {judge} "
            f"(Holm, p < {ALPHA})."
        )
    surviving = sum(row["is_kept"] for row in significant)
    return (
        f"{text} Differences in {metric(tested)} that are significant by {judge} "
        f"(Holm, p < {ALPHA}): {len(significant)}; of these keep their order: {surviving}."
    )


def _untested(total: Row, kept: list[Row]) -> str:
    """How many of the pairs that keep their order no second judge has scored, as a sentence."""
    alone = sum(row["n_judges"] == 1 for row in kept)
    if not alone or len(total["judges"]) == 1:
        return ""
    return f" Of those that keep it, {alone} were scored by one judge only: untested by another."


def _reversing(rankings: list[str]) -> str:
    """The first rankings that reverse a pair, in words."""
    return "; ".join(map(ranking, rankings[:3])) + (" …" if rankings[3:] else "")


def _picture(paper: Paper, total: Row, rows: list[Row]) -> None:
    test_set, reference = total["test_set"], total["reference"]
    kind = REFERENCES[reference][0]
    shown = rows[:MOST_PAIRS]
    first = f", the {MOST_PAIRS} reversed most often" if len(rows) > MOST_PAIRS else ""
    names = {
        id(row): " > ".join(row[side].removesuffix(f"/{test_set}") for side in ("ahead", "behind"))
        for row in shown
    }
    cells = {(names[id(row)], name) for row in shown for name in row["turned_by"] or []}
    judges = sorted({name.rpartition(" (")[2].rstrip(")") for _, name in cells})
    if len(judges) == 1:  # named once in the title
        cells = {(pair, name.rpartition(" (")[0]) for pair, name in cells}
    columns = sorted({name for _, name in cells}, key=_order)
    whose = f"judge{'s' if len(judges) > 1 else ''} {listing(judges)}"
    does = "reverses none" if paper.judge in total["judges"] else "gives no such score"
    others = "" if paper.judge in judges else f" ({paper.judge}, the judge of the tables, {does})"
    paper.figure(
        f"figure_8_changes_{reference}_{test_set}",
        f"Figure 8 ({test_set}, {kind}). Pairs of configurations whose order some ranking "
        f"reverses{first}, and these rankings, by the {whose}{others}; on the right their number.",
        figures.changes(
            f"Order of pairs under other rankings on {test_set}: {kind}, {whose}",
            list(names.values()),
            [ranking(name) for name in columns],
            {(pair, ranking(name)) for pair, name in cells},
        ),
    )


def _order(ranking: str) -> tuple[bool, str]:
    """Sigmoids first, then metrics."""
    return not ranking.startswith("k "), ranking


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def add_label_noise(paper: Paper) -> None:
    """How many of the labels that came with the answers their own lists contradict."""
    rows = rows_of(paper.connection, GRADINGS)
    if not rows:
        return
    total = {
        name: sum(row[name] for row in rows)
        for name in ("n_labels", "n_contradicted", "n_found_earlier", "n_found_later")
    }
    others = total["n_contradicted"] - total["n_found_earlier"] - total["n_found_later"]
    worst = max(rows, key=lambda row: row["share_contradicted"])
    paper.add(
        "## How far the labels fit the lists",
        f"Of {total['n_labels']:,} labels of whole lists that people or other projects gave, the "
        f"lists themselves contradict **{total['n_contradicted']:,}** "
        f"({_percent(total['n_contradicted'], total['n_labels'])}), at most "
        f"{100 * worst['share_contradicted']:.1f} % in one configuration "
        f"({worst['configuration_id']}). In {total['n_found_earlier']:,} the gold diagnosis stands "
        "in the list by one of its names, before the rank that the label gives or although it "
        f"gives none: the label overlooks it. In {total['n_found_later']:,} the label names an "
        "earlier rank than the first with a name of the gold diagnosis: it takes a broader or "
        "another diagnosis for the gold one, or knows a name that no terminology has. Of the "
        f"other {others:,} a label names a rank that the list does not have, contradicts itself or "
        "contradicts the labels of the ranks; the table counts each reason by itself, and a label "
        "may have two. Every label counts all the same, unless it contradicts "
        "itself. The last five columns give the accuracy by the labels (in brackets, by those that "
        "are written to the letter) and by the rules, and so "
        "how much depends on these labels.",
    )
    table = Table("label_noise", "Labels that the lists contradict, by configuration", rows)
    judges = sorted({row["judge_id"] for row in rows})
    notes = " ".join(filter(None, (SELECTED, lumped(paper.connection, judges))))
    paper.table(table, f"{_noise_table(rows)}\n{notes}")
    cases = rows_of(paper.connection, CONTRADICTIONS)
    paper.table(
        Table("contradicted_labels", "The same labels, case by case", cases),
        f"{len(cases):,} rows, in the file only; `kernel29 case CASE` shows each. A label that is "
        "contradicted in two ways has two rows and counts once above.",
    )


def _noise_table(rows: Sequence[Row]) -> str:
    """How many labels of each configuration its lists contradict, and how, beside the accuracy by
    labels and by rules."""
    heads = ["configuration", "labels", "contradicted", "%", "overlooked", "named earlier"]
    heads += [
        "no such rank",
        "top-1 by labels, %",
        "top-5 by labels, %",
        "top-5 of labelled, %",
        "top-5 strict by rules, %",
        "top-5 broad by rules, %",
    ]
    lines = [
        [
            f"{row['configuration_id']} ({row['judge_id']})",
            row["n_labels"],
            row["n_contradicted"],
            estimate(row, "share_contradicted", 100, 1),
            row["n_found_earlier"],
            row["n_found_later"],
            row["n_rank_not_read"],
            _by_labels(row, "top1"),
            _by_labels(row, "top5"),
            *(
                None if row[name] is None else f"{100 * row[name]:.1f}"
                for name in ("top5_of_labelled", "top5_strict_by_rules", "top5_broad_by_rules")
            ),
        ]
        for row in rows
    ]
    return markdown(heads, lines)


def _by_labels(row: Row, depth: str) -> str | None:
    """Top-1 or top-5 by all labels and, in brackets, by those that are written plainly."""
    share = row[f"{depth}_by_labels"]
    if share is None:
        return None
    plain = row[f"{depth}_of_plain"]
    of_plain = f" ({100 * plain:.1f} of {row['n_written_plainly']})" if plain is not None else ""
    return f"{100 * share:.1f}{of_plain}"


def add_difficulty(paper: Paper) -> None:
    """How hard the cases are, what of their text goes with it, and what fewer cases would lose."""
    rows = rows_of(paper.connection, COMPLEXITY, [paper.judge])
    counts = {row["test_set"]: row["n_configurations"] for row in rows}
    whole = listing([f"{count:,} on {test_set}" for test_set, count in counts.items()])
    basis = f"all configurations that {paper.judge} judged, shown above or not ({whole})"
    missing = unlabelled(paper.connection, paper.judge, of_all=True)
    paper.add(
        "## How hard the cases are",
        f"This section rests on {basis}. A case is of low complexity if at least two thirds of "
        "them find its gold diagnosis among the first five, of moderate complexity if a third do, "
        "of high if fewer do and of extreme if none does; with fewer than four configurations it "
        "is not known. Specificity is the mean information content of the findings in nats, noise "
        f"the share of them that no annotation of the disease implies. {missing}".rstrip(),
    )
    lines = [
        [
            row["test_set"],
            row["complexity_level"],
            row["n_cases"],
            f"{row['percent']:.1f}",
            row["n_with_findings"],
            row["mean_n_findings"],
            row["mean_specificity"],
            row["mean_noise_share"],
            row["mean_discrimination"],
            row["n_configurations"],
        ]
        for row in rows
    ]
    heads = ["test set", "complexity", "cases", "%", "with findings", "findings", "specificity"]
    heads += ["noise", "discrimination", "configurations"]
    paper.table(
        Table("complexity", "Complexity of the cases, and what goes with it (means)", rows),
        f"{markdown(heads, lines)}\n{_relative(rows)}",
    )
    cases = rows_of(paper.connection, DIFFICULTIES, [paper.judge])
    paper.table(
        Table("case_difficulty", "Difficulty case by case", cases),
        f"{len(cases):,} rows, in the file only.",
    )
    _choices(paper, dict.fromkeys(row["test_set"] for row in rows))


def _relative(rows: list[Row]) -> str:
    """The caveat under the table of complexity: a level belongs to those who were asked."""
    if not rows:
        return ""
    asked = sorted({row["n_configurations"] for row in rows})
    number = f"{asked[0]}" if len(asked) == 1 else f"{asked[0]} to {asked[-1]}"
    return (
        f"Levels are relative to the {number} configurations of this build, chosen here or not: a "
        "case that they all miss may be easy for others. Each level is estimated from as many "
        "answers, so cases near a limit change it by chance, and means of a level with few cases "
        "say little. Findings and specificity are means of the cases with findings, noise of those "
        "among them whose disease is annotated (`n_with_noise`). Discrimination, the correlation "
        "of finding the case with the share of the other cases found, is empty where the level is "
        "not known: with two configurations it could only be −1 or 1."
    )


def _choices(paper: Paper, test_sets: Iterable[str]) -> None:
    """What a quarter and half of the cases lose, for each set that enough models have answered."""
    choices = [
        choice_from(answers, test_set, paper.judge, len(answers.cases) // part)
        for test_set in test_sets
        for answers in [read_answers(paper.connection, test_set, paper.judge)]
        if answers is not None and len(set(answers.models)) >= LEAST_MODELS
        for part in PARTS
        if len(answers.cases) >= part
    ]
    rows = [
        {
            "test_set": choice.test_set,
            "n_chosen": len(choice.cases),
            "n_cases": choice.n_whole,
            "n_models": choice.n_models,
            **{
                name: None if value is None else round(value, 9)
                for name, value in asdict(choice.loss).items()
            },
            "cases": choice.cases,
        }
        for choice in choices
    ]
    if not rows:
        paper.add(
            f"How much a choice of fewer cases would lose can be estimated once {paper.judge} has "
            f"judged at least {LEAST_MODELS} models on all cases of a test set."
        )
        return
    paper.add(
        f"Table {paper.n_tables + 1} rests on all models that {paper.judge} judged on the whole "
        "set. A choice of cases is made by half of them and tried on the other half, both ways "
        "and in several splits. Power is the share of the pairs that the whole set separates "
        "(McNemar's exact test, p < 0.05) which the chosen cases separate as well, tau the "
        "agreement of the order; beside both stand as many random cases. `kernel29 cases choose` "
        "names cases of any number. Accuracy on them is not that of the set."
    )
    columns = ["test_set", "n_chosen", "n_cases", "n_models", "n_separated"]
    columns += ["power", "random_power", "order", "random_order"]
    heads = ["test set", "chosen", "of", "models", "pairs tried", "power", "power, random"]
    paper.table(
        Table("fewer_cases", "What fewer cases would lose", rows),
        markdown([*heads, "tau", "tau, random"], [[row[name] for name in columns] for row in rows]),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
