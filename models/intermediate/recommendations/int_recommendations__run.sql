-- The run as a row: results join it and say which build measured them, and with what.
with final as (
    select
        '{{ invocation_id }}' as run_id,
        '{{ run_type() }}' as run_type,
        cast('{{ run_started_at }}' as timestamptz) as started_at,
        '{{ var("recommender") }}' as recommender,
        '{{ var("retrieval_configuration") }}' as configuration,
        nullif('{{ var("recommendation_judge") }}', '') as judge,
)

select * from final
