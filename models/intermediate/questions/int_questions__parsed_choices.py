"""Reads the chosen letter, strictly, out of whole answers and of those cut off for length."""

from python_llm.questions.choice import parse_choices


def model(dbt, session):
    # the same request always has the same options
    letters = dbt.ref("int_questions__choice_asks").select("request_key, letters").distinct()
    responses = dbt.ref("int_questions__choice_responses")
    responses = responses.filter("status in ('ok', 'truncated') and answer_text is not null")
    answers = responses.select("request_key, answer_text").join(letters, "request_key")
    return parse_choices(answers.to_arrow_table())
