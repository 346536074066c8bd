with questions as (
    select * from {{ ref('int_questions__questions') }}
),

splits as (
    select * from {{ ref('int_questions__splits') }}
),

by_rule as (
    select * from {{ ref('int_questions__rule_types') }}
),

by_model as (
    select
        asks.question_id,
        parsed.question_type,
    from {{ ref('int_questions__type_asks') }} as asks
    inner join {{ ref('int_questions__parsed_types') }} as parsed
        on asks.request_key = parsed.request_key
    inner join {{ ref('question_types') }} as types
        on parsed.question_type = types.question_type
),

final as (
    select
        questions.question_id,
        questions.question_set,
        questions.question_number,
        questions.text_hash,
        questions.language,
        questions.labelled_type,
        questions.question_text,
        splits.split_status,
        splits.vignette,
        splits.question_stem,
        questions.options,
        questions.answer_letter,
        questions.answer_text,
        questions.rationale,
        questions.source,
        coalesce(by_model.question_type, by_rule.question_type) as question_type,
        by_rule.type_rule,
        by_rule.matched_in as type_matched_in,
        case
            when by_model.question_type is not null then 'model'
            when by_rule.type_rule is not null then 'rule'
            else 'none'
        end as typed_by,
        questions.n_options,
        splits.n_stem_sentences,
        splits.is_stem_found,
        splits.is_negated,
        questions.contains_phi,
    from questions
    inner join splits on questions.question_id = splits.question_id
    inner join by_rule on questions.question_id = by_rule.question_id
    left join by_model on questions.question_id = by_model.question_id
)

select * from final
