"""The sections of a paper that every choice of configurations has."""

from python_llm.report.paper import figures
from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.methods import paragraph
from python_llm.report.paper.page import Paper
from python_llm.report.paper.tables import LARGEST, estimate, markdown

MOST_DRAWN = 40  # configurations in one figure; the tables have all of them
# What stands under tables that are in their file only.
CAVEATS = {
    "strata": (
        "Strata of severity and rarity take the severity that was given, otherwise that of the "
        "rules (`n_graded_severity` cases). Intervals are not corrected for the number of strata."
    ),
    "comparisons": (
        "Only cases that both configurations have count. p values are two-sided and corrected for "
        "all pairs of the test set, also those that are not in this paper (`n_comparisons`), "
        "within one judge and metric and not over metrics; a difference that is not significant is "
        "no proof of equality (detectable difference in table 3). Labels that end at the fifth "
        "rank leave some lists open, and shares that need them, such as top-10, are then not "
        "compared."
    ),
}
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
        paragraph(paper.connection, paper.tables, paper.judge, paper.build),
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
            "of them recorded": "n_recorded",
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
            "duplicates": "n_exact_duplicates",
            "detectable difference of shares": "detectable_share_difference",
            "description": "description",
        },
    }
    for name, heads in columns.items():
        paper.table(
            tables[name],
            markdown(
                [*heads], [[row[column] for column in heads.values()] for row in tables[name].rows]
            ),
        )


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
    paper.add(
        "## Results",
        "Top-k is the share of cases, in %, whose gold diagnosis is among the first k: strict "
        "under one of its own names, broad with broader and narrower names. Scores are means from "
        "0 to 16. In brackets: the 95 % interval. A dash: the judge gives none.",
    )
    heads = ["configuration", "cases", "failures"]
    heads += [f"top-{depth} strict, %" for depth in (1, 3, 5)]
    heads += ["top-5 broad, %", "MRR", "semantic", "severity"]
    lines = [
        [row["configuration_id"], row["n_cases"], row["n_failures"]]
        + [estimate(row, f"top{depth}_strict", 100, 1) for depth in (1, 3, 5)]
        + [estimate(row, "top5_broad", 100, 1), estimate(row, "mrr_strict")]
        + [estimate(row, "mean_semantic_score", 1, 1), estimate(row, "mean_severity_score", 1, 1)]
        for row in paper.tables["results"].rows
    ]
    paper.table(paper.tables["results"], markdown(heads, lines))
    settings = ("easy", "medium", "hard")
    by_name: dict[str, dict[str, Row]] = {}
    for row in paper.tables["aggregates"].rows:
        by_name.setdefault(row["configuration_id"], {})[row["setting"]] = row
    order = [row["configuration_id"] for row in paper.tables["results"].rows]
    lines = [
        [name]
        + [
            estimate(by_name[name][setting], f"{scale}_aggregate")
            for scale in ("semantic", "severity")
            for setting in settings
        ]
        for name in order
    ]
    heads = [f"{scale}, {name}" for scale in ("semantic", "severity") for name in settings]
    paper.table(paper.tables["aggregates"], markdown(["configuration", *heads], lines))
    for name, caveat in CAVEATS.items():
        rows = paper.tables[name].rows
        paper.table(paper.tables[name], f"{len(rows):,} rows, in the file only. {caveat}")


def add_figures(paper: Paper) -> None:
    """Figures 1 to 7 of each test set."""
    paper.add("## Figures")
    for test_set, rows in paper.by_set():
        drawn = rows[:MOST_DRAWN]
        first = f", the first {MOST_DRAWN}" if len(rows) > MOST_DRAWN else ""
        paper.add(f"### {test_set}")
        if drawn[0]["mean_semantic_score"] is None:
            paper.add(f"The judge {paper.judge} grades whole lists: figures 1 to 5 need a score.")
        else:
            _scored(paper, test_set, drawn, first)
        for kind in ("strict", "broad"):
            title = f"Accuracy on {test_set}{first}: {kind} matches"
            caption = f"Figure 6 ({test_set}, {kind}). Top-k accuracy with 95 % intervals{first}."
            picture = figures.accuracy(title, drawn, kind)
            paper.figure(f"figure_6_accuracy_{kind}_{test_set}", caption, picture)
        bars = [
            {**row, "dimension": DIMENSIONS[row["dimension"]]}
            for row in rows_of(paper.connection, BARS, [test_set])
        ]
        paper.figure(
            f"figure_7_composition_{test_set}",
            f"Figure 7 ({test_set}). Composition by chapter and severity.",
            figures.composition(f"Composition of {test_set}", bars),
        )


def _scored(paper: Paper, test_set: str, rows: list[Row], first: str) -> None:
    """Figures 1 to 5 of one test set."""
    for number, scale in enumerate(("semantic", "severity"), 1):
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
            f"figure_{number}_{scale}_scores_{test_set}",
            f"Figure {number} ({test_set}). Distribution of the {scale} scores of the "
            f"cases{first}; the diamond is the mean with its 95 % interval.",
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
    hard = {
        row["configuration_id"]: row
        for row in paper.tables["aggregates"].rows
        if row["setting"] == "hard"
    }
    paper.figure(
        f"figure_3_plane_{test_set}",
        f"Figure 3 ({test_set}). Aggregated scores at the hard setting (k = 3, x₀ = 0) with 95 % "
        f"intervals{first}.",
        figures.plane(
            f"Aggregated scores on {test_set}, hard setting",
            [hard[row["configuration_id"]] for row in rows],
        ),
    )
    # as in the source document: a system that does well, and one that does badly
    for number, row in zip((4, 5), dict.fromkeys((0, len(rows) - 1)), strict=False):
        shown = rows[row]
        points = paper.connection.execute(
            POINTS, [shown["configuration_id"], paper.judge]
        ).fetchall()
        name = figures.name_of(shown)
        paper.figure(
            f"figure_{number}_cases_{test_set}",
            f"Figure {number} ({test_set}). Case by case: {name}, "
            f"{'first' if row == 0 else 'last'} by the mean semantic score; {len(points)} cases.",
            figures.cases(f"{name} on {test_set}", points),
        )
