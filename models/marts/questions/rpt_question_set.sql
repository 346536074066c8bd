with questions as (
    select
        question_set,
        count(*)::integer as n_questions,
        count(*) filter (where is_stem_found)::integer as n_stem_found,
        count(*) filter (where split_status = 'split')::integer as n_split,
        count(*) filter (where split_status = 'no_vignette')::integer as n_no_vignette,
        count(*) filter (where split_status = 'no_stem')::integer as n_no_stem,
        count(*) filter (where is_negated)::integer as n_negated,
        count(*) filter (where n_stem_sentences > 1)::integer as n_long_stems,
        count(*) filter (where typed_by = 'rule')::integer as n_typed_by_rule,
        count(*) filter (where typed_by = 'model')::integer as n_typed_by_model,
        count(*) filter (where typed_by = 'none')::integer as n_untyped,
        count(*) filter (where language = 'es')::integer as n_spanish,
        count(*) filter (where is_scored)::integer as n_scored,
        count(*) filter (where unscored_reason = 'image')::integer as n_image,
        count(*) filter (where unscored_reason = 'voided')::integer as n_voided,
        count(*) filter (where unscored_reason = 'no_key')::integer as n_without_key,
        count(*) filter (where unscored_reason = 'two_keys')::integer as n_two_keys,
        count(*) filter (where unscored_reason = 'key_is_no_option')::integer as n_key_is_no_option,
        count(*) filter (where unscored_reason = 'keys_contradict')::integer as n_keys_contradict,
        {{ chance_level("n_options", "1") }} as chance_level,
    from {{ ref('dim_question') }}
    group by all
),

-- a set may have no labels at all: the counts are 0 then, and the agreement is null
labels as (
    select
        question_set,
        sum(n_questions)::integer as n_labelled,
        coalesce(sum(n_questions) filter (where is_agreed), 0)::integer as n_label_agreed,
    from {{ ref('rpt_question_type_agreement') }}
    where labelled_by = 'person'
    group by all
),

final as (
    select
        questions.question_set,
        questions.n_questions,
        questions.n_stem_found,
        questions.n_split,
        questions.n_no_vignette,
        questions.n_no_stem,
        questions.n_negated,
        questions.n_long_stems,
        questions.n_typed_by_rule,
        questions.n_typed_by_model,
        questions.n_untyped,
        questions.n_spanish,
        questions.n_scored,
        questions.n_image,
        questions.n_voided,
        questions.n_without_key,
        questions.n_two_keys,
        questions.n_key_is_no_option,
        questions.n_keys_contradict,
        coalesce(labels.n_labelled, 0)::integer as n_labelled,
        coalesce(labels.n_label_agreed, 0)::integer as n_label_agreed,
        round(questions.n_stem_found / questions.n_questions, 12) as stem_found_share,
        round(labels.n_label_agreed / labels.n_labelled, 12) as label_agreement,
        questions.chance_level,
    from questions
    left join labels on questions.question_set = labels.question_set
)

select * from final
