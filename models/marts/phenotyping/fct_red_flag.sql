with final as (
    select
        case_id,
        hpo_id,
        flag_hpo_id,
        flag_name,
        severity,
        reason,
        source,
    from {{ ref('int_phenotyping__red_flags') }}
)

select * from final
