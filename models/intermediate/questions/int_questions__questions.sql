with everything as (
    select
        question_set,
        question_number,
        language,
        labelled_type,
        question_text,
        options,
        answer_letter,
        rationale,
        source,
        contains_phi,
    from {{ ref('stg_questions__bank') }}
    union all
    select
        question_set,
        question_number,
        coalesce(language, {{ question_language("question_text") }}) as language,
        null as labelled_type,
        question_text,
        options,
        answer_letter,
        null as rationale,
        source,
        contains_phi,
    from {{ ref('stg_questions__imported') }}
),

hashed as (
    select
        question_set,
        question_number,
        language,
        labelled_type,
        question_text,
        options,
        answer_letter,
        rationale,
        source,
        contains_phi,
        {{ text_hash("question_text") }} as text_hash,
        {{ text_hash("question_text || chr(31) || array_to_string(options, chr(31))") }}
            as question_hash,
    from everything
),

final as (
    select
        question_set || '/' || question_hash as question_id,
        question_set,
        question_number,
        text_hash,
        language,
        labelled_type,
        question_text,
        options,
        len(options)::integer as n_options,
        answer_letter,
        options[ascii(answer_letter) - 64] as answer_text,
        rationale,
        source,
        contains_phi,
    from hashed
    -- the same question twice in a set counts once
    qualify
        row_number() over (partition by question_set, question_hash order by question_number) = 1
)

select * from final
