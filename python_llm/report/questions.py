"""What the page shows of examination questions: scores by type, pairs, and every question.

The core has the numbers; the part `questions-N` has the texts and answers of the set with number N,
read when the set is chosen. Texts of questions with personal health information are left out.
"""

from collections.abc import Iterator
from typing import Any

import duckdb

from python_llm.report.cells import packed_json

MOST_QUESTIONS = 2000  # of a set; the rest stays in the served database
LONGEST_ANALYSIS = 3000  # characters
# a first look serves only some marts
MARTS = (
    *("dim_question", "bridge_question_option", "dim_question_configuration"),
    *("fct_question_answer", "fct_question_comparison", "rpt_question_report", "rpt_question_set"),
)

SETS = """
select question_set as id, n_questions, n_scored, n_image, n_voided, n_without_key, n_two_keys,
    n_key_is_no_option, n_keys_contradict, n_untyped
from rpt_question_set order by question_set
"""
SCORES = """
select configuration_id as id, question_set as set, stratum_kind as kind, stratum,
    n_questions - n_not_asked as n, n_failures - n_not_asked as failed,
    choice_accuracy as right, choice_accuracy_low as low, choice_accuracy_high as high,
    top1_accuracy as analysis, repeat_consistency as same, chance_level as chance
from rpt_question_report
where is_asked and stratum_kind in ('all', 'question_type')
order by question_set, kind, stratum, choice_accuracy desc, id
"""
PAIRS = """
select question_set as set, configuration_a as a, configuration_b as b, family,
    n_questions as n, difference, difference_low as low, difference_high as high,
    n_a_better, n_b_better, p_value as p, p_value_family as p_family, n_family_comparisons as pairs
from fct_question_comparison
where stratum_kind = 'all' and metric = 'choice_accuracy' and family is not null
order by question_set, family, p, a, b
"""
# shown with the letters, in this order
ANSWERED = """
select configuration_id, question_set
from fct_question_answer
group by all
having bool_or(outcome_class != 'not_asked')
order by all
"""
QUESTIONS = f"""
select questions.question_id as id, question_number as number, question_type as type, typed_by,
    type_rule, unscored_reason as unscored, answer_letter as key, contains_phi as phi,
    if(contains_phi, null, subject) as subject,
    if(contains_phi, null, vignette) as vignette,
    if(contains_phi, null, question_stem) as stem,
    if(contains_phi, null, rationale) as rationale,
    if(contains_phi, null, options.texts) as options,
from dim_question as questions
left join (
    select question_id, list(option_text order by letter) as texts
    from bridge_question_option group by all
) as options using (question_id)
where question_set = ?
order by question_number, id
limit {MOST_QUESTIONS}
"""
ANSWERS = f"""
select answers.question_id as id, answers.configuration_id, chosen_letter as letter, status,
    parse_reason as reason, match_field as field, match_rank as rank,
    if(contains_phi, null, left(analysis_text, {LONGEST_ANALYSIS})) as analysis,
    if(contains_phi, null, left(choice_text, {LONGEST_ANALYSIS})) as choice,
from fct_question_answer as answers
inner join dim_question using (question_id)
where answers.question_set = ? and outcome_class != 'not_asked'
order by answers.question_id, answers.configuration_id
"""


def read_questions(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[dict[str, Any] | None, Iterator[tuple[str, bytes]]]:
    """The numbers of all question sets, and their parts by name; None where no questions are
    served."""
    served = {
        name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()
    }
    if not served.issuperset(MARTS):
        return None, iter(())
    core = {
        "sets": _records(connection, SETS),
        "scores": _records(connection, SCORES),
        "pairs": _records(connection, PAIRS),
        "answered": _records(connection, ANSWERED),
    }
    return core, _parts(connection, core["sets"])


def _parts(
    connection: duckdb.DuckDBPyConnection, sets: list[dict[str, Any]]
) -> Iterator[tuple[str, bytes]]:
    for number, row in enumerate(sets):
        questions = _records(connection, QUESTIONS, [row["id"]])
        answers: dict[str, dict[str, Any]] = {question["id"]: {} for question in questions}
        for answer in _records(connection, ANSWERS, [row["id"]]):
            if (own := answers.get(answer.pop("id"))) is not None:
                own[answer.pop("configuration_id")] = answer
        for question in questions:
            question["answers"] = answers[question["id"]]
        yield f"questions-{number}", packed_json(questions, str)


def _records(
    connection: duckdb.DuckDBPyConnection, query: str, values: list[str] | None = None
) -> list[dict[str, Any]]:
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
