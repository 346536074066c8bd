with findings as (
    select * from {{ ref('int_phenotyping__excluded_findings') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

final as (
    select
        findings.case_id,
        findings.finding_number,
        findings.hpo_id,
        terms.hpo_name,
        findings.finding,
        findings.written,
        findings.cue,
        findings.exclusion_type,
        findings.origin,
        findings.method,
        findings.evidence,
        findings.confidence,
        findings.counts_as_absent,
    from findings
    left join terms on findings.hpo_id = terms.hpo_id
)

select * from final
