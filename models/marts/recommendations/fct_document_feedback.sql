with feedback as (
    select
        feedback_id,
        tenant_id,
        patient_id,
        document,
        is_helpful,
        source_file,
    from {{ ref('stg_recommendations__feedback') }}
),

patients as (
    select
        patient_id,
        is_holdout,
    from {{ ref('int_recommendations__patients') }}
),

documents as (
    select
        document_id || '#' || chunk_number as document,
        source_type,
        condition,
    from {{ ref('stg_recommendations__document') }}
),

judged as (
    select
        feedback.feedback_id,
        feedback.tenant_id,
        feedback.patient_id,
        feedback.document,
        documents.source_type,
        documents.condition,
        feedback.is_helpful,
        feedback.source_file,
        -- whoever is not known to be outside the held-out set counts as inside
        case
            when patients.patient_id is null then 'unknown_patient'
            when patients.is_holdout then 'held_out'
            when documents.document is null then 'unknown_document'
        end as excluded_because,
    from feedback
    left join patients on feedback.patient_id = patients.patient_id
    left join documents on feedback.document = documents.document
),

final as (
    select
        feedback_id,
        tenant_id,
        patient_id,
        document,
        source_type,
        condition,
        is_helpful,
        source_file,
        excluded_because,
        excluded_because is null as is_used,
    from judged
)

select * from final
