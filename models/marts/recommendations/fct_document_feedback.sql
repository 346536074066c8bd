with feedback as (
    select
        feedback_id,
        tenant_id,
        patient_id,
        document,
        is_helpful,
        source_file,
        source_line,
        row_number() over (partition by feedback_id order by source_file, source_line)
            as place_of_id,
    from {{ ref('stg_recommendations__feedback') }}
),

patients as (
    select * from {{ ref('int_recommendations__patients') }}
),

documents as (
    select
        document_id || '#' || chunk_number as document,
        source_type,
        condition,
    from {{ ref('clinical_documents') }}
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
        feedback.source_line,
        -- whoever is not known to be outside the held-out set counts as inside
        case
            when feedback.feedback_id is not null and feedback.place_of_id > 1 then 'said_before'
            when feedback.is_helpful is null then 'neither_true_nor_false'
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
        source_line,
        excluded_because is null as is_used,
    from judged
)

select * from final
