with requests as (
    select
        request_key,
        output_format,
    from {{ ref('int_experiments__generation_asks') }}
    {{ one_ask_per_request() }}
),

recorded as (
    select * from {{ ref('int_experiments__recorded_answers') }}
),

-- the remains of a filtered or refused answer are not a differential, whatever they look like
from_models as (
    select
        responses.request_key as answer_key,
        requests.output_format,
        responses.answer_text,
        null as diagnoses,
    from {{ ref('int_experiments__generation_responses') }} as responses
    inner join requests on responses.request_key = requests.request_key
    where responses.status in ('ok', 'truncated') and responses.answer_text is not null
),

final as (
    select
        answer_key,
        output_format,
        answer_text,
        diagnoses,
        true as is_recorded,
    from recorded
    union all
    select
        answer_key,
        output_format,
        answer_text,
        diagnoses,
        false as is_recorded,
    from from_models
)

select * from final
