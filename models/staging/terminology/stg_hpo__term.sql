with final as (
    select
        id as hpo_id,
        name as hpo_name,
        replaced_by as replaced_by_hpo_id,
        is_obsolete::boolean as is_obsolete,
    from {{ ref('hpo_term') }}
)

select * from final
