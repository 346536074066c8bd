with feedback as (
    select
        *,
        row_number() over (partition by feedback_id order by source_file, source_line)
            as statement_number,
    from {{ ref('stg_recommendations__feedback') }}
),

patients as (
    select * from {{ ref('int_recommendations__patients') }}
),

documents as (
    select * from {{ ref('dim_clinical_document') }}
),

judged as (
    select
        feedback.*,
        documents.source_type,
        documents.condition,
        -- a patient not known to be outside the held-out set counts as inside
        case
            when feedback.feedback_id is not null and feedback.statement_number > 1
                then 'repeated_feedback'
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
