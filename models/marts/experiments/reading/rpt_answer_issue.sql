with issues as (
    select * from {{ ref('int_experiments__answer_issues') }}
),

cases as (
    select * from {{ ref('dim_case') }}
),

final as (
    select
        issues.configuration_id,
        issues.case_id,
        issues.issue_number,
        issues.place,
        issues.diagnosis_rank,
        issues.rule,
        issues.effect,
        case when not cases.contains_phi then issues.what end as what,
        issues.meaning,
        issues.remedy,
    from issues
    inner join cases on issues.case_id = cases.case_id
)

select * from final
