with source as (
    select
        'kernel29_bank' as question_set,
        cast(question_number as integer) as question_number,
        language,
        question_type as labelled_type,
        question_text,
        list_filter(
            [option_a, option_b, option_c, option_d, option_e], lambda option: option is not null
        ) as options,
        answer_letter,
        rationale,
        source,
        false as contains_phi,
    from {{ ref('question_bank') }}
)

select * from source
