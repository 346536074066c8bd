with source as (
    select
        feedback_id,
        tenant_id,
        patient_id,
        document,
        is_helpful,
        source_file,
        source_line,
    from {{ source('feedback', 'document_feedback') }}
)

select * from source
