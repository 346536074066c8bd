with final as (
    select
        hpo_id,
        language,
        source_name,
        translated_name,
        status as translation_status,
        source,
        release,
    from {{ source('terminology_import', 'term_translation') }}
)

select * from final
