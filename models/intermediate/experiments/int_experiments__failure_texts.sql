-- only what no diagnosis was read from: a list with 'inborn error of metabolism' in it is a list
with patterns as (
    select
        patterns.pattern_order,
        patterns.status,
        patterns.pattern,
        statuses.outcome_class,
    from {{ ref('stg_registry__answer_pattern') }} as patterns
    inner join {{ ref('stg_registry__outcome_status') }} as statuses
        on patterns.status = statuses.status
),

unread as (
    select
        answers.answer_key,
        answers.is_recorded,
        -- an exception stands at the beginning of a text or, behind a traceback, at its end
        trim(left(answers.answer_text, 1000) || right(answers.answer_text[1001:], 1000)) as text,
    from {{ ref('int_experiments__readable_answers') }} as answers
    inner join {{ ref('int_experiments__parsed_answers') }} as parsed
        on answers.answer_key = parsed.answer_key
    where parsed.parse_status != 'ok' and answers.answer_text is not null
),

-- the same few texts stand in thousands of rows
texts as (
    select distinct
        is_recorded,
        text,
    from unread
),

matched as (
    select
        texts.is_recorded,
        texts.text,
        patterns.status,
    from texts
    inner join patterns
        on
            regexp_matches(texts.text, patterns.pattern, 'is')
            -- what a provider delivers did not fail on the way
            and (texts.is_recorded or patterns.outcome_class = 'model_failure')
    qualify
        row_number() over (
            partition by texts.is_recorded, texts.text order by patterns.pattern_order
        ) = 1
),

final as (
    select
        unread.answer_key,
        matched.status,
        left(unread.text, 200) as text,
    from unread
    inner join matched on unread.is_recorded = matched.is_recorded and unread.text = matched.text
)

select * from final
