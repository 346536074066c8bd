"""What models would be asked about questions and what it can cost at most, before it is sent."""

import os
from typing import Any, cast

import duckdb

from python_llm import paths
from python_llm.job.admission import preflight
from python_llm.job.build import build_part

MODELS = (
    "int_questions__analysis_asks",
    "int_questions__choice_asks",
    "int_questions__type_asks",
    "stg_ledger__answered",
)

# A choice after an analysis is requested once that is there: until then it is bounded by the
# question, the longest analysis and the longest answer.
PLAN = """
with asks as (
    select 'analysis' as task, * exclude (output_format)
    from int_questions__analysis_asks
    union all by name
    select if(prompt_alias = 'question_choice', 'choice after it', 'choice') as task,
        * exclude (output_format)
    from int_questions__choice_asks
    union all by name
    select 'typing' as task, * exclude (output_format)
    from int_questions__type_asks
),

requests as (
    select
        asks.model_alias, asks.task, asks.request_key, count(*) as n_cells,
        bool_or(answered.request_key is not null) as is_answered,
        any_value(asks.estimated_input_tokens) as tokens_in,
        any_value(asks.max_output_tokens) as tokens_out,
        any_value(asks.input_usd_per_mtok) as input_price,
        any_value(asks.output_usd_per_mtok) as output_price,
    from asks
    left join stg_ledger__answered as answered on asks.request_key = answered.request_key
    where asks.is_selected and not asks.is_blocked_by_policy
    group by asks.model_alias, asks.task, asks.request_key
),

following as (
    select
        model_alias, 'choice after it' as task, request_key, n_cells, false as is_answered,
        tokens_in + tokens_out as tokens_in, tokens_out, input_price, output_price,
    from requests
    where task = 'analysis' and not is_answered
)

select
    'model' as role, model_alias || ', ' || task as name, task,
    sum(n_cells)::bigint as n_cells,
    coalesce(sum(n_cells) filter (is_answered), 0)::bigint as n_answered,
    count(*) filter (not is_answered) as n_requests,
    coalesce(sum(tokens_in) filter (not is_answered), 0)::bigint as input_tokens,
    coalesce(sum(tokens_out) filter (not is_answered), 0)::bigint as output_tokens,
    null::double as expected_usd,
    case when bool_and(input_price is not null and output_price is not null) then coalesce(
        sum((tokens_in * input_price + tokens_out * output_price) / 1e6)
        filter (not is_answered), 0
    )::double end as worst_case_usd,
    if(worst_case_usd is null, 'no price', 'callable') as access_state,
    null::double as minutes,
from (select * from requests union all by name select * from following)
group by model_alias, task
order by model_alias, task
"""


def question_plan(run: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per model and task of a run that asks about questions, as planning.plan prints.

    Raises preflight.RunError for a run that was asked for wrongly, and when what the plan is made
    of cannot be built. Nothing is sent.
    """
    planned = {**run, "mode": "off"}
    preflight.check_seeds()
    preflight.check_run(**planned)
    preflight.check_ledger()
    os.chdir(paths.project_root())
    warehouse = paths.built_database()
    if not build_part(planned, warehouse, MODELS, "the plan"):
        raise preflight.RunError(
            "What the plan is made of could not be built: `kernel29 build` says why."
        )
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        rows = connection.execute(PLAN).to_arrow_table()
    return cast(list[dict[str, Any]], rows.to_pylist())
