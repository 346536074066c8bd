with asks as (
    select * from {{ ref('int_questions__analysis_asks') }}
),

questions as (
    select
        question_id,
        question_type,
        language,
        {{ match_form("answer_text", "language") }} as target,
    from {{ ref('dim_question') }}
),

steps as (
    select * from {{ ref('question_scoring_steps') }}
),

fields as (
    select
        asks.configuration_id,
        asks.question_id,
        questions.question_type,
        questions.target,
        items.field,
        items.field_rank,
        items.field_text,
        {{ match_form("items.field_text", "questions.language") }} as candidate,
    from asks
    inner join questions on asks.question_id = questions.question_id
    inner join {{ ref('int_questions__parsed_analyses') }} as items
        on asks.request_key = items.request_key
),

-- by_type: scored on what was asked; untyped: scored as if every question asked for a diagnosis
schemes as (
    select
        *,
        unnest([
            { scheme: 'by_type', scored_as: question_type },
            { scheme: 'untyped', scored_as: 'diagnostic' }
        ], recursive := true),
    from fields
),

matches as (
    select
        schemes.configuration_id,
        schemes.question_id,
        schemes.scheme,
        schemes.field as match_field,
        schemes.field_rank as match_rank,
        schemes.field_text as match_text,
        steps.step,
        steps.is_primary,
    from schemes
    inner join steps
        on schemes.scored_as = steps.question_type and schemes.field = steps.field
    where {{ forms_match("schemes.candidate", "schemes.target", "steps.threshold") }}
),

final as (
    select
        * exclude (is_primary),
        not is_primary as is_fallback,
    from matches
    qualify
        row_number() over (
            partition by configuration_id, question_id, scheme
            order by step, match_rank nulls last, match_text
        ) = 1
)

select * from final
