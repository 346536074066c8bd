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

-- a given 'rare' does not say how acute the disease is; the rules do, for every judge
labelled as (
    select
        cases.case_id,
        judges.judge_id,
        coalesce(cases.gold_severity, if(judges.kind = 'terminology', graded.severity, null))
            as gold_severity,
        if(cases.gold_severity is null, graded.severity_rule, 'given') as gold_severity_rule,
        graded.acuity,
        graded.is_rare,
    from cases
    cross join {{ ref('dim_judge') }} as judges
    left join {{ ref('int_experiments__case_golds') }} as golds on cases.case_id = golds.case_id
    left join graded on golds.gold_key = graded.gold_key
),

final as (
    select
        labelled.case_id,
        labelled.judge_id,
        labelled.gold_severity,
        labelled.gold_severity_rule,
        if(labelled.gold_severity = 'rare', labelled.acuity, labelled.gold_severity)
            as gold_acuity,
        labelled.gold_severity = 'rare' or coalesce(labelled.is_rare, false) as is_gold_rare,
    from labelled
    inner join {{ ref('severity_levels') }} as levels
        on labelled.gold_severity = levels.severity
    where levels.is_label
)

select * from final
