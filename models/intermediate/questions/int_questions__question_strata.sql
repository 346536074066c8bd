with questions as (
    select
        typed.question_id,
        typed.question_type,
        typed.language,
        typed.n_options,
        typed.split_status,
        typed.is_negated,
        types.is_pipeline_appropriate,
    from {{ ref('int_questions__typed_questions') }} as typed
    inner join {{ ref('question_types') }} as types
        on typed.question_type = types.question_type
),

strata as (
    select
        question_id,
        unnest([
            { stratum_kind: 'all', stratum: 'all' },
            { stratum_kind: 'question_type', stratum: question_type },
            {
                stratum_kind: 'pipeline_appropriate',
                stratum: if(is_pipeline_appropriate, 'appropriate', 'not appropriate')
            },
            { stratum_kind: 'language', stratum: language },
            { stratum_kind: 'stem', stratum: if(is_negated, 'negated', 'plain') },
            { stratum_kind: 'split', stratum: split_status },
            { stratum_kind: 'n_options', stratum: n_options::varchar }
        ]) as item,
    from questions
),

final as (
    select
        question_id,
        item.stratum_kind,
        item.stratum,
    from strata
)

select * from final
