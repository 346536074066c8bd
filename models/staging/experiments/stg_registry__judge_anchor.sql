with source as (
    select
        anchor_id,
        gold_diagnosis,
        diagnosis,
        semantic_relation,
        kind,
        known_gap,
        source,
    from {{ ref('judge_anchors') }}
)

select * from source
