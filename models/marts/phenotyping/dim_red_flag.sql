with final as (
    select
        hpo_id,
        hpo_name,
        flag_hpo_id,
        flag_name,
        severity,
        reason,
        source,
    from {{ ref('int_phenotyping__flagged_terms') }}
)

select * from final
