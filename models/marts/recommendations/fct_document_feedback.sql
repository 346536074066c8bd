with final as (
    select
        feedback_id,
        tenant_id,
        patient_id,
        document,
        source_type,
        condition,
        source_file,
        excluded_because,
        is_helpful,
        is_used,
    from {{ ref('int_recommendations__feedback') }}
)

select * from final
