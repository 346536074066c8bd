with questions as (
    select
        question_id,
        language,
        options,
        {{ match_form("question_text", "language") }} as asked,
    from {{ ref('int_questions__questions') }}
),

options as (
    select
        question_id,
        language,
        asked,
        unnest(options) as option_text,
        unnest(range(1, len(options) + 1)) as option_number,
    from questions
),

shares as (
    select
        question_id,
        chr((64 + option_number)::integer) as letter,
        coalesce(
            {{ stem_recall(
                "asked.stems", content_stems(comparable_text("option_text"), "language")
            ) }},
            0
        ) as overlap,
    from options
),

-- ties are broken by a hash, so that no letter is favoured
final as (
    select
        question_id,
        arg_max(letter, (overlap, md5(question_id || letter))) as letter,
        round(max(overlap), 9) as overlap,
    from shares
    group by all
)

select * from final
