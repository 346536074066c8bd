"""The paragraph of methods: every version behind the numbers, in sentences."""

from collections import Counter
from collections.abc import Sequence

from python_llm.report.paper import dependence, judged
from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.page import Paper
from python_llm.report.paper.tables import TERMINOLOGIES
from python_llm.report.paper.words import listing, number
from python_llm.statistics.intervals import LEAST_CASES

NO_PROMPT = "no_prompt"  # of systems without a language model
NAMES = {
    "hpo": "Human Phenotype Ontology",
    "hpo_annotations": "HPO disease annotations",
    "icd10cm": "ICD-10-CM",
    "mondo": "Mondo Disease Ontology",
}
RECORDED = "select configuration_id from rpt_recorded_run semi join chosen using (configuration_id)"
# A system that ranks by findings gives no list where a case has none: nothing was misread.
FAILURES = """
select
    if(status = 'parse_error' and prompt_alias = 'no_prompt', 'without anything to rank by', status)
        as kind,
    count(*) as n_answers
from fct_case_score inner join chosen using (configuration_id)
where judge_id = $1 and is_failure
group by kind
order by n_answers desc, kind
"""
# Answers of one model and prompt to a case that several of the chosen test sets have.
SHARED = """
select count(*) - count(distinct (chosen.model_alias, chosen.prompt_alias, case_id)) as n_again
from fct_case_score inner join chosen using (configuration_id)
where judge_id = $1 and is_scored
"""


def paragraph(paper: Paper) -> str:
    """The methods as Markdown: grid, judge, terminologies, models, prompts, intervals, build."""
    connection, tables = paper.connection, paper.tables
    terminologies = ", ".join(
        f"{NAMES.get(row['terminology'], row['terminology'])} {row['release']}"
        for row in rows_of(connection, TERMINOLOGIES)
    )
    sets = "; ".join(
        f"{row['test_set']} ({row['n_cases']:,} cases, version {row['version']}{_source(row)})"
        for row in tables["test_sets"].rows
    )
    models = ", ".join(
        f"{row['model_alias']} (recorded)"
        if row["is_recorded"]
        else f"{row['model_alias']} ({row['provider']}: {row['api_model']})"
        for row in tables["models"].rows
    )
    with_text = [row for row in tables["prompts"].rows if row["prompt_alias"] != NO_PROMPT]
    prompts = ", ".join(f"{row['prompt_alias']} ({row['prompt_version']})" for row in with_text)
    is_hashed = any(not row["is_recorded"] for row in with_text)
    of_text = ", with the hash of their text" if is_hashed else ""
    sentences = [
        *_grid(paper),
        f"Test sets: {sets}.",
        f"Models: {models}.",
        *([f"Prompts{of_text}: {prompts}."] if with_text else []),
        *judged.sentences(connection, paper.judge),
        *([] if paper.ranks_only else judged.severities(connection, paper.judge)),
        f"Terminologies: {terminologies}.",
        *_statistics(paper),
        f"Everything was computed by Kernel29 {paper.build.project} from the tables built on "
        f"{paper.build.served}; `docs/specification.md` has each formula.",
        "The numbers measure diagnostic systems on test cases. They are not medical advice.",
    ]
    return " ".join(sentences)


def _source(row: Row) -> str:
    """Where the cases come from, as the test set describes itself."""
    return f"; {row['description'].rstrip('.')}" if row["description"] else ""


def _grid(paper: Paper) -> Sequence[str]:
    """How many answers there are, whether anybody was asked for them here, how many failed."""
    results = paper.tables["results"].rows
    recorded = {row["configuration_id"] for row in rows_of(paper.connection, RECORDED)}
    cells = Counter[str]()
    for row in results:
        origin = "ranked" if row["configuration_id"].split("/")[1] == NO_PROMPT else "asked"
        cells["recorded" if row["configuration_id"] in recorded else origin] += row["n_cases"]
    texts = []
    if here := cells["asked"]:
        texts.append(f"{number(here, 'answer')} {'was' if here == 1 else 'were'} requested")
    if ranked := cells["ranked"]:
        verb = "was" if ranked == 1 else "were"
        texts.append(f"{number(ranked, 'list')} {verb} ranked without a language model")
    # one for each case of each run: those that a run lacks are among the failures
    if elsewhere := cells["recorded"]:
        verb = "comes" if elsewhere == 1 else "come"
        texts.append(f"{number(elsewhere, 'answer')} {verb} from imported runs")
    n_failed = sum(row["n_failures"] for row in results)
    kinds = ", ".join(
        f"{row['n_answers']:,} {row['kind'].replace('_', ' ')}"
        for row in rows_of(paper.connection, FAILURES, [paper.judge])
    )
    failed = f"{n_failed:,} failed{f' ({kinds})' if kinds else ''}" if n_failed else "none failed"
    sentences = [
        f"We {'compare' if len(results) > 1 else 'evaluate'} "
        f"{number(len(results), 'configuration')}, each a system with its prompt on a test set: "
        f"{listing(texts)}; {failed}.",
        "A failed or missing answer counts as a miss.",
        *_shared(paper),
    ]
    if elsewhere:
        sentences.append(
            "Of the recorded answers neither the parameters of the calls nor the words of the "
            "prompts are on record (the table rpt_recorded_run names the files)."
        )
    return sentences


def _shared(paper: Paper) -> Sequence[str]:
    """How many answers are counted again, because the test sets have cases in common."""
    ((again,),) = paper.connection.execute(SHARED, [paper.judge]).fetchall()
    if not again:
        return []
    are = "is the answer" if again == 1 else "are answers"
    return [
        f"{again:,} of them {are} of the same model and prompt to a case that another of the test "
        "sets has as well, counted once in each: results of these sets are not independent, and "
        "their numbers must not be added."
    ]


def _statistics(paper: Paper) -> Sequence[str]:
    """Scores, intervals and tests; without the scores for a judge that gives none."""
    return [
        *([] if paper.ranks_only else _scores(paper)),
        f"{_intervals(paper)}; where all cases have one value, the rule of three (Hanley and "
        "Lippman-Hand 1983).",
        f"Means and aggregates of fewer than {LEAST_CASES} cases have no interval.",
        dependence.sentence(paper),
        *([_tests(paper)] if paper.tables["comparisons"].rows else []),
    ]


def _scores(paper: Paper) -> Sequence[str]:
    """The formulas of the list scores and of what is made of them."""
    settings = {row["setting"]: row for row in paper.tables["aggregates"].rows}
    sigmoids = "; ".join(
        f"{name} {sigmoid(row)}"
        for name, row in sorted(settings.items(), key=lambda item: (item[1]["steepness"], item[0]))
    )
    return [
        "Each of the ranks i = 1 to 5 has the weight w = (6 − i) / 5 and a distance D: semantic, "
        "exact synonym 1, broad synonym 2, exact disease group 3, broad disease group 4, not "
        "related 5; severity, 1 + the difference of the severities of gold and rank (mild 1, "
        "moderate 2, severe 3, critical 4, rare 5).",
        "The score of a list is Σ w (5 − D)² / Σ w over its ranks, from 0 to 16, and rescaled "
        "s = score / 8 − 1.",
        "An aggregate is the mean of s over the cases, weighted by the sigmoid "
        f"1 / (1 + exp(k (s − x₀))) of the same s, so that poor cases weigh more ({sigmoids}).",
        "Acuity is the severity score without the class rare (mild to critical).",
        "The omission of dangerous diagnoses is, for a severe or critical case, the share of the "
        "weights w at ranks that are milder than the gold diagnosis, halved if that is severe, and "
        "0 if it is among the first five (broad).",
    ]


def sigmoid(row: Row) -> str:
    """Steepness and midpoint of a setting, such as `k = 3, x₀ = 0`."""
    return f"k = {row['steepness']:g}, x₀ = {row['midpoint']:g}".replace("-", "−")


def _intervals(paper: Paper) -> str:
    """How the intervals of configurations and of strata are computed."""
    drawn = paper.tables["results"].rows[0]
    means = "means" if paper.ranks_only else "means and aggregates"
    text = (
        "Intervals are 95 %: Wilson's for shares (Wilson 1927), the percentile bootstrap over "
        "cases (Efron and Tibshirani 1993) with "
        f"{drawn['bootstrap_replicates']:,} replicates and seed {drawn['bootstrap_seed']} for the "
        f"{means} of configurations"
    )
    if paper.ranks_only or not paper.tables["strata"].rows:
        return text
    return (
        f"{text}, Student's t on the linearised ratio (Cochran 1977) for the aggregates of strata"
    )


def _tests(paper: Paper) -> str:
    """How pairs of configurations are compared, and how their differences get an interval."""
    tests = (
        "McNemar's exact test (shares; McNemar 1947), with the interval of Bonett and Price (2012)"
    )
    if not paper.ranks_only:
        tests += (
            ", or Wilcoxon's signed-rank test (scores; Wilcoxon 1945), with Student's interval of "
            "the mean difference. Aggregates are compared at the medium setting by Student's t on "
            "the bootstrap standard error of their difference, which also gives its interval"
        )
    return (
        f"Pairs are compared on common cases by {tests}. P values are corrected for the "
        "family-wise error by the method of Holm (1979), and for the false discovery rate by that "
        "of Benjamini and Hochberg (1995), within test set, judge and metric, over all pairs of "
        "configurations with answers, shown here or not."
    )
