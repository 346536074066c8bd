with final as (
    select
        kind,
        hpo_id,
        sex,
        reason,
        source,
    from {{ ref('sex_rules') }}
)

select * from final
