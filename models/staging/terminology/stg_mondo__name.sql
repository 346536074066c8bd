with final as (
    select
        mondo_id,
        name,
        scope,
    from {{ ref('mondo_name') }}
)

select * from final
