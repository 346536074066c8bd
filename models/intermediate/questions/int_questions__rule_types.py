"""Types every question by the first rule that matches."""

from python_llm.questions.typing_rules import type_questions


def model(dbt, session):
    questions = dbt.ref("int_questions__questions").select("question_id, options")
    splits = dbt.ref("int_questions__splits").select("question_id, vignette, question_stem")
    texts = questions.join(splits, "question_id").to_arrow_table()
    return type_questions(texts, dbt.ref("question_type_rules").to_arrow_table())
