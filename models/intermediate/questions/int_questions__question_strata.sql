with questions as (
    select * from {{ ref('dim_question') }}
    -- on an image that is not there, voided, or without a key: shown, in no score
    where is_scored
),

final as (
    select
        question_id,
        -- a question is in one stratum of every kind: strata of one kind add up to the set
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
            { stratum_kind: 'n_options', stratum: n_options::varchar },
            { stratum_kind: 'subject', stratum: coalesce(subject, 'not stated') }
        ], recursive := true),
    from questions
)

select * from final
