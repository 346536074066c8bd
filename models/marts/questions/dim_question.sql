with questions as (
    select * from {{ ref('int_questions__questions') }}
),

splits as (
    select * from {{ ref('int_questions__splits') }}
),

by_rule as (
    select * from {{ ref('int_questions__rule_types') }}
),

types as (
    select * from {{ ref('question_types') }}
),

-- A valid answer is the name of one type and nothing else; any other leaves the question untyped.
by_model as (
    select
        asks.question_id,
        types.question_type,
    from {{ ref('int_questions__type_asks') }} as asks
    inner join {{ ref('int_questions__type_responses') }} as responses
        on asks.request_key = responses.request_key and responses.status = 'ok'
    inner join types
        on lower(trim(responses.answer_text, e' \t\r\n.*_"''`')) = types.question_type
),

typed as (
    select
        by_rule.question_id,
        by_rule.type_rule,
        by_rule.matched_in as type_matched_in,
        by_model.question_type as model_type,
        -- rules first: they cost nothing, give the same type every time and say why
        if(
            by_rule.type_rule is null,
            coalesce(by_model.question_type, by_rule.question_type),
            by_rule.question_type
        ) as question_type,
        case
            when by_rule.type_rule is not null then 'rule'
            when by_model.question_type is not null then 'model'
            else 'none'
        end as typed_by,
    from by_rule
    left join by_model on by_rule.question_id = by_model.question_id
),

final as (
    select
        questions.question_id,
        questions.question_set,
        questions.text_hash,
        questions.language,
        typed.question_type,
        typed.typed_by,
        typed.type_rule,
        typed.type_matched_in,
        typed.model_type,
        questions.labelled_type,
        questions.question_text,
        splits.split_status,
        splits.vignette,
        splits.question_stem,
        questions.answer_letter,
        questions.answer_text,
        questions.rationale,
        questions.source,
        questions.question_ref,
        questions.subject,
        questions.unscored_reason,
        questions.question_number,
        questions.n_options,
        splits.n_stem_sentences,
        types.is_pipeline_appropriate,
        splits.is_stem_found,
        splits.is_negated,
        questions.is_scored,
        questions.contains_phi,
    from questions
    inner join splits on questions.question_id = splits.question_id
    inner join typed on questions.question_id = typed.question_id
    inner join types on typed.question_type = types.question_type
)

select * from final
