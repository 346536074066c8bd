-- Blind to the answers: the rules grade the gold diagnosis as they grade any other (chapter 3,
-- table 3), and only where nobody gave a severity.
with keys as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

named as (
    select
        gold_key,
        gold_name as name,
    from {{ ref('int_experiments__gold_names') }}
),

concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

{{ severities_by_rules("gold_key", parameter('rare_prevalence')) }},

cases as (
    select * from {{ ref('dim_case') }}
),

final as (
    select
        cases.case_id,
        judges.judge_id,
        coalesce(cases.gold_severity, graded.severity) as gold_severity,
        if(cases.gold_severity is null, graded.severity_rule, 'given') as gold_severity_rule,
    from cases
    cross join {{ ref('dim_judge') }} as judges
    left join {{ ref('int_experiments__case_golds') }} as golds
        on cases.case_id = golds.case_id and judges.kind = 'terminology'
    left join graded on golds.gold_key = graded.gold_key
    inner join {{ ref('severity_levels') }} as levels
        on coalesce(cases.gold_severity, graded.severity) = levels.severity
    where levels.is_label
)

select * from final
