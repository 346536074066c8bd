with requests as (
    select
        request_key,
        output_format,
    from {{ ref('int_experiments__generation_requests') }}
),

-- what a filter or a refusal left over is no differential, whatever it looks like
from_models as (
    select
        responses.request_key as answer_key,
        requests.output_format,
        responses.answer_text,
    from {{ ref('int_experiments__generation_responses') }} as responses
    inner join requests on responses.request_key = requests.request_key
    where responses.status in ('ok', 'truncated') and responses.answer_text is not null
),

from_runs as (
    select
        answer_key,
        output_format,
        answer_text,
    from {{ ref('int_experiments__recorded_answers') }}
    where is_text
),

final as (
    select
        answer_key,
        output_format,
        answer_text,
    from from_models
    union all
    select
        answer_key,
        output_format,
        answer_text,
    from from_runs
)

select * from final
