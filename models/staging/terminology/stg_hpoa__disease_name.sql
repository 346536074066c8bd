with final as (
    select
        disease_id as source_disease_id,
        split_part(disease_id, ':', 1) as source_vocabulary,
        name as source_name,
        n_annotations::integer as n_annotations,
        last_curated_on::date as last_curated_on,
    from {{ ref('disease') }}
)

select * from final
