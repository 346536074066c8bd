with questions as (
    select
        *,
        {{ question_sentences("question_text") }} as sentences,
    from {{ ref('int_questions__questions') }}
),

asking as (
    select
        *,
        list_transform(
            range(1, len(sentences) + 1),
            lambda i: {{ is_asking("sentences[i]") }}
            or (i = len(sentences) and {{ is_left_open("sentences[i]") }})
            or {{ is_completed_by("sentences[i]", "sentences[i + 1]") }}
        ) as is_question,
    from questions
),

last_question as (
    select
        *,
        -- of several questions in a row the stem begins with the first; a quotation does not count
        len(sentences) + 1 - list_position(list_reverse(is_question), true) as last_at,
    from asking
),

bounds as (
    select
        *,
        coalesce(
            list_max(
                list_filter(
                    range(1, last_at),
                    lambda i: not is_question[i] or {{ is_spoken("sentences[i]") }}
                )
            ),
            0
        ) + 1 as first_at,
        strlen(array_to_string(sentences[last_at + 1:], ' ')) as tail_length,
    from last_question
),

parts as (
    select
        *,
        case
            when last_at is not null and tail_length <= {{ longest_tail() }}
                then array_to_string(sentences[first_at:], ' ')
        end as stem,
        array_to_string(sentences[:first_at - 1], ' ') as narrative,
        len(sentences) - first_at + 1 as n_stem_sentences,
    from bounds
),

final as (
    select
        question_id,
        case
            when stem is null then 'no_stem'
            when length(narrative) <= {{ shortest_vignette() }} then 'no_vignette'
            else 'split'
        end as split_status,
        case
            when stem is null then trim(question_text, e' \t\r\n')
            when length(narrative) > {{ shortest_vignette() }} then narrative
        end as vignette,
        case
            when stem is null then null
            when length(narrative) > {{ shortest_vignette() }} then stem
            else trim(question_text, e' \t\r\n')
        end as question_stem,
        if(stem is null, 0, n_stem_sentences)::integer as n_stem_sentences,
        {{ is_negated_stem("stem") }} as is_negated,
        stem is not null as is_stem_found,
    from parts
)

select * from final
