with final as (
    select
        subject_id,
        object_id,
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
