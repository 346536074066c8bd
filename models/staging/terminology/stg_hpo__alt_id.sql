with final as (
    select
        alt_id as alt_hpo_id,
        id as hpo_id,
    from {{ ref('hpo_alt_id') }}
)

select * from final
