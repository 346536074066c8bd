with findings as (
    select
        case_id,
        hpo_id,
        is_excluded,
        method,
        confidence,
        evidence,
        is_contradicted,
    from {{ ref('int_phenotyping__decided_findings') }}
    where overruling_hpo_id is null
),

timings as (
    select * from {{ ref('int_phenotyping__timings') }}
),

stages as (
    select * from {{ ref('onset_stages') }}
),

staged as (
    select
        timings.case_id,
        timings.hpo_id,
        stages.stage,
    from timings
    inner join stages on {{ is_in_stage("timings.onset_years") }}
    where timings.onset_years is not null
),

final as (
    select
        findings.case_id,
        findings.hpo_id,
        findings.is_excluded,
        timings.onset_years,
        staged.stage as onset_stage,
        timings.progression,
        timings.is_ongoing,
        findings.method,
        findings.confidence,
        findings.evidence,
        findings.is_contradicted,
    from findings
    left join timings
        on
            findings.case_id = timings.case_id
            and findings.hpo_id = timings.hpo_id
            and not findings.is_excluded
    left join staged
        on timings.case_id = staged.case_id and timings.hpo_id = staged.hpo_id
)

select * from final
