with questions as (
    select * from {{ ref('dim_question') }}
),

hand_labels as (
    select * from {{ ref('question_type_labels') }}
),

-- the author of the bank labels its questions; labels of others are in the seed, by the hash of
-- their text. A model is compared with the rule, where both have typed a question
labelled as (
    select
        questions.question_set,
        questions.question_type,
        'person' as labelled_by,
        coalesce(questions.labelled_type, hand_labels.question_type) as label,
    from questions
    left join hand_labels on questions.text_hash = hand_labels.text_hash
    union all by name
    select
        question_set,
        question_type,
        'model' as labelled_by,
        model_type as label,
    from questions
    where typed_by = 'rule'
),

final as (
    select
        question_set,
        labelled_by,
        label as labelled_type,
        question_type,
        count(*)::integer as n_questions,
        label = question_type as is_agreed,
    from labelled
    where label is not null
    group by all
)

select * from final
