with source as (
    select
        cue,
        kind,
        applies_to,
        source,
    from {{ ref('assertion_cues') }}
)

select * from source
