{{ config(materialized='view') }}

-- what a filter or a refusal left over is not a differential, whatever it looks like
with delivered as (
    select * from {{ ref('int_experiments__generation_responses') }}
    where status in ('ok', 'truncated') and answer_text is not null
),

asks as (
    select
        request_key,
        output_format,
    from {{ ref('int_experiments__generation_asks') }}
    {{ one_ask_per_request() }}
),

final as (
    select
        answer_key,
        output_format,
        answer_text,
        diagnoses,
        true as is_recorded,
    from {{ ref('int_experiments__recorded_answers') }}
    union all by name
    select
        asks.request_key as answer_key,
        asks.output_format,
        delivered.answer_text,
        false as is_recorded,
    from delivered
    inner join asks using (request_key)
)

select * from final
