with findings as (
    select * from {{ ref('int_phenotyping__decided_findings') }}
    -- a finding overruled by a more specific one is not known to be absent; it is reported in
    -- rpt_phenotype_issue
    where overruling_hpo_id is null
),

timings as (
    select * from {{ ref('int_phenotyping__timings') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

stages as (
    select * from {{ ref('onset_stages') }}
),

staged_timings as (
    select
        timings.*,
        stages.stage as onset_stage,
    from timings
    left join stages on timings.onset_years is not null and {{ is_in_stage("timings.onset_years") }}
),

final as (
    select
        findings.case_id,
        findings.hpo_id,
        terms.hpo_name,
        terms.release,
        timings.onset_stage,
        timings.progression,
        findings.status,
        findings.method,
        findings.evidence,
        timings.onset_years,
        findings.confidence,
        findings.is_excluded,
        timings.is_ongoing,
        findings.is_contradicted,
    from findings
    inner join terms on findings.hpo_id = terms.hpo_id
    left join staged_timings as timings
        on
            -- an absent finding has no onset, whatever a note says about it
            case when not findings.is_excluded then findings.case_id end = timings.case_id
            and findings.hpo_id = timings.hpo_id
)

select * from final
