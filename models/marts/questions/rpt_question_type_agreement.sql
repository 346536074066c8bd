with questions as (
    select * from {{ ref('dim_question') }}
),

hand_labels as (
    select * from {{ ref('question_type_labels') }}
),

-- the author of the bank labels its questions; labels of others are in the seed, by the hash of
-- their text
labelled as (
    select
        questions.question_set,
        questions.question_type,
        coalesce(questions.labelled_type, hand_labels.question_type) as label,
    from questions
    left join hand_labels on questions.text_hash = hand_labels.text_hash
),

final as (
    select
        question_set,
        label as labelled_type,
        question_type,
        count(*)::integer as n_questions,
        label = question_type as is_agreed,
    from labelled
    where label is not null
    group by all
)

select * from final
