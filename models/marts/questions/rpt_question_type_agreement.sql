with final as (
    select
        question_set,
        labelled_type,
        question_type,
        count(*)::integer as n_questions,
        labelled_type = question_type as is_agreed,
    from {{ ref('int_questions__type_labels') }}
    group by all
)

select * from final
