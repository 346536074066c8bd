with bank as (
    select * from {{ ref('question_bank') }}
),

imported as (
    select * from {{ ref('stg_questions__imported') }}
),

bank_questions as (
    select
        'kernel29_bank' as question_set,
        question_number::integer as question_number,
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
    from bank
),

imported_questions as (
    select
        question_set,
        question_number,
        coalesce(language, {{ question_language("question_text") }}) as language,
        question_text,
        options,
        answer_letter,
        source,
        contains_phi,
        question_ref,
        subject,
        unscored_reason,
    from imported
),

questions as (
    select * from bank_questions
    union all by name
    select * from imported_questions
),

hashed as (
    select
        *,
        {{ text_hash("question_text") }} as text_hash,
        {{ text_hash("question_text || chr(31) || array_to_string(options, chr(31))") }}
            as question_hash,
    from questions
),

final as (
    select
        * exclude (question_hash),
        question_set || '/' || question_hash as question_id,
        len(options)::integer as n_options,
        options[ascii(answer_letter) - 64] as answer_text,
        -- a set imported before the reason was noted has a key for every question
        unscored_reason is null and answer_letter is not null as is_scored,
    from hashed
    -- the same question twice in a set counts once
    qualify
        row_number() over (partition by question_set, question_hash order by question_number) = 1
)

select * from final
