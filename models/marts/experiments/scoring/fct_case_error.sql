{%- set is_asked = "scores.is_asked and scores.is_counted" -%}

with scores as (
    select * from {{ ref('int_experiments__case_scores') }}
    where semantic_rescaled is not null
),

cases as (
    select * from {{ ref('dim_case') }}
),

judges as (
    select * from {{ ref('dim_judge') }}
),

levels as (
    select * from {{ ref('severity_levels') }}
),

-- lists take up numbers of their texts: of millions of lists, texts would not fit into memory
texts as (
    select
        diagnosis,
        row_number() over (order by diagnosis) as text_number,
    from (select distinct diagnosis from {{ ref('fct_judged_diagnosis') }}) as named
),

-- the closest relation comes first, and of two equal ones the one higher in the list
judged as (
    select
        judged.*,
        texts.text_number,
        levels.severity_value - gold_levels.severity_value as severity_gap,
        judged.semantic_distance * 100 + judged.diagnosis_rank as nearness,
    from {{ ref('fct_judged_diagnosis') }} as judged
    left join texts on judged.diagnosis = texts.diagnosis
    left join levels on judged.severity = levels.severity
    left join levels as gold_levels on judged.gold_severity = gold_levels.severity
),

lists as (
    select
        configuration_id,
        case_id,
        judge_id,
        arg_min(text_number, diagnosis_rank) as first_text,
        any_value(severity_gap) filter (where diagnosis_rank = 1) as first_severity_gap,
        arg_min(text_number, nearness) as nearest_text,
        min(semantic_distance) as nearest_distance,
        -- arg_min skips nulls and would give another rank's severity
        arg_min(coalesce(severity_distance, 0), nearness) as nearest_severity_distance,
    from judged
    group by all
),

final as (
    select
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.prompt_version,
        judges.terminology_release,
        scores.status,
        cases.gold_name,
        scores.gold_severity,
        cases.icd10_chapter_code,
        first_texts.diagnosis as first_diagnosis,
        nearest_texts.diagnosis as nearest_diagnosis,
        -- what nobody asked is no bad answer
        case
            when {{ is_asked }}
                then {{ quadrant("scores.severity_rescaled", "scores.semantic_rescaled") }}
        end as quadrant,
        case
            when scores.is_failure then scores.outcome_class
            when scores.strict_rank = 1 then 'gold diagnosis first'
            when scores.strict_rank is not null then 'gold diagnosis lower in the list'
            when scores.broad_rank is not null then 'broader or narrower name only'
            when lists.nearest_distance is null or lists.nearest_distance >= {{ max_distance() }}
                then 'unrelated'
            else 'disease group only'
        end as semantic_error,
        case
            when scores.is_failure then scores.outcome_class
            when scores.gold_severity is null then 'no gold severity'
            when lists.nearest_severity_distance = 0 then 'severity unknown'
            when lists.nearest_severity_distance = 1 then 'right severity'
            else 'wrong severity'
        end as severity_error,
        if({{ is_asked }}, scores.semantic_rescaled, null) as semantic_rescaled,
        if({{ is_asked }}, scores.severity_rescaled, null) as severity_rescaled,
        lists.first_severity_gap::integer as first_severity_gap,
        case
            when {{ is_asked }}
                then row_number() over (
                    partition by scores.configuration_id, scores.judge_id, {{ is_asked }}
                    order by
                        -- decimals: equal sums of floating-point numbers differ in their last digit
                        {{ exact("scores.semantic_rescaled") }}
                        + coalesce({{ exact("scores.severity_rescaled") }}, 0),
                        {{ exact("scores.semantic_rescaled") }},
                        scores.case_id
                )
        end::integer as worst_position,
        scores.is_failure,
        {{ is_asked }} as is_asked,
    from scores
    inner join cases on scores.case_id = cases.case_id
    inner join judges on scores.judge_id = judges.judge_id
    left join lists
        on
            scores.configuration_id = lists.configuration_id
            and scores.case_id = lists.case_id
            and scores.judge_id = lists.judge_id
    left join texts as first_texts on lists.first_text = first_texts.text_number
    left join texts as nearest_texts on lists.nearest_text = nearest_texts.text_number
)

select * from final
