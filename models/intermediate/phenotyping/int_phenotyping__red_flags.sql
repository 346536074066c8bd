with findings as (
    select
        case_id,
        hpo_id,
    from {{ ref('int_phenotyping__case_phenotypes') }}
    where not is_excluded
),

flagged_terms as (
    select * from {{ ref('int_phenotyping__flagged_terms') }}
),

final as (
    select
        findings.case_id,
        findings.hpo_id,
        flagged_terms.flag_hpo_id,
        flagged_terms.flag_name,
        flagged_terms.severity,
        flagged_terms.reason,
        flagged_terms.source,
    from findings
    inner join flagged_terms on findings.hpo_id = flagged_terms.hpo_id
)

select * from final
