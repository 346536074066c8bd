-- Blind to the answers: each judge grades the gold diagnosis as it grades any other (chapter 3,
-- table 3), and only where nobody gave a severity: the rules by its concepts, a model by its votes
-- on a list of that diagnosis alone, a jury from what its members gave.
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

levels as (
    select * from {{ ref('severity_levels') }}
    where is_label
),

votes as (
    select
        case_id,
        judge_id,
        label as severity,
        label_position,
        count(*) as n_votes_for,
    from {{ ref('fct_judge_vote') }}
    where probe = 'gold' and label is not null
    group by all
),

own_severities as (
    select
        golds.case_id,
        judges.judge_id,
        graded.severity,
        graded.severity_rule,
    from graded
    inner join {{ ref('int_experiments__case_golds') }} as golds using (gold_key)
    inner join {{ ref('judges') }} as judges on judges.kind = 'terminology'
    union all
    -- as int_experiments__judgements decides: the majority, and of equals the graver
    select
        case_id,
        judge_id,
        arg_max(severity, (n_votes_for, label_position)) as severity,
        'majority_vote' as severity_rule,
    from votes
    group by case_id, judge_id
),

jury_votes as (
    select
        own.case_id,
        juries.judge_id,
        juries.method,
        levels.severity_value,
        count(*) over (partition by own.case_id, juries.judge_id, own.severity) as n_votes_for,
    from own_severities as own
    inner join {{ ref('judges') }} as juries
        on list_contains(string_split(juries.members, ';'), own.judge_id)
    inner join levels on own.severity = levels.severity
    where juries.kind = 'jury'
),

-- as int_experiments__jury_judgements decides; a single member is not a jury
jury_severities as (
    select
        case_id,
        judge_id,
        case method
            when 'majority' then arg_max(severity_value, (n_votes_for, severity_value))
            when 'median' then -quantile_disc(-severity_value, 0.5)
            when 'mean' then floor(avg(severity_value) + 0.5)::integer
        end as severity_value,
    from jury_votes
    group by case_id, judge_id, method
    having count(*) >= 2
),

graded_by_judges as (
    select * from own_severities
    union all by name
    select
        jury_severities.case_id,
        jury_severities.judge_id,
        levels.severity,
        'jury' as severity_rule,
    from jury_severities
    inner join levels using (severity_value)
),

-- 'rare' does not say how acute the disease is; the rules do, for every judge
labelled as (
    select
        cases.case_id,
        judges.judge_id,
        coalesce(cases.gold_severity, judged.severity) as gold_severity,
        if(cases.gold_severity is null, judged.severity_rule, 'given') as gold_severity_rule,
        graded.acuity,
        graded.is_rare,
    from {{ ref('dim_case') }} as cases
    cross join {{ ref('dim_judge') }} as judges
    left join graded_by_judges as judged
        on cases.case_id = judged.case_id and judges.judge_id = judged.judge_id
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
    inner join levels on labelled.gold_severity = levels.severity
)

select * from final
