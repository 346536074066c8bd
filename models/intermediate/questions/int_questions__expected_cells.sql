with configurations as (
    select * from {{ ref('int_questions__configurations') }}
),

questions as (
    select * from {{ ref('int_questions__typed_questions') }}
),

final as (
    select
        configurations.configuration_id,
        questions.question_id,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        questions.question_type,
        configurations.is_baseline,
        questions.contains_phi and not configurations.is_phi_approved as is_blocked_by_policy,
    from configurations
    inner join questions on configurations.question_set = questions.question_set
)

select * from final
