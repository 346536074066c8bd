with answers as (
    select
        configuration_id,
        case_id,
        request_key as answer_key,
    from {{ ref('int_experiments__generation_asks') }}
    union all
    select
        configuration_id,
        case_id,
        answer_key,
    from {{ ref('int_experiments__recorded_answers') }}
),

parsed as (
    select
        answer_key,
        unnest(issues) as issue,
    from {{ ref('int_experiments__parsed_answers') }}
),

rules as (
    select * from {{ ref('reading_rules') }}
),

from_reading as (
    select
        answers.configuration_id,
        answers.case_id,
        parsed.issue.place,
        parsed.issue.rank as diagnosis_rank,
        parsed.issue.rule,
        parsed.issue.text as what,
    from answers
    inner join parsed on answers.answer_key = parsed.answer_key
),

merged as (
    select
        configuration_id,
        case_id,
        place,
        diagnosis_rank,
        'repeated' as rule,
        diagnosis || ' (rank ' || first_rank || ')' as what,
    from {{ ref('int_experiments__listed_diagnoses') }}
    where diagnosis_rank != first_rank
),

-- an answer that came, and of which no diagnosis could be read
whole as (
    select
        configuration_id,
        case_id,
        null as place,
        null as diagnosis_rank,
        case
            when parse_status = 'empty' or not regexp_matches(answer_text, '\S') then 'empty'
            when status in ('parse_error', 'truncated') then 'unreadable'
            else 'failure_text'
        end as rule,
        nullif(left(trim(answer_text), 200), '') as what,
    from {{ ref('int_experiments__cell_outcomes') }}
    where status != 'ok' and (answer_text is not null or parse_status is not null)
),

everything as (
    {%- for part in ["from_reading", "merged", "whole"] %}

        select
            configuration_id,
            case_id,
            place,
            diagnosis_rank,
            rule,
            what,
        from {{ part }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

final as (
    select
        everything.configuration_id,
        everything.case_id,
        row_number() over (
            partition by everything.configuration_id, everything.case_id
            order by everything.place nulls last, everything.rule, everything.what
        )::integer as issue_number,
        everything.place::integer as place,
        everything.diagnosis_rank::integer as diagnosis_rank,
        everything.rule,
        rules.effect,
        everything.what,
        rules.meaning,
        rules.remedy,
    from everything
    left join rules on everything.rule = rules.rule
)

select * from final
