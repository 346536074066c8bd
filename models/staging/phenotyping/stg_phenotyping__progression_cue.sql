with source as (
    select
        cue,
        language,
        progression,
        source,
    from {{ ref('progression_cues') }}
)

select * from source
