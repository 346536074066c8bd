with final as (
    select
        disease_id as source_disease_id,
        -- ids are CURIEs: what stands before the colon is the vocabulary
        split_part(disease_id, ':', 1) as source_vocabulary,
        name as source_name,
        kind as name_kind,
        language,
        source,
        release,
        is_active,
    from {{ source('terminology_import', 'disease_name') }}
)

select * from final
