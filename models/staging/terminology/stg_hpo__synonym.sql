with final as (
    select
        id as hpo_id,
        synonym,
        scope,
        type as synonym_type,
    from {{ ref('hpo_synonym') }}
)

select * from final
