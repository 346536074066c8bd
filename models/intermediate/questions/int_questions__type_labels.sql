with questions as (
    select * from {{ ref('int_questions__typed_questions') }}
),

hand_labels as (
    select
        text_hash,
        question_type as labelled_type,
    from {{ ref('question_type_labels') }}
),

final as (
    select
        questions.question_id,
        questions.question_set,
        coalesce(questions.labelled_type, hand_labels.labelled_type) as labelled_type,
        questions.question_type,
        coalesce(questions.labelled_type, hand_labels.labelled_type) = questions.question_type
            as is_agreed,
    from questions
    left join hand_labels on questions.text_hash = hand_labels.text_hash
    where coalesce(questions.labelled_type, hand_labels.labelled_type) is not null
)

select * from final
