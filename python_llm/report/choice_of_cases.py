"""Cases chosen from a served test set, with what the choice loses."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from python_llm.errors import UserError
from python_llm.registries.names import nearest
from python_llm.report.paper.choice import RULES, rows_of, served
from python_llm.statistics.choosing import LEAST_MODELS, Answers, Loss, chosen, loss

# Configurations with a score for every case: one that was asked about a sample says nothing of the
# others.
FOUND = """
with scores as (
    select configuration_id, case_id, is_top5_strict
    from fct_case_score
    where test_set = $1 and judge_id = $2 and is_scored and is_asked
        and is_top5_strict is not null
),
whole as (
    select configuration_id from scores group by all
    having count(*) = (select count(distinct case_id) from scores)
)
select configuration_id, model_alias, list(is_top5_strict order by case_id) as found,
    list(case_id order by case_id) as cases
from scores semi join whole using (configuration_id)
inner join dim_configuration using (configuration_id)
group by all
order by configuration_id
"""
SETS = """
select distinct test_set, judge_id from fct_configuration_score where is_asked
"""


@dataclass(frozen=True)
class Chosen:
    """Cases in the order of their worth, and what is lost with the others."""

    test_set: str
    judge: str
    cases: list[str]
    n_whole: int
    n_configurations: int
    n_models: int
    loss: Loss


def choose_cases(database: Path, test_set: str, judge: str, n_cases: int) -> Chosen:
    """The `n_cases` of a test set that separate its configurations best, by the terminology judge
    if `judge` is empty.

    Raises UserError with the nearest name if the set or the judge is unknown, and if there are too
    few models or cases (docs/specification.md#choice-of-cases).
    """
    with served(database) as connection:
        pairs = rows_of(connection, SETS)
        judge = judge or RULES
        for kind, column, name in (
            ("test set", "test_set", test_set),
            ("judge", "judge_id", judge),
        ):
            known = {row[column] for row in pairs}
            if name not in known:
                raise UserError(
                    f"Nothing that was asked has the {kind} '{name}'. The nearest: "
                    f"{nearest(name, known)}."
                )
        answers = read_answers(connection, test_set, judge)
    n_models = 0 if answers is None else len(np.unique(answers.models))
    if answers is None or n_models < LEAST_MODELS:
        raise UserError(
            f"{test_set} has whole answers of {n_models} model{'' if n_models == 1 else 's'} with "
            f"labels by {judge}: at least {LEAST_MODELS} are needed, half of them to choose cases "
            "by and half to measure the loss on. Ask more models about every case."
        )
    if not 0 < n_cases < len(answers.cases):
        raise UserError(
            f"{test_set} has {len(answers.cases)} cases: --cases is a number from 1 to "
            f"{len(answers.cases) - 1}."
        )
    return choice_from(answers, test_set, judge, n_cases)


def choice_from(answers: Answers, test_set: str, judge: str, n_cases: int) -> Chosen:
    """The same from answers that have been read. Raises ValueError as `choosing.loss` does."""
    return Chosen(
        test_set=test_set,
        judge=judge,
        cases=[answers.cases[column] for column in chosen(answers, n_cases)],
        n_whole=len(answers.cases),
        n_configurations=len(answers.models),
        n_models=len(np.unique(answers.models)),
        loss=loss(answers, n_cases),
    )


def read_answers(
    connection: duckdb.DuckDBPyConnection, test_set: str, judge: str
) -> Answers | None:
    """What the configurations of a test set found, failures finding nothing; None if none has
    answered every case."""
    rows = rows_of(connection, FOUND, [test_set, judge])
    if not rows:
        return None
    return Answers(
        np.array([row["found"] for row in rows], bool),
        np.array([row["model_alias"] for row in rows]),
        rows[0]["cases"],
    )


def sentences(choice: Chosen) -> list[str]:
    """What the choice is worth, for a reader."""
    share = f"{len(choice.cases)} of the {choice.n_whole} cases of {choice.test_set}"
    lost = choice.loss
    basis = (
        f"by {choice.n_configurations} configurations of {choice.n_models} models "
        f"(judge {choice.judge})"
    )
    if lost.power is None or lost.random_power is None:
        power = (
            "On the models left out of the choice the whole set separates no pair (McNemar's exact "
            "test, p < 0.05): its power cannot be measured."
        )
    else:
        power = (
            f"On models left out of the choice they separate {100 * lost.power:.0f} % of the pairs "
            f"that the whole set separates (McNemar's exact test, p < 0.05; "
            f"{lost.n_separated:,} pairs in {lost.n_splits} splits of the models, both ways): "
            f"{100 * (1 - lost.power):.0f} % of its power is lost. As many random cases separate "
            f"{100 * lost.random_power:.0f} %."
        )
        if lost.random_power >= lost.power:
            power += " Random cases do as well here."
    order = ""
    if lost.order is not None and lost.random_order is not None:
        order = (
            " Kendall's tau of the order with that of the whole set is "
            f"{lost.order:.2f}, with random cases {lost.random_order:.2f}."
        )
    return [
        f"{share}, chosen {basis}.",
        power + order,
        "Their accuracy is not that of the whole set: cases that all or none find come last.",
    ]
