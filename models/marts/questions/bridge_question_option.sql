with questions as (
    select * from {{ ref('int_questions__questions') }}
),

options as (
    select
        question_id,
        answer_letter,
        -- the two lists have one length and are unnested side by side
        unnest(options) as option_text,
        chr((64 + unnest(range(1, n_options + 1)))::integer) as letter,
    from questions
),

final as (
    select
        question_id,
        letter,
        option_text,
        letter = answer_letter as is_correct,
    from options
)

select * from final
