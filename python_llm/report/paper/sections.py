"""The sections of a paper that every choice of configurations has."""

import math
from typing import Any

from python_llm.report.paper import figures
from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.judged import lumped, unlabelled
from python_llm.report.paper.methods import paragraph, sigmoid
from python_llm.report.paper.page import Paper, scores_nothing
from python_llm.report.paper.tables import FAMILY, LARGEST, estimate, markdown
from python_llm.report.paper.words import REFERENCES, is_cited, listing, metric, number

SCALES = ("semantic", "severity")
DETECTABLE = ("detectable_share_difference", "observed_share_difference")
MOST_DRAWN = 40  # configurations in one figure; the tables have all of them
# What stands under tables that are in their file only.
CAVEATS = {
    "strata": (
        "Strata of severity and rarity take the severity that was given, otherwise that of the "
        "rules (`n_graded_severity` cases). Intervals are not corrected for the number of strata."
    ),
    "comparisons": (
        "Only cases that both configurations have count. p values are two-sided and not corrected "
        "over metrics; a difference that is not significant is "
        "no proof of equality (detectable difference in table 3). Labels that end at the fifth "
        "rank leave some lists open, and shares that need them, such as top-10, are then not "
        "compared."
    ),
}
# The columns of the comparisons that ask less than all pairs of a set.
OWN_FAMILY = (
    "The column `family` names a smaller question, the prompts of one model or the models with one "
    "prompt; `p_value_family` (Holm) and `p_value_family_fdr` (Benjamini and Hochberg) are "
    "corrected for its `n_family_comparisons` pairs alone, and empty for a pair that differs in "
    "both or repeats a model. Who reads them has to have asked that question beforehand."
)
# Why interval and p of a row may disagree; the second is of scores.
TWO_METHODS = (
    "Interval and p come from different methods, so that near p = 0.05 one may exclude no "
    "difference and the other not: McNemar's test is exact, the interval of Bonett and Price "
    "approximate.",
    "Wilcoxon's test compares the ranks of the differences, not the mean that is printed, whose "
    "interval is Student's.",
)
POINTS = """
select severity_rescaled, semantic_rescaled from fct_case_score
where configuration_id = $1 and judge_id = $2 and is_scored
    and severity_rescaled is not null and semantic_rescaled is not null
order by case_id
"""
# configurations of a test set in their order, with the scores of their cases
DISTRIBUTION = """
select configuration_id, list({score} order by case_id) as scores
from fct_case_score
where test_set = $1 and judge_id = $2 and is_scored and {score} is not null
    and configuration_id in (select configuration_id from chosen)
group by all
"""
BARS = """
select dimension, value, title, n_cases, percent
from rpt_test_set_composition
where test_set = $1 and dimension in ('chapter', 'severity')
order by dimension, n_cases desc, value
"""
DIMENSIONS = {"chapter": "Chapter of ICD-10", "severity": "Severity of the gold diagnosis"}


def add_methods(paper: Paper) -> None:
    """The paragraph of methods; models, prompts and test sets."""
    names = ", ".join(row["test_set"] for row in paper.tables["test_sets"].rows)
    paper.add(
        f"# Evaluation on {names}",
        "## Methods",
        paragraph(paper),
    )
    tables = paper.tables
    columns = {
        "models": {
            "alias": "model_alias",
            "service": "provider",
            "model asked": "api_model",
            "parameters": "parameters",
            "retired": "is_retired",
            "configurations": "n_configurations",
        },
        "prompts": {
            "alias": "prompt_alias",
            "version": "prompt_version",
            "language": "language",
            "answer": "output_format",
            "description": "description",
        },
        "test_sets": {
            "name": "test_set",
            "kind": "kind",
            "version": "version",
            "cases": "n_cases",
            "without severity": "n_without_severity",
            "without ICD-10": "n_without_icd10",
            "name in text": "n_leaking",
            "gold diagnoses": "n_golds",
            "duplicates": "n_exact_duplicates",
            "detectable difference of shares": "detectable_share_difference",
            "observed disagreement": "observed_discordant_share",
            "detectable at the observed": "observed_share_difference",
            "description": "description",
        },
    }
    for name, heads in columns.items():
        # of recorded answers nothing is known but the name: a column of dashes says no more
        heads = {
            head: column
            for head, column in heads.items()
            if any(row[column] is not None for row in tables[name].rows)
        }
        rows = [[_shown(row, column) for column in heads.values()] for row in tables[name].rows]
        note = _detectable(tables[name].rows, paper.judge) if name == "test_sets" else ""
        paper.table(tables[name], _noted(markdown([*heads], rows), note))


def _shown(row: Row, column: str) -> Any:
    """A value of Tables 1 to 3; a difference is rounded up, for no smaller one is detected."""
    value = row[column]
    if value is None or column not in DETECTABLE:
        return value
    return math.ceil(round(100 * value, 6)) / 100


def _detectable(rows: list[Row], judge: str) -> str:
    """What the detectable differences of Table 3 assume, and what was observed."""
    known = [row for row in rows if any(row[column] is not None for column in DETECTABLE)]
    if not known:
        return ""
    is_observed = any(row["observed_discordant_share"] is not None for row in rows)
    observed = (
        " Observed disagreement is the share of the cases on which two configurations of the set "
        f"differ in top-1 by the judge {judge} (median of the pairs, shown in this paper or not), "
        "and the column beside it the difference that is detected at that share; – where even all "
        "of these cases are too few."
    )
    return (
        "The detectable difference is the smallest difference of two shares, from 0 to 1, that a "
        f"single paired test at the 5 % level finds with a power of {known[0]['test_power']:.1f} "
        f"(Connor 1987), if the two differ on {100 * known[0]['assumed_discordant_share']:.0f} % "
        f"of the cases.{observed if is_observed else ''} Both are rounded up, and correction for "
        "several comparisons raises them. Name in text: cases whose text holds the gold diagnosis."
    )


def _noted(table: str, *notes: str) -> str:
    """A table with the sentences under it, if there are any."""
    note = " ".join(filter(None, notes))
    return f"{table}\n{note}" if note else table


def add_composition(paper: Paper) -> None:
    """Chapters of ICD-10 with their largest blocks and categories."""
    paper.add("## Composition of the test sets")
    rows = rows_of(paper.connection, LARGEST)
    lines = [
        [
            row["test_set"],
            f"{'' if row['dimension'] == 'chapter' else '↳ '}{row['dimension']}",
            row["value"],
            row["title"],
            row["n_cases"],
            f"{row['percent']:.1f}",
        ]
        for row in rows
    ]
    heads = ["test set", "level", "ICD-10", "description", "cases", "%"]
    note = "The most frequent chapters, with at most two blocks and two categories each."
    paper.table(paper.tables["composition"], f"{markdown(heads, lines)}\n{note}")


def add_results(paper: Paper) -> None:
    """Accuracy, scores and aggregates with intervals; strata and comparisons as files."""
    paper.add("## Results", _meaning(paper))
    missing = unlabelled(paper.connection, paper.judge)
    rows = paper.tables["results"].rows
    at_fifth = lumped(paper.connection, [paper.judge])
    paper.table(paper.tables["results"], _noted(_accuracies(paper, rows), missing, at_fifth))
    if not paper.ranks_only:
        paper.table(paper.tables["aggregates"], _aggregates(paper))
    strata = paper.tables["strata"]
    text = f"{len(strata.rows):,} rows, in the file only."
    paper.table(strata, _noted(text, CAVEATS["strata"], missing))
    _comparisons(paper, missing)


def _meaning(paper: Paper) -> str:
    """What the columns of the results mean."""
    if paper.ranks_only:
        return (
            f"{paper.judge} says at which rank of a list the gold diagnosis stands and labels no "
            "single rank. Top-k is the share of cases, in %, whose gold diagnosis is among the "
            "first k; strict and broad matches cannot be told apart, and there are no semantic or "
            "severity scores and no aggregates of them: top-k stands for them. MRR is the mean "
            "of 1 / rank, from 0 to 1. In brackets: the 95 % interval. A dash: not known."
        )
    return (
        "Top-k is the share of cases, in %, whose gold diagnosis is among the first k: strict "
        "under one of its own names, broad with broader and narrower names. MRR is the mean of "
        "1 / rank of the first strict match, from 0 to 1. The semantic score says how near the "
        "first five diagnoses are to the gold one, the severity score how near their severities "
        "are to its own: means over the cases, in points from 0 (worst) to 16 (best). In brackets: "
        "the 95 % interval. A dash: the judge gives none."
    )


def _accuracies(paper: Paper, rows: list[Row]) -> str:
    """The results as Markdown. A judge of whole lists has neither broad matches nor scores, but
    may have left lists without a label."""
    labelled = any(row["n_unlabelled"] for row in rows)
    heads = ["configuration", "cases", "failures", *(["labelled lists"] if labelled else [])]
    lines: list[list[object]] = [
        [row["configuration_id"], row["n_cases"], row["n_failures"]]
        + ([row["n_cases"] - (row["n_unlabelled"] or 0)] if labelled else [])
        + [estimate(row, f"top{depth}_strict", 100, 1) for depth in (1, 3, 5)]
        for row in rows
    ]
    kind = "" if paper.ranks_only else " strict"
    heads += [f"top-{depth}{kind}, %" for depth in (1, 3, 5)]
    if paper.ranks_only:
        heads += ["MRR"]
    else:
        heads += ["top-5 broad, %", "MRR", "semantic, 0 to 16", "severity, 0 to 16"]
    for line, row in zip(lines, rows, strict=True):
        if not paper.ranks_only:
            line.append(estimate(row, "top5_broad", 100, 1))
        line.append(estimate(row, "mrr_strict"))
        if not paper.ranks_only:
            line += [estimate(row, f"mean_{scale}_score", 1, 1) for scale in SCALES]
    return _graded(paper, heads, lines)


def _graded(paper: Paper, heads: list[str], lines: list[list[object]]) -> str:
    """A table of the results with the number of cases that severity rests on, where it is not that
    of all cases."""
    rows = paper.tables["results"].rows
    if not paper.ranks_only and any(row["n_with_severity"] != row["n_cases"] for row in rows):
        heads = [*heads, "cases with severity"]
        lines = [[*line, row["n_with_severity"]] for line, row in zip(lines, rows, strict=True)]
    return markdown(heads, lines)


def _aggregates(paper: Paper) -> str:
    """The aggregates as Markdown, a configuration a row."""
    settings = ("easy", "medium", "hard")
    by_name: dict[str, dict[str, Row]] = {}
    for row in paper.tables["aggregates"].rows:
        by_name.setdefault(row["configuration_id"], {})[row["setting"]] = row
    lines: list[list[object]] = [
        [row["configuration_id"]]
        + [
            estimate(by_name[row["configuration_id"]][setting], f"{scale}_aggregate")
            for scale in SCALES
            for setting in settings
        ]
        for row in paper.tables["results"].rows
    ]
    heads = [f"{scale}, {name}" for scale in SCALES for name in settings]
    note = (
        "From −1 (worst) to 1 (best); 0 is 8 of 16 points. The list is judged as a whole: the "
        "gold diagnosis at rank 1 with four unrelated ones has 5.3 of 16 points, which is −0.33, "
        "so that a system that finds every diagnosis can still stand below 0."
    )
    return _noted(_graded(paper, ["configuration", *heads], lines), note)


def _comparisons(paper: Paper, missing: str) -> None:
    """The paired comparisons as a file, with the pairs that the correction counts."""
    table = paper.tables["comparisons"]
    if not table.rows:
        paper.add(
            "These configurations were not compared with each other, so there is no table of pairs."
        )
        return
    rows = f"{len(table.rows):,} rows, in the file only."
    holm = (
        "`p_value_adjusted` is corrected for all pairs of the test set, also those that are not in "
        f"this paper, by the method of Holm (1979), within each metric of {paper.judge}; "
        "`p_value_fdr` likewise by that of Benjamini and Hochberg (1995)"
    )
    family = rows_of(paper.connection, FAMILY, [paper.judge])
    counts: dict[str, dict[str, int]] = {}
    for row in family:
        counts.setdefault(row["test_set"], {})[row["metric"]] = row["n_comparisons"]
    families = "; ".join(
        f"{test_set}, {_families(tests)} (shown here: "
        f"{sum(row['test_set'] == test_set for row in table.rows) // len(tests):,})"
        for test_set, tests in counts.items()
    )
    if family:
        holm += (
            f": {families}. It therefore holds whichever pairs are shown, also if they were picked "
            f"by their results. {paper.beside('comparisons_all_pairs', family)} has every p value "
            "of all these pairs, with both configurations and both corrections, to repeat them"
        )
    notes = (OWN_FAMILY, *TWO_METHODS[: 1 if paper.ranks_only else 2])
    paper.table(table, _noted(rows, f"{holm}.", *notes, CAVEATS["comparisons"], missing))


def _families(tests: dict[str, int]) -> str:
    """How many pairs the families of a test set have; by metric where they differ."""
    if len(set(tests.values())) == 1:
        return number(max(tests.values()), "pair")
    return listing([f"{number(count, 'pair')} for {metric(name)}" for name, count in tests.items()])


def add_references(paper: Paper) -> None:
    """The works that the methods and captions cite."""
    page = "\n\n".join(paper.page)
    cited = [work for work in REFERENCES if is_cited(work, page)]
    paper.add("## References", "\n".join(f"- {work}" for work in cited))


def add_figures(paper: Paper) -> None:
    """Figures 1 to 7 of each test set."""
    paper.add("## Figures")
    for test_set, rows in paper.by_set():
        drawn = rows[:MOST_DRAWN]
        first = f", the first {MOST_DRAWN}" if len(rows) > MOST_DRAWN else ""
        paper.add(f"### {test_set}")
        ranks_only = scores_nothing(drawn)
        if ranks_only:
            paper.add(
                f"The judge {paper.judge} grades whole lists. Figures 1 to 5 need a score of each "
                "case; figure 6 stands for them, with the rank of the gold diagnosis alone."
            )
        else:
            _scored(paper, test_set, drawn, first)
        for kind in ("",) if ranks_only else ("strict", "broad"):
            matches = f": {kind} matches" if kind else ""
            paper.figure(
                f"figure_6_accuracy_{f'{kind}_' if kind else ''}{test_set}",
                f"Figure 6 ({test_set}{f', {kind}' if kind else ''}). Top-k accuracy by the judge "
                f"{paper.judge}, with 95 % intervals{first}.",
                figures.accuracy(f"Accuracy on {test_set}{first}{matches}", drawn, kind),
            )
        bars = [
            {**row, "dimension": DIMENSIONS[row["dimension"]]}
            for row in rows_of(paper.connection, BARS, [test_set])
        ]
        paper.figure(
            f"figure_7_composition_{test_set}",
            f"Figure 7 ({test_set}). Composition by chapter and severity, as the cases state them "
            "(no judge takes part).",
            figures.composition(f"Composition of {test_set}", bars),
        )


def _scored(paper: Paper, test_set: str, rows: list[Row], first: str) -> None:
    """Figures 1 to 5 of a test set, without those whose scores no configuration has."""
    missing = [s for s in SCALES if all(row[f"mean_{s}_score"] is None for row in rows)]
    _distributions(paper, test_set, rows, first, [s for s in SCALES if s not in missing])
    if missing:
        paper.add(_left_out(paper.judge, test_set, missing))
        return
    hard = {
        row["configuration_id"]: row
        for row in paper.tables["aggregates"].rows
        if row["setting"] == "hard"
    }
    paper.figure(
        f"figure_3_plane_{test_set}",
        f"Figure 3 ({test_set}). Aggregated scores by the judge {paper.judge} at the hard setting "
        f"({sigmoid(hard[rows[0]['configuration_id']])}), from −1 (worst) to 1 (best), with 95 % "
        f"intervals{first}. Dotted: a right first diagnosis and four unrelated ones, the best that "
        "a list of five with one related rank can reach.",
        figures.plane(
            f"Aggregated scores on {test_set}, hard setting",
            [hard[row["configuration_id"]] for row in rows],
        ),
    )
    _case_by_case(paper, test_set, rows)


def _left_out(judge: str, test_set: str, missing: list[str]) -> str:
    """What stands for figures that need scores of a scale that no case has."""
    why = {
        "semantic": "it labels no relations",
        "severity": "no gold diagnosis has a severity, from the cases or from the judge",
    }
    reasons = " and ".join(f"no {scale} score, because {why[scale]}" for scale in missing)
    numbers = "1, 3, 4 and 5" if missing == ["semantic"] else "2 to 5"
    return (
        f"By the judge {judge} the cases of {test_set} have {reasons}. "
        f"Figures {numbers if len(missing) == 1 else '1 to 5'} need one and are left out."
    )


def _distributions(
    paper: Paper, test_set: str, rows: list[Row], first: str, scales: list[str]
) -> None:
    """Figures 1 and 2, of these scales."""
    for scale in scales:
        order = SCALES.index(scale) + 1
        score = f"{scale}_score"
        scores = {
            row["configuration_id"]: row["scores"]
            for row in rows_of(
                paper.connection, DISTRIBUTION.format(score=score), [test_set, paper.judge]
            )
        }
        drawn = [row for row in rows if row["configuration_id"] in scores]
        title = f"{scale.capitalize()} scores on {test_set}{first}"
        paper.figure(
            f"figure_{order}_{scale}_scores_{test_set}",
            f"Figure {order} ({test_set}). Distribution of the {scale} scores of the cases by the "
            f"judge {paper.judge}{first}, in points from 0 (worst) to 16 (best); the diamond is "
            "the mean with its 95 % interval.",
            figures.distributions(
                title,
                {figures.name_of(row): scores[row["configuration_id"]] for row in drawn},
                {
                    figures.name_of(row): {
                        end: row[f"mean_{score}{end}"] for end in ("", "_low", "_high")
                    }
                    for row in drawn
                },
            ),
        )


def _case_by_case(paper: Paper, test_set: str, rows: list[Row]) -> None:
    """Figures 4 and 5, as in the source document: a system that does well, and one that does
    badly."""
    for order, row in zip((4, 5), dict.fromkeys((0, len(rows) - 1)), strict=False):
        shown = rows[row]
        points = paper.connection.execute(
            POINTS, [shown["configuration_id"], paper.judge]
        ).fetchall()
        name = figures.name_of(shown)
        paper.figure(
            f"figure_{order}_cases_{test_set}",
            f"Figure {order} ({test_set}). Case by case by the judge {paper.judge}: {name}, "
            f"{'first' if row == 0 else 'last'} by the mean semantic score; {len(points)} cases. "
            "The axes are the scores of a case, rescaled from 0 … 16 to −1 … 1 (score / 8 − 1), "
            "without the weights of the sigmoid; the area of a dot is the number of cases with "
            "both scores. Semantics is good and severity close above 0, which is 8 of 16 points of "
            f"the weighted ranks{_failed(shown)}.",
            figures.cases(f"{name} on {test_set}", points),
        )


def _failed(row: Row) -> str:
    """What a caption says of the answers without any rank, which are in the quadrants too."""
    if not row["n_failures"]:
        return ""
    return ", and failed or missing answers, which have no rank, are at −1 of both"
