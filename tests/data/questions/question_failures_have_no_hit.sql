{{ config(tags=['tier1']) }}

select
    answers.configuration_id,
    answers.question_id,
    answers.status,
from {{ ref('fct_question_answer') }} as answers
inner join {{ ref('dim_question') }} as questions on answers.question_id = questions.question_id
where
    (answers.outcome_class != 'answered' and answers.is_choice_correct)
    or answers.is_choice_correct != coalesce(answers.chosen_letter = questions.answer_letter, false)
    or (answers.is_top1 and not answers.is_top3)
    or (answers.is_top3 and not answers.is_mentioned)
    or (answers.is_fallback and answers.is_top3)
