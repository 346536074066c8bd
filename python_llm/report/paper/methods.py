"""The paragraph of methods: every version behind the numbers, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

import duckdb

from python_llm.report.paper.choice import Row, rows_of
from python_llm.report.paper.tables import TERMINOLOGIES, Table

NAMES = {
    "hpo": "Human Phenotype Ontology",
    "hpo_annotations": "HPO disease annotations",
    "icd10cm": "ICD-10-CM",
    "mondo": "Mondo Disease Ontology",
}
JUDGE = """
select judge_id, judges.kind, judges.description, judges.model_alias, models.provider,
    models.api_model, semantic_prompt_version, severity_prompt_version, n_votes
from dim_judge as judges left join dim_llm_model as models using (model_alias)
where judge_id = $1
"""
RECORDED = """
select count(*) as n_runs from rpt_recorded_run semi join chosen using (configuration_id)
"""
CALIBRATION = """
select panel, test_set, scale, n_cases, kappa_quadratic, kappa, lowest_rater, is_calibrated
from rpt_judge_calibration
where judge_id = $1 and test_set in (select test_set from chosen)
    and scale in ('semantic', 'severity')
order by test_set, panel, scale
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
VOTERS = {"llm": "a language model", "terminology": "rules", "jury": "several judges together"}


@dataclass(frozen=True)
class Build:
    """The project and the day of its build, as the paragraph names them."""

    served: str
    version: str = ""

    @property
    def project(self) -> str:
        return self.version or metadata.version("kernel29")


def paragraph(
    connection: duckdb.DuckDBPyConnection, tables: dict[str, Table], judge: str, build: Build
) -> str:
    """The methods as Markdown: grid, judge, terminologies, models, prompts, intervals, build."""
    (judged,) = rows_of(connection, JUDGE, [judge])
    terminologies = ", ".join(
        f"{NAMES.get(row['terminology'], row['terminology'])} {row['release']}"
        for row in rows_of(connection, TERMINOLOGIES)
    )
    results = tables["results"].rows
    answers = sum(row["n_cases"] for row in results)
    failures = sum(row["n_failures"] for row in results)
    sets = ", ".join(
        f"{row['test_set']} ({row['n_cases']:,} cases, version {row['version']})"
        for row in tables["test_sets"].rows
    )
    models = ", ".join(
        f"{row['model_alias']} ({row['provider']}: {row['api_model']})"
        for row in tables["models"].rows
    )
    prompts = ", ".join(
        f"{row['prompt_alias']} ({row['prompt_version']})" for row in tables["prompts"].rows
    )
    sentences = [
        f"{_number(len(results), 'configuration')} of a model, a prompt and a test set "
        f"were asked for {answers:,} answers; {failures:,} failed, which counts as a miss.",
        f"Test sets: {sets}.",
        f"Models: {models}.",
        f"Prompts, with the hash of their text: {prompts}.",
        *_recorded(connection),
        *_judge(judged),
        *_people(connection, judge),
        *_severities(connection, judge),
        f"Terminologies: {terminologies}.",
        "Ranks 1 to 5 enter the list scores, with the weights 1.0, 0.8, 0.6, 0.4 and 0.2, and run "
        "from 0 to 16; the aggregates weigh poor cases more and run from −1 to 1 "
        "(easy k = 1, x₀ = 0.3; medium k = 2, x₀ = 0; hard k = 3, x₀ = 0).",
        "Intervals are 95 %: Wilson's for shares, the percentile bootstrap over cases with 2,000 "
        "replicates and seed 29 for means and aggregates. Pairs are compared on common cases by "
        "McNemar's exact test (shares), Wilcoxon's signed-rank test (scores) or Student's t on the "
        "standard error of the same replicates (aggregates, medium setting), corrected by Holm "
        "within test set, judge and metric. Where all cases have one value, the interval is that "
        "of the rule of three.",
        f"Everything was computed by Kernel29 {build.project} from the tables built on "
        f"{build.served}; `docs/specification.md` has each formula.",
        "The numbers measure diagnostic systems on test cases. They are not medical advice.",
    ]
    return " ".join(sentences)


def _recorded(connection: duckdb.DuckDBPyConnection) -> Sequence[str]:
    (runs,) = rows_of(connection, RECORDED)
    if not runs["n_runs"]:
        return []
    return [
        f"The answers of {_number(runs['n_runs'], 'configuration')} were recorded elsewhere and "
        "imported (the table rpt_recorded_run names the files): the parameters of those calls and "
        "the words of their prompts are not on record."
    ]


def _judge(judged: Row) -> Sequence[str]:
    words = VOTERS.get(judged["kind"], judged["kind"])
    text = f"The judge is {judged['judge_id']} ({words}): {judged['description'].rstrip('.')}."
    if judged["model_alias"] is None:
        return [text]
    model = (
        f"Its model is {judged['api_model']} of {judged['provider']}, with {judged['n_votes']} "
        f"votes on each rank; the hash of its prompt is {judged['semantic_prompt_version']} for "
        f"semantics and {judged['severity_prompt_version']} for severity."
    )
    return [text, model]


def _people(connection: duckdb.DuckDBPyConnection, judge: str) -> Sequence[str]:
    """How far the judge agrees with people, or that nobody has looked."""
    compared = rows_of(connection, CALIBRATION, [judge])
    if not compared:
        return ["On these test sets the judge has not been compared with people."]
    return [
        f"Against the people of {row['panel']} ({row['test_set']}, {row['scale']}, "
        f"{row['n_cases']:,} cases) its {_kappa(row)}."
        for row in compared
    ]


def _kappa(row: Row) -> str:
    value = row["kappa_quadratic"] if row["kappa_quadratic"] is not None else row["kappa"]
    if value is None:
        return "agreement is undefined"
    if row["lowest_rater"] is None:
        return f"kappa is {value:.2f}; there is no second person to compare it with"
    verdict = "no lower than" if row["is_calibrated"] else "lower than"
    return f"kappa is {value:.2f}, {verdict} that of the people among themselves"


def _severities(connection: duckdb.DuckDBPyConnection, judge: str) -> Sequence[str]:
    """How many cases the scores of severity rest on, and who graded their gold diagnoses."""
    sentences = []
    for row in rows_of(connection, GRADED, [judge]):
        sentences.append(
            f"In {row['test_set']} the judge itself, blind to the answers, graded the severity of "
            f"{row['n_graded']:,} of {row['n_cases']:,} gold diagnoses; acuity rests on "
            f"{row['n_with_acuity']:,} cases and the omission of dangerous diagnoses on "
            f"{row['n_with_danger']:,}."
        )
        if row["n_rare"] == row["n_cases"]:
            sentences.append(
                f"All diseases of {row['test_set']} are rare, so that the severity score says "
                "little more than whether a system names rare diseases."
            )
    return sentences


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
