with final as (
    select
        mondo_id,
        name as class_name,
    from {{ ref('stg_mondo__name') }}
    where scope = 'preferred'
)

select * from final
