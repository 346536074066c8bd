with questions as (
    select
        question_id,
        answer_letter,
        unnest(options) as option_text,
        unnest(range(1, n_options + 1)) as option_number,
    from {{ ref('int_questions__typed_questions') }}
),

final as (
    select
        question_id,
        chr((64 + option_number)::integer) as letter,
        option_text,
        chr((64 + option_number)::integer) = answer_letter as is_correct,
    from questions
)

select * from final
