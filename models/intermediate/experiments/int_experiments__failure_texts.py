"""Says why a text no diagnosis was read from is no answer, where the text says so."""

from python_llm.parsing.failures import failures


def model(dbt, session):
    unread = dbt.ref("int_experiments__parsed_answers").filter("parse_status != 'ok'")
    texts = dbt.ref("int_experiments__readable_answers").join(
        unread.select("answer_key"), "answer_key"
    )
    patterns = dbt.ref("stg_registry__answer_pattern").join(
        dbt.ref("stg_registry__outcome_status").select("status", "outcome_class"), "status"
    )
    return failures(
        texts.select("answer_key", "is_recorded", "answer_text").to_arrow_table(),
        patterns.select("pattern_order", "status", "pattern", "outcome_class").to_arrow_table(),
    )
