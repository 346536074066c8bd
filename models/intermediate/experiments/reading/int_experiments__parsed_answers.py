"""Reads ranked diagnoses out of whole, cut-off and recorded answers, and why there are none."""

from python_llm.parsing.differential import parse_differentials


def model(dbt, session):
    patterns = dbt.ref("answer_patterns").join(
        dbt.ref("outcome_statuses").select("status", "outcome_class"), "status"
    )
    # of asks that share a request, the format of the one that was sent: as in one_ask_per_request
    formats = dbt.ref("int_experiments__generation_asks").aggregate(
        "request_key, arg_min(output_format, (is_blocked_by_policy, not is_selected, model_alias))"
        " as output_format"
    )
    # what a filter or a refusal left over is not a differential, whatever it looks like
    delivered = dbt.ref("int_experiments__generation_responses").filter(
        "status in ('ok', 'truncated') and answer_text is not null"
    )
    recorded = dbt.ref("int_experiments__recorded_answers")
    columns = "output_format, answer_text"
    answers = recorded.select(f"answer_key, {columns}, diagnoses, true as is_recorded").union(
        delivered.join(formats, "request_key").select(
            f"request_key as answer_key, {columns}, null as diagnoses, false as is_recorded"
        )
    )
    return parse_differentials(
        answers.to_arrow_table(),
        patterns.select("pattern_order", "status", "pattern", "outcome_class").to_arrow_table(),
    )
