with source as (
    select
        cue,
        language,
        kind,
        direction,
        certainty,
        cast(max_words as integer) as max_words,
        source,
    from {{ ref('note_cues') }}
)

select * from source
