with final as (
    select
        -- the form in which recommendations cite and judgements name a chunk
        document_id || '#' || chunk_number as document,
        document_id,
        chunk_number,
        source_type,
        condition,
        image_label,
        title,
        document_text,
        guideline,
        guideline_year,
        recommendation_class,
        source,
    from {{ ref('clinical_documents') }}
)

select * from final
