with {{ recorded_or_asked() }},

parsed as (
    select
        answer_key,
        unnest(issues) as issue,
    from {{ ref('int_experiments__parsed_answers') }}
),

ranked as (
    select
        *,
        unnest(repeats) as repeat,
    from {{ ref('int_experiments__ranked_diagnoses') }}
),

outcomes as (
    select * from {{ ref('int_experiments__cell_outcomes') }}
),

rules as (
    select * from {{ ref('reading_rules') }}
),

cases as (
    select * from {{ ref('dim_case') }}
),

issues as (
    select
        answers.configuration_id,
        answers.case_id,
        parsed.issue.place,
        parsed.issue.rank as diagnosis_rank,
        parsed.issue.rule,
        parsed.issue.text as what,
    from answers
    inner join parsed using (answer_key)
    union all by name
    select
        configuration_id,
        case_id,
        repeat.place,
        repeat.diagnosis_rank,
        'repeated' as rule,
        repeat.diagnosis || ' (rank ' || diagnosis_rank || ')' as what,
    from ranked
    union all by name
    -- an answer without a readable diagnosis
    select
        configuration_id,
        case_id,
        case
            when parse_status = 'empty' or not regexp_matches(answer_text, '\S') then 'empty'
            when status in ('parse_error', 'truncated') then 'unreadable'
            else 'failure_text'
        end as rule,
        nullif(left(trim(answer_text), 200), '') as what,
    from outcomes
    where status != 'ok' and (answer_text is not null or parse_status is not null)
),

final as (
    select
        issues.configuration_id,
        issues.case_id,
        row_number() over (
            partition by issues.configuration_id, issues.case_id
            order by issues.place nulls last, issues.rule, issues.what
        )::integer as issue_number,
        issues.place::integer as place,
        issues.diagnosis_rank::integer as diagnosis_rank,
        issues.rule,
        rules.effect,
        -- the answer may quote a patient's record
        if(cases.contains_phi, null, issues.what) as what,
        rules.meaning,
        rules.remedy,
    from issues
    inner join cases using (case_id)
    left join rules using (rule)
)

select * from final
