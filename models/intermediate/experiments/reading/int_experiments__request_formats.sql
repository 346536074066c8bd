{{ config(materialized='view') }}

with final as (
    select
        request_key,
        output_format,
    from {{ ref('int_experiments__generation_asks') }}
    {{ one_ask_per_request() }}
)

select * from final
