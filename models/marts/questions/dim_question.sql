with final as (
    select
        typed.question_id,
        typed.question_set,
        typed.text_hash,
        typed.language,
        typed.question_type,
        typed.typed_by,
        typed.type_rule,
        typed.type_matched_in,
        typed.labelled_type,
        typed.question_text,
        typed.split_status,
        typed.vignette,
        typed.question_stem,
        typed.answer_letter,
        typed.answer_text,
        typed.rationale,
        typed.source,
        typed.question_number,
        typed.n_options,
        typed.n_stem_sentences,
        types.is_pipeline_appropriate,
        typed.is_stem_found,
        typed.is_negated,
        typed.contains_phi,
    from {{ ref('int_questions__typed_questions') }} as typed
    inner join {{ ref('question_types') }} as types
        on typed.question_type = types.question_type
)

select * from final
