with final as (
    select
        subject_id,
        object_id,
        -- ids are CURIEs: what stands before the colon is the vocabulary
        split_part(subject_id, ':', 1) as subject_vocabulary,
        split_part(object_id, ':', 1) as object_vocabulary,
        relation,
        relation_as_written,
        source,
        release,
        is_validated,
    from {{ source('terminology_import', 'disease_mapping') }}
)

select * from final
